// The explain-plan of an allocation: what was asked for, each zone tried with its test, and what the
// slow path did, from the decisions the allocator recorded.

import { type Fact, numberOf, pageOf, signedOf } from "./facts";
import { beginsPass } from "./funnel";

/** What was asked of the allocator. */
export interface Asked {
  readonly order: number;
  /** gfp flags, as the engine numbers them. */
  readonly gfp: number;
  /** Index of the migrate type. */
  readonly migratetype: number;
  /** Index of the first zone it may use, and the node whose zonelist is walked. */
  readonly preferred: number;
  readonly node: number;
  /** Indices of zone types: the highest it may use, and the one whose reserve applies. */
  readonly high: number;
  readonly classzone: number;
}

/** The test of a zone at a mark, term by term. */
export interface MarkTest {
  readonly step: number;
  /** NR_FREE_PAGES, and what of it the test counts. */
  readonly free: number;
  readonly value: number;
  /** Index of the mark, its pages, and what of them counts for a request that may use reserves. */
  readonly mark: number;
  readonly whole: number;
  readonly counted: number;
  /** ALLOC_* flags that lowered it; none where it counts whole. */
  readonly lowered_by: number;
  /** lowmem_reserve: kept back from this class of requests. */
  readonly kept: number;
  /** What the value had to exceed. */
  readonly needs: number;
  readonly passed: boolean;
}

/** One round of the loop over smaller orders. */
export interface OrderTest {
  readonly order: number;
  readonly value: number;
  readonly needs: number;
  readonly passed: boolean;
}

/** What became of a zone on a walk. */
export type Verdict =
  | "took"
  /** Not above its mark. */
  | "refused"
  /** Above it, but in blocks too small. */
  | "fragmented"
  /** The test was passed, and no block could be taken. */
  | "empty"
  /** Too much is dirty there. */
  | "dirty"
  /** Marked full in the zonelist cache. */
  | "full"
  /** It has no turn on a fair walk: its batch is given, or it is on another node. */
  | "fair"
  /** On another node, while migrate types are kept apart. */
  | "remote"
  /** The walk stands there. */
  | "open";

/** A zone a walk came to. */
export interface Stop {
  readonly step: number;
  readonly zone: number;
  /** Place in the zonelist from 1, and its length; 0 where it was not recorded. */
  readonly place: number;
  readonly of: number;
  readonly test: MarkTest | null;
  /** What zone_reclaim and the zonelist cache decided on the way, and the test behind them. */
  readonly home: readonly Fact[];
  /** Pages zone_reclaim scanned here. */
  readonly scanned: number;
  readonly retest: MarkTest | null;
  readonly orders: readonly OrderTest[];
  /** The search for one block that is large enough: its order, or none. */
  readonly block: { readonly order: number | null } | null;
  /** Dirty pages and their limit, where that is why it was passed over. */
  readonly dirty: { readonly pages: number; readonly limit: number } | null;
  /** How a block was looked for and taken, decision by decision. */
  readonly take: readonly Fact[];
  readonly verdict: Verdict;
}

/** Why the zonelist is walked: at first, without ALLOC_NOFRAGMENT, ALLOC_FAIR or the zonelist cache,
 * and by the slow path. */
export type Reason =
  | "fast"
  | "again"
  | "rescan"
  | "unfair"
  | "min"
  | "reclaimed"
  | "drained"
  | "retry"
  | "last";

/** A walk along the zonelist. */
export interface Walk {
  readonly kind: "walk";
  readonly reason: Reason;
  /** ALLOC_* flags of the slow path; none known of the first walks. */
  readonly flags: number | null;
  readonly stops: readonly Stop[];
  /** It went along the whole list. */
  readonly isWhole: boolean;
}

/** A decision of the slow path. */
export interface Said {
  readonly kind: "said";
  readonly fact: Fact;
}

/** Direct reclaim for the request. */
export interface Reclaim {
  readonly kind: "reclaim";
  readonly step: number;
  readonly end: number | null;
  readonly passes: number;
  readonly scanned: number;
  readonly freed: number | null;
}

/** A part of an allocation. */
export type Part = Walk | Said | Reclaim;

