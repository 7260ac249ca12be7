//! Random small experiments for a real kernel: 96 to 128 MiB, a few seconds each on a quiet
//! computer. A seed always gives the same experiment.

use mm::experiment::Raw;
use mm::rng::Rng;
use serde_json::{Value, json};

use crate::failure::{Outcome, refused};

/// The maximum duration of a workload. It normally ends earlier; on a busy computer it takes
/// longer.
const LENGTH: &str = "20s";
/// The purpose of the random numbers.
const PURPOSE: u64 = 9;
/// Memory of a second node, MiB.
const SECOND_MIB: u64 = 40;
/// The number of pages in a MiB.
const MIB: u64 = 256;

fn pick<'a, T>(rng: &mut Rng, from: &'a [T]) -> &'a T {
    &from[rng.below(from.len() as u32) as usize]
}

fn chance(rng: &mut Rng, percent: u32) -> bool {
    rng.below(100) < percent
}

fn between(rng: &mut Rng, low: u64, high: u64) -> u64 {
    low + u64::from(rng.below((high - low + 1) as u32))
}

/// The experiment of a seed, for a kernel variant.
///
/// # Errors
/// Never: every drawn experiment is valid, as a test checks for many seeds.
pub fn experiment(seed: u64, variant: &str) -> Outcome<Raw> {
    let rng = &mut Rng::stream(seed, PURPOSE);
    let nodes = if chance(rng, 30) { 2 } else { 1 };
    let mib = 2 * match nodes {
        1 => between(rng, 48, 64),
        _ => 64,
    };
    let machine = machine(rng, nodes, mib);
    let mut files = Vec::new();
    let mut processes = Vec::new();
    for i in 0..between(rng, 1, 3) {
        processes.push(process(rng, i, mib * MIB, &mut files));
    }
    let mut tunables = json!({"transparent_hugepage": "never"});
    if chance(rng, 30) {
        tunables["vm.swappiness"] = json!(pick(rng, &["1", "30", "60", "100"]));
    }
    if chance(rng, 20) {
        tunables["vm.min_free_kbytes"] = json!(between(rng, 512, 4096).to_string());
    }
    if chance(rng, 20) {
        tunables["vm.watermark_scale_factor"] = json!(pick(rng, &["10", "50", "200"]));
    }
    if variant == "6.12" {
        // The tolerances are those of the classic lists.
        tunables["lru_gen.enabled"] = json!("0");
    }
    let raw = json!({
        "id": format!("fuzz-{seed}"), "title": "", "machine": machine, "kernel": variant,
        "workload": {"id": "fuzz", "files": files, "processes": processes},
        "tunables": tunables, "seed": seed & ((1 << 53) - 1), "length": LENGTH,
    });
    read(&raw)
}

/// Reads an experiment that was drawn or shrunk.
///
/// # Errors
/// The experiment is not valid.
pub fn read(raw: &Value) -> Outcome<Raw> {
    Raw::from_json(&raw.to_string()).map_err(|found| refused("the drawn experiment", &found))
}

fn machine(rng: &mut Rng, nodes: u64, mib: u64) -> Value {
    // The kernel itself takes a large part of the first node.
    let first = (mib - (nodes - 1) * SECOND_MIB) * MIB;
    let node = |i: u64| {
        let ranges = match i {
            0 => json!([{"start_pfn": 1, "pages": 158}, {"start_pfn": 256, "pages": first - 256}]),
            _ => json!([{"start_pfn": first, "pages": SECOND_MIB * MIB}]),
        };
        json!({"ranges": ranges, "cpus": 1})
    };
    let mut all: Vec<Value> = (0..nodes).map(node).collect();
    if chance(rng, 40) {
        all[0]["cpus"] = json!(2);
    }
    let row = |a| {
        (0..nodes)
            .map(|b| if a == b { 10 } else { 20 })
            .collect::<Vec<u8>>()
    };
    let distances: Vec<Vec<u8>> = (0..nodes).map(row).collect();
    let data = pick(rng, &[20u64, 50, 100]) << 20;
    let swap = pick(rng, &[20u64, 50]) << 20;
    let mut devices = vec![json!({
        "id": "data", "model": "throttled", "bytes_per_s": data, "files": true,
    })];
    if chance(rng, 75) {
        devices.push(json!({
            "id": "swap", "model": "throttled", "bytes_per_s": swap, "files": false,
            "swap": mib * 1024 * 2,
        }));
    }
    json!({
        "id": "fuzz", "title": "", "arch": "x86_64", "page_size_kib": 4, "nodes": all,
        "distances": distances, "hz": 250, "thp": "never", "costs": "q-x86", "pcp": true,
        "zonelist_order": "default", "devices": devices,
    })
}

