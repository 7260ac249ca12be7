//! Tests which ablation switch and which patch cause which behaviour of lumpy reclaim and
//! compaction. A switch removes only the behaviour it names; a patch adds only its own behaviour.
//! Without a load, all kernels get the same number of huge pages.

use std::collections::BTreeSet;

use mm::divergence::{DivergenceSearch, next};
use mm::experiment::{Experiment, preset};
use mm::frames::FUNCTIONS;
use mm::machine::Machine;
use mm::record::RecordKind;
use mm::view::DivergenceOutcome;

use crate::compaction_series::{patched, watch};

/// Each ablation switch removes one behaviour and leaves the others.
#[test]
fn each_ablation_removes_only_the_behaviour_it_names() {
    use RecordKind::*;
    for (kernel, patch, has, has_not) in [
        (
            "lumpyreclaim-traceonly",
            "lumpyrefs",
            &[ModeLumpy, BlockTaken, RefsActivate, ModeSingle][..],
            &[RefsIgnored, CompactBegins][..],
        ),
        (
            "traceonly",
            "nolumpy",
            &[CompactBegins, MigrateMoved, RefsActivate],
            &[ModeLumpy, ModeSync, RefsIgnored, BlockTaken, BlockStopped],
        ),
    ] {
        let (seen, _) = watch(Machine::boot(&patched(kernel, &[patch])), patch);
        for kind in has {
            assert!(seen.contains(kind), "{patch}: {kind:?} never happened");
        }
        for kind in has_not {
            assert!(!seen.contains(kind), "{patch}: {kind:?} happened");
        }
    }
}

/// The kinds of records of a run of `traceonly` with these patches.
fn seen(patches: &[&str]) -> BTreeSet<RecordKind> {
    watch(Machine::boot(&patched("traceonly", patches)), "traceonly").0
}

/// Each patch of the series, alone or with the patch it changes: its records appear with it and not
/// without it.
#[test]
fn each_patch_alone_adds_only_its_own_behaviour() {
    use RecordKind::*;
    let plain = seen(&[]);
    let reclaims = seen(&["reclaimcompact"]);
    let waits = seen(&["obeysync"]);
    let own = |with: &[&str], without: &BTreeSet<RecordKind>, kind: RecordKind| {
        let found = seen(with);
        assert!(found.contains(&kind), "{with:?}: {kind:?} never happened");
        assert!(!without.contains(&kind), "{kind:?} without {with:?}");
    };
    own(&["reclaimcompact"], &plain, ModeCompaction);
    own(&["shouldcontinue"], &plain, ContinueReclaim);
    own(&["obeysync", "fastscan"], &waits, MigrateBlockSkipped);
    own(&["reclaimcompact", "compacthint"], &reclaims, CompactHint);
    // Direct compaction that does not wait has no event of its own: the test looks for a wait for a
    // page.
    assert!(
        !waits.contains(&MigrateWaits),
        "direct compaction waited for a page"
    );
    // No other patch causes these records.
    assert!(!plain.contains(&MigrateBlockSkipped) && !plain.contains(&CompactHint));
    assert!(!reclaims.contains(&ContinueReclaim) && !waits.contains(&ModeCompaction));
}

#[test]
fn each_patch_alone_first_differs_in_the_function_it_changes() {
    let parts = |base: &[&str], patches: &[&str]| {
        let [a, b] = [base, patches].map(|p| patched("traceonly", p));
        let mut search = DivergenceSearch::of([&a, &b]);
        while search.more(100_000) == DivergenceOutcome::Equal {}
        assert_eq!(search.outcome(), DivergenceOutcome::Diverged, "{patches:?}");
        let place = next(&search.machines()[1]).expect("a point");
        FUNCTIONS[place.function as usize].name
    };
    for (base, patches, function) in [
        (&[][..], &["nocompaction"][..], "alloc_pages_slowpath"),
        (&[], &["lumpyrefs"], "shrink_page_list"),
        (&[], &["nolumpy"], "shrink_inactive_list"),
        (&[], &["reclaimcompact"], "shrink_page_list"),
        (&[], &["shouldcontinue"], "shrink_lruvec"),
        (&[], &["obeysync"], "unmap_and_move"),
        (
            &["obeysync"],
            &["obeysync", "fastscan"],
            "isolate_migratepages",
        ),
        (
            &["reclaimcompact"],
            &["reclaimcompact", "compacthint"],
            "reclaimcompact_zone_order",
        ),
    ] {
        assert_eq!(parts(base, patches), function, "{patches:?}");
    }
}

/// Huge pages allocated in each of two passes of an experiment at teaching size.
fn passes(experiment: &str, kernel: &str) -> [u64; 2] {
    let mut raw = preset(experiment).expect("a preset");
    raw.kernel = kernel.to_string();
    let mut m = Machine::boot(&Experiment::new(raw).expect("valid"));
    // The phases are background, Pass 1, free, Pass 2, free.
    while m.w.phases.marks.len() < 5 {
        m.run(m.w.run.steps() + 10_000, u64::MAX);
        assert!(!m.w.sched.ended, "{kernel} ended before its passes did");
    }
    let made: Vec<u64> = m.w.phases.marks.iter().map(|k| k.made.blocks).collect();
    [made[2] - made[1], made[4] - made[3]]
}

/// Trees are copied and nothing is compiled. Every kernel gets as many huge pages as the others,
/// and more than under load, because the load holds the missing pages.
#[test]
fn all_kernels_get_the_same_number_of_huge_pages_without_a_load() {
    let kernels = ["lumpyreclaim-traceonly", "traceonly", "compacthint"];
    let quiet = kernels.map(|kernel| passes("stress-highalloc-quiet.teach", kernel));
    assert_eq!(quiet, [quiet[0]; 3]);
    for kernel in kernels {
        let loaded = passes("stress-highalloc.teach", kernel);
        assert!(
            loaded[0] < quiet[0][0] && loaded[1] < quiet[0][1],
            "{loaded:?}"
        );
    }
}
