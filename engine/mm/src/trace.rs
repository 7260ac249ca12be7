//! Tracepoints and decisions, recorded as numbers; sentences are made when someone looks.
//!
//! Modelled: the kernel's own tracepoint names and fields for the allocator.
//! Left out: recording while running at full speed. Because runs replay, the stretch on screen is
//! replayed with recording on instead.
//! Invariants: the recorder never influences the machine and is not part of its state hash.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

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
    ($($(#[$doc:meta])* $name:ident $text:literal $tp:literal [$($field:literal $kind:ident),*];)+) => {
        /// A tracepoint or engine event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Event { $($(#[$doc])* $name,)+ }
        /// All events, by discriminant.
        pub const EVENTS: &[EventInfo] = &[$(EventInfo {
            name: $text, tracepoint: $tp, fields: &[$(($field, Field::$kind)),*]
        },)+];
    };
}

events! {
    /// include/trace/events/kmem.h.
    MmPageAlloc "mm_page_alloc" true ["pfn" Page, "order" Number, "migratetype" Type, "gfp_flags" Gfp];
    /// include/trace/events/kmem.h.
    MmPageAllocZoneLocked "mm_page_alloc_zone_locked" true ["pfn" Page, "order" Number, "migratetype" Type, "percpu_refill" Number];
    /// include/trace/events/kmem.h.
    MmPageAllocExtfrag "mm_page_alloc_extfrag" true ["pfn" Page, "alloc_order" Number, "fallback_order" Number, "alloc_migratetype" Type, "fallback_migratetype" Type, "change_ownership" Number];
    /// include/trace/events/kmem.h (mm_page_free_direct in 3.0).
    MmPageFree "mm_page_free" true ["pfn" Page, "order" Number];
    /// include/trace/events/kmem.h (mm_pagevec_free in 3.0).
    MmPageFreeBatched "mm_page_free_batched" true ["pfn" Page];
    /// include/trace/events/kmem.h.
    MmPagePcpuDrain "mm_page_pcpu_drain" true ["pfn" Page, "order" Number, "migratetype" Type];
    /// include/trace/events/vmscan.h.
    MmVmscanWakeupKswapd "mm_vmscan_wakeup_kswapd" true ["nid" Node, "zid" Zone, "order" Number];
    /// include/trace/events/vmscan.h.
    MmVmscanKswapdWake "mm_vmscan_kswapd_wake" true ["nid" Node, "order" Number];
    /// include/trace/events/vmscan.h.
    MmVmscanKswapdSleep "mm_vmscan_kswapd_sleep" true ["nid" Node];
    /// Engine: a free block was halved.
    Split "split" false ["pfn" Page, "order" Number];
    /// Engine: two free buddies became one block.
    Merge "merge" false ["pfn" Page, "order" Number];
    /// include/trace/events/vmscan.h.
    MmVmscanDirectReclaimBegin "mm_vmscan_direct_reclaim_begin" true ["order" Number, "may_writepage" Number, "gfp_flags" Gfp];
    /// include/trace/events/vmscan.h.
    MmVmscanDirectReclaimEnd "mm_vmscan_direct_reclaim_end" true ["nr_reclaimed" Number];
    /// include/trace/events/vmscan.h.
    MmVmscanLruIsolate "mm_vmscan_lru_isolate" true ["order" Number, "nr_requested" Number, "nr_scanned" Number, "nr_skipped" Number, "nr_taken" Number, "lru" Lru];
    /// include/trace/events/vmscan.h; `flags` bit 0 file, bit 1 kswapd; `outcomes` counts
    /// kept, writeback, dirty and immediate, a byte each.
    MmVmscanLruShrinkInactive "mm_vmscan_lru_shrink_inactive" true ["nid" Node, "nr_scanned" Number, "nr_reclaimed" Number, "priority" Number, "flags" Number, "outcomes" Number];
    /// include/trace/events/vmscan.h; `flags` as above.
    MmVmscanLruShrinkActive "mm_vmscan_lru_shrink_active" true ["nid" Node, "nr_taken" Number, "nr_deactivated" Number, "nr_referenced" Number, "priority" Number, "flags" Number];
    /// include/trace/events/vmscan.h (mm_vmscan_write_folio from 6.1).
    MmVmscanWritepage "mm_vmscan_writepage" true ["pfn" Page, "file" Number];
    /// include/trace/events/vmscan.h.
    MmVmscanThrottled "mm_vmscan_throttled" true ["nid" Node, "usec_timeout" Number, "usec_delayed" Number, "reason" Number];
    /// include/trace/events/writeback.h, to 5.15.
    WritebackCongestionWait "writeback_congestion_wait" true ["usec_timeout" Number, "usec_delayed" Number];
    /// include/trace/events/writeback.h, to 5.15.
    WritebackWaitIffCongested "writeback_wait_iff_congested" true ["usec_timeout" Number, "usec_delayed" Number];
    /// include/trace/events/writeback.h.
    BalanceDirtyPages "balance_dirty_pages" true ["dirty" Number, "bdi_dirty" Number, "limit" Number, "pause" Number, "dirtied" Number];
    /// include/trace/events/writeback.h.
    WritebackStart "writeback_start" true ["nr_pages" Number, "reason" Number];
    /// include/trace/events/filemap.h.
    MmFilemapAddToPageCache "mm_filemap_add_to_page_cache" true ["pfn" Page, "i_ino" Number, "index" Number];
    /// include/trace/events/filemap.h.
    MmFilemapDeleteFromPageCache "mm_filemap_delete_from_page_cache" true ["pfn" Page, "i_ino" Number, "index" Number];
    /// include/trace/events/block.h; in pages.
    BlockRqIssue "block_rq_issue" true ["dev" Number, "write" Number, "sector" Number, "pages" Number];
    /// include/trace/events/block.h; in pages.
    BlockRqComplete "block_rq_complete" true ["dev" Number, "write" Number, "sector" Number, "pages" Number];
    /// include/trace/events/wbt.h; `status` 0 fine, 1 reads slow, 2 unknown, 3 only writes.
    WbtStep "wbt_step" true ["dev" Number, "max" Number, "status" Number];
    /// include/trace/events/oom.h.
    MarkVictim "mark_victim" true ["task" Task];
    /// include/trace/events/oom.h.
    ReclaimRetryZone "reclaim_retry_zone" true ["zone" Zone, "order" Number, "reclaimable" Number, "available" Number, "min_wmark" Number, "no_progress_loops" Number];
    /// Engine: a task whose fault failed ends.
    Killed "fault_oom" false ["task" Task];
    /// Engine: a task began.
    Fork "sched_process_fork" true ["task" Task];
    /// Engine: a task ended.
    Exit "sched_process_exit" true ["task" Task];
    /// Engine: something was done to the running machine; numbered as in the experiment, by time.
    Intervention "intervention" false ["number" Number];
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
#[derive(Debug, Clone, Default)]
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

/// What a recorder holds is no part of the machine's state.
impl Hash for Recorder {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
impl PartialEq for Recorder {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for Recorder {}
