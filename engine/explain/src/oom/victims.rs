//! The tasks that used memory, and the task that was killed.

use crate::document::{Finding, Severity, Unit};
use crate::report::{Report, TaskRow};
use crate::words::{counted, kb, number};

/// The maximum number of tasks that the finding names.
const NAMED: usize = 3;

/// The killed process, the largest tasks, and the tasks that may not be killed.
pub fn findings(report: &Report) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(killed(report));
    found.extend(panicked(report));
    found.extend(constraint(report));
    found.extend(largest(report));
    found.extend(protected(report));
    found
}

fn killed(report: &Report) -> Option<Finding> {
    let killed = report.killed.as_ref()?;
    let of = |name: &str| killed.values.get(name).map_or(0, |at| at.value);
    let text = format!(
        "Process {} ({}) was killed. Its resident memory was {} anonymous, {} of files and {} shared.",
        killed.pid,
        killed.name,
        kb(of("anon-rss")),
        kb(of("file-rss")),
        kb(of("shmem-rss"))
    );
    let values = [
        ("anon-rss", of("anon-rss")),
        ("file-rss", of("file-rss")),
        ("shmem-rss", of("shmem-rss")),
    ];
    let finding = Finding::new(Severity::Note, text).at(killed.line);
    Some(finding.with(Unit::Kb, &values))
}

fn panicked(report: &Report) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some(line) = report.nobody_to_kill {
        let text = "The kernel found no process that it was allowed to kill.";
        found.push(Finding::new(Severity::Cause, text).at(line));
    }
    if let Some((words, line)) = &report.panic {
        let text = format!("The kernel stopped the machine: \"{words}\".");
        found.push(Finding::new(Severity::Cause, text).at(*line));
    }
    found
}

fn constraint(report: &Report) -> Option<Finding> {
    let (constraint, line) = report.constraint.as_ref()?;
    let text = match constraint.as_str() {
        "CPUSET" => {
            "A cpuset restricts the request to some nodes: memory on other nodes did not count."
        }
        "MEMORY_POLICY" => {
            "A memory policy restricts the request to some nodes: memory on other nodes did not count."
        }
        _ => return None,
    };
    Some(Finding::new(Severity::Warning, text).at(*line))
}

/// The largest tasks. Pages that tasks share are counted in each of them.
fn largest(report: &Report) -> Option<Finding> {
    let mut tasks: Vec<&TaskRow> = report.tasks.iter().filter(|t| t.rss > 0).collect();
    tasks.sort_by_key(|task| std::cmp::Reverse(task.rss));
    let first = tasks.first()?;
    let size = |pages: u64| match report.page_kb() {
        Some(page_kb) => kb(pages.saturating_mul(page_kb)),
        None => counted(pages, "page"),
    };
    let words = |task: &&TaskRow| {
        let swapped = match task.swap {
            0 => String::new(),
            pages => format!(" and {} in swap", size(pages)),
        };
        format!(
            "{} (pid {}) with {}{swapped}",
            task.name,
            task.pid,
            size(task.rss)
        )
    };
    let named: Vec<String> = tasks.iter().take(NAMED).map(words).collect();
    let text = match report.tasks.len() {
        1 => format!("The only listed task is {}.", named.join("; ")),
        count => format!(
            "The largest of {} by resident memory: {}. Memory that tasks share is counted in each.",
            counted(count as u64, "listed task"),
            named.join("; ")
        ),
    };
    let values = tasks.iter().take(NAMED).map(|task| ("rss", task.rss));
    let values: Vec<(&str, u64)> = values.collect();
    let finding = Finding::new(Severity::Note, text).at(first.line);
    Some(finding.with(Unit::Pages, &values))
}

fn protected(report: &Report) -> Option<Finding> {
    let spared: Vec<&TaskRow> = report
        .tasks
        .iter()
        .filter(|task| task.score_adj == -1000 && task.rss > 0)
        .collect();
    let first = spared.first()?;
    let text = format!(
        "{} of the listed tasks may not be killed (oom_score_adj -1000); the first of them is {} (pid {}).",
        number(spared.len() as u64),
        first.name,
        first.pid
    );
    Some(Finding::new(Severity::Note, text).at(first.line))
}
