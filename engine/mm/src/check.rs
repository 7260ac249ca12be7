//! Invariants: recounts everything that the engine counts, from the raw page array.
//!
//! Modelled: what must hold between any two steps. Each page is in one place, counters equal the
//! recount, free blocks are merged as far as that kernel merges them, and every task can continue.
//! Left out: whether the *right* page was taken; the worked examples test that.
//! Invariants: the check only reads, so it does not change the machine.

mod generations;
mod held;
mod memcg;
mod memory;
mod numa;
mod tasks;

use facts::index::{
    CpuIndex, FrameIndex, GroupIndex, ListIndex, ListSlot, LruvecIndex, SwapSlot, TaskIndex,
    ZoneIndex,
};
use std::fmt;

use crate::bandwidth::ByNode;
use crate::machine::Machine;
use crate::mmzone::{PageKind, flag};
use held::{
    check_cache, check_events, check_gauges, check_hands, check_slab, check_spaces, check_swap,
};
use memory::{check_blocks, check_lists, check_lru, check_zones};
use numa::check_balancing;
use tasks::{check_io, check_tasks, check_zone_reclaim};

macro_rules! violations {
    ($($name:ident { $($field:ident: $ty:ty),+ } $text:literal;)+) => {
        /// A state that must never occur.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)] // the fields are the numbers its sentence names
        pub enum Violation { $(#[doc = $text] $name { $($field: $ty),+ },)+ }

        impl Violation {
            /// Names of all violations.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// The name of this violation.
            pub fn name(&self) -> &'static str {
                match self { $(Violation::$name { .. } => stringify!($name),)+ }
            }
        }

        impl fmt::Display for Violation {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Violation::$name { $($field),+ } => write!(f, $text),)+ }
            }
        }
    };
}

