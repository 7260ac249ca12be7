//! Who created files, how many, in what time.
//!
//! Modelled: nothing of a kernel: the clock of each thread of a benchmark that creates files.
//! Left out: what is beyond what a log keeps ([`super::log::MOST`]).
//! Invariants: a task creates once at a time; what it has begun ends with its operation or with it.

use facts::state::{CloneFrom, State};

use super::log::Log;

/// Files one operation of a task created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Created {
    /// The task.
    pub task: u32,
    /// Files created and closed.
    pub files: u32,
    /// When it began, ns.
    pub from_ns: u64,
    /// When it ended, ns.
    pub to_ns: u64,
}

/// All of them.
#[derive(Debug, PartialEq, Eq, Default, State, CloneFrom)]
pub struct Creating {
    /// What ended, in that order.
    pub done: Log<Created>,
    /// What goes on; its end is when it began.
    pub running: Vec<Created>,
}

impl Creating {
    /// A task begins to create files.
    pub fn begin(&mut self, task: u32, now: u64) {
        self.running.push(Created {
            task,
            files: 0,
            from_ns: now,
            to_ns: now,
        });
    }

    /// It has created one.
    pub fn file(&mut self, task: u32) {
        if let Some(of) = self.running.iter_mut().find(|of| of.task == task) {
            of.files += 1;
        }
    }

    /// It creates no more, or is gone.
    pub fn end(&mut self, task: u32, now: u64) {
        if let Some(at) = self.running.iter().position(|of| of.task == task) {
            let of = self.running.remove(at);
            self.done.push(Created { to_ns: now, ..of });
        }
    }

    /// What ended and, up to now, what goes on.
    pub fn until(&self, now: u64) -> impl Iterator<Item = Created> + '_ {
        let running = self
            .running
            .iter()
            .map(move |of| Created { to_ns: now, ..*of });
        self.done.iter().copied().chain(running)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_own_time() {
        let mut c = Creating::default();
        c.begin(7, 10);
        c.begin(8, 20);
        c.file(8);
        c.file(7);
        c.file(7);
        c.end(7, 50);
        // It creates nothing now.
        c.file(7);
        c.end(7, 60);
        let told: Vec<_> = c
            .until(90)
            .map(|of| (of.task, of.files, of.to_ns - of.from_ns))
            .collect();
        assert_eq!(told, [(7, 2, 40), (8, 1, 70)]);
    }
}
