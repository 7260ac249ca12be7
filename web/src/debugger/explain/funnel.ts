// What became of the pages reclaim took off the tail of an inactive list, from the decisions the
// page ladder recorded. Each page of a batch ends in exactly one fate.

import type { Rec, RecordName } from "../../engine/record";

/** What becomes of an isolated page, in the order of the funnel: freed first, then put back. */
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

/** Fates whose page is free at the end of the pass; all others are put back. */
export const FREED: ReadonlySet<Fate> = new Set(["freed", "orphan"]);

/** The decisions that end a page's way down the ladder. A page whose last user left while it was
 * isolated is freed without one. */
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

/** The records a funnel is made from. */
export const PASS_RECORDS: readonly RecordName[] = [
  "mm_vmscan_lru_isolate",
  "mm_vmscan_lru_shrink_inactive",
  "mm_vmscan_direct_reclaim_begin",
  "mm_vmscan_direct_reclaim_end",
  ...ENDS.keys(),
  "BatchDone",
];

/** A batch taken off a list. */
type Isolated = Rec<"mm_vmscan_lru_isolate">;

/** Did this event take a batch off an inactive list? Active lists are shrunk in another way. */
export const beginsPass = (record: Rec): record is Isolated =>
  record.name === "mm_vmscan_lru_isolate" && record.values.lru % 2 === 0;

/** Pages, by what became of them. */
export interface Funnel {
  /** Looked at on the list. */
  readonly scanned: number;
  /** Passed over and left on the list: of a zone too high to help. */
  readonly skipped: number;
  /** Isolated. */
  readonly taken: number;
  readonly fates: Readonly<Record<Fate, number>>;
  /** Isolated and not decided yet. */
  readonly ahead: number;
}

/** One call of `shrink_inactive_list`. */
export interface Pass extends Funnel {
  readonly task: number;
  /** Where its batch was taken. */
  readonly step: number;
  readonly time_ns: number;
  /** Index of the list. */
  readonly list: number;
  /** Pages asked for. */
  readonly wanted: number;
  /** What it said itself when it put back what was left; none while the batch is in hand. */
  readonly done: PassEnd | null;
}

/** How a pass ended, in its own numbers. */
interface PassEnd {
  readonly step: number;
  /** Index of the lists' owner, and pages reclaimed and put back. */
  readonly owner: number;
  readonly reclaimed: number;
  readonly kept: number;
  /** Priority, and whether kswapd reclaims; known one step later. */
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

/** Pages of a funnel that end free. */
export const freedIn = ({ fates }: Pick<Funnel, "fates">): number =>
  FATES.reduce((sum, fate) => sum + (FREED.has(fate) ? fates[fate] : 0), 0);

/** Pages of a funnel that are put back. */
export const putBackIn = (funnel: Pick<Funnel, "fates">): number =>
  sumOf(funnel.fates) - freedIn(funnel);

/** Are the parts of a funnel the whole, and did the pass say the same of itself? */
export function addsUp(funnel: Funnel | Pass): boolean {
  const isWhole =
    funnel.scanned === funnel.skipped + funnel.taken &&
    funnel.taken === sumOf(funnel.fates) + funnel.ahead &&
    funnel.ahead >= 0 &&
    FATES.every((fate) => funnel.fates[fate] >= 0);
  const end = "done" in funnel ? funnel.done : null;
  if (!end) return isWhole;
  return isWhole && freedIn(funnel) === end.reclaimed && putBackIn(funnel) === end.kept;
}

/** Follows the passes of all tasks through a stretch of records. */
export class Passes {
  /** The last pass of each task: in hand, or done. */
  readonly #last = new Map<number, Pass & { fates: Counts }>();
  /** Tasks that reclaim for a request of their own. */
  readonly #direct = new Set<number>();

  /** Takes the next record; gives the pass it is about, as it stands now. */
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

  /** Does a task reclaim for itself, as far as the records began before it did? */
  isDirect(task: number): boolean {
    return this.#direct.has(task);
  }

  /** The last pass of a task. */
  of(task: number): Pass | null {
    return this.#last.get(task) ?? null;
  }

  /** A copy that goes on by itself. */
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
    wanted: values.nr_requested,
    scanned: values.nr_scanned,
    skipped: values.nr_skipped,
    taken: values.nr_taken,
    fates: noFates(),
    ahead: values.nr_taken,
    done: null,
  };
}

/** Whoever was decided about by nobody was freed because its owner had gone. */
function ended(pass: Pass & { fates: Counts }, { step, values }: Rec<"BatchDone">) {
  const fates = { ...pass.fates, orphan: pass.fates.orphan + pass.ahead };
  const done: PassEnd = {
    step,
    owner: values.lists,
    reclaimed: values.freed,
    kept: values.put_back,
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
