//! A workload of mmscope as a guest ran it (`workload.json`, and `length` and `interventions` of
//! `shape.json`), in the format of this engine.
//!
//! Modelled: every operation of the workload language, and memory cgroups. Left out: features that the
//! engine does not have. Unknown settings, and unknown files of cgroups, are left out with a note.
//! Compaction on a kernel without it is an error, because such a run depends on it. Invariants: the times
//! of a twin are the guest's times plus [`START_MS`].

use std::collections::BTreeSet;

use mm::kernel::{Compaction, Kernel};
use mm::tunables;
use serde_json::{Map, Value, json};

use crate::build::START_MS;
use crate::capture::{SHAPE, read_json};
use crate::cgroups::{Cgroups, GuestMemory, own_memory};
use crate::equal_work;
use crate::fault::{Fault, Outcome, in_file};
use crate::files::Files;
use crate::reached::{self, Reached};

const FILE: &str = "workload.json";

/// A workload as the guest ran it.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// Its id.
    pub id: String,
    processes: Vec<Value>,
    files: Vec<Value>,
    /// Its memory cgroups.
    pub cgroups: Cgroups,
    /// What each process of the guest has besides its workload.
    memory: GuestMemory,
    /// The time at which all remaining processes were killed, ms after the start; none if the
    /// workload ended before that.
    length_ms: Option<u64>,
    interventions: Vec<Value>,
    /// The positions of the tasks that were alive at the end of the run.
    reached: Vec<Reached>,
}

/// The same workload in the format of this engine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Translated {
    /// Its files.
    pub files: Vec<Value>,
    /// Its processes.
    pub processes: Vec<Value>,
    /// Its memory cgroups.
    pub cgroups: Cgroups,
    /// Changes to the running machine, and the ends of the processes.
    pub interventions: Vec<Value>,
    /// Parts that were left out, one sentence each.
    pub notes: BTreeSet<String>,
}

impl Given {
    /// Reads the workload, if the guest received one.
    ///
    /// # Errors
    /// The text is not JSON, or has no processes, or `shape.json` has a value that cannot be read.
    pub fn read(files: &Files, shape: &Value) -> Outcome<Option<Given>> {
        if files.get(FILE).is_none() {
            return Ok(None);
        }
        let workload = read_json(files, FILE)?;
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let processes = list(&workload["processes"]);
        if processes.is_empty() {
            return Err(in_file(FILE, "processes: there are none"));
        }
        let length = shape["length"].as_str().map(mm::workload::parse_ns);
        let length_ns = length
            .transpose()
            .map_err(|reason| in_file(SHAPE, format!("length: {reason}")))?;
        Ok(Some(Given {
            id: workload["id"].as_str().unwrap_or("workload").to_string(),
            processes,
            files: list(&workload["files"]),
            cgroups: Cgroups::of_workload(&workload),
            memory: GuestMemory::of_shape(shape)?,
            length_ms: length_ns.map(|ns| ns / 1_000_000),
            interventions: list(&shape["interventions"]),
            reached: reached::read(files)?,
        }))
    }

    /// Names of its processes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.processes.iter().filter_map(|p| p["name"].as_str())
    }

    /// The maximum duration of the workload, ms.
    pub fn length_ms(&self) -> Option<u64> {
        self.length_ms
    }

    /// The workload in the format of this engine, for a kernel variant.
    ///
    /// # Errors
    /// It needs a mechanism that the engine does not have.
    pub fn translated(&self, kernel: &Kernel) -> Outcome<Translated> {
        let mut to = Translation {
            kernel,
            memory: self.memory,
            notes: BTreeSet::new(),
            faults: Vec::new(),
        };
        let (cgroups, left_out) = self.cgroups.translated();
        to.notes.extend(left_out);
        let mut given = self.processes.clone();
        let length_ms = self.length_ms.unwrap_or(0);
        let shortened = equal_work::shorten(&mut given, &self.reached, length_ms);
        to.notes.extend(shortened);
        let mut processes: Vec<Value> = Vec::new();
        for (i, process) in given.iter().enumerate() {
            processes.push(to.process(process, &format!("processes[{i}]")));
        }
        let given = self.interventions.iter().enumerate();
        let mut interventions: Vec<Value> = given
            .filter_map(|(i, given)| to.intervention(given, &format!("interventions[{i}]")))
            .collect();
        if let Some(ms) = self.length_ms {
            let at = format!("{}ms", START_MS.saturating_add(ms));
            let threads = run_by_threads(&self.processes);
            let ends = self.names().filter(|name| !threads.contains(*name));
            interventions.extend(ends.map(|name| json!({"at": at, "kill": name})));
        }
        if !to.faults.is_empty() {
            return Err(to.faults);
        }
        Ok(Translated {
            files: self.files.clone(),
            processes,
            cgroups,
            interventions,
            notes: to.notes,
        })
    }
}

