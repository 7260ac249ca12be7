//! The zonelist cache on random running machines: no zone is skipped for longer than the cache may
//! remember it, and no walk fails that would have found a page without the cache.
//!
//! An observer checks both properties. It takes one step at a time and keeps its own records: when
//! each bit was set, and which zones passed the walk's check at every step of a walk. It reads
//! neither `last_full_zap` nor the walk's own state of the cache. It must catch every machine whose
//! cache is tampered with.
//!
//! `MMSCOPE_FUZZ_SEED` runs only one machine.

use mm::index::ZoneIndex;
use std::collections::BTreeMap;

use mm::experiment::Experiment;
use mm::frames::Frame;
use mm::gfp::{AllocFlags, Gfp};
use mm::kernel::ZonelistCache;
use mm::machine::Machine;
use mm::mmzone::WMARK_LOW;
use mm::page_alloc::ZlcFull;
use mm::page_alloc::{GetPageFromFreelist, GfPt, allowed};
use mm::page_writeback::dirty_limit;
use mm::record::{Declared, RecordKind};
use mm::rng::Rng;
use mm::slowpath::ZlcReconsider;
use mm::watermark_ok::WatermarkOk;
use mm::zlc::{ZlcFresh, ZlcZap};
use serde_json::{Value, json};

const KERNELS: [&str; 5] = ["3.0", "zlcfirst", "zlcreconsider", "3.1", "3.16"];
/// Number of steps of a machine. They cover several seconds, because its tasks sleep for long.
const STEPS: u64 = 200_000;
/// Number of machines of each kernel.
const MACHINES: u64 = 9;

fn pick<'a, T>(rng: &mut Rng, from: &'a [T]) -> &'a T {
    &from[rng.below(from.len() as u32) as usize]
}

/// A machine of 2 to 4 small nodes, each with one or two zones.
fn machine(rng: &mut Rng) -> Value {
    let count = 2 + u64::from(rng.below(3));
    let wide = *pick(rng, &[10, 20, 40]);
    let distance = |a, b| if a == b { 10 } else { wide };
    let mut nodes = Vec::new();
    for n in 0..count {
        let pages = 128 + u64::from(rng.below(1200));
        // Node 0 may also have pages below 4 GiB; the other nodes lie above, one after the other.
        let mut ranges = vec![json!({ "start_pfn": (1 << 20) + n * 4096, "pages": pages })];
        if n == 0 && rng.below(2) == 0 {
            let below = 64 + u64::from(rng.below(800));
            ranges.insert(0, json!({ "start_pfn": 4096, "pages": below }));
        }
        let cpus = if n > 0 && rng.below(4) == 0 {
            0
        } else {
            1 + rng.below(2)
        };
        nodes.push(json!({ "ranges": ranges, "cpus": cpus }));
    }
    let distances: Vec<Vec<u32>> = (0..count)
        .map(|a| (0..count).map(|b| distance(a, b)).collect())
        .collect();
    json!({
        "id": "random", "title": "", "arch": "x86_64", "page_size_kib": 4, "nodes": nodes,
        "distances": distances, "hz": pick(rng, &[100, 250, 1000]), "thp": "never",
        "costs": "s2011", "pcp": rng.below(2) == 0,
        "zonelist_order": pick(rng, &["default", "node", "zone"]),
        "devices": [{
            "id": "sda", "model": pick(rng, &["disk_2010", "ssd_2021"]), "files": true,
            "swap": if rng.below(3) == 0 { 0 } else { 4000 },
        }],
    })
}