violations! {
    Unaligned { frame: FrameIndex, order: u8 } "the block at frame {frame} does not start at a multiple of its order {order}";
    LeavesZone { frame: FrameIndex, order: u8, zone: ZoneIndex } "the block of order {order} at frame {frame} reaches outside zone {zone}";
    Overlap { frame: FrameIndex, head: FrameIndex } "frame {frame} lies inside the block at {head} and is also a block of its own";
    Loose { frame: FrameIndex } "frame {frame} belongs to no block";
    ListLength { list: ListIndex, says: u32, found: u32 } "list {list} records {says} frames but has {found}";
    ListedTwice { frame: FrameIndex, list: ListIndex } "frame {frame} is on list {list} and on another";
    ListedWrongly { frame: FrameIndex, list: ListIndex } "frame {frame} is on list {list}, which its zone, order and use do not allow";
    Unlisted { frame: FrameIndex } "frame {frame} is free but not on any list";
    SlotAstray { frame: FrameIndex, slot: ListSlot } "frame {frame} refers to slot {slot}, which does not hold it";
    FreePages { zone: ZoneIndex, says: u32, found: u32 } "zone {zone} records {says} free pages but has {found}";
    FreeBlocks { zone: ZoneIndex, order: usize, says: u32, found: u32 } "zone {zone} records {says} free blocks of order {order} but has {found}";
    KindCount { zone: ZoneIndex, kind: PageKind, says: u32, found: u32 } "zone {zone} records {says} pages of kind {kind:?} but has {found}";
    ZoneLru { zone: ZoneIndex, says: [u32; 5], found: [u32; 5] } "zone {zone} records {says:?} pages on its LRU lists but has {found:?}";
    LruSize { owner: LruvecIndex, says: [u32; 5], found: [u32; 5] } "LRU owner {owner} records {says:?} pages on its lists but has {found:?}";
    Isolated { owner: LruvecIndex, says: [u32; 2], found: [u32; 2] } "LRU owner {owner} records {says:?} isolated pages but has {found:?}";
    DeviceDirty { device: usize, says: [u32; 2], found: [u32; 2] } "device {device} records {says:?} pages of its files as dirty and under writeback, but {found:?} are";
    Writeback { frame: FrameIndex, requests: u32 } "frame {frame} is in {requests} write requests, which contradicts its writeback flag";
    Requests { device: usize, says: [u32; 4], found: [u32; 4] } "device {device} records {says:?} asynchronous and synchronous requests, writes of other tasks and of kswapd, but has {found:?}";
    WaitsForNothing { frame: FrameIndex, task: TaskIndex } "task {task} waits for frame {frame}, which is neither locked nor being written";
    Managed { zone: ZoneIndex, says: u32, found: u32 } "zone {zone} records {says} managed pages but has {found}";
    PcpCount { zone: ZoneIndex, cpu: CpuIndex, says: u32, found: u32 } "CPU {cpu} records {says} pages of zone {zone} on its lists but has {found}";
    Unmerged { frame: FrameIndex, buddy: FrameIndex, order: u8 } "frames {frame} and {buddy} are free buddies of order {order} but not merged";
    BlockType { block: usize, migratetype: u8 } "pageblock {block} has type {migratetype}, which does not exist";
    Highatomic { zone: ZoneIndex, says: u32, found: u32 } "zone {zone} records {says} pages in HighAtomic blocks but has {found}";
    Boost { zone: ZoneIndex, boost: u32, most: u64 } "zone {zone} is boosted by {boost}, but at most {most} is allowed";
    Marks { zone: ZoneIndex, min: u32, low: u32, high: u32 } "zone {zone} has watermarks {min}, {low}, {high}, which do not increase";
    AllocBatch { zone: ZoneIndex, batch: i32, most: i32 } "zone {zone} has an allocation batch of {batch} pages, but at most {most} is allowed";
    NumaEvents { hits: u64, misses: u64, here: u64, foreign: u64 } "{hits} hits and {misses} misses, but {here} local or other, and {foreign} foreign";
    AllocatedPages { events: u64, found: u64 } "by the event counters {events} pages are allocated, but {found} are";
    Rss { space: usize, says: u32, found: u32 } "space {space} records {says} mapped pages, but {found} are";
    RssByNode { space: usize, says: ByNode, found: ByNode } "space {space} records {says:?} mapped pages by node, but {found:?} are";
    WrongOwner { frame: FrameIndex, space: usize } "space {space} holds frame {frame}, whose page record has another owner or use";
    HeldTwice { frame: FrameIndex } "frame {frame} is held in two places";
    Unheld { frame: FrameIndex, kind: PageKind } "frame {frame} is in use as {kind:?} but has no holder";
    InFlightLost { frame: FrameIndex } "frame {frame} is in flight but no task holds it";
    NotInFlight { frame: FrameIndex, task: usize } "task {task} holds frame {frame}, which is not in flight";
    Queues { task: usize, queues: usize } "task {task} is runnable but on {queues} queues of its CPU";
    Timers { task: usize, timers: usize } "task {task} sleeps but is on {timers} timers of its CPU";
    NotRunnable { task: TaskIndex, cpu: CpuIndex } "task {task} is on the run queue of CPU {cpu} but not runnable there";
    NotSleeping { task: TaskIndex, cpu: CpuIndex } "task {task} is on a timer of CPU {cpu} but not asleep there";
    Unwakeable { task: usize } "task {task} waits, but nothing can wake it";
    Frames { task: usize, frames: usize } "task {task} has {frames} call frames, which its state does not allow";
    CpuKey { cpu: CpuIndex } "the scheduler does not know when CPU {cpu} has something to do next";
    CpuRest { running: CpuIndex } "the scheduler treats CPUs as idle for longer than they are while CPU {running} runs";
    Placed { cpu: CpuIndex, says: u32, found: u32 } "CPU {cpu} records {says} tasks placed there, but {found} are";
    Threads { process: usize, says: usize, alive: usize } "process {process} records {says} living tasks, but {alive} or other tasks are alive";
    MutexTurns { process: usize, turns: usize, sleepers: usize } "the mutex of process {process} has {turns} turns that do not follow one another, or {sleepers} sleepers that nothing wakes";
    NotAllowed { task: usize, cpu: CpuIndex } "task {task} is on CPU {cpu}, which is not in its CPU mask";
    Marked { counted: u64, marked: u32 } "NUMA balancing is off, but {counted} entries were marked and {marked} still are";
    RateWindow { node: usize, pages: u64, most: u64 } "{pages} pages moved to node {node} in one window; the limit is {most}";
    ReclaimLocked { owner: LruvecIndex, says: bool, passes: usize } "LRU owner {owner} has a zone_reclaim mark of {says}, but {passes} passes are running";
    KswapdFlag { node: usize, awake: bool } "kswapd of node {node} has an awake flag of {awake}, which its task contradicts";
    Cached { frame: FrameIndex, file: u32 } "file {file} has frame {frame} in its cache, whose page record has another owner or use";
    Tree { file: u32, what: &'static str } "page cache of file {file}: {what}";
    DirtyPages { file: u32, says: u32, found: u32 } "file {file} records {says} dirty pages but has {found}";
    Users { file: u32, says: u32, found: u32 } "file {file} records {says} users but has {found}";
    SwapCached { frame: FrameIndex, slot: SwapSlot } "swap slot {slot} has frame {frame} in the cache, whose page record has another owner or use";
    SwapCount { slot: SwapSlot, says: u8, found: u32 } "swap slot {slot} records {says} entries but has {found}";
    SwapPlace { slot: SwapSlot } "swap slot {slot} refers to an address whose entry refers to another slot";
    Swapped { space: usize, says: u32, found: u32 } "space {space} records {says} swapped pages, but {found} are";
    Surveys { space: usize } "space {space} has a number for a range of pages that does not match its entries";
    SwapMap { free: u32 } "the map of swap slots does not agree with {free} free slots, its cache or its clusters";
    Slab { cache: usize, objects: u32 } "slab cache {cache} of {objects} objects does not agree with its slabs, its lists or the users of its objects";
    GaugeCount { zone: ZoneIndex, gauges: [u32; 7], found: [u32; 7] } "zone {zone} records {gauges:?} pages but has {found:?}";
    Mapped { frame: FrameIndex, says: bool } "frame {frame} has a mapped mark of {says}, which the page tables contradict";
    Generations { owner: LruvecIndex, max: u64, min: [u64; 2] } "LRU owner {owner} has generations up to {max}, from {min:?} on: these are too few or too many";
    GenPages { owner: LruvecIndex, zone: ZoneIndex, generation: usize, says: [u32; 2], found: [u32; 2] } "LRU owner {owner} records {says:?} pages of zone {zone} in generation {generation} but has {found:?}";
    GenFlags { frame: FrameIndex } "frame {frame} is in a generation, which its flags contradict";
    FreeCharged { frame: FrameIndex } "frame {frame} is free but charged to a memory cgroup";
    Charges { group: GroupIndex, says: u32, found: u32 } "memory cgroup {group} records {says} charged pages but has {found}";
    SwapCharges { group: GroupIndex, says: u32, found: u32 } "memory cgroup {group} records {says} charged swap slots but has {found}";
    ObjectBytes { group: GroupIndex, says: u64, found: u64 } "memory cgroup {group} records {says} bytes charged for slab objects but has {found}";
    ProtectedUsage { group: GroupIndex } "memory cgroup {group} has a sum of protected pages that its children contradict";
    Ungranted { wakes: usize, births: usize } "{wakes} wake-ups and {births} births were requested but not granted";
}

/// All violations of a machine between two steps; empty if there are none.
pub fn check(m: &Machine) -> Vec<Violation> {
    let mut found = Vec::new();
    let lists = check_lists(&m.w.mem, &mut found);
    check_blocks(m, &lists, &mut found);
    check_zones(m, &mut found);
    check_lru(m, &mut found);
    generations::check_generations(m, &mut found);
    check_events(m, &mut found);
    let mut held = vec![false; m.w.mem.pages.len()];
    check_spaces(m, &mut held, &mut found);
    check_hands(m, &mut held, &mut found);
    check_cache(m, &mut held, &mut found);
    check_swap(m, &mut held, &mut found);
    check_slab(m, &mut held, &mut found);
    check_gauges(m, &mut found);
    for (frame, page) in m.w.mem.pages.entries() {
        let kind = page.kind();
        // A page that its last user left with a reclaimer, or on a list, is freed by the task that
        // takes it next.
        let orphan = page.is_orphan() && page.meta & (flag::LRU | flag::ISOLATED) != 0;
        if kind >= PageKind::InFlight && !held[frame.index()] && !orphan {
            found.push(match kind {
                PageKind::InFlight => Violation::InFlightLost { frame },
                _ => Violation::Unheld { frame, kind },
            });
        }
    }
    memcg::check_memcg(m, &mut found);
    check_zone_reclaim(m, &mut found);
    check_io(m, &mut found);
    check_tasks(m, &mut found);
    check_balancing(m, &mut found);
    found
}
