//! The state that the threads of a process share: regions and barriers.

use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::plan::Plan;
use super::region::Region;
use super::table::Life;
use super::task::Task;

/// Bytes of a thread's stack.
const STACK: usize = 64 << 10;

/// The threads that run one program.
#[derive(Debug, Default, Clone, Copy)]
struct Team {
    alive: u32,
    waiting: u32,
    /// How often the barrier has opened.
    opened: u32,
}

#[derive(Debug, Default)]
struct Shared {
    regions: Vec<Region>,
    /// By program.
    teams: Vec<Team>,
}

/// The state of a process.
#[derive(Debug, Default)]
pub struct Process {
    shared: Mutex<Shared>,
    changed: Condvar,
}

impl Process {
    /// A process without threads.
    pub fn new(regions: u32, programs: usize) -> Process {
        Process {
            shared: Mutex::new(Shared {
                regions: vec![Region::default(); regions as usize],
                teams: vec![Team::default(); programs],
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        // A thread that panics ends the program, so that the state is never left half changed.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A region by number.
    pub fn region(&self, number: u32) -> Region {
        self.lock().regions[number as usize]
    }

    /// Replaces a region.
    pub fn set_region(&self, number: u32, region: Region) {
        self.lock().regions[number as usize] = region;
    }

    /// Starts threads.
    pub fn start_threads(
        &'static self,
        plan: &'static Plan,
        program: u32,
        count: u32,
    ) -> io::Result<()> {
        for i in 0..count {
            let Some(number) = plan.table.born(program) else {
                return Ok(());
            };
            self.lock().teams[program as usize].alive += 1;
            let body = move || {
                Task::new(plan, self, number, (i, count)).run();
                self.leave(program);
            };
            let started = std::thread::Builder::new().stack_size(STACK).spawn(body);
            if let Err(error) = started {
                plan.table.slot(number).end(Life::Killed);
                self.leave(program);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Waits until all threads that run the program have reached the barrier.
    pub fn barrier(&self, program: u32) {
        let mut shared = self.lock();
        let team = &mut shared.teams[program as usize];
        let round = team.opened;
        team.waiting += 1;
        if team.waiting >= team.alive {
            open(team);
            self.changed.notify_all();
            return;
        }
        let waits = |shared: &mut Shared| shared.teams[program as usize].opened == round;
        drop(self.changed.wait_while(shared, waits));
    }

    fn leave(&self, program: u32) {
        let mut shared = self.lock();
        let team = &mut shared.teams[program as usize];
        team.alive -= 1;
        if team.waiting > 0 && team.waiting >= team.alive {
            open(team);
        }
        self.changed.notify_all();
    }

    /// Are threads alive?
    pub fn has_threads(&self) -> bool {
        any_alive(&self.lock())
    }

    /// Waits until all threads have ended.
    pub fn join(&self) {
        let waits = |shared: &mut Shared| any_alive(shared);
        drop(self.changed.wait_while(self.lock(), waits));
    }
}

fn open(team: &mut Team) {
    team.waiting = 0;
    team.opened = team.opened.wrapping_add(1);
}

fn any_alive(shared: &Shared) -> bool {
    shared.teams.iter().any(|team| team.alive > 0)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

    use super::*;

    #[test]
    fn opens_the_barrier_when_all_tasks_have_arrived_or_exited() {
        let process = Process::new(0, 1);
        process.lock().teams[0].alive = 3;
        let passed = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for rounds in [1, 2, 2] {
                let (process, passed) = (&process, &passed);
                scope.spawn(move || {
                    for _ in 0..rounds {
                        process.barrier(0);
                        passed.fetch_add(1, SeqCst);
                    }
                    process.leave(0);
                });
            }
        });
        assert_eq!(passed.load(SeqCst), 5);
        assert!(!process.has_threads());
        process.join();
    }
}
