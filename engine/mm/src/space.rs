//! Address spaces and their lowest-level page tables.
//!
//! Modelled: regions of anonymous memory and of files, one page for each table, huge mappings in
//! place of a table, the accessed and dirty bits of entries, swap entries, marks for hinting
//! faults. Left out: upper tables. On ppc64 a table covers as many pages as a huge page, which is
//! more than a real table covers. The table of a split huge page uses no page. Visible difference:
//! nr_page_table_pages is a little low. Invariants: an entry's page refers back to its address;
//! `rss` counts the mapped pages, in total and by node. An address space has the number of its
//! process.

mod counts;
mod hinting;
mod nodes;
mod survey;
mod young;

use counts::Counts;
pub(crate) use hinting::Whole;
pub(crate) use nodes::Nodes;
pub(crate) use survey::{Pages, Survey};

use crate::bandwidth::ByNode;
use crate::frames::NONE;
use crate::mmzone::PageKind;
use crate::process::Processes;
use crate::touched::Touched;
use facts::index::{FrameIndex, SwapSlot, TaskIndex};
use facts::state::State;

const HUGE: u32 = 1 << 31;

/// Marks a page table entry that holds a swap slot. An entry is [`NONE`], a swap slot with this bit
/// set, or a frame with flag bits above it.
const PTE_SWAP: u32 = 1 << 31;
/// The accessed bit, which the processor sets and the kernel clears.
pub const PTE_YOUNG: u32 = 1 << 26;
/// The dirty bit.
pub const PTE_DIRTY: u32 = 1 << 27;
/// Marks an entry whose next access faults although a page is mapped (`pte_protnone`,
/// `pmd_protnone`; `pte_numa` in 3.8). A huge mapping uses the same bit, and so does a table on
/// which all accesses fault (`pmd_numa`).
const PTE_HINTING: u32 = 1 << 28;
const PTE_FRAME: u32 = PTE_YOUNG - 1;

/// What a region maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub enum Backing {
    /// Private anonymous memory.
    Anon,
    /// A file, shared, from a given page on.
    File {
        /// File id.
        file: u32,
        /// Page of the file at the region's first page.
        offset: u32,
        /// The task's open file, whose read-ahead state the faults use.
        fd: u8,
    },
}

/// A mapped region.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Region {
    /// Length in pages.
    pub pages: u32,
    /// What the region maps.
    pub backing: Backing,
    /// True if the region requests huge pages (`MADV_HUGEPAGE`).
    pub madvised: bool,
    /// True if the region is locked in memory (`VM_LOCKED`).
    pub locked: bool,
    /// One entry for the pages that one table covers: [`NONE`], a table id, or a huge page's frame
    /// with the top bit set; it may be marked for hinting faults.
    tables: Vec<u32>,
    /// What accesses to the region would find.
    #[state(skip = "it follows from the tables and their entries")]
    pub(crate) counts: Counts,
}

impl Region {
    /// Replaces the entry in the place of a table; neither the old nor the new value is a table.
    #[inline(always)]
    fn set_whole(&mut self, stretch: usize, page: u32, new: u32) {
        let old = std::mem::replace(&mut self.tables[stretch], new);
        self.counts.whole(page, old, new);
    }
}

/// The memory of a process (`struct mm_struct`).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
#[state(flat)]
pub struct Space {
    /// Regions by the number the program gives them.
    pub regions: Vec<Region>,
    /// The task that owns the address space (`mm->owner`).
    #[state(name = "task")]
    pub owner: TaskIndex,
    /// Number of mapped pages.
    pub rss: u32,
    /// Number of mapped pages by node; all 0 on a machine with one node, or with more than
    /// [`crate::profile::MAX_RUN_NODES`].
    #[state(skip = "it follows from the tables and their entries")]
    pub by_node: ByNode,
    /// Number of pages in swap to which entries refer.
    pub swapped: u32,
}

/// The slot in an entry that refers to swap.
fn slot_of(entry: u32) -> SwapSlot {
    SwapSlot::new(entry & !PTE_SWAP)
}

/// The frame in an entry that maps a page, or in the place of a table that a huge page takes.
#[inline(always)]
const fn frame_of(entry: u32) -> FrameIndex {
    FrameIndex::new(entry & PTE_FRAME)
}

