//! Address spaces, page faults and unmapping (mm/memory.c, mm/huge_memory.c, mm/mmap.c).
//!
//! Modelled: demand-zero anonymous memory, transparent huge pages with their fallback, a page for
//! each lowest-level page table, shared file mappings, locking in memory.
//! Left out: upper page tables, copy on write, khugepaged, the zero page, private file mappings.
//! Visible difference: nr_page_table_pages is a little low; a forked child starts empty.
//! Invariants: an anonymous page records the one address where it is mapped; `rss` counts the
//! mapped pages.

use crate::filemap::{FilemapFault, TruncateInodePages};
use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::Gfp;
use crate::kernel::MemcgRule;
use crate::memcg::{self, charge::TryCharge, group::Stat};
use crate::mmzone::{Page, PageKind, flag};
use crate::numa::cluster::DoNumaPages;
use crate::numa::fault::DoNumaPage;
use crate::numa::table_fault::DoPmdNumaPage;
use crate::page_alloc::{AllocPages, Request};
use crate::profile::Thp;
use crate::record::decisions;
use crate::space::{Access, Backing, Mapping, PTE_DIRTY, PTE_YOUNG, Unmapped};
use crate::swapfile::DoSwapPage;
use crate::world::World;
use facts::index::{FrameIndex, ZonelistIndex};
use facts::state::State;

decisions! {
    FaultMinor { index: Count, region: Count, task: Task }
        "Page {index} of region {region} is not mapped: {task} faults and needs a page of its own.";
    FaultHuge { order: Order, index: Count }
        "All pages of the block of {order} around page {index} are unmapped: try one huge page instead of single pages.";
    FaultTable { index: Count }
        "No page table covers page {index} yet: one page is needed for the table itself.";
    HugeFail { order: Order }
        "No free block of {order} was available: fall back to single pages.";
    Mapped { frame: Page, node: Node, task: Task, rss: Count }
        "Page frame {frame} on {node} is zeroed and mapped: {task} now has {rss page}.";
    MappedHuge { order: Order, frame: Page, task: Task, rss: Count }
        "One huge page of {order} at {frame} is zeroed and mapped: {task} now has {rss page}.";
}

room! {
    HandleMmFault: "handle_mm_fault" in "mm/memory.c" at "v6.1.176" line 5262;
    Simplified "Only the lowest level of page tables is modelled.";
    HfPt {
        Entry 0 Plain "count the fault: may a huge page serve it?";
        Huge 1 Plain "yes: do_huge_pmd_anonymous_page()";
        Huged 1 Plain "mapped: return, else use a single page";
        Table 0 Plain "no page table here: allocate a page for one";
        Tabled 1 Plain "no memory: VM_FAULT_OOM, else set the table";
        ChargeTable 1 Plain "__memcg_kmem_charge_page()" if |f| f.memcg != MemcgRule::Absent;
        TableCharged 1 Plain "no: free it, VM_FAULT_OOM, else set the table" if |f| f.memcg != MemcgRule::Absent;
        TableFreed 1 Plain "VM_FAULT_OOM" if |f| f.memcg != MemcgRule::Absent;
        Pte 0 Plain "handle_pte_fault(): swap, file, anonymous, hinting";
        Again 0 Plain "the table was marked whole: retry the access" if |f| f.numa_balancing.rules().is_some_and(|rules| rules.whole_tables);
        Done 0 Yields "return to user mode";
    }
    locals(self, w) {
        region: number(self.region);
        page: number(self.page);
        nid: node(w.home(self.node));
    }
}

/// `handle_mm_fault`. Returns 1 when the page is mapped, 0 for VM_FAULT_OOM.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct HandleMmFault {
    /// Current program point.
    pub pt: HfPt,
    /// Region of the task's address space.
    pub region: u32,
    /// Page of the region.
    pub page: u32,
    /// Zonelist of the fault's allocations.
    pub node: ZonelistIndex,
    /// True if the access was a write.
    pub write: bool,
    /// A new page table, while it is charged.
    #[state(rest = FrameIndex::NONE)]
    pub table: FrameIndex,
}

