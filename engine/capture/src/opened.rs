//! A capture as the page shows it: one value with all data of its files.
//!
//! Invariants: a capture whose run cannot be repeated opens nevertheless, and says why there is no
//! twin.

use std::collections::BTreeMap;

use mm::procfs::parse::parse;
use serde::Serialize;

use crate::build::{BEFORE_MS, START_MS};
use crate::capture::Capture;
use crate::fault::{Fault, Outcome, at_line};
use crate::files::Files;
use crate::statics::{Statics, is_static};
use crate::twin::fitted;

/// A capture.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Opened {
    /// A run: two moments, and the data between them.
    Run(Box<Run>),
    /// A machine that was printed without a workload.
    Static(Statics),
}

/// A captured run.
#[derive(Debug, Serialize)]
pub struct Run {
    /// Its name.
    pub name: String,
    /// The release as the kernel names it.
    pub release: String,
    /// The id of the kernel variant that represents it, if there is one.
    pub kernel: Option<&'static str>,
    /// `x86_64` or `ppc64el`.
    pub arch: String,
    /// KiB in a page.
    pub page_kib: u32,
    /// The workload's name and numbers.
    pub workload: String,
    /// The text of `workload.json`.
    pub workload_json: Option<String>,
    /// The guest's machine.
    pub machine: Machine,
    /// Mechanisms that the guest used and the engine lacks.
    pub lacks: Vec<String>,
    /// Missing or ignored data, one sentence each.
    pub notes: Vec<String>,
    /// Every counter of /proc/vmstat at both moments.
    pub counters: Vec<Counter>,
    /// The guest's samples.
    pub samples: Option<Samples>,
    /// The guest's seconds at which the workload began and ended.
    pub workload_s: Option<[f64; 2]>,
    /// The experiment that repeats the run, or the reason why there is none.
    pub twin: Twin,
}

/// The guest's machine.
#[derive(Debug, Serialize)]
pub struct Machine {
    /// Its zones, before the workload.
    pub zones: Vec<Zone>,
    /// CPUs of each node.
    pub cpus: Vec<u16>,
    /// Swap space, KiB.
    pub swap_kib: u64,
    /// always, madvise or never.
    pub thp: String,
    /// Was the multi-generational LRU on?
    pub lru_gen: bool,
    /// Rate of the disk with the files, bytes a second.
    pub data_rate: Option<u64>,
    /// Rate of the swap disk, bytes a second.
    pub swap_rate: Option<u64>,
}

/// A zone before the workload.
#[derive(Debug, Serialize)]
pub struct Zone {
    /// Node.
    pub node: u16,
    /// Zone.
    pub zone: String,
    /// Managed pages.
    pub managed: u64,
    /// Present pages.
    pub present: u64,
    /// Free pages.
    pub free: u64,
    /// min.
    pub min: u64,
    /// low.
    pub low: u64,
    /// high.
    pub high: u64,
    /// Protection.
    pub protection: Vec<u64>,
}

/// A counter at both moments.
#[derive(Debug, Serialize)]
pub struct Counter {
    /// Its name.
    pub name: String,
    /// Before the workload.
    pub before: i64,
    /// After it.
    pub after: i64,
}

/// Samples by column.
#[derive(Debug, Serialize)]
pub struct Samples {
    /// Names of the columns; the first is the guest's seconds, `mono_s`.
    pub columns: Vec<String>,
    /// A row for each sample.
    pub rows: Vec<Vec<f64>>,
}

/// The experiment that repeats a run.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Twin {
    /// It can be repeated.
    Built {
        /// The experiment, as JSON text.
        experiment: String,
        /// The assumptions of the twin, one sentence each.
        assumed: Vec<String>,
        /// The virtual time of `before.txt`, ms.
        before_ms: u64,
        /// The virtual time at which the workload begins, ms.
        start_ms: u64,
    },
    /// It cannot be repeated.
    Refused {
        /// Why.
        refused: Vec<Fault>,
    },
}

/// Opens a capture from a JSON object of file names and texts.
///
/// # Errors
/// The text is not such an object, or a file is missing, cut off or has unknown contents.
pub fn open_json(files: &str) -> Outcome<Opened> {
    let texts: BTreeMap<String, String> = serde_json::from_str(files)
        .map_err(|error| at_line("", error.line(), format!("not an object of texts: {error}")))?;
    open(&Files::new(texts))
}

/// Opens a capture.
///
/// # Errors
/// A file is missing, cut off or has unknown contents.
pub fn open(files: &Files) -> Outcome<Opened> {
    if is_static(files) {
        return Statics::read(files).map(Opened::Static);
    }
    let capture = Capture::read(files)?;
    let twin = match fitted(&capture) {
        Ok((twin, _)) => Twin::Built {
            experiment: twin.raw.to_string(),
            assumed: twin.assumed,
            before_ms: BEFORE_MS,
            start_ms: START_MS,
        },
        Err(refused) => Twin::Refused { refused },
    };
    let before = &capture.before.vmstat;
    let after = &capture.after.vmstat;
    let counters = before.iter().map(|(name, &before)| Counter {
        name: name.clone(),
        before,
        after: after.get(name).copied().unwrap_or(0),
    });
    Ok(Opened::Run(Box::new(Run {
        counters: counters.collect(),
        machine: Machine {
            zones: zones(&capture),
            cpus: capture.cpus.clone(),
            swap_kib: capture.swap_kib,
            thp: capture.thp.clone(),
            lru_gen: capture.lru_gen != 0,
            data_rate: capture.data_rate,
            swap_rate: capture.swap_rate,
        },
        lacks: capture
            .lacks()
            .iter()
            .map(|lack| format!("{} ({})", lack.what, lack.here))
            .collect(),
        kernel: capture.kernel_id(),
        workload: capture.workload.to_string(),
        workload_json: files.get("workload.json").map(str::to_string),
        samples: capture.samples.map(|samples| Samples {
            columns: samples.columns,
            rows: samples.rows,
        }),
        name: capture.name,
        release: capture.release,
        arch: capture.arch,
        page_kib: capture.page_kib,
        notes: capture.notes,
        workload_s: capture.span_s,
        twin,
    })))
}

