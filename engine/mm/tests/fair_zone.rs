//! The fair zone allocation policy of 3.16: worked examples, and properties of every run.

use crate::small;
use facts::index::FrameIndex;
use mm::index::ZoneIndex;

use mm::amount::Pages;
use mm::experiment::Experiment;
use mm::fair_zone::batch_size;
use mm::frames::Frame;
use mm::gfp::AllocFlags;
use mm::machine::Machine;
use mm::record::RecordKind;
use serde_json::{Value, json};
use small::{Small, X86, alloc, boot, request};

/// DMA32 and Normal with plenty of free pages and batches of these sizes.
fn two_zones(kernel: &str, dma32: u32, normal: u32) -> Small {
    let ranges = &[(4096, 2048), (1 << 20, 2048)];
    let mut m = boot(kernel, X86, &[ranges], Value::Null);
    for (z, batch) in m.w.mem.zones.iter_mut().zip([dma32, normal]) {
        z.wmark = [5, 10, 10 + batch].map(Pages::new);
        z.protection = [0; 6].map(Pages::new);
        z.alloc_batch = batch_size(z);
    }
    m
}

/// Allocates single movable pages; returns "N" for one from Normal, "D" for one from DMA32.
fn letters(m: &mut Small, count: usize) -> String {
    let mut out = String::new();
    for _ in 0..count {
        let rq = request(m, 'M', 0);
        let frame = alloc(m, rq);
        out.push(['D', 'N'][m.w.mem.pages[FrameIndex::new(frame)].zone().index()]);
    }
    out
}

fn batches(m: &Small) -> Vec<i32> {
    m.w.mem.zones.iter().map(|z| z.alloc_batch).collect()
}

fn count(m: &Small, why: RecordKind) -> usize {
    let records = m.w.rec.records.iter();
    records.filter(|r| r.kind == why).count()
}

/// A whole batch comes from one zone, then one from the other.
#[test]
fn zones_serve_whole_batches_in_turn() {
    let mut m = two_zones("3.16", 3, 5);
    assert_eq!(letters(&mut m, 20), "NNNNNDDDNNNNNDDDNNNN");
    assert_eq!(batches(&m), [3, 1]);
    assert_eq!(count(&m, RecordKind::FairReset), 2);
    // Without the policy the first zone serves requests while it is above its low watermark.
    let mut m = two_zones("3.0", 3, 5);
    assert_eq!(letters(&mut m, 20), "N".repeat(20));
    assert_eq!(
        (batches(&m), count(&m, RecordKind::FairReset)),
        (vec![3, 5], 0)
    );
}

/// The page after a reset comes from the second walk and is also charged. So is a block, which may
/// overdraw the batch.
#[test]
fn every_allocation_is_charged_to_the_batch_of_its_zone() {
    let mut m = two_zones("3.16", 3, 5);
    letters(&mut m, 8);
    assert_eq!(batches(&m), [0, 0]);
    letters(&mut m, 1);
    assert_eq!(batches(&m), [3, 4]);
    let rq = request(&m, 'M', 3);
    alloc(&mut m, rq);
    assert_eq!(batches(&m), [3, -4]);
}

/// Batch sizes on a machine of 8 GiB with huge pages.
#[test]
fn batch_sizes_follow_the_sizes_of_the_zones() {
    let huge = json!({ "/machine/thp": "always", "/tunables": {} });
    let ranges = &[(0, 3976), (4096, 764_928), (1 << 20, 1_286_144)];
    let m = boot("3.16", X86, &[ranges], huge);
    assert_eq!(batches(&m), [8, 1572, 2644]);
    let marks = m.w.mem.zones.iter().map(|z| z.wmark.map(Pages::get));
    let known = [[32, 40, 48], [6289, 7861, 9433], [10_574, 13_217, 15_861]];
    assert_eq!(marks.collect::<Vec<_>>(), known);
    let plain = boot("3.16", X86, &[ranges], json!({ "/tunables": {} }));
    assert_eq!(batches(&plain), [1, 267, 449]);
}

/// While all watermarks are met, each zone's share of pages follows its batch, to within one batch.
#[test]
fn each_zone_serves_pages_in_proportion_to_its_batch() {
    for (dma32, normal) in [(3, 5), (1, 40), (70, 30), (17, 17)] {
        let mut m = two_zones("3.16", dma32, normal);
        let (mut of_dma32, sum) = (0, u64::from(dma32 + normal));
        for n in 1..=900 {
            of_dma32 += u64::from(letters(&mut m, 1) == "D");
            let due = n * u64::from(dma32) / sum;
            let off = of_dma32.abs_diff(due);
            assert!(
                off <= u64::from(dma32.max(normal)),
                "{of_dma32} of {n}, {due} due"
            );
        }
    }
}

