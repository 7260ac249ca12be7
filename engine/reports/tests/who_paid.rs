//! The rows of the who-paid table add up to the machine's counters.

use std::collections::BTreeMap;

use mm::experiment::{Experiment, preset};
use mm::index::TaskIndex;
use mm::kernel::kernels;
use mm::machine::Machine;
use mm::mmzone::PageKind;
use mm::record::{Declared, KEPT};
use mm::rmap::anon_place;
use mm::rng::Rng;
use mm::session::Session;
use mm::vmscan::page_list::{LadderFree, RefsReclaim};
use reports::who_paid::{Owner, Paid, Range, WhoPaid, file_names, named};
use serde_json::json;

/// Runs a range in slices, and returns its tables.
fn paid(machine: &mut Machine, steps: u64, slice: u64) -> Paid {
    machine.w.rec.records.clear();
    machine.w.rec.on = true;
    let mut who = WhoPaid::begin(machine);
    let end = machine.w.run.steps().saturating_add(steps);
    while machine.w.run.steps() < end && !machine.w.sched.ended {
        machine.run(end.min(machine.w.run.steps() + slice), u64::MAX);
        assert!(machine.w.rec.records.len() < KEPT);
        machine
            .w
            .rec
            .records
            .iter()
            .for_each(|record| who.take(record));
        machine.w.rec.records.clear();
    }
    machine.w.rec.on = false;
    let name = |id: TaskIndex| id.to_string();
    who.finish(machine, &name, &|file| format!("file {file}"))
}

/// Time that all CPUs spent in user mode and in the kernel, ns.
fn used(machine: &Machine) -> (u64, u64) {
    let w = &machine.w;
    let cpus = w.sched.cpus.indices();
    let each = cpus.map(|cpu| w.sched.used(cpu, (w.cpu, w.now)));
    each.fold((0, 0), |(user, kernel), used| {
        (user + used.user, kernel + used.kernel)
    })
}

#[test]
fn cpu_time_of_tasks_adds_up_to_that_of_cpus() {
    for seed in 0..60 {
        let mut machine = random(seed);
        for stretch in [700, 20_000, 150_000] {
            let before = used(&machine);
            let paid = paid(&mut machine, stretch, 1000);
            let after = used(&machine);
            let user: u64 = paid.cpu.iter().map(|row| row.user_ns).sum();
            assert_eq!(user, after.0 - before.0, "seed {seed}: user mode");
            // CPUs also handle interrupts and switch tasks.
            let kernel: u64 = paid.cpu.iter().map(|row| row.kernel_ns).sum();
            assert!(kernel <= after.1 - before.1, "seed {seed}: kernel");
        }
    }
}

fn adds_up(paid: &Paid, about: &str) {
    let total = paid.total.named();
    let mut left: BTreeMap<&str, i64> = total.iter().copied().collect();
    for row in &paid.rows {
        for (name, amount) in row.sums.named() {
            *left.get_mut(name).expect("a counter") -= amount;
        }
    }
    for (name, amount) in paid.not_attributed.named() {
        assert_eq!(left[name], amount, "{about}: {name}");
    }
    let pages: u64 = paid.taken.iter().map(|row| row.pages).sum();
    let reclaimed = paid
        .rows
        .iter()
        .map(|row| row.sums.pgsteal_kswapd + row.sums.pgsteal_direct);
    assert_eq!(
        pages as i64,
        reclaimed.sum::<i64>(),
        "{about}: pages by owner"
    );
}

fn has_a_row_for_everything(paid: &Paid, about: &str) {
    for (name, amount) in paid.not_attributed.named() {
        assert_eq!(amount, 0, "{about}: so many of {name} have no row");
    }
}

