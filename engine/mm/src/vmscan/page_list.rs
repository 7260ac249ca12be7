//! The page ladder: the checks that decide what happens to each page of a batch (mm/vmscan.c,
//! `shrink_page_list`; `shrink_folio_list` from 5.19).
//!
//! Modelled: every check in order with its outcomes: kept, activated, freed, or written and kept.
//! Left out: huge pages, which are split earlier ([`huge_memory`](crate::huge_memory)), private
//! data of file systems, lock contention of the rmap walk.
//! Visible difference: nr_unmap_fail is always 0; a page is never kept because of its buffers.
//! Invariants: each page of the batch is freed or kept, exactly once; no page is freed while dirty,
//! under writeback, mapped or locked.

use crate::block::{BlkGetRequest, Origin, may_write};
use crate::filemap::wait_on_page;
use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::kernel::{HighOrderReclaim, ReclaimWrites, ReferencedRule};
use crate::memcg;
use crate::mmzone::{PageKind, flag};
use crate::record::{decisions, events};
use crate::vmscan::mode::reset_reclaim_mode;
use crate::vmscan::{ANON, DEF_PRIORITY, FILE};
use crate::world::World;
use facts::index::FrameIndex;
use facts::state::State;

events! {
    /// Reclaim itself began to write a dirty page.
    MmVmscanWritepage "mm_vmscan_writepage" from "include/trace/events/vmscan.h (mm_vmscan_write_folio from 6.1)" { pfn: Page, file: Flag, sync: Flag };
}

decisions! {
    LadderLocked { page: Page }
        "Another task holds the lock of the page at {page}: it is kept.";
    LadderUnevictable { page: Page }
        "The page at {page} is locked in memory: it goes to the unevictable list.";
    LadderMapped { page: Page }
        "The page at {page} is mapped, and this reclaim may not unmap pages: the page is kept.";
    LadderUsed { page: Page }
        "The page at {page} was used after it was isolated: it is kept.";
    LadderWriteback { page: Page }
        "The page at {page} is being written: it cannot be freed before the write ends.";
    LadderWait { page: Page }
        "The page at {page} is being written: this second pass waits until the write ends.";
    RefsIgnored { page: Page, young: Count, referenced: Flag }
        "The page at {page} was referenced through {young mapping} since the last check, but its whole block is needed: it may be freed.";
    LadderImmediate { page: Page, node: Node }
        "The page at {page} is still being written, and so was the whole tail of the list of {node}: kswapd will wait.";
    RefsActivate { page: Page, young: Count, referenced: Flag }
        "The page at {page} was referenced through {young mapping}; it was referenced before: {referenced}. It is activated.";
    RefsKeep { page: Page, young: Count, referenced: Flag }
        "The page at {page} was referenced through {young mapping} since the last check: it is kept for one more round.";
    RefsReclaim { page: Page, young: Count, referenced: Flag }
        "The page at {page} was referenced through no mapping since the last check: it may be freed.";
    Unmapped { page: Page }
        "The page at {page} is removed from the page tables that map it.";
    SwapNoIo { page: Page }
        "The page at {page} would need swap, but this request may not do I/O: it is kept.";
    SwapSlot { page: Page, slot: Count }
        "The page at {page} gets swap slot {slot}.";
    SwapFull { page: Page }
        "Swap has no free slot for the page at {page}: it is activated.";
    DirtyForFlusher { page: Page }
        "The page at {page} is a dirty file page, which the flushers must write. Meanwhile it is activated.";
    DirtyForFlusherKept { page: Page }
        "The page at {page} is a dirty file page, which the flushers must write. It is kept, and freed once written.";
    DirtyKept { page: Page }
        "The page at {page} is dirty, and this reclaimer may not write it: it is kept.";
    PageoutCongested { page: Page }
        "The device of the page at {page} has a congested queue: the page is kept.";
    Pageout { page: Page }
        "Reclaim starts to write the page at {page}, which is kept until the write ends.";
    LadderFree { page: Page }
        "The page at {page} is clean and unused: it is freed.";
}

