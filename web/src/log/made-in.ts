// In which functions the events are made, by the engine's names. A test walks the ready-made runs step
// by step and finds no event made anywhere else.

import type { WorkbenchState } from "../app/store";

const MADE_IN: Readonly<Record<string, readonly string[]>> = {
  mm_page_alloc: ["alloc_pages_nodemask"],
  mm_page_alloc_zone_locked: ["rmqueue"],
  mm_page_alloc_extfrag: ["rmqueue_fallback"],
  mm_page_free: ["free_pages", "free_unref_page_list"],
  mm_page_free_batched: ["free_unref_page_list"],
  mm_page_pcpu_drain: ["free_pcppages_bulk"],
  mm_vmscan_wakeup_kswapd: ["wake_all_kswapds"],
  mm_vmscan_kswapd_wake: ["kswapd"],
  mm_vmscan_kswapd_sleep: ["kswapd_try_to_sleep"],
  split: ["rmqueue_smallest"],
  merge: ["free_one_page"],
  mm_vmscan_direct_reclaim_begin: ["try_to_free_pages"],
  mm_vmscan_direct_reclaim_end: ["try_to_free_pages"],
  mm_vmscan_node_reclaim_begin: ["__zone_reclaim"],
  mm_vmscan_node_reclaim_end: ["__zone_reclaim"],
  mm_vmscan_lru_isolate: ["shrink_inactive_list", "shrink_active_list"],
  mm_vmscan_lru_shrink_inactive: ["shrink_inactive_list"],
  mm_vmscan_lru_shrink_active: ["shrink_active_list"],
  mm_vmscan_writepage: ["shrink_page_list"],
  mm_vmscan_throttled: ["reclaim_throttle"],
  writeback_congestion_wait: ["congestion_wait"],
  writeback_wait_iff_congested: ["congestion_wait"],
  balance_dirty_pages: ["balance_dirty_pages"],
  writeback_start: ["wb_workfn"],
  mm_filemap_add_to_page_cache: ["add_to_page_cache_lru"],
  mm_filemap_delete_from_page_cache: ["shrink_page_list", "shrink_slab", "truncate_inode_pages"],
  block_rq_complete: ["blk_done_softirq"],
  wbt_step: ["blk_done_softirq"],
  reclaim_retry_zone: ["alloc_pages_slowpath"],
};

/** Every event of one name is made in one of these; none are known of those made anywhere. */
export const madeIn = (event: string): readonly string[] => MADE_IN[event] ?? [];

/** Is a function that makes this event selected, or hovered? */
export const isMadeLit = (
  event: string,
  { selected, hovered }: Pick<WorkbenchState, "selected" | "hovered">,
): boolean =>
  madeIn(event).some((name) => selected.includes(`fn ${name}`) || hovered === `fn ${name}`);
