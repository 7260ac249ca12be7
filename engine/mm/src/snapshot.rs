//! The numbers of one step from which the /proc files are printed, independent of the machine.
//!
//! Modelled: everything that a file prints and the experiment does not determine.
//! Left out: layout, kernel and zonelist order, which never change during a run.
//! Invariants: nothing here refers to the machine.

use crate::counters::Counters;
use crate::gfp::TYPES;
use crate::mmzone::{GAUGES, LRU_LISTS, LruGen, PageKind, Zone};
use crate::procfs::lru_gen::{LruGenFiles, LruGenGroup, LruGenNode, TierCounts};
use crate::tunables::Tunables;
use crate::vmscan::{ANON, FILE, MAX_RECLAIM_RETRIES, zone_reclaimable};
use crate::world::World;
use facts::index::{FrameIndex, GroupIndex, LruvecIndex, NodeIndex, ZoneIndex};

/// The data of the files at one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Current tunables.
    pub tunables: Tunables,
    /// Event counts since boot.
    pub counters: Counters,
    /// Number of free swap slots.
    pub swap_free: u64,
    /// Populated zones, in the order of [`populated_zones`].
    pub zones: Vec<ZoneNow>,
    /// The generations and switches of the multi-generational LRU.
    pub lru_gen: LruGenFiles,
}

/// The data of the files for one zone, in pages unless noted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ZoneNow {
    /// Number of free pages.
    pub free: u64,
    /// Watermark boost.
    pub boost: u64,
    /// Rest of the zone's batch (NR_ALLOC_BATCH), 0 if it is overdrawn.
    pub alloc_batch: u64,
    /// Number of free blocks by order and migrate type.
    pub free_lists: Vec<[u64; TYPES as usize]>,
    /// Number of pageblocks by migrate type.
    pub blocks: [u64; TYPES as usize],
    /// Number of pages on the per-cpu list of each CPU.
    pub pcp_count: Vec<u64>,
    /// Pages a per-cpu list may hold.
    pub pcp_high: u64,
    /// Pages moved between per-cpu lists and buddy lists in one batch.
    pub pcp_batch: u64,
    /// numa_hit, numa_miss, numa_foreign, numa_interleave, numa_local, numa_other.
    pub numa: [u64; 6],
    /// Anonymous pages without huge pages.
    pub anon: u64,
    /// Pages in anonymous huge pages.
    pub huge: u64,
    /// Pages used for page tables.
    pub page_tables: u64,
    /// Pages of files in the page cache.
    pub file: u64,
    /// Pages on each LRU list.
    pub lru: [u64; LRU_LISTS],
    /// Pages by [`crate::mmzone::Gauge`].
    pub gauge: [u64; GAUGES],
    /// Isolated pages, anonymous and file; if a node owns the lists, its first zone reports them.
    pub isolated: [u64; 2],
    /// Pages written while reclaimers waited for them (`nr_throttled_written`); the node's first
    /// zone reports them.
    pub throttled_written: u64,
    /// Tree nodes that hold only shadow entries (`workingset_nodes`); the node's first zone reports
    /// them.
    pub shadow_nodes: u64,
    /// Pages scanned since a page was last freed.
    pub scanned: u64,
    /// 1 if reclaim has given up on the zone.
    pub unreclaimable: u64,
}

impl Snapshot {
    /// The numbers of the machine's current state.
    pub fn of(w: &World) -> Snapshot {
        let zones = w.mem.zones.entries();
        Snapshot {
            tunables: w.tunables.clone(),
            counters: w.counters.clone(),
            swap_free: w.swap.free_slots().into(),
            zones: zones.map(|(id, zone)| zone_now(w, id, zone)).collect(),
            lru_gen: lru_gen(w),
        }
    }
}

fn lru_gen(w: &World) -> LruGenFiles {
    if !w.facts.features.lru_gen.is_modelled() {
        return LruGenFiles::default();
    }
    LruGenFiles {
        nodes: generations(w),
        enabled: w.tunables.lru_gen_enabled & w.facts.lru_gen_mask,
        min_ttl_ms: w.tunables.lru_gen_min_ttl_ms,
    }
}

