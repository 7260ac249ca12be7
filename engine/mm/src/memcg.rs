//! Memory cgroups, version 2 (mm/memcontrol.c).
//!
//! Modelled: charges of anonymous pages, page cache, swap slots, page tables and the nodes of file trees;
//! the stock of each CPU; limits and the reclaim at a limit; effective protection; the pause above `memory.high`; the OOM killer of a cgroup;
//! events, statistics and pressure.
//! Left out: charges for other kernel memory (other slab objects, stacks); `memory.swap.high`; zswap;
//! huge pages; cgroups that are created or removed while the machine runs.
//! Visible difference: a cgroup with many open or written files has a little more room than in a kernel.
//! Invariants: a machine whose workload has no cgroups has no state here. The root is never charged for its
//! own pages and never protected; its counters are the sums over its children.

pub mod charge;
pub mod counter;
pub mod files;
pub mod group;
pub mod high;
pub mod kernel;
pub mod oom;
pub mod over_high;
pub mod pressure;
pub mod protection;
pub mod reclaim;
pub mod score;
pub mod stock;
pub mod tree;
pub mod walk;
pub mod write;

use facts::index::{CpuIndex, FrameIndex, GroupIndex, IndexVec, SwapSlot};
use facts::state::{CloneFrom, State};

use crate::frames::Context;
use crate::mmzone::PageKind;
use crate::vmscan::lru_gen::memcg_lru::MemcgLru;
use crate::world::{Facts, World};
use counter::{Counters, Limits};
use group::{Event, Group, Stat};
use stock::Stock;

/// Pages charged at once, of which the rest goes into the stock of the CPU (`MEMCG_CHARGE_BATCH`).
pub const BATCH: u32 = 64;

/// All memory cgroups of a machine; empty if its workload has none.
#[derive(Debug, PartialEq, Eq, Default, State, CloneFrom)]
pub struct Memcg {
    /// Memory, with its limits and protection.
    pub memory: Counters,
    /// Swap slots.
    pub swap: Counters,
    /// Events and statistics of each cgroup.
    pub groups: IndexVec<GroupIndex, Group>,
    /// Prepaid pages of each CPU.
    pub stocks: IndexVec<CpuIndex, Stock>,
    /// The cgroup that pays for each swap slot (`swap_cgroup`), 0 for none.
    pub slots: Vec<u8>,
    /// The cgroup that pays for each node of a file's tree, by its slab object, 0 for none.
    pub nodes: Vec<u8>,
    /// The order in which global reclaim visits them; from when the multi-generational LRU of 6.12 was first
    /// switched on.
    pub lru: Option<MemcgLru>,
    /// Where the last shared walk stopped, by cgroup and node (`mem_cgroup_reclaim_iter`).
    pub walks: Vec<u8>,
}

impl Memcg {
    /// The cgroups of a machine when it boots.
    pub fn new(facts: &Facts, cpus: u16) -> Self {
        let mut found = Self::default();
        if facts.groups.all.is_empty() {
            return found;
        }
        found.add(GroupIndex::NONE, Limits::default(), counter::UNLIMITED);
        for group in &facts.groups.all {
            let of = group.limits;
            let limits = Limits {
                max: of.max,
                high: of.high,
                low: of.low,
                min: of.min,
            };
            found.add(group.parent, limits, of.swap_max);
        }
        found.stocks = vec![Stock::default(); cpus.into()].into();
        found.walks = vec![0; found.groups.len() * facts.layout.nodes.len()];
        found
    }

    fn add(&mut self, parent: GroupIndex, limits: Limits, swap_max: u32) {
        let swap = Limits {
            max: swap_max,
            ..Limits::default()
        };
        self.memory.add(parent, limits);
        self.swap.add(parent, swap);
        self.groups.push(Group::default());
    }

    /// One of everything, for the test that changes each field.
    #[cfg(test)]
    pub(crate) fn fill(&mut self) {
        self.add(GroupIndex::NONE, Limits::default(), counter::UNLIMITED);
        self.stocks.push(Stock::default());
        self.slots.push(0);
        self.nodes.push(0);
        self.walks.push(0);
        self.lru = Some(MemcgLru::new(1, 2, 1));
    }

