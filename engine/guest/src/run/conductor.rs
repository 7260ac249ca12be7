//! Conducts a run: starts tasks at their times, makes interventions, takes samples, and kills the
//! remaining tasks.

use std::time::Duration;

use facts::intervention::CompiledAct;

use super::control;
use super::plan::Plan;
use super::report::Messages;
use super::sample::Sampler;
use super::sys::{self, Child};
use super::table::Life;

/// The longest wait for killed tasks to end, ns. A task that waits for a slow disk ends only after
/// that.
const LAST_WAIT_NS: u64 = 300_000_000_000;
/// The longest sleep of the conductor.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

/// An action that is due at a time.
enum Due<'a> {
    Start(u32),
    Act(&'a CompiledAct),
}

/// The course of a run.
pub struct Outcome {
    /// When the first task began, ns.
    pub began: u64,
    /// When the workload ended or was ended, ns.
    pub ended: u64,
    /// Whether tasks were alive at the end.
    pub tasks_left: bool,
}

/// Starts and interventions in order of time, ns after the beginning.
fn agenda(plan: &Plan) -> Vec<(u64, Due<'_>)> {
    let mut all = Vec::new();
    for (number, program) in (0u32..).zip(&plan.experiment.programs) {
        // A process that an intervention describes has a count, too, but does not start by itself.
        if (number as usize) < plan.experiment.workload.processes.len() {
            all.extend((0..program.count).map(|_| (program.start_ns, Due::Start(number))));
        }
    }
    let acts = plan.experiment.interventions.iter();
    all.extend(acts.map(|(at, act)| (*at, Due::Act(act))));
    all.sort_by_key(|&(at, _)| at);
    all
}

/// Runs the workload until its tasks have ended, its time is over, or a task stops the run.
pub fn run(
    plan: &'static Plan,
    sample_ms: u64,
    sampler: &mut Sampler,
    messages: &mut Messages,
) -> Outcome {
    let agenda = agenda(plan);
    let period = sample_ms.max(1) * 1_000_000;
    let began = sys::now();
    let end = began + plan.experiment.length_ns;
    let (mut next, mut next_sample) = (0, began);
    let tasks_left = loop {
        let now = sys::now();
        while let Some((_, due)) = agenda.get(next).filter(|(at, _)| began + at <= now) {
            act(plan, due, messages);
            next += 1;
        }
        if now >= next_sample {
            sampler.take(Some(plan), now);
            next_sample = now + period - (now - began) % period;
        }
        let has_children = reap_all(plan);
        if plan.table.is_stopped() || now >= end {
            break has_children;
        }
        // Interventions other than starts have no effect once all tasks have ended.
        let starts = |(_, due): &(u64, Due)| {
            matches!(due, Due::Start(_) | Due::Act(CompiledAct::Start { .. }))
        };
        if !has_children && !agenda[next..].iter().any(starts) {
            break false;
        }
        let due = agenda.get(next).map_or(end, |(at, _)| began + at);
        let until = due.min(next_sample).min(end);
        let wait = Duration::from_nanos(until.saturating_sub(sys::now()));
        sys::wait_for_child(wait.min(LONGEST_SLEEP));
    };
    let ended = sys::now();
    sampler.take(Some(plan), ended);
    Outcome {
        began,
        ended,
        tasks_left,
    }
}

/// Reaps all children that have ended. Returns whether other children remain.
fn reap_all(plan: &Plan) -> bool {
    loop {
        match sys::reap(false) {
            Child::Ended(pid) => plan.ended(pid),
            Child::Alive => return true,
            Child::None => return false,
        }
    }
}

/// Kills all tasks and waits until they are gone.
pub fn end_tasks(plan: &Plan, messages: &mut Messages) {
    let limit = sys::now() + LAST_WAIT_NS;
    loop {
        // A task may have started another one meanwhile.
        for slot in plan
            .table
            .tasks()
            .iter()
            .filter(|s| s.life() == Life::Alive)
        {
            sys::kill(slot.pid());
        }
        if !reap_all(plan) {
            return;
        }
        if sys::now() >= limit {
            return messages.say("killed tasks have not ended; the capture goes on without them");
        }
        sys::wait_for_child(Duration::from_millis(100));
    }
}

fn act(plan: &'static Plan, due: &Due, messages: &mut Messages) {
    let act = match due {
        Due::Start(program) => {
            messages.check("start a task", plan.start(*program));
            return;
        }
        Due::Act(act) => act,
    };
    messages.say(&format!("act {}", words(plan, act)));
    match act {
        CompiledAct::Set { values } => {
            for (name, value) in values {
                messages.check(name, control::write_tunable(name, value));
            }
        }
        CompiledAct::DropCaches {} => {
            messages.check("drop caches", control::drop_caches(false));
        }
        CompiledAct::CompactMemory {} => {
            messages.check("compact memory", control::compact_memory());
        }
        CompiledAct::Start { program } => {
            messages.check("start a task", plan.start(*program));
        }
        CompiledAct::Kill { program, instance } => plan.table.kill(*program, *instance),
        CompiledAct::Affinity {
            program,
            instance,
            cpus,
        } => {
            for slot in plan.table.named(*program, *instance) {
                messages.check("affinity", plan.set_affinity(slot.thread(), cpus));
            }
        }
        CompiledAct::Cgroup { group, file, pages } => {
            let written = plan.cgroups.write(*group, *file, *pages);
            messages.check("cgroup", written);
        }
        // It was named before the run.
        CompiledAct::Slow { .. } => {}
    }
}

fn words(plan: &Plan, act: &CompiledAct) -> String {
    match act {
        CompiledAct::Set { values } => {
            let each = values.iter().map(|(name, value)| format!("{name}={value}"));
            format!("set {}", each.collect::<Vec<_>>().join(" "))
        }
        CompiledAct::DropCaches {} => "drop_caches".to_string(),
        CompiledAct::CompactMemory {} => "compact_memory".to_string(),
        CompiledAct::Start { program } => format!("start {program}"),
        CompiledAct::Kill { program, instance } => format!("kill {program} {instance}"),
        CompiledAct::Affinity {
            program, instance, ..
        } => format!("affinity {program} {instance}"),
        CompiledAct::Cgroup { group, file, pages } => plan.cgroups.words(*group, *file, *pages),
        CompiledAct::Slow { device, percent } => format!("slow {device} {percent}, left out"),
    }
}
