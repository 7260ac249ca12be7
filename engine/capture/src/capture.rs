//! A captured run of a real kernel, from its files.
//!
//! Read: the two moments (`before.txt`, `after.txt`), the guest's shape and workload (`shape.json`, and
//! `workload.json` for a workload of mmscope), its sysctls (`sysctl.txt`), its distributions
//! (`summary.json`), the output of its programs (`workload.log`).
//! Left out: the trace itself (`trace.txt.gz`): the summary counts all of it, the file has only its
//! first lines. `samples.csv` is for people.

use std::collections::BTreeMap;
use std::fmt::Display;

use mm::kernel::{self, Kernel, Lack, MULTIGEN};
use serde_json::Value;

use crate::fault::{Outcome, at_line, in_file};
use crate::files::Files;
use crate::log::Log;

/// The file that describes the guest.
const SHAPE: &str = "shape.json";

/// Counters by name.
pub type Counters = BTreeMap<String, i64>;

/// A captured run.
#[derive(Debug)]
pub struct Capture {
    /// Name of the run.
    pub name: String,
    /// The kernel variant that represents the guest's kernel.
    pub kernel: &'static Kernel,
    /// The guest's kernel by its own name.
    pub release: String,
    /// `x86_64` or `ppc64el`.
    pub arch: String,
    /// KiB in a page.
    pub page_kib: u32,
    /// `wl=hog hogmb=600` and similar.
    pub workload: Workload,
    /// Rate of the disk that holds the files, bytes a second.
    pub data_rate: Option<u64>,
    /// Rate of the swap disk, bytes a second.
    pub swap_rate: Option<u64>,
    /// Swap space, KiB; 0 for none.
    pub swap_kib: u64,
    /// Sysctls of the guest by their names without `vm.`.
    pub sysctls: BTreeMap<String, String>,
    /// `/sys/kernel/mm/transparent_hugepage/enabled`: always, madvise or never.
    pub thp: String,
    /// Was the multi-generational LRU switched on?
    pub lru_gen: bool,
    /// CPUs of each node, in order.
    pub cpus: Vec<u16>,
    /// The moment just before the workload.
    pub before: Moment,
    /// The moment just after the workload.
    pub after: Moment,
    /// The trace between them, summarized.
    pub summary: Value,
    /// The output of its programs; empty if it is lost.
    pub log: Log,
    /// The workload as mmscope describes workloads, and how many seconds it ran, if the guest was given
    /// it so.
    pub ours: Option<Ours>,
}

/// A workload of mmscope as the guest ran it (`workload.json`, `length` of `shape.json`).
#[derive(Debug)]
pub struct Ours {
    /// Its processes.
    pub processes: Vec<Value>,
    /// Its files.
    pub files: Vec<Value>,
    /// When all its remaining processes were killed: "30s" after it began; none if it ended by itself.
    pub length: Option<String>,
}

impl Ours {
    fn read(files: &Files, shape: &Value) -> Outcome<Option<Ours>> {
        let file = "workload.json";
        if files.get(file).is_none() {
            return Ok(None);
        }
        let workload = json(files, file)?;
        let list = |name: &str| workload[name].as_array().cloned().unwrap_or_default();
        let processes = list("processes");
        if processes.is_empty() {
            return Err(in_file(file, "processes: none"));
        }
        Ok(Some(Ours {
            processes,
            files: list("files"),
            length: shape["length"].as_str().map(str::to_string),
        }))
    }
}

/// The files of /proc at one moment.
#[derive(Debug)]
pub struct Moment {
    /// The whole text.
    pub text: String,
    /// /proc/vmstat.
    pub vmstat: Counters,
}

/// A workload as the guest was given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// Its numbers.
    pub numbers: BTreeMap<String, u64>,
}

impl Display for Workload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)?;
        self.numbers
            .iter()
            .try_for_each(|(k, n)| write!(f, " {k}={n}"))
    }
}

