//! How the columns of published tables call kernels.
//!
//! Modelled: the names in the tables of the series that are repeated, where they are no release or
//! series of this list by themselves.
//! Left out: nothing.
//! Invariants: a name stands for one kernel and is no other one's id or alias. A name whose kernel is not
//! modelled finds none.

/// A name of a kernel in published tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// As the table has it.
    pub name: &'static str,
    /// The id of the kernel that is run for it.
    pub kernel: &'static str,
    /// What differs between the two, or is not known of the published one.
    pub note: &'static str,
}

/// All of them, *read* in the tables of November and December 2012.
pub const PUBLISHED: &[Published] = &[
    Published {
        name: "mainline",
        kernel: "3.7",
        note: "Which commit it was is not published; the table is of the last days before 3.7.",
    },
    Published {
        name: "3.6-vanilla",
        kernel: "3.7",
        note: "3.7 stands in for 3.6, of which no rules were read; neither has NUMA balancing.",
    },
    Published {
        name: "numa/core-v17",
        kernel: "numacore-17",
        note: "On 3.7; the published tree is of the weeks before it.",
    },
    Published {
        name: "numa/core-v18",
        kernel: "numacore-18",
        note: "On 3.7; the published tree is of the weeks before it.",
    },
    Published {
        name: "numa/core-v18b",
        kernel: "numacore-18",
        note: "v18 stands in for v18b: what the letter means was not published.",
    },
    Published {
        name: "autonuma-v28+THP-fix",
        kernel: "autonuma-28",
        note: "AutoNUMA 28 with the patch that migrates huge pages, on 3.7.",
    },
];

/// What is known of a published name.
pub fn published(name: &str) -> Option<&'static Published> {
    PUBLISHED.iter().find(|each| each.name == name)
}
