//! Random processes with threads, and the nodes on which they run and use memory.

use mm::kernel::Features;
use mm::rng::Rng;
use serde_json::{Value, json};

use super::cases::{chance, pick, size};

/// A process that starts threads, which share its memory and meet at barriers; and the program of the
/// threads.
pub fn team(rng: &mut Rng, nodes: u32) -> [Value; 2] {
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
pub fn moves(rng: &mut Rng) -> Vec<Value> {
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
pub fn by_node(
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
pub fn movers(rng: &mut Rng, nodes: u32) -> [Value; 2] {
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
