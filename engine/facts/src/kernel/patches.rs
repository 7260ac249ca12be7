//! The published patches, each a switch of its own on any kernel that can take it.
//!
//! Modelled: what each patch changes of a kernel's [`Features`], and why a kernel cannot take it.
//! Left out: patches that change nothing the engine has.
//! Invariants: a patch changes its kernel or is refused; the order in which patches are named does
//! not matter.

use serde::Serialize;

use crate::kernel::{Features, ReclaimWrites, ZonelistCache};

/// A published patch.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Patch {
    /// Stable id, as the series' tables call it where they do.
    pub id: &'static str,
    /// The patch's subject, in our words.
    pub title: &'static str,
    /// What it changes, and where.
    pub about: &'static str,
    #[serde(skip)]
    apply: fn(&mut Features) -> Result<(), &'static str>,
}

const PATCHES: &[Patch] = &[
    Patch {
        id: "zlcfirst",
        title: "the zonelist cache speaks for the first zone too",
        about: "get_page_from_freelist sets the cache up before the first zone_reclaim instead of behind the first zone, and no longer marks a zone full that was not worth a scan (2011, in 3.1).",
        apply: |f| match f.zonelist_cache {
            ZonelistCache::FirstZoneIgnored => {
                f.zonelist_cache = ZonelistCache::FirstZoneChecked;
                Ok(())
            }
            ZonelistCache::Removed => Err("it has no zonelist cache"),
            _ => Err("it has this patch already"),
        },
    },
    Patch {
        id: "zlcreconsider",
        title: "direct reclaim makes every zone worth a look again",
        about: "__alloc_pages_direct_reclaim clears the zonelist cache when it has freed something (2011, in 3.1).",
        apply: |f| match (f.zonelist_cache, f.zlc_reconsider) {
            (ZonelistCache::Removed, _) => Err("it has no zonelist cache"),
            (_, true) => Err("it has this patch already"),
            _ => {
                f.zlc_reconsider = true;
                Ok(())
            }
        },
    },
    Patch {
        id: "noswapwrite",
        title: "zone_reclaim leaves congested devices alone",
        about: "__zone_reclaim no longer sets PF_SWAPWRITE (2011, first of three patches of the series' first version, dropped from the second). It matters only where zone_reclaim_mode lets it write: 2 or 4.",
        apply: |f| match f.reclaim_writes {
            ReclaimWrites::Both => {
                f.zone_reclaim_swapwrite = false;
                Ok(())
            }
            ReclaimWrites::KswapdIfFlagged => {
                Err("the engine knows congested queues of 2.6.37 to 3.1 only")
            }
        },
    },
    Patch {
        id: "checklow",
        title: "kswapd passes over lower zones that are balanced",
        about: "balance_pgdat leaves a zone alone that is above its high mark, whatever the highest zone in need keeps back of it (2014, third of five patches).",
        apply: |f| {
            if f.skip_balanced_lower_zones {
                return Err("it has this patch already");
            }
            if !f.kswapd_counts_scans() {
                return Err("the patch is for the kswapd of 3.16");
            }
            f.skip_balanced_lower_zones = true;
            Ok(())
        },
    },
];

/// Every patch, in the order of their series.
pub fn patches() -> &'static [Patch] {
    PATCHES
}

/// The features of a kernel with these patches, or why the patch at a place cannot be had.
///
/// # Errors
/// The place in `ids`, and the reason.
pub fn patched(features: &Features, ids: &[String]) -> Result<Features, (usize, String)> {
    let mut out = *features;
    for (i, id) in ids.iter().enumerate() {
        if ids[..i].contains(id) {
            return Err((i, format!("'{id}' is named twice")));
        }
        let Some(patch) = PATCHES.iter().find(|p| p.id == *id) else {
            let known = crate::read::row(PATCHES.iter().map(|p| p.id));
            return Err((i, format!("no patch is called '{id}'; there are {known}")));
        };
        (patch.apply)(&mut out).map_err(|why| (i, format!("this kernel cannot take it: {why}")))?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;

    fn with(kernel: &str, ids: &[&str]) -> Result<Features, (usize, String)> {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        patched(&find(kernel).expect("a kernel").features, &ids)
    }

    #[test]
    fn the_published_columns_are_3_0_with_their_patches() {
        let of = |id| Ok(find(id).expect("a kernel").features);
        assert_eq!(with("3.0", &["zlcfirst"]), of("zlcfirst"));
        for both in [["zlcfirst", "zlcreconsider"], ["zlcreconsider", "zlcfirst"]] {
            assert_eq!(with("3.0", &both), of("zlcreconsider"));
        }
        assert_eq!(with("3.16", &["checklow"]), of("checklow-v2r14"));
    }

    #[test]
    fn a_patch_changes_its_kernel_or_is_refused() {
        for kernel in crate::kernel::kernels() {
            for patch in patches() {
                match with(kernel.id, &[patch.id]) {
                    Ok(features) => assert_ne!(features, kernel.features, "{}", patch.id),
                    Err((place, why)) => assert!(place == 0 && why.contains("cannot take it")),
                }
            }
        }
        assert!(with("3.0", &["zlcfirst", "zlcfirst"]).is_err());
        assert!(with("6.1", &["nothing"]).is_err());
    }
}
