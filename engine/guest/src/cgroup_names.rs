//! The names of memory cgroups as names of folders and files.

use facts::view::Refusal;
use facts::workload::Groups;

/// The parts before the first dot of the files that the kernel has in the folders of cgroups.
const KERNEL_FILES: [&str; 11] = [
    "cgroup", "cpu", "cpuset", "debug", "hugetlb", "io", "irq", "memory", "misc", "pids", "rdma",
];

/// The name of a cgroup as a name of a file or folder.
pub fn cgroup_file(cgroup: &str) -> String {
    cgroup.replace('/', "-")
}

/// Lists the cgroups whose names cannot be names of folders, or whose folder and samples would have the same
/// name as those of a cgroup before them. The guest program does not run a workload that has one.
pub fn refused_names(groups: &Groups) -> Vec<Refusal> {
    let reasons = groups.all.iter().enumerate().filter_map(|(i, group)| {
        let file = cgroup_file(&group.name);
        let before = &groups.all[..i];
        let same = before.iter().find(|other| cgroup_file(&other.name) == file);
        let reason = match same {
            Some(other) => format!(
                "'{}' and '{}' both have the folder name '{file}': rename one of them",
                other.name, group.name
            ),
            None => unusable(&file)?,
        };
        Some(Refusal {
            path: format!("workload.cgroups[{i}].name"),
            reason,
        })
    });
    reasons.collect()
}

/// Why a folder of a cgroup cannot have this name.
fn unusable(file: &str) -> Option<String> {
    let is_relative = [".", ".."].contains(&file);
    let is_of_kernel = file
        .split_once('.')
        .is_some_and(|(first, _)| KERNEL_FILES.contains(&first));
    (is_relative || is_of_kernel || file.contains(['\0', '\n'])).then(|| {
        let name = file.escape_default();
        format!(
            "'{name}' cannot be the name of a folder of the cgroup file system: choose another name"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::index::GroupIndex;
    use facts::workload::{Group, GroupLimits, UNLIMITED};

    fn refused(names: &[&str]) -> Vec<(String, String)> {
        let group = |(i, name): (usize, &&str)| Group {
            name: name.to_string(),
            // A chain: each has another parent.
            parent: GroupIndex::new(i as u8),
            limits: GroupLimits {
                max: UNLIMITED,
                high: UNLIMITED,
                low: 0,
                min: 0,
                swap_max: UNLIMITED,
            },
            oom_group: false,
        };
        let groups = Groups {
            all: names.iter().enumerate().map(group).collect(),
            recursive: false,
        };
        let refused = refused_names(&groups).into_iter();
        refused.map(|r| (r.path, r.reason)).collect()
    }

    #[test]
    fn accepts_names_of_folders() {
        assert_eq!(cgroup_file("web/api"), "web-api");
        assert_eq!(
            refused(&["web/api", "web", "memory", "box.slice", "..."]),
            []
        );
    }

    #[test]
    fn refuses_two_names_of_one_folder() {
        let found = refused(&["web/api", "box", "web-api"]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, "workload.cgroups[2].name");
        assert!(found[0].1.contains("'web/api' and 'web-api'"), "{found:?}");
    }

    #[test]
    fn refuses_names_that_the_cgroup_file_system_does_not_allow() {
        for name in [".", "..", "cgroup.procs", "memory.max", "a\nb", "a\0b"] {
            let found = refused(&["box", name]);
            assert_eq!(found.len(), 1, "{name:?}: {found:?}");
            assert_eq!(found[0].0, "workload.cgroups[1].name");
        }
    }
}
