//! Which type to evict from, and which tiers to spare: the refault controller (mm/vmscan.c,
//! `get_type_to_scan`, `get_tier_idx`, `positive_ctrl_err`).
//!
//! Modelled: both rules, from the counts of refaults, evictions and protected pages.
//! Left out: nothing.
//! Invariants: tier 0 is never spared; file pages are evicted until 64 of them have refaulted.

use crate::mmzone::{LruGen, TIERS};
use crate::record::decisions;
use crate::vmscan::lru_gen::MIN_LRU_BATCH;
use crate::vmscan::{ANON, FILE};

decisions! {
    TypeNoSwap {}
        "No swap space can be used: file pages are evicted.";
    TypeLags { anon: Count, file: Count }
        "The oldest anonymous generation {anon} is older than the oldest file generation {file}: anonymous pages are evicted.";
    TypeBound { swappiness: Count }
        "Swappiness {swappiness} decides the type: at 1, file pages are evicted first; at 200, anonymous pages are.";
    TypeNoIo {}
        "This request may not start I/O, which evicting anonymous pages would need: file pages are evicted.";
    TypeFile { anon_refaults: Count, anon_total: Count, file_refaults: Count, file_total: Count, swappiness: Count }
        "The refault rate is {anon_refaults} of {anon_total} for anonymous pages and {file_refaults} of {file_total} for file pages. With swappiness {swappiness}, file pages are evicted.";
    TypeAnon { anon_refaults: Count, anon_total: Count, file_refaults: Count, file_total: Count, swappiness: Count }
        "The refault rate is {anon_refaults} of {anon_total} for anonymous pages and {file_refaults} of {file_total} for file pages. With swappiness {swappiness}, anonymous pages are evicted.";
}

/// Counts of one tier, with a weight (`ctrl_pos`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Control {
    /// Number of refaults.
    pub refaulted: u64,
    /// Number of evicted and protected pages.
    pub total: u64,
    /// Weight of the refaults.
    pub gain: u64,
}

impl Control {
    /// The counts of a tier (`read_ctrl_pos`).
    pub fn of(gens: &LruGen, file: usize, tier: usize, gain: u64) -> Self {
        // No pages of tier 0 are protected.
        let protected = if tier > 0 {
            gens.protected[file][tier]
        } else {
            0
        };
        Self {
            refaulted: gens.avg_refaulted[file][tier] + gens.refaulted[file][tier],
            total: gens.avg_total[file][tier] + gens.evicted[file][tier] + protected,
            gain,
        }
    }
}

/// Do the pages of `pv` refault so seldom, compared with those of `sp`, that they may be evicted
/// (`positive_ctrl_err`)?
pub fn is_fine(sp: Control, pv: Control) -> bool {
    let least = u64::from(MIN_LRU_BATCH);
    pv.refaulted < least
        || pv.refaulted * (sp.total + least) * sp.gain <= (sp.refaulted + 1) * pv.total * pv.gain
}

/// The highest tier that is evicted: the one below the first tier that refaults too often.
fn last_fine(sp: Control, pv: impl Fn(usize) -> Control) -> usize {
    let first_bad = (1..TIERS).find(|&tier| !is_fine(sp, pv(tier)));
    first_bad.unwrap_or(TIERS) - 1
}

/// The highest tier of a type that is evicted, compared with its tier 0 (`get_tier_idx`).
pub fn get_tier_idx(gens: &LruGen, file: usize) -> usize {
    let sp = Control::of(gens, file, 0, 1);
    last_fine(sp, |tier| Control::of(gens, file, tier, 2))
}

/// The type to evict from, and its highest tier that is evicted (`get_type_to_scan`).
pub fn get_type_to_scan(gens: &LruGen, swappiness: u64) -> (usize, usize) {
    let gain = [swappiness, 200 - swappiness];
    let first = |file: usize| Control::of(gens, file, 0, gain[file]);
    let file = if is_fine(first(ANON), first(FILE)) {
        FILE
    } else {
        ANON
    };
    let sp = first(1 - file);
    let tier = last_fine(sp, |tier| Control::of(gens, file, tier, gain[file]));
    (file, tier)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Refaults and totals of a type by tier.
    type Tiers = [(u64, u64); TIERS];

    fn gens(anon: Tiers, file: Tiers) -> LruGen {
        let mut gens = LruGen::new();
        for (kind, tiers) in [anon, file].into_iter().enumerate() {
            for (tier, (refaulted, total)) in tiers.into_iter().enumerate() {
                gens.avg_refaulted[kind][tier] = refaulted;
                gens.avg_total[kind][tier] = total;
            }
        }
        gens
    }

    fn first(refaulted: u64, total: u64) -> Tiers {
        [(refaulted, total), (0, 0), (0, 0), (0, 0)]
    }

    /// A pair counts the refaulted and the evicted pages of a type.
    #[test]
    fn evicts_files_until_they_refault_more_than_swappiness_allows() {
        let chosen = |swappiness, anon, file| {
            let gens = gens(first(anon, 1000), first(file, 1000));
            get_type_to_scan(&gens, swappiness).0
        };
        assert_eq!((chosen(60, 0, 63), chosen(60, 0, 64)), (FILE, ANON));
        for (swappiness, most) in [(60, 221), (100, 94), (140, 63)] {
            assert_eq!(chosen(swappiness, 100, most), FILE, "{swappiness}");
            assert_eq!(chosen(swappiness, 100, most + 1), ANON, "{swappiness}");
        }
        assert_eq!(chosen(60, 100, 100), FILE);
        assert_eq!((chosen(60, 400, 100), chosen(60, 100, 400)), (FILE, ANON));
    }

    /// A pair counts the refaulted and the evicted pages of a tier.
    #[test]
    fn spares_tiers_that_refault_more_often_than_tier_0() {
        let tier_idx = |tiers| get_tier_idx(&gens(first(0, 0), tiers), FILE);
        let with = |one| [(100, 1000), one, (0, 0), (0, 0)];
        assert_eq!(
            (tier_idx(with((94, 500))), tier_idx(with((95, 500)))),
            (3, 0)
        );
        let rising = [(100, 1000), (70, 500), (64, 200), (63, 90)];
        assert_eq!(tier_idx(rising), 1);
        assert_eq!(tier_idx([(10, 1000), (100, 500), (0, 0), (0, 0)]), 0);
        let file = [(30, 2000), (80, 300), (0, 0), (0, 0)];
        let both = gens(first(100, 1000), file);
        assert_eq!(get_type_to_scan(&both, 60), (FILE, 0));
    }
}
