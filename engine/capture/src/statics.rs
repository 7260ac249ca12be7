//! A machine that was printed at boot and after changes of its sysctls, without a workload:
//! recomputes its zones, watermarks, protection and per-cpu lists, and compares them.
//!
//! Read: `shape.json`, `zoneinfo.txt`, `phases.tsv`. Left out: the other files of the folder, which
//! contain nothing that the engine computes. Invariants: in the phase `boot`, watermarks were
//! computed from a page count other than the printed one, so for this phase only `zoneinfo.txt` is
//! compared, with the reasons that the import gives.

use mm::arch::ZoneType;
use mm::kernel::{Features, PcpRule};
use mm::layout::Layout;
use mm::procfs::import::{ImportOptions, ImportReport, import_zoneinfo};
use mm::procfs::parse::parse;
use mm::tunables::Tunables;
use mm::watermark::{Watermarks, pcp_size};
use serde::Serialize;

use crate::capture::{SHAPE, no_variant, page_kib, read_json, variant};
use crate::fault::{Fault, Outcome, at_line, in_file};
use crate::files::Files;

const ZONEINFO: &str = "zoneinfo.txt";
const PHASES: &str = "phases.tsv";
/// The phase whose watermarks were computed before the other values were printed.
const BOOT: &str = "boot";

/// A printed machine and its comparison.
#[derive(Debug, Serialize)]
pub struct Statics {
    /// Its name.
    pub name: String,
    /// The release as the kernel names it.
    pub release: String,
    /// The kernel variant that represents it.
    pub kernel: &'static str,
    /// `x86_64` or `ppc64el`.
    pub arch: String,
    /// KiB in a page.
    pub page_kib: u32,
    /// Every zone that has pages, at boot.
    pub zones: Vec<Zone>,
    /// What the import of the text inferred or could not determine, one sentence each.
    pub caveats: Vec<String>,
    /// Changes of sysctls, each compared; none without `phases.tsv`.
    pub phases: Vec<Phase>,
}

/// A zone at boot.
#[derive(Debug, Serialize)]
pub struct Zone {
    /// Node.
    pub node: u16,
    /// Zone.
    pub zone: String,
    /// Managed pages.
    pub managed: u64,
    /// min, low, high as printed.
    pub marks: [u64; 3],
    /// min, low, high as computed.
    pub computed: [u64; 3],
    /// Protection as printed.
    pub protection: Vec<u64>,
    /// Protection as computed.
    pub computed_protection: Vec<u64>,
    /// The differences and their reasons.
    pub differ: Vec<String>,
}

/// The zones after a change of sysctls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// The number of compared zones: watermarks and protection.
    pub zones: usize,
    /// The number of compared per-cpu lists.
    pub lists: usize,
    /// The differences.
    pub differ: Vec<String>,
}

/// Is this the folder of a machine without a workload?
pub fn is_static(files: &Files) -> bool {
    files.get("before.txt").is_none() && files.get(ZONEINFO).is_some()
}

impl Statics {
    /// Reads the files and compares.
    ///
    /// # Errors
    /// A file is missing, cut off or has unknown contents.
    pub fn read(files: &Files) -> Outcome<Statics> {
        let shape = read_json(files, SHAPE)?;
        let word = |field: &str| {
            let found = shape[field].as_str().map(str::to_string);
            found.ok_or_else(|| in_file(SHAPE, format!("{field}: missing")))
        };
        let release = word("kernel")?;
        let kernel = variant(&release).ok_or_else(|| no_variant(&release))?;
        let page_kib =
            page_kib(&shape).ok_or_else(|| in_file(SHAPE, "page_size: must be 4096 or 65536"))?;
        let options = ImportOptions {
            kernel: Some(kernel.id.to_string()),
            page_size_kib: Some(page_kib),
            ..ImportOptions::default()
        };
        let text = files.need(ZONEINFO)?;
        let report = import_zoneinfo(text, &options).map_err(|found| in_zoneinfo(&found))?;
        let phases = match files.get(PHASES) {
            Some(text) => phases(text, &report, &kernel.features)?,
            None => Vec::new(),
        };
        Ok(Statics {
            name: word("name")?,
            release,
            kernel: kernel.id,
            arch: word("arch")?,
            page_kib,
            zones: zones(text, &report)?,
            caveats: report.caveats,
            phases,
        })
    }
}

fn in_zoneinfo(refusals: &[mm::view::Refusal]) -> Vec<Fault> {
    let fault = |refusal: &mm::view::Refusal| {
        let line = refusal.path.strip_prefix("line ");
        let line = line.and_then(|number| number.parse().ok());
        Fault {
            file: ZONEINFO.to_string(),
            line,
            reason: match line {
                Some(_) => refusal.reason.clone(),
                None => format!("{}: {}", refusal.path, refusal.reason),
            },
        }
    };
    refusals.iter().map(fault).collect()
}

fn zones(text: &str, report: &ImportReport) -> Outcome<Vec<Zone>> {
    let printed = parse(text).map_err(|found| in_zoneinfo(&found))?;
    let checks = report.check.iter().filter_map(|check| {
        let mut printed = printed.iter();
        let raw = printed.find(|raw| raw.node == check.node && raw.name == check.zone)?;
        let managed = raw.row("managed").or_else(|| raw.row("present"))?;
        let differ = check.differences.iter().map(|d| {
            format!(
                "{}: {} printed, {} computed: {}",
                d.what, d.dump, d.computed, d.reason
            )
        });
        raw.is_populated().then(|| Zone {
            node: check.node,
            zone: check.zone.clone(),
            managed,
            marks: [check.dump.min, check.dump.low, check.dump.high],
            computed: [check.computed.min, check.computed.low, check.computed.high],
            protection: check.dump.protection.clone(),
            computed_protection: check.computed.protection.clone(),
            differ: differ.collect(),
        })
    });
    Ok(checks.collect())
}

