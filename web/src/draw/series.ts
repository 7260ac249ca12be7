// Moments of a run turned into paths. Times in ns, pages in pages.

import { bisector } from "d3-array";
import { scaleLinear } from "d3-scale";
import { area, curveStepAfter, line } from "d3-shape";
import { type Doing, rowCounter, rowDoing, rowFree, rowTime, type Series } from "../engine/rows";

/** The row at or just before a time. */
export function rowBefore(series: Series, time_ns: number): number {
  const rows = Array.from({ length: series.length }, (_, row) => row);
  const find = bisector((row: number) => rowTime(series, row)).right;
  return Math.max(0, find(rows, time_ns) - 1);
}

/** Paths of a zone's free pages. */
export interface FreePaths {
  readonly line: string;
  readonly area: string;
  /** y of a number of pages. */
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
  const rows = Array.from({ length: series.length }, (_, row) => row);
  const left = (row: number) => x(rowTime(series, row));
  const level = (row: number) => y(rowFree(series, row, zone));
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

/** A stretch of a lane in which a task did one thing. */
export interface LanePiece {
  readonly doing: Doing;
  readonly from_ns: number;
  readonly to_ns: number;
}

/** What a task did over time; each row holds until the next. A task that is not there has no piece. */
export function lanePieces(series: Series, task: number, end_ns: number): LanePiece[] {
  const pieces: { doing: Doing; from_ns: number; to_ns: number }[] = [];
  for (let row = 0; row < series.length; row += 1) {
    const doing = rowDoing(series, row, task);
    const from_ns = rowTime(series, row);
    const to_ns = row + 1 < series.length ? rowTime(series, row + 1) : end_ns;
    const last = pieces.at(-1);
    if (last?.doing === doing && last.to_ns === from_ns) last.to_ns = to_ns;
    else if (doing !== "gone") pieces.push({ doing, from_ns, to_ns });
  }
  return pieces;
}

/** A bar of a counter's growth: from a row to the next. */
export interface GrowthBar {
  readonly from_ns: number;
  readonly to_ns: number;
  /** What the counter grew by. */
  readonly by: number;
}

/**
 * How much a counter grew, in about `bars` bars of whole rows. Counters only grow; what a row adds
 * is drawn over the time since the row before.
 */
export function growth(series: Series, counter: number, bars: number): GrowthBar[] {
  const out: GrowthBar[] = [];
  const stride = Math.max(1, Math.ceil((series.length - 1) / Math.max(1, bars)));
  for (let row = 0; row + 1 < series.length; row += stride) {
    const next = Math.min(series.length - 1, row + stride);
    const by = rowCounter(series, next, counter) - rowCounter(series, row, counter);
    if (by > 0) {
      out.push({ from_ns: rowTime(series, row), to_ns: rowTime(series, next), by });
    }
  }
  return out;
}
