//! CPUs: their state, the task each runs, and the tasks that wait for it.

use serde::Serialize;

/// The state of a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum CpuState {
    /// Runs its task in user mode.
    User,
    /// Runs its task in the kernel.
    Kernel,
    /// Handles an interrupt, of its timer or of a device.
    Interrupt,
    /// Has not yet chosen one of the tasks that wait for it.
    Choosing,
    /// Idle, and no task that ran here waits for I/O.
    Idle,
    /// Idle while a task that ran here waits for I/O.
    IoWait,
}

/// One CPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct CpuView {
    /// Its number.
    pub id: u32,
    /// Its node's number, as the machine has it.
    pub node: u32,
    /// Its state.
    pub state: CpuState,
    /// The task that it runs or has interrupted; none if there is none.
    pub running: Option<u32>,
    /// The pseudo task whose interrupt it handles; none if it handles none.
    pub handler: Option<u32>,
    /// The innermost kernel function that it executes; empty in user mode and while it is idle.
    pub function: String,
    /// Runnable tasks that wait for it, in the order in which they would run if nothing else
    /// happened.
    pub waiting: Vec<u32>,
    /// Time in user mode since boot, ns.
    pub user_ns: u64,
    /// Time in the kernel since boot, interrupts included, ns.
    pub kernel_ns: u64,
    /// Idle time since boot with no task waiting for I/O, ns.
    pub idle_ns: u64,
    /// Idle time since boot while a task that ran here waited for I/O, ns.
    pub iowait_ns: u64,
}
