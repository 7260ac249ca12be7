//! Which pages of files reclaim has taken from the page cache.
//!
//! Modelled: nothing of a kernel, which knows this from 3.15 on only, by the shadows evicted pages
//! leave; a note of the engine's own, so that a page that is read again is known in every era.
//! Left out: anonymous pages: `pswpin` counts those that come back; pages `drop_caches` took.
//! Who could tell: nobody; it takes no time and decides nothing.
//! Invariants: a place is noted only while no page of it is cached.

use crate::touched::Touched;
use facts::state::{CloneFrom, State};

/// A bit for each page of the device all files lie on.
#[derive(Debug, PartialEq, Eq, Default, State, CloneFrom)]
pub struct Gone {
    /// 32 pages a word, as long as it ever had to be.
    words: Touched<u32>,
}

impl Gone {
    /// Reclaim took the page at a place of the device.
    pub fn note(&mut self, block: u64) {
        let word = (block >> 5) as usize;
        if self.words.len() <= word {
            // Doubled, so that a growing file does not move it each time.
            self.words.grow((2 * word).max(64), 0);
        }
        self.words[word] |= 1 << (block & 31);
    }

    /// A page joined the cache at a place of the device: had reclaim taken the one before it? It
    /// is noted no longer.
    pub fn comes_back(&mut self, block: u64) -> bool {
        let word = (block >> 5) as usize;
        let was = self.words.len() > word && self.words[word] >> (block & 31) & 1 == 1;
        if was {
            self.words[word] &= !(1 << (block & 31));
        }
        was
    }

    /// What is written from here on is noted anew; see [`Touched::rebase`].
    pub fn rebase(&mut self) {
        self.words.rebase();
    }

    /// Bytes one copy takes.
    pub fn bytes(&self) -> usize {
        4 * self.words.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_comes_back_once() {
        let mut gone = Gone::default();
        assert!(!gone.comes_back(5000));
        for block in [5000, 3, 64] {
            gone.note(block);
        }
        assert!(!gone.comes_back(5001) && !gone.comes_back(1 << 40));
        assert!(gone.comes_back(5000) && !gone.comes_back(5000));
        assert!(gone.comes_back(64) && gone.comes_back(3));
    }
}
