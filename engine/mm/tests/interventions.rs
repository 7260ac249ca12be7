//! Interventions in a running machine: the run before them stays the same, each has its effect, and
//! an impossible one is refused with its path.

use mm::check::check;
use mm::experiment::Experiment;
use mm::intervention::CompiledAct;
use mm::machine::{Machine, TaskKind, TaskStatus};
use mm::mmzone::PageKind;
use mm::view::Refusal;
use serde_json::{Value, json};

fn with(id: &str, interventions: Value) -> Result<Experiment, Vec<Refusal>> {
    let preset = mm::experiment::preset(id).expect("a preset");
    let mut raw = serde_json::to_value(preset).expect("JSON");
    raw["interventions"] = interventions;
    Experiment::from_json(&raw.to_string())
}

fn boot(id: &str, interventions: Value) -> Machine {
    let experiment = with(id, interventions).unwrap_or_else(|r| panic!("{r:?}"));
    Machine::boot(&experiment)
}

/// Runs to a time and recounts everything.
fn run_to(m: &mut Machine, ns: u64) {
    m.run(u64::MAX, ns);
    assert_eq!(check(m), vec![]);
}

const MS: u64 = 1_000_000;

/// One intervention of each kind, at 20 s.
fn each() -> Vec<Value> {
    vec![
        json!({ "at": "20s", "set": { "vm.swappiness": "10" } }),
        json!({ "at": "20s", "drop_caches": 1 }),
        json!({ "at": "20s", "start": "reader" }),
        json!({ "at": "20s", "start": { "name": "late", "program": [
            { "op": "map", "region": "a", "size": 100 }, { "op": "touch", "region": "a" } ] } }),
        json!({ "at": "20s", "kill": "reader/1" }),
        json!({ "at": "20s", "affinity": { "task": "reader/1", "cpus": [0] } }),
        json!({ "at": "20s", "slow": { "device": "sda", "percent": 10 } }),
    ]
}

#[test]
fn a_run_is_unchanged_until_its_first_intervention() {
    for act in each() {
        let mut plain = boot("streaming-reader.teach", json!([]));
        let mut disturbed = boot("streaming-reader.teach", json!([act]));
        let mut compared = 0;
        loop {
            let to = plain.w.run.steps() + 2_000;
            plain.run(to, u64::MAX);
            disturbed.run(to, u64::MAX);
            compared += 1;
            if plain.w.now.max(disturbed.w.now) >= 20_000 * MS {
                break;
            }
            let of = |m: &Machine| (m.w.run.steps(), m.w.now, m.w.task, m.w.counters.clone());
            assert_eq!(of(&plain), of(&disturbed), "{act}");
            assert!(plain.w.mem == disturbed.w.mem, "{act}");
            assert!(
                (*plain.w.sched.cpus)[1..] == (*disturbed.w.sched.cpus)[1..],
                "{act}"
            );
        }
        assert!(compared > 5, "{compared} moments were compared");
        run_to(&mut plain, 25_000 * MS);
        run_to(&mut disturbed, 25_000 * MS);
        assert_ne!(
            plain.w.run.steps(),
            disturbed.w.run.steps(),
            "{act} did nothing"
        );
    }
}

#[test]
fn dropped_caches_become_free_pages_and_are_read_again() {
    let id = "streaming-reader.teach";
    let mut m = boot(id, json!([{ "at": "20s", "drop_caches": 1 }]));
    run_to(&mut m, 20_000 * MS - 1);
    let cached = |m: &Machine| {
        m.w.mem
            .pages
            .iter()
            .filter(|p| p.kind() == PageKind::File)
            .count()
    };
    let before = cached(&m);
    run_to(&mut m, 20_003 * MS);
    assert!(
        cached(&m) * 4 < before,
        "{} of {before} are left",
        cached(&m)
    );
}

#[test]
fn an_intervention_starts_a_task_that_runs_its_program() {
    let late = json!({ "name": "late", "program": [
        { "op": "map", "region": "a", "size": 64 }, { "op": "touch", "region": "a" },
        { "op": "think", "time": "1s" } ] });
    let mut m = boot(
        "streaming-reader.teach",
        json!([{ "at": "5ms", "start": late }]),
    );
    let programs = m.w.facts.programs.len() as u32;
    let is_late =
        |kind: TaskKind| matches!(kind, TaskKind::User { program, .. } if program == programs - 1);
    run_to(&mut m, 5 * MS - 1);
    assert!(!m.tasks.iter().any(|t| is_late(t.kind)));
    run_to(&mut m, 30 * MS);
    let task = m
        .tasks
        .iter()
        .find(|t| is_late(t.kind))
        .expect("it was started");
    assert_eq!(m.w.processes.all[task.cx.process as usize].space.rss, 64);
    assert!(matches!(
        m.w.facts.interventions[0].act,
        CompiledAct::Start { program } if program == programs - 1
    ));
}

