// The two sizes a table is run at, and what each can speak of.
//
// The teaching machine has memory, marks and workload in proportion, but its disk, its CPUs, the batch
// of 32 pages and the length of a nap are as large as any machine's. What depends on one of these is
// another machine's.

import type { Size } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";

type Row = Pick<PublishedTable["rows"][number], "metric" | "unit">;

/** What a row depends on that the teaching machine does not have in proportion. */
export type Unscaled = "time" | "rate" | "count" | "writeback";

/** Why a row cannot be spoken of at teaching size; null where it can. */
export function unscaledIn({ metric, unit }: Row): Unscaled | null {
  if (unit === "s" || unit === "ms") return "time";
  if (unit.endsWith("/s") || unit === "bops") return "rate";
  if (unit !== "%") return "count";
  // What of a pass can be freed depends on how much is being written, and that on the disk.
  return metric.endsWith("efficiency") ? "writeback" : null;
}

/** Can a row be spoken of at a size? */
export const isSpokenOf = (row: Row, size: Size): boolean =>
  size === "full" || unscaledIn(row) === null;

/** The sizes at which something of a table can be spoken of. */
export const sizesOf = ({ rows }: Pick<PublishedTable, "rows">): readonly Size[] =>
  rows.some((row) => isSpokenOf(row, "teach")) ? ["full", "teach"] : ["full"];

/** A wait that nobody minds who wants to see the published size, seconds. */
export const PATIENCE_S = 120;

/** The size a report begins at: the published one, unless it takes long and the other says something. */
export const firstSize = (table: Pick<PublishedTable, "rows">, wait_s: number | null): Size =>
  (wait_s !== null && wait_s < PATIENCE_S) || !sizesOf(table).includes("teach") ? "full" : "teach";
