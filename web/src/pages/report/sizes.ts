// The two sizes at which a table is run, and the rows that can be compared at each.
//
// The teaching machine scales memory, watermarks and workload proportionally. The disk, the CPUs,
// the batch of 32 pages and the length of a sleep are not scaled. Rows that depend on one of these
// cannot be compared.

import type { Size } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";

type MetricRow = Pick<PublishedTable["rows"][number], "metric" | "unit">;
type Rows = Pick<PublishedTable, "rows">;

/** The kind of quantity that the teaching machine does not scale. */
export type Unscaled = "time" | "rate" | "count" | "writeback";

/** The reason why a row cannot be compared at teaching size; null if it can. */
export function unscaledIn({ metric, unit }: MetricRow): Unscaled | null {
  if (unit === "s" || unit === "ms") return "time";
  if (unit.endsWith("/s") || unit === "bops") return "rate";
  if (unit !== "%") return "count";
  // How many pages of a pass can be freed depends on writeback, and so on the disk.
  return metric.endsWith("efficiency") ? "writeback" : null;
}

/** Does a table have published values for at least one of its columns? */
export const isPublished = ({ rows }: Rows): boolean =>
  rows.some(({ values }) => !values.every(Number.isNaN));

/**
 * Tells which rows of a table can be compared at a size. If nothing is published for any column, runs
 * of the same machine are compared with each other alone, so that the scale does not matter.
 */
export function isSpokenOf(table: Rows, size: Size): (row: MetricRow) => boolean {
  const areAll = size === "full" || !isPublished(table);
  return (row) => areAll || unscaledIn(row) === null;
}

/** The sizes at which a table has comparable rows. */
export const sizesOf = (table: Rows): readonly Size[] =>
  table.rows.some(isSpokenOf(table, "teach")) ? ["full", "teach"] : ["full"];

/** The longest wait with which a report starts at the published size, s. */
export const PATIENCE_S = 120;

/**
 * The first size of a report: the published one, unless it takes long and the other has comparable
 * rows.
 */
export const firstSize = (table: Rows, wait_s: number | null): Size =>
  (wait_s !== null && wait_s < PATIENCE_S) || !sizesOf(table).includes("teach") ? "full" : "teach";
