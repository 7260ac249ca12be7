// The texts of the report's columns and small charts.

import { counted } from "../../engine/format";

const list = (names: readonly string[]) => names.join(", ");

/** The choice of columns. */
export const COLUMNS = {
  title: (count: number) => `Columns (${count})`,
  about:
    "Show any kernels with any patches and tunables, in the order that you choose. The first column is the baseline. The address of this page keeps the choice.",
  unknown: (columns: readonly string[]) =>
    `The address asks for columns that do not exist here: ${list(columns)}.`,
  noKernel: (column: string, kernel: string) => `${column} (no kernel ${kernel})`,
  noPatch: (column: string, patch: string) => `${column} (no patch ${patch})`,
  noTunable: (column: string, name: string) => `${column} (no tunable ${name})`,
  notTunable: (column: string, part: string) => `${column} (${part} is not a tunable with a value)`,
  baseline: "baseline",
  notPublished: "not published",
  up: (column: string) => `Move ${column} one place forward`,
  down: (column: string) => `Move ${column} one place back`,
  remove: (column: string) => `Remove ${column}`,
  add: "Another column",
  kernel: "Kernel",
  addThis: (column: string) => `Add ${column}`,
  isThere: "This column is already in the report.",
  full: (most: number) => `A report has at most ${most} columns.`,
  reset: "Show the published columns",
  twoLrus: "Compare the classic LRU lists with MGLRU",
  twoLrusList: "A report can also run a workload with columns that nobody published.",
  aboutTwoLrus:
    "The ready-made comparison runs this workload on kernel 6.12 twice: with the classic active and inactive lists (lru_gen.enabled=0), and with the multi-generational LRU (lru_gen.enabled=7). Nobody published values for these columns.",
} as const;

/** Where the runs of two columns first differ. */
export const DIVERGENCE = {
  title: "Where two columns diverge",
  about: "Both columns take the same steps until the runs first differ.",
  first: "First column",
  second: "Second column",
  column: "column",
  same: "Choose two different columns.",
  never: (steps: number) =>
    `The runs are equal to the end, for ${counted(steps, "step")}: the two columns never differ in this run.`,
} as const;

/** The small charts. */
export const MULTIPLES = {
  title: "Small charts",
  by: "One chart for each",
  row: "row",
  column: "column",
  about: (baseline: string, most: number) =>
    `Changes relative to ${baseline}. All charts have the same scale, from ×1/${most} to ×${most}.`,
  chart: (name: string) => `${name}: change of each kernel, published and simulated`,
  columnChart: (name: string) => `${name}: change of each row, published and simulated`,
  none: "Nothing can be compared yet: run the baseline and another kernel.",
} as const;
