//! The results of a run: as JSON, or in short as text.

use std::fmt::Write as _;

use mm::costs::ABOUT;
use mm::experiment::Experiment;
use mm::frames::FUNCTIONS;
use mm::machine::Machine;
use mm::show::commas;
use mm::view::{Fidelity, NodeView, PAGE_STATES, PageState, View, ZoneView};
use serde_json::{Map, Value, json};

/// Page states by index.
const STATES: [PageState; PAGE_STATES] = [
    PageState::Free,
    PageState::AnonActive,
    PageState::AnonInactive,
    PageState::FileActive,
    PageState::FileInactive,
    PageState::Dirty,
    PageState::Writeback,
    PageState::Isolated,
    PageState::Slab,
    PageState::PageTable,
    PageState::Huge,
    PageState::Reserved,
];

/// The report as JSON.
pub fn json_report(machine: &Machine, experiment: &Experiment) -> Value {
    let view = picture::view(machine, None);
    let zones: Vec<Value> = view.zones.iter().map(zone).collect();
    let counters: Map<String, Value> = view
        .counters
        .iter()
        .map(|(name, count)| (name.clone(), (*count).into()))
        .collect();
    json!({
        "version": mm::VERSION,
        "info": picture::info(&machine.w.facts, experiment),
        "experiment": experiment.raw,
        "position": view.position,
        "panic": view.panic,
        "hash": format!("{:016x}", machine.hash()),
        "zones": zones,
        "nodes": view.nodes,
        "tasks": view.tasks,
        "counters": counters,
        "rows": rows(machine),
        "delays": reports::delays::histograms(machine),
        "rests_on": rests_on(machine),
    })
}

/// What the result of the run depends on: the functions that it called, the mechanisms of its
/// kernel that the engine lacks, and the costs that it may have used.
fn rests_on(machine: &Machine) -> Value {
    let on = picture::rests_on(machine);
    let functions = on.functions.iter().map(|&(place, calls)| {
        let of = &FUNCTIONS[place as usize];
        json!({ "name": of.name, "file": of.file, "fidelity": of.fidelity, "calls": calls, "note": of.note })
    });
    let costs = on.costs.iter().map(|&(place, ns)| {
        let (name, about) = ABOUT[place as usize];
        json!({ "name": name, "ns": ns, "about": about.trim() })
    });
    let mechanisms = machine.w.facts.features.mechanisms().into_iter();
    let absent = mechanisms.filter(|m| m.fidelity == Fidelity::Absent);
    json!({
        "functions": functions.collect::<Vec<Value>>(),
        "absent": absent.map(|m| json!({ "name": m.name, "note": m.note })).collect::<Vec<Value>>(),
        "costs": costs.collect::<Vec<Value>>(),
    })
}

/// The rows of published tables, under their names.
fn rows(machine: &Machine) -> Vec<Value> {
    let rows = reports::rows(&reports::Measured::of(machine));
    let rows = rows.into_iter();
    rows.map(|row| json!({ "metric": row.metric, "unit": row.unit, "value": row.value }))
        .collect()
}

/// A zone with its page states by name.
fn zone(zone: &ZoneView) -> Value {
    let states: Map<String, Value> = STATES
        .iter()
        .zip(&zone.states)
        .map(|(state, pages)| (state_name(*state), (*pages).into()))
        .collect();
    let mut value = json!(zone);
    value["states"] = Value::Object(states);
    value
}

fn state_name(state: PageState) -> String {
    json!(state).as_str().unwrap_or_default().to_string()
}

/// The report in short.
pub fn text_report(machine: &Machine, experiment: &Experiment) -> String {
    let view = picture::view(machine, None);
    let n = grouped;
    let id = match experiment.raw.id.as_str() {
        "" => "experiment without an id",
        id => id,
    };
    let position = view.position;
    let panic = view.panic.as_ref().map_or(String::new(), |message| {
        format!("kernel panic: {message} (the OOM killer found no process to kill)\n")
    });
    let mut out = format!(
        "{id}: machine {}, kernel {}, workload {}, seed {}\n{} at step {}, {}.{:06} ms\n{panic}hash {:016x}\n\n",
        experiment.machine.id,
        experiment.kernel.id,
        experiment.workload.id,
        experiment.seed,
        if position.ended { "ended" } else { "stopped" },
        n(position.step),
        n(position.time_ns / 1_000_000),
        position.time_ns % 1_000_000,
        machine.hash(),
    );
    let _ = writeln!(
        out,
        "{:12} {:>12} {:>10} {:>10} {:>10} {:>12}  pages by state",
        "zone", "free", "min", "low", "high", "managed"
    );
    for zone in &view.zones {
        let line = format!(
            "{:12} {:>12} {:>10} {:>10} {:>10} {:>12}  {}",
            zone.key,
            n(zone.free),
            n(zone.min),
            n(zone.low),
            n(zone.high),
            n(zone.managed),
            used(zone)
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push('\n');
    activity(&view, &mut out);
    out
}

/// The uses of a zone's pages, largest first, without free pages.
fn used(zone: &ZoneView) -> String {
    let mut used: Vec<(u64, String)> = STATES
        .iter()
        .zip(&zone.states)
        .filter(|(state, pages)| **state != PageState::Free && **pages > 0)
        .map(|(state, pages)| (*pages, state_name(*state)))
        .collect();
    used.sort_by(|a, b| b.cmp(a));
    let words: Vec<String> = used
        .iter()
        .map(|(pages, name)| format!("{name} {pages}"))
        .collect();
    words.join(", ")
}

/// The state of a node's kswapd and the work it has done.
fn kswapd(node: &NodeView, now_ns: u64) -> String {
    let times = |n: u64, what: &str| format!("{} {what}", grouped(n));
    let woken = match node.kswapd_wakes {
        0 => "never woken".to_string(),
        1 => "woken once".to_string(),
        n => format!("woken {} times", grouped(n)),
    };
    let passes = match node.kswapd_passes {
        1 => times(1, "pass"),
        n => times(n, "passes"),
    };
    let cpu = node.kswapd_cpu_ns;
    format!(
        "kswapd{}: {}, {woken}, {passes} of balance_pgdat, {}.{:03} ms of CPU time, {} of a CPU",
        node.id,
        if node.kswapd_awake { "awake" } else { "asleep" },
        grouped(cpu / 1_000_000),
        cpu / 1000 % 1000,
        share(cpu, now_ns),
    )
}

/// A part of a whole in percent, with one decimal.
fn share(part: u64, whole: u64) -> String {
    let permille = u128::from(part) * 1000 / u128::from(whole.max(1));
    format!("{}.{} %", permille / 10, permille % 10)
}

fn grouped(n: u64) -> String {
    commas(i64::try_from(n).unwrap_or(i64::MAX))
}

fn activity(view: &View, out: &mut String) {
    for node in &view.nodes {
        let _ = writeln!(out, "{}", kswapd(node, view.position.time_ns));
    }
    let people = view.tasks.iter().filter(|task| !task.kernel_thread);
    let left = people
        .clone()
        .filter(|task| task.state != mm::view::TaskState::Exited);
    let _ = writeln!(
        out,
        "tasks: {} started, {} left",
        people.count(),
        left.count()
    );
    let counters: Vec<String> = view
        .counters
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    let _ = writeln!(out, "counters: {}", counters.join(", "));
}
