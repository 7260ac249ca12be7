//! Address spaces, page faults and unmapping (mm/memory.c, mm/huge_memory.c, mm/mmap.c).
//!
//! Modelled: demand-zero anonymous memory, transparent huge pages with their fallback, one page
//! for each lowest-level page table.
//! Left out: upper page tables, copy on write, files, swap, khugepaged, the zero page.
//! Who could tell: nr_page_table_pages is a little low; a forked child starts empty.
//! Invariants: an anonymous page names the one place it is mapped at; `rss` counts the mapped pages.

use crate::frames::{Context, Flow, Frame, NONE, points};
use crate::gfp::Gfp;
use crate::mmzone::PageKind;
use crate::page_alloc::{AllocPages, Request};
use crate::profile::Thp;
use crate::view::Local;
use crate::why::Why;
use crate::world::World;

const HUGE: u32 = 1 << 31;

/// A mapped region of anonymous memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Region {
    /// Length in pages.
    pub pages: u32,
    /// Asked for huge pages (`MADV_HUGEPAGE`).
    pub madvised: bool,
    /// One entry for each table's worth of pages: [`NONE`], a table id, or a huge page's frame
    /// with the top bit set.
    tables: Vec<u32>,
}

/// One process's memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Space {
    /// Regions by the number the program gives them.
    pub regions: Vec<Region>,
    /// Pages mapped.
    pub rss: u32,
    /// Blocks a kernel user holds for it, by pool.
    pub pools: Vec<Vec<u32>>,
}

/// All address spaces and their page tables.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Spaces {
    /// By space id.
    pub all: Vec<Space>,
    /// Entries of all tables: `table id * per_table + i` holds a frame.
    entries: Vec<u32>,
    /// The page each table lives in.
    table_page: Vec<u32>,
    spare: Vec<u32>,
    per_table: u32,
}

impl Clone for Spaces {
    fn clone(&self) -> Self {
        Self {
            all: self.all.clone(),
            entries: self.entries.clone(),
            table_page: self.table_page.clone(),
            spare: self.spare.clone(),
            per_table: self.per_table,
        }
    }
    fn clone_from(&mut self, from: &Self) {
        self.all.clone_from(&from.all);
        self.entries.clone_from(&from.entries);
        self.table_page.clone_from(&from.table_page);
        self.spare.clone_from(&from.spare);
        self.per_table = from.per_table;
    }
}

/// What a page of a region is mapped to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// No table covers it.
    NoTable,
    /// A table, but no page.
    Empty,
    /// A page.
    Page(u32),
    /// Part of the huge page headed by this frame.
    Huge(u32),
}

/// A place of a space that holds a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Region; 0 for pools and for the tables' own pages, which name none.
    pub region: u32,
    /// Page of the region, first page of what the table covers, or the pool.
    pub page: u32,
    /// The block's first frame.
    pub frame: u32,
    /// What the block must be.
    pub kind: PageKind,
}

impl Spaces {
    /// No spaces; a table covers as many pages as a huge page has, so that one or the other
    /// covers a stretch (512 on x86_64 as on real hardware; 256 or 4,096 on ppc64).
    pub fn new(pageblock_order: u8) -> Self {
        Self {
            all: Vec::new(),
            entries: Vec::new(),
            table_page: Vec::new(),
            spare: Vec::new(),
            per_table: 1 << pageblock_order,
        }
    }

    /// Maps a region of `pages` at number `region`, replacing what was there (which must be
    /// unmapped).
    pub fn mmap(&mut self, space: u32, region: u32, pages: u32, madvised: bool) {
        let tables = vec![NONE; pages.div_ceil(self.per_table) as usize];
        let regions = &mut self.all[space as usize].regions;
        while regions.len() <= region as usize {
            regions.push(Region {
                pages: 0,
                madvised: false,
                tables: Vec::new(),
            });
        }
        regions[region as usize] = Region {
            pages,
            madvised,
            tables,
        };
    }

    /// What a page of a region is mapped to.
    #[inline]
    pub fn lookup(&self, space: u32, region: u32, page: u32) -> Mapping {
        let table = self.all[space as usize].regions[region as usize].tables
            [(page / self.per_table) as usize];
        if table == NONE {
            return Mapping::NoTable;
        }
        if table & HUGE != 0 {
            return Mapping::Huge(table & !HUGE);
        }
        match self.entries[(table * self.per_table + page % self.per_table) as usize] {
            NONE => Mapping::Empty,
            frame => Mapping::Page(frame),
        }
    }

