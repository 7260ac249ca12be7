//! The allowed difference between a counter of a real run and of its twin, with the reason.

/// The band of some counters. A counter is inside it if the difference is at most `slack` plus this share
/// of the real count.
#[derive(Debug, Clone, Copy)]
pub struct Band {
    /// The counters. A name that ends with `*` stands for all names with this prefix.
    pub names: &'static [&'static str],
    /// A difference that is always allowed.
    pub slack: u64,
    /// The additional share of the real count that is allowed, percent.
    pub percent: u64,
    /// Why.
    pub why: &'static str,
}

/// Every counter that is scored. Two real boots of one kernel differ by 0 to 13 counts, and an idle
/// run changes the counters of faults and allocations by 50 to 77. Both values were measured.
pub const BANDS: [Band; 6] = [
    Band {
        names: &[
            "oom_kill",
            "thp_fault_*",
            "htlb_*",
            "numa_pte_updates",
            "numa_pages_migrated",
        ],
        slack: 0,
        percent: 0,
        why: "a decision, not an amount: two real runs are equal",
    },
    Band {
        names: &[
            "pgfault",
            "pgalloc_*",
            "pgfree",
            "pgactivate",
            "pgdeactivate",
        ],
        slack: 256,
        percent: 5,
        why: "the workload decides; programs of the guest at rest and page tables add some hundred pages",
    },
    Band {
        names: &["nr_dirtied", "nr_written"],
        slack: 64,
        percent: 5,
        why: "the workload decides; the file system adds its own blocks",
    },
    Band {
        names: &["pgpgin", "pgpgout"],
        slack: 2048,
        percent: 25,
        why: "KiB: readahead, the journal and swapping add to the workload's own",
    },
    Band {
        names: &["pswpin", "pswpout", "pgmajfault"],
        slack: 256,
        percent: 50,
        why: "which pages are chosen depends on the time of each scan",
    },
    Band {
        names: &[
            "pgscan_*",
            "pgsteal_*",
            "allocstall_*",
            "pageoutrun",
            "kswapd_*",
            "workingset_*",
        ],
        slack: 256,
        percent: 100,
        why: "amounts of scanning follow the speed of CPU and disk: a factor of two",
    },
];

/// The band of a counter; none if it is not scored.
pub fn of(counter: &str) -> Option<&'static Band> {
    let is = |name: &&str| match name.strip_suffix('*') {
        Some(start) => counter.starts_with(start),
        None => *name == counter,
    };
    BANDS.iter().find(|band| band.names.iter().any(is))
}

impl Band {
    /// How far beyond the band a pair of counts is: at most 1 is inside.
    pub fn excess(&self, real: i64, simulated: i64) -> f64 {
        let apart = real.abs_diff(simulated);
        if apart <= self.slack {
            return apart as f64 / (self.slack + 1) as f64;
        }
        let allowed = self.slack as f64 + real.unsigned_abs() as f64 * self.percent as f64 / 100.0;
        match allowed > 0.0 {
            true => apart as f64 / allowed,
            false => 1.0 + apart as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_band_of_a_counter() {
        assert_eq!(of("pgfault").map(|band| band.percent), Some(5));
        assert_eq!(of("pgscan_direct").map(|band| band.percent), Some(100));
        assert!(of("nr_free_pages").is_none());
    }

    #[test]
    fn measures_how_far_two_counts_are_beyond_a_band() {
        let decision = of("oom_kill").expect("a band");
        assert_eq!(decision.excess(1, 1), 0.0);
        assert!(decision.excess(0, 1) > 1.0);
        let faults = of("pgfault").expect("a band");
        assert!(faults.excess(0, 256) <= 1.0);
        assert!(faults.excess(10_000, 10_700) <= 1.0);
        assert!(faults.excess(10_000, 12_000) > 2.0);
        assert!(faults.excess(10_000, 20_000) > faults.excess(10_000, 12_000));
    }

    #[test]
    fn gives_a_reason_for_each_band_and_lists_no_counter_twice() {
        let mut names: Vec<&str> = BANDS.iter().flat_map(|band| band.names).copied().collect();
        assert!(BANDS.iter().all(|band| !band.why.is_empty()));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
