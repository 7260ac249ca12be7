//! How many pages of each list a pass scans (mm/vmscan.c, `get_scan_count`).
//!
//! Modelled: both rules: recently rotated compared with recently scanned pages (up to 5.7), and the
//! cost of reclaiming each type (from 5.8); swappiness; the cases in which only one type is
//! scanned.
//! Left out: the rounding up in dying memory cgroups.
//! Invariants: a target exceeds the list's size only by the minimum of 32 pages and by saved pages.
//! If one type is not scanned, its targets are 0 apart from pages saved before.

use crate::memcg::protection::protected_scan;
use crate::mmzone::Lruvec;
use crate::vmscan::{ANON, FILE, SWAP_CLUSTER_MAX};

/// Which types are scanned (`enum scan_balance`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Balance {
    /// Both types: the complete lists shifted by the priority.
    Equal,
    /// Both types, by fractions.
    Fract,
    /// Anonymous pages only.
    Anon,
    /// File pages only.
    File,
}

/// Input to the rule of the per-zone era.
#[derive(Debug, Clone, Copy)]
pub struct ZoneQuestion {
    /// Priority.
    pub priority: u8,
    /// `vm.swappiness`, 0 to 100.
    pub swappiness: u64,
    /// True if there is usable swap.
    pub swap: bool,
    /// NR_FREE_PAGES of the zone.
    pub free: u64,
    /// High watermark of the zone.
    pub high: u64,
    /// Minimum for a list whose target is 0.
    pub minimum: Minimum,
    /// True if anonymous pages are skipped while the inactive file list is not short (3.8 to 4.7).
    pub cache_first: bool,
}

/// Minimum for a list whose target is 0 or small (per-zone era).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Minimum {
    /// There is no minimum, for direct reclaim.
    None,
    /// Fewer than 32 pages are saved for the next reclaimer, kswapd or not: 2.6.37.
    Saved,
    /// The minimum is 32 pages, in a zone with fewer than 32 to scan at this priority: 3.0.
    Batch,
    /// The minimum is the type's fraction of 32 pages: 3.1.
    Share,
    /// If no list has a target, the type's fraction of 32 pages or of the whole list: 3.16.
    IfNothing,
}

/// Targets of the per-zone era, by list. Halves the recent counters of a type if more than a quarter of
/// its pages was scanned.
pub fn zone_targets(l: &mut Lruvec, q: &ZoneQuestion) -> ([u32; 4], Balance) {
    let size = l.nr;
    let total = [
        u64::from(size[0]) + u64::from(size[1]),
        u64::from(size[2]) + u64::from(size[3]),
    ];
    let mut no_swap = false;
    let (fraction, denominator, balance) = if !q.swap {
        no_swap = true;
        ([0, 1], 1, Balance::File)
    } else if total[FILE] + q.free <= q.high {
        ([1, 0], 1, Balance::Anon)
    } else if q.cache_first && size[3] <= size[2] {
        ([0, 1], 1, Balance::File)
    } else {
        // From 3.5 on swappiness 0 means that no anonymous page is scanned.
        let parts = rotation_parts(l, q.swappiness, u64::from(!q.cache_first));
        (parts, parts[ANON] + parts[FILE] + 1, Balance::Fract)
    };
    // At priority 0 both types are scanned completely.
    let whole = q.priority == 0 && !no_swap && !(q.cache_first && q.swappiness == 0);
    let mut targets = [0; 4];
    for (lru, target) in targets.iter_mut().enumerate() {
        let file = lru / 2;
        let mut scan = u64::from(size[lru]);
        if !whole {
            scan = (scan >> q.priority) * fraction[file] / denominator;
        }
        if scan == 0 {
            let batch = u64::from(SWAP_CLUSTER_MAX);
            scan = match q.minimum {
                Minimum::Share => batch * fraction[file] / denominator,
                Minimum::Batch if (total[ANON] + total[FILE]) >> q.priority < batch => {
                    if file == FILE || !no_swap { batch } else { 0 }
                }
                Minimum::Batch | Minimum::None | Minimum::Saved | Minimum::IfNothing => 0,
            };
        }
        if q.minimum == Minimum::Saved {
            scan = save_up(&mut l.saved_scan[lru], scan);
        }
        *target = scan.min(u64::from(u32::MAX)) as u32;
    }
    if q.minimum == Minimum::IfNothing && targets == [0; 4] {
        for (lru, target) in targets.iter_mut().enumerate() {
            let batch = u64::from(size[lru].min(SWAP_CLUSTER_MAX));
            *target = (batch * fraction[lru / 2] / denominator) as u32;
        }
    }
    (targets, balance)
}

