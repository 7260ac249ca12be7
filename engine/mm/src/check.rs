//! Invariants: a recount of everything the engine keeps count of, from the raw page array.
//!
//! Modelled: what must hold between any two steps: each page in one place, counters equal to the
//! recount, free blocks merged as far as the era merges, every task able to go on.
//! Left out: whether the *right* page was taken; the worked examples test that.
//! Invariants: reads only; a machine that passed stays as it was.

mod held;
mod memory;
mod numa;
mod tasks;

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
        /// Something that must never be.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)] // the fields are the numbers its sentence names
        pub enum Violation { $(#[doc = $text] $name { $($field: $ty),+ },)+ }

        impl Violation {
            /// Names of all of them.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// The name of this one.
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
    Unaligned { frame: u32, order: u8 } "the block at frame {frame} does not start at a multiple of its order {order}";
    LeavesZone { frame: u32, order: u8, zone: u8 } "the block of order {order} at frame {frame} reaches outside zone {zone}";
    Overlap { frame: u32, head: u32 } "frame {frame} lies inside the block at {head} and is a block of its own";
    Loose { frame: u32 } "frame {frame} belongs to no block";
    ListLength { list: u32, says: u32, found: u32 } "list {list} says {says} frames and has {found}";
    ListedTwice { frame: u32, list: u32 } "frame {frame} is on list {list} and on another";
    ListedWrongly { frame: u32, list: u32 } "frame {frame} is on list {list}, which its zone, order and use do not allow";
    Unlisted { frame: u32 } "frame {frame} is free but on no list";
    SlotAstray { frame: u32, slot: u32 } "frame {frame} names slot {slot}, which does not hold it";
    FreePages { zone: usize, says: u32, found: u32 } "zone {zone} says {says} free pages and has {found}";
    FreeBlocks { zone: usize, order: usize, says: u32, found: u32 } "zone {zone} says {says} free blocks of order {order} and has {found}";
    KindCount { zone: usize, kind: PageKind, says: u32, found: u32 } "zone {zone} says {says} pages of kind {kind:?} and has {found}";
    ZoneLru { zone: usize, says: [u32; 5], found: [u32; 5] } "zone {zone} says {says:?} pages on its LRU lists and has {found:?}";
    LruSize { owner: usize, says: [u32; 5], found: [u32; 5] } "LRU owner {owner} says {says:?} pages on its lists and has {found:?}";
    Isolated { owner: usize, says: [u32; 2], found: [u32; 2] } "LRU owner {owner} says {says:?} pages are isolated and has {found:?}";
    DeviceDirty { device: usize, says: [u32; 2], found: [u32; 2] } "device {device} says {says:?} pages of its files are dirty and under writeback, {found:?} are";
    Writeback { frame: u32, requests: u32 } "frame {frame} is in {requests} requests to write it, which its flag does not allow";
    Requests { device: usize, says: [u32; 4], found: [u32; 4] } "device {device} counts {says:?} requests that are asynchronous, synchronous, writes of others and of kswapd, {found:?} are";
    WaitsForNothing { frame: u32, task: u32 } "task {task} waits for frame {frame}, which is neither locked nor being written";
    Managed { zone: usize, says: u32, found: u32 } "zone {zone} manages {says} pages but has {found}";
    PcpCount { zone: usize, cpu: usize, says: u32, found: u32 } "CPU {cpu} says {says} pages of zone {zone} on its lists and has {found}";
    Unmerged { frame: u32, buddy: u32, order: u8 } "frames {frame} and {buddy} are free buddies of order {order} and not merged";
    BlockType { block: usize, migratetype: u8 } "pageblock {block} has type {migratetype}, which does not exist";
    Highatomic { zone: usize, says: u32, found: u32 } "zone {zone} says {says} pages in HighAtomic blocks and has {found}";
    Boost { zone: usize, boost: u32, most: u64 } "zone {zone} is boosted by {boost}, at most {most} is allowed";
    Marks { zone: usize, min: u32, low: u32, high: u32 } "zone {zone} has marks {min}, {low}, {high}, which do not rise";
    AllocBatch { zone: usize, batch: i32, most: i32 } "zone {zone} may give {batch} pages in its turn, at most {most} is allowed";
    NumaEvents { hits: u64, misses: u64, here: u64, foreign: u64 } "{hits} hits and {misses} misses, but {here} local or other and {foreign} foreign";
    AllocatedPages { events: u64, found: u64 } "events say {events} pages are allocated, {found} are";
    Rss { space: usize, says: u32, found: u32 } "space {space} says {says} pages are mapped, {found} are";
    RssByNode { space: usize, says: ByNode, found: ByNode } "space {space} says {says:?} pages are mapped by node, {found:?} are";
    WrongOwner { frame: u32, space: usize } "space {space} holds frame {frame}, whose record names another place or use";
    HeldTwice { frame: u32 } "frame {frame} is held at two places";
    Unheld { frame: u32, kind: PageKind } "frame {frame} is in use as {kind:?} but nobody holds it";
    InFlightLost { frame: u32 } "frame {frame} is in flight but no task has it in hand";
    NotInFlight { frame: u32, task: usize } "task {task} has frame {frame} in hand, which is not in flight";
    Queues { task: usize, queues: usize } "task {task} is runnable and on {queues} queues of its CPU";
    Timers { task: usize, timers: usize } "task {task} sleeps on {timers} timers of its CPU";
    NotRunnable { task: u32, cpu: usize } "task {task} is on the run queue of CPU {cpu} but not runnable there";
    NotSleeping { task: u32, cpu: usize } "task {task} is on a timer of CPU {cpu} but not asleep there";
    Unwakeable { task: usize } "task {task} waits, but nobody can wake it";
    Frames { task: usize, frames: usize } "task {task} has {frames} frames, which its state does not allow";
    CpuKey { cpu: usize } "the scheduler does not know when CPU {cpu} has something to do next";
    CpuRest { running: u16 } "the scheduler takes CPUs for idle longer than they are while CPU {running} runs";
    Placed { cpu: usize, says: u32, found: u32 } "CPU {cpu} says {says} tasks are placed there, {found} are";
    Threads { process: usize, says: usize, alive: usize } "process {process} says {says} of its tasks are alive, {alive} are, or others than it says";
    MutexTurns { process: usize, turns: usize, sleepers: usize } "the mutex of process {process} has {turns} turns that do not follow one another, or {sleepers} sleepers nobody wakes";
    NotAllowed { task: usize, cpu: u16 } "task {task} is on CPU {cpu}, which its mask does not have";
    Marked { counted: u64, marked: u32 } "the kernel does not balance, but {counted} entries were marked, and {marked} are";
    RateWindow { node: usize, pages: u64, most: u64 } "{pages} pages moved to node {node} in a window, more than {most}";
    ReclaimLocked { owner: usize, says: bool, passes: usize } "LRU owner {owner} is marked as being reclaimed by zone_reclaim: {says}, but {passes} passes are under way";
    KswapdFlag { node: usize, awake: bool } "kswapd of node {node} is marked awake: {awake}, but its task is not so";
    Cached { frame: u32, file: u32 } "file {file} has frame {frame} in its cache, whose record names another place or use";
    Tree { file: u32, what: &'static str } "page cache of file {file}: {what}";
    DirtyPages { file: u32, says: u32, found: u32 } "file {file} says {says} dirty pages and has {found}";
    Users { file: u32, says: u32, found: u32 } "file {file} says {says} users and has {found}";
    SwapCached { frame: u32, slot: u32 } "swap slot {slot} has frame {frame} in the cache, whose record names another place or use";
    SwapCount { slot: u32, says: u8, found: u32 } "swap slot {slot} says {says} entries and has {found}";
    SwapPlace { slot: u32 } "swap slot {slot} names a place whose entry names another";
    Swapped { space: usize, says: u32, found: u32 } "space {space} says {says} pages are swapped, {found} are";
    Surveys { space: usize } "space {space} keeps of a range of pages another number than its entries give";
    SwapMap { free: u32 } "the map of swap slots does not agree with {free} free slots, its cache or its clusters";
    Slab { cache: usize, objects: u32 } "slab cache {cache} of {objects} objects does not agree with its slabs, its lists or what its objects are for";
    GaugeCount { zone: usize, gauges: [u32; 7], found: [u32; 7] } "zone {zone} counts {gauges:?} pages and has {found:?}";
    Mapped { frame: u32, says: bool } "frame {frame} is marked mapped: {says}, which no entry, or one, says otherwise";
    Ungranted { wakes: usize, births: usize } "{wakes} wake-ups and {births} births were asked for and not granted";
}

/// Everything that is wrong with a machine between two steps; empty when nothing is.
pub fn check(m: &Machine) -> Vec<Violation> {
    let mut found = Vec::new();
    let lists = check_lists(&m.w.mem, &mut found);
    check_blocks(m, &lists, &mut found);
    check_zones(m, &mut found);
    check_lru(m, &mut found);
    check_events(m, &mut found);
    let mut held = vec![false; m.w.mem.pages.len()];
    check_spaces(m, &mut held, &mut found);
    check_hands(m, &mut held, &mut found);
    check_cache(m, &mut held, &mut found);
    check_swap(m, &mut held, &mut found);
    check_slab(m, &mut held, &mut found);
    check_gauges(m, &mut found);
    for (frame, page) in (0u32..).zip(&m.w.mem.pages) {
        let kind = page.kind();
        // What its last user left in a reclaimer's hands, or on the lists, the next one frees.
        let orphan = page.is_orphan() && page.meta & (flag::LRU | flag::ISOLATED) != 0;
        if kind >= PageKind::InFlight && !held[frame as usize] && !orphan {
            found.push(match kind {
                PageKind::InFlight => Violation::InFlightLost { frame },
                _ => Violation::Unheld { frame, kind },
            });
        }
    }
    check_zone_reclaim(m, &mut found);
    check_io(m, &mut found);
    check_tasks(m, &mut found);
    check_balancing(m, &mut found);
    found
}
