//! The CPUs of each node.
//!
//! Modelled: the size of per-cpu lists, if it depends on a node's CPUs.
//! Left out: nodes without CPUs, if nothing shows them.
//! Invariants: every listed CPU is assigned to a node.

use crate::kernel::{Kernel, PcpRule};
use crate::procfs::import::Notes;
use crate::procfs::import::dump::{Dump, even_split};

/// CPUs of each node: according to the size of per-cpu lists if it depends on them, otherwise spread evenly.
pub fn cpus(dump: &Dump, kernel: &Kernel, notes: &mut Notes) -> Vec<u16> {
    let total = dump.cpus.len();
    let words = |counts: &[u16]| {
        let words: Vec<String> = counts.iter().map(u16::to_string).collect();
        words.join(" ")
    };
    if total == 0 {
        let counts = even_split(dump);
        notes.infer(
            "cpus",
            words(&counts),
            "no per-cpu lists in the text; assumed",
        );
        return counts;
    }
    if dump.nodes.len() == 1 {
        notes.infer("cpus", total, "CPUs listed in pagesets");
        return vec![total.min(usize::from(u16::MAX)) as u16];
    }
    if kernel.features.pcp == PcpRule::LowMarkPerCpu
        && let Some(counts) = cpus_from_lists(dump)
    {
        let from = "CPUs listed in pagesets, assigned to nodes by the high of their lists, which is the low watermark divided by the node's CPUs";
        notes.infer("cpus", words(&counts), from);
        return counts;
    }
    let counts = even_split(dump);
    let from = format!(
        "{total} CPUs listed in pagesets; the text does not show their nodes, so they are spread evenly"
    );
    notes.infer("cpus", words(&counts), from);
    counts
}

/// The only assignment of all CPUs to nodes with `high = low watermark / CPUs` in each node.
fn cpus_from_lists(dump: &Dump) -> Option<Vec<u16>> {
    let total = dump.cpus.len() as u64;
    let mut counts = Vec::new();
    for node in &dump.nodes {
        let fits = |cpus: u64| {
            node.zones
                .iter()
                .filter(|zone| zone.present > 0)
                .all(|zone| {
                    let list = zone.raw.pagesets.first();
                    let (Some(high), Some(batch)) =
                        (list.and_then(|l| l.high), list.and_then(|l| l.batch))
                    else {
                        return false;
                    };
                    high == ((zone.low - zone.boost) / cpus).max(batch.saturating_mul(4))
                })
        };
        let mut fitting = (1..=total).filter(|&cpus| fits(cpus));
        let only = fitting.next()?;
        if fitting.next().is_some() {
            return None;
        }
        counts.push(only as u16);
    }
    let sum: u64 = counts.iter().map(|&cpus| u64::from(cpus)).sum();
    (sum == total).then_some(counts)
}
