//! Tests of the trees of cached pages.

use super::*;
use facts::index::FrameIndex;

fn shadow(n: u32) -> Option<Shadow> {
    Some(Shadow(n))
}

#[test]
fn stores_a_shadow_on_removal_and_returns_it_on_insertion() {
    let mut f = Files::new(1 << 20);
    let id = f.create(0, 26_214_400);
    assert_eq!(f.insert(id, 26_214_399, FrameIndex::new(7), 0), None);
    assert_eq!(f.find(id, 26_214_399), Slot::Page(FrameIndex::new(7)));
    assert_eq!(f.find(id, 0), Slot::Empty);
    f.remove(id, 26_214_399, shadow(123));
    assert_eq!(f.find(id, 26_214_399), Slot::Shadow(Shadow(123)));
    assert_eq!(f.insert(id, 26_214_399, FrameIndex::new(8), 0), shadow(123));
    f.remove(id, 26_214_399, None);
    assert_eq!((f.file(id).nr_nodes, f.spare.len()), (0, 1));
    assert!(f.faults().is_empty(), "{:?}", f.faults());
    // A file of 100 GiB needs a table of leaves and one node: 1.6 MB, not 26 million slots.
    assert!(f.bytes() < 2_000_000);
}

#[test]
fn finds_dirty_pages_by_index_and_dirty_files_by_age() {
    let mut f = Files::new(1 << 20);
    let (a, b) = (f.create(0, 1000), f.create(0, 1000));
    for (file, index) in [(b, 700), (a, 64), (b, 3)] {
        f.insert(file, index, FrameIndex::new(index), 0);
        f.tag_dirty(file, index, u64::from(index));
    }
    assert_eq!((f.device_block(a, 5), f.device_block(b, 5)), (5, 1005));
    assert!(f.dirty_files(0).eq([b, a]));
    assert_eq!((f.dirtied_when(b), f.nr_dirty(b)), (700, 2));
    assert_eq!(f.next_dirty(b, 0), Some((3, FrameIndex::new(3))));
    assert_eq!(f.next_dirty(b, 4), Some((700, FrameIndex::new(700))));
    assert_eq!(f.next_dirty(b, 701), None);
    f.clear_dirty(b, 3);
    f.clear_dirty(b, 700);
    assert!(f.dirty_files(0).eq([a]));
    assert_eq!(f.next_page(b, 4), Some((700, FrameIndex::new(700))));
    assert!(f.faults().is_empty(), "{:?}", f.faults());
}

#[test]
fn drops_the_oldest_shadow_nodes_above_the_limit() {
    // 64 pages of memory allow 8 nodes with only shadows.
    let mut f = Files::new(64);
    let id = f.create(0, 64 * 20);
    for node in 0..10 {
        f.insert(id, node * 64, FrameIndex::new(node), 0);
        f.remove(id, node * 64, shadow(node));
    }
    assert_eq!((f.shadow_nodes, f.nodereclaim), (8, 2));
    assert_eq!(f.find(id, 64), Slot::Empty);
    assert_eq!(f.find(id, 128), Slot::Shadow(Shadow(2)));
    // Adding a page to a node removes the node from the list.
    f.insert(id, 129, FrameIndex::new(5), 0);
    assert_eq!(f.shadow_nodes, 7);
    assert!(f.faults().is_empty(), "{:?}", f.faults());
    f.remove(id, 129, None);
    f.drop_shadows(id);
    assert_eq!((f.file(id).nr_nodes, f.shadow_nodes), (0, 0));
    assert!(f.faults().is_empty(), "{:?}", f.faults());
}

#[test]
fn counts_contiguous_cached_pages_before_an_index_and_finds_the_next_miss() {
    let mut f = Files::new(1 << 20);
    let id = f.create(0, 1000);
    for index in [60, 61, 62, 63, 64, 66] {
        f.insert(id, index, FrameIndex::new(index), 0);
    }
    assert_eq!((f.history(id, 65, 32), f.history(id, 65, 3)), (5, 3));
    assert_eq!((f.history(id, 0, 32), f.history(id, 60, 32)), (0, 0));
    assert_eq!((f.next_miss(id, 60, 32), f.next_miss(id, 60, 2)), (65, 62));
}
