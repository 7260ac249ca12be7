//! A captured run of a real kernel, from its files.
//!
//! Read: the two moments (`before.txt`, `after.txt`), the guest's shape and workload (`shape.json`,
//! and `workload.json` for a workload of mmscope), its sysctls (`sysctl.txt`), its distributions
//! (`summary.json`), the output of its programs (`workload.log`), its samples (`samples.csv`). Left
//! out: the trace itself (`trace.txt.gz`): the summary counts the whole trace, while the file has
//! only the first lines. Invariants: if an optional file is missing, the capture has a note.

use std::collections::BTreeMap;
use std::fmt::Display;

use mm::kernel::{self, Kernel, Lack, MULTIGEN};
use mm::procfs::counters::{Counted, difference};
use mm::procfs::lru_gen::LruGenNode;
use serde_json::Value;

use crate::cgroup_counts;
use crate::fault::{Fault, Outcome, at_line, in_file, joined};
use crate::files::Files;
use crate::generations;
use crate::given::Given;
use crate::log::Log;
use crate::moment::Moment;
use crate::samples::Samples;
use crate::sysctl::{Settings, swap_kib};

/// The file that describes the guest.
pub const SHAPE: &str = "shape.json";
/// The maximum number of CPUs of a guest.
const MOST_CPUS: u64 = 1024;

/// A captured run.
#[derive(Debug)]
pub struct Capture {
    /// The name of the run.
    pub name: String,
    /// The kernel variant that represents the guest's kernel, if there is one.
    variant: Option<&'static Kernel>,
    /// The release as the kernel names it.
    pub release: String,
    /// `x86_64` or `ppc64el`.
    pub arch: String,
    /// The page size, KiB.
    pub page_kib: u32,
    /// `wl=hog hogmb=600` and similar.
    pub workload: Workload,
    /// Rate of the disk that holds the files, bytes a second.
    pub data_rate: Option<u64>,
    /// Rate of the swap disk, bytes a second.
    pub swap_rate: Option<u64>,
    /// Swap space, KiB; 0 for none.
    pub swap_kib: u64,
    /// Settings of the guest.
    pub settings: Settings,
    /// `/sys/kernel/mm/transparent_hugepage/enabled`: always, madvise or never.
    pub thp: String,
    /// Bits of `/sys/kernel/mm/lru_gen/enabled`; 0 if the guest ran the classic lists.
    pub lru_gen: u64,
    /// The generations just before the workload ended; empty if the capture has none.
    pub generations: Vec<LruGenNode>,
    /// What the memory cgroups of the workload counted; empty if it has none.
    pub cgroups: cgroup_counts::AtEnd,
    /// CPUs of each node, in order; empty if the capture does not say.
    pub cpus: Vec<u16>,
    /// Distances between nodes; empty if the capture does not say.
    pub distances: Vec<Vec<u64>>,
    /// The files of /proc just before the workload.
    pub before: Moment,
    /// The files of /proc just after the workload.
    pub after: Moment,
    /// The summary of the trace between both moments; null if it is lost.
    pub summary: Value,
    /// The output of the programs; empty if it is lost.
    pub log: Log,
    /// The seconds of the guest at which the workload began and ended.
    pub span_s: Option<[f64; 2]>,
    /// The workload in mmscope's format, if the guest received it in this format.
    pub given: Option<Given>,
    /// Counters and free pages every fifth of a second.
    pub samples: Option<Samples>,
    /// Ignored or missing data, one sentence each.
    pub notes: Vec<String>,
}

/// A workload as the guest received it.
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

    /// A numeric parameter.
    ///
    /// # Errors
    /// The parameter is missing.
    pub fn number(&self, name: &str) -> Outcome<u64> {
        let reason = || in_file(SHAPE, format!("workload {}: {name}= is missing", self.name));
        self.numbers.get(name).copied().ok_or_else(reason)
    }

    /// A numeric parameter, or its default.
    pub fn number_or(&self, name: &str, otherwise: u64) -> u64 {
        self.numbers.get(name).copied().unwrap_or(otherwise)
    }

    /// A parameter that is a number of processes, or its default.
    ///
    /// # Errors
    /// The number is larger than a workload may start.
    pub fn count(&self, name: &str, otherwise: u64) -> Outcome<usize> {
        let most = u64::from(mm::workload::MAX_TASKS);
        match self.number_or(name, otherwise) {
            count if count <= most => Ok(count as usize),
            count => Err(in_file(
                SHAPE,
                format!("workload_parameters: {name}={count}: at most {most}"),
            )),
        }
    }
}

