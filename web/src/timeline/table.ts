// The moments the timeline is drawn from, as a table a person or another program reads.

import { type Doing, rowCounter, rowDoing, rowFree, rowStep, rowTime } from "../engine/rows";
import type { Shown } from "./hooks";

/** What a task does, in the words of the timeline's legend. */
export const DOING_WORDS: Readonly<Record<Doing, string>> = {
  gone: "",
  asleep: "asleep",
  running: "running",
  ready: "waits for its CPU",
  reclaiming: "reclaiming",
  throttled: "throttled",
  io: "I/O wait",
  written: "throttled until writes end",
  isolated: "throttled until fewer pages are isolated",
  noprogress: "throttled until somebody makes progress",
  congested: "throttled for congested queues",
};

/** What the columns of a table are, by the names of their lanes. */
export interface TableColumns {
  /** Keys of the zones: free pages at the moment. */
  readonly zones: readonly string[];
  /** Counters as they are drawn: since boot. */
  readonly counters: readonly string[];
  /** What the task does at the moment. */
  readonly tasks: readonly { readonly id: number; readonly name: string }[];
}

/** One moment: what each column has. */
export interface TableRow {
  readonly step: number;
  readonly time_ns: number;
  readonly free: readonly number[];
  readonly counters: readonly number[];
  readonly doing: readonly Doing[];
}

/** The moments that are drawn: those of the stretch, and the one its lines begin from. */
export function tableRows(
  { series, from_ns, to_ns }: Shown,
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
    });
  }
  return rows;
}

/** A table's cells with its head, for a file; units are in the names. */
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
  const cells = rows.map(({ step, time_ns, free, counters: counted, doing }) => [
    step,
    time_ns,
    ...free,
    ...counted,
    ...doing.map((one) => DOING_WORDS[one]),
  ]);
  return [head, ...cells];
}
