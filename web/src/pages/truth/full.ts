// A published table with the score of its committed full-size results.

import { type Reporter, type Scoring, scoreOf } from "../../engine/report";
import { comparedRows, type FullResult, type FullRun, fullResults } from "../../lessons/full-size";
import { isModelled } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";

/** A table, and how its committed results came out. */
export interface FullTable {
  readonly id: string;
  /** How many rows it has. */
  readonly rows: number;
  /** Kernels whose results have not been made. */
  readonly missing: readonly string[];
  readonly made: readonly Pick<FullResult, "made" | "version">[];
  /** None where results of a kernel are missing. */
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
