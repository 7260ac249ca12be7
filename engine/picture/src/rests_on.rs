//! The functions, mechanisms and constants that the result of a run depends on.
//!
//! Modelled: nothing; lists the counted calls of a machine, and the costs that the called functions
//! use. Left out: names and notes, which the catalog has. Invariants: functions and costs come in
//! the order of the catalog.

use mm::machine::Machine;
use mm::rests_on::costs;
use mm::view::RestsOn;

/// The functions called and the costs used up to a machine's position.
pub fn rests_on(machine: &Machine) -> RestsOn {
    let (visits, facts) = (&machine.w.visits, &machine.w.facts);
    let all = facts.cost.all();
    let functions = visits.called();
    let used = costs(visits, facts).into_iter();
    RestsOn {
        functions: functions
            .map(|(place, calls)| (place as u32, calls))
            .collect(),
        costs: used.map(|place| (place as u32, all[place])).collect(),
    }
}
