//! The kernel's files at one moment (`before.txt`, `end.txt`, `after.txt`), and its settings (`sysctl.txt`).

use std::fmt::Write;

use super::control::read;

/// Sections of a snapshot and their files.
const SECTIONS: [(&str, &str); 8] = [
    ("zoneinfo", "/proc/zoneinfo"),
    ("vmstat", "/proc/vmstat"),
    ("buddyinfo", "/proc/buddyinfo"),
    ("pagetypeinfo", "/proc/pagetypeinfo"),
    ("meminfo", "/proc/meminfo"),
    ("extfrag_index", "/sys/kernel/debug/extfrag/extfrag_index"),
    ("unusable_index", "/sys/kernel/debug/extfrag/unusable_index"),
    ("swaps", "/proc/swaps"),
];
/// Sections at the end of a snapshot, where the kernel has these files.
const LRU_SECTIONS: [(&str, &str); 2] = [
    ("lru_gen", "/sys/kernel/debug/lru_gen"),
    ("lru_gen_full", "/sys/kernel/debug/lru_gen_full"),
];
/// Files below /proc/sys/vm that every capture names.
const SYSCTLS: [&str; 20] = [
    "min_free_kbytes",
    "watermark_scale_factor",
    "watermark_boost_factor",
    "lowmem_reserve_ratio",
    "zone_reclaim_mode",
    "swappiness",
    "dirty_ratio",
    "dirty_background_ratio",
    "dirty_expire_centisecs",
    "dirty_writeback_centisecs",
    "extfrag_threshold",
    "compaction_proactiveness",
    "stat_interval",
    "overcommit_memory",
    "percpu_pagelist_high_fraction",
    "page-cluster",
    "min_unmapped_ratio",
    "min_slab_ratio",
    "vfs_cache_pressure",
    "compact_unevictable_allowed",
];
/// Settings of NUMA balancing: in debugfs, before 5.13 in /proc/sys/kernel.
const BALANCING: [&str; 5] = [
    "scan_delay_ms",
    "scan_period_min_ms",
    "scan_period_max_ms",
    "scan_size_mb",
    "hot_threshold_ms",
];

/// All files now.
pub fn take(nodes: usize) -> String {
    // Most files fit at once: growing would allocate between two of them.
    let mut out = String::with_capacity(64 << 10);
    for (name, path) in SECTIONS {
        section(&mut out, name, &read(path));
    }
    let mut numastat = String::new();
    for node in 0..nodes {
        let text = read(&format!("/sys/devices/system/node/node{node}/numastat"));
        let _ = write!(numastat, "node{node}\n{text}");
    }
    section(&mut out, "numastat", &numastat);
    for (name, path) in LRU_SECTIONS {
        let text = read(path);
        if !text.is_empty() {
            section(&mut out, name, &text);
        }
    }
    out
}

fn section(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "=== {name}");
    out.push_str(text);
    if !text.is_empty() && !text.ends_with('\n') {
        out.push('\n');
    }
}

/// The kernel's settings.
pub fn sysctls() -> String {
    let mut out = String::new();
    let mut line = |name: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(out, "{name} {}", text.trim());
        }
    };
    for name in SYSCTLS {
        line(name, &read(&format!("/proc/sys/vm/{name}")));
    }
    line("numa_balancing", &read("/proc/sys/kernel/numa_balancing"));
    let huge = |name| read(&format!("/sys/kernel/mm/transparent_hugepage/{name}"));
    let lru = |name| read(&format!("/sys/kernel/mm/lru_gen/{name}"));
    let (enabled, defrag, on) = (huge("enabled"), huge("defrag"), lru("enabled"));
    line(
        "thp",
        &format!(
            "{} defrag {} lru_gen {}",
            enabled.trim(),
            defrag.trim(),
            on.trim()
        ),
    );
    line("lru_gen_min_ttl_ms", &lru("min_ttl_ms"));
    for name in BALANCING {
        let old = read(&format!("/proc/sys/kernel/numa_balancing_{name}"));
        let new = read(&format!("/sys/kernel/debug/sched/numa_balancing/{name}"));
        line(&format!("numa_balancing_{name}"), &(old + &new));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_has_the_sections_that_a_twin_reads() {
        let text = take(1);
        for name in ["zoneinfo", "vmstat", "buddyinfo", "swaps", "numastat"] {
            assert!(text.contains(&format!("=== {name}\n")), "{name}");
        }
        assert!(text.contains("\nnr_free_pages "));
    }

    #[test]
    fn names_the_settings_without_their_folder() {
        let text = sysctls();
        assert!(
            text.lines().any(|line| line.starts_with("swappiness ")),
            "{text}"
        );
        assert!(text.lines().any(|line| line.starts_with("thp ")), "{text}");
    }
}
