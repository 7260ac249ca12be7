//! The per-CPU vectors in which anonymous pages wait before they join an LRU list (mm/swap.c,
//! `lru_add_pvecs`), as far as they affect NUMA balancing.
//!
//! Modelled: a page in a vector has one reference more than its mapping, so it is neither marked
//! nor isolated.
//! Left out: such a page is already on its LRU list here; pages of files; draining the vectors of
//! other CPUs.
//! Visible difference: this affects at most 30 pages per CPU.
//! Invariants: a full vector is emptied in the same step.

use crate::world::World;
use facts::index::FrameIndex;
use facts::state::State;

/// Largest capacity of a vector (`PAGEVEC_SIZE` of 6.12).
const LARGEST: usize = 31;

/// The vector of one CPU (`struct pagevec`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Vector {
    /// Number of pages that wait.
    nr: u8,
    /// The pages that wait; [`NONE`] beyond `nr`.
    pages: [FrameIndex; LARGEST],
}

impl Default for Vector {
    fn default() -> Self {
        Self {
            nr: 0,
            pages: [FrameIndex::NONE; LARGEST],
        }
    }
}

impl Vector {
    /// Does a page wait in this vector?
    pub fn holds(&self, frame: FrameIndex) -> bool {
        self.pages.contains(&frame)
    }

    /// Adds a page, and empties the vector when it holds `takes` pages.
    fn add(&mut self, frame: FrameIndex, takes: u8) {
        self.pages[usize::from(self.nr)] = frame;
        self.nr += 1;
        if self.nr == takes {
            *self = Self::default();
        }
    }
}

/// Adds an anonymous page that was just mapped to the vector of the running CPU (`lru_cache_add`).
#[inline]
pub fn add(w: &mut World, frame: FrameIndex) {
    if let Some(vector) = w.numa.vectors.at_mut(w.cpu)
        && let Some(rules) = w.facts.features.numa_balancing.rules()
    {
        vector.add(frame, rules.vector);
    }
}

/// Does a page wait in the vector of any CPU?
pub fn waits(w: &World, frame: FrameIndex) -> bool {
    w.numa.vectors.iter().any(|vector| vector.holds(frame))
}

/// Empties the vector that holds a freed page.
pub fn forget(w: &mut World, frame: FrameIndex) {
    for vector in &mut w.numa.vectors {
        if vector.holds(frame) {
            *vector = Vector::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pagevec_of_fifteen_drains_at_its_fifteenth_page() {
        let mut vector = Vector::default();
        for frame in 0..14 {
            vector.add(FrameIndex::new(frame), 15);
        }
        assert!(vector.holds(FrameIndex::new(13)));
        vector.add(FrameIndex::new(14), 15);
        assert_eq!(vector, Vector::default());
    }
}
