//! Opening a new generation (mm/vmscan.c, `try_to_inc_max_seq`, `inc_max_seq`, `should_run_aging`).
//!
//! Modelled: when aging is due; the round over all processes of a cgroup, which several reclaimers share; skipping
//! processes that have not run on any CPU since the node's last walk; carrying over the oldest of four
//! generations; the refault controller's averages.
//! Left out: 6.1's wait for another walker, contention for mmap_lock, 6.1's test of how small a process
//! is counts swapped and shared memory alike.
//! Visible difference: a process whose mmap_lock is held for writing is left out of a round in a kernel.
//! Invariants: max_seq grows by one; generations that lack swap are not carried over.

use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::lru_gen::MM_WALK;
use crate::mmzone::{LruGen, MAX_NR_GENS, MIN_NR_GENS, TIERS, flag, gen_of_seq};
use crate::record::decisions;
use crate::vmscan::lru_gen::walk::{WalkMm, reset_filter};
use crate::vmscan::lru_gen::{
    MIN_LRU_BATCH, Walk, ages_before, gens, gens_mut, pages_of_seq, types,
};
use crate::vmscan::{ANON, FILE};
use crate::world::World;
use facts::index::{FrameIndex, LruvecIndex, ZoneIndex};
use facts::state::State;

decisions! {
    AgeCold { lists: Lists, oldest: Count, youngest: Count }
        "None of the generations {oldest} to {youngest} is old enough to be evicted: a new generation is due.";
    AgeRich { lists: Lists, oldest: Count, youngest: Count }
        "Generations {oldest} to {youngest} exist, which is more than three: no new generation is due.";
    AgeYoung { lists: Lists, young: Count, total: Count }
        "The youngest generation has {young} of {total page}, more than half: a new generation is due.";
    AgeOld { lists: Lists, old: Count, total: Count }
        "The oldest generation has {old} of {total page}, less than a quarter: a new generation is due.";
    AgeNotDue { lists: Lists, old: Count, young: Count, total: Count }
        "Of {total page}, the youngest generation has {young} and the oldest has {old}: no new generation is due.";
    WalkStale { lists: Lists, seq: Count }
        "Another reclaimer has completed the round for generation {seq}: nothing is left to walk.";
    GenerationOpened { lists: Lists, seq: Count, inactive_anon: Count, inactive_file: Count }
        "The kernel opens generation {seq}. It now counts {inactive_anon anonymous page} and {inactive_file file page} as inactive.";
}

room! {
    TryToIncMaxSeq: "try_to_inc_max_seq" in "mm/vmscan.c" at "v6.1.176" line 4452;
    Simplified "No wait for other walkers, and no process is left out because its mmap_lock is held." if |f| f.lru_gen.is_modelled();
    InPt {
        Stale 0 Plain "this round was completed meanwhile: return false";
        Mm 0 Yields "iterate_mm_list(): the next process";
        Walked 1 Plain "walk_mm(): finished with that process";
        Inc 0 Yields "the last walker: inc_max_seq()";
    }
    locals(self, w) {
        lruvec: owner(self.owner);
        max_seq: number(self.seq as i64);
        can_swap: yes_no(self.can_swap);
        mm: number(self.process) if self.process != NONE;
    }
}

/// `try_to_inc_max_seq`. Returns 1 if it opened a generation.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct TryToIncMaxSeq {
    /// Current program point.
    pub pt: InPt,
    /// Owner of the lists.
    pub owner: LruvecIndex,
    /// The youngest generation when the caller found that a new one is due.
    pub seq: u64,
    /// True if anonymous pages also age.
    pub can_swap: bool,
    /// The process that was walked last.
    pub process: u32,
}

/// Whether a new generation is due, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// Due: only the two youngest generations are left (`age.none`).
    Cold,
    /// Not due: there are four generations (`age.rich`).
    Rich,
    /// Due: more than half of the pages are in the youngest generation.
    Young,
    /// Due: less than a quarter is in the oldest generation that may be evicted.
    Old,
    /// Not due.
    No,
}

impl Due {
    /// Is a new generation due?
    pub const fn is_due(self) -> bool {
        matches!(self, Self::Cold | Self::Young | Self::Old)
    }
}

