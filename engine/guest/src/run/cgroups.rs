//! The memory cgroups of a workload: folders of the cgroup file system, version 2.
//!
//! Modelled: the tree, limits and protection, memory.oom.group, and the processes of each cgroup. Left out:
//! other controllers. Invariants: no limit is written to a cgroup that existed before the run.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use facts::index::GroupIndex;
use facts::intervention::CgroupFile;
use facts::workload::{Group, Groups, UNLIMITED};

use super::control;
use super::report::Messages;
use super::sys;

/// Where the cgroup file system is mounted.
const TOP: &str = "/sys/fs/cgroup";

/// The cgroups that were made for a run.
#[derive(Debug, Default)]
pub struct Cgroups {
    /// The name of each and its folder, in order of their index, which begins at 1.
    made: Vec<(String, PathBuf)>,
    page_bytes: u64,
}

impl Cgroups {
    /// Makes the cgroups of a workload and writes their limits. The first process mounts the file system.
    ///
    /// # Errors
    /// A cgroup cannot be made, or a limit cannot be written: its processes would run without a limit. The
    /// cgroups that were made before are removed.
    pub fn make(
        groups: &Groups,
        page_bytes: usize,
        is_first: bool,
        messages: &mut Messages,
    ) -> Result<Cgroups, String> {
        if groups.all.is_empty() {
            return Ok(Cgroups::default());
        }
        if let Some(refused) = guest::refused_names(groups).first() {
            return Err(format!("{}: {}", refused.path, refused.reason));
        }
        if is_first {
            let options = if groups.recursive {
                "memory_recursiveprot"
            } else {
                ""
            };
            let mounted = sys::mount("cgroup2", TOP, "cgroup2", options);
            messages.check("mount the cgroup file system", mounted);
        }
        Cgroups::make_in(Path::new(TOP), groups, page_bytes, messages)
    }

    /// Makes the cgroups in the folder of the root.
    fn make_in(
        top: &Path,
        groups: &Groups,
        page_bytes: usize,
        messages: &mut Messages,
    ) -> Result<Cgroups, String> {
        let mut out = Cgroups {
            made: Vec::new(),
            page_bytes: page_bytes as u64,
        };
        for group in &groups.all {
            if let Err(reason) = out.make_one(top, group) {
                out.remove(messages);
                let name = &group.name;
                return Err(format!(
                    "cgroup {name}: {reason}; cgroups need root and the memory controller of cgroup version 2"
                ));
            }
        }
        Ok(out)
    }

    /// Makes one cgroup inside its parent, which distributes memory to its children from then on.
    fn make_one(&mut self, top: &Path, group: &Group) -> Result<(), String> {
        let parent = match group.parent.is_root() {
            true => top,
            false => self.folder(group.parent).ok_or("its parent is missing")?,
        };
        let folder = parent.join(guest::cgroup_file(&group.name));
        write_in(parent, "cgroup.subtree_control", "+memory")
            .map_err(|error| format!("cgroup.subtree_control of its parent: {error}"))?;
        fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        self.made.push((group.name.clone(), folder.clone()));
        let limits = &group.limits;
        let given = [
            ("memory.min", limits.min, 0),
            ("memory.low", limits.low, 0),
            ("memory.swap.max", limits.swap_max, UNLIMITED),
            ("memory.high", limits.high, UNLIMITED),
            ("memory.max", limits.max, UNLIMITED),
        ];
        let write = |file: &str, value: &str| {
            write_in(&folder, file, value).map_err(|error| format!("{file}: {error}"))
        };
        for (file, pages, at_first) in given {
            if pages != at_first {
                write(file, &self.limit(pages))?;
            }
        }
        match group.oom_group {
            true => write("memory.oom.group", "1"),
            false => Ok(()),
        }
    }

    /// A limit in pages as the kernel reads it.
    fn limit(&self, pages: u32) -> String {
        match pages {
            UNLIMITED => "max".to_string(),
            pages => (u64::from(pages) * self.page_bytes).to_string(),
        }
    }

    fn folder(&self, group: GroupIndex) -> Option<&Path> {
        let place = group.index().checked_sub(1)?;
        Some(&self.made.get(place)?.1)
    }

