//! The inode cache (fs/inode.c).
//!
//! Modelled: an object for every inode in use or cached; the list of unused inodes, least recently
//! used first, and its shrinker; an inode whose file is dirty is on no list. Up to 5.15 the scan of
//! an unused inode with cached pages drops its clean pages and keeps the inode for another scan;
//! from 5.16 on such an inode is not on the list.
//! Left out: metadata of an inode, which keeps it in the cache as pages do.
//! Visible difference: from 5.16 on a kernel also keeps an inode that has only shadows left.
//! Invariants: an object in use refers to its file and the file refers to it; only inodes without
//! users, dentry and dirty pages are on a list of unused inodes.

use crate::filemap::{delete_from_page_cache, drop_shadows, is_droppable, note_evicted};
use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::Gfp;
use crate::memory::release;
use crate::record::decisions;
use crate::slab::{INODE, free_object, grow};
use crate::world::World;
use facts::index::{NodeIndex, ZonelistIndex};
use facts::state::State;

/// A file is in use again: takes its inode, if cached, off the list; a later scan will spare the
/// inode (`__iget`).
pub(super) fn hold(w: &mut World, file: u32) {
    let object = w.files.file(file).inode;
    if object != NONE && w.slab.inodes.is_unused(object) {
        remove_unused(w, object);
        w.slab.inodes.reference(object);
    }
}

/// The last dentry that used a file's inode releases it, if the file has one (`iput_final`).
pub fn iput(w: &mut World, file: u32) {
    let object = w.files.file(file).inode;
    if object == NONE {
        return;
    }
    if w.facts.features.last_put_references || w.slab.inodes.is_unused(object) {
        w.slab.inodes.reference(object);
    }
    inode_idle(w, file);
}

/// A file's last dirty page became clean: the flusher releases its inode (`writeback_sb_inodes`).
pub fn inode_clean(w: &mut World, file: u32) {
    let f = w.files.file(file);
    if f.users == 0 && f.dentry == NONE {
        iput(w, file);
    }
}

fn add_unused(w: &mut World, object: u32) {
    let node = w.slab.caches[INODE].node_of(object);
    w.slab.inodes.add(object, node);
}

fn remove_unused(w: &mut World, object: u32) {
    let node = w.slab.caches[INODE].node_of(object);
    w.slab.inodes.remove(object, node);
}

/// Frees an inode's object.
fn free_inode(w: &mut World, object: u32) {
    let node = w.slab.caches[INODE].node_of(object);
    w.slab.inodes.clear(object, node);
    free_object(w, INODE, object);
}

/// Adds an unused inode to the list of unused inodes, if the kernel keeps it there.
fn inode_idle(w: &mut World, file: u32) {
    let f = w.files.file(file);
    let stays = w.facts.features.inodes_with_pages_stay && f.nr_pages > 0;
    let used = f.users > 0 || f.dentry != NONE || f.nr_dirty > 0;
    if f.inode != NONE && !used && !stays {
        let object = f.inode;
        add_unused(w, object);
    }
}

/// Called after a file loses a page from the page cache. When the last page is gone, adds the inode
/// to the list of unused inodes if nothing uses it (`inode_add_lru`, since 5.16).
pub fn page_cache_shrank(w: &mut World, file: u32) {
    if w.files.file(file).nr_pages == 0 {
        inode_idle(w, file);
    }
}

/// Frees the inode of a file without a name that has lost its pages (`evict`). If a task uses the file
/// again, that task frees it later.
pub fn evict_unlinked(w: &mut World, file: u32) {
    let f = &mut w.files.all[file as usize];
    if f.linked || f.users > 0 || f.nr_pages > 0 || f.inode == NONE {
        return;
    }
    let object = std::mem::replace(&mut f.inode, NONE);
    free_inode(w, object);
    w.spend(w.facts.cost.inode_free);
}