/// A small machine whose memory is too small for its programs.
fn random(seed: u64) -> Machine {
    let rng = &mut Rng::stream(seed, 77);
    let all = kernels();
    let kernel = all[rng.below(all.len() as u32) as usize].id;
    let nodes = 1 + u64::from(rng.below(2));
    let node =
        |i: u64| json!({"ranges": [{"start_pfn": i * 4096, "pages": 1024}], "cpus": 1 + i % 2});
    let described: Vec<_> = (0..nodes).map(node).collect();
    let distances: Vec<Vec<u8>> = (0..nodes)
        .map(|a| (0..nodes).map(|b| if a == b { 10 } else { 20 }).collect())
        .collect();
    let mut part = |low: u32, high: u32| low + rng.below(high - low);
    // Every other machine has to swap, the others reclaim pages of files.
    let (heap, file, log) = match seed % 2 {
        0 => (part(30, 90), part(200, 1500), part(50, 800)),
        _ => (part(100, 150), part(8, 60), part(8, 60)),
    };
    let raw = json!({
        "machine": {"id": "m", "title": "", "arch": "x86_64", "page_size_kib": 4, "nodes": described,
            "distances": distances, "hz": 250, "thp": "never", "costs": "q-x86", "pcp": true,
            "zonelist_order": "default", "devices": [
                {"id": "data", "model": "throttled", "bytes_per_s": 100 << 20, "files": true},
                {"id": "swap", "model": "throttled", "bytes_per_s": 50 << 20, "files": false,
                    "swap": 16384}]},
        "kernel": kernel,
        "workload": {"id": "w", "files": [{"name": "f", "size": file}, {"name": "g", "size": log}],
            "processes": [
                {"name": "hog", "count": part(1, 3), "program": [
                    {"op": "map", "region": "h", "size": format!("{heap}%")},
                    {"op": "repeat", "times": 3, "do": [
                        {"op": "touch", "region": "h", "order": "random"}]}]},
                {"name": "reader", "program": [
                    {"op": "repeat", "times": 4, "do": [{"op": "read", "file": "f"}]}]},
                {"name": "writer", "program": [
                    {"op": "repeat", "times": 4, "do": [{"op": "write", "file": "g"}]}]}]},
        "tunables": {"vm.min_free_kbytes": "128"}, "seed": seed, "length": "20s",
    });
    let experiment = Experiment::from_json(&raw.to_string());
    Machine::boot(&experiment.unwrap_or_else(|found| panic!("seed {seed}: {found:?}")))
}

#[test]
fn attributes_everything_that_reclaim_counted_in_random_runs() {
    let mut touched = BTreeMap::new();
    for seed in 0..16 {
        let mut machine = random(seed);
        let paid = paid(&mut machine, 300_000, 500);
        let about = format!("seed {seed}, {}", machine.w.facts.layout.nodes.len());
        adds_up(&paid, &about);
        has_a_row_for_everything(&paid, &about);
        for (name, amount) in paid.total.named() {
            *touched.entry(name).or_insert(0) += amount;
        }
    }
    for name in [
        "allocstall",
        "stall_direct_ns",
        "pageoutrun",
        "pgscan_kswapd",
        "pgscan_direct",
        "pgsteal_anon",
        "pgsteal_file",
        "pgrefill",
        "nr_vmscan_write",
        "waits",
    ] {
        assert!(touched[name] > 0, "no run counted {name}: {touched:?}");
    }
}

#[test]
fn adds_up_over_any_range_and_any_slice_length() {
    for seed in 0..6 {
        let mut machine = random(seed);
        machine.run(20_000 + 7_001 * seed, u64::MAX);
        let mut again = machine.clone();
        let first = paid(&mut machine, 40_000, 500);
        adds_up(&first, &format!("seed {seed}"));
        assert_eq!(first, paid(&mut again, 40_000, 37), "seed {seed}");
    }
}

/// Short ranges begin and end in the middle of calls, between a record and its count.
#[test]
fn attributes_everything_in_consecutive_ranges_of_random_lengths() {
    for seed in 0..8 {
        let rng = &mut Rng::stream(seed, 78);
        let mut machine = random(seed);
        machine.run(20_000, u64::MAX);
        for _ in 0..400 {
            let from = machine.w.run.steps();
            let paid = paid(&mut machine, 1 + u64::from(rng.below(300)), 128);
            let about = format!("seed {seed}, from step {from}");
            adds_up(&paid, &about);
            has_a_row_for_everything(&paid, &about);
        }
    }
}

