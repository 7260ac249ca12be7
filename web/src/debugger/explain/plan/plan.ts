// An explained allocation: the request, each zone that was tried with its watermark check, and the
// slow path, from the recorded decisions of the allocator.

import { isOneOf, type Rec, type RecordName } from "../../../engine/record";
import { beginsPass } from "../funnel";

/** The request to the allocator. */
interface Asked {
  readonly order: number;
  /** gfp flags, with the engine's bits. */
  readonly gfp: number;
  /** Index of the migrate type. */
  readonly migratetype: number;
  /** Index of the first allowed zone, and the node whose zonelist is walked. */
  readonly preferred: number;
  readonly node: number;
  /** Indices of zone types: the highest allowed one, and the one whose reserve applies. */
  readonly high: number;
  readonly classzone: number;
}

/** The watermark check of a zone, term by term. */
export interface MarkTest {
  readonly step: number;
  /** NR_FREE_PAGES, and how many of them the check counts. */
  readonly free: number;
  readonly value: number;
  /** Index of the watermark, its pages, and how many apply to a request that may use reserves. */
  readonly mark: number;
  readonly whole: number;
  readonly counted: number;
  /** ALLOC_* flags that lowered it; null if it applies in full. */
  readonly lowered_by: number;
  /** lowmem_reserve: pages reserved from this class of requests. */
  readonly reserved: number;
  /** The number that the value had to exceed. */
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

/** The result for a zone on a walk. */
export type Verdict =
  | "took"
  /** Not above its watermark. */
  | "refused"
  /** Above its watermark, but the free blocks are too small. */
  | "fragmented"
  /** The check was passed, but no block could be taken. */
  | "empty"
  /** The zone has too many dirty pages. */
  | "dirty"
  /** Marked full in the zonelist cache. */
  | "full"
  /** Skipped on a fair walk: its batch is used up, or it is on another node. */
  | "fair"
  /** On another node, while migrate types are kept apart. */
  | "remote"
  /** The walk is at this zone. */
  | "open";

/** A zone that a walk reached. */
export interface Stop {
  readonly step: number;
  readonly zone: number;
  /** Position in the zonelist from 1, and its length; 0 if it was not recorded. */
  readonly place: number;
  readonly of: number;
  readonly test: MarkTest | null;
  /**
   * Decisions of zone_reclaim and the zonelist cache, and the watermark check on which they are
   * based.
   */
  readonly home: readonly Rec[];
  /** Pages zone_reclaim scanned here. */
  readonly scanned: number;
  readonly retest: MarkTest | null;
  readonly orders: readonly OrderTest[];
  /** The search for one block that is large enough: its order, or null. */
  readonly block: { readonly order: number | null } | null;
  /** Dirty pages and their limit, if that is why the zone was skipped. */
  readonly dirty: { readonly pages: number; readonly limit: number } | null;
  /** The decisions while a block was searched and taken. */
  readonly take: readonly Rec[];
  readonly verdict: Verdict;
}

/**
 * The reason for a walk along the zonelist: the first attempt, one without ALLOC_NOFRAGMENT,
 * ALLOC_FAIR or the zonelist cache, or the slow path.
 */
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
  /** ALLOC_* flags of the slow path; null for the first walks. */
  readonly flags: number | null;
  readonly stops: readonly Stop[];
  /** Whether the walk reached the end of the list. */
  readonly isWhole: boolean;
}

