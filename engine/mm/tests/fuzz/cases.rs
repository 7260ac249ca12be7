//! Random experiments: machines, programs, tunables and interventions. A seed always gives the same
//! ones.

use mm::experiment::Experiment;
use mm::kernel::{Compaction, Features, Kernel, kernels};
use mm::rng::Rng;
use serde_json::{Value, json};

use super::cgroups::{self, has_cgroups};

/// Cases that once failed, far beyond the steps checked every day. A page found by a writer was
/// reclaimed before its buffers were made. A CPU was chosen after the experiment's end. A file was
/// unlinked while another task looked up its inode. A new dentry did not keep a cached inode in
/// use. A file was created and unlinked again while its pages were being freed.
pub const CAUGHT: [u64; 5] = [4063, 6241, 18889, 23175, 241_730];

/// From this seed up to [`LATER`] a case has 6.1 or 6.12 with the multi-generational LRU, most of them
/// from boot.
pub const GENERATIONS: u64 = 1 << 38;

/// From this seed on a case has one of the kernels added later ([`APART`]), a few with teams of
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

/// Random operations. `mapped` records the mapped regions, so that most programs are accepted.
fn program(rng: &mut Rng, depth: u32, mapped: &mut Vec<&'static str>, nodes: u32) -> Vec<Value> {
    const REGIONS: [&str; 3] = ["a", "b", "c"];
    const POOLS: [&str; 2] = ["p", "q"];
    let mut ops = Vec::new();
    let before = mapped.clone();
    for _ in 0..2 + rng.below(6) {
        match rng.below(20) {
            0..=2 => {
                let region = *pick(rng, &REGIONS);
                if !mapped.contains(&region) {
                    mapped.push(region);
                    let size = match rng.below(3) {
                        0 => json!(1 + rng.below(40)),
                        1 => json!(1 + rng.below(1500)),
                        _ => json!(format!("{}%", 1 + rng.below(60))),
                    };
                    ops.push(json!({ "op": "map", "region": region, "size": size, "huge": chance(rng, 40) }));
                }
            }
            3..=5 if !mapped.is_empty() => {
                let region = *pick(rng, mapped);
                let order = *pick(rng, &["sequential", "random"]);
                ops.push(json!({ "op": "touch", "region": region, "order": order }));
            }
            6 if !mapped.is_empty() && depth == 0 => {
                let region = mapped.swap_remove(rng.below(mapped.len() as u32) as usize);
                ops.push(json!({ "op": "free", "region": region }));
            }
            7 | 8 => {
                let order = if chance(rng, 60) {
                    rng.below(3)
                } else {
                    rng.below(9)
                };
                let kind = *pick(
                    rng,
                    &["unmovable", "reclaimable", "movable", "atomic", "atomic"],
                );
                let count = 1 + rng.below(60 >> order.min(5));
                ops.push(json!({ "op": "alloc", "pool": pick(rng, &POOLS), "order": order, "count": count, "type": kind }));
            }
            9 => {
                let pool = *pick(rng, &POOLS);
                if ops
                    .iter()
                    .any(|op| op["op"] == "alloc" && op["pool"] == pool)
                {
                    ops.push(json!({ "op": "release", "pool": pool, "every": 1 + rng.below(3) }));
                }
            }
            10 => ops.push(json!({ "op": "think", "time": format!("{}us", rng.below(400)) })),
            11 if depth < 2 => {
                let mut inner = mapped.clone();
                let mut body = program(rng, depth + 1, &mut inner, nodes);
                for region in inner.iter().filter(|r| !mapped.contains(r)) {
                    body.push(json!({ "op": "free", "region": region }));
                }
                if !body.is_empty() {
                    ops.push(json!({ "op": "repeat", "times": rng.below(6), "do": body }));
                }
            }
            13 if !mapped.contains(&"f") && depth == 0 => {
                mapped.push("f");
                ops.push(json!({ "op": "map", "region": "f", "file": "one" }));
            }
            14 if !mapped.is_empty() => {
                let region = *pick(rng, mapped);
                let order = *pick(rng, &["sequential", "random"]);
                ops.push(json!({ "op": "touch", "region": region, "order": order, "write": chance(rng, 50), "pages": 1 + rng.below(600) }));
            }
            15 | 16 => {
                let op = *pick(rng, &["read", "read", "write"]);
                let order = *pick(rng, &["sequential", "sequential", "random"]);
                let chunk = format!("{} KiB", 1 << rng.below(9));
                let size = format!("{} KiB", 1 + rng.below(6000));
                ops.push(json!({ "op": op, "file": pick(rng, &["one", "row"]), "order": order, "chunk": chunk, "size": size }));
            }
            17 => {
                let op = *pick(rng, &["fsync", "fsync", "unlink"]);
                ops.push(json!({ "op": op, "file": pick(rng, &["one", "row"]) }));
            }
            18 if chance(rng, 40) => {
                ops.push(
                    json!({ "op": "create", "count": 1 + rng.below(30), "size": 1 + rng.below(4) }),
                );
            }
            18 => ops.push(json!({ "op": "drop_caches" })),
            19 if !mapped.is_empty() && chance(rng, 30) => {
                ops.push(json!({ "op": "lock", "region": pick(rng, mapped) }));
            }
            12 if chance(rng, 50) => ops.push(json!({ "op": "bind", "node": rng.below(nodes) })),
            12 if chance(rng, 30) => {
                ops.push(json!({ "op": "spawn", "process": "child", "count": 1 + rng.below(3) }));
            }
            _ => {}
        }
    }
    if depth > 0 {
        for region in before.iter().filter(|r| !mapped.contains(r)) {
            ops.push(json!({ "op": "map", "region": region, "size": 8 }));
        }
    }
    ops
}

