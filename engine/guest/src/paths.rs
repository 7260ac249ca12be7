//! The files of a running kernel that control operations and tunables.

/// Dropping caches.
pub const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";
/// Compacting memory.
pub const COMPACT_MEMORY: &str = "/proc/sys/vm/compact_memory";
/// The pool of huge pages.
pub const NR_HUGEPAGES: &str = "/proc/sys/vm/nr_hugepages";

/// The files in which a tunable can be: a kernel has at most one of them. The periods of NUMA balancing moved
/// from /proc/sys to debugfs in 5.13.
pub fn tunable_path(name: &str) -> Vec<String> {
    if name == "transparent_hugepage" {
        return vec!["/sys/kernel/mm/transparent_hugepage/enabled".to_string()];
    }
    if name.starts_with("lru_gen.") {
        return vec![format!("/sys/kernel/mm/{}", name.replace('.', "/"))];
    }
    let mut paths = vec![format!("/proc/sys/{}", name.replace('.', "/"))];
    if let Some(rest) = name.strip_prefix("kernel.numa_balancing_") {
        paths.push(format!("/sys/kernel/debug/sched/numa_balancing/{rest}"));
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_file_of_a_tunable() {
        assert_eq!(tunable_path("vm.swappiness"), ["/proc/sys/vm/swappiness"]);
        assert_eq!(
            tunable_path("transparent_hugepage"),
            ["/sys/kernel/mm/transparent_hugepage/enabled"]
        );
        assert_eq!(
            tunable_path("lru_gen.enabled"),
            ["/sys/kernel/mm/lru_gen/enabled"]
        );
        assert_eq!(
            tunable_path("kernel.numa_balancing_scan_delay_ms"),
            [
                "/proc/sys/kernel/numa_balancing_scan_delay_ms",
                "/sys/kernel/debug/sched/numa_balancing/scan_delay_ms"
            ]
        );
        assert_eq!(
            tunable_path("kernel.numa_balancing"),
            ["/proc/sys/kernel/numa_balancing"]
        );
    }
}
