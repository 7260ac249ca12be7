//! What does not change while an experiment runs.

use mm::experiment::Experiment;
use mm::kernel::BlockReserve;
use mm::machine::Machine;
use mm::map::ranges;
use mm::view::{Info, NodeInfo};
use mm::world::World;

/// The facts of a machine's experiment that the page shows and that do not change.
pub fn info(m: &Machine, e: &Experiment) -> Info {
    let w = &m.w;
    let g = w.facts.layout.geometry;
    let frames: u64 = w.mem.zones.iter().map(|z| u64::from(z.present)).sum();
    let highatomic = w.facts.features.block_reserve == BlockReserve::HighAtomic;
    let types = 0..mm::gfp::TYPES;
    Info {
        experiment: e.raw.id.clone(),
        title: e.raw.title.clone(),
        kernel: e.kernel.id.to_string(),
        machine: e.machine.id.clone(),
        machine_title: e.machine.title.clone(),
        workload: e.workload.id.clone(),
        seed: e.seed,
        length_ns: e.length_ns,
        page_size: 1 << g.page_shift,
        orders: g.orders.into(),
        pageblock_order: g.pageblock_order.into(),
        zone_types: w
            .facts
            .layout
            .zone_types
            .iter()
            .map(|z| z.name().to_string())
            .collect(),
        migratetypes: types
            .map(|t| mm::gfp::migratetype_name(t, highatomic).to_string())
            .collect(),
        nodes: (0..w.facts.layout.nodes.len())
            .map(|n| node_info(w, n))
            .collect(),
        frames,
        teaching: frames <= 3100,
        hz: w.facts.layout.hz.into(),
        state_bytes: m.bytes() as u64,
    }
}

fn node_info(w: &World, n: usize) -> NodeInfo {
    let node = &w.facts.layout.nodes[n];
    NodeInfo {
        id: node.id.into(),
        cpus: node.cpus.iter().map(|&c| c.into()).collect(),
        distances: w.facts.layout.distances[n]
            .iter()
            .map(|&d| d.into())
            .collect(),
        ranges: ranges(w, n),
        absent: absent(w, n),
    }
}

/// Zones between DMA and Normal that other nodes have and this one lacks, with the reason.
fn absent(w: &World, n: usize) -> Vec<(String, String)> {
    let layout = &w.facts.layout;
    let node = &layout.nodes[n];
    let ranges = ranges(w, n);
    let first = ranges.iter().map(|r| r.0).min().unwrap_or(0);
    let mut out = Vec::new();
    for (k, zone) in node.zones.iter().enumerate() {
        let elsewhere = layout.nodes.iter().any(|o| o.zones[k].is_populated());
        if zone.is_populated() || !elsewhere {
            continue;
        }
        let others = layout
            .nodes
            .iter()
            .map(|o| &o.zones[k])
            .filter(|z| z.is_populated());
        let below = others.map(|z| z.end_pfn()).max().unwrap_or(0) <= first;
        let reason = if ranges.is_empty() {
            format!("node {} has no memory", node.id)
        } else if below {
            format!("node {} starts above it", node.id)
        } else {
            format!("node {} ends below it", node.id)
        };
        out.push((zone.kind.name().to_string(), reason));
    }
    out
}