room! {
    ShrinkPageList: "shrink_page_list" in "mm/vmscan.c" at "v5.10.223" line 1075;
    Simplified "Called shrink_folio_list from 5.19. No huge pages, no buffers, no contention for locks.";
    PgPt {
        Next 0 Plain "for each page of the batch, unless locked:";
        Writeback 1 Plain "under writeback: mark PG_reclaim and keep it";
        Wait 1 Plain "second pass: wait_on_page_writeback()" if |f| f.high_order_reclaim != HighOrderReclaim::Plain;
        Refs 1 Plain "page_check_references(): used since?";
        Swap 1 Plain "anonymous without a swap slot: add_to_swap()";
        Unmap 1 Plain "mapped: try_to_unmap()";
        Dirty 1 Plain "dirty: may this reclaimer write it?";
        Pageout 1 Plain "pageout(): may a write begin now?";
        Write 1 Plain "start writing it (kept until the write ends)";
        Written 1 Plain "second pass: wait until it is written" if |f| f.high_order_reclaim != HighOrderReclaim::Plain;
        Remove 1 Plain "__remove_mapping(): remove it from its cache";
        Activate 1 Plain "activate_locked: to the active list";
        Keep 1 Plain "keep_locked: back to the inactive list";
        Free 0 Plain "free_unref_page_list() of the pages collected";
        Done 0 Yields "return how many were reclaimed";
    }
    locals(self, w) {
        i: number(self.i);
        page: page(self.page);
        reclaim_clean: yes_no(self.reclaim_clean);
    }
}

/// `shrink_page_list` over the batch in the task's [`crate::vmscan::ScanControl`]. Returns pages
/// reclaimed.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct ShrinkPageList {
    /// Current program point.
    pub pt: PgPt,
    /// Index of the current page in the batch.
    pub i: u32,
    /// The current page.
    pub page: FrameIndex,
    /// True if the page may be freed only if it is clean.
    pub reclaim_clean: bool,
    /// True in the second pass, over the pages that the first did not free.
    pub second: bool,
}

/// The result of the reference check (`enum page_references`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum References {
    /// Reclaim the page.
    Reclaim,
    /// Reclaim the page, but only if it is clean.
    ReclaimClean,
    /// Put the page back on the inactive list.
    Keep,
    /// Move the page to the active list.
    Activate,
}

/// `page_check_references`, from the state of one page. `referenced` is the PG_referenced bit that
/// was just cleared. The second result says whether to set the bit again.
pub fn check_references(
    rule: ReferencedRule,
    young: u32,
    referenced: bool,
    locked: bool,
    anon: bool,
    exec: bool,
) -> (References, bool) {
    use References::*;
    if locked {
        return (
            if rule == ReferencedRule::Anon30 {
                Reclaim
            } else {
                Activate
            },
            false,
        );
    }
    if young > 0 {
        if rule == ReferencedRule::Anon30 {
            return match (anon, referenced) {
                (true, _) => (Activate, false),
                (false, true) => (Activate, true),
                (false, false) => (Keep, true),
            };
        }
        if referenced || young > 1 || (exec && !anon) {
            return (Activate, true);
        }
        return (Keep, true);
    }
    if referenced && !anon {
        return (ReclaimClean, false);
    }
    (Reclaim, false)
}

/// The next point for a page that must be written, or is being written.
fn out_of_the_way(w: &World) -> PgPt {
    if w.facts.features.unwritten_activated {
        PgPt::Activate
    } else {
        PgPt::Keep
    }
}

/// On whose behalf a reclaimer writes.
fn origin(cx: &Context) -> Origin {
    if cx.sc.kswapd {
        Origin::Kswapd
    } else {
        Origin::Other
    }
}

impl ShrinkPageList {
    /// Frame of a call that starts a pass over the batch.
    pub fn call() -> Frame {
        Frame::ShrinkPageList(Self {
            pt: PgPt::Next,
            i: 0,
            page: FrameIndex::NONE,
            reclaim_clean: false,
            second: false,
        })
    }

