//! Two kernels that differ by a patch run the same steps up to the first patched line.

use mm::divergence::{DivergenceSearch, ProgramPoint, next};
use mm::experiment::{Experiment, preset};
use mm::frames::FUNCTIONS;
use mm::machine::Machine;
use mm::view::DivergenceOutcome;

fn on(experiment: &str, kernel: &str) -> Experiment {
    let mut raw = preset(experiment).expect("a ready-made experiment");
    raw.kernel = kernel.to_string();
    Experiment::new(raw).expect("it runs on this kernel")
}

fn diverged(experiment: &str, kernels: [&str; 2]) -> DivergenceSearch {
    let [a, b] = kernels.map(|kernel| on(experiment, kernel));
    let mut search = DivergenceSearch::of([&a, &b]);
    while search.more(100_000) == DivergenceOutcome::Equal {}
    search
}

/// A program point as "function: line".
fn words(point: Option<ProgramPoint>) -> String {
    let point = point.expect("there is a point");
    let function = &FUNCTIONS[point.function as usize];
    format!(
        "{}: {}",
        function.name, function.lines[point.line as usize].text
    )
}

#[test]
fn patches_of_the_compaction_series_diverge_at_their_own_lines() {
    let of = |a, b| {
        let search = diverged("stress-highalloc.teach", [a, b]);
        assert_eq!(search.outcome(), DivergenceOutcome::Diverged, "{a}, {b}");
        let [first, second] = search.machines();
        [search.last(), next(first), next(second)].map(words)
    };
    // The base of the series compacts before reclaim; lumpy reclaim alone does not.
    let [_, lumpy, compaction] = of("lumpyreclaim-traceonly", "traceonly");
    assert_eq!(
        lumpy,
        "alloc_pages_slowpath: direct reclaim: try_to_free_pages()"
    );
    assert_eq!(
        compaction,
        "alloc_pages_slowpath: order > 0: alloc_pages_direct_compact()"
    );
    // kswapd no longer takes blocks in place of single pages.
    let [last, ..] = of("traceonly", "blindcompact");
    assert!(
        last.starts_with("shrink_inactive_list: isolate_lru_pages()"),
        "{last}"
    );
    // Compaction does not wait for a page under writeback.
    let [last, ..] = of("blindcompact", "obeysync");
    assert!(
        last.starts_with("unmap_and_move: under writeback"),
        "{last}"
    );
    // The scan checks fewer pages between two pages on a list.
    let [last, ..] = of("obeysync", "fastscan");
    assert!(last.starts_with("isolate_migratepages: "), "{last}");
    // The scanner starts at a hint.
    let [_, _, hinted] = of("fastscan", "compacthint");
    assert!(
        hinted.starts_with("reclaimcompact_zone_order: migrate_pfn = the block behind"),
        "{hinted}"
    );
}

#[test]
fn runs_compared_side_by_side_reach_the_same_states_as_alone() {
    let search = diverged("fsmark.teach", ["3.0-rc6-vanilla", "zlcfirst"]);
    assert_eq!(search.outcome(), DivergenceOutcome::Diverged);
    let step = search.machines()[0].position().step;
    for (kernel, both) in ["3.0-rc6-vanilla", "zlcfirst"]
        .into_iter()
        .zip(search.machines())
    {
        let mut alone = Machine::boot(&on("fsmark.teach", kernel));
        alone.run(step, u64::MAX);
        assert_eq!(alone.hash(), both.hash(), "{kernel}");
    }
}

#[test]
fn a_run_never_diverges_from_itself() {
    let search = diverged("first-touch.teach", ["6.1", "6.1"]);
    assert_eq!(search.outcome(), DivergenceOutcome::Ended);
    let [a, b] = search.machines();
    assert_eq!(a.hash(), b.hash());
}
