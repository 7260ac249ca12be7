//! Random experiments: machines, programs, tunables and interventions. A seed always gives the same
//! ones.

use mm::experiment::Experiment;
use mm::kernel::{Compaction, Features};
use mm::rng::Rng;
use serde_json::{Value, json};

use super::cgroups::{self, has_cgroups};
use super::kernels::{OF_AUTONUMA, kernel};
use super::programs::{asks_for_blocks, besides, hungry, program};
use super::teams::{by_node, movers, moves, team};

/// Cases that once failed, far beyond the steps checked every day. A page found by a writer was
/// reclaimed before its buffers were made. A CPU was chosen after the experiment's end. A file was
/// unlinked while another task looked up its inode. A new dentry did not keep a cached inode in
/// use. A file was created and unlinked again while its pages were being freed.
pub const CAUGHT: [u64; 5] = [4063, 6241, 18889, 23175, 241_730];

/// From this seed up to [`LATER`] a case has 6.1 or 6.12 with the multi-generational LRU, most of them
/// from boot.
pub const GENERATIONS: u64 = 1 << 38;

/// From this seed on a case has one of the kernels added later (`APART`), a few with teams of
/// threads.
pub const LATER: u64 = 1 << 39;

/// From this seed on a case also has a team of threads.
pub const TEAMS: u64 = 1 << 40;

/// From this seed on the kernel is numa/core, and the machine has several nodes.
pub const CORES: u64 = 1 << 41;

/// From this seed on the kernel is AutoNUMA, switched on while the processes run.
pub const AUTOS: u64 = 1 << 42;

/// From this seed on the kernel is 3.8, or one with 3.13's balancing. The threads of one process move
/// from node to node and use its memory from there, long enough for pages to follow them.
pub const MOVERS: u64 = 1 << 43;

pub fn pick<'a, T>(rng: &mut Rng, from: &'a [T]) -> &'a T {
    &from[rng.below(from.len() as u32) as usize]
}

/// True in this percentage of calls.
pub fn chance(rng: &mut Rng, percent: u32) -> bool {
    rng.below(100) < percent
}

/// A number from `low` to `high`; smaller ones are more frequent.
pub fn size(rng: &mut Rng, low: u32, high: u32) -> u32 {
    let most = rng.below(high.max(low + 1) - low) + 1;
    low + rng.below(most)
}

fn machine(rng: &mut Rng) -> Value {
    let (arch, kib, borders) = *pick(
        rng,
        &[
            ("x86_64", 4, &[0u64, 4096, 1 << 20][..]),
            ("x86_64", 4, &[0, 4096, 1 << 20]),
            ("ppc64", 4, &[0]),
            ("ppc64", 64, &[0]),
        ],
    );
    let count = if chance(rng, 40) {
        1
    } else {
        1 + rng.below(4) as usize
    };
    let total = match rng.below(10) {
        0 => 64 + rng.below(65_472),
        1..=4 => size(rng, 64, 2000),
        _ => 2000 + rng.below(6000),
    };
    let mut at = u64::from(rng.below(3)) * u64::from(rng.below(600));
    let mut nodes = Vec::new();
    for n in 0..count {
        let mut ranges = Vec::new();
        let share = u64::from(total) / count as u64;
        let pieces = 1 + u64::from(rng.below(3));
        for _ in 0..pieces {
            if chance(rng, 40) {
                // Places the range near or onto a zone border, so that ranges cross it.
                let border = *pick(rng, borders);
                at = at.max(border.saturating_sub(u64::from(rng.below(300))));
            }
            let pages = (share / pieces).max(16) + u64::from(rng.below(9));
            ranges.push(json!({ "start_pfn": at, "pages": pages }));
            at += pages;
            if chance(rng, 60) {
                at += u64::from(rng.below(700));
            }
        }
        let cpus = if n > 0 && chance(rng, 15) {
            0
        } else {
            1 + rng.below(3)
        };
        let mut node = json!({ "ranges": ranges, "cpus": cpus });
        if chance(rng, 10) {
            let last = &ranges[ranges.len() - 1];
            let start = last["start_pfn"].as_u64().unwrap_or(0);
            let half = last["pages"].as_u64().unwrap_or(0) / 2;
            node["movable_from_pfn"] = json!(start + half);
        }
        if chance(rng, 50) {
            let zone = *pick(rng, &["DMA", "DMA32", "Normal"]);
            node["reserved"] = json!({ zone: rng.below(20) });
        }
        nodes.push(node);
    }
    let distances: Vec<Vec<u8>> = (0..count)
        .map(|a| (0..count).map(|b| if a == b { 10 } else { 20 }).collect())
        .collect();
    json!({
        "id": "fuzz", "title": "", "arch": arch, "page_size_kib": kib, "nodes": nodes,
        "distances": distances, "hz": 250, "thp": pick(rng, &["always", "madvise", "never"]),
        "costs": pick(rng, &["d2010", "s2011", "p7", "d2014", "s2021", "q-x86"]),
        "pcp": chance(rng, 60), "zonelist_order": pick(rng, &["default", "node", "default"]),
        "devices": [{
            "id": "sda", "model": pick(rng, &["disk_2010", "ssd_2021", "nvme_2021"]), "files": true,
            "swap": if chance(rng, 25) { 0 } else { size(rng, 8, 4 * total) * kib as u32 },
        }],
    })
}

