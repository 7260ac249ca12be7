//! Taking pages off the oldest generation (mm/vmscan.c, `scan_folios`, `sort_folio`, `isolate_folio`).
//!
//! Modelled: the order of zones, which pages are sorted aside and which are left in place, the
//! limits of a scan, the counters.
//! Left out: lazily freed memory, which 6.1 turns back into anonymous memory once it is dirty.
//! Visible difference: none.
//! Invariants: at most 64 pages are isolated and at most 4096 checked; the two youngest generations
//! are never scanned.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::memcg::{self, group::Stat};
use crate::mmzone::{MIN_NR_GENS, flag, gen_of_seq, tier_of};
use crate::record::decisions;
use crate::vmscan::MmVmscanLruIsolate;
use crate::vmscan::inactive::SKIP_PART;
use crate::vmscan::lru_gen::aging::folio_inc_gen;
use crate::vmscan::lru_gen::{MAX_LRU_BATCH, MIN_LRU_BATCH, ages_before, gens, gens_mut};
use crate::vmscan::{ANON, FILE};
use crate::world::World;
use facts::index::{FrameIndex, LruvecIndex, ZoneIndex};
use facts::state::State;

decisions! {
    SortUnevictable { page: Page }
        "The page at {page} is locked in memory: it goes to the unevictable list.";
    SortPromoted { page: Page, seq: Count }
        "The page at {page} was used: it moves to the list of its generation, {seq}.";
    SortProtected { page: Page, tier: Count, limit: Count, seq: Count }
        "The page at {page} is in tier {tier}, and tiers above {limit} are spared: it moves to generation {seq}.";
    SortZone { page: Page, seq: Count }
        "The page at {page} lies in a zone too high to help: it moves to generation {seq}.";
    SortWait { page: Page, seq: Count }
        "The page at {page} is locked, dirty or being written: it moves to generation {seq}, and is evicted as soon as that ends.";
    GenScanned { lru: Lru, seq: Count, scanned: Count, taken: Count, sorted: Count, skipped: Count }
        "Reclaim checked {scanned page} of generation {seq}: it isolated {taken}, moved {sorted} to younger generations, and left {skipped}.";
}

room! {
    ScanFolios: "scan_folios" in "mm/vmscan.c" at "v6.12.73" line 4454;
    Simplified "Called scan_folios() from 6.2. No large pages, no lazily freed memory." if |f| f.lru_gen.is_modelled();
    ScPt {
        Enter 0 Hold "two generations are left: return 0";
        Scan 0 Hold "each zone: sort_folio(), isolate_folio()";
        Count 0 Hold "count pgscan, pgrefill";
    }
    locals(self, w) {
        lruvec: owner(self.owner);
        lru: lru(2 * self.file);
        tier: number(self.tier);
        scanned: number(self.scanned);
    }
}

/// `scan_folios`. Fills the task's batch; returns the number of pages checked, or 0 if none was
/// isolated.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct ScanFolios {
    /// Current program point.
    pub pt: ScPt,
    /// Owner of the lists.
    pub owner: LruvecIndex,
    /// 0 for anonymous, 1 for file pages.
    pub file: u8,
    /// The highest tier that is evicted.
    pub tier: u8,
    /// Number of pages checked.
    pub scanned: u32,
    /// Number of pages moved to younger generations.
    pub sorted: u32,
    /// Number of pages left where they are.
    pub skipped: u32,
}

/// The zone types of a node in the order in which they are scanned: from the highest that helps
/// downwards, then from the highest of all.
pub(super) fn zone_order(reclaim_idx: u8, types: u8) -> impl Iterator<Item = u8> {
    (1..=types).rev().map(move |i| (reclaim_idx + i) % types)
}

