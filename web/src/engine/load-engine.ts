// Loading the engine where one runs: in a worker.

import init, { Engine } from "./pkg/mmscope";
import engineUrl from "./pkg/mmscope_bg.wasm?url";

/** Loads the module, which is compiled while it comes, and begins an engine. */
export async function loadEngine(budget_mib: number): Promise<Engine> {
  await init({ module_or_path: engineUrl });
  return new Engine(budget_mib);
}
