//! The log of a range has the same events as a recording of the whole run, whatever the slices. The
//! session stays at its position.

use mm::experiment::{Experiment, preset};
use mm::index::TaskIndex;
use mm::machine::{Machine, TaskStatus};
use mm::record::{FIELDS, FIRST_DECISION, HEAD, NOTHING, Record, RecordKind};
use mm::session::{Doing, Filter, Log, Sample, Sampling, Session, TASKS_PACKED};
use mm::view::FieldKind;

const BUDGET: usize = 64 << 20;

fn open(id: &str, steps: u64) -> Session {
    let mut s = Session::open(&Experiment::preset(id).expect("a preset"), BUDGET);
    s.run(steps, u64::MAX, u64::MAX);
    while !s.settle(20_000) {}
    s
}

/// Indices of a row's header.
const LENGTH: usize = 0;
const STEP: usize = 1;
const TIME: usize = 2;
const TASK: usize = 3;
const KIND: usize = 6;
const ZONE: usize = 7;

fn collect(mut log: Log, slice: u64) -> (Vec<Vec<i64>>, Log) {
    let mut rows = Vec::new();
    loop {
        let out = log.more(slice);
        let mut rest = &out[2..];
        while let Some(&length) = rest.first() {
            let (row, more) = rest.split_at(length as usize);
            assert!(row.len() >= HEAD && row[LENGTH] == length);
            rows.push(row.to_vec());
            rest = more;
        }
        if out[1] == 1 {
            return (rows, log);
        }
    }
}

fn all(s: &Session, from: u64, to: u64, filter: Filter) -> Vec<Vec<i64>> {
    collect(s.log(from, to, filter, None), 10_000).0
}

#[test]
fn a_log_has_every_event_of_its_steps() {
    for id in ["first-touch.teach", "streaming-reader.teach"] {
        let s = open(id, 130_000);
        let hash = s.machine().hash();
        let rows = all(&s, 60_001, 120_000, Filter::default());
        let mut m = Machine::boot(&Experiment::preset(id).expect("a preset"));
        m.run(60_001, u64::MAX);
        m.w.rec.on = true;
        let mut recorded = Vec::new();
        while m.w.run.steps() < 120_000 && !m.w.sched.ended {
            m.run((m.w.run.steps() + 1).min(120_000), u64::MAX);
            for r in std::mem::take(&mut m.w.rec.records) {
                if !r.kind.is_decision() {
                    let (step, time) = (r.step as i64 + 1, r.time_ns as i64);
                    recorded.push((step, time, i64::from(r.task.get()), r.kind as i64));
                }
            }
        }
        let seen: Vec<_> = rows
            .iter()
            .map(|r| (r[STEP], r[TIME], r[TASK], r[KIND]))
            .collect();
        assert!(seen.len() > 100, "{id}: {} events", seen.len());
        assert!(seen == recorded, "{id}");
        assert_eq!(
            s.machine().hash(),
            hash,
            "the session stays at its position"
        );
    }
}

#[test]
fn slice_length_and_reuse_of_a_machine_do_not_change_a_log() {
    let s = open("first-touch.teach", 130_000);
    let whole = all(&s, 10_000, 90_000, Filter::default());
    let (late, log) = collect(s.log(50_000, 90_000, Filter::default(), None), 777);
    let (early, log) = collect(s.log(10_000, 50_000, Filter::default(), Some(log)), 5_003);
    let (again, _) = collect(s.log(50_000, 90_000, Filter::default(), Some(log)), 1 << 40);
    assert!(early.iter().chain(&late).eq(&whole));
    assert!(late == again);
}

/// All rows of a program's log: pairs of a step and the progress of the program.
fn program(s: &Session, task: u32, slice: u64) -> Vec<(i64, i64)> {
    let mut log = s.program_log(TaskIndex::new(task), 0, u64::MAX);
    let mut rows = Vec::new();
    loop {
        let out = log.more(slice);
        rows.extend(out[2..].chunks_exact(2).map(|row| (row[0], row[1])));
        if out[1] == 1 {
            return rows;
        }
    }
}

