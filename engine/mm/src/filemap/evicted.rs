//! The file pages that reclaim has evicted from the page cache.
//!
//! Modelled: no kernel data; kernels know these pages only from 3.15 on, from the shadows of
//! evicted pages. The engine stores a bit for each page, so that it recognises refaults in every
//! era.
//! Left out: anonymous pages, whose refaults `pswpin` counts; pages that `drop_caches` dropped.
//! Visible difference: none; storing the bits takes no time and no decision depends on them.
//! Invariants: a bit is set only while its page is not cached.

use crate::touched::Touched;
use facts::state::{CloneFrom, State};

/// A bit for each page of the device that holds the files.
#[derive(Debug, PartialEq, Eq, Default, State, CloneFrom)]
pub struct Evicted {
    /// The bits, 32 pages per word; the vector never shrinks.
    words: Touched<u32>,
}

impl Evicted {
    /// Records that reclaim evicted the page at a block of the device.
    pub fn note(&mut self, block: u64) {
        let word = (block >> 5) as usize;
        if self.words.len() <= word {
            // Doubling avoids a copy each time a file grows.
            self.words.grow((2 * word).max(64), 0);
        }
        self.words[word] |= 1 << (block & 31);
    }

    /// A page joined the cache at a block of the device: had reclaim evicted the page before?
    /// Clears the bit.
    pub fn take(&mut self, block: u64) -> bool {
        let word = (block >> 5) as usize;
        let was = self.words.len() > word && self.words[word] >> (block & 31) & 1 == 1;
        if was {
            self.words[word] &= !(1 << (block & 31));
        }
        was
    }

    /// Makes the current state the base for tracking writes; see [`Touched::rebase`].
    pub fn rebase(&mut self) {
        self.words.rebase();
    }

    /// Size of one copy in bytes.
    pub fn bytes(&self) -> usize {
        4 * self.words.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_an_evicted_page_once_when_it_is_read_again() {
        let mut evicted = Evicted::default();
        assert!(!evicted.take(5000));
        for block in [5000, 3, 64] {
            evicted.note(block);
        }
        assert!(!evicted.take(5001) && !evicted.take(1 << 40));
        assert!(evicted.take(5000) && !evicted.take(5000));
        assert!(evicted.take(64) && evicted.take(3));
    }
}
