//! The queue from which a CPU takes tasks, and how much load (kernel/sched/fair.c:
//! `find_busiest_group`, `calculate_imbalance`, `find_busiest_queue`; 3.7).
//!
//! Modelled: group loads relative to power, groups with more tasks than CPUs or with uneven queues,
//! spreading over nodes while there is room here (`prefer_sibling`), the tests of newly idle, idle
//! and busy CPUs, the imbalance, queues whose tasks may not run here.
//! Left out: asymmetric packing, the gain in power by which `fix_small_imbalance` moves a task
//! between groups of unequal size, CPUs that serve real-time tasks.
//! Visible difference: between nodes with unequal numbers of CPUs, a task may stay that the kernel
//! moves.
//! Invariants: the search changes nothing. Of equals the lower id wins; the kernel begins with the
//! group after its own.

use super::Idle;
use crate::sched::Sched;
use crate::sched::domains::Domain;
use crate::sched::load::TASK_LOAD;
use facts::index::{CpuIndex, TaskIndex};

/// A search at one level of a CPU.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// The queues.
    pub sched: &'a Sched,
    /// Returns whether a task may run on a CPU.
    pub allowed: &'a dyn Fn(TaskIndex, CpuIndex) -> bool,
    /// The level that is searched.
    pub domain: &'a Domain,
    /// True if the level below spreads tasks (`prefer_sibling`).
    pub spreads: bool,
    /// True if a group gives tasks only if it has more tasks than CPUs (numa/core, between nodes).
    pub only_overfull: bool,
    /// Returns whether a queue of a group is skipped, whatever its load.
    pub passes_over: &'a dyn Fn(&[CpuIndex], CpuIndex) -> bool,
    /// The CPU that searches for tasks.
    pub cpu: CpuIndex,
    /// Why the CPU searches.
    pub idle: Idle,
}

/// Load statistics of a group (`struct sg_lb_stats`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Load relative to power.
    pub load: u64,
    /// Number of CPUs in the group.
    pub cpus: u64,
    /// Number of tasks that run or wait.
    pub tasks: u64,
    /// Number of CPUs without tasks.
    pub idle_cpus: u64,
    /// Number of tasks for which the group has room.
    pub capacity: u64,
    /// True if the group has fewer tasks than CPUs.
    pub has_room: bool,
    /// True if the group's queues differ by more than one task (`group_imb`).
    pub uneven: bool,
    /// Load of all CPUs, not divided by power.
    total: u64,
    /// Power of the group's CPUs.
    power: u64,
}

/// Result of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Another CPU of the group balances this level.
    NotOurs,
    /// No group has more tasks than it has room for, or uneven queues.
    Nobody {
        /// Our group.
        ours: Group,
    },
    /// The load of our group is not below both the load of the other and the average.
    LoadHere {
        /// Our group.
        ours: Group,
        /// The busiest group.
        theirs: Group,
        /// Average load.
        average: u64,
    },
    /// Our group has at most one idle CPU more than the other, and the other has no more tasks than
    /// CPUs.
    IdleThere {
        /// Our group.
        ours: Group,
        /// The busiest group.
        theirs: Group,
    },
    /// The load of the other group is too close to ours for this level.
    Within {
        /// Our group.
        ours: Group,
        /// The busiest group.
        theirs: Group,
    },
    /// Every queue there has one task, whose load is above the imbalance.
    NoQueue {
        /// Load to move.
        imbalance: u64,
    },
    /// No task of the queues there may run here.
    Pinned {
        /// The last queue that was tried.
        busiest: CpuIndex,
    },
    /// There is a queue to take from.
    Busiest(Busiest),
}

/// A queue from which tasks are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Busiest {
    /// CPU of the queue.
    pub cpu: CpuIndex,
    /// Load to move.
    pub imbalance: u64,
    /// Our group.
    pub ours: Group,
    /// The group of that CPU.
    pub theirs: Group,
    /// Average load.
    pub average: u64,
}

