//! A task: executes the compiled program of a process or of a thread, operation by operation.
//!
//! The order of all accesses comes from `facts::workload::order`, as in the engine. `access` draws
//! a random number for each page, because the guest cannot see page tables; the engine draws from
//! the same distribution. Latencies (`sample`) are not recorded: `ops.csv` has the times of
//! operations.

use std::io;

use facts::rng::Rng;
use facts::workload::{Op, Program, order};

use super::files::Files;
use super::plan::Plan;
use super::process::Process;
use super::sys;
use super::table::{Entry, Kind, Life, Slot};

/// Operations of at least this length are always in the journal, ns.
const LONG_NS: u64 = 10_000_000;
/// The journal contains this number of rounds of each operation, however short they are.
const FIRST_ROUNDS: u32 = 4;

/// What the program does after an operation.
pub enum Next {
    /// The next operation.
    Go,
    /// The operation with this number.
    Jump(u32),
    /// The program has ended.
    Exit,
}

struct Round {
    left: u32,
    until: u64,
    earliest: u64,
}

/// A task in its thread.
pub struct Task {
    /// The run.
    pub plan: &'static Plan,
    /// Its process.
    pub process: &'static Process,
    /// The task's index in the table.
    pub number: u32,
    /// The same.
    pub slot: &'static Slot,
    /// Its random numbers.
    pub rng: Rng,
    /// Its number among the threads that started together, and their number.
    pub thread: (u32, u32),
    /// The position of a sequential touch, and the other values that the engine stores with it.
    pub at: u32,
    /// Its open files. A thread has none.
    pub files: Files,
    /// For each of its pools: the huge pages in it.
    pub pools: Vec<u32>,
    /// When it began its operation, ns.
    pub began: u64,
    program: &'static Program,
    loops: Vec<Round>,
    /// For each operation: how often it was done.
    rounds: Vec<u32>,
    /// The current phase, and its start.
    phase: Option<(u32, u64)>,
    /// For each phase: how long it took.
    took: Vec<u64>,
}

impl Task {
    /// The task with this number in the table, as the running thread.
    pub fn new(
        plan: &'static Plan,
        process: &'static Process,
        number: u32,
        thread: (u32, u32),
    ) -> Task {
        let slot = plan.table.slot(number);
        let program = &plan.experiment.programs[slot.program() as usize];
        let main = thread.1 == 0;
        Task {
            plan,
            process,
            number,
            slot,
            rng: order::stream(plan.experiment.seed, slot.program(), slot.instance()),
            thread,
            at: 0,
            files: Files::new(plan, program, slot.instance() - 1, main),
            pools: vec![0; program.pools as usize],
            program,
            loops: Vec::with_capacity(facts::workload::MAX_LOOPS),
            rounds: vec![0; program.ops.len()],
            phase: None,
            took: vec![0; program.marks.len()],
            began: 0,
        }
    }

    /// Executes the whole program.
    pub fn run(&mut self) {
        sys::set_name(&format!("{}/{}", self.program.name, self.slot.instance()));
        self.slot.begin();
        self.start_on(self.program.node);
        let mut pc = 0;
        loop {
            self.began = sys::now();
            let round = self.rounds[pc as usize];
            self.slot.start_operation(pc, round, self.began);
            let op = self.program.ops[pc as usize];
            let next = self.step(pc, op).unwrap_or_else(|error| {
                let number = error.raw_os_error().unwrap_or(0);
                self.note(pc, Kind::Failed, number as u64, 0);
                Next::Go
            });
            self.rounds[pc as usize] += 1;
            match next {
                Next::Go => pc += 1,
                Next::Jump(to) => pc = to,
                Next::Exit => break,
            }
        }
        self.leave_pools();
        self.slot.end(Life::Ended);
    }

