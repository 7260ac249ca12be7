//! Compiling a workload for a machine: sizes become pages, names become numbers.
//!
//! Modelled: every operation of the language.
//! Left out: nothing.
//! Invariants: a compiled program never fails: regions are mapped before they are touched, and loops are
//! nested at most [`MAX_LOOPS`] deep, free what they map, and end.

mod files;
mod loops;
mod memory;
mod placement;
mod sample;
mod sets;
mod sizes;
mod tasks;
mod threads;

pub use placement::affinity_cpus;
pub use threads::programs_of_threads;

use super::cgroups::Groups;
use crate::index::{CpuIndex, GroupIndex, NodeIndex};
use loops::Rounds;
use sets::{Set, file_sets, too_large};
use sizes::{in_bounds, to_pages};
pub(super) use sizes::{parse_bytes, parse_kib};

use crate::gfp::{Gfp, MOVABLE, RECLAIMABLE};
use crate::kernel::Features;
use crate::layout::Layout;
use crate::tunables::{Tunables, list};
use crate::view::Refusal;
use crate::workload::{
    AccessSize, BlockType, Compiled, MAX_FDS, MAX_FILES, MAX_NAME, MAX_STEPS, MAX_TASKS, Op,
    Pattern, Policy, Process, Program, SECTOR, Sampler, Size, Step, Workload, number_and_unit,
    parse_ns,
};

/// The largest file, and the maximum that one operation moves, sectors: 2 TiB.
const MOST_SECTORS: u64 = u32::MAX as u64;
/// The same limit in KiB.
const MOST_KIB: u64 = MOST_SECTORS / SECTORS_PER_KIB;
const SECTORS_PER_KIB: u64 = 1024 / SECTOR as u64;
/// The maximum size of a region, as a multiple of memory. The part that does not fit into memory goes to
/// swap, or the task is killed.
const MOST_MAPPED: u64 = 8;
/// Default size of one read or write call, sectors: 64 KiB.
const CHUNK: u32 = 128;
/// The maximum number of phases that a program names.
const MAX_MARKS: usize = 200;

/// The machine and kernel for which a workload is compiled.
pub struct Target<'a> {
    /// The machine.
    pub layout: &'a Layout,
    /// Pages for files that its device for files can hold.
    pub room: u64,
    /// The kernel.
    pub features: &'a Features,
    /// Tunables at boot.
    pub tunables: &'a Tunables,
    /// Its memory cgroups.
    pub groups: &'a Groups,
}

/// Compiles a workload for a machine.
///
/// # Errors
/// Every refusal, with the path of the field below `workload`.
pub fn compile(
    workload: &Workload,
    started: &[(String, Process)],
    target: &Target,
) -> Result<Compiled, Vec<Refusal>> {
    let mut refusals = Vec::new();
    if workload.processes.is_empty() {
        refuse(
            &mut refusals,
            "workload.processes",
            "a workload needs at least one process",
        );
    }
    let total: u64 = workload.processes.iter().map(|p| u64::from(p.count)).sum();
    if total > u64::from(MAX_TASKS) {
        let reason = format!("{total} tasks start at the beginning; the limit is {MAX_TASKS}");
        refuse(&mut refusals, "workload.processes", &reason);
    }
    if total == 0 && !workload.processes.is_empty() {
        refuse(
            &mut refusals,
            "workload.processes",
            "no process has a count above 0: give at least one process a count",
        );
    }
    let sets = file_sets(workload, target.layout, target.room, &mut refusals);
    let programs = programs(workload, started, target, &sets, &mut refusals);
    refuse_many_sets(&programs, target.layout, &mut refusals);
    if refusals.is_empty() {
        let files = sets
            .iter()
            .flat_map(|set| std::iter::repeat_n((set.pages, set.absent), set.count as usize));
        let files = files.collect();
        Ok(Compiled { programs, files })
    } else {
        Err(refusals)
    }
}

/// The programs of all processes. Programs that threads run are compiled last, because they use the regions
/// of the process that starts the threads.
fn programs(
    workload: &Workload,
    started: &[(String, Process)],
    target: &Target,
    sets: &[Set],
    out: &mut Vec<Refusal>,
) -> Vec<Program> {
    let own = workload.processes.iter().enumerate();
    let own = own.map(|(i, process)| (format!("workload.processes[{i}]"), process));
    let later = started
        .iter()
        .map(|(path, process)| (path.clone(), process));
    let all: Vec<(String, &Process)> = own.chain(later).collect();
    let starters = threads::starters(&all, workload.processes.len(), out);
    let runs_in_threads = |i: usize| starters.get(i).is_some_and(Option::is_some);
    let mut starts = Vec::new();
    let mut programs: Vec<(usize, Program)> = Vec::new();
    for (i, (path, process)) in all.iter().enumerate().filter(|(i, _)| !runs_in_threads(*i)) {
        let compiler = Compiler::new(workload, target, process, sets, &starters);
        let (program, started) = compiler.compile(path, out);
        programs.push((i, program));
        starts.extend(started);
    }
    for (i, (path, process)) in all.iter().enumerate().filter(|(i, _)| runs_in_threads(*i)) {
        // There is none if the operation that starts the threads was refused.
        if let Some(start) = starts.iter().find(|start| start.program as usize == i) {
            let mut compiler = Compiler::new(workload, target, process, sets, &starters);
            compiler.is_thread = true;
            compiler.regions.clone_from(&start.regions);
            programs.push((i, compiler.compile(path, out).0));
        }
    }
    programs.sort_unstable_by_key(|&(i, _)| i);
    programs.into_iter().map(|(_, program)| program).collect()
}

