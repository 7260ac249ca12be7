//! A pool of runs: independent work on several threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::{panic, thread};

use crate::failure::Outcome;

/// As many threads as this computer has processors.
pub fn processors() -> NonZero<usize> {
    thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

/// Does work for each item on some threads, and passes on each result as soon as it is available.
/// After a failure of `done`, no further item is started.
///
/// # Errors
/// The failure of `done`.
pub fn each<T: Sync, R: Send>(
    threads: NonZero<usize>,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(usize, R) -> Outcome<()>,
) -> Outcome<()> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.get().min(items.len()))
            .map(|_| {
                let sender = sender.clone();
                scope.spawn(|| {
                    let sender = sender;
                    loop {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = items.get(place) else { return };
                        if sender.send((place, work(item))).is_err() {
                            return;
                        }
                    }
                })
            })
            .collect();
        drop(sender);
        // Consumes the receiver: after a failure the workers cannot send and stop.
        let written = receiver
            .into_iter()
            .try_for_each(|(place, result)| done(place, result));
        for worker in workers {
            if let Err(fault) = worker.join() {
                panic::resume_unwind(fault);
            }
        }
        written
    })
}

/// Does work for each item on every processor, and returns the results in the order of the items.
pub fn all<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let mut found: Vec<Option<R>> = Vec::new();
    found.resize_with(items.len(), || None);
    on_every_processor(items, work, |place, result| found[place] = Some(result));
    found.into_iter().flatten().collect()
}

/// Does work for each item on every processor, and passes on each result as soon as it is
/// available.
pub fn on_every_processor<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(usize, R),
) {
    let done = |place, result| {
        done(place, result);
        Ok(())
    };
    each(processors(), items, work, done).unwrap_or_else(|_| unreachable!("`done` never fails"));
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::failure::bad;

    #[test]
    fn passes_on_each_result_once_with_any_number_of_threads() {
        let items: Vec<u64> = (0..100).collect();
        for threads in [1, 3, 200] {
            let threads = NonZero::new(threads).expect("not 0");
            let mut got = Vec::new();
            let done = |place, square: u64| {
                got.push((place as u64, square));
                Ok(())
            };
            assert_eq!(each(threads, &items, |n| n * n, done), Ok(()));
            got.sort_unstable();
            let expected: Vec<(u64, u64)> = (0..100).map(|n| (n, n * n)).collect();
            assert_eq!(got, expected);
        }
        assert_eq!(all(&items, |n| n + 1), (1..101).collect::<Vec<_>>());
    }

    #[test]
    fn stops_after_a_failure() {
        let items: Vec<u64> = (0..100_000).collect();
        let begun = AtomicUsize::new(0);
        let threads = NonZero::new(2).expect("not 0");
        // All items together would take 50 s, so the failure comes first on any machine.
        let work = |_: &u64| {
            thread::sleep(Duration::from_millis(1));
            begun.fetch_add(1, Ordering::Relaxed)
        };
        let failed = each(threads, &items, work, |_, _| Err(bad("full disk")));
        assert_eq!(failed, Err(bad("full disk")));
        assert!(begun.into_inner() < items.len());
    }
}
