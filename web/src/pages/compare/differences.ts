// The growth of every counter of two runs over a range, side by side.

import type { PairMoment } from "../../app/pair/pair";

/** One counter. */
export interface Difference {
  readonly name: string;
  readonly a: number;
  readonly b: number;
  /** B minus A. */
  readonly by: number;
}

/** The columns by which the table can be sorted. */
export type SortBy = "name" | "a" | "b" | "by" | "ratio";

/**
 * The growth of all counters between two moments; `from` null means the start of both runs. A moment
 * lists only counters that are not 0.
 */
export function differencesOf(from: PairMoment | null, to: PairMoment): readonly Difference[] {
  const grown = (side: "a" | "b") => {
    const before = new Map(from?.[side].counters ?? []);
    return new Map(
      to[side].counters.map(([name, value]) => [name, value - (before.get(name) ?? 0)]),
    );
  };
  const [a, b] = [grown("a"), grown("b")];
  const names = [...new Set([...a.keys(), ...b.keys()])];
  return names.map((name) => {
    const [inA, inB] = [a.get(name) ?? 0, b.get(name) ?? 0];
    return { name, a: inA, b: inB, by: inB - inA };
  });
}

/** B over A; infinite from 0, 1 if both are 0. */
export function ratioOf({ a, b }: Difference): number {
  if (a === b) return 1;
  return a === 0 ? Number.POSITIVE_INFINITY : b / a;
}

/** The most different counters first, by how far the ratio is from 1. */
const distance = (row: Difference) => {
  const ratio = ratioOf(row);
  return ratio === 0 ? Number.POSITIVE_INFINITY : Math.abs(Math.log(ratio));
};

const KEYS: Record<Exclude<SortBy, "name">, (row: Difference) => number> = {
  a: ({ a }) => a,
  b: ({ b }) => b,
  by: ({ by }) => Math.abs(by),
  ratio: distance,
};

/** Sorts rows; equal ones by name. */
export function sorted(
  rows: readonly Difference[],
  by: SortBy,
  isDescending: boolean,
): readonly Difference[] {
  const names = (x: Difference, y: Difference) => x.name.localeCompare(y.name);
  const compare = (x: Difference, y: Difference) => {
    if (by === "name") return names(x, y);
    const [left, right] = [KEYS[by](x), KEYS[by](y)];
    return left === right ? names(x, y) * (isDescending ? -1 : 1) : left < right ? -1 : 1;
  };
  const all = [...rows].sort(compare);
  return isDescending ? all.reverse() : all;
}

/** How far a bar reaches: -1 at an eighth or less, 1 at eight times or more, 0 if both are equal. */
export function barOf(row: Difference): number {
  const ratio = ratioOf(row);
  if (ratio === 0) return -1;
  return Math.max(-1, Math.min(1, Math.log2(ratio) / 3));
}
