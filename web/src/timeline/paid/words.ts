// The texts of the dialog "Who paid": plain strings, and functions for texts that contain values.

import { clock, count, counted, duration, percent } from "../../engine/format";

/** What a diagram can show; see `measures.ts`. */
export type MeasureName = "reclaimed" | "scanned" | "stalled" | "written" | "waited";

const pages = (amount: number) => counted(amount, "page");
const ns = (amount: number) => duration(amount);
const us = (amount: number) => duration(amount * 1000);

/** The dialog. */
export const PAID = {
  title: "Who paid for reclaim",
  about: (from_ns: number, to_ns: number, from: number, to: number) =>
    `From ${clock(from_ns)} s to ${clock(to_ns)} s (${duration(to_ns - from_ns)}), steps ${count(from)} to ${count(to)}.`,
  rangeHelp: "The range begins and ends at the nearest samples of the timeline.",
  wholeHelp: "This is the whole run so far. Choose a range in the timeline to see a part of it.",
  replaying: (share: number) => `The range is replayed: ${percent(share)}.`,
  noMemory:
    "This machine is too large: the browser has no memory for a second machine to replay the range. `sim run --who-paid` prints this table for the whole run.",
  failed: (message: string) => `The tables could not be computed: ${message}.`,
  again: "Try again",
  nothing: "Nobody reclaimed memory in this range.",
  measure: "Quantity in the diagram",
  others: "others",
  unknown: "unknown",
  columns: ["for", "done by", "pages of"],
  diagram: (of: string, total: string) => `${of}: ${total} in total`,
  node: (name: string, column: string, amount: string, share: number) =>
    `${column} ${name}: ${amount}, ${percent(share)}`,
  keys: "Arrow keys move between the parts of the diagram. Enter highlights the flows of a part.",
  empty: (of: string) => `${of}: none in this range.`,
} as const;

/** What the diagram can show: its name, and an amount as text. */
export const MEASURE_WORDS: Readonly<
  Record<MeasureName, { name: string; amount: (amount: number) => string }>
> = {
  reclaimed: { name: "Pages reclaimed", amount: pages },
  scanned: { name: "Pages scanned", amount: pages },
  stalled: { name: "Time in direct reclaim", amount: ns },
  written: { name: "Pages written", amount: pages },
  waited: { name: "Time waited", amount: us },
};

/** The table of work. */
export const WORK = {
  caption: "Reclaim by each task, and the task that it served",
  task: "Task",
  behalf: "For",
  itself: "itself",
  counter: "Counter",
  increase: "Increase of the counter",
  sum: "Sum of the rows",
  agrees: "equal",
  differs: "different",
  others: (rows: number) => counted(rows, "other row"),
  checked: (counters: number) =>
    `The rows add up to the increase of ${counters === 1 ? "the counter" : `all ${counters} counters`}.`,
  unchecked: (names: string) => `The rows do not add up to the increase of ${names}.`,
} as const;

/** Headings of the table, by counter. */
export const COLUMN_WORDS = {
  allocstall: "direct reclaims",
  stall_direct_ns: "stalled",
  pgscan_direct_throttle: "waits for kswapd",
  pageoutrun: "kswapd runs",
  pgscan_kswapd: "scanned by kswapd",
  pgscan_direct: "scanned in direct reclaim",
  pgsteal_kswapd: "reclaimed by kswapd",
  pgsteal_direct: "reclaimed in direct reclaim",
  nr_vmscan_write: "written",
  waits: "waits",
  waited_us: "waited",
} as const;

/** The table of pages. */
export const TAKEN = {
  caption: "Owners of the reclaimed pages",
  by: "Reclaimed by",
  behalf: "For",
  from: "Pages of",
  pages: "Pages",
  sum: "Sum of the rows",
  increase: "pgsteal_kswapd + pgsteal_direct",
} as const;

/** The table of CPU time. */
export const CPU_TIME = {
  caption: "CPU time of each task",
  task: "Task",
  user: "User mode",
  kernel: "Kernel",
  share: "Share of one CPU",
  help: "The time of interrupts is not part of any task.",
} as const;
