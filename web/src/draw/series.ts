// The timeline's rows, read and turned into paths. Times in ns, free pages in pages.

import { bisector } from "d3-array";
import { scaleLinear } from "d3-scale";
import { area, curveStepAfter, line } from "d3-shape";

/** A run's rows: `[step, time_ns, free pages of each zone]`, oldest first. */
export interface Series {
  readonly rows: Float64Array;
  /** Values in one row. */
  readonly width: number;
  readonly length: number;
}

/** Reads the engine's timeline of a machine with `zones` zones. */
export function readSeries(rows: Float64Array, zones: number): Series {
  const width = 2 + zones;
  return { rows, width, length: Math.floor(rows.length / width) };
}

const at = ({ rows, width }: Series, row: number, column: number) =>
  rows[row * width + column] ?? 0;

/** Virtual time of a row, ns. */
export const rowTime = (series: Series, row: number): number => at(series, row, 1);
/** Step of a row. */
export const rowStep = (series: Series, row: number): number => at(series, row, 0);
/** Free pages of a zone in a row. */
export const rowFree = (series: Series, row: number, zone: number): number =>
  at(series, row, 2 + zone);

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

/** Round times for an axis from 0 to `to_ns`, about `count` of them. */
export function timeTicks(to_ns: number, count: number): number[] {
  return scaleLinear([0, to_ns], [0, 1]).ticks(count);
}