/** An allocation, as far as it has come. */
export interface Plan {
  readonly task: number;
  readonly step: number;
  readonly time_ns: number;
  readonly asked: Asked;
  readonly parts: readonly Part[];
  /** What it came to; none while it is in progress. */
  readonly end: { readonly step: number; readonly pfn: number | null } | null;
}

/** Events an allocation is made of, beside decisions. */
export const PLAN_EVENTS = [
  "mm_page_alloc",
  "mm_vmscan_direct_reclaim_begin",
  "mm_vmscan_direct_reclaim_end",
  "mm_vmscan_lru_isolate",
] as const;

const WALKS: ReadonlySet<string> = new Set([
  ...["ZoneNext", "ZoneDirty", "ZoneNone", "NoFragmentLeave", "FairRemote", "FairSpent"],
  ...["ZlcSkip", "ZlcRescan"],
]);
/** What zone_reclaim decides at its gate, and how it ends. */
const GATES: ReadonlySet<string> = new Set(["ZrOpen", "ZrOpenSlab"]);
const ANSWERS: ReadonlySet<string> = new Set([
  ...["ZrFull", "ZrNoWait", "ZrRemote", "ZrLocked", "ZrSome", "ZrSuccess", "ZoneUnreclaimable"],
]);
const CACHE: ReadonlySet<string> = new Set(["ZlcZap", "ZlcFresh", "ZlcFull", "ZrStillLow"]);
const TAKES: ReadonlySet<string> = new Set([
  ...["TakePcp", "RefillPcp", "TakeBuddy", "BlockFound", "BlockNone", "Split", "SplitDone"],
  ...["FallbackFound", "FallbackNone", "StealAll", "StealOne", "Claim", "NoClaim", "Boost"],
]);
const SAID: ReadonlySet<string> = new Set([
  ...["SlowEnter", "SlowTry", "SlowNoWait", "Reclaimed", "Drained", "ReclaimRetry"],
  ...["WakeKswapd", "WakeKswapdKept", "WakeKswapdOrder", "WakeKswapdBoost", "KswapdNotNeeded"],
  ...["KswapdNotNeededKept", "KswapdGaveUp", "KswapdAwake", "ReclaimGiveUp"],
  ...["OomWait", "OomNobody", "OomKill", "PfMemalloc", "WaitIffCongested"],
]);
/** What the walk after a decision is for. */
const REASONS: Readonly<Record<string, Reason>> = {
  SlowTry: "min",
  Reclaimed: "reclaimed",
  Drained: "drained",
};

type Open<T> = { -readonly [K in keyof T]: T[K] };
type OpenStop = Open<Omit<Stop, "orders" | "take" | "home">> & {
  orders: OrderTest[];
  take: Fact[];
  home: Fact[];
};
type OpenWalk = Open<Omit<Walk, "stops">> & { stops: OpenStop[] };
type OpenPart = OpenWalk | Said | Open<Reclaim>;

/** An allocation while its facts come in. */
class Building {
  readonly task: number;
  readonly step: number;
  readonly time_ns: number;
  readonly asked: Asked;
  readonly parts: OpenPart[] = [];
  end: Plan["end"] = null;
  #walk: OpenWalk | null = null;
  #reclaim: Open<Reclaim> | null = null;
  #next: Reason = "fast";
  #flags: number | null = null;
  #reserves: Fact | null = null;
  /** zone_reclaim is at work: what it decides page by page is not told here. */
  #isHome = false;

  constructor(fact: Fact) {
    this.task = fact.task;
    this.step = fact.step;
    this.time_ns = fact.time_ns;
    this.asked = askedOf(fact);
  }

