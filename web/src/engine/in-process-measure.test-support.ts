// Stands in for a measuring worker: the same code and the real engine in this process. It works in
// short slices, so that a test can interrupt it.

import { presetsOf } from "./catalog";
import { compareRuns } from "./first-divergence";
import { catalog, loadEngine, readNow } from "./loaded.test-support";
import { countersNow, measure } from "./measure";
import type { MeasureEvent, MeasurePort } from "./measure-client";
import { engine_version, Shrink } from "./pkg/mmscope";
import { shrink } from "./shrink";

/** Starts an engine that measures as the worker does. */
export function startMeasureInProcess(): MeasurePort {
  const engine = loadEngine();
  const cancelled = new Set<number>();
  const post = (event: MeasureEvent) =>
    port.onmessage?.(new MessageEvent("message", { data: event }));
  let work = Promise.resolve();
  const port: MeasurePort = {
    onmessage: null,
    onerror: null,
    terminate: () => {},
    postMessage: (request) => {
      if (request.kind === "cancel") return void cancelled.add(request.id);
      work = work.then(async () => {
        if (request.kind === "compare") {
          const both = compareRuns(engine, request.experiments, catalog);
          for (let isDone = false; !isDone && !cancelled.has(request.id); ) {
            const { done = false, value: comparison } = both.next();
            isDone = done;
            post({ kind: "compared", id: request.id, comparison });
            await new Promise((resolve) => setTimeout(resolve, 0));
          }
          return;
        }
        if (request.kind === "shrink") {
          const { id, experiment, statement } = request;
          const search = shrink(() => new Shrink(experiment, statement));
          while (!cancelled.has(id)) {
            const { done, value } = search.next();
            if (done) return post({ kind: "shrunk", id, shrunk: value });
            post({ kind: "shrinking", id, shrinking: value });
            await new Promise((resolve) => setTimeout(resolve, 0));
          }
          search.return({ kind: "refused", message: "cancelled" });
          return;
        }
        const { experiment, counters: names } = request.measure;
        const steps = measure(engine, 0, readNow(experiment), request.measure, catalog);
        while (!cancelled.has(request.id)) {
          const { done, value } = steps.next();
          if (done) return post({ kind: "measured", id: request.id, measured: value });
          const counters = names && countersNow(engine, 0, names);
          post({ kind: "measuring", id: request.id, position: value, counters });
          await new Promise((resolve) => setTimeout(resolve, 0));
        }
        post({ kind: "stopped", id: request.id });
      });
    },
  };
  const presets = presetsOf(catalog);
  setTimeout(() => post({ kind: "ready", version: engine_version(), presets }), 0);
  return port;
}
