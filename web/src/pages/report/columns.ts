// The columns of a report: the kernels of the published table, or any others with patches and
// tunables, in the order that the user chose. A column is written as in the address:
// "5.15+throttle-writeback", "6.12+lru_gen.enabled=0".

import { EXPERIMENT, typeNamed } from "../../engine/schema";
import { isModelled } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";
import { COLUMNS } from "./column-words";

/** The fewest and the most columns of a report. */
export const LEAST_COLUMNS = 2;
export const MOST_COLUMNS = 6;

/** The columns of the ready-made comparison: the same kernel with the classic lists and with MGLRU. */
export const TWO_LRUS: readonly string[] = ["6.12+lru_gen.enabled=0", "6.12+lru_gen.enabled=7"];

/** A column as its kernel, its patches, and tunables with their values. */
interface Column {
  readonly kernel: string;
  readonly patches: readonly string[];
  readonly tunables: Readonly<Record<string, string>>;
}

/** Reads a column. */
function readColumn(column: string): Column {
  const [kernel = "", ...others] = column.split("+");
  const patches = others.filter((part) => !part.includes("="));
  const tunables = others.flatMap((part) => {
    const [, name, value] = /^([^=]+)=(.*)$/.exec(part) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
  return { kernel, patches, tunables: Object.fromEntries(tunables) };
}

/** Writes a column without tunables. */
export const writeColumn = ({ kernel, patches }: Omit<Column, "tunables">): string =>
  [kernel, ...patches].join("+");

interface ColumnExperiment {
  readonly kernel: string;
  readonly patches?: readonly string[];
  readonly tunables?: Readonly<Record<string, string>>;
  readonly seed: number;
}

/**
 * The experiment of a preset that a column runs. Without patches the preset's own remain, and so do
 * the tunables that the column does not name.
 */
export function experimentIn(preset: string, column: string): ColumnExperiment {
  const own: ColumnExperiment = JSON.parse(preset);
  const { kernel, patches, tunables } = readColumn(column);
  return {
    ...own,
    kernel,
    ...(patches.length > 0 && { patches }),
    ...(Object.keys(tunables).length > 0 && { tunables: { ...own.tunables, ...tunables } }),
  };
}

const PATCHES = EXPERIMENT.properties?.patches?.items?.enum ?? [];
const TUNABLES = Object.keys(typeNamed("Tunables").properties ?? {});

/** The column with the reason why it cannot be shown; null if it can. */
function faultOf(column: string): string | null {
  const [kernel = "", ...others] = column.split("+");
  if (!isModelled(kernel)) return COLUMNS.noKernel(column, kernel);
  for (const part of others) {
    const at = part.indexOf("=");
    const name = part.slice(0, at);
    if (at < 0 && !PATCHES.includes(part)) return COLUMNS.noPatch(column, part);
    if (at === 0 || at === part.length - 1) return COLUMNS.notTunable(column, part);
    if (at > 0 && !TUNABLES.includes(name)) return COLUMNS.noTunable(column, name);
  }
  return null;
}

/** The columns that an address requests, and the ones that cannot be shown. */
export interface AskedColumns {
  /** The table's own if too few of the others can be shown. */
  readonly columns: readonly string[];
  /** Each with the reason. */
  readonly unknown: readonly string[];
}

/** Chooses the columns of a table. */
export function columnsOf(
  { kernels }: Pick<PublishedTable, "kernels">,
  asked: readonly string[] | null,
): AskedColumns {
  if (!asked) return { columns: kernels, unknown: [] };
  const faults = asked.map((column) => (kernels.includes(column) ? null : faultOf(column)));
  const known = [...new Set(asked.filter((_, i) => faults[i] === null))].slice(0, MOST_COLUMNS);
  const unknown = faults.filter((fault) => fault !== null);
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