/// A zone below its low watermark is skipped, and its batch is not used.
#[test]
fn a_zone_below_its_low_watermark_keeps_its_batch() {
    let mut m = two_zones("3.16", 3, 5);
    let free = m.w.mem.zones[ZoneIndex::new(0)].nr_free_pages;
    m.w.mem.zones[ZoneIndex::new(0)].wmark = [free, free, free + 3].map(Pages::new);
    assert_eq!(letters(&mut m, 17), "N".repeat(17));
    assert_eq!(batches(&m), [3, 3]);
}

fn experiment(kernel: &str, machine: &str, seed: u64) -> Experiment {
    let raw = json!({
        "machine": machine, "kernel": kernel, "seed": seed, "length": "20s",
        "workload": { "id": "", "files": [{ "name": "a", "size": "140%" }], "processes": [
            { "name": "reader", "program": [{ "op": "repeat", "times": 3, "do": [
                { "op": "read", "file": "a" } ] }] },
            { "name": "writer", "program": [{ "op": "repeat", "times": 4, "do": [
                { "op": "write", "file": "a", "order": "random", "size": "20%" },
                { "op": "alloc", "pool": "p", "order": 3, "count": 20 },
                { "op": "release", "pool": "p", "every": 1 },
                { "op": "fsync", "file": "a" } ] }] },
            { "name": "memory", "program": [
                { "op": "map", "region": "h", "size": "40%" },
                { "op": "repeat", "times": 4, "do": [
                    { "op": "touch", "region": "h", "order": "random" } ] }] } ] },
        "interventions": [
            { "at": "40ms", "set": { "vm.min_free_kbytes": "500" } },
            { "at": "60ms", "set": { "vm.swappiness": "10" } } ],
    });
    Experiment::from_json(&raw.to_string()).expect("a valid experiment")
}

/// In each step a zone's batch stays the same, falls by the pages allocated from the zone, or is
/// reset.
#[test]
fn only_allocations_use_up_a_batch() {
    for (kernel, machine) in [
        ("3.16", "x86_64-8g-teach"),
        ("3.16", "x86_64-2node-teach"),
        ("checklow-v2r14", "x86_64-2node-4g-teach"),
    ] {
        let mut m = Machine::boot(&experiment(kernel, machine, 3));
        let (mut resets, mut spent, mut fair) = (0u32, 0u64, 0u32);
        for _ in 0..200_000 {
            let before: Vec<i32> = m.w.mem.zones.iter().map(|z| z.alloc_batch).collect();
            let allocated: u64 = m.w.counters.pgalloc.iter().sum();
            let step = m.w.run.steps() + 1;
            fair += u32::from(fair_take_is_allowed(&mut m));
            m.run(step, u64::MAX);
            let taken = m.w.counters.pgalloc.iter().sum::<u64>() - allocated;
            let zones = m.w.mem.zones.iter().zip(&before);
            let mut fell = 0;
            for (z, &was) in zones {
                if z.alloc_batch < was {
                    fell += (was - z.alloc_batch) as u64;
                } else if z.alloc_batch > was {
                    assert_eq!(z.alloc_batch, batch_size(z), "step {step}");
                    resets += 1;
                }
            }
            // After the watermarks have changed, a reset may set a lower value than before.
            assert!(
                fell == taken || taken == 0,
                "step {step}: {fell} of {taken}"
            );
            spent += taken;
        }
        assert!(
            resets > 10 && spent > 1000 && fair > 500,
            "{resets} {spent} {fair}"
        );
    }
}

/// Is a task about to take a page on a fair walk? If so, the zone must be local and have batch
/// left.
fn fair_take_is_allowed(m: &mut Machine) -> bool {
    let mut found = false;
    for task in &mut m.tasks {
        let Some((Frame::Rmqueue(r), _)) = task.stack.top() else {
            continue;
        };
        if r.flags.has(AllocFlags::FAIR) && r.pt == mm::buddy::RqPt::Route {
            let z = &m.w.mem.zones[r.zone];
            assert_eq!(z.node, m.w.mem.zones[r.rq.preferred].node);
            assert!(z.alloc_batch > 0);
            found = true;
        }
    }
    found
}

