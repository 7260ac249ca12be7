//! Processes of a machine with several nodes: the nodes of their memory and of their threads.

use serde::Serialize;

/// A process whose tasks have not all ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct ProcessView {
    /// Id of its main task.
    pub task: u32,
    /// Its name, which is the name of its main task.
    pub name: String,
    /// Pages it has mapped, by node, in the order of the nodes.
    pub pages: Vec<u64>,
    /// Its threads by the node of the CPU on which each runs or last ran. A main task that has started
    /// threads does not count.
    pub threads: Vec<u32>,
    /// The threads that run or wait for a CPU, by node.
    pub running: Vec<u32>,
    /// Passes over its memory that marked pages for hinting faults (`numa_scan_seq`).
    pub scans: u32,
}