/// A process with the operations added later, drawn from its own random numbers, so that the cases
/// that once failed stay the same.
fn besides(rng: &mut Rng, features: &Features) -> Value {
    let touch = |rng: &mut Rng| {
        let order = *pick(rng, &["sequential", "random"]);
        json!({ "op": "touch", "region": "r", "order": order, "pages": 1 + rng.below(3000) })
    };
    let huge = chance(rng, 40);
    let mut ops = vec![
        json!({ "op": "map", "region": "r", "size": 1 + rng.below(1200), "huge": huge }),
        touch(rng),
    ];
    for _ in 0..2 + rng.below(8) {
        match rng.below(9) {
            7 => {
                let mut sample = json!({ "op": "sample", "name": "round", "times": rng.below(5),
                    "do": [touch(rng), { "op": "think", "time": format!("{}us", rng.below(50)) }] });
                if chance(rng, 50) {
                    sample["less"] = json!(format!("{}us", rng.below(50)));
                }
                if chance(rng, 50) {
                    sample["together"] = json!(format!("{}us", 1 + rng.below(500)));
                }
                ops.push(sample);
            }
            0 => ops.push(json!({ "op": "compute", "time": format!("{}us", rng.below(300)) })),
            1 => {
                let mut repeat = json!({ "op": "repeat", "for": format!("{}us", 1 + rng.below(300)),
                    "do": [touch(rng), { "op": "think", "time": format!("{}us", rng.below(20)) }] });
                if chance(rng, 50) {
                    repeat["times"] = json!(rng.below(5));
                }
                ops.push(repeat);
            }
            2 if chance(rng, 30) => {
                let task = *pick(rng, &["main/1", "other", "child", "besides/1"]);
                ops.push(json!({ "op": "kill", "task": task }));
            }
            3 => {
                let written = tunables(rng, features);
                for (name, value) in written.as_object().into_iter().flatten() {
                    ops.push(json!({ "op": "set", "name": name, "value": value }));
                }
            }
            4 | 5 => {
                let every = 1 + rng.below(5);
                ops.push(json!({ "op": "dontneed", "region": "r", "every": every }));
            }
            6 => {
                let order = rng.below(9);
                let kind = *pick(rng, &["unmovable", "movable", "atomic", "hugetlb"]);
                ops.push(
                    json!({ "op": "alloc", "pool": "p", "order": order, "count": 1 + rng.below(20),
                    "type": kind, "go_on": true }),
                );
            }
            _ => ops.push(touch(rng)),
        }
    }
    if chance(rng, 30) {
        ops.push(json!({ "op": "stat", "file": pick(rng, &["one", "row"]) }));
        ops.push(
            json!({ "op": "repeat", "times": rng.below(4), "every": "40us", "do": [touch(rng)] }),
        );
        ops.push(json!({ "op": "drop_caches", "slab": chance(rng, 50) }));
    }
    if chance(rng, 20) {
        ops.push(json!({ "op": "exit" }));
    }
    json!({ "name": "besides", "count": 1 + rng.below(2), "program": ops })
}

