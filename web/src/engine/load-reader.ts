// Loading, where an engine runs, what turns experiments into plans.

import initReader, { read_experiment } from "./pkg/mmscope_open";
import readerUrl from "./pkg/mmscope_open_bg.wasm?url";
import packedUrl from "./pkg/packed.json?url";
import { byText, type PackedByText, type Reader } from "./reading";

/** The experiments a page opens by itself, a file of the same build beside the engine's module. */
export async function loadPacked(): Promise<PackedByText> {
  const response = await fetch(packedUrl);
  if (!response.ok) throw new Error(`the packed experiments did not load (${response.status})`);
  return byText(await response.json());
}

/** The module that reads all others. */
export async function loadReader(): Promise<Reader> {
  await initReader({ module_or_path: readerUrl });
  return { read_experiment };
}
