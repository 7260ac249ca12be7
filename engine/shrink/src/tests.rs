//! Searches end at a local minimum.

use std::collections::BTreeSet;

use mm::experiment::{Experiment, Raw, presets};
use serde_json::{Value, json};

use crate::{Best, Search, Statement, Trial, Verdict, described, neighbours};

fn pressure(kernel: &str) -> Raw {
    let raw = json!({
        "machine": {
            "id": "small", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [
                {"ranges": [{"start_pfn": 0, "pages": 1024}], "cpus": 2},
                {"ranges": [{"start_pfn": 4096, "pages": 1024}], "cpus": 1}],
            "distances": [[10, 20], [20, 10]], "hz": 250, "thp": "never", "costs": "q-x86",
            "pcp": true, "zonelist_order": "default"},
        "kernel": kernel,
        "workload": {"id": "w", "files": [{"name": "log", "size": 64}], "processes": [
            {"name": "hog", "count": 2, "program": [
                {"op": "map", "region": "heap", "size": "60%"},
                {"op": "repeat", "times": 2, "do": [{"op": "touch", "region": "heap"}]}]},
            {"name": "other", "program": [
                {"op": "read", "file": "log"},
                {"op": "think", "time": "5ms"}]}]},
        "tunables": {"vm.min_free_kbytes": "128", "vm.swappiness": "60"},
        "seed": 1, "length": "2s",
    });
    let raw = Raw::from_json(&raw.to_string()).expect("readable");
    described(&Experiment::new(raw).expect("valid"))
}

/// Searches in slices to the end.
fn found(raw: Raw, statement: &Statement, slice: u64) -> Search {
    let mut search = Search::begin(statement.clone(), raw).expect("a statement that can be asked");
    while !search.more(slice).expect("a statement that holds") {}
    search
}

fn best(search: &Search) -> &Best {
    search.best().expect("an experiment")
}

/// Tries every smaller neighbour of the result.
fn is_minimal(search: &Search, statement: &Statement) {
    assert!(search.is_minimal());
    let raw = &best(search).raw;
    let holds = |raw: &Raw| matches!(Trial::verdict(raw, statement), Verdict::Holds(_));
    assert!(holds(raw));
    let all = neighbours(raw);
    assert!(!all.is_empty());
    for smaller in all {
        assert!(
            !holds(&smaller),
            "a smaller neighbour of {} holds, too: {}",
            mm::read::written(raw),
            mm::read::written(&smaller)
        );
    }
}

#[test]
fn ends_where_no_smaller_neighbour_keeps_the_statement() {
    let first = pressure("6.1");
    let before = weight(&first);
    for text in [
        "allocstall > 0",
        "pgscan_kswapd >= 20 and pgfault < 5000",
        "pgscan_direct > 0 and < pgscan_kswapd",
    ] {
        let statement = Statement::parse(text, None).expect("a statement");
        let search = found(first.clone(), &statement, 1_000_000);
        is_minimal(&search, &statement);
        assert!(weight(&best(&search).raw) < before);
    }
}

#[test]
fn finds_the_same_experiment_with_any_slice_length() {
    let statement = Statement::parse("allocstall > 0", None).expect("a statement");
    let whole = found(pressure("6.1"), &statement, 1_000_000);
    let sliced = found(pressure("6.1"), &statement, 777);
    assert_eq!(best(&whole), best(&sliced));
    assert_eq!(whole.runs(), sliced.runs());
}

#[test]
fn finds_a_small_experiment_in_which_two_kernels_differ() {
    // Only kernels with lists per zone count what they scan by zone.
    let text = "pgscan_kswapd_dma32 > 0 in A and = 0 in B and pgscan_kswapd > 0 in B";
    let statement = Statement::parse(text, Some("3.0,6.1")).expect("a statement");
    let search = found(pressure("6.1"), &statement, 1_000_000);
    is_minimal(&search, &statement);
    let kernels: Vec<&str> = best(&search)
        .figures
        .iter()
        .map(|f| f.kernel.as_str())
        .collect();
    assert_eq!(kernels, ["3.0", "6.1", "6.1"]);
}

