//! Searches end at a local minimum.

use std::cell::Cell;
use std::collections::BTreeSet;

use mm::experiment::{Experiment, Raw, presets};
use serde_json::{Value, json};

use super::neighbours::{described, neighbours};
use super::statement::Statement;
use super::{Found, search};
use crate::failure::Failure;

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

fn found(raw: Raw, statement: &Statement) -> Found {
    search(statement, raw, &|| false, &|_, _| ()).expect("a statement that holds")
}

/// Tries every smaller neighbour of the result.
fn is_minimal(found: &Found, statement: &Statement) {
    assert!(found.minimal);
    assert!(statement.holds(&found.raw, &|| false).is_some());
    let all = neighbours(&found.raw);
    assert!(!all.is_empty());
    for smaller in all {
        let held = statement.holds(&smaller, &|| false);
        let (smaller, raw) = (mm::read::written(&smaller), mm::read::written(&found.raw));
        assert!(
            held.is_none(),
            "a smaller neighbour of {raw} holds, too: {smaller}"
        );
    }
}

#[test]
fn ends_where_no_smaller_neighbour_keeps_the_statement() {
    let first = pressure("6.1");
    let before = weight(&first);
    for text in ["allocstall > 0", "pgscan_kswapd >= 20 and pgfault < 5000"] {
        let statement = Statement::parse(text, None).expect("a statement");
        let found = found(first.clone(), &statement);
        is_minimal(&found, &statement);
        assert!(weight(&found.raw) < before);
    }
}

#[test]
fn finds_a_small_experiment_in_which_two_kernels_differ() {
    // Only kernels with lists per zone count what they scan by zone.
    let text = "pgscan_kswapd_dma32 > 0 in A and = 0 in B and pgscan_kswapd > 0 in B";
    let statement = Statement::parse(text, Some("3.0,6.1")).expect("a statement");
    let found = found(pressure("6.1"), &statement);
    is_minimal(&found, &statement);
    let kernels: Vec<&str> = found.answer.iter().map(|f| f.kernel.as_str()).collect();
    assert_eq!(kernels, ["3.0", "6.1", "6.1"]);
}

#[test]
fn stops_when_it_is_asked_to_and_keeps_the_best_so_far() {
    let statement = Statement::parse("pgfault > 10", None).expect("a statement");
    let smaller = Cell::new(0);
    let found = search(
        &statement,
        pressure("6.1"),
        &|| smaller.get() >= 2,
        &|_, _| {
            smaller.set(smaller.get() + 1);
        },
    );
    let found = found.expect("a result");
    assert!(!found.minimal);
    assert_eq!(smaller.get(), 2);
    assert!(statement.holds(&found.raw, &|| false).is_some());
}

#[test]
fn refuses_a_statement_that_does_not_hold_and_counters_that_no_kernel_has() {
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
        match search(&statement, pressure("6.1"), &|| false, &|_, _| ()) {
            Err(Failure::Bad(reason)) => assert!(reason.contains(says), "{text}: {reason}"),
            other => panic!("{text}: {other:?}"),
        }
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
