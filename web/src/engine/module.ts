// The engine's one module: fetched once for the page, compiled while it comes, given to each worker.

import { once } from "./once";
import engineUrl from "./pkg/mmscope_bg.wasm?url";

/** How far it is: nothing came yet, it is being downloaded and compiled, or it is there. */
export type Loading = "waiting" | "coming" | "there";

let loading: Loading = "waiting";
const listeners = new Set<() => void>();

function isNow(next: Loading) {
  loading = next;
  for (const listener of listeners) listener();
}

/** How far the module is, for who waits for it. */
export const engineLoading = {
  now: (): Loading => loading,
  subscribe: (changed: () => void): (() => void) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  },
};

/** The module. */
export const engineModule = once(async () => {
  isNow("waiting");
  const module = await compile();
  isNow("there");
  return module;
});

async function compile(): Promise<WebAssembly.Module> {
  const response = await fetch(engineUrl);
  isNow("coming");
  if (!response.ok) throw new Error(`the engine did not load (${response.status})`);
  // Only what a host calls WebAssembly is compiled while it comes.
  const streams = response.headers.get("Content-Type")?.startsWith("application/wasm");
  return streams
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

/** Gives a new worker the module as soon as it is there; what fails is told as an error of it. */
export function withModule(worker: Worker): Worker {
  engineModule().then(
    (module) => worker.postMessage(module),
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      worker.dispatchEvent(new ErrorEvent("error", { message }));
    },
  );
  return worker;
}
