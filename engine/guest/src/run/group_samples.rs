//! The files of each memory cgroup at equal intervals (`memcg-NAME.csv`). All memory is reserved before the run.

use std::fmt::Write;
use std::path::Path;

use super::cgroups::Cgroups;
use super::sample::{Seconds, Source, touched};

/// The rows of memory.events; a kernel may have more.
const EVENTS: [&str; 6] = ["low", "high", "max", "oom", "oom_kill", "oom_group_kill"];
/// The maximum number of bytes that are read of a file.
const LARGEST: usize = 8 << 10;
/// The number of bytes reserved for each column of a row.
const CELL: usize = 6;
/// The maximum memory reserved for one cgroup, bytes.
const MOST: usize = 4 << 20;

/// The samples of all cgroups.
#[derive(Debug, Default)]
pub struct GroupSamples(Vec<Samples>);

/// The samples of one cgroup.
#[derive(Debug)]
struct Samples {
    /// The name of its file in the capture.
    name: String,
    current: Source,
    swap: Source,
    events: Source,
    stat: Source,
    rows: String,
}

impl GroupSamples {
    /// Samples with memory for this many rows.
    pub fn new(cgroups: &Cgroups, count: u64) -> GroupSamples {
        let of = |(name, folder)| Samples::new(name, folder, count);
        GroupSamples(cgroups.all().map(of).collect())
    }

    /// Takes a sample of each cgroup.
    pub fn take(&mut self, seconds: Seconds) {
        for samples in &mut self.0 {
            samples.take(seconds);
        }
    }

    /// The files of the capture.
    pub fn files(self) -> impl Iterator<Item = (String, Vec<u8>)> {
        self.0
            .into_iter()
            .map(|samples| (samples.name, samples.rows.into_bytes()))
    }
}

impl Samples {
    fn new(name: &str, folder: &Path, count: u64) -> Samples {
        let source = |file: &str| Source::new(&folder.join(file).to_string_lossy(), LARGEST);
        let mut stat = source("memory.stat");
        let mut columns = vec!["mono_s", "memory.current", "memory.swap.current"];
        columns.extend(EVENTS);
        let names = stat
            .read()
            .lines()
            .filter_map(|line| line.split(' ').next());
        columns.extend(names);
        let bytes = usize::try_from(count).map_or(MOST, |n| (n * columns.len() * CELL).min(MOST));
        let mut rows = touched(bytes + LARGEST);
        let _ = writeln!(rows, "{}", columns.join(","));
        Samples {
            name: format!("memcg-{}.csv", guest::cgroup_file(name)),
            current: source("memory.current"),
            swap: source("memory.swap.current"),
            events: source("memory.events"),
            stat,
            rows,
        }
    }

    fn take(&mut self, seconds: Seconds) {
        let _ = write!(self.rows, "{seconds}");
        for size in [&mut self.current, &mut self.swap] {
            cell(&mut self.rows, size.read());
        }
        let events = self.events.read();
        for name in EVENTS {
            let count = events.lines().find_map(|line| {
                let (row, count) = line.split_once(' ')?;
                (row == name).then_some(count)
            });
            cell(&mut self.rows, count.unwrap_or(""));
        }
        for line in self.stat.read().lines() {
            cell(&mut self.rows, line.split(' ').nth(1).unwrap_or(""));
        }
        self.rows.push('\n');
    }
}

/// Appends a number; 0 for what the kernel does not have.
fn cell(row: &mut String, text: &str) {
    let _ = write!(row, ",{}", text.trim().parse::<u64>().unwrap_or(0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_a_number_for_each_column() {
        let folder = std::env::temp_dir().join(format!("mmscope-cgroup-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.join(name), text).expect("a file");
        };
        write("memory.current", "8192\n");
        write("memory.events", "low 0\nhigh 3\nmax 7\noom 0\noom_kill 0\n");
        write("memory.stat", "anon 4096\nfile 0\npgscan 65\n");
        let mut samples = Samples::new("web/api", &folder, 2);
        samples.take(Seconds(1_500_600_000));
        std::fs::remove_dir_all(&folder).expect("the folder");
        assert_eq!(samples.name, "memcg-web-api.csv");
        assert_eq!(
            samples.rows,
            "mono_s,memory.current,memory.swap.current,low,high,max,oom,oom_kill,oom_group_kill,anon,file,pgscan\n\
             1.501,8192,0,0,3,7,0,0,0,4096,0,65\n"
        );
    }
}
