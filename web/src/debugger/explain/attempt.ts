// A request for a block of many pages, put together from its records: whether a free block was there,
// compaction or reclaim made one, or none came; and how long requests took that went each way.

import type { Rec, RecordName } from "../../engine/record";

/** Requests above this order are worth compacting for, and wait for nothing lightly
 * (`PAGE_ALLOC_COSTLY_ORDER`). */
export const COSTLY_ORDER = 3;

/** Which way a block came; or that none did. */
export type Way = "free" | "compaction" | "reclaim" | "failure";

/** The ways in the order they are tried. */
export const WAYS: readonly Way[] = ["free", "compaction", "reclaim", "failure"];

/** Why a zone, or the request, was not compacted. */
const REFUSALS = [
  "CompactNothing",
  "CompactTooFew",
  "CompactLackOfMemory",
  "CompactDeferred",
] as const;
const RUN_ENDS = ["CompactMet", "CompactAborted", "CompactFound"] as const;

/** The records an attempt is made of. */
export const ATTEMPT_RECORDS: readonly RecordName[] = [
  "ZoneFirst",
  "SlowEnter",
  ...REFUSALS,
  "CompactBegins",
  ...RUN_ENDS,
  "mm_compaction_migratepages",
  "CompactAlloc",
  "CompactDefers",
  "mm_vmscan_direct_reclaim_begin",
  "mm_vmscan_direct_reclaim_end",
  "mm_page_alloc",
];

/** What several runs of compaction did. */
export interface Compacted {
  readonly runs: number;
  readonly moved: number;
  readonly failed: number;
}

/** The request compacts, before it reclaims or after. */
interface CompactPart extends Compacted {
  readonly kind: "compaction";
  readonly begun: Rec<"CompactBegins">;
  /** How the last run ended; none while it goes on, and where it gave up. */
  readonly end: Rec<(typeof RUN_ENDS)[number]> | null;
}

/** The request reclaims; the kernels of the series of November 2010 compact meanwhile. */
interface ReclaimPart extends Compacted {
  readonly kind: "reclaim";
  readonly begun: Rec<"mm_vmscan_direct_reclaim_begin">;
  readonly end: Rec<"mm_vmscan_direct_reclaim_end"> | null;
}

/** A decision on the way, told as it is. */
interface DecisionPart {
  readonly kind: "decision";
  readonly record: Rec;
}

/** A part of an attempt. */
export type AttemptPart = CompactPart | ReclaimPart | DecisionPart;

/** A request for a block. */
export interface Attempt {
  readonly begun: Rec<"ZoneFirst">;
  readonly parts: readonly AttemptPart[];
  /** What it came to; none while it goes on. */
  readonly end: Rec<"mm_page_alloc"> | null;
}

/** Which way it went; none while it goes on. */
export function wayOf({ parts, end }: Attempt): Way | null {
  if (!end) return null;
  if (end.values.pfn === null) return "failure";
  const last = parts.findLast(
    (part) =>
      part.kind === "reclaim" || (part.kind === "decision" && part.record.name === "CompactAlloc"),
  );
  if (!last) return "free";
  return last.kind === "reclaim" ? "reclaim" : "compaction";
}

/** How long it took, ns; none while it goes on. */
export const tookNs = ({ begun, end }: Attempt): number | null =>
  end ? end.time_ns - begun.time_ns : null;

/** What compaction did in all of it. */
export function compactedIn({ parts }: Attempt): Compacted {
  const sum = { runs: 0, moved: 0, failed: 0 };
  for (const part of parts) {
    if (part.kind === "decision") continue;
    sum.runs += part.runs;
    sum.moved += part.moved;
    sum.failed += part.failed;
  }
  return sum;
}

type Open<T> = { -readonly [K in keyof T]: T[K] };
type OpenPart = Open<CompactPart> | Open<ReclaimPart> | DecisionPart;

class Building {
  readonly begun: Rec<"ZoneFirst">;
  readonly parts: OpenPart[] = [];
  end: Rec<"mm_page_alloc"> | null = null;

  constructor(begun: Rec<"ZoneFirst">) {
    this.begun = begun;
  }

  take(record: Rec) {
    const last = this.parts.at(-1);
    const reclaim = last?.kind === "reclaim" && last.end === null ? last : null;
    switch (record.name) {
      case "mm_vmscan_direct_reclaim_begin":
        this.parts.push({ kind: "reclaim", begun: record, end: null, ...NONE });
        return;
      case "mm_vmscan_direct_reclaim_end":
        if (reclaim) reclaim.end = record;
        return;
      case "CompactBegins":
        if (reclaim) reclaim.runs += 1;
        else this.#compacts(record, last);
        return;
      case "mm_compaction_migratepages": {
        const part = last?.kind === "decision" ? null : last;
        if (!part) return;
        part.moved += record.values.nr_migrated;
        part.failed += record.values.nr_failed;
        return;
      }
      case "CompactMet":
      case "CompactAborted":
      case "CompactFound":
        if (last?.kind === "compaction") last.end = record;
        return;
      default:
        // What reclaim decides of compaction on the way would be said for every batch.
        if (!reclaim) this.parts.push({ kind: "decision", record });
    }
  }

  /** A run in another zone goes on with what the last began. */
  #compacts(begun: Rec<"CompactBegins">, last: OpenPart | undefined) {
    if (last?.kind === "compaction") Object.assign(last, { runs: last.runs + 1, end: null });
    else this.parts.push({ kind: "compaction", begun, end: null, ...NONE, runs: 1 });
  }
}

const NONE: Compacted = { runs: 0, moved: 0, failed: 0 };

/** Follows the attempts of all tasks. */
export class Attempts {
  readonly #open = new Map<number, Building>();
  readonly #last = new Map<number, Building>();
  #latest: number | null = null;

  /** Takes the next record; the attempt it ends, if it does. */
  take(record: Rec): Attempt | null {
    const { task } = record;
    const open = this.#open.get(task);
    if (record.name === "ZoneFirst") {
      // Who reclaims may need pages itself: those requests are small.
      if (record.values.order <= COSTLY_ORDER) return null;
      this.#open.set(task, new Building(record));
      this.#latest = task;
      return null;
    }
    if (!open) return null;
    if (record.name !== "mm_page_alloc") {
      open.take(record);
      return null;
    }
    if (record.values.order !== open.begun.values.order) return null;
    open.end = record;
    this.#open.delete(task);
    this.#last.set(task, open);
    this.#latest = task;
    return open;
  }

  /** The attempt a task is in, else its last; of nobody in particular the last that began or ended. */
  of(task: number | null): Attempt | null {
    const whose = task ?? this.#latest;
    if (whose === null) return null;
    return this.#open.get(whose) ?? this.#last.get(whose) ?? null;
  }
}

/** How long attempts took that went one way, ns, in the order they ended. */
export type Took = Readonly<Record<Way, readonly number[]>>;

/** Adds up attempts over a run followed from its start. */
export class AttemptSum {
  readonly #attempts = new Attempts();
  readonly #took: Record<Way, number[]> = { free: [], compaction: [], reclaim: [], failure: [] };

  /** Takes the next record. */
  take(record: Rec): void {
    const ended = this.#attempts.take(record);
    const way = ended && wayOf(ended);
    if (ended && way) this.#took[way].push(tookNs(ended) ?? 0);
  }

  /** What was found so far. */
  get took(): Took {
    const copy = (way: Way) => [...this.#took[way]];
    return {
      free: copy("free"),
      compaction: copy("compaction"),
      reclaim: copy("reclaim"),
      failure: copy("failure"),
    };
  }
}
