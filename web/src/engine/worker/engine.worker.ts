// The worker around the engine: starts it, passes requests to the host, and reports when it breaks.

import { presetsOf } from "../catalog";
import { browserLocks, holdLife } from "../life";
import { Engine, engine_version, initSync } from "../pkg/mmscope";
import {
  type BudgetMessage,
  CHECKPOINT_MIB,
  type EngineEvent,
  type EngineRequest,
  type SignRequest,
} from "../protocol";
import { Reader } from "../reader";
import { EngineHost } from "./host";
import { loadCatalog } from "./load-catalog";

const post = (event: EngineEvent, transfer: ArrayBuffer[] = []) => postMessage(event, { transfer });

const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

holdLife((lock) => post({ kind: "lives", lock }), browserLocks());

let host: EngineHost | undefined;

/** Runs a piece of work; after an exception from the engine this worker cannot be used any more. */
function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    const position = host?.lastPosition ?? null;
    host = undefined;
    post({ kind: "trapped", message: words(error), position });
  }
}

/** Schedules work without delay. A message to the worker itself queues behind the page's messages,
    while browsers delay nested timers. */
const due: (() => void)[] = [];
const turn = new MessageChannel();
turn.port1.onmessage = () => due.shift()?.();

function later(work: () => void, delay_ms: number): void {
  if (delay_ms > 0) {
    setTimeout(work, delay_ms);
  } else {
    due.push(work);
    turn.port2.postMessage(null);
  }
}

const waiting: EngineRequest[] = [];
const texts = loadCatalog();

/** Memory for checkpoints, MiB: the page says how much before it sends the module. */
let budget_mib = CHECKPOINT_MIB;

type Message = BudgetMessage | EngineRequest | SignRequest | WebAssembly.Module;

addEventListener("message", ({ data }: MessageEvent<Message>) => {
  if ("kind" in data && data.kind === "sign") return post({ kind: "sign" });
  if (data instanceof WebAssembly.Module) return void start(data);
  if (data.kind === "budget") {
    budget_mib = data.mib;
    return;
  }
  const ready = host;
  if (ready) guarded(() => ready.handle(data));
  else waiting.push(data);
});

addEventListener("messageerror", () =>
  post({ kind: "unavailable", message: "the page's message to the engine was incomplete" }),
);

async function start(module: WebAssembly.Module): Promise<void> {
  try {
    const reader = new Reader(() => {
      const worker = new Worker(new URL("./reader.worker.ts", import.meta.url), { type: "module" });
      worker.postMessage(module);
      return worker;
    });
    reader.prepare();
    initSync({ module });
    const engine = new Engine(budget_mib);
    const catalog = await texts;
    const presets = presetsOf(catalog);
    const timing = {
      now: () => performance.now(),
      later: (work: () => void, delay_ms: number) => later(() => host && guarded(work), delay_ms),
    };
    const started = new EngineHost(engine, {
      catalog,
      ...timing,
      post,
      read: reader.read,
      call: (call, ...given) => reader.call(call, ...given),
      warmUp: async (isIdle) => {
        const { WARM_UP_PRESETS, warmUp } = await import("./warm-up");
        const experiments = WARM_UP_PRESETS.map((id) => presets[id] ?? "");
        warmUp({ ...timing, experiments, begin: () => new Engine(1) }, isIdle);
      },
    });
    host = started;
    post({ kind: "ready", version: engine_version(), catalog, presets });
    for (const request of waiting) guarded(() => started.handle(request));
  } catch (error) {
    post({ kind: "unavailable", message: words(error) });
  }
}