/// What a page of a region is mapped to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// No table covers the page.
    NoTable,
    /// A table covers the page, but nothing is mapped.
    Empty,
    /// A page.
    Page(FrameIndex),
    /// Part of the huge page headed by this frame.
    Huge(FrameIndex),
    /// The page is in this swap slot.
    Swap(SwapSlot),
}

impl Mapping {
    /// The mapping in a place that holds no table: [`NONE`], or a huge page.
    #[inline(always)]
    fn of_table(table: u32) -> Self {
        match table {
            NONE => Self::NoTable,
            huge => Self::Huge(frame_of(huge)),
        }
    }

    /// The mapping in an entry of a table.
    #[inline(always)]
    fn of_entry(entry: u32) -> Self {
        match entry {
            NONE => Self::Empty,
            entry if entry & PTE_SWAP != 0 => Self::Swap(slot_of(entry)),
            entry => Self::Page(frame_of(entry)),
        }
    }
}

/// What an access to a page finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// A page is mapped: the access does not enter the kernel.
    Page(FrameIndex),
    /// The huge page headed by this frame.
    Huge(FrameIndex),
    /// The entry is marked for a hinting fault.
    Hinting,
    /// Nothing is mapped.
    Absent,
}

/// The mapping that an unmapping removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmapped {
    /// A page, and its accessed and dirty bits.
    Page {
        /// The frame.
        frame: FrameIndex,
        /// The accessed bit.
        young: bool,
        /// The dirty bit.
        dirty: bool,
    },
    /// A huge page.
    Huge(FrameIndex),
    /// A swap slot.
    Swap(SwapSlot),
    /// The page of a table that has become empty.
    Table(FrameIndex),
}

impl Unmapped {
    /// The mapping that a non-empty entry of a table held.
    fn of_entry(entry: u32) -> Self {
        if entry & PTE_SWAP != 0 {
            return Self::Swap(slot_of(entry));
        }
        Self::Page {
            frame: frame_of(entry),
            young: entry & PTE_YOUNG != 0,
            dirty: entry & PTE_DIRTY != 0,
        }
    }
}

/// A block that an address space holds, and its place there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holding {
    /// Region; 0 for pools and for the pages of tables, which belong to no region.
    pub region: u32,
    /// Page of the region, first page that the table covers, or the pool.
    pub page: u32,
    /// First frame of the block.
    pub frame: FrameIndex,
    /// The kind that the block must have.
    pub kind: PageKind,
}

impl Processes {
    /// An empty set of processes. A table covers as many pages as a huge page, so that either
    /// covers the same range (512 on x86_64 as on real hardware; 256 or 4,096 on ppc64).
    pub(crate) fn new(pageblock_order: u8, nodes: Nodes) -> Self {
        Self {
            all: Vec::new(),
            nodes,
            entries: Touched::default(),
            table_page: Vec::new(),
            spare: Vec::new(),
            per_table: 1 << pageblock_order,
        }
    }

    /// Maps a region of `pages` at number `region`, replacing the previous one (which must be
    /// unmapped).
    pub fn mmap(&mut self, space: u32, region: u32, pages: u32, madvised: bool, backing: Backing) {
        let tables = vec![NONE; pages.div_ceil(self.per_table) as usize];
        let regions = &mut self.all[space as usize].space.regions;
        while regions.len() <= region as usize {
            regions.push(Region {
                pages: 0,
                backing: Backing::Anon,
                madvised: false,
                locked: false,
                tables: Vec::new(),
                counts: Counts::default(),
            });
        }
        let counts = regions[region as usize].counts.next_region();
        regions[region as usize] = Region {
            pages,
            backing,
            madvised,
            locked: false,
            tables,
            counts,
        };
    }

    /// Empties a region that was unmapped.
    pub fn munmap(&mut self, space: u32, region: u32) {
        let r = &mut self.all[space as usize].space.regions[region as usize];
        (r.backing, r.locked) = (Backing::Anon, false);
    }

    /// Locks a region in memory (`mlock`).
    pub fn lock(&mut self, space: u32, region: u32) {
        self.all[space as usize].space.regions[region as usize].locked = true;
    }

