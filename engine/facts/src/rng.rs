//! The engine's own random numbers: xoshiro256** seeded by splitmix64.
//!
//! Modelled: both generators as published (Blackman and Vigna, public domain).
//! Left out: floating point, and the sampling functions of libraries, which may change between versions
//! although links must replay for years.
//! Invariants: there is one stream for each purpose and task, so that a new draw in one place does not change
//! another stream.

use crate::state::State;

/// A stream of random numbers.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Rng {
    state: [u64; 4],
}

/// One draw of splitmix64, which advances `seed`.
pub fn splitmix64(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Rng {
    /// A stream from which nothing draws, because kernel threads use no random numbers.
    pub const UNUSED: Rng = Rng { state: [0; 4] };

    /// The stream for one purpose (a task's ordinal, a device) of an experiment's seed.
    pub fn stream(seed: u64, purpose: u64) -> Self {
        let mut mix = seed ^ purpose.wrapping_mul(0xa076_1d64_78bd_642f);
        Self {
            state: std::array::from_fn(|_| splitmix64(&mut mix)),
        }
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    #[inline]
    /// A number below `bound` (0 when `bound` is 0), by multiply and shift: a bias below 2^-32.
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.next_u64() >> 32) * u64::from(bound)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_generators() {
        let mut rng = Rng {
            state: [1, 2, 3, 4],
        };
        let drawn: [u64; 6] = std::array::from_fn(|_| rng.next_u64());
        assert_eq!(
            drawn,
            [
                11520,
                0,
                1509978240,
                1215971899390074240,
                1216172134540287360,
                607988272756665600
            ]
        );
        let mut seed = 1234567;
        assert_eq!(splitmix64(&mut seed), 6457827717110365317);
        assert_eq!(splitmix64(&mut seed), 3203168211198807973);
    }

    #[test]
    fn below_returns_numbers_below_the_bound() {
        let mut rng = Rng::stream(7, 1);
        assert!((0..1000).all(|_| rng.below(10) < 10));
        assert_eq!(rng.below(0), 0);
    }
}
