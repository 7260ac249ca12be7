//! Moving pages to other frames (mm/migrate.c, as read in 2.6.37).
//!
//! Modelled: moves for compaction and for NUMA balancing, which choose the target frames in
//! different ways ([`Target`]). There are up to ten passes over a list; later passes wait for locks
//! and writes, and every failed try costs its target. Anonymous pages, pages in the swap cache and
//! file pages can move. Entries, caches, tags, flags and list positions move with them. If the lock
//! of an `anon_vma` is a mutex, an anonymous page is unmapped and mapped again under it, and copied
//! in between ([`crate::locks`]).
//! Left out: pages of file systems that cannot be moved. There are no migration entries: a page
//! moves in one step, the last, so no task ever meets such an entry. Tracepoints of migration
//! entries.
//! Visible difference: a fault never waits for a page that is being moved.
//! Invariants: a page is moved while it is locked and on no list. Its contents, owner and flags
//! stay the same. A page whose last user releases it is freed by the task that holds it.

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
use facts::index::{FrameIndex, NodeIndex};
use facts::state::State;

events! {
    /// Pages are about to be moved to the node that uses them.
    MmMigratePagesStart "mm_migrate_pages_start" from "include/trace/events/migrate.h, from 5.15" {};
    /// Pages were moved to the node that uses them, or could not be moved; also counted in huge pages.
    MmMigratePages "mm_migrate_pages" from "include/trace/events/migrate.h, from 3.8" { nr_succeeded: Count, nr_failed: Count, nr_thp_succeeded: Count, nr_thp_failed: Count };
}

decisions! {
    MigrateNoTarget { page: Page }
        "There is no free page left for the page at {page}: this run moves no more pages.";
    MigrateNodeFull { page: Page, node: Node }
        "{node} has no free block for the page at {page}: it stays where it is.";
    MigrateFreed { page: Page }
        "The page at {page} has no user any more: there is nothing to move.";
    MigrateLocked { page: Page, pass: Count }
        "Another task holds the lock of the page at {page}: try it again after pass {pass}.";
    MigrateWriteback { page: Page, pass: Count }
        "The page at {page} is being written: try it again after pass {pass}.";
    MigrateWaits { page: Page, pass: Count }
        "The page at {page} is locked or being written in pass {pass}: from the fourth pass on, the task waits until that ends.";
    MigrateMoved { page: Page, to: Page, mappings: Count }
        "The page at {page} is copied to {to}: the kernel changes {mappings page table entry} to map the copy.";
}

/// Maximum number of passes over a list.
const PASSES: u8 = 10;
/// Passes from this one on, counted from 0, wait for locks and writes.
const FORCE: u8 = 3;

/// [`UnmapAndMove`] returns this if the page is finished.
const DONE: u32 = 0;
/// The page must be tried again.
const AGAIN: u32 = 1;
/// There is no target frame.
const NO_MEMORY: u32 = 2;
/// The other users of the page released it; the caller must free it.
const GONE: u32 = 3;

/// Where pages are moved to, which also implies why (`new_page_t`, `migrate_reason`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub enum Target {
    /// Pages taken by the free scanner of compaction.
    #[default]
    #[state(rest)]
    Scanner,
    /// Pages of this node, which uses them (`MR_NUMA_MISPLACED`).
    Node(NodeIndex),
}

/// The pages that `migrate_pages` moves, and their target. The caller fills this record; calls
/// never nest.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct MigrateControl {
    /// Pages isolated for moving, in the order in which they were taken; the head of the list is
    /// the last element.
    pub list: Vec<FrameIndex>,
    /// Target of all pages on the list.
    pub target: Target,
}

room! {
    MigratePages: "migrate_pages" in "mm/migrate.c" at "v3.0.1" line 881;
    Simplified "For compaction and NUMA balancing only.";
    MpPt {
        Pass 0 Plain "while some must be tried again, ten passes at most:";
        Next 1 Yields "for each page of the list:";
        Moved 2 Plain "unmap_and_move(): try again, or no memory?";
        Done 0 Plain "return";
    }
    locals(self, w) {
        pass: number(self.pass);
        retry: number(self.retry);
        left: number(self.left);
    }
}

