//! Events as the text of a kernel's own trace file.
//!
//! Modelled: the prefix of a line and the fields of each tracepoint, in order, as the kernel of the
//! simulated era prints them (`TRACE_EVENT` in include/trace/events, kernel/trace/trace_output.c).
//! Left out: events without a tracepoint in any kernel, which are printed under names of their own.
//! Visible difference: addresses of page records are made up; `classzone` is derived from the request, and for
//! kswapd it is always the highest; `nr_congested` and `nr_unmap_fail` are always 0.
//! Invariants: names of tasks have at most 15 letters, digits and hyphens; times begin at one second, have
//! six decimals and never go back; every line is one event.

pub mod document;
mod fields;
pub mod stream;
mod words;

use mm::kernel::{Compaction, Features, VmstatNames, WritebackWait};
use mm::record::{NAMES, RecordKind, TEXTS};

use words::{clock, comm};

/// Traces begin at 1 s, because scripts treat a time of 0 as missing.
const START_NS: u64 = 1_000_000_000;
/// No page, as in the rows of a log.
pub const NOTHING: i64 = mm::record::NOTHING;
/// The prefix of events that no kernel has.
const OWN: &str = "mmscope_";

/// A print format, named after the first kernel that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Era {
    /// 2.6.37 to 3.2.
    V2_6_37,
    V3_16,
    V5_10,
    V5_15,
    V6_1,
    V6_12,
}

/// The properties that all lines of a machine share.
#[derive(Debug, Clone)]
pub struct Dialect {
    era: Era,
    /// It has `mm_vmscan_throttled`.
    throttles: bool,
    /// `mm_migrate_pages` is printed as in this kernel; the form of later kernels is not modelled yet.
    migrates: bool,
    /// Compaction has tracepoints.
    compacts: bool,
    /// Names of the zone types, in the kernel's order.
    zone_types: Vec<String>,
    /// Orders of a pageblock.
    pageblock_order: u32,
    /// Without the column of flags: see [`Dialect::for_scripts`].
    for_scripts: bool,
}

/// One event to be printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// When, ns.
    pub time_ns: u64,
    /// On which CPU.
    pub cpu: u64,
    /// The name of its task.
    pub task: String,
    /// Process id.
    pub pid: u64,
    /// The kind of the event.
    pub kind: RecordKind,
    /// Its fields in order: page frame numbers or [`NOTHING`] for pages, and for zones (node << 8) +
    /// the zone's index in its node.
    pub values: Vec<i64>,
}

impl Line {
    /// A field of the event by its name; 0 if the event lacks it.
    fn field(&self, name: &str) -> i64 {
        let names = NAMES[self.kind as usize];
        let at = names.iter().position(|&field| field == name);
        at.and_then(|at| self.values.get(at)).map_or(0, |&n| n)
    }
}

/// Prints lines in order of time; stores data that later lines of a task need.
#[derive(Debug, Clone)]
pub struct Printer {
    dialect: Dialect,
    /// (pid, highest zone type) of direct reclaims in progress.
    reclaims: Vec<(u64, u64)>,
}