/// A task's loop: it fills memory, frees some, and waits.
fn program(rng: &mut Rng, nodes: u32) -> Value {
    let mut body = Vec::new();
    for _ in 0..2 + rng.below(4) {
        let size = format!("{} KiB", 4 * (1 + rng.below(120)));
        let think = format!("{}ms", 1 + rng.below(900));
        body.push(match rng.below(8) {
            0 | 1 => json!({ "op": "read", "file": "f", "size": size,
                             "order": pick(rng, &["sequential", "random"]) }),
            2 => json!({ "op": "write", "file": "f", "size": size, "order": "sequential" }),
            3 => json!({ "op": "touch", "region": "a", "pages": 1 + rng.below(100),
                         "write": rng.below(2) == 0 }),
            4 => json!({ "op": "alloc", "pool": "p", "order": rng.below(4), "count": 1 + rng.below(40),
                         "type": pick(rng, &["unmovable", "movable", "atomic"]) }),
            5 => json!({ "op": "release", "pool": "p", "every": 1 + rng.below(2) }),
            6 => json!({ "op": "drop_caches" }),
            _ => json!({ "op": "think", "time": think }),
        });
    }
    let think = format!("{}ms", 50 + rng.below(500));
    body.push(json!({ "op": "think", "time": think }));
    // Pools and regions must exist before they are used.
    let mut ops = vec![
        json!({ "op": "map", "region": "a", "size": format!("{}%", 5 + rng.below(60)) }),
        json!({ "op": "alloc", "pool": "p", "order": 0, "count": 1, "type": "movable" }),
    ];
    if rng.below(3) > 0 {
        ops.insert(0, json!({ "op": "bind", "node": rng.below(nodes) }));
    }
    ops.push(json!({ "op": "repeat", "times": 500, "do": body }));
    json!(ops)
}

/// A random valid experiment for a kernel and a seed.
fn experiment(kernel: &str, seed: u64) -> Experiment {
    let mut rng = Rng::stream(seed, 1);
    let mut last = Vec::new();
    for _ in 0..200 {
        let machine = machine(&mut rng);
        let nodes = machine["nodes"].as_array().map_or(1, Vec::len) as u32;
        let mut processes = Vec::new();
        for name in ["a", "b", "c"] {
            let mut process = json!({ "name": name, "count": 1 + rng.below(2),
                                      "program": program(&mut rng, nodes) });
            if rng.below(2) == 0 {
                process["node"] = json!(rng.below(nodes));
            }
            processes.push(process);
        }
        let mode = if rng.below(4) == 0 {
            0
        } else {
            1 + rng.below(7)
        };
        let raw = json!({
            "id": "", "title": "", "machine": machine, "kernel": kernel,
            "workload": { "id": "random", "processes": processes,
                "files": [{ "name": "f", "size": format!("{}%", 20 + rng.below(200)) }] },
            "tunables": {
                "vm.zone_reclaim_mode": mode.to_string(),
                "vm.min_free_kbytes": (64 + rng.below(600)).to_string(),
                "vm.min_unmapped_ratio": rng.below(3).to_string(),
                "vm.min_slab_ratio": rng.below(6).to_string(),
            },
            "seed": rng.next_u64() >> 12, "length": "100s",
        });
        match Experiment::from_json(&raw.to_string()) {
            Ok(experiment) => return experiment,
            Err(refusals) => last = refusals,
        }
    }
    panic!("no valid experiment in 200 draws: {last:?}");
}

/// The change made to a machine, for the observer to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plant {
    /// No change.
    Nothing,
    /// Clearing leaves the bits set, but reports success.
    WipeLeavesBits,
    /// Setting a bit restarts the second.
    BitsKeepTheClock,
    /// When a zone is found full, the next one of the list is also marked.
    MarksNeighbour,
    /// The walk without the cache is left out.
    NoRescan,
}

/// A walk in progress, by its task and its index on the stack.
type Walk = (usize, usize);

/// What the observer knows.
#[derive(Default)]
struct Onlooker {
    /// The bits of each list at the last step.
    bits: Vec<u64>,
    /// When each bit was set, jiffies, by list and position.
    since: BTreeMap<(usize, u32), u64>,
    /// When each list was last cleared, jiffies.
    wiped: BTreeMap<usize, u64>,
    /// For each walk, the zones that passed its check at every step so far, as bits.
    able: BTreeMap<Walk, u64>,
    /// Number of occurrences of each event: bits set, lists cleared, zones skipped, second walks,
    /// walks that found nothing.
    seen: [u64; 5],
    /// The violations found.
    found: Vec<String>,
}

impl Onlooker {
    fn of(m: &Machine) -> Onlooker {
        Onlooker {
            bits: m.w.zlc.iter().map(|zlc| zlc.fullzones).collect(),
            ..Onlooker::default()
        }
    }

    fn accuse(&mut self, m: &Machine, what: &str) {
        self.found
            .push(format!("after step {}: {what}", m.w.run.steps()));
    }

