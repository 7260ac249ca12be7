//! The names that the columns of published tables use for kernels.
//!
//! Modelled: the names in the published tables that are not ids of a modelled kernel.
//! Left out: nothing.
//! Invariants: a name means one kernel and is not an id or alias of another. A name whose kernel is not
//! modelled is not found.

/// A name of a kernel in published tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// The name in the table.
    pub name: &'static str,
    /// The id of the kernel that runs in its place.
    pub kernel: &'static str,
    /// The difference between the two kernels, or what is unknown about the published one.
    pub note: &'static str,
}

/// All published names, *read* in the tables of November and December 2012.
pub const PUBLISHED: &[Published] = &[
    Published {
        name: "mainline",
        kernel: "3.7",
        note: "The commit was not published; the table is from the last days before 3.7.",
    },
    Published {
        name: "3.6-vanilla",
        kernel: "3.7",
        note: "3.7 stands in for 3.6, whose source was not read; neither has NUMA balancing.",
    },
    Published {
        name: "numa/core-v17",
        kernel: "numacore-17",
        note: "On 3.7; the published tree is from the weeks before 3.7.",
    },
    Published {
        name: "numa/core-v18",
        kernel: "numacore-18",
        note: "On 3.7; the published tree is from the weeks before 3.7.",
    },
    Published {
        name: "numa/core-v18b",
        kernel: "numacore-18",
        note: "v18 stands in for v18b; the meaning of the b was not published.",
    },
    Published {
        name: "autonuma-v28+THP-fix",
        kernel: "autonuma-28",
        note: "AutoNUMA 28 with the patch that migrates huge pages, on 3.7.",
    },
];

/// Finds a published name.
pub fn published(name: &str) -> Option<&'static Published> {
    PUBLISHED.iter().find(|each| each.name == name)
}