impl HandleMmFault {
    /// Frame of a fault that has not started.
    pub fn call(region: u32, page: u32, node: ZonelistIndex, write: bool) -> Frame {
        Frame::Fault(HandleMmFault {
            pt: HfPt::Entry,
            region,
            page,
            node,
            write,
            table: FrameIndex::NONE,
        })
    }

    /// Executes one point. While the fault lasts, pages that the task adds join the youngest generation
    /// (`lru_gen_enter_fault`, `lru_gen_exit_fault`).
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        cx.in_lru_fault = w.mem.lru_gen_on;
        let flow = self.step(w, cx, up);
        if matches!(flow, Flow::Ret) {
            cx.in_lru_fault = false;
        }
        flow
    }

    #[inline(always)]
    fn step(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            HfPt::Entry => self.entry(w, cx),
            HfPt::Huge => {
                self.pt = HfPt::Huged;
                if cx.interleave != u16::MAX {
                    let block = self.page >> w.mem.pageblock_order;
                    self.node = crate::mempolicy::zonelist_of_page(w, cx, block);
                }
                up.call(DoHugeAnonymousPage::call(w, self, cx.process), w, cx)
            }
            HfPt::Huged => {
                if cx.ret == 1 {
                    return Flow::Ret;
                }
                self.pt = HfPt::Table;
                Flow::Next
            }
            HfPt::Table => {
                if w.processes.lookup(cx.process, self.region, self.page) != Mapping::NoTable {
                    self.pt = HfPt::Pte;
                    return Flow::Next;
                }
                w.record(FaultTable {
                    index: self.page.into(),
                });
                self.pt = HfPt::Tabled;
                let gfp = Gfp::GFP_KERNEL.with(Gfp::ZERO);
                up.call(AllocPages::call(Request::new(w, gfp, 0, self.node)), w, cx)
            }
            HfPt::Tabled => {
                if cx.ret == NONE {
                    cx.ret = 0;
                    return Flow::Ret;
                }
                let group = memcg::of_task(w, cx);
                if memcg::is_charged(w, group) {
                    (self.table, self.pt) = (FrameIndex::new(cx.ret), HfPt::ChargeTable);
                    return Flow::Next;
                }
                self.set_table(w, cx, up, FrameIndex::new(cx.ret))
            }
            HfPt::ChargeTable => {
                self.pt = HfPt::TableCharged;
                let group = memcg::of_task(w, cx);
                up.call(TryCharge::call(group, 1, Gfp::GFP_KERNEL), w, cx)
            }
            HfPt::TableCharged => {
                let table = std::mem::replace(&mut self.table, FrameIndex::NONE);
                if cx.ret == 0 {
                    self.pt = HfPt::TableFreed;
                    release(w, table);
                    return up.call(crate::pcp::FreePages::call(table, 0), w, cx);
                }
                let group = memcg::of_task(w, cx);
                memcg::commit(w, table, group);
                self.set_table(w, cx, up, table)
            }
            HfPt::TableFreed => {
                cx.ret = 0;
                Flow::Ret
            }
            HfPt::Again => self.again(w, cx),
            HfPt::Pte => self.pte(w, cx, up),
            HfPt::Done => Flow::Ret,
        }
    }

    /// Sets the page table, unless another thread did so first.
    fn set_table(
        &mut self,
        w: &mut World,
        cx: &mut Context,
        up: Up<'_>,
        table: FrameIndex,
    ) -> Flow {
        self.pt = HfPt::Pte;
        crate::mempolicy::interleaved(w, cx, table, self.node);
        if w.processes.lookup(cx.process, self.region, self.page) != Mapping::NoTable {
            // Another thread installed a table first.
            release(w, table);
            return up.call(crate::pcp::FreePages::call(table, 0), w, cx);
        }
        w.mem.set_kind(table, PageKind::PageTable, 0);
        w.mem.pages[table].owner = cx.process;
        w.spend_zeroing(table, 0);
        w.processes
            .set_table(cx.process, self.region, self.page, table);
        Flow::Next
    }

    /// Handles the fault of one page (`handle_pte_fault`).
    fn pte(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        if w.processes
            .is_table_hinting(cx.process, self.region, self.page)
        {
            self.pt = HfPt::Again;
            return up.call(DoPmdNumaPage::call(w, self), w, cx);
        }
        self.pt = HfPt::Done;
        let swapped = w.processes.lookup(cx.process, self.region, self.page);
        let hinting = w.processes.is_hinting(cx.process, self.region, self.page);
        let clustered = hinting
            && matches!(swapped, Mapping::Page(_))
            && crate::numa::tick::core_rules(&w.facts.features)
                .is_some_and(|rules| rules.clustered_faults);
        let backing = w.processes.region(cx.process, self.region).backing;
        let mapped = matches!(swapped, Mapping::Page(_) | Mapping::Huge(_));
        if mapped && backing == Backing::Anon && !hinting {
            // Another thread mapped the page first.
            cx.ret = 1;
            return Flow::Next;
        }
        up.call(
            match (swapped, backing) {
                _ if clustered => DoNumaPages::call(self),
                _ if hinting => DoNumaPage::call(self),
                (Mapping::Swap(_), _) => DoSwapPage::call(self),
                (_, Backing::File { .. }) => FilemapFault::call(w, self),
                (_, Backing::Anon) => DoAnonymousPage::call(self),
            },
            w,
            cx,
        )
    }

    /// The table is no longer marked: the access continues, or needs a fault of its own.
    fn again(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let anon = w.processes.region(cx.process, self.region).backing == Backing::Anon;
        let write = self.write && anon;
        let met = w.processes.touch(cx.process, self.region, self.page, write);
        self.pt = match met {
            // A clean file page is mapped read-only.
            Access::Page(frame) if !self.write || anon || w.mem.pages[frame].has(flag::DIRTY) => {
                cx.ret = 1;
                HfPt::Done
            }
            Access::Page(_) | Access::Huge(_) | Access::Hinting | Access::Absent => HfPt::Entry,
        };
        Flow::Next
    }

    fn entry(&mut self, w: &mut World, cx: &Context) -> Flow {
        w.spend(w.facts.cost.minor_fault);
        w.counters.pgfault += 1;
        memcg::count_task(w, cx, Stat::Fault);
        let region = w.processes.region(cx.process, self.region);
        let enabled = match w.thp {
            Thp::Always => true,
            Thp::Madvise => region.madvised,
            Thp::Never => false,
        };
        let anon = region.backing == Backing::Anon;
        if w.processes.is_hinting(cx.process, self.region, self.page) {
            self.pt = HfPt::Pte;
            return Flow::Next;
        }
        let huge = anon && enabled && w.processes.huge_fits(cx.process, self.region, self.page);
        if huge {
            let order = w.mem.pageblock_order;
            w.record(FaultHuge {
                order,
                index: self.page.into(),
            });
        } else {
            w.record(FaultMinor {
                index: self.page.into(),
                region: self.region.into(),
                task: cx.task,
            });
        }
        self.pt = if huge { HfPt::Huge } else { HfPt::Table };
        Flow::Next
    }
}

