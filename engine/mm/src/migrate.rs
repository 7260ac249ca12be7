//! Moving pages to other frames (mm/migrate.c; as read in 2.6.37).
//!
//! Modelled: for compaction and for NUMA balancing, each of which says where pages go ([`Target`]): up to ten passes over a list, trying and waiting for locks and writes, the target that
//! every failed try costs; anonymous pages, those in the swap cache, pages of files: entries, caches,
//! tags, flags and place on the lists follow.
//! Where the lock of an `anon_vma` is a mutex, an anonymous page is unmapped and mapped again under it, and
//! copied in between ([`crate::locks`]).
//! Left out: pages of file systems that cannot be moved; migration entries, as a page is moved in
//! one step, the last: nobody meets one. Tracepoints of the entries.
//! Who could tell: a fault never waits for a page on its way.
//! Invariants: a page is moved while it is locked and on no list; what it holds, who owns it and its
//! flags stay; a page whose last user left is freed by who has it in hand.

use crate::compaction::IsolateFreepages;
use crate::filemap::{unlock_page, wait_on_page};
use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::Gfp;
use crate::locks::{MutexLock, queues};
use crate::mmzone::{Gauge, PageKind, SWAP_OWNER, flag};
use crate::page_alloc::{AllocPages, Request};
use crate::pcp::FreePages;
use crate::record::{decisions, events};
use crate::world::World;
use facts::state::State;

events! {
    /// Pages are about to be moved to the node they are used from.
    MmMigratePagesStart "mm_migrate_pages_start" from "include/trace/events/migrate.h, from 5.15" {};
    /// Pages were moved to the node they are used from, or could not be; of those, in huge pages.
    MmMigratePages "mm_migrate_pages" from "include/trace/events/migrate.h, from 3.8" { nr_succeeded: Count, nr_failed: Count, nr_thp_succeeded: Count, nr_thp_failed: Count };
}

decisions! {
    MigrateNoTarget { page: Page }
        "There is no free page left for the page at {page}: nothing more is moved.";
    MigrateNodeFull { page: Page, node: Node }
        "{node} has no free block for the page at {page}: it stays where it is.";
    MigrateFreed { page: Page }
        "Nobody but who moves it holds the page at {page} any more: there is nothing to move.";
    MigrateLocked { page: Page, pass: Count }
        "Somebody else holds the lock of the page at {page}: it is tried again after pass {pass}.";
    MigrateWriteback { page: Page, pass: Count }
        "The page at {page} is being written: it is tried again after pass {pass}.";
    MigrateWaits { page: Page, pass: Count }
        "The page at {page} is locked or being written: from the fourth pass on, now {pass}, that is waited for.";
    MigrateMoved { page: Page, to: Page, mappings: Count }
        "The page at {page} is copied to {to}, and {mappings entry} that mapped it with it.";
}

/// Passes over a list.
const PASSES: u8 = 10;
/// From this pass on, counted from 0, locks and writes are waited for.
const FORCE: u8 = 3;

/// What [`UnmapAndMove`] returns: the page is done with.
const DONE: u32 = 0;
/// It is to be tried again.
const AGAIN: u32 = 1;
/// There is no target.
const NO_MEMORY: u32 = 2;
/// It was freed by others and is to be freed here.
const GONE: u32 = 3;

/// Where pages are moved to, and so why (`new_page_t`, `migrate_reason`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub enum Target {
    /// To pages that the free scanner of compaction has taken.
    #[default]
    #[state(rest)]
    Scanner,
    /// To pages of this node, which are used from there (`MR_NUMA_MISPLACED`).
    Node(u8),
}

/// What `migrate_pages` is asked to move, and where to. Who asks owns it; calls never nest.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct MigrateControl {
    /// Pages isolated to be moved, in the order they were taken: the list's head is last.
    pub list: Vec<u32>,
    /// Where to.
    pub target: Target,
}

room! {
    MigratePages: "migrate_pages" in "mm/migrate.c" at "v3.0.1" line 881;
    Simplified "For compaction and NUMA balancing only.";
    MpPt {
        Pass 0 Plain "while some are to be tried again, in ten passes at most:";
        Next 1 Yields "for each page of the list:";
        Moved 2 Plain "unmap_and_move(): to be tried again, or no memory?";
        Done 0 Plain "return";
    }
    locals(self, w) {
        pass: number(self.pass);
        retry: number(self.retry);
        left: number(self.left);
    }
}