    /// Frame of a call that starts a second pass, over the pages that the first did not free
    /// ([`crate::vmscan::ScanControl::survivors`]).
    pub fn second() -> Frame {
        Frame::ShrinkPageList(Self {
            pt: PgPt::Next,
            i: 0,
            page: FrameIndex::NONE,
            reclaim_clean: false,
            second: true,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            PgPt::Next => self.next(w, cx),
            PgPt::Writeback => self.writeback(w, cx),
            PgPt::Refs => self.refs(w, cx),
            PgPt::Swap => self.swap(w, cx),
            PgPt::Unmap => {
                crate::rmap::try_to_unmap(w, self.page);
                w.record(Unmapped { page: self.page });
                self.pt = self.after_unmap(w);
                Flow::Next
            }
            PgPt::Dirty => self.dirty(w, cx),
            PgPt::Pageout => self.pageout(w, cx, up),
            PgPt::Wait => self.wait(w, cx),
            PgPt::Write => self.write(w, cx),
            PgPt::Written => self.written(w, cx),
            PgPt::Remove => self.remove(w, cx),
            PgPt::Activate => {
                reset_reclaim_mode(w, &mut cx.sc, self.page);
                let page = &mut w.mem.pages[self.page];
                page.set(flag::ACTIVE);
                let file = usize::from(!page.is_anon());
                cx.sc.stat.activate[file] += 1;
                w.counters.pgactivate += 1;
                memcg::count_page(w, self.page, memcg::group::Stat::Activate);
                w.spend(w.facts.cost.page_ladder_keep);
                self.put_back(w, cx)
            }
            PgPt::Keep => {
                w.spend(w.facts.cost.page_ladder_keep);
                self.put_back(w, cx)
            }
            PgPt::Free if !cx.sc.free.is_empty() => {
                // Pages are freed from the end of the list. After the reversal, the page collected
                // first is freed first.
                cx.sc.free.reverse();
                up.call(crate::pcp::FreeUnrefPageList::call(), w, cx)
            }
            PgPt::Free => match crate::slab::take_loose(w) {
                Some((frame, order)) => up.call(crate::pcp::FreePages::call(frame, order), w, cx),
                None => {
                    self.pt = PgPt::Done;
                    Flow::Next
                }
            },
            PgPt::Done => {
                cx.ret = self.i - cx.sc.kept.len() as u32;
                Flow::Ret
            }
        }
    }

    fn put_back(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        crate::filemap::unlock_page(w, self.page);
        cx.sc.kept.push(self.page);
        self.pt = PgPt::Next;
        Flow::Next
    }

    /// Keeps the page for another reason than a write in flight.
    fn keep(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        reset_reclaim_mode(w, &mut cx.sc, self.page);
        self.pt = PgPt::Keep;
        Flow::Next
    }

    /// Frees a page whose last user released it while this reclaimer had isolated it.
    fn free_orphan(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        w.spend(w.facts.cost.page_ladder_free);
        crate::memory::release(w, self.page);
        cx.sc.free.push(self.page);
        self.pt = PgPt::Next;
        Flow::Next
    }

    /// The second pass waits, with the page locked, until the write of the page has ended.
    fn wait(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let page = w.mem.pages[self.page];
        if page.has(flag::WRITEBACK) {
            return wait_on_page(w, cx, self.page);
        }
        if page.is_orphan() {
            return self.free_orphan(w, cx);
        }
        self.pt = PgPt::Refs;
        Flow::Next
    }

    /// The second pass waits for the write that it began itself, then frees the page.
    fn written(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let page = w.mem.pages[self.page];
        if page.has(flag::WRITEBACK) {
            return wait_on_page(w, cx, self.page);
        }
        if page.is_orphan() {
            return self.free_orphan(w, cx);
        }
        if page.has(flag::DIRTY) || page.has(flag::MAPPED) {
            return self.keep(w, cx);
        }
        self.pt = PgPt::Remove;
        Flow::Next
    }

    fn next(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let pages = if self.second {
            &cx.sc.survivors
        } else {
            &cx.sc.batch
        };
        let Some(&frame) = pages.get(self.i as usize) else {
            self.pt = PgPt::Free;
            return Flow::Next;
        };
        (self.i, self.page, self.reclaim_clean) = (self.i + 1, frame, false);
        let page = &mut w.mem.pages[frame];
        if page.has(flag::LOCKED) {
            // Another task must unlock the page, so it is kept without further checks.
            w.record(LadderLocked { page: frame });
            reset_reclaim_mode(w, &mut cx.sc, frame);
            w.spend(w.facts.cost.page_ladder_keep);
            cx.sc.kept.push(frame);
            return Flow::Next;
        }
        if page.is_orphan() {
            return self.free_orphan(w, cx);
        }
        page.set(flag::LOCKED);
        cx.sc.nr_scanned += 1;
        let page = *page;
        if page.has(flag::MLOCKED) {
            w.record(LadderUnevictable { page: frame });
            return self.keep(w, cx);
        }
        if !cx.sc.may_unmap && page.has(flag::MAPPED) {
            w.record(LadderMapped { page: frame });
            return self.keep(w, cx);
        }
        let used = flag::MAPPED | flag::REFERENCED;
        if w.mem.lru_gen_on && page.has(used) {
            // A walk or a look-around found the page in use after it was isolated.
            w.record(LadderUsed { page: frame });
            return self.keep(w, cx);
        }
        let counts_tail = w.facts.features.reclaim_writes.counts_tail();
        if !counts_tail && page.meta & (flag::MAPPED | flag::SWAPCACHE) != 0 {
            // Pages that are hard to free count twice, which puts more pressure on slab.
            cx.sc.nr_scanned += 1;
        }
        let in_use = page.meta & (flag::DIRTY | flag::WRITEBACK) != 0;
        if in_use {
            self.count_dirty(w, cx);
        }
        self.pt = if page.has(flag::WRITEBACK) {
            PgPt::Writeback
        } else {
            PgPt::Refs
        };
        Flow::Next
    }

    /// `folio_check_dirty_writeback` and the congestion count of 4.x to 6.x, for file pages only.
    fn count_dirty(&self, w: &World, cx: &mut Context) {
        let page = w.mem.pages[self.page];
        let counts_tail = w.facts.features.reclaim_writes.counts_tail();
        if !counts_tail || page.kind() != PageKind::File {
            return;
        }
        let stat = &mut cx.sc.stat;
        stat.dirty += 1;
        let again = page.has(flag::WRITEBACK) && page.has(flag::RECLAIM);
        if !page.has(flag::WRITEBACK) {
            stat.unqueued_dirty += 1;
        }
        // From 5.x on no queue is ever marked congested.
        if again || w.block.write_congested(w.files.device(page.owner)) {
            stat.congested += 1;
        }
    }

    fn writeback(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        if !w.facts.features.reclaim_writes.counts_tail() {
            let page = w.mem.pages[self.page];
            if cx.sc.mode.is_sync() && cx.sc.may_enter_fs(page.has(flag::SWAPCACHE)) {
                w.record(LadderWait { page: self.page });
                self.pt = PgPt::Wait;
                return Flow::Next;
            }
            if w.facts.features.reclaim_writes == ReclaimWrites::KswapdBelow10 {
                // The page will be freed as soon as it is written.
                cx.sc.stat.writeback += 1;
                w.mem.pages[self.page].set(flag::RECLAIM);
            }
            w.record(LadderWriteback { page: self.page });
            self.pt = PgPt::Keep;
            return Flow::Next;
        }
        let zone = &w.mem.zones[w.mem.pages[self.page].zone()];
        let (node, owner) = (zone.node, zone.lruvec);
        let met = w.mem.lruvecs[owner].writeback || w.pgdat[node].writeback;
        let page = &mut w.mem.pages[self.page];
        let again = page.has(flag::RECLAIM);
        if cx.sc.kswapd && again && met {
            cx.sc.stat.immediate += 1;
            w.record(LadderImmediate {
                page: self.page,
                node,
            });
        } else {
            page.set(flag::RECLAIM);
            cx.sc.stat.writeback += 1;
            w.record(LadderWriteback { page: self.page });
        }
        self.pt = out_of_the_way(w);
        Flow::Next
    }

    fn refs(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let found = if w.mem.lru_gen_on {
            crate::vmscan::lru_gen::referenced(w, self.page, cx.sc.gens.has_walker)
        } else {
            crate::rmap::page_referenced(w, self.page)
        };
        let rule = w.facts.features.referenced;
        let page = &mut w.mem.pages[self.page];
        let referenced = page.test_clear(flag::REFERENCED);
        let anon = page.is_anon();
        let (mut answer, mut again) =
            check_references(rule, found.young, referenced, found.locked, anon, false);
        let ignores = cx.sc.mode.is_lumpy() && w.facts.features.lumpy_ignores_references;
        let ignored = ignores && answer != References::Reclaim;
        if ignored {
            // The whole block is requested, whether used or not.
            (answer, again) = (References::Reclaim, false);
        }
        let page = &mut w.mem.pages[self.page];
        if again {
            page.set(flag::REFERENCED);
        }
        let page = *page;
        let (frame, young) = (self.page, found.young.into());
        match answer {
            _ if ignored => w.record(RefsIgnored {
                page: frame,
                young,
                referenced,
            }),
            References::Activate => w.record(RefsActivate {
                page: frame,
                young,
                referenced,
            }),
            References::Keep => w.record(RefsKeep {
                page: frame,
                young,
                referenced,
            }),
            References::ReclaimClean | References::Reclaim => w.record(RefsReclaim {
                page: frame,
                young,
                referenced,
            }),
        }
        match answer {
            References::Activate => self.pt = PgPt::Activate,
            References::Keep => {
                cx.sc.stat.ref_keep += 1;
                return self.keep(w, cx);
            }
            References::Reclaim | References::ReclaimClean => {
                self.reclaim_clean = answer == References::ReclaimClean;
                self.pt = if page.is_anon() && !page.has(flag::SWAPCACHE) {
                    PgPt::Swap
                } else if page.has(flag::MAPPED) {
                    PgPt::Unmap
                } else {
                    self.after_unmap(w)
                };
            }
        }
        Flow::Next
    }

    fn after_unmap(&self, w: &World) -> PgPt {
        if w.mem.pages[self.page].has(flag::DIRTY) {
            PgPt::Dirty
        } else {
            PgPt::Remove
        }
    }

    fn swap(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        if !cx.sc.gfp.has(Gfp::IO) {
            w.record(SwapNoIo { page: self.page });
            return self.keep(w, cx);
        } else if crate::swapfile::add_to_swap(w, self.page) {
            let slot = w.mem.pages[self.page].swap_slot();
            w.record(SwapSlot {
                page: self.page,
                slot: slot.get().into(),
            });
            self.pt = PgPt::Unmap;
        } else {
            w.record(SwapFull { page: self.page });
            self.pt = PgPt::Activate;
        }
        Flow::Next
    }

    fn dirty(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let page = w.mem.pages[self.page];
        let zone = &w.mem.zones[page.zone()];
        let file = page.is(PageKind::File);
        if !w.facts.features.reclaim_writes.counts_tail() {
            // Up to 3.10: compared with the count of pages that had a congested queue.
            cx.sc.stat.dirty += 1;
        }
        let kswapd_writes = cx.sc.kswapd && cx.sc.priority < DEF_PRIORITY - 2;
        let writes = w.facts.features.reclaim_writes;
        if file && writes == ReclaimWrites::KswapdBelow10 && !kswapd_writes {
            w.mem.pages[self.page].set(flag::RECLAIM);
            w.counters.nr_vmscan_immediate_reclaim += 1;
            w.record(DirtyForFlusherKept { page: self.page });
            return self.keep(w, cx);
        }
        if file && w.facts.features.reclaim_writes == ReclaimWrites::KswapdIfFlagged {
            let tail_dirty = w.mem.lruvecs[zone.lruvec].tail_dirty;
            let flagged = tail_dirty || w.pgdat[zone.node].dirty;
            // Kernels that activate such pages also test whether the page was seen before.
            let seen = page.has(flag::RECLAIM) || !w.facts.features.unwritten_activated;
            if !(cx.sc.kswapd && seen && flagged) {
                w.mem.pages[self.page].set(flag::RECLAIM);
                w.counters.nr_vmscan_immediate_reclaim += 1;
                if w.facts.features.unwritten_activated {
                    w.record(DirtyForFlusher { page: self.page });
                } else {
                    w.record(DirtyForFlusherKept { page: self.page });
                }
                self.pt = out_of_the_way(w);
                return Flow::Next;
            }
        }
        let may = !self.reclaim_clean
            && cx.sc.may_enter_fs(page.has(flag::SWAPCACHE))
            && cx.sc.may_writepage;
        if !may {
            w.record(DirtyKept { page: self.page });
            return self.keep(w, cx);
        }
        self.pt = PgPt::Pageout;
        Flow::Next
    }

    fn pageout(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let page = w.mem.pages[self.page];
        let device = if page.is(PageKind::File) {
            w.files.device(page.owner)
        } else {
            w.swap.device()
        };
        // Up to 3.1 a reclaimer for large blocks writes even to a congested queue.
        let features = &w.facts.features;
        let lumpy = features.high_order_reclaim != HighOrderReclaim::Plain && cx.sc.order > 3;
        let whatever_queue =
            lumpy || cx.sc.kswapd || cx.sc.zone_reclaim && features.zone_reclaim_swapwrite;
        let asks_queue = !features.reclaim_writes.counts_tail();
        if asks_queue && w.block.write_congested(device) && !whatever_queue {
            cx.sc.stat.congested += 1;
            w.record(PageoutCongested { page: self.page });
            return self.keep(w, cx);
        }
        self.pt = PgPt::Write;
        if self.continues(w, cx, device) || may_write(w, device, origin(cx)) {
            return Flow::Next;
        }
        up.call(BlkGetRequest::write(device, origin(cx)), w, cx)
    }

    /// Does the page directly follow the last bio of the plug, and does that bio have room?
    fn continues(&self, w: &World, cx: &Context, device: u8) -> bool {
        let page = w.mem.pages[self.page];
        let most = w.facts.devices[usize::from(device)].max_pages as usize;
        let start = match page.kind() {
            PageKind::File => w.files.device_block(page.owner, page.index),
            _ => w.swap.block(page.swap_slot()),
        };
        cx.plug.last().is_some_and(|bio| {
            let end = bio.start + bio.pages.len() as u64;
            bio.device == device && end == start && bio.pages.len() < most
        })
    }

    fn write(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let page = w.mem.pages[self.page];
        w.mem.pages[self.page].set(flag::RECLAIM);
        w.record(MmVmscanWritepage {
            pfn: self.page,
            file: !page.is_anon(),
            sync: cx.sc.mode.is_sync(),
        });
        w.vmscan_totals
            .wrote(cx.sc.kswapd, cx.sc.mode.is_sync(), page.is_anon());
        if page.is(PageKind::File) {
            crate::page_writeback::writepage(w, cx, self.page, origin(cx));
        } else {
            crate::swapfile::swap_writepage(w, cx, self.page, origin(cx));
            w.spend(w.facts.cost.swap_out);
        }
        cx.sc.stat.pageout += 1;
        w.counters.nr_vmscan_write += 1;
        let owner = w.mem.lruvec_of(self.page);
        let file = if page.is_anon() { ANON } else { FILE };
        if w.facts.features.reclaim_writes.counts_tail() && !w.mem.lru_gen_on {
            memcg::tree::note_cost(w, owner, file, 1);
        }
        w.record(Pageout { page: self.page });
        self.pt = if cx.sc.mode.is_sync() {
            PgPt::Written
        } else {
            PgPt::Keep
        };
        Flow::Next
    }

    fn remove(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        w.spend(w.facts.cost.page_ladder_free);
        let frame = self.page;
        if w.mem.pages[frame].is(PageKind::File) {
            let shadow = crate::workingset::workingset_eviction(w, frame, cx.sc.target);
            crate::filemap::note_evicted(w, frame);
            crate::filemap::delete_from_page_cache(w, frame, shadow);
        } else {
            let shadow = crate::workingset::workingset_eviction(w, frame, cx.sc.target);
            crate::swapfile::delete_from_swap_cache(w, frame, shadow);
        }
        w.record(LadderFree { page: frame });
        crate::memory::release(w, frame);
        cx.sc.free.push(frame);
        self.pt = PgPt::Next;
        Flow::Next
    }
}

#[cfg(test)]
mod tests {
    use super::References::*;
    use super::*;