    /// True when the whole stretch around `page` is unmapped and inside the region.
    fn huge_fits(&self, space: u32, region: u32, page: u32) -> bool {
        let r = &self.all[space as usize].regions[region as usize];
        let stretch = page / self.per_table;
        r.tables[stretch as usize] == NONE && (stretch + 1) * self.per_table <= r.pages
    }

    fn set_table(&mut self, space: u32, region: u32, page: u32, frame: u32) {
        let table = self.spare.pop().unwrap_or_else(|| {
            self.table_page.push(NONE);
            self.entries
                .resize(self.entries.len() + self.per_table as usize, NONE);
            self.table_page.len() as u32 - 1
        });
        self.table_page[table as usize] = frame;
        let stretch = (page / self.per_table) as usize;
        self.all[space as usize].regions[region as usize].tables[stretch] = table;
    }

    fn set_huge(&mut self, space: u32, region: u32, page: u32, frame: u32) {
        let stretch = (page / self.per_table) as usize;
        self.all[space as usize].regions[region as usize].tables[stretch] = frame | HUGE;
        self.all[space as usize].rss += self.per_table;
    }

    fn set_page(&mut self, space: u32, region: u32, page: u32, frame: u32) {
        let table = self.all[space as usize].regions[region as usize].tables
            [(page / self.per_table) as usize];
        self.entries[(table * self.per_table + page % self.per_table) as usize] = frame;
        self.all[space as usize].rss += 1;
    }

    /// Unmaps the next thing at or after `page` in the region: returns the frame to free and
    /// where to go on, or none when nothing is left. A table is freed after its last page.
    fn unmap_next(&mut self, space: u32, region: u32, mut page: u32) -> Option<(u32, u32)> {
        let per = self.per_table;
        let s = &mut self.all[space as usize];
        let r = &mut s.regions[region as usize];
        loop {
            let stretch = (page / per) as usize;
            let table = *r.tables.get(stretch)?;
            let next = (stretch as u32 + 1) * per;
            if table == NONE {
                page = next;
                continue;
            }
            if table & HUGE != 0 {
                r.tables[stretch] = NONE;
                s.rss -= per;
                return Some((table & !HUGE, next));
            }
            for i in page % per..per {
                let entry = &mut self.entries[(table * per + i) as usize];
                if *entry != NONE {
                    let frame = std::mem::replace(entry, NONE);
                    s.rss -= 1;
                    return Some((frame, stretch as u32 * per + i));
                }
            }
            r.tables[stretch] = NONE;
            self.spare.push(table);
            let frame = std::mem::replace(&mut self.table_page[table as usize], NONE);
            return Some((frame, next));
        }
    }

    /// Every frame the spaces hold, with what it must be: pages, huge pages, tables, pool blocks.
    pub fn held(&self) -> impl Iterator<Item = (u32, PageKind)> + '_ {
        let tables = self.table_page.iter().map(|&f| (f, PageKind::PageTable));
        let pages = self.entries.iter().map(|&f| (f, PageKind::Anon));
        let spaces = self.all.iter();
        let huge = spaces
            .clone()
            .flat_map(|s| &s.regions)
            .flat_map(|r| &r.tables);
        let huge = huge.filter(|&&t| t != NONE && t & HUGE != 0);
        let huge = huge.map(|&t| (t & !HUGE, PageKind::HugeAnon));
        let pools = spaces
            .flat_map(|s| &s.pools)
            .flatten()
            .map(|&f| (f, PageKind::Kernel));
        tables
            .chain(pages)
            .chain(pools)
            .filter(|&(f, _)| f != NONE)
            .chain(huge)
    }

    /// Every place of a space that holds a block: its pages, tables and pools.
    pub fn places(&self, space: usize) -> Vec<Place> {
        let mut out = Vec::new();
        let s = &self.all[space];
        for (region, r) in (0..).zip(&s.regions) {
            for (first, &table) in (0u32..).step_by(self.per_table as usize).zip(&r.tables) {
                let mut add = |page, frame, kind| {
                    out.push(Place {
                        region,
                        page,
                        frame,
                        kind,
                    });
                };
                if table == NONE {
                    continue;
                }
                if table & HUGE != 0 {
                    add(first, table & !HUGE, PageKind::HugeAnon);
                    continue;
                }
                let entries = &self.entries[(table * self.per_table) as usize..];
                for (i, &frame) in (0..self.per_table).zip(entries) {
                    if frame != NONE {
                        add(first + i, frame, PageKind::Anon);
                    }
                }
                out.push(Place {
                    region: 0,
                    page: first,
                    frame: self.table_page[table as usize],
                    kind: PageKind::PageTable,
                });
            }
        }
        for (pool, blocks) in (0u32..).zip(&s.pools) {
            let blocks = blocks.iter().filter(|&&frame| frame != NONE);
            out.extend(blocks.map(|&frame| Place {
                region: 0,
                page: pool,
                frame,
                kind: PageKind::Kernel,
            }));
        }
        out
    }

    /// Pages mapped by a space, recounted.
    pub fn recount_rss(&self, space: usize) -> u32 {
        let per = self.per_table as usize;
        let tables = self.all[space].regions.iter().flat_map(|r| &r.tables);
        tables
            .filter(|&&t| t != NONE)
            .map(|&t| {
                if t & HUGE != 0 {
                    return self.per_table;
                }
                let first = t as usize * per;
                self.entries[first..first + per]
                    .iter()
                    .filter(|&&f| f != NONE)
                    .count() as u32
            })
            .sum()
    }

    /// Bytes one copy takes.
    pub fn bytes(&self) -> usize {
        let tables: usize = self
            .all
            .iter()
            .flat_map(|s| &s.regions)
            .map(|r| r.tables.len() * 4 + 32)
            .sum();
        self.entries.len() * 4 + self.table_page.len() * 8 + tables
    }
}