/// Decides from the youngest generation, the oldest of the type that counts, and the numbers of
/// pages: in the youngest generation, in the one two before it, and in all.
pub fn due(max_seq: u64, oldest: u64, young: u32, old: u32, total: u32) -> Due {
    let [young, old, total] = [young, old, total].map(u64::from);
    if oldest + MIN_NR_GENS > max_seq {
        Due::Cold
    } else if oldest + MIN_NR_GENS < max_seq {
        Due::Rich
    } else if young * MIN_NR_GENS > total {
        Due::Young
    } else if old * (MIN_NR_GENS + 2) < total {
        Due::Old
    } else {
        Due::No
    }
}

/// `should_run_aging`: is a new generation due, and how many pages are there to scan?
pub(crate) fn should_run_aging(w: &mut World, owner: LruvecIndex, can_swap: bool) -> (Due, u32) {
    let g = gens(w, owner);
    let (max, min) = (g.max_seq, g.min_seq);
    let oldest = if can_swap { min[ANON] } else { min[FILE] };
    let (mut young, mut old, mut total) = (0, 0, 0);
    for file in types(can_swap) {
        for seq in min[file]..=max {
            let pages = pages_of_seq(w, owner, seq, file);
            total += pages;
            if seq == max {
                young += pages;
            } else if seq + MIN_NR_GENS == max {
                old += pages;
            }
        }
    }
    let due = due(max, oldest, young, old, total);
    record_due(w, owner, due, [oldest, max], [old, young, total]);
    match due {
        Due::Cold if !ages_before(w) => (due, 0),
        _ => (due, total),
    }
}

fn record_due(w: &mut World, lists: LruvecIndex, due: Due, seqs: [u64; 2], pages: [u32; 3]) {
    let [oldest, youngest] = seqs.map(|seq| seq as i64);
    let [old, young, total] = pages.map(i64::from);
    match due {
        Due::Cold => w.record(AgeCold {
            lists,
            oldest,
            youngest,
        }),
        Due::Rich => w.record(AgeRich {
            lists,
            oldest,
            youngest,
        }),
        Due::Young => w.record(AgeYoung {
            lists,
            young,
            total,
        }),
        Due::Old => w.record(AgeOld { lists, old, total }),
        Due::No => w.record(AgeNotDue {
            lists,
            old,
            young,
            total,
        }),
    }
}

