//! The state hash: one 64-bit number over all of a machine.
//!
//! Modelled: a multiply-and-rotate hash over little-endian words, the same on every platform.
//! `#[derive(Hash)]` walks the fields, so a field cannot be forgotten; what must not count (the
//! recorder, stop conditions) has an empty `Hash` of its own.
//! Left out: resistance against an adversary; two states colliding by chance is all it guards.
//! Invariants: `usize` is hashed as `u64`, so 32-bit WebAssembly and 64-bit native agree.

use std::hash::{Hash, Hasher};

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hasher of machine states.
#[derive(Debug, Clone, Default)]
pub struct StateHasher {
    state: u64,
}

impl Hasher for StateHasher {
    // A call for each field of the state is a tenth of the code, and nobody waits for a page's hash.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    fn write_u64(&mut self, word: u64) {
        self.state = (self.state ^ word).wrapping_mul(MULTIPLIER).rotate_left(29);
    }
    fn write_u8(&mut self, n: u8) {
        self.write_u64(u64::from(n));
    }
    fn write_u16(&mut self, n: u16) {
        self.write_u64(u64::from(n));
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as i64 as u64);
    }
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        let mut tail = [0; 8];
        tail[..rest.len()].copy_from_slice(rest);
        if !rest.is_empty() {
            self.write_u64(u64::from_le_bytes(tail) ^ ((rest.len() as u64) << 56));
        }
    }
    fn finish(&self) -> u64 {
        let mut x = self.state;
        x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        x ^ (x >> 32)
    }
}

/// The 64-bit hash of any state.
pub fn state_hash<T: Hash>(state: &T) -> u64 {
    let mut hasher = StateHasher::default();
    state.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_fixed_for_all_time_because_links_carry_them() {
        assert_eq!(
            state_hash(&(1u32, 2u64, 3usize)),
            state_hash(&(1u64, 2u64, 3u64))
        );
        assert_ne!(state_hash(&(1u32, 2u32)), state_hash(&(2u32, 1u32)));
        assert_ne!(
            state_hash(&vec![1u8, 2, 3]),
            state_hash(&vec![1u8, 2, 3, 0])
        );
        assert_eq!(
            format!("{:016x}", state_hash(&[1u32, 2, 3])),
            "244100253d1da6b4"
        );
    }
}
