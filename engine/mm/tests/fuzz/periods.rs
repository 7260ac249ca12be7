//! NUMA balancing: a task's scan period lies between its minimum and its maximum.
//!
//! This covers kernels whose periods are the tunables themselves: 3.8 and numa/core. Later kernels
//! derive both ends from the resident size of a process, which changes between two updates.
//! `numa/core/convergence.rs` tests for all strengths that a scan shrinks as a task converges.

use mm::frames::NONE;
use mm::kernel::ScanPeriod;
use mm::machine::Machine;
use mm::numa::tick::periods_ms;

/// A period outside its limits: the task, its period, the minimum and the maximum, ms. `None` if all
/// are inside.
pub fn outside(m: &Machine) -> Option<(usize, u32, u32, u32)> {
    let rules = mm::numa::rules(&m.w.facts)?;
    // The task that starts a scan of numa/core waits two ticks longer for the next one.
    let more = match rules.period {
        ScanPeriod::ByResidentSize | ScanPeriod::Daemon => return None,
        ScanPeriod::Fixed => 0,
        ScanPeriod::Core => (2 * 1000 / m.w.facts.hz).max(1),
    };
    let tasks = m.w.numa.tasks.iter().enumerate();
    // A task has no period before its first tick.
    let mut tasks = tasks.filter(|(_, task)| task.process != NONE && task.node_stamp > 0);
    tasks.find_map(|(id, task)| {
        let (a, b) = periods_ms(&m.w, task.process);
        let (least, longest) = (a.min(b), a.max(b) + more);
        let is_inside = (least..=longest).contains(&task.scan_period);
        (!is_inside).then_some((id, task.scan_period, least, longest))
    })
}
