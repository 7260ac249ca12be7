//! Compares breakpoints and last changes with a scan of the log of the whole run.

use facts::index::FrameIndex;
use mm::buddy::BlockSplit;
use mm::counters::ABOUT;
use mm::experiment::Experiment;
use mm::frames::NAMES;
use mm::index::{LruvecIndex, NodeIndex, TaskIndex, ZoneIndex};
use mm::machine::Machine;
use mm::record::{Declared, Record, TEXTS};
use mm::rng::Rng;
use mm::session::{Progress, Session};
use mm::watch::{Breakpoint, Condition, Is, PagePart, Value, Watch};

const STEPS: u64 = 120_000;

fn experiment(id: &str) -> Experiment {
    Experiment::preset(id).expect("a preset")
}

fn session(id: &str) -> Session {
    let mut s = Session::open(&experiment(id), 64 << 20);
    s.run(STEPS, u64::MAX, u64::MAX);
    s
}

fn finish(s: &mut Session, mut progress: Progress) -> Progress {
    while !progress.done {
        progress = s.more(10_000);
    }
    progress
}

/// Calls `each` after every step with the machine and the task that ran.
fn log(id: &str, mut each: impl FnMut(&Machine, u32)) {
    let mut m = Machine::boot(&experiment(id));
    m.w.rec.on = true;
    while m.w.run.steps() < STEPS && !m.w.sched.ended {
        let task = m.w.task;
        m.run(m.w.run.steps() + 1, u64::MAX);
        each(&m, task.get());
    }
}

fn some_values(m: &Machine, rng: &mut Rng) -> Vec<Value> {
    let w = &m.w;
    let names = [
        ("pgfault", 0),
        ("pgfree", 0),
        ("pgalloc", 1),
        ("pgactivate", 0),
    ];
    let mut values: Vec<Value> = names
        .iter()
        .map(|&(name, which)| {
            let place = ABOUT.iter().position(|about| about.0 == name);
            Value::counter(place.expect("a counter"), which).expect("there is one")
        })
        .collect();
    let zones = w.mem.zones.len() as u32;
    for _ in 0..4 {
        let zone = ZoneIndex::new(rng.below(zones) as u8);
        values.push(Value::Free { zone });
        values.push(Value::Below {
            zone,
            mark: rng.below(3) as u8,
        });
        let order = rng.below(w.mem.orders.into()) as u8;
        values.push(Value::Blocks { zone, order });
        values.push(Value::Lru {
            owner: LruvecIndex::new(rng.below(w.mem.lruvecs.len() as u32) as u8),
            list: rng.below(4) as u8,
        });
        values.push(Value::Task(TaskIndex::new(rng.below(8))));
    }
    values.push(Value::Kswapd {
        node: NodeIndex::new(0),
    });
    for part in [
        PagePart::State,
        PagePart::Flags,
        PagePart::Owner,
        PagePart::List,
        PagePart::Any,
    ] {
        for _ in 0..4 {
            let frame = FrameIndex::new(rng.below(w.mem.pages.len() as u32));
            values.push(Value::Page { frame, part });
        }
    }
    values
}

/// For 200 random pairs of a value and a step, the search finds the same step as a scan of the log.
#[test]
fn the_search_finds_the_last_change_of_a_value() {
    for (seed, id) in (1..).zip([
        "first-touch.teach",
        "anon-hog.teach",
        "streaming-reader.teach",
    ]) {
        let mut rng = Rng::stream(seed, 0);
        let values = some_values(&Machine::boot(&experiment(id)), &mut rng);
        let boot = Machine::boot(&experiment(id));
        let mut last: Vec<u64> = values.iter().map(|v| v.of(&boot)).collect();
        let mut changes = vec![Vec::new(); values.len()];
        log(id, |m, _| {
            for (i, value) in values.iter().enumerate() {
                let now = value.of(m);
                if std::mem::replace(&mut last[i], now) != now {
                    changes[i].push(m.w.run.steps());
                }
            }
        });
        assert!(
            changes.iter().filter(|c| c.len() > 1).count() > 12,
            "{id} has too few changes"
        );
        let mut s = session(id);
        let end = s.machine().w.run.steps();
        for _ in 0..70 {
            let i = rng.below(values.len() as u32) as usize;
            let moment = u64::from(rng.below(end as u32)) + 1;
            let there = s.seek(moment, 10_000);
            finish(&mut s, there);
            let expected = changes[i].iter().copied().rfind(|&step| step <= moment);
            let found = s.last_change(values[i], moment, 10_000);
            let found = finish(&mut s, found);
            let what = values[i];
            assert_eq!(
                found.position.step,
                expected.unwrap_or(moment),
                "{id} {what:?} {moment}"
            );
            assert_eq!(s.hit(), expected.map(|_| 0), "{id} {what:?} {moment}");
        }
    }
}

