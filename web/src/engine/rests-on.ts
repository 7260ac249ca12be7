// The functions, mechanisms and constants that the result of a run depends on, with the names and notes of
// the catalog.

import type { Catalog, Fidelity, RestsOn } from "./types";

/** A modelled function that a run has called. */
export interface CalledFunction {
  readonly name: string;
  /** The kernel's file; empty for a function of the engine. */
  readonly file: string;
  readonly fidelity: Fidelity;
  readonly calls: number;
  readonly note: string;
}

/** A constant that a run may have used. */
interface UsedCost {
  readonly name: string;
  readonly ns: number;
  /** What the constant is the cost of, and the source of its value. */
  readonly about: string;
}

/** The functions, mechanisms and constants that the result of a run depends on. */
export interface Foundations {
  /** The functions that the run called, the most frequent first. */
  readonly functions: readonly CalledFunction[];
  /** Mechanisms that its kernel has and the engine lacks. */
  readonly absent: readonly { readonly name: string; readonly note: string }[];
  readonly costs: readonly UsedCost[];
}

/** Names the functions and costs of a run on a kernel. */
export function foundationsOf(
  { functions, mechanisms, costs }: Pick<Catalog, "functions" | "mechanisms" | "costs">,
  kernel: string,
  { functions: called, costs: used }: RestsOn,
): Foundations {
  const lacking = mechanisms.find(([id]) => id === kernel)?.[1] ?? [];
  return {
    functions: called
      .flatMap(([place, calls]) => {
        const of = functions[place];
        return of
          ? [{ name: of.name, file: of.file, fidelity: of.fidelity, calls, note: of.note }]
          : [];
      })
      .sort((a, b) => b.calls - a.calls),
    absent: lacking
      .filter(({ fidelity }) => fidelity === "absent")
      .map(({ name, note }) => ({ name, note })),
    costs: used.flatMap(([place, ns]) => {
      const of = costs[place];
      return of ? [{ name: of.name, ns, about: of.about }] : [];
    }),
  };
}
