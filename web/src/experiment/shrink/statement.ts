// A statement about counters as a form edits it, and as the engine reads it.

import { FAULTS } from "./words";

/** The comparisons in the order in which the form offers them. */
export const COMPARES = [">", ">=", "=", "!=", "<=", "<"] as const;

/** One comparison. */
export interface Comparison {
  readonly counter: string;
  readonly compare: (typeof COMPARES)[number];
  /** A number, a counter, or a number `*` a counter. */
  readonly bound: string;
  /** Another kernel; null for the kernel of the experiment. */
  readonly kernel: string | null;
  /** The patches of that kernel. */
  readonly patches: readonly string[];
}

/** The initial comparison of the form. */
export const FIRST: Comparison = {
  counter: "allocstall",
  compare: ">",
  bound: "0",
  kernel: null,
  patches: [],
};

/** The statement as the engine reads it. */
export const statementOf = (comparisons: readonly Comparison[]): string =>
  comparisons
    .map(({ counter, compare, bound, kernel, patches }) => {
      const side = kernel === null ? "" : ` in ${[kernel, ...patches].join("+")}`;
      return `${counter.trim()} ${compare} ${bound.trim()}${side}`;
    })
    .join(" and ");

const NAME = "[A-Za-z][A-Za-z0-9_]*";
const COUNTER = new RegExp(`^${NAME}$`);
const BOUND = new RegExp(`^([0-9][0-9_]*|${NAME}|[0-9][0-9_]*\\s*\\*\\s*${NAME})$`);

/** The errors in the fields of a comparison; the engine checks whether the counters exist. */
export function faultsOf({ counter, bound }: Comparison): {
  readonly counter?: string;
  readonly bound?: string;
} {
  return {
    ...(!COUNTER.test(counter.trim()) && { counter: FAULTS.counter }),
    ...(!BOUND.test(bound.trim()) && { bound: FAULTS.bound }),
  };
}

/** Reads stored comparisons; null if the text is not valid. */
export function readComparisons(value: unknown): readonly Comparison[] | null {
  const isOne = (one: unknown): one is Comparison => {
    const { counter, compare, bound, kernel, patches } = Object(one);
    return (
      typeof counter === "string" &&
      COMPARES.includes(compare) &&
      typeof bound === "string" &&
      (kernel === null || typeof kernel === "string") &&
      Array.isArray(patches) &&
      patches.every((patch) => typeof patch === "string")
    );
  };
  return Array.isArray(value) && value.length > 0 && value.every(isOne) ? value : null;
}
