//! Which refaults belong to the working set (mm/workingset.c).
//!
//! Modelled: the age of a list owner, the shadow entry that an evicted page leaves, the distance
//! test; with the multi-generational LRU the test whether the page's generation is still the
//! oldest.
//! Left out: ages have the bits that the owner leaves free, 26 with at most 8 owners.
//! Visible difference: the result for a page that comes back after 67 million others were evicted
//! from its lists (16 million on machines with many zones that own lists).
//! Invariants: the age only increases; a page starts active exactly if its distance is at most the
//! size of the lists it competes with.

use crate::memcg::{self, group::Stat, tree};
use crate::mmzone::{flag, tier_of, type_of};
use crate::record::decisions;
use crate::vmscan::lru_gen::{ages_before, gens, gens_mut};
use crate::vmscan::{ANON, FILE};
use crate::world::World;
use facts::index::{FrameIndex, GroupIndex, LruvecIndex};

decisions! {
    RefaultNear { page: Page, distance: Count, limit: Count }
        "The page at {page} is read back at a refault distance of {distance}, at most {limit}: it belongs to the working set.";
    RefaultFar { page: Page, distance: Count, limit: Count }
        "The page at {page} is read back at a refault distance of {distance}, more than {limit}: it starts on the inactive list.";
    RefaultRecent { page: Page, seq: Count, tier: Count }
        "The page at {page} is read back, and generation {seq}, from which it was evicted, is still the oldest: this counts as a refault of tier {tier}.";
    RefaultOld { page: Page, seq: Count, oldest: Count }
        "The page at {page} is read back, but generation {seq}, from which it was evicted, no longer exists: the oldest is {oldest}.";
}

/// Number of bits in a shadow entry.
const BITS: u32 = 30;
/// Number of bits for a page's uses, in the entry of a page that was evicted from a generation
/// (`LRU_REFS_WIDTH`).
const REFS_WIDTH: u32 = 2;
const REFS_MASK: u64 = (1 << REFS_WIDTH) - 1;

/// A shadow entry: from the top down a workingset bit, the owner of the lists, and its age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shadow(pub u32);

/// The layout of a machine's shadow entries (`pack_shadow`).
#[derive(Debug, Clone, Copy)]
struct Layout {
    /// Number of bits of the age.
    age: u32,
}

impl Layout {
    /// The layout when this many zones or nodes own lists.
    fn of(owners: usize) -> Self {
        let owner = owners.next_power_of_two().ilog2().max(3);
        Self {
            age: BITS - 1 - owner,
        }
    }

    fn mask(self) -> u32 {
        (1 << self.age) - 1
    }

    fn pack(self, age: u64, owner: LruvecIndex, workingset: bool) -> Shadow {
        let age = age as u32 & self.mask();
        Shadow(age | u32::from(owner.get()) << self.age | u32::from(workingset) << (BITS - 1))
    }

    fn age(self, shadow: Shadow) -> u32 {
        shadow.0 & self.mask()
    }

    fn owner(self, shadow: Shadow) -> LruvecIndex {
        let owner = shadow.0 >> self.age & ((1 << (BITS - 1 - self.age)) - 1);
        LruvecIndex::new(owner as u8)
    }
}

impl Shadow {
    fn workingset(self) -> bool {
        self.0 >> (BITS - 1) & 1 == 1
    }
}

/// The shadow entry of an evicted page (`workingset_eviction`). `None` before 3.15.
pub fn workingset_eviction(w: &mut World, frame: FrameIndex, target: GroupIndex) -> Option<Shadow> {
    let page = w.mem.pages[frame];
    let f = &w.facts;
    if !f.features.workingset || (page.is_anon() && !f.features.workingset_anon) {
        return None;
    }
    let layout = Layout::of(w.mem.lruvecs.len());
    if w.mem.lru_gen_on {
        return Some(lru_gen_eviction(w, layout, frame));
    }
    // This is the cgroup that caused the eviction, not the cgroup of the page.
    let of_root = w.mem.zones[page.zone()].lruvec;
    let owner = w.mem.lists_of_group(of_root, target);
    let l = &mut w.mem.lruvecs[owner];
    // 3.16 includes the page itself in the count (`atomic_long_inc_return`); later kernels count it
    // afterwards.
    let itself = u64::from(!f.features.workingset_anon);
    let age = l.nonresident_age + itself;
    tree::age(w, owner, 1);
    let shadow = layout.pack(age, owner, page.has(flag::WORKINGSET));
    Some(shadow)
}

/// The refault distance and the number of pages that compete with the page: (distance, limit).
/// Before kernels did this for anonymous pages (5.9), a file page competed only with active file
/// pages.
pub fn distance(w: &World, shadow: Shadow, file: usize) -> (u64, u64) {
    let layout = Layout::of(w.mem.lruvecs.len());
    let owner = layout.owner(shadow);
    let (group, l) = (w.mem.group_of_lists(owner), &w.mem.lruvecs[owner]);
    let l = &tree::summed_lists(w, owner, l);
    let age = l.nonresident_age as u32;
    let distance = age.wrapping_sub(layout.age(shadow)) & layout.mask();
    let nr = l.nr.map(u64::from);
    let swap = memcg::swap_left(w, group) > 0;
    let limit = if !w.facts.features.workingset_anon {
        nr[3]
    } else if file == FILE {
        nr[3] + if swap { nr[1] + nr[0] } else { 0 }
    } else {
        nr[3] + nr[2] + if swap { nr[1] } else { 0 }
    };
    (distance.into(), limit)
}

