//! Memory by node: whole machines reach the rates with which the queues were calibrated, and the
//! slice length does not change a run.

use mm::check::check;
use mm::experiment::Experiment;
use mm::frames::Frame;
use mm::index::NodeIndex;
use mm::machine::{Machine, TaskKind};
use mm::record::RecordKind;
use mm::rng::Rng;
use serde_json::{Value, json};

const MS: u64 = 1_000_000;

/// A ready-made machine with `pages` on each node; no page is missing or reserved.
fn machine(id: &str, pages: u64, thp: &str) -> Value {
    let found = mm::profile::find(id).expect("a ready-made machine");
    let mut raw = serde_json::to_value(found).expect("a machine");
    let nodes = raw["nodes"].as_array_mut().expect("nodes");
    for (n, node) in (0u64..).zip(nodes) {
        // The node begins with the DMA32 zone.
        node["ranges"] = json!([{ "start_pfn": 4096 + n * pages, "pages": pages }]);
        node["reserved"] = json!({});
    }
    raw["devices"] = Value::Null;
    raw["thp"] = thp.into();
    raw
}

/// A process with memory on one node that streams through it from the CPUs of another.
fn stream(n: usize, memory: usize, cpus: usize, pages: u32) -> Value {
    json!({ "name": format!("stream{n}"), "program": [
        { "op": "bind", "node": memory, "strict": true },
        { "op": "map", "region": "heap", "size": pages },
        { "op": "touch", "region": "heap" },
        { "op": "bind", "node": cpus },
        { "op": "touch", "region": "heap", "bytes": "page", "pages": 1_000_000_000 }
    ] })
}

fn boot(machine: &Value, processes: &[Value]) -> Machine {
    let raw = json!({
        "machine": machine, "kernel": "6.1", "seed": 3, "length": "10s",
        "workload": { "id": "streams", "processes": processes },
    });
    let e = Experiment::from_json(&raw.to_string()).unwrap_or_else(|found| panic!("{found:?}"));
    Machine::boot(&e)
}

/// Number of touches in the last operation of each process.
fn touches(m: &Machine) -> Vec<u64> {
    let users = m
        .tasks
        .iter()
        .filter(|t| matches!(t.kind, TaskKind::User { .. }));
    let of = users.map(|t| match t.stack.first() {
        Some(Frame::User(user)) => user.i.into(),
        _ => 0,
    });
    of.collect()
}

/// MB/s of each of these streams once all are running.
fn rates(machine: &Value, streams: &[(usize, usize)], pages: u32) -> Vec<u64> {
    let processes: Vec<Value> = (0..)
        .zip(streams)
        .map(|(n, &(memory, cpus))| stream(n, memory, cpus, pages))
        .collect();
    let mut m = boot(machine, &processes);
    m.run(u64::MAX, 100 * MS);
    let before = touches(&m);
    m.run(u64::MAX, 200 * MS);
    assert_eq!(check(&m), vec![]);
    let after = touches(&m).into_iter().zip(before);
    after
        .map(|(after, before)| (after - before) * 4096 / (100 * MS / 1000))
        .collect()
}

/// Fails unless a rate is within `percent` of the measured rate.
fn assert_near(found: u64, measured: u64, percent: u64) {
    let off = found.abs_diff(measured) * 100;
    assert!(
        off <= measured * percent,
        "{found} MB/s, {measured} measured"
    );
}

/// The four figures of `perf bench numa mem` (7 December 2012), with small pages and with huge ones.
#[test]
fn streams_of_one_and_two_threads_reach_the_measured_rates() {
    for (thp, pages) in [("never", 1000), ("always", 2048)] {
        let opteron = machine("x86_64-4node", 16_384, thp);
        assert_near(rates(&opteron, &[(0, 0)], pages)[0], 8436, 3);
        assert_near(rates(&opteron, &[(0, 1)], pages)[0], 6717, 3);
        for each in rates(&opteron, &[(0, 1), (0, 1)], pages) {
            assert_near(each, 3686, 3);
        }
        for each in rates(&opteron, &[(0, 1), (1, 0)], pages) {
            assert_near(each, 6072, 3);
        }
    }
}

/// All memory is on one node, and eight threads run on each: the memory of that node is the limit,
/// and all remote threads get the same rate.
#[test]
fn thirty_two_streams_share_the_memory_of_one_node() {
    let opteron = machine("x86_64-4node", 16_384, "never");
    let streams: Vec<_> = (0..32).map(|n| (0, n % 4)).collect();
    let each = rates(&opteron, &streams, 256);
    assert_near(each.iter().sum(), 15_270, 3);
    // Two local streams may share a CPU; each of the others has its own CPU.
    let remote: Vec<u64> = (0..32).filter(|n| n % 4 > 0).map(|n| each[n]).collect();
    for &rate in &remote {
        assert_near(rate, remote[0], 2);
    }
}

/// MB per second that all threads of a workload move together, while none has ended.
fn moved_by(workload: &Value) -> u64 {
    let raw = json!({
        "machine": "x86_64-4node", "kernel": "3.7", "seed": 3, "length": "10s",
        "tunables": { "transparent_hugepage": "always" }, "workload": workload,
    });
    let e = Experiment::from_json(&raw.to_string()).unwrap_or_else(|found| panic!("{found:?}"));
    let mut m = Machine::boot(&e);
    let moved = |m: &Machine| {
        let pairs =
            NodeIndex::all(4).flat_map(|from| NodeIndex::all(4).map(move |node| (from, node)));
        pairs
            .map(|(from, node)| m.w.bandwidth.moved(from, node))
            .sum::<u64>()
    };
    m.run(u64::MAX, 2000 * MS);
    assert_eq!(
        m.tasks.iter().filter(|t| is_user(t)).count() as u64,
        tasks_of(workload)
    );
    let before = moved(&m);
    m.run(u64::MAX, 2200 * MS);
    assert_eq!(check(&m), vec![]);
    (moved(&m) - before) / (200 * MS / 1000)
}

