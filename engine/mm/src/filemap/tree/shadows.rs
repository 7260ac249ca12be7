//! Tree nodes with only shadows (mm/workingset.c).
//!
//! Modelled: the list of these nodes, oldest first, and the limit above which the oldest is
//! dropped.
//! Invariants: a node is on the list exactly while it holds shadows and no page.

use super::{Files, Node, SLOTS};
use crate::frames::NONE;

impl Files {
    /// Adds a node that now holds only shadows as the youngest. Drops the oldest if there are too many.
    pub(super) fn link_shadow_node(&mut self, node: u32) {
        let youngest = self.shadow_ends[1];
        let n = &mut self.nodes[node as usize];
        (n.older, n.younger) = (youngest, NONE);
        match self.nodes.get_mut(youngest as usize) {
            Some(before) => before.younger = node,
            None => self.shadow_ends[0] = node,
        }
        self.shadow_ends[1] = node;
        self.shadow_nodes += 1;
        if self.shadow_nodes > self.shadow_limit {
            self.drop_shadow_node(self.shadow_ends[0]);
            self.nodereclaim += 1;
        }
    }

    pub(super) fn unlink_shadow_node(&mut self, node: u32) {
        let Node { older, younger, .. } = self.nodes[node as usize];
        match self.nodes.get_mut(older as usize) {
            Some(n) => n.younger = younger,
            None => self.shadow_ends[0] = younger,
        }
        match self.nodes.get_mut(younger as usize) {
            Some(n) => n.older = older,
            None => self.shadow_ends[1] = older,
        }
        self.shadow_nodes -= 1;
    }

    /// Drops a node that holds only shadows.
    pub(super) fn drop_shadow_node(&mut self, node: u32) {
        self.unlink_shadow_node(node);
        let first = (node * SLOTS) as usize;
        self.slots
            .slice_mut(first, first + SLOTS as usize)
            .fill(NONE);
        self.nodes[node as usize].shadows = 0;
        self.free_node(node);
    }

    /// Drops all shadows of a file that has no cached pages left.
    pub fn drop_shadows(&mut self, file: u32) {
        if self.all[file as usize].nr_nodes == 0 {
            return;
        }
        for at in 0..self.all[file as usize].table.len() {
            let node = self.all[file as usize].table[at];
            if node != NONE && self.only_shadows(node) {
                self.drop_shadow_node(node);
            }
        }
    }
}