/// `migrate_pages` over the pages in [`Context::migrate`]. What could not be moved is left there.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct MigratePages {
    /// Current program point.
    pub pt: MpPt,
    /// The pass, from 0.
    pub pass: u8,
    /// Pages of the list this pass has not come to.
    pub left: u8,
    /// Pages to be tried again.
    pub retry: u8,
    /// Base pages of the list when it began, where they are counted.
    pub pages: u32,
}

impl MigratePages {
    /// A list about to be moved.
    pub fn call() -> Frame {
        Frame::MigratePages(Self {
            pt: MpPt::Pass,
            pass: u8::MAX,
            left: 0,
            retry: 0,
            pages: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            MpPt::Pass => {
                let first = self.pass == u8::MAX;
                self.pass = self.pass.wrapping_add(1);
                let goes_on = (first || self.retry > 0) && self.pass < PASSES;
                (self.left, self.retry) = (cx.migrate.list.len() as u8, 0);
                if first && cx.migrate.target != Target::Scanner {
                    self.pages = base_pages(w, &cx.migrate.list);
                    w.record(MmMigratePagesStart {});
                }
                self.pt = if goes_on { MpPt::Next } else { MpPt::Done };
                Flow::Next
            }
            MpPt::Next => {
                let Some(left) = self.left.checked_sub(1) else {
                    self.pt = MpPt::Pass;
                    return Flow::Next;
                };
                // The list's head is last.
                (self.left, self.pt) = (left, MpPt::Moved);
                let page = cx.migrate.list[usize::from(left)];
                up.call(
                    UnmapAndMove::call(page, self.pass, cx.migrate.target),
                    w,
                    cx,
                )
            }
            MpPt::Moved => {
                self.retry += u8::from(cx.ret == AGAIN);
                self.pt = if cx.ret == NO_MEMORY {
                    MpPt::Done
                } else {
                    MpPt::Next
                };
                Flow::Next
            }
            MpPt::Done => {
                self.count(w, cx);
                Flow::Ret
            }
        }
    }

    /// Counts what was moved for NUMA balancing; the kernels whose compaction is modelled count its
    /// pages apart.
    fn count(&self, w: &mut World, cx: &Context) {
        if cx.migrate.target == Target::Scanner {
            return;
        }
        // One page at a time is moved for balancing. One that is left may be another thread's by now.
        let left = match cx.migrate.list.is_empty() {
            true => 0,
            false => u64::from(self.pages),
        };
        let moved = u64::from(self.pages) - left;
        let rules = crate::numa::rules(&w.facts);
        // Nothing else than want of a free page or too many tries keeps a small page where it is.
        let counts = self.pages > 1 || rules.is_none_or(|rules| rules.counts_not_moved);
        let failed = if counts { left } else { 0 };
        let huge = u64::from(self.pages > 1);
        w.counters.pgmigrate_success += moved;
        w.counters.pgmigrate_fail += failed;
        // Kernels that move huge pages apart have no tracepoint there.
        let apart = rules.is_some_and(|rules| rules.huge_apart);
        if apart && huge > 0 {
            return;
        }
        w.record(MmMigratePages {
            nr_succeeded: moved as i64,
            nr_failed: failed as i64,
            nr_thp_succeeded: if moved > 0 { huge as i64 } else { 0 },
            nr_thp_failed: if failed > 0 { huge as i64 } else { 0 },
        });
    }
}

room! {
    UnmapAndMove: "unmap_and_move" in "mm/migrate.c" at "v3.0.1" line 620;
    Simplified "An entry changes in one step, so that nobody meets a migration entry; every page can be moved.";
    UmPt {
        Target 0 Plain "get_new_page(): of the free scanner, or of the target node";
        Take 0 Plain "newpage = that page, or ENOMEM";
        Freed 0 Plain "nobody else holds the page: nothing to move";
        Lock 0 Plain "trylock_page(), from the fourth pass on lock_page()";
        Writeback 0 Plain "being written: again, or wait for the end of it";
        Move 0 Hold "unmap it, copy it, map newpage in its place";
        Unmap 0 Plain "anonymous: page_lock_anon_vma()" if |f| queues(f);
        Unmapped 1 Yields "try_to_unmap(), with the mutex" if |f| queues(f);
        Release 0 Plain "page_unlock_anon_vma()" if |f| queues(f);
        Copy 0 Plain "copy it to newpage" if |f| queues(f);
        Relock 0 Plain "anon_vma_lock()" if |f| queues(f);
        Remap 1 Yields "remove_migration_ptes(), with the mutex: map newpage" if |f| queues(f);
        Unlock 0 Plain "anon_vma_unlock()" if |f| queues(f);
        FreeOld 0 Plain "nobody holds the frame it left: free it";
        FreeNew 0 Plain "not moved: free newpage";
        FreeGone 0 Plain "free the page, which counts as moved" if |f| f.migration_counts_freed;
        Done 0 Plain "return";
    }
    locals(self, w) {
        page: page(self.page);
        newpage: page(self.new);
        pass: number(self.pass);
        sync: yes_no(self.pass >= FORCE);
        target: node(self.node().unwrap_or(0)) if self.node().is_some();
        anon_vma: number(self.anon_vma) if self.anon_vma != NONE;
    }
}

/// `unmap_and_move`: one try to move one page. Returns whether it is done with, to be tried again or
/// without a target.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct UnmapAndMove {
    /// Current program point.
    pub pt: UmPt,
    /// The pass, from 0.
    pub pass: u8,
    /// What it comes to.
    pub result: u8,
    /// The page.
    pub page: u32,
    /// Its target.
    pub new: u32,
    /// Where that comes from.
    pub target: Target,
    /// The process whose mutex it takes, [`NONE`] for none.
    #[state(rest = NONE)]
    pub anon_vma: u32,
    /// With that mutex, which it still has, it moved the page.
    pub moved: bool,
}

