// A charge that hit the limit of a memory cgroup, combined from its records: the reclaims that it
// caused, the fates of the scanned pages, and the end: room, a failure or an OOM kill.

import type { Rec, RecordName } from "../../engine/record";
import type { GroupView, View } from "../../engine/types";
import { PASS_RECORDS } from "./funnel";
import { FunnelSum, type Sum } from "./funnel-sum";

const ENDS = ["ChargeRoom", "ChargeFails", "OomKill", "MemcgNobody"] as const;
const RESTARTS = ["RestartAll", "RestartActive", "RestartLow"] as const;
type ChargeEnd = Rec<(typeof ENDS)[number]>;

/** The records that begin and end a charge at a limit. */
export const CHARGE_BOUNDS: readonly RecordName[] = ["ChargeOver", ...ENDS];
/** The records from which a charge is made. */
export const CHARGE_RECORDS: readonly RecordName[] = [
  ...CHARGE_BOUNDS,
  ...RESTARTS,
  "MemcgOom",
  ...PASS_RECORDS,
];

/** A charge that would have exceeded a limit. */
export interface Charge {
  readonly task: number;
  /** The first attempt that hit the limit. */
  readonly begun: Rec<"ChargeOver">;
  /** Attempts that hit the limit; each reclaims once. */
  readonly reclaims: number;
  /** Restarts of reclaim with pages that were spared before, in the engine's words. */
  readonly restarts: readonly Rec[];
  /** The pages that the reclaims scanned. */
  readonly pages: Sum;
  /** The call of the OOM killer. */
  readonly oom: Rec<"MemcgOom"> | null;
  /** Null while the charge is in progress. */
  readonly end: ChargeEnd | null;
}

const isAmong = (names: readonly RecordName[], { name }: Rec) => names.includes(name);

/** Does this record end a charge at a limit? */
export const endsCharge = (record: Rec): record is ChargeEnd => isAmong(ENDS, record);

/** Puts one charge together from the records of its task. */
export class ChargeReader {
  readonly #funnel = new FunnelSum();
  readonly #restarts: Rec[] = [];
  #begun: Rec<"ChargeOver"> | null = null;
  #reclaims = 0;
  #oom: Rec<"MemcgOom"> | null = null;
  #end: ChargeEnd | null = null;

  /** Takes the next record; the records after the end of the charge are ignored. */
  take(record: Rec): void {
    if (this.#end) return;
    if (record.name === "ChargeOver") {
      this.#begun ??= record;
      this.#reclaims += 1;
    }
    if (!this.#begun) return;
    this.#funnel.take(record);
    if (isAmong(RESTARTS, record)) this.#restarts.push(record);
    if (record.name === "MemcgOom") this.#oom = record;
    if (endsCharge(record)) this.#end = record;
  }

  /** The charge; null if no record began one. */
  get charge(): Charge | null {
    if (!this.#begun) return null;
    return {
      task: this.#begun.task,
      begun: this.#begun,
      reclaims: this.#reclaims,
      restarts: this.#restarts,
      pages: this.#funnel.all,
      oom: this.#oom,
      end: this.#end,
    };
  }
}

/** The cgroup whose limit a charge hit, as it is now: the one of the task or above it. */
export function groupOf({ task, begun }: Charge, { groups }: View): GroupView | null {
  const own = groups.find(({ processes }) => processes.some((process) => process.task === task));
  let group = own;
  while (group && group.max !== begun.values.max) {
    const { parent } = group;
    group = groups.find(({ index }) => index === parent);
  }
  // The process may have ended, or the limit may have changed.
  return group ?? own ?? groups.find(({ max }) => max === begun.values.max) ?? null;
}

/** Why pages of a cgroup cannot be reclaimed, or what it takes to reclaim them. */
type Obstacle =
  | "none"
  | "no-swap"
  | "swap-full"
  | "swap-limit"
  | "swap-out"
  | "dirty"
  | "writeback"
  | "isolated"
  | "locked"
  | "kernel"
  | "advance";

/** Pages of a cgroup with the same obstacle. */
export interface Remainder {
  readonly obstacle: Obstacle;
  readonly pages: number;
}

const ANON = [1, 2];
const CLEAN_FILE = [3, 4];
const DIRTY = [5];
const WRITEBACK = [6];
const ISOLATED = [7];
/** Slab, page tables. */
const KERNEL = [8, 9];
const UNEVICTABLE = 4;

/** The pages of a cgroup by what keeps reclaim from freeing them, the easiest first. */
export function remaindersOf(group: GroupView, { writeback }: View): readonly Remainder[] {
  const sum = (states: readonly number[]) =>
    states.reduce((pages, state) => pages + (group.states[state] ?? 0), 0);
  const charged = group.states.reduce((pages, n) => pages + n, 0);
  const locked = group.lists[UNEVICTABLE] ?? 0;
  // A locked page has the state of other pages of its kind. Most are anonymous.
  const lockedAnon = Math.min(locked, sum(ANON));
  const all: Remainder[] = [
    { obstacle: "none", pages: Math.max(0, sum(CLEAN_FILE) - (locked - lockedAnon)) },
    { obstacle: "dirty", pages: sum(DIRTY) },
    { obstacle: "writeback", pages: sum(WRITEBACK) },
    { obstacle: "isolated", pages: sum(ISOLATED) },
    { obstacle: swapObstacle(group, writeback), pages: sum(ANON) - lockedAnon },
    { obstacle: "locked", pages: locked },
    { obstacle: "kernel", pages: sum(KERNEL) },
    { obstacle: "advance", pages: Math.max(0, group.usage - charged) },
  ];
  return all.filter(({ pages }) => pages > 0);
}

function swapObstacle(group: GroupView, { swap_total, swap_used }: View["writeback"]): Obstacle {
  if (swap_total === 0) return "no-swap";
  if (swap_used >= swap_total) return "swap-full";
  const isAtLimit = group.swap_max !== null && group.swap >= group.swap_max;
  return isAtLimit ? "swap-limit" : "swap-out";
}
