//! Tracepoints and decisions, recorded as numbers; sentences are made when someone looks.
//!
//! Modelled: the kernel's own tracepoint names and fields for the allocator.
//! Left out: recording while running at full speed. Because runs replay, the stretch on screen is
//! replayed with recording on instead.
//! Invariants: the recorder never influences the machine and is not part of its state hash.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// How many records are kept.
pub const KEPT: usize = 64 * 1024;

/// How a number of a record is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Plain number.
    Number,
    /// Engine frame, printed as page frame number.
    Page,
    /// Zone index.
    Zone,
    /// Task id.
    Task,
    /// Migrate type.
    Type,
    /// gfp flags.
    Gfp,
    /// Node id.
    Node,
}

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
    /// Engine: here direct reclaim would begin.
    ReclaimAbsent "direct_reclaim_absent" false ["order" Number, "gfp_flags" Gfp];
    /// include/trace/events/oom.h has more; the engine kills the task whose fault failed.
    Killed "fault_oom" false ["task" Task];
    /// Engine: a task began.
    Fork "sched_process_fork" true ["task" Task];
    /// Engine: a task ended.
    Exit "sched_process_exit" true ["task" Task];
    /// Engine: a vm sysctl was written.
    Sysctl "sysctl" false ["intervention" Number];
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