/// The parts of anonymous and file memory, from the share of recently scanned pages that reclaim
/// rotated (up to 5.7). The recent counts of a type are halved if they exceed a quarter of its
/// pages. `more` is added to both priorities.
fn rotation_parts(l: &mut Lruvec, swappiness: u64, more: u64) -> [u64; 2] {
    for t in [ANON, FILE] {
        let total = u64::from(l.nr[2 * t]) + u64::from(l.nr[2 * t + 1]);
        if l.recent_scanned[t] > total / 4 {
            l.recent_scanned[t] /= 2;
            l.recent_rotated[t] /= 2;
        }
    }
    let prio = [swappiness, 200 - swappiness];
    [ANON, FILE].map(|t| (prio[t] + more) * (l.recent_scanned[t] + 1) / (l.recent_rotated[t] + 1))
}

/// `nr_scan_try_batch`: adds a target to the saved pages, and takes all of them once they reach 32.
fn save_up(saved: &mut u32, scan: u64) -> u64 {
    let sum = u64::from(*saved) + scan;
    if sum < u64::from(SWAP_CLUSTER_MAX) {
        *saved = sum as u32;
        return 0;
    }
    *saved = 0;
    sum
}

/// Input to the rule of the per-node era.
#[derive(Debug, Clone, Copy)]
pub struct NodeQuestion {
    /// Priority.
    pub priority: u8,
    /// `vm.swappiness`, 0 to 200.
    pub swappiness: u64,
    /// True if there is usable swap that this reclaimer may use.
    pub swap: bool,
    /// True if hardly any file pages are left.
    pub file_is_tiny: bool,
    /// True if there are enough cold file pages.
    pub cache_trim_mode: bool,
    /// True if the reclaimer frees pages of a memory cgroup that reached its limit.
    pub limit: bool,
    /// Usage of the cgroup to which these lists belong, in pages.
    pub usage: u32,
    /// Number of these pages that are protected.
    pub protected: u32,
}

/// Targets of the per-node era, by list, from the sizes of the lists in the eligible zones.
/// Anonymous and file pages are balanced by recently rotated pages (4.8 to 5.7), or by the cost of
/// reclaiming each type.
pub fn node_targets(
    l: &mut Lruvec,
    sizes: [u32; 4],
    by_rotation: bool,
    q: &NodeQuestion,
) -> ([u32; 4], Balance) {
    let balance = if !q.swap || (q.limit && q.swappiness == 0) {
        Balance::File
    } else if q.priority == 0 && q.swappiness > 0 {
        Balance::Equal
    } else if q.file_is_tiny {
        Balance::Anon
    } else if q.cache_trim_mode {
        Balance::File
    } else {
        Balance::Fract
    };
    let (fraction, denominator) = match balance {
        Balance::Fract if by_rotation => {
            let parts = rotation_parts(l, q.swappiness, 0);
            (parts, parts[ANON] + parts[FILE] + 1)
        }
        Balance::Fract => cost_parts(l.cost, q.swappiness),
        Balance::Equal | Balance::Anon | Balance::File => ([0, 0], 1),
    };
    let mut targets = [0; 4];
    for (lru, target) in targets.iter_mut().enumerate() {
        let file = lru / 2;
        let scan = protected_scan(sizes[lru], q.usage, q.protected, q.priority);
        let scan = u64::from(scan);
        *target = match balance {
            Balance::Equal => scan,
            Balance::Fract => scan * fraction[file] / denominator,
            Balance::Anon if file == ANON => scan,
            Balance::File if file == FILE => scan,
            Balance::Anon | Balance::File => 0,
        } as u32;
    }
    (targets, balance)
}

