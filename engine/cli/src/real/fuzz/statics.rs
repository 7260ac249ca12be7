//! Static facts of a real run: what a kernel computes from its machine alone must be equal.

use std::fs;
use std::path::Path;

use mm::kernel::{self, Features, PcpRule};
use mm::layout::{Layout, ZoneLayout};
use mm::procfs::import::{ImportOptions, import_zoneinfo};
use mm::procfs::parse::parse;
use mm::tunables::Tunables;
use mm::watermark::{Watermarks, pcp_size};

use crate::failure::{Outcome, bad, io_fault, refused};

/// Free pages of a zone before the workload may differ by less than this: the twin fills memory in whole
/// regions. `tests/twin.rs` demands the same.
pub const REST_PAGES: i64 = 100;

/// The most memory that a kernel frees after it has sized its per-cpu lists, pages. 5.10 sizes them once, and
/// then frees its start-up code, the gaps between its sections and the initramfs: 8,672 KiB in a boot whose
/// initramfs has 1,344 KiB.
const FREED_LATER: u64 = 2560;

/// The prefix of the import's reason for a watermark that was temporarily raised.
const BOOSTED: &str = "boosted by ";

/// The comparison of one run.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Statics {
    /// The number of zones whose watermarks and protection were compared.
    pub zones: usize,
    /// The number of compared per-cpu lists.
    pub lists: usize,
    /// The differences.
    pub differ: Vec<String>,
}

/// Compares what a capture's `before.txt` prints with the kernel's rules.
///
/// # Errors
/// The capture lacks the files, or they have unknown contents.
pub fn compare(folder: &Path, variant: &str) -> Outcome<Statics> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(|error| io_fault(path.display(), &error))
    };
    of_texts(&read("before.txt")?, &read("sysctl.txt")?, variant)
}

fn of_texts(before: &str, sysctl: &str, variant: &str) -> Outcome<Statics> {
    let zoneinfo = section(before).ok_or_else(|| bad("before.txt: no section zoneinfo"))?;
    let kernel = kernel::find(variant).ok_or_else(|| bad(format!("no kernel {variant}")))?;
    let value = |name: &str| {
        let mut lines = sysctl.lines().filter_map(|line| line.split_once(' '));
        lines
            .find(|(found, _)| *found == name)
            .map(|(_, value)| value.trim())
    };
    let number = |name: &str| value(name).and_then(|text| text.parse().ok());
    let ratios = value("lowmem_reserve_ratio").map(|text| {
        text.split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect()
    });
    let options = ImportOptions {
        kernel: Some(kernel.id.to_string()),
        page_size_kib: Some(4),
        min_free_kbytes: number("min_free_kbytes"),
        watermark_scale_factor: number("watermark_scale_factor"),
        lowmem_reserve_ratio: ratios,
        ..ImportOptions::default()
    };
    let report = import_zoneinfo(zoneinfo, &options);
    let report = report.map_err(|found| refused("before.txt", &found))?;
    let mut out = Statics {
        zones: report.check.len(),
        ..Statics::default()
    };
    for zone in &report.check {
        for found in &zone.differences {
            // A boost after fragmentation is not a static fact of the machine.
            if found.reason.starts_with(BOOSTED) && !found.reason.contains("in addition") {
                continue;
            }
            out.differ.push(format!(
                "node {} {}: {} is {}, computed {} ({})",
                zone.node, zone.zone, found.what, found.dump, found.computed, found.reason
            ));
        }
    }
    let features = &kernel.features;
    let layout = Layout::new(&report.machine, features);
    let (tunables, _) = Tunables::of(&report.machine, features);
    let marks = Watermarks::new(&layout, features, &tunables, report.machine.thp);
    let zones = parse(zoneinfo).map_err(|found| refused("before.txt", &found))?;
    for raw in zones.iter().filter(|raw| raw.is_populated()) {
        let node = layout.nodes.iter().position(|node| node.id == raw.node);
        let Some(n) = node else {
            continue;
        };
        let mut all = layout.nodes[n].zones.iter().enumerate();
        let Some((z, zone)) = all.find(|(_, zone)| zone.kind.name() == raw.name) else {
            continue;
        };
        let low = marks.zones[n][z].low;
        let size = pcp_size(&layout, features, &tunables, zone, low);
        for set in &raw.pagesets {
            out.lists += 1;
            let batch = set.batch.is_some_and(|batch| batch != size.batch);
            let tunes_itself = features.pcp == PcpRule::SelfTuning;
            let high = !tunes_itself && set.high.is_some_and(|high| high != size.high);
            let sized_before = || {
                let smaller = smaller_zones(features, zone);
                smaller.into_iter().any(|zone| {
                    let size = pcp_size(&layout, features, &tunables, &zone, low);
                    set.high == Some(size.high) && set.batch == Some(size.batch)
                })
            };
            if (batch || high) && !sized_before() {
                out.differ.push(format!(
                    "node {} {} cpu {}: high {:?} and batch {:?}, computed {} and {}",
                    raw.node, raw.name, set.cpu, set.high, set.batch, size.high, size.batch
                ));
            }
        }
    }
    Ok(out)
}

