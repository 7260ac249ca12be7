// Who paid for reclaim in a range of steps: the page's questions and the worker's answers. The
// engine replays the range in slices; each answer is one slice.

import type { Engine } from "./pkg/mmscope";

/** Amounts of one row, under the names of the kernel's counters that the rows add up to. */
export interface PaidSums {
  readonly allocstall: number;
  /** Time in direct reclaim, including waits, ns. */
  readonly stall_direct_ns: number;
  readonly pgscan_direct_throttle: number;
  readonly pageoutrun: number;
  readonly pgscan_kswapd: number;
  readonly pgscan_direct: number;
  readonly pgsteal_kswapd: number;
  readonly pgsteal_direct: number;
  readonly nr_vmscan_write: number;
  /** Waits of reclaimers, and their length in us. */
  readonly waits: number;
  readonly waited_us: number;
}

/** The work of one task, and the task that needed the memory. */
export interface PaidRow extends PaidSums {
  readonly task: string;
  /** The task itself if it needed the memory; {@link NOT_ATTRIBUTED} if the task is not known. */
  readonly on_behalf_of: string;
}

/** Pages that a task reclaimed from one owner. */
interface TakenRow {
  readonly task: string;
  readonly on_behalf_of: string;
  /** A task, a file, or {@link NOT_ATTRIBUTED}. */
  readonly from: string;
  readonly pages: number;
}

/** CPU time of a task, without interrupts. */
export interface CpuTimeRow {
  readonly task: string;
  /** In user mode, ns. */
  readonly user_ns: number;
  /** In the kernel, ns. */
  readonly kernel_ns: number;
}

/** The tables of a range; see the engine's `who_paid`. */
export interface Paid {
  readonly rows: readonly PaidRow[];
  /** The part of the counters that no row contains. */
  readonly not_attributed: PaidSums;
  /** The increase of the counters. */
  readonly total: PaidSums;
  readonly taken: readonly TakenRow[];
  /** Length of the range, ns. */
  readonly length_ns: number;
  /** CPU time by task; the task that used most is first. */
  readonly cpu: readonly CpuTimeRow[];
}

/** The engine's name for a task or an owner that the records do not identify. */
export const NOT_ATTRIBUTED = "not attributed";

/** Begin with the steps after `from` up to `to`, continue, or free the memory. */
export type PaidAct =
  | {
      readonly kind: "begin";
      /** Canonical JSON of the open experiment. */
      readonly experiment: string;
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: "more" }
  | { readonly kind: "end" };

/** A question about a range. */
export interface PaidQuestion {
  readonly kind: "paid";
  readonly act: PaidAct;
}

/** The progress of the replay. */
export interface PaidAnswer {
  readonly kind: "paid";
  /** The step that it has reached. */
  readonly at: number;
  /** The tables, once the range has been replayed. */
  readonly paid: Paid | null;
  /** False if memory is too short for a second machine. */
  readonly isWhole: boolean;
}

/** The maximum ms of a slice, and the steps of one call in it. */
const SLICE_MS = 30;
const CHUNK_STEPS = 1 << 15;

/** Runs one slice. Returns null if another experiment was opened meanwhile. */
export function answerPaid(engine: Engine, slot: number, { act }: PaidQuestion): PaidAnswer | null {
  const nothing = { kind: "paid", at: 0, paid: null } as const;
  if (act.kind === "end") {
    engine.who_paid_close();
    return { ...nothing, isWhole: true };
  }
  if (act.kind === "begin" && !engine.who_paid(slot, act.experiment, act.from, act.to)) {
    return { ...nothing, isWhole: false };
  }
  const until = performance.now() + SLICE_MS;
  for (;;) {
    const text = engine.who_paid_more(CHUNK_STEPS);
    const replayed = JSON.parse(text) as Pick<PaidAnswer, "at" | "paid"> | null;
    if (!replayed) return null;
    if (replayed.paid || performance.now() > until) {
      return { kind: "paid", ...replayed, isWhole: true };
    }
  }
}
