// Runs an experiment to requested moments. The page's worker and the tests drive the same code, so
// the browser marks a lesson by the same results as the lesson's test.

import { inWords } from "./log-entry";
import type { Advance, Engine } from "./pkg/mmscope";
import type { Reading } from "./reading";
import { passedMark } from "./record";
import type { RunReport } from "./report";
import type { Catalog, Position, Recorded, Refusal, RestsOn, View } from "./types";

/** A moment of a run, defined by an event rather than by a number of steps. */
export type Moment =
  | { readonly kind: "start" }
  | { readonly kind: "end" }
  | { readonly kind: "time"; readonly us: number }
  /**
   * A counter of /proc/vmstat has reached a value. With `from: "refusal"`, the last step before
   * that moment at which a zone failed its watermark check: the cause of the later events.
   */
  | {
      readonly kind: "counter";
      readonly name: string;
      readonly reaches: number;
      readonly from?: "refusal" | undefined;
    }
  /** A node's kswapd was woken for the `times`-th time. */
  | { readonly kind: "woken"; readonly node: number; readonly times: number }
  /** A node's kswapd has finished the run of its `times`-th wake-up. */
  | { readonly kind: "finished"; readonly node: number; readonly times: number }
  /**
   * A line of a modelled function, identified by the beginning of its text, has run for the
   * `times`-th time. With `after` (us), earlier executions do not count.
   */
  | {
      readonly kind: "line";
      readonly function: string;
      readonly line: string;
      readonly times: number;
      readonly after?: number | undefined;
    };

/**
 * The moment after a number of steps, or the end of a shorter run. Lesson files do not use this
 * kind.
 */
interface StepMoment {
  readonly kind: "step";
  readonly step: number;
}

/** A request for a measurement. */
export interface Measure {
  /** The experiment as JSON text. */
  readonly experiment: string;
  readonly moments: readonly (Moment | StepMoment)[];
  /** Whether to return the rows of a benchmark's report at the last moment. */
  readonly rows?: boolean | undefined;
  /** Whether to return the result with all figures at the last moment, as a sweep stores it. */
  readonly complete?: boolean | undefined;
  /** Names of the counters to report during the run. */
  readonly counters?: readonly string[] | undefined;
  /**
   * The name under which the run is stored from time to time and when it is cancelled. The next
   * measurement of that name continues from there. Only for a run to its end.
   */
  readonly keep?: string | undefined;
}

/** A moment that was reached. */
export interface Snapshot {
  readonly view: View;
  /** The state hash at that moment. */
  readonly hash: string;
}

/** The result of a measurement. */
export type Measured =
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] }
  /** One snapshot for each requested moment; null if the run ended before it. */
  | {
      readonly kind: "measured";
      readonly experiment: string;
      /** The key of the experiment. */
      readonly key: string;
      readonly snapshots: readonly (Snapshot | null)[];
      /** Present if the report was requested, with what the run rests on. */
      readonly report?: RunReport;
      readonly restsOn?: RestsOn;
      /** The JSON text of the result with all figures; present if it was requested. */
      readonly complete?: string;
      /** How long the run has taken, including stored visits, ms; present if it is measured. */
      readonly waited_ms?: number;
    };

/**
 * Steps between two checks; each finer stride searches the last interval of the previous stride.
 */
const STRIDES = [8192, 512, 32, 1] as const;
/** Steps of one call when nothing is searched for. */
const CHUNK = 100_000;
/** A refusal is at most this many steps before its consequence. */
const REFUSAL_STEPS = 48;

/**
 * Opens a parsed experiment in a slot and goes to each moment. Yields the position every few
 * milliseconds, so that the caller can show the position and cancel. With `isOpen`, continues with
 * the experiment that is already open.
 */
export function* measure(
  engine: Engine,
  slot: number,
  reading: Reading,
  { experiment, moments, rows, complete }: Measure,
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
    key: reading.opened.key,
    snapshots,
    ...(rows && {
      report: JSON.parse(engine.report(slot)) as RunReport,
      restsOn: engine.rests_on(slot),
    }),
    ...(complete && { complete: engine.complete_result(slot) }),
  };
}

/** The current values of some counters; 0 if the machine has no counter of that name. */
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
  moment: Moment | StepMoment,
  catalog: Catalog,
): Generator<Position, boolean> {
  switch (moment.kind) {
    case "start":
      yield* seek(engine, slot, 0);
      return true;
    case "step":
      yield* seek(engine, slot, moment.step);
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

/**
 * Goes to the step that ran a line. The engine must have no breakpoints before the call and has
 * none after it.
 */
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
  // At a hit, the line has not run yet: its task runs it after other tasks that are due earlier.
  const { ran } = engine.view(slot, undefined);
  let mine = !isThere;
  while (!mine) {
    const { position } = engine.step(slot, "any", undefined, 1);
    mine = position.ended || engine.view(slot, undefined).ran === ran;
  }
  return isThere;
}

/** Runs to the next hit of a breakpoint; false if the run ends first. */
function* nextHit(engine: Engine, slot: number): Generator<Position, boolean> {
  for (;;) {
    const { hit, position } = yield* arrive(engine, slot, engine.find_next(slot, CHUNK, undefined));
    if (hit !== undefined && hit !== null) return true;
    if (position.ended) return false;
    yield position;
  }
}

type Event = Exclude<Moment, Line | { kind: "start" | "end" | "time" }>;

/** Whether the event has happened. The result stays true from then on, so a search in strides can
    find the moment. */
function isOver(event: Event, view: Recorded): boolean {
  if (event.kind === "counter") {
    const [, value = 0] = view.counters.find(([name]) => name === event.name) ?? [];
    return value >= event.reaches;
  }
  const node = view.nodes.find(({ id }) => id === event.node);
  if (!node || node.kswapd_wakes < event.times) return false;
  return event.kind === "woken" || node.kswapd_wakes > event.times || !node.kswapd_awake;
}

/** Goes to the first step after which `holds`; false if the run ends before. */
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
  // Arriving from the previous step records the reasons of the step.
  yield* seek(engine, slot, Math.max(0, step - 1));
  yield* seek(engine, slot, step);
  return true;
}

/**
 * Goes to the last step at which a zone failed its check, if that step is near; otherwise stays.
 */
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
