//! Processes of a machine with several nodes: where their memory lies, and where their threads run.

use serde::Serialize;

/// A process whose tasks have not all ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct ProcessView {
    /// Id of its main task.
    pub task: u32,
    /// Its name: that of its main task.
    pub name: String,
    /// Pages it has mapped, by node, in the order of the nodes.
    pub pages: Vec<u64>,
    /// Its threads by the node of the CPU each runs or last ran on; a main task that has started threads
    /// is none of them.
    pub threads: Vec<u32>,
    /// Those of them that run or wait for a CPU, by node.
    pub running: Vec<u32>,
    /// Passes over its memory that marked pages for hinting faults (`numa_scan_seq`).
    pub scans: u32,
}
