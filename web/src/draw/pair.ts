// Draws two runs on one time axis: the moments at which their states become equal again, and the
// lines of a value.

import { curveStepAfter, line } from "d3-shape";
import { rowCounter, rowDoing, rowFree, rowSince, rowTime, type Series } from "../engine/rows";

/** A moment at which two runs become equal again or diverge again. */
export interface PairMark {
  readonly kind: "meets" | "diverges";
  readonly time_ns: number;
}

/** The maximum number of marks for one pair. */
export const MOST_MARKS = 64;

/**
 * The moments after the fork at which the two runs become equal, and those at which they differ
 * again. Two moments are equal if all free pages, all counters of the rows and the activities of
 * all tasks are equal. Rows that do not have the same zones and counters cannot be compared.
 */
export function pairMarks(a: Series, b: Series, fork_ns: number, tasks: number): PairMark[] {
  if (a.zones !== b.zones || a.counters !== b.counters) return [];
  const marks: PairMark[] = [];
  let isApart = true;
  for (const { time_ns, rowA, rowB } of momentsOf(a, b)) {
    if (time_ns <= fork_ns) continue;
    const differs = !isEqual(a, rowA, b, rowB, tasks);
    if (differs === isApart) continue;
    isApart = differs;
    marks.push({ kind: differs ? "diverges" : "meets", time_ns });
    if (marks.length >= MOST_MARKS) break;
  }
  return marks;
}

/** Each moment of either run, with the rows that are valid there, as far as both runs are known. */
function* momentsOf(a: Series, b: Series) {
  if (a.length === 0 || b.length === 0) return;
  const end_ns = Math.min(rowTime(a, a.length - 1), rowTime(b, b.length - 1));
  const since = (series: Series, row: number) =>
    row < series.length ? rowSince(series, row) : Number.POSITIVE_INFINITY;
  let [rowA, rowB] = [0, 0];
  let time_ns = Math.max(rowSince(a, 0), rowSince(b, 0));
  while (time_ns <= end_ns) {
    while (since(a, rowA + 1) <= time_ns) rowA += 1;
    while (since(b, rowB + 1) <= time_ns) rowB += 1;
    yield { time_ns, rowA, rowB };
    time_ns = Math.min(since(a, rowA + 1), since(b, rowB + 1));
  }
}

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