/// Scans `objects` of a node's least recently used inodes; returns the numbers of inodes and cached
/// pages freed (`inode_lru_isolate`, `prune_icache`).
pub fn scan_inodes(w: &mut World, node: NodeIndex, objects: u32) -> (u32, u32) {
    let (mut freed, mut stolen) = (0, 0);
    for _ in 0..objects {
        let Some(object) = w.slab.inodes.oldest(node) else {
            break;
        };
        let file = w.slab.inodes.file(object);
        if w.slab.inodes.test_clear_referenced(object) {
            remove_unused(w, object);
            add_unused(w, object);
            continue;
        }
        if w.files.file(file).nr_pages > 0 {
            if w.facts.features.inodes_with_pages_stay {
                // The inode returns to the list when its last page is gone.
                remove_unused(w, object);
                continue;
            }
            stolen += invalidate_pages(w, file);
            // As after a release, the next scan spares the inode and puts it behind all others.
            w.slab.inodes.reference(object);
            continue;
        }
        drop_shadows(w, file);
        w.files.all[file as usize].inode = NONE;
        free_inode(w, object);
        freed += 1;
    }
    (freed, stolen)
}

/// Drops a file's clean, unmapped pages from the cache; returns their number
/// (`invalidate_mapping_pages`).
fn invalidate_pages(w: &mut World, file: u32) -> u32 {
    let mut at = 0;
    let mut dropped = 0;
    while let Some((index, frame)) = w.files.next_page(file, at) {
        at = index + 1;
        if is_droppable(w.mem.pages[frame]) {
            note_evicted(w, frame);
            delete_from_page_cache(w, frame, None);
            release(w, frame);
            w.slab.loose.push(frame);
            w.spend(w.facts.cost.page_ladder_free);
            dropped += 1;
        }
    }
    let by_kswapd = w.kswapd.iter().any(|k| k.task == w.task);
    if by_kswapd {
        w.counters.kswapd_inodesteal += u64::from(dropped);
    } else {
        w.counters.pginodesteal += u64::from(dropped);
    }
    dropped
}

decisions! {
    Inode { file: Count, inodes: Count }
        "File {file} gets an inode: the inode cache now has {inodes inode}.";
}

room! {
    IgetLocked: "iget_locked" in "fs/inode.c" at "v6.1.176" line 1354;
    Simplified "An inode is found or created; its block is not read from the device.";
    IgPt {
        Look 0 Plain "the inode is cached: use it";
        Alloc 0 Plain "alloc_inode(), with new_slab() if none is free";
        Got 0 Plain "no memory: return ENOMEM";
        Init 0 Yields "the object is the file's inode";
    }
    locals(self, w) {
        file: number(self.file);
    }
}

/// `iget_locked`: gets the inode of a file, which has a dentry. Returns 1, or 0 if memory ran out or
/// the file lost its name.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct IgetLocked {
    /// Current program point.
    pub pt: IgPt,
    /// Zonelist of the requests.
    pub node: ZonelistIndex,
    /// The file.
    pub file: u32,
}

impl IgetLocked {
    /// Frame of a call for a file that is looked up.
    pub fn call(file: u32, node: ZonelistIndex) -> Frame {
        Frame::Inode(Self {
            pt: IgPt::Look,
            node,
            file,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            IgPt::Look => {
                if w.files.file(self.file).inode != NONE {
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
                up.call(grow(w, INODE, Gfp::GFP_KERNEL, self.node), w, cx)
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
                // Meanwhile other tasks may have opened or unlinked the file, or used the last
                // object.
                let f = w.files.file(self.file);
                if !f.linked {
                    cx.ret = 0;
                    return Flow::Ret;
                }
                if f.inode != NONE {
                    return Flow::Next;
                }
                let Some(object) = w.slab.take(INODE, self.node) else {
                    return Flow::Next;
                };
                w.slab.inodes.set(object, self.file);
                w.files.all[self.file as usize].inode = object;
                let objects = w.slab.caches[INODE].objects();
                w.record(Inode {
                    file: self.file.into(),
                    inodes: objects.into(),
                });
                cx.ret = 1;
                Flow::Ret
            }
        }
    }
}
