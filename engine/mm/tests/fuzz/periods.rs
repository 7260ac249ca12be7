//! Property 9 of NUMA balancing: a task's scan period lies between the least and the longest.
//!
//! Of kernels whose periods are the tunables themselves: 3.8 and numa/core. Later ones derive both ends from
//! how much of a process is resident, which changes between two updates of a period. That the size of a scan
//! falls as a task converges is held for all strengths in `numa/core/convergence.rs`.

use mm::frames::NONE;
use mm::kernel::ScanPeriod;
use mm::machine::Machine;
use mm::numa::tick::periods_ms;

/// A period outside its ends: the task, its period, the least and the longest, ms. `None` where all are
/// inside.
pub fn outside(m: &Machine) -> Option<(usize, u32, u32, u32)> {
    let rules = mm::numa::rules(&m.w.facts)?;
    // Who wins a scan of numa/core waits two ticks longer for the next one.
    let more = match rules.period {
        ScanPeriod::ByResidentSize | ScanPeriod::Daemon => return None,
        ScanPeriod::Fixed => 0,
        ScanPeriod::Core => (2 * 1000 / m.w.facts.hz).max(1),
    };
    let tasks = m.w.numa.tasks.iter().enumerate();
    // A task has no period before a tick has found it.
    let mut tasks = tasks.filter(|(_, task)| task.process != NONE && task.node_stamp > 0);
    tasks.find_map(|(id, task)| {
        let (a, b) = periods_ms(&m.w, task.process);
        let (least, longest) = (a.min(b), a.max(b) + more);
        let is_inside = (least..=longest).contains(&task.scan_period);
        (!is_inside).then_some((id, task.scan_period, least, longest))
    })
}
