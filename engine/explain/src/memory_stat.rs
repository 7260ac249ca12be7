//! Explains the `memory.stat` of a memory cgroup (version 2): which of its memory could be reclaimed, which
//! could not, and why.
//!
//! Modelled: file pages by list, dirty pages, shared memory, anonymous memory, kernel memory; scanned and
//! reclaimed pages; refaults; memory.current, memory.max and memory.events if they are in the same text.
//! Left out: huge pages and zswap; other files of a cgroup.
//! Invariants: every number in a sentence is in the text, or is the sum or difference of numbers that the
//! finding lists.

use std::collections::BTreeMap;

use crate::document::{Document, Finding, Kind, Severity, Unit};
use crate::words::{counted, kb, number, share};

/// The rows of one file, with their line numbers.
#[derive(Debug, Default)]
pub(crate) struct Stat<'a> {
    rows: BTreeMap<&'a str, (u64, usize)>,
    first: usize,
    last: usize,
}

/// Rows that distinguish a memory.stat of version 2 from other files.
const MARKS: [&str; 4] = ["anon", "file", "inactive_file", "active_file"];
/// A row of a memory.stat of version 1, which names its rows differently.
const OLD_MARK: &str = "total_inactive_file";

/// Reads a memory.stat; none if the text is something else.
pub(crate) fn read(text: &str) -> Option<Stat<'_>> {
    let mut stat = Stat::default();
    for (line, row) in (1..).zip(text.lines()) {
        let (file, row) = of_file(row);
        if let Some(file) = file.filter(|file| VALUES.contains(file)) {
            if let Ok(value) = row.trim().parse() {
                stat.rows.entry(file).or_insert((value, line));
                if stat.first == 0 {
                    stat.first = line;
                }
                stat.last = line;
            }
            continue;
        }
        if file.is_some_and(|file| !LISTS.contains(&file)) {
            continue;
        }
        let mut words = row.split_whitespace();
        let (Some(name), Some(value), None) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let Ok(value) = value.parse() else {
            continue;
        };
        if stat.rows.is_empty() {
            stat.first = line;
        }
        stat.rows.entry(name).or_insert((value, line));
        stat.last = line;
    }
    let is_stat = MARKS.iter().all(|name| stat.rows.contains_key(name));
    (is_stat && !stat.rows.contains_key(OLD_MARK)).then_some(stat)
}

/// Files with one value that may be pasted together with memory.stat, as `grep . memory.*` prints them.
const VALUES: [&str; 2] = ["memory.current", "memory.max"];
/// Files whose rows are read.
const LISTS: [&str; 2] = ["memory.stat", "memory.events"];

/// The file that `grep` named in front of a row, and the row.
fn of_file(row: &str) -> (Option<&str>, &str) {
    match row.split_once(':') {
        Some((path, rest)) => {
            let file = path.rsplit('/').next().unwrap_or(path).trim();
            match file.starts_with("memory.") {
                true => (Some(file), rest),
                false => (None, row),
            }
        }
        None => (None, row),
    }
}

impl Stat<'_> {
    /// A number of the text.
    fn get(&self, name: &str) -> Option<u64> {
        self.rows.get(name).map(|&(value, _)| value)
    }

    /// The bytes of a row in kB; 0 if the text lacks the row.
    fn kb(&self, name: &str) -> u64 {
        self.get(name).unwrap_or(0) / 1024
    }

    fn count(&self, name: &str) -> u64 {
        self.get(name).unwrap_or(0)
    }

    /// A finding with the line number of a row.
    fn finding(&self, severity: Severity, row: &str, text: String) -> Finding {
        let found = Finding::new(severity, text);
        match self.rows.get(row) {
            Some(&(_, line)) => found.at(line),
            None => found,
        }
    }

    /// The rows of a finding, in kB.
    fn rows_kb<'n>(&self, names: &[&'n str]) -> Vec<(&'n str, u64)> {
        names.iter().map(|&name| (name, self.kb(name))).collect()
    }

    fn rows_count<'n>(&self, names: &[&'n str]) -> Vec<(&'n str, u64)> {
        names.iter().map(|&name| (name, self.count(name))).collect()
    }
}

