//! Reads the task table, the killed process, and the memory use of a memory cgroup.

use crate::report::pairs::{after, leading, read};
use crate::report::{At, GroupUse, Killed, Report, TaskRow, Values};

/// The maximum number of tasks in a report.
const MAX_TASKS: usize = 200_000;

/// The names of the columns of a task table, from its header.
pub fn columns(row: &str) -> Option<Vec<String>> {
    let inner = row.strip_prefix('[')?;
    let (pid, rest) = inner.split_once(']')?;
    if pid.trim() != "pid" {
        return None;
    }
    let names = rest.split_whitespace().map(str::to_string);
    Some(names.collect())
}

/// Reads a row of the table. False if it is another row.
pub fn task(report: &mut Report, columns: &[String], row: &str, line: usize) -> bool {
    let parsed = || {
        let (pid, rest) = row.strip_prefix('[')?.split_once(']')?;
        let pid = pid.trim().parse().ok()?;
        let mut rest = rest.trim_start();
        let mut values: Vec<&str> = Vec::new();
        // The name is the last column and may contain spaces.
        for _ in 1..columns.len() {
            let (word, more) = rest.split_once(' ')?;
            values.push(word);
            rest = more.trim_start();
        }
        let of = |name: &str| {
            let at = columns.iter().position(|column| column == name)?;
            values.get(at).copied()
        };
        Some(TaskRow {
            line,
            pid,
            rss: of("rss")?.parse().ok()?,
            swap: of("swapents").and_then(|v| v.parse().ok()).unwrap_or(0),
            score_adj: of("oom_score_adj")
                .and_then(|v| v.parse().ok())
                .unwrap_or(0),
            name: rest.chars().take(40).collect(),
        })
    };
    match parsed() {
        Some(found) if report.tasks.len() < MAX_TASKS => {
            report.tasks.push(found);
            true
        }
        _ => false,
    }
}

/// `Killed process 247 (wl) total-vm:162008kB, anon-rss:25880kB, ...`, alone or after a reason.
pub fn killed(report: &mut Report, row: &str, line: usize) -> Result<bool, String> {
    let Some(at) = row.find("Killed process ") else {
        return Ok(false);
    };
    let rest = &row[at + "Killed process ".len()..];
    let Some((pid, rest)) = leading(rest) else {
        return Ok(false);
    };
    // `Killed process 1 (name)`, or `Killed process 1, UID 0, (name)`.
    let open = rest.find('(').map_or(rest.len(), |open| open + 1);
    let inner = &rest[open..];
    let close = inner
        .find(") ")
        .or_else(|| inner.find(')'))
        .unwrap_or(inner.len());
    let mut killed = Killed {
        line,
        pid,
        name: inner[..close].chars().take(40).collect(),
        values: Default::default(),
    };
    let values = inner[close..].replace(',', " ");
    let values = values.trim_start_matches(')');
    read(
        values.split(" UID:").next().unwrap_or_default(),
        line,
        true,
        &mut killed.values,
    )?;
    report.killed.get_or_insert(killed);
    Ok(true)
}

/// Reads rows about a memory cgroup. False if it is another row.
pub fn group(report: &mut Report, row: &str, line: usize) -> bool {
    let group = &mut report.group;
    for (name, place) in [
        ("memory: usage ", &mut group.memory),
        ("memory+swap: usage ", &mut group.memory_swap),
        ("swap: usage ", &mut group.swap),
    ] {
        if row.starts_with(name) {
            let found = usage(row, line);
            if let Some(found) = found {
                place.get_or_insert(found);
            }
            return found.is_some();
        }
    }
    if row.starts_with("Task in ") && row.contains("killed as a result of limit of") {
        let path = row
            .rsplit(' ')
            .next()
            .filter(|path| path.starts_with('/'))
            .unwrap_or("/");
        group
            .path
            .get_or_insert((path.chars().take(200).collect(), line));
        return true;
    }
    let Some(rest) = row.strip_prefix("Memory cgroup stats for ") else {
        return false;
    };
    let (path, stats) = rest
        .split_once(": ")
        .unwrap_or((rest.trim_end_matches(':'), ""));
    if group.path.is_none() {
        group.path = Some((path.chars().take(200).collect(), line));
    }
    // `cache:0KB rss:102400KB ...`: old kernels list the memory of each cgroup below the limit.
    let mut own = Values::new();
    if read(stats, line, true, &mut own).is_ok() {
        for (name, at) in own {
            let sum = group.stats.entry(name).or_insert(At { value: 0, ..at });
            sum.value = sum.value.saturating_add(at.value);
        }
    }
    true
}

fn usage(row: &str, line: usize) -> Option<GroupUse> {
    Some(GroupUse {
        line,
        usage_kb: after(row, "usage ")?.0,
        limit_kb: after(row, "limit ")?.0,
        failcnt: after(row, "failcnt ").map_or(0, |(value, _)| value),
    })
}

/// `anon 104857600` after `Memory cgroup stats for ...:`, in bytes. False if it is another row.
pub fn group_stat(report: &mut Report, row: &str, line: usize) -> bool {
    const NAMES: [&str; 12] = [
        "anon",
        "file",
        "shmem",
        "kernel",
        "kernel_stack",
        "slab",
        "slab_reclaimable",
        "slab_unreclaimable",
        "pagetables",
        "unevictable",
        "file_dirty",
        "file_writeback",
    ];
    let mut words = row.split_whitespace();
    let (name, value, more) = (words.next(), words.next(), words.next());
    let (Some(name), Some(value), None) = (name, value, more) else {
        return false;
    };
    let Ok(bytes) = value.parse::<u64>() else {
        return false;
    };
    if NAMES.contains(&name) {
        let value = bytes / 1024;
        let at = At { value, line };
        report.group.stats.entry(name.to_string()).or_insert(at);
    }
    true
}