    fn step(&mut self, pc: u32, op: Op) -> io::Result<Next> {
        match op {
            Op::Loop {
                times,
                ns,
                every_ns,
                end,
            } => return Ok(self.begin_loop(times, ns, every_ns, end)),
            Op::EndLoop { start } => return Ok(self.end_loop(start)),
            Op::Exit => return Ok(Next::Exit),
            Op::Stop => self.plan.table.stop(),
            Op::Think { ns } => sys::sleep_until(self.began + ns),
            Op::ThinkLike { ns, name } => {
                sys::sleep_until(self.began + ns + self.took[name as usize]);
            }
            Op::Compute { ns } => compute(ns),
            Op::Mark { name } => {
                if let Some((before, at)) = self.phase.replace((name, self.began)) {
                    self.took[before as usize] = self.began - at;
                }
                self.note(pc, Kind::Mark, name.into(), 0);
            }
            Op::Sample { .. } | Op::Took { .. } => {}
            Op::Spawn { program, count } => {
                for _ in 0..count {
                    self.plan.start(program)?;
                }
            }
            Op::Threads { program, count } => {
                self.process.start_threads(self.plan, program, count)?;
            }
            Op::Barrier => self.process.barrier(self.slot.program()),
            Op::Join => self.process.join(),
            Op::Wait { every_ns } => self.wait(every_ns),
            Op::Kill { program, instance } => self.plan.table.kill(program, instance),
            Op::Bind { node, strict } => self.bind(node, strict)?,
            Op::Affinity { which } => {
                let program = self.program;
                self.plan
                    .set_affinity(0, &program.cpu_sets[which as usize])?;
            }
            Op::Policy(policy) => self.set_policy(policy, &self.program.node_sets)?,
            Op::Set { which } => {
                let (name, value) = &self.program.sets[which as usize];
                super::control::write_tunable(name, value)?;
            }
            Op::DropCaches { slab } => super::control::drop_caches(slab)?,
            Op::CompactMemory => super::control::compact_memory()?,
            Op::Alloc { .. } | Op::Release { .. } => self.pool(pc, op)?,
            Op::Map { .. }
            | Op::Touch { .. }
            | Op::Access { .. }
            | Op::Lock { .. }
            | Op::Free { .. }
            | Op::DontNeed { .. } => self.memory(pc, op)?,
            Op::Transfer { .. }
            | Op::Copy { .. }
            | Op::Fsync { .. }
            | Op::Unlink { .. }
            | Op::Create { .. }
            | Op::Stat { .. } => self.file(pc, op)?,
        }
        Ok(Next::Go)
    }

    fn begin_loop(&mut self, times: Option<u32>, ns: u64, every_ns: u64, end: u32) -> Next {
        if times == Some(0) {
            return Next::Jump(end);
        }
        let after = |ns| if ns > 0 { self.began + ns } else { 0 };
        self.loops.push(Round {
            left: times.unwrap_or(u32::MAX),
            until: after(ns),
            earliest: after(every_ns),
        });
        Next::Go
    }

    fn end_loop(&mut self, start: u32) -> Next {
        let Some(round) = self.loops.last_mut() else {
            return Next::Go;
        };
        if round.until == 0 || round.left < u32::MAX {
            round.left -= 1;
        }
        if round.left == 0 || (round.until > 0 && self.began >= round.until) {
            self.loops.pop();
            return Next::Go;
        }
        // The engine uses the CPU until the next round begins.
        while sys::now() < round.earliest {}
        if let Op::Loop { every_ns, .. } = self.program.ops[start as usize]
            && every_ns > 0
        {
            round.earliest = sys::now() + every_ns;
        }
        Next::Jump(start + 1)
    }

    fn wait(&self, every_ns: u64) {
        loop {
            let children = match sys::reap(every_ns == 0) {
                sys::Child::Ended(pid) => {
                    self.plan.ended(pid);
                    continue;
                }
                sys::Child::Alive => true,
                sys::Child::None => false,
            };
            if !children && every_ns == 0 {
                return self.process.join();
            }
            if !children && !self.process.has_threads() {
                return;
            }
            sys::sleep_until(sys::now() + every_ns);
        }
    }

    /// Adds an entry to the journal about the operation that ends now.
    pub fn note(&self, operation: u32, kind: Kind, a: u64, b: u64) {
        self.plan.table.note(Entry {
            slot: self.number,
            operation,
            kind,
            began: self.began,
            ended: sys::now(),
            a,
            b,
        });
    }

    /// The operation is done. The journal has it if it took long or is among the first rounds.
    pub fn done(&self, pc: u32, amount: u64, extra: u64) {
        let is_first = self.rounds[pc as usize] < FIRST_ROUNDS;
        if is_first || sys::now() - self.began >= LONG_NS {
            self.note(pc, Kind::Done, amount, extra);
        }
    }

    /// How often the operation was done before.
    pub fn rounds(&self, pc: u32) -> u32 {
        self.rounds[pc as usize]
    }
}

/// Uses the CPU for this long.
pub fn compute(ns: u64) {
    let end = sys::cpu_time() + ns;
    while sys::cpu_time() < end {
        for _ in 0..100 {
            std::hint::spin_loop();
        }
    }
}