impl UnmapAndMove {
    /// A try about to begin.
    pub fn call(page: u32, pass: u8, target: Target) -> Frame {
        Frame::UnmapAndMove(Self {
            pt: UmPt::Target,
            pass,
            result: DONE as u8,
            page,
            new: NONE,
            target,
            anon_vma: NONE,
            moved: false,
        })
    }

    /// The node it moves to, where one is given.
    const fn node(&self) -> Option<u8> {
        match self.target {
            Target::Scanner => None,
            Target::Node(node) => Some(node),
        }
    }

    /// The block it is to be moved to as the caller of the allocator sees it: in the return slot.
    pub fn has_target_returned(&self) -> bool {
        self.pt == UmPt::Take && self.node().is_some()
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            UmPt::Target => {
                self.pt = UmPt::Take;
                match self.target {
                    Target::Node(node) => {
                        up.call(alloc_misplaced_dst_page(w, self.page, node), w, cx)
                    }
                    Target::Scanner if cx.cc.freepages.is_empty() => {
                        up.call(IsolateFreepages::call(), w, cx)
                    }
                    Target::Scanner => Flow::Next,
                }
            }
            UmPt::Take => self.take(w, cx),
            UmPt::Freed => self.freed(w, cx),
            UmPt::Lock => self.lock(w, cx),
            UmPt::Writeback => self.writeback(w, cx),
            UmPt::Move => self.move_it(w, cx),
            UmPt::Unmap => {
                self.pt = UmPt::Unmapped;
                up.call(self.mutex_lock(w), w, cx)
            }
            UmPt::Unmapped => {
                w.spend(w.facts.cost.anon_vma_walk);
                self.pt = if self.is_first(w) {
                    UmPt::Release
                } else {
                    // Another thread moves the huge page: it stays on the list, as one that is not moved.
                    UmPt::Unlock
                };
                Flow::Next
            }
            UmPt::Release => {
                crate::locks::unlock(w, cx, self.anon_vma);
                self.pt = UmPt::Copy;
                Flow::Next
            }
            UmPt::Copy => {
                // With all that is not under the mutex.
                let cost = &w.facts.cost;
                let walks = 2 * cost.anon_vma_walk;
                let rest = cost.migrate_page.saturating_sub(walks) + cost.tlb_flush_page;
                w.spend(rest);
                w.spend_copy(self.page, self.new, w.mem.pages[self.new as usize].order());
                self.pt = UmPt::Relock;
                Flow::Next
            }
            UmPt::Relock => {
                self.pt = UmPt::Remap;
                up.call(self.mutex_lock(w), w, cx)
            }
            UmPt::Remap => {
                w.spend(w.facts.cost.anon_vma_walk);
                self.move_it(w, cx)
            }
            UmPt::Unlock => self.unlock(w, cx),
            UmPt::FreeOld => {
                self.pt = UmPt::Done;
                let order = w.mem.pages[self.page as usize].order();
                up.call(FreePages::call(self.page, order), w, cx)
            }
            UmPt::FreeNew => {
                let gone = self.result == GONE as u8;
                self.pt = if gone { UmPt::FreeGone } else { UmPt::Done };
                let order = w.mem.pages[self.new as usize].order();
                up.call(FreePages::call(self.new, order), w, cx)
            }
            UmPt::FreeGone => {
                (self.result, self.pt) = (DONE as u8, UmPt::Done);
                crate::memory::release(w, self.page);
                up.call(FreePages::call(self.page, 0), w, cx)
            }
            UmPt::Done => {
                cx.ret = self.result.into();
                Flow::Ret
            }
        }
    }

    fn take(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let new = match self.target {
            Target::Scanner => cx.cc.freepages.pop(),
            Target::Node(_) => Some(cx.ret).filter(|&frame| frame != NONE),
        };
        let Some(new) = new else {
            match self.target {
                Target::Scanner => w.record(MigrateNoTarget { page: self.page }),
                Target::Node(node) => w.record(MigrateNodeFull {
                    page: self.page,
                    node,
                }),
            }
            cx.ret = NO_MEMORY;
            return Flow::Ret;
        };
        (self.new, self.pt) = (new, UmPt::Freed);
        Flow::Next
    }

    fn freed(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        if w.mem.pages[self.new as usize].order() > 0 {
            // A huge page is on no list and is never written. Who else would move it is told by its entry's mark.
            return self.is_ready(w);
        }
        if !w.mem.pages[self.page as usize].is_orphan() {
            self.pt = UmPt::Lock;
            return Flow::Next;
        }
        w.record(MigrateFreed { page: self.page });
        // Else it stays on the list, to be freed when that is put back.
        if w.facts.features.migration_counts_freed {
            leave_list(w, cx, self.page);
            self.result = GONE as u8;
        }
        self.pt = UmPt::FreeNew;
        Flow::Next
    }

    /// May locks and writes be waited for in this pass?
    fn forced(&self, cx: &Context) -> bool {
        self.pass >= FORCE && cx.cc.sync && self.target == Target::Scanner
    }

    fn lock(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        if !w.mem.pages[self.page as usize].has(flag::LOCKED) {
            w.mem.pages[self.page as usize].set(flag::LOCKED);
            self.pt = UmPt::Writeback;
            return Flow::Next;
        }
        let pass = self.pass.into();
        // Who reclaims may hold the lock itself, of a page it is about to read.
        if self.forced(cx) && !cx.memalloc {
            w.record(MigrateWaits {
                page: self.page,
                pass,
            });
            return wait_on_page(w, cx, self.page);
        }
        w.record(MigrateLocked {
            page: self.page,
            pass,
        });
        self.again()
    }

    fn again(&mut self) -> Flow {
        (self.result, self.pt) = (AGAIN as u8, UmPt::FreeNew);
        Flow::Next
    }

    fn writeback(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        if !w.mem.pages[self.page as usize].has(flag::WRITEBACK) {
            return self.is_ready(w);
        }
        let pass = self.pass.into();
        if self.forced(cx) {
            w.record(MigrateWaits {
                page: self.page,
                pass,
            });
            return wait_on_page(w, cx, self.page);
        }
        w.record(MigrateWriteback {
            page: self.page,
            pass,
        });
        unlock_page(w, self.page);
        self.again()
    }

    /// All that keeps the page where it is has been asked: it is moved at once, or where its entry is changed
    /// under a mutex once that is to be had.
    fn is_ready(&mut self, w: &World) -> Flow {
        let anon_vma = crate::locks::anon_vma_of(w, self.page);
        (self.anon_vma, self.pt) = match anon_vma {
            Some(process) => (process, UmPt::Unmap),
            None => (NONE, UmPt::Move),
        };
        Flow::Next
    }

    /// The call that takes the mutex for one walk.
    fn mutex_lock(&self, w: &World) -> Frame {
        MutexLock::call(self.anon_vma, w.facts.cost.anon_vma_walk)
    }

    /// Is the page moved under a mutex?
    const fn is_locked(&self) -> bool {
        self.anon_vma != NONE
    }

    /// Which line is next once the page was moved, or could not be: one that has the mutex lets go first.
    fn and_then(&mut self, moved: bool) -> Flow {
        self.moved = moved && self.is_locked();
        self.pt = match moved {
            _ if self.is_locked() => UmPt::Unlock,
            true => UmPt::FreeOld,
            false => UmPt::FreeNew,
        };
        Flow::Next
    }

    fn unlock(&mut self, w: &mut World, cx: &Context) -> Flow {
        crate::locks::unlock(w, cx, self.anon_vma);
        self.pt = if self.moved {
            UmPt::FreeOld
        } else {
            UmPt::FreeNew
        };
        Flow::Next
    }

    fn move_it(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        if w.mem.pages[self.new as usize].order() > 0 {
            return self.move_huge(w, cx);
        }
        if w.mem.pages[self.page as usize].is_orphan() {
            // Its last user left before it was locked: the next pass finds that.
            unlock_page(w, self.page);
            self.result = AGAIN as u8;
            return self.and_then(false);
        }
        let (old, new) = (self.page, self.new);
        leave_list(w, cx, old);
        let mappings = change_frame(w, old, new);
        if !self.is_locked() {
            spend_move(w, (old, new), mappings > 0);
        }
        w.record(MigrateMoved {
            page: old,
            to: new,
            mappings: mappings.into(),
        });
        crate::swap::return_to_lru(w, new);
        if self.node().is_some() {
            crate::numa::wait_for_list(w, new);
        }
        self.and_then(true)
    }
}