    /// Checks the machine after one step.
    fn look(&mut self, m: &mut Machine) {
        let tick = u64::from(1_000_000_000 / m.w.facts.hz);
        let second = u64::from(m.w.facts.hz);
        let reconsiders = m.w.facts.features.zlc_reconsider;
        let records: Vec<_> = m.w.rec.records.drain(..).collect();
        let (mut marked, mut cleared) = (None, None);
        for record in &records {
            let now = record.time_ns / tick;
            if let Some(full) = ZlcFull::of(record) {
                self.seen[0] += 1;
                marked = Some(full.node.index());
            } else if let Some(zap) = ZlcZap::of(record) {
                let list = zap.node.index();
                self.seen[1] += 1;
                cleared = Some(list);
                // The clocks of CPUs differ by some microseconds, at most by a tick.
                let before = self.wiped.insert(list, now);
                if before.is_some_and(|before| now <= before + second) {
                    self.accuse(m, "cleared within a second");
                }
            } else if let Some(again) = ZlcReconsider::of(record) {
                if reconsiders {
                    cleared = Some(again.node.index());
                } else {
                    self.accuse(m, "cleared without that patch");
                }
            }
            self.seen[2] += u64::from(record.kind == RecordKind::ZlcSkip);
            self.seen[3] += u64::from(record.kind == RecordKind::ZlcRescan);
        }
        let now = records.last().map_or(0, |record| record.time_ns / tick);
        self.bits_moved(m, marked, cleared, now);
        // A walk has just checked whether the second is over: any bit that is still set is younger.
        for record in &records {
            let zap = ZlcZap::of(record).map(|zap| zap.node);
            if let Some(node) = zap.or_else(|| ZlcFresh::of(record).map(|fresh| fresh.node)) {
                let list = node.index();
                let old = self.since.iter();
                let old = old
                    .filter(|&(&(l, _), &t)| l == list && now > t + second)
                    .count();
                if old > 0 {
                    self.accuse(m, "a bit outlived its second and the next walk");
                }
            }
        }
        self.walks(m);
    }

    /// Bits are set only where a zone was found full, and cleared only where the cache was cleared.
    fn bits_moved(&mut self, m: &Machine, marked: Option<usize>, cleared: Option<usize>, now: u64) {
        for (list, zlc) in m.w.zlc.iter().enumerate() {
            let (before, after) = (self.bits[list], zlc.fullzones);
            let (set, gone) = (after & !before, before & !after);
            if set != 0 && (marked != Some(list) || set.count_ones() > 1) {
                self.accuse(m, "a bit was set without a reason");
            }
            if gone != 0 && cleared != Some(list) {
                self.accuse(m, "a bit was cleared without a reason");
            }
            for place in 0..64 {
                if gone >> place & 1 == 1 {
                    self.since.remove(&(list, place));
                }
                if set >> place & 1 == 1 {
                    self.since.insert((list, place), now);
                }
            }
            self.bits[list] = after;
        }
    }

    /// Tracks which zones could have served each walk at all its steps. If a walk finds nothing,
    /// there must have been none.
    fn walks(&mut self, m: &mut Machine) {
        let mut live = Vec::new();
        for (task, t) in m.tasks.iter().enumerate() {
            for (depth, frame) in t.stack.iter().enumerate() {
                if let Frame::FreeList(walk) = frame {
                    live.push(((task, depth), walk.clone()));
                }
            }
        }
        self.able
            .retain(|place, _| live.iter().any(|(p, _)| p == place));
        for (place, walk) in live {
            let able = able(m, &walk) & self.able.get(&place).copied().unwrap_or(u64::MAX);
            self.able.insert(place, able);
            if walk.pt == GfPt::None {
                self.seen[4] += 1;
                if able != 0 {
                    self.accuse(m, &format!("no page for {walk:?}, zones {able:b} had room"));
                }
            }
        }
    }
}

