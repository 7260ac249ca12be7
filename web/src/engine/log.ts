// Collects the records of a range of the run: the page's requests and the worker's answers. Each
// answer is one slice of work; the page requests more until it has enough.

import type { Engine } from "./pkg/mmscope";
import { NOTHING } from "./pkg/records";

/** Which records to return; an empty list and nulls select all events. */
export interface LogFilter {
  /** Return decisions as well, whatever `kinds` lists. */
  readonly decisions?: boolean;
  /**
   * Kinds of records, by their index in the catalog; a list with only {@link NO_KIND} selects none.
   */
  readonly kinds: readonly number[];
  /** Made by this task or about it. */
  readonly task: number | null;
  /** About this zone (by index) or a page in it. */
  readonly zone: number | null;
  /** About a page in this range, both ends included. */
  readonly pages: readonly [number, number] | null;
}

/** Begin with the steps after `from` up to `to`, continue, or free the memory. */
export type LogAct =
  | {
      readonly kind: "begin";
      readonly from: number;
      readonly to: number;
      readonly filter: LogFilter;
    }
  /** Moments instead of events: one every `every` steps and every `every_ns` ns (0: steps
   * only), with these counters; see `samples`. */
  | {
      readonly kind: "sample";
      readonly from: number;
      readonly to: number;
      readonly every: number;
      readonly every_ns: number;
      readonly pairs: readonly number[];
      /** The same range in ns, for runs in which time passes without steps. */
      readonly stretch_ns?: readonly [number, number];
    }
  /** The steps at which a task's program advanced: pairs of a step and the amount. */
  | {
      readonly kind: "program";
      readonly from: number;
      readonly to: number;
      readonly task: number;
    }
  | { readonly kind: "more" }
  | { readonly kind: "end" };

/** A request for the events of a range. */
export interface LogQuestion {
  readonly kind: "log";
  readonly act: LogAct;
}

/** The records found so far. */
export interface LogAnswer {
  readonly kind: "log";
  /** The last step examined. */
  readonly at: number;
  readonly isDone: boolean;
  /** False if memory is short: then only the most recent records are available. */
  readonly isWhole: boolean;
  /** Rows of moments, or of records, oldest first: see `rows` and `record`. */
  readonly rows: Float64Array;
}

/** The maximum ms of a slice, the maximum number of values that it returns, and the steps of one
    call in it. */
const SLICE_MS = 30;
const MOST_NUMBERS = 1 << 18;
const CHUNK_STEPS = 1 << 15;

/** Runs one slice. Returns null if another experiment was opened meanwhile. */
export function answerLog(engine: Engine, slot: number, { act }: LogQuestion): LogAnswer | null {
  if (act.kind === "end") {
    engine.log_close();
    return { kind: "log", at: 0, isDone: true, isWhole: true, rows: new Float64Array() };
  }
  let isWhole = true;
  if (act.kind === "begin") {
    const { kinds, decisions = false, task, zone, pages } = act.filter;
    isWhole = engine.log(
      slot,
      act.from,
      act.to,
      Uint16Array.from(kinds),
      decisions,
      task ?? NOTHING,
      zone ?? NOTHING,
      pages?.[0] ?? 0,
      pages?.[1] ?? NOTHING,
    );
  }
  if (act.kind === "sample") {
    const { from, to, every, every_ns, pairs } = act;
    isWhole = engine.sample_log(slot, from, to, every, every_ns, Uint32Array.from(pairs));
  }
  if (act.kind === "program") isWhole = engine.program_log(slot, act.task, act.from, act.to);
  const until = performance.now() + SLICE_MS;
  const found: Float64Array[] = [];
  let count = 0;
  for (;;) {
    const numbers = engine.log_more(CHUNK_STEPS);
    const [at, done] = numbers;
    if (at === undefined) return null;
    found.push(numbers.subarray(2));
    count += numbers.length;
    if (done === 1 || count > MOST_NUMBERS || performance.now() > until) {
      return { kind: "log", at, isDone: done === 1, isWhole, rows: joined(found) };
    }
  }
}

/** Joins lists of rows. */
export function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
