//! The files of a cgroup as texts (mm/memcontrol.c, `memory_stat_format`, `__memory_events_show`;
//! kernel/sched/psi.c, `psi_show`).
//!
//! Modelled: memory.current, memory.stat, memory.events, memory.swap.current, memory.swap.events and
//! memory.pressure, with the rows of each kernel. All values include the cgroups below.
//! Left out: rows of mechanisms that are not modelled are 0. A kernel prints values that are up to two seconds
//! old; these are exact.
//! Invariants: printing changes nothing.

use std::fmt::Write;

use facts::index::{GroupIndex, IndexVec};

use super::group::{Event, STATS, Stat};
use super::pressure::period_ns;
use crate::kernel::MemcgRule;
use crate::mmzone::{LRU_LISTS, Page, PageKind, flag};
use crate::world::World;

/// Numbers of pages of a cgroup and its descendants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    /// Mapped anonymous pages.
    pub anon: u64,
    /// Pages of the page cache.
    pub file: u64,
    /// Number of these file pages that are mapped.
    pub file_mapped: u64,
    /// Number of these file pages that are dirty.
    pub file_dirty: u64,
    /// Number of these file pages that are under writeback.
    pub file_writeback: u64,
    /// Pages in the swap cache.
    pub swapcached: u64,
    /// Page tables.
    pub pagetables: u64,
    /// Pages on each LRU list.
    pub lru: [u64; LRU_LISTS],
}

impl Sizes {
    fn count(&mut self, page: &Page, lru: u8) {
        let file = page.is(PageKind::File) && page.owner != crate::frames::NONE;
        let anon = page.is(PageKind::Anon) && page.has(flag::MAPPED);
        self.anon += u64::from(anon);
        self.file += u64::from(file);
        self.file_mapped += u64::from(file && page.has(flag::MAPPED));
        self.file_dirty += u64::from(file && page.has(flag::DIRTY));
        self.file_writeback += u64::from(file && page.has(flag::WRITEBACK));
        self.pagetables += u64::from(page.is(PageKind::PageTable));
        self.swapcached += u64::from(page.has(flag::SWAPCACHE));
        if page.has(flag::LRU) {
            self.lru[usize::from(lru)] += 1;
        }
    }

    fn add(&mut self, other: &Self) {
        self.anon += other.anon;
        self.file += other.file;
        self.file_mapped += other.file_mapped;
        self.file_dirty += other.file_dirty;
        self.file_writeback += other.file_writeback;
        self.pagetables += other.pagetables;
        self.swapcached += other.swapcached;
        for (all, pages) in self.lru.iter_mut().zip(other.lru) {
            *all += pages;
        }
    }
}

/// Counts the pages of each cgroup and its descendants.
pub fn all_sizes(w: &World) -> IndexVec<GroupIndex, Sizes> {
    let memory = &w.memcg.memory.all;
    let mut sizes = IndexVec::from(vec![Sizes::default(); memory.len()]);
    for (frame, page) in w.mem.pages.entries() {
        sizes[w.mem.group_of(frame)].count(page, w.mem.counted_as(frame));
    }
    // Parents come before their children.
    for index in (1..memory.len()).rev() {
        let group = GroupIndex::new(index as u8);
        let own = sizes[group];
        if let Some(parent) = sizes.at_mut(memory[group].parent) {
            parent.add(&own);
        }
    }
    sizes
}

/// Counts the pages of a cgroup and its descendants.
pub fn sizes(w: &World, group: GroupIndex) -> Sizes {
    all_sizes(w)[group]
}

/// A count summed over a cgroup and its descendants.
fn summed(w: &World, group: GroupIndex, of: impl Fn(&super::group::Group) -> u64) -> u64 {
    let groups = w.memcg.groups.entries();
    let below = groups.filter(|(at, _)| w.memcg.memory.is_below(*at, group));
    below.map(|(_, group)| of(group)).sum()
}

/// Count of an event, summed over a cgroup and its descendants.
pub fn events(w: &World, group: GroupIndex, event: Event) -> u64 {
    summed(w, group, |g| g.events[event as usize])
}

