//! The number of accesses before one of a certain kind occurs: exponential random numbers, computed
//! with integers.
//!
//! Modelled: if each access is of the kind with probability `p`, `n` accesses pass before one of
//! the kind with probability `(1-p)^n`. A task draws a number `left` with mean 1 from the
//! exponential distribution. Each access that passes subtracts `h = -ln(1-p)` from `left`.
//! Subtraction is linear, so a run of accesses may be interrupted anywhere, and the result stays
//! exact when `p` changes in between.
//! Left out: floating point, which differs between machines.
//! Invariants: the same numbers on every machine; an error below 2^-44.

use crate::rng::Rng;

/// Fractional bits of all results.
const BITS: u32 = 48;
/// The number 1.0 in the format of [`minus_ln`].
const ONE: u64 = 1 << 63;
/// ln 2, with 64 fractional bits.
const LN_2: u64 = 0xB172_17F7_D1CF_79AB;

/// `-ln(q / 2^63)` for `q` from 1 to 2^63.
fn minus_ln(q: u64) -> u64 {
    let shift = q.leading_zeros();
    // Between 1 and 2, with 63 fractional bits; each squaring gives one bit of the logarithm.
    let mut mantissa = q << shift;
    let mut log2 = 0u64;
    const LOG_BITS: u32 = 56;
    for _ in 0..LOG_BITS {
        let square = (u128::from(mantissa) * u128::from(mantissa)) >> 63;
        let is_two = square >> 64 != 0;
        log2 = log2 << 1 | u64::from(is_two);
        mantissa = (square >> u32::from(is_two)) as u64;
    }
    let minus_log2 = (u64::from(shift) << LOG_BITS) - log2;
    ((u128::from(minus_log2) * u128::from(LN_2)) >> (64 + LOG_BITS - BITS)) as u64
}

/// Draws a number from the exponential distribution with mean 1.
pub(crate) fn draw(rng: &mut Rng) -> u64 {
    minus_ln((rng.next_u64() % ONE) + 1)
}

/// What one access subtracts from `left` if `of` of `all` accesses are of the kind; `None` if all
/// of them are. `all` is above 0 and below 2^64.
pub(crate) fn hazard(of: u64, all: u64) -> Option<u64> {
    let others = all.saturating_sub(of);
    let share = u128::from(others) * u128::from(ONE) / u128::from(all);
    (others > 0).then(|| minus_ln(share.max(1) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_equal_known_values() {
        // -ln of 1, 1/2, 1/20 and 2^-63, with 48 fractional bits.
        let twentieth = 461_168_601_842_738_790;
        let each = [
            (ONE, 0),
            (ONE / 2, 195_103_586_505_167),
            (twentieth, 843_223_671_929_970),
            (1, 12_291_525_949_825_550),
        ];
        for (q, expected) in each {
            assert!(minus_ln(q).abs_diff(expected) <= 4, "{q}: {}", minus_ln(q));
        }
        // Close to 1, where a small error would be a large part of the result: 2^-30, and less than
        // one unit more.
        assert!(minus_ln(ONE - (ONE >> 30)).abs_diff(1 << 18) <= 1);
    }

    #[test]
    fn the_mean_number_of_accesses_equals_the_calculated_one() {
        // Never, and at the next access.
        assert_eq!(hazard(0, 1536), Some(0));
        assert_eq!(hazard(1536, 1536), None);
        // Every 20th access on average, and 19 of 60.
        for (of, all) in [(1, 20), (19, 60)] {
            let mut rng = Rng::stream(7, 1);
            let h = hazard(of, all).expect("some pass");
            let draws = 200_000;
            let accesses: u64 = (0..draws).map(|_| draw(&mut rng) / h + 1).sum();
            let expected = draws * all / of;
            let off = accesses.abs_diff(expected);
            assert!(off * 100 < expected, "{accesses}, not {expected}");
        }
    }
}