/// `migrate_pages` over the pages in [`Context::migrate`]. Pages that could not be moved stay there.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct MigratePages {
    /// Current program point.
    pub pt: MpPt,
    /// Number of the current pass, from 0.
    pub pass: u8,
    /// Pages of the list that this pass has not reached yet.
    pub left: u8,
    /// Number of pages that must be tried again.
    pub retry: u8,
    /// Base pages on the list at the start, in kernels that count them.
    pub pages: u32,
}

impl MigratePages {
    /// Frame for a list of pages that have not been moved yet.
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
                // The head of the list is the last element.
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

    /// Counts the pages moved for NUMA balancing. Kernels whose compaction is modelled count its pages
    /// elsewhere.
    fn count(&self, w: &mut World, cx: &Context) {
        if cx.migrate.target == Target::Scanner {
            return;
        }
        // Balancing moves one page at a time. If the page could not be moved, it may belong to
        // another thread by now.
        let left = match cx.migrate.list.is_empty() {
            true => 0,
            false => u64::from(self.pages),
        };
        let moved = u64::from(self.pages) - left;
        let rules = crate::numa::rules(&w.facts);
        // A small page stays where it is only because there are no free pages or because too many
        // tries failed.
        let counts = self.pages > 1 || rules.is_none_or(|rules| rules.counts_not_moved);
        let failed = if counts { left } else { 0 };
        let huge = u64::from(self.pages > 1);
        w.counters.pgmigrate_success += moved;
        w.counters.pgmigrate_fail += failed;
        // In kernels that move huge pages separately, that path has no tracepoint.
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
    Simplified "An entry changes in one step, so no task meets a migration entry; every page can be moved.";
    UmPt {
        Target 0 Plain "get_new_page(): from free scanner or target node";
        Take 0 Plain "newpage = that page, or ENOMEM";
        Freed 0 Plain "no other user of the page: nothing to move";
        Lock 0 Plain "trylock_page(), from the fourth pass on lock_page()";
        Writeback 0 Plain "under writeback: try again, or wait for its end";
        Move 0 Hold "unmap it, copy it, map newpage in its place";
        Unmap 0 Plain "anonymous: page_lock_anon_vma()" if |f| queues(f);
        Unmapped 1 Yields "try_to_unmap(), with the mutex" if |f| queues(f);
        Release 0 Plain "page_unlock_anon_vma()" if |f| queues(f);
        Copy 0 Plain "copy it to newpage" if |f| queues(f);
        Relock 0 Plain "anon_vma_lock()" if |f| queues(f);
        Remap 1 Yields "remove_migration_ptes(), with the mutex: map newpage" if |f| queues(f);
        Unlock 0 Plain "anon_vma_unlock()" if |f| queues(f);
        FreeOld 0 Plain "no user of the old frame: free it";
        FreeNew 0 Plain "not moved: free newpage";
        FreeGone 0 Plain "free the page, which counts as moved" if |f| f.migration_counts_freed;
        Done 0 Plain "return";
    }
    locals(self, w) {
        page: page(self.page);
        newpage: page(self.new);
        pass: number(self.pass);
        sync: yes_no(self.pass >= FORCE);
        target: node(self.node().unwrap_or_default()) if self.node().is_some();
        anon_vma: number(self.anon_vma) if self.anon_vma != NONE;
    }
}

/// `unmap_and_move`: one try to move one page. Returns whether the page is finished, must be tried
/// again, or has no target.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct UnmapAndMove {
    /// Current program point.
    pub pt: UmPt,
    /// Number of the pass, from 0.
    pub pass: u8,
    /// Result of the try.
    pub result: u8,
    /// Frame of the page.
    pub page: FrameIndex,
    /// Frame of the target.
    pub new: FrameIndex,
    /// Where the target comes from.
    pub target: Target,
    /// The process whose mutex the task takes, [`NONE`] if it takes none.
    #[state(rest = NONE)]
    pub anon_vma: u32,
    /// True if the page was moved under that mutex, which the task still holds.
    pub moved: bool,
}

