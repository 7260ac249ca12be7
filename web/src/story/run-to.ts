// What a run can be taken to: the next, or the one before, of a kind of record.

import type { RecordName } from "./records";

/** One of them: its words, and the records that are it. */
export interface Target {
  readonly id: string;
  readonly words: string;
  readonly records: readonly RecordName[];
}

/** All of them, in the order of the menu. */
export const TARGETS = [
  { id: "refused", words: "zone refused", records: ["WmFail", "WmFailPlain"] },
  { id: "kswapd", words: "kswapd woken", records: ["mm_vmscan_wakeup_kswapd"] },
  { id: "asleep", words: "kswapd asleep", records: ["mm_vmscan_kswapd_sleep"] },
  { id: "batch", words: "batch taken", records: ["Isolated"] },
  { id: "done", words: "batch done", records: ["BatchDone"] },
  { id: "freed", words: "page freed", records: ["LadderFree", "mm_page_free"] },
  {
    id: "direct",
    words: "direct reclaim",
    records: ["mm_vmscan_direct_reclaim_begin"],
  },
  {
    id: "stall",
    words: "stall ends",
    records: ["mm_vmscan_direct_reclaim_end", "mm_vmscan_node_reclaim_end", "ZrSuccess", "ZrSome"],
  },
  {
    id: "throttle",
    words: "writer throttled",
    records: ["BdpPause", "BdpWait", "WriteThrottled", "QueueFull"],
  },
  { id: "wait", words: "throttled wait", records: ["Throttled", "CongestionSleep"] },
  {
    id: "early",
    words: "early wake",
    records: [
      "WaitEndedByWrite",
      "WaitEndedByIsolation",
      "WaitEndedByProgress",
      "WaitEndedByQueue",
    ],
  },
  { id: "timeout", words: "full timeout", records: ["WaitTimedOut"] },
  { id: "write", words: "write-out begins", records: ["writeback_start", "Pageout"] },
  {
    id: "oom",
    words: "out of memory",
    records: ["OomKill", "mark_victim", "fault_oom", "kernel_panic"],
  },
] as const satisfies readonly Target[];

/** The id of one of {@link TARGETS}. */
export type TargetId = (typeof TARGETS)[number]["id"];

/** The target of an id. */
export const targetOf = (id: TargetId): Target =>
  TARGETS.find((target) => target.id === id) ?? TARGETS[0];
