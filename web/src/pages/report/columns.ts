// The columns of a report: the kernels of the published table, or any others with patches, in the
// order that the user chose. A column is written as in the address: "5.15+throttle-writeback".

import { isModelled } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";

/** The fewest and the most columns of a report. */
export const LEAST_COLUMNS = 2;
export const MOST_COLUMNS = 6;

/** A column as its kernel and its patches. */
export interface Column {
  readonly kernel: string;
  readonly patches: readonly string[];
}

/** Reads a column. */
function readColumn(column: string): Column {
  const [kernel = "", ...patches] = column.split("+");
  return { kernel, patches };
}

/** Writes a column. */
export const writeColumn = ({ kernel, patches }: Column): string => [kernel, ...patches].join("+");

/** The part of an experiment that a column decides. Without patches the experiment's own remain. */
export function changesOf(column: string): { kernel: string; patches?: readonly string[] } {
  const { kernel, patches } = readColumn(column);
  return patches.length > 0 ? { kernel, patches } : { kernel };
}

/** The columns that an address requests, and the ones that cannot be shown. */
export interface AskedColumns {
  /** The table's own if too few of the others can be shown. */
  readonly columns: readonly string[];
  readonly unknown: readonly string[];
}

/** Chooses the columns of a table. */
export function columnsOf(
  { kernels }: Pick<PublishedTable, "kernels">,
  asked: readonly string[] | null,
): AskedColumns {
  if (!asked) return { columns: kernels, unknown: [] };
  const isKnown = (column: string) =>
    kernels.includes(column) || isModelled(readColumn(column).kernel);
  const known = [...new Set(asked.filter(isKnown))].slice(0, MOST_COLUMNS);
  const unknown = asked.filter((column) => !isKnown(column));
  return { columns: known.length < LEAST_COLUMNS ? kernels : known, unknown };
}

/** A table with other columns. Unpublished values of a column are NaN. */
export function withColumns<T extends PublishedTable>(table: T, columns: readonly string[]): T {
  if (columns === table.kernels) return table;
  const places = columns.map((column) => table.kernels.indexOf(column));
  const rows = table.rows.map((row) => ({
    ...row,
    values: places.map((place) => row.values[place] ?? Number.NaN),
  }));
  return { ...table, kernels: columns, rows };
}

/** The columns with one column moved by some positions. */
export function moved(columns: readonly string[], from: number, by: -1 | 1): readonly string[] {
  const to = from + by;
  const one = columns[from];
  const other = columns[to];
  if (one === undefined || other === undefined) return columns;
  return columns.map((column, place) => (place === from ? other : place === to ? one : column));
}
