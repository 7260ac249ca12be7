//! Compiling operations on other tasks, and phases: spawn, kill, mark, think.
//!
//! Modelled: these operations.
//! Left out: nothing.
//! Invariants: a named task has a program in the workload.

use super::{Compiler, MAX_MARKS, duration, refuse};
use crate::view::Refusal;
use crate::workload::{MAX_NAME, MAX_TASKS, Op, task_named};

impl Compiler<'_> {
    pub(super) fn mark(&mut self, name: &str, at: &str, out: &mut Vec<Refusal>) {
        let path = format!("{at}.name");
        if name.is_empty() || name.len() > MAX_NAME {
            return refuse(out, &path, "a name must have 1 to 32 characters");
        }
        let known = self.marks.iter().position(|known| known == name);
        let number = known.unwrap_or(self.marks.len());
        if number == MAX_MARKS {
            let reason = format!("one process may name at most {MAX_MARKS} phases");
            return refuse(out, &path, &reason);
        }
        if known.is_none() {
            self.marks.push(name.to_string());
        }
        self.ops.push(Op::Mark {
            name: number as u32,
        });
    }

    /// The number of a process of the workload.
    pub(super) fn program(&self, name: &str, path: &str, out: &mut Vec<Refusal>) -> Option<u32> {
        let found = self.workload.processes.iter().position(|p| p.name == name);
        if found.is_none() {
            let reason = format!("no process of this workload is called '{name}'");
            refuse(out, path, &reason);
        }
        found.map(|program| program as u32)
    }

    pub(super) fn kill(&mut self, task: &str, at: &str, out: &mut Vec<Refusal>) {
        let path = format!("{at}.task");
        match task_named(task) {
            Ok((name, instance)) => {
                if let Some(program) = self.program(name, &path, out) {
                    self.ops.push(Op::Kill { program, instance });
                }
            }
            Err(reason) => refuse(out, &path, &reason),
        }
    }

    pub(super) fn spawn(&mut self, name: &str, count: u32, at: &str, out: &mut Vec<Refusal>) {
        let Some(program) = self.program(name, &format!("{at}.process"), out) else {
            return;
        };
        if count == 0 || count > MAX_TASKS {
            let reason = format!("starts 1 to {MAX_TASKS} tasks, not {count}");
            return refuse(out, &format!("{at}.count"), &reason);
        }
        if self
            .starters
            .get(program as usize)
            .is_some_and(Option::is_some)
        {
            let reason = format!(
                "threads run the program of '{name}': start it with 'threads', or spawn another process"
            );
            return refuse(out, &format!("{at}.process"), &reason);
        }
        self.ops.push(Op::Spawn { program, count });
    }

    pub(super) fn think(
        &mut self,
        time: &str,
        like: Option<&str>,
        at: &str,
        out: &mut Vec<Refusal>,
    ) {
        let ns = duration(time, &format!("{at}.time"), out);
        let Some(like) = like else {
            return self.ops.push(Op::Think { ns });
        };
        match self.marks.iter().position(|known| known == like) {
            Some(name) => self.ops.push(Op::ThinkLike {
                ns,
                name: name as u32,
            }),
            None => {
                let reason = format!("no phase before this point is called '{like}'");
                refuse(out, &format!("{at}.like"), &reason);
            }
        }
    }
}
