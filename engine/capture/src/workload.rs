//! Converts the work of a captured run's processes, according to the log, to a workload of mmscope.
//!
//! `workload.log` says when each process began, how large each hog was and how many passes it made.
//! The parameters provide the values that the log lacks, for example for a killed process.

use serde_json::{Value, json};

use crate::build::START_MS;
use crate::capture::{Capture, SHAPE, Workload};
use crate::cgroups::Cgroups;
use crate::fault::{Fault, Outcome, in_file};
use crate::log::Pass;

/// Bytes of one write of the guest's writer ("max write(64K)" in its log).
const WRITE_CHUNK: &str = "64 KiB";
/// Bytes of one read. A guest that reads takes some 220 to 250 page faults more than one that
/// writes (`samples.csv`): these are the faults of a buffer of 256 pages.
const READ_CHUNK: &str = "1 MiB";
/// A total file size that writers never finish within a guest's run, MiB.
const ENDLESS_MIB: u64 = 64 << 10;
/// Files that the guest's `hogslab` creates, for captures whose log is lost.
const SLAB_FILES: u64 = 3000;
/// How long after the writers the hogs begin when their log is lost, ms: in `mix` 5.0 s, in storms 3.1
/// to 3.2 s.
const HOGS_AFTER_MS: [u64; 2] = [5000, 3100];
/// Passes of a hog without lines in the log.
const PASSES: usize = 2;
/// Workloads that need a mechanism the engine does not have.
const WAITING: [(&str, &str); 4] = [
    ("huge", "compaction"),
    ("hugevm", "compaction"),
    ("compactall", "compaction"),
    ("thp", "compaction"),
];
/// Workloads that can be repeated.
const KNOWN: &str = "hog, bindhog, oom, buddy, reader, writer, wset, hogslab, mix, storm, stormkey, zreclaim, numabal";

/// The workload of a twin.
#[derive(Debug, Default)]
pub struct Built {
    /// Its files.
    pub files: Vec<Value>,
    /// Its processes.
    pub processes: Vec<Value>,
    /// Its memory cgroups.
    pub cgroups: Cgroups,
    /// The ends of processes that were given a number of seconds.
    pub interventions: Vec<Value>,
}

/// One process of the workload itself.
struct Process {
    name: String,
    node: Option<u32>,
    /// The delay after the workload's first process, ms.
    after_ms: u64,
    program: Vec<Value>,
}

impl Process {
    fn start_ms(&self) -> u64 {
        START_MS + self.after_ms
    }

    /// The guest's process checks the clock after each page and each write, and finishes its waits in
    /// the kernel. SIGKILL does the same here.
    fn end(&self, seconds: u64) -> Value {
        let at = self.start_ms().saturating_add(seconds.saturating_mul(1000));
        json!({"at": format!("{at}ms"), "kill": self.name})
    }

    fn json(&self) -> Value {
        let start = self.start_ms();
        let mut process = json!({
            "name": self.name, "count": 1, "start": format!("{start}ms"), "program": self.program,
        });
        if let Some(node) = self.node {
            process["node"] = json!(node);
        }
        process
    }
}

/// Files and processes of the workload.
///
/// # Errors
/// The workload is unknown, or needs a missing mechanism.
pub fn workload(capture: &Capture, assumed: &mut Vec<String>) -> Outcome<Built> {
    let w = &capture.workload;
    if let Some(given) = &capture.given {
        let own = given.translated(capture.kernel()?)?;
        assumed.extend(own.notes);
        return Ok(Built {
            files: own.files,
            processes: own.processes,
            cgroups: own.cgroups,
            interventions: own.interventions,
        });
    }
    if let Some((name, what)) = WAITING.iter().find(|(name, _)| *name == w.name) {
        return Err(in_file(
            SHAPE,
            format!("workload {name:?} needs {what}, which the engine does not have"),
        ));
    }
    let (files, processes) = match w.name.as_str() {
        "mix" | "storm" | "stormkey" => mix(capture, assumed)?,
        _ => alone(capture, assumed)?,
    };
    let by_files = ["reader", "writer", "wset", "mix", "storm", "stormkey"];
    if by_files.contains(&w.name.as_str()) || !files.is_empty() {
        assumed.push(format!(
            "files are written {WRITE_CHUNK} at a time, as the log says, and read {READ_CHUNK} at a time"
        ));
    }
    let seconds = w.numbers.get("secs");
    let ends = seconds.map(|&seconds| processes.iter().map(move |p| p.end(seconds)));
    Ok(Built {
        files,
        processes: processes.iter().map(Process::json).collect(),
        cgroups: Cgroups::default(),
        interventions: ends.into_iter().flatten().collect(),
    })
}

/// Workloads with one process.
fn alone(capture: &Capture, assumed: &mut Vec<String>) -> Outcome<(Vec<Value>, Vec<Process>)> {
    let w = &capture.workload;
    let mut files = Vec::new();
    let mut node = None;
    let (name, program) = match w.name.as_str() {
        "hog" | "oom" | "buddy" => ("hog", passes(capture, assumed)?),
        "bindhog" => {
            node = Some(0);
            let mut program = vec![json!({"op": "bind", "node": 0, "strict": true})];
            program.extend(passes(capture, assumed)?);
            ("hog", program)
        }
        // Runs on node 0's CPUs; the mode decides where its memory comes from.
        "zreclaim" if w.numbers.contains_key("hogmb") => {
            node = Some(0);
            ("hog", passes(capture, assumed)?)
        }
        "reader" | "zreclaim" => {
            node = (w.name == "zreclaim").then_some(0);
            files.push(file("big", w.number("filemb")?));
            ("reader", vec![read("big")])
        }
        "writer" => {
            files.push(file("w1", w.number("filemb")?));
            ("writer", vec![write("w1")])
        }
        "wset" => {
            files.push(file("small", 100));
            files.push(file("big", w.number("filemb")?));
            let order = ["small", "small", "small", "big", "small", "small"];
            ("reader", order.map(read).to_vec())
        }
        "hogslab" => {
            let count = capture.log.created.unwrap_or(SLAB_FILES);
            let mut program = vec![json!({"op": "create", "count": count})];
            program.extend(passes(capture, assumed)?);
            ("hog", program)
        }
        "numabal" => ("wl", numabal(w.number("hogmb")?)),
        other => return Err(unknown(other)),
    };
    let process = Process {
        name: name.to_string(),
        node,
        after_ms: 0,
        program,
    };
    Ok((files, vec![process]))
}