impl Dialect {
    /// The format of a kernel, on a machine with these zone types.
    pub fn of(features: &Features, zone_types: Vec<String>, pageblock_order: u32) -> Dialect {
        let era = match features.vmstat {
            VmstatNames::V2_6_37 | VmstatNames::V2_6_38 | VmstatNames::V3_0 => Era::V2_6_37,
            VmstatNames::V3_7 | VmstatNames::V3_8 | VmstatNames::V3_16 => Era::V3_16,
            VmstatNames::V5_10 => Era::V5_10,
            VmstatNames::V5_15 => Era::V5_15,
            VmstatNames::V6_1 => Era::V6_1,
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

    fn is_old(&self) -> bool {
        self.era <= Era::V3_16
    }

    /// The columns between CPU and time; none before 3.3.
    fn flags(&self) -> &'static str {
        match self.era {
            Era::V2_6_37 => "",
            _ if self.for_scripts => "",
            Era::V3_16 | Era::V5_10 => ".... ",
            _ => "..... ",
        }
    }

    /// What differs for the kernel's scripts, and what they do not find: they were not always updated with
    /// their kernel.
    fn what_scripts_read(&self) -> &'static str {
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

    /// The name of an event, and whether the kernel of this era has it.
    fn name(&self, kind: RecordKind) -> (&'static str, bool) {
        let old = self.era == Era::V2_6_37;
        let name = TEXTS[kind as usize].name;
        match kind {
            RecordKind::MmPageFree if old => ("mm_page_free_direct", true),
            RecordKind::MmPageFreeBatched if old => ("mm_pagevec_free", true),
            RecordKind::MmVmscanWritepage if self.era >= Era::V6_1 => {
                ("mm_vmscan_write_folio", true)
            }
            RecordKind::MmVmscanLruShrinkActive | RecordKind::ReclaimRetryZone => {
                (name, !self.is_old())
            }
            RecordKind::MmVmscanThrottled => (name, self.throttles),
            RecordKind::MmCompactionIsolateMigratepages
            | RecordKind::MmCompactionIsolateFreepages
            | RecordKind::MmCompactionMigratepages => (name, self.compacts),
            RecordKind::WritebackCongestionWait | RecordKind::WritebackWaitIffCongested => {
                (name, self.era <= Era::V5_15)
            }
            RecordKind::MmMigratePages => (name, self.migrates),
            RecordKind::MmPageAlloc
            | RecordKind::MmPageAllocZoneLocked
            | RecordKind::MmPageAllocExtfrag
            | RecordKind::MmPageFree
            | RecordKind::MmPageFreeBatched
            | RecordKind::MmPagePcpuDrain
            | RecordKind::MmVmscanWakeupKswapd
            | RecordKind::MmVmscanKswapdWake
            | RecordKind::MmVmscanKswapdSleep
            | RecordKind::MmVmscanDirectReclaimBegin
            | RecordKind::MmVmscanDirectReclaimEnd
            | RecordKind::MmVmscanLruIsolate
            | RecordKind::MmVmscanLruShrinkInactive
            | RecordKind::MmVmscanWritepage => (name, true),
            _ => (name, false),
        }
    }
}

impl Printer {
    /// Nothing printed yet.
    pub fn new(dialect: Dialect) -> Printer {
        Printer {
            dialect,
            reclaims: Vec::new(),
        }
    }

    /// The lines above the events. `about` names the run.
    pub fn header(&self, about: &str) -> String {
        let mut out = format!("# Simulated by mmscope: {about}. No real machine ran this.\n");
        out.push_str("# Events the kernel has no tracepoint for begin with ");
        out.push_str(OWN);
        out.push_str(". The clock begins at 1 s.\n# Page addresses are made up.");
        if !self.dialect.is_old() {
            out.push_str(" classzone is derived; nr_congested and nr_unmap_fail are always 0.");
        }
        out.push('\n');
        if self.dialect.for_scripts {
            out.push_str("# For the kernel's own scripts (Documentation/trace/postprocess). ");
            out.push_str(self.dialect.what_scripts_read());
            out.push('\n');
        }
        out.push_str("# tracer: nop\n#\n");
        out
    }

    /// Adds the line of an event.
    pub fn line(&mut self, line: &Line, out: &mut String) {
        let d = &self.dialect;
        let width = if d.era >= Era::V5_10 { 7 } else { 5 };
        let task = comm(&line.task);
        let (name, known) = d.name(line.kind);
        let own = if known { "" } else { OWN };
        let head = format!(
            "{task:>16}-{:<width$} [{:03}] {}{}: {own}{name}: ",
            line.pid,
            line.cpu,
            d.flags(),
            clock(line.time_ns + START_NS),
        );
        out.push_str(&head);
        if known {
            fields::known(self, line, out);
        } else {
            fields::own(&self.dialect, line, out);
        }
        out.push('\n');
    }
}
