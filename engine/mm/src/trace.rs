//! Tracepoints and decisions, recorded as numbers; sentences are made when someone looks.
//!
//! Modelled: the kernel's own tracepoint names and fields for the allocator.
//! Left out: recording while running at full speed. Because runs replay, the stretch on screen is
//! replayed with recording on instead.
//! Invariants: the recorder never influences the machine and is not part of its state hash.

use std::collections::VecDeque;

pub use crate::view::EventField as Field;

/// How many records are kept.
pub const KEPT: usize = 64 * 1024;

/// What an event is called and what its fields are.
#[derive(Debug)]
pub struct EventInfo {
    /// The kernel's tracepoint name, or an engine name.
    pub name: &'static str,
    /// True where the kernel has a tracepoint of this name.
    pub tracepoint: bool,
    /// Field names and kinds, in order.
    pub fields: &'static [(&'static str, Field)],
}

macro_rules! events {
    ($(#[doc = $doc:literal] $name:ident $text:literal $tp:literal $from:literal [$($field:literal $kind:ident),*];)+) => {
        /// A tracepoint or engine event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Event { $(#[doc = $doc] $name,)+ }
        /// Every event, by discriminant. Not part of the page's module.
        pub const ALL: &[Event] = &[$(Event::$name,)+];
        /// What each is called, by discriminant.
        pub const EVENTS: &[EventInfo] = &[$(EventInfo {
            name: $text, tracepoint: $tp, fields: &[$(($field, Field::$kind)),*]
        },)+];
        /// What each tells, and where the kernel has it: a file and versions, or `Engine`. Not part of
        /// the page's module.
        pub const ABOUT: &[(&str, &str)] = &[$(($doc, $from),)+];
    };
}

events! {
    /// A request for a page or block ended: it was handed out, or there was none.
    MmPageAlloc "mm_page_alloc" true "include/trace/events/kmem.h" ["pfn" Page, "order" Number, "migratetype" Type, "gfp_flags" Gfp];
    /// A block was taken from a zone's buddy lists under its lock; percpu_refill where it fills a per-cpu list.
    MmPageAllocZoneLocked "mm_page_alloc_zone_locked" true "include/trace/events/kmem.h" ["pfn" Page, "order" Number, "migratetype" Type, "percpu_refill" Number];
    /// A request was served from a block of another migrate type, which mixes types.
    MmPageAllocExtfrag "mm_page_alloc_extfrag" true "include/trace/events/kmem.h" ["pfn" Page, "alloc_order" Number, "fallback_order" Number, "alloc_migratetype" Type, "fallback_migratetype" Type, "change_ownership" Number];
    /// A page or block was freed by its owner.
    MmPageFree "mm_page_free" true "include/trace/events/kmem.h (mm_page_free_direct in 3.0)" ["pfn" Page, "order" Number];
    /// A page was freed as one of a list of pages.
    MmPageFreeBatched "mm_page_free_batched" true "include/trace/events/kmem.h (mm_pagevec_free in 3.0)" ["pfn" Page];
    /// A page went from a per-cpu list back to the buddy lists.
    MmPagePcpuDrain "mm_page_pcpu_drain" true "include/trace/events/kmem.h" ["pfn" Page, "order" Number, "migratetype" Type];
    /// An allocation asked for kswapd of a node: its zones are short of free pages.
    MmVmscanWakeupKswapd "mm_vmscan_wakeup_kswapd" true "include/trace/events/vmscan.h" ["nid" Node, "zid" Zone, "order" Number, "gfp_flags" Gfp];
    /// kswapd of a node woke up to balance it.
    MmVmscanKswapdWake "mm_vmscan_kswapd_wake" true "include/trace/events/vmscan.h" ["nid" Node, "order" Number];
    /// kswapd of a node went to sleep: the node is balanced, or it gave up.
    MmVmscanKswapdSleep "mm_vmscan_kswapd_sleep" true "include/trace/events/vmscan.h" ["nid" Node];
    /// A free block was halved to serve a smaller request; the page is that of the half put back.
    Split "split" false "Engine" ["pfn" Page, "order" Number];
    /// Two free buddies became one block.
    Merge "merge" false "Engine" ["pfn" Page, "order" Number];
    /// A task that got no page begins to reclaim by itself.
    MmVmscanDirectReclaimBegin "mm_vmscan_direct_reclaim_begin" true "include/trace/events/vmscan.h" ["order" Number, "may_writepage" Number, "gfp_flags" Gfp];
    /// Its reclaim has ended, with so many pages freed.
    MmVmscanDirectReclaimEnd "mm_vmscan_direct_reclaim_end" true "include/trace/events/vmscan.h" ["nr_reclaimed" Number];
    /// A request short of local pages begins to reclaim its node before it looks at others.
    MmVmscanNodeReclaimBegin "mm_vmscan_node_reclaim_begin" true "include/trace/events/vmscan.h, from 5.3" ["nid" Node, "order" Number, "gfp_flags" Gfp];
    /// That reclaim has ended, with so many pages freed.
    MmVmscanNodeReclaimEnd "mm_vmscan_node_reclaim_end" true "include/trace/events/vmscan.h, from 5.3" ["nr_reclaimed" Number];
    /// Pages were taken off the tail of an LRU list to be looked at.
    MmVmscanLruIsolate "mm_vmscan_lru_isolate" true "include/trace/events/vmscan.h" ["order" Number, "nr_requested" Number, "nr_scanned" Number, "nr_skipped" Number, "nr_taken" Number, "lru" Lru];
    /// A batch from an inactive list was worked through; `flags` bit 0 file, bit 1 kswapd, the zone from bit 8 and pages activated from bit 16 on; `outcomes` counts kept, writeback, dirty and immediate, a byte each.
    MmVmscanLruShrinkInactive "mm_vmscan_lru_shrink_inactive" true "include/trace/events/vmscan.h" ["nid" Node, "nr_scanned" Number, "nr_reclaimed" Number, "priority" Number, "flags" Number, "outcomes" Number];
    /// Pages at the tail of an active list were deactivated or kept; `flags` as for the inactive list.
    MmVmscanLruShrinkActive "mm_vmscan_lru_shrink_active" true "include/trace/events/vmscan.h" ["nid" Node, "nr_taken" Number, "nr_deactivated" Number, "nr_referenced" Number, "priority" Number, "flags" Number];
    /// Reclaim itself began to write a dirty page.
    MmVmscanWritepage "mm_vmscan_writepage" true "include/trace/events/vmscan.h (mm_vmscan_write_folio from 6.1)" ["pfn" Page, "file" Number];
    /// A reclaimer was made to wait, so long at most and so long in fact.
    MmVmscanThrottled "mm_vmscan_throttled" true "include/trace/events/vmscan.h" ["nid" Node, "usec_timeout" Number, "usec_delayed" Number, "reason" Number];
    /// A task waited for a device queue to drain.
    WritebackCongestionWait "writeback_congestion_wait" true "include/trace/events/writeback.h, to 5.15" ["usec_timeout" Number, "usec_delayed" Number];
    /// A task waited, but only if a device queue was congested.
    WritebackWaitIffCongested "writeback_wait_iff_congested" true "include/trace/events/writeback.h, to 5.15" ["usec_timeout" Number, "usec_delayed" Number];
    /// A writer's dirty pages were held against the limits; it pauses so many ms.
    BalanceDirtyPages "balance_dirty_pages" true "include/trace/events/writeback.h" ["dirty" Number, "bdi_dirty" Number, "limit" Number, "pause" Number, "dirtied" Number];
    /// A flusher begins to write dirty pages.
    WritebackStart "writeback_start" true "include/trace/events/writeback.h" ["nr_pages" Number, "reason" Number];
    /// A page joined the page cache of a file.
    MmFilemapAddToPageCache "mm_filemap_add_to_page_cache" true "include/trace/events/filemap.h" ["pfn" Page, "i_ino" Number, "index" Number];
    /// A page left the page cache of a file.
    MmFilemapDeleteFromPageCache "mm_filemap_delete_from_page_cache" true "include/trace/events/filemap.h" ["pfn" Page, "i_ino" Number, "index" Number];
    /// A device was given a request.
    BlockRqIssue "block_rq_issue" true "include/trace/events/block.h, in pages" ["dev" Number, "write" Number, "sector" Number, "pages" Number];
    /// A device has finished a request.
    BlockRqComplete "block_rq_complete" true "include/trace/events/block.h, in pages" ["dev" Number, "write" Number, "sector" Number, "pages" Number];
    /// Writeback throttling changed how many writes may be under way; `status` 0 fine, 1 reads slow, 2 unknown, 3 only writes.
    WbtStep "wbt_step" true "include/trace/events/wbt.h" ["dev" Number, "max" Number, "status" Number];
    /// The OOM killer chose a task.
    MarkVictim "mark_victim" true "include/trace/events/oom.h" ["task" Task];
    /// Reclaim made no progress: would this zone serve the request if all its reclaimable pages were free?
    ReclaimRetryZone "reclaim_retry_zone" true "include/trace/events/oom.h" ["zone" Zone, "order" Number, "reclaimable" Number, "available" Number, "min_wmark" Number, "no_progress_loops" Number];
    /// A task whose fault failed, or that was chosen by the OOM killer, ends.
    Killed "fault_oom" false "Engine" ["task" Task];
    /// A task began.
    Fork "sched_process_fork" true "Engine" ["task" Task];
    /// A task ended.
    Exit "sched_process_exit" true "Engine" ["task" Task];
    /// Something was done to the running machine; numbered as in the experiment, by time.
    Intervention "intervention" false "Engine" ["number" Number];
}

/// What a record tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A decision; the number is a [`crate::why::Why`].
    Why(crate::why::Why),
    /// An event.
    Event(Event),
}

/// One record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The step that made it (the first step of a machine is 0).
    pub step: u64,
    /// Virtual time in ns.
    pub time_ns: u64,
    /// Task id.
    pub task: u32,
    /// CPU.
    pub cpu: u16,
    /// What happened.
    pub what: What,
    /// The numbers.
    pub n: [u32; 6],
}

/// The last [`KEPT`] records.
#[derive(Debug, Default)]
pub struct Recorder {
    /// Off at full speed.
    pub on: bool,
    /// The task that executed the last step, when it was stepped.
    pub last_task: Option<u32>,
    /// Oldest first.
    pub records: VecDeque<Record>,
}

impl Recorder {
    /// Adds a record, dropping the oldest beyond [`KEPT`].
    #[inline(never)]
    pub fn push(&mut self, record: Record) {
        if self.records.len() == KEPT {
            self.records.pop_front();
        }
        self.records.push_back(record);
    }
}

/// A copy of a machine begins with nothing recorded, and records if it did before.
impl Clone for Recorder {
    fn clone(&self) -> Self {
        Self::default()
    }
    fn clone_from(&mut self, _: &Self) {
        self.records.clear();
    }
}

/// What a recorder holds is no part of the machine's state.
impl PartialEq for Recorder {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for Recorder {}