#[test]
fn has_the_smallest_experiment_so_far_after_every_slice() {
    let statement = Statement::parse("pgfault > 10", None).expect("a statement");
    let mut search = Search::begin(statement.clone(), pressure("6.1")).expect("a search");
    let (mut last, mut smaller) = (weight(&pressure("6.1")), 0);
    while smaller < 5 && !search.more(100_000).expect("holds") {
        if let Some(best) = search.best().filter(|best| weight(&best.raw) < last) {
            last = weight(&best.raw);
            smaller += 1;
            let verdict = Trial::verdict(&best.raw, &statement);
            assert_eq!(verdict, Verdict::Holds(best.figures.clone()));
            assert!(!search.is_minimal());
        }
    }
    assert_eq!(smaller, 5);
}

#[test]
fn a_kernel_with_listed_patches_has_exactly_those_patches() {
    let mut raw = pressure("6.1");
    raw.kernel = "5.15".to_string();
    raw.patches = vec!["throttle-writeback".to_string()];
    let statement = Statement::parse("pgfault > 0 in 5.15 and > 0", None).expect("a statement");
    match Trial::verdict(&raw, &statement) {
        Verdict::Holds(figures) => {
            let kernels: Vec<&str> = figures.iter().map(|f| f.kernel.as_str()).collect();
            assert_eq!(kernels, ["5.15", "5.15+throttle-writeback"]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn refuses_a_statement_that_does_not_hold_and_unknown_counters() {
    for (text, says) in [
        (
            "oom_kill > 1000",
            "the statement does not hold: oom_kill is ",
        ),
        (
            "alocstall > 0",
            "column 1: 6.1 has no counter alocstall; did you mean allocstall?",
        ),
        ("pgfault > 0 and x > 0", "column 17: 6.1 has no counter x"),
        ("pgfault > 0 in +nonsense", "nonsense"),
    ] {
        let statement = Statement::parse(text, None).expect("a statement");
        let fault = match Search::begin(statement, pressure("6.1")) {
            Ok(mut search) => loop {
                match search.more(1_000_000) {
                    Ok(false) => {}
                    Ok(true) => panic!("{text}: it was found"),
                    Err(fault) => break fault,
                }
            },
            Err(fault) => fault,
        };
        assert!(fault.to_string().contains(says), "{text}: {fault}");
    }
}

/// The parts of an experiment, and the sum of its amounts. The unit of times and sizes is the smallest.
fn weight(raw: &Raw) -> (usize, u128) {
    fn add(value: &Value, parts: &mut usize, sum: &mut u128) {
        *parts += 1;
        match value {
            Value::Array(list) => list.iter().for_each(|inner| add(inner, parts, sum)),
            Value::Object(fields) => fields.values().for_each(|inner| add(inner, parts, sum)),
            Value::Number(number) => *sum += u128::from(number.as_u64().unwrap_or_default()),
            Value::String(text) => *sum += amount(text),
            _ => {}
        }
    }
    let (mut parts, mut sum) = (0, 0);
    add(&json!(raw), &mut parts, &mut sum);
    (parts, sum)
}

fn amount(text: &str) -> u128 {
    let units = [
        ("GiB", 1u128 << 30),
        ("MiB", 1 << 20),
        ("KiB", 1 << 10),
        ("%", 1_000_000),
        ("% of node", 1_000_000),
        ("ms", 1_000_000),
        ("us", 1000),
        ("ns", 1),
        ("s", 1_000_000_000),
    ];
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let unit = units.iter().find(|(unit, _)| *unit == text[end..].trim());
    let (whole, part) = text[..end].split_once('.').unwrap_or((&text[..end], ""));
    let whole: u128 = whole.parse().unwrap_or_default();
    unit.map_or(0, |(_, unit)| whole * unit + u128::from(!part.is_empty()))
}

#[test]
fn gives_only_neighbours_that_have_fewer_parts_or_smaller_amounts() {
    let teaching = presets()
        .into_iter()
        .filter(|raw| raw.id.ends_with(".teach"));
    for raw in teaching.step_by(3) {
        let raw = described(&Experiment::new(raw).expect("valid"));
        let all = neighbours(&raw);
        assert_eq!(all, neighbours(&raw));
        assert!(!all.is_empty());
        let whole = weight(&raw);
        let mut known = BTreeSet::new();
        for smaller in &all {
            let id = &raw.machine["id"];
            assert!(weight(smaller) < whole, "{id}: {smaller:?}");
            assert!(
                known.insert(mm::read::written(smaller)),
                "{id}: twice: {smaller:?}"
            );
        }
    }
}
