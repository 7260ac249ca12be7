//! Accessed bits of a table's entries, read by the multi-generational LRU.

use super::{PTE_DIRTY, PTE_SWAP, PTE_YOUNG, frame_of};
use crate::process::Processes;
use facts::index::FrameIndex;

/// An entry whose accessed bit is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct YoungEntry {
    /// Page of the region.
    pub page: u32,
    /// Frame of the page that the entry maps.
    pub frame: FrameIndex,
    /// Dirty bit of the entry.
    pub dirty: bool,
}

impl Processes {
    /// The entries of one table, from page `from` up to `to`, whose accessed bit is set.
    pub(crate) fn young_entries(
        &self,
        space: u32,
        region: u32,
        from: u32,
        to: u32,
    ) -> Vec<YoungEntry> {
        let Some(first) = self.entry(space, region, from) else {
            return Vec::new();
        };
        let entries = self.entries.slice(first, first + (to - from) as usize);
        let all = (from..).zip(entries);
        let young = all.filter(|&(_, &entry)| entry & (PTE_SWAP | PTE_YOUNG) == PTE_YOUNG);
        young
            .map(|(page, &entry)| YoungEntry {
                page,
                frame: frame_of(entry),
                dirty: entry & PTE_DIRTY != 0,
            })
            .collect()
    }

    /// Is the accessed bit of the entry of a page set?
    pub(crate) fn is_young(&self, space: u32, region: u32, page: u32) -> bool {
        let entry = self.entry(space, region, page).map(|at| self.entries[at]);
        entry.is_some_and(|entry| entry & (PTE_SWAP | PTE_YOUNG) == PTE_YOUNG)
    }
}
