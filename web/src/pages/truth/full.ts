// A published table with the score of its committed full-size results.

import { type Reporter, type Scoring, scoreOf } from "../../engine/report";
import { comparedRows, type FullResult, type FullRun, fullResults } from "../../lessons/full-size";
import { isModelled } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";

/** A table with the score of its committed results. */
export interface FullTable {
  readonly id: string;
  /** The number of rows of the table. */
  readonly rows: number;
  /** Kernels without results. */
  readonly missing: readonly string[];
  readonly made: readonly Pick<FullResult, "made" | "version">[];
  /** Null if results of a kernel are missing. */
  readonly scoring: Scoring | null;
}

/** Scores a table's committed results. */
export function scoreTable(
  table: PublishedTable,
  runs: readonly FullRun[],
  reporter: Reporter,
): FullTable {
  const results = fullResults(table, runs);
  const missing = table.kernels.filter((kernel) => isModelled(kernel) && !results[kernel]);
  return {
    id: table.id,
    rows: table.rows.length,
    missing,
    made: Object.values(results),
    scoring: missing.length === 0 ? scoreOf(reporter, comparedRows(table, results)) : null,
  };
}
