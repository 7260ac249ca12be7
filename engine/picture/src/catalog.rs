//! The catalog: choices and texts that are the same for every machine.
//!
//! Modelled: nothing; tables of the engine as plain data. Left out: data that depends on a
//! machine's state, which the other modules of this crate compute. Invariants: nothing here is part
//! of the page's module. The build writes the catalog next to the module, so a page always has the
//! texts of the engine that it loads.

use mm::VERSION;
use mm::costs::ABOUT as ABOUT_COSTS;
use mm::counters::ABOUT;
use mm::experiment;
use mm::frames::{FUNCTIONS, Function, When};
use mm::gfp::Gfp;
use mm::kernel::{self, Features};
use mm::mmzone::NUMA_COUNTERS;
use mm::page_writeback::FLUSH_REASONS;
use mm::profile;
use mm::read::written;
use mm::record::{self, FIELDS, NAMES, TEXTS};
use mm::tunables;
use mm::view::{
    Catalog, Choice, CostInfo, CounterKind, CounterPer, Field, FunctionInfo, Line, Mechanism,
    RecordKind, RecordSort, TunableView,
};
use mm::vmscan::LRU_NAMES;
use mm::vmscan::throttle::REASONS;

/// Every modelled function, for the pseudo-code panes.
pub fn functions() -> Vec<FunctionInfo> {
    let lines = |f: &Function| {
        f.lines
            .iter()
            .zip(f.when)
            .map(|(l, when)| Line {
                text: l.text.to_string(),
                indent: l.indent.into(),
                kernels: when.map(kernels_with),
            })
            .collect()
    };
    FUNCTIONS
        .iter()
        .map(|f| FunctionInfo {
            name: f.name.to_string(),
            file: f.file.to_string(),
            source: f.source.map(|(tag, line)| (tag.to_string(), line)),
            fidelity: f.fidelity,
            note: f.note.to_string(),
            kernels: f.kernels.map(kernels_with),
            lines: lines(f),
        })
        .collect()
}

/// Ids of the kernels that have a line or a function.
pub fn kernels_with(when: When) -> Vec<String> {
    kernel::kernels()
        .iter()
        .filter(|k| when(&k.features))
        .map(|k| k.id.to_string())
        .collect()
}

/// All choices that the engine offers, and all its texts.
pub fn catalog() -> Catalog {
    let (workloads, experiments) = experiment::choices();
    let machines = profile::profiles();
    Catalog {
        version: VERSION.to_string(),
        machines: machines
            .into_iter()
            .map(|p| {
                let pages = p.present_pages();
                let nodes = p.nodes.len();
                let about = format!(
                    "{nodes} {}, {pages} pages of {} KiB",
                    if nodes == 1 { "node" } else { "nodes" },
                    p.page_size_kib
                );
                Choice {
                    about,
                    id: p.id,
                    title: p.title,
                }
            })
            .collect(),
        kernels: kernel::kernels()
            .iter()
            .map(|k| Choice {
                id: k.id.to_string(),
                title: k.title.to_string(),
                about: String::new(),
            })
            .collect(),
        releases: kernel::kernels()
            .iter()
            .map(|k| (k.id.to_string(), k.release.to_string()))
            .collect(),
        workloads,
        experiments,
        functions: functions(),
        presets: presets(),
        tunables: kernel::kernels()
            .iter()
            .map(|k| (k.id.to_string(), tunables(&k.features)))
            .collect(),
        records: records(),
        flush_reasons: FLUSH_REASONS.map(str::to_string).to_vec(),
        throttle_reasons: REASONS.map(str::to_string).to_vec(),
        counters: counters(),
        mechanisms: mechanisms(),
        costs: costs(),
        gfp: gfp(),
        lru: LRU_NAMES.map(str::to_string).to_vec(),
    }
}

fn costs() -> Vec<CostInfo> {
    let all = ABOUT_COSTS.iter();
    all.map(|(name, about)| CostInfo {
        name: name.to_string(),
        about: about.trim().to_string(),
    })
    .collect()
}

fn records() -> Vec<RecordKind> {
    let all = record::ALL.iter().zip(TEXTS);
    all.map(|(&kind, text)| {
        let fields = NAMES[kind as usize].iter().zip(FIELDS[kind as usize]);
        let is_decision = kind.is_decision();
        RecordKind {
            name: text.name.to_string(),
            kind: match is_decision {
                true => RecordSort::Decision,
                false => RecordSort::Event,
            },
            tracepoint: !is_decision && text.source != "Engine",
            about: text.about.trim().to_string(),
            source: text.source.to_string(),
            template: text.template.map(str::to_string),
            fields: fields
                .map(|(&name, &kind)| Field {
                    name: name.to_string(),
                    kind,
                })
                .collect(),
            watermark: text.watermark,
        }
    })
    .collect()
}

fn counters() -> Vec<CounterKind> {
    let kind = |(name, per, about): (&str, CounterPer, &str)| CounterKind {
        name: name.to_string(),
        per,
        about: about.trim().to_string(),
    };
    let numa = NUMA_COUNTERS.into_iter().zip(NUMA_ABOUT);
    let numa = numa.map(|(name, about)| (name, CounterPer::Machine, about));
    ABOUT.iter().copied().chain(numa).map(kind).collect()
}

/// The meanings of the counters [`NUMA_COUNTERS`] (mm/vmstat.c, `zone_statistics`).
const NUMA_ABOUT: [&str; 6] = [
    "Pages allocated from the preferred node.",
    "Pages allocated here although another node was preferred.",
    "Pages preferred here but allocated on another node.",
    "Pages allocated from the node next in turn (interleaving).",
    "Pages allocated from the node of the task's CPU.",
    "Pages allocated here by a task on another node's CPU.",
];

fn presets() -> Vec<(String, String)> {
    let raw = experiment::presets().into_iter();
    raw.map(|raw| (raw.id.clone(), written(&raw))).collect()
}

fn gfp() -> Vec<(u32, String)> {
    let sets = Gfp::KNOWN.map(|(set, name)| (set.0.into(), name.to_string()));
    let bits = (0..u16::BITS).map(|bit| Gfp(1 << bit));
    let bits = bits.filter_map(|bit| Some((bit.0.into(), bit.names().next()?.to_string())));
    sets.into_iter().chain(bits).collect()
}

fn mechanisms() -> Vec<(String, Vec<Mechanism>)> {
    let kernels = kernel::kernels().iter();
    kernels
        .map(|k| (k.id.to_string(), k.features.mechanisms()))
        .collect()
}

/// The tunables of a kernel for a form.
pub fn tunables(features: &Features) -> Vec<TunableView> {
    tunables::list(features)
        .into_iter()
        .map(|t| TunableView {
            name: t.name.to_string(),
            default: t.default,
            limits: if t.choices.is_empty() {
                format!("{} to {}", t.min, t.max)
            } else {
                t.choices.join(", ")
            },
            unit: t.unit.to_string(),
            about: t.doc.to_string(),
        })
        .collect()
}
