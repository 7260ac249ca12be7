//! Printing events as the lines of a kernel's trace file.
//!
//! Modelled: the prefix of a line and the fields of each tracepoint, in order, as the kernel of the
//! simulated era prints them (`TRACE_EVENT` in include/trace/events, kernel/trace/trace_output.c).
//! Left out: events without a tracepoint in any kernel, which are printed under names of their own.
//! Visible difference: addresses of page records are invented; `classzone` is derived from the
//! request, and for kswapd it is always the highest; `nr_congested` and `nr_unmap_fail` are always
//! 0. Invariants: names of tasks have at most 15 letters, digits and hyphens; times begin at one
//! second, have six decimals and never go back; every line is one event.

use std::fmt::Write as _;

use mm::gfp::Gfp;
use mm::record::{FIELDS, NAMES, RecordKind, TEXTS};
use mm::view::FieldKind;
use mm::vmscan::LRU_NAMES;

use crate::dialect::{Dialect, Era};
use crate::form::{self, How, Placeholder, Segment};
use crate::words::{THROTTLES, address, clock, comm, gfp, migratetype, page, pfn};
use crate::{NOTHING, OWN};

/// Traces begin at 1 s, because scripts treat a time of 0 as missing.
pub const START_NS: u64 = 1_000_000_000;

/// One event to be printed, or one that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The time, ns.
    pub time_ns: u64,
    /// The CPU.
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
        let form = form::printed(line.kind, d);
        let (own, name) = match form {
            Some(form) => ("", form.point.name),
            None => (OWN, TEXTS[line.kind as usize].name),
        };
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "{task:>16}-{:<width$} [{:03}] {}{}: {own}{name}: ",
            line.pid,
            line.cpu,
            d.flags(),
            clock(line.time_ns + START_NS),
        );
        match form {
            Some(form) => {
                for segment in &form.segments {
                    match segment {
                        Segment::Text(text) => out.push_str(text),
                        Segment::Placeholder(placeholder) => self.value(placeholder, line, out),
                    }
                }
                self.note(line);
            }
            None => own_fields(d, line, out),
        }
        out.push('\n');
    }

    /// Stores what later lines need.
    fn note(&mut self, line: &Line) {
        let begins = match line.kind {
            RecordKind::MmVmscanDirectReclaimBegin => true,
            RecordKind::MmVmscanDirectReclaimEnd => false,
            _ => return,
        };
        self.reclaims.retain(|&(pid, _)| pid != line.pid);
        if begins {
            let highest = highest_of(&self.dialect, line.field("gfp_flags"));
            self.reclaims.push((line.pid, highest));
        }
    }

    fn value(&self, placeholder: &Placeholder, line: &Line, out: &mut String) {
        let d = &self.dialect;
        let n = line.values.get(placeholder.field).map_or(0, |&n| n);
        let told: &dyn std::fmt::Display = match placeholder.how {
            How::Plain(FieldKind::Page) => &pfn(d, n),
            How::Plain(FieldKind::Gfp) => &gfp(d, n),
            How::Plain(FieldKind::Migratetype) => &migratetype(d, n),
            How::Address => &address(n),
            How::Node => &(n >> 8),
            How::Index => &(n & 0xff),
            How::Zone => &format!("{:<8}", zone_type(d, n)),
            How::Lru => &lru_name(n),
            How::File => &u8::from(lru_name(n).ends_with("file")),
            How::Mode if n != 0 => &2,
            How::Mode => &u8::from(lru_name(line.field("lru")).starts_with("active")),
            How::Kind => &reclaim(n == 1, false),
            How::Reclaim => &reclaim(n == 1, line.field("sync") == 1),
            How::Mixed if line.field("sync") != 0 => &"RECLAIM_WB_MIXED|RECLAIM_WB_SYNC",
            How::Mixed => &reclaim(n == 1, false),
            How::Anon | How::OfFile => {
                let is_of_file = placeholder.how == How::OfFile;
                &(if (line.field("file") == 1) == is_of_file {
                    n
                } else {
                    0
                })
            }
            How::Active => &(n - line.field("nr_deactivated")),
            How::Throttle => THROTTLES.get(n as usize).unwrap_or(&""),
            How::Fragmenting => &u8::from(n < i64::from(d.pageblock_order)),
            How::PageblockOrder => &d.pageblock_order,
            How::Classzone => &self.classzone(line.pid),
            How::WmarkCheck => &u8::from(n > line.field("min_wmark")),
            How::Always(ref text) => text,
            How::Comm | How::Pid | How::Flush | How::Plain(_) => &n,
        };
        let _ = write!(out, "{told}");
    }

    /// The highest zone type that a task reclaims for.
    fn classzone(&self, pid: u64) -> u64 {
        let of_task = self.reclaims.iter().find(|(task, _)| *task == pid);
        of_task.map_or_else(|| highest(&self.dialect, "Movable"), |&(_, zone)| zone)
    }
}

/// The kind of reclaim to which a batch or a write belongs. A write may belong to a pass that waits for it
/// (to 3.1).
fn reclaim(file: bool, sync: bool) -> &'static str {
    match (file, sync) {
        (true, false) => "RECLAIM_WB_FILE|RECLAIM_WB_ASYNC",
        (false, false) => "RECLAIM_WB_ANON|RECLAIM_WB_ASYNC",
        (true, true) => "RECLAIM_WB_FILE|RECLAIM_WB_SYNC",
        (false, true) => "RECLAIM_WB_ANON|RECLAIM_WB_SYNC",
    }
}

fn lru_name(lru: i64) -> &'static str {
    LRU_NAMES[lru as usize % LRU_NAMES.len()]
}

fn zone_type(d: &Dialect, zone: i64) -> &str {
    let name = d.zone_types.get((zone & 0xff) as usize);
    name.map_or("", String::as_str)
}

/// A task begins to reclaim. Its request names the highest zone (`gfp_zone`).
fn highest_of(d: &Dialect, flags: i64) -> u64 {
    let flags = Gfp(flags as u16);
    let wanted = if flags.has(Gfp::DMA) {
        "DMA"
    } else if flags.has(Gfp::DMA32) {
        "DMA32"
    } else if flags.has(Gfp::MOVABLE) {
        "Movable"
    } else {
        "Normal"
    };
    highest(d, wanted)
}

/// The index of a zone type, or of the highest type if the kernel was built without it.
fn highest(d: &Dialect, wanted: &str) -> u64 {
    let types = &d.zone_types;
    let found = types.iter().position(|name| name == wanted);
    let last = types.iter().rposition(|name| name != "Device");
    found.or(last).unwrap_or(0) as u64
}

/// The fields of an event that only the engine has.
fn own_fields(d: &Dialect, line: &Line, out: &mut String) {
    let names = NAMES[line.kind as usize].iter();
    let fields = names.zip(FIELDS[line.kind as usize]).zip(&line.values);
    for (i, ((name, field), &n)) in fields.enumerate() {
        if i > 0 {
            out.push(' ');
        }
        let told = match field {
            FieldKind::Page if n == NOTHING => "page=none".to_string(),
            FieldKind::Page => page(d, n),
            FieldKind::Gfp => format!("{name}={}", gfp(d, n)),
            FieldKind::Migratetype => format!("{name}={}", migratetype(d, n)),
            FieldKind::Zone => format!("{name}={}-{}", n >> 8, zone_type(d, n)),
            _ => format!("{name}={n}"),
        };
        out.push_str(&told);
    }
}