/// A process that starts threads, which share its memory and meet at barriers; and the program of the
/// threads.
fn team(rng: &mut Rng, nodes: u32) -> [Value; 2] {
    let placed = |rng: &mut Rng| {
        let every: Vec<u32> = (0..nodes).collect();
        match rng.below(6) {
            0 => json!({ "op": "affinity", "node": 0 }),
            1 => json!({ "op": "affinity", "cpus": [0] }),
            2 => json!({ "op": "affinity" }),
            3 => json!({ "op": "mempolicy", "mode": "interleave", "nodes": every }),
            4 => json!({ "op": "mempolicy", "mode": "bind", "nodes": every }),
            _ => json!({ "op": "mempolicy", "mode": "preferred", "nodes": [rng.below(nodes)] }),
        }
    };
    let touch = |rng: &mut Rng| {
        let (region, order) = (
            *pick(rng, &["r", "r", "f"]),
            *pick(rng, &["sequential", "random"]),
        );
        let mut touch = json!({ "op": "touch", "region": region, "order": order,
            "slice": chance(rng, 50), "write": chance(rng, 70) });
        if chance(rng, 30) {
            touch["pages"] = json!(1 + rng.below(800));
        }
        touch
    };
    let barrier = json!({ "op": "barrier" });
    let mut program = vec![barrier.clone(), touch(rng), barrier];
    if chance(rng, 70) {
        // The time is long enough for a scan, in few steps.
        let time = format!("{}us", 1000 + rng.below(4000));
        program.push(json!({ "op": "compute", "time": time }));
    }
    let access = |rng: &mut Rng| {
        json!({ "op": "access", "region": "r", "times": 1 + rng.below(3000),
            "own": rng.below(101), "writes": rng.below(101) })
    };
    for _ in 0..1 + rng.below(5) {
        program.push(match rng.below(9) {
            0 | 1 => touch(rng),
            7 | 8 => access(rng),
            2 => json!({ "op": "barrier" }),
            3 => json!({ "op": "dontneed", "region": "r", "every": 1 + rng.below(3) }),
            4 => placed(rng),
            5 => json!({ "op": "think", "time": format!("{}us", rng.below(200)) }),
            _ => json!({ "op": "repeat", "times": rng.below(4),
                "do": [touch(rng), { "op": "barrier" }] }),
        });
    }
    let size = json!(format!("{}%", 1 + rng.below(80)));
    let (huge, many) = (chance(rng, 40), 1 + rng.below(5));
    let mut main = vec![
        json!({ "op": "map", "region": "r", "size": size, "huge": huge }),
        json!({ "op": "map", "region": "f", "file": "one" }),
        placed(rng),
        json!({ "op": "threads", "process": "thread", "count": many }),
        touch_of_main(rng),
    ];
    match rng.below(4) {
        0 => main.push(json!({ "op": "exit" })),
        1 => main.push(json!({ "op": "kill", "task": pick(rng, &["thread/1", "team", "thread"]) })),
        _ => main.push(json!({ "op": "join" })),
    }
    main.push(json!({ "op": "wait" }));
    main.push(json!({ "op": "free", "region": "r" }));
    [
        json!({ "name": "team", "count": 1 + rng.below(2), "program": main }),
        json!({ "name": "thread", "count": 0, "program": program }),
    ]
}

/// Interventions that give tasks other CPUs.
fn moves(rng: &mut Rng) -> Vec<Value> {
    let mut acts = Vec::new();
    while chance(rng, 40) {
        let at = format!("{}us", rng.below(3000));
        let task = *pick(rng, &["thread", "thread/1", "team", "main/1"]);
        let act = if chance(rng, 50) {
            json!({ "task": task, "node": 0 })
        } else {
            json!({ "task": task })
        };
        acts.push(json!({ "at": at, "affinity": act }));
    }
    acts
}

/// Gives memory its rates and, in `often` cases of a hundred, NUMA balancing that scans immediately and
/// often.
fn by_node(
    rng: &mut Rng,
    often: u32,
    features: &Features,
    machine: &mut Value,
    tunables: &mut Value,
) {
    if chance(rng, 50) {
        let mut rate = || json!(u64::from(1 + rng.below(200)) * 100_000_000);
        machine["memory"] = json!({
            "local_bytes_per_s": rate(), "remote_bytes_per_s": rate(),
            "direction_bytes_per_s": rate(), "link_bytes_per_s": rate(),
            "node_bytes_per_s": rate(), "local_ns": 70, "remote_ns": 110,
        });
    }
    if features.numa_balancing.rules().is_some() && chance(rng, often) {
        // One tick per millisecond: these runs are short.
        machine["hz"] = json!(1000);
        let set = [
            ("kernel.numa_balancing", 1),
            ("kernel.numa_balancing_scan_delay_ms", rng.below(3)),
            ("kernel.numa_balancing_scan_period_min_ms", 1 + rng.below(2)),
            ("kernel.numa_balancing_scan_period_max_ms", 1 + rng.below(9)),
            ("kernel.numa_balancing_scan_size_mb", 1 + rng.below(3)),
        ];
        for (name, value) in set {
            tunables[name] = json!(value);
        }
    }
}

