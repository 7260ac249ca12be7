//! The inode cache: the one slab cache that is modelled (fs/inode.c, mm/slub.c).
//!
//! Modelled: an object for every inode in use or cached, on pages of the slab allocator; the list of
//! unused inodes of each node, least recently used first, and its shrinker. Up to 5.15 an unused
//! inode that still has cached pages loses the clean ones when it is scanned; from 5.16 on such an
//! inode is not on the list.
//! Left out: dentries, which keep inodes in use until they are shrunk themselves; slabs of more
//! than one page; a node's reserve of empty slabs; other caches.
//! Who could tell: inodes go a little earlier than in a kernel. An object takes 1 KiB, so that a
//! page of 4 KiB holds 4. From 5.16 a kernel also keeps an inode that has nothing left but shadows.
//! Invariants: an object in use names its file and the file names it; a slab page is partial, full
//! or empty, and on the list that says so; only files nobody uses are on an unused list.

use crate::filemap::{delete_from_page_cache, is_droppable};
use crate::frames::{Context, Flow, Frame, NONE, points};
use crate::gfp::Gfp;
use crate::memory::release;
use crate::mmzone::{Gauge, PageKind};
use crate::page_alloc::{AllocPages, Request};
use crate::view::Local;
use crate::why::Why;
use crate::world::World;

/// Most objects of a page.
const MOST: u32 = 64;

/// A page of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct SlabPage {
    /// Its frame, [`NONE`] while the record is spare.
    frame: u32,
    /// Its node.
    node: u8,
    /// A bit for each object in use.
    used: u64,
    /// A bit for each inode used again since it was last unused (`I_REFERENCED`).
    referenced: u64,
}

/// What is known of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Object {
    /// The inode's file, [`NONE`] while the object is free.
    file: u32,
    /// Neighbours on the list of unused inodes, older and younger.
    older: u32,
    younger: u32,
    /// On that list.
    unused: bool,
}

const FREE: Object = Object {
    file: NONE,
    older: NONE,
    younger: NONE,
    unused: false,
};

/// A node's unused inodes (`inode_lru`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Unused {
    oldest: u32,
    youngest: u32,
    count: u32,
}

/// Slab caches: the inode cache.
#[derive(Debug, PartialEq, Eq, Hash, Default)]
pub struct Slab {
    carried: Vec<u64>,
    pages: Vec<SlabPage>,
    /// By page record and place in the page.
    objects: Vec<Object>,
    /// Page records not in use.
    spare: Vec<u32>,
    /// Pages with objects both free and in use.
    partial: Vec<u32>,
    /// Pages without an object in use.
    empty: Vec<u32>,
    unused: Vec<Unused>,
    /// Pages of files that went with their inodes, to be freed; they are in flight.
    dropped: Vec<u32>,
    /// Objects of a page.
    per_page: u32,
}

impl Clone for Slab {
    fn clone(&self) -> Self {
        Self {
            carried: self.carried.clone(),
            pages: self.pages.clone(),
            objects: self.objects.clone(),
            spare: self.spare.clone(),
            partial: self.partial.clone(),
            empty: self.empty.clone(),
            unused: self.unused.clone(),
            dropped: self.dropped.clone(),
            per_page: self.per_page,
        }
    }
    fn clone_from(&mut self, from: &Self) {
        self.carried.clone_from(&from.carried);
        self.pages.clone_from(&from.pages);
        self.objects.clone_from(&from.objects);
        self.spare.clone_from(&from.spare);
        self.partial.clone_from(&from.partial);
        self.empty.clone_from(&from.empty);
        self.unused.clone_from(&from.unused);
        self.dropped.clone_from(&from.dropped);
        self.per_page = from.per_page;
    }
}

impl Slab {
    /// No inodes, on a machine of so many nodes with pages of so many KiB.
    pub fn new(nodes: usize, page_kib: u64) -> Self {
        let unused = Unused {
            oldest: NONE,
            youngest: NONE,
            count: 0,
        };
        Self {
            unused: vec![unused; nodes],
            per_page: (page_kib as u32).clamp(1, MOST),
            ..Self::default()
        }
    }

    /// Objects of a node that could be freed.
    pub fn freeable(&self, node: u8) -> u64 {
        self.unused
            .get(usize::from(node))
            .map_or(0, |u| u.count.into())
    }
    /// Objects carried over from the last pass (`nr_deferred`).
    pub fn carried(&self, node: u8) -> u64 {
        self.carried.get(usize::from(node)).copied().unwrap_or(0)
    }
    /// Carries objects over to the next pass.
    pub fn carry(&mut self, node: u8, objects: u64) {
        let node = usize::from(node);
        if self.carried.len() <= node {
            self.carried.resize(node + 1, 0);
        }
        self.carried[node] = objects;
    }
    /// Objects in use, cached ones included.
    pub fn objects(&self) -> u32 {
        self.pages.iter().map(|p| p.used.count_ones()).sum()
    }