    /// Does the machine have cgroups?
    #[inline]
    pub fn is_on(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Counts an event of a cgroup (`memcg_memory_event`).
    pub fn event(&mut self, group: GroupIndex, event: Event) {
        self.groups[group].events[event as usize] += 1;
    }

    /// Gives all stocks of a cgroup and those below it back (`drain_all_stock`).
    pub fn drain(&mut self, group: GroupIndex) {
        let Self { memory, stocks, .. } = self;
        for stock in stocks.iter_mut().filter(|stock| stock.pages > 0) {
            if memory.path(stock.group).any(|at| at == group) {
                stock.drain(memory);
            }
        }
    }

    /// The cgroup that pays for a swap slot.
    pub fn of_slot(&self, slot: SwapSlot) -> GroupIndex {
        let found = self.slots.get(slot.index()).copied();
        GroupIndex::new(found.unwrap_or(0))
    }
}

/// The cgroup that a task is charged to (`get_mem_cgroup_from_mm`).
pub fn of_task(w: &World, cx: &Context) -> GroupIndex {
    let process = w.processes.all.get(cx.process as usize);
    process.map_or(GroupIndex::ROOT, |process| process.group)
}

/// Must a page for this cgroup be charged? The root's are not.
#[inline]
pub fn is_charged(w: &World, group: GroupIndex) -> bool {
    w.memcg.is_on() && !group.is_root()
}

/// Gives a page that was charged to its cgroup (`commit_charge`).
pub fn commit(w: &mut World, frame: FrameIndex, group: GroupIndex) {
    debug_assert!(w.mem.group_of(frame).is_root());
    w.mem.groups[frame] = group.get();
}

/// Uncharges a page that is about to be freed: straight from the counters (`mem_cgroup_uncharge`), or into
/// the stock of the CPU if it is a page table.
pub fn uncharge(w: &mut World, frame: FrameIndex) {
    let group = w.mem.group_of(frame);
    if group.is_root() {
        return;
    }
    w.mem.groups[frame] = 0;
    match w.mem.pages[frame].is(PageKind::PageTable) {
        true => kernel::give_pages(w, group, 1),
        false => w.memcg.memory.uncharge(group, 1),
    }
}

/// Moves the charge of a page to the page that replaces it (`mem_cgroup_migrate`).
pub fn migrate(w: &mut World, old: FrameIndex, new: FrameIndex) {
    let group = w.mem.group_of(old);
    if !group.is_root() {
        w.mem.groups[old] = 0;
        w.mem.groups[new] = group.get();
    }
}

/// Charges the cgroup of a page for its swap slot; false if a limit would be exceeded
/// (`mem_cgroup_try_charge_swap`).
pub fn try_charge_swap(w: &mut World, frame: FrameIndex, slot: SwapSlot) -> bool {
    let group = w.mem.group_of(frame);
    if group.is_root() {
        return true;
    }
    if let Err(full) = w.memcg.swap.try_charge(group, 1) {
        w.memcg.event(full, Event::SwapMax);
        w.memcg.event(full, Event::SwapFail);
        return false;
    }
    let slots = &mut w.memcg.slots;
    if slots.len() <= slot.index() {
        slots.resize((slot.index() + 1).next_multiple_of(256), 0);
    }
    slots[slot.index()] = group.get();
    true
}

/// A swap slot was freed: uncharges it (`mem_cgroup_uncharge_swap`).
pub fn uncharge_swap(w: &mut World, slot: SwapSlot) {
    let group = w.memcg.of_slot(slot);
    if !group.is_root() && !w.swap.in_use(slot) {
        w.memcg.swap.uncharge(group, 1);
        w.memcg.slots[slot.index()] = 0;
    }
}

/// Swap slots that pages of a cgroup may still use (`mem_cgroup_get_nr_swap_pages`).
pub fn swap_left(w: &World, group: GroupIndex) -> u32 {
    let free = w.swap.free_slots();
    let path = w.memcg.swap.path(group);
    path.map(|at| w.memcg.swap.all[at].margin())
        .fold(free, u32::min)
}

/// Is so much swap in use that the slot of a page is freed as soon as it is read back
/// (`mem_cgroup_swap_full`)?
pub fn swap_full(w: &World, frame: FrameIndex) -> bool {
    let half = |at: GroupIndex| {
        let counter = &w.memcg.swap.all[at];
        u64::from(counter.usage) * 2 >= u64::from(counter.limits.max)
    };
    w.swap.is_half_full() || w.memcg.swap.path(w.mem.group_of(frame)).any(half)
}

/// Counts something for a cgroup.
#[inline]
pub fn count(w: &mut World, group: GroupIndex, stat: Stat, by: u64) {
    if let Some(group) = w.memcg.groups.at_mut(group) {
        group.stats[stat as usize] += by;
    }
}

/// Counts something for the cgroup of a task.
#[inline]
pub fn count_task(w: &mut World, cx: &Context, stat: Stat) {
    if w.memcg.is_on() {
        let group = of_task(w, cx);
        count(w, group, stat, 1);
    }
}

/// Counts something for the cgroup of a page.
#[inline]
pub fn count_page(w: &mut World, frame: FrameIndex, stat: Stat) {
    if w.memcg.is_on() {
        let group = w.mem.group_of(frame);
        count(w, group, stat, 1);
    }
}

/// A task of a process begins (`by` 1) or ends (-1): it counts for the pressure of its cgroups.
pub fn count_tasks(w: &mut World, process: u32, by: i32) {
    if !w.memcg.is_on() {
        return;
    }
    let group = w.processes.all[process as usize].group;
    each_pressure(w, group, |pressure| {
        pressure.tasks = pressure.tasks.wrapping_add_signed(by);
    });
}

/// A task begins (`by` 1) or ends (-1) a stall for memory (`psi_memstall_enter`, `psi_memstall_leave`).
pub fn stall(w: &mut World, cx: &Context, by: i32) {
    let group = of_task(w, cx);
    each_pressure(w, group, |pressure| {
        pressure.stalled = pressure.stalled.wrapping_add_signed(by);
    });
}

fn each_pressure(w: &mut World, group: GroupIndex, change: impl Fn(&mut pressure::Pressure)) {
    let (now, period) = (w.now, pressure::period_ns(w.facts.hz));
    let Memcg { memory, groups, .. } = &mut w.memcg;
    for at in memory.path(group) {
        let pressure = &mut groups[at].pressure;
        pressure.advance(now, period);
        change(pressure);
    }
}