impl UnmapAndMove {
    /// Is this the first thread to move the page? That unmarks a huge page's entry, so that nobody else
    /// faults on it and moves it too; who comes second finds it unmarked, or gone.
    fn is_first(&self, w: &mut World) -> bool {
        if w.mem.pages[self.new as usize].order() == 0 {
            return true;
        }
        if !crate::numa::fault::is_mapped_huge(w, self.page) {
            return false;
        }
        let (space, region, at) = crate::rmap::anon_place(w, self.page);
        let first = w.processes.is_hinting(space, region, at);
        // The same block, unmarked.
        w.processes.move_huge(space, region, at, self.page);
        first
    }

    /// The same of a huge page. Its process may have unmapped it meanwhile: it is gone then.
    fn move_huge(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let (old, new) = (self.page, self.new);
        let is_there = crate::numa::fault::is_mapped_huge(w, old)
            && (!self.is_locked() || crate::rmap::anon_place(w, old).0 == self.anon_vma);
        if !is_there {
            w.record(MigrateFreed { page: old });
            return self.and_then(false);
        }
        cx.migrate.list.retain(|&page| page != old);
        change_huge_frame(w, old, new);
        if !self.is_locked() {
            spend_move(w, (old, new), true);
        }
        w.record(MigrateMoved {
            page: old,
            to: new,
            mappings: 1,
        });
        self.and_then(true)
    }
}

