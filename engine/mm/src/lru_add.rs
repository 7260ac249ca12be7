//! The per-CPU vectors in which pages wait before they join an LRU list (mm/swap.c,
//! `lru_add_pvecs`).
//!
//! Modelled: which pages of the page cache wait in the vector of a CPU, so that a kernel to 3.10
//! cannot make them active (`mark_page_accessed` asks for PG_lru): of a file written in pieces
//! smaller than a page every fourteenth page becomes active, the one that filled the vector.
//! Left out: their absence from the lists; vectors of anonymous pages, which no one marks.
//! Who could tell: up to 14 pages a CPU can be isolated a moment earlier than in a kernel.
//! Invariants: a vector holds fewer than 14 pages between two steps; kernels that ask for no PG_lru
//! have none.

use crate::frames::NONE;
use crate::kernel::WriteMarks;
use crate::world::World;
use facts::state::State;

/// Pages a vector takes (`PAGEVEC_SIZE`, 3.0); a full one is emptied at once.
const PAGEVEC_SIZE: usize = 14;

/// The vector of one CPU (`struct pagevec`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Pagevec {
    /// Pages that wait.
    pub nr: u8,
    /// Which; [`NONE`] beyond `nr`.
    pub pages: [u32; PAGEVEC_SIZE],
}

/// Vectors of so many CPUs, none where it makes no difference.
pub fn vectors(marks: WriteMarks, cpus: usize) -> Vec<Pagevec> {
    let empty = Pagevec {
        nr: 0,
        pages: [NONE; PAGEVEC_SIZE],
    };
    match marks {
        WriteMarks::OnLists => vec![empty; cpus],
        WriteMarks::Anywhere | WriteMarks::Never => Vec::new(),
    }
}

/// A page of the page cache joins the vector of the running CPU, which is emptied when that fills
/// it (`__lru_cache_add`).
pub fn add(w: &mut World, frame: u32) {
    let Some(vec) = w.lru_add.get_mut(usize::from(w.cpu)) else {
        return;
    };
    vec.pages[usize::from(vec.nr)] = frame;
    vec.nr += 1;
    if usize::from(vec.nr) == PAGEVEC_SIZE {
        drain(w);
    }
}

/// The pages of the running CPU's vector join their lists (`lru_add_drain`).
pub fn drain(w: &mut World) {
    if let Some(vec) = w.lru_add.get_mut(usize::from(w.cpu)) {
        (vec.nr, vec.pages) = (0, [NONE; PAGEVEC_SIZE]);
    }
}

/// Does a page wait in the vector of any CPU? It is on no list then, for who isolates pages.
pub fn waits_anywhere(w: &World, frame: u32) -> bool {
    w.lru_add.iter().any(|vec| vec.pages.contains(&frame))
}

/// The pages of every CPU's vector join their lists (`lru_add_drain_all`).
pub fn drain_all(w: &mut World) {
    for vec in &mut w.lru_add {
        (vec.nr, vec.pages) = (0, [NONE; PAGEVEC_SIZE]);
    }
}

/// Does a page wait in the vector of the running CPU? A task that was moved to another CPU in the
/// middle of a page is not looked for.
pub fn waits(w: &World, frame: u32) -> bool {
    let vec = w.lru_add.get(usize::from(w.cpu));
    vec.is_some_and(|vec| vec.pages.contains(&frame))
}