/// Counts of memory.stat of a cgroup and its descendants, by [`Stat`].
pub fn stats(w: &World, group: GroupIndex) -> [u64; STATS] {
    std::array::from_fn(|i| summed(w, group, |g| g.stats[i]))
}

/// A file of a cgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupFile {
    /// `memory.current`.
    Current,
    /// `memory.stat`.
    Stat,
    /// `memory.events`.
    Events,
    /// `memory.pressure`.
    Pressure,
    /// `memory.swap.current`.
    SwapCurrent,
    /// `memory.swap.events`.
    SwapEvents,
}

impl GroupFile {
    /// The files by name.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("memory.current", Self::Current),
        ("memory.stat", Self::Stat),
        ("memory.events", Self::Events),
        ("memory.pressure", Self::Pressure),
        ("memory.swap.current", Self::SwapCurrent),
        ("memory.swap.events", Self::SwapEvents),
    ];

    /// The text of this file; `None` if there is no such cgroup.
    pub fn print(self, w: &World, group: GroupIndex) -> Option<String> {
        match self {
            Self::Current => memory_current(w, group),
            Self::Stat => memory_stat(w, group),
            Self::Events => memory_events(w, group),
            Self::Pressure => memory_pressure(w, group),
            Self::SwapCurrent => swap_current(w, group),
            Self::SwapEvents => swap_events(w, group),
        }
    }
}

fn bytes(w: &World, pages: u64) -> u64 {
    (pages * w.facts.layout.geometry.page_kib()) << 10
}

/// `memory.current`; the root has none.
pub fn memory_current(w: &World, group: GroupIndex) -> Option<String> {
    let counter = w.memcg.memory.all.at(group).filter(|_| !group.is_root())?;
    Some(format!("{}\n", bytes(w, counter.usage.into())))
}

/// `memory.swap.current`; the root has none.
pub fn swap_current(w: &World, group: GroupIndex) -> Option<String> {
    let counter = w.memcg.swap.all.at(group).filter(|_| !group.is_root())?;
    Some(format!("{}\n", bytes(w, counter.usage.into())))
}

/// `memory.events`; the root has none.
pub fn memory_events(w: &World, group: GroupIndex) -> Option<String> {
    let rows = [
        ("low", Event::Low),
        ("high", Event::High),
        ("max", Event::Max),
        ("oom", Event::Oom),
        ("oom_kill", Event::OomKill),
        ("oom_group_kill", Event::OomGroupKill),
    ];
    event_rows(w, group, &rows)
}

/// `memory.swap.events`; the root has none.
pub fn swap_events(w: &World, group: GroupIndex) -> Option<String> {
    let rows = [("max", Event::SwapMax), ("fail", Event::SwapFail)];
    let rows = event_rows(w, group, &rows)?;
    Some(format!("high 0\n{rows}"))
}

fn event_rows(w: &World, group: GroupIndex, rows: &[(&str, Event)]) -> Option<String> {
    if group.is_root() || w.memcg.groups.at(group).is_none() {
        return None;
    }
    let mut out = String::new();
    for (name, event) in rows {
        let _ = writeln!(out, "{name} {}", events(w, group, *event));
    }
    Some(out)
}

/// `memory.pressure`.
pub fn memory_pressure(w: &World, group: GroupIndex) -> Option<String> {
    let mut pressure = w.memcg.groups.at(group)?.pressure;
    pressure.advance(w.now, period_ns(w.facts.hz));
    Some(pressure.some.line("some") + &pressure.full.line("full"))
}

