//! Facts that do not change while an experiment runs.

use mm::experiment::Experiment;
use mm::frames::absent_lines;
use mm::kernel::{BlockReserve, Compaction};
use mm::layout::Layout;
use mm::map::ranges;
use mm::view::{CompactionIs, Info, NodeInfo, Opened};
use mm::workload::{Op, Program};
use mm::world::Facts;

/// The description of an experiment that was opened.
pub fn opened(facts: &Facts, e: &Experiment) -> Opened {
    Opened {
        info: info(facts, e),
        canonical: e.canonical(),
        key: e.key().to_string(),
    }
}

/// The facts of an experiment that the page shows and that do not change.
pub fn info(facts: &Facts, e: &Experiment) -> Info {
    let layout = &facts.layout;
    let g = layout.geometry;
    let zones = layout.zones().filter(|zone| zone.is_populated());
    let frames = zones.flat_map(|zone| &zone.ranges).map(|r| r.pages).sum();
    let highatomic = facts.features.block_reserve == BlockReserve::HighAtomic;
    let types = 0..mm::gfp::TYPES;
    Info {
        experiment: e.raw.id.clone(),
        title: e.raw.title.clone(),
        kernel: e.kernel.id.to_string(),
        absent_lines: absent_lines(&facts.features)
            .into_iter()
            .map(|(function, line)| (function.into(), line.into()))
            .collect(),
        machine: e.machine.id.clone(),
        machine_title: e.machine.title.clone(),
        workload: e.workload.id.clone(),
        seed: e.seed,
        length_ns: e.length_ns,
        page_size: 1 << g.page_shift,
        orders: g.orders.into(),
        pageblock_order: g.pageblock_order.into(),
        compaction: match facts.features.compaction {
            Compaction::Whole => CompactionIs::Here,
            Compaction::NotBuilt => CompactionIs::NotBuilt,
            Compaction::NotModelled => CompactionIs::NotModelled,
        },
        largest_order: largest_order(&facts.programs),
        zone_types: layout
            .zone_types
            .iter()
            .map(|z| z.name().to_string())
            .collect(),
        migratetypes: types
            .map(|t| mm::gfp::migratetype_name(t, highatomic).to_string())
            .collect(),
        has_threads: facts.balances,
        nodes: (0..layout.nodes.len())
            .map(|n| node_info(layout, n))
            .collect(),
        frames,
        teaching: frames <= 4096,
        hz: layout.hz.into(),
    }
}

/// The highest order that programs request.
fn largest_order(programs: &[Program]) -> u32 {
    let ops = programs.iter().flat_map(|p| &p.ops);
    let orders = ops.filter_map(|op| match op {
        Op::Alloc { order, .. } => Some((*order).into()),
        _ => None,
    });
    orders.max().unwrap_or(0)
}

fn node_info(layout: &Layout, n: usize) -> NodeInfo {
    let node = &layout.nodes[n];
    NodeInfo {
        id: node.id.into(),
        cpus: node.cpus.iter().map(|&c| c.get().into()).collect(),
        distances: layout.distances[n].iter().map(|&d| d.into()).collect(),
        ranges: ranges(layout, n),
        absent: absent(layout, n),
    }
}

/// Zones between DMA and Normal that other nodes have and this one lacks, with the reason.
fn absent(layout: &Layout, n: usize) -> Vec<(String, String)> {
    let node = &layout.nodes[n];
    let ranges = ranges(layout, n);
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