    /// The region of a space.
    #[inline]
    pub fn region(&self, space: u32, region: u32) -> &Region {
        &self.all[space as usize].space.regions[region as usize]
    }

    /// Index of the region's table that covers a page. Tables cover a power of two, and a shift is
    /// much faster than a division.
    #[inline(always)]
    fn stretch(&self, page: u32) -> usize {
        (page >> self.per_table.trailing_zeros()) as usize
    }

    /// Index in `entries` of a page that this table covers.
    #[inline(always)]
    fn place(&self, table: u32, page: u32) -> usize {
        (id_of(table) * self.per_table + (page & (self.per_table - 1))) as usize
    }

    /// Index of the entry of a page in `entries`; `None` if no table covers it.
    #[inline]
    fn entry(&self, space: u32, region: u32, page: u32) -> Option<usize> {
        let tables = &self.all[space as usize].space.regions[region as usize].tables;
        let table = tables[self.stretch(page)];
        (table & HUGE == 0).then(|| self.place(table, page))
    }

    /// Lets the processor access a page: sets the accessed bit of the entry, and the dirty bit for
    /// a write. Returns what the access finds.
    #[inline(always)]
    pub fn touch(&mut self, space: u32, region: u32, page: u32, write: bool) -> Access {
        let table =
            self.all[space as usize].space.regions[region as usize].tables[self.stretch(page)];
        if table & HUGE != 0 {
            return match table {
                NONE => Access::Absent,
                huge if huge & PTE_HINTING != 0 => Access::Hinting,
                huge => Access::Huge(frame_of(huge)),
            };
        }
        if table & PTE_HINTING != 0 {
            return Access::Hinting;
        }
        let i = self.place(table, page);
        let entry = self.entries[i];
        if entry & PTE_SWAP != 0 {
            return Access::Absent;
        }
        if entry & PTE_HINTING != 0 {
            return Access::Hinting;
        }
        let used = entry | PTE_YOUNG | if write { PTE_DIRTY } else { 0 };
        self.entries[i] = used;
        self.changed(space, region, page, entry, used);
        Access::Page(frame_of(entry))
    }

    /// Records that the entry of a page changed.
    #[inline(always)]
    fn changed(&mut self, space: u32, region: u32, page: u32, old: u32, new: u32) {
        let region = &mut self.all[space as usize].space.regions[region as usize];
        region.counts.entry(page, old, new);
    }

    /// The same for consecutive pages, at most `most` and up to the end of the region, as long as
    /// no access enters the kernel. Returns the number of pages accessed.
    pub fn touch_run(&mut self, space: u32, region: u32, page: u32, most: u32, write: bool) -> u32 {
        let (per, shift) = (self.per_table, self.per_table.trailing_zeros());
        let bits = PTE_YOUNG | if write { PTE_DIRTY } else { 0 };
        let r = &mut self.all[space as usize].space.regions[region as usize];
        r.counts.forget();
        let end = page.saturating_add(most).min(r.pages);
        let mut at = page;
        while at < end {
            let stretch = at >> shift;
            let (table, n) = (
                r.tables[stretch as usize],
                ((stretch + 1) * per).min(end) - at,
            );
            // [`NONE`] has all bits set, this one too.
            if table & PTE_HINTING != 0 {
                break;
            }
            let touched = match table & HUGE {
                0 => mark_entries(&mut self.entries, table * per + (at & (per - 1)), n, bits),
                _ => n,
            };
            at += touched;
            if touched < n {
                break;
            }
        }
        at - page
    }

    /// Reads and clears the accessed bit of an entry that maps a page
    /// (`ptep_clear_flush_young`).
    #[inline]
    pub fn clear_young(&mut self, space: u32, region: u32, page: u32) -> bool {
        let Some(i) = self.entry(space, region, page) else {
            return false;
        };
        let young = self.entries[i] & (PTE_SWAP | PTE_YOUNG) == PTE_YOUNG;
        if young {
            let old = self.entries[i];
            self.entries[i] = old & !PTE_YOUNG;
            self.changed(space, region, page, old, old & !PTE_YOUNG);
        }
        young
    }

