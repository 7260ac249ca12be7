//! The mutex of an anon_vma: its throughput, who waits, and the order of its owners.

use super::*;
use crate::rng::Rng;

/// The time that the waking task spends, and the delay until the woken task runs, ns (a server of
/// 2011).
const WAKE: u64 = 1500 + 8000;

/// The next action of a task of [`Crowd`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Release,
    Look,
    Arrive,
}

/// Tasks that take one mutex twice for each page; each task has its own CPU.
struct Crowd {
    mutex: Mutex,
    hold: u64,
    handover: u64,
    /// (when, action, task), unsorted.
    events: Vec<(u64, Next, u32)>,
    /// For each granted turn: the arrival time of its task, and the turn.
    given: Vec<(u64, Turn)>,
    /// Completed sections.
    done: u64,
    /// The time at which each task began to wait, for comparison with the counts of the mutex.
    came: Vec<u64>,
    waited: u64,
}

impl Crowd {
    fn new(tasks: u32, hold: u64, handover: u64) -> Self {
        Self {
            mutex: Mutex::default(),
            hold,
            handover,
            events: (0..tasks).map(|task| (0, Next::Arrive, task)).collect(),
            given: Vec::new(),
            done: 0,
            came: vec![0; tasks as usize],
            waited: 0,
        }
    }

    /// Records the granted turn and schedules its end.
    fn note(&mut self, task: TaskIndex) {
        let came = self.came[task.index()];
        let turn = *self.mutex.turns.last().expect("a turn");
        assert_eq!(turn.task, task);
        self.waited += turn.from - came;
        self.given.push((came, turn));
        self.events.push((turn.until, Next::Release, task.get()));
    }

    /// Runs until `end`; each task works for `work(task)` between two sections.
    fn run(&mut self, end: u64, mut work: impl FnMut(u32) -> u64) {
        while let Some(&first) = self.events.iter().min().filter(|first| first.0 < end) {
            self.events.retain(|&event| event != first);
            let (now, next, task) = first;
            match next {
                Next::Arrive => {
                    self.came[task as usize] = now;
                    match self
                        .mutex
                        .arrive(TaskIndex::new(task), now, self.hold, self.handover)
                    {
                        Arrival::Free | Arrival::Spins { .. } => self.note(TaskIndex::new(task)),
                        Arrival::Beaten { until, .. } => {
                            self.events.push((until, Next::Look, task));
                        }
                    }
                }
                Next::Look => {
                    if self
                        .mutex
                        .look(TaskIndex::new(task), now, self.hold)
                        .is_some()
                    {
                        self.note(TaskIndex::new(task));
                    }
                }
                Next::Release => {
                    self.done += 1;
                    if let Some(woken) = self.mutex.release(TaskIndex::new(task)) {
                        self.events.push((now + WAKE, Next::Look, woken.get()));
                    }
                    self.events.push((now + work(task), Next::Arrive, task));
                }
            }
            assert!(self.mutex.is_sound(), "{:?}", self.mutex);
        }
    }

    /// Pages per second at this rate; each page takes two sections.
    fn pages(&self, ns: u64) -> u64 {
        self.done * 1_000_000_000 / ns / 2
    }
}

/// MiB of this many 4 KiB pages, in hundredths, rounded down.
const fn mib_100(pages: u64) -> u64 {
    pages * 100 / 256
}

/// The throughput of one mutex, in pages per second and hundredths of a MiB. It does not grow with
/// the number of tasks.
#[test]
fn a_mutex_limits_migration_to_one_page_per_two_hold_times() {
    for (hold, pages, mib) in [
        (2500, 200_000, 78_125),
        (1000, 500_000, 195_312),
        (5000, 100_000, 39_062),
    ] {
        let ns = 10_000_000;
        for tasks in [2, 3, 8] {
            let mut crowd = Crowd::new(tasks, hold, 0);
            // One hold time more, because the last release comes at the end.
            crowd.run(ns + 1, |_| 0);
            let found = crowd.pages(ns);
            assert_eq!(
                (found, mib_100(found)),
                (pages, mib),
                "{hold} ns, {tasks} tasks"
            );
        }
    }
}

/// An unconverged scan of v18 needs 6.55 times the possible throughput.
#[test]
fn tasks_queue_when_a_large_scan_moves_small_pages() {
    let demand = 512 * 256 * 10;
    let ns = 10_000_000;
    let mut crowd = Crowd::new(8, 2500, 0);
    crowd.run(ns + 1, |_| 0);
    assert_eq!(demand, 1_310_720);
    assert_eq!(demand * 100 / crowd.pages(ns), 655);
    // Two tasks spin for each other without a break, so the others keep sleeping.
    assert_eq!(crowd.mutex.sleepers.len(), 6);
}

/// Moving the same memory in huge pages needs a 512th of the sections, 1.3 % of the time.
#[test]
fn tasks_do_not_queue_when_a_large_scan_moves_huge_pages() {
    for window_mib in [32, 256, 512] {
        let (small, huge) = (window_mib * 256, window_mib / 2);
        assert_eq!(small, 512 * huge);
    }
    // 320 pages per second for each of eight tasks, which copy for 500 us in between.
    let mut crowd = Crowd::new(8, 2500, 0);
    let mut rng = Rng::stream(5, 0);
    crowd.run(1_000_000_000, |_| 1_557_000 + u64::from(rng.below(6000)));
    let pages = crowd.done / 2;
    assert!((2540..=2580).contains(&pages), "{pages}");
    let busy = crowd.mutex.counts.held_ns * 1000 / 1_000_000_000;
    assert_eq!(busy, 12, "1.28 %, in thousandths");
}

