//! Evicting one batch of the oldest generation (mm/vmscan.c, `evict_folios`).
//!
//! Modelled: the choice of type and tiers, the second try with the other type, closing empty
//! generations, the page ladder, what happens to the pages that the ladder keeps, the one retry of
//! pages whose I/O ended meanwhile. Retried pages count twice in nr_scanned: 6.12 does not subtract
//! them first.
//! Left out: large pages.
//! Visible difference: none.
//! Invariants: nr_isolated does not change; a page that was kept and is in use joins the youngest
//! generation.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::huge_memory;
use crate::lru_gen::clear_uses;
use crate::mmzone::{MIN_NR_GENS, flag, gen_of_seq};
use crate::record::Outcome;
use crate::vmscan::inactive::{BatchDone, MmVmscanLruShrinkInactive, outcome, sorted};
use crate::vmscan::lru_gen::aging::advance;
use crate::vmscan::lru_gen::choice::*;
use crate::vmscan::lru_gen::{MIN_LRU_BATCH, ScanFolios, ages_before, gens, gens_mut, types};
use crate::vmscan::page_list::ShrinkPageList;
use crate::vmscan::{ANON, FILE, Tally};
use crate::world::World;
use facts::index::{FrameIndex, LruvecIndex};
use facts::state::State;

room! {
    EvictFolios: "evict_folios" in "mm/vmscan.c" at "v6.1.176" line 4998;
    Simplified "Includes isolate_folios() and try_to_inc_min_seq(). No large pages." if |f| f.lru_gen.is_modelled();
    EvPt {
        Split 0 Plain "a huge page that must be split first: split it";
        Choose 0 Hold "isolate_folios(): which type, which tiers?";
        Scanned 1 Hold "none isolated: try the other type";
        Take 0 Hold "try_to_inc_min_seq(): close empty generations";
        Ladder 0 Plain "shrink_folio_list(batch)";
        Sort 0 Hold "kept pages: move those in use to the youngest";
        Retry 0 Plain "I/O ended meanwhile: shrink those pages once more";
        Done 0 Yields "return the number scanned";
    }
    locals(self, w) {
        lruvec: owner(self.owner);
        swappiness: number(self.swappiness);
        type: lru(2 * self.file);
        scanned: number(self.scanned);
        reclaimed: number(self.reclaimed);
    }
}

/// `evict_folios`. Returns the number of pages scanned.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct EvictFolios {
    /// Current program point.
    pub pt: EvPt,
    /// Owner of the lists.
    pub owner: LruvecIndex,
    /// Swappiness of this reclaimer.
    pub swappiness: u8,
    /// 0 for anonymous, 1 for file pages.
    pub file: u8,
    /// True if the other type was already tried.
    pub tried: bool,
    /// True if the pages of the batch are retried.
    pub retried: bool,
    /// Number of pages scanned.
    pub scanned: u32,
    /// Number of pages reclaimed.
    pub reclaimed: u32,
}