/// A line of `phases.tsv`.
struct PhaseLine<'a> {
    line: usize,
    head: &'a [&'a str],
    cells: Vec<&'a str>,
}

impl PhaseLine<'_> {
    fn text(&self, name: &str) -> Outcome<&str> {
        let place = self.head.iter().position(|column| *column == name);
        let cell = place.and_then(|place| self.cells.get(place));
        cell.copied().ok_or_else(|| {
            at_line(
                PHASES,
                self.line,
                format!("{name} is missing; is the file cut off?"),
            )
        })
    }

    fn number(&self, name: &str) -> Outcome<u64> {
        let text = self.text(name)?;
        text.parse().map_err(|_| {
            at_line(
                PHASES,
                self.line,
                format!("{name}: {text:?} is not a number"),
            )
        })
    }
}

fn phases(text: &str, report: &ImportReport, features: &Features) -> Outcome<Vec<Phase>> {
    let mut lines = (1..).zip(text.lines());
    let head: Vec<&str> = lines
        .next()
        .map_or(Vec::new(), |(_, line)| line.split('\t').collect());
    let layout = Layout::new(&report.machine, features);
    let mut out: Vec<Phase> = Vec::new();
    for (line, text) in lines {
        let cells = text.split('\t').collect();
        let row = PhaseLine {
            line,
            head: &head,
            cells,
        };
        let name = row.text("phase")?;
        if name == BOOT {
            continue;
        }
        if out.last().is_none_or(|phase| phase.name != name) {
            out.push(Phase {
                name: name.to_string(),
                zones: 0,
                lists: 0,
                differ: Vec::new(),
            });
        }
        let tunables = tunables(&row, report, features)?;
        if let Some(phase) = out.last_mut() {
            compare(&row, report, &layout, features, &tunables, phase)?;
        }
    }
    Ok(out)
}

/// The sysctls of a line.
fn tunables(row: &PhaseLine<'_>, report: &ImportReport, features: &Features) -> Outcome<Tunables> {
    let mut tunables = Tunables::defaults(&report.machine, features);
    let ratios = row.text("lowmem_reserve_ratio")?.replace(',', " ");
    for (name, value) in [
        ("vm.min_free_kbytes", row.text("min_free_kbytes")?),
        (
            "vm.watermark_scale_factor",
            row.text("watermark_scale_factor")?,
        ),
        ("vm.lowmem_reserve_ratio", ratios.as_str()),
    ] {
        tunables.set(features, name, value).map_err(|refusal| {
            at_line(
                PHASES,
                row.line,
                format!("{name}={value}: {}", refusal.reason),
            )
        })?;
    }
    Ok(tunables)
}

fn compare(
    row: &PhaseLine<'_>,
    report: &ImportReport,
    layout: &Layout,
    features: &Features,
    tunables: &Tunables,
    phase: &mut Phase,
) -> Outcome<()> {
    let id = row.number("node")?;
    let zone = row.text("zone")?;
    let mut nodes = layout.nodes.iter().enumerate();
    let ids: Vec<u16> = report.check.iter().map(|check| check.node).collect();
    let node = nodes.find(|(n, _)| node_id(&ids, *n) == Some(id));
    let kind = ZoneType::from_name(zone);
    let (Some((n, node)), Some(z)) = (node, kind.and_then(|kind| layout.zone_index(kind))) else {
        return Ok(());
    };
    let marks = &Watermarks::new(layout, features, tunables, report.machine.thp).zones[n][z];
    let printed = [row.number("min")?, row.number("low")?, row.number("high")?];
    let computed = [marks.min, marks.low, marks.high];
    let at = format!("node {id} {zone}");
    phase.zones += 1;
    if printed != computed {
        let reason = format!("{at}: marks {printed:?} printed, {computed:?} computed");
        phase.differ.push(reason);
    }
    let protection = row.text("protection")?;
    let listed = |list: &[u64]| {
        list.iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(",")
    };
    if protection != listed(&marks.protection) {
        phase.differ.push(format!(
            "{at}: protection {protection} printed, {} computed",
            listed(&marks.protection)
        ));
    }
    let batch = row.text("pcp_batch")?;
    if batch.is_empty() {
        return Ok(());
    }
    let size = pcp_size(layout, features, tunables, &node.zones[z], marks.low);
    phase.lists += 1;
    let tunes_itself = features.pcp == PcpRule::SelfTuning;
    if row.number("pcp_batch")? != size.batch
        || !tunes_itself && row.number("pcp_high")? != size.high
    {
        phase.differ.push(format!(
            "{at}: per-cpu list batch {batch}, high {} printed, {} and {} computed",
            row.text("pcp_high")?,
            size.batch,
            size.high
        ));
    }
    Ok(())
}

/// The id of the node with an index; nodes are in the order of the text.
fn node_id(ids: &[u16], place: usize) -> Option<u64> {
    let mut ids = ids.to_vec();
    ids.dedup();
    ids.get(place).map(|&id| id.into())
}
