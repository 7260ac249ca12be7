// The real engine for tests, in this process: no worker, a clock the test owns.

import { readFileSync } from "node:fs";
import type { Procfs } from "./answers";
import { presetsOf } from "./catalog";
import { EngineHost } from "./host";
import type { Parts } from "./load-parts";
import { type Measure, type Measured, measure } from "./measure";
import { Engine, engine_version, initSync } from "./pkg/mmscope";
import { initSync as initReader, read_experiment } from "./pkg/mmscope_open";
import type { Answer, EngineEvent, EngineRequest, Frame } from "./protocol";
import { type Packed, type Reading, readWith } from "./reading";
import type { Reporter } from "./report";
import { said } from "./said";
import type { Catalog, Info, View } from "./types";

const built = (name: string) => readFileSync(`web/src/engine/pkg/${name}`);

/** The engine's texts and ready-made experiments. */
export const catalog: Catalog = JSON.parse(built("catalog.json").toString());

/** A ready-made experiment as JSON. */
export const presetJson = (id: string): string => presetsOf(catalog)[id] ?? "";

/** The experiments a page opens by itself. */
export const packed: readonly Packed[] = JSON.parse(built("packed.json").toString());

/** What experiments are put together from. */
export const parts: Parts = JSON.parse(built("parts.json").toString());

let isLoaded = false;

/** A fresh engine. */
export function loadEngine(): Engine {
  if (!isLoaded) initSync({ module: built("mmscope_bg.wasm") });
  isLoaded = true;
  return new Engine(64);
}

let isReaderLoaded = false;

/** Reads an experiment with the module that does. */
export function readNow(json: string): Reading {
  if (!isReaderLoaded) {
    initReader({ module: built("mmscope_open_bg.wasm") });
    isReaderLoaded = true;
  }
  return readWith({ read_experiment }, json);
}

/** What was said of the experiment an engine has open. */
const infos = new WeakMap<Engine, Info>();

/** Reads and opens an experiment. */
export function openText(engine: Engine, slot: number, json: string): Reading {
  const reading = readNow(json);
  if (reading.kind === "checked") {
    engine.open(slot, reading.plan);
    infos.set(engine, reading.opened.info);
  }
  return reading;
}

/** Everything small about where an engine stands that {@link openText} opened an experiment in. */
export function viewNow(engine: Engine, slot = 0): View {
  const info = infos.get(engine);
  if (!info) throw new Error("nothing was opened");
  return said(engine.view(slot, undefined), catalog, info);
}

/** Drives a measure to its end at once. */
export function measureNow(engine: Engine, slot: number, asked: Measure): Measured {
  const work = measure(engine, slot, readNow(asked.experiment), asked, catalog);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** The module for the files of /proc. */
export async function loadProcfs(): Promise<Procfs> {
  const procfs = await import("./pkg/mmscope_procfs");
  procfs.initSync({ module: built("mmscope_procfs_bg.wasm") });
  return procfs;
}

/** The same module for what makes reports. */
export async function loadReporterNow(): Promise<Reporter> {
  await loadProcfs();
  return import("./pkg/mmscope_procfs");
}

/** The engine behind a host whose deferred work runs at once, as the page would see it. */
export class TestBench {
  readonly events: EngineEvent[] = [];
  readonly engine: Engine;
  readonly version: string;
  /** Reads an experiment; a test may make it wait or fail. */
  read: (json: string) => Reading | Promise<Reading> = readNow;
  /** Loads the second module; a test may make it fail. */
  procfs = loadProcfs;
  /** What asked for the engine's code to be warmed up, each time. */
  readonly warmUps: (() => boolean)[] = [];
  /** How much time passes with each look at the clock, so that slices end; much is a slow machine. */
  tick_ms = 0.5;
  #work: (() => void)[] = [];
  #now_ms = 0;
  readonly #host: EngineHost;

  constructor(engine = loadEngine()) {
    this.engine = engine;
    this.version = engine_version();
    this.#host = new EngineHost(engine, {
      catalog,
      now: () => {
        this.#now_ms += this.tick_ms;
        return this.#now_ms;
      },
      later: (work) => this.#work.push(work),
      post: (event) => this.events.push(event),
      read: (json) => this.read(json),
      procfs: () => this.procfs(),
      warmUp: (isIdle) => void this.warmUps.push(isIdle),
    });
  }

  /** Sends a request and lets the host work until it rests, or for some slices. */
  send(request: EngineRequest, slices = Number.POSITIVE_INFINITY): void {
    this.#host.handle(request);
    this.work(slices);
  }

  /** Lets the host work. */
  work(slices = Number.POSITIVE_INFINITY): void {
    for (let i = 0; i < slices && this.#work.length > 0; i += 1) {
      this.#work.shift()?.();
      this.#host.handle({ kind: "painted" });
    }
    this.#host.handle({ kind: "painted" });
  }

  /** Opens a ready-made experiment at its start. */
  openPreset(id: string): void {
    this.send({ kind: "open", json: presetJson(id), goal: { kind: "start" } });
  }

  /** The answers that came, by question. */
  get answers(): Map<number, Answer> {
    const answers = this.events.filter((event) => event.kind === "answer");
    return new Map(answers.map(({ id, answer }) => [id, answer]));
  }

  /** The last frame. */
  get frame(): Frame {
    const last = this.events.findLast((event) => event.kind === "frame");
    if (!last) throw new Error("no frame was sent");
    return last.frame;
  }
}
