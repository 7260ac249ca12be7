//! The captured machine and workload as an experiment of mmscope.
//!
//! The machine comes from the dump by the usual import; devices, CPUs and cost table come from
//! `shape.json`. A prologue fills the memory in the same way as it was in the guest before the
//! workload: kernel pages, slab, and the root file system's pages on the lists. All assumptions are
//! listed in words.

use mm::experiment::Experiment;
use mm::procfs::parse::{RawZone, parse};
use mm::view::Refusal;
use serde_json::{Value, json};

use crate::capture::Capture;
use crate::fault::{Fault, Outcome};
use crate::given::Given;
use crate::machine::{full_name, machine, of_zoneinfo, settings};
use crate::workload::workload;

/// The time at which memory is in the state of `before.txt`, ms.
pub const BEFORE_MS: u64 = 1000;
/// The time at which the workload begins, ms; the sampler starts a second earlier.
pub const START_MS: u64 = 2000;
/// The processes that represent the guest at rest, unless the workload has processes of these names.
const BACKDROP: [&str; 3] = ["guest", "sampler", "shells"];
/// Pages of the sampler that were in memory before it locked its memory (`samples.csv`: 138 to 175
/// pages leave the anonymous lists when it does).
const SAMPLER_THERE: u64 = 170;
/// Page faults of the guest's shells and programs while they start. Up to the first sample there
/// are 607 more faults than the sampler has pages, and another 239 until the workload runs (`hog`;
/// all captures use the same script).
const SHELL_FAULTS: u64 = 607 + 239;
/// The number of short-lived programs among which these faults are divided.
const SHELLS: u64 = 9;
/// Pages of a region that is too small for a huge page on any architecture.
const SMALL: u64 = 200;
/// The maximum number of regions of one program, because a program has at most 1,000 operations.
const MOST_REGIONS: u64 = 100;
/// The longest run of a twin, seconds, because an experiment lasts at most four hours.
const MOST_S: u64 = 4 * 3600;

/// An experiment that repeats a captured run.
#[derive(Debug)]
pub struct Twin {
    /// The experiment as JSON.
    pub raw: Value,
    /// The assumptions: values that the capture does not contain, and deliberate differences.
    pub assumed: Vec<String>,
    /// The names of the processes that represent the guest at rest: its memory, its sampler, and the
    /// programs of its script.
    pub backdrop: [String; 3],
    /// Does the sampler end with the workload?
    pub sampler_ends: bool,
    /// The index of the workload's own first process among all processes.
    own_from: usize,
    /// The target for free pages before the workload, including per-cpu lists, by node.
    pub free: Vec<u64>,
}

/// Memory of a node before the workload, pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Rest {
    /// Free pages, including per-cpu lists.
    free: u64,
    /// Allocated.
    used: u64,
    /// Allocated pages on the anonymous lists: inactive and active.
    anon: [u64; 2],
    /// Allocated pages of reclaimable slab.
    slab: u64,
    /// Allocated pages in the zones DMA and DMA32, if a higher zone exists.
    low: [u64; 2],
    /// Free pages of the highest zone on unmovable and on reclaimable lists.
    lists: [u64; 2],
    /// Pages of the highest zone on per-cpu lists.
    on_cpus: u64,
}

/// What the multi-generational LRU counts differently (mm/vmscan.c of 6.1 and 6.12). In four
/// captures of 6.12, a run of kswapd frees 1,022 to 1,122 pages, while the high watermarks add up
/// to 1,019.
const MULTIGEN_COUNTS: [&str; 3] = [
    "with that LRU one run of kswapd frees as many pages as all high marks together, so pageoutrun is lower there",
    "with that LRU the pages of low zones are evicted last, so pgalloc_dma is lower there",
    "with that LRU 6.1 emits neither mm_vmscan_lru_isolate nor mm_vmscan_lru_shrink_inactive",
];