/// Does a refaulted page start on the active list (`workingset_refault`)?
pub fn workingset_refault(w: &mut World, frame: FrameIndex, shadow: Shadow, in_fault: bool) {
    if w.mem.lru_gen_on {
        lru_gen_refault(w, frame, shadow, in_fault);
        return;
    }
    let file = if w.mem.pages[frame].is_anon() {
        ANON
    } else {
        FILE
    };
    count_refault(w, frame, file);
    let (distance, limit) = distance(w, shadow, file);
    if distance > limit {
        w.record(RefaultFar {
            page: frame,
            distance: distance as i64,
            limit: limit as i64,
        });
        return;
    }
    w.record(RefaultNear {
        page: frame,
        distance: distance as i64,
        limit: limit as i64,
    });
    w.mem.pages[frame].set(flag::ACTIVE);
    let owner = w.mem.lruvec_of(frame);
    tree::age(w, owner, 1);
    tree::activated(w, owner, file);
    w.counters.workingset_activate[file] += 1;
    memcg::count_page(w, frame, [Stat::ActivateAnon, Stat::ActivateFile][file]);
    if shadow.workingset() {
        w.mem.pages[frame].set(flag::WORKINGSET);
        tree::note_cost(w, owner, file, 1);
        w.counters.workingset_restore[file] += 1;
        memcg::count_page(w, frame, [Stat::RestoreAnon, Stat::RestoreFile][file]);
    }
}

/// The entry of a page that was evicted from a generation: that generation's number, and how often the
/// page was used through file descriptors. The lists are those of the page's cgroup, whoever evicts it
/// (`lru_gen_eviction`).
fn lru_gen_eviction(w: &mut World, layout: Layout, frame: FrameIndex) -> Shadow {
    let owner = w.mem.lruvec_of(frame);
    let file = type_of(w.mem.pages[frame]);
    let uses = w.mem.uses(frame);
    let gens = gens_mut(w, owner);
    gens.evicted[file][tier_of(uses)] += 1;
    let token = token(gens.min_seq[file], uses);
    layout.pack(token, owner, uses > 0)
}

/// A generation's number and the uses of a page after the first.
fn token(seq: u64, uses: u32) -> u64 {
    seq << REFS_WIDTH | u64::from(uses.saturating_sub(1))
}

/// Counts a refault if the generation from which the page was evicted is still the oldest. A
/// refault in a fault, or of a page that was used often, protects the page from eviction once
/// (`lru_gen_refault`).
fn lru_gen_refault(w: &mut World, frame: FrameIndex, shadow: Shadow, in_fault: bool) {
    let layout = Layout::of(w.mem.lruvecs.len());
    let owner = w.mem.lruvec_of(frame);
    let file = type_of(w.mem.pages[frame]);
    if layout.owner(shadow) != owner {
        return;
    }
    let token = u64::from(layout.age(shadow));
    let oldest = gens(w, owner).min_seq[file];
    let mask = u64::from(layout.mask()) >> REFS_WIDTH;
    let recent = token >> REFS_WIDTH == oldest & mask;
    let (page, seq) = (frame, (token >> REFS_WIDTH) as i64);
    let oldest = oldest as i64;
    if !recent {
        if !ages_before(w) {
            count_refault(w, frame, file);
        }
        w.record(RefaultOld { page, seq, oldest });
        return;
    }
    count_refault(w, frame, file);
    let uses = (token & REFS_MASK) as u32 + u32::from(shadow.workingset());
    let tier = tier_of(uses);
    gens_mut(w, owner).refaulted[file][tier] += 1;
    w.record(RefaultRecent {
        page,
        seq,
        tier: tier as i64,
    });
    if !ages_before(w) {
        w.counters.workingset_activate[file] += 1;
        tree::activated(w, owner, file);
        memcg::count_page(w, frame, [Stat::ActivateAnon, Stat::ActivateFile][file]);
    }
    if in_fault || u64::from(uses) >= REFS_MASK {
        w.mem.gen_bits[frame] = w.mem.gen_bits(frame).with_refs(REFS_MASK as u8);
        w.mem.pages[frame].set(flag::WORKINGSET);
        w.counters.workingset_restore[file] += 1;
        memcg::count_page(w, frame, [Stat::RestoreAnon, Stat::RestoreFile][file]);
    }
}

fn count_refault(w: &mut World, frame: FrameIndex, file: usize) {
    w.counters.workingset_refault[file] += 1;
    memcg::count_page(w, frame, [Stat::RefaultAnon, Stat::RefaultFile][file]);
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn packs_age_owner_and_workingset_bit_into_a_shadow_entry() {
        for (owners, owner, age_bits) in [(1, 0, 26), (8, 7, 26), (9, 8, 25), (32, 31, 24)] {
            let layout = Layout::of(owners);
            assert_eq!(layout.age, age_bits);
            let owner = LruvecIndex::new(owner);
            let age = u64::from(layout.mask()) - 5;
            for bit in [false, true] {
                let shadow = layout.pack(age + (1 << 40), owner, bit);
                assert_eq!(u64::from(layout.age(shadow)), age);
                assert_eq!((layout.owner(shadow), shadow.workingset()), (owner, bit));
                assert_eq!(shadow.0 >> BITS, 0);
            }
        }
    }

    /// The entry of a page that was evicted from generation 5 or 1000, by its uses.
    #[test]
    fn packs_generation_and_uses_into_a_shadow_entry() {
        assert_eq!([0, 1, 2, 4].map(|uses| token(5, uses)), [20, 20, 21, 23]);
        assert_eq!(token(1000, 3), 4002);
        let layout = Layout::of(1);
        let shadow = layout.pack(token(5, 2), LruvecIndex::new(0), true);
        assert_eq!((layout.age(shadow), shadow.workingset()), (21, true));
    }
}