    /// Removes a page from its entry and leaves a swap slot there, or nothing. Returns true if the
    /// entry was dirty.
    pub(crate) fn unmap_page(
        &mut self,
        space: u32,
        region: u32,
        page: u32,
        slot: Option<SwapSlot>,
    ) -> bool {
        let Some(i) = self.entry(space, region, page) else {
            return false;
        };
        let (old, new) = (
            self.entries[i],
            slot.map_or(NONE, |slot| slot.get() | PTE_SWAP),
        );
        let dirty = old & PTE_DIRTY != 0;
        self.entries[i] = new;
        self.changed(space, region, page, old, new);
        let s = &mut self.all[space as usize].space;
        s.lose(&self.nodes, frame_of(old), 1);
        s.swapped += u32::from(slot.is_some());
        dirty
    }

    /// Makes an entry that maps one page map another, with the same bits (`try_to_migrate`, then
    /// `remove_migration_pte`).
    pub(crate) fn move_page(&mut self, space: u32, region: u32, page: u32, frame: FrameIndex) {
        if let Some(i) = self.entry(space, region, page) {
            let old = self.entries[i];
            debug_assert!(old & PTE_SWAP == 0);
            let new = old & !PTE_FRAME | frame.get();
            self.entries[i] = new;
            self.changed(space, region, page, old, new);
            let s = &mut self.all[space as usize].space;
            s.lose(&self.nodes, frame_of(old), 1);
            s.gain(&self.nodes, frame, 1);
        }
    }

    /// Number of pages, from this one on, that the same table or one huge page covers.
    pub fn rest_of_stretch(&self, page: u32) -> u32 {
        self.per_table - (page & (self.per_table - 1))
    }

    /// What a page of a region is mapped to, whether or not it is marked for a hinting fault.
    #[inline(always)]
    pub fn lookup(&self, space: u32, region: u32, page: u32) -> Mapping {
        let table =
            self.all[space as usize].space.regions[region as usize].tables[self.stretch(page)];
        if table & HUGE != 0 {
            return Mapping::of_table(table);
        }
        Mapping::of_entry(self.entries[self.place(table, page)])
    }

    /// Is the whole range around `page` unmapped and inside the region?
    pub(crate) fn huge_fits(&self, space: u32, region: u32, page: u32) -> bool {
        let r = &self.all[space as usize].space.regions[region as usize];
        let stretch = self.stretch(page) as u32;
        r.tables[stretch as usize] == NONE && (stretch + 1) * self.per_table <= r.pages
    }

    pub(crate) fn set_table(&mut self, space: u32, region: u32, page: u32, frame: FrameIndex) {
        let table = self.spare.pop().unwrap_or_else(|| {
            self.table_page.push(FrameIndex::NONE);
            self.entries
                .grow(self.entries.len() + self.per_table as usize, NONE);
            self.table_page.len() as u32 - 1
        });
        self.table_page[table as usize] = frame;
        let stretch = self.stretch(page);
        self.all[space as usize].space.regions[region as usize].tables[stretch] = table;
    }

    pub(crate) fn set_huge(&mut self, space: u32, region: u32, page: u32, frame: FrameIndex) {
        let stretch = self.stretch(page);
        let s = &mut self.all[space as usize].space;
        s.regions[region as usize].set_whole(stretch, page, frame.get() | HUGE);
        s.gain(&self.nodes, frame, self.per_table);
    }

    /// Maps the range of a huge page page by page from now on; all entries are dirty and none is
    /// marked as used. In a kernel the table for this was deposited with the huge page; here it
    /// uses no page.
    pub(crate) fn split_huge(&mut self, space: u32, region: u32, first: u32, frame: FrameIndex) {
        let stretch = self.stretch(first);
        let s = &mut self.all[space as usize].space;
        let r = &mut s.regions[region as usize];
        r.counts.forget();
        let hinting = r.tables[stretch] & PTE_HINTING;
        s.lose(&self.nodes, frame, self.per_table);
        self.set_table(space, region, first, FrameIndex::NONE);
        for i in 0..self.per_table {
            self.set_page(space, region, first + i, frame.plus(i), PTE_DIRTY | hinting);
        }
    }