/// Builds the twin of a capture. `more` is the kernel memory to add to each node, in pages: the
/// difference between the free pages of a first attempt and those of the dump.
///
/// # Errors
/// The workload cannot be repeated, or the dump does not describe a machine.
pub fn build(capture: &Capture, more: &[i64]) -> Outcome<Twin> {
    let kernel = capture.kernel()?;
    let mut assumed = Vec::new();
    if capture.lru_gen != 0 && !capture.models_generations() {
        assumed.push(
            "the guest ran the multi-generational LRU, the twin runs the classic one".to_string(),
        );
        assumed.extend(MULTIGEN_COUNTS.map(str::to_string));
    }
    let machine = machine(capture)?;
    let rest = at_rest(capture)?;
    let work = workload(capture, &mut assumed)?;
    let backdrop = backdrop(capture);
    let sampler = Sampler::of(capture);
    let mut processes: Vec<Value> = Vec::new();
    let largest = 1 << (capture.orders().max(1) - 1);
    for (node, rest) in rest.iter().enumerate() {
        let more = more.get(node).copied().unwrap_or(0);
        let there = if node == 0 { sampler.there } else { 0 };
        processes.push(guest(&backdrop[0], node, rest, more, largest, there));
    }
    processes.push(sampler.process(&backdrop[1]));
    if capture.given.is_none() {
        processes.push(shells(&backdrop[2]));
    }
    let own_from = processes.len();
    processes.extend(work.processes);
    assumed.push(
        "pages of the root file system and shared memory from before the run are anonymous here"
            .into(),
    );
    let name = &capture.workload.name;
    let mut workload = json!({"id": name, "title": "", "about": "", "processes": processes});
    if !work.files.is_empty() {
        workload["files"] = json!(work.files);
    }
    if !work.cgroups.list.is_empty() {
        workload["cgroups"] = json!(work.cgroups.list);
        workload["memory_recursiveprot"] = json!(work.cgroups.recursive);
    }
    let most_ms = START_MS
        + capture
            .given
            .as_ref()
            .and_then(Given::length_ms)
            .unwrap_or(0);
    let mut raw = json!({
        "id": "",
        "title": format!("twin of {}", capture.name),
        "machine": machine,
        "kernel": kernel.id,
        "workload": workload,
        "tunables": settings(capture, kernel),
        "seed": 1,
        "length": format!("{}s", (most_ms / 1000 + 100).clamp(1000, MOST_S)),
    });
    if !work.interventions.is_empty() {
        raw["interventions"] = json!(work.interventions);
    }
    let free = rest.iter().map(|rest| rest.free).collect();
    Ok(Twin {
        raw,
        assumed,
        backdrop,
        sampler_ends: sampler.ends,
        own_from,
        free,
    })
}

/// Names for the guest at rest that no process of the workload has.
fn backdrop(capture: &Capture) -> [String; 3] {
    let given: Vec<&str> = capture.given.iter().flat_map(Given::names).collect();
    BACKDROP.map(|name| {
        let mut name = name.to_string();
        while given.contains(&name.as_str()) {
            name.push('_');
        }
        name
    })
}

impl Twin {
    /// The experiment.
    ///
    /// # Errors
    /// The engine rejects the experiment.
    pub fn experiment(&self, capture: &Capture) -> Outcome<Experiment> {
        Experiment::from_json(&self.raw.to_string()).map_err(|found| {
            let fault = |refusal: &Refusal| self.placed(capture, refusal);
            found.iter().map(fault).collect::<Vec<_>>()
        })
    }

    /// An error of the twin, with its location in `workload.json` or `sysctl.txt` if it concerns
    /// one of these files.
    fn placed(&self, capture: &Capture, refusal: &Refusal) -> Fault {
        let in_twin = || Fault {
            file: "the twin".to_string(),
            line: None,
            reason: format!("{}: {}", refusal.path, refusal.reason),
        };
        let lines = &capture.settings.lines;
        let mut lines = lines.iter().filter(|(name, _)| {
            refusal.path.strip_prefix("tunables.") == Some(full_name(name).as_str())
        });
        if let Some((name, line)) = lines.next() {
            return Fault {
                file: "sysctl.txt".to_string(),
                line: Some(*line),
                reason: format!("{name}: {}", refusal.reason),
            };
        }
        if let Some(rest) = refusal.path.strip_prefix("workload.cgroups") {
            return Fault {
                file: "workload.json".to_string(),
                line: None,
                reason: format!("cgroups{rest}: {}", refusal.reason),
            };
        }
        let head = "workload.processes[";
        let Some((index, rest)) = refusal
            .path
            .strip_prefix(head)
            .and_then(|path| path.split_once(']'))
        else {
            return in_twin();
        };
        let index = index.parse::<usize>().ok();
        match index.and_then(|index| index.checked_sub(self.own_from)) {
            Some(own) => Fault {
                file: "workload.json".to_string(),
                line: None,
                reason: format!("processes[{own}]{rest}: {}", refusal.reason),
            },
            None => in_twin(),
        }
    }
}

