//! NUMA balancing, checked on the records of a run of 3.8: a page moves to a node only if
//! its last two hinting faults came from there.

use facts::index::FrameIndex;
use mm::index::NodeIndex;
use std::collections::BTreeMap;
use std::fmt;

use mm::kernel::NumaFilter;
use mm::machine::Machine;
use mm::migrate::MigrateMoved;
use mm::numa::fault::NumaHint;
use mm::numa::filter::NumaPolicy;
use mm::record::{Declared, Record};

/// A page that moved to a node that had not faulted on it twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unasked {
    /// The frame that the page left.
    pub page: FrameIndex,
    /// The node to which the page moved.
    pub node: NodeIndex,
    /// Nodes of the page's last faults, the latest one last.
    pub faults: Vec<NodeIndex>,
}

impl fmt::Display for Unasked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { page, node, faults } = self;
        write!(
            f,
            "the page at frame {page} moved to node {node}, but its last faults came from nodes {faults:?}"
        )
    }
}

/// The nodes that last faulted on each page, by a run recorded from its beginning.
#[derive(Debug, Default)]
pub struct Faulted {
    /// The nodes by frame: at most three, because the latest may be taken back.
    nodes: BTreeMap<FrameIndex, Vec<NodeIndex>>,
    /// Number of moves to another node that were checked.
    pub judged: u32,
}

impl Faulted {
    /// Does the kernel of this machine have the rule that this test checks?
    pub fn is_for(m: &Machine) -> bool {
        let rules = mm::numa::rules(&m.w.facts);
        rules.is_some_and(|rules| rules.filter == NumaFilter::SameNodeTwice)
    }

    /// Handles the next record of the run.
    pub fn see(&mut self, m: &Machine, record: &Record) -> Result<(), Unasked> {
        if let Some(NumaHint { page, node, .. }) = NumaHint::of(record) {
            let nodes = self.nodes.entry(page).or_default();
            nodes.push(node);
            if nodes.len() > 3 {
                nodes.remove(0);
            }
        }
        // If a policy binds a task's pages to a node, its fault is not remembered.
        if let Some(NumaPolicy { page, .. }) = NumaPolicy::of(record) {
            self.nodes.entry(page).or_default().pop();
        }
        let Some(MigrateMoved { page, to, .. }) = MigrateMoved::of(record) else {
            return Ok(());
        };
        let (from, node) = (m.w.node_of(page), m.w.node_of(to));
        self.judged += u32::from(from != node);
        let faults = self.nodes.remove(&page).unwrap_or_default();
        let was_asked = faults.len() >= 2 && faults.iter().rev().take(2).all(|&n| n == node);
        if from != node && !was_asked {
            return Err(Unasked { page, node, faults });
        }
        self.nodes.insert(to, faults);
        Ok(())
    }
}
