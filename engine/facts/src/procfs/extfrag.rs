//! Printing `extfrag/unusable_index` and `extfrag/extfrag_index` of debugfs (mm/vmstat.c,
//! `unusable_show_print`, `extfrag_show_print`; from 2.6.35, with CONFIG_COMPACTION).
//!
//! Modelled: both indices of each order, for every populated zone, in thousandths.
//! Left out: nothing.
//! Visible difference: none.
//! Invariants: a line ends with a space, as in the kernel. The sign of a negative number between -1 and 0
//! is after the point, as the kernel's `%d.%03d` prints it.

use std::fmt::Write;

use crate::kernel::{Compaction, Features};
use crate::procfs::ProcView;

/// Whether a kernel has these files. All do except those built without compaction.
pub fn has_extfrag(features: &Features) -> bool {
    features.compaction != Compaction::NotBuilt
}

/// `fragmentation_index`: why a request of an order would fail, from 0 (too little memory) to 1000 (blocks
/// too small); -1000 if it would not fail. `nr_free` contains the free blocks by order.
pub fn fragmentation_index(nr_free: &[u64], order: u8) -> i64 {
    let blocks: i64 = nr_free.iter().map(|&n| n as i64).sum();
    let pages: i64 = (0..).zip(nr_free).map(|(o, &n)| (n as i64) << o).sum();
    let large = nr_free.get(usize::from(order)..).unwrap_or_default();
    if blocks == 0 {
        return 0;
    }
    if large.iter().any(|&n| n > 0) {
        return -1000;
    }
    let requested = 1i64 << order;
    1000 - (1000 + pages * 1000 / requested) / blocks
}

/// `unusable_free_index`: the share of a zone's free pages, in thousandths, that is in blocks below an order;
/// 1000 if no page is free.
pub fn unusable_free_index(nr_free: &[u64], order: u8) -> i64 {
    let pages = |from: u8| -> u64 {
        let all = (0u8..).zip(nr_free);
        let above = all.filter(|&(o, _)| o >= from);
        above.map(|(o, &n)| n << o).sum()
    };
    match pages(0) {
        0 => 1000,
        all => ((all - pages(order)) * 1000 / all) as i64,
    }
}

/// The text of `unusable_index`; none if the kernel has no such file.
pub fn unusable_index(features: &Features, view: &ProcView) -> String {
    lines(features, view, unusable_free_index)
}

/// The text of `extfrag_index`; none if the kernel has no such file.
pub fn extfrag_index(features: &Features, view: &ProcView) -> String {
    lines(features, view, fragmentation_index)
}

fn lines(features: &Features, view: &ProcView, index: fn(&[u64], u8) -> i64) -> String {
    let mut out = String::new();
    if !has_extfrag(features) {
        return out;
    }
    for node in &view.nodes {
        for zone in node.zones.iter().filter(|zone| zone.is_populated()) {
            let _ = write!(out, "Node {}, zone {:>8} ", node.id, zone.kind.name());
            let orders = 0..view.geometry.orders;
            let nr_free: Vec<u64> = orders.clone().map(|order| zone.nr_free(order)).collect();
            for order in orders {
                let index = index(&nr_free, order);
                let _ = write!(out, "{}.{:03} ", index / 1000, index % 1000);
            }
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked examples: single pages, pairs, a mixture; three, four, two blocks and one of half the size; a
    /// block that fits; nothing; a small order.
    #[test]
    fn the_index_distinguishes_lack_of_memory_from_fragmentation() {
        let index = fragmentation_index;
        assert_eq!(index(&[1024], 9), 998);
        assert_eq!(index(&[0, 512], 9), 995);
        assert_eq!(index(&[600, 200, 6], 9), 997);
        let of_8 = |n| [0, 0, 0, 0, 0, 0, 0, 0, n];
        assert_eq!(index(&of_8(3), 9), 167);
        assert_eq!(index(&[0, 0, 0, 0, 0, 0, 0, 4], 9), 500);
        assert_eq!(index(&of_8(2), 9), 0);
        assert_eq!(index(&of_8(1), 9), -500);
        assert_eq!(index(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 9), -1000);
        assert_eq!(index(&[], 9), 0);
        assert_eq!(index(&[10, 5], 3), 767);
    }

    #[test]
    fn counts_free_pages_in_smaller_blocks_as_unusable() {
        let blocks = [10, 5, 0, 2];
        assert_eq!(unusable_free_index(&blocks, 0), 0);
        assert_eq!(unusable_free_index(&blocks, 1), 277);
        assert_eq!(unusable_free_index(&blocks, 3), 555);
        assert_eq!(unusable_free_index(&blocks, 4), 1000);
        assert_eq!(unusable_free_index(&[], 0), 1000);
    }
}
