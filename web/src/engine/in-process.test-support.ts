// Stands in for a worker: the real engine in this process, behind the page's own client.

import { presetsOf } from "./catalog";
import type { Port } from "./client";
import { callNow, catalog, loadEngine, readNow } from "./loaded.test-support";
import { engine_version } from "./pkg/mmscope";
import type { EngineEvent } from "./protocol";
import { EngineHost } from "./worker/host";

/** Starts an engine that answers as the worker does. It traps at the request named `broken`. */
export function startInProcess(broken?: string): Port {
  const engine = loadEngine();
  const post = (event: EngineEvent) => {
    setTimeout(() => port.onmessage?.(new MessageEvent("message", { data: event })), 0);
  };
  const host = new EngineHost(engine, {
    catalog,
    now: () => performance.now(),
    later: (work, delay_ms) => setTimeout(work, delay_ms),
    post,
    read: readNow,
    call: callNow,
    warmUp: () => {},
  });
  const port: Port = {
    onmessage: null,
    onerror: null,
    terminate: () => {},
    postMessage: (request) => {
      if (request.kind === "sign") post({ kind: "sign" });
      else if (request.kind === broken) {
        post({ kind: "trapped", message: "two lists hold one page", position: host.lastPosition });
      } else {
        host.handle(request);
      }
    },
  };
  post({ kind: "ready", version: engine_version(), catalog, presets: presetsOf(catalog) });
  return port;
}
