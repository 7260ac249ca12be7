//! Where a task runs and where its memory comes from: binding, CPU masks, memory policies.
//!
//! Modelled: `bind`, `affinity`, `mempolicy`.
//! Left out: policies of regions (mbind).
//! Invariants: a CPU mask contains a CPU, and a policy contains only nodes with memory.

use super::{Compiler, no_such_node, refuse};
use crate::index::CpuIndex;
use crate::index::NodeIndex;
use crate::layout::Layout;
use crate::view::Refusal;
use crate::workload::{MemoryMode, Op, Policy};

/// The CPUs of a mask, in order; an empty list means all CPUs. The error is the field and the reason.
///
/// # Errors The reason names the node or CPU that does not exist, or says that both are given.
pub fn affinity_cpus(
    layout: &Layout,
    node: Option<u32>,
    cpus: Option<&[u32]>,
) -> Result<Vec<CpuIndex>, (&'static str, String)> {
    let mut named: Vec<CpuIndex> = match (node, cpus) {
        (None, None) => return Ok(Vec::new()),
        (Some(_), Some(_)) => {
            let reason = "give a node or CPUs, not both";
            return Err(("cpus", reason.to_string()));
        }
        (Some(node), None) => {
            let found = layout.nodes.iter().find(|n| u32::from(n.id) == node);
            let found = found.ok_or_else(|| ("node", no_such_node(layout, node)))?;
            if found.cpus.is_empty() {
                return Err(("node", format!("node {node} has no CPUs to run a task")));
            }
            found.cpus.clone()
        }
        (None, Some([])) => {
            let reason = "give at least one CPU, or leave the list out for all CPUs";
            return Err(("cpus", reason.to_string()));
        }
        (None, Some(cpus)) => {
            let count = layout.online_cpus();
            let unknown = cpus.iter().find(|&&cpu| u64::from(cpu) >= count);
            if let Some(cpu) = unknown {
                let there = match count {
                    1 => "only CPU 0".to_string(),
                    _ => format!("CPUs 0 to {}", count - 1),
                };
                let reason = format!("CPU {cpu} does not exist: this machine has {there}");
                return Err(("cpus", reason));
            }
            cpus.iter().map(|&cpu| CpuIndex::new(cpu as u16)).collect()
        }
    };
    named.sort_unstable();
    named.dedup();
    Ok(named)
}

/// The index of an entry in a list of the program; a missing entry is added.
fn place_in<T: PartialEq>(list: &mut Vec<T>, entry: T) -> u32 {
    let known = list.iter().position(|known| *known == entry);
    known.unwrap_or_else(|| {
        list.push(entry);
        list.len() - 1
    }) as u32
}

impl Compiler<'_> {
    pub(super) fn bind(&mut self, node: u32, strict: bool, at: &str, out: &mut Vec<Refusal>) {
        let path = format!("{at}.node");
        if strict && self.place_of(node).is_some_and(|n| !self.has_memory(n)) {
            refuse(out, &path, &format!("node {node} has no memory"));
        }
        let node = self.node(Some(node), &path, out);
        self.ops.push(Op::Bind { node, strict });
    }

    pub(super) fn affinity(
        &mut self,
        node: Option<u32>,
        cpus: Option<&[u32]>,
        at: &str,
        out: &mut Vec<Refusal>,
    ) {
        match affinity_cpus(self.layout, node, cpus) {
            Ok(cpus) => {
                let which = place_in(&mut self.cpu_sets, cpus);
                self.ops.push(Op::Affinity { which });
            }
            Err((field, reason)) => refuse(out, &format!("{at}.{field}"), &reason),
        }
    }

    pub(super) fn mempolicy(
        &mut self,
        mode: MemoryMode,
        nodes: &[u32],
        at: &str,
        out: &mut Vec<Refusal>,
    ) {
        let path = format!("{at}.nodes");
        let reason = match (mode, nodes.len()) {
            (MemoryMode::Default, 1..) => "the default policy has no nodes: leave them out",
            (MemoryMode::Preferred, 0 | 2..) => "the preferred policy needs exactly one node",
            (MemoryMode::Bind | MemoryMode::Interleave, 0) => "give at least one node",
            _ => "",
        };
        if !reason.is_empty() {
            return refuse(out, &path, reason);
        }
        let mut places = Vec::new();
        for (i, &node) in nodes.iter().enumerate() {
            let path = format!("{path}[{i}]");
            match self.place_of(node) {
                None => refuse(out, &path, &no_such_node(self.layout, node)),
                Some(place) if !self.has_memory(place) => {
                    refuse(out, &path, &format!("node {node} has no memory"));
                }
                Some(place) => places.push(NodeIndex::new(place as u8)),
            }
        }
        places.sort_unstable();
        places.dedup();
        let policy = match (mode, places.first()) {
            (MemoryMode::Default, _) | (_, None) => Policy::Default,
            (MemoryMode::Preferred, Some(&node)) => Policy::Preferred { node },
            (MemoryMode::Bind, _) => Policy::Bind {
                which: place_in(&mut self.node_sets, places),
            },
            (MemoryMode::Interleave, _) => Policy::Interleave {
                which: place_in(&mut self.node_sets, places),
            },
        };
        self.ops.push(Op::Policy(policy));
    }

    fn has_memory(&self, place: usize) -> bool {
        let zones = &self.layout.nodes[place].zones;
        zones.iter().any(|zone| zone.is_populated())
    }
}
