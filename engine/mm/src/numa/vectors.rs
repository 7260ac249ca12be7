//! The per-CPU vectors in which anonymous pages wait before they join an LRU list (mm/swap.c,
//! `lru_add_pvecs`), as far as balancing can tell.
//!
//! Modelled: a page that waits in a vector has one reference more than its mapping, so that it is not
//! marked and not isolated.
//! Left out: its absence from the list meanwhile; pages of files; draining when a CPU is asked to.
//! Who could tell: at most 30 pages a CPU.
//! Invariants: a vector that is full is emptied in the same step.

use crate::frames::NONE;
use crate::world::World;
use facts::state::State;

/// Most pages a vector takes (`PAGEVEC_SIZE` of 6.12).
const LARGEST: usize = 31;

/// The vector of one CPU (`struct pagevec`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Vector {
    /// Pages that wait.
    nr: u8,
    /// Which; [`NONE`] beyond `nr`.
    pages: [u32; LARGEST],
}

impl Default for Vector {
    fn default() -> Self {
        Self {
            nr: 0,
            pages: [NONE; LARGEST],
        }
    }
}

impl Vector {
    /// Does a page wait here?
    pub fn holds(&self, frame: u32) -> bool {
        self.pages.contains(&frame)
    }

    /// A page joins; a vector with as many pages as it takes is emptied.
    fn add(&mut self, frame: u32, takes: u8) {
        self.pages[usize::from(self.nr)] = frame;
        self.nr += 1;
        if self.nr == takes {
            *self = Self::default();
        }
    }
}

/// An anonymous page just mapped joins the vector of the running CPU (`lru_cache_add`).
#[inline]
pub fn add(w: &mut World, frame: u32) {
    if let Some(vector) = w.numa.vectors.get_mut(usize::from(w.cpu))
        && let Some(rules) = w.facts.features.numa_balancing.rules()
    {
        vector.add(frame, rules.vector);
    }
}

/// Does a page wait in the vector of any CPU?
pub fn waits(w: &World, frame: u32) -> bool {
    w.numa.vectors.iter().any(|vector| vector.holds(frame))
}

/// A page was freed: no vector holds it any more.
pub fn forget(w: &mut World, frame: u32) {
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
    fn the_fifteenth_page_empties_a_vector() {
        let mut vector = Vector::default();
        for frame in 0..14 {
            vector.add(frame, 15);
        }
        assert!(vector.holds(13));
        vector.add(14, 15);
        assert_eq!(vector, Vector::default());
    }
}
