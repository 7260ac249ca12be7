//! Recounts the trees of cached pages, for `check`.
//!
//! Modelled: every count of files and nodes, and every list, recomputed from the slots.
//! Invariants: the recount only reads.

use super::{Files, SHADOW, SLOTS};
use crate::frames::NONE;
use facts::index::FrameIndex;

impl Files {
    /// The faults of the trees, for `check`: for each, the file and a sentence.
    pub(crate) fn faults(&self) -> Vec<(u32, &'static str)> {
        let mut out = Vec::new();
        let mut used = 0;
        for (id, f) in (0u32..).zip(&self.all) {
            let (mut pages, mut dirty, mut nodes) = (0, 0, 0);
            for (at, &node) in (0u32..).zip(&f.table).filter(|&(_, &node)| node != NONE) {
                let n = &self.nodes[node as usize];
                let first = (node * SLOTS) as usize;
                let slots = self.slots.slice(first, first + SLOTS as usize);
                let cached = slots.iter().filter(|&&s| s & SHADOW == 0).count();
                let shadows = slots.iter().filter(|&&s| s != NONE).count() - cached;
                if (n.file, n.at) != (id, at) {
                    out.push((id, "a node belongs to another place"));
                }
                if (usize::from(n.pages), usize::from(n.shadows)) != (cached, shadows) {
                    out.push((id, "a node counts its slots wrongly"));
                }
                if cached + shadows == 0 {
                    out.push((id, "a node holds nothing"));
                }
                let tagged = (0..SLOTS).zip(slots).filter(|(i, _)| n.dirty >> i & 1 == 1);
                if tagged.clone().any(|(_, &s)| s & SHADOW != 0) {
                    out.push((id, "a slot without a page is marked dirty"));
                }
                let buffered = (first..).zip(slots).filter(|&(_, &s)| s & SHADOW != 0);
                let has_buffers = |at: usize| self.buffers.get(at).is_some_and(|&b| b != NONE);
                if buffered.clone().any(|(at, _)| has_buffers(at)) {
                    out.push((id, "a slot without a page has buffer heads"));
                }
                pages += cached as u32;
                dirty += tagged.count() as u32;
                nodes += 1;
            }
            used += nodes;
            if (f.nr_pages, f.nr_dirty, f.nr_nodes) != (pages, dirty, nodes) {
                out.push((id, "its counts differ from its nodes"));
            }
            if self.dirty.iter().filter(|&&d| d == id).count() != usize::from(dirty > 0) {
                out.push((id, "the list of dirty files is wrong"));
            }
        }
        if used as usize + self.spare.len() != self.nodes.len() {
            out.push((NONE, "a node is neither used nor free"));
        }
        let shadows = self.shadow_list().count();
        let linked = (0..self.nodes.len() as u32).filter(|&n| self.only_shadows(n));
        if shadows != self.shadow_nodes as usize || linked.count() != shadows {
            out.push((NONE, "the list of shadow nodes is wrong"));
        }
        out
    }

    /// Every cached page: (file, index, frame).
    pub(crate) fn cached(&self) -> impl Iterator<Item = (u32, u32, FrameIndex)> + '_ {
        let files = (0u32..).zip(&self.all);
        files.flat_map(move |(id, f)| {
            let nodes = (0u32..).zip(&f.table).filter(|&(_, &node)| node != NONE);
            nodes.flat_map(move |(at, &node)| {
                (0..SLOTS).filter_map(move |i| {
                    let slot = self.slots[(node * SLOTS + i) as usize];
                    (slot & SHADOW == 0).then_some((id, at * SLOTS + i, FrameIndex::new(slot)))
                })
            })
        })
    }

    /// Objects of nodes, and of buffer heads, that are in use. For `check`.
    pub(crate) fn objects(&self) -> [Vec<u32>; 2] {
        let spare = |i: &usize| !self.spare.contains(&(*i as u32));
        let nodes = (0..self.nodes.len()).filter(spare);
        let nodes = nodes
            .map(|i| self.nodes[i].object)
            .chain(self.freed.iter().copied());
        let buffers = self.buffers.iter().copied().filter(|&b| b != NONE);
        [nodes.collect(), buffers.collect()]
    }
}