#[test]
fn a_range_of_a_session_has_the_tables_of_the_same_steps() {
    let mut raw = preset("anon-hog.teach").expect("a preset");
    raw.length = "3s".to_string();
    let experiment = Experiment::new(raw).expect("valid");
    let files = file_names(&experiment);
    let mut session = Session::open(&experiment, 64 << 20);
    session.run(u64::MAX, u64::MAX, u64::MAX);
    let end = session.furthest().step;
    let mut reclaimed = 0;
    for (from, to) in [(0, end), (end / 3, end / 2), (end / 2, end + 5), (7, 8)] {
        let mut machine = Machine::boot(&experiment);
        machine.run(from, u64::MAX);
        machine.w.rec.on = true;
        let mut who = WhoPaid::begin(&machine);
        while machine.w.run.steps() < to && !machine.w.sched.ended {
            machine.run(to.min(machine.w.run.steps() + 500), u64::MAX);
            let records: Vec<_> = machine.w.rec.records.drain(..).collect();
            records.iter().for_each(|record| who.take(record));
        }
        let expected = named(&who, &machine, &files);
        for slice in [10_000, 333_333] {
            let mut range = Range::begin(&session, from, to, files.clone()).expect("memory");
            let found = loop {
                if let Some(paid) = range.more(slice).paid {
                    break paid;
                }
            };
            assert_eq!(found, expected, "{from} to {to}");
        }
        reclaimed += expected.total.named().iter().map(|(_, n)| n).sum::<i64>();
    }
    assert!(reclaimed > 0);
}

#[test]
fn attributes_the_work_of_kswapd_to_the_task_that_woke_it() {
    let mut raw = preset("anon-hog.teach").expect("a preset");
    raw.length = "5s".to_string();
    let mut machine = Machine::boot(&Experiment::new(raw).expect("valid"));
    let paid = paid(&mut machine, 2_000_000, 1000);
    let kswapd: Vec<_> = paid
        .rows
        .iter()
        .filter(|row| row.sums.pgscan_kswapd > 0)
        .collect();
    assert!(!kswapd.is_empty());
    for row in kswapd {
        assert_ne!(row.task, row.on_behalf_of);
        assert_ne!(row.on_behalf_of, "not attributed");
    }
    let direct = paid.rows.iter().filter(|row| row.sums.pgscan_direct > 0);
    direct.for_each(|row| assert_eq!(row.task, row.on_behalf_of));
}

/// The owner from the records is the one that the state of the machine has when a page is checked.
#[test]
fn attributes_reclaimed_pages_to_their_owner() {
    let (mut freed, mut of_files, mut ahead) = (0, 0, 0);
    for seed in 0..4 {
        let mut machine = random(seed);
        machine.w.rec.on = true;
        let mut who = WhoPaid::begin(&machine);
        let mut truth = BTreeMap::new();
        for _ in 0..150_000 {
            machine.run(machine.w.run.steps() + 1, u64::MAX);
            let records: Vec<_> = machine.w.rec.records.drain(..).collect();
            for record in &records {
                who.take(record);
                if let Some(page) = RefsReclaim::of(record) {
                    let found = machine.w.mem.pages[page.page];
                    let owner = if found.is(PageKind::File) {
                        Owner::File(found.owner)
                    } else {
                        let space = anon_place(&machine.w, page.page).0;
                        let space = &machine.w.processes.all[space as usize].space;
                        Owner::Task(space.owner)
                    };
                    truth.insert(page.page, owner);
                }
                if let Some(page) = LadderFree::of(record)
                    && let Some(owner) = truth.remove(&page.page)
                {
                    let told = who.owner(page.page);
                    // A page that was read ahead from swap has not been mapped since.
                    let is_ahead = told == Owner::Unknown && matches!(owner, Owner::Task(_));
                    let step = record.step;
                    assert!(
                        told == owner || is_ahead,
                        "seed {seed}, step {step}: {told:?}, not {owner:?}"
                    );
                    ahead += u32::from(is_ahead);
                    of_files += u32::from(matches!(owner, Owner::File(_)));
                    freed += 1;
                }
            }
        }
    }
    let of_tasks = freed - of_files;
    assert!(
        of_files > 0 && of_tasks > 2 * ahead,
        "{freed} freed, {of_files} of files, {ahead} read ahead"
    );
}
