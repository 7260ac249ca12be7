//! `mmscope import-zoneinfo`: a pasted /proc/zoneinfo as a machine.

use explain::{File, Kind};
use mm::arch::Arch;
use mm::procfs::import::{ImportOptions, ImportReport, import_zoneinfo};

use crate::args::Parsed;
use crate::failure::{Outcome, bad, refused};
use crate::input::{self, source_name};
use crate::output::{print, say};

/// Reads a dump and prints the machine it describes.
///
/// # Errors
/// The input is bad, or the pipe is closed.
pub fn import(parsed: &Parsed) -> Outcome<()> {
    let Some(path) = parsed.operand() else {
        return Err(bad(
            "which DUMP? A file with a /proc/zoneinfo, or - for stdin",
        ));
    };
    let options = options(parsed)?;
    let text = input::read_pasted(path)?;
    let report = import_zoneinfo(&text, &options).map_err(|found| {
        let failure = refused(source_name(path), &found);
        match is_report(&text) {
            true => failure.and("mmscope explain says what such a report shows"),
            false => failure,
        }
    })?;
    say(&summary(&report));
    let report = serde_json::to_value(&report).map_err(|error| bad(error.to_string()))?;
    print(&format!("{report:#}\n"))
}

/// Whether a text contains an OOM report or an allocation failure.
fn is_report(text: &str) -> bool {
    let file = File {
        name: String::new(),
        text: text.to_string(),
    };
    let found = explain::explain(&[file]);
    found
        .documents
        .iter()
        .any(|document| document.kind != Kind::Zoneinfo)
}

fn options(parsed: &Parsed) -> Outcome<ImportOptions> {
    let kernel = parsed.value("--kernel").map(input::kernel).transpose()?;
    Ok(ImportOptions {
        kernel: kernel.map(|kernel| kernel.id.to_string()),
        listing: parsed.value("--listing").map(listing).transpose()?,
        arch: parsed.value("--arch").map(arch).transpose()?,
        page_size_kib: parsed.value("--page-size").map(page_size).transpose()?,
        min_free_kbytes: number(parsed, "--min-free-kbytes")?,
        watermark_scale_factor: number(parsed, "--watermark-scale-factor")?,
        lowmem_reserve_ratio: ratios(parsed)?,
    })
}

fn listing(text: &str) -> Outcome<u32> {
    let reason = || {
        bad(format!(
            "--listing {text}: 1 for the first, 2 for the second"
        ))
    };
    text.parse().map_err(|_| reason())
}

fn arch(text: &str) -> Outcome<Arch> {
    let all = [Arch::X86_64, Arch::Ppc64];
    let found = all.into_iter().find(|arch| arch.name() == text);
    found.ok_or_else(|| {
        bad(format!(
            "--arch {text}: x86_64 or ppc64; for another architecture name the one whose page and block sizes are nearest"
        ))
    })
}

fn page_size(text: &str) -> Outcome<u32> {
    match text.to_ascii_lowercase().as_str() {
        "4k" => Ok(4),
        "64k" => Ok(64),
        _ => Err(bad(format!("--page-size {text}: choose 4K or 64K"))),
    }
}

fn number(parsed: &Parsed, name: &str) -> Outcome<Option<u64>> {
    let read = |text: &str| {
        let reason = || bad(format!("{name} {text}: not a whole number"));
        text.parse().map_err(|_| reason())
    };
    parsed.value(name).map(read).transpose()
}

fn ratios(parsed: &Parsed) -> Outcome<Option<Vec<u64>>> {
    const NAME: &str = "--lowmem-reserve-ratio";
    let Some(text) = parsed.value(NAME) else {
        return Ok(None);
    };
    let words = text.split([',', ' ', '\t']).filter(|word| !word.is_empty());
    let ratios: Result<Vec<u64>, _> = words.map(str::parse).collect();
    match ratios {
        Ok(ratios) if !ratios.is_empty() => Ok(Some(ratios)),
        _ => Err(bad(format!(
            "{NAME} {text}: whole numbers with commas between them, as 256,256,32"
        ))),
    }
}

/// The report in a few lines.
fn summary(report: &ImportReport) -> String {
    let machine = &report.machine;
    let unequal = report
        .check
        .iter()
        .filter(|zone| !zone.differences.is_empty());
    let mut lines = report.caveats.clone();
    if let Some(reason) = &report.cannot_run {
        lines.push(format!("This machine cannot be run: {reason}."));
    }
    lines.push(format!(
        "kernel {}, nodes: {}, {} pages of {} KiB; the rules give the same marks for {} of {} zones",
        report.kernel,
        machine.nodes.len(),
        machine.present_pages(),
        machine.page_size_kib,
        report.check.len() - unequal.clone().count(),
        report.check.len(),
    ));
    for zone in &report.not_simulated {
        lines.push(format!(
            "node {} zone {}: {}",
            zone.node, zone.zone, zone.reason
        ));
    }
    for zone in unequal {
        for d in &zone.differences {
            lines.push(format!(
                "node {} zone {}: {} is {}, the rules give {}: {}",
                zone.node, zone.zone, d.what, d.dump, d.computed, d.reason
            ));
        }
    }
    lines.join("\n")
}
