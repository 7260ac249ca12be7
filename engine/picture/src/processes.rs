//! Views of the processes on a machine with several nodes: the nodes of their memory and of their
//! threads.
//!
//! Modelled: nothing; this module only reads the machine. Left out: machines whose workload starts
//! no threads, because no task moves between nodes there; machines with one node, or with more
//! nodes than threads can run on. Invariants: the pages of a process by node add up to its mapped
//! pages.

use mm::machine::Machine;
use mm::placement::{self, Placement};
use mm::record::{Record, RecordKind};
use mm::view::ProcessView;

use crate::task_name;

/// All processes that have not ended, by number.
pub fn processes(m: &Machine) -> Vec<ProcessView> {
    let w = &m.w;
    let placements = placement::of_machine(m).into_iter();
    placements
        .map(
            |Placement {
                 task,
                 pages,
                 threads,
                 running,
                 scans,
             }| ProcessView {
                task: task.get(),
                name: m
                    .tasks
                    .at(task)
                    .map_or_else(String::new, |t| task_name(w, t)),
                pages: pages.into_iter().map(u64::from).collect(),
                threads,
                running,
                scans,
            },
        )
        .collect()
}

/// Is this a decision to place a task on a CPU or node because of its memory?
pub fn is_placing(record: &Record) -> bool {
    use RecordKind as K;
    matches!(
        record.kind,
        K::NumaMove
            | K::NumaSwap
            | K::NumaStick
            | K::NumaMoveByLoad
            | K::NumaTooUneven
            | K::AutoNotReady
            | K::AutoPending
            | K::AutoHome
            | K::AutoNobody
            | K::AutoStay
            | K::AutoExchange
            | K::BalancePlaced
            | K::WokenPlaced
            | K::NumaProposed
            | K::NumaGoes
            | K::NumaFlips
            | K::NumaCannotGo
            | K::SpreadNotSmallest
            | K::SpreadNoIdle
            | K::SpreadNoGain
            | K::SpreadGo
            | K::SpreadNoRoom
            | K::CompressFull
            | K::CompressHere
            | K::CompressNowhere
            | K::CompressTooLarge
            | K::CompressGo
            | K::OverloadNone
            | K::OverloadNowhere
            | K::OverloadGo
            | K::IntranodeStay
            | K::IntranodeGo
            | K::PrivateInside
            | K::PrivateNoRoom
            | K::PrivateGo
            | K::BuddiesStay
            | K::BuddiesGo
            | K::IdleStay
            | K::IdleGo
            | K::BalanceShared
            | K::BalanceConverged
            | K::BalanceBuddy
            | K::WokenConverged
    )
}
