//! The texts of a capture: what the tasks did (`ops.csv`, `tasks.log`, `workload.log`, `reached.csv`), the guest
//! (`guest.txt`), the shape of the machine (`shape.json`), reports of the OOM killer.

use std::collections::BTreeMap;
use std::fmt::Write;

use facts::experiment::Experiment;
use facts::workload::{Op, Pattern};
use serde_json::{Map, Value, json};

use super::control;
use super::plan::Plan;
use super::sample::Seconds;
use super::sys;
use super::table::{Entry, Kind, Life, Slot};

const MIB: u64 = 1 << 20;

/// Messages about what failed: on the console at once, and in `tasks.log`.
#[derive(Debug, Default)]
pub struct Messages {
    lines: Vec<(u64, String)>,
}

impl Messages {
    /// Prints a message and stores it for the capture.
    pub fn say(&mut self, message: &str) {
        eprintln!("mmscope: {message}");
        self.lines.push((sys::now(), message.to_string()));
    }

    /// Reports an attempt that failed.
    pub fn check<T>(&mut self, what: &str, result: std::io::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.say(&format!("{what}: {error}"));
                None
            }
        }
    }
}

/// The texts about the tasks.
#[derive(Debug, Default)]
pub struct Logs {
    /// `ops.csv`.
    pub operations: String,
    /// `tasks.log`.
    pub tasks: String,
    /// `workload.log`.
    pub workload: String,
    /// `reached.csv`: the positions of the tasks that were alive at the end of the run.
    pub reached: String,
}

/// The texts about tasks, from the journal. The workload ended, or was ended, at `end`.
pub fn logs(plan: &Plan, messages: &Messages, end: u64) -> Logs {
    let (entries, lost) = plan.table.journal();
    let mut out = Logs {
        operations: "task,pc,op,t0,t1,done\n".to_string(),
        reached: "task,pc,op,round,done\n".to_string(),
        ..Logs::default()
    };
    let mut lines: Vec<(u64, String, String)> = Vec::new();
    let name = |slot: &Slot| task_name(plan, slot);
    for entry in &entries {
        let task = name(plan.table.slot(entry.slot));
        if entry.kind == Kind::Done {
            let (t0, t1) = (exact(entry.began), exact(entry.ended));
            let op = word(&operation(plan, entry));
            let Entry { operation, a, .. } = entry;
            let _ = writeln!(out.operations, "{task},{operation},{op},{t0},{t1},{a}");
        }
        if let Some(line) = line(plan, entry) {
            lines.push((entry.ended, task, line));
        }
    }
    for slot in plan
        .table
        .tasks()
        .iter()
        .filter(|slot| slot.life() == Life::Killed)
    {
        let (pc, since, done) = slot.operation();
        let program = &plan.experiment.programs[slot.program() as usize];
        let op = program.ops.get(pc as usize).map_or("", word);
        let now = slot.ended_at().max(since);
        let took = Seconds(now - since);
        let text = format!("killed at op {pc} {op} done {done} in {took} s");
        let task = name(slot);
        if slot.ended_at() >= end {
            let round = slot.round();
            let _ = writeln!(out.reached, "{task},{pc},{op},{round},{done}");
        }
        lines.push((now, task, text));
    }
    for (at, message) in &messages.lines {
        lines.push((*at, "-".to_string(), message.clone()));
    }
    if lost > 0 {
        let text = format!("{lost} entries did not fit in the journal");
        lines.push((sys::now(), "-".to_string(), text));
    }
    lines.sort_by_key(|(at, ..)| *at);
    let mut by_task: BTreeMap<&str, String> = BTreeMap::new();
    for (at, task, line) in &lines {
        let _ = writeln!(out.tasks, "{task}\t{} {line}", Seconds(*at));
        if task != "-" {
            let _ = writeln!(by_task.entry(task).or_default(), "{} {line}", Seconds(*at));
        }
    }
    out.workload = by_task.into_values().collect();
    out
}

/// Name of a task: "hog/1".
pub fn task_name(plan: &Plan, slot: &Slot) -> String {
    let program = &plan.experiment.programs[slot.program() as usize];
    format!("{}/{}", program.name, slot.instance())
}

fn operation(plan: &Plan, entry: &Entry) -> Op {
    let program = plan.table.slot(entry.slot).program();
    plan.experiment.programs[program as usize].ops[entry.operation as usize]
}

