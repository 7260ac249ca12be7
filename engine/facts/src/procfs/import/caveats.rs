//! What a reader has to know before anything else of an import.
//!
//! Modelled: what the engine lacks of the kernel, by its features; what could not be told from the
//! text; whether the machine can be run.
//! Left out: what is inferred with good reason, which the report lists.
//! Invariants: whole sentences; nothing is said of a kernel that the engine has whole.

use crate::kernel::{Kernel, lacks};
use crate::procfs::import::dump::Dump;
use crate::procfs::import::{Certainty, ImportOptions, Shape, pages};
use crate::profile::{MachineProfile, check_runnable};

/// Sentences for the top of the report.
pub fn caveats(
    dump: &Dump,
    shape: &Shape,
    kernel: &Kernel,
    kernel_is_given: bool,
    options: &ImportOptions,
) -> Vec<String> {
    let mut found = Vec::new();
    let lacking = lacks(&kernel.features);
    if !lacking.is_empty() {
        let whose = match kernel_is_given {
            true => format!("Kernel {}", kernel.id),
            false => format!("Kernels like {}, the nearest one modelled,", kernel.id),
        };
        let words: Vec<String> = lacking
            .iter()
            .map(|lack| format!("{} ({})", lack.what, lack.here))
            .collect();
        found.push(format!(
            "{whose} may use what the engine does not have: {}.",
            words.join("; ")
        ));
    }
    let (arch, kib) = (shape.arch.name(), shape.page_kib);
    let block = shape.geometry().pageblock_pages() * u64::from(kib) / 1024;
    match shape.certainty {
        Certainty::Assumed => found.push(format!(
            "The architecture cannot be told from these zones. The machine is described as {arch}, with pages of {kib} KiB and pageblocks of {block} MiB; if it is another, choose the one whose sizes are nearest."
        )),
        Certainty::StandIn => found.push(format!(
            "The zones are those of neither x86_64 nor ppc64. The machine has them as printed, with pages of {kib} KiB and the pageblocks of {arch}, {block} MiB; nothing else of its architecture is known."
        )),
        Certainty::Given | Certainty::Seen => {}
    }
    if !dump.has_protection {
        found.push(
            "The text is a part of /proc/zoneinfo: it has no protection rows, and zones that are not in it are missing from the machine. Only the marks that are there are checked.".to_string(),
        );
    }
    if options.page_size_kib.is_some() && pages::contradicts(dump, kernel, shape) {
        found.push(format!(
            "The per-cpu lists of the text fit another page size better than the {kib} KiB given."
        ));
    }
    found
}

/// Why a machine cannot be run, in one sentence.
pub fn cannot_run(machine: &MachineProfile) -> Option<String> {
    let found = check_runnable(machine);
    let reasons: Vec<String> = found.into_iter().map(|refusal| refusal.reason).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}
