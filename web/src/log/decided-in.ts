// In which functions the decisions are made, by the engine's names. A test runs experiments under several
// kernels, asks which function each decision was made in, and finds none made anywhere else.

import type { WorkbenchState } from "../app/store";

/** The decisions of each function, in the engine's order. */
const DECIDED: Readonly<Record<string, string>> = {
  zone_watermark_ok:
    "WmReserves WmFail WmFailPlain WmPass WmPassPlain WmSmallFail WmSmallOk WmSuitable WmNoBlock",
  alloc_pages_nodemask: "ZoneFirst FairReset SlowEnter",
  get_page_from_freelist:
    "ZoneNext ZoneDirty FairRemote FairSpent ZoneNone ZlcZap ZlcFresh ZlcSkip ZlcFull ZlcRescan ZrStillLow NoFragmentLeave",
  alloc_pages_slowpath:
    "ZlcReconsider SlowTry SlowNoWait ReclaimRetry ReclaimGiveUp Reclaimed Drained",
  wake_all_kswapds:
    "WakeKswapd WakeKswapdKept WakeKswapdOrder WakeKswapdBoost KswapdNotNeeded KswapdNotNeededKept KswapdGaveUp KswapdAwake",
  rmqueue: "TakePcp RefillPcp TakeBuddy",
  rmqueue_smallest: "BlockFound BlockNone Split SplitDone",
  rmqueue_fallback: "FallbackFound FallbackNone StealAll StealOne Claim NoClaim Boost",
  free_pages: "PcpPut PcpFull",
  free_unref_page_list: "PcpPut PcpFull",
  free_one_page: "Merge MergeStop MergeTop PlaceTail PlaceHead",
  handle_mm_fault: "FaultMinor FaultHuge FaultTable",
  do_anonymous_page: "Mapped",
  do_huge_pmd_anonymous_page: "HugeFail MappedHuge",
  do_swap_page: "WaitPage SwapCached SwapIn SwapAhead SwapMapped",
  swapin_readahead: "RefaultNear RefaultFar",
  filemap_fault: "WaitPage FaultFile FaultFileMajor",
  filemap_read: "WaitPage",
  page_cache_readahead: "Readahead",
  generic_perform_write: "WaitPage",
  vfs_fsync: "WaitPage",
  add_to_page_cache_lru: "RefaultNear RefaultFar",
  new_slab: "NewSlab NoSlab",
  truncate_inode_pages: "WaitPage",
  iget_locked: "Inode",
  "user mode": "Oom SigKill Gone UserTouch Mlocked FileCall",
  kswapd: "KswapdHarder KswapdLower KswapdReads",
  kswapd_try_to_sleep: "KswapdNotBalanced KswapdNap KswapdNapCut",
  balance_pgdat: "AnonLow BoostDropped NodeBalanced NodeNotBalanced PassDone",
  "balance_pgdat (zones)":
    "Priority ZoneUnreclaimable ZoneInNeed ZoneInNeedKept ZoneFine ZoneFineKept GapHolds GapFails LoopAgain",
  "balance_pgdat (scans)":
    "Priority ZoneUnreclaimable ZoneInNeed ZoneFine SkipBalanced PriorityRises PriorityStays",
  kswapd_shrink_zone: "PassDone GapHoldsKept GapFailsKept",
  zone_reclaim: "ZrFull ZrOpen ZrOpenSlab ZrNoWait ZrRemote ZrLocked ZoneUnreclaimable",
  __zone_reclaim: "ZrSome ZrSuccess Priority",
  try_to_free_pages:
    "PfMemalloc Priority ZoneUnreclaimable DirectDone KickFlushers ForceDeactivate",
  shrink_node: "NodePass NodeStall NodeCongested",
  shrink_lruvec: "AnonLow ScanFile ScanAnon ScanEqual ScanFract RoundsDone ActiveLeft GoalMet",
  shrink_inactive_list: "TooManyIsolated Isolated BatchDone NodeStall",
  shrink_active_list: "ActiveIsolated Deactivate",
  shrink_page_list:
    "LadderLocked LadderUnevictable LadderMapped LadderWriteback LadderImmediate RefsActivate RefsKeep RefsReclaim Unmapped SwapNoIo SwapSlot SwapFull DirtyForFlusher DirtyForFlusherKept DirtyKept PageoutCongested Pageout LadderFree",
  shrink_slab: "SlabScan SlabCount",
  reclaim_throttle: "ThrottleSkip Throttled",
  congestion_wait: "WaitIffCongested CongestionWait",
  out_of_memory: "OomWait OomNobody OomKill",
  blk_done_softirq: "PageRead PageWritten QueueDrained",
  get_request_wait: "QueueFull WriteThrottled",
  wb_workfn: "FlushAsked FlushBackground FlushPeriodic FlushBelow FlushQueue FlushFile",
  write_cache_pages: "FlushPassed FlushPage FlushBio",
  balance_dirty_pages: "BdpFreerun BdpPause BdpPutOff BdpOver BdpUnder BdpWrites BdpWrote BdpWait",
  hrtimer_interrupt: "Woken",
};

/** The functions a decision is made in. */
export const decidedIn = (decision: string): readonly string[] =>
  Object.keys(DECIDED).filter((name) => isOf(name, decision));

const isOf = (name: string, decision: string): boolean =>
  DECIDED[name]?.split(" ").includes(decision) ?? false;

/** Is a function that makes this decision selected, or hovered? */
export const isDecidedLit = (
  decision: string,
  { selected, hovered }: Pick<WorkbenchState, "selected" | "hovered">,
): boolean =>
  [hovered, ...selected].some((key) => key?.startsWith("fn ") && isOf(key.slice(3), decision));