/// Explains a memory.stat.
pub(crate) fn explain(stat: &Stat<'_>, file: &str) -> Document {
    let mut findings = Vec::new();
    findings.extend(limit(stat));
    findings.extend(events(stat));
    findings.push(clean_cache(stat));
    findings.extend(active_cache(stat));
    findings.extend(dirty_cache(stat));
    findings.extend(anonymous(stat));
    findings.extend(shared(stat));
    findings.extend(unevictable(stat));
    findings.extend(kernel(stat));
    findings.extend(efficiency(stat));
    findings.extend(refaults(stat));
    Document {
        kind: Kind::MemoryStat,
        file: file.to_string(),
        line: stat.first,
        last_line: stat.last,
        title: format!(
            "memory.stat of a memory cgroup: {} anonymous, {} of files",
            kb(stat.kb("anon")),
            kb(stat.kb("file"))
        ),
        unit: Unit::Kb,
        findings,
        zones: Vec::new(),
    }
}

/// The usage and the limit, if memory.current and memory.max were pasted, too.
fn limit(stat: &Stat<'_>) -> Option<Finding> {
    let used = stat.get("memory.current")?;
    let rows = stat.rows_kb(&["memory.current", "memory.max"]);
    let (severity, text) = match stat.get("memory.max") {
        None => {
            let text = format!(
                "The cgroup uses {}. The text contains no limit for it.",
                kb(used / 1024)
            );
            (Severity::Note, text)
        }
        Some(max) => {
            let text = format!(
                "The cgroup uses {} of its limit of {}: {} is left before it must reclaim its own pages.",
                kb(used / 1024),
                kb(max / 1024),
                kb(max.saturating_sub(used) / 1024)
            );
            let is_full = max.saturating_sub(used) < max / 64;
            (
                if is_full {
                    Severity::Warning
                } else {
                    Severity::Note
                },
                text,
            )
        }
    };
    Some(
        stat.finding(severity, "memory.current", text)
            .with(Unit::Kb, &rows),
    )
}

/// How often limits were reached, if memory.events was pasted, too.
fn events(stat: &Stat<'_>) -> Option<Finding> {
    let killed = stat.get("oom_kill")?;
    let [max, high, oom] = ["max", "high", "oom"].map(|name| stat.count(name));
    if [max, high, oom, killed].iter().all(|&n| n == 0) {
        let text = "The cgroup has never reached its limits (memory.events).".to_string();
        return Some(stat.finding(Severity::Note, "oom_kill", text));
    }
    let severity = if killed > 0 {
        Severity::Cause
    } else {
        Severity::Note
    };
    let text = format!(
        "memory.events: {} would have exceeded memory.max, and reclaim made no room for {}. Processes killed by its OOM killer: {}. Tasks reclaimed {} because of memory.high.",
        counted(max, "charge"),
        number(oom),
        number(killed),
        counted(high, "time"),
    );
    let rows = stat.rows_count(&["max", "high", "oom", "oom_kill"]);
    Some(
        stat.finding(severity, "oom_kill", text)
            .with(Unit::One, &rows),
    )
}

/// The bytes of file pages on the two lists that reclaim scans, and the bytes of those that must be written
/// first.
fn cache(stat: &Stat<'_>) -> (u64, u64) {
    let listed = stat.kb("inactive_file") + stat.kb("active_file");
    let busy = stat.kb("file_dirty") + stat.kb("file_writeback");
    (listed, busy.min(listed))
}

fn clean_cache(stat: &Stat<'_>) -> Finding {
    let (listed, busy) = cache(stat);
    let rows = [
        "inactive_file",
        "active_file",
        "file_dirty",
        "file_writeback",
    ];
    let clean = listed - busy;
    let text = if clean == 0 {
        "No file pages could be reclaimed at once.".to_string()
    } else {
        format!(
            "{} could be reclaimed at once: file pages on the inactive and on the active list ({} and {}) that need not be written first.",
            kb(clean),
            kb(stat.kb("inactive_file")),
            kb(stat.kb("active_file"))
        )
    };
    stat.finding(Severity::Note, "inactive_file", text)
        .with(Unit::Kb, &stat.rows_kb(&rows))
}