room! {
    DoAnonymousPage: "do_anonymous_page" in "mm/memory.c" at "v6.1.176" line 4136;
    Simplified "A read faults like a write: there is no zero page.";
    DaPt {
        Alloc 0 Plain "alloc_zeroed_user_highpage_movable()";
        Zero 0 Plain "no page: VM_FAULT_OOM, else zero it";
        Charge 0 Plain "mem_cgroup_charge()" if |f| f.memcg != MemcgRule::Absent;
        Charged 0 Plain "no: free it, and the fault is retried" if |f| f.memcg != MemcgRule::Absent;
        Map 0 Plain "map it and count it";
        Lost 0 Plain "mapped by another thread meanwhile: free the page";
    }
    locals(self, w) {
        region: number(self.region);
        address: number(self.page);
        page: page(self.frame);
    }
}

/// `do_anonymous_page`. Returns 1 when the page is mapped, else 0.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct DoAnonymousPage {
    /// Current program point.
    pub pt: DaPt,
    /// Index of the region.
    pub region: u32,
    /// Page of the region.
    pub page: u32,
    /// Zonelist of the fault's allocations.
    pub node: ZonelistIndex,
    /// Frame of the new page.
    pub frame: FrameIndex,
}

impl DoAnonymousPage {
    fn call(fault: &HandleMmFault) -> Frame {
        let HandleMmFault {
            region, page, node, ..
        } = *fault;
        Frame::AnonPage(Self {
            pt: DaPt::Alloc,
            region,
            page,
            node,
            frame: FrameIndex::NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            DaPt::Alloc => {
                self.pt = DaPt::Zero;
                let gfp = Gfp::GFP_HIGHUSER_MOVABLE.with(Gfp::ZERO);
                up.call(AllocPages::call(Request::new(w, gfp, 0, self.node)), w, cx)
            }
            DaPt::Zero => {
                self.frame = FrameIndex::new(cx.ret);
                if self.frame == FrameIndex::NONE {
                    cx.ret = 0;
                    return Flow::Ret;
                }
                crate::mempolicy::interleaved(w, cx, self.frame, self.node);
                w.spend_zeroing(self.frame, 0);
                let group = memcg::of_task(w, cx);
                self.pt = if memcg::is_charged(w, group) {
                    DaPt::Charge
                } else {
                    DaPt::Map
                };
                Flow::Next
            }
            DaPt::Charge => {
                self.pt = DaPt::Charged;
                let group = memcg::of_task(w, cx);
                up.call(TryCharge::call(group, 1, Gfp::GFP_KERNEL), w, cx)
            }
            DaPt::Charged => {
                if cx.ret == 0 {
                    self.pt = DaPt::Lost;
                    release(w, self.frame);
                    return up.call(crate::pcp::FreePages::call(self.frame, 0), w, cx);
                }
                let group = memcg::of_task(w, cx);
                memcg::commit(w, self.frame, group);
                self.pt = DaPt::Map;
                Flow::Next
            }
            DaPt::Map => {
                if w.processes.lookup(cx.process, self.region, self.page) != Mapping::Empty {
                    self.pt = DaPt::Lost;
                    release(w, self.frame);
                    return up.call(crate::pcp::FreePages::call(self.frame, 0), w, cx);
                }
                let page = w.mem.set_kind(self.frame, PageKind::Anon, 0);
                own(page, cx.process, self.region, self.page);
                page.set(flag::MAPPED);
                let bits = PTE_YOUNG | PTE_DIRTY;
                w.processes
                    .set_page(cx.process, self.region, self.page, self.frame, bits);
                crate::swap::lru_cache_add(w, self.frame, cx.in_lru_fault);
                crate::numa::wait_for_list(w, self.frame);
                if w.processes.region(cx.process, self.region).locked {
                    crate::swap::mlock_page(w, self.frame);
                }
                if w.rec.on {
                    let zone = w.mem.pages[self.frame].zone();
                    let node = w.mem.zones[zone].node;
                    let rss = w.processes.all[cx.process as usize].space.rss;
                    w.record(Mapped {
                        frame: self.frame,
                        node,
                        task: cx.task,
                        rss: rss.into(),
                    });
                }
                cx.ret = 1;
                Flow::Ret
            }
            DaPt::Lost => {
                cx.ret = 1;
                Flow::Ret
            }
        }
    }
}

/// Records the address and the address space for which a page is used.
pub fn own(page: &mut Page, space: u32, region: u32, index: u32) {
    page.owner = crate::rmap::pack_owner(space, region);
    page.index = index;
}

room! {
    DoHugeAnonymousPage: "do_huge_pmd_anonymous_page" in "mm/huge_memory.c" at "v6.1.176" line 783;
    Simplified "No deposited page table, no zero huge page." if |f| f.thp;
    DhPt {
        Alloc 0 Plain "page = alloc_hugepage()";
        Zero 0 Plain "no page: count thp_fault_fallback, else zero it";
        Map 0 Yields "map it, count thp_fault_alloc";
        Lost 0 Plain "mapped by another thread meanwhile: free the page";
    }
    locals(self, w) {
        region: number(self.region);
        address: number(self.page);
        gfp_mask: gfp(self.gfp);
        page: page(self.frame);
    }
}

/// `do_huge_pmd_anonymous_page`. Returns 1 when a huge page is mapped, else 0.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct DoHugeAnonymousPage {
    /// Current program point.
    pub pt: DhPt,
    /// Index of the region.
    pub region: u32,
    /// Page of the region that the access hit.
    pub page: u32,
    /// Zonelist of the fault's allocations.
    pub node: ZonelistIndex,
    /// gfp flags of the request in this kernel.
    pub gfp: Gfp,
    /// Frame of the head page.
    pub frame: FrameIndex,
}

