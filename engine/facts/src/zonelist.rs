//! Zonelists: the order in which a node's allocations try the zones of all nodes (mm/page_alloc.c).
//!
//! Modelled: `build_zonelists`, `find_next_best_node` with its tie-breaking `node_load`,
//! `default_zonelist_order`, both orders of the old kernels.
//! Left out: boot options that renumber nodes; hotplug, which would preserve the earlier `node_load`.
//! Visible difference: a machine whose nodes came up one by one may break ties differently.
//! Invariants: a node's list contains each populated zone of the machine exactly once; in node order it
//! begins with the node's own highest zone if the node has memory.

use crate::arch::ZoneType;
use crate::kernel::{Features, NodeLoad, ZonelistOrder};
use crate::layout::{Layout, ZoneLayout};
use crate::profile::ZonelistChoice;

/// One entry of a zonelist (`struct zoneref`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ZoneRef {
    /// Index of the node in [`Layout::nodes`].
    pub node: usize,
    /// Index of the zone type in [`Layout::zone_types`].
    pub zone: usize,
}

/// The lists of one node (`node_zonelists`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Zonelist {
    /// The nodes as seen from this one: itself, then nearer nodes before farther ones.
    pub node_order: Vec<usize>,
    /// The fallback list (`ZONELIST_FALLBACK`): populated zones of all nodes.
    pub fallback: Vec<ZoneRef>,
    /// The node's own populated zones, highest first (`ZONELIST_NOFALLBACK`, `__GFP_THISNODE`).
    pub this_node: Vec<ZoneRef>,
}

/// `build_zonelists` for every node, by node index.
pub fn build_zonelists(
    layout: &Layout,
    features: &Features,
    requested: ZonelistChoice,
) -> Vec<Zonelist> {
    let order = zonelist_order(layout, features, requested);
    let (node_orders, _) = node_orders(layout, features);
    node_orders
        .into_iter()
        .enumerate()
        .map(|(node, node_order)| Zonelist {
            fallback: match order {
                ZonelistChoice::Zone => zones_in_zone_order(layout, &node_order),
                _ => zones_in_node_order(layout, &node_order),
            },
            this_node: zones_in_node_order(layout, &[node]),
            node_order,
        })
        .collect()
}

/// The order in force, never `Default`: the configured order, if the kernel still has the setting, otherwise
/// the choice of `default_zonelist_order`.
pub fn zonelist_order(
    layout: &Layout,
    features: &Features,
    requested: ZonelistChoice,
) -> ZonelistChoice {
    match (features.zonelist_order, requested) {
        (ZonelistOrder::NodeOnly, _) => ZonelistChoice::Node,
        (ZonelistOrder::Auto, ZonelistChoice::Default) => default_zonelist_order(layout),
        (ZonelistOrder::Auto, chosen) => chosen,
    }
}

/// `default_zonelist_order`: zone order spares the low zones. Node order is used if there are no low zones,
/// or if they make up most of a node.
fn default_zonelist_order(layout: &Layout) -> ZonelistChoice {
    let pages = |zones: &[ZoneLayout], low_only: bool| -> u64 {
        zones
            .iter()
            .filter(|zone| !low_only || zone.kind < ZoneType::Normal)
            .map(|zone| zone.present)
            .sum()
    };
    let lacks_normal = |zones: &[ZoneLayout]| {
        let normal = zones.iter().find(|zone| zone.kind == ZoneType::Normal);
        normal.is_none_or(|zone| !zone.is_populated())
    };
    let nodes = || layout.nodes.iter().map(|node| node.zones.as_slice());
    let low: u64 = nodes().map(|zones| pages(zones, true)).sum();
    let total: u64 = nodes().map(|zones| pages(zones, false)).sum();
    if nodes().any(lacks_normal) || low == 0 || low > total / 2 {
        return ZonelistChoice::Node;
    }
    let with_memory = nodes().filter(|zones| pages(zones, false) > 0).count() as u64;
    let average = total / (with_memory + 1);
    let is_mostly_low = |zones: &[ZoneLayout]| {
        let (low, total) = (pages(zones, true), pages(zones, false));
        low > 0 && total > average && low > total * 70 / 100
    };
    if nodes().any(is_mostly_low) {
        ZonelistChoice::Node
    } else {
        ZonelistChoice::Zone
    }
}

/// Node by node, each from its highest zone down.
fn zones_in_node_order(layout: &Layout, node_order: &[usize]) -> Vec<ZoneRef> {
    node_order
        .iter()
        .flat_map(|&node| {
            let zones = &layout.nodes[node].zones;
            (0..zones.len())
                .rev()
                .filter(|&zone| zones[zone].is_populated())
                .map(move |zone| ZoneRef { node, zone })
        })
        .collect()
}

/// Zone type by zone type from the highest down, each over the nodes.
fn zones_in_zone_order(layout: &Layout, node_order: &[usize]) -> Vec<ZoneRef> {
    (0..layout.zone_types.len())
        .rev()
        .flat_map(|zone| node_order.iter().map(move |&node| ZoneRef { node, zone }))
        .filter(|at| layout.nodes[at.node].zones[at.zone].is_populated())
        .collect()
}

/// The node order of every node, and the final `node_load`. Lists are built in node order. Each list adds to
/// the load of the first node in every group of equally near nodes, so that the next list prefers others.
pub fn node_orders(layout: &Layout, features: &Features) -> (Vec<Vec<usize>>, Vec<u64>) {
    let mut node_load = vec![0; layout.nodes.len()];
    let orders = (0..layout.nodes.len())
        .map(|local| node_order(layout, features, local, &mut node_load))
        .collect();
    (orders, node_load)
}

fn node_order(
    layout: &Layout,
    features: &Features,
    local: usize,
    node_load: &mut [u64],
) -> Vec<usize> {
    let distance = |node: usize| layout.distances[local][node];
    let mut load = layout.nodes.len() as u64;
    let mut order = vec![local];
    let mut previous = local;
    while let Some(node) = find_next_best_node(layout, features, local, &order, node_load) {
        load = load.saturating_sub(1);
        if distance(node) != distance(previous) {
            match features.node_load {
                NodeLoad::Falling => node_load[node] = load,
                NodeLoad::Rising => node_load[node] += 1,
            }
        }
        order.push(node);
        previous = node;
    }
    order
}

/// `find_next_best_node`: the nearest node with memory that is not yet in the list. Nodes with a lower number
/// than the local one and nodes with CPUs count as a little farther; loads break ties.
fn find_next_best_node(
    layout: &Layout,
    features: &Features,
    local: usize,
    used: &[usize],
    node_load: &[u64],
) -> Option<usize> {
    const PENALTY_FOR_NODE_WITH_CPUS: u64 = 1;
    let max_numnodes = layout.geometry.arch.max_numnodes();
    let factor = match features.node_load {
        NodeLoad::Falling => layout.nodes.len() as u64 * max_numnodes,
        NodeLoad::Rising => max_numnodes,
    };
    let penalty = |node: usize| {
        let mut value = u64::from(layout.distances[local][node]);
        value += u64::from(node < local);
        if !layout.nodes[node].cpus.is_empty() {
            value += PENALTY_FOR_NODE_WITH_CPUS;
        }
        value * factor + node_load[node]
    };
    (0..layout.nodes.len())
        .filter(|node| !used.contains(node) && layout.nodes[*node].present() > 0)
        .min_by_key(|&node| penalty(node))
}
