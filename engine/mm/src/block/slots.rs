//! Slots in the queue of a device, and the tasks that wait for one (block/blk-core.c,
//! block/blk-mq-tag.c).
//!
//! Modelled: before blk-mq (read in 3.0.1) a queue accepts [`NR_REQUESTS`] of each kind. The task
//! that fills it, and a task woken to take a slot, may exceed that number by a batch; all others
//! wait in the order they arrived. With blk-mq there are tags, and one list of tasks that wait for
//! a tag.
//! Left out: before blk-mq, a task that the elevator waits for never waits for a slot
//! (`elv_may_queue`). With blk-mq: the tags of each hardware queue; and waiters are spread over
//! eight queues, which are woken in turn after eight tags were given back (lib/sbitmap.c).
//! Modelling that made two of the 6.1 and 5.10 guests less accurate.
//! Visible difference: a reader whose turn it is may wait for a slot because the queue is full of
//! reads; the disk is idle meanwhile.
//! Invariants: before blk-mq a queue never holds more than one and a half times the number it
//! accepts; a waiting task is in exactly one queue, once.

use facts::index::TaskIndex;
use facts::state::State;

use super::NR_REQUESTS;
use crate::world::World;

/// Number of requests in a batch (`BLK_BATCH_REQ`, before blk-mq).
const BATCH: u32 = 32;
/// A batch lasts at most this fraction of a second (`BLK_BATCH_TIME`, HZ/50).
const BATCHES_PER_S: u64 = 50;
/// Maximum number of requests in a queue, batches included.
const MOST: u32 = 3 * NR_REQUESTS / 2;
/// A task that is in a batch (`struct io_context`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
struct Batcher {
    /// The task.
    task: TaskIndex,
    /// Requests that are left in the batch (`nr_batch_requests`).
    left: u32,
    /// When the batch began, in jiffies (`last_waited`).
    since: u64,
}

/// The slots of one device.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Slots {
    /// Waiting tasks in order of arrival. Before blk-mq there is a queue for asynchronous and one
    /// for synchronous requests; with blk-mq all tasks are in the first.
    queues: [Vec<TaskIndex>; 2],
    /// True if the queue is full: then only tasks in a batch get a slot (`QUEUE_FLAG_ASYNCFULL`,
    /// `QUEUE_FLAG_SYNCFULL`).
    full: [bool; 2],
    /// Tasks that are in a batch.
    batchers: Vec<Batcher>,
}

impl Slots {
    /// All waiting tasks.
    pub fn waiting(&self) -> impl Iterator<Item = TaskIndex> + '_ {
        self.queues.iter().flatten().copied()
    }

    /// Adds a task that waits for a request of this kind (0 asynchronous, 1 synchronous).
    pub(super) fn wait(&mut self, task: TaskIndex, kind: usize, blk_mq: bool) {
        if self.waiting().any(|t| t == task) {
            return;
        }
        self.queues[if blk_mq { 0 } else { kind }].push(task);
    }

    /// Removes a task that no longer waits (`finish_wait`).
    pub(super) fn leave(&mut self, task: TaskIndex) {
        for queue in &mut self.queues {
            queue.retain(|&t| t != task);
        }
    }

    /// Starts a batch for a task that is not in one (`ioc_set_batching`).
    pub(super) fn set_batching(&mut self, task: TaskIndex, jiffies: u64, hz: u64) {
        if self.is_batching(task, jiffies, hz) {
            return;
        }
        self.batchers.retain(|b| b.task != task);
        self.batchers.push(Batcher {
            task,
            left: BATCH,
            since: jiffies,
        });
    }

    /// Is a task in a batch? It may always submit at least one request, however late
    /// (`ioc_batching`).
    fn is_batching(&self, task: TaskIndex, jiffies: u64, hz: u64) -> bool {
        let of = self.batchers.iter().find(|b| b.task == task);
        of.is_some_and(|b| {
            b.left == BATCH || (b.left > 0 && jiffies < b.since + hz / BATCHES_PER_S)
        })
    }

    /// May a task have a slot when `count` requests of the kind exist (`get_request`, before blk-mq)?
    fn may_get(&self, kind: usize, count: u32, task: TaskIndex, jiffies: u64, hz: u64) -> bool {
        let would_fill = count + 1 >= NR_REQUESTS;
        let refused = would_fill && self.full[kind] && !self.is_batching(task, jiffies, hz);
        !refused && count < MOST
    }

    /// Takes a slot. The task that takes the last one starts a batch.
    pub(super) fn get(&mut self, kind: usize, count: u32, task: TaskIndex, jiffies: u64, hz: u64) {
        if count + 1 >= NR_REQUESTS && !self.full[kind] {
            self.set_batching(task, jiffies, hz);
            self.full[kind] = true;
        }
        if self.is_batching(task, jiffies, hz)
            && let Some(b) = self.batchers.iter_mut().find(|b| b.task == task)
        {
            b.left -= 1;
        }
        let lasts = |b: &Batcher| jiffies < b.since + hz / BATCHES_PER_S;
        let is_on = |b: &Batcher| b.left == BATCH || (b.left > 0 && lasts(b));
        self.batchers.retain(is_on);
    }

    /// Gives a slot back; `count` slots are still taken (`__freed_request`). Returns the first
    /// waiting task, which must be woken.
    pub(super) fn put(&mut self, kind: usize, count: u32) -> Option<TaskIndex> {
        if count + 1 > NR_REQUESTS {
            return None;
        }
        self.full[kind] = false;
        let queue = &mut self.queues[kind];
        (!queue.is_empty()).then(|| queue.remove(0))
    }

    /// Gives a tag back. Returns the first waiting task, which must be woken.
    pub(super) fn put_tag(&mut self) -> Option<TaskIndex> {
        let queue = &mut self.queues[0];
        (!queue.is_empty()).then(|| queue.remove(0))
    }
}