#[test]
fn a_program_does_the_same_work_on_two_kernels_at_different_steps() {
    let raw = preset("first-touch.teach").expect("a preset");
    let mut programs = Vec::new();
    for kernel in ["3.0", "5.10"] {
        let mut raw = raw.clone();
        raw.kernel = kernel.into();
        let experiment = Experiment::new(raw).expect("it runs on this kernel");
        let mut s = Session::open(&experiment, BUDGET);
        s.run(u64::MAX, u64::MAX, u64::MAX);
        let hash = s.machine().hash();
        let tasks = s.machine().tasks.len() as u32;
        let of = |task| program(&s, task, 50_000);
        let task = (0..tasks)
            .max_by_key(|&task| of(task).len())
            .expect("a task");
        assert_eq!(of(task), program(&s, task, 777), "slices");
        assert_eq!(s.machine().hash(), hash, "the session stays");
        programs.push(of(task));
    }
    let [a, b] = [&programs[0], &programs[1]];
    let done = |rows: &[(i64, i64)]| rows.iter().map(|&(_, by)| by).sum::<i64>();
    assert!(done(a) > 1000, "{}", done(a));
    assert_eq!(done(a), done(b));
    assert_ne!(a, b);
}

#[test]
fn a_filter_keeps_exactly_the_rows_it_names() {
    let s = open("streaming-reader.teach", 130_000);
    let rows = all(&s, 0, 130_000, Filter::default());
    let with = |filter| all(&s, 0, 130_000, filter);
    let filtered = |keeps: &dyn Fn(&[i64]) -> bool| -> Vec<Vec<i64>> {
        rows.iter().filter(|r| keeps(r)).cloned().collect()
    };

    let alloc = RecordKind::MmPageAlloc as i64;
    let only = with(Filter {
        kinds: vec![alloc as u16],
        ..Filter::default()
    });
    assert!(!only.is_empty() && only == filtered(&|r| r[KIND] == alloc));

    let task = rows[rows.len() / 2][TASK];
    let of = with(Filter {
        task,
        ..Filter::default()
    });
    assert!(!of.is_empty() && of == filtered(&|r| is_of_task(r, task)));

    let zone = only[0][ZONE];
    let there = with(Filter {
        zone,
        ..Filter::default()
    });
    assert!(there.len() < rows.len() && there == filtered(&|r| r[ZONE] == zone));

    let pfn = only[0][HEAD];
    let about = with(Filter {
        first: pfn,
        last: pfn,
        ..Filter::default()
    });
    assert!(about.contains(&only[0]) && about.len() < rows.len() / 4);
    assert!(
        about
            .iter()
            .all(|r| begins_with_page(r) && r[HEAD] <= pfn && r[HEAD] != NOTHING)
    );
}

fn fields(row: &[i64]) -> &'static [FieldKind] {
    FIELDS[row[KIND] as usize]
}

fn begins_with_page(row: &[i64]) -> bool {
    fields(row).first() == Some(&FieldKind::Page)
}

/// Was a row recorded by a task, or is it about the task?
fn is_of_task(row: &[i64], task: i64) -> bool {
    let mut about = fields(row).iter().zip(&row[HEAD..]);
    row[TASK] == task || about.any(|(&field, &value)| field == FieldKind::Task && value == task)
}

#[test]
fn a_log_lists_decisions_between_the_events_on_request() {
    let s = open("streaming-reader.teach", 130_000);
    let events = all(&s, 100_000, 130_000, Filter::default());
    let both = Filter {
        decisions: true,
        ..Filter::default()
    };
    let rows = all(&s, 100_000, 130_000, both.clone());
    let (decisions, rest): (Vec<_>, Vec<_>) = rows
        .iter()
        .cloned()
        .partition(|r| r[KIND] >= FIRST_DECISION as i64);
    assert!(rest == events);
    assert!(decisions.len() > 1000);
    assert!(rows.is_sorted_by_key(|r| r[STEP]));

    // The machine at each decision's step records the same values.
    for row in decisions.iter().step_by(997) {
        let mut m = Machine::boot(&Experiment::preset("streaming-reader.teach").expect("a preset"));
        m.run(row[STEP] as u64 - 1, u64::MAX);
        m.w.rec.on = true;
        m.run(row[STEP] as u64, u64::MAX);
        let is_it = |r: &&Record| r.kind as i64 == row[KIND];
        let r = m.w.rec.records.iter().find(is_it).expect("decided there");
        assert_eq!(
            (r.time_ns as i64, i64::from(r.task.get())),
            (row[TIME], row[TASK])
        );
    }

    let one = decisions.iter().find(|r| begins_with_page(r));
    let one = one.expect("a page");
    let about = all(
        &s,
        100_000,
        130_000,
        Filter {
            first: one[HEAD],
            last: one[HEAD],
            ..both
        },
    );
    assert!(about.contains(one) && about.len() < rows.len() / 4);
}

