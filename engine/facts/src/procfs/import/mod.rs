//! Turns a pasted `/proc/zoneinfo` into a machine.
//!
//! Modelled: facts in the dump (zones, pages, CPUs) and facts inferred from it (kernel, page size, tunables).
//! Then the watermarks are computed and compared with the dump's.
//! Left out: distances, devices and everything else that zoneinfo does not show; zones of 32-bit kernels are
//! described but not run.
//! Visible difference: if a zone has holes, their position is a guess and listed as such.
//! Invariants: a report's machine passes [`crate::profile::check`]; the dump's watermarks are never copied
//! into it; `inferred` lists every fact that is not in the text, with its evidence.

mod architecture;
mod caveats;
mod compare;
mod cpus;
mod dump;
mod grown;
mod identify;
mod infer;
mod interleave;
mod late;
mod listings;
mod misfit;
mod other;
mod pages;
mod place;
mod ratios;
mod rules_seen;
mod starts;

pub use listings::listings;
pub use other::name as name_of;

use deserr::Deserr;
use serde::Serialize;

use crate::arch::Arch;
use crate::kernel;
use crate::procfs::parse::parse;
use crate::profile::{MachineProfile, check, refuse};
use crate::read;
use crate::view::Refusal;

/// What the user knows in addition to the text. Missing options are inferred.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserr)]
#[deserr(error = read::Refusals, deny_unknown_fields)]
pub struct ImportOptions {
    /// Kernel variant id.
    #[deserr(default)]
    pub kernel: Option<String>,
    /// The number of the listing of /proc/zoneinfo, from 1, if the text has several.
    #[deserr(default)]
    pub listing: Option<u32>,
    /// The architecture, or the one whose page and block sizes replace those of an unknown architecture.
    #[deserr(default)]
    pub arch: Option<Arch>,
    /// The size of a page in KiB: 4 or 64.
    #[deserr(default)]
    pub page_size_kib: Option<u32>,
    /// `vm.min_free_kbytes`.
    #[deserr(default)]
    pub min_free_kbytes: Option<u64>,
    /// `vm.watermark_scale_factor`.
    #[deserr(default)]
    pub watermark_scale_factor: Option<u64>,
    /// `vm.lowmem_reserve_ratio`.
    #[deserr(default)]
    pub lowmem_reserve_ratio: Option<Vec<u64>>,
}

impl ImportOptions {
    /// Reads options from JSON; an empty text means none.
    ///
    /// # Errors A refusal for each invalid option.
    pub fn from_json(text: &str) -> Result<ImportOptions, Vec<Refusal>> {
        if text.trim().is_empty() {
            return Ok(ImportOptions::default());
        }
        let value =
            read::parse(text).map_err(|e| vec![refuse("options", format!("not JSON: {e}"))])?;
        read::read(value, "options")
    }
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// What to know first: mechanisms that the engine lacks, facts that the text does not show. Whole
    /// sentences.
    pub caveats: Vec<String>,
    /// Why the machine can be described but not run; none if it can be run.
    pub cannot_run: Option<String>,
    /// The kernel variant whose rules are used.
    pub kernel: String,
    /// The machine, with the tunables that were in force.
    pub machine: MachineProfile,
    /// Facts that the text does not state, each with its evidence.
    pub inferred: Vec<Inferred>,
    /// Zones that prevent the machine from being run, or that were left out, each with the reason.
    pub not_simulated: Vec<NotSimulated>,
    /// The watermarks of every printed zone: the dump's and the computed ones.
    pub check: Vec<ZoneCheck>,
}

/// One inferred fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Inferred {
    /// Which fact.
    pub what: String,
    /// Its value.
    pub value: String,
    /// The evidence.
    pub from: String,
}

/// A zone that is not simulated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotSimulated {
    /// Node id.
    pub node: u16,
    /// Zone name.
    pub zone: String,
    /// Its present pages.
    pub present: u64,
    /// Why it is not simulated.
    pub reason: String,
}

/// Watermarks and protection of a zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Marks {
    /// min, with the boost if the dump has one.
    pub min: u64,
    /// low.
    pub low: u64,
    /// high.
    pub high: u64,
    /// Protection row.
    pub protection: Vec<u64>,
}

