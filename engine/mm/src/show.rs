//! Values in readable form: numbers, zones, orders, pages, flags.
//!
//! Modelled: the rules for numbers and names in the user interface (commas, hex page numbers).
//! Left out: layout, which belongs to the page.
//! Invariants: the same thing has the same name everywhere.

use crate::gfp::{AllocFlags, Gfp, migratetype_name};
use crate::kernel::BlockReserve;
use crate::page_alloc::Request;
use crate::view::{Local, Span};
use crate::vmscan::LRU_NAMES;
use crate::world::World;
use facts::index::{FrameIndex, GroupIndex, LruvecIndex, NodeIndex, ZoneIndex};

/// Names of the watermarks by index.
pub const MARKS: [&str; 3] = ["min", "low", "high"];

/// A number such as "12,345", with a real minus sign.
pub fn commas(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + 4);
    if n < 0 {
        out.push('\u{2212}');
    }
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// The name of a zone, such as "DMA32 on node 0".
pub fn zone_name(w: &World, zone: ZoneIndex) -> String {
    let z = &w.mem.zones[zone];
    let node = w.node_id(z.node);
    format!("{} on node {node}", w.zone_type(z.kind).name())
}

/// The owner of LRU lists: "node 0", or "DMA32 on node 0".
pub fn owner_name(w: &World, owner: LruvecIndex) -> String {
    let l = &w.mem.lruvecs[owner];
    let of = w.mem.group_of_lists(owner);
    if !of.is_root() {
        format!("{} on node {}", group_name(w, of), w.node_id(l.node))
    } else if l.zone.is_none() {
        format!("node {}", w.node_id(l.node))
    } else {
        zone_name(w, l.zone)
    }
}

/// The name of a migrate type, such as "Movable".
pub fn type_name(w: &World, t: u8) -> &'static str {
    migratetype_name(
        t,
        w.facts.features.block_reserve == BlockReserve::HighAtomic,
    )
}

fn local(name: &str, value: String, refers: Option<Span>) -> Option<Local> {
    let name = name.to_string();
    Some(Local {
        name,
        value,
        refers,
    })
}

/// A number.
pub fn number(_: &World, name: &str, n: impl Into<i64>) -> Option<Local> {
    local(name, commas(n.into()), None)
}

/// A node, by its number on the machine.
pub fn node(w: &World, name: &str, node: NodeIndex) -> Option<Local> {
    number(w, name, w.node_id(node))
}

/// A word.
pub fn text(_: &World, name: &str, value: &str) -> Option<Local> {
    local(name, value.to_string(), None)
}

/// "yes" or "no".
pub fn yes_no(w: &World, name: &str, is: bool) -> Option<Local> {
    text(w, name, if is { "yes" } else { "no" })
}

/// A zone, unless the zone is `u8::MAX`.
pub fn zone(w: &World, name: &str, zone: ZoneIndex) -> Option<Local> {
    if zone.is_none() {
        return None;
    }
    let key = w.zone_key(zone);
    let span = Span::Zone {
        text: zone_name(w, zone),
        key: key.clone(),
    };
    local(name, key, Some(span))
}

/// A zone type.
pub fn zone_type(w: &World, name: &str, kind: u8) -> Option<Local> {
    text(w, name, w.zone_type(kind).name())
}

/// The owner of LRU lists.
pub fn owner(w: &World, name: &str, owner: LruvecIndex) -> Option<Local> {
    text(w, name, &owner_name(w, owner))
}

/// The name of a memory cgroup.
pub fn group_name(w: &World, group: GroupIndex) -> &str {
    let given = group.index().checked_sub(1);
    let found = given.and_then(|i| w.facts.groups.all.get(i));
    found.map_or("root", |group| group.name.as_str())
}

/// A memory cgroup, unless there is none.
pub fn group(w: &World, name: &str, group: GroupIndex) -> Option<Local> {
    if group.is_none() {
        return None;
    }
    text(w, name, group_name(w, group))
}

/// An LRU list.
pub fn lru(w: &World, name: &str, lru: u8) -> Option<Local> {
    text(w, name, LRU_NAMES[usize::from(lru)])
}

/// A page, unless there is none.
pub fn page(w: &World, name: &str, frame: FrameIndex) -> Option<Local> {
    if frame == FrameIndex::NONE {
        return None;
    }
    let pfn = w.mem.pfn(frame);
    let text = format!("{pfn:#x}");
    local(name, text.clone(), Some(Span::Page { text, pfn }))
}

/// A migrate type.
pub fn migratetype(w: &World, name: &str, t: u8) -> Option<Local> {
    text(w, name, type_name(w, t))
}

/// A watermark.
pub fn mark(w: &World, name: &str, mark: u8) -> Option<Local> {
    text(w, name, MARKS[usize::from(mark)])
}

/// The gfp flags of an allocation.
pub fn gfp(w: &World, name: &str, gfp: Gfp) -> Option<Local> {
    text(w, name, &gfp.to_string())
}

/// Allocation flags, such as "ALLOC_HIGH|ALLOC_CPUSET".
pub fn flags(w: &World, name: &str, flags: AllocFlags) -> Option<Local> {
    let names = flags.names().collect::<Vec<_>>().join("|");
    text(w, name, if names.is_empty() { "0" } else { &names })
}

/// A block device.
pub fn disk(w: &World, name: &str, device: u8) -> Option<Local> {
    text(w, name, &w.facts.devices[usize::from(device)].profile.id)
}

/// The locals that every function of an allocation has.
pub fn request(w: &World, _: &str, rq: &Request) -> Vec<Local> {
    let locals = [
        number(w, "order", rq.order),
        gfp(w, "gfp_mask", rq.gfp),
        migratetype(w, "migratetype", rq.migratetype),
        node(w, "preferred_nid", w.home(rq.node)),
        zone_type(w, "highest_zone", rq.high),
    ];
    locals.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::commas;

    #[test]
    fn numbers_have_commas_and_a_real_minus_sign() {
        assert_eq!(commas(0), "0");
        assert_eq!(commas(999), "999");
        assert_eq!(commas(1213), "1,213");
        assert_eq!(commas(-1234567), "\u{2212}1,234,567");
    }
}