impl Workload {
    fn parse(text: &str) -> Outcome<Workload> {
        let mut name = None;
        let mut numbers = BTreeMap::new();
        for word in text.split_whitespace() {
            let Some((key, value)) = word.split_once('=') else {
                return Err(in_file(
                    SHAPE,
                    format!("workload_parameters: {word:?} is not name=value"),
                ));
            };
            if key == "wl" {
                name = Some(value.to_string());
            } else if let Ok(n) = value.parse() {
                numbers.insert(key.to_string(), n);
            }
        }
        let name = name.ok_or_else(|| in_file(SHAPE, "workload_parameters: wl= is missing"))?;
        Ok(Workload { name, numbers })
    }

    /// A number among its parameters.
    ///
    /// # Errors
    /// The parameter is missing.
    pub fn number(&self, name: &str) -> Outcome<u64> {
        let reason = || in_file(SHAPE, format!("workload {}: {name}= is missing", self.name));
        self.numbers.get(name).copied().ok_or_else(reason)
    }

    /// A number among its parameters, or its default.
    pub fn number_or(&self, name: &str, otherwise: u64) -> u64 {
        self.numbers.get(name).copied().unwrap_or(otherwise)
    }
}

impl Moment {
    fn read(files: &Files, name: &str) -> Outcome<Moment> {
        let text = files.need(name)?.to_string();
        let vmstat = vmstat(section(&text, "vmstat").unwrap_or(""));
        if vmstat.is_empty() {
            return Err(in_file(name, "there is no section \"=== vmstat\""));
        }
        Ok(Moment { text, vmstat })
    }

    /// A section of the text.
    pub fn section(&self, name: &str) -> &str {
        section(&self.text, name).unwrap_or("")
    }
}

impl Capture {
    /// Reads the files of a run.
    ///
    /// # Errors
    /// A file that is missing or has unknown contents.
    pub fn read(files: &Files) -> Outcome<Capture> {
        let shape = json(files, SHAPE)?;
        let word = |field: &str| {
            let found = shape[field].as_str().map(str::to_string);
            found.ok_or_else(|| in_file(SHAPE, format!("{field}: missing")))
        };
        let release = word("kernel")?;
        let vcpus = shape["vcpus"].as_u64().unwrap_or(1);
        let before = Moment::read(files, "before.txt")?;
        let sysctl = files.need("sysctl.txt")?;
        let (thp, lru_gen) = thp_and_lru(sysctl);
        Ok(Capture {
            name: word("name")?,
            kernel: variant(&release)?,
            release,
            arch: word("arch")?,
            page_kib: page_kib(&shape).ok_or_else(|| in_file(SHAPE, "page_size: 4096 or 65536"))?,
            workload: Workload::parse(&word("workload_parameters")?)?,
            data_rate: shape["data_disk_bytes_per_s"].as_u64(),
            swap_rate: shape["swap_disk_bytes_per_s"].as_u64(),
            swap_kib: swap_kib(before.section("swaps")),
            sysctls: sysctls(sysctl),
            thp,
            lru_gen,
            cpus: cpus(&shape, vcpus),
            after: Moment::read(files, "after.txt")?,
            before,
            summary: json(files, "summary.json")?,
            log: Log::parse(files.get("workload.log").unwrap_or_default()),
            ours: Ours::read(files, &shape)?,
        })
    }

    /// The number of orders of free blocks: the columns in the first line of /proc/buddyinfo.
    pub fn orders(&self) -> u32 {
        let line = self.before.section("buddyinfo").lines().next();
        let columns = line.map_or(0, |line| line.split_whitespace().count());
        columns.saturating_sub(4) as u32
    }

