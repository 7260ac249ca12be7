//! Touches of pages on an aged list in random order, compared with a plain pointer chase.

use mm::index::{FrameIndex, ListIndex};
use std::hint::black_box;

use mm::list::Lists;
use mm::mmzone::Page;
use mm::rng::Rng;
use mm::touched::Touched;

use super::{median, per_second};

/// Pages of the list, as on a machine of 16 GiB.
pub const PAGES: u32 = 4 << 20;
/// The only list.
const LIST: ListIndex = ListIndex::new(0);
/// Pages taken together, as in reclaim.
const BATCH: usize = 32;
/// The bit of a record that serves as the referenced bit.
const REFERENCED: u32 = 1 << 31;

/// Touches a second: each takes the tail, reads and clears its bit, and moves it to the head.
pub fn touches(repeats: u32) -> f64 {
    let mut rng = Rng::stream(1, 0);
    let mut pages = Touched::from(vec![Page::absent(); PAGES as usize]);
    let mut lists = Lists::new(1, PAGES as usize);
    for frame in shuffled(&mut rng, PAGES) {
        let frame = FrameIndex::new(frame);
        pages[frame].meta = rng.next_u64() as u32 & REFERENCED;
        lists.push_head(&mut pages[frame], LIST, frame);
    }
    // One warm-up round gives the list the order that its own use produces.
    around(&mut pages, &mut lists);
    let rates = (0..repeats).map(|_| {
        per_second(PAGES.into(), || {
            around(&mut pages, &mut lists);
        })
    });
    median(rates.collect())
}

fn around(pages: &mut Touched<Page, FrameIndex>, lists: &mut Lists) {
    let mut referenced = 0u32;
    let mut batch = [FrameIndex::NONE; BATCH];
    for _ in 0..PAGES as usize / BATCH {
        let taken = lists.take_tail(pages, LIST, &mut batch);
        for &frame in &batch[..taken] {
            let page = &mut pages[frame];
            referenced += u32::from(page.meta & REFERENCED != 0);
            page.meta &= !REFERENCED;
            lists.push_head(&mut pages[frame], LIST, frame);
        }
    }
    black_box(referenced);
}

/// A record for the comparison.
#[derive(Clone, Copy)]
#[repr(C)]
struct Linked {
    next: u32,
    value: [u32; 3],
}

/// Records visited per second when each of `pages` records points to the next.
pub fn chase(pages: u32, repeats: u32) -> f64 {
    let order = shuffled(&mut Rng::stream(1, 0), pages);
    let empty = Linked {
        next: 0,
        value: [1; 3],
    };
    let mut records = vec![empty; pages as usize];
    for (i, &frame) in order.iter().enumerate() {
        records[frame as usize].next = order[(i + 1) % order.len()];
    }
    let rates = (0..repeats).map(|_| {
        per_second(PAGES.into(), || {
            let (mut at, mut sum) = (0u32, 0u32);
            // The same number of steps for each size, so that a small one is measured long enough.
            for _ in 0..PAGES {
                let record = &records[at as usize];
                sum = sum.wrapping_add(record.value[0]);
                at = record.next;
            }
            black_box((at, sum));
        })
    });
    median(rates.collect())
}

/// `pages` frames in random order.
fn shuffled(rng: &mut Rng, pages: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..pages).collect();
    for i in (1..pages).rev() {
        order.swap(i as usize, rng.below(i + 1) as usize);
    }
    order
}
