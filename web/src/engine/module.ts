// The engine's module: fetched once for the page, compiled while it downloads, passed to each
// worker.

import { once } from "./once";
import engineUrl from "./pkg/mmscope_bg.wasm?url";

/** The state of the download: not started, downloading and compiling, or finished. */
export type Loading = "waiting" | "coming" | "there";

let loading: Loading = "waiting";
const listeners = new Set<() => void>();

function isNow(next: Loading) {
  loading = next;
  for (const listener of listeners) listener();
}

/** Publishes the state of the module's download. */
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
  // The browser compiles only this content type while it downloads.
  const streams = response.headers.get("Content-Type")?.startsWith("application/wasm");
  return streams
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

/** Sends the module to a new worker once it is loaded; reports a failure as an error of the
 * worker. */
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
