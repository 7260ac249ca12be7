// Loading the engine where one runs: in a worker.

import { Builds } from "./builds";
import init, { Engine, initSync } from "./pkg/mmscope";
import firstUrl from "./pkg/mmscope_bg.wasm?url";
import wholeUrl from "./pkg/mmscope_whole_bg.wasm?url";

/** A worker of this name begins with the whole engine (`startWhole`, `startWholeMeasure`). */
const WHOLE = "whole";

async function compileWhole(): Promise<WebAssembly.Module> {
  const response = await fetch(wholeUrl);
  if (!response.ok) throw new Error(`the whole engine did not load (${response.status})`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Loads the engine this worker begins with, and what it takes to have the whole one. */
export async function loadEngine(
  budget_mib: number,
): Promise<{ engine: Engine; builds: Builds<Engine> }> {
  const isWhole = self.name === WHOLE;
  await init({ module_or_path: isWhole ? wholeUrl : firstUrl });
  const start = (module: WebAssembly.Module) => {
    initSync({ module });
    return new Engine(budget_mib);
  };
  return { engine: new Engine(budget_mib), builds: new Builds(compileWhole, start, isWhole) };
}
