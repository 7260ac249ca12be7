//! Finds what can be explained in some files, and explains it.
//!
//! Modelled: reports and listings of all files, in their order; free blocks belong to the listing before
//! them, otherwise to the one after them.
//! Left out: files of other kinds, which are reported by name.
//! Invariants: an error in one file does not affect the others.

use facts::procfs::import::{listings, name_of};
use facts::procfs::parse::{RawZone, parse};
use serde::Deserialize;

use crate::blocks::{self, Listing};
use crate::document::{Explanation, Refused};
use crate::{memory_stat, oom, report, zoneinfo};

/// A file to explain.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Explains files given as JSON: `[{"name": ..., "text": ...}]`.
///
/// # Errors
/// The JSON is not such a list.
pub fn explain_json(files: &str) -> Result<Explanation, String> {
    let files: Vec<File> =
        serde_json::from_str(files).map_err(|error| format!("not a list of files: {error}"))?;
    Ok(explain(&files))
}

/// A listing of zones or of blocks, and the index of its file.
struct Placed<T> {
    file: usize,
    line: usize,
    what: T,
}

/// Explains every report and listing of these files.
pub fn explain(files: &[File]) -> Explanation {
    let mut out = Explanation::default();
    let mut zones: Vec<Placed<Vec<RawZone>>> = Vec::new();
    let mut orders: Vec<Placed<Listing>> = Vec::new();
    for (file, File { name, text }) in files.iter().enumerate() {
        let refuse = |line, reason| Refused {
            file: name.clone(),
            line,
            reason,
        };
        let found = report::read(text);
        let faults = found.faults.into_iter();
        let faults = faults.map(|(line, reason)| refuse(Some(line), reason));
        out.refusals.extend(faults);
        let reports = found.reports.iter();
        out.documents
            .extend(reports.map(|report| oom::explain(report, name)));
        let mut is_known = !found.reports.is_empty();
        match parse(text) {
            Ok(raw) if !raw.is_empty() => {
                is_known = true;
                let parts = listings(&raw).into_iter();
                zones.extend(parts.map(|part| Placed {
                    file,
                    line: part.first().map_or(1, |zone| zone.line),
                    what: part.to_vec(),
                }));
            }
            Ok(_) => {}
            // The end of a truncated report can be mistaken for the header of a zone.
            Err(_) if is_known => {}
            Err(refusals) => {
                is_known = true;
                out.refusals.extend(refusals.into_iter().map(|refusal| {
                    let line = refusal
                        .path
                        .strip_prefix("line ")
                        .and_then(|n| n.parse().ok());
                    refuse(line, refusal.reason)
                }));
            }
        }
        if let Some(stat) = memory_stat::read(text) {
            is_known = true;
            out.documents.push(memory_stat::explain(&stat, name));
        }
        let blocks = blocks::read(text);
        is_known |= !blocks.is_empty();
        orders.extend(blocks.into_iter().map(|what| Placed {
            file,
            line: what.line,
            what,
        }));
        if !is_known {
            out.refusals.push(refuse(None, unknown(text)));
        }
    }
    let belongs = belongings(&zones, &orders);
    for (index, listing) in zones.iter().enumerate() {
        let own = orders.iter().zip(&belongs);
        let mut own = own
            .filter(|(_, owner)| **owner == Some(index))
            .map(|(o, _)| &o.what);
        // buddyinfo counts all blocks; pagetypeinfo stops counting at a limit.
        let first = own.clone().find(|l| !l.by_type).or_else(|| own.next());
        let name = &files[listing.file].name;
        out.documents
            .push(zoneinfo::explain(&listing.what, first, name));
    }
    if zones.is_empty() && out.documents.is_empty() {
        out.refusals.extend(orders.iter().map(|order| Refused {
            file: files[order.file].name.clone(),
            line: Some(order.line),
            reason: "this file has free blocks by order, but no watermarks to compare them with: add the /proc/zoneinfo of the same moment".to_string(),
        }));
    }
    let place = |file: &str| files.iter().position(|f| f.name == file);
    out.documents
        .sort_by_key(|document| (place(&document.file), document.line));
    out
}

/// For each listing of blocks, the listing of zones to which it belongs.
fn belongings(zones: &[Placed<Vec<RawZone>>], orders: &[Placed<Listing>]) -> Vec<Option<usize>> {
    let owner = |order: &Placed<Listing>| {
        let at = (order.file, order.line);
        let before = zones.iter().rposition(|zone| (zone.file, zone.line) < at);
        before.or((!zones.is_empty()).then_some(0))
    };
    orders.iter().map(owner).collect()
}

fn unknown(text: &str) -> String {
    const READS: &str = "mmscope explains OOM reports and page allocation failures from the kernel log, /proc/zoneinfo, and memory.stat of a memory cgroup";
    match name_of(text) {
        _ if text.trim().is_empty() => "the file is empty".to_string(),
        Some(name) => format!("this is {name}, which mmscope does not explain; {READS}"),
        None => format!("nothing that can be explained was found; {READS}"),
    }
}
