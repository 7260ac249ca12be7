//! Where two runs diverge, with the names of tasks.

use mm::divergence::{self, DivergenceSearch, ProgramPoint};
use mm::machine::Machine;
use mm::view::{DivergedRunView, DivergenceOutcome, DivergenceView, ProgramPointView};

use crate::task_name;

/// The comparison of two runs at their positions.
pub fn divergence(of: &DivergenceSearch) -> DivergenceView {
    let [first, _] = of.machines();
    let outcome = of.outcome();
    DivergenceView {
        outcome,
        step: first.position().step,
        last: of.last().map(|point| point_view(first, point)),
        runs: of
            .machines()
            .iter()
            .map(|m| DivergedRunView {
                time_ns: m.position().time_ns,
                hash: (outcome != DivergenceOutcome::Equal).then(|| format!("{:016x}", m.hash())),
                next: divergence::next(m).map(|point| point_view(m, point)),
            })
            .collect(),
    }
}

fn point_view(m: &Machine, point: ProgramPoint) -> ProgramPointView {
    ProgramPointView {
        task: point.task.get(),
        name: task_name(&m.w, &m.tasks[point.task]),
        function: point.function as u32,
        line: point.line.into(),
    }
}
