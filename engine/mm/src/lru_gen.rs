//! The multi-generational LRU outside reclaim: its switch, uses through file descriptors, promotion
//! (mm/vmscan.c, mm/swap.c; from 6.1).
//!
//! Modelled: switching it on and off while the machine runs, the tiers that pages reach by read(),
//! promotion to the youngest generation, which clears these uses.
//! Left out: the lock under which pages move between kinds of lists: the switch takes one step.
//! Visible difference: none.
//! Invariants: switching keeps every page's type and zone; pages of the two youngest generations
//! become active, all others inactive.

use crate::kernel::LruGenRule;
use crate::mmzone::{LRU_LISTS, LRU_UNEVICTABLE, LruGen, MAX_NR_GENS, flag, gen_of_seq};
use crate::record::decisions;
use crate::swap::Accessed;
use crate::vmscan::lru_gen::memcg_lru;
use crate::vmscan::{ANON, FILE};
use crate::world::World;
use facts::index::{FrameIndex, LruvecIndex, TaskIndex, ZoneIndex};

decisions! {
    LruGenSwitched { on: Flag }
        "The multi-generational LRU is now in use: {on}. All pages move to its lists, or back to the classic lists.";
}

/// Capability: the multi-generational LRU itself (`LRU_GEN_CORE`).
pub const CORE: u64 = 1;
/// Capability: walks over page tables (`LRU_GEN_MM_WALK`).
pub const MM_WALK: u64 = 2;
/// Capability: accessed bits of page-table directories (`LRU_GEN_NONLEAF_YOUNG`).
pub const NONLEAF_YOUNG: u64 = 4;

/// Is this capability switched on, and does the hardware support it?
pub fn has(w: &World, capability: u64) -> bool {
    w.tunables.lru_gen_enabled & w.facts.lru_gen_mask & capability != 0
}

/// Applies `lru_gen.enabled` (`lru_gen_change_state`).
pub fn switch(w: &mut World) {
    let on = has(w, CORE) && w.facts.features.lru_gen.is_modelled();
    if on == w.mem.lru_gen_on {
        return;
    }
    w.mem.lru_gen_on = on;
    let owners: Vec<LruvecIndex> = w.mem.lruvecs.indices().collect();
    if on {
        let pages = w.mem.pages.len();
        w.mem.gen_bits.grow(pages, Default::default());
        if w.memcg.is_on() && w.facts.features.lru_gen == LruGenRule::AgesWithin {
            memcg_lru::make(w);
        }
        w.lru_gen_last = vec![TaskIndex::NONE; w.sched.cpus.len()].into();
        for process in &mut w.processes.all {
            process.ran_on = u32::MAX;
        }
    }
    for owner in owners {
        if on {
            let zone_types = match w.memcg.is_on() {
                true => w.facts.layout.zone_types.len(),
                false => 0,
            };
            let gens = &mut w.mem.lruvecs[owner].lru_gen;
            gens.get_or_insert_with(|| LruGen::of_group(zone_types));
            fill(w, owner);
        } else {
            drain(w, owner);
        }
    }
    w.record(LruGenSwitched { on });
}

/// Records that the running CPU begins to run a task of a process: walks over page tables skip
/// processes that have not run (`lru_gen_use_mm`).
pub(crate) fn use_mm(w: &mut World, process: u32) {
    let cpu = w.cpu;
    let is_interrupt = w.sched.cpus[cpu].irq_task == w.task;
    if is_interrupt || w.lru_gen_last[cpu] == w.task {
        return;
    }
    w.lru_gen_last[cpu] = w.task;
    if let Some(process) = w.processes.all.get_mut(process as usize) {
        process.ran_on = u32::MAX;
    }
}

/// Moves the pages of the classic lists to generations, each list from its tail (`fill_evictable`).
fn fill(w: &mut World, owner: LruvecIndex) {
    for lru in (0..LRU_LISTS as u8).filter(|&lru| lru != LRU_UNEVICTABLE) {
        while let Some(frame) = w.mem.lists.tail(w.mem.lru_list(owner, lru)) {
            w.mem.lru_del(frame);
            w.mem.lru_add(frame);
        }
    }
}

/// Moves the pages of generations to the classic lists, each list from its tail (`drain_evictable`).
fn drain(w: &mut World, owner: LruvecIndex) {
    let zones: Vec<ZoneIndex> = w.mem.zones_of(owner).collect();
    for generation in 0..MAX_NR_GENS {
        for file in [ANON, FILE] {
            for &zone in &zones {
                while let Some(frame) = w
                    .mem
                    .lists
                    .tail(w.mem.gen_list(owner, zone, generation, file))
                {
                    w.mem.lru_gen_del(frame, false);
                    w.mem.lru_add(frame);
                }
            }
        }
    }
}

/// Counts a use through a file descriptor: the first sets PG_referenced, the second PG_workingset,
/// and up to three more are counted (`folio_inc_refs`). The page does not move.
pub(crate) fn inc_refs(w: &mut World, frame: FrameIndex) -> Accessed {
    let bits = w.mem.gen_bits(frame);
    let page = &mut w.mem.pages[frame];
    if page.has(flag::UNEVICTABLE) {
        return Accessed::Unchanged;
    }
    if !page.has(flag::REFERENCED) {
        page.set(flag::REFERENCED);
        return Accessed::Referenced;
    }
    if !page.has(flag::WORKINGSET) {
        page.set(flag::WORKINGSET);
    } else if bits.refs() < 3 {
        w.mem.gen_bits[frame] = bits.with_refs(bits.refs() as u8 + 1);
    }
    Accessed::Unchanged
}

/// Clears all uses of a page through file descriptors.
pub(crate) fn clear_uses(w: &mut World, frame: FrameIndex) {
    w.mem.gen_bits[frame] = w.mem.gen_bits(frame).with_refs(0);
    w.mem.pages[frame].clear(flag::REFERENCED | flag::WORKINGSET);
}

/// Moves a page whose accessed bit was set to the youngest generation; it stays on its list
/// (`folio_update_gen`). An isolated page gets PG_referenced instead. Returns true if the page was
/// in an older generation.
pub(crate) fn promote(w: &mut World, frame: FrameIndex) -> bool {
    let owner = w.mem.lruvec_of(frame);
    let Some(old) = w.mem.generation(frame) else {
        w.mem.pages[frame].set(flag::REFERENCED);
        return false;
    };
    let Some(gens) = &w.mem.lruvecs[owner].lru_gen else {
        return false;
    };
    let youngest = gen_of_seq(gens.max_seq);
    w.mem.set_generation(frame, youngest);
    clear_uses(w, frame);
    old != youngest
}
