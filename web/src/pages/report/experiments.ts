// The cost of a table's runs.

import { experimentsOf, type Size } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";
import { COSTS, type Cost, slowOf } from "../../runs/cost";

/** The cost of a kernel's runs for a table, one after the other; null if unknown. */
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
