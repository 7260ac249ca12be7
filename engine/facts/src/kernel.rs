//! Kernel variants: named sets of features.
//!
//! Modelled: the rules that decide watermarks, reserves, zonelists, the buddy allocator's choices
//! and the printed files in the kernels 2.6.37, 3.0, 3.1, 3.16, 5.10, 5.15, 6.1 and 6.12.
//! Left out: everything a configuration option other than the distributions' could change.
//! Who could tell: a kernel between two of these releases mixes their features.
//! Invariants: no code compares versions; every difference is a field of [`Features`], and a
//! kernel is written as its changes against the one before it.

mod features;
mod mechanisms;
pub mod patches;
mod rules;
mod variants;

pub use features::Features;
pub use rules::*;
pub use variants::{V3_0, V6_1};

use serde::Serialize;

use variants::*;

/// A kernel a person can choose.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Kernel {
    /// Stable id: a plain release or a published name.
    pub id: &'static str,
    /// Other names of the same record.
    pub aliases: &'static [&'static str],
    /// The release it is, or is a patch of.
    pub release: &'static str,
    /// For people.
    pub title: &'static str,
    /// What it does.
    pub features: Features,
}

static KERNELS: [Kernel; 11] = [
    kernel("2.6.37", &[], "Linux 2.6.37 (January 2011)", V2_6_37),
    kernel(
        "3.0",
        &["3.0-rc6-vanilla", "3.0.0-vanilla"],
        "Linux 3.0 (July 2011): per-zone LRU lists",
        V3_0,
    ),
    patched(
        "3.0",
        kernel(
            "zlcfirst",
            &[],
            "3.0 with zlcfirst: the zonelist cache is asked before zone_reclaim",
            ZLCFIRST,
        ),
    ),
    patched(
        "3.0",
        kernel(
            "zlcreconsider",
            &[],
            "3.0 with zlcfirst and zlcreconsider: direct reclaim clears the cache",
            ZLCRECONSIDER,
        ),
    ),
    kernel("3.1", &[], "Linux 3.1 (October 2011)", V3_1),
    kernel(
        "3.16",
        &["3.16.0-rc2-vanilla"],
        "Linux 3.16 (August 2014): fair zone policy",
        V3_16,
    ),
    patched(
        "3.16",
        kernel(
            "checklow-v2r14",
            &[],
            "Linux 3.16 whose kswapd skips lower zones above their high mark (patch of June 2014)",
            CHECKLOW,
        ),
    ),
    kernel("5.10", &[], "Linux 5.10 (December 2020)", V5_10),
    kernel("5.15", &[], "Linux 5.15 (October 2021)", V5_15),
    kernel(
        "6.1",
        &[],
        "Linux 6.1 (December 2022): per-node LRU lists",
        V6_1,
    ),
    kernel("6.12", &[], "Linux 6.12 (November 2024)", V6_12),
];

const fn kernel(
    id: &'static str,
    aliases: &'static [&'static str],
    title: &'static str,
    features: Features,
) -> Kernel {
    Kernel {
        id,
        aliases,
        release: id,
        title,
        features,
    }
}

const fn patched(release: &'static str, kernel: Kernel) -> Kernel {
    Kernel { release, ..kernel }
}

/// Every kernel variant, oldest first.
pub fn kernels() -> &'static [Kernel] {
    &KERNELS
}

/// The variant with this id or alias.
pub fn find(id: &str) -> Option<&'static Kernel> {
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
        same("3.16.0-rc2-vanilla", "3.16");
    }

    /// The patch is one switch, so that a comparison with 3.16 shows nothing else.
    #[test]
    fn checklow_differs_in_one_thing() {
        let [with, without] = ["checklow-v2r14", "3.16"].map(|id| find(id).map(|k| k.features));
        let taken_back = with.map(|features| Features {
            skip_balanced_lower_zones: false,
            ..features
        });
        assert_ne!(with, without);
        assert_eq!(taken_back, without);
    }
}