points! {
    /// Program points of `handle_mm_fault`.
    HfPt {
        Entry 0 Plain "count the fault; is a whole huge page's stretch unmapped and allowed?";
        Huge 1 Plain "yes: do_huge_pmd_anonymous_page()";
        Huged 1 Plain "mapped: return; else fall back to a single page";
        Table 0 Plain "no page table covers the address: allocate a page for one";
        Tabled 1 Plain "put the table in place; none to be had: out of memory";
        Anon 0 Plain "do_anonymous_page()";
        Done 0 Yields "return to user mode";
    }
}

/// `handle_mm_fault`. Returns 1 when the page is mapped, 0 for VM_FAULT_OOM.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HandleMmFault {
    /// Where it stands.
    pub pt: HfPt,
    /// Region of the task's space.
    pub region: u32,
    /// Page of the region.
    pub page: u32,
    /// Node whose zonelist serves it.
    pub node: u8,
}

impl HandleMmFault {
    /// A fault about to be handled.
    pub fn call(region: u32, page: u32, node: u8) -> Frame {
        Frame::Fault(HandleMmFault {
            pt: HfPt::Entry,
            region,
            page,
            node,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        match self.pt {
            HfPt::Entry => self.entry(w, cx),
            HfPt::Huge => {
                self.pt = HfPt::Huged;
                Flow::Call(DoHugeAnonymousPage::call(w, self, cx.space))
            }
            HfPt::Huged => {
                if cx.ret == 1 {
                    return Flow::Ret;
                }
                self.pt = HfPt::Table;
                Flow::Next
            }
            HfPt::Table => {
                if w.spaces.lookup(cx.space, self.region, self.page) != Mapping::NoTable {
                    self.pt = HfPt::Anon;
                    return Flow::Next;
                }
                w.why(Why::FaultTable, [self.page, 0, 0, 0, 0, 0]);
                self.pt = HfPt::Tabled;
                let gfp = Gfp::GFP_KERNEL.with(Gfp::ZERO);
                Flow::Call(AllocPages::call(Request::new(w, gfp, 0, self.node)))
            }
            HfPt::Tabled => {
                if cx.ret == NONE {
                    cx.ret = 0;
                    return Flow::Ret;
                }
                w.mem.set_kind(cx.ret, PageKind::PageTable, 0);
                w.mem.pages[cx.ret as usize].owner = cx.space;
                w.spend(w.facts.zero_page);
                w.spaces.set_table(cx.space, self.region, self.page, cx.ret);
                self.pt = HfPt::Anon;
                Flow::Next
            }
            HfPt::Anon => {
                self.pt = HfPt::Done;
                Flow::Call(DoAnonymousPage::call(self))
            }
            HfPt::Done => Flow::Ret,
        }
    }

    fn entry(&mut self, w: &mut World, cx: &Context) -> Flow {
        w.spend(w.facts.cost.minor_fault);
        w.counters.pgfault += 1;
        let madvised = w.spaces.all[cx.space as usize].regions[self.region as usize].madvised;
        let enabled = match w.thp {
            Thp::Always => true,
            Thp::Madvise => madvised,
            Thp::Never => false,
        };
        let huge = enabled && w.spaces.huge_fits(cx.space, self.region, self.page);
        let n = [self.page, self.region, cx.task];
        if huge {
            let order = w.mem.pageblock_order.into();
            w.why(Why::FaultHuge, [order, self.page, 0, 0, 0, 0]);
        } else {
            w.why(Why::FaultMinor, [n[0], n[1], n[2], 0, 0, 0]);
        }
        self.pt = if huge { HfPt::Huge } else { HfPt::Table };
        Flow::Next
    }

    /// Arguments and locals.
    pub fn locals(&self, _w: &World) -> Vec<Local> {
        use crate::show::number;
        vec![
            number("region", self.region),
            number("page", self.page),
            number("nid", self.node),
        ]
    }
}

points! {
    /// Program points of `do_anonymous_page`.
    DaPt {
        Alloc 0 Plain "page = alloc_zeroed_user_highpage_movable()";
        Zero 0 Plain "zero it; none to be had: out of memory";
        Map 0 Plain "map it and count it";
    }
}

/// `do_anonymous_page`. Returns 1 when the page is mapped, else 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DoAnonymousPage {
    /// Where it stands.
    pub pt: DaPt,
    /// Region.
    pub region: u32,
    /// Page of the region.
    pub page: u32,
    /// Node whose zonelist serves it.
    pub node: u8,
    /// The frame.
    pub frame: u32,
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
            frame: NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        match self.pt {
            DaPt::Alloc => {
                self.pt = DaPt::Zero;
                let gfp = Gfp::GFP_HIGHUSER_MOVABLE.with(Gfp::ZERO);
                Flow::Call(AllocPages::call(Request::new(w, gfp, 0, self.node)))
            }
            DaPt::Zero => {
                self.frame = cx.ret;
                if self.frame == NONE {
                    cx.ret = 0;
                    return Flow::Ret;
                }
                w.spend(w.facts.zero_page);
                self.pt = DaPt::Map;
                Flow::Next
            }
            DaPt::Map => {
                w.mem.set_kind(self.frame, PageKind::Anon, 0);
                own(w, self.frame, cx.space, self.region, self.page);
                w.spaces
                    .set_page(cx.space, self.region, self.page, self.frame);
                if w.rec.on {
                    let zone = w.mem.pages[self.frame as usize].zone();
                    let node = w.mem.zones[zone as usize].node;
                    let rss = w.spaces.all[cx.space as usize].rss;
                    w.why(Why::Mapped, [self.frame, node.into(), cx.task, rss, 0, 0]);
                }
                cx.ret = 1;
                Flow::Ret
            }
        }
    }

