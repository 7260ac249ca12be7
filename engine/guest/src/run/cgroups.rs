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
    /// The name of each and its folder, in order of their index, which begins at 1. A cgroup that could not be
    /// made has no folder.
    made: Vec<(String, Option<PathBuf>)>,
    page_bytes: u64,
}

impl Cgroups {
    /// Makes the cgroups of a workload and writes their limits. The first process mounts the file system.
    pub fn make(
        groups: &Groups,
        page_bytes: usize,
        is_first: bool,
        messages: &mut Messages,
    ) -> Cgroups {
        let mut out = Cgroups {
            made: Vec::new(),
            page_bytes: page_bytes as u64,
        };
        if groups.all.is_empty() {
            return out;
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
        for group in &groups.all {
            let made = out.make_one(group, messages);
            let folder = messages.check(&format!("make cgroup {}", group.name), made);
            out.made.push((group.name.clone(), folder));
        }
        out
    }

    /// Makes one cgroup inside its parent, which distributes memory to its children from then on.
    fn make_one(&self, group: &Group, messages: &mut Messages) -> io::Result<PathBuf> {
        let parent = match group.parent.is_root() {
            true => PathBuf::from(TOP),
            false => self
                .folder(group.parent)
                .ok_or(ErrorKind::NotFound)?
                .to_path_buf(),
        };
        write_in(&parent, "cgroup.subtree_control", "+memory")?;
        let folder = parent.join(file_name(&group.name));
        fs::create_dir(&folder)?;
        let limits = &group.limits;
        let given = [
            ("memory.min", limits.min, 0),
            ("memory.low", limits.low, 0),
            ("memory.swap.max", limits.swap_max, UNLIMITED),
            ("memory.high", limits.high, UNLIMITED),
            ("memory.max", limits.max, UNLIMITED),
        ];
        for (file, pages, at_first) in given {
            if pages != at_first {
                let written = write_in(&folder, file, &self.limit(pages));
                messages.check(&format!("{file} of cgroup {}", group.name), written);
            }
        }
        if group.oom_group {
            let written = write_in(&folder, "memory.oom.group", "1");
            messages.check(
                &format!("memory.oom.group of cgroup {}", group.name),
                written,
            );
        }
        Ok(folder)
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
        self.made.get(place)?.1.as_deref()
    }

    /// The name of each cgroup that was made, and its folder.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.made
            .iter()
            .filter_map(|(name, folder)| Some((name.as_str(), folder.as_deref()?)))
    }

    /// Moves the running process to a cgroup. In the root it stays in the cgroup of its parent process, as in
    /// the engine.
    pub fn enter(&self, group: GroupIndex) -> io::Result<()> {
        match self.folder(group) {
            Some(folder) => write_in(folder, "cgroup.procs", "0"),
            None => Ok(()),
        }
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
            if let Some(folder) = folder {
                messages.check(&format!("remove cgroup {name}"), fs::remove_dir(folder));
            }
        }
    }
}

fn write_in(folder: &Path, file: &str, value: &str) -> io::Result<()> {
    control::write(&folder.join(file).to_string_lossy(), value)
}

/// The name of a cgroup as a name of a file or folder.
pub fn file_name(cgroup: &str) -> String {
    cgroup.replace('/', "-")
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

    fn cgroups() -> Cgroups {
        Cgroups {
            made: vec![("web/api".to_string(), None)],
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
        assert_eq!(file_name("web/api"), "web-api");
    }

    #[test]
    fn a_cgroup_that_was_not_made_is_neither_entered_nor_written() {
        let group = GroupIndex::new(1);
        assert!(cgroups().enter(group).is_ok());
        assert!(cgroups().write(group, CgroupFile::Max, 1).is_err());
    }
}