pub fn tunables(rng: &mut Rng, features: &Features) -> Value {
    let mut set = serde_json::Map::new();
    let thp = *pick(rng, &["always", "madvise", "never"]);
    let min_free = [rng.below(600), rng.below(3000), 1 << rng.below(20)];
    let all = [
        ("vm.min_free_kbytes", pick(rng, &min_free).to_string()),
        (
            "vm.watermark_scale_factor",
            (1 + rng.below(1000)).to_string(),
        ),
        ("vm.watermark_boost_factor", rng.below(40_000).to_string()),
        (
            "vm.percpu_pagelist_fraction",
            (8 + rng.below(100)).to_string(),
        ),
        (
            "vm.percpu_pagelist_high_fraction",
            (8 + rng.below(100)).to_string(),
        ),
        ("transparent_hugepage", thp.to_string()),
        ("vm.zone_reclaim_mode", rng.below(8).to_string()),
        ("vm.min_unmapped_ratio", rng.below(4).to_string()),
        ("vm.min_slab_ratio", rng.below(8).to_string()),
    ];
    let known = mm::tunables::list(features);
    for (name, value) in all {
        if chance(rng, 50) && known.iter().any(|info| info.name == name) {
            set.insert(name.to_string(), json!(value));
        }
    }
    Value::Object(set)
}

/// Does a case use the multi-generational LRU?
pub fn has_generations(seed: u64) -> bool {
    (GENERATIONS..LATER).contains(&seed)
}

/// Switches the multi-generational LRU on, with random capabilities, and now and then off and on again
/// while the machine runs.
fn switch_generations(rng: &mut Rng, tunables: &mut Value, interventions: &mut Vec<Value>) {
    if chance(rng, 80) {
        tunables["lru_gen.enabled"] = json!(pick(rng, &["7", "7", "7", "1", "3", "0x0005", "y"]));
    }
    if chance(rng, 10) {
        tunables["lru_gen.min_ttl_ms"] = json!(rng.below(3));
    }
    if chance(rng, 40) {
        tunables["vm.swappiness"] = json!(pick(rng, &[0, 1, 100, 150, 200]));
    }
    while chance(rng, 40) {
        let set = match chance(rng, 60) {
            true => json!({ "lru_gen.enabled": rng.below(8) }),
            false => json!({ "vm.swappiness": pick(rng, &[0, 1, 60, 200]) }),
        };
        let at = format!("{}us", rng.below(3000));
        interventions.push(json!({ "at": at, "set": set }));
    }
}

/// Chooses between the classic lists and generations, and draws cgroups for the cases that have them.
fn lists_and_cgroups(
    (seed, kernel): (u64, &str),
    rng: &mut Rng,
    tunables: &mut Value,
    processes: &mut [Value],
    interventions: &mut Vec<Value>,
) -> Vec<Value> {
    if kernel == "6.12" && !has_generations(seed) {
        tunables["lru_gen.enabled"] = json!(pick(rng, &[0, 0, 7]));
    }
    if has_generations(seed) {
        switch_generations(rng, tunables, interventions);
    }
    if has_cgroups(seed) {
        return cgroups::draw(rng, tunables, processes, interventions);
    }
    Vec::new()
}

