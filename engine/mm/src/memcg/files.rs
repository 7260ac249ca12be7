//! The files of a cgroup as texts (mm/memcontrol.c, `memory_stat_format`, `__memory_events_show`;
//! kernel/sched/psi.c, `psi_show`).
//!
//! Modelled: memory.current, memory.stat, memory.events, memory.swap.current, memory.swap.events and
//! memory.pressure, with the rows of each kernel. All values include the cgroups below.
//! Left out: rows of mechanisms that are not modelled are 0. A kernel prints values that are up to two seconds
//! old; these are exact.
//! Invariants: printing changes nothing.

use std::fmt::Write;

use facts::index::GroupIndex;

use super::group::{Event, STATS, Stat};
use super::pressure::period_ns;
use crate::kernel::MemcgRule;
use crate::mmzone::{LRU_LISTS, PageKind, flag};
use crate::world::World;

/// Pages of a cgroup and those below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    /// Mapped anonymous pages.
    pub anon: u64,
    /// Pages of the page cache.
    pub file: u64,
    /// Of these, mapped ones.
    pub file_mapped: u64,
    /// Of these, dirty ones.
    pub file_dirty: u64,
    /// Of these, pages being written.
    pub file_writeback: u64,
    /// Pages in the swap cache.
    pub swapcached: u64,
    /// Pages on each LRU list.
    pub lru: [u64; LRU_LISTS],
}

/// Counts the pages of a cgroup and those below it.
pub fn sizes(w: &World, group: GroupIndex) -> Sizes {
    let mut sizes = Sizes::default();
    let memory = &w.memcg.memory;
    let below: Vec<bool> = memory
        .all
        .indices()
        .map(|g| memory.is_below(g, group))
        .collect();
    for (frame, page) in (0u32..).zip(&w.mem.pages) {
        if !below[w.mem.group_of(frame).index()] {
            continue;
        }
        let mut add = |sum: fn(&mut Sizes) -> &mut u64, is: bool| *sum(&mut sizes) += u64::from(is);
        let file = page.is(PageKind::File) && page.owner != crate::frames::NONE;
        add(
            |s| &mut s.anon,
            page.is(PageKind::Anon) && page.has(flag::MAPPED),
        );
        add(|s| &mut s.file, file);
        add(|s| &mut s.file_mapped, file && page.has(flag::MAPPED));
        add(|s| &mut s.file_dirty, file && page.has(flag::DIRTY));
        add(|s| &mut s.file_writeback, file && page.has(flag::WRITEBACK));
        add(|s| &mut s.swapcached, page.has(flag::SWAPCACHE));
        if page.has(flag::LRU) {
            sizes.lru[usize::from(page.lru())] += 1;
        }
    }
    sizes
}

/// A count summed over a cgroup and those below it.
fn summed(w: &World, group: GroupIndex, of: impl Fn(&super::group::Group) -> u64) -> u64 {
    let groups = w.memcg.groups.entries();
    let below = groups.filter(|(at, _)| w.memcg.memory.is_below(*at, group));
    below.map(|(_, group)| of(group)).sum()
}

/// An event of a cgroup and those below it.
pub fn events(w: &World, group: GroupIndex, event: Event) -> u64 {
    summed(w, group, |g| g.events[event as usize])
}

/// Counts of memory.stat of a cgroup and those below it, by [`Stat`].
pub fn stats(w: &World, group: GroupIndex) -> [u64; STATS] {
    std::array::from_fn(|i| summed(w, group, |g| g.stats[i]))
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

/// The rows in bytes.
fn size_rows(w: &World, group: GroupIndex, out: &mut String) {
    let s = sizes(w, group);
    let mut row = |name: &str, pages: u64| {
        let _ = writeln!(out, "{name} {}", bytes(w, pages));
    };
    row("anon", s.anon);
    row("file", s.file);
    for name in [
        "kernel",
        "kernel_stack",
        "pagetables",
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
    for name in ["slab_reclaimable", "slab_unreclaimable", "slab"] {
        row(name, 0);
    }
}