/// B spins for the owner, C for B. D, woken when the owner releases the mutex, finds it free when D
/// runs.
#[test]
fn a_spinning_task_gets_the_mutex_before_a_woken_one() {
    let [owner, b, c, d] = [0, 1, 2, 3];
    let mut mutex = Mutex::default();
    assert_eq!(
        mutex.arrive(TaskIndex::new(owner), 0, 1000, 100),
        Arrival::Free
    );
    mutex.sleepers.push(Sleeper {
        task: TaskIndex::new(d),
        since: 0,
        woken: false,
    });
    let spins = |owner, from| Arrival::Spins { owner, from };
    assert_eq!(
        mutex.arrive(TaskIndex::new(b), 400, 1000, 100),
        spins(TaskIndex::new(owner), 1100)
    );
    assert_eq!(
        mutex.release(TaskIndex::new(owner)),
        Some(TaskIndex::new(d)),
        "at 1,000"
    );
    assert_eq!(
        mutex.arrive(TaskIndex::new(c), 1000, 1000, 100),
        spins(TaskIndex::new(b), 2200)
    );
    assert_eq!(mutex.release(TaskIndex::new(b)), None, "D is awake");
    assert_eq!(mutex.release(TaskIndex::new(c)), None);
    assert_eq!(mutex.look(TaskIndex::new(d), 9000, 1000), Some(9000));
    let turns: Vec<u64> = mutex.turns.iter().map(|turn| turn.from).collect();
    assert_eq!(turns, [9000]);
    let counts = mutex.counts;
    assert_eq!((counts.spun_ns, counts.slept_ns), (700 + 1200, 9000));
}

/// The third task sees the second one take the mutex, and sleeps; it is woken later.
#[test]
fn the_third_task_sleeps_until_the_second_releases_the_mutex() {
    let mut mutex = Mutex::default();
    assert_eq!(mutex.arrive(TaskIndex::new(0), 0, 1000, 100), Arrival::Free);
    mutex.arrive(TaskIndex::new(1), 300, 1000, 100);
    let beaten = Arrival::Beaten {
        owner: TaskIndex::new(0),
        next: TaskIndex::new(1),
        until: 1000,
    };
    assert_eq!(mutex.arrive(TaskIndex::new(2), 500, 1000, 100), beaten);
    assert_eq!(
        mutex.release(TaskIndex::new(0)),
        None,
        "the queue is still empty"
    );
    assert_eq!(mutex.look(TaskIndex::new(2), 1000, 1000), None);
    assert!(mutex.has_waker(TaskIndex::new(2)) && mutex.is_sound());
    assert_eq!(mutex.release(TaskIndex::new(1)), Some(TaskIndex::new(2)));
    assert!(mutex.is_sound(), "the woken task is awake");
    assert_eq!(mutex.look(TaskIndex::new(2), 11_600, 1000), Some(10_600));
    assert_eq!(mutex.release(TaskIndex::new(2)), None);
    assert!(mutex.is_at_rest(), "it has no owner and no waiters");
}

/// A task that is woken too late finds the mutex taken, and stays first in the queue.
#[test]
fn a_task_woken_too_late_keeps_its_place_in_the_queue() {
    let mut mutex = Mutex::default();
    mutex.arrive(TaskIndex::new(0), 0, 1000, 100);
    for task in [1, 2] {
        assert_eq!(mutex.look(TaskIndex::new(task), 10, 1000), None);
    }
    assert_eq!(mutex.release(TaskIndex::new(0)), Some(TaskIndex::new(1)));
    assert!(
        mutex.has_waker(TaskIndex::new(2)),
        "the first task will wake the second"
    );
    assert_eq!(
        mutex.arrive(TaskIndex::new(3), 5000, 1000, 100),
        Arrival::Free
    );
    assert_eq!(mutex.look(TaskIndex::new(1), 5500, 1000), None);
    assert_eq!(mutex.release(TaskIndex::new(3)), Some(TaskIndex::new(1)));
    assert_eq!(mutex.look(TaskIndex::new(1), 7000, 1000), Some(6990));
    assert_eq!(mutex.sleepers.len(), 1);
}

/// Invariants 1 to 4 of a lock, with random groups of tasks: sections do not overlap; tasks that do
/// not sleep get their turn in the order of arrival; the mutex counts waits and holds correctly; a
/// single task never waits.
#[test]
fn random_groups_of_tasks_preserve_the_invariants() {
    for seed in 0..60 {
        let mut rng = Rng::stream(seed, 0);
        let tasks = 1 + rng.below(12);
        let (hold, handover) = (200 + u64::from(rng.below(3000)), u64::from(rng.below(300)));
        let busy = 1 + rng.below(40_000);
        let mut crowd = Crowd::new(tasks, hold, handover);
        crowd.run(3_000_000, |_| u64::from(rng.below(busy)));
        let given = &crowd.given;
        assert!(given.len() > 50, "{}", given.len());
        for pair in given.windows(2) {
            let [(_, one), (_, next)] = pair else {
                unreachable!("windows of two")
            };
            assert!(one.until <= next.from, "seed {seed}: {one:?} {next:?}");
        }
        let at_once = |&&(came, turn): &&(u64, Turn)| turn.from - came <= hold + handover;
        let came: Vec<u64> = given
            .iter()
            .filter(at_once)
            .map(|&(came, _)| came)
            .collect();
        assert!(came.is_sorted(), "seed {seed}");
        let counts = crowd.mutex.counts;
        assert_eq!(counts.held_ns, hold * counts.taken);
        assert_eq!(counts.taken, given.len() as u64);
        // Some tasks are still waiting.
        assert!(
            crowd.waited <= counts.spun_ns + counts.slept_ns,
            "seed {seed}"
        );
        if tasks == 1 {
            assert_eq!((counts.waits, crowd.waited), (0, 0));
        }
    }
}
