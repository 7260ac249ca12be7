// A wait of a reclaimer, combined from its records: its reason, its time limit, the observation
// that ended it, and the kernel's report.

import type { Rec, RecordName } from "../../engine/record";

/** Decisions that lead to a wait, with the numbers compared. */
const REASONS = ["NodeStall", "NodeCongested", "TooManyIsolated", "ReclaimRetryPending"] as const;
const BEGINS = ["Throttled", "CongestionSleep"] as const;
const WAKES = ["WakeWritten", "WakeIsolated", "WakeProgress"] as const;
const ENDS = [
  "WaitEndedByWrite",
  "WaitEndedByIsolation",
  "WaitEndedByProgress",
  "WaitEndedByQueue",
  "WaitTimedOut",
] as const;
const REPORTS = [
  "mm_vmscan_throttled",
  "writeback_congestion_wait",
  "writeback_wait_iff_congested",
] as const;

/** The records from which a wait is made. */
export const WAIT_RECORDS: readonly RecordName[] = [
  ...REASONS,
  ...BEGINS,
  ...WAKES,
  ...ENDS,
  ...REPORTS,
  "WaitIffCongested",
];

/** One wait. */
export interface Wait {
  readonly task: number;
  /** The reason; null if it was not a separate decision. */
  readonly why: Rec | null;
  /** The start of the sleep, or the request if there was no sleep. */
  readonly begun: Rec;
  /** The value that the waker observed. */
  readonly wake: Rec | null;
  /** The end of the sleep; null while it lasts, or if there was none. */
  readonly end: Rec | null;
  /** The kernel's trace record. */
  readonly report: Rec | null;
}

const among = (names: readonly RecordName[], { name }: Rec) => names.includes(name);

/** The task that ended a wait; null if the timer did, or it has not ended. */
export function wakerOf({ end }: Wait): number | null {
  if (!end || end.name === "WaitTimedOut") return null;
  return "waker" in end.values ? end.values.waker : null;
}

/** Follows the waits of all tasks. */
export class Waits {
  readonly #why = new Map<number, Rec>();
  readonly #open = new Map<number, Wait>();
  readonly #last = new Map<number, Wait>();
  /** The last observation of each task that ended waits. */
  readonly #wakes = new Map<number, Rec>();
  #latest: number | null = null;

  /** Takes the next record. */
  take(record: Rec): void {
    const { task } = record;
    if (among(WAKES, record)) this.#wakes.set(task, record);
    else if (among(REASONS, record)) this.#why.set(task, record);
    else if (among(BEGINS, record) || record.name === "WaitIffCongested") this.#begin(record);
    else if (among(ENDS, record)) this.#end(record);
    else if (among(REPORTS, record)) this.#report(record);
  }

  /** A task's wait in progress, or its last one; for `null` the last that began or ended. */
  of(task: number | null): Wait | null {
    const whose = task ?? this.#latest;
    if (whose === null) return null;
    return this.#open.get(whose) ?? this.#last.get(whose) ?? null;
  }

  #begin(begun: Rec) {
    const { task } = begun;
    const why = this.#open.get(task)?.why ?? this.#why.get(task) ?? null;
    this.#open.set(task, { task, why, begun, wake: null, end: null, report: null });
    this.#why.delete(task);
    this.#latest = task;
  }

  #end(end: Rec) {
    const { task } = end;
    const slept = this.#open.get(task) ?? this.#plainSleep(task);
    this.#open.delete(task);
    if (!slept) return;
    const waker = wakerOf({ ...slept, end });
    const wake = waker === null ? null : (this.#wakes.get(waker) ?? null);
    const isOfThis = wake !== null && wake.step >= slept.begun.step;
    this.#last.set(task, { ...slept, wake: isOfThis ? wake : null, end });
    this.#latest = task;
  }

  /** A sleep without a record of its own: only its reason is known. */
  #plainSleep(task: number): Wait | null {
    const begun = this.#why.get(task);
    this.#why.delete(task);
    return begun ? { task, why: null, begun, wake: null, end: null, report: null } : null;
  }

  #report(report: Rec) {
    const { task } = report;
    const open = this.#open.get(task);
    // The task requested a wait and did not sleep.
    if (open) this.#last.set(task, { ...open, report });
    else {
      const ended = this.#last.get(task);
      if (ended && ended.end?.step === report.step) this.#last.set(task, { ...ended, report });
    }
    this.#open.delete(task);
    this.#latest = task;
  }
}
