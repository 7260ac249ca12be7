// The worker that holds the files of one machine, with its own instance of the engine's module.

import { CaptureHost } from "../capture/host";
import type { CaptureRequest } from "../capture/protocol";
import { explain_machine, initSync, read_capture, read_series, TraceReader } from "../pkg/mmscope";

const calls = { newTrace: () => new TraceReader(), read_capture, explain_machine, read_series };
const host = new CaptureHost(calls, (event) => postMessage(event));
const waiting: CaptureRequest[] = [];
let isReady = false;

addEventListener("message", ({ data }: MessageEvent<CaptureRequest | WebAssembly.Module>) => {
  if (data instanceof WebAssembly.Module) {
    initSync({ module: data });
    isReady = true;
    for (const request of waiting.splice(0)) void host.hear(request);
  } else if (isReady) {
    void host.hear(data);
  } else {
    waiting.push(data);
  }
});