    fn has_free(&self) -> bool {
        !self.partial.is_empty() || !self.empty.is_empty()
    }

    /// A page just allocated holds objects from now on.
    fn add_page(&mut self, frame: u32, node: u8) -> u32 {
        let page = SlabPage {
            frame,
            node,
            used: 0,
            referenced: 0,
        };
        let record = self.spare.pop().unwrap_or_else(|| {
            self.pages.push(page);
            let objects = self.objects.len() + self.per_page as usize;
            self.objects.resize(objects, FREE);
            self.pages.len() as u32 - 1
        });
        self.pages[record as usize] = page;
        self.empty.push(record);
        record
    }

    /// Takes a free object for a file's inode; there is one.
    fn take(&mut self, file: u32) -> u32 {
        if self.partial.is_empty() {
            let fresh = self.empty.pop().unwrap_or(NONE);
            self.partial.push(fresh);
        }
        let record = self.partial[self.partial.len() - 1];
        let page = &mut self.pages[record as usize];
        let place = page.used.trailing_ones();
        page.used |= 1 << place;
        if page.used.count_ones() == self.per_page {
            self.partial.pop();
        }
        let object = record * self.per_page + place;
        self.objects[object as usize] = Object { file, ..FREE };
        object
    }

    fn free_object(&mut self, object: u32) {
        self.remove_unused(object);
        self.objects[object as usize] = FREE;
        let record = object / self.per_page;
        let page = &mut self.pages[record as usize];
        let was_full = page.used.count_ones() == self.per_page;
        let bit = 1u64 << (object % self.per_page);
        page.used &= !bit;
        page.referenced &= !bit;
        if page.used == 0 {
            self.partial.retain(|&p| p != record);
            self.empty.push(record);
        } else if was_full {
            self.partial.push(record);
        }
    }

    fn node_of(&self, object: u32) -> usize {
        self.pages[(object / self.per_page) as usize].node.into()
    }

    /// Nobody uses an inode any more: it is the youngest of the unused ones (`inode_lru_list_add`).
    fn add_unused(&mut self, object: u32) {
        if self.objects[object as usize].unused {
            return;
        }
        let node = self.node_of(object);
        let youngest = self.unused[node].youngest;
        let o = &mut self.objects[object as usize];
        (o.older, o.younger, o.unused) = (youngest, NONE, true);
        match self.objects.get_mut(youngest as usize) {
            Some(before) => before.younger = object,
            None => self.unused[node].oldest = object,
        }
        self.unused[node].youngest = object;
        self.unused[node].count += 1;
    }

    fn remove_unused(&mut self, object: u32) {
        let Object {
            older,
            younger,
            unused,
            ..
        } = self.objects[object as usize];
        if !unused {
            return;
        }
        let node = self.node_of(object);
        match self.objects.get_mut(older as usize) {
            Some(o) => o.younger = younger,
            None => self.unused[node].oldest = younger,
        }
        match self.objects.get_mut(younger as usize) {
            Some(o) => o.older = older,
            None => self.unused[node].youngest = older,
        }
        self.unused[node].count -= 1;
        self.objects[object as usize].unused = false;
    }

    /// Was the inode used since it was last looked at? Not from now on.
    fn test_clear_referenced(&mut self, object: u32) -> bool {
        let page = &mut self.pages[(object / self.per_page) as usize];
        let bit = 1u64 << (object % self.per_page);
        let was = page.referenced & bit != 0;
        page.referenced &= !bit;
        was
    }

    /// Every page the cache holds, and those in flight in its hands. For `check`.
    pub(crate) fn frames(&self) -> impl Iterator<Item = u32> + '_ {
        let pages = self.pages.iter().map(|p| p.frame);
        pages.filter(|&f| f != NONE)
    }

    /// Pages of files dropped with their inodes and not freed yet. For `check`.
    pub(crate) fn dropped(&self) -> &[u32] {
        &self.dropped
    }

    /// Do the lists say what the pages and objects are? For `check`.
    pub(crate) fn is_sound(&self) -> bool {
        let full = u64::MAX >> (64 - self.per_page.clamp(1, 64));
        let mut pages = (0u32..).zip(&self.pages);
        let lists = pages.all(|(i, p)| {
            let on = |list: &[u32]| list.iter().filter(|&&r| r == i).count();
            let spare = p.frame == NONE;
            let empty = !spare && p.used == 0;
            let partial = p.used != 0 && p.used != full;
            on(&self.spare) == usize::from(spare)
                && on(&self.empty) == usize::from(empty)
                && on(&self.partial) == usize::from(partial)
        });
        let mut objects = (0u32..).zip(&self.objects);
        let used = objects.all(|(i, o)| {
            let bit = self.pages[(i / self.per_page) as usize].used >> (i % self.per_page) & 1;
            (o.file != NONE) == (bit == 1) && (!o.unused || o.file != NONE)
        });
        let counted: u32 = self.unused.iter().map(|u| u.count).sum();
        let found = self.objects.iter().filter(|o| o.unused).count();
        lists && used && counted as usize == found
    }

    /// The file of an object in use. For `check`.
    pub(crate) fn file_of(&self, object: u32) -> Option<u32> {
        self.objects.get(object as usize).map(|o| o.file)
    }

    /// Bytes one copy takes.
    pub fn bytes(&self) -> usize {
        self.pages.len() * size_of::<SlabPage>() + self.objects.len() * size_of::<Object>()
    }
}