    /// The name of each cgroup and its folder.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.made
            .iter()
            .map(|(name, folder)| (name.as_str(), folder.as_path()))
    }

    /// Moves the running process to a cgroup. In the root it stays in the cgroup of its parent process, as in
    /// the engine.
    pub fn enter(&self, group: GroupIndex) -> io::Result<()> {
        if group.is_root() {
            return Ok(());
        }
        let folder = self.folder(group).ok_or(ErrorKind::NotFound)?;
        write_in(folder, "cgroup.procs", "0")
    }

    /// Writes a file of a cgroup.
    pub fn write(&self, group: GroupIndex, file: CgroupFile, pages: u32) -> io::Result<()> {
        let folder = self.folder(group).ok_or(ErrorKind::NotFound)?;
        write_in(folder, name_of(file), &self.limit(pages))
    }

    /// The words of an intervention in the log.
    pub fn words(&self, group: GroupIndex, file: CgroupFile, pages: u32) -> String {
        let made = group
            .index()
            .checked_sub(1)
            .and_then(|at| self.made.get(at));
        let name = made.map_or("", |(name, _)| name);
        format!("cgroup {name} {}={}", name_of(file), self.limit(pages))
    }

    /// Removes the cgroups. Their processes have ended.
    pub fn remove(&self, messages: &mut Messages) {
        for (name, folder) in self.made.iter().rev() {
            messages.check(&format!("remove cgroup {name}"), fs::remove_dir(folder));
        }
    }
}

fn write_in(folder: &Path, file: &str, value: &str) -> io::Result<()> {
    control::write(&folder.join(file).to_string_lossy(), value)
}

fn name_of(file: CgroupFile) -> &'static str {
    match file {
        CgroupFile::Max => "memory.max",
        CgroupFile::High => "memory.high",
        CgroupFile::Low => "memory.low",
        CgroupFile::Min => "memory.min",
        CgroupFile::SwapMax => "memory.swap.max",
        CgroupFile::Reclaim => "memory.reclaim",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::workload::GroupLimits;

    fn cgroups() -> Cgroups {
        Cgroups {
            made: vec![("web/api".to_string(), PathBuf::from("/missing"))],
            page_bytes: 4096,
        }
    }

    #[test]
    fn writes_limits_in_bytes() {
        assert_eq!(cgroups().limit(25_600), "104857600");
        assert_eq!(cgroups().limit(UNLIMITED), "max");
    }

    #[test]
    fn the_log_names_the_cgroup_and_the_file() {
        let words = cgroups().words(GroupIndex::new(1), CgroupFile::High, 2);
        assert_eq!(words, "cgroup web/api memory.high=8192");
    }

    #[test]
    fn a_cgroup_without_a_folder_is_neither_entered_nor_written() {
        for group in [GroupIndex::new(1), GroupIndex::new(2)] {
            assert!(cgroups().enter(group).is_err(), "{group}");
            assert!(cgroups().write(group, CgroupFile::Max, 1).is_err());
        }
        assert!(cgroups().enter(GroupIndex::ROOT).is_ok());
    }

    fn group(name: &str, parent: GroupIndex, max: u32) -> Group {
        let limits = GroupLimits {
            max,
            high: UNLIMITED,
            low: 0,
            min: 0,
            swap_max: UNLIMITED,
        };
        Group {
            name: name.to_string(),
            parent,
            limits,
            oom_group: false,
        }
    }

    /// The folder stands in for the cgroup file system, in which a new folder has the kernel's files.
    #[test]
    fn refuses_a_run_whose_cgroups_cannot_be_made() {
        let top = std::env::temp_dir().join(format!("mmscope-cgroups-{}", std::process::id()));
        fs::create_dir(&top).expect("a folder");
        let make = |max| {
            let all = vec![group("a", GroupIndex::ROOT, max)];
            let groups = Groups {
                all,
                recursive: false,
            };
            Cgroups::make_in(&top, &groups, 4096, &mut Messages::default())
        };
        let refused = make(UNLIMITED).expect_err("no controller");
        assert!(
            refused.starts_with("cgroup a: cgroup.subtree_control"),
            "{refused}"
        );
        fs::write(top.join("cgroup.subtree_control"), "").expect("a file");
        let refused = make(9).expect_err("no limit");
        assert!(refused.starts_with("cgroup a: memory.max"), "{refused}");
        assert!(!top.join("a").exists());
        let made = make(UNLIMITED).expect("a cgroup");
        assert_eq!(made.all().count(), 1);
        let refused = make(UNLIMITED).expect_err("it exists");
        assert!(refused.contains("/a: "), "{refused}");
        assert!(top.join("a").exists());
        fs::remove_dir_all(&top).expect("the folder");
    }
}