impl UnmapAndMove {
    /// Frame of a try that has not started.
    pub fn call(page: FrameIndex, pass: u8, target: Target) -> Frame {
        Frame::UnmapAndMove(Self {
            pt: UmPt::Target,
            pass,
            result: DONE as u8,
            page,
            new: FrameIndex::NONE,
            target,
            anon_vma: NONE,
            moved: false,
        })
    }

    /// The node to which the page is moved, if there is one.
    const fn node(&self) -> Option<NodeIndex> {
        match self.target {
            Target::Scanner => None,
            Target::Node(node) => Some(node),
        }
    }

    /// Did the allocator return a target block in the return slot?
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
                    // Another thread moves the huge page: the page stays on the list as not moved.
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
                // This cost includes everything that is not done under the mutex.
                let cost = &w.facts.cost;
                let walks = 2 * cost.anon_vma_walk;
                let rest = cost.migrate_page.saturating_sub(walks) + cost.tlb_flush_page;
                w.spend(rest);
                w.spend_copy(self.page, self.new, w.mem.pages[self.new].order());
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
                let order = w.mem.pages[self.page].order();
                up.call(FreePages::call(self.page, order), w, cx)
            }
            UmPt::FreeNew => {
                let gone = self.result == GONE as u8;
                self.pt = if gone { UmPt::FreeGone } else { UmPt::Done };
                let order = w.mem.pages[self.new].order();
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
            Target::Node(_) => FrameIndex::new(cx.ret).known(),
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
        if w.mem.pages[self.new].order() > 0 {
            // A huge page is on no list and is never written. The mark of its entry shows whether
            // another thread moves the page.
            return self.is_ready(w);
        }
        if !w.mem.pages[self.page].is_orphan() {
            self.pt = UmPt::Lock;
            return Flow::Next;
        }
        w.record(MigrateFreed { page: self.page });
        // Otherwise the page stays on the list, and is freed when it is put back.
        if w.facts.features.migration_counts_freed {
            leave_list(w, cx, self.page);
            self.result = GONE as u8;
        }
        self.pt = UmPt::FreeNew;
        Flow::Next
    }

    /// May this pass wait for locks and writes?
    fn forced(&self, cx: &Context) -> bool {
        self.pass >= FORCE && cx.cc.sync && self.target == Target::Scanner
    }

    fn lock(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        if !w.mem.pages[self.page].has(flag::LOCKED) {
            w.mem.pages[self.page].set(flag::LOCKED);
            self.pt = UmPt::Writeback;
            return Flow::Next;
        }
        let pass = self.pass.into();
        // A reclaiming task may itself hold the lock of a page that it is about to read.
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
        if !w.mem.pages[self.page].has(flag::WRITEBACK) {
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

    /// All checks have passed: the page is moved now, or as soon as the task has the mutex under
    /// which its entry changes.
    fn is_ready(&mut self, w: &World) -> Flow {
        let anon_vma = crate::locks::anon_vma_of(w, self.page);
        (self.anon_vma, self.pt) = match anon_vma {
            Some(process) => (process, UmPt::Unmap),
            None => (NONE, UmPt::Move),
        };
        Flow::Next
    }

    /// The call that takes the mutex for one of the walks.
    fn mutex_lock(&self, w: &World) -> Frame {
        MutexLock::call(self.anon_vma, w.facts.cost.anon_vma_walk)
    }

    /// Is the page moved under a mutex?
    const fn is_locked(&self) -> bool {
        self.anon_vma != NONE
    }

    /// The next line after the page was moved or could not be moved: a task that holds the mutex
    /// releases it first.
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
        if w.mem.pages[self.new].order() > 0 {
            return self.move_huge(w, cx);
        }
        if w.mem.pages[self.page].is_orphan() {
            // The last user released the page before it was locked: the next pass notices that.
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
    /// Is this the first thread to move the page? If so, it unmarks the entry of a huge page, so
    /// that no other thread faults on it and moves the page too. A later thread finds the entry
    /// unmarked or gone.
    fn is_first(&self, w: &mut World) -> bool {
        if w.mem.pages[self.new].order() == 0 {
            return true;
        }
        if !crate::numa::fault::is_mapped_huge(w, self.page) {
            return false;
        }
        let (space, region, at) = crate::rmap::anon_place(w, self.page);
        let first = w.processes.is_hinting(space, region, at);
        // The entry refers to the same block, no longer marked.
        w.processes.move_huge(space, region, at, self.page);
        first
    }

    /// The same for a huge page. Its process may have unmapped the page in the meantime: then the
    /// page is gone.
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

/// Spends the time to move a page or a huge page from one frame to another, in one step.
fn spend_move(w: &mut World, (old, new): (FrameIndex, FrameIndex), is_mapped: bool) {
    w.spend_copy(old, new, w.mem.pages[new].order());
    let cost = &w.facts.cost;
    let flush = if is_mapped { cost.tlb_flush_page } else { 0 };
    w.spend(cost.migrate_page + flush);
}

/// Base pages in the blocks of a list.
fn base_pages(w: &World, list: &[FrameIndex]) -> u32 {
    let order = |&page: &FrameIndex| w.mem.pages[page].order();
    list.iter().map(|page| 1 << order(page)).sum()
}

/// Request for a free block on the node that uses a page. It never reclaims, wakes kswapd or warns
/// (`alloc_misplaced_dst_page`).
fn alloc_misplaced_dst_page(w: &World, page: FrameIndex, node: NodeIndex) -> Frame {
    let order = w.mem.pages[page].order();
    let reclaim = Gfp::DIRECT_RECLAIM.with(Gfp::KSWAPD_RECLAIM);
    let gfp = match order {
        0 => Gfp::GFP_HIGHUSER_MOVABLE
            .without(reclaim)
            .with(Gfp::NORETRY),
        _ => crate::memory::huge_gfp(w, false),
    };
    AllocPages::call(Request::new(
        w,
        gfp.with(Gfp::THISNODE),
        order,
        w.only(node),
    ))
}

/// Removes a page from the list of pages to move; it no longer counts as isolated.
pub fn leave_list(w: &mut World, cx: &mut Context, frame: FrameIndex) {
    cx.migrate.list.retain(|&page| page != frame);
    let file = usize::from(!w.mem.pages[frame].is_anon());
    let owner = w.mem.lruvec_of(frame);
    w.mem.lruvecs[owner].isolated[file] -= 1;
}

/// Flags that move with the contents of a page.
const KEPT: u32 = flag::ALL & !(flag::LRU | flag::LOCKED | flag::ISOLATED);

/// Moves a locked, isolated page to a frame that the task holds, and spends the time for that.
/// Returns how many entries mapped the page.
pub fn move_page(w: &mut World, old: FrameIndex, new: FrameIndex) -> u32 {
    let mappings = change_frame(w, old, new);
    spend_move(w, (old, new), mappings > 0);
    mappings
}

/// Transfers a locked, isolated page to a frame that the task holds: contents, owner, flags,
/// entries, caches and counts. The task then holds the old frame; waiters for its lock check again.
/// Returns how many entries mapped the page (`move_to_new_page`, `migrate_page_copy`,
/// `remove_migration_ptes`).
fn change_frame(w: &mut World, old: FrameIndex, new: FrameIndex) -> u32 {
    crate::memcg::migrate(w, old, new);
    let mappings = crate::rmap::move_mappings(w, old, new);
    let page = w.mem.pages[old];
    debug_assert!(page.has(flag::LOCKED | flag::ISOLATED) && !page.has(flag::LRU));
    if page.is(PageKind::File) {
        w.files.replace(page.owner, page.index, new);
    } else if page.owner == SWAP_OWNER {
        w.swap.replace(page.swap_slot(), new);
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

/// Transfers a huge page to a block that the task holds: contents, owner, the entry that maps it.
/// The task then holds the old block. The entry is no longer marked for a hinting fault.
fn change_huge_frame(w: &mut World, old: FrameIndex, new: FrameIndex) {
    let page = w.mem.pages[old];
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

/// The page counts of its zone that include a page.
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