/// Each set of several nodes to which memory is bound needs a zonelist for every node, and the number of
/// a zonelist is one byte.
fn refuse_many_sets(programs: &[Program], layout: &Layout, out: &mut Vec<Refusal>) {
    let most = (usize::from(u8::MAX) / layout.nodes.len().max(1)).saturating_sub(2);
    let sets = bound_sets(programs).len();
    if sets > most {
        let reason = format!(
            "memory is bound to {sets} different sets of several nodes; a machine with {} nodes allows {most}",
            layout.nodes.len()
        );
        refuse(out, "workload.processes", &reason);
    }
}

/// The sets of several nodes to which memory is bound, each set once.
pub fn bound_sets(programs: &[Program]) -> Vec<Vec<NodeIndex>> {
    let mut sets: Vec<Vec<NodeIndex>> = Vec::new();
    for program in programs {
        for op in &program.ops {
            if let Op::Policy(Policy::Bind { which }) = op {
                let set = &program.node_sets[*which as usize];
                if set.len() > 1 && !sets.contains(set) {
                    sets.push(set.clone());
                }
            }
        }
    }
    sets
}

fn refuse(refusals: &mut Vec<Refusal>, path: &str, reason: &str) {
    refusals.push(Refusal {
        path: path.to_string(),
        reason: reason.to_string(),
    });
}

/// A duration, ns.
fn duration(text: &str, path: &str, refusals: &mut Vec<Refusal>) -> u64 {
    parse_ns(text).unwrap_or_else(|reason| {
        refuse(refusals, path, &reason);
        0
    })
}

/// The reason why a node does not exist, with the nodes of the machine.
fn no_such_node(layout: &Layout, node: u32) -> String {
    let ids: Vec<u16> = layout.nodes.iter().map(|node| node.id).collect();
    let is_row = ids
        .iter()
        .enumerate()
        .all(|(index, id)| index == usize::from(*id));
    let there = match ids.as_slice() {
        [only] => format!("only node {only}"),
        [first, .., last] if is_row => format!("nodes {first} to {last}"),
        _ => {
            let words: Vec<String> = ids.iter().map(u16::to_string).collect();
            format!("nodes {}", words.join(", "))
        }
    };
    format!("node {node} does not exist: this machine has {there}")
}

/// A region by name: its pages while it is mapped, and whether it maps a file.
#[derive(Clone)]
struct Region<'a> {
    name: &'a str,
    pages: Option<u32>,
    file: bool,
}

/// How pages are touched, in the fields of [`Step::Touch`].
#[derive(Clone, Copy)]
struct Touches {
    pattern: Pattern,
    write: Option<bool>,
    slice: bool,
    bytes: AccessSize,
}

struct Compiler<'a> {
    workload: &'a Workload,
    target: &'a Target<'a>,
    layout: &'a Layout,
    room: u64,
    process: &'a Process,
    sets: &'a [Set],
    files: Vec<(u32, u32)>,
    own: Vec<u32>,
    marks: Vec<String>,
    written: Vec<(String, String)>,
    samplers: Vec<Sampler>,
    ops: Vec<Op>,
    regions: Vec<Region<'a>>,
    pools: Vec<&'a str>,
    cpu_sets: Vec<Vec<CpuIndex>>,
    node_sets: Vec<Vec<NodeIndex>>,
    /// For each process of the workload: the process whose threads run its program.
    starters: &'a [Option<usize>],
    /// Whether threads run the program.
    is_thread: bool,
    /// Whether threads that the program started may be alive.
    threads_run: bool,
    /// The programs of the threads that it started, each once.
    starts: Vec<threads::Start<'a>>,
}