impl Capture {
    /// Reads the files of a run.
    ///
    /// # Errors
    /// A file is missing, cut off, or has unknown contents. All errors are reported together.
    pub fn read(files: &Files) -> Outcome<Capture> {
        let (shape, before, after) = joined(
            read_json(files, SHAPE),
            Moment::read(files, "before.txt"),
            Moment::read(files, "after.txt"),
        )?;
        after.has_counters_of(&before)?;
        before.has_counters_of(&after)?;
        let mut notes = files.notes.clone();
        let word = |field: &str| {
            let found = shape[field].as_str().map(str::to_string);
            found.ok_or_else(|| in_file(SHAPE, format!("{field}: missing")))
        };
        let release = word("kernel")?;
        let given = Given::read(files, &shape)?;
        let workload = match (&given, shape["workload_parameters"].as_str()) {
            (_, Some(text)) => Workload::parse(text)?,
            (Some(given), None) => Workload::parse(&format!("wl={}", given.id))?,
            (None, None) => return Err(in_file(SHAPE, "workload_parameters: missing")),
        };
        let settings = Settings::parse(useful(files, "sysctl.txt", NO_SYSCTL, &mut notes));
        let variant = variant(&release);
        let lru_gen = lru_gen_bits(&settings, &workload, variant);
        // With a workload of mmscope the log only adds the times of writes.
        let log = match &given {
            Some(_) => files.get("workload.log").unwrap_or_default(),
            None => useful(files, "workload.log", NO_LOG, &mut notes),
        };
        let log = Log::parse(log);
        let summary = optional_json(files, "summary.json", NO_SUMMARY, &mut notes);
        let swap_rate = shape["swap_disk_bytes_per_s"].as_u64();
        if swap_rate.is_some() && before.section("swaps").is_empty() {
            let end = files.get("before.txt").unwrap_or_default().lines().count();
            let reason = "there is no section \"=== swaps\", and the guest has a swap disk; is the file cut off?";
            return Err(at_line("before.txt", end, reason));
        }
        let span_s = span(&shape["workload_s"])
            .or_else(|| log.span_s())
            .or_else(|| span(&summary["span_s"]));
        let end_s = span_s.map(|[_, end]| end);
        let generations = generations::at_end(files, &after, end_s, &mut notes);
        let groups = given
            .as_ref()
            .map(|given| given.cgroups.clone())
            .unwrap_or_default();
        let cgroups = cgroup_counts::at_end(files, &groups, end_s, &mut notes);
        Ok(Capture {
            name: word("name")?,
            variant,
            release,
            arch: word("arch")?,
            page_kib: page_kib(&shape)
                .ok_or_else(|| in_file(SHAPE, "page_size: must be 4096 or 65536"))?,
            workload,
            data_rate: shape["data_disk_bytes_per_s"].as_u64(),
            swap_rate,
            swap_kib: swap_kib(before.section("swaps")),
            thp: settings.thp.clone().unwrap_or_else(|| "never".to_string()),
            settings,
            cpus: cpus(&shape),
            distances: distances(&shape),
            span_s,
            lru_gen,
            generations,
            cgroups,
            samples: Samples::read(files, &mut notes),
            before,
            after,
            summary,
            log,
            given,
            notes,
        })
    }