/// A task pinned to node 0 that sweeps memory which its policy placed on node 1.
fn numabal(hogmb: u64) -> Vec<Value> {
    let mut program = vec![
        json!({"op": "affinity", "node": 0}),
        json!({"op": "mempolicy", "mode": "bind", "nodes": [1]}),
        map(&mib(hogmb)),
        touch(),
        json!({"op": "mempolicy", "mode": "default"}),
    ];
    program.extend(endless(&[touch()]));
    program
}

fn mib(n: u64) -> Value {
    json!(format!("{n} MiB"))
}

fn read(file: &str) -> Value {
    json!({"op": "read", "file": file, "chunk": READ_CHUNK})
}

fn write(file: &str) -> Value {
    json!({"op": "write", "file": file, "chunk": WRITE_CHUNK})
}

fn file(name: &str, size: u64) -> Value {
    json!({"name": name, "size": mib(size)})
}

fn map(size: &Value) -> Value {
    json!({"op": "map", "region": "hog", "size": size})
}

fn touch() -> Value {
    json!({"op": "touch", "region": "hog"})
}

/// Maps a region and touches all of it in order, as many times as in the log.
fn passes(capture: &Capture, assumed: &mut Vec<String>) -> Outcome<Vec<Value>> {
    let said = capture.log.hogs.first();
    let (size, times) = match said.and_then(|passes| Some((largest(passes)?, passes.len()))) {
        Some((pages, times)) => (json!(pages), times),
        None => {
            assumed.push(format!(
                "the hog, which is not in the log, makes {PASSES} passes"
            ));
            (mib(capture.workload.number("hogmb")?), PASSES)
        }
    };
    let mut program = vec![map(&size)];
    program.extend((0..times).map(|_| touch()));
    Ok(program)
}

/// A program that repeats forever; a pass over a few resident pages is short.
fn endless(program: &[Value]) -> Vec<Value> {
    let some = json!({"op": "repeat", "times": 10_000, "do": program});
    vec![json!({"op": "repeat", "times": 10_000, "do": [some]})]
}

fn largest(passes: &[Pass]) -> Option<u64> {
    passes.iter().map(|pass| pass.pages).max()
}

/// The size of a hog that was given a number of seconds: the whole first pass, if it began a second
/// one.
fn timed_size(w: &Workload, passes: &[Pass], number: usize) -> Outcome<Value> {
    if let [first, _, ..] = passes {
        return Ok(json!(first.pages));
    }
    let given = w.number("hogmb")?;
    // The second hog of `mix` is half as large as the first.
    let given = if w.name == "mix" && number > 0 {
        given / 2
    } else {
        given
    };
    Ok(mib(given))
}

/// Writers with a file each, and hogs. If the capture gives a number of seconds, they run until
/// they are killed, and a file without a given size is large enough for this time.
fn mix(capture: &Capture, assumed: &mut Vec<String>) -> Outcome<(Vec<Value>, Vec<Process>)> {
    let (w, log) = (&capture.workload, &capture.log);
    let (writers, hogs) = (w.count("nw", 2)?, w.count("nh", 2)?);
    let timed = w.numbers.contains_key("secs");
    let size = if timed {
        w.number_or("filemb", ENDLESS_MIB / writers.max(1) as u64)
    } else {
        w.number("filemb")?
    };
    let for_ever = |program: Vec<Value>| match timed {
        true => endless(&program),
        false => program,
    };
    let began_ms = log.began_ms().unwrap_or(0);
    let names: Vec<String> = (1..=writers).map(|i| format!("w{i}")).collect();
    let files = names.iter().map(|name| file(name, size)).collect();
    let mut processes = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let said = log.writers.get(i);
        processes.push(Process {
            name: format!("writer{}", i + 1),
            node: None,
            after_ms: said.map_or(0, |writer| writer.began_ms() - began_ms),
            program: for_ever(vec![write(name)]),
        });
    }
    let silent = HOGS_AFTER_MS[usize::from(w.name != "mix")];
    for i in 0..hogs {
        let said = log.hogs.get(i).map_or(&[][..], Vec::as_slice);
        if said.is_empty() {
            assumed.push(format!(
                "hog {} is not in the log: it begins {silent} ms after the writers",
                i + 1
            ));
        }
        let mut program = vec![map(&timed_size(w, said, i)?)];
        program.extend(for_ever(vec![touch()]));
        if !timed {
            program.push(touch());
        }
        processes.push(Process {
            name: format!("hog{}", i + 1),
            node: None,
            after_ms: said
                .first()
                .map_or(silent, |pass| pass.began_ms() - began_ms),
            program,
        });
    }
    Ok((files, processes))
}

fn unknown(name: &str) -> Vec<Fault> {
    in_file(
        SHAPE,
        format!("workload {name:?} is not supported; supported are {KNOWN}"),
    )
}
