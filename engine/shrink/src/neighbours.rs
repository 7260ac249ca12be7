//! The experiments that are one step smaller than another one.
//!
//! Modelled: fewer processes, operations, files, nodes, CPUs, devices, tunables, patches and
//! interventions; fewer pages, tasks and repetitions; shorter times. Left out: values that have no
//! smaller side, such as rates, seeds, chunks and orders. Invariants: a neighbour has fewer parts
//! than its experiment, or the same parts with smaller amounts, so that every chain of neighbours
//! ends. This module does not know whether a neighbour can be run; `Experiment::new` checks that.

use std::collections::BTreeSet;
use std::fmt;

use mm::experiment::{Experiment, Raw};
use mm::workload::parse_ns;
use serde::Serialize;
use serde_json::{Value, json};

/// A step removes at most half of an amount, and at least this fraction of it.
const SMALL_PART: u64 = 8;
/// Fields of an operation or a process that are amounts.
const AMOUNTS: [&str; 5] = ["size", "pages", "times", "count", "each"];
/// Fields of an operation or a process that are times.
const TIMES: [&str; 3] = ["time", "start", "every"];
/// Fields of an operation that name an object which can be removed together with all its
/// operations.
const NAMES: [&str; 3] = ["region", "pool", "process"];
/// Fields of an operation that name a file.
const FILES: [&str; 3] = ["file", "from", "to"];

/// An experiment with its machine and its workload written out, so that both can be changed.
pub fn described(experiment: &Experiment) -> Raw {
    let mut raw = experiment.raw.clone();
    raw.id = String::new();
    raw.machine = json!(experiment.machine);
    raw.workload = json!(experiment.workload);
    for field in ["title", "about"] {
        if let Some(workload) = raw.workload.as_object_mut() {
            workload.remove(field);
        }
    }
    raw
}

/// The experiments that are one step smaller, the largest steps first. The machine and the workload
/// are full descriptions instead of ids.
pub fn neighbours(raw: &Raw) -> Vec<Raw> {
    let mut out = Vec::new();
    fewer_processes(raw, &mut out);
    fewer_nodes(raw, &mut out);
    together(raw, &mut out);
    for length in shorter(&raw.length) {
        out.push(Raw {
            length,
            ..raw.clone()
        });
    }
    fewer_settings(raw, &mut out);
    fewer_steps(raw, &mut out);
    fewer_names(raw, &mut out);
    less_machine(raw, &mut out);
    less_work(raw, &mut out);
    let mut known = BTreeSet::from([mm::read::written(raw)]);
    out.retain(|smaller| known.insert(mm::read::written(smaller)));
    out
}

/// How large an experiment is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Nodes of its machine.
    pub nodes: u64,
    /// CPUs.
    pub cpus: u64,
    /// Pages of memory.
    pub pages: u64,
    /// Processes, each with its copies counted once.
    pub processes: u64,
    /// Operations of all programs.
    pub operations: u64,
    /// Its length, as text.
    pub length: String,
}

