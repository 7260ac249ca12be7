//! Placement of numa/core v17 and v18 (posted on 22 and 30 November 2012, kernel/sched/fair.c): which tasks
//! share memory, which CPU each should run on, and on which nodes its memory should be.
//!
//! Everything here is a function of plain values: [`layout`] holds the task on each CPU,
//! [`placement`] the state of a task, [`rules`] the patches that apply. v17 is v18 without some of
//! its patches.
//!
//! Modelled: a task's faults with their averages, status and period ([`placement`]); the task it shares most
//! with ([`buddy`]); the resulting relation and groups ([`groups`]); v18's placement: [`spread`],
//! [`compress`], [`load`] (overload, balance inside a node), [`private`], in the order of [`directed`]; v17's
//! placement ([`most_buddies`], [`most_idle`]); the concentration of a task's memory and its effects
//! ([`convergence`]); where shared memory belongs and which pages move ([`interleave`]); which nodes an
//! allocation tries ([`nice`]); when placement and scans run ([`when`]); what the scheduler's load balancing
//! may take ([`balance`]).
//! Left out: v17's random pulls, which find nothing to do after its other rules; the memory policies of v18
//! that are off by default (one for the whole system, the node with the most buddies, the node of the ideal
//! CPU).
//! Visible difference: none with the defaults of either version.
//! Invariants: nothing here changes a machine; a decision holds all numbers it compared.

pub mod balance;
pub mod buddy;
pub mod compress;
pub mod convergence;
pub mod directed;
pub mod groups;
pub mod interleave;
pub mod layout;
pub mod load;
pub mod most_buddies;
pub mod most_idle;
pub mod nice;
pub mod placement;
pub mod private;
pub mod rules;
pub mod spread;
pub mod when;

use facts::index::CpuIndex;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;

use directed::Directed;
use layout::{Layout, Mover};
use most_buddies::MostBuddies;
use most_idle::MostIdle;
use private::Private;
use rules::Rules;

/// The CPU on which a task should run, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Verdict on a shared task in v18 (`sched_update_ideal_cpu_shared`).
    Directed(Directed),
    /// Verdict on a private task in v18 (`sched_update_ideal_cpu_private`).
    Private(Private),
    /// Verdict on a shared task in v17 (`sched_update_ideal_cpu_shared`).
    MostBuddies(MostBuddies),
    /// Verdict on a private task in v17 (`sched_update_ideal_cpu_private`).
    MostIdle(MostIdle),
}

/// The CPU to which a task should move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Ideal CPU of the task, or its current CPU if it stays.
    pub cpu: CpuIndex,
    /// True if the task on that CPU moves to this one in exchange (`flip_tasks`).
    pub flips: bool,
}

impl Verdict {
    /// The CPU on which a task that is now on `here` should run.
    pub fn target(&self, here: CpuIndex) -> Target {
        let stays_or = |cpu: Option<CpuIndex>| Target {
            cpu: cpu.unwrap_or(here),
            flips: false,
        };
        match self {
            Self::Directed(directed) => directed.target(here),
            Self::Private(private) => stays_or(private.goes_to()),
            Self::MostBuddies(most) => stays_or(most.goes_to()),
            Self::MostIdle(most) => stays_or(most.goes_to()),
        }
    }
}

/// The CPU on which a task should run. `shared` is the status it is about to get. Its
/// [`layout::Member`] holds the current status, which determines the relation to its buddies.
pub fn ideal_cpu(layout: &Layout, mover: Mover, shared: bool, rules: &Rules) -> Verdict {
    match (rules.directed, shared) {
        (true, true) => Verdict::Directed(directed::place(layout, mover, rules)),
        (true, false) => Verdict::Private(private::place(layout, mover)),
        (false, true) => Verdict::MostBuddies(most_buddies::place(layout, mover, rules)),
        (false, false) => Verdict::MostIdle(most_idle::place(layout, mover)),
    }
}