/// May the running task take another slot (`get_request`, before blk-mq)?
pub(super) fn may_get(w: &World, device: u8, kind: usize) -> bool {
    let d = &w.block.devices[usize::from(device)];
    let (jiffies, hz) = (w.jiffies(), u64::from(w.facts.hz));
    d.slots.may_get(kind, d.count[kind], w.task, jiffies, hz)
}

#[cfg(test)]
impl Slots {
    /// Adds an entry to lists that are usually empty, so that tests can change them.
    pub(crate) fn fill(&mut self) {
        for queue in &mut self.queues {
            queue.push(TaskIndex::new(0));
        }
        self.set_batching(TaskIndex::new(0), 0, 250);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HZ: u64 = 250;

    /// Takes slots for a task while there are any; returns the number taken.
    fn take(p: &mut Slots, count: &mut u32, task: TaskIndex, at: u64) -> u32 {
        let before = *count;
        while p.may_get(0, *count, task, at, HZ) {
            p.get(0, *count, task, at, HZ);
            *count += 1;
        }
        *count - before
    }

    /// A batch has 32 requests or lasts 20 ms.
    #[test]
    fn a_task_that_fills_the_queue_may_submit_a_batch_while_others_wait() {
        let (mut p, mut count) = (Slots::default(), 0);
        // The 128th request is the first of the batch.
        assert_eq!(take(&mut p, &mut count, TaskIndex::new(1), 0), 127 + 32);
        assert!(!p.may_get(0, count, TaskIndex::new(2), 0, HZ));
        // The other kind has its own slots.
        assert!(p.may_get(1, 0, TaskIndex::new(2), 0, HZ));
        let (mut p, mut count) = (Slots::default(), 127);
        p.get(0, count, TaskIndex::new(1), 10, HZ);
        count += 1;
        assert!(p.may_get(0, count, TaskIndex::new(1), 14, HZ));
        assert!(
            !p.may_get(0, count, TaskIndex::new(1), 15, HZ),
            "20 ms are 5 jiffies"
        );
    }

    /// This holds however late the woken task runs, and even if another task was faster.
    #[test]
    fn gives_a_woken_task_at_least_one_slot() {
        let (mut p, mut count) = (Slots::default(), 127);
        p.get(0, count, TaskIndex::new(1), 0, HZ);
        count += 1;
        for task in [2, 3] {
            assert!(!p.may_get(0, count, TaskIndex::new(task), 0, HZ));
            p.wait(TaskIndex::new(task), 0, false);
        }
        count -= 1;
        assert_eq!(p.put(0, count), Some(TaskIndex::new(2)));
        // Another task takes a slot first.
        assert!(p.may_get(0, count, TaskIndex::new(4), 0, HZ));
        p.get(0, count, TaskIndex::new(4), 0, HZ);
        count += 1;
        p.set_batching(TaskIndex::new(2), 0, HZ);
        assert!(p.may_get(0, count, TaskIndex::new(2), 1000, HZ));
        p.get(0, count, TaskIndex::new(2), 1000, HZ);
        assert!(
            !p.may_get(0, count + 1, TaskIndex::new(2), 1000, HZ),
            "late: just one"
        );
        assert_eq!(p.waiting().collect::<Vec<_>>(), [TaskIndex::new(3)]);
        // No task is woken while more than 127 slots are taken.
        assert_eq!(p.put(0, 128), None);
        assert_eq!(p.put(0, 127), Some(TaskIndex::new(3)));
    }

    #[test]
    fn limits_a_queue_to_192_requests_even_with_batches() {
        let (mut p, mut count) = (Slots::default(), 0);
        let mut takes = |task| {
            p.set_batching(task, 0, HZ);
            take(&mut p, &mut count, task, 0)
        };
        // The first batch ends before the queue is full; the next two exceed its size.
        let all = [1, 2, 3, 4, 5, 6].map(TaskIndex::new).map(&mut takes);
        assert_eq!(all.iter().sum::<u32>(), 192, "{all:?}");
        assert_eq!(all[5], 0);
    }
}
