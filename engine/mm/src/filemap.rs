//! The page cache (mm/filemap.c).
//!
//! Modelled: pages joining and leaving the cache with what the kernel notes of them in slab objects:
//! a node of the file's tree for 64 pages, buffer heads for a page that is written; waiting for a
//! page.
//! Left out: metadata and their journal; names and directories.
//! Who could tell: an inode's own blocks are never read or written.
//! Invariants: a page in the cache names its file and index.

mod add;
pub mod fault;
mod gone;
mod read;
pub mod readahead;
mod tree;
mod truncate;
mod write;

pub use add::{AcPt, AddToPageCacheLru};
pub use fault::{FfPt, FilemapFault};
pub use gone::Gone;
pub use read::{FilemapRead, FrPt};
pub use readahead::{PageCacheReadahead, RaPt, Readahead, Window};
pub use tree::{File, Files, SLOTS, Slot};
pub use truncate::{TiPt, TruncateInodePages, is_droppable};
pub use write::{FsPt, FsyncFile, GenericPerformWrite, GwPt};

use crate::frames::{Context, Flow, Frame, NONE, Sleep};
use crate::gfp::Gfp;
use crate::mmzone::{PageKind, flag};
use crate::record::{decisions, events};
use crate::slab::{BUFFERS, TREE_NODE, free_object, grow};
use crate::workingset::Shadow;
use crate::workload::SECTOR;
use crate::world::World;

events! {
    /// A page joined the page cache of a file.
    MmFilemapAddToPageCache "mm_filemap_add_to_page_cache" from "include/trace/events/filemap.h" { pfn: Page, i_ino: Count, index: Count };
    /// A page left the page cache of a file.
    MmFilemapDeleteFromPageCache "mm_filemap_delete_from_page_cache" from "include/trace/events/filemap.h" { pfn: Page, i_ino: Count, index: Count };
}

decisions! {
    WaitPage { page: Page }
        "The page at {page} is locked or being written: wait for it.";
}

/// The device new files are created on: the first with a file system; 0 where there is none.
pub fn device_for_files(w: &World) -> u8 {
    let found = w.facts.devices.iter().position(|d| d.profile.files);
    found.unwrap_or(0) as u8
}

/// Sectors of a page, the unit of positions in files.
pub fn page_sectors(w: &World) -> u32 {
    w.facts.layout.geometry.page_kib() as u32 * (1024 / SECTOR)
}

/// The time of copying so many sectors between the page cache and a user.
fn spend_copy(w: &mut World, sectors: u32) {
    w.spend(w.facts.cost.cache_copy_kib * sectors / (1024 / SECTOR));
}

/// Puts a page just allocated into a file's page cache, if need be in a new node of its tree on a
/// slab object. Returns the shadow it replaces, for `workingset_refault` (`__add_to_page_cache`).
fn add_to_page_cache(
    w: &mut World,
    frame: u32,
    file: u32,
    index: u32,
    object: u32,
) -> Option<Shadow> {
    let shadow = w.files.insert(file, index, frame, object);
    w.mem.set_kind(frame, PageKind::File, 0);
    let page = &mut w.mem.pages[frame as usize];
    (page.owner, page.index) = (file, index);
    w.spend(w.facts.cost.cache_add);
    w.record(MmFilemapAddToPageCache {
        pfn: frame,
        i_ino: file.into(),
        index: index.into(),
    });
    shadow
}

/// A page that was just added: refault, then the LRU list it belongs on. From 4.7 on one that is to
/// be written over is none that was missed.
fn add_to_lru(w: &mut World, frame: u32, shadow: Option<Shadow>, gfp: Gfp) {
    let missed = w.facts.features.rewritten_refaults || !gfp.has(Gfp::WRITE);
    if let Some(shadow) = shadow.filter(|_| missed) {
        crate::workingset::workingset_refault(w, frame, shadow);
    }
    crate::swap::lru_cache_add(w, frame);
}