/// What it costs to move a page, or a huge one, from a frame to another in one step.
fn spend_move(w: &mut World, (old, new): (u32, u32), is_mapped: bool) {
    w.spend_copy(old, new, w.mem.pages[new as usize].order());
    let cost = &w.facts.cost;
    let flush = if is_mapped { cost.tlb_flush_page } else { 0 };
    w.spend(cost.migrate_page + flush);
}

/// Base pages in the blocks of a list.
fn base_pages(w: &World, list: &[u32]) -> u32 {
    let order = |&page: &u32| w.mem.pages[page as usize].order();
    list.iter().map(|page| 1 << order(page)).sum()
}

/// A free block of one node for a page that is used from there: nobody reclaims, is woken or warned
/// for it (`alloc_misplaced_dst_page`).
fn alloc_misplaced_dst_page(w: &World, page: u32, node: u8) -> Frame {
    let order = w.mem.pages[page as usize].order();
    let reclaim = Gfp::DIRECT_RECLAIM.with(Gfp::KSWAPD_RECLAIM);
    let gfp = match order {
        0 => Gfp::GFP_HIGHUSER_MOVABLE
            .without(reclaim)
            .with(Gfp::NORETRY),
        _ => Gfp::GFP_TRANSHUGE_LIGHT,
    };
    AllocPages::call(Request::new(
        w,
        gfp.with(Gfp::THISNODE),
        order,
        w.only(node),
    ))
}