/// The line of the log about an entry, if it has one.
fn line(plan: &Plan, entry: &Entry) -> Option<String> {
    let program = &plan.experiment.programs[plan.table.slot(entry.slot).program() as usize];
    let op = program.ops.get(entry.operation as usize)?;
    let Entry { a, b, .. } = entry;
    let took = Seconds(entry.ended - entry.began);
    Some(match (entry.kind, op) {
        (Kind::Failed, op) => {
            let error = std::io::Error::from_raw_os_error(*a as i32);
            format!("failed at op {} {}: {error}", entry.operation, word(op))
        }
        (Kind::NoCgroup, _) => {
            let error = std::io::Error::from_raw_os_error(*a as i32);
            format!("failed to enter its cgroup: {error}")
        }
        (Kind::Mark, _) => format!("mark {}", program.marks[*a as usize]),
        (Kind::Writing, op) => {
            let (mib, kib) = (a / MIB, chunk(op) / 2);
            let longest = *b as f64 / 1e9;
            format!("written {mib} MB max write({kib}K) {longest:.4} s")
        }
        (
            Kind::Done,
            Op::Touch {
                pattern: Pattern::Sequential,
                ..
            },
        ) => {
            format!("{} pass {b} touched {a} pages in {took} s", program.name)
        }
        (Kind::Done, Op::Transfer { write, .. }) => {
            let verb = if *write { "wrote" } else { "read" };
            let file = file_name(&plan.experiment, *b as u32);
            format!("{verb} disk:{file} {} MB in {took} s", a / MIB)
        }
        (Kind::Done, Op::DontNeed { .. }) => {
            format!("{} held {b} freed {a}", program.name)
        }
        (Kind::Done, Op::Alloc { .. }) => {
            let (from, to) = (Seconds(entry.began), Seconds(entry.ended));
            format!("nr_hugepages wanted {b} got {a} from {from} to {to}")
        }
        (Kind::Done, Op::Create { .. }) => format!("created {a}"),
        _ => return None,
    })
}

fn chunk(op: &Op) -> u32 {
    match op {
        Op::Transfer { chunk, .. } | Op::Copy { chunk, .. } | Op::Create { chunk, .. } => *chunk,
        _ => 0,
    }
}

/// The name that the workload gives a file.
fn file_name(experiment: &Experiment, number: u32) -> &str {
    let mut after = 0;
    let sets = &experiment.workload.files;
    let found = sets.iter().find(|set| {
        after += set.count;
        number < after
    });
    found.map_or("", |set| &set.name)
}

/// An operation's name in the workload language.
fn word(op: &Op) -> &'static str {
    match op {
        Op::Map { .. } => "map",
        Op::Touch { .. } => "touch",
        Op::Access { .. } => "access",
        Op::Lock { .. } => "lock",
        Op::Transfer { write: false, .. } => "read",
        Op::Transfer { write: true, .. } => "write",
        Op::Copy { .. } => "copy",
        Op::Fsync { .. } => "fsync",
        Op::Unlink { .. } => "unlink",
        Op::Create { .. } => "create",
        Op::Stat { .. } => "stat",
        Op::DropCaches { .. } => "drop_caches",
        Op::CompactMemory => "compact_memory",
        Op::Set { .. } => "set",
        Op::Free { .. } => "free",
        Op::DontNeed { .. } => "dontneed",
        Op::Alloc { .. } => "alloc",
        Op::Release { .. } => "release",
        Op::Spawn { .. } => "spawn",
        Op::Threads { .. } => "threads",
        Op::Barrier => "barrier",
        Op::Join => "join",
        Op::Wait { .. } => "wait",
        Op::Kill { .. } => "kill",
        Op::Mark { .. } => "mark",
        Op::Sample { .. } | Op::Took { .. } => "sample",
        Op::Stop => "stop",
        Op::Bind { .. } => "bind",
        Op::Affinity { .. } => "affinity",
        Op::Policy(_) => "mempolicy",
        Op::Think { .. } | Op::ThinkLike { .. } => "think",
        Op::Compute { .. } => "compute",
        Op::Loop { .. } | Op::EndLoop { .. } => "repeat",
        Op::Exit => "exit",
    }
}

/// Seconds with six digits.
fn exact(ns: u64) -> String {
    format!("{}.{:06}", ns / 1_000_000_000, ns / 1000 % 1_000_000)
}

fn seconds(ns: u64) -> Value {
    let us = ns / 1000;
    json!(us as f64 / 1e6)
}

/// The kernel's release with the version of its package: "6.1.0-50-amd64 (Debian 6.1.176-1)".
fn kernel_name(release: &str, version: &str) -> String {
    let words: Vec<&str> = version.split_whitespace().collect();
    let place = words.iter().position(|word| *word == "Debian");
    match place.and_then(|place| words.get(place + 1)) {
        Some(package) => format!("{release} (Debian {package})"),
        None => release.to_string(),
    }
}

