// A worker with an engine of its own that measures runs, so that the stage stays responsive.

import { presetsOf } from "../catalog";
import { compareRuns } from "../first-divergence";
import type { Instance } from "../image";
import { countersNow, type Measured, measure } from "../measure";
import type { MeasureEvent, MeasureRequest } from "../measure-client";
import { Engine, engine_version, initSync, read_experiment, Shrink } from "../pkg/mmscope";
import { type Reading, readingOf } from "../reading";
import { shrink } from "../shrink";
import type { Catalog, Position } from "../types";
import { ImageFiles } from "./image-files.worker";
import { loadCatalog } from "./load-catalog";

/** Memory for checkpoints, MiB. */
const CHECKPOINT_MIB = 64;
const SLOT = 0;
/** A slice of work, ms; a request to cancel waits at most this long. */
const SLICE_MS = 25;
/** How often counters are reported, ms; reading the counters takes longer than a short run. */
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
/** Lets pending messages be handled. A message to the worker itself queues behind the page's
    messages; a timer would take 4 ms each time. */
const breathe = () =>
  new Promise((resolve) => {
    turn.port1.onmessage = resolve;
    turn.port2.postMessage(0);
  });

/** How often a run is stored, ms; less often if storing would take more than this share of the
    time. */
const KEEP_MS = 20_000;
const KEEP_PART = 1 / 20;

/** An engine and its WebAssembly instance. */
interface Bench {
  readonly engine: Engine;
  readonly instance: Instance;
  readonly catalog: Catalog;
}

/** Stores a run and restores it. */
class Keeper {
  readonly #bench: Bench;
  readonly #files: ImageFiles;
  readonly #experiment: string;
  #before_ms = 0;
  #began = performance.now();
  #due = this.#began + KEEP_MS;

  constructor(bench: Bench, id: string, experiment: string) {
    this.#bench = bench;
    this.#files = new ImageFiles(id);
    this.#experiment = experiment;
  }

  /** How long the run has taken, ms. */
  get waited_ms(): number {
    return this.#before_ms + performance.now() - this.#began;
  }

  /** Restores the run from its image; returns whether there was one. */
  async resume(): Promise<boolean> {
    const { engine, instance } = this.#bench;
    try {
      const head = await this.#files.load(instance, this.#experiment);
      if (head && engine.hash(SLOT) !== head.hash) throw new Error("it is another run");
      this.#before_ms = head?.waited_ms ?? 0;
      this.#began = performance.now();
      this.#due = this.#began + KEEP_MS;
      return head !== null;
    } catch (error) {
      // This instance cannot be used any more; the next instance starts the run from the beginning.
      await this.#files.forget();
      throw new Error(`its saved progress cannot be read: ${words(error)}`);
    }
  }

  /** Stores the run if the interval has passed. */
  async keepIfDue(position: Position): Promise<void> {
    const began = performance.now();
    if (began < this.#due) return;
    await this.keep(position);
    const now = performance.now();
    this.#due = now + Math.max(KEEP_MS, (now - began) / KEEP_PART);
  }

  async keep(position: Position): Promise<void> {
    const { engine, instance } = this.#bench;
    await this.#files.save(instance, {
      experiment: this.#experiment,
      position,
      hash: engine.hash(SLOT),
      waited_ms: this.waited_ms,
      kept_ms: Date.now(),
    });
  }
}

/** Measures one run of a parsed experiment. */
async function run(
  bench: Bench,
  reading: Reading,
  { id, measure: asked }: Extract<MeasureRequest, { kind: "measure" }>,
) {
  const { engine, catalog } = bench;
  const keeper =
    asked.keep === undefined || reading.kind === "refused"
      ? null
      : new Keeper(bench, asked.keep, reading.opened.canonical);
  const isOpen = (await keeper?.resume()) ?? false;
  const work = measure(engine, SLOT, reading, asked, catalog, { isOpen });
  let began = performance.now();
  let reported = began;
  let last: Position | null = null;
  while (!cancelled.has(id)) {
    const { done, value } = work.next();
    if (done) return ended(id, value, keeper);
    last = value;
    if (performance.now() - began < SLICE_MS) continue;
    const isTime = asked.counters && began - reported > COUNTERS_MS;
    const counters = isTime ? countersNow(engine, SLOT, asked.counters ?? []) : undefined;
    if (isTime) reported = began;
    post({ kind: "measuring", id, position: value, counters });
    await breathe();
    await keeper?.keepIfDue(value);
    began = performance.now();
  }
  if (last) await keeper?.keep(last);
  post({ kind: "stopped", id });
}

/** Reports the result. The stored image stays until the page has saved the result. */
function ended(id: number, value: Measured, keeper: Keeper | null) {
  const measured =
    keeper && value.kind === "measured" ? { ...value, waited_ms: keeper.waited_ms } : value;
  post({ kind: "measured", id, measured });
}

/** Runs two experiments until they diverge. */
async function runBoth(
  engine: Engine,
  catalog: Catalog,
  { id, experiments }: Extract<MeasureRequest, { kind: "compare" }>,
) {
  const work = compareRuns(engine, experiments, catalog);
  let began = performance.now();
  while (!cancelled.has(id)) {
    const { done, value: comparison } = work.next();
    if (done) return post({ kind: "compared", id, comparison });
    if (performance.now() - began < SLICE_MS) continue;
    post({ kind: "compared", id, comparison });
    await breathe();
    began = performance.now();
  }
}

/** Searches for a small experiment. */
async function runShrink({
  id,
  experiment,
  statement,
}: Extract<MeasureRequest, { kind: "shrink" }>) {
  const work = shrink(() => new Shrink(experiment, statement));
  let began = performance.now();
  while (!cancelled.has(id)) {
    const { done, value } = work.next();
    if (done) return post({ kind: "shrunk", id, shrunk: value });
    if (performance.now() - began < SLICE_MS) continue;
    post({ kind: "shrinking", id, shrinking: value });
    await breathe();
    began = performance.now();
  }
  work.return({ kind: "refused", message: "cancelled" });
}

/** Handles requests one after the other. The experiments read here come from the page itself. */
async function work(module: WebAssembly.Module): Promise<void> {
  try {
    const instance = initSync({ module });
    const engine = new Engine(CHECKPOINT_MIB);
    // A request only for the end never goes back, so it needs no checkpoints.
    const straight = new Engine(0);
    const catalog = await texts;
    post({ kind: "ready", version: engine_version(), presets: presetsOf(catalog) });
    for (;;) {
      const request = await next();
      if (!request) continue;
      if (request.kind === "compare") {
        await runBoth(engine, catalog, request);
        continue;
      }
      if (request.kind === "shrink") {
        await runShrink(request);
        continue;
      }
      const reading = readingOf(read_experiment(request.measure.experiment));
      const isStraight = request.measure.moments.every(({ kind }) => kind === "end");
      await run({ engine: isStraight ? straight : engine, instance, catalog }, reading, request);
    }
  } catch (error) {
    post({ kind: "failed", message: words(error) });
  }
}