    /// Rules 2 to 7 of the reference check, in 3.0.
    #[test]
    fn activates_a_used_anonymous_page_at_once_up_to_3_1() {
        let ask = |young, referenced, anon| {
            check_references(
                ReferencedRule::Anon30,
                young,
                referenced,
                false,
                anon,
                false,
            )
        };
        assert_eq!(ask(1, false, true), (Activate, false));
        assert_eq!(ask(1, true, false), (Activate, true));
        assert_eq!(ask(1, false, false), (Keep, true));
        assert_eq!(ask(0, true, false), (ReclaimClean, false));
        assert_eq!(ask(0, true, true), (Reclaim, false));
        assert_eq!(ask(0, false, false), (Reclaim, false));
    }

    #[test]
    fn activates_an_anonymous_page_after_two_visits_or_two_mappings_from_5_9_on() {
        let ask = |young, referenced, anon, exec| {
            check_references(
                ReferencedRule::TwoVisits,
                young,
                referenced,
                false,
                anon,
                exec,
            )
        };
        assert_eq!(ask(1, false, true, false), (Keep, true));
        assert_eq!(ask(1, true, true, false), (Activate, true));
        assert_eq!(ask(2, false, true, false), (Activate, true));
        assert_eq!(ask(1, false, false, true), (Activate, true));
        assert_eq!(ask(0, true, false, false), (ReclaimClean, false));
    }

    #[test]
    fn reclaims_a_page_with_a_locked_mapping_up_to_3_1_and_activates_it_later() {
        let ask = |rule| check_references(rule, 0, false, true, true, false).0;
        assert_eq!(ask(ReferencedRule::Anon30), Reclaim);
        assert_eq!(ask(ReferencedRule::TwoVisits), Activate);
    }
}
