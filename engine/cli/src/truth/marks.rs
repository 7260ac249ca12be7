//! Watermarks, protection and per-cpu list sizes after every change at run time, as printed by real
//! kernels (`watermarks.json`).

use std::collections::BTreeMap;
use std::path::Path;

use mm::arch::{Arch, ZoneType};
use mm::kernel::{self, Features, PcpRule};
use mm::layout::Layout;
use mm::profile::MachineProfile;
use mm::profile::counted::{Zone, machine};
use mm::tunables::Tunables;
use mm::watermark::{Watermarks, ZoneMarks, pcp_size};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::failure::{Outcome, bad};
use crate::input::read_text;

#[derive(Deserialize)]
struct Case {
    id: String,
    kernel: String,
    arch: Arch,
    page_kib: u32,
    /// False at boot: there the kernel computed from other page counts than it printed.
    exact: bool,
    min_free_kbytes: u64,
    watermark_scale_factor: u64,
    lowmem_reserve_ratio: Vec<u64>,
    nodes: Vec<CaseNode>,
}

#[derive(Deserialize)]
struct CaseNode {
    cpus: u16,
    zones: Vec<CaseZone>,
}

#[derive(Deserialize)]
struct CaseZone {
    kind: ZoneType,
    managed: u64,
    present: u64,
    min: u64,
    low: u64,
    high: u64,
    protection: Vec<u64>,
    batch: Option<u64>,
    pcp_high: Option<u64>,
}

/// The comparisons for one kernel.
#[derive(Default)]
struct Sum {
    cases: u64,
    zones: u64,
    lists: u64,
    differ: Vec<String>,
}

/// For each kernel: cases, zones and per-cpu lists compared, and what differs.
pub fn made(recorded: &Path) -> Outcome<Value> {
    let path = recorded.join("watermarks.json").display().to_string();
    let cases: Vec<Case> = serde_json::from_str(&read_text(&path)?)
        .map_err(|error| bad(format!("{path}: {error}")))?;
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.exact) {
        let pages = format!("{} {} KiB", case.arch.name(), case.page_kib);
        let sum = sums.entry(format!("{} {pages}", case.kernel)).or_default();
        compare(case, sum)?;
    }
    let row = |(kernel, sum): (String, Sum)| {
        json!({
            "kernel": kernel, "cases": sum.cases, "zones": sum.zones, "lists": sum.lists,
            "differ": sum.differ,
        })
    };
    Ok(sums.into_iter().map(row).collect())
}

fn compare(case: &Case, sum: &mut Sum) -> Outcome<()> {
    let no_kernel = || bad(format!("{}: no kernel {}", case.id, case.kernel));
    let features = &kernel::find(&case.kernel).ok_or_else(no_kernel)?.features;
    let profile = profile_of(case);
    let tunables = tunables_of(case, &profile, features)?;
    let layout = Layout::new(&profile, features);
    let marks = Watermarks::new(&layout, features, &tunables, profile.thp);
    sum.cases += 1;
    for (n, node) in case.nodes.iter().enumerate() {
        for (z, expected) in node.zones.iter().enumerate() {
            let at = format!("{} node {n} {}", case.id, expected.kind.name());
            let got = &marks.zones[n][z];
            sum.zones += 1;
            if !is_equal(got, expected) {
                sum.differ.push(format!("{at}: marks"));
            }
            let Some(batch) = expected.batch else {
                continue;
            };
            sum.lists += 1;
            let zone = &layout.nodes[n].zones[z];
            let size = pcp_size(&layout, features, &tunables, zone, got.low);
            let tunes_itself = features.pcp == PcpRule::SelfTuning;
            if size.batch != batch || !tunes_itself && Some(size.high) != expected.pcp_high {
                sum.differ.push(format!("{at}: per-cpu list"));
            }
        }
    }
    Ok(())
}

fn is_equal(got: &ZoneMarks, expected: &CaseZone) -> bool {
    (got.min, got.low, got.high) == (expected.min, expected.low, expected.high)
        && got.protection == expected.protection
}

fn profile_of(case: &Case) -> MachineProfile {
    let zones = |node: &CaseNode| -> Vec<Zone> {
        let zones = node.zones.iter();
        zones.map(|z| (z.kind, z.managed, z.present)).collect()
    };
    let nodes = case.nodes.iter().map(|node| (node.cpus, zones(node)));
    let nodes: Vec<(u16, Vec<Zone>)> = nodes.collect();
    machine(case.arch, case.page_kib, &nodes)
}

fn tunables_of(case: &Case, profile: &MachineProfile, features: &Features) -> Outcome<Tunables> {
    let mut tunables = Tunables::defaults(profile, features);
    let ratios = case.lowmem_reserve_ratio.iter().map(u64::to_string);
    for (name, value) in [
        ("vm.min_free_kbytes", case.min_free_kbytes.to_string()),
        (
            "vm.watermark_scale_factor",
            case.watermark_scale_factor.to_string(),
        ),
        (
            "vm.lowmem_reserve_ratio",
            ratios.collect::<Vec<_>>().join(" "),
        ),
    ] {
        tunables
            .set(features, name, &value)
            .map_err(|reason| bad(format!("{}: {name}: {reason:?}", case.id)))?;
    }
    Ok(tunables)
}

#[cfg(test)]
mod tests {
    use super::super::RECORDED;
    use super::*;

    #[test]
    fn watermarks_of_every_recorded_guest_are_computed_exactly() {
        let made = made(Path::new(RECORDED)).expect("the recorded cases");
        let rows = made.as_array().expect("a list");
        let all = |name: &str| {
            rows.iter()
                .filter_map(|row| row[name].as_u64())
                .sum::<u64>()
        };
        assert_eq!((all("cases"), all("zones"), all("lists")), (141, 935, 332));
        for row in rows {
            assert_eq!(row["differ"], json!([]), "{}", row["kernel"]);
        }
    }

    #[test]
    fn reports_a_watermark_that_differs_by_one_page() {
        let path = Path::new(RECORDED).join("watermarks.json");
        let text = std::fs::read_to_string(path).expect("the recorded cases");
        let mut cases: Vec<Case> = serde_json::from_str(&text).expect("cases");
        let mut sum = Sum::default();
        let case = cases.iter_mut().find(|case| case.exact).expect("a case");
        case.nodes[0].zones[0].low += 1;
        compare(case, &mut sum).expect("a kernel");
        assert_eq!(sum.differ.len(), 1);
    }
}