    /// Maps a page; `bits` are [`PTE_YOUNG`] and [`PTE_DIRTY`].
    #[inline(always)]
    pub(crate) fn set_page(
        &mut self,
        space: u32,
        region: u32,
        page: u32,
        frame: FrameIndex,
        bits: u32,
    ) {
        let table =
            self.all[space as usize].space.regions[region as usize].tables[self.stretch(page)];
        let i = self.place(table, page);
        let entry = &mut self.entries[i];
        let s = &mut self.all[space as usize].space;
        s.swapped -= u32::from(*entry != NONE && *entry & PTE_SWAP != 0);
        let old = std::mem::replace(entry, frame.get() | bits);
        s.regions[region as usize]
            .counts
            .entry(page, old, frame.get() | bits);
        s.gain(&self.nodes, frame, 1);
    }

    /// Clears the entry of one page, as `zap_pte_range` does; removes a huge page only if all of it
    /// may be unmapped. Returns what the entry held, `None` if it was empty. Tables stay.
    pub(crate) fn zap(
        &mut self,
        space: u32,
        region: u32,
        page: u32,
        whole: bool,
    ) -> Option<Unmapped> {
        let stretch = self.stretch(page);
        let s = &mut self.all[space as usize].space;
        let r = &mut s.regions[region as usize];
        let table = r.tables[stretch];
        if table & HUGE != 0 {
            if table == NONE || !whole {
                return None;
            }
            r.set_whole(stretch, page, NONE);
            s.lose(&self.nodes, frame_of(table), self.per_table);
            return Some(Unmapped::Huge(frame_of(table)));
        }
        let i = self.place(table, page);
        let entry = self.entries[i];
        if entry == NONE {
            return None;
        }
        self.entries[i] = NONE;
        self.changed(space, region, page, entry, NONE);
        let s = &mut self.all[space as usize].space;
        let found = Unmapped::of_entry(entry);
        match found {
            Unmapped::Swap(_) => s.swapped -= 1,
            _ => s.lose(&self.nodes, frame_of(entry), 1),
        }
        Some(found)
    }

    /// Unmaps the next mapping at or after `page` in the region. Returns what it was and where to
    /// continue, or `None` if nothing is left. A table is freed after its last page.
    pub(crate) fn unmap_next(
        &mut self,
        space: u32,
        region: u32,
        mut page: u32,
    ) -> Option<(Unmapped, u32)> {
        let (per, shift) = (self.per_table, self.per_table.trailing_zeros());
        let s = &mut self.all[space as usize].space;
        let r = &mut s.regions[region as usize];
        r.counts.forget();
        loop {
            let stretch = (page >> shift) as usize;
            let table = *r.tables.get(stretch)?;
            let next = (stretch as u32 + 1) * per;
            if table == NONE {
                page = next;
                continue;
            }
            if table & HUGE != 0 {
                r.tables[stretch] = NONE;
                s.lose(&self.nodes, frame_of(table), per);
                return Some((Unmapped::Huge(frame_of(table)), next));
            }
            let table = id_of(table);
            for i in page & (per - 1)..per {
                let place = (table * per + i) as usize;
                let entry = self.entries[place];
                if entry != NONE {
                    self.entries[place] = NONE;
                    let next = stretch as u32 * per + i;
                    let found = Unmapped::of_entry(entry);
                    match found {
                        Unmapped::Swap(_) => s.swapped -= 1,
                        _ => s.lose(&self.nodes, frame_of(entry), 1),
                    }
                    return Some((found, next));
                }
            }
            r.tables[stretch] = NONE;
            self.spare.push(table);
            let frame = std::mem::replace(&mut self.table_page[table as usize], FrameIndex::NONE);
            if frame == FrameIndex::NONE {
                page = next;
                continue;
            }
            return Some((Unmapped::Table(frame), next));
        }
    }