/// The flags of a request for a huge page; `reclaims` is true if it may reclaim directly.
pub(crate) fn huge_gfp(w: &World, reclaims: bool) -> Gfp {
    let [reclaiming, light] = match w.facts.features.thp_starts_io {
        true => [Gfp::GFP_TRANSHUGE, Gfp::GFP_TRANSHUGE_LIGHT],
        false => Gfp::HUGE_WITHOUT_IO,
    };
    if reclaims { reclaiming } else { light }
}

impl DoHugeAnonymousPage {
    fn call(w: &World, fault: &HandleMmFault, space: u32) -> Frame {
        let HandleMmFault {
            region, page, node, ..
        } = *fault;
        let madvised = w.processes.all[space as usize].space.regions[region as usize].madvised;
        // defrag is "always" up to 4.5 and "madvise" since: tasks without advice must not stall for
        // a huge page.
        let reclaims = w.facts.features.thp_defrag_always || madvised;
        let gfp = huge_gfp(w, reclaims);
        Frame::HugeAnon(Self {
            pt: DhPt::Alloc,
            region,
            page,
            node,
            gfp,
            frame: FrameIndex::NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let order = w.mem.pageblock_order;
        match self.pt {
            DhPt::Alloc => {
                self.pt = DhPt::Zero;
                up.call(
                    AllocPages::call(Request::new(w, self.gfp, order, self.node)),
                    w,
                    cx,
                )
            }
            DhPt::Zero => {
                self.frame = FrameIndex::new(cx.ret);
                if self.frame == FrameIndex::NONE {
                    w.counters.thp_fault_fallback += 1;
                    w.record(HugeFail { order });
                    cx.ret = 0;
                    return Flow::Ret;
                }
                w.spend_zeroing(self.frame, order);
                self.pt = DhPt::Map;
                Flow::Next
            }
            DhPt::Map => {
                crate::mempolicy::interleaved(w, cx, self.frame, self.node);
                if w.processes.lookup(cx.process, self.region, self.page) != Mapping::NoTable {
                    self.pt = DhPt::Lost;
                    release(w, self.frame);
                    return up.call(crate::pcp::FreePages::call(self.frame, order), w, cx);
                }
                let head = self.page >> order << order;
                let page = w.mem.set_kind(self.frame, PageKind::HugeAnon, order);
                own(page, cx.process, self.region, head);
                w.processes
                    .set_huge(cx.process, self.region, self.page, self.frame);
                w.counters.thp_fault_alloc += 1;
                let rss = w.processes.all[cx.process as usize].space.rss;
                w.record(MappedHuge {
                    order,
                    frame: self.frame,
                    task: cx.task,
                    rss: rss.into(),
                });
                cx.ret = 1;
                Flow::Ret
            }
            // Another thread may have installed a table instead: the fault continues with a single
            // page.
            DhPt::Lost => {
                cx.ret = 0;
                Flow::Ret
            }
        }
    }
}

room! {
    UnmapRegion: "unmap_region" in "mm/mmap.c" at "v6.1.176" line 2330;
    Simplified "Pages are freed one by one as zap_pte_range finds them, without a gather list.";
    UrPt {
        Next 0 Yields "for each page, and each empty table: remove it";
        Free 1 Plain "free_pages()";
        Done 0 Yields "flush the TLB, one mapping fewer";
        Unlinked 0 Plain "file without name or user: truncate_inode_pages()";
    }
    locals(self, w) {
        region: number(self.region);
        address: number(self.page);
        page: page(self.frame);
    }
}

/// `unmap_region`: frees a region's pages and page tables in address order.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct UnmapRegion {
    /// Current program point.
    pub pt: UrPt,
    /// Index of the region.
    pub region: u32,
    /// Next page to unmap.
    pub page: u32,
    /// Frame just removed from its page table.
    pub frame: FrameIndex,
}

impl UnmapRegion {
    /// Frame of a call that has not started.
    pub fn call(region: u32) -> Frame {
        Frame::Unmap(Self {
            pt: UrPt::Next,
            region,
            page: 0,
            frame: FrameIndex::NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            UrPt::Next => {
                match w.processes.unmap_next(cx.process, self.region, self.page) {
                    Some((found, next)) => {
                        self.page = next;
                        w.spend(w.facts.cost.unmap);
                        if let Some(frame) = zap(w, found) {
                            (self.frame, self.pt) = (frame, UrPt::Free);
                        }
                    }
                    None => self.pt = UrPt::Done,
                }
                Flow::Next
            }
            UrPt::Free => {
                self.pt = UrPt::Next;
                let order = w.mem.pages[self.frame].order();
                up.call(crate::pcp::FreePages::call(self.frame, order), w, cx)
            }
            UrPt::Done => {
                w.spend(w.facts.cost.tlb_flush_all);
                let backing = w.processes.region(cx.process, self.region).backing;
                w.processes.munmap(cx.process, self.region);
                let Backing::File { file, .. } = backing else {
                    return Flow::Ret;
                };
                w.files.remove_mapping(file, cx.process, self.region);
                crate::slab::dput(w, file);
                (self.page, self.pt) = (file, UrPt::Unlinked);
                Flow::Next
            }
            UrPt::Unlinked => {
                // A second truncation finds nothing to do.
                let f = w.files.file(self.page);
                if f.linked || f.users > 0 || f.inode == NONE {
                    return Flow::Ret;
                }
                up.call(TruncateInodePages::call(self.page), w, cx)
            }
        }
    }
}

/// Releases an entry that was removed from a page table (`zap_pte_range`, `free_swap_and_cache`).
/// Returns the block to free, if the entry was its last user.
pub fn zap(w: &mut World, found: Unmapped) -> Option<FrameIndex> {
    let frame = match found {
        Unmapped::Huge(frame) | Unmapped::Table(frame) => frame,
        Unmapped::Swap(slot) => crate::swapfile::free_swap_and_cache(w, slot)?,
        Unmapped::Page {
            frame,
            young,
            dirty,
        } => {
            if !crate::rmap::zap_page(w, frame, young, dirty) {
                return None;
            }
            frame
        }
    };
    release(w, frame);
    Some(frame)
}

/// Removes a page from its owner and from the LRU lists. The page is then in flight until it is
/// passed to `free_pages`.
pub fn release(w: &mut World, frame: FrameIndex) {
    let page = w.mem.pages[frame];
    if page.has(flag::LRU) {
        w.mem.lru_del(frame);
    }
    memcg::uncharge(w, frame);
    if page.has(flag::LOCKED) {
        // Tasks that wait for the page check again and find that it was released.
        w.wake_up_page(frame);
    }
    if w.numa.on {
        crate::numa::forget(w, frame);
    }
    if w.mem.lru_gen_on {
        w.mem.gen_bits[frame] = Default::default();
    }
    let page = w.mem.set_kind(frame, PageKind::InFlight, page.order());
    (page.owner, page.index) = (NONE, 0);
    page.meta &= 0xffff;
}
