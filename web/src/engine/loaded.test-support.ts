// The real engine for tests, in this process: no worker, and a clock that the test controls.

import { readFileSync } from "node:fs";
import type { CaptureCalls } from "./capture/answers";
import { presetsOf } from "./catalog";
import type { Presets } from "./load-parts";
import type { Truth } from "./load-truth";
import { inWords } from "./log-entry";
import { type Measure, type Measured, measure } from "./measure";
import {
  Engine,
  engine_version,
  explain_machine,
  import_zoneinfo,
  initSync,
  plan_sweep,
  print_ftrace,
  read_capture,
  read_experiment,
  read_series,
  score_table,
  sweep_experiment,
  sweep_lines,
  TraceReader,
} from "./pkg/mmscope";
import type { Answer, EngineEvent, EngineRequest, Frame } from "./protocol";
import { answerReader, type Reader, type TextCalls } from "./reader";
import { type Reading, readingOf } from "./reading";
import type { Reporter } from "./report";
import type { Catalog, Info, View } from "./types";
import { EngineHost } from "./worker/host";

const built = (name: string) => readFileSync(`web/src/engine/pkg/${name}`);

/** The engine's texts and ready-made experiments. */
export const catalog: Catalog = JSON.parse(built("catalog.json").toString());

/** A ready-made experiment as JSON. */
export const presetJson = (id: string): string => presetsOf(catalog)[id] ?? "";

/** The comparison with real kernels and published tables, which the check makes before unit
 * tests. */
export const readTruth = (): Truth =>
  JSON.parse(readFileSync(".cache/truth/truth.json").toString());

/** The parts of which experiments are made. */
export const parts: Presets = JSON.parse(built("parts.json").toString());

let isLoaded = false;

function load(): void {
  if (!isLoaded) initSync({ module: built("mmscope_bg.wasm") });
  isLoaded = true;
}

/** A fresh engine. */
export function loadEngine(): Engine {
  load();
  return new Engine(64);
}

/** The instance's functions that work on texts alone. */
export function textCalls(): TextCalls & Reporter {
  load();
  return {
    read_experiment,
    import_zoneinfo,
    explain_machine,
    print_ftrace,
    plan_sweep,
    sweep_experiment,
    sweep_lines,
    score_table,
  };
}

/** The instance's functions that read texts of a real machine. */
export function captureCalls(): CaptureCalls {
  load();
  return { newTrace: () => new TraceReader(), read_capture, explain_machine, read_series };
}

/** Reads an experiment. */
export const readNow = (json: string): Reading => readingOf(textCalls().read_experiment(json));

/** Calls a function that works on texts alone, as a reader does. */
export const callNow: Reader["call"] = async (call, ...texts) => {
  const event = answerReader(textCalls(), { id: 0, call, texts });
  if ("broke" in event) throw new Error(event.broke);
  return event.text;
};

/** The info about the experiment that each engine has open. */
const infos = new WeakMap<Engine, Info>();

/** Reads and opens an experiment. */
export function openText(engine: Engine, slot: number, json: string): Reading {
  const reading = readNow(json);
  if (reading.kind === "checked") {
    engine.open(slot, json);
    infos.set(engine, reading.opened.info);
  }
  return reading;
}

/** The view of an engine in which {@link openText} opened an experiment. */
export function viewNow(engine: Engine, slot = 0): View {
  const info = infos.get(engine);
  if (!info) throw new Error("nothing was opened");
  return inWords(engine.view(slot, undefined), catalog, info);
}

/** Runs a measurement to its end immediately. */
export function measureNow(engine: Engine, slot: number, asked: Measure): Measured {
  const work = measure(engine, slot, readNow(asked.experiment), asked, catalog);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** A host whose deferred work runs immediately, and the events that the page would receive. */
export class TestBench {
  readonly events: EngineEvent[] = [];
  readonly engine: Engine;
  readonly version: string;
  /** Reads an experiment; a test may replace it to wait or fail. */
  read: (json: string) => Reading | Promise<Reading> = readNow;
  /** Calls a function that works on texts alone; a test may make it fail. */
  call = callNow;
  /** The `isIdle` function of each request to warm up the engine's code. */
  readonly warmUps: (() => boolean)[] = [];
  /** The time that passes with each reading of the clock, so that slices end; a large value
      simulates a slow machine. */
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
      call: (call, ...texts) => this.call(call, ...texts),
      warmUp: (isIdle) => void this.warmUps.push(isIdle),
    });
  }

  /** Sends a request and lets the host work until it is idle, or for some slices. */
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

  /** The answers received so far, by question. */
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
