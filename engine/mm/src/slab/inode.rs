//! The inode cache (fs/inode.c).
//!
//! Modelled: an object for every inode in use or cached; the list of unused inodes of each node,
//! least recently used first, and its shrinker. Up to 5.15 an unused inode that still has cached
//! pages loses the clean ones when it is scanned; from 5.16 on such an inode is not on the list.
//! Left out: dentries, which keep inodes in use until they are shrunk themselves.
//! Who could tell: inodes go a little earlier than in a kernel. From 5.16 a kernel also keeps an
//! inode that has nothing left but shadows.
//! Invariants: an object in use names its file and the file names it; only files nobody uses are on
//! an unused list.

use crate::filemap::{delete_from_page_cache, drop_shadows, is_droppable, note_gone};
use crate::frames::{Context, Flow, Frame, NONE, points};
use crate::gfp::Gfp;
use crate::memory::release;
use crate::slab::{INODE, NewSlab, free_object};
use crate::view::Local;
use crate::why::Why;
use crate::world::World;

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
    /// Used again since it was last unused (`I_REFERENCED`).
    referenced: bool,
}

const FREE: Object = Object {
    file: NONE,
    older: NONE,
    younger: NONE,
    unused: false,
    referenced: false,
};

/// A node's unused inodes (`inode_lru`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Unused {
    oldest: u32,
    youngest: u32,
    count: u32,
    /// Objects carried over from the last pass of the shrinker (`nr_deferred`).
    carried: u64,
}

/// The inodes, by object.
#[derive(Debug, PartialEq, Eq, Hash, Default)]
pub struct Inodes {
    objects: Vec<Object>,
    unused: Vec<Unused>,
}

impl Clone for Inodes {
    fn clone(&self) -> Self {
        Self {
            objects: self.objects.clone(),
            unused: self.unused.clone(),
        }
    }
    fn clone_from(&mut self, from: &Self) {
        self.objects.clone_from(&from.objects);
        self.unused.clone_from(&from.unused);
    }
}

impl Inodes {
    pub(super) fn new(nodes: usize) -> Self {
        let unused = Unused {
            oldest: NONE,
            youngest: NONE,
            count: 0,
            carried: 0,
        };
        Self {
            objects: Vec::new(),
            unused: vec![unused; nodes],
        }
    }

    /// Inodes of a node that could be freed.
    pub fn freeable(&self, node: u8) -> u64 {
        self.unused[usize::from(node)].count.into()
    }
    /// Objects carried over from the last pass (`nr_deferred`).
    pub fn carried(&self, node: u8) -> u64 {
        self.unused[usize::from(node)].carried
    }
    /// Carries objects over to the next pass.
    pub fn carry(&mut self, node: u8, objects: u64) {
        self.unused[usize::from(node)].carried = objects;
    }

    /// An object is a file's inode from now on.
    fn set(&mut self, object: u32, file: u32) {
        if self.objects.len() <= object as usize {
            self.objects.resize(object as usize + 1, FREE);
        }
        self.objects[object as usize] = Object { file, ..FREE };
    }

    /// Nobody uses an inode any more: it is the youngest of the unused ones (`inode_lru_list_add`).
    fn add_unused(&mut self, object: u32, node: u8) {
        if self.objects[object as usize].unused {
            return;
        }
        let list = &mut self.unused[usize::from(node)];
        let youngest = std::mem::replace(&mut list.youngest, object);
        list.count += 1;
        if youngest == NONE {
            list.oldest = object;
        } else {
            self.objects[youngest as usize].younger = object;
        }
        let o = &mut self.objects[object as usize];
        (o.older, o.younger, o.unused) = (youngest, NONE, true);
    }

    fn remove_unused(&mut self, object: u32, node: u8) {
        let Object {
            older,
            younger,
            unused,
            ..
        } = self.objects[object as usize];
        if !unused {
            return;
        }
        let list = &mut self.unused[usize::from(node)];
        list.count -= 1;
        match self.objects.get_mut(older as usize) {
            Some(o) => o.younger = younger,
            None => list.oldest = younger,
        }
        match self.objects.get_mut(younger as usize) {
            Some(o) => o.older = older,
            None => list.youngest = older,
        }
        self.objects[object as usize].unused = false;
    }

    /// Was the inode used since it was last looked at? Not from now on.
    fn test_clear_referenced(&mut self, object: u32) -> bool {
        std::mem::take(&mut self.objects[object as usize].referenced)
    }

    /// Objects that are inodes. For `check`.
    pub(crate) fn named(&self) -> impl Iterator<Item = u32> + '_ {
        let objects = (0u32..).zip(&self.objects);
        objects.filter(|(_, o)| o.file != NONE).map(|(i, _)| i)
    }

    /// Do the lists hold what the objects say? For `check`.
    pub(crate) fn is_sound(&self) -> bool {
        let counted: u32 = self.unused.iter().map(|u| u.count).sum();
        let found = self.objects.iter().filter(|o| o.unused).count();
        counted as usize == found && self.objects.iter().all(|o| !o.unused || o.file != NONE)
    }

    /// The file of an object in use. For `check`.
    pub(crate) fn file_of(&self, object: u32) -> Option<u32> {
        self.objects.get(object as usize).map(|o| o.file)
    }

    /// Bytes one copy takes.
    pub(super) fn bytes(&self) -> usize {
        self.objects.len() * size_of::<Object>()
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
    if w.slab.inodes.objects[object as usize].unused {
        remove_unused(w, object);
        w.slab.inodes.objects[object as usize].referenced = true;
    }
}

