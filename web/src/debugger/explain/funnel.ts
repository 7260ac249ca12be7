// The fates of pages that reclaim isolated from the tail of an inactive list, from the recorded
// decisions about each page. Each page of a batch has exactly one fate.

import type { Rec, RecordName } from "../../engine/record";

/**
 * The fates of an isolated page, in the order of the funnel: freed ones first, then those put back.
 */
export const FATES = [
  "freed",
  "orphan",
  "activated",
  "referenced",
  "writeback",
  "flushers",
  "written",
  "unwritable",
  "congested",
  "mapped",
  "locked",
  "mlocked",
  "no-slot",
  "no-io",
] as const;
/** One of {@link FATES}. */
export type Fate = (typeof FATES)[number];

/** Fates after which a page is free at the end of the pass; all other pages are put back. */
export const FREED: ReadonlySet<Fate> = new Set(["freed", "orphan"]);

/**
 * The decisions that end the checks of a page. A page whose last user exited while it was isolated
 * is freed without a decision.
 */
const ENDS: ReadonlyMap<RecordName, Fate> = new Map<RecordName, Fate>([
  ["LadderFree", "freed"],
  ["RefsActivate", "activated"],
  ["RefsKeep", "referenced"],
  ["LadderWriteback", "writeback"],
  ["LadderImmediate", "writeback"],
  ["DirtyForFlusher", "flushers"],
  ["DirtyForFlusherKept", "flushers"],
  ["Pageout", "written"],
  ["DirtyKept", "unwritable"],
  ["PageoutCongested", "congested"],
  ["LadderMapped", "mapped"],
  ["LadderLocked", "locked"],
  ["LadderUnevictable", "mlocked"],
  ["SwapFull", "no-slot"],
  ["SwapNoIo", "no-io"],
]);

/** The records from which a funnel is made. */
export const PASS_RECORDS: readonly RecordName[] = [
  "mm_vmscan_lru_isolate",
  "mm_vmscan_lru_shrink_inactive",
  "mm_vmscan_direct_reclaim_begin",
  "mm_vmscan_direct_reclaim_end",
  ...ENDS.keys(),
  "BatchDone",
];

/** A batch isolated from a list. */
type Isolated = Rec<"mm_vmscan_lru_isolate">;

/** Did this event isolate a batch from an inactive list? Active lists are shrunk differently. */
export const beginsPass = (record: Rec): record is Isolated =>
  record.name === "mm_vmscan_lru_isolate" && record.values.lru % 2 === 0;

/** Pages by fate. */
export interface Funnel {
  /** Pages scanned on the list. */
  readonly scanned: number;
  /** Pages skipped and left on the list: their zone is too high for the request. */
  readonly skipped: number;
  /** Pages isolated. */
  readonly taken: number;
  readonly fates: Readonly<Record<Fate, number>>;
  /** Isolated pages without a decision so far. */
  readonly ahead: number;
}

/** One call of `shrink_inactive_list`. */
export interface Pass extends Funnel {
  readonly task: number;
  /** The step that isolated its batch. */
  readonly step: number;
  readonly time_ns: number;
  /** Index of the list. */
  readonly list: number;
  /** Pages requested. */
  readonly requested: number;
  /** The report when the rest was put back; null while the batch is in progress. */
  readonly done: PassEnd | null;
}

/** The end of a pass, by its own report. */
interface PassEnd {
  readonly step: number;
  /** Index of the lists' owner, and the numbers of pages reclaimed and put back. */
  readonly owner: number;
  readonly reclaimed: number;
  readonly putBack: number;
  /** Priority, and whether kswapd reclaims; reported one step later. */
  readonly reported: {
    readonly step: number;
    readonly priority: number;
    readonly kswapd: boolean;
  } | null;
}

type Counts = Record<Fate, number>;
const noFates = (): Counts => {
  const counts: Partial<Counts> = {};
  for (const fate of FATES) counts[fate] = 0;
  return counts as Counts;
};
const sumOf = (fates: Readonly<Counts>) => FATES.reduce((sum, fate) => sum + fates[fate], 0);