    /// Free pages of a zone on the lists of a migrate type, before the workload; 0 if
    /// /proc/pagetypeinfo is missing.
    pub fn free_of_type(&self, node: u16, zone: &str, kind: &str) -> u64 {
        let lines = self.before.section("pagetypeinfo").lines();
        let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
        // Node 0, zone DMA, type Unmovable, then the numbers of blocks.
        let head = [
            "Node".to_string(),
            format!("{node},"),
            "zone".to_string(),
            format!("{zone},"),
            "type".to_string(),
            kind.to_string(),
        ];
        let mut found = words.filter(|words| words.len() > 6 && words[..6] == head);
        let blocks = found.next().unwrap_or_default();
        let blocks = blocks.iter().skip(6).zip(0u32..);
        blocks
            .filter_map(|(count, order)| Some(count.parse::<u64>().ok()? << order))
            .sum()
    }

    /// What the guest's kernel used and the engine does not have: the multi-generational LRU if it was
    /// switched on, and what this kernel always has.
    pub fn lacks(&self) -> Vec<Lack> {
        let mut found = kernel::lacks(&self.kernel.features);
        found.retain(|lack| *lack != MULTIGEN);
        if self.lru_gen {
            found.insert(0, MULTIGEN);
        }
        found
    }

    /// The counts of the real kernel between the two moments.
    pub fn counted(&self) -> Counters {
        difference(&self.before.vmstat, &self.after.vmstat)
    }
}

/// Later minus earlier, for every name of either.
pub fn difference(before: &Counters, after: &Counters) -> Counters {
    let names = before.keys().chain(after.keys());
    let of = |counters: &Counters, name: &String| counters.get(name).copied().unwrap_or(0);
    names
        .map(|name| (name.clone(), of(after, name) - of(before, name)))
        .collect()
}

fn json(files: &Files, name: &str) -> Outcome<Value> {
    let not_json =
        |error: serde_json::Error| at_line(name, error.line(), format!("not JSON: {error}"));
    serde_json::from_str(files.need(name)?).map_err(not_json)
}

/// The lines from `=== name` to the next section.
fn section<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let head = format!("=== {name}\n");
    let start = text.find(&head)? + head.len();
    let rest = &text[start..];
    Some(rest.find("\n=== ").map_or(rest, |end| &rest[..=end]))
}

/// Counters of a /proc/vmstat.
pub fn vmstat(text: &str) -> Counters {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines
        .filter_map(|(name, value)| Some((name.to_string(), value.trim().parse().ok()?)))
        .collect()
}

/// The kernel variant of a release: `6.1.0-50-amd64` is 6.1.
fn variant(release: &str) -> Outcome<&'static Kernel> {
    let known = ["5.10", "6.1", "6.12"];
    let mut parts = release.split('.');
    let series = [parts.next(), parts.next()].map(Option::unwrap_or_default);
    let id = series.join(".");
    let found = known.contains(&id.as_str()).then(|| kernel::find(&id));
    found.flatten().ok_or_else(|| {
        in_file(
            SHAPE,
            format!("kernel: {release:?} is none of {}", known.join(", ")),
        )
    })
}

fn page_kib(shape: &Value) -> Option<u32> {
    match shape["page_size"].as_u64() {
        Some(4096) => Some(4),
        Some(65536) => Some(64),
        _ => None,
    }
}

/// CPUs of each node: `node_cpus` as `0-1` or `0`, or all on the only node.
fn cpus(shape: &Value, vcpus: u64) -> Vec<u16> {
    let count = |list: &Value| {
        let ranges = list.as_str().unwrap_or("").split(',');
        let len = |range: &str| match range.split_once('-') {
            Some((a, b)) => Some(b.parse::<u16>().ok()? - a.parse::<u16>().ok()? + 1),
            None => range.parse::<u16>().ok().map(|_| 1),
        };
        ranges.filter_map(len).sum()
    };
    match shape["node_cpus"].as_object().filter(|map| !map.is_empty()) {
        Some(nodes) => nodes.values().map(count).collect(),
        None => vec![vcpus as u16],
    }
}

