//! Kernel variants: named sets of features.
//!
//! Modelled: the rules that decide watermarks, reserves, zonelists, the choices of the buddy allocator and
//! the printed files. The kernels are 2.6.37, 2.6.38, 3.0, 3.1, 3.7, 3.8, 3.16, 5.10, 5.15, 6.1 and 6.12; the
//! long-term kernels 4.4, 4.9, 4.14, 4.19, 5.4 and 6.6, and 3.10 as a distribution maintained it; 3.7 with
//! numa/core v17 and v18 or AutoNUMA, of which only the NUMA code was read.
//! Left out: configuration options other than the distributions', except the allocator of kernel objects. 3.0
//! and 3.1 are built with CONFIG_SLAB, as a distribution built its kernels when 3.0 was new; the others have
//! the kernel's default, CONFIG_SLUB (patch `slub`).
//! Visible difference: a kernel between two of these releases has features of both.
//! Invariants: no code compares versions; every difference is a field of [`Features`]. A release is written
//! as its changes against the release before it, a kernel of a series as its release with patches.

mod features;
mod lacks;
mod mechanisms;
mod numa;
pub mod patches;
mod published;
mod rules;
mod variants;

pub use features::Features;
pub use lacks::{COMPACTION, Lack, MULTIGEN, lacks};
pub use numa::*;
pub use published::{PUBLISHED, Published, published};
pub use rules::*;
pub use variants::{V3_0, V6_1};

use std::sync::LazyLock;

use serde::Serialize;

use variants::*;

/// A kernel that a user can choose.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Kernel {
    /// Stable id: a release number or a published name.
    pub id: &'static str,
    /// Other names of the same kernel.
    pub aliases: &'static [&'static str],
    /// The release that it is or to which its patches apply.
    pub release: &'static str,
    /// The patches on top of the release; none if it is a release.
    pub patches: &'static [&'static str],
    /// The name for users.
    pub title: &'static str,
    /// Its rules.
    pub features: Features,
}

static KERNELS: LazyLock<Vec<Kernel>> = LazyLock::new(|| {
    let v3_0 = release(
        "3.0",
        &["3.0-rc6-vanilla", "3.0.0-vanilla"],
        "Linux 3.0 (July 2011): per-zone LRU lists",
        V3_0,
    );
    let v3_8 = release(
        "3.8",
        &["balancenuma-10"],
        "Linux 3.8 (February 2013): the first NUMA balancing",
        V3_8,
    );
    let v3_16 = release(
        "3.16",
        &["3.16.0-rc2-vanilla"],
        "Linux 3.16 (August 2014): fair zone policy",
        V3_16,
    );
    let v5_15 = release(
        "5.15",
        &["5.15.0-rc1-vanilla"],
        "Linux 5.15 (October 2021)",
        V5_15,
    );
    let v3_7 = release(
        "3.7",
        &["mainline-3.7"],
        "Linux 3.7 (December 2012): no NUMA balancing",
        V3_7,
    );
    let v2_6_37 = release("2.6.37", &[], "Linux 2.6.37 (January 2011)", V2_6_37);
    vec![
        v2_6_37.clone(),
        v2_6_37.with(
            "lumpyreclaim-traceonly",
            "2.6.37 without compaction, with its tracepoints: only lumpy reclaim (series of November 2010)",
            &["nocompaction", "traceonly"],
        ),
        v2_6_37.with(
            "traceonly",
            "2.6.37 with tracepoints of compaction: compaction is tried before lumpy reclaim",
            &["traceonly"],
        ),
        v2_6_37.with(
            "blindcompact",
            "2.6.37 that compacts a zone after each batch instead of lumpy reclaim",
            patches::COMPACTION[..2].as_ref(),
        ),
        v2_6_37.with(
            "obeysync",
            "blindcompact whose requests compact without waiting",
            patches::COMPACTION[..3].as_ref(),
        ),
        v2_6_37.with(
            "fastscan",
            "obeysync whose compaction scans movable blocks only when it does not wait",
            patches::COMPACTION[..4].as_ref(),
        ),
        v2_6_37.with(
            "compacthint",
            "fastscan whose compaction starts at the oldest pages when reclaim compacts",
            patches::COMPACTION,
        ),
        release(
            "2.6.38",
            &[],
            "Linux 2.6.38 (March 2011): reclaim leaves large blocks to compaction",
            V2_6_38,
        ),
        v3_0.clone(),
        v3_0.with(
            "zlcfirst",
            "3.0 with zlcfirst: the zonelist cache is checked before zone_reclaim",
            &["zlcfirst"],
        ),
        v3_0.with(
            "zlcreconsider",
            "3.0 with zlcfirst and zlcreconsider: direct reclaim clears the cache",
            &["zlcfirst", "zlcreconsider"],
        ),
        release("3.1", &[], "Linux 3.1 (October 2011)", V3_1),
        v3_7.clone(),
        v3_7.with(
            "autonuma-28",
            "3.7 with AutoNUMA 28 (October and November 2012): memory and tasks follow each other",
            patches::AUTONUMA_PATCHES,
        ),
        v3_7.with(
            "numacore-17",
            "3.7 with numa/core v17 (22 November 2012): tasks look for their process's node",
            patches::NUMACORE_18[..1].as_ref(),
        ),
        v3_7.with(
            "numacore-18",
            "3.7 with numa/core v18 (30 November 2012): tasks and their memory are brought together",
            patches::NUMACORE_18,
        ),
        v3_8.clone(),
        v3_8.with(
            "mainline-3.13",
            "3.8 with the NUMA balancing of 3.13 (January 2014): preferred nodes, NUMA groups, exchanges",
            &["numa-3.13"],
        ),
        release(
            "3.10",
            &["3.10.0-1160"],
            "Linux 3.10 as a distribution kept it to 2024 (3.10.0-1160)",
            V3_10,
        ),
        v3_16.clone(),
        v3_16.with(
            "checklow-v2r14",
            "Linux 3.16 whose kswapd skips lower zones above their high mark (patch of June 2014)",
            &["checklow"],
        ),
        release("4.4", &[], "Linux 4.4 (January 2016), long-term", V4_4),
        release("4.9", &[], "Linux 4.9 (December 2016), long-term: per-node LRU lists", V4_9),
        release("4.14", &[], "Linux 4.14 (November 2017), long-term", V4_14),
        release("4.19", &[], "Linux 4.19 (October 2018), long-term", V4_19),
        release("5.4", &[], "Linux 5.4 (November 2019), long-term", V5_4),
        release("5.10", &[], "Linux 5.10 (December 2020)", V5_10),
        v5_15.clone(),
        v5_15.with(
            "mm-reclaimcongest-v5r4",
            "Linux 5.15 whose reclaimers wait for writes and progress, not for queues (series of October 2021)",
            patches::RECLAIMCONGEST,
        ),
        release(
            "6.1",
            &[],
            "Linux 6.1 (December 2022): per-node LRU lists",
            V6_1,
        ),
        release("6.6", &[], "Linux 6.6 (October 2023), long-term", V6_6),
        release("6.12", &[], "Linux 6.12 (November 2024): multi-generational LRU", V6_12),
    ]
});

