//! Tests of the windows of read-ahead.

use super::*;
use crate::frames::NONE;

fn window(offset: u32, req_size: u32, hit_marker: bool, prev: u32) -> Window {
    Window {
        offset,
        req_size,
        hit_marker,
        prev,
        max: 32,
    }
}

#[test]
fn sizes_the_first_window_by_the_request_and_then_doubles_it() {
    let init = [1, 2, 4, 8, 9, 16, 32, 100].map(|n| init_size(n, 32));
    assert_eq!(init, [4, 4, 8, 16, 32, 32, 32, 32]);
    let next = [1, 2, 4, 8, 16, 32].map(|n| next_size(n, 32));
    assert_eq!(next, [4, 4, 8, 16, 32, 32]);
}

/// read() of single pages in sequence: the first window has 4 pages with the mark on the
/// second, then 8, 16, 32, 32, 32, in both 3.0 and 3.16.
#[test]
fn grows_the_window_of_a_sequential_reader_of_single_pages() {
    ramps_up(ReadaheadRule::Classic);
    ramps_up(ReadaheadRule::CarefulContext);
}

fn ramps_up(rule: ReadaheadRule) {
    let mut ra = Readahead::default();
    let none = |_| 0;
    let mut at = 0;
    let mut seen = Vec::new();
    for i in 0..6 {
        let q = window(at, 1, i > 0, at.wrapping_sub(1));
        let (start, size, lookahead) = ra.ondemand(rule, &q, none, none).expect("a window");
        seen.push((start, size, lookahead));
        at = start + size - lookahead;
    }
    assert_eq!(
        seen,
        [
            (0, 4, 3),
            (4, 8, 8),
            (12, 16, 16),
            (28, 32, 32),
            (60, 32, 32),
            (92, 32, 32)
        ]
    );
}

/// read() of 128 KiB at the start of a file: the window is as large as the request, so the read
/// immediately reaches its mark. 3.0 reads two windows, later kernels one.
#[test]
fn merges_a_window_as_large_as_the_request_with_the_next_window() {
    for (rule, expected) in [
        (ReadaheadRule::Classic, (0, 64, 32)),
        (ReadaheadRule::CappedMerge, (0, 32, 16)),
    ] {
        let mut ra = Readahead::default();
        let found = ra.ondemand(rule, &window(0, 32, false, NONE), |_| 0, |_| 0);
        assert_eq!(found, Some(expected));
    }
}

/// Reads of 256 pages at the mark of each window: the read still needs 256 pages at its start and 128 in its
/// middle, and this is the limit of the window (`whole_read`).
fn pages_per_large_read(rule: ReadaheadRule) -> Vec<u32> {
    let mut ra = Readahead::default();
    let (mut cached, mut mark) = (0, NONE);
    let mut pages_read = Vec::new();
    for read in 0..6 {
        let before = cached;
        for at in read * 256..(read + 1) * 256 {
            if at < cached && at != mark {
                continue;
            }
            let req_size = (read + 1) * 256 - at;
            let q = Window {
                offset: at,
                req_size,
                hit_marker: at == mark,
                prev: at.wrapping_sub(1),
                max: whole_read(32, req_size, 256),
            };
            let found = ra.ondemand(rule, &q, |_| 0, |_| 0);
            let (start, size, ahead) = found.expect("a window");
            (cached, mark) = (start + size, start + size - ahead);
        }
        pages_read.push(cached - before);
    }
    pages_read
}

#[test]
fn reads_one_window_for_each_large_read_unless_the_window_shrinks_within_the_read() {
    let shrinking = pages_per_large_read(ReadaheadRule::CappedMerge);
    assert_eq!(shrinking, [384, 384, 128, 384, 128, 384]);
    let steady = pages_per_large_read(ReadaheadRule::NoShrink);
    assert_eq!(steady, [512, 256, 256, 256, 256, 256]);
}

#[test]
fn reads_only_the_requested_pages_for_random_reads() {
    let mut ra = Readahead::default();
    for rule in [ReadaheadRule::Classic, ReadaheadRule::CappedMerge] {
        let found = ra.ondemand(rule, &window(500, 2, false, 17), |_| 0, |_| 0);
        assert_eq!(found, Some((500, 2, 0)));
    }
    assert_eq!(ra, Readahead::default());
}

#[test]
fn reads_ahead_if_pages_before_the_miss_are_cached() {
    let mut ra = Readahead::default();
    let q = window(500, 1, false, 17);
    let found = ra.ondemand(ReadaheadRule::Classic, &q, |_| 3, |_| 0);
    // 3 + 1 pages give a first window of 8 with its mark at the start, so a window of 16 is
    // added.
    assert_eq!(found, Some((500, 24, 16)));
    let found = ra.ondemand(ReadaheadRule::CappedMerge, &q, |_| 3, |_| 0);
    assert_eq!(found, Some((500, 4, 1)));
    let mut ra = Readahead::default();
    let found = ra.ondemand(ReadaheadRule::CappedMerge, &q, |_| 1, |_| 0);
    assert_eq!(found, Some((500, 1, 0)));
}
