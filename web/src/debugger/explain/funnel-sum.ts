// All passes of a run so far as one funnel, compared with the kernel's own counters.

import type { Rec } from "../../engine/record";
import type { View } from "../../engine/types";
import { beginsPass, FATES, type Fate, type Funnel, freedIn, Passes } from "./funnel";

/** The kinds of reclaimers. */
export const RECLAIMERS = ["kswapd", "direct"] as const;
/** One of {@link RECLAIMERS}. */
export type Reclaimer = (typeof RECLAIMERS)[number];

/** A sum of passes. */
export interface Sum extends Funnel {
  readonly passes: number;
  /**
   * Pages freed by passes that have already put back the rest: only these pages are in the
   * counters.
   */
  readonly counted: number;
}

const NO_PASSES: Sum = {
  passes: 0,
  scanned: 0,
  skipped: 0,
  taken: 0,
  ahead: 0,
  counted: 0,
  fates: Object.fromEntries(FATES.map((fate) => [fate, 0])) as Record<Fate, number>,
};

/** Adds two sums. */
const plus = (a: Sum, b: Sum): Sum => ({
  passes: a.passes + b.passes,
  scanned: a.scanned + b.scanned,
  skipped: a.skipped + b.skipped,
  taken: a.taken + b.taken,
  ahead: a.ahead + b.ahead,
  counted: a.counted + b.counted,
  fates: Object.fromEntries(FATES.map((fate) => [fate, a.fates[fate] + b.fates[fate]])) as Record<
    Fate,
    number
  >,
});

/** Adds up the passes in a run's records, from its start. */
export class FunnelSum {
  readonly by: Record<Reclaimer, Sum> = { kswapd: NO_PASSES, direct: NO_PASSES };
  #passes = new Passes();

  /** Takes the next record. */
  take(record: Rec): void {
    const before = this.#passes.of(record.task);
    const pass = this.#passes.take(record);
    if (!pass) return;
    const who: Reclaimer = this.#passes.isDirect(record.task) ? "direct" : "kswapd";
    const sum = this.by[who];
    if (beginsPass(record)) {
      const { scanned, skipped, taken, ahead } = pass;
      const one = { ...NO_PASSES, passes: 1, scanned, skipped, taken, ahead };
      this.by[who] = plus(sum, one);
      return;
    }
    // Add only the differences that this record makes to its pass.
    const fates = { ...sum.fates };
    for (const fate of FATES) fates[fate] += pass.fates[fate] - (before?.fates[fate] ?? 0);
    const isCounted = pass.done !== null && before?.done === null;
    this.by[who] = {
      ...sum,
      fates,
      ahead: sum.ahead + pass.ahead - (before?.ahead ?? 0),
      counted: sum.counted + (isCounted ? freedIn(pass) : 0),
    };
  }

  /** The sum of both reclaimers. */
  get all(): Sum {
    return plus(this.by.kswapd, this.by.direct);
  }

  /** An independent copy. */
  copy(): FunnelSum {
    const copy = new FunnelSum();
    Object.assign(copy.by, this.by);
    copy.#passes = this.#passes.copy();
    return copy;
  }
}

/** A sum, and the counters that should have the same value. */
export interface Check {
  readonly what: "scanned" | "freed";
  /** The sum of the recorded passes. */
  readonly here: number;
  /** The counters, by name. */
  readonly counters: readonly (readonly [string, number])[];
  readonly holds: boolean;
}

/** The sums of a run compared with `/proc/vmstat` at the same moment. */
export function checksOf(sum: FunnelSum, { counters }: Pick<View, "counters">): Check[] {
  const value = (name: string) => counters.find(([other]) => other === name)?.[1] ?? 0;
  const check = (what: Check["what"], begin: string, part: (sum: Sum) => number): Check => {
    const named = RECLAIMERS.map((who) => [`${begin}_${who}`, value(`${begin}_${who}`)] as const);
    const holds = RECLAIMERS.every((who, i) => part(sum.by[who]) === named[i]?.[1]);
    return { what, here: part(sum.all), counters: named, holds };
  };
  return [
    check("scanned", "pgscan", ({ scanned }) => scanned),
    check("freed", "pgsteal", ({ counted }) => counted),
  ];
}
