// Two runs drawn on one axis of time: where their states are equal again, and the lines of a value.

import { curveStepAfter, line } from "d3-shape";
import { rowCounter, rowDoing, rowFree, rowSince, rowTime, type Series } from "../engine/rows";
import { rowAt } from "./series";

/** A moment at which two runs meet again or part again. */
export interface PairMark {
  readonly kind: "meets" | "parts";
  readonly time_ns: number;
}

/** Most marks of one pair. */
export const MOST_MARKS = 64;

/**
 * The moments after the fork at which the two runs become equal, and those at which they differ
 * again. Two moments are equal if all free pages, all counters of the rows and the activities of all
 * tasks are. Rows that do not have the same zones and counters cannot be compared.
 */
export function pairMarks(a: Series, b: Series, fork_ns: number, tasks: number): PairMark[] {
  if (a.zones !== b.zones || a.counters !== b.counters) return [];
  const end_ns = Math.min(endOf(a), endOf(b));
  const times = [...momentsOf(a), ...momentsOf(b)]
    .filter((at) => at > fork_ns && at <= end_ns)
    .sort((x, y) => x - y);
  const marks: PairMark[] = [];
  let isApart = true;
  for (const time_ns of times) {
    const differs = !isEqual(a, rowAt(a, time_ns), b, rowAt(b, time_ns), tasks);
    if (differs === isApart) continue;
    isApart = differs;
    marks.push({ kind: differs ? "parts" : "meets", time_ns });
    if (marks.length >= MOST_MARKS) break;
  }
  return marks;
}

const momentsOf = (series: Series) =>
  Array.from({ length: series.length }, (_, row) => rowSince(series, row));

const endOf = (series: Series) => (series.length === 0 ? 0 : rowTime(series, series.length - 1));

function isEqual(a: Series, rowA: number, b: Series, rowB: number, tasks: number): boolean {
  for (let zone = 0; zone < a.zones; zone += 1)
    if (rowFree(a, rowA, zone) !== rowFree(b, rowB, zone)) return false;
  for (let counter = 0; counter < a.counters; counter += 1)
    if (rowCounter(a, rowA, counter) !== rowCounter(b, rowB, counter)) return false;
  for (let task = 0; task < tasks; task += 1)
    if (rowDoing(a, rowA, task) !== rowDoing(b, rowB, task)) return false;
  return true;
}

/** A value of a row: the free pages of all zones, or a counter by its index. */
export type RowValue =
  | { readonly kind: "free" }
  | { readonly kind: "counter"; readonly at: number };

/** A value in a row. */
export function valueAt(series: Series, row: number, value: RowValue): number {
  if (value.kind === "counter") return rowCounter(series, row, value.at);
  let free = 0;
  for (let zone = 0; zone < series.zones; zone += 1) free += rowFree(series, row, zone);
  return free;
}

/** The largest value of any row. */
export function largest(series: Series, value: RowValue): number {
  let most = 0;
  for (let row = 0; row < series.length; row += 1)
    most = Math.max(most, valueAt(series, row, value));
  return most;
}

/** The line of a value over time. */
export function valuePath(
  series: Series,
  value: RowValue,
  x: (time_ns: number) => number,
  y: (value: number) => number,
): string {
  const rows = Array.from({ length: series.length }, (_, row) => row);
  const path = line<number>(
    (row) => x(rowSince(series, row)),
    (row) => y(valueAt(series, row, value)),
  );
  return path.curve(curveStepAfter).digits(1)(rows) ?? "";
}
