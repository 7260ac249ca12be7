//! What a form needs in order to offer patches: the patches on which each one builds, and the kernels to
//! which it applies.

use serde::Serialize;

use super::{Patch, Requires, patched, patches};
use crate::kernel::kernels;

/// A patch as a form offers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// Its id.
    pub id: &'static str,
    /// Its subject line.
    pub title: &'static str,
    /// The changes that the patch makes, and their places in the kernel.
    pub about: &'static str,
    /// The patches on which it builds.
    pub requires: Vec<&'static str>,
    /// The patches with which it cannot be combined.
    pub excludes: Vec<&'static str>,
    /// The kernels to which it applies, together with the patches on which it builds.
    pub kernels: Vec<&'static str>,
    /// The kernels that already have it.
    pub included_in: Vec<&'static str>,
}

/// Every patch.
pub fn offers() -> Vec<Offer> {
    patches().iter().map(offer).collect()
}

fn offer(patch: &Patch) -> Offer {
    let named = |choose: fn(&Requires) -> Option<&'static str>| {
        patch.requires.iter().filter_map(choose).collect()
    };
    let has = |kernel: &&crate::kernel::Kernel| (patch.is_in)(&kernel.features);
    let can_take = |kernel: &&crate::kernel::Kernel| {
        let missing = with_required(patch, &kernel.features);
        patched(&kernel.features, &missing).is_ok()
    };
    Offer {
        id: patch.id,
        title: patch.title,
        about: patch.about,
        requires: named(|requires| match requires {
            Requires::Patch(id) => Some(id),
            _ => None,
        }),
        excludes: named(|requires| match requires {
            Requires::Without(id) => Some(id),
            _ => None,
        }),
        kernels: kernels().iter().filter(can_take).map(|k| k.id).collect(),
        included_in: kernels().iter().filter(has).map(|k| k.id).collect(),
    }
}

/// A patch, and all patches on which it builds and which the kernel does not have.
fn with_required(patch: &Patch, kernel: &crate::kernel::Features) -> Vec<&'static str> {
    let mut out = vec![patch.id];
    let mut next = 0;
    while let Some(id) = out.get(next).copied() {
        next += 1;
        let found = patches().iter().find(|patch| patch.id == id);
        for required in found.iter().flat_map(|patch| patch.requires) {
            let Requires::Patch(other) = required else {
                continue;
            };
            let mut known = patches().iter().filter(|patch| patch.id == *other);
            if !out.contains(other) && !known.any(|patch| (patch.is_in)(kernel)) {
                out.push(other);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;

    fn found(id: &str) -> Offer {
        let offer = offers().into_iter().find(|offer| offer.id == id);
        offer.unwrap_or_else(|| panic!("no patch is called {id}"))
    }

    #[test]
    fn names_the_prerequisites_of_a_patch_and_the_kernels_that_accept_it() {
        let offer = found("noprogress-once");
        assert_eq!(offer.requires, ["noprogress-longer", "noprogress-eighth"]);
        assert!(offer.kernels.contains(&"5.15"), "{:?}", offer.kernels);
        assert!(!offer.kernels.contains(&"3.0"));
        assert!(offer.included_in.contains(&"6.1"));
    }

    #[test]
    fn every_patch_is_accepted_by_a_kernel_with_its_prerequisites() {
        for offer in offers() {
            assert!(!offer.kernels.is_empty(), "{}", offer.id);
            for kernel in &offer.kernels {
                let features = &find(kernel).expect("a kernel").features;
                let patch = patches().iter().find(|patch| patch.id == offer.id);
                let ids = with_required(patch.expect("a patch"), features);
                assert!(patched(features, &ids).is_ok(), "{} on {kernel}", offer.id);
            }
        }
    }
}