fn zones(capture: &Capture) -> Vec<Zone> {
    let zones = parse(capture.before.section("zoneinfo")).unwrap_or_default();
    let populated = zones.iter().filter(|zone| zone.is_populated());
    let zone = |zone: &mm::procfs::parse::RawZone| {
        let row = |name: &str| zone.row(name).unwrap_or(0);
        Zone {
            node: zone.node,
            zone: zone.name.clone(),
            managed: row("managed"),
            present: row("present"),
            free: row("free"),
            min: row("min"),
            low: row("low"),
            high: row("high"),
            protection: zone.protection.clone().unwrap_or_default(),
        }
    };
    populated.map(zone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::READ;

    const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../mm/tests/data/");

    /// The texts of a recorded capture.
    fn recorded(name: &str) -> BTreeMap<String, String> {
        let text = |file: &str| std::fs::read_to_string(format!("{RECORDED}{name}/{file}")).ok();
        let files = READ
            .iter()
            .filter_map(|file| Some(((*file).to_string(), text(file)?)));
        files.collect()
    }

    fn opened(texts: &BTreeMap<String, String>) -> Outcome<Run> {
        let json = serde_json::to_string(texts).expect("JSON");
        match open_json(&json)? {
            Opened::Run(run) => Ok(*run),
            Opened::Static(other) => panic!("{} is a run", other.name),
        }
    }

    #[test]
    fn a_capture_opens_with_its_counters_and_its_twin() {
        let run = opened(&recorded("dyn-x86_64-6.12-512m-1n-mixmg")).expect("a capture");
        assert_eq!((run.kernel, run.page_kib), (Some("6.12"), 4));
        assert_eq!(run.workload, "mix filemb=800 hogmb=300 secs=40");
        assert_eq!(run.workload_s, Some([6.048_902, 51.059_285]));
        assert!(run.machine.lru_gen);
        let zones: Vec<&str> = run.machine.zones.iter().map(|z| z.zone.as_str()).collect();
        assert_eq!(zones, ["DMA", "DMA32"]);
        let faults = run.counters.iter().find(|c| c.name == "pgfault");
        assert!(faults.is_some_and(|c| c.after > c.before), "{faults:?}");
        let Twin::Built { experiment, .. } = &run.twin else {
            panic!("no twin: {:?}", run.twin);
        };
        assert!(mm::experiment::Experiment::from_json(experiment).is_ok());
        let json = serde_json::to_value(Opened::Run(Box::new(run))).expect("JSON");
        assert_eq!(
            (&json["kind"], &json["twin"]["start_ms"]),
            (&"run".into(), &2000.into())
        );
    }

    #[test]
    fn a_run_that_cannot_be_repeated_opens_with_the_reason() {
        let run = opened(&recorded("dyn-x86_64-6.1-512m-1n-compactall")).expect("a capture");
        let Twin::Refused { refused } = &run.twin else {
            panic!("compaction is absent");
        };
        assert!(
            refused[0].reason.contains("needs compaction"),
            "{refused:?}"
        );
        let faults = open_json("[]").expect_err("no object");
        assert!(
            faults[0].reason.starts_with("not an object of texts"),
            "{faults:?}"
        );
    }

    /// Each text is cut off, or one of its numbers is replaced, at many places.
    #[test]
    fn a_damaged_capture_opens_or_is_refused_and_never_panics() {
        let whole = recorded("dyn-x86_64-6.1-512m512m-2n-wrongnode");
        let numbers = [
            "0",
            "-1",
            "65536",
            "4294967296",
            "18446744073709551615",
            "1e308",
        ];
        let mut at = 7usize;
        for (file, text) in &whole {
            for i in 0..24 {
                at = at.wrapping_mul(6_364_136_223).wrapping_add(1_442_695) % text.len().max(1);
                let mut texts = whole.clone();
                let damaged = match i % 4 {
                    0 => text[..at].to_string(),
                    _ => with_number(text, at, numbers[i % numbers.len()]),
                };
                texts.insert(file.clone(), damaged);
                if let Err(faults) = opened(&texts) {
                    assert!(faults.iter().all(|f| !f.reason.is_empty()), "{faults:?}");
                }
            }
        }
    }

    /// A text with its next number replaced.
    fn with_number(text: &str, at: usize, number: &str) -> String {
        let is_digit = |c: char| c.is_ascii_digit();
        let Some(start) = text[at..].find(is_digit).map(|from| at + from) else {
            return text.to_string();
        };
        let digits = text[start..].chars().take_while(|&c| is_digit(c)).count();
        format!("{}{number}{}", &text[..start], &text[start + digits..])
    }
}
