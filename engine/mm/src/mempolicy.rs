//! On which CPUs a task may run and where its memory comes from (mm/mempolicy.c,
//! kernel/sched/core.c).
//!
//! Modelled: the CPU mask of a task and its memory policy: default, preferred, bound to nodes,
//! interleaved.
//! Left out: policies of regions (mbind) and of files, weights. With interleaving, a page table
//! comes from the node of its page, and all pages of one read or write call come from one node.
//! Visible difference: the nodes of page tables and cached pages of an interleaved task.
//! Invariants: a task whose mask was never set is at rest, and so is a task bound with `bind`.

use crate::frames::Context;
use crate::workload::Policy;
use crate::world::{Facts, World};
use facts::index::{CpuIndex, FrameIndex, NodeIndex, ZonelistIndex};

/// Index of NUMA_INTERLEAVE_HIT in a zone's NUMA counters.
const NUMA_INTERLEAVE: usize = 3;

impl Facts {
    fn nodes(&self) -> usize {
        self.layout.nodes.len()
    }

    /// The mask of these CPUs; an empty list means any CPU.
    pub fn mask_of(&self, cpus: &[CpuIndex]) -> u16 {
        // A node without CPUs also has an empty mask.
        let of_some = !cpus.is_empty();
        let known = self
            .cpu_masks
            .iter()
            .position(|mask| of_some && mask == cpus);
        known.unwrap_or(self.nodes()) as u16
    }

    /// The default mask of a task whose memory is bound to this node.
    fn implied(&self, bound_node: ZonelistIndex) -> u16 {
        match bound_node {
            ZonelistIndex::NONE => self.nodes() as u16,
            bound => u16::from(bound.get()) % self.nodes() as u16,
        }
    }

    /// The CPU mask of a task: the one that was set, or the default.
    pub fn mask_in_force(&self, cx: &Context) -> u16 {
        match cx.allowed {
            u16::MAX => self.implied(cx.bound_node),
            set => set,
        }
    }

    /// The CPUs a task may run on.
    pub fn cpus_of(&self, cx: &Context) -> &[CpuIndex] {
        &self.cpu_masks[usize::from(self.mask_in_force(cx))]
    }

    /// May a task run on this CPU?
    pub fn may_run(&self, cx: &Context, cpu: CpuIndex) -> bool {
        (cx.allowed, cx.bound_node) == (u16::MAX, ZonelistIndex::NONE)
            || self.cpus_of(cx).contains(&cpu)
    }

    /// Sets the CPU mask of a task (`set_cpus_allowed_ptr`).
    pub fn allow(&self, cx: &mut Context, mask: u16) {
        let is_set = mask != self.implied(cx.bound_node);
        cx.allowed = if is_set { mask } else { u16::MAX };
    }

    /// Sets the memory policy of a task; the CPUs it may run on stay the same (`do_set_mempolicy`).
    pub fn set_policy(&self, cx: &mut Context, policy: Policy, sets: &[Vec<NodeIndex>]) {
        let mask = self.mask_in_force(cx);
        let number = |which: u32| {
            let set = &sets[which as usize];
            self.node_sets.iter().position(|known| known == set)
        };
        (cx.interleave, cx.il_prev) = (u16::MAX, NodeIndex::default());
        cx.bound_node = match policy {
            Policy::Default => ZonelistIndex::NONE,
            Policy::Preferred { node } => node.zonelist(),
            Policy::Bind { which } => match (sets[which as usize].as_slice(), number(which)) {
                (&[node], _) => ZonelistIndex::new(self.nodes() as u8 + node.get()),
                // Sets of several nodes come first, each with one zonelist for every node.
                (_, Some(set)) => ZonelistIndex::new(((2 + set) * self.nodes()) as u8),
                (_, None) => ZonelistIndex::NONE,
            },
            Policy::Interleave { which } => {
                cx.interleave = number(which).map_or(u16::MAX, |set| set as u16);
                // The first node of the set is next.
                cx.il_prev = NodeIndex::NONE;
                ZonelistIndex::NONE
            }
        };
        self.allow(cx, mask);
    }
}

/// Zonelist of a request that is not for a page of a region (`alloc_pages`). For an interleaved
/// task, the next of its nodes serves it (`interleave_nodes`).
pub fn zonelist(w: &World, cx: &mut Context) -> ZonelistIndex {
    if cx.interleave != u16::MAX {
        let set = &w.facts.node_sets[usize::from(cx.interleave)];
        let next = set.iter().find(|&&node| node > cx.il_prev);
        cx.il_prev = next.or(set.first()).copied().unwrap_or_default();
        return cx.il_prev.zonelist();
    }
    bound(w, cx)
}

/// Zonelist of a request for this page of a region, in units of the requested block
/// (`alloc_pages_vma`). For interleaved memory, the position in the region decides
/// (`offset_il_node`).
#[inline]
pub fn zonelist_of_page(w: &World, cx: &Context, page: u32) -> ZonelistIndex {
    if cx.interleave == u16::MAX {
        return bound(w, cx);
    }
    let set = &w.facts.node_sets[usize::from(cx.interleave)];
    set[page as usize % set.len()].zonelist()
}

/// Zonelist of a request for this page of a region. If numa/core places the task, numa/core also
/// decides where its memory lies, unless the task has its own policy.
#[inline]
pub fn zonelist_at(w: &World, cx: &Context, (region, page): (u32, u32)) -> ZonelistIndex {
    let is_placed = w.numa.on && crate::numa::filter::has_local_policy(w, cx);
    let placed = is_placed.then(|| crate::numa::core_fault::allocation_node(w, cx, (region, page)));
    placed
        .flatten()
        .map(NodeIndex::zonelist)
        .unwrap_or_else(|| zonelist_of_page(w, cx, page))
}

#[inline]
fn bound(w: &World, cx: &Context) -> ZonelistIndex {
    match cx.bound_node {
        ZonelistIndex::NONE => w.local_node().zonelist(),
        set if set.index() >= 2 * w.facts.layout.nodes.len() => {
            ZonelistIndex::new(set.get() + w.local_node().get())
        }
        node => node,
    }
}

/// Counts an interleaved block that was requested from `node`, if it came from that node
/// (`alloc_page_interleave`).
pub fn interleaved(w: &mut World, cx: &Context, frame: FrameIndex, list: ZonelistIndex) {
    if cx.interleave == u16::MAX {
        return;
    }
    let zone = w.mem.pages[frame].zone();
    let zone = &mut w.mem.zones[zone];
    if zone.node.zonelist() == list {
        zone.numa[NUMA_INTERLEAVE] += 1;
    }
}