/// The watermarks of a zone, printed and computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ZoneCheck {
    /// Node id.
    pub node: u16,
    /// Zone name.
    pub zone: String,
    /// The values in the text.
    pub dump: Marks,
    /// The values that the kernel's rules give for the machine.
    pub computed: Marks,
    /// Every difference; empty when all are equal.
    pub differences: Vec<Difference>,
}

/// One difference between dump and rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// `min`, `low`, `high` or `protection[3]`.
    pub what: String,
    /// The text's value, pages.
    pub dump: u64,
    /// The computed value, pages.
    pub computed: u64,
    /// The most likely reason.
    pub reason: String,
}

/// The facts collected between the text and the report.
#[derive(Debug, Default)]
struct Notes {
    inferred: Vec<Inferred>,
    not_simulated: Vec<NotSimulated>,
}

impl Notes {
    fn infer(&mut self, what: &str, value: impl ToString, from: impl ToString) {
        self.inferred.push(Inferred {
            what: what.to_string(),
            value: value.to_string(),
            from: from.to_string(),
        });
    }
}

/// Reads a zoneinfo, alone or inside a longer text, and turns it into a machine. Refusals name the line and
/// what was expected there.
pub fn import_zoneinfo(text: &str, options: &ImportOptions) -> Result<ImportReport, Vec<Refusal>> {
    let given = given_kernel(options)?;
    if !matches!(options.page_size_kib, None | Some(4 | 64)) {
        return Err(vec![refuse("page_size_kib", "pages have 4 or 64 KiB")]);
    }
    let raw = parse(text)?;
    if raw.is_empty() {
        return Err(vec![refuse("line 1", other::reason(text))]);
    }
    let mut dump = dump::gather(listings::chosen(&raw, options.listing)?)?;
    let mut notes = Notes::default();
    let kernel = identify::kernel(&dump, given, &mut notes);
    let kernel = &rules_seen::seen(&dump, kernel, &mut notes);
    let shape = identify::shape(&mut dump, kernel, options, &mut notes)?;
    let layout = dump::layout(&dump, &shape);
    let earlier = late::found(&dump, &layout, &kernel.features, options);
    let then = earlier.as_ref().map_or(&layout, |earlier| &earlier.layout);
    let tunables = infer::tunables(&dump, then, kernel, options, &mut notes)?;
    let machine = place::machine(&dump, &shape, kernel, &tunables, &mut notes);
    let impossible = check(&machine);
    if !impossible.is_empty() {
        let at_machine =
            |refusal: Refusal| refuse(format!("machine.{}", refusal.path), refusal.reason);
        return Err(impossible.into_iter().map(at_machine).collect());
    }
    let zones = compare::zones(
        &dump,
        &layout,
        kernel,
        &tunables,
        &machine,
        earlier.as_ref(),
    );
    let cannot_run = caveats::cannot_run(&machine);
    let inferred = &notes.inferred;
    let mut report = ImportReport {
        caveats: caveats::caveats(&dump, &shape, kernel, given.is_some(), options, inferred),
        cannot_run,
        kernel: kernel.id.to_string(),
        machine,
        inferred: notes.inferred,
        not_simulated: notes.not_simulated,
        check: zones,
    };
    misfit::blame_given(&mut report, text, options);
    Ok(report)
}

fn given_kernel(options: &ImportOptions) -> Result<Option<&'static kernel::Kernel>, Vec<Refusal>> {
    let Some(id) = &options.kernel else {
        return Ok(None);
    };
    kernel::find(id).map(Some).ok_or_else(|| {
        let known: Vec<&str> = kernel::kernels().iter().map(|kernel| kernel.id).collect();
        let reason = format!(
            "{id:?} is not a known kernel; the known kernels are {}",
            known.join(", ")
        );
        vec![refuse("kernel", reason)]
    })
}

/// The page size and borders of a dump, and how certain they are.
#[derive(Debug, Clone)]
struct Shape {
    arch: Arch,
    page_kib: u32,
    /// Zone types and borders, if they are not the architecture's usual ones.
    own_zones: Option<Vec<crate::arch::ZoneBorder>>,
    /// All zone types, in order.
    zone_types: Vec<crate::arch::ZoneType>,
    /// How the architecture is known.
    certainty: Certainty,
}

/// How an architecture is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Certainty {
    /// The user named it.
    Given,
    /// Its zones or page sizes show it.
    Seen,
    /// The zones could belong to another architecture.
    Assumed,
    /// It is not a modelled architecture; the page and block sizes of a modelled one are used.
    StandIn,
}