/// The generations of each node with memory, for each memory cgroup in the order of the tree. A machine that has
/// never switched them on has the generations of the boot.
pub fn generations(w: &World) -> Vec<LruGenNode> {
    let at_boot = LruGen::new();
    let groups = w.memcg.memory.preorder(GroupIndex::ROOT);
    let in_order = |owner: &LruvecIndex| {
        let group = w.mem.group_of_lists(*owner);
        (groups.iter().position(|&at| at == group), *owner)
    };
    let mut owners: Vec<LruvecIndex> = w.mem.lruvecs.indices().collect();
    owners.sort_by_key(in_order);
    let node = |owner: LruvecIndex| {
        let gens = w.mem.lruvecs[owner].lru_gen.as_ref().unwrap_or(&at_boot);
        let mut node = LruGenNode {
            node: w.node_id(w.mem.lruvecs[owner].node),
            group: group_of(w, w.mem.group_of_lists(owner)),
            max_seq: gens.max_seq,
            min_seq: gens.min_seq,
            ..LruGenNode::default()
        };
        for (slot, &born_ns) in gens.born_ns.iter().enumerate() {
            let ticks = w.jiffies() - born_ns / u64::from(1_000_000_000 / w.facts.hz);
            node.age_ms[slot] = ticks * 1000 / u64::from(w.facts.hz);
            node.pages[slot] = [ANON, FILE].map(|file| w.mem.gen_pages(owner, slot, file).into());
        }
        for file in [ANON, FILE] {
            for (tier, counts) in node.tiers[file].iter_mut().enumerate() {
                *counts = TierCounts {
                    avg_refaulted: gens.avg_refaulted[file][tier],
                    avg_total: gens.avg_total[file][tier],
                    refaulted: gens.refaulted[file][tier],
                    evicted: gens.evicted[file][tier],
                    protected: gens.protected[file][tier],
                };
            }
        }
        node
    };
    owners.into_iter().map(node).collect()
}

/// The number and the path of a memory cgroup.
fn group_of(w: &World, group: GroupIndex) -> LruGenGroup {
    let path = w.memcg.memory.path(group);
    let names = path.filter(|at| !at.is_root());
    let mut names: Vec<&str> = names.map(|at| crate::show::group_name(w, at)).collect();
    names.reverse();
    LruGenGroup {
        id: u16::from(group.get()) + 1,
        path: format!("/{}", names.join("/")),
    }
}

fn zone_now(w: &World, id: ZoneIndex, z: &Zone) -> ZoneNow {
    let of = |kind: PageKind| u64::from(z.kinds[kind as usize]);
    let cpus = w.facts.node_of_cpu.indices();
    let len = |order, t| w.mem.lists.len(w.mem.free_list(id, order, t)).into();
    let row = |order| std::array::from_fn(|t| len(order, t as u8));
    let owner = &w.mem.lruvecs[z.lruvec];
    let pgdat = &w.pgdat[z.node];
    let first = w
        .mem
        .zones
        .entries()
        .find(|(_, other)| other.node == z.node);
    let is_first = first.is_some_and(|(first, _)| first == id);
    let unreclaimable = match owner.zone {
        ZoneIndex::NONE => pgdat.kswapd_failures >= MAX_RECLAIM_RETRIES,
        _ if w.facts.features.unreclaimable_computed => !zone_reclaimable(w, id),
        _ => owner.all_unreclaimable,
    };
    ZoneNow {
        free: z.nr_free_pages.into(),
        boost: z.boost.into(),
        alloc_batch: z.alloc_batch.max(0) as u64,
        free_lists: (0..w.mem.orders).map(row).collect(),
        blocks: pageblocks(w, z),
        pcp_count: cpus
            .map(|cpu| w.mem.pcp_count[w.mem.pcp_at(id, cpu)].into())
            .collect(),
        pcp_high: z.pcp_high.into(),
        pcp_batch: z.pcp_batch.into(),
        numa: z.numa,
        anon: of(PageKind::Anon),
        huge: of(PageKind::HugeAnon),
        page_tables: of(PageKind::PageTable),
        file: of(PageKind::File),
        lru: z.lru.map(u64::from),
        gauge: z.gauge.map(u64::from),
        isolated: match owner.zone {
            ZoneIndex::NONE if !is_first => [0; 2],
            _ => owner.isolated.map(u64::from),
        },
        throttled_written: if is_first {
            pgdat.nr_throttled_written
        } else {
            0
        },
        shadow_nodes: if is_first { shadow_nodes(w, z.node) } else { 0 },
        scanned: match owner.zone {
            ZoneIndex::NONE => 0,
            _ => owner.pages_scanned.into(),
        },
        unreclaimable: unreclaimable.into(),
    }
}

/// Tree nodes in a node's memory that hold only shadow entries.
fn shadow_nodes(w: &World, node: NodeIndex) -> u64 {
    let cache = &w.slab.caches[crate::slab::TREE_NODE];
    let objects = w.files.shadow_objects();
    objects.filter(|&o| cache.node_of(o) == node).count() as u64
}

/// Number of pageblocks by migrate type. A pageblock counts if its first frame exists. The zone's
/// first one counts even if the zone starts in the middle of it.
fn pageblocks(w: &World, z: &Zone) -> [u64; TYPES as usize] {
    let mut blocks = [0; TYPES as usize];
    let block = 1u32 << w.mem.pageblock_order;
    let exists = |f: &FrameIndex| w.mem.pages[*f].kind() != PageKind::Absent;
    let begin = z.all_frames().find(exists);
    for first in z.all_frames().step_by(block as usize) {
        let begins = begin.is_some_and(|f| f.head(w.mem.pageblock_order) == first);
        if begins || exists(&first) {
            blocks[usize::from(w.mem.block_type(first))] += 1;
        }
    }
    blocks
}
