//! An OOM kill in a memory cgroup that reached its limit.

use crate::document::{Finding, Severity, Unit};
use crate::report::{GroupUse, Report};
use crate::words::{kb, number};

/// A limit above this means that there is no limit: the largest count of pages, in kB, minus one page for
/// rounding.
const NO_LIMIT_KB: u64 = 9_007_199_254_000_000;

/// The cgroup's limit and memory use.
pub fn findings(report: &Report) -> Vec<Finding> {
    let mut found = vec![limit(report)];
    found.extend(swap(report));
    found.extend(held(report));
    let text = "The zones of the machine did not cause this: the kernel kills because the cgroup is at its limit, no matter how much memory is free elsewhere.";
    found.push(Finding::new(Severity::Note, text).at(report.line));
    found
}

fn limit(report: &Report) -> Finding {
    let path = report.group.path.as_ref();
    let name = path.map_or("The cgroup".to_string(), |(path, _)| {
        format!("Cgroup {path}")
    });
    let group = &report.group;
    let reached = [
        (group.memory, "memory"),
        (group.memory_swap, "memory and swap"),
    ];
    let of = |(used, what): (Option<GroupUse>, &'static str)| Some((used?, what));
    let mut known = reached.into_iter().filter_map(of);
    let at_limit = |(used, _): &(GroupUse, &str)| used.usage_kb >= used.limit_kb;
    if let Some((used, what)) = known.clone().find(at_limit) {
        let text = format!(
            "{name} uses {} of {what}; its limit is {}. The limit was reached {} times.",
            kb(used.usage_kb),
            kb(used.limit_kb),
            number(used.failcnt)
        );
        return Finding::new(Severity::Cause, text)
            .at(used.line)
            .with(
                Unit::Kb,
                &[("usage", used.usage_kb), ("limit", used.limit_kb)],
            )
            .with(Unit::One, &[("failcnt", used.failcnt)]);
    }
    match known.next() {
        Some((used, what)) => {
            let text = format!(
                "By the printed numbers {name} uses {} of {what}, below its limit of {}. The report was printed after the request had failed.",
                kb(used.usage_kb),
                kb(used.limit_kb)
            );
            Finding::new(Severity::Cause, text).at(used.line).with(
                Unit::Kb,
                &[("usage", used.usage_kb), ("limit", used.limit_kb)],
            )
        }
        None => {
            let text =
                format!("{name} reached its memory limit. The report does not give the limit.");
            let line = path.map_or(report.line, |(_, line)| *line);
            Finding::new(Severity::Cause, text).at(line)
        }
    }
}

fn swap(report: &Report) -> Option<Finding> {
    let used = report.group.swap?;
    let text = match used.limit_kb {
        0 => "The cgroup may not use swap (limit 0), so its anonymous memory cannot be reclaimed."
            .to_string(),
        limit if limit >= NO_LIMIT_KB => {
            format!(
                "The cgroup has {} in swap and no limit for swap.",
                kb(used.usage_kb)
            )
        }
        limit => format!(
            "The cgroup has {} in swap; its limit is {}.",
            kb(used.usage_kb),
            kb(limit)
        ),
    };
    let is_full = used.usage_kb >= used.limit_kb;
    let severity = if is_full {
        Severity::Warning
    } else {
        Severity::Note
    };
    let finding = Finding::new(severity, text).at(used.line);
    Some(finding.with(
        Unit::Kb,
        &[("usage", used.usage_kb), ("limit", used.limit_kb)],
    ))
}

/// How the cgroup's memory is used.
fn held(report: &Report) -> Option<Finding> {
    const NAMES: [(&str, &str); 10] = [
        ("anon", "anonymous memory"),
        ("rss", "anonymous memory"),
        ("file", "file pages"),
        ("cache", "file pages"),
        ("shmem", "shared memory"),
        ("slab", "kernel objects"),
        ("kernel_stack", "kernel stacks"),
        ("pagetables", "page tables"),
        ("unevictable", "unevictable pages"),
        ("file_dirty", "dirty pages"),
    ];
    let stats = &report.group.stats;
    let found: Vec<(&str, &str, u64)> = NAMES
        .into_iter()
        .filter_map(|(name, words)| Some((name, words, stats.get(name)?.value)))
        .filter(|(_, _, value)| *value > 0)
        .collect();
    let line = stats.values().map(|at| at.line).min()?;
    if found.is_empty() {
        return None;
    }
    let words = found.iter();
    let words: Vec<String> = words
        .map(|(name, words, v)| format!("{} of {words} ({name})", kb(*v)))
        .collect();
    let values: Vec<(&str, u64)> = found.iter().map(|(name, _, v)| (*name, *v)).collect();
    let text = format!("The cgroup holds {}.", crate::words::list(&words));
    let finding = Finding::new(Severity::Warning, text).at(line);
    Some(finding.with(Unit::Kb, &values))
}
