//! When memory is reclaimed on the local node before another node is used (include/linux/topology.h,
//! mm/page_alloc.c).
//!
//! Modelled: RECLAIM_DISTANCE of each kernel and architecture; the mode chosen at boot; the zones in which a
//! request may reclaim.
//! Left out: the distance of AMD Zen machines since 5.x (32), which no profile has.
//! Visible difference: only on such a machine.
//! Invariants: on a machine with one node the mode is never on by default.

use crate::arch::Arch;
use crate::index::NodeIndex;
use crate::kernel::{Features, ZoneReclaimDefault, ZoneReclaimReach};
use crate::layout::Layout;

/// `vm.zone_reclaim_mode`: any bit switches it on; this bit allows reclaim to write dirty pages
/// (RECLAIM_WRITE).
pub const RECLAIM_WRITE: u8 = 2;
/// This bit allows reclaim to unmap pages and swap them out (RECLAIM_SWAP, RECLAIM_UNMAP from 4.0).
pub const RECLAIM_SWAP: u8 = 4;

/// Distance beyond which nodes count as far apart (RECLAIM_DISTANCE).
pub fn reclaim_distance(features: &Features, arch: Arch) -> u8 {
    match (arch, features.zone_reclaim) {
        (Arch::Ppc64, _) => 10,
        (Arch::X86_64 | Arch::Sh4, ZoneReclaimDefault::DistanceAbove20) => 20,
        (Arch::X86_64 | Arch::Sh4, _) => 30,
    }
}

/// `zone_reclaim_mode` as it is set while zonelists are built: on if two nodes are farther apart than
/// [`reclaim_distance`] (to 3.15; from 3.16 it stays off).
pub fn default_mode(layout: &Layout, features: &Features) -> u8 {
    let far = reclaim_distance(features, layout.geometry.arch);
    let is_far = layout.distances.iter().flatten().any(|&d| d > far);
    match features.zone_reclaim {
        ZoneReclaimDefault::Off => 0,
        _ => u8::from(is_far),
    }
}

/// Whether a request whose first zone is on node `preferred` may reclaim in a zone of node `zone`
/// (`zone_allows_reclaim`).
pub fn zone_allows_reclaim(
    layout: &Layout,
    features: &Features,
    preferred: NodeIndex,
    zone: NodeIndex,
) -> bool {
    let distance = layout.distances[preferred.index()][zone.index()];
    let far = reclaim_distance(features, layout.geometry.arch);
    match features.zone_reclaim_reach {
        ZoneReclaimReach::Anywhere => true,
        ZoneReclaimReach::Nearer => distance < far,
        ZoneReclaimReach::UpTo => distance <= far,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;
    use crate::profile;

    fn mode(machine: &str, distance: u8, kernel: &str) -> u8 {
        let mut profile = profile::find(machine).expect("a machine");
        for (from, row) in profile.distances.iter_mut().enumerate() {
            for (to, d) in row.iter_mut().enumerate() {
                *d = if from == to { 10 } else { distance };
            }
        }
        let features = &find(kernel).expect("a kernel").features;
        default_mode(&Layout::new(&profile, features), features)
    }

    #[test]
    fn the_default_mode_depends_on_kernel_and_node_distance() {
        let of = |d| ["2.6.37", "3.0", "3.1", "3.16"].map(|k| mode("x86_64-2node", d, k));
        assert_eq!(of(20), [0, 0, 0, 0]);
        assert_eq!(of(21), [1, 0, 0, 0]);
        assert_eq!(of(40), [1, 1, 1, 0]);
    }

    #[test]
    fn ppc64_treats_every_other_node_as_distant() {
        let far = |d| {
            let features = &find("3.0").expect("a kernel").features;
            d > reclaim_distance(features, Arch::Ppc64)
        };
        assert!(far(20) && !far(10));
        // 3.16 requires a distance below 10, and even a node's distance to itself is not below 10.
        let features = &find("3.16").expect("a kernel").features;
        let profile = profile::find("ppc64-16m-64k").expect("a machine");
        let layout = Layout::new(&profile, features);
        assert!(!zone_allows_reclaim(
            &layout,
            features,
            NodeIndex::new(0),
            NodeIndex::new(0)
        ));
    }
}
