//! Compiling threads: whose program they run, and which operations such a program may contain.
//!
//! Modelled: threads that one process of the workload starts, with the regions mapped at that point.
//! Left out: threads that map, allocate, open files or start other threads.
//! Invariants: a program is run either by processes or by the threads of one process, never by both. Every
//! region that the program names stays mapped as long as such a thread is alive.

use super::{Compiler, Region, refuse};
use crate::view::Refusal;
use crate::workload::{MAX_TASKS, Op, Process, Step};

/// The regions that a process has mapped when it starts threads.
pub(super) struct Start<'a> {
    /// Program of the threads.
    pub program: u32,
    /// Regions.
    pub regions: Vec<Region<'a>>,
}

/// The name of the process whose program a step runs in new threads.
pub(super) fn started_as_threads(step: &Step) -> Option<&str> {
    match step {
        Step::Threads { process, .. }
        | Step::Spawn {
            process,
            share: true,
            ..
        } => Some(process),
        _ => None,
    }
}

/// For each process of the workload: the index of the process whose threads run its program. `all` are the
/// processes of the workload, then those that interventions describe, each with its path.
pub(super) fn starters(
    all: &[(String, &Process)],
    of_workload: usize,
    out: &mut Vec<Refusal>,
) -> Vec<Option<usize>> {
    let mut found: Vec<Option<usize>> = vec![None; of_workload];
    for (starter, (path, process)) in all.iter().enumerate() {
        walk(
            &process.program,
            &format!("{path}.program"),
            &mut |step, at| {
                let Some(name) = started_as_threads(step) else {
                    return;
                };
                let place = all[..of_workload].iter().position(|(_, p)| p.name == name);
                // A process that does not exist is refused when the step is compiled.
                let Some(place) = place else { return };
                let at = format!("{at}.process");
                if place == starter {
                    let reason = "threads run the program of another process: describe one with a count of 0, and name it here";
                    return refuse(out, &at, reason);
                }
                if all[place].1.count > 0 {
                    let reason = format!(
                        "'{name}' also starts by itself: give it a count of 0, and threads can run its program"
                    );
                    return refuse(out, &at, &reason);
                }
                match found[place] {
                    Some(other) if other != starter => {
                        let reason = format!(
                            "threads of '{}' already run the program of '{name}': describe another process for these",
                            all[other].1.name
                        );
                        refuse(out, &at, &reason);
                    }
                    _ => found[place] = Some(starter),
                }
            },
        );
    }
    found
}

/// The names of the processes whose program threads run.
pub fn programs_of_threads<'a>(processes: impl Iterator<Item = &'a Process>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for process in processes {
        walk(&process.program, "", &mut |step, _| {
            names.extend(started_as_threads(step));
        });
    }
    names
}

/// Every step of a program, also inside loops, with its path.
fn walk<'a>(steps: &'a [Step], path: &str, see: &mut impl FnMut(&'a Step, &str)) {
    for (i, step) in steps.iter().enumerate() {
        let at = format!("{path}[{i}]");
        see(step, &at);
        if let Step::Repeat { body, .. } | Step::Sample { body, .. } = step {
            walk(body, &format!("{at}.do"), see);
        }
    }
}

/// Why a thread cannot execute an operation, and what to do instead.
fn refused_of_thread(step: &Step) -> Option<&'static str> {
    Some(match step {
        Step::Map { .. } => {
            "a thread cannot map a region: map it in the process that starts the threads, before it does"
        }
        Step::Free { .. } => {
            "a thread cannot free a region: free it in the process that starts the threads, after a join"
        }
        Step::Read { .. }
        | Step::Write { .. }
        | Step::Copy { .. }
        | Step::Fsync { .. }
        | Step::Unlink { .. }
        | Step::Create { .. }
        | Step::Stat { .. } => {
            "a thread cannot open a file: map the file in the process that starts the threads, or use it in a process of its own"
        }
        Step::Alloc { .. } | Step::Release { .. } => {
            "a thread cannot have a pool: allocate and release blocks in a process of its own"
        }
        Step::Spawn { .. } => {
            "a thread cannot start tasks: spawn them in the process that starts the threads"
        }
        Step::Threads { .. } => {
            "a thread cannot start threads: start them in the process that starts this one"
        }
        Step::Join {} | Step::Wait { .. } => {
            "a thread cannot wait for tasks to end: use a barrier, or join in the process that starts the threads"
        }
        _ => return None,
    })
}

impl<'a> Compiler<'a> {
    /// Refuses operations that a process, or a thread, cannot execute.
    pub(super) fn may(&self, step: &Step, at: &str, out: &mut Vec<Refusal>) -> bool {
        let op = format!("{at}.op");
        if self.is_thread {
            let reason = refused_of_thread(step);
            refuse_if(reason, &op, out)
        } else {
            match step {
                Step::Barrier {} => {
                    let reason = "only threads can use a barrier: put it into the program that 'threads' starts";
                    refuse_if(Some(reason), &op, out)
                }
                Step::Touch { slice: true, .. } => {
                    let reason = "only a thread has a part of a region: put it into the program that 'threads' starts";
                    refuse_if(Some(reason), &format!("{at}.slice"), out)
                }
                Step::Access { own: 1.., .. } => {
                    let reason = "only a thread has a part of a region: put it into the program that 'threads' starts";
                    refuse_if(Some(reason), &format!("{at}.own"), out)
                }
                Step::Join {} if self.starts.is_empty() => {
                    let reason = "no threads were started before this point: start threads first, or remove the join";
                    refuse_if(Some(reason), &op, out)
                }
                Step::Free { region } if self.threads_run => {
                    let reason = format!(
                        "threads may still use region '{region}': join them before it is freed"
                    );
                    refuse_if(Some(&reason), &op, out)
                }
                _ => true,
            }
        }
    }

    pub(super) fn threads(&mut self, name: &str, count: u32, at: &str, out: &mut Vec<Refusal>) {
        let path = format!("{at}.process");
        let Some(program) = self.program(name, &path, out) else {
            return;
        };
        if count == 0 || count > MAX_TASKS {
            let reason = format!("starts 1 to {MAX_TASKS} threads, not {count}");
            return refuse(out, &format!("{at}.count"), &reason);
        }
        let before = self.starts.iter().find(|start| start.program == program);
        match before {
            Some(start) if !same(&start.regions, &self.regions) => {
                let reason = format!(
                    "threads of '{name}' were started before with other regions mapped: describe another process for these"
                );
                return refuse(out, &path, &reason);
            }
            Some(_) => {}
            None => self.starts.push(Start {
                program,
                regions: self.regions.clone(),
            }),
        }
        self.threads_run = true;
        self.ops.push(Op::Threads { program, count });
    }

    /// After this operation, all threads that the program started have ended.
    pub(super) fn joined(&mut self, op: Op) {
        self.threads_run = false;
        self.ops.push(op);
    }
}

fn refuse_if(reason: Option<&str>, path: &str, out: &mut Vec<Refusal>) -> bool {
    if let Some(reason) = reason {
        refuse(out, path, reason);
    }
    reason.is_none()
}

/// Whether the same regions are mapped, with the same sizes.
fn same(before: &[Region], now: &[Region]) -> bool {
    let none = Region {
        name: "",
        pages: None,
        file: false,
    };
    let places = 0..before.len().max(now.len());
    places.into_iter().all(|i| {
        let (a, b) = (before.get(i).unwrap_or(&none), now.get(i).unwrap_or(&none));
        (a.pages, a.file) == (b.pages, b.file)
    })
}