/** Pages of a funnel that were freed. */
export const freedIn = ({ fates }: Pick<Funnel, "fates">): number =>
  FATES.reduce((sum, fate) => sum + (FREED.has(fate) ? fates[fate] : 0), 0);

/** Pages of a funnel that were put back. */
export const putBackIn = (funnel: Pick<Funnel, "fates">): number =>
  sumOf(funnel.fates) - freedIn(funnel);

/** Do the parts of a funnel add up to the whole, and does the pass's own report agree? */
export function addsUp(funnel: Funnel | Pass): boolean {
  const isWhole =
    funnel.scanned === funnel.skipped + funnel.taken &&
    funnel.taken === sumOf(funnel.fates) + funnel.ahead &&
    funnel.ahead >= 0 &&
    FATES.every((fate) => funnel.fates[fate] >= 0);
  const end = "done" in funnel ? funnel.done : null;
  if (!end) return isWhole;
  return isWhole && freedIn(funnel) === end.reclaimed && putBackIn(funnel) === end.putBack;
}

/** Follows the passes of all tasks through a range of records. */
export class Passes {
  /** The last pass of each task, in progress or finished. */
  readonly #last = new Map<number, Pass & { fates: Counts }>();
  /** Tasks in direct reclaim. */
  readonly #direct = new Set<number>();

  /** Takes the next record; returns the updated pass that it belongs to. */
  take(record: Rec): Pass | null {
    if (record.name === "mm_vmscan_direct_reclaim_begin") this.#direct.add(record.task);
    if (record.name === "mm_vmscan_direct_reclaim_end") this.#direct.delete(record.task);
    if (beginsPass(record)) return this.#keep(began(record));
    const pass = this.#last.get(record.task);
    if (!pass) return null;
    if (record.name === "mm_vmscan_lru_shrink_inactive") {
      return pass.done ? this.#keep(reported(pass, pass.done, record)) : null;
    }
    if (pass.done) return null;
    if (record.name === "BatchDone") return this.#keep(ended(pass, record));
    const fate = ENDS.get(record.name);
    if (!fate) return null;
    const fates = { ...pass.fates, [fate]: pass.fates[fate] + 1 };
    return this.#keep({ ...pass, fates, ahead: pass.ahead - 1 });
  }

  /** Is a task in direct reclaim? False if it began before the records did. */
  isDirect(task: number): boolean {
    return this.#direct.has(task);
  }

  /** The last pass of a task. */
  of(task: number): Pass | null {
    return this.#last.get(task) ?? null;
  }

  /** An independent copy. */
  copy(): Passes {
    const copy = new Passes();
    for (const [task, pass] of this.#last) copy.#last.set(task, pass);
    for (const task of this.#direct) copy.#direct.add(task);
    return copy;
  }

  #keep(pass: Pass & { fates: Counts }): Pass {
    this.#last.set(pass.task, pass);
    return pass;
  }
}

function began({ task, step, time_ns, values }: Isolated): Pass & { fates: Counts } {
  return {
    task,
    step,
    time_ns,
    list: values.lru,
    requested: values.nr_requested,
    scanned: values.nr_scanned,
    skipped: values.nr_skipped,
    taken: values.nr_taken,
    fates: noFates(),
    ahead: values.nr_taken,
    done: null,
  };
}

/** A page without a decision was freed because its owner had exited. */
function ended(pass: Pass & { fates: Counts }, { step, values }: Rec<"BatchDone">) {
  const fates = { ...pass.fates, orphan: pass.fates.orphan + pass.ahead };
  const done: PassEnd = {
    step,
    owner: values.lists,
    reclaimed: values.freed,
    putBack: values.put_back,
    reported: null,
  };
  return { ...pass, fates, ahead: 0, done };
}

function reported(
  pass: Pass & { fates: Counts },
  done: PassEnd,
  { step, values: { priority, kswapd } }: Rec<"mm_vmscan_lru_shrink_inactive">,
) {
  return { ...pass, done: { ...done, reported: { step, priority, kswapd } } };
}
