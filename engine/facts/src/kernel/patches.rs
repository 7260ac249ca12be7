//! The published patches, each a switch of its own on any kernel that can take it.
//!
//! Modelled: what each patch changes of a kernel's [`Features`], what it requires, and so why a
//! kernel cannot take it.
//! Left out: patches that change nothing the engine has.
//! Invariants: a patch changes its kernel or is refused; the order in which patches are named does
//! not matter: what is required is looked for in the kernel and in all that is named.

use serde::Serialize;

use crate::kernel::{Features, ReclaimWrites, ZonelistCache};
use crate::read::row;
use crate::view::Refusal;

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
    requires: &'static [Requires],
    /// Does a kernel that could take it have it already?
    #[serde(skip)]
    is_in: fn(&Features) -> bool,
    #[serde(skip)]
    apply: fn(&mut Features),
}

/// What must be there for a patch.
#[derive(Debug, Clone, Copy)]
enum Requires {
    /// A kernel of which this is true.
    Kernel {
        /// Is it?
        holds: fn(&Features) -> bool,
        /// What is to be said of a kernel of which it is not.
        otherwise: &'static str,
    },
    /// Another patch, which the kernel has or which is named as well.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "each patch of the series so far stands alone")
    )]
    Patch(&'static str),
}

const HAS_ZONELIST_CACHE: Requires = Requires::Kernel {
    holds: |f| !matches!(f.zonelist_cache, ZonelistCache::Removed),
    otherwise: "it has no zonelist cache",
};

const PATCHES: &[Patch] = &[
    Patch {
        id: "zlcfirst",
        title: "the zonelist cache speaks for the first zone too",
        about: "get_page_from_freelist sets the cache up before the first zone_reclaim instead of behind the first zone, and no longer marks a zone full that was not worth a scan (2011, in 3.1).",
        requires: &[HAS_ZONELIST_CACHE],
        is_in: |f| !matches!(f.zonelist_cache, ZonelistCache::FirstZoneIgnored),
        apply: |f| f.zonelist_cache = ZonelistCache::FirstZoneChecked,
    },
    Patch {
        id: "zlcreconsider",
        title: "direct reclaim makes every zone worth a look again",
        about: "__alloc_pages_direct_reclaim clears the zonelist cache when it has freed something (2011, in 3.1).",
        requires: &[HAS_ZONELIST_CACHE],
        is_in: |f| f.zlc_reconsider,
        apply: |f| f.zlc_reconsider = true,
    },
    Patch {
        id: "noswapwrite",
        title: "zone_reclaim leaves congested devices alone",
        about: "__zone_reclaim no longer sets PF_SWAPWRITE (2011, first of three patches of the series' first version, dropped from the second). It matters only where zone_reclaim_mode lets it write: 2 or 4.",
        requires: &[Requires::Kernel {
            holds: |f| matches!(f.reclaim_writes, ReclaimWrites::Both),
            otherwise: "the engine knows congested queues of 2.6.37 to 3.1 only",
        }],
        is_in: |f| !f.zone_reclaim_swapwrite,
        apply: |f| f.zone_reclaim_swapwrite = false,
    },
    Patch {
        id: "checklow",
        title: "kswapd passes over lower zones that are balanced",
        about: "balance_pgdat leaves a zone alone that is above its high mark, whatever the highest zone in need keeps back of it (2014, third of five patches).",
        requires: &[Requires::Kernel {
            holds: Features::kswapd_counts_scans,
            otherwise: "the patch is for the kswapd of 3.16",
        }],
        is_in: |f| f.skip_balanced_lower_zones,
        apply: |f| f.skip_balanced_lower_zones = true,
    },
];

/// Every patch, in the order of their series.
pub fn patches() -> &'static [Patch] {
    PATCHES
}

/// The features of a kernel with these patches.
///
/// # Errors
/// Each patch that cannot be had and why, its place among `ids` as the path: "[1]".
pub fn patched<S: AsRef<str>>(features: &Features, ids: &[S]) -> Result<Features, Vec<Refusal>> {
    let ids: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
    patched_from(PATCHES, features, &ids)
}

