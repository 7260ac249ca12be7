//! Recognizes pasted texts that are not /proc/zoneinfo.
//!
//! Modelled: other files and reports that users may paste, each by a line that only it has.
//! Left out: reading any of them.
//! Invariants: the answer is one sentence that says what to paste instead.

use crate::procfs::pasted::plain;

/// A text that users paste instead of /proc/zoneinfo.
struct Other {
    /// Its name.
    name: &'static str,
    /// What the text lacks.
    lacks: &'static str,
    /// Whether a line, without surrounding spaces, belongs to it.
    knows: fn(&str) -> bool,
}

/// The maximum number of lines that are checked, and their maximum length.
const MAX_LINES: usize = 2000;
const MAX_LINE: usize = 4000;

const MARKS: &str = "which has neither the sizes of the zones nor their watermarks";

static OTHERS: [Other; 14] = [
    Other {
        name: "a kernel's report of an allocation failure or an OOM kill",
        lacks: "which has the zones in kB, but neither their sizes in pages nor where they begin",
        knows: |line| {
            line.contains("invoked oom-killer")
                || line.contains("page allocation failure")
                || line.contains("page allocation stalls")
                || line.contains("lowmem_reserve[]:")
                || line.contains("Mem-Info:")
                || (line.contains(" free:") && line.contains(" min:") && line.contains(" low:"))
        },
    },
    Other {
        name: "/proc/pagetypeinfo",
        lacks: MARKS,
        knows: |line| {
            line.starts_with("Free pages count per migrate type")
                || line.starts_with("Page block order:")
                || (line.starts_with("Node") && line.contains(", type "))
        },
    },
    Other {
        name: "/proc/buddyinfo",
        lacks: "which has the free blocks of each zone, but neither its size nor its watermarks",
        knows: |line| {
            let numbers = line.split_once(", zone").map_or("", |(_, rest)| rest);
            let numbers = numbers.split_whitespace().skip(1);
            line.starts_with("Node")
                && numbers.clone().count() > 4
                && numbers.clone().all(|word| word.parse::<u64>().is_ok())
        },
    },
    Other {
        name: "the output of numactl -H",
        lacks: "which has the nodes, but no zones",
        knows: |line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            line.starts_with("node distances:")
                || (line.starts_with("available:") && line.contains("nodes ("))
                || (words.first() == Some(&"node") && words.get(2) == Some(&"cpus:"))
        },
    },
    Other {
        name: "the output of numastat",
        lacks: "which has the nodes, but no zones",
        knows: |line| line.starts_with("numa_hit") && line.split_whitespace().count() > 2,
    },
    Other {
        name: "a node's or the machine's meminfo",
        lacks: "which has all of memory in kB, but no zones",
        knows: |line| line.contains("MemTotal:") || line.starts_with("MemAvailable:"),
    },
    Other {
        name: "/proc/slabinfo",
        lacks: "which has the kernel's objects, but no zones",
        knows: |line| line.starts_with("slabinfo - version") || line.contains("<active_objs>"),
    },
    Other {
        name: "/proc/vmstat",
        lacks: "which counts for all of memory, not for each zone",
        knows: |line| {
            let (name, value) = line.split_once(' ').unwrap_or((line, ""));
            let names = [
                "nr_free_pages",
                "pgpgin",
                "pgfault",
                "pgalloc_normal",
                "nr_dirty",
            ];
            names.contains(&name) && value.trim().parse::<u64>().is_ok()
        },
    },
    Other {
        name: "the output of vmstat",
        lacks: "which counts for all of memory, not for each zone",
        knows: |line| line.starts_with("procs ") && line.contains("memory"),
    },
    Other {
        name: "the output of free",
        lacks: "which has all of memory, but no zones",
        knows: |line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.starts_with(&["total", "used", "free"])
        },
    },
    Other {
        name: "a kernel's boot log",
        lacks: "which says where zones begin, but not what is in them",
        knows: |line| line.contains("Zone ranges:") || line.contains("Movable zone start for each"),
    },
    Other {
        name: "/proc/iomem or a map of physical memory",
        lacks: "which has no zones",
        knows: |line| line.ends_with(": System RAM") || line.contains("BIOS-e820:"),
    },
    Other {
        name: "a list of sysctls",
        lacks: "which has no zones",
        knows: |line| line.starts_with("vm.") && line.contains('='),
    },
    Other {
        name: "a text in JSON",
        lacks: "such as an experiment or a machine that was imported already; open it as a file",
        knows: |line| line.starts_with('{') || line.starts_with("[{"),
    },
];

/// Why a text without any zone is not /proc/zoneinfo, and what to paste.
pub fn reason(text: &str) -> String {
    const PASTE: &str = "paste the output of cat /proc/zoneinfo";
    if text
        .lines()
        .any(|line| line.contains("pages free") && line.contains("zone"))
    {
        return format!(
            "the line breaks of /proc/zoneinfo are lost in this text; {PASTE}, line by line"
        );
    }
    let lines = first_lines(text);
    let found = found(&lines);
    let has_rows = lines.iter().any(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        matches!(
            words.as_slice(),
            ["pages", "free", ..] | ["spanned" | "managed", _] | ["start_pfn:", _]
        )
    });
    match found {
        _ if has_rows => format!(
            "this text has rows of /proc/zoneinfo, but no line that names their zone, like \"Node 0, zone DMA\"; {PASTE}"
        ),
        Some(other) => format!("this is {}, {}; {PASTE}", other.name, other.lacks),
        None => format!(
            "no zone found; expected lines like \"Node 0, zone DMA\" and their rows: {PASTE}"
        ),
    }
}

/// The name of a pasted text that is not /proc/zoneinfo, if the text is recognized.
pub fn name(text: &str) -> Option<&'static str> {
    found(&first_lines(text)).map(|other| other.name)
}

fn first_lines(text: &str) -> Vec<String> {
    let first = text
        .lines()
        .filter(|line| line.len() < MAX_LINE)
        .take(MAX_LINES);
    first.map(|line| plain(line).trim().to_string()).collect()
}

fn found(lines: &[String]) -> Option<&'static Other> {
    OTHERS.iter().find(|other| {
        let mut all = lines.iter();
        all.any(|line| (other.knows)(line) || (other.knows)(behind_prefix(line)))
    })
}

/// A line without the time that a kernel log writes before it, and without quote marks.
fn behind_prefix(line: &str) -> &str {
    let rest = line
        .split_once("] ")
        .filter(|(before, _)| before.contains('['))
        .map_or(line, |(_, rest)| rest);
    rest.trim_start_matches(['>', '|', ' '])
}
