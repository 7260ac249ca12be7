// What happened to the pages that reclaim isolated, as far as the events of a trace show it: sums
// over all batches, by kind of reclaimer. A trace has no decision about a single page.

import type { AskLog } from "../../engine/log-turns";
import {
  type Kinds,
  kindsNamed,
  type Rec,
  type RecordName,
  recordsIn,
  valuesByName,
} from "../../engine/record";
import { RECLAIM } from "./words";

/** Why pages of a batch were put back, by the names of the event's fields. */
export const PUT_BACK = [
  "nr_activate",
  "nr_activate_anon",
  "nr_activate_file",
  "nr_ref_keep",
  "nr_writeback",
  "nr_immediate",
  "nr_congested",
  "nr_unmap_fail",
] as const;
/** One of {@link PUT_BACK}. */
export type PutBack = (typeof PUT_BACK)[number];

/** The meaning of each reason. */
export const PUT_BACK_WORDS: Readonly<Record<PutBack, readonly [words: string, why: string]>> = {
  nr_activate: ["activated", RECLAIM.usedAgainWhile],
  nr_activate_anon: ["activated, anonymous", RECLAIM.usedAgainWhile],
  nr_activate_file: ["activated, file", RECLAIM.usedAgainWhile],
  nr_ref_keep: ["kept", RECLAIM.referencedOnce],
  nr_writeback: ["under writeback", RECLAIM.writeMustEndFirst],
  nr_immediate: [RECLAIM.markedForImmediateReclaim, RECLAIM.freedAsSoon],
  nr_congested: [RECLAIM.dirtyOnCongestedDevice, RECLAIM.deviceHasTooManyWrites],
  nr_unmap_fail: ["not unmapped", RECLAIM.pageTableStillRefers],
};

/** Sums of batches. */
export interface TraceFunnel {
  readonly batches: number;
  readonly scanned: number;
  readonly isolated: number;
  readonly reclaimed: number;
  /** Dirty pages that were found; they can also be in any other category. */
  readonly dirty: number;
  readonly putBack: Readonly<Partial<Record<PutBack, number>>>;
}

/** The kinds of reclaimers. */
export type Reclaimer = "kswapd" | "direct";

/** No batch. */
export const NO_BATCHES: TraceFunnel = {
  batches: 0,
  scanned: 0,
  isolated: 0,
  reclaimed: 0,
  dirty: 0,
  putBack: {},
};

const SUMMED: readonly RecordName[] = ["mm_vmscan_lru_isolate", "mm_vmscan_lru_shrink_inactive"];
/** Lists in the engine's order: active lists have odd numbers. */
const isInactive = (lru: number) => lru % 2 === 0;

/** The sums with one more record. */
export function plusRecord(sum: TraceFunnel, record: Rec): TraceFunnel {
  const values = valuesByName(record);
  const number = (name: string) => {
    const value = values[name];
    return typeof value === "number" ? value : 0;
  };
  if (record.name === "mm_vmscan_lru_isolate") {
    if (!isInactive(number("lru"))) return sum;
    return {
      ...sum,
      scanned: sum.scanned + number("nr_scanned"),
      isolated: sum.isolated + number("nr_taken"),
    };
  }
  if (record.name !== "mm_vmscan_lru_shrink_inactive") return sum;
  const putBack: Partial<Record<PutBack, number>> = { ...sum.putBack };
  // A kernel that prints the kinds of activated pages prints no sum of them.
  for (const name of PUT_BACK) {
    const more = name === "nr_activate" && "nr_activate_anon" in values ? 0 : number(name);
    if (more > 0) putBack[name] = (putBack[name] ?? 0) + more;
  }
  return {
    ...sum,
    batches: sum.batches + 1,
    reclaimed: sum.reclaimed + number("nr_reclaimed"),
    dirty: sum.dirty + number("nr_dirty"),
    putBack,
  };
}

/** Pages that were put back for a reason that the events do not print. */
export function unexplained({ isolated, reclaimed, putBack }: TraceFunnel): number {
  const explained = PUT_BACK.reduce((sum, name) => sum + (putBack[name] ?? 0), 0);
  return isolated - reclaimed - explained;
}

/** Adds up a whole trace. */
export async function sumsOf(
  ask: AskLog,
  kinds: Kinds,
  events: number,
  isKswapd: (task: number) => boolean,
): Promise<Readonly<Record<Reclaimer, TraceFunnel>>> {
  const sums: Record<Reclaimer, TraceFunnel> = { kswapd: NO_BATCHES, direct: NO_BATCHES };
  const filter = { kinds: kindsNamed(kinds, SUMMED), task: null, zone: null, pages: null };
  let answer = await ask({ kind: "begin", from: 0, to: events, filter });
  for (;;) {
    for (const record of recordsIn(answer.rows, kinds)) {
      const who = isKswapd(record.task) ? "kswapd" : "direct";
      sums[who] = plusRecord(sums[who], record);
    }
    if (answer.isDone) return sums;
    answer = await ask({ kind: "more" });
  }
}