fn patched_from(
    known: &[Patch],
    features: &Features,
    ids: &[&str],
) -> Result<Features, Vec<Refusal>> {
    let mut refusals = Vec::new();
    let mut chosen = Vec::new();
    for (i, id) in ids.iter().enumerate() {
        let found = known.iter().find(|patch| patch.id == *id);
        let reason = match found {
            _ if ids[..i].contains(id) => Some(format!("'{id}' is named twice")),
            None => {
                let known = row(known.iter().map(|patch| patch.id));
                Some(format!("no patch is called '{id}'; there are {known}"))
            }
            Some(patch) => {
                chosen.push(patch);
                patch.refused(known, features, ids)
            }
        };
        let path = format!("[{i}]");
        refusals.extend(reason.map(|reason| Refusal { path, reason }));
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let mut out = *features;
    for patch in chosen {
        (patch.apply)(&mut out);
    }
    Ok(out)
}

impl Patch {
    /// Why a kernel cannot take it with the others named in `ids`, if it cannot.
    fn refused(&self, known: &[Patch], kernel: &Features, ids: &[&str]) -> Option<String> {
        for required in self.requires {
            match *required {
                Requires::Kernel { holds, otherwise } if !holds(kernel) => {
                    return Some(format!("this kernel cannot take it: {otherwise}"));
                }
                Requires::Patch(other) if !ids.contains(&other) => {
                    let mut other_patch = known.iter().filter(|patch| patch.id == other);
                    if !other_patch.any(|patch| (patch.is_in)(kernel)) {
                        return Some(format!(
                            "it changes what '{other}' brought: name that patch as well"
                        ));
                    }
                }
                _ => {}
            }
        }
        let again = (self.is_in)(kernel);
        again.then(|| "this kernel cannot take it: it has this patch already".to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;

    fn of(kernel: &str) -> &'static Features {
        &find(kernel).expect("a kernel").features
    }

    #[test]
    fn a_patch_changes_its_kernel_or_is_refused() {
        for kernel in crate::kernel::kernels() {
            for patch in patches() {
                match patched(&kernel.features, &[patch.id]) {
                    Ok(features) => {
                        assert_ne!(features, kernel.features, "{}", patch.id);
                        assert!((patch.is_in)(&features), "{}", patch.id);
                    }
                    Err(refusals) => {
                        assert_eq!(refusals.len(), 1);
                        assert_eq!(refusals[0].path, "[0]");
                        assert!(refusals[0].reason.contains("cannot take it"));
                    }
                }
            }
        }
    }

    #[test]
    fn every_patch_that_cannot_be_had_is_named_at_its_place() {
        let ids = ["zlcfirst", "moon", "checklow", "zlcfirst"];
        let refusals = patched(of("3.0"), &ids).expect_err("refused");
        let told: Vec<(&str, &str)> = refusals
            .iter()
            .map(|r| (r.path.as_str(), r.reason.as_str()))
            .collect();
        let known =
            "no patch is called 'moon'; there are zlcfirst, zlcreconsider, noswapwrite, checklow";
        assert_eq!(
            told,
            [
                ("[1]", known),
                (
                    "[2]",
                    "this kernel cannot take it: the patch is for the kswapd of 3.16"
                ),
                ("[3]", "'zlcfirst' is named twice"),
            ]
        );
    }

    #[test]
    fn a_patch_needs_what_it_requires_of_its_kernel_or_beside_it() {
        let [first, mut second, _, _] = *PATCHES else {
            panic!("four patches");
        };
        second.requires = &[HAS_ZONELIST_CACHE, Requires::Patch("zlcfirst")];
        let known = [first, second];
        let with = |kernel: &str, ids: &[&str]| {
            let made = patched_from(&known, of(kernel), ids);
            made.map_err(|refusals| refusals[0].reason.clone())
        };
        let both = Ok(*of("zlcreconsider"));
        assert_eq!(with("3.0", &["zlcreconsider", "zlcfirst"]), both);
        // The kernel has the other patch.
        assert_eq!(with("zlcfirst", &["zlcreconsider"]), both);
        assert_eq!(
            with("3.0", &["zlcreconsider"]),
            Err("it changes what 'zlcfirst' brought: name that patch as well".to_string())
        );
        assert_eq!(
            with("6.1", &["zlcreconsider"]),
            Err("this kernel cannot take it: it has no zonelist cache".to_string())
        );
    }
}
