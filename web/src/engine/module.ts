// The engine's one module: fetched once for the page, compiled while it comes, given to each worker.

import engineUrl from "./pkg/mmscope_bg.wasm?url";

let loading: Promise<WebAssembly.Module> | undefined;

/** The module; when that fails the next who asks tries again. */
export function engineModule(): Promise<WebAssembly.Module> {
  loading ??= compile().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function compile(): Promise<WebAssembly.Module> {
  const response = await fetch(engineUrl);
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