fn active_cache(stat: &Stat<'_>) -> Option<Finding> {
    let active = stat.kb("active_file");
    if active == 0 {
        return None;
    }
    let (listed, _) = cache(stat);
    let text = format!(
        "active_file, {} ({} of the file pages), is reclaimable too: its pages were used more than once, but need not be in use now. Memory use minus inactive_file counts them as if they could not be reclaimed.",
        kb(active),
        share(active, listed)
    );
    let found = stat.finding(Severity::Note, "active_file", text);
    Some(found.with(Unit::Kb, &stat.rows_kb(&["active_file", "inactive_file"])))
}

fn dirty_cache(stat: &Stat<'_>) -> Option<Finding> {
    let rows = ["file_dirty", "file_writeback"];
    let [dirty, writeback] = rows.map(|row| stat.kb(row));
    if dirty + writeback == 0 {
        return None;
    }
    let text = format!(
        "{} of file pages must be written to their device first: {} is dirty and {} is being written.",
        kb(dirty + writeback),
        kb(dirty),
        kb(writeback)
    );
    let found = stat.finding(Severity::Note, "file_dirty", text);
    Some(found.with(Unit::Kb, &stat.rows_kb(&rows)))
}

fn anonymous(stat: &Stat<'_>) -> Option<Finding> {
    let anon = stat.kb("anon");
    if anon == 0 {
        return None;
    }
    let refaulted = stat.count("workingset_refault_anon");
    let cached = stat.kb("swapcached");
    let tail = if refaulted > 0 {
        format!(
            " Swap is in use: {} of anonymous memory came back from swap.",
            counted(refaulted, "page")
        )
    } else if cached > 0 {
        format!(" Swap is in use: {} is in the swap cache.", kb(cached))
    } else {
        " Nothing in this text shows that swap was used; memory.swap.current and memory.swap.max show whether the cgroup may use swap.".to_string()
    };
    let text = format!(
        "{} is anonymous memory of processes. It could be reclaimed only by writing it to swap.{tail}",
        kb(anon)
    );
    let found = stat.finding(Severity::Note, "anon", text);
    let found = found.with(Unit::Kb, &stat.rows_kb(&["anon", "swapcached"]));
    Some(found.with(Unit::One, &stat.rows_count(&["workingset_refault_anon"])))
}

fn shared(stat: &Stat<'_>) -> Option<Finding> {
    let shmem = stat.kb("shmem");
    if shmem == 0 {
        return None;
    }
    let text = format!(
        "{} of the {} in file is shared memory or tmpfs. It has no file on a device, so it could be reclaimed only by writing it to swap.",
        kb(shmem),
        kb(stat.kb("file"))
    );
    let found = stat.finding(Severity::Note, "shmem", text);
    Some(found.with(Unit::Kb, &stat.rows_kb(&["shmem", "file"])))
}

fn unevictable(stat: &Stat<'_>) -> Option<Finding> {
    let locked = stat.kb("unevictable");
    if locked == 0 {
        return None;
    }
    let text = format!(
        "{} is locked in memory (mlock) and cannot be reclaimed.",
        kb(locked)
    );
    let found = stat.finding(Severity::Note, "unevictable", text);
    Some(found.with(Unit::Kb, &stat.rows_kb(&["unevictable"])))
}

/// Rows of kernel memory that reclaim cannot free.
const FIXED: [&str; 6] = [
    "kernel_stack",
    "pagetables",
    "percpu",
    "sock",
    "vmalloc",
    "slab_unreclaimable",
];