impl Search<'_> {
    /// Finds the queue to take from. Queues whose tasks may not run here are set aside, and the search starts
    /// again without their CPUs.
    pub fn run(&self) -> Found {
        let mut aside: Vec<CpuIndex> = Vec::new();
        loop {
            let found = self.without(&aside);
            let Found::Busiest(busiest) = found else {
                let pinned = aside.last().filter(|_| found != Found::NotOurs);
                return pinned.map_or(found, |&busiest| Found::Pinned { busiest });
            };
            if !self.is_pinned(busiest.cpu) {
                return found;
            }
            aside.push(busiest.cpu);
        }
    }

    /// Is none of a queue's tasks allowed to run here? A queue with one task is not checked.
    fn is_pinned(&self, busiest: CpuIndex) -> bool {
        let tasks = || self.sched.cpus[busiest].runnable();
        tasks().count() > 1 && !tasks().any(|task| (self.allowed)(task, self.cpu))
    }

    fn without(&self, aside: &[CpuIndex]) -> Found {
        let groups = &self.domain.groups;
        let own = groups.iter().find(|g| g.contains(&self.cpu));
        let Some(own) = own.filter(|own| self.is_ours(own)) else {
            return Found::NotOurs;
        };
        let ours = self.group(own, aside, true);
        let (mut load, mut power) = (ours.total, ours.power);
        let mut busiest: Option<(Group, &Vec<CpuIndex>)> = None;
        for cpus in groups.iter().filter(|&g| g != own) {
            let mut group = self.group(cpus, aside, false);
            (load, power) = (load + group.total, power + group.power);
            if self.spreads && ours.has_room {
                group.capacity = group.capacity.min(1);
            }
            let most = busiest.map_or(0, |(b, _)| b.load);
            let gives = !self.only_overfull || group.tasks > group.cpus;
            if gives && group.load > most && (group.tasks > group.capacity || group.uneven) {
                busiest = Some((group, cpus));
            }
        }
        let Some((theirs, cpus)) = busiest.filter(|(b, _)| b.tasks > 0) else {
            return Found::Nobody { ours };
        };
        let average = load * TASK_LOAD / power;
        if let Some(balanced) = self.balanced(ours, theirs, average) {
            return balanced;
        }
        let imbalance = imbalance(&ours, &theirs, average);
        match self.queue(cpus, aside, imbalance) {
            None => Found::NoQueue { imbalance },
            Some(cpu) => Found::Busiest(Busiest {
                cpu,
                imbalance,
                ours,
                theirs,
                average,
            }),
        }
    }

    /// Does this CPU balance for its group? The first idle CPU does, or the first CPU if none is idle. A CPU
    /// that ran out of tasks always searches for itself.
    fn is_ours(&self, own: &[CpuIndex]) -> bool {
        if self.idle == Idle::Newly {
            return true;
        }
        let idle = own.iter().find(|&&cpu| self.sched.has_no_task(cpu));
        idle.or(own.first()) == Some(&self.cpu)
    }

    /// The load of a CPU as this search counts it. A busy CPU that compares nodes takes the lower
    /// estimate for other CPUs and the higher one for its own group (`source_load`, `target_load`).
    fn load_of(&self, cpu: CpuIndex, own: bool) -> u64 {
        let now = self.sched.load(cpu);
        if self.idle != Idle::Busy || !self.domain.is_numa() {
            return now;
        }
        let slow = self.sched.slow_load(cpu);
        if own { now.max(slow) } else { now.min(slow) }
    }

    fn group(&self, cpus: &[CpuIndex], aside: &[CpuIndex], own: bool) -> Group {
        let (mut total, mut tasks, mut idle_cpus) = (0, 0, 0);
        let (mut loads, mut lengths) = ((u64::MAX, 0), (u64::MAX, 0));
        for &cpu in cpus.iter().filter(|cpu| !aside.contains(cpu)) {
            let (load, length) = (self.load_of(cpu, own), self.sched.nr_running(cpu));
            (total, tasks) = (total + load, tasks + length);
            idle_cpus += u64::from(length == 0);
            loads = (loads.0.min(load), loads.1.max(load));
            lengths = (lengths.0.min(length), lengths.1.max(length));
        }
        let share = if tasks > 0 { TASK_LOAD } else { 0 };
        let gap = |(least, most): (u64, u64)| most.saturating_sub(least);
        let n = cpus.len() as u64;
        Group {
            load: total * TASK_LOAD / (TASK_LOAD * n),
            cpus: n,
            tasks,
            idle_cpus,
            capacity: n,
            has_room: n > tasks,
            uneven: !own && gap(loads) >= share && gap(lengths) > 1,
            total,
            power: TASK_LOAD * n,
        }
    }

    /// The reason to take nothing, if there is one.
    fn balanced(&self, ours: Group, theirs: Group, average: u64) -> Option<Found> {
        if theirs.uneven || self.idle == Idle::Newly && ours.has_room && !theirs.has_room {
            return None;
        }
        if ours.load >= theirs.load || ours.load >= average {
            return Some(Found::LoadHere {
                ours,
                theirs,
                average,
            });
        }
        if self.idle == Idle::Idle {
            let few = ours.idle_cpus <= theirs.idle_cpus + 1 && theirs.tasks <= theirs.cpus;
            return few.then_some(Found::IdleThere { ours, theirs });
        }
        let pct = u64::from(self.domain.imbalance_pct);
        let within = 100 * theirs.load <= pct * ours.load;
        within.then_some(Found::Within { ours, theirs })
    }

    /// The most loaded queue of a group. A queue with a single task is skipped if its load is above the
    /// imbalance.
    fn queue(&self, group: &[CpuIndex], aside: &[CpuIndex], imbalance: u64) -> Option<CpuIndex> {
        let load = |cpu: CpuIndex| self.sched.load(cpu);
        let fits = |&cpu: &CpuIndex| {
            let alone = self.sched.nr_running(cpu) == 1 && load(cpu) > imbalance;
            load(cpu) > 0 && !alone && !aside.contains(&cpu) && !(self.passes_over)(group, cpu)
        };
        let cpus = group.iter().copied().filter(fits);
        cpus.max_by_key(|&cpu| (load(cpu), std::cmp::Reverse(cpu)))
    }
}

/// Load to move: the minimum of the other group's load above the average, its load above its
/// capacity, and our load below the average. If that is less than one task, it is one task if the
/// other group is at least a task's share ahead; else nothing.
fn imbalance(ours: &Group, theirs: &Group, average: u64) -> u64 {
    let task = if theirs.uneven {
        TASK_LOAD.min(average)
    } else {
        TASK_LOAD
    };
    if theirs.load >= average {
        let above = match theirs.uneven {
            true => u64::MAX,
            false => {
                theirs.tasks.saturating_sub(theirs.capacity) * TASK_LOAD * TASK_LOAD / theirs.power
            }
        };
        let most = (theirs.load - average).min(above);
        let lack = average.saturating_sub(ours.load) * ours.power;
        let amount = (most * theirs.power).min(lack) / TASK_LOAD;
        if amount >= task {
            return amount;
        }
    }
    let share = task * TASK_LOAD / theirs.power;
    // The kernel needs only one share if the busiest group has heavier tasks; here all tasks are
    // equal.
    let is_worth = theirs.load + share >= ours.load + 2 * share;
    if is_worth { task } else { 0 }
}

#[cfg(test)]
mod tests;
