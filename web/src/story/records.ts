// The records from which a story is made, and the gaps between them.

import type { LogFilter } from "../engine/log";
import {
  type RecordName as AnyName,
  isOneOf,
  type Kinds,
  kindsNamed,
  type Rec,
  recordsIn,
} from "../engine/record";

/** The records that a story reads. */
const READ = [
  "WmFail",
  "WmFailPlain",
  "WmPass",
  "WmPassPlain",
  "WakeKswapd",
  "WakeKswapdKept",
  "WakeKswapdOrder",
  "ZoneInNeed",
  "ZoneInNeedKept",
  "ZoneFine",
  "ZoneFineKept",
  "KswapdNotNeeded",
  "KswapdNotNeededKept",
  "WmNoBlock",
  "ZoneFirst",
  "SplitDone",
  "PlaceHead",
  "KswapdNap",
  "KswapdNapCut",
  "KswapdNotBalanced",
  "Isolated",
  "ActiveIsolated",
  "BatchDone",
  "ZrOpen",
  "ZrOpenSlab",
  "ZrNoWait",
  "ZrRemote",
  "ZrLocked",
  "ZrSuccess",
  "ZrSome",
  "DirectDone",
  "Throttled",
  "CongestionSleep",
  "WaitEndedByWrite",
  "WaitEndedByIsolation",
  "WaitEndedByProgress",
  "WaitEndedByQueue",
  "WaitTimedOut",
  "NodeStall",
  "BdpPause",
  "BdpOver",
  "BdpUnder",
  "BdpWait",
  "WriteThrottled",
  "QueueFull",
  "WaitPage",
  "PageRead",
  "PageWritten",
  "Woken",
  "FlushAsked",
  "FlushBackground",
  "FlushPeriodic",
  "FlushBelow",
  "FlushPage",
  "Pageout",
  "SwapFull",
  "ReclaimGiveUp",
  "OomKill",
  "ChargeOver",
  "ChargeRoom",
  "ChargeFails",
  "MemcgOom",
  "HighReclaim",
  "HighPause",
  "FaultMinor",
  "FaultFile",
  "FaultFileMajor",
  "FaultAroundMapped",
  "SwapIn",
  "LadderFree",
  "LadderWriteback",
  "DirtyKept",
  "RefsKeep",
  "RefsActivate",
  "mm_page_alloc",
  "mm_page_free",
  "mm_filemap_add_to_page_cache",
  "mm_vmscan_wakeup_kswapd",
  "mm_vmscan_kswapd_wake",
  "mm_vmscan_kswapd_sleep",
  "mm_vmscan_direct_reclaim_begin",
  "mm_vmscan_direct_reclaim_end",
  "mm_vmscan_node_reclaim_begin",
  "mm_vmscan_node_reclaim_end",
  "mm_vmscan_throttled",
  "writeback_congestion_wait",
  "writeback_wait_iff_congested",
  "writeback_start",
  "block_rq_issue",
  "block_rq_complete",
  "sched_waking",
  "mark_victim",
  "fault_oom",
  "kernel_panic",
  "mm_page_alloc_extfrag",
  "sched_process_exit",
] as const satisfies readonly AnyName[];

/** The names of the records. */
export type RecordName = (typeof READ)[number];

/** A record of one name. */
export type RecordOf<N extends RecordName> = Rec<N>;

/** The values of a record, by name. */
export type Values<N extends RecordName> = Rec<N>["values"];

/** A record that a story reads. */
export type StoryRecord = Rec<RecordName>;

/** An interval without records, in which only time passed. */
export interface Gap {
  /** The step at which it ends. */
  readonly step: number;
  readonly from_ns: number;
  readonly to_ns: number;
  /** A device that was busy meanwhile, by index. */
  readonly device: number | null;
}

/** Records in order, and the gaps between them. */
export interface Reading {
  readonly records: readonly StoryRecord[];
  readonly gaps: readonly Gap[];
}

/** Shorter gaps are not shown as waits, ns. */
const LEAST_GAP_NS = 1_000_000;

const names: ReadonlySet<RecordName> = new Set(READ);

/** Reads rows one range after another. */
export class RecordReader {
  readonly #kinds: Kinds;
  #last_ns: number | null = null;
  /** Requests that each device was given and has not finished. */
  readonly #inProgress = new Map<number, number>();

  constructor(kinds: Kinds) {
    this.#kinds = kinds;
  }

  /** The log filter for records of some names, or for all that a story reads. */
  filterOf(recordNames: readonly RecordName[] = READ): LogFilter {
    return { kinds: kindsNamed(this.#kinds, recordNames), task: null, zone: null, pages: null };
  }

  /** The records of some rows, and the gaps before them. */
  read(rows: Float64Array): Reading {
    const records: StoryRecord[] = [];
    const gaps: Gap[] = [];
    for (const record of recordsIn(rows, this.#kinds)) {
      const { step, time_ns } = record;
      // The CPUs' clocks differ slightly: an earlier time is no gap.
      const last_ns = this.#last_ns ?? time_ns;
      if (time_ns - last_ns >= LEAST_GAP_NS) {
        gaps.push({ step, from_ns: last_ns, to_ns: time_ns, device: this.#busy() });
      }
      this.#last_ns = Math.max(last_ns, time_ns);
      if (!isOneOf(record, names)) continue;
      this.#count(record);
      records.push(record);
    }
    return { records, gaps };
  }

  #busy(): number | null {
    for (const [device, requests] of this.#inProgress) if (requests > 0) return device;
    return null;
  }

  #count(record: StoryRecord) {
    if (record.name !== "block_rq_issue" && record.name !== "block_rq_complete") return;
    const { dev } = record.values;
    const by = record.name === "block_rq_issue" ? 1 : -1;
    this.#inProgress.set(dev, Math.max(0, (this.#inProgress.get(dev) ?? 0) + by));
  }
}