/// A page leaves the list of those to be moved, and counts as isolated no longer.
pub fn leave_list(w: &mut World, cx: &mut Context, frame: u32) {
    cx.migrate.list.retain(|&page| page != frame);
    let file = usize::from(!w.mem.pages[frame as usize].is_anon());
    let owner = w.mem.lruvec_of(frame);
    w.mem.lruvecs[usize::from(owner)].isolated[file] -= 1;
}

/// Flags that go with what a page holds.
const KEPT: u32 = flag::ALL & !(flag::LRU | flag::LOCKED | flag::ISOLATED);

/// Moves a locked, isolated page to a frame in hand, and takes the time for it. Returns how many entries
/// mapped it.
pub fn move_page(w: &mut World, old: u32, new: u32) -> u32 {
    let mappings = change_frame(w, old, new);
    spend_move(w, (old, new), mappings > 0);
    mappings
}

/// A locked, isolated page gets a frame in hand: contents, owner, flags, entries, caches and
/// counts. Its old frame is in hand then; whoever waited for its lock looks again. Returns how many
/// entries mapped it (`move_to_new_page`, `migrate_page_copy`, `remove_migration_ptes`).
fn change_frame(w: &mut World, old: u32, new: u32) -> u32 {
    let mappings = crate::rmap::move_mappings(w, old, new);
    let page = w.mem.pages[old as usize];
    debug_assert!(page.has(flag::LOCKED | flag::ISOLATED) && !page.has(flag::LRU));
    if page.is(PageKind::File) {
        w.files.replace(page.owner, page.index, new);
    } else if page.owner == SWAP_OWNER {
        w.swap.replace(page.index, new);
    }
    let counted = gauges_of(page);
    for &gauge in &counted {
        w.mem.count(old, gauge, -1);
    }
    let to = w.mem.set_kind(new, page.kind(), 0);
    (to.owner, to.index) = (page.owner, page.index);
    to.set(page.meta & KEPT);
    for &gauge in &counted {
        w.mem.count(new, gauge, 1);
    }
    let resets = crate::numa::tick::core_rules(&w.facts.features).is_none();
    w.numa.move_last((old, new), resets);
    crate::memory::release(w, old);
    mappings
}

/// A huge page gets a block in hand: contents, owner, the entry that maps it. Its old block is in
/// hand then. The entry is no longer marked for a hinting fault.
fn change_huge_frame(w: &mut World, old: u32, new: u32) {
    let page = w.mem.pages[old as usize];
    let (space, region, at) = crate::rmap::anon_place(w, old);
    w.processes.move_huge(space, region, at, new);
    let order = page.order();
    let to = w.mem.set_kind(new, page.kind(), order);
    (to.owner, to.index) = (page.owner, page.index);
    to.set(page.meta & KEPT);
    let resets = crate::numa::tick::core_rules(&w.facts.features).is_none();
    w.numa.move_last((old, new), resets);
    crate::memory::release(w, old);
}

/// The counts of its zone that a page is part of.
fn gauges_of(page: crate::mmzone::Page) -> Vec<Gauge> {
    let file = page.is(PageKind::File);
    let all = [
        (Gauge::Dirty, file && page.has(flag::DIRTY)),
        (Gauge::FileMapped, file && page.has(flag::MAPPED)),
        (Gauge::SwapCache, page.has(flag::SWAPCACHE)),
        (Gauge::Mlock, page.has(flag::MLOCKED)),
    ];
    let counted = all.into_iter().filter(|&(_, is)| is);
    counted.map(|(gauge, _)| gauge).collect()
}
