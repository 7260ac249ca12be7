//! The per-CPU vectors in which pages wait before they join an LRU list (mm/swap.c,
//! `lru_add_pvecs`).
//!
//! Modelled: which pages of the page cache wait in the vector of a CPU, so that a kernel up to 3.10
//! cannot activate them (`mark_page_accessed` checks PG_lru). If a file is written in pieces
//! smaller than a page, every fourteenth page becomes active: the one that filled the vector.
//! Left out: the absence of these pages from the lists; vectors of anonymous pages, which are never
//! marked accessed.
//! Visible difference: up to 14 pages per CPU can be isolated slightly earlier than in a kernel.
//! Invariants: between two steps a vector holds fewer than 14 pages; kernels that do not check
//! PG_lru have no vectors.

use crate::kernel::WriteMarks;
use crate::world::World;
use facts::index::{CpuIndex, FrameIndex, IndexVec};
use facts::state::State;

/// Maximum number of pages in a vector (`PAGEVEC_SIZE`, 3.0); a full vector is emptied immediately.
const PAGEVEC_SIZE: usize = 14;

/// The vector of one CPU (`struct pagevec`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Pagevec {
    /// Number of pages that wait.
    pub nr: u8,
    /// The pages; [`FrameIndex::NONE`] beyond `nr`.
    pub pages: [FrameIndex; PAGEVEC_SIZE],
}

/// Vectors for this many CPUs; empty if vectors make no difference.
pub fn vectors(marks: WriteMarks, cpus: usize) -> IndexVec<CpuIndex, Pagevec> {
    let empty = Pagevec {
        nr: 0,
        pages: [FrameIndex::NONE; PAGEVEC_SIZE],
    };
    match marks {
        WriteMarks::OnLists => vec![empty; cpus].into(),
        WriteMarks::Anywhere | WriteMarks::Never => IndexVec::default(),
    }
}

/// Adds a page of the page cache to the vector of the running CPU, and empties the vector if that fills
/// it (`__lru_cache_add`).
pub fn add(w: &mut World, frame: FrameIndex) {
    let Some(vec) = w.lru_add.at_mut(w.cpu) else {
        return;
    };
    vec.pages[usize::from(vec.nr)] = frame;
    vec.nr += 1;
    if usize::from(vec.nr) == PAGEVEC_SIZE {
        drain(w);
    }
}

/// Moves the pages of the running CPU's vector to their lists (`lru_add_drain`).
pub fn drain(w: &mut World) {
    if let Some(vec) = w.lru_add.at_mut(w.cpu) {
        (vec.nr, vec.pages) = (0, [FrameIndex::NONE; PAGEVEC_SIZE]);
    }
}

/// Does a page wait in the vector of any CPU? If so, it cannot be isolated from a list.
pub fn waits_anywhere(w: &World, frame: FrameIndex) -> bool {
    w.lru_add.iter().any(|vec| vec.pages.contains(&frame))
}

/// Moves the pages of every CPU's vector to their lists (`lru_add_drain_all`).
pub fn drain_all(w: &mut World) {
    for vec in &mut w.lru_add {
        (vec.nr, vec.pages) = (0, [FrameIndex::NONE; PAGEVEC_SIZE]);
    }
}

/// Does a page wait in the vector of the running CPU? A task that moved to another CPU while it
/// handled the page is not considered.
pub fn waits(w: &World, frame: FrameIndex) -> bool {
    let vec = w.lru_add.at(w.cpu);
    vec.is_some_and(|vec| vec.pages.contains(&frame))
}
