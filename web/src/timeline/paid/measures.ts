// What the diagram and the tables of "who paid" show, computed from the engine's tables.

import { type Flow, joinSmall } from "../../draw/flow";
import { NOT_ATTRIBUTED, type Paid, type PaidRow, type PaidSums } from "../../engine/paid";
import { COLUMN_WORDS, type MeasureName, PAID } from "./words";

/** The measures in the order in which they are offered. */
export const MEASURES: readonly MeasureName[] = [
  "reclaimed",
  "scanned",
  "stalled",
  "written",
  "waited",
];

/** The counters of the table, in the order of its columns. */
export const COLUMNS = Object.keys(COLUMN_WORDS) as (keyof typeof COLUMN_WORDS)[];

/** The maximum number of nodes in a column; the others are joined. */
const MOST_NODES = 9;
/** The maximum number of rows; one more row has the sum of the others. */
const MOST_ROWS = 24;

const AMOUNTS: Readonly<Record<Exclude<MeasureName, "reclaimed">, (sums: PaidSums) => number>> = {
  scanned: (sums) => sums.pgscan_kswapd + sums.pgscan_direct,
  stalled: (sums) => sums.stall_direct_ns,
  written: (sums) => sums.nr_vmscan_write,
  waited: (sums) => sums.waited_us,
};

const nameOf = (name: string) => (name === NOT_ATTRIBUTED ? PAID.unknown : name);

/** The flows of a measure: for whom, by whom, and, for reclaimed pages, from whom. */
export function flowsOf(paid: Paid, measure: MeasureName): Flow[] {
  const all =
    measure === "reclaimed"
      ? paid.taken.map(({ on_behalf_of, task, from, pages }) => ({
          path: [on_behalf_of, task, from].map(nameOf),
          amount: pages,
        }))
      : paid.rows.map((row) => ({
          path: [row.on_behalf_of, row.task].map(nameOf),
          amount: AMOUNTS[measure](row),
        }));
  return joinSmall(
    all.filter(({ amount }) => amount > 0),
    MOST_NODES,
  );
}

/** Whether a range contains any reclaim. */
export const hasReclaim = ({ total }: Paid): boolean =>
  COLUMNS.some((counter) => total[counter] !== 0);

/** A counter with the sum of its rows. */
export interface Check {
  readonly counter: (typeof COLUMNS)[number];
  readonly sum: number;
  /** The increase that the machine counted. */
  readonly increase: number;
}

/** The columns of the table: counters that changed or that have a row. */
export function checksOf({ rows, total }: Paid): Check[] {
  const checks = COLUMNS.map((counter): Check => {
    const sum = rows.reduce((all, row) => all + row[counter], 0);
    return { counter, sum, increase: total[counter] };
  });
  return checks.filter(({ sum, increase }) => sum !== 0 || increase !== 0);
}

/** The rows that are shown, and the sum of the others. */
export function rowsOf(rows: readonly PaidRow[]): {
  shown: readonly PaidRow[];
  others: { count: number; sums: Readonly<Record<(typeof COLUMNS)[number], number>> } | null;
} {
  if (rows.length <= MOST_ROWS) return { shown: rows, others: null };
  const rest = rows.slice(MOST_ROWS - 1);
  const sums = Object.fromEntries(
    COLUMNS.map((counter) => [counter, rest.reduce((all, row) => all + row[counter], 0)]),
  ) as Record<(typeof COLUMNS)[number], number>;
  return { shown: rows.slice(0, MOST_ROWS - 1), others: { count: rest.length, sums } };
}

/** The owners that are shown, and the pages of all others. */
export function takenOf({ taken }: Paid) {
  const shown = taken.length <= MOST_ROWS ? taken : taken.slice(0, MOST_ROWS - 1);
  const rest = taken.slice(shown.length);
  const pages = rest.reduce((all, row) => all + row.pages, 0);
  return { shown, others: rest.length > 0 ? { count: rest.length, pages } : null };
}

/** The tasks whose CPU time is shown, and the CPU time of all others. */
export function cpuTimesOf({ cpu }: Paid) {
  const shown = cpu.length <= MOST_ROWS ? cpu : cpu.slice(0, MOST_ROWS - 1);
  const rest = cpu.slice(shown.length);
  const user_ns = rest.reduce((all, row) => all + row.user_ns, 0);
  const kernel_ns = rest.reduce((all, row) => all + row.kernel_ns, 0);
  return { shown, others: rest.length > 0 ? { count: rest.length, user_ns, kernel_ns } : null };
}