impl EvictFolios {
    /// Frame of a call that has not started.
    pub fn call(owner: LruvecIndex, swappiness: u8) -> Frame {
        Frame::EvictFolios(Self {
            pt: EvPt::Split,
            owner,
            swappiness,
            file: FILE as u8,
            tried: false,
            retried: false,
            scanned: 0,
            reclaimed: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            EvPt::Split => {
                self.pt = EvPt::Choose;
                let wanted = MIN_LRU_BATCH;
                if let Some(head) = huge_memory::to_split(w, self.owner, &cx.sc, wanted) {
                    huge_memory::split(w, head);
                }
                Flow::Next
            }
            EvPt::Choose => self.choose(w, cx, up),
            EvPt::Scanned => self.scanned(w, cx, up),
            EvPt::Take => self.take(w, cx),
            EvPt::Ladder => {
                self.pt = EvPt::Sort;
                cx.sc.stat = Tally::default();
                up.call(ShrinkPageList::call(), w, cx)
            }
            EvPt::Sort => self.sort(w, cx),
            EvPt::Retry => self.retry(cx),
            EvPt::Done => {
                cx.sc.batch.clear();
                cx.sc.kept.clear();
                cx.sc.gens.swapped |= usize::from(self.file) == ANON;
                cx.ret = self.scanned;
                Flow::Ret
            }
        }
    }

    fn choose(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        cx.sc.batch.clear();
        cx.sc.kept.clear();
        cx.sc.survivors.clear();
        let (file, tier) = choose_type(w, cx, self.owner, self.swappiness);
        self.file = file as u8;
        self.pt = EvPt::Scanned;
        let tier = tier.unwrap_or_else(|| get_tier_idx(gens(w, self.owner), file));
        up.call(ScanFolios::call(self.owner, file, tier), w, cx)
    }

    fn scanned(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        self.scanned = cx.ret;
        if self.scanned > 0 || self.tried || self.swappiness == 0 {
            self.pt = EvPt::Take;
            return Flow::Next;
        }
        (self.tried, self.file) = (true, 1 - self.file);
        let file = usize::from(self.file);
        let tier = get_tier_idx(gens(w, self.owner), file);
        up.call(ScanFolios::call(self.owner, file, tier), w, cx)
    }

    fn take(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let can_swap = self.swappiness > 0;
        self.scanned += u32::from(try_to_inc_min_seq(w, self.owner, can_swap));
        let counts = if can_swap { ANON } else { FILE };
        if gens(w, self.owner).nr_gens(counts) == MIN_NR_GENS {
            self.scanned = 0;
        }
        if cx.sc.batch.is_empty() {
            cx.ret = self.scanned;
            return Flow::Ret;
        }
        crate::gather::before_ladder(w, &cx.sc.batch);
        self.pt = EvPt::Ladder;
        Flow::Next
    }

    /// Puts back the pages that the ladder kept, or sets them aside for one retry.
    fn sort(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let freed = cx.ret;
        self.reclaimed = freed;
        cx.sc.nr_reclaimed += freed;
        let mut clean = Vec::new();
        let outcomes = self.outcomes(w, cx);
        for i in 0..cx.sc.kept.len() {
            let frame = cx.sc.kept[i];
            if self.put_back(w, frame) {
                clean.push(frame);
            }
        }
        self.count(w, cx, freed);
        self.record(w, cx, freed, outcomes);
        cx.sc.kept.clear();
        cx.sc.survivors = clean;
        self.pt = EvPt::Retry;
        Flow::Next
    }

    /// Puts a kept page back. Returns true if the page should be retried instead.
    fn put_back(&self, w: &mut World, frame: FrameIndex) -> bool {
        let page = w.mem.pages[frame];
        let written = flag::DIRTY | flag::WRITEBACK;
        let in_use = flag::ACTIVE | flag::REFERENCED | flag::MAPPED | flag::LOCKED | written;
        if page.has(flag::MLOCKED) {
            // The page goes to the unevictable list.
        } else if page.has(flag::RECLAIM) && page.meta & written != 0 {
            if page.has(flag::WORKINGSET) {
                w.mem.pages[frame].set(flag::REFERENCED);
            }
        } else if self.retried || page.meta & in_use != 0 {
            clear_uses(w, frame);
            w.mem.pages[frame].set(flag::ACTIVE);
        } else {
            return true;
        }
        crate::swap::putback_lru_page(w, frame);
        w.spend(w.facts.cost.lru_move);
        false
    }

    fn count(&self, w: &mut World, cx: &Context, freed: u32) {
        let c = &mut w.counters;
        let freed = u64::from(freed);
        if cx.sc.kswapd {
            c.kswapd_steal += freed;
            c.pgsteal_kswapd += freed;
        } else if cx.sc.target.is_root() {
            c.pgsteal_direct += freed;
            c.steal_zone_reclaim += if cx.sc.zone_reclaim { freed } else { 0 };
        }
        if usize::from(self.file) == ANON {
            c.pgsteal_anon += freed;
        } else {
            c.pgsteal_file += freed;
        }
        crate::memcg::walk::count_steal(w, &cx.sc, self.owner, freed);
    }

    /// What happened to each page; called while the flags of the kept ones still show it.
    fn outcomes(&self, w: &World, cx: &Context) -> Vec<(FrameIndex, Outcome)> {
        if !w.rec.on {
            return Vec::new();
        }
        let kept = sorted(&cx.sc.kept);
        let pages = cx.sc.batch.iter();
        pages.map(|&page| (page, outcome(w, &kept, page))).collect()
    }

    fn record(&self, w: &mut World, cx: &Context, freed: u32, pages: Vec<(FrameIndex, Outcome)>) {
        let stat = cx.sc.stat;
        if !ages_before(w) {
            w.record(MmVmscanLruShrinkInactive {
                nid: w.mem.lruvecs[self.owner].node,
                zid: u8::MAX,
                nr_scanned: self.scanned.into(),
                nr_reclaimed: freed.into(),
                nr_dirty: stat.dirty.into(),
                nr_writeback: stat.writeback.into(),
                nr_immediate: stat.immediate.into(),
                nr_activate: (stat.activate[0] + stat.activate[1]).into(),
                nr_ref_keep: stat.ref_keep.into(),
                priority: cx.sc.priority.into(),
                file: usize::from(self.file) == FILE,
                kswapd: cx.sc.kswapd,
                sync: false,
            });
        }
        w.record(BatchDone {
            taken: cx.sc.batch.len() as i64,
            freed: freed.into(),
            put_back: cx.sc.kept.len() as i64,
            lists: self.owner,
            lru: 2 * self.file,
            pages,
        });
    }

    fn retry(&mut self, cx: &mut Context) -> Flow {
        cx.sc.batch = std::mem::take(&mut cx.sc.survivors);
        self.pt = if cx.sc.batch.is_empty() {
            EvPt::Done
        } else {
            self.retried = true;
            EvPt::Ladder
        };
        Flow::Next
    }
}

/// The type to evict from, and its highest tier that is evicted if the choice already compared
/// tiers (`isolate_folios`).
pub(super) fn choose_type(
    w: &mut World,
    cx: &Context,
    owner: LruvecIndex,
    swappiness: u8,
) -> (usize, Option<usize>) {
    let [anon, file] = gens(w, owner).min_seq;
    let needs_io = !ages_before(w) && !cx.sc.gfp.has(Gfp::IO);
    if swappiness == 0 {
        w.record(TypeNoSwap {});
        (FILE, None)
    } else if anon < file {
        w.record(TypeLags {
            anon: anon as i64,
            file: file as i64,
        });
        (ANON, None)
    } else if swappiness == 1 || swappiness == 200 {
        w.record(TypeBound {
            swappiness: swappiness.into(),
        });
        (if swappiness == 1 { FILE } else { ANON }, None)
    } else if needs_io {
        w.record(TypeNoIo {});
        (FILE, None)
    } else {
        let (chosen, tier) = get_type_to_scan(gens(w, owner), swappiness.into());
        record_type(w, owner, chosen, swappiness);
        (chosen, Some(tier))
    }
}

fn record_type(w: &mut World, owner: LruvecIndex, chosen: usize, swappiness: u8) {
    let of = |file| Control::of(gens(w, owner), file, 0, 1);
    let [anon, file] = [of(ANON), of(FILE)];
    let [anon_refaults, file_refaults] = [anon, file].map(|c| c.refaulted as i64);
    let [anon_total, file_total] = [anon, file].map(|c| c.total as i64);
    let swappiness = swappiness.into();
    if chosen == FILE {
        w.record(TypeFile {
            anon_refaults,
            anon_total,
            file_refaults,
            file_total,
            swappiness,
        });
    } else {
        w.record(TypeAnon {
            anon_refaults,
            anon_total,
            file_refaults,
            file_total,
            swappiness,
        });
    }
}

/// Closes the oldest generations whose lists are empty (`try_to_inc_min_seq`). Returns true if one
/// was closed.
pub(super) fn try_to_inc_min_seq(w: &mut World, owner: LruvecIndex, can_swap: bool) -> bool {
    let g = gens(w, owner);
    let (max, old) = (g.max_seq, g.min_seq);
    let mut new = old;
    for file in types(can_swap) {
        while new[file] + MIN_NR_GENS <= max && is_empty(w, owner, new[file], file) {
            new[file] += 1;
        }
    }
    if can_swap {
        new[ANON] = new[ANON].min(new[FILE]);
        new[FILE] = new[ANON].max(old[FILE]);
    }
    for file in types(can_swap) {
        if new[file] != old[file] {
            advance(gens_mut(w, owner), file, new[file] - old[file]);
        }
    }
    new != old
}

/// Are the lists of a generation of a type empty in all zones?
fn is_empty(w: &World, owner: LruvecIndex, seq: u64, file: usize) -> bool {
    let mut zones = w.mem.zones_of(owner);
    let list = |zone| w.mem.gen_list(owner, zone, gen_of_seq(seq), file);
    zones.all(|zone| w.mem.lists.is_empty(list(zone)))
}
