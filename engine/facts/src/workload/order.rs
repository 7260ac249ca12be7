//! The order in which a task of the workload accesses pages and files: random streams, parts of threads,
//! pages of touches, positions of reads and writes.
//!
//! Modelled: everything about an access that does not depend on the state of a machine.
//! Left out: `access`, whose pages the engine draws from the page tables.
//! Invariants: the engine and the guest program use these functions and no others, so both access the same
//! pages and sectors in the same order.

use crate::rng::Rng;
use crate::workload::Pattern;

/// The random numbers of one task: `instance` counts the tasks of a program from 1.
pub fn stream(seed: u64, program: u32, instance: u32) -> Rng {
    Rng::stream(seed, u64::from(program) << 32 | u64::from(instance))
}

/// A thread's part of a region: its first page and its number of pages. `thread` is the number of the thread,
/// from 0, among those that started together.
#[inline]
pub fn part((thread, threads): (u32, u32), pages: u32) -> (u32, u32) {
    let (i, count) = (u64::from(thread), u64::from(threads).max(1));
    let border = |i: u64| (u64::from(pages) * i / count) as u32;
    (border(i), border(i + 1) - border(i))
}

/// The page of the next touch of a part. `at` is the position of a sequential touch in the part.
#[inline]
pub fn page(pattern: Pattern, (first, pages): (u32, u32), at: u32, rng: &mut Rng) -> u32 {
    match pattern {
        Pattern::Sequential => first + at,
        Pattern::Random => first + rng.below(pages),
    }
}

/// Like [`page`], but advances `at`. The part has at least one page.
#[inline]
pub fn next_page(pattern: Pattern, part: (u32, u32), at: &mut u32, rng: &mut Rng) -> u32 {
    let page = page(pattern, part, *at, rng);
    *at = (*at + 1) % part.1;
    page
}

/// The files of a task: the first file and the number of files. `files` are those of its program, of which
/// each task uses `own` (0: all); `before` counts the earlier tasks of the program.
pub fn own_files((first, count): (u32, u32), own: u32, before: u32) -> (u32, u32) {
    match own {
        0 => (first, count),
        own => (first + before % (count / own) * own, own),
    }
}

/// Which of a task's files the next call reads or writes. `file` is the current one; `ended` says whether its
/// position is at the end of the file.
#[inline]
pub fn next_file(
    pattern: Pattern,
    (first, count): (u32, u32),
    (file, ended): (u32, bool),
    rng: &mut Rng,
) -> u32 {
    match pattern {
        Pattern::Random => first + rng.below(count),
        Pattern::Sequential if ended => first + (file - first + 1) % count,
        Pattern::Sequential => file,
    }
}

/// The position of the next call in a file of `size`, all in sectors. `pos` is the current position.
#[inline]
pub fn next_position(pattern: Pattern, size: u32, chunk: u32, pos: u32, rng: &mut Rng) -> u32 {
    match pattern {
        Pattern::Random => chunk * rng.below((size / chunk).max(1)),
        Pattern::Sequential if pos >= size => 0,
        Pattern::Sequential => pos,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_all_threads_cover_a_region_exactly_once() {
        for (threads, pages) in [(1, 5), (3, 10), (7, 3), (4, 0)] {
            let parts = (0..threads).map(|i| part((i, threads), pages));
            let end = parts.fold(0, |end, (first, count)| {
                assert_eq!(first, end);
                first + count
            });
            assert_eq!(end, pages);
        }
    }

    #[test]
    fn a_sequential_touch_continues_at_the_first_page_after_the_last() {
        let (mut at, mut rng) = (1, Rng::stream(1, 1));
        let mut next = |at: &mut u32| next_page(Pattern::Sequential, (10, 3), at, &mut rng);
        let mut pages = Vec::new();
        for _ in 0..4 {
            pages.push(next(&mut at));
        }
        assert_eq!(pages, [11, 12, 10, 11]);
    }

    #[test]
    fn random_touches_and_calls_stay_within_their_part() {
        let (mut at, mut rng) = (0, stream(7, 1, 2));
        for _ in 0..1000 {
            let page = next_page(Pattern::Random, (100, 10), &mut at, &mut rng);
            assert!((100..110).contains(&page));
            let file = next_file(Pattern::Random, (5, 3), (5, false), &mut rng);
            assert!((5..8).contains(&file));
            let pos = next_position(Pattern::Random, 100, 8, 0, &mut rng);
            assert!(pos.is_multiple_of(8) && pos + 8 <= 100);
        }
        assert_eq!(next_position(Pattern::Random, 4, 8, 0, &mut rng), 0);
    }

    #[test]
    fn a_sequential_call_continues_in_the_next_file_and_wraps_around_after_the_last() {
        let mut rng = Rng::stream(1, 1);
        let mut next =
            |file, ended| next_file(Pattern::Sequential, (5, 2), (file, ended), &mut rng);
        assert_eq!((next(5, false), next(5, true), next(6, true)), (5, 6, 5));
        let mut next = |pos| next_position(Pattern::Sequential, 100, 8, pos, &mut rng);
        assert_eq!((next(96), next(100)), (96, 0));
    }

    #[test]
    fn tasks_own_the_files_of_a_row_in_turn() {
        assert_eq!(own_files((10, 6), 0, 3), (10, 6));
        let own: Vec<_> = (0..4).map(|before| own_files((10, 6), 2, before)).collect();
        assert_eq!(own, [(10, 2), (12, 2), (14, 2), (10, 2)]);
    }
}
