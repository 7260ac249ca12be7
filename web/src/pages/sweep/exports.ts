// The results of a sweep as files for other programs.

import type { CompleteResult, SweepPlan } from "../../engine/sweep";
import { csvText } from "../../ui/save";
import { figuresOf, type Results, tableOf } from "./data";

/** The figures of a file: those that the definition names, otherwise all that some run has. */
function columnsOf({ figures }: SweepPlan, results: Results): readonly string[] {
  const { rows, counters } = figuresOf(results);
  return figures ?? [...rows, ...counters];
}

/** The finished runs of a plan. */
function resultsOf({ jobs }: SweepPlan, results: Results): Results {
  const mine = jobs.flatMap(({ key }): [string, CompleteResult][] => {
    const result = results.get(key);
    return result ? [[key, result]] : [];
  });
  return new Map(mine);
}

/** The table of all finished runs, with a header. */
export function sweepTable(plan: SweepPlan, results: Results): ReturnType<typeof tableOf> {
  const mine = resultsOf(plan, results);
  return tableOf(plan, mine, columnsOf(plan, mine));
}

/** The table as CSV. */
export const sweepCsv = (plan: SweepPlan, results: Results): string =>
  csvText(sweepTable(plan, results));

/** The table as a Parquet file. The writer is loaded with the first file. */
export async function sweepParquet(plan: SweepPlan, results: Results): Promise<ArrayBuffer> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const [head = [], ...rows] = sweepTable(plan, results);
  return parquetWriteBuffer({
    columnData: head.map((name, column) => {
      const values = rows.map((row) => row[column] ?? null);
      const isNumeric = values.every((value) => value === null || typeof value === "number");
      return isNumeric
        ? { name: String(name), data: values, type: "DOUBLE" as const }
        : {
            name: String(name),
            data: values.map((value) => (value === null ? null : String(value))),
            type: "STRING" as const,
          };
    }),
  });
}
