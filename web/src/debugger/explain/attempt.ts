// A request for a block of many pages, combined from its records. A free block existed, compaction
// or reclaim made one, or no block was found. The module also sums up how long requests with each
// result took.

import type { Rec, RecordName } from "../../engine/record";

/**
 * Above this order the kernel tries compaction, and does not retry requests endlessly
 * (`PAGE_ALLOC_COSTLY_ORDER`).
 */
export const COSTLY_ORDER = 3;

/** The source of a block, or failure. */
export type BlockSource = "free" | "compaction" | "reclaim" | "failure";

/** The sources in the order in which they are tried. */
export const BLOCK_SOURCES: readonly BlockSource[] = ["free", "compaction", "reclaim", "failure"];

/** Why a zone, or the request, was not compacted. */
const REFUSALS = [
  "CompactNothing",
  "CompactTooFew",
  "CompactLackOfMemory",
  "CompactDeferred",
] as const;
const RUN_ENDS = ["CompactMet", "CompactAborted", "CompactFound"] as const;

/** The records from which an attempt is made. */
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

/** The work of several runs of compaction. */
export interface Compacted {
  readonly runs: number;
  readonly moved: number;
  readonly failed: number;
}

/** Compaction by the request, before or after reclaim. */
interface CompactPart extends Compacted {
  readonly kind: "compaction";
  readonly begun: Rec<"CompactBegins">;
  /** How the last run ended; null while it runs, or if it gave up. */
  readonly end: Rec<(typeof RUN_ENDS)[number]> | null;
}

/** Reclaim by the request; the kernels of the series of November 2010 compact during reclaim. */
interface ReclaimPart extends Compacted {
  readonly kind: "reclaim";
  readonly begun: Rec<"mm_vmscan_direct_reclaim_begin">;
  readonly end: Rec<"mm_vmscan_direct_reclaim_end"> | null;
}

/** A decision during the attempt, shown in the engine's words. */
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
  /** The result; null while the attempt is in progress. */
  readonly end: Rec<"mm_page_alloc"> | null;
}

/** The source of the block; null while the attempt is in progress. */
export function sourceOf({ parts, end }: Attempt): BlockSource | null {
  if (!end) return null;
  if (end.values.pfn === null) return "failure";
  const last = parts.findLast(
    (part) =>
      part.kind === "reclaim" || (part.kind === "decision" && part.record.name === "CompactAlloc"),
  );
  if (!last) return "free";
  return last.kind === "reclaim" ? "reclaim" : "compaction";
}

/** The duration, ns; null while the attempt is in progress. */
export const tookNs = ({ begun, end }: Attempt): number | null =>
  end ? end.time_ns - begun.time_ns : null;

/** The work of compaction in the whole attempt. */
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
        // Reclaim decides about compaction for every batch; these decisions are left out.
        if (!reclaim) this.parts.push({ kind: "decision", record });
    }
  }

  /** A compaction run in another zone continues the same part. */
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

  /** Takes the next record; returns the attempt that it ends, if any. */
  take(record: Rec): Attempt | null {
    const { task } = record;
    const open = this.#open.get(task);
    if (record.name === "ZoneFirst") {
      // A task may allocate small blocks for itself during reclaim.
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

  /** A task's attempt in progress, or its last one; for `null` the last that began or ended. */
  of(task: number | null): Attempt | null {
    const whose = task ?? this.#latest;
    if (whose === null) return null;
    return this.#open.get(whose) ?? this.#last.get(whose) ?? null;
  }
}

/** The durations of attempts by result, ns, in the order in which they ended. */
export type Took = Readonly<Record<BlockSource, readonly number[]>>;

/** Adds up the attempts of a run from its start. */
export class AttemptSum {
  readonly #attempts = new Attempts();
  readonly #took: Record<BlockSource, number[]> = {
    free: [],
    compaction: [],
    reclaim: [],
    failure: [],
  };

  /** Takes the next record. */
  take(record: Rec): void {
    const ended = this.#attempts.take(record);
    const source = ended && sourceOf(ended);
    if (ended && source) this.#took[source].push(tookNs(ended) ?? 0);
  }

  /** The durations so far. */
  get took(): Took {
    const copy = (source: BlockSource) => [...this.#took[source]];
    return {
      free: copy("free"),
      compaction: copy("compaction"),
      reclaim: copy("reclaim"),
      failure: copy("failure"),
    };
  }
}
