// Runs an experiment to the moments somebody wants to know of. The page's worker and the tests
// drive the same code, so a lesson is marked in the browser by what its test has tried.

import type { Advance, Engine } from "./pkg/mmscope";
import type { Reading } from "./reading";
import { passedMark } from "./record";
import type { RunReport } from "./report";
import { inWords } from "./told";
import type { Catalog, Position, Recorded, Refusal, View } from "./types";

/** A moment of a run, by what has happened rather than by a number of steps. */
export type Moment =
  | { readonly kind: "start" }
  | { readonly kind: "end" }
  | { readonly kind: "time"; readonly us: number }
  /**
   * A counter of /proc/vmstat has reached a value; `from` a refusal: the last time before it that a
   * zone was refused for its mark, which is where the story begins.
   */
  | {
      readonly kind: "counter";
      readonly name: string;
      readonly reaches: number;
      readonly from?: "refusal" | undefined;
    }
  /** A node's kswapd was woken for the so-manieth time. */
  | { readonly kind: "woken"; readonly node: number; readonly times: number }
  /** It has finished the run it was woken to for the so-manieth time. */
  | { readonly kind: "finished"; readonly node: number; readonly times: number }
  /**
   * A line of a modelled function, known by how its text begins, has run for the so-manieth time;
   * `after` some time, us, nothing before which is counted.
   */
  | {
      readonly kind: "line";
      readonly function: string;
      readonly line: string;
      readonly times: number;
      readonly after?: number | undefined;
    };

/** What is to be found out. */
export interface Measure {
  /** The experiment as JSON text. */
  readonly experiment: string;
  readonly moments: readonly Moment[];
  /** Also the rows of a benchmark's report, where the last moment is. */
  readonly rows?: boolean | undefined;
  /** Counters that are told while it runs, by name. */
  readonly counters?: readonly string[] | undefined;
  /**
   * Under this name it is put away now and then, and where it is broken off, and goes on from there
   * the next time. Only of a run to its end.
   */
  readonly keep?: string | undefined;
}

/** A moment that came. */
export interface Snapshot {
  readonly view: View;
  /** State hash there. */
  readonly hash: string;
}

/** What was found out. */
export type Measured =
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] }
  /** One for each moment asked for; null where the run ended before it came. */
  | {
      readonly kind: "measured";
      readonly experiment: string;
      readonly snapshots: readonly (Snapshot | null)[];
      /** There when they were asked for. */
      readonly report?: RunReport;
      /** How long it has run, with what was put away before, ms; where it is counted. */
      readonly waited_ms?: number;
    };

/** Steps between two looks; each finer row searches the last stretch of the one before. */
const STRIDES = [8192, 512, 32, 1] as const;
/** Steps of one call where nothing is looked for. */
const CHUNK = 100_000;
/** A refusal lies so many steps at most before what it led to. */
const REFUSAL_STEPS = 48;

/**
 * Opens an experiment that was read in a slot and goes to each moment. Yields where it stands every
 * few milliseconds, so that whoever drives it can show that and break off. One that is open already
 * goes on from where it stands.
 */
export function* measure(
  engine: Engine,
  slot: number,
  reading: Reading,
  { experiment, moments, rows }: Measure,
  catalog: Catalog,
  { isOpen = false }: { isOpen?: boolean } = {},
): Generator<Position, Measured> {
  if (reading.kind === "refused") return { kind: "refused", refusals: reading.refusals };
  if (!isOpen) engine.open(slot, experiment);
  const { info } = reading.opened;
  const snapshots: (Snapshot | null)[] = [];
  for (const moment of moments) {
    const isThere = yield* goTo(engine, slot, moment, catalog);
    const view = inWords(engine.view(slot, undefined), catalog, info);
    snapshots.push(isThere ? { view, hash: engine.hash(slot) } : null);
  }
  return {
    kind: "measured",
    experiment: reading.opened.canonical,
    snapshots,
    ...(rows && { report: JSON.parse(engine.report(slot)) as RunReport }),
  };
}

/** What some counters stand at; 0 where the machine has none of that name. */
export function countersNow(
  engine: Engine,
  slot: number,
  names: readonly string[],
): readonly number[] {
  const { counters } = engine.view(slot, undefined);
  return names.map((name) => counters.find(([each]) => each === name)?.[1] ?? 0);
}

