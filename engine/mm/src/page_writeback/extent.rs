//! Extents of a file under writeback (fs/ext4/page-io.c, fs/ext4/inode.c).
//!
//! Modelled: from 5.6 on ext4, like other file systems, marks an extent as holding data only when
//! all of it is on the device. Until then its pages count as under writeback.
//! Left out: the conversion of the extent, its worker and its journal.
//! Visible difference: the journal, which commits every five seconds, would delay extents, and
//! writers, by a second or two.
//! Invariants: the written pages of an incomplete extent are in its list; a complete extent that
//! takes no more pages is removed.

use crate::frames::NONE;
use crate::page_writeback::end_page_writeback;
use crate::world::World;
use facts::index::FrameIndex;
use facts::state::State;

/// Length of the longest extent that is written as one, in pages (`MAX_WRITEPAGES_EXTENT_LEN`,
/// fs/ext4/inode.c).
const MOST_PAGES: u32 = 2048;

/// An extent under writeback (`struct ext4_io_end`).
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct IoEnd {
    /// Number of the extent.
    pub id: u32,
    /// The page of the file that would extend the extent.
    pub next: u32,
    /// Number of pages so far.
    pub len: u32,
    /// Pages submitted to the device and not yet written.
    pub left: u32,
    /// True if more pages may join.
    pub open: bool,
    /// Written pages that wait for the others; the ones written last come first.
    pub pages: Vec<FrameIndex>,
}

/// Adds a page of a file to the extent `id` if the page directly follows it. Otherwise completes
/// that extent and starts a new one with the page (`mpage_add_bh_to_extent`, `ext4_init_io_end`).
/// Returns the number of the page's extent, or [`NONE`] for kernels that end each page with its
/// request.
pub fn mpage_add_bh_to_extent(w: &mut World, device: u8, id: u32, index: u32) -> u32 {
    if !w.facts.features.writeback_by_extent {
        return NONE;
    }
    if let Some((_, extent)) = find(w, device, id)
        && extent.next == index
        && extent.len < MOST_PAGES
    {
        (extent.next, extent.len) = (index + 1, extent.len + 1);
        return id;
    }
    ext4_put_io_end(w, device, id);
    let wb = &mut w.wb.wbs[usize::from(device)];
    wb.last_io_end = wb.last_io_end.wrapping_add(1) % NONE;
    wb.io_ends.push(IoEnd {
        id: wb.last_io_end,
        next: index + 1,
        len: 1,
        left: 0,
        open: true,
        pages: Vec::new(),
    });
    wb.last_io_end
}

/// The extent with this number, and its index.
fn find(w: &mut World, device: u8, id: u32) -> Option<(usize, &mut IoEnd)> {
    let mut all = w.wb.wbs.get_mut(usize::from(device))?.io_ends.iter_mut();
    let place = all.position(|e| e.id == id)?;
    let wb = &mut w.wb.wbs[usize::from(device)];
    Some((place, &mut wb.io_ends[place]))
}

/// Counts pages of an extent that are submitted to the device (`ext4_io_submit`).
pub fn ext4_io_submit(w: &mut World, device: u8, id: u32, pages: u32) {
    if let Some((_, extent)) = find(w, device, id) {
        extent.left += pages;
    }
}

/// These pages of an extent have been written (`ext4_end_bio`). Leaves in `pages` those whose
/// writeback ends now: none while other pages of the extent are in flight, all pages of the extent
/// after the last one.
pub fn ext4_end_bio(w: &mut World, device: u8, id: u32, pages: &mut Vec<FrameIndex>) {
    if id == NONE {
        return;
    }
    let Some((place, extent)) = find(w, device, id) else {
        return;
    };
    extent.left -= pages.len() as u32;
    pages.append(&mut extent.pages);
    if extent.open || extent.left > 0 {
        std::mem::swap(pages, &mut extent.pages);
    } else {
        w.wb.wbs[usize::from(device)].io_ends.remove(place);
    }
}

/// Closes an extent for further pages. If all of them have been written, ends their writeback
/// (`ext4_put_io_end_defer`).
pub fn ext4_put_io_end(w: &mut World, device: u8, id: u32) {
    let Some((place, extent)) = find(w, device, id) else {
        return;
    };
    extent.open = false;
    if extent.left == 0 {
        let extent = w.wb.wbs[usize::from(device)].io_ends.remove(place);
        for frame in extent.pages {
            end_page_writeback(w, frame);
        }
    }
}
