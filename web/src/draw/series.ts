// Turns moments of a run into paths. Times in ns, memory in pages.

import { bisector } from "d3-array";
import { scaleLinear } from "d3-scale";
import { area, curveStepAfter, line } from "d3-shape";
import {
  type Doing,
  rowCounter,
  rowDoing,
  rowFree,
  rowReclaimed,
  rowSince,
  rowTime,
  type Series,
} from "../engine/rows";

/** The last row whose moment is not after a time. */
export const rowBefore = (series: Series, time_ns: number): number =>
  lastRow(series, time_ns, rowTime);

/** The row whose state is valid at a time. */
export const rowAt = (series: Series, time_ns: number): number =>
  lastRow(series, time_ns, rowSince);

function lastRow(series: Series, time_ns: number, when: typeof rowTime): number {
  const rows = Array.from({ length: series.length }, (_, row) => row);
  const find = bisector((row: number) => when(series, row)).right;
  return Math.max(0, find(rows, time_ns) - 1);
}

/** The end of a row's validity: the `since` of the next row; for the last row, its own moment. */
const rowUntil = (series: Series, row: number): number =>
  row + 1 < series.length
    ? rowSince(series, row + 1)
    : Math.max(rowSince(series, row), rowTime(series, row));

/** Paths of a zone's free pages. */
export interface FreePaths {
  readonly line: string;
  readonly area: string;
  /** The y position of a number of pages. */
  readonly y: (pages: number) => number;
}

/** Draws a zone's free pages between `top` and `bottom`; the scale starts at 0 pages. */
export function freePaths(
  series: Series,
  zone: number,
  highest: number,
  x: (time_ns: number) => number,
  [top, bottom]: readonly [number, number],
): FreePaths {
  const y = scaleLinear([0, Math.max(1, highest)], [bottom, top]).clamp(true);
  // The last level continues to the last moment.
  const rows = Array.from({ length: series.length + 1 }, (_, row) => row);
  const last = series.length - 1;
  const left = (row: number) => x(row > last ? rowUntil(series, last) : rowSince(series, row));
  const level = (row: number) => y(rowFree(series, Math.min(row, last), zone));
  return {
    line: line<number>(left, level).curve(curveStepAfter).digits(1)(rows) ?? "",
    area: area<number>(left, bottom, level).curve(curveStepAfter).digits(1)(rows) ?? "",
    y,
  };
}

/** Round times for an axis between two times, about `count` of them. */
export function timeTicks(from_ns: number, to_ns: number, count: number): number[] {
  return scaleLinear([from_ns, to_ns], [0, 1]).ticks(count);
}

/** A section of a lane with one activity of a task. */
export interface LanePiece {
  readonly doing: Doing;
  readonly from_ns: number;
  readonly to_ns: number;
}

/**
 * The activities of a task over time, up to the last row's moment; nothing is known after it. Each
 * row is valid from its `since` to the `since` of the next row. A task that does not exist has no
 * sections.
 */
export function lanePieces(series: Series, task: number): LanePiece[] {
  const pieces: { doing: Doing; from_ns: number; to_ns: number }[] = [];
  for (let row = 0; row < series.length; row += 1) {
    const doing = rowDoing(series, row, task);
    const from_ns = rowSince(series, row);
    const to_ns = rowUntil(series, row);
    if (to_ns <= from_ns) continue;
    const last = pieces.at(-1);
    if (last?.doing === doing && last.to_ns === from_ns) last.to_ns = to_ns;
    else if (doing !== "gone") pieces.push({ doing, from_ns, to_ns });
  }
  return pieces;
}

/** A time interval, ns. */
export interface Stretch {
  readonly from_ns: number;
  readonly to_ns: number;
}

/**
 * Intervals in which a task reclaimed for less time than the distance of two rows: after a row's
 * moment and before the `since` of the next row. Leaves out reclaim that a row shows.
 */
export function shortReclaims(series: Series, task: number): Stretch[] {
  const stretches: { from_ns: number; to_ns: number }[] = [];
  for (let row = 0; row + 1 < series.length; row += 1) {
    if (!rowReclaimed(series, row + 1, task)) continue;
    if (rowDoing(series, row, task) === "reclaiming") continue;
    const from_ns = Math.min(rowTime(series, row), rowSince(series, row + 1));
    const to_ns = rowSince(series, row + 1);
    const last = stretches.at(-1);
    if (last?.to_ns === from_ns) last.to_ns = to_ns;
    else stretches.push({ from_ns, to_ns });
  }
  return stretches;
}

/** A bar of a counter's growth. */
export interface GrowthBar {
  readonly from_ns: number;
  readonly to_ns: number;
  /** The growth of the counter. */
  readonly by: number;
}

/**
 * The growth of a counter, in at most `bars` bars of equal length. Counters only grow. The growth
 * between two rows happened after the first one's moment and before the second one's `since`.
 */
export function growth(series: Series, counter: number, bars: number): GrowthBar[] {
  const begin_ns = rowSince(series, 0);
  const last = Math.max(0, series.length - 1);
  const many = Math.max(1, Math.min(Math.floor(bars), last));
  const wide_ns = Math.max(1, (rowUntil(series, last) - begin_ns) / many);
  const by = new Array<number>(many).fill(0);
  const binOf = (time_ns: number) =>
    Math.max(0, Math.min(many - 1, Math.floor((time_ns - begin_ns) / wide_ns)));
  for (let row = 0; row < last; row += 1) {
    const more = rowCounter(series, row + 1, counter) - rowCounter(series, row, counter);
    if (more <= 0) continue;
    const to = binOf(rowSince(series, row + 1) - 1);
    const from = Math.min(to, binOf(rowTime(series, row)));
    for (let bin = from; bin <= to; bin += 1) by[bin] = (by[bin] ?? 0) + more / (to - from + 1);
  }
  return by.flatMap((more, bin) => {
    const from_ns = begin_ns + bin * wide_ns;
    return more > 0 ? [{ from_ns, to_ns: from_ns + wide_ns, by: more }] : [];
  });
}