#[test]
fn a_log_has_only_the_last_steps_if_there_is_no_memory_for_a_machine() {
    let experiment = Experiment::preset("first-touch").expect("a preset");
    let mut s = Session::open(&experiment, 0);
    s.run(300_000, u64::MAX, u64::MAX);
    while !s.settle(200_000) {}
    let here = s.machine().w.run.steps() as i64;
    let log = s.log(0, here as u64, Filter::default(), None);
    assert!(!log.is_whole());
    let (rows, _) = collect(log, 1000);
    assert!(!rows.is_empty());
    assert!(rows.iter().all(|r| r[STEP] > here - 512 && r[STEP] <= here));
}

#[test]
fn timeline_samples_of_a_range_equal_those_of_the_run() {
    let s = open("anon-hog.teach", 130_000);
    let counters = mm::session::counters(&[0, 0, 4, 0, 11, 0]);
    let sampling = Sampling {
        every: 5_000,
        every_ns: 0,
        counters: counters.clone(),
    };
    let gather = |slice: u64| {
        let mut log = s.sample_log(60_001, 97_000, sampling.clone());
        let mut rows = Vec::new();
        loop {
            let out = log.more(slice);
            rows.extend_from_slice(&out[2..]);
            if out[1] == 1 {
                return rows;
            }
        }
    };
    let whole = gather(1 << 40);
    assert_eq!(whole, gather(777));

    let mut m = Machine::boot(&Experiment::preset("anon-hog.teach").expect("a preset"));
    let mut expected = Vec::new();
    let steps: Vec<u64> = (60_001..97_000).step_by(5_000).chain([97_000]).collect();
    let mut before = None;
    for &step in &steps {
        m.run(step, u64::MAX);
        let sample = Sample::of(&m);
        sample.write(before.as_ref(), &counters, &mut expected);
        before = Some(sample);
    }
    assert_eq!(whole, expected);
    assert!(steps.len() == 9 && whole.len() as i64 == 9 * (whole[0] + 1));
}

#[test]
fn a_task_in_reclaim_is_distinguished_from_one_that_runs_or_waits() {
    let mut m = Machine::boot(&Experiment::preset("anon-hog.teach").expect("a preset"));
    let mut seen = [0u32; 16];
    while m.w.run.steps() < 400_000 && !m.w.sched.ended {
        m.run(m.w.run.steps() + 97, u64::MAX);
        let mut row = Vec::new();
        Sample::of(&m).write(None, &[], &mut row);
        let tasks = 5 + m.w.mem.zones.len();
        assert_eq!(row[tasks] as usize, m.tasks.len());
        for (i, task) in m.tasks.iter().enumerate() {
            let doing = row[tasks + 1 + i / TASKS_PACKED] >> (4 * (i % TASKS_PACKED)) & 15;
            seen[doing as usize] += 1;
            let runs = doing == Doing::Running as i64;
            assert!(!runs || task.status == TaskStatus::Runnable);
            assert_eq!(
                doing == Doing::Exited as i64,
                task.status == TaskStatus::Exited
            );
        }
    }
    let of = |d: Doing| seen[d as usize];
    assert!(
        of(Doing::Running) > 50 && of(Doing::Reclaiming) > 50,
        "{seen:?}"
    );
    assert!(of(Doing::Io) > 50 && of(Doing::Asleep) > 50, "{seen:?}");
}
