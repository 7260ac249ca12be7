//! Where two runs diverge, with the names of tasks.

use mm::machine::Machine;
use mm::parting::{self, Parting, Place};
use mm::view::{PartedView, PartingStand, PartingView, PlaceView};

use crate::task_name;

/// The comparison of two runs at their positions.
pub fn parting(of: &Parting) -> PartingView {
    let [first, _] = of.machines();
    let stand = of.stand();
    PartingView {
        stand,
        step: first.position().step,
        last: of.last().map(|place| place_view(first, place)),
        runs: of
            .machines()
            .iter()
            .map(|m| PartedView {
                time_ns: m.position().time_ns,
                hash: (stand != PartingStand::Alike).then(|| format!("{:016x}", m.hash())),
                next: parting::next(m).map(|place| place_view(m, place)),
            })
            .collect(),
    }
}

fn place_view(m: &Machine, place: Place) -> PlaceView {
    PlaceView {
        task: place.task,
        name: task_name(&m.w, &m.tasks[place.task as usize]),
        function: place.function as u32,
        line: place.line.into(),
    }
}
