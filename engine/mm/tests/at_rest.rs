//! STRESS-HIGHALLOC at rest: what bounds the huge pages that can be had are the pageblocks in which
//! something lies that can neither be moved nor thrown out, whatever types the blocks are of.

use mm::experiment::{Experiment, preset};
use mm::gfp::MOVABLE;
use mm::machine::Machine;
use mm::mmzone::PageKind;

/// The pageblocks of a machine, by what a scan of all frames finds in them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Blocks {
    /// Given away whole, as a huge page.
    given: usize,
    /// Something lies in them that nobody can move or throw out, and that is no huge page.
    held: usize,
    /// Of these, blocks whose type is movable.
    held_movable: usize,
    /// All else.
    rest: usize,
}

fn scan(m: &Machine) -> Blocks {
    let mem = &m.w.mem;
    let order = mem.pageblock_order;
    let mut found = Blocks::default();
    for (block, pages) in mem.pages.chunks(1 << order).enumerate() {
        let head = pages[0];
        let is_held = pages.iter().any(|page| {
            use PageKind::{Kernel, PageTable, Reserved, Slab};
            matches!(page.kind(), Kernel | PageTable | Reserved | Slab)
        });
        if head.kind() == PageKind::Kernel && head.order() == order {
            found.given += 1;
        } else if is_held {
            found.held += 1;
            found.held_movable += usize::from(mem.blocks[block] == MOVABLE);
        } else {
            found.rest += 1;
        }
    }
    found
}

/// When the last attempt at rest has been made, and nothing was given back yet.
fn at_rest(kernel: &str) -> Machine {
    let mut raw = preset("stress-highalloc.teach").expect("a preset");
    raw.kernel = kernel.to_string();
    let mut m = Machine::boot(&Experiment::new(raw).expect("valid"));
    let marks = |m: &Machine| m.w.phases.marks.len();
    // background, Pass 1, free, Pass 2, free, clean up, At Rest; the next begins with giving back.
    while marks(&m) < 7 {
        m.run(m.w.run.steps() + 99, u64::MAX);
        assert!(!m.w.sched.ended, "{kernel} ended before it was at rest");
    }
    let mut last = scan(&m);
    loop {
        m.run(m.w.run.steps() + 1, u64::MAX);
        if marks(&m) > 7 {
            return m;
        }
        let now = scan(&m);
        assert!(now.given >= last.given, "{kernel}: a huge page went");
        last = now;
    }
}

#[test]
fn blocks_that_hold_what_cannot_go_bound_the_huge_pages_at_rest() {
    for kernel in [
        "lumpyreclaim-traceonly",
        "traceonly",
        "compacthint",
        "2.6.38",
    ] {
        let m = at_rest(kernel);
        let found = scan(&m);
        let all = m.w.mem.blocks.len();
        assert_eq!(found.given + found.held + found.rest, all);
        // All that can come does, but for what the min mark keeps: a block at most.
        assert!(found.rest <= 1, "{kernel}: {found:?}");
        assert!(found.held >= 5, "{kernel}: {found:?}");
        // Going by their types nearly all blocks could be had: unmovable pages lie in movable blocks.
        let movable = m.w.mem.blocks.iter().filter(|&&t| t == MOVABLE).count();
        assert!(movable > found.given + found.rest, "{kernel}: {found:?}");
        assert!(found.held_movable > found.held / 2, "{kernel}: {found:?}");
    }
}
