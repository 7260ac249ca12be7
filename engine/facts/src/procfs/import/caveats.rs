//! Caveats: what a reader must know first about an import.
//!
//! Modelled: mechanisms that the kernel has but the engine lacks; facts that the text does not show; whether
//! the machine can be run.
//! Left out: facts inferred with good reason, which the report lists.
//! Invariants: caveats are whole sentences; none concerns a kernel that the engine models completely.

use crate::arch::ZoneType;
use crate::kernel::{Kernel, lacks};
use crate::procfs::import::dump::{Dump, DumpNode};
use crate::procfs::import::{Certainty, ImportOptions, Inferred, Shape, pages};
use crate::profile::{MachineProfile, check_runnable};

/// The setting that /proc/zoneinfo does not show and on which reclaim depends.
const MAYBE_CLASSIC: &str = "The text does not show which LRU lists the machine uses. The imported machine uses the multi-generational LRU, as this kernel does by default. If /sys/kernel/mm/lru_gen/enabled of the real machine is 0x0000, set the tunable lru_gen.enabled to 0.";

/// Sentences for the top of the report.
pub fn caveats(
    dump: &Dump,
    shape: &Shape,
    kernel: &Kernel,
    kernel_is_given: bool,
    options: &ImportOptions,
    inferred: &[Inferred],
) -> Vec<String> {
    let mut found = Vec::new();
    let lacking = lacks(&kernel.features);
    if !lacking.is_empty() {
        let whose = match kernel_is_given {
            true => format!("Kernel {}", kernel.id),
            false => format!("Kernels like {}, the nearest modelled kernel,", kernel.id),
        };
        let words: Vec<String> = lacking
            .iter()
            .map(|lack| format!("{} ({})", lack.what, lack.here))
            .collect();
        found.push(format!(
            "{whose} may use mechanisms that the engine does not have: {}.",
            words.join("; ")
        ));
    }
    if kernel.features.lru_gen.is_modelled() && kernel.features.multi_gen_lru {
        found.push(MAYBE_CLASSIC.to_string());
    }
    let (arch, kib) = (shape.arch.name(), shape.page_kib);
    let block = shape.geometry().pageblock_pages() * u64::from(kib) / 1024;
    match shape.certainty {
        Certainty::Assumed => found.push(format!(
            "These zones do not show the architecture. The machine is described as {arch}, with pages of {kib} KiB and pageblocks of {block} MiB. If it is another architecture, choose the one with the nearest sizes."
        )),
        Certainty::StandIn => found.push(format!(
            "The zones match neither x86_64 nor ppc64. The machine has them as printed, with pages of {kib} KiB and the pageblocks of {arch}, {block} MiB; nothing else is known about its architecture."
        )),
        Certainty::Given | Certainty::Seen => {}
    }
    if !dump.has_protection {
        found.push(
            "The text is a part of /proc/zoneinfo: it has no protection rows, and the machine lacks the zones that are not in the text. Only the watermarks in the text are checked.".to_string(),
        );
    }
    let is_given = options.page_size_kib.is_some() || options.arch.is_some();
    if is_given && pages::contradicts(dump, kernel, shape) {
        found.push(format!(
            "The per-cpu lists in the text match another page size better than the given {kib} KiB."
        ));
    }
    let is_assumed =
        |fact: &Inferred| fact.what == "page_size_kib" && fact.from.starts_with("assumed");
    if shape.certainty == Certainty::StandIn && inferred.iter().any(is_assumed) {
        found.push(format!(
            "The page size is assumed: kernels of this kind have 4, 16 or 64 KiB, and total memory is {kib} KiB times the printed pages."
        ));
    }
    found.extend(left_out(dump));
    found
}

/// What seems to be missing from the text, and the consequences.
fn left_out(dump: &Dump) -> Vec<String> {
    let mut found = Vec::new();
    let populated = |node: &DumpNode| {
        node.zones
            .iter()
            .find(|zone| zone.present > 0)
            .map(|zone| (zone.kind, zone.start_pfn))
    };
    let lowest = dump
        .nodes
        .iter()
        .filter_map(populated)
        .min_by_key(|(_, start)| *start);
    if let (true, Some((ZoneType::Normal, Some(start)))) = (dump.has_protection, lowest)
        && start > 0
        && dump.zone_count > 3
        && !dump.zones().any(|zone| zone.kind < ZoneType::Normal)
    {
        found.push(format!(
            "Zone Normal begins at page {start}, and no zone below it is in the text. If zones were left out, the machine and its min_free_kbytes are too small: paste all of /proc/zoneinfo."
        ));
    }
    if let Some(first) = dump.nodes.first().filter(|node| node.id > 0) {
        found.push(format!(
            "The first node of the text is node {}. If the nodes before it were left out, the machine and its min_free_kbytes are too small: paste all of /proc/zoneinfo.",
            first.id
        ));
    }
    if dump.cpus.is_empty() {
        found.push("The text has no per-cpu lists: the machine gets one CPU.".to_string());
    }
    found
}

/// Why a machine cannot be run, in one sentence.
pub fn cannot_run(machine: &MachineProfile) -> Option<String> {
    let found = check_runnable(machine);
    let reasons: Vec<String> = found.into_iter().map(|refusal| refusal.reason).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}