/// The guest and its swap space.
pub fn guest(plan: &Plan, (began, ended): (u64, u64), notes: &[String]) -> String {
    let release = control::read("/proc/sys/kernel/osrelease");
    let version = control::read("/proc/sys/kernel/version");
    let swaps = control::read("/proc/swaps");
    let mut out = format!(
        "{} {}\n{swaps}{}\n{}\nworkload {} {}\npage {}\n",
        release.trim(),
        std::env::consts::ARCH,
        plan.cpus.len(),
        version.trim(),
        exact(began),
        exact(ended),
        plan.page_bytes
    );
    for note in notes {
        let _ = writeln!(out, "{note}");
    }
    out
}

/// The shape that the host provided, with additions that only the guest knows.
pub fn shape(
    given: &Map<String, Value>,
    plan: &Plan,
    (began, ended): (u64, u64),
    span: Option<&(String, String)>,
) -> Value {
    let release = control::read("/proc/sys/kernel/osrelease");
    let version = control::read("/proc/sys/kernel/version");
    let raw = &plan.experiment.raw;
    let mut shape = given.clone();
    let mut add = |name: &str, value: Value| {
        shape.entry(name).or_insert(value);
    };
    let id = plan
        .experiment
        .workload
        .id
        .replace(char::is_whitespace, "-");
    add("name", json!(id));
    add("arch", json!(std::env::consts::ARCH));
    add("kernel", json!(kernel_name(release.trim(), &version)));
    add("page_size", json!(plan.page_bytes));
    add("vcpus", json!(plan.cpus.len()));
    add("workload_parameters", json!(format!("wl={id}")));
    add("seed", json!(plan.experiment.seed));
    add("length", json!(raw.length));
    add("tunables", json!(raw.tunables));
    add("interventions", json!(raw.interventions));
    let memory = json!({"own_pages": guest::OWN_PAGES, "buffer_bytes": guest::BUFFER});
    add("guest_memory", memory);
    let number = |text: &String| text.parse::<f64>().unwrap_or(0.0);
    let (first, last) = match span {
        Some((first, last)) => (json!(number(first)), json!(number(last))),
        None => (seconds(began), seconds(ended)),
    };
    add("span", json!([first, last]));
    add("workload_s", json!([seconds(began), seconds(ended)]));
    Value::Object(shape)
}

/// The reports of the OOM killer in the kernel's log from this time on, ns.
pub fn oom_reports(log: &str, from: u64) -> String {
    let mut out = String::new();
    let mut inside = false;
    // The clock of the log is not exactly the monotonic one.
    let from = (from as f64 / 1e9 - 1.0).max(0.0);
    for line in log.lines() {
        // "<4>[   19.668162] text": the level is not part of the text.
        let text =
            line.split_once('>').map_or(
                line,
                |(level, rest)| {
                    if level.starts_with('<') { rest } else { line }
                },
            );
        let time = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let time = time.and_then(|(time, _)| time.trim().parse::<f64>().ok());
        if time.is_some_and(|time| time < from) {
            continue;
        }
        inside |= text.contains("invoked oom-killer");
        if inside || text.contains("oom_reaper: reaped process") {
            let _ = writeln!(out, "{text}");
        }
        inside &= !text.contains("Killed process");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_kernel_with_its_package() {
        let version = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.176-1 (2026-07-02)";
        let name = kernel_name("6.1.0-50-amd64", version);
        assert_eq!(name, "6.1.0-50-amd64 (Debian 6.1.176-1)");
        assert_eq!(kernel_name("6.9", "#1 SMP"), "6.9");
    }

    #[test]
    fn extracts_the_reports_of_the_oom_killer_from_the_log() {
        let log = "<6>[ 1.0] boot\n<4>[ 2.0] hog/1 invoked oom-killer: gfp_mask=0x1\n<4>[ 2.1] Mem-Info:\n<3>[ 2.2] Out of memory: Killed process 9 (hog/1) x\n<6>[ 2.3] other\n<6>[ 2.4] oom_reaper: reaped process 9 (hog/1)\n";
        let report = oom_reports(log, 0);
        let lines: Vec<&str> = report.lines().collect();
        assert_eq!(lines.len(), 4, "{report}");
        assert_eq!(lines[0], "[ 2.0] hog/1 invoked oom-killer: gfp_mask=0x1");
        assert_eq!(oom_reports(log, 9_000_000_000), "", "an earlier report");
        assert_eq!(oom_reports("<6>[ 1.0] boot\n", 0), "");
    }

    #[test]
    fn prints_times_with_six_digits() {
        assert_eq!(exact(6_196_904_999), "6.196904");
        assert_eq!(exact(5), "0.000000");
    }
}