/// The sum of the sizes in /proc/swaps.
fn swap_kib(swaps: &str) -> u64 {
    let sizes = swaps.lines().skip(1);
    let size = |line: &str| line.split_whitespace().nth(2)?.parse::<u64>().ok();
    sizes.filter_map(size).sum()
}

/// The lines `name value` up to the one about huge pages.
fn sysctls(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let words = |value: &str| value.split_whitespace().collect::<Vec<_>>().join(" ");
    lines
        .filter(|(name, _)| *name != "thp")
        .map(|(name, value)| (name.to_string(), words(value)))
        .collect()
}

/// `thp always madvise [never] defrag ... lru_gen 0x0000`: the word in brackets, and whether the
/// multi-generational LRU is on.
fn thp_and_lru(sysctl: &str) -> (String, bool) {
    let line = sysctl.lines().find(|line| line.starts_with("thp "));
    let mut words = line.unwrap_or("").split_whitespace();
    let chosen = words
        .clone()
        .find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    // A kernel without it prints nothing after the name.
    let lru_gen =
        words.any(|word| word == "lru_gen") && words.next().is_some_and(|on| on != "0x0000");
    (chosen.unwrap_or("never").to_string(), lru_gen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_and_its_counters_are_read() {
        let text = "=== zoneinfo\nNode 0\n=== vmstat\na 1\nb -2\n=== swaps\nx\n";
        assert_eq!(section(text, "vmstat"), Some("a 1\nb -2\n"));
        assert_eq!(section(text, "swaps"), Some("x\n"));
        assert_eq!(section(text, "none"), None);
        let counters = vmstat("a 1\nb -2\n");
        assert_eq!(counters["b"], -2);
        let later = vmstat("a 5\nc 3\n");
        let moved = difference(&counters, &later);
        assert_eq!((moved["a"], moved["b"], moved["c"]), (4, 2, 3));
    }

    #[test]
    fn the_release_of_a_guest_names_the_kernel_variant() {
        let id = |release| variant(release).map(|kernel| kernel.id);
        assert_eq!(id("6.1.0-50-amd64 (Debian 6.1.176-1)"), Ok("6.1"));
        assert_eq!(id("6.12.95+deb12-amd64"), Ok("6.12"));
        assert_eq!(id("5.10.0-46-amd64"), Ok("5.10"));
        assert!(id("5.15.0").is_err());
        assert!(id("").is_err());
    }

    #[test]
    fn thp_sysctls_and_swap_of_a_guest_are_read() {
        let thp = "thp always madvise [never] defrag [always] lru_gen 0x0000";
        assert_eq!(thp_and_lru(thp), ("never".to_string(), false));
        assert!(!thp_and_lru("thp always madvise [never] lru_gen ").1);
        assert!(thp_and_lru("swappiness 60\nthp [always] lru_gen 0x0007").1);
        let set = sysctls("swappiness 60\nlowmem_reserve_ratio 256\t256\t32\nthp [x]\n");
        assert_eq!(set["lowmem_reserve_ratio"], "256 256 32");
        assert!(!set.contains_key("thp"));
        let swaps = "Filename Type Size Used Priority\nvdb partition 1048572 0 -2\n";
        assert_eq!(swap_kib(swaps), 1_048_572);
        let two = serde_json::json!({"node_cpus": {"0": "0-1", "1": "2"}});
        assert_eq!(cpus(&two, 3), [2, 1]);
        assert_eq!(cpus(&serde_json::json!({"node_cpus": {}}), 4), [4]);
    }

    #[test]
    fn a_workload_has_a_name_and_numbers() {
        let w = Workload::parse("wl=hog hogmb=600 sysctl=a:1").expect("a workload");
        assert_eq!((w.name.as_str(), w.number("hogmb")), ("hog", Ok(600)));
        assert!(w.number("filemb").is_err());
        assert!(Workload::parse("hogmb=1").is_err());
        assert!(Workload::parse("hog").is_err());
    }
}