    /// Arguments and locals.
    pub fn locals(&self, w: &World) -> Vec<Local> {
        use crate::show::*;
        let mut out = vec![number("region", self.region), number("address", self.page)];
        out.extend(page(w, "page", self.frame));
        out
    }
}

fn own(w: &mut World, frame: u32, space: u32, region: u32, page: u32) {
    let p = &mut w.mem.pages[frame as usize];
    p.owner = space;
    p.index = page;
    p.meta = p.meta & 0xffff | region << 16;
}

points! {
    /// Program points of `do_huge_pmd_anonymous_page`.
    DhPt {
        Alloc 0 Plain "page = alloc_hugepage()";
        Zero 0 Plain "zero it; none to be had: count thp_fault_fallback and return";
        Map 0 Yields "map it, count thp_fault_alloc";
    }
}

/// `do_huge_pmd_anonymous_page`. Returns 1 when a huge page is mapped, else 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DoHugeAnonymousPage {
    /// Where it stands.
    pub pt: DhPt,
    /// Region.
    pub region: u32,
    /// Page of the region the fault hit.
    pub page: u32,
    /// Node whose zonelist serves it.
    pub node: u8,
    /// gfp flags of the era.
    pub gfp: Gfp,
    /// The head frame.
    pub frame: u32,
}

