// The real engine for tests, in this process: no worker, a clock the test owns.

import { readFileSync } from "node:fs";
import { presetsOf } from "./catalog";
import type { Parts } from "./load-parts";
import type { Truth } from "./load-truth";
import { type Measure, type Measured, measure } from "./measure";
import {
  Engine,
  engine_version,
  import_zoneinfo,
  initSync,
  print_ftrace,
  read_experiment,
  score_table,
} from "./pkg/mmscope";
import type { Answer, EngineEvent, EngineRequest, Frame } from "./protocol";
import { answerReader, type Reader, type TextCalls } from "./reader";
import { type Reading, readingOf } from "./reading";
import type { Reporter } from "./report";
import { inWords } from "./told";
import type { Catalog, Info, View } from "./types";
import { EngineHost } from "./worker/host";

const built = (name: string) => readFileSync(`web/src/engine/pkg/${name}`);

/** The engine's texts and ready-made experiments. */
export const catalog: Catalog = JSON.parse(built("catalog.json").toString());

/** A ready-made experiment as JSON. */
export const presetJson = (id: string): string => presetsOf(catalog)[id] ?? "";

/** The comparison with real kernels and published tables, as the check makes it before unit tests. */
export const readTruth = (): Truth =>
  JSON.parse(readFileSync(".cache/truth/truth.json").toString());

/** What experiments are put together from. */
export const parts: Parts = JSON.parse(built("parts.json").toString());

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

/** The instance's calls on texts. */
export function textCalls(): TextCalls & Reporter {
  load();
  return { read_experiment, import_zoneinfo, print_ftrace, score_table };
}

/** Reads an experiment. */
export const readNow = (json: string): Reading => readingOf(textCalls().read_experiment(json));

/** Does what is done with texts alone, as a reader does. */
export const callNow: Reader["call"] = async (call, ...texts) => {
  const event = answerReader(textCalls(), { id: 0, call, texts });
  if ("broke" in event) throw new Error(event.broke);
  return event.text;
};

/** What is said of the experiment an engine has open. */
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

/** Everything small about where an engine stands that {@link openText} opened an experiment in. */
export function viewNow(engine: Engine, slot = 0): View {
  const info = infos.get(engine);
  if (!info) throw new Error("nothing was opened");
  return inWords(engine.view(slot, undefined), catalog, info);
}

/** Drives a measure to its end at once. */
export function measureNow(engine: Engine, slot: number, asked: Measure): Measured {
  const work = measure(engine, slot, readNow(asked.experiment), asked, catalog);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** The engine behind a host whose deferred work runs at once, as the page would see it. */
export class TestBench {
  readonly events: EngineEvent[] = [];
  readonly engine: Engine;
  readonly version: string;
  /** Reads an experiment; a test may make it wait or fail. */
  read: (json: string) => Reading | Promise<Reading> = readNow;
  /** Does what is done with texts alone; a test may make it fail. */
  call = callNow;
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
      call: (call, ...texts) => this.call(call, ...texts),
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
