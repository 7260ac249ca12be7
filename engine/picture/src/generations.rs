//! The generations of each node's pages.

use mm::frames::Frame;
use mm::machine::{Machine, Task};
use mm::mmzone::{LruGen, TIERS, gen_of_seq};
use mm::view::{AgingWalkView, GenerationView, GenerationsView, TierView};
use mm::vmscan::{ANON, FILE};

use mm::index::LruvecIndex;

use crate::reclaim::owner_key;

/// The generations of every set of lists; empty while the multi-generational LRU is off.
pub fn generations(m: &Machine) -> Vec<GenerationsView> {
    let mem = &m.w.mem;
    if !mem.lru_gen_on {
        return Vec::new();
    }
    let owners = mem.lruvecs.indices();
    let of = |owner| Some(view(m, owner, mem.lruvecs[owner].lru_gen.as_ref()?));
    owners.filter_map(of).collect()
}

fn view(m: &Machine, owner: LruvecIndex, gens: &LruGen) -> GenerationsView {
    let w = &m.w;
    let by_tier = tiers_of_pages(m, owner);
    let oldest = gens.min_seq[ANON].min(gens.min_seq[FILE]);
    let generation = |seq: u64| {
        let index = gen_of_seq(seq);
        let count = |file: usize| w.mem.gen_pages(owner, index, file).into();
        GenerationView {
            seq,
            born_ns: gens.born_ns[index],
            pages: [ANON, FILE].map(count).to_vec(),
            tiers: by_tier[index].map(|tiers| tiers.to_vec()).to_vec(),
        }
    };
    GenerationsView {
        key: owner_key(w, owner),
        node: w.node_id(w.mem.lruvecs[owner].node).into(),
        max_seq: gens.max_seq,
        min_seq: gens.min_seq.to_vec(),
        generations: (oldest..=gens.max_seq).map(generation).collect(),
        tiers: [ANON, FILE].map(|file| tiers(gens, file)).to_vec(),
        walking: m.tasks.iter().find_map(|task| walk(task, owner)),
    }
}

/// The walk over page tables for this owner that the task is in.
fn walk(task: &Task, owner: LruvecIndex) -> Option<AgingWalkView> {
    let process = task.stack.iter().find_map(|frame| match frame {
        Frame::WalkMm(walk) if walk.owner == owner => Some(walk.process),
        _ => None,
    })?;
    let walk = &task.cx.sc.gens.walk;
    Some(AgingWalkView {
        task: task.cx.task.get(),
        process,
        seq: walk.seq,
        scanned: walk.scanned.into(),
        young: walk.young.into(),
        promoted: walk.promoted.into(),
    })
}

/// Pages of an owner by generation, type and tier.
fn tiers_of_pages(m: &Machine, owner: LruvecIndex) -> [[[u64; TIERS]; 2]; mm::mmzone::MAX_NR_GENS] {
    let mem = &m.w.mem;
    let mut found = [[[0; TIERS]; 2]; mm::mmzone::MAX_NR_GENS];
    for (frame, page) in mem.pages.entries() {
        if let Some(generation) = mem.generation(frame)
            && mem.lruvec_of(frame) == owner
        {
            let tier = mm::mmzone::tier_of(mem.uses(frame));
            found[generation][usize::from(!page.is_anon())][tier] += 1;
        }
    }
    found
}

/// The refault controller's counts of a type.
fn tiers(gens: &LruGen, file: usize) -> Vec<TierView> {
    let tier = |tier: usize| TierView {
        refaulted: gens.refaulted[file][tier],
        evicted: gens.evicted[file][tier],
        protected: gens.protected[file][tier],
        avg_refaulted: gens.avg_refaulted[file][tier],
        avg_total: gens.avg_total[file][tier],
    };
    (0..TIERS).map(tier).collect()
}