/// Takes a page out of its file's page cache and leaves a shadow entry
/// (`__delete_from_page_cache`). The page keeps its kind until it is released; a dirty one loses
/// its dirt (`account_page_cleaned`). A page whose file let go of it is left alone.
pub fn delete_from_page_cache(w: &mut World, frame: u32, shadow: Option<Shadow>) {
    let page = w.mem.pages[frame as usize];
    if page.owner == NONE {
        return;
    }
    if page.has(flag::DIRTY) {
        crate::page_writeback::cancel_dirty(w, frame);
    }
    if let Some(buffers) = w.files.remove(page.owner, page.index, shadow) {
        // try_to_free_buffers() comes a little before.
        free_object(w, BUFFERS, buffers);
    }
    free_nodes(w);
    w.mem.pages[frame as usize].owner = NONE;
    w.record(MmFilemapDeleteFromPageCache {
        pfn: frame,
        i_ino: page.owner.into(),
        index: page.index.into(),
    });
    crate::slab::page_cache_shrank(w, page.owner);
}

/// Reclaim takes a page, or its file's inode with it, from the cache: notes where it was.
pub fn note_gone(w: &mut World, frame: u32) {
    let page = w.mem.pages[frame as usize];
    if page.owner != NONE {
        w.gone.note(w.files.device_block(page.owner, page.index));
    }
}

/// A page joined its file's cache; `is_read` when its contents are to be read: is it one that
/// reclaim had taken?
fn comes_back(w: &mut World, frame: u32, is_read: bool) {
    let page = w.mem.pages[frame as usize];
    let block = w.files.device_block(page.owner, page.index);
    let is_written = page.index < w.files.file(page.owner).written;
    if w.gone.comes_back(block) && is_read && is_written {
        w.counters.reread += 1;
        w.mem.pages[frame as usize].set(flag::REREAD);
    }
}

/// Forgets all shadows of a file that has no page left.
pub fn drop_shadows(w: &mut World, file: u32) {
    w.files.drop_shadows(file);
    free_nodes(w);
}

/// Gives objects of tree nodes that are gone back to their cache.
fn free_nodes(w: &mut World) {
    while let Some(object) = w.files.freed_object() {
        free_object(w, TREE_NODE, object);
    }
}

/// Gives a cached page its buffer heads, where it has none yet (`create_empty_buffers`), and takes
/// the time the file system needs for a page written to for the first time. Returns false when
/// there is no object for them: [`slab_of_buffers`] must be called first.
pub fn create_empty_buffers(w: &mut World, file: u32, index: u32, node: u8, slabbed: bool) -> bool {
    if w.files.has_buffers(file, index) {
        return true;
    }
    if !slabbed && !w.slab.has_free(BUFFERS, node) {
        return false;
    }
    let object = w.slab.take(BUFFERS, node);
    if let Some(object) = object {
        w.files.set_buffers(file, index, object);
        w.spend(w.facts.cost.fs_write_page);
    }
    object.is_some()
}

/// What to call when a page gets no buffer heads for want of a slab.
pub fn slab_of_buffers(w: &World, node: u8) -> Frame {
    grow(w, BUFFERS, Gfp::GFP_NOFS, node)
}

/// Sleeps until a page is unlocked or its write has ended; whoever waits looks again then
/// (`wait_on_page_bit`).
pub fn wait_on_page(w: &mut World, cx: &mut Context, frame: u32) -> Flow {
    w.record(WaitPage { page: frame });
    if !w.page_wait.contains(&(frame, cx.task)) {
        w.page_wait.push((frame, cx.task));
    }
    cx.sleep = Sleep::Io(u64::MAX);
    Flow::Sleep
}

/// Takes a lock's waiters along: the page is unlocked and whoever waited looks again
/// (`unlock_page`).
pub fn unlock_page(w: &mut World, frame: u32) {
    w.mem.pages[frame as usize].clear(flag::LOCKED);
    w.wake_up_page(frame);
}