/// A random valid experiment for a seed.
pub fn experiment(seed: u64) -> Experiment {
    let mut rng = Rng::stream(seed, 1);
    let mut apart = Rng::stream(seed, 4);
    let mut threads = Rng::stream(seed, 5);
    let mut last = Vec::new();
    let mut newer = Rng::stream(seed, 6);
    for _ in 0..200 {
        let kernel = kernel(seed, &mut rng, &mut threads, &mut newer);
        let mut machine = machine(&mut rng);
        let nodes = machine["nodes"].as_array().map_or(1, Vec::len) as u32;
        if seed >= CORES && nodes < 2 {
            continue;
        }
        let mut processes = Vec::new();
        for name in ["main", "other", "child"] {
            let mut process = json!({
                "name": name,
                "count": if name == "child" { 0 } else { 1 + rng.below(3) },
                "program": program(&mut rng, 0, &mut Vec::new(), nodes),
            });
            if chance(&mut rng, 30) {
                process["node"] = json!(rng.below(nodes));
            }
            if chance(&mut rng, 20) {
                process["start"] = json!(format!("{}us", rng.below(500)));
            }
            processes.push(process);
        }
        let mut interventions = Vec::new();
        while chance(&mut rng, 30) {
            let at = format!("{}us", rng.below(3000));
            interventions.push(match rng.below(9) {
                0 => json!({ "at": at, "drop_caches": 1 }),
                1 => json!({ "at": at, "start": pick(&mut rng, &["main", "other", "child"]) }),
                2 => json!({ "at": at, "start": { "name": format!("late{at}"),
                    "program": program(&mut rng, 0, &mut Vec::new(), nodes) } }),
                3 | 5 => json!({ "at": at, "kill": pick(&mut rng, &["main/1", "main", "other"]) }),
                4 => json!({ "at": at, "slow": {
                    "device": "sda", "percent": 1 + rng.below(100) } }),
                _ => json!({ "at": at, "set": tunables(&mut rng, &kernel.features) }),
            });
        }
        processes.extend(hungry(&mut rng));
        if !CAUGHT.contains(&seed) && chance(&mut apart, 60) {
            processes.push(besides(&mut apart, &kernel.features));
        }
        if kernel.features.compaction == Compaction::Whole && chance(&mut apart, 70) {
            processes.push(asks_for_blocks(&mut apart));
            while chance(&mut apart, 60) {
                let at = format!("{}us", apart.below(3000));
                interventions.push(json!({ "at": at, "compact_memory": 1 }));
            }
        }
        if seed >= TEAMS {
            processes.extend(team(&mut threads, nodes));
            interventions.extend(moves(&mut threads));
        }
        if seed >= MOVERS {
            processes = movers(&mut threads, nodes).into();
            interventions.clear();
        }
        let files = json!([
            { "name": "one", "size": 1 + rng.below(3000) },
            { "name": "big", "size": "120%" },
            { "name": "row", "size": 1 + rng.below(40), "count": 1 + rng.below(20) },
        ]);
        let mut tunables = tunables(&mut rng, &kernel.features);
        let mut patches: Vec<&str> = Vec::new();
        if (AUTOS..MOVERS).contains(&seed) {
            // AutoNUMA is switched on while the processes still have memory to scan. A run is too short for
            // a second pass, which would begin 10 s later.
            machine["hz"] = json!(1000);
            tunables["kernel.numa_balancing"] = json!(0);
            for on in [1, 0, 1] {
                let at = format!("{}us", threads.below(4000));
                let set = json!({ "kernel.numa_balancing": on });
                interventions.push(json!({ "at": at, "set": set }));
            }
            patches.extend(OF_AUTONUMA.iter().filter(|_| chance(&mut threads, 30)));
        } else if seed >= TEAMS {
            let often = if seed >= MOVERS { 100 } else { 80 };
            by_node(
                &mut threads,
                often,
                &kernel.features,
                &mut machine,
                &mut tunables,
            );
        }
        let groups = lists_and_cgroups(
            (seed, kernel.id),
            &mut newer,
            &mut tunables,
            &mut processes,
            &mut interventions,
        );
        let is_recursive = !groups.is_empty() && chance(&mut newer, 50);
        let raw = json!({
            "id": "", "title": "", "machine": machine, "kernel": kernel.id, "patches": patches,
            "workload": { "id": "fuzz", "files": files, "processes": processes, "cgroups": groups,
                "memory_recursiveprot": is_recursive },
            "tunables": tunables, "interventions": interventions,
            "seed": rng.next_u64() >> 12, "length": "1s",
        });
        match Experiment::from_json(&raw.to_string()) {
            Ok(experiment) => return experiment,
            Err(refusals) => last = refusals,
        }
    }
    panic!("no valid experiment in 200 draws: {last:?}");
}
