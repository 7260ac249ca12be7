//! How memory was used, and which part of it could have been freed.
//!
//! Modelled: file pages, anonymous memory and swap, slab, pinned memory, pools of huge pages, page tables,
//! and memory that no counter of the report includes.
//! Left out: the owners of memory that the report does not count.
//! Invariants: a share is a share of the memory that the kernel manages.

use crate::document::{Finding, Severity, Unit};
use crate::report::{At, Report};
use crate::words::{self, counted, kb, percent};

/// A use of at least this share of memory causes a warning, percent.
const LARGE: u64 = 10;

/// All findings about how memory is used.
pub fn findings(report: &Report) -> Vec<Finding> {
    let managed = managed(report);
    let mut found = Vec::new();
    found.extend(files(report, managed));
    found.extend(anonymous(report, managed));
    found.extend(swap(report));
    found.extend(uses(report, managed));
    found.extend(huge(report, managed));
    found.extend(uncounted(report, managed));
    found.extend(unreclaimable(report));
    found
}

/// Memory that the kernel manages, kB.
fn managed(report: &Report) -> Option<u64> {
    report.zones_kb("managed").or_else(|| {
        let count = |name: &str| report.counts.get(name).map(|at| at.value);
        let pages = count("pages RAM")?.saturating_sub(count("pages reserved")?);
        pages.checked_mul(report.page_kb()?)
    })
}

/// The size of a kind of memory in kB: from the totals, otherwise from the nodes, otherwise from the zones.
fn used(report: &Report, name: &str) -> Option<At> {
    if let Some(at) = report.total_kb(name) {
        return Some(at);
    }
    let of_nodes = report.nodes.iter().filter_map(|n| n.values.get(name));
    let of_zones = report.zones.iter().filter_map(|z| z.values.get(name));
    let sum = |values: Vec<&At>| {
        let first = values.first()?;
        let value = values
            .iter()
            .fold(0, |sum: u64, at| sum.saturating_add(at.value));
        Some(At {
            value,
            line: first.line,
        })
    };
    sum(of_nodes.collect()).or_else(|| sum(of_zones.collect()))
}

/// ", 12 % of memory", if the total is known.
fn share(part: u64, managed: Option<u64>) -> String {
    managed.map_or(String::new(), |managed| {
        format!(", {} of memory", words::share(part, managed))
    })
}

fn is_large(part: u64, managed: Option<u64>) -> bool {
    managed.is_some_and(|managed| managed > 0 && percent(part, managed) >= LARGE)
}

fn files(report: &Report, managed: Option<u64>) -> Option<Finding> {
    let active = used(report, "active_file")?;
    let inactive = used(report, "inactive_file")?;
    let all = active.value.saturating_add(inactive.value);
    let of = |name: &str| used(report, name).map_or(0, |at| at.value);
    let (dirty, writeback) = (of("dirty"), of("writeback"));
    let is_small = managed.is_some_and(|managed| percent(all, managed) < 1);
    let lists = format!(
        "active {}, inactive {}",
        kb(active.value),
        kb(inactive.value)
    );
    let (severity, text) = if is_small {
        let text = format!(
            "Almost no file pages are left to reclaim: {} is on the file lists ({lists}){}.",
            kb(all),
            share(all, managed)
        );
        (Severity::Warning, text)
    } else {
        let mut text = format!(
            "{} of file pages is on the LRU lists ({lists}){}.",
            kb(all),
            share(all, managed)
        );
        let waiting = dirty.saturating_add(writeback);
        let is_blocked = waiting.saturating_mul(2) > all && waiting > 0;
        if waiting > 0 {
            text.push_str(&format!(
                " Of the machine's memory, {} is dirty and {} is under writeback: the kernel must write it before it can free it.",
                kb(dirty),
                kb(writeback)
            ));
        }
        let severity = match is_blocked {
            true => Severity::Warning,
            false => Severity::Note,
        };
        (severity, text)
    };
    let values = [
        ("active_file", active.value),
        ("inactive_file", inactive.value),
        ("dirty", dirty),
        ("writeback", writeback),
    ];
    Some(
        Finding::new(severity, text)
            .at(active.line)
            .with(Unit::Kb, &values),
    )
}

fn anonymous(report: &Report, managed: Option<u64>) -> Option<Finding> {
    let active = used(report, "active_anon")?;
    let inactive = used(report, "inactive_anon")?;
    let all = active.value.saturating_add(inactive.value);
    let shmem = used(report, "shmem").map_or(0, |at| at.value);
    let of_shmem = match shmem {
        0 => String::new(),
        shmem => format!(
            " Of this, {} is shared memory and tmpfs (shmem).",
            kb(shmem)
        ),
    };
    let text = format!(
        "{} of anonymous memory is on the LRU lists{}. The kernel can free it only by writing it to swap.{of_shmem}",
        kb(all),
        share(all, managed)
    );
    let values = [
        ("active_anon", active.value),
        ("inactive_anon", inactive.value),
        ("shmem", shmem),
    ];
    let finding = Finding::new(Severity::Note, text).at(active.line);
    Some(finding.with(Unit::Kb, &values))
}

