//! Views of nodes and zones.

use mm::index::{NodeIndex, ZoneIndex};
use mm::machine::Machine;
use mm::mmzone::{
    Gauge, LRU_ACTIVE_ANON, LRU_ACTIVE_FILE, LRU_INACTIVE_ANON, LRU_INACTIVE_FILE, LRU_UNEVICTABLE,
    PageKind, Zone,
};
use mm::view::{FallbackView, NodeView, PAGE_STATES, PageState, ZoneView};
use mm::world::World;

use crate::{memory, queues};

/// Every node.
pub fn nodes(m: &Machine) -> Vec<NodeView> {
    let w = &m.w;
    let states = w.kswapd.iter().zip(&w.pgdat).zip(w.kswapd.indices());
    states
        .map(|((k, pgdat), node)| NodeView {
            id: w.node_id(node).into(),
            kswapd_awake: k.awake,
            kswapd_wakes: k.wakes,
            kswapd_passes: k.passes,
            kswapd_cpu_ns: w.sched.cpu_time(k.task, (w.cpu, w.now)),
            kswapd_order: k.order.into(),
            kswapd_since_ns: k.since_ns,
            kswapd_napping: k.napping,
            kswapd_failures: pgdat.kswapd_failures.into(),
            first_fallback: first_fallback(w, node),
            queues: queues::of_node(m, node),
            memory: memory::of_node(w, node),
        })
        .collect()
}

/// The time at which another node first served a request for this node.
fn first_fallback(w: &World, node: NodeIndex) -> Option<FallbackView> {
    let first = w.fallbacks[node];
    (first.step > 0).then(|| FallbackView {
        step: first.step,
        time_ns: first.at_ns,
        task: first.task.get(),
        zone: w.zone_key(first.zone),
    })
}

/// One zone.
pub fn zone_view(w: &World, id: ZoneIndex) -> ZoneView {
    let z = &w.mem.zones[id];
    let (node, kind) = (z.node.index(), usize::from(z.kind));
    let layout = &w.facts.layout.nodes[node].zones[kind];
    let types = mm::gfp::TYPES;
    let lists = |order| {
        (0..types)
            .map(move |t| u64::from(w.mem.lists.len(w.mem.free_list(id, order, t))))
            .collect()
    };
    let mut blocks = vec![0; types.into()];
    let order = w.mem.pageblock_order;
    let heads = z.first.head(order).until(z.end()).step_by(1 << order);
    for (first, &t) in heads.zip(zone_blocks(w, z)) {
        if w.mem.pages[first].kind() != PageKind::Absent {
            blocks[usize::from(t)] += 1;
        }
    }
    ZoneView {
        key: w.zone_key(id),
        node: w.node_id(z.node).into(),
        name: w.zone_type(z.kind).name().to_string(),
        start_pfn: layout.start_pfn,
        spanned: layout.spanned,
        present: z.present.into(),
        managed: z.managed.into(),
        free: z.nr_free_pages.into(),
        pcp: z.kinds[PageKind::Pcp as usize].into(),
        min: z.mark(0).into(),
        low: z.mark(1).into(),
        high: z.mark(2).into(),
        boost: z.boost.into(),
        protection: z.protection[..w.facts.layout.zone_types.len()]
            .iter()
            .map(|&p| p.into())
            .collect(),
        states: states(z),
        nr_free: z.nr_free[..w.mem.orders.into()]
            .iter()
            .map(|&n| n.into())
            .collect(),
        free_lists: (0..w.mem.orders).map(lists).collect(),
        blocks,
    }
}

fn zone_blocks<'a>(w: &'a World, z: &Zone) -> &'a [u8] {
    let shift = w.mem.pageblock_order;
    &w.mem.blocks[z.first.block(shift)..z.end().block(shift)]
}

/// Pages of a zone by state. Dirty pages and pages being written are subtracted from the inactive list first,
/// where most of them are, because the counters do not say on which list each page is.
fn states(z: &Zone) -> Vec<u64> {
    let mut out = vec![0; PAGE_STATES];
    let mut add = |state: PageState, pages: u32| out[state as usize] += u64::from(pages);
    let kind = |k: PageKind| z.kinds[k as usize];
    let listed = |lru: u8| z.lru[usize::from(lru)];
    add(PageState::Free, kind(PageKind::Free) + kind(PageKind::Pcp));
    add(PageState::Huge, kind(PageKind::HugeAnon));
    add(PageState::PageTable, kind(PageKind::PageTable));
    add(
        PageState::Slab,
        kind(PageKind::Kernel) + kind(PageKind::Slab),
    );
    add(PageState::Reserved, kind(PageKind::Reserved));
    add(PageState::AnonActive, listed(LRU_ACTIVE_ANON));
    add(PageState::AnonInactive, listed(LRU_INACTIVE_ANON));
    let mut busy = z.gauge(Gauge::Dirty) + z.gauge(Gauge::Writeback);
    for (state, lru) in [
        (PageState::FileInactive, LRU_INACTIVE_FILE),
        (PageState::FileActive, LRU_ACTIVE_FILE),
    ] {
        let taken = busy.min(listed(lru));
        busy -= taken;
        add(state, listed(lru) - taken);
    }
    add(PageState::Dirty, z.gauge(Gauge::Dirty));
    add(
        PageState::Writeback,
        z.gauge(Gauge::Writeback) - busy.min(z.gauge(Gauge::Writeback)),
    );
    let lists: u32 = z.lru[..4].iter().sum();
    let lists = lists + z.lru[usize::from(LRU_UNEVICTABLE)];
    add(PageState::AnonInactive, z.lru[usize::from(LRU_UNEVICTABLE)]);
    let pages = kind(PageKind::Anon) + kind(PageKind::File);
    add(
        PageState::Isolated,
        kind(PageKind::InFlight) + pages.saturating_sub(lists),
    );
    out
}
