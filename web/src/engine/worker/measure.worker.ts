// A worker with an engine of its own that measures runs, so that the stage beside it stays live.

import { presetsOf } from "../catalog";
import { countersNow, measure } from "../measure";
import type { MeasureEvent, MeasureRequest } from "../measure-client";
import { part } from "../part";
import { Engine, engine_version, initSync, read_experiment } from "../pkg/mmscope";
import { type Reading, readingOf } from "../reading";
import type { Catalog } from "../types";
import { loadCatalog } from "./load-catalog";

/** Memory for going back, MiB. */
const CHECKPOINT_MIB = 64;
const SLOT = 0;
/** A slice of work; a request to break off waits at most so long, ms. */
const SLICE_MS = 25;
/** Counters are told so often, ms: looking at a machine takes longer than running it on. */
const COUNTERS_MS = 200;

const post = (event: MeasureEvent) => postMessage(event);
const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

const texts = loadCatalog();
const waiting: Exclude<MeasureRequest, { kind: "cancel" }>[] = [];
const cancelled = new Set<number>();
let wake: (() => void) | undefined;

addEventListener("message", ({ data }: MessageEvent<MeasureRequest | WebAssembly.Module>) => {
  if (data instanceof WebAssembly.Module) return void work(data);
  if (data.kind === "cancel") cancelled.add(data.id);
  else waiting.push(data);
  wake?.();
});

const next = async () => {
  while (waiting.length === 0) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  return waiting.shift();
};

const turn = new MessageChannel();
/** Lets messages in. One to itself waits behind the page's; a timer would wait 4 ms every time. */
const breathe = () =>
  new Promise((resolve) => {
    turn.port1.onmessage = resolve;
    turn.port2.postMessage(0);
  });

/** Measures one run that was read. */
async function run(
  engine: Engine,
  reading: Reading,
  catalog: Catalog,
  { id, measure: asked }: Extract<MeasureRequest, { kind: "measure" }>,
) {
  const work = measure(engine, SLOT, reading, asked, catalog);
  let began = performance.now();
  let told = began;
  while (!cancelled.has(id)) {
    const { done, value } = work.next();
    if (done) return post({ kind: "measured", id, measured: value });
    if (performance.now() - began < SLICE_MS) continue;
    const isTime = asked.counters && began - told > COUNTERS_MS;
    const counters = isTime ? countersNow(engine, SLOT, asked.counters ?? []) : undefined;
    if (isTime) told = began;
    post({ kind: "measuring", id, position: value, counters });
    await breathe();
    began = performance.now();
  }
}

/** Runs two experiments to where they part. */
async function runBoth(
  engine: Engine,
  catalog: Catalog,
  { id, experiments }: Extract<MeasureRequest, { kind: "part" }>,
) {
  const work = part(engine, experiments, catalog);
  let began = performance.now();
  while (!cancelled.has(id)) {
    const { done, value: parting } = work.next();
    if (done) return post({ kind: "parting", id, parting });
    if (performance.now() - began < SLICE_MS) continue;
    post({ kind: "parting", id, parting });
    await breathe();
    began = performance.now();
  }
}

/** Measures what is asked, one after the other. What is read here is the page's own. */
async function work(module: WebAssembly.Module): Promise<void> {
  try {
    initSync({ module });
    const engine = new Engine(CHECKPOINT_MIB);
    const catalog = await texts;
    post({ kind: "ready", version: engine_version(), presets: presetsOf(catalog) });
    for (;;) {
      const request = await next();
      if (!request) continue;
      if (request.kind === "part") {
        await runBoth(engine, catalog, request);
        continue;
      }
      const reading = readingOf(read_experiment(request.measure.experiment));
      await run(engine, reading, catalog, request);
    }
  } catch (error) {
    post({ kind: "failed", message: words(error) });
  }
}
