//! Compiling loops.
//!
//! Modelled: `repeat`, and the loop within `sample`.
//! Left out: nothing.
//! Invariants: each round of a loop begins with the same regions as the first round, and without threads of
//! the previous round.

use super::{Compiler, duration, refuse};
use crate::view::Refusal;
use crate::workload::{MAX_LOOPS, Op, Step};

/// How often a loop's rounds begin, and when, in the fields of [`Op::Loop`].
#[derive(Clone, Copy, Default)]
pub(super) struct Rounds {
    pub(super) times: Option<u32>,
    pub(super) ns: u64,
    pub(super) every_ns: u64,
}

impl Rounds {
    /// The loop's first operation, and the operation after its end.
    pub(super) fn until(self, end: u32) -> Op {
        let Rounds {
            times,
            ns,
            every_ns,
        } = self;
        Op::Loop {
            times,
            ns,
            every_ns,
            end,
        }
    }
}

impl<'a> Compiler<'a> {
    /// How long a loop runs, ns; 0 for no limit.
    pub(super) fn loop_ns(&self, time: Option<&str>, at: &str, out: &mut Vec<Refusal>) -> u64 {
        let path = format!("{at}.for");
        let ns = time.map(|t| duration(t, &path, out));
        if ns == Some(0) {
            refuse(out, &path, "a loop must run for at least 1ns");
        }
        ns.unwrap_or(0)
    }

    /// The rounds of a `repeat`.
    pub(super) fn rounds_of(&self, step: &Step, at: &str, out: &mut Vec<Refusal>) -> Rounds {
        let Step::Repeat {
            times, time, every, ..
        } = step
        else {
            return Rounds::default();
        };
        let every = every.as_deref();
        Rounds {
            times: *times,
            ns: self.loop_ns(time.as_deref(), at, out),
            every_ns: every.map_or(0, |t| duration(t, &format!("{at}.every"), out)),
        }
    }

    /// A loop; the operation `last` ends each of its rounds.
    pub(super) fn repeat(
        &mut self,
        rounds: Rounds,
        body: &'a [Step],
        last: Option<Op>,
        at: &str,
        depth: usize,
        out: &mut Vec<Refusal>,
    ) {
        if depth == MAX_LOOPS {
            let reason = format!("loops may be nested at most {MAX_LOOPS} deep");
            return refuse(out, at, &reason);
        }
        if body.is_empty() {
            return refuse(
                out,
                &format!("{at}.do"),
                "a loop needs at least one operation",
            );
        }
        let start = self.ops.len();
        self.ops.push(rounds.until(0));
        let mapped: Vec<bool> = self.regions.iter().map(|r| r.pages.is_some()).collect();
        let ran = self.threads_run;
        self.steps(body, &format!("{at}.do"), depth + 1, out);
        let after = self.regions.iter().map(|r| r.pages.is_some());
        let was = mapped.iter().copied().chain(std::iter::repeat(false));
        if after.zip(was).any(|(now, was)| now != was) {
            let reason = "a loop must free the regions that it maps and must not free others, or its second round cannot begin";
            refuse(out, &format!("{at}.do"), reason);
        }
        if self.threads_run && !ran {
            let reason = "a loop must join the threads that it starts, or its second round begins while they run";
            refuse(out, &format!("{at}.do"), reason);
        }
        self.ops.extend(last);
        self.ops.push(Op::EndLoop {
            start: start as u32,
        });
        let end = self.ops.len() as u32;
        self.ops[start] = rounds.until(end);
    }
}