/** A decision of the slow path. */
interface Decision {
  readonly kind: "decision";
  readonly record: Rec;
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
export type AllocationPart = Walk | Decision | Reclaim;

/** An allocation up to the present step. */
export interface Plan {
  readonly task: number;
  readonly step: number;
  readonly time_ns: number;
  readonly asked: Asked;
  readonly parts: readonly AllocationPart[];
  /** The result; null while the allocation is in progress. */
  readonly end: { readonly step: number; readonly pfn: number | null } | null;
}

/** A record of some kinds, by their names. */
type Of<S> = S extends ReadonlySet<infer N extends RecordName> ? Rec<N> : never;
const setOf = <N extends RecordName>(...names: readonly N[]): ReadonlySet<N> => new Set(names);

const WALKS = setOf(
  "ZoneNext",
  "ZoneDirty",
  "ZoneNone",
  "NoFragmentLeave",
  "FairRemote",
  "FairSpent",
  "ZlcSkip",
  "ZlcRescan",
);
/** Decisions of zone_reclaim at its first checks; the answers below end it. */
const GATES = setOf("ZrOpen", "ZrOpenSlab");
const ANSWERS = setOf(
  "ZrFull",
  "ZrNoWait",
  "ZrRemote",
  "ZrLocked",
  "ZrSome",
  "ZrSuccess",
  "ZoneUnreclaimable",
);
const CACHE = setOf("ZlcZap", "ZlcFresh", "ZlcFull", "ZrStillLow");
const TAKES = setOf(
  "TakePcp",
  "RefillPcp",
  "TakeBuddy",
  "BlockFound",
  "BlockNone",
  "Split",
  "SplitDone",
  "FallbackFound",
  "FallbackNone",
  "StealAll",
  "StealOne",
  "Claim",
  "NoClaim",
  "Boost",
);
const SLOW = setOf(
  "SlowEnter",
  "SlowTry",
  "SlowNoWait",
  "Reclaimed",
  "Drained",
  "ReclaimRetry",
  "ReclaimGiveUp",
  "WakeKswapd",
  "WakeKswapdKept",
  "WakeKswapdOrder",
  "WakeKswapdBoost",
  "KswapdNotNeeded",
  "KswapdNotNeededKept",
  "KswapdGaveUp",
  "KswapdAwake",
  "OomWait",
  "OomNobody",
  "OomKill",
  "PfMemalloc",
  "WaitIffCongested",
);
const RECLAIM = setOf(
  "mm_vmscan_direct_reclaim_begin",
  "mm_vmscan_direct_reclaim_end",
  "mm_vmscan_lru_isolate",
);
const LOOKS = setOf(
  "WmPass",
  "WmPassPlain",
  "WmFail",
  "WmFailPlain",
  "WmReserves",
  "WmSmallOk",
  "WmSmallFail",
  "WmSuitable",
  "WmNoBlock",
);

/** The records from which an allocation is made. */
export const PLAN_RECORDS: readonly RecordName[] = [
  "ZoneFirst",
  "mm_page_alloc",
  "FairReset",
  ...[RECLAIM, WALKS, GATES, ANSWERS, CACHE, TAKES, SLOW, LOOKS].flatMap((names) => [...names]),
];
/** The purpose of the walk after a decision. */
const REASONS: { readonly [N in RecordName]?: Reason } = {
  SlowTry: "min",
  Reclaimed: "reclaimed",
  Drained: "drained",
};

type Open<T> = { -readonly [K in keyof T]: T[K] };
type OpenStop = Open<Omit<Stop, "orders" | "take" | "home">> & {
  orders: OrderTest[];
  take: Rec[];
  home: Rec[];
};
type OpenWalk = Open<Omit<Walk, "stops">> & { stops: OpenStop[] };
type OpenPart = OpenWalk | Decision | Open<Reclaim>;

/** An allocation while its records are read. */
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
  #reserves: Rec<"WmReserves"> | null = null;
  /** zone_reclaim is running: its decisions about pages are left out. */
  #isHome = false;

  constructor({ task, step, time_ns, values }: Rec<"ZoneFirst">) {
    this.task = task;
    this.step = step;
    this.time_ns = time_ns;
    const { zone, task: _, high, classzone, ...asked } = values;
    // A request has both values; only records about a whole node lack them.
    this.asked = { ...asked, high: high ?? 0, classzone: classzone ?? 0, preferred: zone };
  }