impl Size {
    /// The size of an experiment whose machine and workload are written out.
    pub fn of(raw: &Raw) -> Size {
        let nodes = list(&raw.machine["nodes"]);
        let ranges = nodes.iter().flat_map(|node| list(&node["ranges"]));
        let processes = list(&raw.workload["processes"]);
        let mut operations = 0;
        for process in processes {
            visit(&process["program"], &mut Vec::new(), &mut |_, _| {
                operations += 1;
            });
        }
        Size {
            nodes: nodes.len() as u64,
            cpus: nodes.iter().filter_map(|node| node["cpus"].as_u64()).sum(),
            pages: ranges.filter_map(|range| range["pages"].as_u64()).sum(),
            processes: processes.len() as u64,
            operations,
            length: raw.length.clone(),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |n: u64, one: &str, more: &str| match n {
            1 => format!("1 {one}"),
            n => format!("{n} {more}"),
        };
        let words = [
            number(self.nodes, "node", "nodes"),
            number(self.cpus, "CPU", "CPUs"),
            number(self.pages, "page", "pages"),
            number(self.processes, "process", "processes"),
            number(self.operations, "operation", "operations"),
            self.length.clone(),
        ];
        f.write_str(&words.join(", "))
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Adds a copy that a function has changed.
fn push(raw: &Raw, out: &mut Vec<Raw>, change: impl FnOnce(&mut Raw)) {
    let mut smaller = raw.clone();
    change(&mut smaller);
    drop_unused_files(&mut smaller.workload);
    out.push(smaller);
}

/// Removes an element of a list at a JSON pointer.
fn remove(value: &mut Value, pointer: &str, place: usize) {
    if let Some(Value::Array(list)) = value.pointer_mut(pointer) {
        list.remove(place);
    }
}

/// Half of an amount, and a little less than it. Never 0.
fn less(amount: u64) -> Vec<u64> {
    let mut out = vec![amount / 2, amount - amount.div_ceil(SMALL_PART)];
    out.dedup();
    out.retain(|&less| less > 0 && less < amount);
    out
}

/// Shorter times than this text, in the largest unit that writes them with three digits at most.
fn shorter(text: &str) -> Vec<String> {
    let ns = parse_ns(text).unwrap_or_default();
    let mut out: Vec<u64> = less(ns).into_iter().map(rounded).collect();
    out.dedup();
    out.retain(|&less| less > 0 && less < ns);
    out.into_iter().map(written).collect()
}

/// Rounded down to two digits.
fn rounded(ns: u64) -> u64 {
    let mut unit = 1;
    while ns / unit >= 100 {
        unit *= 10;
    }
    ns / unit * unit
}

fn written(ns: u64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "us")];
    let fits = units.into_iter().find(|(unit, _)| ns.is_multiple_of(*unit));
    let (unit, name) = fits.unwrap_or((1, "ns"));
    format!("{}{name}", ns / unit)
}

/// Smaller amounts than a number or a text such as `40%` or `64 MiB`.
fn smaller_sizes(value: &Value) -> Vec<Value> {
    if let Some(number) = value.as_u64() {
        return less(number).into_iter().map(Value::from).collect();
    }
    let Some(text) = value.as_str() else {
        return Vec::new();
    };
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let text = text.trim();
    let end = text.find(|c: char| !is_number(c)).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let Ok(whole) = whole.parse::<u64>() else {
        return Vec::new();
    };
    let spelled = |n: u64, unit: &str| Value::from(format!("{n}{unit}"));
    match (whole, unit.trim()) {
        (0, _) => Vec::new(),
        (1, "GiB") => vec![spelled(512, " MiB")],
        (1, "MiB") => vec![spelled(512, " KiB")],
        _ if part.is_empty() => less(whole).into_iter().map(|n| spelled(n, unit)).collect(),
        _ => vec![spelled(whole, unit)],
    }
}

/// Removes one process and the operations that name it.
fn fewer_processes(raw: &Raw, out: &mut Vec<Raw>) {
    let processes = list(&raw.workload["processes"]);
    for (place, process) in processes.iter().enumerate().rev() {
        if processes.len() == 1 {
            return;
        }
        push(raw, out, |raw| {
            remove(&mut raw.workload, "/processes", place);
            drop_operations(&mut raw.workload["processes"], "process", &process["name"]);
        });
    }
}

/// Removes one node, with its row and column of distances.
fn fewer_nodes(raw: &Raw, out: &mut Vec<Raw>) {
    let nodes = list(&raw.machine["nodes"]).len();
    for place in (0..nodes).rev().filter(|_| nodes > 1) {
        push(raw, out, |raw| {
            remove(&mut raw.machine, "/nodes", place);
            remove(&mut raw.machine, "/distances", place);
            for row in 0..nodes - 1 {
                remove(&mut raw.machine, &format!("/distances/{row}"), place);
            }
        });
    }
}

/// All memory, and all sizes in pages or bytes, half as large or a little smaller: pressure stays the same.
fn together(raw: &Raw, out: &mut Vec<Raw>) {
    for which in 0..2 {
        push(raw, out, |raw| {
            for range in ranges(&raw.machine) {
                scale(&mut raw.machine, &range, which);
            }
            for amount in amounts(&raw.workload) {
                let is_share = |value: &Value| value.as_str().is_some_and(|s| s.contains('%'));
                let is_size = amount.ends_with("/size") || amount.ends_with("/pages");
                if is_size && !raw.workload.pointer(&amount).is_some_and(is_share) {
                    scale(&mut raw.workload, &amount, which);
                }
            }
        });
    }
}

/// Replaces an amount by one of the smaller ones, if there are any.
fn scale(value: &mut Value, pointer: &str, which: usize) {
    if let Some(amount) = value.pointer_mut(pointer) {
        let smaller = smaller_sizes(amount);
        if let Some(smaller) = smaller.get(which).or(smaller.last()) {
            *amount = smaller.clone();
        }
    }
}

/// Removes one tunable, patch or intervention.
fn fewer_settings(raw: &Raw, out: &mut Vec<Raw>) {
    for place in 0..raw.interventions.len() {
        push(raw, out, |raw| {
            raw.interventions.remove(place);
        });
    }
    for place in 0..raw.patches.len() {
        push(raw, out, |raw| {
            raw.patches.remove(place);
        });
    }
    for name in raw.tunables.keys() {
        push(raw, out, |raw| {
            raw.tunables.remove(name);
        });
    }
    let own = raw.machine["tunables"].as_object();
    for name in own.iter().flat_map(|own| own.keys()) {
        push(raw, out, |raw| {
            if let Some(own) = raw.machine["tunables"].as_object_mut() {
                own.remove(name);
            }
        });
    }
}

/// Removes one operation, or replaces a loop by its body.
fn fewer_steps(raw: &Raw, out: &mut Vec<Raw>) {
    let mut places = Vec::new();
    for (process, described) in list(&raw.workload["processes"]).iter().enumerate() {
        let program = format!("/processes/{process}/program");
        visit(&described["program"], &mut Vec::new(), &mut |path, step| {
            places.push((
                program.clone() + &inner(path),
                path[path.len() - 1],
                step.clone(),
            ));
        });
    }
    for (list, place, step) in places {
        push(raw, out, |raw| remove(&mut raw.workload, &list, place));
        if let Value::Array(body) = &step["do"] {
            push(raw, out, |raw| {
                if let Some(Value::Array(steps)) = raw.workload.pointer_mut(&list) {
                    steps.splice(place..=place, body.iter().cloned());
                }
            });
        }
    }
}

/// The pointer from a program to the list that has the last step of a path.
fn inner(path: &[usize]) -> String {
    let outer = &path[..path.len() - 1];
    outer.iter().map(|place| format!("/{place}/do")).collect()
}

/// Calls a function for every operation of a program, with its path.
fn visit(program: &Value, path: &mut Vec<usize>, to: &mut dyn FnMut(&[usize], &Value)) {
    for (place, step) in list(program).iter().enumerate() {
        path.push(place);
        to(path, step);
        visit(&step["do"], path, to);
        path.pop();
    }
}

/// Removes one region, pool or file, and all operations that name it.
fn fewer_names(raw: &Raw, out: &mut Vec<Raw>) {
    for (process, described) in list(&raw.workload["processes"]).iter().enumerate() {
        let mut names: Vec<(&str, Value)> = Vec::new();
        visit(&described["program"], &mut Vec::new(), &mut |_, step| {
            for field in NAMES.iter().filter(|field| step[**field].is_string()) {
                let name = (*field, step[*field].clone());
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        });
        for (field, name) in names {
            push(raw, out, |raw| {
                drop_operations(&mut raw.workload["processes"][process], field, &name);
            });
        }
    }
    for file in list(&raw.workload["files"]) {
        push(raw, out, |raw| {
            for field in FILES {
                drop_operations(&mut raw.workload["processes"], field, &file["name"]);
            }
        });
    }
}

/// Removes every operation below a value whose field has this value.
fn drop_operations(value: &mut Value, field: &str, name: &Value) {
    match value {
        Value::Array(list) => {
            list.retain(|step| step["op"].is_null() || step[field] != *name);
            for inner in list {
                drop_operations(inner, field, name);
            }
        }
        Value::Object(fields) => {
            for inner in fields.values_mut() {
                drop_operations(inner, field, name);
            }
        }
        _ => {}
    }
}

/// Files that no operation and no process names are not part of the experiment.
fn drop_unused_files(workload: &mut Value) {
    fn names(value: &Value, out: &mut Vec<Value>) {
        match value {
            Value::Array(list) => list.iter().for_each(|inner| names(inner, out)),
            Value::Object(fields) => {
                for (field, inner) in fields {
                    if FILES.contains(&field.as_str()) {
                        out.push(inner.clone());
                    }
                    names(inner, out);
                }
            }
            _ => {}
        }
    }
    let mut used = Vec::new();
    names(&workload["processes"], &mut used);
    if let Some(Value::Array(files)) = workload.get_mut("files") {
        files.retain(|file| used.contains(&file["name"]));
        if files.is_empty()
            && let Some(workload) = workload.as_object_mut()
        {
            workload.remove("files");
        }
    }
    if let Some(Value::Array(processes)) = workload.get_mut("processes") {
        for process in processes {
            if let Some(Value::Array(own)) = process.get_mut("own") {
                own.retain(|name| used.contains(name));
            }
        }
    }
}

/// Pointers to the sizes of all ranges of memory.
fn ranges(machine: &Value) -> Vec<String> {
    let mut out = Vec::new();
    for (node, described) in list(&machine["nodes"]).iter().enumerate() {
        for range in 0..list(&described["ranges"]).len() {
            out.push(format!("/nodes/{node}/ranges/{range}/pages"));
        }
    }
    out
}

/// Fewer CPUs, less memory, less swap, fewer devices.
fn less_machine(raw: &Raw, out: &mut Vec<Raw>) {
    let mut pointers = Vec::new();
    for (node, described) in list(&raw.machine["nodes"]).iter().enumerate() {
        pointers.push(format!("/nodes/{node}/cpus"));
        let ranges = list(&described["ranges"]).len();
        for range in (0..ranges).filter(|_| ranges > 1) {
            push(raw, out, |raw| {
                remove(&mut raw.machine, &format!("/nodes/{node}/ranges"), range);
            });
        }
    }
    let devices = list(&raw.machine["devices"]).len();
    for device in 0..devices {
        pointers.push(format!("/devices/{device}/swap"));
        if devices > 1 {
            push(raw, out, |raw| remove(&mut raw.machine, "/devices", device));
        }
    }
    pointers.extend(ranges(&raw.machine));
    for pointer in pointers {
        let amount = raw.machine.pointer(&pointer).unwrap_or(&Value::Null);
        for smaller in smaller_sizes(amount) {
            push(raw, out, |raw| set(&mut raw.machine, &pointer, smaller));
        }
    }
}

fn set(value: &mut Value, pointer: &str, new: Value) {
    if let Some(old) = value.pointer_mut(pointer) {
        *old = new;
    }
}

/// Pointers to all amounts and times of a workload.
fn amounts(workload: &Value) -> Vec<String> {
    fn find(value: &Value, at: &str, out: &mut Vec<String>) {
        match value {
            Value::Array(list) => {
                for (place, inner) in list.iter().enumerate() {
                    find(inner, &format!("{at}/{place}"), out);
                }
            }
            Value::Object(fields) => {
                for (field, inner) in fields {
                    let name = field.as_str();
                    let is_amount = AMOUNTS.contains(&name) || TIMES.contains(&name);
                    if is_amount && !inner.is_null() {
                        out.push(format!("{at}/{field}"));
                    }
                    find(inner, &format!("{at}/{field}"), out);
                }
            }
            _ => {}
        }
    }
    let mut out = Vec::new();
    find(workload, "", &mut out);
    out
}

/// Fewer pages, tasks, files and repetitions, shorter times.
fn less_work(raw: &Raw, out: &mut Vec<Raw>) {
    for pointer in amounts(&raw.workload) {
        let Some(amount) = raw.workload.pointer(&pointer) else {
            continue;
        };
        let smaller = match amount.as_str().filter(|text| parse_ns(text).is_ok()) {
            Some(time) => shorter(time).into_iter().map(Value::from).collect(),
            None => smaller_sizes(amount),
        };
        for smaller in smaller {
            push(raw, out, |raw| set(&mut raw.workload, &pointer, smaller));
        }
    }
}

#[cfg(test)]
mod tests;