impl<'a> Compiler<'a> {
    fn new(
        workload: &'a Workload,
        target: &'a Target<'a>,
        process: &'a Process,
        sets: &'a [Set],
        starters: &'a [Option<usize>],
    ) -> Self {
        let (ops, regions, pools) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            workload,
            target,
            layout: target.layout,
            room: target.room,
            process,
            sets,
            files: Vec::new(),
            own: Vec::new(),
            marks: Vec::new(),
            written: Vec::new(),
            samplers: Vec::new(),
            ops,
            regions,
            pools,
            cpu_sets: Vec::new(),
            node_sets: Vec::new(),
            starters,
            is_thread: false,
            threads_run: false,
            starts: Vec::new(),
        }
    }

    /// The program, and the threads that it starts.
    fn compile(
        mut self,
        path: &str,
        refusals: &mut Vec<Refusal>,
    ) -> (Program, Vec<threads::Start<'a>>) {
        let process = self.process;
        if process.name.is_empty() || process.name.len() > MAX_NAME {
            refuse(
                refusals,
                &format!("{path}.name"),
                "a name must have 1 to 32 characters",
            );
        }
        let node = self.node(process.node, &format!("{path}.node"), refusals);
        let group = self.group(process.cgroup.as_deref(), path, refusals);
        let start = process.start.as_deref();
        let start_ns = start.map_or(0, |t| duration(t, &format!("{path}.start"), refusals));
        self.own(path, refusals);
        self.steps(&process.program, &format!("{path}.program"), 0, refusals);
        self.ops.push(Op::Exit);
        let program = Program {
            name: process.name.clone(),
            count: process.count,
            node,
            group,
            start_ns,
            exec: process.exec,
            ops: self.ops,
            regions: self.regions.len() as u32,
            pools: self.pools.len() as u32,
            files: self.files,
            own: self.own,
            marks: self.marks,
            sets: self.written,
            samplers: self.samplers,
            cpu_sets: self.cpu_sets,
            node_sets: self.node_sets,
        };
        (program, self.starts)
    }

    /// The memory cgroup of this name; the root if there is none. Threads run in the cgroup of their process.
    fn group(&self, name: Option<&str>, path: &str, out: &mut Vec<Refusal>) -> GroupIndex {
        let path = format!("{path}.cgroup");
        let groups = self.target.groups;
        match name {
            None => GroupIndex::ROOT,
            Some(_) if self.is_thread => {
                let reason = "threads run this program: they belong to the cgroup of the process that starts them";
                refuse(out, &path, reason);
                GroupIndex::ROOT
            }
            Some(name) => groups.named(name).unwrap_or_else(|| {
                refuse(out, &path, &groups.unknown(name));
                GroupIndex::ROOT
            }),
        }
    }

    /// The index of a node with CPUs, by its number on the machine.
    fn node(&self, node: Option<u32>, path: &str, refusals: &mut Vec<Refusal>) -> NodeIndex {
        let Some(node) = node else {
            return NodeIndex::NONE;
        };
        let Some(index) = self.place_of(node) else {
            refuse(refusals, path, &no_such_node(self.layout, node));
            return NodeIndex::default();
        };
        if self.layout.nodes[index].cpus.is_empty() {
            refuse(
                refusals,
                path,
                &format!("node {node} has no CPUs to run a task"),
            );
        }
        NodeIndex::new(index as u8)
    }

    /// The index of a node in the layout, by its number on the machine.
    fn place_of(&self, node: u32) -> Option<usize> {
        let mut nodes = self.layout.nodes.iter();
        nodes.position(|found| u32::from(found.id) == node)
    }

    /// The index of the node that "of node" in a size means: the process's own node, or the first.
    fn home(&self) -> usize {
        let own = self.process.node.and_then(|node| self.place_of(node));
        own.unwrap_or(0)
    }

    fn steps(&mut self, steps: &'a [Step], path: &str, depth: usize, out: &mut Vec<Refusal>) {
        for (i, step) in steps.iter().enumerate() {
            let at = format!("{path}[{i}]");
            if self.ops.len() >= MAX_STEPS {
                let reason = format!("a program may have at most {MAX_STEPS} operations");
                refuse(out, &at, &reason);
                return;
            }
            self.step(step, &at, depth, out);
        }
    }

    fn step(&mut self, step: &'a Step, at: &str, depth: usize, out: &mut Vec<Refusal>) {
        if !self.may(step, at, out) {
            return;
        }
        match step {
            Step::Map {
                region,
                size,
                huge,
                file,
            } => self.map(region, size.as_ref(), *huge, file.as_deref(), at, out),
            Step::Touch {
                region,
                pages,
                order,
                write,
                slice,
                bytes,
            } => {
                let how = Touches {
                    pattern: *order,
                    write: *write,
                    slice: *slice,
                    bytes: *bytes,
                };
                self.touch(region, pages.as_ref(), how, at, out);
            }
            Step::Access { .. } => self.access(step, at, out),
            Step::Lock { region } => {
                if let Some(region) = self.mapped(region, at, out) {
                    self.ops.push(Op::Lock { region });
                }
            }
            Step::Read { .. }
            | Step::Write { .. }
            | Step::Copy { .. }
            | Step::Fsync { .. }
            | Step::Unlink { .. }
            | Step::Create { .. }
            | Step::Stat { .. } => self.file_step(step, at, out),
            Step::DropCaches { slab } => self.ops.push(Op::DropCaches { slab: *slab }),
            Step::CompactMemory {} => self.compact_memory(at, out),
            Step::Set { name, value } => self.set(name, value, at, out),
            Step::Free { region } => {
                if let Some(number) = self.mapped(region, at, out) {
                    self.regions[number as usize].pages = None;
                    self.ops.push(Op::Free { region: number });
                }
            }
            Step::Dontneed { region, every } => self.dont_need(region, *every, at, out),
            Step::Alloc {
                pool,
                order,
                count,
                kind,
                go_on,
            } => {
                self.alloc(pool, *order, count, (*kind, *go_on), at, out);
            }
            Step::Release { pool, every } => self.release(pool, *every, at, out),
            Step::Threads { process, count }
            | Step::Spawn {
                process,
                count,
                share: true,
            } => self.threads(process, *count, at, out),
            Step::Spawn { process, count, .. } => self.spawn(process, *count, at, out),
            Step::Barrier {} => self.ops.push(Op::Barrier),
            Step::Join {} => self.joined(Op::Join),
            Step::Wait { every } => {
                let every = every.as_deref();
                let every_ns = every.map_or(0, |t| duration(t, &format!("{at}.every"), out));
                self.joined(Op::Wait { every_ns });
            }
            Step::Kill { task } => self.kill(task, at, out),
            Step::Mark { name } => self.mark(name, at, out),
            Step::Sample { .. } => self.sample(step, at, depth, out),
            Step::Stop {} => self.ops.push(Op::Stop),
            Step::Bind { node, strict } => self.bind(*node, *strict == Some(true), at, out),
            Step::Affinity { node, cpus } => self.affinity(*node, cpus.as_deref(), at, out),
            Step::Mempolicy { mode, nodes } => self.mempolicy(*mode, nodes, at, out),
            Step::Think { time, like } => self.think(time, like.as_deref(), at, out),
            Step::Compute { time } => {
                let ns = duration(time, &format!("{at}.time"), out);
                self.ops.push(Op::Compute { ns });
            }
            Step::Repeat { body, .. } => {
                let rounds = self.rounds_of(step, at, out);
                self.repeat(rounds, body, None, at, depth, out);
            }
            Step::Exit {} => self.ops.push(Op::Exit),
        }
    }

    /// An operation on files.
    fn file_step(&mut self, step: &'a Step, at: &str, out: &mut Vec<Refusal>) {
        match step {
            Step::Read {
                file,
                size,
                chunk,
                order,
            } => self.transfer(
                file,
                false,
                (size.as_ref(), chunk.as_ref()),
                *order,
                at,
                out,
            ),
            Step::Write {
                file,
                size,
                chunk,
                order,
            } => self.transfer(file, true, (size.as_ref(), chunk.as_ref()), *order, at, out),
            Step::Copy {
                from,
                to,
                size,
                chunk,
            } => self.copy(from, to, (size.as_ref(), chunk.as_ref()), at, out),
            Step::Fsync { file } => {
                if let Some((fd, _)) = self.file(file, at, out) {
                    self.ops.push(Op::Fsync { fd });
                }
            }
            Step::Unlink { file } => {
                if let Some((fd, _)) = self.file(file, at, out) {
                    self.ops.push(Op::Unlink { fd });
                }
            }
            Step::Create { count, size, chunk } => {
                self.create(*count, size.as_ref(), chunk.as_ref(), at, out);
            }
            Step::Stat { file } => {
                if let Some((fd, _)) = self.file(file, at, out) {
                    self.ops.push(Op::Stat { fd });
                }
            }
            _ => {}
        }
    }

    fn compact_memory(&mut self, at: &str, out: &mut Vec<Refusal>) {
        match self.target.features.compaction.refused() {
            Some(reason) => refuse(out, &format!("{at}.op"), reason),
            None => self.ops.push(Op::CompactMemory),
        }
    }

    fn set(&mut self, name: &str, value: &str, at: &str, out: &mut Vec<Refusal>) {
        let mut tunables = self.target.tunables.clone();
        if let Err(refusal) = tunables.write(self.target.features, name, value) {
            let is_known = list(self.target.features).iter().any(|i| i.name == name);
            let field = if is_known { "value" } else { "name" };
            return refuse(out, &format!("{at}.{field}"), &refusal.reason);
        }
        self.ops.push(Op::Set {
            which: self.written.len() as u32,
        });
        self.written.push((name.to_string(), value.to_string()));
    }
}
