// The moments of the timeline as a table for people and programs.

import {
  type Doing,
  rowCounter,
  rowDoing,
  rowFree,
  rowReclaimed,
  rowStep,
  rowTime,
} from "../engine/rows";
import type { ChartData } from "./hooks";
import { DOING_WORDS, SHORT_WORDS } from "./words";

/** The columns of a table, by the names of their lanes. */
export interface TableColumns {
  /** Keys of the zones: free pages at the moment. */
  readonly zones: readonly string[];
  /** Counters as drawn: totals since boot. */
  readonly counters: readonly string[];
  /** The activity of each task at the moment. */
  readonly tasks: readonly { readonly id: number; readonly name: string }[];
}

/** One moment: the values of all columns. */
export interface TableRow {
  readonly step: number;
  readonly time_ns: number;
  readonly free: readonly number[];
  readonly counters: readonly number[];
  readonly doing: readonly Doing[];
  /** For each task, whether it began to reclaim since the previous moment. */
  readonly reclaimed: readonly boolean[];
}

/** The activity of a task at a moment, and whether it reclaimed since the previous one. */
export function doingWords({ doing, reclaimed }: TableRow, column: number): string {
  const now = doing[column] ?? "gone";
  const hasReclaimed = reclaimed[column] === true && now !== "reclaiming";
  return hasReclaimed
    ? [DOING_WORDS[now], SHORT_WORDS].filter(Boolean).join(", ")
    : DOING_WORDS[now];
}

/** The drawn moments: those of the visible part, and the one where its lines begin. */
export function tableRows(
  { series, from_ns, to_ns }: ChartData,
  { zones, counters, tasks }: TableColumns,
): TableRow[] {
  const rows: TableRow[] = [];
  for (let row = 0; row < series.length; row += 1) {
    const next_ns = row + 1 < series.length ? rowTime(series, row + 1) : Number.POSITIVE_INFINITY;
    const time_ns = rowTime(series, row);
    if (next_ns <= from_ns || time_ns > to_ns) continue;
    rows.push({
      step: rowStep(series, row),
      time_ns,
      free: zones.map((_, zone) => rowFree(series, row, zone)),
      counters: counters.map((_, counter) => rowCounter(series, row, counter)),
      doing: tasks.map(({ id }) => rowDoing(series, row, id)),
      reclaimed: tasks.map(({ id }) => rowReclaimed(series, row, id)),
    });
  }
  return rows;
}

/** A table's cells with its headings, for a file; the headings contain the units. */
export function tableCells(
  rows: readonly TableRow[],
  { zones, counters, tasks }: TableColumns,
): (string | number)[][] {
  const head = [
    "step",
    "time_ns",
    ...zones.map((zone) => `free_pages ${zone}`),
    ...counters,
    ...tasks.map(({ name }) => `task ${name}`),
  ];
  const cells = rows.map((row) => [
    row.step,
    row.time_ns,
    ...row.free,
    ...row.counters,
    ...tasks.map((_, column) => doingWords(row, column)),
  ]);
  return [head, ...cells];
}
