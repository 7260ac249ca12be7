// A row of a log as a named fact: what the models of this folder read.

import { DECISION, LOG_ROW, NO_EVENT, NOTHING } from "../../engine/log";
import type { Catalog } from "../../engine/types";

/** An event or a decision, by the engine's name, with its six numbers. */
export interface Fact {
  /** Where a person stands right after it. */
  readonly step: number;
  readonly time_ns: number;
  readonly task: number;
  readonly cpu: number;
  readonly name: string;
  readonly isDecision: boolean;
  /** Pages are page frame numbers. */
  readonly n: readonly number[];
}

/** What rows are named by. */
export type FactNames = Pick<Catalog, "events" | "decisions">;

/** The facts of some rows, oldest first; only those of some names, where most would be passed over. */
export function* factsOf(
  rows: Float64Array,
  { events, decisions }: FactNames,
  only?: ReadonlySet<string>,
): Generator<Fact> {
  for (let at = 0; at < rows.length; at += LOG_ROW) {
    const kind = rows[at + 4] ?? 0;
    const isDecision = kind >= DECISION;
    const named = isDecision ? decisions[kind - DECISION] : events[kind];
    if (only && !only.has(named?.name ?? "")) continue;
    yield {
      step: rows[at] ?? 0,
      time_ns: rows[at + 1] ?? 0,
      task: rows[at + 2] ?? 0,
      cpu: rows[at + 3] ?? 0,
      name: named?.name ?? "",
      isDecision,
      n: Array.from(rows.subarray(at + 6, at + LOG_ROW)),
    };
  }
}

/** Number `i` of a fact. */
export const numberOf = ({ n }: Fact, i: number): number => n[i] ?? 0;

/** Number `i` where it may be negative: it is recorded as so much more than it is. */
export const signedOf = (fact: Fact, i: number): number => numberOf(fact, i) - 2 ** 31;

/** Page `i` of a fact, or none. */
export const pageOf = (fact: Fact, i: number): number | null =>
  fact.n[i] === undefined || fact.n[i] === NOTHING ? null : fact.n[i];

/** The numbers of some events, for a filter; one that is nowhere where there are none. */
export function kindsOf({ events }: FactNames, names: readonly string[]): number[] {
  const kinds = events.flatMap(({ name }, kind) => (names.includes(name) ? [kind] : []));
  return kinds.length > 0 ? kinds : [NO_EVENT];
}
