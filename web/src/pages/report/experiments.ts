// The experiments a table reports: one as a rule, one that several tables report, or one a row.

import type { PublishedTable } from "../../lessons/schema";
import { COSTS, type Cost, slowOf } from "./costs";
import type { Size } from "./sizes";

type Row = PublishedTable["rows"][number];

/** The experiment of a row at a size. */
export function experimentOf(table: PublishedTable, row: Row, size: Size): string {
  const id = row.experiment ?? table.experiment ?? table.id;
  return size === "teach" ? `${id}.teach` : id;
}

/** The size an experiment is of, by its id. */
export const sizeOf = (id: string): Size => (id.endsWith(".teach") ? "teach" : "full");

/** All experiments of a table at a size, each once, in the order of their rows. */
export const experimentsOf = (table: PublishedTable, size: Size): readonly string[] => [
  ...new Set(table.rows.map((row) => experimentOf(table, row, size))),
];

/** What a kernel's runs for a table take, one after the other; null where that is not known. */
export function costOf(table: PublishedTable, size: Size): Cost | null {
  const costs = experimentsOf(table, size).map((id) => COSTS[id]);
  let sum = { points: 0, slow: 0, simulated_s: 0, memory_mib: 0 };
  for (const cost of costs) {
    if (!cost) return null;
    sum = {
      points: sum.points + cost.points,
      slow: sum.slow + slowOf(cost),
      simulated_s: sum.simulated_s + cost.simulated_s,
      memory_mib: Math.max(sum.memory_mib, cost.memory_mib),
    };
  }
  return sum;
}
