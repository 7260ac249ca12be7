//! The nodes of an address space's pages, counted as pages are mapped, moved and unmapped.
//!
//! Modelled: nothing of the kernel, which counts them again for each reader of
//! `/proc/PID/numa_maps`. A snapshot of each step cannot read all entries. Left out: machines with
//! one node, and with more nodes than threads run on: they count nothing. Invariants: the counts
//! equal a recount of all entries (`crate::check`).

use super::{HUGE, PTE_SWAP, Space, frame_of, id_of};
use crate::bandwidth::ByNode;
use crate::frames::NONE;
use crate::mmzone::Zone;
use crate::process::Processes;
use crate::profile::MAX_RUN_NODES;
use facts::index::{FrameIndex, NodeIndex};

/// The node of each frame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Nodes {
    /// First frame of each zone, in ascending order, and its node; empty if pages are not counted
    /// by node.
    zones: Vec<(FrameIndex, NodeIndex)>,
}

impl Nodes {
    /// The nodes of the frames of these zones.
    pub(crate) fn of(zones: &[Zone]) -> Self {
        let populated = zones.iter().filter(|zone| zone.frames > 0);
        let mut zones: Vec<(FrameIndex, NodeIndex)> =
            populated.map(|zone| (zone.first, zone.node)).collect();
        zones.sort_unstable();
        let (least, most) = (
            zones.iter().map(|z| z.1).min(),
            zones.iter().map(|z| z.1).max(),
        );
        if least == most || most.is_some_and(|node| node.index() >= MAX_RUN_NODES) {
            zones.clear();
        }
        Self { zones }
    }

    /// The node of a frame; `None` if pages are not counted by node.
    #[inline]
    fn of_frame(&self, frame: FrameIndex) -> Option<usize> {
        let behind = self.zones.partition_point(|&(first, _)| first <= frame);
        let zone = self.zones.get(behind.checked_sub(1)?)?;
        Some(zone.1.index())
    }
}

impl Space {
    /// Counts pages from a frame on, all on one node, as mapped.
    #[inline(always)]
    pub(super) fn gain(&mut self, nodes: &Nodes, frame: FrameIndex, pages: u32) {
        self.rss += pages;
        if let Some(node) = nodes.of_frame(frame) {
            self.by_node[node] += pages;
        }
    }

    /// Counts pages from a frame on, all on one node, as no longer mapped.
    #[inline(always)]
    pub(super) fn lose(&mut self, nodes: &Nodes, frame: FrameIndex, pages: u32) {
        self.rss -= pages;
        if let Some(node) = nodes.of_frame(frame) {
            self.by_node[node] -= pages;
        }
    }
}

impl Processes {
    /// Number of pages of an address space by node, recounted.
    pub fn recount_by_node(&self, space: usize) -> ByNode {
        let per = self.per_table;
        let mut found = ByNode::default();
        let mut add = |frame, pages| {
            if let Some(node) = self.nodes.of_frame(frame) {
                found[node] += pages;
            }
        };
        let tables = self.all[space].space.regions.iter().flat_map(|r| &r.tables);
        for &table in tables.filter(|&&table| table != NONE) {
            if table & HUGE != 0 {
                add(frame_of(table), per);
                continue;
            }
            let first = (id_of(table) * per) as usize;
            for &entry in self.entries.slice(first, first + per as usize) {
                if entry & PTE_SWAP == 0 {
                    add(frame_of(entry), 1);
                }
            }
        }
        found
    }
}
