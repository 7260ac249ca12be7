// Compares a machine with its simulated twin: the counters of both, and the first moment at which
// they differ.

import type { Capture } from "../../engine/capture/answers";

/** A counter of both runs: by how much it grew. */
export interface Compared {
  readonly name: string;
  readonly real: number;
  readonly simulated: number;
}

/** The ratio of two increases, simulated to real; null if it is not meaningful. */
export const ratioOf = ({ real, simulated }: Compared): number | null =>
  real > 0 ? simulated / real : null;

/** Increases of the counters that both runs have, the largest first. Gauges are left out, because
    they also decrease. */
export function comparedOf(
  counters: Capture["counters"],
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  isCounted: (name: string) => boolean,
): Compared[] {
  return counters
    .flatMap(({ name, before: from, after: to }): Compared[] => {
      if (name.startsWith("nr_") || !isCounted(name)) return [];
      // The engine lists a counter only after it is not 0.
      const [first, last] = [before.get(name) ?? 0, after.get(name) ?? 0];
      return [{ name, real: to - from, simulated: last - first }];
    })
    .filter(({ real, simulated }) => real > 0 || simulated > 0)
    .sort((a, b) => Math.max(b.real, b.simulated) - Math.max(a.real, a.simulated));
}

/** Growth below this is not worth a comparison, and a factor above this is a difference. */
export const LEAST_GROWTH = 64;
export const MOST_FACTOR = 1.5;

/** A moment at which a counter of both runs differs. */
export interface Difference {
  readonly name: string;
  readonly time_ns: number;
  readonly real: number;
  readonly simulated: number;
}

/** The growth of one counter in both runs at the same moments. */
export interface Grown {
  readonly name: string;
  readonly moments: readonly {
    readonly time_ns: number;
    readonly real: number;
    readonly simulated: number;
  }[];
}

const differs = (real: number, simulated: number): boolean => {
  const [less, more] = [Math.min(real, simulated), Math.max(real, simulated)];
  return more - less >= LEAST_GROWTH && more > less * MOST_FACTOR;
};

/** The first moment at which any counter differs. */
export function firstDifference(counters: readonly Grown[]): Difference | null {
  let first: Difference | null = null;
  for (const { name, moments } of counters) {
    const found = moments.find(({ real, simulated }) => differs(real, simulated));
    if (found && (first === null || found.time_ns < first.time_ns)) first = { name, ...found };
  }
  return first;
}
