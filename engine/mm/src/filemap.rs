//! The page cache (mm/filemap.c).
//!
//! Modelled: pages that join and leave the cache, and the slab objects the kernel needs for them: a
//! node of the file's tree for every 64 pages, buffer heads for a page that is written. Also
//! waiting for a page.
//! Left out: metadata and the journal; names and directories.
//! Visible difference: an inode's own blocks are never read or written.
//! Invariants: a page in the cache stores its file and index.

mod add;
mod around;
mod evicted;
pub mod fault;
mod read;
pub mod readahead;
mod tree;
mod truncate;
mod write;

pub use add::{AcPt, AddToPageCacheLru};
pub use around::FaultAroundMapped;
pub use evicted::Evicted;
pub use fault::{FaultFileAgain, FfPt, FilemapFault, SpaceLock};
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
use facts::index::{FrameIndex, ZonelistIndex};

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

/// The device on which new files are created: the first with a file system; 0 if there is none.
pub fn device_for_files(w: &World) -> u8 {
    let found = w.facts.devices.iter().position(|d| d.profile.files);
    found.unwrap_or(0) as u8
}

/// Sectors per page. The sector is the unit of positions in files.
pub fn page_sectors(w: &World) -> u32 {
    w.facts.layout.geometry.page_kib() as u32 * (1024 / SECTOR)
}

/// Spends the time needed to copy this many sectors between the page cache and a user.
fn spend_copy(w: &mut World, sectors: u32) {
    w.spend(w.facts.cost.cache_copy_kib * sectors / (1024 / SECTOR));
}

/// Adds a newly allocated page to a file's page cache. If a new tree node is needed, it takes a
/// slab object. Returns the shadow entry that the page replaces, for `workingset_refault`
/// (`__add_to_page_cache`).
fn add_to_page_cache(
    w: &mut World,
    frame: FrameIndex,
    file: u32,
    index: u32,
    object: u32,
) -> Option<Shadow> {
    let shadow = w.files.insert(file, index, frame, object);
    w.mem.set_kind(frame, PageKind::File, 0);
    let page = &mut w.mem.pages[frame];
    (page.owner, page.index) = (file, index);
    w.spend(w.facts.cost.cache_add);
    w.record(MmFilemapAddToPageCache {
        pfn: frame,
        i_ino: file.into(),
        index: index.into(),
    });
    shadow
}

/// Handles a page that was just added: detects refaults and puts the page on its LRU list. From 4.7
/// on, a page that will be overwritten does not count as a refault.
fn add_to_lru(w: &mut World, cx: &Context, frame: FrameIndex, shadow: Option<Shadow>, gfp: Gfp) {
    let missed = w.facts.features.rewritten_refaults || !gfp.has(Gfp::WRITE);
    if let Some(shadow) = shadow.filter(|_| missed) {
        crate::workingset::workingset_refault(w, frame, shadow, cx.in_lru_fault);
    }
    crate::swap::lru_cache_add(w, frame, cx.in_lru_fault);
}

/// Removes a page from its file's page cache and leaves a shadow entry (`__delete_from_page_cache`).
/// The page keeps its kind until it is released; a dirty one becomes clean (`account_page_cleaned`).
/// Does nothing to a page that its file has already released.
pub fn delete_from_page_cache(w: &mut World, frame: FrameIndex, shadow: Option<Shadow>) {
    let page = w.mem.pages[frame];
    if page.owner == NONE {
        return;
    }
    if page.has(flag::DIRTY) {
        crate::page_writeback::cancel_dirty(w, frame);
    }
    if let Some(buffers) = w.files.remove(page.owner, page.index, shadow) {
        // In the kernel, try_to_free_buffers() comes slightly earlier.
        free_object(w, BUFFERS, buffers);
    }
    free_nodes(w);
    w.mem.pages[frame].owner = NONE;
    w.record(MmFilemapDeleteFromPageCache {
        pfn: frame,
        i_ino: page.owner.into(),
        index: page.index.into(),
    });
    crate::slab::page_cache_shrank(w, page.owner);
}

/// Records the position in its file of a page that reclaim evicts, alone or with the file's inode.
pub fn note_evicted(w: &mut World, frame: FrameIndex) {
    let page = w.mem.pages[frame];
    if page.owner != NONE {
        w.evicted.note(w.files.device_block(page.owner, page.index));
    }
}

/// A page joined its file's cache; `is_read` is true if its contents will be read. Checks whether
/// reclaim had evicted this page of the file.
fn comes_back(w: &mut World, frame: FrameIndex, is_read: bool) {
    let page = w.mem.pages[frame];
    let block = w.files.device_block(page.owner, page.index);
    let is_written = page.index < w.files.file(page.owner).written;
    if w.evicted.take(block) && is_read && is_written {
        w.counters.reread += 1;
        w.mem.pages[frame].set(flag::REREAD);
    }
}

/// Drops all shadow entries of a file that has no cached pages left.
pub fn drop_shadows(w: &mut World, file: u32) {
    w.files.drop_shadows(file);
    free_nodes(w);
}

/// Returns the objects of removed tree nodes to their slab cache.
fn free_nodes(w: &mut World) {
    while let Some(object) = w.files.freed_object() {
        free_object(w, TREE_NODE, object);
    }
}

/// Gives a cached page buffer heads if it has none (`create_empty_buffers`), and spends the time
/// the file system needs for the first write to a page. Returns false if there is no free slab
/// object for them; the caller must call [`slab_of_buffers`] first.
pub fn create_empty_buffers(
    w: &mut World,
    file: u32,
    index: u32,
    node: ZonelistIndex,
    slabbed: bool,
) -> bool {
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

/// The frame to call if buffer heads need a new slab.
pub fn slab_of_buffers(w: &World, node: ZonelistIndex) -> Frame {
    grow(w, BUFFERS, Gfp::GFP_NOFS, node)
}

/// Sleeps until a page is unlocked or its write has ended; then the waiters check again
/// (`wait_on_page_bit`).
pub fn wait_on_page(w: &mut World, cx: &mut Context, frame: FrameIndex) -> Flow {
    w.record(WaitPage { page: frame });
    if !w.page_wait.contains(&(frame, cx.task)) {
        w.page_wait.push((frame, cx.task));
    }
    cx.sleep = Sleep::Io(u64::MAX);
    Flow::Sleep
}

/// Unlocks a page and wakes its waiters, which check again (`unlock_page`).
pub fn unlock_page(w: &mut World, frame: FrameIndex) {
    w.mem.pages[frame].clear(flag::LOCKED);
    w.wake_up_page(frame);
}