/// Memory of each node before the workload.
fn at_rest(capture: &Capture) -> Outcome<Vec<Rest>> {
    let zones = parse(capture.before.section("zoneinfo"));
    let zones = zones.map_err(|found| of_zoneinfo(&capture.before, &found))?;
    let mut nodes: Vec<(u16, Rest)> = Vec::new();
    for zone in &zones {
        if nodes.last().is_none_or(|(id, _)| *id != zone.node) {
            nodes.push((zone.node, Rest::default()));
        }
        if let Some((_, rest)) = nodes.last_mut() {
            add_zone(rest, zone);
            if zone.is_populated() {
                rest.on_cpus = on_cpus(zone);
                rest.lists = ["Unmovable", "Reclaimable"]
                    .map(|kind| capture.free_of_type(zone.node, &zone.name, kind));
            }
        }
    }
    for (id, rest) in &mut nodes {
        let here = zones.iter().filter(|z| z.node == *id && z.is_populated());
        let mut lower: Vec<&RawZone> = here.collect();
        lower.pop();
        for zone in lower {
            let low = ["DMA", "DMA32"].iter().position(|&name| name == zone.name);
            if let Some(low) = low {
                rest.low[low] = rest.low[low].saturating_add(used(zone));
            }
        }
    }
    Ok(nodes.into_iter().map(|(_, rest)| rest).collect())
}

/// Free pages of a zone, including per-cpu lists.
fn free(zone: &RawZone) -> u64 {
    zone.row("free").unwrap_or(0).saturating_add(on_cpus(zone))
}

/// Pages of a zone on per-cpu lists.
fn on_cpus(zone: &RawZone) -> u64 {
    let counts = zone.pagesets.iter().filter_map(|set| set.count);
    counts.fold(0, u64::saturating_add)
}

/// Allocated pages of a zone.
fn used(zone: &RawZone) -> u64 {
    zone.row("managed").unwrap_or(0).saturating_sub(free(zone))
}

fn add_zone(rest: &mut Rest, zone: &RawZone) {
    rest.free = rest.free.saturating_add(free(zone));
    rest.used = rest.used.saturating_add(used(zone));
    let of = |name: &str| zone.node_counters.get(name).copied().unwrap_or(0);
    let add = |sum: &mut u64, pages: u64| *sum = sum.saturating_add(pages);
    add(&mut rest.anon[0], of("nr_inactive_anon"));
    add(&mut rest.anon[1], of("nr_active_anon"));
    add(&mut rest.slab, of("nr_slab_reclaimable"));
}

fn pages(n: u64) -> Value {
    json!(n)
}

/// Regions with `count` pages in total, each too small for a huge page unless there would be too
/// many regions.
fn small_regions(name: &str, count: u64) -> Vec<(String, u64)> {
    let size = SMALL.max(count.div_ceil(MOST_REGIONS));
    let starts = (0..count).step_by(size as usize).enumerate();
    starts
        .map(|(i, start)| (format!("{name}{i}"), size.min(count - start)))
        .collect()
}

