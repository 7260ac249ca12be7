//! Compiling a workload for a machine: sizes become pages, names become numbers.
//!
//! Modelled: every operation of the language. Left out: nothing.
//! Invariants: a compiled program never fails: regions are mapped before they are touched, loops
//! nest at most [`MAX_LOOPS`] deep, free what they map, and end.

use crate::gfp::{Gfp, MOVABLE, RECLAIMABLE};
use crate::layout::Layout;
use crate::view::Refusal;
use crate::workload::{
    BlockType, MAX_LOOPS, MAX_STEPS, MAX_TASKS, Op, Pattern, Process, Program, Size, Step,
    Workload, parse_ns,
};

/// Compiles a workload for a machine.
///
/// # Errors
/// Every refusal, with the path of the field below `workload`.
pub fn compile(workload: &Workload, layout: &Layout) -> Result<Vec<Program>, Vec<Refusal>> {
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
        let reason = format!("{total} tasks start at once; the limit is {MAX_TASKS}");
        refuse(&mut refusals, "workload.processes", &reason);
    }
    if total == 0 && !workload.processes.is_empty() {
        refuse(
            &mut refusals,
            "workload.processes",
            "no process has a count above 0: nothing runs",
        );
    }
    let programs = workload
        .processes
        .iter()
        .enumerate()
        .map(|(i, process)| {
            let path = format!("workload.processes[{i}]");
            Compiler::new(workload, layout, process).compile(&path, &mut refusals)
        })
        .collect();
    if refusals.is_empty() {
        Ok(programs)
    } else {
        Err(refusals)
    }
}

fn refuse(refusals: &mut Vec<Refusal>, path: &str, reason: &str) {
    refusals.push(Refusal {
        path: path.to_string(),
        reason: reason.to_string(),
    });
}

struct Compiler<'a> {
    workload: &'a Workload,
    layout: &'a Layout,
    process: &'a Process,
    ops: Vec<Op>,
    regions: Vec<(&'a str, Option<u32>)>,
    pools: Vec<&'a str>,
}

