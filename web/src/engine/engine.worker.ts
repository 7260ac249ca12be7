// The worker around the engine: starts it, hands requests to the host, and says so when it breaks.

import type { Procfs } from "./answers";
import { presetsOf } from "./catalog";
import { EngineHost } from "./host";
import { loadCatalog } from "./load-catalog";
import { loadEngine } from "./load-engine";
import { loadPacked, loadReader } from "./load-reader";
import { Engine, engine_version } from "./pkg/mmscope";
import initProcfs, { import_zoneinfo, print_file, print_ftrace } from "./pkg/mmscope_procfs";
import procfsUrl from "./pkg/mmscope_procfs_bg.wasm?url";
import { CHECKPOINT_MIB, type EngineEvent, type EngineRequest } from "./protocol";
import { findPacked, Readings } from "./reading";

const post = (event: EngineEvent, transfer: ArrayBuffer[] = []) => postMessage(event, { transfer });

const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

let host: EngineHost | undefined;

/** Runs a piece of work; an exception out of the engine is the end of this worker's use. */
function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    const position = host?.lastPosition ?? null;
    host = undefined;
    post({ kind: "trapped", message: words(error), position });
  }
}

let procfs: Promise<Procfs> | undefined;

/** The second module, downloaded when it is first asked for; after a failure, when next asked. */
function loadProcfs(): Promise<Procfs> {
  procfs ??= initProcfs({ module_or_path: procfsUrl }).then(
    () => ({ import_zoneinfo, print_file, print_ftrace }),
    (error) => {
      procfs = undefined;
      throw error;
    },
  );
  return procfs;
}

/** Work that is due at once. A message to oneself waits its turn behind the page's, where timers
 * that start timers are held back by the browser. */
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
let readings: Readings | undefined;
/** So long after the first figure what other experiments need is loaded, ms. */
const PREPARE_AFTER_MS = 1000;

addEventListener("message", ({ data }: MessageEvent<EngineRequest>) => {
  const ready = host;
  if (data.kind === "painted" && readings) {
    setTimeout((all: Readings) => all.prepare(), PREPARE_AFTER_MS, readings);
    readings = undefined;
  }
  if (ready) guarded(() => ready.handle(data));
  else waiting.push(data);
});

try {
  const files = [loadCatalog(), loadPacked(), loadEngine(CHECKPOINT_MIB)] as const;
  const [catalog, packed, engine] = await Promise.all(files);
  const all = new Readings(packed, loadReader);
  readings = all;
  const presets = presetsOf(catalog);
  const timing = {
    now: () => performance.now(),
    later: (work: () => void, delay_ms: number) => later(() => host && guarded(work), delay_ms),
  };
  const started = new EngineHost(engine, {
    catalog,
    ...timing,
    post,
    read: (json) => all.read(json),
    procfs: loadProcfs,
    warmUp: async (isIdle) => {
      const { WARM_UP_PRESETS, warmUp } = await import("./warm-up");
      const plans = WARM_UP_PRESETS.flatMap(
        (id) => findPacked(packed, presets[id] ?? "")?.plan ?? [],
      );
      warmUp({ ...timing, plans, begin: () => new Engine(1) }, isIdle);
    },
  });
  host = started;
  post({ kind: "ready", version: engine_version(), catalog, presets });
  for (const request of waiting) guarded(() => started.handle(request));
} catch (error) {
  post({ kind: "unavailable", message: words(error) });
}