#[test]
fn an_intervention_starts_another_instance_of_a_process() {
    let mut m = boot("anon-hog.teach", json!([{ "at": "5ms", "start": "hog" }]));
    let hogs = |m: &Machine| {
        let of = |t: &&mm::machine::Task| matches!(t.kind, TaskKind::User { program: 0, .. });
        m.tasks.iter().filter(of).count()
    };
    let before = hogs(&m);
    run_to(&mut m, 10 * MS);
    assert_eq!(hogs(&m), before + 1);
}

#[test]
fn a_killed_task_frees_all_its_memory() {
    for kill in ["hog/1", "hog"] {
        let mut m = boot("anon-hog.teach", json!([{ "at": "15ms", "kill": kill }]));
        run_to(&mut m, 15 * MS - 1);
        let task = m.tasks.entries().find(|(_, t)| {
            matches!(
                t.kind,
                TaskKind::User {
                    program: 0,
                    instance: 1
                }
            )
        });
        let task = task.expect("the hog").0;
        let space = m.tasks[task].cx.process as usize;
        assert!(m.w.processes.all[space].space.rss > 100);
        m.run(u64::MAX, 150_000 * MS);
        assert_eq!(m.tasks[task].status, TaskStatus::Exited, "{kill}");
        assert_eq!(m.w.processes.all[space].space.rss, 0);
        assert_eq!(m.w.counters.oom_kill, 0);
        assert_eq!(check(&m), vec![]);
    }
}

#[test]
fn a_device_slowed_to_a_tenth_reads_about_a_tenth() {
    let read_by = |percent: u64| {
        let slow = json!([{ "at": "0ms", "slow": { "device": "sda", "percent": percent } }]);
        let mut m = boot("streaming-reader.teach", slow);
        run_to(&mut m, 300_000 * MS);
        m.w.counters.pgpgin
    };
    let (whole, tenth) = (read_by(100), read_by(10));
    assert!(
        tenth * 7 < whole && whole < tenth * 13,
        "{whole} KiB, then {tenth}"
    );
}

#[test]
fn an_impossible_intervention_is_refused_with_its_path() {
    let path = |act: Value| -> String {
        let refusals = with("streaming-reader.teach", json!([act])).expect_err("refused");
        refusals
            .iter()
            .map(|r| format!("{}: {}\n", r.path, r.reason))
            .collect()
    };
    let all = [
        path(json!({ "at": "1ms" })),
        path(json!({ "at": "1ms", "kill": "reader", "drop_caches": 1 })),
        path(json!({ "at": "1ms", "drop_caches": 3 })),
        path(json!({ "at": "1ms", "kill": "nobody/1" })),
        path(json!({ "at": "1ms", "kill": "reader/0" })),
        path(json!({ "at": "1ms", "start": "nobody" })),
        path(json!({ "at": "1ms", "start": { "name": "reader", "program": [] } })),
        path(
            json!({ "at": "1ms", "start": { "name": "x", "program": [{ "op": "touch", "region": "a" }] } }),
        ),
        path(json!({ "at": "1ms", "slow": { "device": "sdz", "percent": 10 } })),
        path(json!({ "at": "1ms", "slow": { "device": "sda", "percent": 0 } })),
        path(json!({ "at": "1ms", "set": { "vm.numa_zonelist_order": "node" } })),
        path(json!({ "at": "soon", "drop_caches": 1 })),
    ];
    expect_test::expect![[r#"
        interventions[0]: an intervention must have exactly one of set, drop_caches, compact_memory, start, kill, affinity, slow, cgroup
        interventions[0]: an intervention must have exactly one of set, drop_caches, compact_memory, start, kill, affinity, slow, cgroup
        interventions[0].drop_caches: only 1 is modelled: it drops clean file pages
        interventions[0].kill: no process is called 'nobody'; there are reader, worker
        interventions[0].kill: 'reader/0' does not name a task: write hog/1, or hog for all its tasks
        interventions[0].start: no process is called 'nobody'; there are reader, worker
        interventions[0].start.name: a process named 'reader' already exists: start it by its name, or give this process another name
        interventions[0].start.program[0].region: region 'a' is not mapped at this point
        interventions[0].slow.device: no device is called 'sdz'; there are sda
        interventions[0].slow.percent: 0 is not a percentage from 1 to 100
        interventions[0].set.vm.numa_zonelist_order: zonelists are built at boot: set it under tunables
        interventions[0].at: 'soon' is not a duration: write 10s, 250ms, 5us or 100ns
    "#]]
    .assert_eq(&all.concat());
}