  /** Takes a record of its task. */
  take(record: Rec): void {
    const stop = this.#walk?.stops.at(-1);
    if (stop && (this.#isHome || isOneOf(record, GATES) || isOneOf(record, ANSWERS)))
      this.#atHome(record, stop);
    else if (isOneOf(record, RECLAIM)) this.#reclaims(record);
    // Decisions during reclaim belong to the funnel.
    else if (this.#reclaim) return;
    else if (record.name === "FairReset") this.#next = "unfair";
    else if (isOneOf(record, SLOW)) this.#decides(record);
    else if (isOneOf(record, WALKS)) this.#walks(record);
    else if (this.#walk) this.#inspect(record, this.#walk);
  }

  /** The allocation ended with a page, or without one. */
  ends({ step, values: { pfn } }: Rec<"mm_page_alloc">): void {
    this.end = { step, pfn };
    this.#reclaim = null;
    const stop = this.#walk?.stops.at(-1);
    if (stop?.verdict === "open") stop.verdict = pfn === null ? "empty" : "took";
  }

  /** zone_reclaim of the zone at which the walk is. */
  #atHome(record: Rec, stop: OpenStop) {
    if (this.#isHome && beginsPass(record)) stop.scanned += record.values.nr_scanned;
    const begins = isOneOf(record, GATES);
    if (!begins && !isOneOf(record, ANSWERS)) return;
    stop.home.push(record);
    this.#isHome = begins;
  }

  #decides(record: Of<typeof SLOW>) {
    this.parts.push({ kind: "decision", record });
    this.#walk = null;
    this.#next = REASONS[record.name] ?? "retry";
    if (record.name === "SlowTry") this.#flags = record.values.alloc_flags;
  }

  #reclaims(record: Of<typeof RECLAIM>) {
    if (record.name === "mm_vmscan_direct_reclaim_begin") {
      const begun = { step: record.step, end: null, passes: 0, scanned: 0, freed: null };
      this.#reclaim = { kind: "reclaim", ...begun };
      this.#walk = null;
      this.parts.push(this.#reclaim);
    } else if (!this.#reclaim) {
      return;
    } else if (record.name === "mm_vmscan_direct_reclaim_end") {
      Object.assign(this.#reclaim, { end: record.step, freed: record.values.nr_reclaimed });
      this.#reclaim = null;
    } else if (beginsPass(record)) {
      this.#reclaim.passes += 1;
      this.#reclaim.scanned += record.values.nr_scanned;
    }
  }

  #walks(record: Of<typeof WALKS>) {
    if (record.name === "ZlcRescan") {
      this.#walk = null;
      this.#next = "rescan";
      return;
    }
    const here = this.#walk?.stops.at(-1);
    if (here && record.name === "ZlcSkip" && here.zone === record.values.zone) {
      // The watermark was checked already; the cache decides whether the zone may be reclaimed.
      here.home.push(record);
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
    // If the walk goes on, it took nothing from the zone before.
    const before = walk.stops.at(-1);
    if (before?.verdict === "open") before.verdict = "empty";
    this.#reserves = null;
    if (record.name === "ZoneNone") walk.isWhole = true;
    else walk.stops.push(stopOf(record));
    if (record.name === "ZoneNone" || record.name === "NoFragmentLeave") {
      this.#walk = null;
      this.#next = this.#next === "fast" ? "again" : "retry";
    }
  }

  #inspect(record: Rec, walk: OpenWalk) {
    const stop = walk.stops.at(-1);
    if (!stop) return;
    if (isOneOf(record, TAKES)) stop.take.push(record);
    else if (isOneOf(record, CACHE)) stop.home.push(record);
    else if (isOneOf(record, LOOKS)) this.#tests(record, walk, stop);
  }

  #noteTest(test: MarkTest, walk: OpenWalk, stop: OpenStop) {
    if (stop.test) stop.retest = test;
    else stop.test = test;
    if (test.mark === HIGH_MARK && walk.reason === "retry") walk.reason = "last";
    stop.verdict = test.passed ? "open" : "refused";
  }

  #tests(record: Of<typeof LOOKS>, walk: OpenWalk, stop: OpenStop) {
    switch (record.name) {
      case "WmReserves":
        this.#reserves = record;
        return;
      case "WmSmallOk":
      case "WmSmallFail": {
        const { order, free, needs } = record.values;
        const passed = record.name === "WmSmallOk";
        stop.orders.push({ order, value: free, needs, passed });
        if (!passed) stop.verdict = "fragmented";
        return;
      }
      case "WmSuitable":
        stop.block = { order: record.values.found };
        return;
      case "WmNoBlock":
        stop.block = { order: null };
        stop.verdict = "fragmented";
        return;
      default:
        this.#noteTest(testOf(record, this.#reserves), walk, stop);
    }
  }
}

const HIGH_MARK = 2;

function stopOf(
  record: Exclude<Of<typeof WALKS>, { readonly name: "ZoneNone" | "ZlcRescan" }>,
): OpenStop {
  const isNext = record.name === "ZoneNext";
  return {
    step: record.step,
    zone: record.values.zone,
    place: isNext ? record.values.stop : 0,
    of: isNext ? record.values.stops : 0,
    test: null,
    home: record.name === "ZlcSkip" ? [record] : [],
    scanned: 0,
    retest: null,
    orders: [],
    block: null,
    dirty:
      record.name === "ZoneDirty"
        ? { pages: record.values.dirty, limit: record.values.share }
        : null,
    take: [],
    verdict: verdictOf(record.name),
  };
}

/** The verdict that is known when a walk reaches a zone. */
function verdictOf(name: RecordName): Verdict {
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

function testOf(
  { name, step, values }: Rec<"WmPass" | "WmPassPlain" | "WmFail" | "WmFailPlain">,
  reserves: Rec<"WmReserves"> | null,
): MarkTest {
  const reserved = "kept_back" in values ? values.kept_back : 0;
  const counted = values.needs - reserved;
  return {
    step,
    free: values.free,
    value: values.counted,
    mark: values.mark,
    whole: reserves?.values.whole ?? counted,
    counted,
    lowered_by: reserves?.values.alloc_flags ?? 0,
    reserved,
    needs: values.needs,
    passed: name === "WmPass" || name === "WmPassPlain",
  };
}

/** Follows the allocations of all tasks through a range of records. */
export class Plans {
  /** Allocations in progress, by task; reclaim may allocate memory during another allocation. */
  readonly #open = new Map<number, Building[]>();

  /** Takes the next record; returns the allocation that it ends. */
  take(record: Rec): Plan | null {
    const open = this.#open.get(record.task) ?? [];
    if (record.name === "ZoneFirst") {
      this.#open.set(record.task, [...open, new Building(record)]);
      return null;
    }
    const plan = open.at(-1);
    if (!plan) return null;
    if (record.name !== "mm_page_alloc") {
      plan.take(record);
      return null;
    }
    // An allocation without any allowed zone records only its end.
    const { order, gfp_flags } = record.values;
    if (order !== plan.asked.order || gfp_flags !== plan.asked.gfp) return null;
    plan.ends(record);
    this.#open.set(record.task, open.slice(0, -1));
    return plan;
  }

  /** The innermost allocation of a task that is in progress. */
  inProgress(task: number): Plan | null {
    return this.#open.get(task)?.at(-1) ?? null;
  }
}
