//! A machine whose node numbers have gaps.

use std::fs;

use serde_json::{Value, json};

use super::called::{call_in, folder, refused_with};

/// Nodes 0, 2 and 3, and a process that takes its memory from only one of them.
fn gapped(node: u32) -> String {
    let range = |start: u64, pages: u64| json!([{ "start_pfn": start, "pages": pages }]);
    let machine = json!({
        "id": "gap", "title": "nodes 0, 2 and 3", "arch": "ppc64", "page_size_kib": 64,
        "nodes": [
            { "id": 0, "ranges": range(0, 16384), "cpus": 2 },
            { "id": 2, "ranges": range(16384, 8192), "cpus": 2 },
            { "id": 3, "ranges": range(24576, 16384), "cpus": 2 },
        ],
        "distances": [[10, 20, 20], [20, 10, 20], [20, 20, 10]],
        "hz": 250, "thp": "never", "costs": "p7", "pcp": true, "zonelist_order": "default",
    });
    let program = json!([
        { "op": "bind", "node": node, "strict": true },
        { "op": "map", "region": "h", "size": 1000 },
        { "op": "touch", "region": "h" },
        { "op": "stop" },
    ]);
    let experiment = json!({
        "machine": machine, "kernel": "6.1", "seed": 1, "length": "1s",
        "workload": { "id": "g", "processes": [{ "name": "p", "program": program }] },
    });
    experiment.to_string()
}

#[test]
fn messages_name_nodes_by_their_numbers_on_the_machine() {
    let at = folder("gapped");
    let words = ["run", "-", "--report", "json", "--zoneinfo", "z.txt"];
    let run = call_in(&at, &words, &gapped(2));
    assert_eq!(run.code, 0, "{}", run.err);
    let report = run.json();
    let all = |list: &str, field: &str| -> Vec<Value> {
        let items = report[list].as_array().expect(list);
        items.iter().map(|item| item[field].clone()).collect()
    };
    assert_eq!(all("zones", "key"), ["0/Normal", "2/Normal", "3/Normal"]);
    assert_eq!(all("zones", "node"), [0, 2, 3]);
    assert_eq!(all("nodes", "id"), [0, 2, 3]);
    let tasks = all("tasks", "name");
    assert!(tasks.contains(&json!("kswapd3")), "{tasks:?}");
    assert!(!tasks.contains(&json!("kswapd1")), "{tasks:?}");
    let zoneinfo = fs::read_to_string(at.join("z.txt")).expect("zoneinfo");
    let free: Vec<u64> = zoneinfo
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pages free")?.trim().parse().ok())
        .collect();
    // The process took 1,000 of the 8,192 pages of node 2, and none of node 3.
    assert!(
        free.iter().any(|&free| free > 7000 && free < 7192),
        "{free:?}"
    );
    assert!(free.iter().any(|&free| free > 16_300), "{free:?}");
    refused_with(
        &["run", "-"],
        &gapped(1),
        "node 1 does not exist: this machine has nodes 0, 2, 3",
    );
}
