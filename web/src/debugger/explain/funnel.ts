// What became of the pages reclaim took off the tail of an inactive list, from the decisions the
// page ladder recorded. Each page of a batch ends in exactly one fate.

import { type Fact, numberOf } from "./facts";

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
const ENDS: ReadonlyMap<string, Fate> = new Map([
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

const ISOLATE = "mm_vmscan_lru_isolate";
const SHRUNK = "mm_vmscan_lru_shrink_inactive";
const DIRECT_BEGIN = "mm_vmscan_direct_reclaim_begin";
const DIRECT_END = "mm_vmscan_direct_reclaim_end";
/** The events a pass is made of, beside decisions. */
export const PASS_EVENTS = [ISOLATE, SHRUNK, DIRECT_BEGIN, DIRECT_END] as const;

/** Everything a funnel is made from, by name. */
export const PASS_FACTS: ReadonlySet<string> = new Set([
  ...PASS_EVENTS,
  ...ENDS.keys(),
  "BatchDone",
]);

/** Did this event take a batch off an inactive list? Active lists are shrunk in another way. */
export const beginsPass = (fact: Fact): boolean =>
  fact.name === ISOLATE && numberOf(fact, 5) % 2 === 0;

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
export interface PassEnd {
  readonly step: number;
  /** Index of the lists' owner, and pages reclaimed and put back. */
  readonly owner: number;
  readonly reclaimed: number;
  readonly kept: number;
  /** Priority, and whether kswapd reclaims; known one step later. */
  readonly said: {
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

/** Follows the passes of all tasks through a stretch of facts. */
export class Passes {
  /** The last pass of each task: in hand, or done. */
  readonly #last = new Map<number, Pass & { fates: Counts }>();
  /** Tasks that reclaim for a request of their own. */
  readonly #direct = new Set<number>();

  /** Takes the next fact; gives the pass it is about, as it stands now. */
  take(fact: Fact): Pass | null {
    if (fact.name === DIRECT_BEGIN) this.#direct.add(fact.task);
    if (fact.name === DIRECT_END) this.#direct.delete(fact.task);
    if (beginsPass(fact)) return this.#keep(began(fact));
    const pass = this.#last.get(fact.task);
    if (!pass) return null;
    if (fact.name === SHRUNK) return pass.done ? this.#keep(said(pass, pass.done, fact)) : null;
    if (pass.done) return null;
    if (fact.name === "BatchDone") return this.#keep(ended(pass, fact));
    const fate = ENDS.get(fact.name);
    if (!fate) return null;
    const fates = { ...pass.fates, [fate]: pass.fates[fate] + 1 };
    return this.#keep({ ...pass, fates, ahead: pass.ahead - 1 });
  }

  /** Does a task reclaim for itself, as far as the facts began before it did? */
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

function began(fact: Fact): Pass & { fates: Counts } {
  const [wanted, scanned, skipped, taken, list] = [1, 2, 3, 4, 5].map((i) => numberOf(fact, i));
  return {
    task: fact.task,
    step: fact.step,
    time_ns: fact.time_ns,
    list: list ?? 0,
    wanted: wanted ?? 0,
    scanned: scanned ?? 0,
    skipped: skipped ?? 0,
    taken: taken ?? 0,
    fates: noFates(),
    ahead: taken ?? 0,
    done: null,
  };
}

/** Whoever was decided about by nobody was freed because its owner had gone. */
function ended(pass: Pass & { fates: Counts }, fact: Fact) {
  const fates = { ...pass.fates, orphan: pass.fates.orphan + pass.ahead };
  const done: PassEnd = {
    step: fact.step,
    owner: numberOf(fact, 3) >> 8,
    reclaimed: numberOf(fact, 1),
    kept: numberOf(fact, 2),
    said: null,
  };
  return { ...pass, fates, ahead: 0, done };
}

function said(pass: Pass & { fates: Counts }, done: PassEnd, fact: Fact) {
  const said = {
    step: fact.step,
    priority: numberOf(fact, 3),
    kswapd: (numberOf(fact, 4) & 2) !== 0,
  };
  return { ...pass, done: { ...done, said } };
}