/// The processes whose programs only threads run: they end with their main task.
fn run_by_threads(processes: &[Value]) -> BTreeSet<String> {
    fn of_steps(steps: &Value, found: &mut BTreeSet<String>) {
        for step in steps.as_array().into_iter().flatten() {
            let shares = step["op"] == "threads" || step["op"] == "spawn" && step["share"] == true;
            if let (true, Some(name)) = (shares, step["process"].as_str()) {
                found.insert(name.to_string());
            }
            of_steps(&step["do"], found);
        }
    }
    let mut found = BTreeSet::new();
    for process in processes {
        of_steps(&process["program"], &mut found);
    }
    found
}

struct Translation<'a> {
    kernel: &'a Kernel,
    memory: GuestMemory,
    notes: BTreeSet<String>,
    faults: Vec<Fault>,
}

impl Translation<'_> {
    fn refuse(&mut self, file: &str, at: &str, why: &str) {
        self.faults.extend(in_file(file, format!("{at}: {why}")));
    }

    /// A process. It starts with the same delay after the others as in the guest. The program that
    /// reads the workload forks each task and continues as that task.
    fn process(&mut self, given: &Value, at: &str) -> Value {
        let mut process = given.clone();
        let Some(fields) = process.as_object_mut() else {
            return process;
        };
        if fields.get("cgroup").is_some_and(Value::is_null) {
            fields.remove("cgroup");
        }
        let in_cgroup = fields.contains_key("cgroup");
        fields.insert("exec".into(), json!(false));
        if fields.get("count").and_then(Value::as_u64) != Some(0) {
            match shifted(fields.get("start"), START_MS) {
                Ok(start) => fields.insert("start".into(), json!(start)),
                Err(reason) => {
                    self.refuse(FILE, &format!("{at}.start"), &reason);
                    None
                }
            };
        }
        if let Some(program) = fields.get("program").and_then(Value::as_array) {
            let mut steps = self.steps(program, &format!("{at}.program"));
            if in_cgroup {
                steps.splice(0..0, own_memory(program, self.memory));
                self.notes.insert(self.memory.assumed());
            }
            fields.insert("program".into(), json!(steps));
        }
        process
    }

    fn steps(&mut self, steps: &[Value], at: &str) -> Vec<Value> {
        let mut out = Vec::new();
        for (i, step) in steps.iter().enumerate() {
            self.step(step, &format!("{at}[{i}]"), &mut out);
        }
        out
    }

    fn step(&mut self, step: &Value, at: &str, out: &mut Vec<Value>) {
        match step["op"].as_str() {
            // All CPUs again, and memory from the node of the CPU.
            Some("bind") if step["node"].as_i64() == Some(-1) => out.extend([
                json!({"op": "affinity"}),
                json!({"op": "mempolicy", "mode": "default"}),
            ]),
            Some("set") => {
                if let Some(name) = self.tunable(step["name"].as_str().unwrap_or_default()) {
                    let mut step = step.clone();
                    step["name"] = json!(name);
                    out.push(step);
                }
            }
            Some("compact_memory")
                if self.kernel.features.compaction == Compaction::NotModelled =>
            {
                let why = self.no_compaction();
                self.refuse(FILE, at, &why);
            }
            _ => match step["do"].as_array() {
                Some(body) => {
                    let mut step = step.clone();
                    let body = self.steps(body, &format!("{at}.do"));
                    if !body.is_empty() {
                        step["do"] = json!(body);
                        out.push(step);
                    }
                }
                None => out.push(step.clone()),
            },
        }
    }

    fn no_compaction(&self) -> String {
        format!(
            "the workload compacts memory, and the engine has no compaction of kernel {}",
            self.kernel.id
        )
    }

    /// The engine's name of a setting, if it has the setting.
    fn tunable(&mut self, name: &str) -> Option<String> {
        let own = own_name(name);
        let known = tunables::list(&self.kernel.features);
        if known.iter().any(|info| info.name == own) {
            return Some(own);
        }
        self.notes.insert(match name.contains("lru_gen") {
            true => format!(
                "{name} is not set: the engine has no multi-generational LRU of kernel {}",
                self.kernel.id
            ),
            false => format!(
                "{name} is not set: the engine has no such tunable for kernel {}",
                self.kernel.id
            ),
        });
        None
    }

    fn intervention(&mut self, given: &Value, at: &str) -> Option<Value> {
        let mut own = given.clone();
        match shifted(given.get("at"), START_MS) {
            Ok(time) => own["at"] = json!(time),
            Err(reason) => {
                self.refuse(SHAPE, &format!("{at}.at"), &reason);
                return None;
            }
        }
        if given.get("compact_memory").is_some()
            && self.kernel.features.compaction == Compaction::NotModelled
        {
            let why = self.no_compaction();
            self.refuse(SHAPE, at, &why);
        }
        if given["start"].is_object() {
            own["start"] = self.process(&given["start"], &format!("{at}.start"));
        }
        if let Some(set) = given["set"].as_object() {
            let mut kept = Map::new();
            for (name, value) in set {
                if let Some(name) = self.tunable(name) {
                    kept.insert(name, value.clone());
                }
            }
            if kept.is_empty() {
                return None;
            }
            own["set"] = Value::Object(kept);
        }
        Some(own)
    }
}