/// The sizes that a zone may have had when the kernel sized its per-cpu lists, if it never sizes them again.
fn smaller_zones(features: &Features, zone: &ZoneLayout) -> Vec<ZoneLayout> {
    let stay = matches!(
        features.pcp,
        PcpRule::SixBatches512K | PcpRule::SixBatches1M
    );
    let least = zone.managed.saturating_sub(FREED_LATER);
    let sizes = if stay { least..zone.managed } else { 0..0 };
    let sized = |managed| ZoneLayout {
        managed,
        ..zone.clone()
    };
    sizes.map(sized).collect()
}

fn section(text: &str) -> Option<&str> {
    let head = "=== zoneinfo\n";
    let start = text.find(head)? + head.len();
    let rest = &text[start..];
    Some(rest.find("\n=== ").map_or(rest, |end| &rest[..=end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../mm/tests/data");

    /// A run whose kernel computed its watermarks after it had freed its boot memory.
    const CAPTURES: [(&str, &str); 1] = [("dyn-x86_64-6.1-512m-1n-hog", "6.1")];

    #[test]
    fn finds_shipped_captures_equal_and_detects_a_changed_fact() {
        for (name, variant) in CAPTURES {
            let folder = Path::new(DATA).join(name);
            let found = compare(&folder, variant).expect("a capture");
            assert!(found.zones > 0 && found.lists > 0, "{name}");
            assert_eq!(found.differ, Vec::<String>::new(), "{name}");
            let before = fs::read_to_string(folder.join("before.txt")).expect("a file");
            let sysctl = fs::read_to_string(folder.join("sysctl.txt")).expect("a file");
            let at = before.find("        low ").expect("a mark");
            // The number of the next row, high, is still a valid value.
            let mut lines = before[at..].split_inclusive('\n');
            let low = lines.next().expect("low").len();
            let high = lines.next().expect("high").replace("high", "low ");
            let wrong = format!("{}{high}{}", &before[..at], &before[at + low..]);
            let wrong = of_texts(&wrong, &sysctl, variant).expect("a capture");
            assert!(!wrong.differ.is_empty(), "{name}");
        }
    }

    #[test]
    fn accepts_per_cpu_lists_that_were_sized_for_a_smaller_zone() {
        let zone = ZoneLayout {
            node: 0,
            kind: mm::arch::ZoneType::Dma32,
            start_pfn: 4096,
            spanned: 20_000,
            present: 20_000,
            managed: 9800,
            ranges: Vec::new(),
        };
        let sizes = |variant: &str| {
            let kernel = kernel::find(variant).expect("a kernel");
            let zones = smaller_zones(&kernel.features, &zone).into_iter();
            zones.map(|zone| zone.managed).collect::<Vec<_>>()
        };
        assert_eq!(sizes("5.10"), (7240..9800).collect::<Vec<_>>());
        assert!(sizes("6.1").is_empty());
    }
}