function* goTo(
  engine: Engine,
  slot: number,
  moment: Moment,
  catalog: Catalog,
): Generator<Position, boolean> {
  switch (moment.kind) {
    case "start":
      yield* seek(engine, slot, 0);
      return true;
    case "end":
      yield* toEnd(engine, slot);
      return true;
    case "time":
      yield* arrive(engine, slot, engine.seek_time(slot, moment.us * 1000));
      return true;
    case "line":
      return yield* findLine(engine, slot, moment, catalog);
    default: {
      const hasCome = yield* find(engine, slot, (view) => isOver(moment, view));
      if (hasCome && moment.kind === "counter" && moment.from === "refusal") {
        yield* backToRefusal(engine, slot, catalog);
      }
      return hasCome;
    }
  }
}

type Line = Extract<Moment, { kind: "line" }>;

/** Goes to where a line has just run, and leaves the engine's breakpoints as it found them: none. */
function* findLine(
  engine: Engine,
  slot: number,
  { function: name, line, times, after = 0 }: Line,
  { functions }: Catalog,
): Generator<Position, boolean> {
  const place = functions.findIndex((each) => each.name === name);
  const at = functions[place]?.lines.findIndex(({ text }) => text.startsWith(line)) ?? -1;
  if (at < 0) throw new Error(`${name} has no line "${line}"`);
  yield* arrive(engine, slot, engine.seek_time(slot, after * 1000));
  engine.clear_breakpoints(slot);
  engine.add_breakpoint(slot, "line", place, at, "", "=", "", 0);
  let isThere = true;
  for (let time = 0; time < times && isThere; time += 1) {
    isThere = yield* nextHit(engine, slot);
  }
  engine.clear_breakpoints(slot);
  // A hit is where the line comes next: its task runs it, after whoever else is due before.
  const { ran } = engine.view(slot, undefined);
  let mine = !isThere;
  while (!mine) {
    const { position } = engine.step(slot, "any", undefined, 1);
    mine = position.ended || engine.view(slot, undefined).ran === ran;
  }
  return isThere;
}

/** Goes on to the next hit of a breakpoint; false where the run ends first. */
function* nextHit(engine: Engine, slot: number): Generator<Position, boolean> {
  for (;;) {
    const { hit, position } = yield* arrive(engine, slot, engine.find_next(slot, CHUNK, undefined));
    if (hit !== undefined && hit !== null) return true;
    if (position.ended) return false;
    yield position;
  }
}

type Event = Exclude<Moment, Line | { kind: "start" | "end" | "time" }>;

/** Has it happened? Once it has, it stays so: that is what makes it findable. */
function isOver(event: Event, view: Recorded): boolean {
  if (event.kind === "counter") {
    const [, value = 0] = view.counters.find(([name]) => name === event.name) ?? [];
    return value >= event.reaches;
  }
  const node = view.nodes.find(({ id }) => id === event.node);
  if (!node || node.kswapd_wakes < event.times) return false;
  return event.kind === "woken" || node.kswapd_wakes > event.times || !node.kswapd_awake;
}

/** Goes to the first step after which `holds`; false where the run ends before. */
function* find(
  engine: Engine,
  slot: number,
  holds: (view: Recorded) => boolean,
): Generator<Position, boolean> {
  let before = 0;
  for (const stride of STRIDES) {
    let { position } = yield* seek(engine, slot, before);
    while (!holds(engine.view(slot, undefined))) {
      if (position.ended) return false;
      before = position.step;
      position = engine.run(slot, stride, before + stride, undefined).position;
      yield position;
    }
  }
  const { step } = engine.view(slot, undefined).position;
  // Coming from before makes the step's reasons visible.
  yield* seek(engine, slot, Math.max(0, step - 1));
  yield* seek(engine, slot, step);
  return true;
}

/** Goes to the last step that refused a zone, when it is near; else stays. */
function* backToRefusal(engine: Engine, slot: number, catalog: Catalog): Generator<Position, void> {
  const { step } = engine.view(slot, undefined).position;
  for (let back = 0; back < REFUSAL_STEPS && back < step; back += 1) {
    yield* seek(engine, slot, step - back);
    const { why } = engine.view(slot, undefined);
    if (why && passedMark(catalog, why) === false) return;
  }
  yield* seek(engine, slot, step);
}

function* toEnd(engine: Engine, slot: number): Generator<Position, void> {
  let { position } = engine.view(slot, undefined);
  while (!position.ended) {
    position = engine.run(slot, CHUNK, undefined, undefined).position;
    yield position;
  }
}

function* seek(engine: Engine, slot: number, step: number): Generator<Position, Advance> {
  return yield* arrive(engine, slot, engine.seek(slot, step));
}

function* arrive(engine: Engine, slot: number, begun: Advance): Generator<Position, Advance> {
  let progress = begun;
  while (!progress.done) {
    yield progress.position;
    progress = engine.seek_more(slot, CHUNK);
  }
  return progress;
}
