//! The load of memory and of links between nodes, on a machine whose memory has rates.

use serde::Serialize;

/// The link from a node's memory to the CPUs of another node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct MemoryLinkView {
    /// Id of the other node.
    pub node: u32,
    /// How long the direction to its CPUs has been in use since boot, ns.
    pub direction_busy_ns: u64,
    /// The backlog of that direction: how long a new access would wait for it, ns.
    pub direction_queue_ns: u64,
    /// How long the link to that node has been in use, in both directions, ns.
    pub link_busy_ns: u64,
    /// The backlog of the link, ns.
    pub link_queue_ns: u64,
}

/// The memory of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct MemoryNodeView {
    /// Bytes moved since boot between this node's memory and the CPUs of each node, in the order of the
    /// nodes. The node's own entry counts its own CPUs.
    pub bytes: Vec<u64>,
    /// How long its memory has served accesses since boot, ns.
    pub busy_ns: u64,
    /// The backlog of its memory: how long a new access would wait for it, ns.
    pub queue_ns: u64,
    /// The links to the CPUs of all other nodes.
    pub links: Vec<MemoryLinkView>,
}