impl ScanFolios {
    /// Frame of a call that has not started.
    pub fn call(owner: LruvecIndex, file: usize, tier: usize) -> Frame {
        Frame::ScanFolios(Self {
            pt: ScPt::Enter,
            owner,
            file: file as u8,
            tier: tier as u8,
            scanned: 0,
            sorted: 0,
            skipped: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            ScPt::Enter => {
                if gens(w, self.owner).nr_gens(self.file.into()) == MIN_NR_GENS {
                    cx.ret = 0;
                    return Flow::Ret;
                }
                self.pt = ScPt::Scan;
            }
            ScPt::Scan => {
                let types = w.facts.layout.zone_types.len() as u8;
                for kind in zone_order(cx.sc.reclaim_idx, types) {
                    if let Some(zone) = self.zone(w, kind) {
                        self.scan_zone(w, cx, zone);
                    }
                    let isolated = cx.sc.batch.len() as u32;
                    if self.scanned >= MAX_LRU_BATCH || isolated >= MIN_LRU_BATCH {
                        break;
                    }
                }
                self.pt = ScPt::Count;
            }
            ScPt::Count => return self.count(w, cx),
        }
        Flow::Next
    }

    /// The populated zone of this type on the node.
    fn zone(&self, w: &World, kind: u8) -> Option<ZoneIndex> {
        let mut zones = w.mem.zones_of(self.owner);
        zones.find(|&zone| w.mem.zones[zone].kind == kind)
    }

    fn scan_zone(&mut self, w: &mut World, cx: &mut Context, zone: ZoneIndex) {
        let oldest = gens(w, self.owner).min_seq[usize::from(self.file)];
        let list = w
            .mem
            .gen_list(self.owner, zone, gen_of_seq(oldest), self.file.into());
        let mut aside = Vec::new();
        while let Some(frame) = w.mem.lists.tail(list) {
            self.scanned += 1;
            if self.sort_folio(w, cx, frame) {
                self.sorted += 1;
            } else if self.isolate_folio(w, cx, frame) {
                cx.sc.batch.push(frame);
            } else {
                w.mem.gen_unlink(frame);
                aside.push(frame);
            }
            let most = (cx.sc.batch.len() as u32).max(aside.len() as u32);
            if self.scanned >= MAX_LRU_BATCH || most >= MIN_LRU_BATCH {
                break;
            }
        }
        // The page found first was nearest to the tail and stays nearest.
        for &frame in &aside {
            w.mem.gen_push(frame, gen_of_seq(oldest), false);
        }
        let kind = usize::from(w.mem.zones[zone].kind);
        w.counters.pgskip[kind] += aside.len() as u64;
        self.skipped += aside.len() as u32;
    }

    /// Moves a page that must not be evicted now (`sort_folio`). Returns false if the page may be
    /// evicted.
    fn sort_folio(&self, w: &mut World, cx: &Context, frame: FrameIndex) -> bool {
        let file = usize::from(self.file);
        let page = w.mem.pages[frame];
        let oldest = gens(w, self.owner).min_seq[file];
        let next = (oldest + 1) as i64;
        if page.has(flag::MLOCKED) {
            w.mem.lru_gen_del(frame, true);
            w.mem.pages[frame].set(flag::UNEVICTABLE);
            w.mem.lru_add(frame);
            w.counters.unevictable_pgs_culled += 1;
            w.record(SortUnevictable { page: frame });
            return true;
        }
        if let Some(promoted) = w.mem.generation(frame)
            && promoted != gen_of_seq(oldest)
        {
            w.mem.gen_unlink(frame);
            w.mem.gen_push(frame, promoted, false);
            let seq = gens(w, self.owner).seq_of_gen(promoted) as i64;
            w.record(SortPromoted { page: frame, seq });
            return true;
        }
        let uses = w.mem.uses(frame);
        let tier = tier_of(uses);
        if tier > usize::from(self.tier) || uses == 4 {
            self.carry(w, frame, false, true);
            gens_mut(w, self.owner).protected[file][tier] += 1;
            if ages_before(w) {
                w.counters.workingset_activate[file] += 1;
                memcg::count_page(w, frame, [Stat::ActivateAnon, Stat::ActivateFile][file]);
            }
            w.record(SortProtected {
                page: frame,
                tier: tier as i64,
                limit: self.tier.into(),
                seq: next,
            });
            return true;
        }
        if w.mem.zones[page.zone()].kind > cx.sc.reclaim_idx {
            self.carry(w, frame, false, true);
            w.record(SortZone {
                page: frame,
                seq: next,
            });
            return true;
        }
        let busy = page.meta & (flag::LOCKED | flag::WRITEBACK) != 0;
        if busy || file == FILE && page.has(flag::DIRTY) {
            self.carry(w, frame, true, false);
            w.record(SortWait {
                page: frame,
                seq: next,
            });
            return true;
        }
        false
    }

    /// Moves a page to the next generation.
    fn carry(&self, w: &mut World, frame: FrameIndex, waits: bool, to_tail: bool) {
        let to = folio_inc_gen(w, self.owner, frame, self.file.into(), waits);
        w.mem.gen_unlink(frame);
        w.mem.gen_push(frame, to, to_tail);
    }

    /// Takes a page off its list, unless this reclaimer may not evict it (`isolate_folio`).
    fn isolate_folio(&self, w: &mut World, cx: &Context, frame: FrameIndex) -> bool {
        let page = w.mem.pages[frame];
        let old_rule = ages_before(w);
        if old_rule && !cx.sc.may_unmap && page.has(flag::MAPPED) {
            return false;
        }
        let may_write = cx.sc.gfp.has(Gfp::IO) && (!old_rule || cx.sc.may_writepage);
        let must_write = page.has(flag::DIRTY) || page.is_anon() && !page.has(flag::SWAPCACHE);
        if !may_write && must_write {
            return false;
        }
        if !page.has(flag::REFERENCED) {
            crate::lru_gen::clear_uses(w, frame);
        }
        w.mem.lru_gen_del(frame, true);
        let page = &mut w.mem.pages[frame];
        page.clear(flag::REFERENCED | flag::RECLAIM);
        page.set(flag::ISOLATED);
        true
    }

    fn count(&self, w: &mut World, cx: &mut Context) -> Flow {
        let isolated = cx.sc.batch.len() as u32;
        let looked = self.scanned - self.skipped;
        w.spend(w.facts.cost.batch_overhead);
        w.spend(w.facts.cost.lru_isolate_page * looked);
        w.spend(w.facts.cost.lru_isolate_page / SKIP_PART * self.skipped);
        let is_global = cx.sc.target.is_root();
        let (taken, sorted) = (u64::from(isolated), u64::from(self.sorted));
        let c = &mut w.counters;
        if cx.sc.kswapd {
            c.pgscan_kswapd += taken;
        } else if is_global {
            c.pgscan_direct += taken;
            c.scan_zone_reclaim += if cx.sc.zone_reclaim { taken } else { 0 };
        }
        if usize::from(self.file) == ANON {
            c.pgscan_anon += taken;
        } else {
            c.pgscan_file += taken;
        }
        c.pgrefill += if is_global { sorted } else { 0 };
        memcg::walk::count_scan(w, &cx.sc, self.owner, taken);
        memcg::count(w, w.mem.group_of_lists(self.owner), Stat::Refill, sorted);
        w.vmscan_totals.isolated(cx.sc.kswapd, self.scanned);
        let lru = 2 * self.file;
        if !ages_before(w) {
            w.record(MmVmscanLruIsolate {
                order: cx.sc.order,
                nr_requested: MAX_LRU_BATCH.into(),
                nr_scanned: self.scanned.into(),
                nr_skipped: self.skipped.into(),
                nr_taken: isolated.into(),
                lru,
                both: false,
                contig_taken: 0,
                contig_dirty: 0,
                contig_failed: 0,
            });
        }
        w.record(GenScanned {
            lru,
            seq: gens(w, self.owner).min_seq[usize::from(self.file)] as i64,
            scanned: self.scanned.into(),
            taken: isolated.into(),
            sorted: self.sorted.into(),
            skipped: self.skipped.into(),
        });
        let goes_on = isolated > 0 || self.scanned >= MAX_LRU_BATCH;
        cx.ret = if goes_on { self.scanned } else { 0 };
        Flow::Ret
    }
}

#[cfg(test)]
mod tests {
    use super::zone_order;

    #[test]
    fn scans_zones_downwards_from_the_highest_usable_one_and_then_from_the_top() {
        assert_eq!(zone_order(1, 5).collect::<Vec<_>>(), [1, 0, 4, 3, 2]);
        assert_eq!(zone_order(2, 5).collect::<Vec<_>>(), [2, 1, 0, 4, 3]);
    }
}