/// A task opens a file whose inode is cached, or a region shows it.
pub fn inode_get(w: &mut World, file: u32) {
    let f = &mut w.files.all[file as usize];
    f.users += 1;
    let object = f.inode;
    if object == NONE {
        return;
    }
    if w.slab.objects[object as usize].unused {
        w.slab.remove_unused(object);
        let page = &mut w.slab.pages[(object / w.slab.per_page) as usize];
        page.referenced |= 1 << (object % w.slab.per_page);
    }
}

/// A task closes a file, or a region shows it no longer (`iput`).
pub fn inode_put(w: &mut World, file: u32) {
    w.files.all[file as usize].users -= 1;
    inode_idle(w, file);
}

/// Puts an inode nobody uses on the unused list, where the era has it there.
fn inode_idle(w: &mut World, file: u32) {
    let f = w.files.file(file);
    let stays = w.facts.features.inodes_with_pages_stay && f.nr_pages > 0;
    if f.users == 0 && f.inode != NONE && !stays {
        w.slab.add_unused(f.inode);
    }
}

/// The page cache of a file has lost a page (`inode_add_lru` when it was the last, from 5.16).
pub fn page_cache_shrank(w: &mut World, file: u32) {
    if w.files.file(file).nr_pages == 0 {
        inode_idle(w, file);
    }
}

/// A file without a name has lost its pages: its inode goes (`evict`).
pub fn evict_unlinked(w: &mut World, file: u32) {
    let f = &mut w.files.all[file as usize];
    if f.linked || f.inode == NONE {
        return;
    }
    let object = std::mem::replace(&mut f.inode, NONE);
    w.slab.free_object(object);
    w.spend(w.facts.cost.inode_free);
}

/// Looks at so many of a node's least recently used inodes; returns how many it freed
/// (`inode_lru_isolate`, `prune_icache`).
pub fn scan_inodes(w: &mut World, node: u8, objects: u32) -> u32 {
    let mut freed = 0;
    for _ in 0..objects {
        let object = w.slab.unused[usize::from(node)].oldest;
        if object == NONE {
            break;
        }
        let file = w.slab.objects[object as usize].file;
        w.slab.remove_unused(object);
        if w.slab.test_clear_referenced(object) || w.files.file(file).nr_dirty > 0 {
            w.slab.add_unused(object);
            continue;
        }
        if w.files.file(file).nr_pages > 0 {
            if w.facts.features.inodes_with_pages_stay {
                // It comes back when its last page has gone.
                continue;
            }
            invalidate_pages(w, file);
            if w.files.file(file).nr_pages > 0 {
                w.slab.add_unused(object);
                continue;
            }
        }
        w.files.drop_shadows(file);
        w.files.all[file as usize].inode = NONE;
        w.slab.free_object(object);
        freed += 1;
    }
    freed
}

/// Takes a file's clean pages, which nobody maps, out of the cache (`invalidate_mapping_pages`).
fn invalidate_pages(w: &mut World, file: u32) {
    let mut at = 0;
    let mut dropped = 0;
    while let Some((index, frame)) = w.files.next_page(file, at) {
        at = index + 1;
        if is_droppable(w.mem.pages[frame as usize]) {
            delete_from_page_cache(w, frame, None);
            release(w, frame);
            w.slab.dropped.push(frame);
            w.spend(w.facts.cost.page_ladder_free);
            dropped += 1;
        }
    }
    let by_kswapd = w.kswapd.iter().any(|k| k.task == w.task);
    if by_kswapd {
        w.counters.kswapd_inodesteal += dropped;
    } else {
        w.counters.pginodesteal += dropped;
    }
}