    /// The kernel variant that represents the guest's kernel.
    ///
    /// # Errors
    /// No variant represents the kernel.
    pub fn kernel(&self) -> Outcome<&'static Kernel> {
        self.variant.ok_or_else(|| no_variant(&self.release))
    }

    /// The id of the kernel variant, if there is one.
    pub fn kernel_id(&self) -> Option<&'static str> {
        self.variant.map(|kernel| kernel.id)
    }

    /// The number of orders of free blocks: the columns in the first line of /proc/buddyinfo.
    pub fn orders(&self) -> u32 {
        let line = self.before.section("buddyinfo").lines().next();
        let columns = line.map_or(0, |line| line.split_whitespace().count());
        columns.saturating_sub(4).min(20) as u32
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
        let counts = blocks.iter().skip(6).zip(0..20u32);
        counts
            // A long list is printed as ">100000".
            .filter_map(|(count, order)| {
                let count: u64 = count.trim_start_matches('>').parse().ok()?;
                count.checked_mul(1 << order)
            })
            .fold(0, u64::saturating_add)
    }

    /// Features that the guest's kernel used and the engine does not have: the multi-generational
    /// LRU if it was switched on, and the features that this kernel always has.
    pub fn lacks(&self) -> Vec<Lack> {
        let mut found = match self.variant {
            Some(kernel) => kernel::lacks(&kernel.features),
            None => Vec::new(),
        };
        found.retain(|lack| *lack != MULTIGEN);
        if self.lru_gen != 0 && !self.models_generations() {
            found.insert(0, MULTIGEN);
        }
        found
    }

    /// Does the engine have the multi-generational LRU of the guest's kernel?
    pub fn models_generations(&self) -> bool {
        self.variant
            .is_some_and(|kernel| kernel.features.lru_gen.is_modelled())
    }

    /// The increase of the real kernel's counters between the two moments.
    pub fn counted(&self) -> Counted {
        difference(&self.before.vmstat, &self.after.vmstat)
    }
}

/// All bits of `lru_gen/enabled`.
const ALL_BITS: u64 = 7;

/// The bits of `lru_gen/enabled`: what the guest printed, else the parameter `mglru` of its workload, else
/// the default of its kernel.
fn lru_gen_bits(settings: &Settings, workload: &Workload, variant: Option<&Kernel>) -> u64 {
    let bits = |is_on: bool| if is_on { ALL_BITS } else { 0 };
    let given = workload.numbers.get("mglru").map(|&on| bits(on != 0));
    let default = variant.is_some_and(|kernel| kernel.features.multi_gen_lru);
    settings.lru_gen.or(given).unwrap_or(bits(default))
}

const NO_SYSCTL: &str =
    "sysctls are the kernel's defaults, and min_free_kbytes is inferred from the zones' marks";
const NO_LOG: &str = "what its programs printed is not known";
const NO_SUMMARY: &str = "the events of the real run are not compared";

/// An optional file of a capture; if it is missing, a note says what is different. A program that
/// printed nothing leaves an empty file.
fn useful<'a>(files: &'a Files, name: &str, without: &str, notes: &mut Vec<String>) -> &'a str {
    files.get(name).unwrap_or_else(|| {
        notes.push(format!("{name} is missing: {without}"));
        ""
    })
}

/// An optional JSON file.
fn optional_json(files: &Files, name: &str, without: &str, notes: &mut Vec<String>) -> Value {
    match files.get(name).map(|_| read_json(files, name)) {
        Some(Ok(value)) => return value,
        Some(Err(faults)) => notes.extend(faults.iter().map(|f| format!("{f}; {without}"))),
        None => notes.push(format!("{name} is missing: {without}")),
    }
    Value::Null
}

/// A file's JSON.
///
/// # Errors
/// The file is missing or is not JSON.
pub fn read_json(files: &Files, name: &str) -> Outcome<Value> {
    let not_json = |error: serde_json::Error| {
        let cut = if error.is_eof() {
            "; is the file cut off?"
        } else {
            ""
        };
        at_line(name, error.line(), format!("not JSON: {error}{cut}"))
    };
    serde_json::from_str(files.need(name)?).map_err(not_json)
}

/// The kernel variant of a release: `6.1.0-50-amd64` is 6.1.
pub fn variant(release: &str) -> Option<&'static Kernel> {
    let mut parts = release.split('.');
    let series = [parts.next()?, parts.next()?];
    kernel::find(&series.join("."))
}