impl<'a> Compiler<'a> {
    fn new(workload: &'a Workload, layout: &'a Layout, process: &'a Process) -> Self {
        let (ops, regions, pools) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            workload,
            layout,
            process,
            ops,
            regions,
            pools,
        }
    }

    fn compile(mut self, path: &str, refusals: &mut Vec<Refusal>) -> Program {
        let process = self.process;
        if process.name.is_empty() || process.name.len() > 32 {
            refuse(
                refusals,
                &format!("{path}.name"),
                "a name has 1 to 32 characters",
            );
        }
        let node = self.node(process.node, &format!("{path}.node"), refusals);
        let start_ns = process
            .start
            .as_deref()
            .map_or(Ok(0), parse_ns)
            .unwrap_or_else(|reason| {
                refuse(refusals, &format!("{path}.start"), &reason);
                0
            });
        self.steps(&process.program, &format!("{path}.program"), 0, refusals);
        self.ops.push(Op::Exit);
        Program {
            name: process.name.clone(),
            count: process.count,
            node,
            start_ns,
            ops: self.ops,
            regions: self.regions.len() as u32,
            pools: self.pools.len() as u32,
        }
    }

    /// A node with CPUs, by id.
    fn node(&self, node: Option<u32>, path: &str, refusals: &mut Vec<Refusal>) -> u8 {
        let Some(node) = node else { return u8::MAX };
        let Some(found) = self.layout.nodes.get(node as usize) else {
            let last = self.layout.nodes.len() - 1;
            let reason = format!("node {node} does not exist: this machine has nodes 0 to {last}");
            refuse(refusals, path, &reason);
            return 0;
        };
        if found.cpus.is_empty() {
            refuse(
                refusals,
                path,
                &format!("node {node} has no CPUs to run a task"),
            );
        }
        node as u8
    }

    fn steps(&mut self, steps: &'a [Step], path: &str, depth: usize, out: &mut Vec<Refusal>) {
        for (i, step) in steps.iter().enumerate() {
            let at = format!("{path}[{i}]");
            if self.ops.len() >= MAX_STEPS {
                let reason = format!("a program has at most {MAX_STEPS} operations");
                refuse(out, &at, &reason);
                return;
            }
            self.step(step, &at, depth, out);
        }
    }

    fn step(&mut self, step: &'a Step, at: &str, depth: usize, out: &mut Vec<Refusal>) {
        match step {
            Step::Map { region, size, huge } => self.map(region, size, *huge, at, out),
            Step::Touch {
                region,
                pages,
                order,
            } => {
                self.touch(region, pages.as_ref(), *order, at, out);
            }
            Step::Free { region } => {
                if let Some(number) = self.mapped(region, at, out) {
                    self.regions[number as usize].1 = None;
                    self.ops.push(Op::Free { region: number });
                }
            }
            Step::Alloc {
                pool,
                order,
                count,
                kind,
            } => {
                self.alloc(pool, *order, count, *kind, at, out);
            }
            Step::Release { pool, every } => self.release(pool, *every, at, out),
            Step::Spawn { process, count } => self.spawn(process, *count, at, out),
            Step::Bind { node } => {
                let node = self.node(Some(*node), &format!("{at}.node"), out);
                self.ops.push(Op::Bind { node });
            }
            Step::Think { time } => match parse_ns(time) {
                Ok(ns) => self.ops.push(Op::Think { ns }),
                Err(reason) => refuse(out, &format!("{at}.time"), &reason),
            },
            Step::Repeat { times, body } => self.repeat(*times, body, at, depth, out),
            Step::Exit {} => self.ops.push(Op::Exit),
        }
    }

    fn map(&mut self, region: &'a str, size: &Size, huge: bool, at: &str, out: &mut Vec<Refusal>) {
        let limit = 2 * self.layout.managed();
        let pages = self.size(size, &format!("{at}.size"), limit, out);
        let number = self.regions.iter().position(|(name, _)| *name == region);
        let number = number.unwrap_or_else(|| {
            self.regions.push((region, None));
            self.regions.len() - 1
        });
        if self.regions[number].1.is_some() {
            let reason = format!("region '{region}' is mapped already: free it first");
            refuse(out, &format!("{at}.region"), &reason);
        }
        self.regions[number].1 = Some(pages);
        self.ops.push(Op::Map {
            region: number as u32,
            pages,
            huge,
        });
    }

    fn mapped(&mut self, region: &str, at: &str, out: &mut Vec<Refusal>) -> Option<u32> {
        let found = self
            .regions
            .iter()
            .position(|&(name, size)| name == region && size.is_some());
        if found.is_none() {
            let reason = format!("region '{region}' is not mapped at this point");
            refuse(out, &format!("{at}.region"), &reason);
        }
        found.map(|n| n as u32)
    }

    fn touch(
        &mut self,
        region: &str,
        pages: Option<&Size>,
        pattern: Pattern,
        at: &str,
        out: &mut Vec<Refusal>,
    ) {
        let Some(number) = self.mapped(region, at, out) else {
            return;
        };
        let all = self.regions[number as usize].1.unwrap_or(1);
        let limit = u64::from(u32::MAX);
        let count = pages.map_or(all, |p| self.size(p, &format!("{at}.pages"), limit, out));
        self.ops.push(Op::Touch {
            region: number,
            count,
            pattern,
        });
    }

    fn alloc(
        &mut self,
        pool: &'a str,
        order: u8,
        count: &Size,
        kind: BlockType,
        at: &str,
        out: &mut Vec<Refusal>,
    ) {
        let orders = self.layout.geometry.orders;
        if order >= orders {
            let reason = format!(
                "order {order} is too large: this machine has orders 0 to {}",
                orders - 1
            );
            refuse(out, &format!("{at}.order"), &reason);
            return;
        }
        let limit = (self.layout.managed() >> order).max(1);
        let count = self.size(count, &format!("{at}.count"), limit, out);
        let gfp = match kind {
            BlockType::Unmovable => Gfp::GFP_KERNEL,
            BlockType::Reclaimable => Gfp::GFP_KERNEL.with(Gfp::RECLAIMABLE),
            BlockType::Movable => Gfp::GFP_HIGHUSER_MOVABLE,
            BlockType::Atomic => Gfp::GFP_ATOMIC,
        };
        debug_assert!(gfp.migratetype() <= MOVABLE.max(RECLAIMABLE));
        let pool = self
            .pools
            .iter()
            .position(|name| *name == pool)
            .unwrap_or_else(|| {
                self.pools.push(pool);
                self.pools.len() - 1
            });
        self.ops.push(Op::Alloc {
            pool: pool as u32,
            order,
            count,
            gfp,
        });
    }

    fn release(&mut self, pool: &str, every: u32, at: &str, out: &mut Vec<Refusal>) {
        let Some(number) = self.pools.iter().position(|name| *name == pool) else {
            let reason = format!("nothing was allocated into pool '{pool}' before this point");
            return refuse(out, &format!("{at}.pool"), &reason);
        };
        if every == 0 {
            return refuse(
                out,
                &format!("{at}.every"),
                "frees one block in this many: at least 1",
            );
        }
        self.ops.push(Op::Release {
            pool: number as u32,
            every,
        });
    }

    fn spawn(&mut self, name: &str, count: u32, at: &str, out: &mut Vec<Refusal>) {
        let found = self.workload.processes.iter().position(|p| p.name == name);
        let Some(program) = found else {
            let reason = format!("no process of this workload is called '{name}'");
            return refuse(out, &format!("{at}.process"), &reason);
        };
        if count == 0 || count > MAX_TASKS {
            let reason = format!("starts 1 to {MAX_TASKS} tasks, not {count}");
            return refuse(out, &format!("{at}.count"), &reason);
        }
        self.ops.push(Op::Spawn {
            program: program as u32,
            count,
        });
    }

    fn repeat(
        &mut self,
        times: u32,
        body: &'a [Step],
        at: &str,
        depth: usize,
        out: &mut Vec<Refusal>,
    ) {
        if depth == MAX_LOOPS {
            let reason = format!("loops nest at most {MAX_LOOPS} deep");
            return refuse(out, at, &reason);
        }
        if body.is_empty() {
            return refuse(
                out,
                &format!("{at}.do"),
                "a loop needs at least one operation",
            );
        }
        let start = self.ops.len();
        self.ops.push(Op::Loop { times, end: 0 });
        let mapped: Vec<bool> = self.regions.iter().map(|r| r.1.is_some()).collect();
        self.steps(body, &format!("{at}.do"), depth + 1, out);
        let after = self.regions.iter().map(|r| r.1.is_some());
        let was = mapped.iter().copied().chain(std::iter::repeat(false));
        if after.zip(was).any(|(now, was)| now != was) {
            let reason = "a loop must free the regions it maps and keep those it found, or its second round cannot begin";
            refuse(out, &format!("{at}.do"), reason);
        }
        self.ops.push(Op::EndLoop {
            start: start as u32,
        });
        let end = self.ops.len() as u32;
        self.ops[start] = Op::Loop { times, end };
    }

    /// Pages of a size; at least 1, at most `limit`.
    fn size(&self, size: &Size, path: &str, limit: u64, out: &mut Vec<Refusal>) -> u32 {
        let pages = match size {
            Size::Pages(pages) => Ok(*pages),
            Size::Text(text) => self.parse_size(text),
        };
        let pages = pages.and_then(|pages| {
            if pages == 0 {
                Err("at least one page".to_string())
            } else if pages > limit {
                Err(format!(
                    "{pages} is above the limit of {limit} for this machine"
                ))
            } else {
                u32::try_from(pages).map_err(|_| format!("{pages} is above the limit"))
            }
        });
        pages.unwrap_or_else(|reason| {
            refuse(out, path, &reason);
            1
        })
    }

    fn parse_size(&self, text: &str) -> Result<u64, String> {
        let bad = || {
            format!(
                "'{text}' is no size: write pages as a number, or \"64 MiB\", \"40%\", \"40% of node\""
            )
        };
        let t = text.trim();
        let split = t.find(|c: char| !c.is_ascii_digit()).unwrap_or(t.len());
        let n: u64 = t[..split].parse().map_err(|_| bad())?;
        let share = |of: u64| n.checked_mul(of).map(|x| x / 100).ok_or_else(bad);
        let kib = match t[split..].trim() {
            "%" => return share(self.layout.managed()),
            "% of node" => {
                let node = self.process.node.unwrap_or(0) as usize;
                return share(self.layout.nodes.get(node).map_or(0, |n| n.managed()));
            }
            "KiB" => n,
            "MiB" => n.checked_mul(1 << 10).ok_or_else(bad)?,
            "GiB" => n.checked_mul(1 << 20).ok_or_else(bad)?,
            _ => return Err(bad()),
        };
        Ok(kib.div_ceil(self.layout.geometry.page_kib()))
    }
}