/// A task closes a file, or a region shows it no longer (`iput`).
pub fn inode_put(w: &mut World, file: u32) {
    w.files.all[file as usize].users -= 1;
    inode_idle(w, file);
}

fn add_unused(w: &mut World, object: u32) {
    let node = w.slab.caches[INODE].node_of(object);
    w.slab.inodes.add_unused(object, node);
}

fn remove_unused(w: &mut World, object: u32) {
    let node = w.slab.caches[INODE].node_of(object);
    w.slab.inodes.remove_unused(object, node);
}

/// An inode's object is free again.
fn free_inode(w: &mut World, object: u32) {
    remove_unused(w, object);
    w.slab.inodes.objects[object as usize] = FREE;
    free_object(w, INODE, object);
}

/// Puts an inode nobody uses on the unused list, where the era has it there.
fn inode_idle(w: &mut World, file: u32) {
    let f = w.files.file(file);
    let stays = w.facts.inodes_with_pages_stay() && f.nr_pages > 0;
    if f.users == 0 && f.inode != NONE && !stays {
        let object = f.inode;
        add_unused(w, object);
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
    free_inode(w, object);
    w.spend(w.facts.cost.inode_free);
}

/// Looks at so many of a node's least recently used inodes; returns how many it freed
/// (`inode_lru_isolate`, `prune_icache`).
pub fn scan_inodes(w: &mut World, node: u8, objects: u32) -> u32 {
    let mut freed = 0;
    for _ in 0..objects {
        let object = w.slab.inodes.unused[usize::from(node)].oldest;
        if object == NONE {
            break;
        }
        let file = w.slab.inodes.objects[object as usize].file;
        remove_unused(w, object);
        if w.slab.inodes.test_clear_referenced(object) || w.files.file(file).nr_dirty > 0 {
            add_unused(w, object);
            continue;
        }
        if w.files.file(file).nr_pages > 0 {
            if w.facts.inodes_with_pages_stay() {
                // It comes back when its last page has gone.
                continue;
            }
            invalidate_pages(w, file);
            if w.files.file(file).nr_pages > 0 {
                add_unused(w, object);
                continue;
            }
        }
        drop_shadows(w, file);
        w.files.all[file as usize].inode = NONE;
        free_inode(w, object);
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
            note_gone(w, frame);
            delete_from_page_cache(w, frame, None);
            release(w, frame);
            w.slab.loose.push(frame);
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

points! {
    /// Program points of `iget_locked`.
    IgPt {
        Look 0 Plain "the inode is cached: use it";
        Alloc 0 Plain "else alloc_inode(): no free object: new_slab()";
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
                if w.slab.has_free(INODE, self.node) {
                    self.pt = IgPt::Init;
                    return Flow::Next;
                }
                self.pt = IgPt::Got;
                Flow::Call(NewSlab::call(INODE, Gfp::GFP_KERNEL, self.node))
            }
            IgPt::Got => {
                if cx.ret == 0 {
                    return Flow::Ret;
                }
                self.pt = IgPt::Init;
                Flow::Next
            }
            IgPt::Init => {
                self.pt = IgPt::Look;
                // Others may have opened the file, or used the last object, since.
                if w.files.file(self.file).inode != NONE {
                    return Flow::Next;
                }
                let Some(object) = w.slab.take(INODE, self.node) else {
                    return Flow::Next;
                };
                w.slab.inodes.set(object, self.file);
                w.files.all[self.file as usize].inode = object;
                inode_get(w, self.file);
                let objects = w.slab.caches[INODE].objects();
                w.why(Why::Inode, [self.file, objects, 0, 0, 0, 0]);
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
mod flip {
    use super::*;
    use crate::flip::flips;
    flips!(Object {
        file,
        older,
        younger,
        unused,
        referenced
    });
    flips!(Unused {
        oldest,
        youngest,
        count,
        carried
    });
    flips!(Inodes { objects, unused });
    flips!(IgetLocked { pt, node, file });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_inodes_leave_from_the_oldest_on() {
        let mut inodes = Inodes::new(1);
        for object in [0, 1, 2] {
            inodes.set(object, object + 10);
        }
        inodes.add_unused(2, 0);
        inodes.add_unused(0, 0);
        assert_eq!((inodes.freeable(0), inodes.unused[0].oldest), (2, 2));
        inodes.remove_unused(2, 0);
        assert_eq!((inodes.freeable(0), inodes.unused[0].oldest), (1, 0));
        assert!(inodes.is_sound());
    }
}
