//! The score of a task for the OOM killer of a cgroup (mm/oom_kill.c `oom_badness`).
//!
//! Modelled: memory, swap entries and page tables, with `oom_score_adj` against the limit of the cgroup.
//! Invariants: a task with an adjustment of -1000 has no score.

/// The adjustment of a task that is never killed (`OOM_SCORE_ADJ_MIN`).
pub const NEVER: i32 = -1000;

/// The number of pages against which an adjustment counts: the limit of the cgroup plus the swap
/// that it may use (`oom_constraint`). Swap counts only if swappiness is not 0.
pub fn total_pages(max: u32, swap_max: u32, swap_size: u32, swappiness: u64) -> u64 {
    let swap = if swappiness > 0 {
        swap_max.min(swap_size)
    } else {
        0
    };
    u64::from(max) + u64::from(swap)
}

/// The score of a task that uses this many pages; `None` if it is exempt (`oom_badness`).
pub fn badness(pages: u32, adjustment: i32, total: u64) -> Option<i64> {
    let thousandth = i64::try_from(total / 1000).unwrap_or(i64::MAX);
    let adjusted = i64::from(adjustment).saturating_mul(thousandth);
    (adjustment > NEVER).then(|| i64::from(pages).saturating_add(adjusted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memcg::counter::UNLIMITED;

    #[test]
    fn adds_the_adjustment_in_thousandths_of_limit_and_swap() {
        let total = total_pages(25_600, UNLIMITED, 51_200, 60);
        assert_eq!(total, 76_800);
        assert_eq!(badness(20_050, 0, total), Some(20_050));
        assert_eq!(badness(20_050, 500, total), Some(58_050));
        assert_eq!(badness(20_050, -1000, total), None);
        assert_eq!(total_pages(25_600, UNLIMITED, 51_200, 0), 25_600);
    }
}
