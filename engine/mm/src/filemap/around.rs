//! Mapping the cached pages around a read fault (mm/memory.c, `do_fault_around`; mm/filemap.c,
//! `filemap_map_pages`).
//!
//! Modelled: the window of 64 KiB within the region, which of its pages are mapped, and how they
//! count for read-ahead. New entries have the accessed bit set, as on x86 and ppc64.
//! Left out: the setting `fault_around_bytes` of debugfs; folios of more than one page. A region
//! starts at a multiple of the window.
//! Visible difference: if a real region starts at another address, its windows have other positions
//! in the file.
//! Invariants: a locked page, and one with the read-ahead mark, are never mapped here.

use crate::filemap::fault::map_page;
use crate::frames::Context;
use crate::kernel::FaultAround;
use crate::mmzone::flag;
use crate::process::Fd;
use crate::record::decisions;
use crate::space::{Backing, Mapping};
use crate::world::World;

/// KiB that one fault maps at most (`fault_around_bytes`).
const AROUND_KIB: u64 = 64;

decisions! {
    FaultAroundMapped { index: Count, first: Count, window: Count, mapped: Count }
        "The task faults on page {index} of the region. Of {window page} from page {first} on, it maps those that are cached, unlocked and not yet mapped: {mapped}.";
}

/// Pages in a window. If this is 1, a read fault maps only its own page.
fn window(w: &World) -> u32 {
    if w.facts.features.fault_around == FaultAround::Never {
        return 1;
    }
    (AROUND_KIB / w.facts.layout.geometry.page_kib()).max(1) as u32
}

/// Does this machine map pages around a read fault (`should_fault_around`)?
pub(super) fn maps_around(w: &World) -> bool {
    window(w) > 1
}

/// Maps the pages around a page of a region. Returns true if that page is now mapped.
pub(super) fn map_around(w: &mut World, cx: &Context, region: u32, page: u32) -> bool {
    let space = cx.process;
    let r = w.processes.region(space, region);
    let Backing::File { file, offset, fd } = r.backing else {
        return false;
    };
    let size = window(w);
    let first = page & !(size - 1);
    let last = (first + size).min(r.pages);
    let (mut hits, mut mapped) = (0, 0);
    for at in first..last {
        let Some(frame) = w.files.page(file, offset + at) else {
            continue;
        };
        let cached = w.mem.pages[frame];
        if cached.has(flag::LOCKED) || cached.has(flag::READAHEAD) {
            continue;
        }
        let is_new = w.processes.lookup(space, region, at) == Mapping::Empty;
        let is_hit = match w.facts.features.fault_around {
            FaultAround::Never => false,
            FaultAround::MappedAreHits => is_new,
            FaultAround::FoundAreHits => true,
            FaultAround::RefaultsAreNoHits => !cached.has(flag::WORKINGSET),
        };
        hits += u32::from(is_hit);
        if is_new {
            map_page(w, space, region, at, frame);
            mapped += 1;
        }
    }
    let open: &mut Fd = &mut w.processes.all[space as usize].fds[usize::from(fd)];
    open.mmap_miss = open.mmap_miss.saturating_sub(hits);
    w.spend(w.facts.cost.cache_lookup * mapped);
    if mapped > 0 {
        w.record(FaultAroundMapped {
            index: page.into(),
            first: first.into(),
            window: (last - first).into(),
            mapped: mapped.into(),
        });
    }
    matches!(w.processes.lookup(space, region, page), Mapping::Page(_))
}