/// A process whose threads go from node to node and use the same pages on each: a page follows the
/// second fault from a node. Nothing else runs, so that most steps are faults and moves.
fn movers(rng: &mut Rng, nodes: u32) -> [Value; 2] {
    let visits = (0..2 + rng.below(3)).flat_map(|_| {
        let node = json!({ "op": "affinity", "node": rng.below(nodes) });
        let mut access = json!({ "op": "access", "region": "r", "times": 2000 + rng.below(40_000),
            "own": rng.below(101), "writes": rng.below(101) });
        if chance(rng, 30) {
            access = json!({ "op": "touch", "region": "r", "order": "random" });
        }
        [node, access]
    });
    let visits: Vec<Value> = visits.collect();
    let thread = json!([{ "op": "barrier" },
        { "op": "repeat", "times": 2 + rng.below(12), "do": visits }]);
    let size = json!(1 + size(rng, 8, 600));
    let main = json!([
        { "op": "map", "region": "r", "size": size, "huge": chance(rng, 40) },
        { "op": "affinity", "node": rng.below(nodes) },
        { "op": "touch", "region": "r" },
        { "op": "threads", "process": "mover", "count": 1 + rng.below(3) },
        { "op": "join" },
    ]);
    [
        json!({ "name": "home", "count": 1, "program": main }),
        json!({ "name": "mover", "count": 0, "program": thread }),
    ]
}

fn touch_of_main(rng: &mut Rng) -> Value {
    json!({ "op": "touch", "region": "r", "pages": 1 + rng.below(900) })
}

/// A process that fills memory and then requests blocks larger than any that is free, so that memory is
/// compacted and reclaimed.
fn asks_for_blocks(rng: &mut Rng) -> Value {
    let order = 2 + rng.below(7);
    let share = format!("{}%", 30 + rng.below(60));
    json!({ "name": "blocks", "count": 1, "program": [
        { "op": "map", "region": "r", "size": share },
        { "op": "touch", "region": "r" },
        { "op": "dontneed", "region": "r", "every": 1 + rng.below(4) },
        { "op": "read", "file": "big", "size": 1 + rng.below(900) },
        { "op": "alloc", "pool": "b", "order": order, "count": 1 + rng.below(40), "type": "movable",
          "go_on": true },
        { "op": "release", "pool": "b" },
        { "op": "alloc", "pool": "h", "order": order, "count": 1 + rng.below(3), "type": "hugetlb" },
        { "op": "release", "pool": "h" },
        { "op": "repeat", "times": rng.below(3), "do": [
            { "op": "dontneed", "region": "r", "every": 3 },
            { "op": "compact_memory" },
            { "op": "touch", "region": "r" },
        ] },
        { "op": "touch", "region": "r" },
    ] })
}