/// A process that holds the memory that a node had in use before the workload. The active anonymous
/// pages belong to the program and the shell, which stay in use. The number of kernel pages of each
/// type is chosen so that the type's free lists have as many pages as in the dump. The rest of the
/// kernel pages are movable.
fn guest(name: &str, node: usize, rest: &Rest, more: i64, largest: u64, there: u64) -> Value {
    let idle = rest.anon[0].saturating_sub(there).min(rest.used);
    let busy = rest.anon[1].min(rest.used - idle);
    let low = rest.low[0].saturating_add(rest.low[1]);
    let elsewhere = low.saturating_add(idle + busy).saturating_add(there);
    let kernel = rest.used.saturating_sub(elsewhere);
    let kernel = kernel.saturating_add_signed(more);
    let [free_unmovable, free_reclaimable] = rest.lists;
    // The next larger number (slab) or smaller number (other pages) that leaves this number of
    // pages in whole blocks.
    let slab = rest.slab.min(kernel).saturating_add(free_reclaimable);
    let slab = slab.checked_next_multiple_of(largest).unwrap_or(slab) - free_reclaimable;
    let slab = slab.min(kernel);
    let rest_of = kernel - slab;
    let unmovable = rest_of.saturating_add(free_unmovable) / largest * largest;
    let unmovable = unmovable.saturating_sub(free_unmovable).min(rest_of);
    let mut program = Vec::new();
    for (pool, kind, count) in [
        ("dma", "dma", rest.low[0]),
        ("dma32", "dma32", rest.low[1]),
        ("kernel", "unmovable", unmovable),
        ("slab", "reclaimable", slab),
        ("other", "movable", rest_of - unmovable),
    ] {
        if count > 0 {
            program.push(json!({
                "op": "alloc", "pool": pool, "order": 0, "count": pages(count), "type": kind,
            }));
        }
    }
    let idle = small_regions("idle", idle);
    let busy = small_regions("busy", busy);
    for (name, size) in idle.iter().chain(&busy) {
        program.extend([
            json!({"op": "map", "region": name, "size": pages(*size)}),
            json!({"op": "touch", "region": name}),
        ]);
    }
    // The pages freed last are on the per-cpu lists.
    if rest.on_cpus > 0 {
        program.extend([
            json!({"op": "alloc", "pool": "freed", "order": 0, "count": pages(rest.on_cpus),
                "type": "movable"}),
            json!({"op": "release", "pool": "freed", "every": 1}),
        ]);
    }
    let mut body = vec![json!({"op": "think", "time": "200ms"})];
    body.extend(
        busy.iter()
            .map(|(name, _)| json!({"op": "touch", "region": name})),
    );
    program.push(json!({"op": "repeat", "times": 10_000, "do": body}));
    json!({"name": name, "count": 1, "node": node, "program": program})
}

/// The guest's sampler: it locks itself into memory, then wakes every 200 ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sampler {
    /// Pages that it locks.
    locked: u64,
    /// Pages of the sampler that are in memory before the workload.
    there: u64,
    /// Does the sampler end before `after.txt`?
    ends: bool,
}

impl Sampler {
    /// The size of the sampler. If the sampler ran before the workload, its size is the locked
    /// memory at that time (`nr_mlock`). The samplers of the first captures began just after
    /// `before.txt`, and the workloads lock no memory, so the memory unlocked at the end is the
    /// size.
    fn of(capture: &Capture) -> Sampler {
        let pages = |count: Option<&i64>| u64::try_from(count.copied().unwrap_or(0)).unwrap_or(0);
        let before = pages(capture.before.vmstat.get("nr_mlock"));
        if before > 0 || capture.given.is_some() {
            let after = pages(capture.after.vmstat.get("nr_mlock"));
            return Sampler {
                locked: before,
                there: before,
                ends: after < before / 2,
            };
        }
        let locked = pages(capture.counted().get("unevictable_pgs_munlocked"));
        Sampler {
            locked,
            there: SAMPLER_THERE,
            ends: true,
        }
    }

    fn process(self, name: &str) -> Value {
        let mut program = vec![];
        let regions = small_regions("self", self.locked);
        let mapped = regions
            .iter()
            .map(|(name, size)| json!({"op": "map", "region": name, "size": pages(*size)}));
        program.extend(mapped);
        if let (true, Some((first, _))) = (self.locked > self.there, regions.first()) {
            program.extend([
                json!({"op": "touch", "region": first, "pages": pages(self.there)}),
                json!({"op": "think", "time": format!("{}ms", BEFORE_MS + 10)}),
            ]);
        }
        let locks = regions
            .iter()
            .map(|(name, _)| json!({"op": "lock", "region": name}));
        program.extend(locks);
        let nap = json!({"op": "think", "time": "200ms"});
        program.push(json!({"op": "repeat", "times": 100_000, "do": [nap]}));
        json!({"name": name, "count": 1, "node": 0, "program": program})
    }
}

/// The programs that the guest's script starts and waits for before the workload.
fn shells(name: &str) -> Value {
    let size = pages(SHELL_FAULTS / SHELLS);
    let body = json!([
        {"op": "map", "region": "program", "size": size},
        {"op": "touch", "region": "program"},
        {"op": "free", "region": "program"},
    ]);
    let program = json!([{"op": "repeat", "times": SHELLS, "do": body}]);
    let start = format!("{}ms", BEFORE_MS + 500);
    json!({"name": name, "count": 1, "node": 0, "start": start, "program": program})
}
