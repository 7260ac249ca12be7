//! Random programs of processes.

use mm::kernel::Features;
use mm::rng::Rng;
use serde_json::{Value, json};

use super::cases::{chance, pick, tunables};

/// Random operations. `mapped` records the mapped regions, so that most programs are accepted.
pub fn program(
    rng: &mut Rng,
    depth: u32,
    mapped: &mut Vec<&'static str>,
    nodes: u32,
) -> Vec<Value> {
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
pub fn besides(rng: &mut Rng, features: &Features) -> Value {
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

/// A process that fills memory and then requests blocks larger than any that is free, so that memory is
/// compacted and reclaimed.
pub fn asks_for_blocks(rng: &mut Rng) -> Value {
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

/// Sometimes returns processes that fill memory: with huge pages, with more than there is, or in
/// pieces.
pub fn hungry(rng: &mut Rng) -> Vec<Value> {
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
