//! The numbers of a run's clocks and phases, apart from the machine.
//!
//! Modelled: nothing of a kernel: what whoever runs a benchmark wrote down beside `/proc/vmstat`.
//! Left out: the phases' names, which the experiment has.
//! Who could tell: nobody.
//! Invariants: [`HEAD`] numbers, then [`MARK`] for each mark, in the order of the marks.

use crate::machine::{Machine, TaskKind};

/// Numbers before the first mark: time since boot and time the workload's tasks had a CPU, ns;
/// files made, sectors read, sectors written up to now.
pub const HEAD: usize = 5;
/// Numbers of a mark: program, name, task, when in ns; files, sectors read and written before it.
pub const MARK: usize = 7;

/// The numbers of this moment.
pub fn numbers(m: &Machine) -> Vec<u64> {
    let w = &m.w;
    let mut ran = 0;
    for (id, task) in (0u32..).zip(&m.tasks) {
        if let TaskKind::User { .. } = task.kind {
            ran += w.sched.ran(id);
        }
    }
    let made = w.phases.made;
    let mut out = Vec::from([w.now, ran, made.files, made.read, made.written]);
    for mark in &w.phases.marks {
        let made = mark.made;
        let who = [mark.program.into(), mark.name.into(), mark.task.into()];
        out.extend_from_slice(&who);
        out.extend_from_slice(&[mark.at_ns, made.files, made.read, made.written]);
    }
    out
}
