//! The print formats of kernels.
//!
//! Modelled: the properties that all lines of a kernel's trace share. Left out: kernels after 6.12,
//! and the formats of 4.4 to 5.4: traces of 4.4 are printed as those of 3.16, traces of 4.9 to 5.4
//! as those of 5.10.

use mm::kernel::{Compaction, Features, VmstatNames, WritebackWait};

use crate::table::Needs;

/// A print format, named after the first kernel that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Era {
    /// 2.6.37 to 3.2.
    V2_6_37,
    /// 3.3 to 5.9.
    V3_16,
    /// 5.10 to 5.13.
    V5_10,
    /// 5.14 to 5.17.
    V5_15,
    /// 5.18 to 6.6.
    V6_1,
    /// From 6.7 on.
    V6_12,
}

impl Era {
    /// All, oldest first.
    pub const ALL: [Era; 6] = [
        Era::V2_6_37,
        Era::V3_16,
        Era::V5_10,
        Era::V5_15,
        Era::V6_1,
        Era::V6_12,
    ];

    /// The kernel after which it is named.
    pub const fn name(self) -> &'static str {
        match self {
            Era::V2_6_37 => "2.6.37",
            Era::V3_16 => "3.16",
            Era::V5_10 => "5.10",
            Era::V5_15 => "5.15",
            Era::V6_1 => "6.1",
            Era::V6_12 => "6.12",
        }
    }

    /// gfp flags and migrate types as before 4.4.
    pub fn is_old(self) -> bool {
        self <= Era::V3_16
    }
}

/// The properties that all lines of a machine share.
#[derive(Debug, Clone)]
pub struct Dialect {
    /// The print format.
    pub era: Era,
    /// Whether the kernel has `mm_vmscan_throttled`.
    pub(crate) throttles: bool,
    /// `mm_migrate_pages` is printed as in this kernel; the form of later kernels is not printed yet.
    pub(crate) migrates: bool,
    /// Whether compaction has tracepoints.
    pub(crate) compacts: bool,
    /// Names of the zone types, in the kernel's order.
    pub zone_types: Vec<String>,
    /// Orders of a pageblock.
    pub pageblock_order: u32,
    /// Without the column of flags: see [`Dialect::for_scripts`].
    pub(crate) for_scripts: bool,
}

impl Dialect {
    /// The format of a kernel, on a machine with these zone types.
    pub fn of(features: &Features, zone_types: Vec<String>, pageblock_order: u32) -> Dialect {
        let era = match features.vmstat {
            VmstatNames::V2_6_37 | VmstatNames::V2_6_38 | VmstatNames::V3_0 => Era::V2_6_37,
            VmstatNames::V3_7
            | VmstatNames::V3_8
            | VmstatNames::V3_10
            | VmstatNames::V3_16
            | VmstatNames::V4_4 => Era::V3_16,
            VmstatNames::V4_9
            | VmstatNames::V4_14
            | VmstatNames::V4_19
            | VmstatNames::V5_4
            | VmstatNames::V5_10 => Era::V5_10,
            VmstatNames::V5_15 => Era::V5_15,
            VmstatNames::V6_1 | VmstatNames::V6_6 => Era::V6_1,
            VmstatNames::V6_12 => Era::V6_12,
        };
        Dialect {
            era,
            compacts: features.compaction_traced && features.compaction != Compaction::NotModelled,
            migrates: features.vmstat == VmstatNames::V3_8,
            throttles: features.writeback_wait != WritebackWait::CongestedQueue,
            zone_types,
            pageblock_order,
            for_scripts: false,
        }
    }

    /// The format of an era whose kernel has every tracepoint of the table.
    pub fn whole(era: Era, zone_types: Vec<String>, pageblock_order: u32) -> Dialect {
        Dialect {
            era,
            compacts: true,
            migrates: true,
            throttles: true,
            zone_types,
            pageblock_order,
            for_scripts: false,
        }
    }

    /// The same lines without the flags between CPU and time. No version of
    /// `trace-pagealloc-postprocess.pl` accepts lines with flags; other scripts accept both. Kernels to 3.2
    /// print no flags, so nothing differs.
    #[must_use]
    pub fn for_scripts(self) -> Dialect {
        Dialect {
            for_scripts: true,
            ..self
        }
    }

    pub(crate) fn is_old(&self) -> bool {
        self.era.is_old()
    }

    /// Does this kernel print a form with this condition?
    pub(crate) fn has(&self, needs: Needs) -> bool {
        match needs {
            Needs::Nothing => true,
            Needs::Throttles => self.throttles,
            Needs::Compacts => self.compacts,
            Needs::Migrates => self.migrates,
            Needs::ReadOnly => false,
        }
    }

    /// The columns between CPU and time; none before 3.3.
    pub(crate) fn flags(&self) -> &'static str {
        match self.era {
            Era::V2_6_37 => "",
            _ if self.for_scripts => "",
            Era::V3_16 | Era::V5_10 => ".... ",
            _ => "..... ",
        }
    }

    /// What the kernel's scripts read differently or miss. The scripts were not always updated
    /// together with their kernel.
    pub(crate) fn what_scripts_read(&self) -> &'static str {
        match self.era {
            Era::V2_6_37 => "Nothing differs: this kernel prints no flags.",
            Era::V3_16 => {
                "The flags are left out. trace-vmscan-postprocess.pl counts no scanned page: it \
                 wants contig_taken of mm_vmscan_lru_isolate, which 3.16 no longer prints."
            }
            Era::V5_10 => {
                "The flags are left out. trace-vmscan-postprocess.pl is best taken from 6.12: to \
                 6.1 it wants fields this kernel does not print."
            }
            _ => {
                "The flags are left out. trace-vmscan-postprocess.pl is best taken from 6.12: to \
                 6.1 it wants fields this kernel does not print, and none counts writes."
            }
        }
    }
}