const fn release(
    id: &'static str,
    aliases: &'static [&'static str],
    title: &'static str,
    features: Features,
) -> Kernel {
    Kernel {
        id,
        aliases,
        release: id,
        patches: &[],
        title,
        features,
    }
}

/// The names that published tables use for a kernel and that are not among its aliases.
pub fn published_names(kernel: &Kernel) -> impl Iterator<Item = &'static str> {
    let all = PUBLISHED.iter().filter(|each| each.kernel == kernel.id);
    all.map(|each| each.name)
}

impl Kernel {
    /// A kernel of a series: this release with patches.
    fn with(
        &self,
        id: &'static str,
        title: &'static str,
        patches: &'static [&'static str],
    ) -> Kernel {
        let features = patches::patched(&self.features, patches);
        Kernel {
            id,
            aliases: &[],
            release: self.release,
            patches,
            title,
            features: features.expect("a test checks that the patches apply to the release"),
        }
    }
}

/// Every kernel variant, oldest first.
pub fn kernels() -> &'static [Kernel] {
    &KERNELS
}

/// The variant that has this id, this alias or this name in a published table.
pub fn find(id: &str) -> Option<&'static Kernel> {
    let id = published(id).map_or(id, |published| published.kernel);
    KERNELS
        .iter()
        .find(|kernel| kernel.id == id || kernel.aliases.contains(&id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_aliases_are_unique_and_found() {
        let mut names: Vec<&str> = Vec::new();
        for kernel in kernels() {
            names.push(kernel.id);
            names.extend(kernel.aliases);
            names.extend(published_names(kernel));
            assert_eq!(find(kernel.id), Some(kernel));
        }
        for kernel in kernels() {
            let release = find(kernel.release).expect("a modelled release");
            assert_eq!(release.release, release.id, "of {}", kernel.id);
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(find("3.0-rc6-vanilla").map(|kernel| kernel.id), Some("3.0"));
        assert_eq!(find("k3_0"), None);
        let same = |id, of| assert_eq!(find(id).map(|kernel| kernel.id), Some(of));
        same("3.0.0-vanilla", "3.0");
        same("mainline-3.7", "3.7");
        same("balancenuma-10", "3.8");
        same("3.16.0-rc2-vanilla", "3.16");
        same("5.15.0-rc1-vanilla", "5.15");
        same("mainline", "3.7");
        same("3.6-vanilla", "3.7");
        same("numa/core-v17", "numacore-17");
        same("numa/core-v18", "numacore-18");
        same("numa/core-v18b", "numacore-18");
    }

    /// v18 has all of its patches, and the buddies of v17.
    fn numacore_18(v17: &Features) -> Features {
        let NumaBalancing::Modelled(rules) = v17.numa_balancing else {
            panic!("v17 balances")
        };
        let core = CoreRules {
            buddies: true,
            directed: true,
            flips: true,
            groups: true,
            strength: true,
            veto: true,
            adaptive_scan: true,
            clustered_faults: true,
            many_buddies: true,
            nice_alloc: true,
        };
        Features {
            numa_balancing: NumaBalancing::Modelled(NumaRules {
                core: Some(core),
                ..rules
            }),
            ..*v17
        }
    }

    /// The changes of the kernels in published tables against their releases, written a second time on
    /// purpose.
    #[test]
    fn a_kernel_of_a_series_differs_from_its_release_as_published() {
        let zlcfirst = Features {
            zonelist_cache: ZonelistCache::FirstZoneChecked,
            ..V3_0
        };
        let zlcreconsider = Features {
            zlc_reconsider: true,
            ..zlcfirst
        };
        let checklow = Features {
            skip_balanced_lower_zones: true,
            ..V3_16
        };
        let reclaimcongest = Features {
            writeback_wait: WritebackWait::Written,
            isolated_wait: IsolatedWait::Throttle,
            noprogress_wait: NoProgressWait::EachNode,
            noprogress_wake: NoProgressWake::AboveEighth,
            writepages_throttled: true,
            retry_wait: RetryWait::Nothing,
            throttle_timeouts: ThrottleTimeouts {
                writeback: Timeout::PerSecond(10),
                isolated: Timeout::PerSecond(50),
                noprogress: Timeout::PerSecond(2),
            },
            ..V5_15
        };
        let traceonly = Features {
            compaction_traced: true,
            ..V2_6_37
        };
        let lumpy = Features {
            compaction: Compaction::NotBuilt,
            ..traceonly
        };
        let blindcompact = Features {
            high_order_reclaim: HighOrderReclaim::Compaction,
            reclaim_compaction: ReclaimCompaction::AfterBatch,
            compaction_stops_at_low: true,
            ..traceonly
        };
        let obeysync = Features {
            compaction_async: true,
            ..blindcompact
        };
        let fastscan = Features {
            compaction_fast_scan: true,
            ..obeysync
        };
        let compacthint = Features {
            compaction_hint: true,
            ..fastscan
        };
        let autonuma_28 = Features {
            numa_balancing: NumaBalancing::Modelled(AUTONUMA_28),
            ..V3_7
        };
        let numacore_17 = Features {
            numa_balancing: NumaBalancing::Modelled(NUMACORE_17),
            ..V3_7
        };
        let numacore_18 = numacore_18(&numacore_17);
        let mainline_3_13 = Features {
            numa_balancing: NumaBalancing::Modelled(NUMA_3_13),
            ..V3_8
        };
        let series = [
            ("lumpyreclaim-traceonly", "2.6.37", lumpy),
            ("traceonly", "2.6.37", traceonly),
            ("blindcompact", "2.6.37", blindcompact),
            ("obeysync", "2.6.37", obeysync),
            ("fastscan", "2.6.37", fastscan),
            ("compacthint", "2.6.37", compacthint),
            ("zlcfirst", "3.0", zlcfirst),
            ("zlcreconsider", "3.0", zlcreconsider),
            ("autonuma-28", "3.7", autonuma_28),
            ("numacore-17", "3.7", numacore_17),
            ("numacore-18", "3.7", numacore_18),
            ("mainline-3.13", "3.8", mainline_3_13),
            ("checklow-v2r14", "3.16", checklow),
            ("mm-reclaimcongest-v5r4", "5.15", reclaimcongest),
        ];
        let found = kernels().iter().filter(|kernel| !kernel.patches.is_empty());
        let found = found.map(|kernel| (kernel.id, kernel.release, kernel.features));
        assert_eq!(found.collect::<Vec<_>>(), series);
    }

    #[test]
    fn the_order_of_patches_does_not_change_the_kernel_of_a_series() {
        for kernel in kernels() {
            let release = find(kernel.release).expect("a modelled release");
            assert!(release.patches.is_empty());
            let mut patches = kernel.patches.to_vec();
            for _ in kernel.patches {
                patches.rotate_left(1);
                let made = patches::patched(&release.features, &patches);
                assert_eq!(made, Ok(kernel.features), "{}", kernel.id);
            }
        }
    }
}
