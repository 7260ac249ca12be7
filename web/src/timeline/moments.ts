// Collects the moments of a part of the time again, as many as the drawing needs, and the totals of
// a range.

import { rowBefore } from "../draw/series";
import { joined, type LogAct } from "../engine/log";
import type { AskLog } from "../engine/log-turns";
import { readSeries, rowCounter, rowStep, rowTime, type Series } from "../engine/rows";

/** Moments of a zoomed part: about one for each pixel. */
const FINE = 512;

/** The steps of a part of the time, according to the moments of the whole run. */
export function stepsOf(whole: Series, [from_ns, to_ns]: readonly [number, number]) {
  const first = rowBefore(whole, from_ns);
  let last = rowBefore(whole, to_ns);
  if (rowTime(whole, last) < to_ns && last + 1 < whole.length) last += 1;
  return { from: rowStep(whole, first), to: rowStep(whole, last) };
}

/** Collects moments; stops when `isWanted` returns false. */
async function collect(
  ask: AskLog,
  act: Omit<Extract<LogAct, { kind: "sample" }>, "kind">,
  isCurrent: () => boolean,
): Promise<Float64Array | null> {
  const parts: Float64Array[] = [];
  let answer = await ask({ kind: "sample", ...act });
  // The machine is too large for another copy next to its checkpoints: no finer moments.
  if (!answer.isWhole) return null;
  for (;;) {
    parts.push(answer.rows);
    if (!isCurrent()) return null;
    if (answer.isDone) return joined(parts);
    answer = await ask({ kind: "more" });
  }
}

/** Moments of a part of the time, as many as the drawing needs. */
export async function finer(
  ask: AskLog,
  whole: Series,
  stretch: readonly [number, number],
  pairs: readonly number[],
  isCurrent: () => boolean,
): Promise<Float64Array | null> {
  const { from, to } = stepsOf(whole, stretch);
  const every = Math.max(1, Math.ceil((to - from) / FINE));
  // If little happens, steps are far apart: collect at least one moment for each pixel of time.
  const every_ns = Math.max(1, Math.ceil((stretch[1] - stretch[0]) / FINE));
  return collect(ask, { from, to, every, every_ns, pairs, stretch_ns: stretch }, isCurrent);
}

/** The growth of one counter in a range. */
interface Total {
  readonly name: string;
  readonly by: number;
}

/** The growth of all counters in a range, and the exact times at its ends. */
export interface Totals {
  readonly from_ns: number;
  readonly to_ns: number;
  readonly totals: readonly Total[];
}

/** The totals of a range; `counters` lists all counters, each with its two numbers. */
export async function totalsOf(
  ask: AskLog,
  whole: Series,
  range: readonly [number, number],
  counters: readonly { name: string; pair: readonly [number, number] }[],
  isCurrent: () => boolean,
): Promise<Totals | null> {
  const { from, to } = stepsOf(whole, range);
  const pairs = counters.flatMap(({ pair }) => pair);
  const every = Math.max(1, to - from);
  const act = { from, to, every, every_ns: 0, pairs, stretch_ns: range };
  const rows = await collect(ask, act, isCurrent);
  if (!rows) return null;
  const series = readSeries(rows, whole.zones);
  const last = series.length - 1;
  const grown = (i: number) => rowCounter(series, last, i) - rowCounter(series, 0, i);
  return {
    from_ns: rowTime(series, 0),
    to_ns: rowTime(series, last),
    totals: counters.map(({ name }, i) => ({ name, by: grown(i) })).filter(({ by }) => by > 0),
  };
}
