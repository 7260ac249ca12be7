//! Address spaces and their lowest-level page tables.
//!
//! Modelled: regions of anonymous memory, one page for each table, huge mappings in a table's
//! place.
//! Left out: upper tables; on ppc64 a table covers a huge page's stretch, larger than the real one.
//! Who could tell: nr_page_table_pages is a little low.
//! Invariants: an entry's page names this place back; `rss` counts the mapped pages.

use crate::frames::NONE;
use crate::mmzone::PageKind;

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
    pub(crate) fn huge_fits(&self, space: u32, region: u32, page: u32) -> bool {
        let r = &self.all[space as usize].regions[region as usize];
        let stretch = page / self.per_table;
        r.tables[stretch as usize] == NONE && (stretch + 1) * self.per_table <= r.pages
    }

    pub(crate) fn set_table(&mut self, space: u32, region: u32, page: u32, frame: u32) {
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

    pub(crate) fn set_huge(&mut self, space: u32, region: u32, page: u32, frame: u32) {
        let stretch = (page / self.per_table) as usize;
        self.all[space as usize].regions[region as usize].tables[stretch] = frame | HUGE;
        self.all[space as usize].rss += self.per_table;
    }

    pub(crate) fn set_page(&mut self, space: u32, region: u32, page: u32, frame: u32) {
        let table = self.all[space as usize].regions[region as usize].tables
            [(page / self.per_table) as usize];
        self.entries[(table * self.per_table + page % self.per_table) as usize] = frame;
        self.all[space as usize].rss += 1;
    }

    /// Unmaps the next thing at or after `page` in the region: returns the frame to free and
    /// where to go on, or none when nothing is left. A table is freed after its last page.
    pub(crate) fn unmap_next(
        &mut self,
        space: u32,
        region: u32,
        mut page: u32,
    ) -> Option<(u32, u32)> {
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