  /** Takes a fact of its task. */
  take(fact: Fact): void {
    const { name } = fact;
    const stop = this.#walk?.stops.at(-1);
    if (stop && (this.#isHome || GATES.has(name) || ANSWERS.has(name))) this.#atHome(fact, stop);
    else if (name.startsWith("mm_vmscan_")) this.#reclaims(fact);
    // What reclaim decides on the way is the funnel's to tell.
    else if (this.#reclaim) return;
    else if (name === "FairReset") this.#next = "unfair";
    else if (SAID.has(name)) this.#say(fact);
    else if (WALKS.has(name)) this.#walks(fact);
    else if (this.#walk) this.#looks(fact, this.#walk);
  }

  /** The page came, or none. */
  ends(fact: Fact): void {
    const pfn = pageOf(fact, 0);
    this.end = { step: fact.step, pfn };
    this.#reclaim = null;
    const stop = this.#walk?.stops.at(-1);
    if (stop?.verdict === "open") stop.verdict = pfn === null ? "empty" : "took";
  }

  /** zone_reclaim of the zone the walk stands at. */
  #atHome(fact: Fact, stop: OpenStop) {
    if (this.#isHome && beginsPass(fact)) stop.scanned += numberOf(fact, 2);
    const begins = GATES.has(fact.name);
    if (!begins && !ANSWERS.has(fact.name)) return;
    stop.home.push(fact);
    this.#isHome = begins;
  }

  #say(fact: Fact) {
    this.parts.push({ kind: "said", fact });
    this.#walk = null;
    this.#next = REASONS[fact.name] ?? "retry";
    if (fact.name === "SlowTry") this.#flags = numberOf(fact, 1);
  }

  #reclaims(fact: Fact) {
    if (fact.name === "mm_vmscan_direct_reclaim_begin") {
      const { step } = fact;
      const begun = {
        kind: "reclaim",
        step,
        end: null,
        passes: 0,
        scanned: 0,
        freed: null,
      } as const;
      this.#reclaim = { ...begun };
      this.#walk = null;
      this.parts.push(this.#reclaim);
    } else if (!this.#reclaim) {
      return;
    } else if (fact.name === "mm_vmscan_direct_reclaim_end") {
      Object.assign(this.#reclaim, { end: fact.step, freed: numberOf(fact, 0) });
      this.#reclaim = null;
    } else if (beginsPass(fact)) {
      this.#reclaim.passes += 1;
      this.#reclaim.scanned += numberOf(fact, 2);
    }
  }

  #walks(fact: Fact) {
    if (fact.name === "ZlcRescan") {
      this.#walk = null;
      this.#next = "rescan";
      return;
    }
    const here = this.#walk?.stops.at(-1);
    if (here && fact.name === "ZlcSkip" && here.zone === numberOf(fact, 0)) {
      // Its mark was looked at; whether it may be reclaimed from, the cache has the say.
      here.home.push(fact);
      here.verdict = "full";
      return;
    }
    if (!this.#walk) {
      this.#walk = {
        kind: "walk",
        reason: this.#next,
        flags: this.#flags,
        stops: [],
        isWhole: false,
      };
      this.parts.push(this.#walk);
    }
    const walk = this.#walk;
    // Who goes on has taken nothing where it was.
    const before = walk.stops.at(-1);
    if (before?.verdict === "open") before.verdict = "empty";
    this.#reserves = null;
    if (fact.name === "ZoneNone") walk.isWhole = true;
    else walk.stops.push(stopOf(fact));
    if (fact.name === "ZoneNone" || fact.name === "NoFragmentLeave") {
      this.#walk = null;
      this.#next = this.#next === "fast" ? "again" : "retry";
    }
  }

  #looks(fact: Fact, walk: OpenWalk) {
    const stop = walk.stops.at(-1);
    if (!stop) return;
    if (TAKES.has(fact.name)) stop.take.push(fact);
    else if (CACHE.has(fact.name)) stop.home.push(fact);
    else if (fact.name.startsWith("Wm")) this.#tests(fact, walk, stop);
  }

  #noteTest(test: MarkTest, walk: OpenWalk, stop: OpenStop) {
    if (stop.test) stop.retest = test;
    else stop.test = test;
    if (test.mark === HIGH_MARK && walk.reason === "retry") walk.reason = "last";
    stop.verdict = test.passed ? "open" : "refused";
  }

  #tests(fact: Fact, walk: OpenWalk, stop: OpenStop) {
    switch (fact.name) {
      case "WmReserves":
        this.#reserves = fact;
        return;
      case "WmPass":
      case "WmPassPlain":
      case "WmFail":
      case "WmFailPlain":
        this.#noteTest(testOf(fact, this.#reserves), walk, stop);
        return;
      case "WmSmallOk":
      case "WmSmallFail": {
        const [needs, order] = [numberOf(fact, 2), numberOf(fact, 3)];
        const passed = fact.name === "WmSmallOk";
        stop.orders.push({ order, value: signedOf(fact, 1), needs, passed });
        if (!passed) stop.verdict = "fragmented";
        return;
      }
      case "WmSuitable":
        stop.block = { order: numberOf(fact, 1) };
        return;
      case "WmNoBlock":
        stop.block = { order: null };
        stop.verdict = "fragmented";
    }
  }
}