/// A slab page with no object left, taken from the cache, or a page of a file that went with its
/// inode; it is in flight.
pub fn take_empty_page(w: &mut World, node: u8) -> Option<u32> {
    if let Some(frame) = w.slab.dropped.pop() {
        return Some(frame);
    }
    let s = &mut w.slab;
    let here = |&record: &u32| s.pages[record as usize].node == node;
    let place = s.empty.iter().rposition(here)?;
    let record = s.empty.remove(place);
    s.spare.push(record);
    let page = &mut s.pages[record as usize];
    let frame = std::mem::replace(&mut page.frame, NONE);
    w.mem.count(frame, Gauge::SlabReclaimable, -1);
    release(w, frame);
    Some(frame)
}

points! {
    /// Program points of `iget_locked`.
    IgPt {
        Look 0 Plain "the inode is cached: use it";
        Alloc 0 Plain "else alloc_inode(): no free object: allocate a page for the slab cache";
        Got 0 Plain "none to be had: ENOMEM";
        Init 0 Yields "the object is the file's inode";
    }
}

/// `iget_locked`, as open() and creat() come to it: the inode of a file, in use by one more.
/// Returns 1, or 0 when memory ran out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IgetLocked {
    /// Where it stands.
    pub pt: IgPt,
    /// Node whose zonelist serves it.
    pub node: u8,
    /// The file.
    pub file: u32,
}

impl IgetLocked {
    /// A file about to be opened.
    pub fn call(file: u32, node: u8) -> Frame {
        Frame::Inode(Self {
            pt: IgPt::Look,
            node,
            file,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        match self.pt {
            IgPt::Look => {
                if w.files.file(self.file).inode != NONE {
                    inode_get(w, self.file);
                    cx.ret = 1;
                    return Flow::Ret;
                }
                self.pt = IgPt::Alloc;
                Flow::Next
            }
            IgPt::Alloc => {
                if w.slab.has_free() {
                    self.pt = IgPt::Init;
                    return Flow::Next;
                }
                self.pt = IgPt::Got;
                let gfp = Gfp::GFP_KERNEL.with(Gfp::RECLAIMABLE);
                Flow::Call(AllocPages::call(Request::new(w, gfp, 0, self.node)))
            }
            IgPt::Got => {
                let frame = cx.ret;
                if frame == NONE {
                    cx.ret = 0;
                    return Flow::Ret;
                }
                let zone = w.mem.pages[frame as usize].zone();
                let node = w.mem.zones[usize::from(zone)].node;
                w.mem.set_kind(frame, PageKind::Slab, 0);
                w.mem.count(frame, Gauge::SlabReclaimable, 1);
                let record = w.slab.add_page(frame, node);
                let page = &mut w.mem.pages[frame as usize];
                (page.owner, page.index) = (0, record);
                self.pt = IgPt::Alloc;
                Flow::Next
            }
            IgPt::Init => {
                // Others may have used the last object, or opened the file, since.
                if !w.slab.has_free() || w.files.file(self.file).inode != NONE {
                    self.pt = IgPt::Look;
                    return Flow::Next;
                }
                let object = w.slab.take(self.file);
                w.files.all[self.file as usize].inode = object;
                inode_get(w, self.file);
                w.why(Why::Inode, [self.file, w.slab.objects(), 0, 0, 0, 0]);
                cx.ret = 1;
                Flow::Ret
            }
        }
    }

    /// Arguments and locals.
    pub fn locals(&self, _w: &World) -> Vec<Local> {
        vec![crate::show::number("file", self.file)]
    }
}

#[cfg(test)]
impl Slab {
    /// Gives lists that are mostly empty something to change.
    pub(crate) fn fill(&mut self) {
        self.spare.push(0);
        self.empty.push(0);
        self.dropped.push(0);
    }
}

#[cfg(test)]
mod flip {
    use super::*;
    use crate::flip::flips;
    flips!(SlabPage {
        frame,
        node,
        used,
        referenced
    });
    flips!(Object {
        file,
        older,
        younger,
        unused
    });
    flips!(Unused {
        oldest,
        youngest,
        count
    });
    flips!(Slab {
        carried,
        pages,
        objects,
        spare,
        partial,
        empty,
        unused,
        dropped,
        per_page
    });
    flips!(IgetLocked { pt, node, file });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_fill_a_page_and_leave_it_empty_again() {
        let mut s = Slab::new(1, 4);
        s.add_page(10, 0);
        let got: Vec<u32> = (0..4).map(|file| s.take(file)).collect();
        assert_eq!(got, [0, 1, 2, 3]);
        assert!(!s.has_free() && s.is_sound());
        s.add_unused(2);
        s.add_unused(0);
        assert_eq!((s.freeable(0), s.unused[0].oldest), (2, 2));
        s.free_object(2);
        assert!(s.has_free() && s.is_sound());
        assert_eq!(s.take(9), 2);
        for object in got {
            s.free_object(object);
        }
        assert_eq!((s.objects(), s.freeable(0)), (0, 0));
        assert!(s.empty == [0] && s.is_sound());
    }
}
