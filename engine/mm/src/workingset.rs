//! Which refaults belong to the working set (mm/workingset.c).
//!
//! Modelled: the age of a list owner, the shadow entry an evicted page leaves, the distance test.
//! Left out: memory cgroups; ages are kept in 29 bits beside the node's two; with lists owned by
//! zones (3.16) the zone of a shadow entry: the node's first zone stands for it, which is wrong.
//! Who could tell: on 3.16 a refault to a higher zone may have a distance that wrapped below zero.
//! Invariants: the age only grows; a page starts active exactly if its distance is at most the
//! lists it competes with.

use crate::mmzone::flag;
use crate::vmscan::scan_count::lru_note_cost;
use crate::vmscan::{ANON, FILE};
use crate::world::World;

/// Bits of the age in a shadow entry.
const AGE_BITS: u32 = 26;

/// A shadow entry: age (26 bits), node (3), workingset bit (1). Fits below bit 30.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shadow(pub u32);

impl Shadow {
    fn pack(age: u64, node: u8, workingset: bool) -> Shadow {
        let age = (age & ((1 << AGE_BITS) - 1)) as u32;
        Shadow(age | u32::from(node) << AGE_BITS | u32::from(workingset) << (AGE_BITS + 3))
    }
    fn age(self) -> u64 {
        u64::from(self.0 & ((1 << AGE_BITS) - 1))
    }
    fn node(self) -> u8 {
        (self.0 >> AGE_BITS & 7) as u8
    }
    fn workingset(self) -> bool {
        self.0 >> (AGE_BITS + 3) & 1 == 1
    }
}

/// A page is evicted: what its slot remembers (`workingset_eviction`). None before 3.15.
pub fn workingset_eviction(w: &mut World, frame: u32) -> Option<Shadow> {
    let page = w.mem.pages[frame as usize];
    let f = &w.facts;
    if !f.workingset() || (page.is_anon() && !f.workingset_anon()) {
        return None;
    }
    let owner = w.mem.lruvec_of(frame) as usize;
    let l = &mut w.mem.lruvecs[owner];
    let shadow = Shadow::pack(l.nonresident_age, l.node, page.has(flag::WORKINGSET));
    l.nonresident_age += 1;
    Some(shadow)
}

/// Refault distance against the pages that compete with it: (distance, limit).
pub fn distance(w: &World, shadow: Shadow, file: usize) -> (u64, u64) {
    let owner = crate::vmscan::node::node_lruvec(w, shadow.node()) as usize;
    let l = &w.mem.lruvecs[owner];
    let mask = (1 << AGE_BITS) - 1;
    let distance = l.nonresident_age.wrapping_sub(shadow.age()) & mask;
    let nr = l.nr.map(u64::from);
    let swap = w.swap.free_slots() > 0;
    let limit = if file == FILE {
        nr[3] + if swap { nr[1] + nr[0] } else { 0 }
    } else {
        nr[3] + nr[2] + if swap { nr[1] } else { 0 }
    };
    (distance, limit)
}

/// A page comes back: does it start on the active list (`workingset_refault`)?
pub fn workingset_refault(w: &mut World, frame: u32, shadow: Shadow) {
    let file = if w.mem.pages[frame as usize].is_anon() {
        ANON
    } else {
        FILE
    };
    w.counters.workingset_refault[file] += 1;
    let (distance, limit) = distance(w, shadow, file);
    let n = [frame, distance as u32, limit as u32, 0, 0, 0];
    if distance > limit {
        w.why(crate::why::Why::RefaultFar, n);
        return;
    }
    w.why(crate::why::Why::RefaultNear, n);
    w.mem.pages[frame as usize].set(flag::ACTIVE);
    let owner = w.mem.lruvec_of(frame) as usize;
    let l = &mut w.mem.lruvecs[owner];
    l.nonresident_age += 1;
    l.activated[file] += 1;
    w.counters.workingset_activate[file] += 1;
    if shadow.workingset() {
        w.mem.pages[frame as usize].set(flag::WORKINGSET);
        lru_note_cost(&mut w.mem.lruvecs[owner], file, 1);
        w.counters.workingset_restore[file] += 1;
    }
}
