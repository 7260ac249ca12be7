// The targets of "run to": the next or the previous record of a kind.

import type { RecordName } from "./records";

/** A target: a noun phrase that can follow "next" and "no", and the records that match it. */
export interface Target {
  readonly id: string;
  readonly words: string;
  readonly records: readonly RecordName[];
}

/** All targets, in the order of the menu. */
export const TARGETS = [
  { id: "refused", words: "skipped zone", records: ["WmFail", "WmFailPlain"] },
  { id: "kswapd", words: "kswapd wake-up", records: ["mm_vmscan_wakeup_kswapd"] },
  { id: "asleep", words: "kswapd going to sleep", records: ["mm_vmscan_kswapd_sleep"] },
  { id: "batch", words: "isolated batch", records: ["Isolated"] },
  { id: "done", words: "finished batch", records: ["BatchDone"] },
  { id: "freed", words: "freed page", records: ["LadderFree", "mm_page_free"] },
  {
    id: "direct",
    words: "direct reclaim",
    records: ["mm_vmscan_direct_reclaim_begin"],
  },
  {
    id: "stall",
    words: "end of a stall",
    records: ["mm_vmscan_direct_reclaim_end", "mm_vmscan_node_reclaim_end", "ZrSuccess", "ZrSome"],
  },
  {
    id: "throttle",
    words: "throttled writer",
    records: ["BdpPause", "BdpWait", "WriteThrottled", "QueueFull"],
  },
  { id: "wait", words: "throttled reclaim", records: ["Throttled", "CongestionSleep"] },
  {
    id: "early",
    words: "early wake-up",
    records: [
      "WaitEndedByWrite",
      "WaitEndedByIsolation",
      "WaitEndedByProgress",
      "WaitEndedByQueue",
    ],
  },
  { id: "timeout", words: "wait timeout", records: ["WaitTimedOut"] },
  { id: "write", words: "start of write-out", records: ["writeback_start", "Pageout"] },
  {
    id: "oom",
    words: "OOM kill",
    records: ["OomKill", "mark_victim", "fault_oom", "kernel_panic"],
  },
] as const satisfies readonly Target[];

/** The id of one of {@link TARGETS}. */
export type TargetId = (typeof TARGETS)[number]["id"];

/** The target of an id. */
export const targetOf = (id: TargetId): Target =>
  TARGETS.find((target) => target.id === id) ?? TARGETS[0];