fn is_user(task: &mm::machine::Task) -> bool {
    matches!(task.kind, TaskKind::User { .. })
}

/// The number of processes of a workload and their threads.
fn tasks_of(workload: &Value) -> u64 {
    let main = &workload["processes"][0];
    let steps = main["program"].as_array().expect("a program");
    let threads = steps
        .iter()
        .find(|step| step["op"] == "threads")
        .expect("threads");
    main["count"].as_u64().unwrap_or(1) * (1 + threads["count"].as_u64().expect("a number"))
}

/// The benchmarks of 2012. A process fills its memory on node 0; its threads then zero all of it
/// (numa01, two processes of 16 threads and 3 GiB) or their own part (numa02, 32 threads and 1
/// GiB). On 3.7 no page or task ever moves: the memory of node 0 limits both.
#[test]
fn numa01_and_numa02_use_the_same_bandwidth_on_mainline() {
    let benchmark = |id: &str, processes: u32, threads: u32, gib: u32, slice: bool| {
        json!({ "id": id, "processes": [
            { "name": "main", "count": processes, "program": [
                { "op": "mempolicy", "mode": "bind", "nodes": [0] },
                { "op": "map", "region": "x", "size": format!("{gib} GiB") },
                { "op": "touch", "region": "x", "bytes": "page" },
                { "op": "mempolicy", "mode": "default" },
                { "op": "threads", "process": "thread", "count": threads },
                { "op": "join" },
            ] },
            { "name": "thread", "count": 0, "program": [
                { "op": "repeat", "times": 1000, "do": [
                    { "op": "touch", "region": "x", "bytes": "page", "slice": slice },
                ] },
            ] },
        ] })
    };
    let numa01 = moved_by(&benchmark("numa01", 2, 16, 3, false));
    let numa02 = moved_by(&benchmark("numa02", 1, 32, 1, true));
    assert_near(numa01, numa02, 5);
    assert_near(numa02, 15_270, 3);
}

/// Twelve threads with all memory on their own node are 1.80 times as fast as with all memory on
/// the other.
#[test]
fn inverse_binding_costs_as_much_as_measured() {
    let two = machine("x86_64-2node-12cpu", 16_384, "never");
    let sum = |other: usize| {
        let streams: Vec<_> = (0..12).map(|n| ((n + other) % 2, n % 2)).collect();
        rates(&two, &streams, 256).iter().sum::<u64>()
    };
    let (bound, inverse) = (sum(0), sum(1));
    assert_near(bound, 24_400, 3);
    assert_near(bound * 1000 / inverse, 1800, 5);
}

/// Processes that touch memory in every way, on their own nodes and on others.
fn mixed(rng: &mut Rng) -> Vec<Value> {
    let process = |rng: &mut Rng, n: usize| {
        let pages = [40, 600, 1500][rng.below(3) as usize];
        let mut program = vec![
            json!({ "op": "bind", "node": rng.below(2), "strict": true }),
            json!({ "op": "map", "region": "heap", "size": pages, "huge": rng.below(2) == 0 }),
            json!({ "op": "touch", "region": "heap", "pages": pages / 2 }),
            json!({ "op": "bind", "node": rng.below(2) }),
        ];
        let touches = (0..3).map(|_| {
            json!({ "op": "touch", "region": "heap",
            "order": (["sequential", "random"][rng.below(2) as usize]),
            "bytes": (["line", "page"][rng.below(2) as usize]),
            "pages": 1 + rng.below(2 * pages) })
        });
        let mut body: Vec<Value> = touches.collect();
        body.push(json!({ "op": "think", "time": "30us" }));
        program.push(json!({ "op": "repeat", "times": 50, "do": body }));
        json!({ "name": format!("p{n}"), "program": program })
    };
    (0..5).map(|n| process(rng, n)).collect()
}

#[test]
fn runs_of_accesses_end_in_the_same_state_as_single_accesses() {
    let mut waited = 0;
    for seed in 0..6 {
        let rng = &mut Rng::stream(seed, 9);
        let two = machine(
            "x86_64-2node-512m",
            8192,
            ["madvise", "never"][rng.below(2) as usize],
        );
        let processes = mixed(rng);
        let (mut run, mut single) = (boot(&two, &processes), boot(&two, &processes));
        run.run(60_000, u64::MAX);
        let mut uneven = boot(&two, &processes);
        uneven.w.rec.on = true;
        while single.w.run.steps() < 60_000 && !single.w.sched.ended {
            single.run(single.w.run.steps() + 1, u64::MAX);
        }
        while uneven.w.run.steps() < 60_000 && !uneven.w.sched.ended {
            let some = 1 + u64::from(rng.below(70));
            uneven.run((uneven.w.run.steps() + some).min(60_000), u64::MAX);
            let is_wait = |kind| {
                matches!(
                    kind,
                    RecordKind::MemoryBusy | RecordKind::DirectionBusy | RecordKind::LinkBusy
                )
            };
            waited += uneven
                .w
                .rec
                .records
                .iter()
                .filter(|r| is_wait(r.kind))
                .count();
            uneven.w.rec.records.clear();
        }
        assert_eq!(run.hash(), single.hash(), "seed {seed}");
        assert_eq!(run.hash(), uneven.hash(), "seed {seed}");
    }
    assert!(waited > 100, "only {waited} runs waited");
}