impl TryToIncMaxSeq {
    /// Frame of a call by a reclaimer that found a new generation due when this one was the
    /// youngest.
    pub fn call(owner: LruvecIndex, seq: u64, can_swap: bool) -> Frame {
        Frame::TryToIncMaxSeq(Self {
            pt: InPt::Stale,
            owner,
            seq,
            can_swap,
            process: NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            InPt::Stale => self.stale(w, cx),
            InPt::Mm => self.next(w, cx, up),
            InPt::Walked => {
                self.pt = InPt::Mm;
                Flow::Next
            }
            InPt::Inc => {
                inc_max_seq(w, self.owner, self.can_swap);
                cx.ret = 1;
                Flow::Ret
            }
        }
    }

    fn stale(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let seq = self.seq;
        if seq <= gens(w, self.owner).walk.seq {
            w.record(WalkStale {
                lists: self.owner,
                seq: seq as i64,
            });
            cx.ret = 0;
            return Flow::Ret;
        }
        // A direct reclaimer gets a buffer for walks from now on.
        cx.sc.gens.has_walker = true;
        cx.sc.gens.walk = Walk {
            seq,
            can_swap: self.can_swap,
            ..Walk::default()
        };
        let walks = crate::lru_gen::has(w, MM_WALK);
        self.pt = if walks { InPt::Mm } else { InPt::Inc };
        if !walks {
            gens_mut(w, self.owner).walk.seq += 1;
        }
        Flow::Next
    }

    /// Takes the next process of the round (`iterate_mm_list`).
    fn next(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let owner = self.owner;
        let seq = self.seq;
        let processes = w.processes.all.len() as u32;
        if seq <= gens(w, owner).walk.seq {
            w.record(WalkStale {
                lists: owner,
                seq: seq as i64,
            });
            cx.ret = 0;
            return Flow::Ret;
        }
        let is_first = gens(w, owner).walk.next == 0;
        while gens(w, owner).walk.next < processes {
            let walk = &mut gens_mut(w, owner).walk;
            let process = walk.next;
            (walk.next, self.process) = (process + 1, process);
            cx.sc.gens.walk.force |= process >= walk.tail;
            if is_worth_a_walk(w, cx, owner, process) {
                if is_first {
                    reset_filter(&mut gens_mut(w, owner).walk, seq + 1);
                }
                self.pt = InPt::Walked;
                return up.call(WalkMm::call(owner, process), w, cx);
            }
        }
        let walk = &mut gens_mut(w, owner).walk;
        (walk.next, walk.tail) = (0, processes);
        walk.seq += 1;
        self.pt = InPt::Inc;
        Flow::Next
    }
}

/// Is the process in the cgroup, has it memory to walk, and has it run since the node's last walk
/// (`get_next_mm`)?
fn is_worth_a_walk(w: &mut World, cx: &Context, owner: LruvecIndex, process: u32) -> bool {
    let node = w.mem.lruvecs[owner].node;
    let skips_small = ages_before(w);
    let group = w.mem.group_of_lists(owner);
    let p = &mut w.processes.all[process as usize];
    if p.group != group {
        return false;
    }
    let small = skips_small && p.space.rss < MIN_LRU_BATCH;
    if p.users() == 0 || small {
        return false;
    }
    let bit = 1 << node.index();
    let ran = p.ran_on & bit != 0;
    p.ran_on &= !bit;
    ran || cx.sc.gens.walk.force
}

/// Opens a new generation (`inc_max_seq`): the second youngest one becomes inactive.
pub fn inc_max_seq(w: &mut World, owner: LruvecIndex, can_swap: bool) {
    for file in [FILE, ANON] {
        if gens(w, owner).nr_gens(file) == MAX_NR_GENS as u64 {
            if file == FILE || can_swap {
                carry_over(w, owner, file);
            }
            advance(gens_mut(w, owner), file, 1);
        }
    }
    let max = gens(w, owner).max_seq;
    let (older, reused) = (gen_of_seq(max - 1), gen_of_seq(max + 1));
    let zones: Vec<ZoneIndex> = w.mem.zones_of(owner).collect();
    for zone in zones {
        for file in [ANON, FILE] {
            let pages = w.mem.gen_pages_in(owner, zone, older, file);
            let delta = pages as i32 - w.mem.gen_pages_in(owner, zone, reused, file) as i32;
            for (lru, by) in [(2 * file, delta), (2 * file + 1, -delta)] {
                w.mem.count_listed(owner, zone, lru, by);
            }
        }
    }
    let now = w.now;
    let g = gens_mut(w, owner);
    g.max_seq += 1;
    g.born_ns[gen_of_seq(g.max_seq)] = now;
    let seq = g.max_seq as i64;
    let nr = w.mem.lruvecs[owner].nr;
    w.record(GenerationOpened {
        lists: owner,
        seq,
        inactive_anon: nr[0].into(),
        inactive_file: nr[2].into(),
    });
}

/// Moves all pages of the oldest generation to the tail of the next one (`inc_min_seq`).
fn carry_over(w: &mut World, owner: LruvecIndex, file: usize) {
    let oldest = gens(w, owner).min_seq[file];
    let zones: Vec<ZoneIndex> = w.mem.zones_of(owner).collect();
    for zone in zones {
        let list = w.mem.gen_list(owner, zone, gen_of_seq(oldest), file);
        while let Some(frame) = w.mem.lists.tail(list) {
            let to = folio_inc_gen(w, owner, frame, file, false);
            w.mem.gen_unlink(frame);
            w.mem.gen_push(frame, to, true);
            w.spend(w.facts.cost.lru_move);
        }
    }
}

/// The generation to which a page of the oldest one moves: the next one, or the one to which it was
/// promoted meanwhile (`folio_inc_gen`). In the first case its uses are cleared.
pub(super) fn folio_inc_gen(
    w: &mut World,
    owner: LruvecIndex,
    frame: FrameIndex,
    file: usize,
    waits: bool,
) -> usize {
    let oldest = gens(w, owner).min_seq[file];
    if let Some(promoted) = w.mem.generation(frame)
        && promoted != gen_of_seq(oldest)
    {
        return promoted;
    }
    let next = gen_of_seq(oldest + 1);
    w.mem.set_generation(frame, next);
    crate::lru_gen::clear_uses(w, frame);
    if waits {
        w.mem.pages[frame].set(flag::RECLAIM);
    }
    next
}

/// Advances the oldest generation of a type; the controller's counts become part of the averages
/// (`reset_ctrl_pos`).
pub(super) fn advance(g: &mut LruGen, file: usize, by: u64) {
    for tier in 0..TIERS {
        let protected = if tier > 0 { g.protected[file][tier] } else { 0 };
        let total = g.avg_total[file][tier] + g.evicted[file][tier] + protected;
        let refaulted = g.avg_refaulted[file][tier] + g.refaulted[file][tier];
        (g.avg_total[file][tier], g.avg_refaulted[file][tier]) = (total / 2, refaulted / 2);
    }
    g.refaulted[file] = [0; TIERS];
    g.evicted[file] = [0; TIERS];
    g.protected[file] = [0; TIERS];
    g.min_seq[file] += by;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first cases give old, middle and young pages; the last two have another oldest generation.
    #[test]
    fn a_generation_is_due_when_the_youngest_is_large_or_the_oldest_is_small() {
        let ask = |old, middle, young| due(9, 7, young, old, old + middle + young);
        assert_eq!(ask(1000, 1000, 1000), Due::No);
        assert_eq!(ask(1000, 1000, 2001), Due::Young);
        assert_eq!(ask(1000, 1000, 2000), Due::No);
        assert_eq!(ask(700, 1100, 1000), Due::No);
        assert_eq!(ask(699, 1101, 1000), Due::Old);
        assert_eq!(due(9, 8, 0, 0, 1000), Due::Cold);
        assert_eq!(due(9, 6, 5000, 10, 5030), Due::Rich);
    }

    /// Each average is half of the sum of the last average and the new refaults.
    #[test]
    fn halves_the_averages_each_time_the_oldest_generation_advances() {
        let mut g = LruGen::new();
        let mut averages = Vec::new();
        for refaulted in [400, 400, 0, 0, 0] {
            g.refaulted[FILE][0] = refaulted;
            advance(&mut g, FILE, 1);
            averages.push(g.avg_refaulted[FILE][0]);
            assert_eq!(g.refaulted[FILE], [0; TIERS]);
        }
        assert_eq!(averages, [200, 300, 150, 75, 37]);
    }

    proptest::proptest! {
        /// Invariant 10: the present counts start at 0 again, and no average exceeds what it is made of.
        #[test]
        fn no_average_exceeds_the_larger_of_its_parts(
            counts in proptest::array::uniform4(proptest::array::uniform4(0u64..1 << 40)),
            protected in proptest::array::uniform4(0u64..1 << 40),
            by in 1u64..3,
        ) {
            let mut g = LruGen::new();
            let [avg_refaulted, avg_total, refaulted, evicted] = counts;
            (g.avg_refaulted[FILE], g.avg_total[FILE]) = (avg_refaulted, avg_total);
            (g.refaulted[FILE], g.evicted[FILE]) = (refaulted, evicted);
            g.protected[FILE] = protected;
            g.protected[FILE][0] = 0;
            advance(&mut g, FILE, by);
            for present in [g.refaulted, g.evicted, g.protected] {
                assert_eq!(present[FILE], [0; TIERS]);
            }
            assert_eq!(g.min_seq, [0, by]);
            for tier in 0..TIERS {
                let total = evicted[tier] + if tier > 0 { protected[tier] } else { 0 };
                assert!(g.avg_total[FILE][tier] <= avg_total[tier].max(total));
                assert!(g.avg_refaulted[FILE][tier] <= avg_refaulted[tier].max(refaulted[tier]));
            }
        }
    }
}
