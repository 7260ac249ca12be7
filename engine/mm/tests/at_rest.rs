//! STRESS-HIGHALLOC at rest: the number of huge pages is limited by pageblocks that hold memory
//! which can neither be moved nor freed, whatever the types of the pageblocks.

use mm::experiment::{Experiment, preset};
use mm::gfp::MOVABLE;
use mm::machine::Machine;
use mm::mmzone::PageKind;

/// The pageblocks of a machine, counted by a scan of all frames.
#[derive(Debug, Default, PartialEq, Eq)]
struct Blocks {
    /// Pageblocks allocated whole, as huge pages.
    given: usize,
    /// Pageblocks that hold memory which can neither be moved nor freed, and are no huge page.
    held: usize,
    /// Movable pageblocks among the held ones.
    held_movable: usize,
    /// All other pageblocks.
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

/// The machine after the last attempt at rest, before any page is freed.
fn at_rest(kernel: &str) -> Machine {
    let mut raw = preset("stress-highalloc.teach").expect("a preset");
    raw.kernel = kernel.to_string();
    let mut m = Machine::boot(&Experiment::new(raw).expect("valid"));
    let marks = |m: &Machine| m.w.phases.marks.len();
    // The phases are background, Pass 1, free, Pass 2, free, clean up, At Rest; the next phase
    // begins by freeing pages.
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
        assert!(
            now.given >= last.given,
            "{kernel}: a huge page was given back"
        );
        last = now;
    }
}

#[test]
fn pageblocks_that_cannot_be_emptied_limit_the_number_of_huge_pages_on_an_idle_machine() {
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
        // Every pageblock that can become a huge page does, except for the pages below the min
        // watermark: at most one.
        assert!(found.rest <= 1, "{kernel}: {found:?}");
        assert!(found.held >= 5, "{kernel}: {found:?}");
        // By their types nearly all pageblocks could become huge pages: unmovable pages lie in movable
        // blocks.
        let movable = m.w.mem.blocks.iter().filter(|&&t| t == MOVABLE).count();
        assert!(movable > found.given + found.rest, "{kernel}: {found:?}");
        assert!(found.held_movable > found.held / 2, "{kernel}: {found:?}");
    }
}