/// The zones that a walk may use and that now pass its check, as bits. Empty for walks that skip
/// zones for other reasons.
fn able(m: &mut Machine, walk: &GetPageFromFreelist) -> u64 {
    let (rq, flags) = (walk.rq, walk.flags);
    if flags.has(AllocFlags::FAIR) || flags.has(AllocFlags::NO_WATERMARKS) {
        return 0;
    }
    let zones: Vec<ZoneIndex> = allowed(&m.w, rq.node, rq.high)
        .map(|(_, zone)| zone)
        .collect();
    let mut able = 0;
    for zone in zones {
        let spreads = walk.mark == WMARK_LOW && rq.gfp.has(Gfp::WRITE);
        let [dirty, limit] = dirty_limit(&m.w, zone);
        let test = WatermarkOk::new(zone, rq.order, walk.mark, rq.classzone, flags);
        if !(spreads && dirty > limit) && test.holds(&mut m.w) {
            able |= 1 << zone.get();
        }
    }
    able
}

/// Tampers with the machine before its next step.
fn tamper(m: &mut Machine, plant: Plant, before: &[u64]) {
    let now = m.w.jiffies();
    match plant {
        Plant::Nothing => {}
        Plant::WipeLeavesBits => {
            for (zlc, &before) in m.w.zlc.iter_mut().zip(before) {
                if zlc.fullzones == 0 {
                    zlc.fullzones = before;
                }
            }
        }
        Plant::BitsKeepTheClock => {
            for (zlc, &before) in m.w.zlc.iter_mut().zip(before) {
                if zlc.fullzones & !before != 0 {
                    zlc.last_full_zap = now;
                }
            }
        }
        Plant::MarksNeighbour => {
            for (zlc, &before) in m.w.zlc.iter_mut().zip(before) {
                let set = zlc.fullzones & !before;
                zlc.fullzones |= set << 1;
            }
        }
        Plant::NoRescan => {
            for t in &mut m.tasks {
                for frame in t.stack.iter_mut() {
                    if let Frame::FreeList(walk) = frame
                        && walk.pt == GfPt::Rescan
                    {
                        walk.pt = GfPt::None;
                    }
                }
            }
        }
    }
}

/// Runs a machine with the observer, up to the first violation.
fn watched(kernel: &str, seed: u64, plant: Plant) -> Onlooker {
    let mut m = Machine::boot(&experiment(kernel, seed));
    assert_ne!(m.w.facts.features.zonelist_cache, ZonelistCache::Removed);
    let mut eyes = Onlooker::of(&m);
    m.w.rec.on = true;
    while m.w.run.steps() < STEPS && !m.w.sched.ended && eyes.found.is_empty() {
        let before: Vec<u64> = m.w.zlc.iter().map(|zlc| zlc.fullzones).collect();
        m.run(m.w.run.steps() + 1, u64::MAX);
        tamper(&mut m, plant, &before);
        eyes.look(&mut m);
    }
    eyes
}

#[test]
fn the_zonelist_cache_expires_within_a_second_and_fails_no_walk() {
    if let Ok(seed) = std::env::var("MMSCOPE_FUZZ_SEED") {
        let seed = seed.parse().expect("a seed is a number");
        for kernel in KERNELS {
            let found = watched(kernel, seed, Plant::Nothing).found;
            assert_eq!(found, [""; 0], "{kernel}");
        }
        return;
    }
    for kernel in KERNELS {
        let mut seen = [0; 5];
        for seed in 0..MACHINES {
            let eyes = watched(kernel, seed, Plant::Nothing);
            assert_eq!(eyes.found, [""; 0], "MMSCOPE_FUZZ_SEED={seed}, {kernel}");
            for (sum, n) in seen.iter_mut().zip(eyes.seen) {
                *sum += n;
            }
        }
        println!("{kernel}: bits set, wipes, zones skipped, second walks, nothing found: {seen:?}");
        assert!(
            seen.iter().all(|&n| n > 0),
            "{kernel} reached only {seen:?}"
        );
    }
}

#[test]
fn the_test_detects_every_planted_fault_of_the_zonelist_cache() {
    for (plant, says) in [
        (Plant::WipeLeavesBits, "outlived"),
        (Plant::BitsKeepTheClock, "outlived"),
        (Plant::MarksNeighbour, "without a reason"),
        (Plant::NoRescan, "had room"),
    ] {
        for kernel in KERNELS {
            let mut found = (0..MACHINES).flat_map(|seed| watched(kernel, seed, plant).found);
            let found = found.next().unwrap_or_default();
            assert!(found.contains(says), "{plant:?} with {kernel}: '{found}'");
        }
    }
}
