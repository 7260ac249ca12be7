//! Reading a machine from JSON.
//!
//! Modelled: every field of [`MachineProfile`], with a refusal for whatever does not fit.
//! Left out: whether the machine is possible: that is [`crate::profile::check`].
//! Invariants: what is written with serde is read back equal.

use crate::arch::{Arch, ZoneBorder, ZoneType};
use crate::json::{self, Value};
use crate::ordered::Map;
use crate::profile::{
    CostEra, DeviceModel, DeviceProfile, MachineProfile, MemRange, NodeProfile, Thp, ZonelistChoice,
};
use crate::read::{Faults, Fields, choice, each, fault, flag, list, number, row};

const ARCHES: [(&str, Arch); 2] = [("x86_64", Arch::X86_64), ("ppc64", Arch::Ppc64)];
const THPS: [(&str, Thp); 3] = [
    ("always", Thp::Always),
    ("madvise", Thp::Madvise),
    ("never", Thp::Never),
];
const ORDERS: [(&str, ZonelistChoice); 3] = [
    ("default", ZonelistChoice::Default),
    ("node", ZonelistChoice::Node),
    ("zone", ZonelistChoice::Zone),
];
const ERAS: [(&str, CostEra); 7] = [
    ("d2010", CostEra::D2010),
    ("s2011", CostEra::S2011),
    ("p7", CostEra::P7),
    ("d2014", CostEra::D2014),
    ("s2021", CostEra::S2021),
    ("q-x86", CostEra::QX86),
    ("q-ppc", CostEra::QPpc),
];

/// Reads a machine. `None` when a fault was found that leaves no machine to check.
pub fn machine(value: &Value, path: &str, faults: &mut Faults) -> Option<MachineProfile> {
    let before = faults.len();
    let mut f = Fields::of(value, path, faults)?;
    let id = f.text("id", faults);
    let title = f.text("title", faults);
    let arch = f
        .need("arch", faults)
        .and_then(|v| choice(v, &f.at("arch"), &ARCHES, faults));
    let page_size_kib = f.number("page_size_kib", u32::MAX.into(), faults);
    let zones = f
        .get("zones")
        .map(|v| each(v, &f.at("zones"), faults, border));
    let nodes = f
        .need("nodes", faults)
        .map(|v| each(v, &f.at("nodes"), faults, node));
    let distances = f.need("distances", faults).map(|v| {
        each(v, &f.at("distances"), faults, |row, path, faults| {
            Some(each(row, path, faults, |v, p, f| {
                number(v, p, 255, f).map(|n| n as u8)
            }))
        })
    });
    let hz = f.number("hz", u16::MAX.into(), faults);
    let thp = f
        .need("thp", faults)
        .and_then(|v| choice(v, &f.at("thp"), &THPS, faults));
    let costs = f
        .need("costs", faults)
        .and_then(|v| choice(v, &f.at("costs"), &ERAS, faults));
    let pcp = f
        .need("pcp", faults)
        .and_then(|v| flag(v, &f.at("pcp"), faults));
    let order = f
        .need("zonelist_order", faults)
        .and_then(|v| choice(v, &f.at("zonelist_order"), &ORDERS, faults));
    let devices = f
        .get("devices")
        .map(|v| each(v, &f.at("devices"), faults, device));
    let tunables = f.words("tunables", faults);
    f.finish(faults);
    if faults.len() > before {
        return None;
    }
    Some(MachineProfile {
        id: id?,
        title: title?,
        arch: arch?,
        page_size_kib: page_size_kib? as u32,
        zones,
        nodes: nodes?,
        distances: distances?,
        hz: hz? as u16,
        thp: thp?,
        costs: costs?,
        pcp: pcp?,
        zonelist_order: order?,
        devices,
        tunables,
    })
}

fn device(value: &Value, path: &str, faults: &mut Faults) -> Option<DeviceProfile> {
    let mut f = Fields::of(value, path, faults)?;
    let id = f.text("id", faults);
    let model = f
        .need("model", faults)
        .and_then(|v| choice(v, &f.at("model"), &DeviceModel::NAMES, faults));
    let bytes_per_s = f
        .get("bytes_per_s")
        .and_then(|v| number(v, &f.at("bytes_per_s"), u64::MAX, faults));
    let capacity_kib = f
        .get("capacity_kib")
        .and_then(|v| number(v, &f.at("capacity_kib"), u64::MAX, faults));
    let files = f
        .need("files", faults)
        .and_then(|v| flag(v, &f.at("files"), faults));
    let swap = f.number_or("swap", u64::MAX, 0, faults);
    f.finish(faults);
    Some(DeviceProfile {
        id: id?,
        model: model?,
        bytes_per_s,
        capacity_kib,
        files: files?,
        swap,
    })
}