/// One process. Files that it uses are added. The process never sleeps: during a sleep, the work of
/// the others would depend on the speed of the computer, which the engine does not know.
fn process(rng: &mut Rng, number: u64, memory: u64, files: &mut Vec<Value>) -> Value {
    let mut program = Vec::new();
    for part in 0..between(rng, 1, 2) {
        let name = format!("f{number}{part}");
        match rng.below(5) {
            0 | 1 => anonymous(rng, part, memory, &mut program),
            2 => {
                files
                    .push(json!({"name": name, "size": between(rng, memory / 16, memory * 3 / 4)}));
                reader(rng, &name, &mut program);
            }
            3 => {
                let size = between(rng, memory / 32, memory / 3);
                files.push(json!({"name": name, "size": size, "absent": chance(rng, 50)}));
                writer(rng, &name, &mut program);
            }
            _ => {
                files.push(json!({"name": name, "size": between(rng, memory / 32, memory / 3)}));
                mapped(rng, &name, &mut program);
            }
        }
    }
    json!({"name": format!("p{number}"), "count": 1, "program": program})
}

fn anonymous(rng: &mut Rng, part: u64, memory: u64, program: &mut Vec<Value>) {
    let region = format!("a{part}");
    let size = between(rng, memory / 32, memory * 2 / 5);
    program.push(json!({"op": "map", "region": region, "size": size}));
    let order = pick(rng, &["sequential", "sequential", "random"]);
    let mut body = vec![json!({"op": "touch", "region": region, "order": order})];
    if chance(rng, 25) {
        let every = between(rng, 1, 2);
        body.push(json!({"op": "dontneed", "region": region, "every": every}));
    }
    let times = between(rng, 1, 2);
    program.push(json!({"op": "repeat", "times": times, "do": body}));
    if chance(rng, 40) {
        program.push(json!({"op": "free", "region": region}));
    }
}

fn reader(rng: &mut Rng, file: &str, program: &mut Vec<Value>) {
    let chunk = pick(rng, &["4 KiB", "64 KiB", "256 KiB"]);
    let order = pick(rng, &["sequential", "sequential", "sequential", "random"]);
    let mut read = json!({"op": "read", "file": file, "order": order, "chunk": chunk});
    if *order == "random" {
        // Random reads of the whole file would last longer than the run.
        read["size"] = json!(between(rng, 100, 800));
    }
    let times = between(rng, 1, 2);
    program.push(json!({"op": "repeat", "times": times, "do": [read]}));
}

fn writer(rng: &mut Rng, file: &str, program: &mut Vec<Value>) {
    let chunk = pick(rng, &["4 KiB", "64 KiB", "256 KiB"]);
    program.push(json!({"op": "write", "file": file, "chunk": chunk}));
    if chance(rng, 50) {
        program.push(json!({"op": "fsync", "file": file}));
    }
}

fn mapped(rng: &mut Rng, file: &str, program: &mut Vec<Value>) {
    let region = format!("m{file}");
    program.push(json!({"op": "map", "region": region, "file": file}));
    let write = chance(rng, 30);
    program.push(json!({"op": "touch", "region": region, "write": write}));
}

#[cfg(test)]
mod tests {
    use super::*;
    use mm::experiment::Experiment;

    #[test]
    fn draws_valid_experiments_and_repeats_them_for_the_same_seed() {
        for seed in 0..200 {
            for variant in crate::real::kernel::SERIES {
                let raw = experiment(seed, variant).expect("readable");
                assert_eq!(experiment(seed, variant), Ok(raw.clone()));
                let found = Experiment::new(raw);
                let found = found.unwrap_or_else(|found| panic!("seed {seed}: {found:?}"));
                assert_eq!(guest::refusals(&found), [], "seed {seed}");
            }
        }
    }
}