fn tunables(rng: &mut Rng, features: &Features) -> Value {
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

/// May this kernel be drawn for a seed? A case that once failed draws only from the kernels of its
/// time.
fn is_drawn(kernel: &Kernel, seed: u64) -> bool {
    let later = [
        "lumpyreclaim-traceonly",
        "traceonly",
        "blindcompact",
        "obeysync",
        "fastscan",
        "compacthint",
        "2.6.38",
    ];
    let is_too_late = CAUGHT.contains(&seed) && later.contains(&kernel.id);
    !is_apart(kernel) && !is_too_late
}

/// Kernels that are drawn separately, so that cases without them stay the same.
const APART: [&str; 9] = [
    "3.7", "3.8", "3.10", "4.4", "4.9", "4.14", "4.19", "5.4", "6.6",
];

/// The number of these kernels that cases with teams of threads draw. Earlier cases do not change.
const OF_TEAMS_TOO: usize = 2;

/// The kernel of seeds from [`AUTOS`] on.
const AUTONUMA: &str = "autonuma-28";

/// Patches of this kernel; each is drawn independently.
const OF_AUTONUMA: [&str; 3] = ["an-scan-ptes", "an-second-fault", "an-strict"];

/// Kernels of seeds from [`CORES`] on.
const OF_THREADS: [&str; 2] = ["numacore-17", "numacore-18"];

/// Kernels of seeds from [`MOVERS`] on.
const OF_MOVERS: [&str; 3] = ["3.8", "3.8", "mainline-3.13"];

fn is_apart(kernel: &Kernel) -> bool {
    let later = [&APART[..], &OF_THREADS, &OF_MOVERS, &[AUTONUMA]].concat();
    later.contains(&kernel.id)
}

/// Does a case use the multi-generational LRU?
fn has_generations(seed: u64) -> bool {
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

/// The kernel of a seed. Cases with threads draw one with NUMA balancing more often.
fn kernel(seed: u64, rng: &mut Rng, threads: &mut Rng, newer: &mut Rng) -> &'static Kernel {
    let balances = |k: &&Kernel| k.features.numa_balancing.rules().is_some() && !is_apart(k);
    let known: Vec<&Kernel> = kernels().iter().filter(|k| is_drawn(k, seed)).collect();
    let mut kernel = *pick(rng, &known);
    if seed >= TEAMS && chance(threads, 60) {
        let balancing: Vec<&Kernel> = kernels().iter().filter(balances).collect();
        kernel = *pick(threads, &balancing);
    }
    if has_generations(seed) || has_cgroups(seed) {
        let id: &&str = pick(newer, &["6.1", "6.12"]);
        kernel = mm::kernel::find(id).expect("a kernel");
    }
    if seed >= LATER && (seed < TEAMS || chance(newer, 15)) {
        let drawn = if seed < TEAMS {
            APART.len()
        } else {
            OF_TEAMS_TOO
        };
        let id: &&str = pick(newer, &APART[..drawn]);
        kernel = mm::kernel::find(id).expect("a kernel");
    }
    if seed >= AUTOS {
        kernel = mm::kernel::find(AUTONUMA).expect("a kernel");
    } else if seed >= CORES {
        let id: &&str = pick(newer, &OF_THREADS);
        kernel = mm::kernel::find(id).expect("a kernel");
    }
    if seed >= MOVERS {
        let id: &&str = pick(newer, &OF_MOVERS);
        kernel = mm::kernel::find(id).expect("a kernel");
    }
    kernel
}

/// Sometimes returns processes that fill memory: with huge pages, with more than there is, or in
/// pieces.
fn hungry(rng: &mut Rng) -> Vec<Value> {
    let mut some = Vec::new();
    if chance(rng, 25) {
        some.push(
            json!({ "name": "huge", "count": 1 + rng.below(2), "program": [
            { "op": "map", "region": "a", "size": "70%", "huge": true },
            { "op": "touch", "region": "a", "order": pick(rng, &["sequential", "random"]) },
        ] }),
        );
    }
    if chance(rng, 50) {
        // More memory than there is, touched again and again, and a file that is read meanwhile.
        let share = format!("{}%", 60 + rng.below(90));
        let orders = ["sequential", "random"];
        some.push(json!({ "name": "hog", "count": 1 + rng.below(2), "program": [
            { "op": "map", "region": "a", "size": share },
            { "op": "repeat", "times": 3, "do": [
                { "op": "touch", "region": "a", "order": pick(rng, &orders), "write": chance(rng, 60) },
                { "op": pick(rng, &["read", "write"]), "file": "big", "size": "30%",
                  "order": pick(rng, &orders) },
            ] },
        ] }));
    }
    if chance(rng, 25) {
        // Every other page of a large part of memory is freed, so that large blocks are rare.
        let kinds = ["unmovable", "movable", "reclaimable"];
        let (a, b) = (pick(rng, &kinds), pick(rng, &kinds));
        let share = format!("{}%", 20 + rng.below(75));
        some.push(json!({ "name": "fragment", "count": 1, "program": [
            { "op": "alloc", "pool": "p", "order": 0, "count": share, "type": a },
            { "op": "release", "pool": "p", "every": 2 },
            { "op": "alloc", "pool": "q", "order": 1 + rng.below(4), "count": 30, "type": b },
            { "op": "alloc", "pool": "q", "order": 0, "count": share, "type": b },
        ] }));
    }
    some
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
            // The scanner of AutoNUMA starts while there is memory to scan, and its next pass is 10
            // s later.
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