fn function(name: &str) -> u8 {
    NAMES.iter().position(|&n| n == name).expect("a function") as u8
}

fn event(name: &str) -> u16 {
    let place = TEXTS.iter().position(|text| text.name == name);
    place.expect("an event") as u16
}

fn point(watch: Watch) -> Breakpoint {
    Breakpoint {
        watch,
        condition: None,
    }
}

/// Goes from hit to hit, forward from the start or backward from the end.
fn hits(s: &mut Session, point: &Breakpoint, back: bool) -> Vec<u64> {
    s.clear_breakpoints();
    s.add_breakpoint(point.clone());
    let from = s.seek(if back { STEPS } else { 0 }, 10_000);
    finish(s, from);
    let mut steps = Vec::new();
    loop {
        let begun = if back {
            s.find_previous(7_000)
        } else {
            s.find_next(u64::MAX, 7_000)
        };
        let at = finish(s, begun).position.step;
        if s.hit().is_none() || at > STEPS {
            return steps;
        }
        steps.push(at);
    }
}

#[test]
fn breakpoints_are_hit_in_both_directions_at_the_steps_of_the_log() {
    let id = "first-touch.teach";
    let called = function("rmqueue_fallback");
    let split = event("split");
    let wide = Breakpoint {
        condition: Some(Condition {
            field: "order".into(),
            is: Is::AtLeast,
            with: "8".into(),
            number: Some(8),
        }),
        ..point(Watch::Record(split))
    };
    let points = [
        point(Watch::Function(called)),
        point(Watch::Line(called, 1)),
        wide,
    ];
    let mut expected = vec![Vec::new(); points.len()];
    let mut depths = vec![1usize; 4096];
    log(id, |m, task| {
        let stack = &m.tasks[TaskIndex::new(task)].stack;
        let deeper = stack.len() > std::mem::replace(&mut depths[task as usize], stack.len());
        let step = m.w.run.steps();
        let top = stack.last().map(|f| (f.function() as u8, f.line()));
        if deeper && top.is_some_and(|t| t.0 == called) {
            expected[0].push(step);
        }
        if top == Some((called, 1)) {
            expected[1].push(step);
        }
        let of_step = m.w.rec.records.iter().filter(|r| r.step == step - 1);
        let is_wide = |r: &&Record| BlockSplit::of(r).is_some_and(|split| split.order >= 8);
        if of_step.filter(is_wide).count() > 0 {
            expected[2].push(step);
        }
    });
    let mut s = session(id);
    for (point, expected) in points.iter().zip(&mut expected) {
        assert!(expected.len() > 2, "{point:?} is never hit");
        let forward = hits(&mut s, point, false);
        assert_eq!(forward, *expected, "{point:?}");
        let mut backward = hits(&mut s, point, true);
        backward.reverse();
        expected.retain(|&step| step < STEPS);
        assert_eq!(backward, *expected, "{point:?}");
    }
}

#[test]
fn a_backward_search_without_a_hit_does_not_move_and_a_forward_one_runs_to_the_end() {
    let mut s = session("first-touch.teach");
    s.add_breakpoint(point(Watch::Record(event("mark_victim"))));
    let begun = s.find_previous(10_000);
    assert_eq!(finish(&mut s, begun).position.step, STEPS);
    assert_eq!(s.hit(), None);
    let hash = s.machine().hash();
    let mut m = Machine::boot(&experiment("first-touch.teach"));
    m.run(STEPS, u64::MAX);
    assert_eq!(hash, m.hash());
    let begun = s.find_next(u64::MAX, 10_000);
    assert!(finish(&mut s, begun).position.ended);
}