impl DoHugeAnonymousPage {
    fn call(w: &World, fault: &HandleMmFault, space: u32) -> Frame {
        let HandleMmFault {
            region, page, node, ..
        } = *fault;
        let madvised = w.spaces.all[space as usize].regions[region as usize].madvised;
        // defrag: "always" to 4.5, "madvise" since: others must not stall for a huge page.
        let gfp = if w.facts.features.thp_defrag_always || madvised {
            Gfp::GFP_TRANSHUGE
        } else {
            Gfp::GFP_TRANSHUGE_LIGHT
        };
        Frame::HugeAnon(Self {
            pt: DhPt::Alloc,
            region,
            page,
            node,
            gfp,
            frame: NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let order = w.mem.pageblock_order;
        match self.pt {
            DhPt::Alloc => {
                self.pt = DhPt::Zero;
                Flow::Call(AllocPages::call(Request::new(
                    w, self.gfp, order, self.node,
                )))
            }
            DhPt::Zero => {
                self.frame = cx.ret;
                if self.frame == NONE {
                    w.counters.thp_fault_fallback += 1;
                    w.why(Why::HugeFail, [order.into(), 0, 0, 0, 0, 0]);
                    cx.ret = 0;
                    return Flow::Ret;
                }
                w.spend(w.facts.zero_huge);
                self.pt = DhPt::Map;
                Flow::Next
            }
            DhPt::Map => {
                w.mem.set_kind(self.frame, PageKind::HugeAnon, order);
                let head = self.page >> order << order;
                own(w, self.frame, cx.space, self.region, head);
                w.spaces
                    .set_huge(cx.space, self.region, self.page, self.frame);
                w.counters.thp_fault_alloc += 1;
                let rss = w.spaces.all[cx.space as usize].rss;
                w.why(
                    Why::MappedHuge,
                    [order.into(), self.frame, cx.task, rss, 0, 0],
                );
                cx.ret = 1;
                Flow::Ret
            }
        }
    }

    /// Arguments and locals.
    pub fn locals(&self, w: &World) -> Vec<Local> {
        use crate::show::*;
        let mut out = vec![
            number("region", self.region),
            number("address", self.page),
            text("gfp_mask", &self.gfp.to_string()),
        ];
        out.extend(page(w, "page", self.frame));
        out
    }
}

points! {
    /// Program points of `unmap_region`.
    UrPt {
        Next 0 Yields "for each mapped page: take it out of its table; for each emptied table: the table's page";
        Free 1 Plain "free_pages()";
        Done 0 Yields "flush the TLB";
    }
}

/// `unmap_region`: frees a region's pages and page tables in address order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnmapRegion {
    /// Where it stands.
    pub pt: UrPt,
    /// Region.
    pub region: u32,
    /// Page to go on at.
    pub page: u32,
    /// Frame just taken out.
    pub frame: u32,
}

impl UnmapRegion {
    /// An unmapping about to begin.
    pub fn call(region: u32) -> Frame {
        Frame::Unmap(Self {
            pt: UrPt::Next,
            region,
            page: 0,
            frame: NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        match self.pt {
            UrPt::Next => {
                match w.spaces.unmap_next(cx.space, self.region, self.page) {
                    Some((frame, next)) => {
                        (self.frame, self.page, self.pt) = (frame, next, UrPt::Free);
                        release(w, frame);
                        w.spend(w.facts.cost.unmap);
                    }
                    None => self.pt = UrPt::Done,
                }
                Flow::Next
            }
            UrPt::Free => {
                self.pt = UrPt::Next;
                let order = w.mem.pages[self.frame as usize].order();
                Flow::Call(crate::buddy::FreePages::call(self.frame, order))
            }
            UrPt::Done => {
                w.spend(w.facts.cost.tlb_flush_all);
                Flow::Ret
            }
        }
    }

    /// Arguments and locals.
    pub fn locals(&self, w: &World) -> Vec<Local> {
        use crate::show::*;
        let mut out = vec![number("region", self.region), number("address", self.page)];
        out.extend(page(w, "page", self.frame));
        out
    }
}

/// Takes a page from its owner: it is in flight, on its way to `free_pages`.
pub fn release(w: &mut World, frame: u32) {
    let order = w.mem.pages[frame as usize].order();
    w.mem.set_kind(frame, PageKind::InFlight, order);
    let page = &mut w.mem.pages[frame as usize];
    (page.owner, page.index) = (NONE, 0);
    page.meta &= 0xffff;
}

#[cfg(test)]
mod flip {
    use super::*;
    use crate::flip::flips;
    flips!(Region {
        pages,
        madvised,
        tables
    });
    flips!(Space {
        regions,
        rss,
        pools
    });
    flips!(Spaces {
        all,
        entries,
        table_page,
        spare,
        per_table
    });
}