/// The parts of anonymous and file memory, and their sum, from the cost of reclaiming each (from 5.8).
fn cost_parts(cost: [u64; 2], swappiness: u64) -> ([u64; 2], u64) {
    let total = cost[ANON] + cost[FILE];
    let (anon_cost, file_cost) = (total + cost[ANON], total + cost[FILE]);
    let total = anon_cost + file_cost;
    let fraction = [
        swappiness * (total + 1) / (anon_cost + 1),
        (200 - swappiness) * (total + 1) / (file_cost + 1),
    ];
    (fraction, (fraction[ANON] + fraction[FILE]).max(1))
}

/// Charges a type with the cost of reclaiming it (`lru_note_cost`): pages written, or workingset
/// pages read again. Halves both costs when their sum exceeds a quarter of the pages.
pub fn lru_note_cost(l: &mut Lruvec, file: usize, pages: u64) {
    l.cost[file] += pages;
    let size: u64 = l.nr[..4].iter().map(|&n| u64::from(n)).sum();
    if l.cost[ANON] + l.cost[FILE] > size / 4 {
        l.cost[ANON] /= 2;
        l.cost[FILE] /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mmzone::Lruvec;
    use facts::index::NodeIndex;
    use facts::index::ZoneIndex;

    fn lists(nr: [u32; 4]) -> Lruvec {
        let mut l = Lruvec::new(NodeIndex::new(0), ZoneIndex::new(0));
        l.nr[..4].copy_from_slice(&nr);
        l
    }

    fn ask(priority: u8) -> ZoneQuestion {
        ZoneQuestion {
            priority,
            swappiness: 60,
            swap: true,
            free: 2000,
            high: 3000,
            minimum: Minimum::None,
            cache_first: false,
        }
    }

    /// The rule of 3.1.
    #[test]
    fn computes_per_zone_targets_from_recently_rotated_pages() {
        let mut l = lists([10_000, 40_000, 60_000, 40_000]);
        (l.recent_scanned, l.recent_rotated) = ([100, 1000], [20, 100]);
        let at = |q: ZoneQuestion| zone_targets(&mut l.clone(), &q).0;
        assert_eq!(at(ask(12)), [0, 1, 11, 7]);
        assert_eq!(at(ask(10)), [1, 6, 47, 32]);
        assert_eq!(at(ask(8)), [6, 27, 193, 128]);
        assert_eq!(at(ask(4)), [108, 433, 3098, 2065]);
        assert_eq!(at(ask(0)), [10_000, 40_000, 60_000, 40_000]);
        let kswapd = ZoneQuestion {
            minimum: Minimum::Share,
            ..ask(12)
        };
        assert_eq!(at(kswapd), [5, 1, 11, 7]);
        let no_swap = ZoneQuestion {
            swap: false,
            ..ask(12)
        };
        assert_eq!(at(no_swap), [0, 0, 14, 9]);
    }

    #[test]
    fn scans_only_anonymous_pages_if_hardly_any_file_pages_are_left() {
        let mut l = lists([10_000, 40_000, 500, 400]);
        let (targets, balance) = zone_targets(&mut l, &ask(10));
        assert_eq!((targets, balance), ([9, 39, 0, 0], Balance::Anon));
    }

    #[test]
    fn halves_recent_counts_above_a_quarter_of_the_pages() {
        let mut l = lists([10_000, 40_000, 60_000, 40_000]);
        (l.recent_scanned, l.recent_rotated) = ([13_000, 1000], [2600, 100]);
        assert_eq!(zone_targets(&mut l, &ask(10)).0, [1, 6, 47, 32]);
        assert_eq!((l.recent_scanned[0], l.recent_rotated[0]), (6500, 1300));
    }

    #[test]
    fn makes_kswapd_scan_at_least_32_pages_of_each_list_of_a_small_zone() {
        let q = ZoneQuestion {
            minimum: Minimum::Batch,
            high: 0,
            ..ask(12)
        };
        let small = zone_targets(&mut lists([100, 100, 100, 100]), &q).0;
        assert_eq!(small, [32; 4]);
        let no_swap = ZoneQuestion { swap: false, ..q };
        let small = zone_targets(&mut lists([100, 100, 100, 100]), &no_swap).0;
        assert_eq!(small, [0, 0, 32, 32]);
    }

    /// 2.6.37: lists of which 11, 7 and no pages are due at each visit.
    #[test]
    fn saves_small_targets_until_they_reach_a_batch() {
        let visits = |pages: u32| {
            let mut l = lists([10_000, 40_000, pages, 0]);
            let q = ZoneQuestion {
                minimum: Minimum::Saved,
                high: 0,
                ..ask(12)
            };
            [(); 6].map(|()| {
                (l.recent_scanned, l.recent_rotated) = ([100, 1000], [20, 100]);
                zone_targets(&mut l, &q).0[2]
            })
        };
        assert_eq!(visits(60_000), [0, 0, 33, 0, 0, 33]);
        assert_eq!(visits(40_000), [0, 0, 0, 0, 35, 0]);
        assert_eq!(visits(20), [0; 6]);
    }

    /// The rule of 6.1.
    #[test]
    fn computes_per_node_targets_from_the_cost_of_reclaiming() {
        let at = |cost: [u64; 2], swappiness: u64| {
            let sizes = [200_000, 300_000, 400_000, 100_000];
            let q = NodeQuestion {
                priority: 10,
                swappiness,
                swap: true,
                file_is_tiny: false,
                cache_trim_mode: false,
                limit: false,
                usage: 0,
                protected: 0,
            };
            let mut l = lists(sizes);
            l.cost = cost;
            node_targets(&mut l, sizes, false, &q).0
        };
        assert_eq!(at([0, 0], 60), [58, 87, 273, 67]);
        assert_eq!(at([100, 300], 60), [72, 109, 244, 60]);
        assert_eq!(at([1000, 0], 60), [34, 51, 321, 80]);
        assert_eq!(at([0, 1000], 60), [89, 134, 210, 52]);
        assert_eq!(at([0, 1000], 100), [130, 194, 129, 32]);
        assert_eq!(at([0, 1000], 200)[2..], [0, 0]);
    }

    /// The rule of 4.9 and 5.4.
    #[test]
    fn computes_per_node_targets_from_recently_rotated_pages() {
        let sizes = [10_000, 40_000, 60_000, 40_000];
        let mut l = lists(sizes);
        (l.recent_scanned, l.recent_rotated) = ([100, 1000], [20, 100]);
        let at = |priority: u8| {
            let q = NodeQuestion {
                priority,
                swappiness: 60,
                swap: true,
                file_is_tiny: false,
                cache_trim_mode: false,
                limit: false,
                usage: 0,
                protected: 0,
            };
            node_targets(&mut l.clone(), sizes, true, &q)
        };
        assert_eq!(at(10), ([1, 6, 47, 32], Balance::Fract));
        assert_eq!(at(4), ([107, 429, 3103, 2068], Balance::Fract));
        assert_eq!(at(0), (sizes, Balance::Equal));
    }

    #[test]
    fn scans_only_file_pages_without_swap() {
        let sizes = [200_000, 300_000, 400_000, 100_000];
        let q = NodeQuestion {
            priority: 10,
            swappiness: 60,
            swap: false,
            file_is_tiny: false,
            cache_trim_mode: false,
            limit: false,
            usage: 0,
            protected: 0,
        };
        assert_eq!(
            node_targets(&mut lists(sizes), sizes, false, &q),
            ([0, 0, 390, 97], Balance::File)
        );
    }

    #[test]
    fn halves_both_costs_above_a_quarter_of_the_pages() {
        let cost = |before: [u64; 2]| {
            let mut l = lists([250, 250, 250, 250]);
            l.cost = before;
            lru_note_cost(&mut l, 0, 0);
            l.cost
        };
        assert_eq!(cost([32, 0]), [32, 0]);
        assert_eq!(cost([132, 120]), [66, 60]);
        assert_eq!(cost([100, 151]), [50, 75]);
        assert_eq!(cost([100, 150]), [100, 150]);
    }
}
