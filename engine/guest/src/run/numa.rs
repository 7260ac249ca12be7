//! Records where tasks and their pages are under NUMA balancing, at equal intervals (`numa.csv`), and the
//! kernel's own files about it just before the end (`numa-end.txt`).

use std::fmt::Write;

use super::control::read;
use super::plan::Plan;
use super::report::task_name;
use super::sample::Seconds;
use super::table::{Life, Slot};

/// Lines of /proc/PID/task/TID/sched in the order of the columns.
const OF_SCHED: [&str; 4] = [
    "mm->numa_scan_seq",
    "numa_preferred_nid",
    "numa_pages_migrated",
    "total_numa_faults",
];
/// Position of the CPU in /proc/PID/stat, counted after the name.
const CPU: usize = 36;

/// Takes rows, if the machine has several nodes and NUMA balancing is on.
pub struct Balancing {
    nodes: usize,
    /// The rows so far; empty if nothing is recorded.
    pub rows: String,
}

impl Balancing {
    /// A recorder with memory for this number of bytes.
    pub fn new(nodes: usize, capacity: usize) -> Balancing {
        let on = read("/proc/sys/kernel/numa_balancing");
        let is_on = nodes > 1 && !["", "0"].contains(&on.trim());
        let mut rows = String::new();
        if is_on {
            rows = super::sample::touched(capacity);
            rows.push_str("mono_s,pid,tid,task,cpu,pc,pass,scan_seq,preferred_nid,pages_migrated,total_faults");
            for node in 0..nodes {
                let _ = write!(rows, ",pages_n{node}");
            }
            rows.push('\n');
        }
        Balancing { nodes, rows }
    }

    /// Adds a row for each living task.
    pub fn take(&mut self, plan: &Plan, now: u64) {
        if self.rows.is_empty() {
            return;
        }
        for slot in living(plan) {
            let (pid, thread) = (slot.pid(), slot.thread());
            let of_thread = |name: &str| read(&format!("/proc/{pid}/task/{thread}/{name}"));
            let (stat, sched) = (of_thread("stat"), of_thread("sched"));
            let Some(cpu) = cpu(&stat) else { continue };
            let (pc, ..) = slot.operation();
            let (name, pass) = (task_name(plan, slot), slot.round());
            let _ = write!(
                self.rows,
                "{},{pid},{thread},{name},{cpu},{pc},{pass}",
                Seconds(now)
            );
            for line in OF_SCHED {
                let _ = write!(self.rows, ",{}", value(&sched, line));
            }
            for pages in pages(&read(&format!("/proc/{pid}/numa_maps")), self.nodes) {
                let _ = write!(self.rows, ",{pages}");
            }
            self.rows.push('\n');
        }
    }

    /// The kernel's files about the living tasks.
    pub fn end(&self, plan: &Plan, now: u64) -> String {
        let mut out = String::new();
        if self.rows.is_empty() {
            return out;
        }
        for slot in living(plan) {
            let (pid, thread, at) = (slot.pid(), slot.thread(), Seconds(now));
            let name = task_name(plan, slot);
            if pid == thread {
                let maps = read(&format!("/proc/{pid}/numa_maps"));
                let _ = write!(out, "=== {at} {name} pid {pid} numa_maps\n{maps}");
            }
            let sched = read(&format!("/proc/{pid}/task/{thread}/sched"));
            let _ = writeln!(out, "=== {at} {name} tid {thread} sched");
            for line in sched
                .lines()
                .filter(|line| ["numa", "node", "se."].iter().any(|w| line.contains(w)))
            {
                let _ = writeln!(out, "{line}");
            }
        }
        out
    }
}

fn living(plan: &Plan) -> impl Iterator<Item = &'static Slot> {
    let tasks = plan.table.tasks().iter();
    tasks.filter(|slot| slot.life() == Life::Alive)
}

/// The CPU on which a thread ran last. The name of the thread may contain spaces.
fn cpu(stat: &str) -> Option<u32> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(CPU)?.parse().ok()
}

/// A number of /proc/PID/sched: "name   :   number"; 0 if this kernel does not print it.
fn value(sched: &str, name: &str) -> i64 {
    let found = sched.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        (found.trim() == name).then(|| value.trim().parse().ok())?
    });
    found.unwrap_or(0)
}

/// Pages of a process on each node.
fn pages(numa_maps: &str, nodes: usize) -> Vec<u64> {
    let mut out = vec![0; nodes];
    for word in numa_maps.split_whitespace() {
        let found = word.strip_prefix('N').and_then(|rest| rest.split_once('='));
        if let Some((node, count)) = found
            && let (Ok(node), Ok(count)) = (node.parse::<usize>(), count.parse::<u64>())
            && let Some(sum) = out.get_mut(node)
        {
            *sum += count;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_pages_by_node() {
        let maps = "00401000 default file=/init dirty=21 mapmax=3 N1=21 kernelpagesize_kB=4\n7fa658961000 default anon=25600 dirty=25600 N0=25000 N1=600 kernelpagesize_kB=4\n";
        assert_eq!(pages(maps, 2), [25_000, 621]);
    }

    #[test]
    fn reads_the_state_of_numa_balancing() {
        let sched = "numa01/1 (109, #threads: 3)\nmm->numa_scan_seq       :        10\nnuma_preferred_nid      :        -1\n";
        let values = OF_SCHED.map(|name| value(sched, name));
        assert_eq!(values, [10, -1, 0, 0]);
    }

    #[test]
    fn reads_the_cpu_of_this_process() {
        let stat = read("/proc/self/stat");
        let highest = *super::super::plan::node_cpus().1.last().expect("a CPU");
        assert!(cpu(&stat).expect("a CPU") <= highest.get().into(), "{stat}");
        assert_eq!(cpu("1 (a) b) S 1"), None);
    }
}