fn zone_type(word: &str, path: &str, faults: &mut Faults) -> Option<ZoneType> {
    let found = ZoneType::from_name(word);
    if found.is_none() {
        let known = row(&mut ZoneType::ALL.into_iter().map(ZoneType::name));
        let word = json::text(word);
        let reason = format!("{word} is no zone type; known are {known}");
        fault(faults, path, reason);
    }
    found
}

fn border(value: &Value, path: &str, faults: &mut Faults) -> Option<ZoneBorder> {
    let mut f = Fields::of(value, path, faults)?;
    let word = f.text("kind", faults);
    let kind = word.and_then(|word| zone_type(&word, &f.at("kind"), faults));
    let below_pfn = f
        .get("below_pfn")
        .and_then(|v| number(v, &f.at("below_pfn"), u64::MAX, faults));
    f.finish(faults);
    Some(ZoneBorder {
        kind: kind?,
        below_pfn,
    })
}

fn node(value: &Value, path: &str, faults: &mut Faults) -> Option<NodeProfile> {
    let mut f = Fields::of(value, path, faults)?;
    let id = f
        .get("id")
        .and_then(|v| number(v, &f.at("id"), u16::MAX.into(), faults));
    let ranges = f
        .need("ranges", faults)
        .map(|v| each(v, &f.at("ranges"), faults, range));
    let cpus = f.number("cpus", u16::MAX.into(), faults);
    let reserved = reserved(&mut f, faults);
    let movable_from_pfn = f
        .get("movable_from_pfn")
        .and_then(|v| number(v, &f.at("movable_from_pfn"), u64::MAX, faults));
    f.finish(faults);
    Some(NodeProfile {
        id: id.map(|id| id as u16),
        ranges: ranges?,
        cpus: cpus? as u16,
        reserved,
        movable_from_pfn,
    })
}

fn reserved(f: &mut Fields<'_>, faults: &mut Faults) -> Map<ZoneType, u64> {
    let path = f.at("reserved");
    let Some(value) = f.get("reserved") else {
        return Map::new();
    };
    let Value::Object(map) = value else {
        list(value, &path, faults);
        return Map::new();
    };
    let entries = map.iter().filter_map(|(name, pages)| {
        let path = format!("{path}.{name}");
        Some((
            zone_type(name, &path, faults)?,
            number(pages, &path, u64::MAX, faults)?,
        ))
    });
    entries.collect()
}

fn range(value: &Value, path: &str, faults: &mut Faults) -> Option<MemRange> {
    let mut f = Fields::of(value, path, faults)?;
    let start_pfn = f.number("start_pfn", u64::MAX, faults);
    let pages = f.number("pages", u64::MAX, faults);
    f.finish(faults);
    Some(MemRange {
        start_pfn: start_pfn?,
        pages: pages?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Links made before machines had devices.
    #[test]
    fn a_machine_without_devices_has_the_usual_ones() {
        let mut profile = crate::profile::find("x86_64-3g").expect("a ready-made machine");
        profile.devices = None;
        let text = serde_json::to_string(&profile).expect("a profile can be written");
        assert!(!text.contains("devices"));
        let value = crate::json::parse(&text).expect("JSON");
        let read = machine(&value, "", &mut Vec::new()).expect("it is read");
        let disk = &read.devices_in_force()[0];
        assert_eq!((disk.model, disk.files), (DeviceModel::Disk2010, true));
        assert_eq!(disk.swap, read.present_pages() * 4);
    }

    #[test]
    fn every_ready_made_machine_is_read_as_it_is_written() {
        for profile in crate::profile::profiles() {
            let value = serde_json::to_string(&profile).expect("a profile can be written");
            let value = crate::json::parse(&value).expect("JSON");
            let mut faults = Vec::new();
            assert_eq!(
                machine(&value, "", &mut faults),
                Some(profile),
                "{faults:?}"
            );
        }
    }
}