/// A time plus some ms; the beginning if no time is given.
fn shifted(time: Option<&Value>, by_ms: u64) -> Result<String, String> {
    let ns = match time {
        None | Some(Value::Null) => 0,
        Some(Value::String(text)) => mm::workload::parse_ns(text)?,
        Some(other) => return Err(format!("{other} is not a time: write \"3s\"")),
    };
    if ns % 1_000_000 == 0 {
        return Ok(format!("{}ms", ns / 1_000_000 + by_ms));
    }
    Ok(format!("{}ns", ns + by_ms * 1_000_000))
}

/// A setting's name in the engine: a path below /proc/sys or /sys, or a name with dots.
pub fn own_name(name: &str) -> String {
    let below = ["/proc/sys/", "/sys/kernel/mm/"];
    let path = below.iter().find_map(|folder| name.strip_prefix(folder));
    let name = path.map_or(name.to_string(), |path| path.replace('/', "."));
    match name.strip_suffix(".enabled") {
        Some("transparent_hugepage") => "transparent_hugepage".to_string(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mm::kernel::find;

    fn translated(workload: &Value, shape: &Value) -> Outcome<Translated> {
        let files = Files::new([(FILE.to_string(), workload.to_string())]);
        let given = Given::read(&files, shape)?.expect("a workload");
        given.translated(find("6.1").expect("a kernel"))
    }

    #[test]
    fn a_workload_starts_and_ends_at_the_times_of_the_guest() {
        let workload = json!({"processes": [
            {"name": "a", "program": [{"op": "spawn", "process": "t", "count": 2, "share": true}]},
            {"name": "b", "start": "3s", "program": []},
            {"name": "t", "count": 0, "program": []},
        ]});
        let shape = json!({"length": "40s", "interventions": [{"at": "1500us", "kill": "b"}]});
        let own = translated(&workload, &shape).expect("a workload");
        let starts: Vec<&Value> = own.processes.iter().map(|p| &p["start"]).collect();
        assert_eq!(starts, [&json!("2000ms"), &json!("5000ms"), &Value::Null]);
        assert_eq!(
            own.interventions,
            [
                json!({"at": "2001500000ns", "kill": "b"}),
                json!({"at": "42000ms", "kill": "a"}),
                json!({"at": "42000ms", "kill": "b"}),
            ]
        );
    }

    #[test]
    fn a_task_ends_at_the_operation_where_the_time_limit_stopped_it() {
        let workload = json!({"processes": [{"name": "a", "program": [
            {"op": "map", "region": "m", "size": 9},
            {"op": "repeat", "times": 99, "do": [{"op": "touch", "region": "m"}]},
        ]}]});
        let files = Files::new([
            (FILE.to_string(), workload.to_string()),
            (
                "reached.csv".to_string(),
                "task,pc,op,round,done\na/1,2,touch,2,0\n".to_string(),
            ),
        ]);
        let given = Given::read(&files, &json!({"length": "5s"})).expect("places");
        let own = given
            .expect("a workload")
            .translated(find("6.1").expect("a kernel"));
        let own = own.expect("a workload");
        assert_eq!(
            own.processes[0]["program"],
            json!([
                {"op": "map", "region": "m", "size": 9},
                {"op": "repeat", "times": 2, "do": [{"op": "touch", "region": "m"}]},
                {"op": "think", "time": "5000ms"},
            ])
        );
        assert_eq!(own.notes.len(), 1, "{:?}", own.notes);
    }

    #[test]
    fn operations_that_the_workload_language_lacks_are_replaced_or_omitted_with_a_note() {
        let workload = json!({"processes": [{"name": "a", "program": [
            {"op": "bind", "node": -1},
            {"op": "set", "name": "/sys/kernel/mm/lru_gen/enabled", "value": "0"},
            {"op": "repeat", "times": 2, "do": [
                {"op": "set", "name": "/proc/sys/vm/swappiness", "value": "1"},
                {"op": "set", "name": "vm.compaction_proactiveness", "value": "9"},
            ]},
            {"op": "repeat", "times": 2, "do": [{"op": "set", "name": "x.y", "value": "1"}]},
        ]}]});
        let own = translated(&workload, &json!({})).expect("a workload");
        assert_eq!(
            own.processes[0]["program"],
            json!([
                {"op": "affinity"},
                {"op": "mempolicy", "mode": "default"},
                {"op": "set", "name": "lru_gen.enabled", "value": "0"},
                {"op": "repeat", "times": 2, "do": [
                    {"op": "set", "name": "vm.swappiness", "value": "1"},
                ]},
            ])
        );
        let notes: Vec<&String> = own.notes.iter().collect();
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert_eq!(
            own_name("/sys/kernel/mm/transparent_hugepage/enabled"),
            "transparent_hugepage"
        );
    }

    #[test]
    fn cgroups_are_translated_and_unknown_files_are_omitted_with_a_note() {
        let workload = json!({
            "processes": [{"name": "a", "cgroup": "box", "program": [
                {"op": "read", "file": "big", "chunk": "1 MiB"},
            ]}],
            "cgroups": [
                {"name": "box", "parent": "top", "memory.max": "150 MiB", "memory.swap.high": "1 MiB"},
                {"name": "top", "parent": null, "memory.low": 7},
            ],
        });
        let own = translated(&workload, &json!({})).expect("a workload");
        assert_eq!(own.processes[0]["cgroup"], "box");
        assert_eq!(
            own.cgroups.list,
            [
                json!({"name": "top", "memory.low": 7}),
                json!({"name": "box", "parent": "top", "memory.max": "150 MiB"}),
            ]
        );
        let notes: Vec<&String> = own.notes.iter().collect();
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(
            notes[0].contains("4 pages of its own, and a buffer if"),
            "{notes:?}"
        );
        assert!(notes[1].contains("memory.swap.high"), "{notes:?}");
        assert_eq!(
            own.processes[0]["program"],
            json!([
                {"op": "map", "region": "guest program", "size": 4},
                {"op": "touch", "region": "guest program"},
                {"op": "map", "region": "guest buffer", "size": "1 MiB"},
                {"op": "touch", "region": "guest buffer"},
                {"op": "read", "file": "big", "chunk": "1 MiB"},
            ])
        );
    }

    #[test]
    fn a_process_in_a_cgroup_has_the_memory_that_the_capture_gives() {
        let workload = json!({
            "processes": [{"name": "a", "cgroup": "box", "program": [
                {"op": "read", "file": "big", "chunk": "1 MiB"},
            ]}],
            "cgroups": [{"name": "box"}],
        });
        let shape = json!({"guest_memory": {"own_pages": 2, "buffer_bytes": 65536}});
        let own = translated(&workload, &shape).expect("a workload");
        let program = &own.processes[0]["program"];
        assert_eq!(program[0]["size"], 2);
        assert_eq!(program[2]["size"], "64 KiB");
        let note = own.notes.first().expect("a note");
        assert!(
            note.contains("2 pages of its own, and a buffer of 64 KiB"),
            "{note}"
        );
    }

    #[test]
    fn compaction_is_refused_with_its_path() {
        let workload = json!({"processes": [
            {"name": "a", "program": [{"op": "compact_memory"}]},
        ]});
        let faults = translated(&workload, &json!({})).expect_err("a fault");
        assert!(faults[0].reason.contains("program[0]: "), "{faults:?}");
        assert!(
            faults[0].reason.contains("no compaction of kernel 6.1"),
            "{faults:?}"
        );
    }
}
