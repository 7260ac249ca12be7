//! The pause of a task whose cgroup is above `memory.high` (mm/memcontrol.c `calculate_high_delay`).
//!
//! Modelled: the overage, the pause that grows with its square, the longest pause.
//! Invariants: a pause is at most two seconds.

/// Number of fraction bits of the overage (`MEMCG_DELAY_PRECISION_SHIFT`).
const PRECISION: u32 = 20;
/// Number of bits by which the square of the overage is scaled down further
/// (`MEMCG_DELAY_SCALING_SHIFT`).
const SCALING: u32 = 14;
/// Number of pages charged in one batch (`MEMCG_CHARGE_BATCH`).
const BATCH: u64 = super::BATCH as u64;

/// How far a usage is above its limit, as a share of the limit (`calculate_overage`).
pub fn overage(usage: u32, high: u32) -> u64 {
    let above = u64::from(usage.saturating_sub(high));
    (above << PRECISION) / u64::from(high.max(1))
}

/// The pause for this many charged pages, in jiffies (`calculate_high_delay`).
pub fn delay_jiffies(overage: u64, pages: u32, hz: u32) -> u64 {
    let square = u128::from(overage) * u128::from(overage) * u128::from(hz);
    let delay = (square >> (PRECISION + SCALING)) * u128::from(pages) / u128::from(BATCH);
    let most = 2 * u64::from(hz);
    u64::try_from(delay).unwrap_or(most).min(most)
}

/// Pauses up to this length are not made, in jiffies.
pub fn smallest_delay(hz: u32) -> u64 {
    u64::from(hz / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `memory.high` is 100 MiB on a kernel of 250 Hz. Columns: usage, pages charged, pause in
    /// jiffies.
    #[test]
    fn pauses_longer_the_further_the_usage_is_above_the_limit() {
        for (usage, pages, jiffies) in [
            (25_600, 64, 0),
            (25_856, 64, 1),
            (26_112, 64, 6),
            (26_368, 64, 14),
            (26_880, 64, 39),
            (28_160, 64, 159),
            (30_720, 64, 500),
            (26_880, 128, 78),
            (26_880, 32, 19),
        ] {
            let found = delay_jiffies(overage(usage, 25_600), pages, 250);
            assert_eq!(found, jiffies, "{usage} {pages}");
        }
        assert_eq!(overage(25_856, 25_600), 10_485);
        assert_eq!(smallest_delay(250), 2);
    }

    #[test]
    fn treats_a_limit_of_zero_like_one_page() {
        assert_eq!(overage(5, 0), 5 << PRECISION);
        assert_eq!(delay_jiffies(overage(u32::MAX, 0), u32::MAX, 1000), 2000);
    }
}