fn swap(report: &Report) -> Option<Finding> {
    let total = report.counts.get("Total swap");
    let free = report.counts.get("Free swap");
    let (Some(total), Some(free)) = (total, free) else {
        let text = "The report does not give the size of swap.";
        let has_state = !report.zones.is_empty();
        return has_state.then(|| Finding::new(Severity::Note, text));
    };
    let values = [("Free swap", free.value), ("Total swap", total.value)];
    let (severity, text) = match (total.value, free.value) {
        (0, _) => (
            Severity::Warning,
            "There is no swap, so anonymous memory cannot be reclaimed.".to_string(),
        ),
        (total, free) if percent(free, total) < 1 => (
            Severity::Warning,
            format!(
                "Swap is full: {} of {} is free, so anonymous memory cannot be reclaimed.",
                kb(free),
                kb(total)
            ),
        ),
        (total, free) => (
            Severity::Note,
            format!("{} of {} of swap is free.", kb(free), kb(total)),
        ),
    };
    Some(
        Finding::new(severity, text)
            .at(free.line)
            .with(Unit::Kb, &values),
    )
}

/// Memory that reclaim cannot free, or only in part.
fn uses(report: &Report, managed: Option<u64>) -> Vec<Finding> {
    const USES: [(&str, &str); 6] = [
        (
            "slab_unreclaimable",
            "of kernel objects that cannot be reclaimed (slab_unreclaimable)",
        ),
        (
            "slab_reclaimable",
            "of kernel objects that shrinkers can free in part (slab_reclaimable)",
        ),
        (
            "unevictable",
            "of pages that are locked or otherwise unevictable",
        ),
        ("pagetables", "of page tables"),
        ("kernel_stack", "of kernel stacks"),
        ("bounce", "of bounce buffers"),
    ];
    let finding = |(name, words): (&str, &str)| {
        let at = used(report, name)?;
        let is_large = is_large(at.value, managed);
        if at.value == 0 || !(is_large || name.starts_with("slab")) {
            return None;
        }
        let severity = match is_large && name != "slab_reclaimable" {
            true => Severity::Warning,
            false => Severity::Note,
        };
        let text = format!(
            "There are {} {words}{}.",
            kb(at.value),
            share(at.value, managed)
        );
        let finding = Finding::new(severity, text).at(at.line);
        Some(finding.with(Unit::Kb, &[(name, at.value)]))
    };
    USES.into_iter().filter_map(finding).collect()
}

fn huge(report: &Report, managed: Option<u64>) -> Vec<Finding> {
    let pools = report.huge.iter().filter(|pool| pool.total > 0);
    let finding = |pool: &crate::report::HugeRow| {
        let all = pool.total.saturating_mul(pool.size_kb);
        let free = pool.free.saturating_mul(pool.size_kb);
        let severity = match is_large(all, managed) {
            true => Severity::Warning,
            false => Severity::Note,
        };
        let text = format!(
            "The pool of huge pages has {} ({} of {}){}; {} of it is free. No other request may use this memory.",
            kb(all),
            counted(pool.total, "page"),
            kb(pool.size_kb),
            share(all, managed),
            kb(free)
        );
        let finding = Finding::new(severity, text).at(pool.line);
        finding
            .with(Unit::Kb, &[("hugepages_size", pool.size_kb)])
            .with(
                Unit::One,
                &[
                    ("hugepages_total", pool.total),
                    ("hugepages_free", pool.free),
                ],
            )
    };
    pools.map(finding).collect()
}

/// Memory that no counter of the report includes.
fn uncounted(report: &Report, managed: Option<u64>) -> Option<Finding> {
    const COUNTED: [&str; 16] = [
        "free",
        "free_pcp",
        "active_anon",
        "inactive_anon",
        "isolated_anon",
        "active_file",
        "inactive_file",
        "isolated_file",
        "unevictable",
        "slab_reclaimable",
        "slab_unreclaimable",
        "kernel_misc_reclaimable",
        "pagetables",
        "sec_pagetables",
        "bounce",
        "kernel_stack",
    ];
    let managed = managed?;
    // Without these totals the sum would be far too small.
    report.total_kb("slab_unreclaimable")?;
    let sum = COUNTED
        .iter()
        .filter_map(|name| used(report, name))
        .fold(0u64, |sum, at| sum.saturating_add(at.value));
    let pools = report.huge.iter();
    let pools = pools.map(|pool| pool.total.saturating_mul(pool.size_kb));
    let sum = pools.fold(sum, u64::saturating_add);
    let rest = managed.saturating_sub(sum);
    if !is_large(rest, Some(managed)) {
        return None;
    }
    let text = format!(
        "No counter of the report includes {} of the {} that the kernel manages ({}). The report does not say who uses this memory; vmalloc, per-CPU data and drivers have no counter there.",
        kb(rest),
        kb(managed),
        words::share(rest, managed)
    );
    let finding = Finding::new(Severity::Warning, text);
    Some(finding.with(Unit::Kb, &[("managed", managed), ("counted", sum)]))
}

fn unreclaimable(report: &Report) -> Option<Finding> {
    let nodes: Vec<_> = report.nodes.iter().filter(|n| n.unreclaimable).collect();
    let first = nodes.first()?;
    let names: Vec<String> = nodes.iter().take(16).map(|n| n.node.to_string()).collect();
    let text = format!(
        "The kernel treats node {} as unreclaimable: reclaim scanned its lists again and again and freed too little.",
        names.join(", ")
    );
    Some(Finding::new(Severity::Note, text).at(first.line))
}