/// No variant represents a release.
pub fn no_variant(release: &str) -> Vec<Fault> {
    let known: Vec<&str> = kernel::kernels().iter().map(|kernel| kernel.id).collect();
    let reason = format!("kernel: {release:?} is none of {}", known.join(", "));
    in_file(SHAPE, reason)
}

/// The page size of a guest, KiB.
pub fn page_kib(shape: &Value) -> Option<u32> {
    match shape["page_size"].as_u64() {
        Some(4096) => Some(4),
        Some(65536) => Some(64),
        _ => None,
    }
}

fn span(value: &Value) -> Option<[f64; 2]> {
    let span = [value[0].as_f64()?, value[1].as_f64()?];
    (span[0] <= span[1]).then_some(span)
}

/// CPUs of each node, in order of the nodes: `node_cpus` as `0-1` or `0`, or all on the only node.
fn cpus(shape: &Value) -> Vec<u16> {
    let count = |list: &Value| -> u64 {
        let len = |range: &str| match range.split_once('-') {
            Some((a, b)) => {
                let (a, b): (u64, u64) = (a.trim().parse().ok()?, b.trim().parse().ok()?);
                b.checked_sub(a)?.checked_add(1)
            }
            None => range.trim().parse::<u64>().ok().map(|_| 1),
        };
        let ranges = list.as_str().unwrap_or("").split(',');
        ranges.filter_map(len).fold(0, u64::saturating_add)
    };
    let mut counts: Vec<(u64, u64)> = match shape["node_cpus"].as_object() {
        Some(nodes) if !nodes.is_empty() => {
            let node = |(id, list): (&String, &Value)| Some((id.parse().ok()?, count(list)));
            nodes.iter().filter_map(node).collect()
        }
        _ => vec![(0, shape["vcpus"].as_u64().unwrap_or(1))],
    };
    counts.sort_unstable();
    counts
        .into_iter()
        .map(|(_, count)| count.min(MOST_CPUS) as u16)
        .collect()
}

/// Distances as a matrix, if the shape has one.
fn distances(shape: &Value) -> Vec<Vec<u64>> {
    let row = |row: &Value| row.as_array()?.iter().map(Value::as_u64).collect();
    let rows = shape["distances"].as_array().map_or(&[][..], Vec::as_slice);
    rows.iter()
        .map(row)
        .collect::<Option<_>>()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_release_of_a_guest_names_the_kernel_variant() {
        let id = |release| variant(release).map(|kernel| kernel.id);
        assert_eq!(id("6.1.0-50-amd64 (Debian 6.1.176-1)"), Some("6.1"));
        assert_eq!(id("6.12.95+deb12-amd64"), Some("6.12"));
        assert_eq!(id("5.10.0-46-amd64"), Some("5.10"));
        assert_eq!(id("4.5.0"), None);
        assert_eq!(id(""), None);
        assert!(
            no_variant("4.5.0")[0]
                .reason
                .contains("\"4.5.0\" is none of")
        );
    }

    #[test]
    fn the_cpus_of_each_node_are_counted_in_node_order() {
        let two = json!({"node_cpus": {"0": "0-1", "10": "4", "2": "2"}});
        assert_eq!(cpus(&two), [2, 1, 1]);
        assert_eq!(cpus(&json!({"node_cpus": {}, "vcpus": 4})), [4]);
        assert_eq!(cpus(&json!({"node_cpus": {"0": "5-1, 7"}})), [1]);
        assert_eq!(
            distances(&json!({"distances": [[10, 20], [20, 10]]})).len(),
            2
        );
        assert!(distances(&json!({"distances": ["10"]})).is_empty());
    }

    #[test]
    fn a_workload_line_needs_a_name_and_has_numbers_by_name() {
        let w = Workload::parse("wl=hog hogmb=600 sysctl=a:1").expect("a workload");
        assert_eq!((w.name.as_str(), w.number("hogmb")), ("hog", Ok(600)));
        assert!(w.number("filemb").is_err());
        assert!(Workload::parse("hogmb=1").is_err());
        assert!(Workload::parse("hog").is_err());
        let many = Workload::parse("wl=mix nw=99999999").expect("a workload");
        assert!(many.count("nw", 2).is_err());
        assert_eq!(many.count("nh", 2), Ok(2));
    }
}