/// When local memory runs short, the fair walk finds nothing. The second walk then tries other nodes,
/// before kswapd is woken.
#[test]
fn the_second_walk_of_the_zonelist_tries_other_nodes_before_it_wakes_kswapd() {
    let nodes: &[&[(u64, u64)]] = &[&[(1 << 20, 1024)], &[((1 << 20) + 2048, 1024)]];
    let mut m = boot("3.16", X86, nodes, Value::Null);
    for z in &mut m.w.mem.zones {
        z.wmark = [5, 10, 20].map(Pages::new);
        z.alloc_batch = batch_size(z);
    }
    let free = m.w.mem.zones[ZoneIndex::new(0)].nr_free_pages;
    m.w.mem.zones[ZoneIndex::new(0)].wmark = [free, free, free + 10].map(Pages::new);
    let rq = request(&m, 'M', 0);
    let frame = alloc(&mut m, rq);
    assert_eq!(
        m.w.mem.pages[FrameIndex::new(frame)].zone(),
        ZoneIndex::new(1)
    );
    // The local zone failed its watermark check, so the zonelist cache was set up, and the fair
    // walk was repeated without it.
    assert_eq!(count(&m, RecordKind::ZlcRescan), 1);
    assert_eq!(count(&m, RecordKind::FairRemote), 2);
    assert_eq!(
        (
            count(&m, RecordKind::FairReset),
            count(&m, RecordKind::WakeKswapd)
        ),
        (1, 0)
    );
    // Only the local zones were reset; the page was charged to the other node's zone.
    let batches: Vec<i32> = m.w.mem.zones.iter().map(|z| z.alloc_batch).collect();
    assert_eq!(batches, [10, 9]);
}

/// tiobench: each thread writes its own file, writes at random places, reads it, and reads at
/// random places. It syncs the file after each phase and removes it at the end. No invariant is
/// broken, and the run reaches most of kswapd's decisions in 3.16.
#[test]
fn file_benchmarks_preserve_every_invariant() {
    let mut decided = std::collections::BTreeSet::new();
    for (kernel, machine, threads) in [
        ("3.16", "x86_64-8g-teach", 1),
        ("3.16", "x86_64-2node-teach", 4),
        ("3.16", "ppc64-16m-64k-teach", 2),
        ("checklow-v2r14", "x86_64-8g-teach", 4),
        ("checklow-v2r14", "x86_64-3g-teach", 2),
    ] {
        let share = format!("{}%", 200 / threads);
        let chunk = if machine.starts_with("ppc64") {
            "64 KiB"
        } else {
            "4 KiB"
        };
        let thread = |i: u32| {
            let file = format!("f{i}");
            let op = |op: &str, order: &str, size: &str| {
                let (read, fsync) = (op, json!({ "op": "fsync", "file": file }));
                [
                    json!({ "op": read, "file": file, "order": order, "chunk": chunk, "size": size }),
                    fsync,
                ]
            };
            let phases = [
                op("write", "sequential", &share),
                op("write", "random", "4%"),
                op("read", "sequential", &share),
                op("read", "random", "4%"),
            ];
            let mut program = phases.concat();
            program.push(json!({ "op": "unlink", "file": file }));
            json!({ "name": format!("t{i}"), "program": program })
        };
        let files = (0..threads).map(|i| json!({ "name": format!("f{i}"), "size": share }));
        let raw = json!({
            "machine": machine, "kernel": kernel, "seed": 7, "length": "2000s",
            "workload": { "id": "", "files": files.collect::<Vec<Value>>(),
                "processes": (0..threads).map(thread).collect::<Vec<Value>>() },
        });
        let mut m = Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"));
        m.w.rec.on = true;
        while m.w.run.steps() < 1_500_000 && !m.w.sched.ended {
            m.run(m.w.run.steps() + 2111, u64::MAX);
            let wrong = mm::check::check(&m);
            assert!(
                wrong.is_empty(),
                "{kernel} {machine} step {}: {}",
                m.w.run.steps(),
                wrong[0]
            );
            for record in m.w.rec.records.drain(..) {
                decided.insert(record.kind);
            }
        }
        let pages: u32 = m.w.mem.zones.iter().map(|z| z.managed).sum();
        let reclaimed = m.w.counters.pgsteal_kswapd;
        assert!(
            reclaimed > u64::from(pages) / 4,
            "{kernel} {machine}: {reclaimed}"
        );
    }
    use RecordKind::*;
    let expected = [
        FairSpent,
        FairReset,
        FairRemote,
        SkipBalanced,
        GapFailsKept,
        GapHoldsKept,
    ]
    .into_iter()
    .chain([PriorityRises, KswapdNap, ZoneFine]);
    let missing: Vec<RecordKind> = expected.filter(|why| !decided.contains(why)).collect();
    assert!(missing.is_empty(), "never decided: {missing:?}");
}