const HIGH_MARK = 2;

function askedOf(fact: Fact): Asked {
  const [order, preferred, node, gfp, what] = [1, 2, 3, 4, 5].map((i) => numberOf(fact, i));
  const byte = (i: number) => ((what ?? 0) >> (8 * i)) & 0xff;
  return {
    order: order ?? 0,
    preferred: preferred ?? 0,
    node: node ?? 0,
    gfp: gfp ?? 0,
    migratetype: byte(0),
    high: byte(1),
    classzone: byte(2),
  };
}

function stopOf(fact: Fact): OpenStop {
  const isNext = fact.name === "ZoneNext";
  const isDirty = fact.name === "ZoneDirty";
  const isFull = fact.name === "ZlcSkip";
  return {
    step: fact.step,
    zone: numberOf(fact, 0),
    place: isNext ? numberOf(fact, 1) : 0,
    of: isNext ? numberOf(fact, 2) : 0,
    test: null,
    home: isFull ? [fact] : [],
    scanned: 0,
    retest: null,
    orders: [],
    block: null,
    dirty: isDirty ? { pages: numberOf(fact, 1), limit: numberOf(fact, 2) } : null,
    take: [],
    verdict: verdictOf(fact.name),
  };
}

/** What is known of a zone when a walk comes to it. */
function verdictOf(name: string): Verdict {
  switch (name) {
    case "ZoneNext":
      return "open";
    case "ZoneDirty":
      return "dirty";
    case "ZlcSkip":
      return "full";
    case "FairRemote":
    case "FairSpent":
      return "fair";
    default:
      return "remote";
  }
}

function testOf(fact: Fact, reserves: Fact | null): MarkTest {
  const [needs, mark, kept, free] = [2, 3, 4, 5].map((i) => numberOf(fact, i));
  const counted = (needs ?? 0) - (kept ?? 0);
  return {
    step: fact.step,
    free: free ?? 0,
    value: signedOf(fact, 1),
    mark: mark ?? 0,
    whole: reserves ? numberOf(reserves, 1) : counted,
    counted,
    lowered_by: reserves ? numberOf(reserves, 4) : 0,
    kept: kept ?? 0,
    needs: needs ?? 0,
    passed: fact.name.startsWith("WmPass"),
  };
}

/** Follows the allocations of all tasks through a stretch of facts. */
export class Plans {
  /** Those in progress, by task; reclaim may allocate for itself in the middle of one. */
  readonly #open = new Map<number, Building[]>();

  /** Takes the next fact; gives the allocation it ends. */
  take(fact: Fact): Plan | null {
    const open = this.#open.get(fact.task) ?? [];
    if (fact.name === "ZoneFirst") {
      this.#open.set(fact.task, [...open, new Building(fact)]);
      return null;
    }
    const plan = open.at(-1);
    if (!plan) return null;
    if (fact.name !== "mm_page_alloc") {
      plan.take(fact);
      return null;
    }
    // One that had no zone to begin with says only how it ends.
    if (numberOf(fact, 1) !== plan.asked.order || numberOf(fact, 3) !== plan.asked.gfp) return null;
    plan.ends(fact);
    this.#open.set(fact.task, open.slice(0, -1));
    return plan;
  }

  /** The innermost allocation a task is in the middle of. */
  inProgress(task: number): Plan | null {
    return this.#open.get(task)?.at(-1) ?? null;
  }
}