/// `memory.stat`.
pub fn memory_stat(w: &World, group: GroupIndex) -> Option<String> {
    w.memcg.groups.at(group)?;
    let mut out = String::new();
    size_rows(w, group, &mut out);
    let stats = stats(w, group);
    let of = |stat: Stat| stats[stat as usize];
    let new = w.facts.features.memcg == MemcgRule::SharedWalk;
    let mut row = |name: &str, value: u64| {
        let _ = writeln!(out, "{name} {value}");
    };
    for (name, stat) in [
        ("workingset_refault_anon", Stat::RefaultAnon),
        ("workingset_refault_file", Stat::RefaultFile),
        ("workingset_activate_anon", Stat::ActivateAnon),
        ("workingset_activate_file", Stat::ActivateFile),
        ("workingset_restore_anon", Stat::RestoreAnon),
        ("workingset_restore_file", Stat::RestoreFile),
    ] {
        row(name, of(stat));
    }
    row("workingset_nodereclaim", 0);
    if new {
        for name in DEMOTIONS {
            row(name, 0);
        }
    }
    let [scan, direct] = [Stat::ScanKswapd, Stat::ScanDirect].map(of);
    let [steal, stolen] = [Stat::StealKswapd, Stat::StealDirect].map(of);
    row("pgscan", scan + direct);
    row("pgsteal", steal + stolen);
    row("pgscan_kswapd", scan);
    row("pgscan_direct", direct);
    if new {
        row("pgscan_khugepaged", 0);
    }
    row("pgsteal_kswapd", steal);
    row("pgsteal_direct", stolen);
    if new {
        row("pgsteal_khugepaged", 0);
    }
    for (name, stat) in [
        ("pgfault", Stat::Fault),
        ("pgmajfault", Stat::MajorFault),
        ("pgrefill", Stat::Refill),
        ("pgactivate", Stat::Activate),
        ("pgdeactivate", Stat::Deactivate),
    ] {
        row(name, of(stat));
    }
    let rest = if new { REST_6_12 } else { REST_6_1 };
    for name in rest {
        row(name, 0);
    }
    Some(out)
}

const DEMOTIONS: [&str; 4] = [
    "pgdemote_kswapd",
    "pgdemote_direct",
    "pgdemote_khugepaged",
    "pgpromote_success",
];
const REST_6_1: &[&str] = &[
    "pglazyfree",
    "pglazyfreed",
    "zswpin",
    "zswpout",
    "thp_fault_alloc",
    "thp_collapse_alloc",
];
const REST_6_12: &[&str] = &[
    "pglazyfree",
    "pglazyfreed",
    "swpin_zero",
    "swpout_zero",
    "zswpin",
    "zswpout",
    "zswpwb",
    "thp_fault_alloc",
    "thp_collapse_alloc",
    "thp_swpout",
    "thp_swpout_fallback",
    "numa_pages_migrated",
    "numa_pte_updates",
    "numa_hint_faults",
];

/// Rows of memory.stat in bytes.
fn size_rows(w: &World, group: GroupIndex, out: &mut String) {
    let s = sizes(w, group);
    let objects = super::kernel::objects(w, group);
    let mut row = |name: &str, pages: u64| {
        let _ = writeln!(out, "{name} {}", bytes(w, pages));
    };
    row("anon", s.anon);
    row("file", s.file);
    row("kernel", s.pagetables + u64::from(objects.pages));
    row("kernel_stack", 0);
    row("pagetables", s.pagetables);
    for name in [
        "sec_pagetables",
        "percpu",
        "sock",
        "vmalloc",
        "shmem",
        "zswap",
        "zswapped",
    ] {
        row(name, 0);
    }
    row("file_mapped", s.file_mapped);
    row("file_dirty", s.file_dirty);
    row("file_writeback", s.file_writeback);
    row("swapcached", s.swapcached);
    for name in ["anon_thp", "file_thp", "shmem_thp"] {
        row(name, 0);
    }
    let lists = [
        "inactive_anon",
        "active_anon",
        "inactive_file",
        "active_file",
        "unevictable",
    ];
    for (name, pages) in lists.into_iter().zip(s.lru) {
        row(name, pages);
    }
    for (name, bytes) in [
        ("slab_reclaimable", objects.used),
        ("slab_unreclaimable", 0),
        ("slab", objects.used),
    ] {
        let _ = writeln!(out, "{name} {bytes}");
    }
}