    /// All blocks that an address space holds: its pages, tables and pools.
    pub fn holdings(&self, space: usize) -> Vec<Holding> {
        let mut out = Vec::new();
        let s = &self.all[space].space;
        for (region, r) in (0..).zip(&s.regions) {
            for (first, &table) in (0u32..).step_by(self.per_table as usize).zip(&r.tables) {
                let mut add = |page, frame, kind| {
                    out.push(Holding {
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
                    add(first, frame_of(table), PageKind::HugeAnon);
                    continue;
                }
                let table = id_of(table);
                let at = (table * self.per_table) as usize;
                let entries = self.entries.slice(at, at + self.per_table as usize);
                let kind = match r.backing {
                    Backing::Anon => PageKind::Anon,
                    Backing::File { .. } => PageKind::File,
                };
                for (i, &entry) in (0..self.per_table).zip(entries) {
                    if entry & PTE_SWAP == 0 {
                        add(first + i, frame_of(entry), kind);
                    }
                }
                let frame = self.table_page[table as usize];
                if frame != FrameIndex::NONE {
                    out.push(Holding {
                        region: 0,
                        page: first,
                        frame,
                        kind: PageKind::PageTable,
                    });
                }
            }
        }
        for (pool, blocks) in (0u32..).zip(&self.all[space].pools) {
            let blocks = blocks.iter().filter(|frame| !frame.is_none());
            out.extend(blocks.map(|&frame| Holding {
                region: 0,
                page: pool,
                frame,
                kind: PageKind::Kernel,
            }));
        }
        out
    }

    /// All swap slots to which the entries of an address space refer, with (region, page).
    pub fn swap_entries(&self, space: usize) -> Vec<(SwapSlot, u32, u32)> {
        let mut out = Vec::new();
        for (region, r) in (0u32..).zip(&self.all[space].space.regions) {
            for (first, &table) in (0u32..).step_by(self.per_table as usize).zip(&r.tables) {
                if table == NONE || table & HUGE != 0 {
                    continue;
                }
                let at = (id_of(table) * self.per_table) as usize;
                let entries = self.entries.slice(at, at + self.per_table as usize);
                for (i, &entry) in (0..self.per_table).zip(entries) {
                    if entry != NONE && entry & PTE_SWAP != 0 {
                        out.push((slot_of(entry), region, first + i));
                    }
                }
            }
        }
        out
    }

    /// Number of pages that an address space maps, recounted.
    pub fn recount_rss(&self, space: usize) -> u32 {
        let per = self.per_table as usize;
        let tables = self.all[space].space.regions.iter().flat_map(|r| &r.tables);
        tables
            .filter(|&&t| t != NONE)
            .map(|&t| {
                if t & HUGE != 0 {
                    return self.per_table;
                }
                let first = id_of(t) as usize * per;
                self.entries
                    .slice(first, first + per)
                    .iter()
                    .filter(|&&entry| entry & PTE_SWAP == 0)
                    .count() as u32
            })
            .sum()
    }

    /// Makes the current state the base for tracking writes; see [`Touched::rebase`].
    pub fn rebase(&mut self) {
        self.entries.rebase();
    }

    /// Size of one copy in bytes.
    pub fn bytes(&self) -> usize {
        let tables: usize = self
            .all
            .iter()
            .flat_map(|p| &p.space.regions)
            .map(|r| r.tables.len() * 4 + 32)
            .sum();
        self.entries.len() * 4 + self.table_page.len() * 8 + tables
    }
}

/// Number of a table, marked or not.
#[inline(always)]
const fn id_of(table: u32) -> u32 {
    table & !PTE_HINTING
}

/// Sets bits of at most `n` entries from an index on, up to the first entry that maps no page or is
/// marked for a hinting fault. Returns their number. Most entries already have the bits; those are
/// only read, many at a time.
fn mark_entries(entries: &mut Touched<u32>, place: u32, n: u32, bits: u32) -> u32 {
    const AT_ONCE: usize = 64;
    let (place, n) = (place as usize, n as usize);
    let ends = PTE_SWAP | PTE_HINTING;
    let has_bits = |all: bool, entry: &u32| all & (entry & (ends | bits) == bits);
    let marked = entries.slice(place, place + n).chunks(AT_ONCE);
    let marked = marked.take_while(|some| some.iter().fold(true, has_bits));
    let mut done: usize = marked.map(<[u32]>::len).sum();
    while done < n {
        let entry = entries[place + done];
        if entry & ends != 0 {
            break;
        }
        if entry & bits != bits {
            entries[place + done] = entry | bits;
        }
        done += 1;
    }
    done as u32
}

#[cfg(test)]
impl Processes {
    /// Puts entries into lists that are usually empty, so that tests have something to change.
    pub(crate) fn fill(&mut self) {
        self.spare.push(0);
    }
}
