// Groups rows of latencies by their statistic, with one line for each number of workers.

import type { Compared } from "../../engine/report";

/** "Amean" of all worker counts. */
export interface LatencyGroup {
  /** The published name: "Amean", "Max-90". */
  readonly what: string;
  readonly lines: readonly {
    /** The published name: "mmap-4". */
    readonly name: string;
    readonly row: Compared;
  }[];
}

const NAME = /^(\S+) (\S+-\d+)$/;

/**
 * The groups of a table whose rows are latencies, in the order of its rows; empty for other tables.
 */
export function latencyGroups(rows: readonly Compared[]): readonly LatencyGroup[] {
  const groups = new Map<string, LatencyGroup["lines"][number][]>();
  for (const row of rows) {
    const [, what, name] = NAME.exec(row.metric) ?? [];
    if (!what || !name || row.unit !== "ms") return [];
    groups.set(what, [...(groups.get(what) ?? []), { name, row }]);
  }
  return [...groups].map(([what, lines]) => ({ what, lines }));
}
