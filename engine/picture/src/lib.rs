//! Views of a machine: turns its state into the plain data of [`mm::view`].
//!
//! Modelled: nothing; this module only reads the machine. Left out: data for which the machine
//! would have to run. Invariants: making a view does not change the machine; reasons come only from
//! recorded decisions.
//!
//! It is a separate crate because it runs only once per frame. The page's build optimizes it for
//! size; the crate `mm`, which runs the machine, is optimized for speed.
#![forbid(unsafe_code)]
#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::float_arithmetic,
    clippy::print_stderr,
    clippy::print_stdout
)]

pub mod catalog;
mod compaction;
mod cpus;
mod divergence;
mod generations;
mod groups;
mod info;
mod memory;
mod processes;
mod queues;
mod reclaim;
mod rests_on;
mod route;
mod tasks;
mod zones;

pub use divergence::divergence;
pub use info::{info, opened};
pub use rests_on::rests_on;
pub use tasks::task_name;

use mm::frames::Frame;
use mm::index::TaskIndex;
use mm::machine::Machine;
use mm::record::{Record, row};
use mm::view::{FrameView, View};
use mm::world::World;

use route::route;
use tasks::task_view;
use zones::{nodes, zone_view};

/// All data about this moment except large arrays. `followed` is the task whose stack is shown.
pub fn view(m: &Machine, followed: Option<u32>) -> View {
    let w = &m.w;
    let last = w.run.steps().checked_sub(1);
    let records: Vec<&Record> = w
        .rec
        .records
        .iter()
        .rev()
        .take_while(|r| Some(r.step) == last)
        .collect();
    let ran = records.first().map(|r| r.task).or(w.rec.last_task);
    let followed = followed.filter(|&t| (t as usize) < m.tasks.len());
    let followed = followed.or(ran.map(TaskIndex::get)).or(Some(w.task.get()));
    let shown = followed.and_then(|t| m.tasks.at(TaskIndex::new(t)));
    let stack = shown.map_or(Vec::new(), |t| {
        t.stack.iter().rev().map(|f| frame_view(w, f)).collect()
    });
    let why = records.iter().find(|r| r.kind.is_decision());
    View {
        position: m.position(),
        panic: panic(w),
        zones: (w.mem.zones.indices()).map(|z| zone_view(w, z)).collect(),
        nodes: nodes(m),
        tasks: m
            .tasks
            .entries()
            .map(|(id, t)| task_view(w, id, t))
            .collect(),
        cpus: cpus::cpus(m),
        processes: processes::processes(m),
        ran: ran.map(TaskIndex::get),
        next: (!w.sched.ended).then_some(w.task.get()),
        followed,
        stack,
        why: why.map(|r| row(w, r)),
        events: records
            .iter()
            .rev()
            .filter(|r| !r.kind.is_decision())
            .map(|r| row(w, r))
            .collect(),
        placing: records
            .iter()
            .rev()
            .filter(|r| processes::is_placing(r))
            .map(|r| row(w, r))
            .collect(),
        route: shown.and_then(|t| route(w, t)),
        lru: reclaim::lru(w),
        generations: generations::generations(m),
        groups: groups::groups(m),
        batches: reclaim::batches(m),
        reclaimers: reclaim::reclaimers(m),
        pageblocks: compaction::pageblocks(m),
        rounds: compaction::rounds(w),
        blocks_came: w.phases.made.blocks,
        blocks_failed: w.phases.made.failed,
        devices: reclaim::devices(w),
        writeback: reclaim::writeback(w),
        counters: counters(w),
    }
}

/// The kernel's panic message.
fn panic(w: &World) -> Option<String> {
    let message = mm::oom::panic_message(&w.facts.features);
    w.panicked.then(|| message.to_string())
}

fn counters(w: &World) -> Vec<(String, u64)> {
    let mut out = w.counters.named(&w.facts.layout.zone_types);
    for (i, name) in mm::mmzone::NUMA_COUNTERS.into_iter().enumerate() {
        out.push((
            name.to_string(),
            w.mem.zones.iter().map(|z| z.numa[i]).sum(),
        ));
    }
    out.retain(|&(_, n)| n > 0);
    out
}

fn frame_view(w: &World, f: &Frame) -> FrameView {
    FrameView {
        function: f.function() as u32,
        line: f.line().into(),
        locals: f.locals(w),
    }
}