fn kernel(stat: &Stat<'_>) -> Option<Finding> {
    let fixed: u64 = FIXED.iter().map(|row| stat.kb(row)).sum();
    let slab = stat.kb("slab_reclaimable");
    if fixed + slab == 0 {
        return None;
    }
    let mut text = String::new();
    if fixed > 0 {
        text = format!(
            "{} is memory of the kernel that reclaim cannot free: stacks, page tables, sockets and objects in use.",
            kb(fixed)
        );
    }
    if slab > 0 {
        let more = format!(
            "Part of {} of kernel objects, such as inodes and file names, could be freed.",
            kb(slab)
        );
        text = [text, more].join(if fixed > 0 { " " } else { "" });
    }
    let rows: Vec<&str> = FIXED.into_iter().chain(["slab_reclaimable"]).collect();
    let first = FIXED.iter().find(|row| stat.kb(row) > 0);
    let found = stat.finding(
        Severity::Note,
        first.copied().unwrap_or("slab_reclaimable"),
        text,
    );
    Some(found.with(Unit::Kb, &stat.rows_kb(&rows)))
}

fn efficiency(stat: &Stat<'_>) -> Option<Finding> {
    let (scanned, stolen) = (stat.get("pgscan")?, stat.get("pgsteal")?);
    if scanned == 0 {
        let text = "Reclaim has never scanned a page of this cgroup.".to_string();
        return Some(stat.finding(Severity::Note, "pgscan", text));
    }
    let is_poor = stolen < scanned / 2;
    let (severity, tail) = if is_poor {
        (
            Severity::Warning,
            "Most pages were in use or had to be written first.",
        )
    } else {
        (
            Severity::Note,
            "As long as most scanned pages are reclaimed, reaching the limit does little harm.",
        )
    };
    let text = format!(
        "Reclaim scanned {} and reclaimed {} ({}). {tail}",
        counted(scanned, "page"),
        counted(stolen, "page"),
        share(stolen, scanned)
    );
    let found = stat.finding(severity, "pgscan", text);
    Some(found.with(Unit::One, &stat.rows_count(&["pgscan", "pgsteal"])))
}

fn refaults(stat: &Stat<'_>) -> Option<Finding> {
    let rows = [
        "workingset_refault_file",
        "workingset_restore_file",
        "workingset_activate_file",
    ];
    let [refault, restore, activate] = rows.map(|row| stat.count(row));
    if refault == 0 {
        return None;
    }
    let (severity, tail) = if restore > 0 {
        (
            Severity::Warning,
            format!(
                "Of these, {} had been in regular use before: the cgroup needs more memory than its limit allows.",
                counted(restore, "page")
            ),
        )
    } else if activate > 0 {
        (
            Severity::Warning,
            format!(
                "Of these, {} came back so soon that slightly more memory would have prevented their eviction.",
                counted(activate, "page")
            ),
        )
    } else {
        (
            Severity::Note,
            "None of them came back soon: only enough memory for all of these files would have prevented the reads."
                .to_string(),
        )
    };
    let text = format!(
        "The cgroup read {} of files again after their eviction. {tail}",
        counted(refault, "page")
    );
    let found = stat.finding(severity, "workingset_refault_file", text);
    Some(found.with(Unit::One, &stat.rows_count(&rows)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{File, explain};

    /// From Debian's 6.1.176: a cgroup with a memory.max of 100 MiB, after a file of 600 MiB was read twice.
    /// Rows that the explanation does not use are left out.
    const READER: &str = "anon 0\nfile 102244352\nkernel 1449984\nfile_dirty 0\nfile_writeback 0\nswapcached 0\n\
        inactive_anon 0\nactive_anon 0\ninactive_file 102236160\nactive_file 8192\nunevictable 0\n\
        slab_reclaimable 1446696\nslab_unreclaimable 0\nworkingset_refault_anon 0\n\
        workingset_refault_file 153600\nworkingset_activate_file 0\nworkingset_restore_file 0\n\
        pgscan 282240\npgsteal 282240\n";

    fn texts(text: &str) -> Vec<String> {
        let stat = read(text).expect("a memory.stat");
        let found = super::explain(&stat, "memory.stat").findings;
        found.into_iter().map(|finding| finding.text).collect()
    }

    #[test]
    fn counts_the_clean_pages_of_both_file_lists_as_reclaimable() {
        let found = texts(READER);
        assert!(
            found[0].starts_with("99,848 kB could be reclaimed at once"),
            "{found:?}"
        );
        assert!(found[0].contains("99,840 kB and 8 kB"), "{found:?}");
        assert!(found[1].starts_with("active_file, 8 kB"), "{found:?}");
        let all = found.join("\n");
        assert!(all.contains("1,412 kB of kernel objects"), "{all}");
        assert!(
            all.contains("282,240 pages and reclaimed 282,240 pages (100 %)"),
            "{all}"
        );
        assert!(all.contains("read 153,600 pages of files again"), "{all}");
        assert!(!all.contains("anonymous memory of processes"), "{all}");
    }

    #[test]
    fn names_the_memory_that_needs_swap_that_must_be_written_and_that_stays() {
        let text = "anon 157286400\nfile 20971520\nshmem 10485760\nfile_dirty 4194304\nfile_writeback 1048576\n\
            inactive_file 6291456\nactive_file 4194304\nunevictable 2097152\nkernel_stack 65536\n\
            pagetables 1048576\nworkingset_refault_anon 63659\npgscan 293816\npgsteal 89427\n\
            workingset_refault_file 5000\nworkingset_activate_file 900\nworkingset_restore_file 40\n";
        let all = texts(text).join("\n");
        for part in [
            "5,120 kB could be reclaimed at once",
            "active_file, 4,096 kB (40 % of the file pages)",
            "5,120 kB of file pages must be written to their device first",
            "153,600 kB is anonymous memory",
            "63,659 pages of anonymous memory came back from swap",
            "10,240 kB of the 20,480 kB in file is shared memory",
            "2,048 kB is locked in memory",
            "1,088 kB is memory of the kernel",
            "(30 %). Most pages were in use",
            "40 pages had been in regular use",
        ] {
            assert!(all.contains(part), "{part}\n{all}");
        }
    }

    #[test]
    fn names_the_line_of_each_finding_and_refuses_other_files() {
        let text = format!("\n{READER}");
        let files = [File {
            name: "memory.stat".to_string(),
            text,
        }];
        let found = explain(&files);
        assert_eq!(found.refusals, []);
        let document = &found.documents[0];
        assert_eq!((document.line, document.last_line), (2, 20));
        assert_eq!(document.findings[1].line, Some(11));
        assert!(read("cache 1\nrss 2\ninactive_file 3\nactive_file 4\n").is_none());
        assert!(read("MemTotal: 5 kB\n").is_none());
    }

    #[test]
    fn reads_limit_and_events_that_grep_printed_with_the_file_names() {
        let rows = READER
            .lines()
            .map(|row| format!("/sys/fs/cgroup/shop/memory.stat:{row}\n"));
        let text: String = rows.collect();
        let text = format!(
            "memory.current:104857600\nmemory.events:low 0\nmemory.events:high 0\nmemory.events:max 8820\n\
             memory.events:oom 2\nmemory.events:oom_kill 1\nmemory.events.local:oom_kill 7\n\
             memory.max:104857600\n{text}memory.swap.events:max 3\n"
        );
        let found = texts(&text);
        assert!(
            found[0].starts_with("The cgroup uses 102,400 kB of its limit of 102,400 kB: 0 kB"),
            "{found:?}"
        );
        assert!(
            found[1].contains("8,820 charges would have exceeded memory.max"),
            "{found:?}"
        );
        assert!(found[1].contains("OOM killer: 1."), "{found:?}");
        assert!(
            found[2].starts_with("99,848 kB could be reclaimed at once"),
            "{found:?}"
        );
        let unlimited = texts(&text.replace("memory.max:104857600", "memory.max:max"));
        assert!(unlimited[0].contains("contains no limit"), "{unlimited:?}");
    }

    #[test]
    fn never_divides_by_zero_or_overflows() {
        let all = "18446744073709551615";
        let text = format!(
            "anon {all}\nfile {all}\ninactive_file {all}\nactive_file {all}\npgscan {all}\npgsteal {all}\nfile_dirty {all}\nfile_writeback {all}\nmax {all}\nhigh 1\noom_kill {all}\n"
        );
        assert!(!texts(&text).is_empty());
        assert!(
            !texts("anon 0\nfile 0\ninactive_file 0\nactive_file 0\npgscan 0\npgsteal 0\n")
                .is_empty()
        );
    }
}
