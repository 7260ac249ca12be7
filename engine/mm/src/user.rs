//! User mode: a task runs its program, one operation or one touched page a point.
//!
//! Modelled: the workload's operations; the kernel is entered by a fault or a call.
//! Left out: instructions between the operations; `think` stands for them.
//! Invariants: a task that exits has freed all it held.

use crate::frames::{Context, Flow, Frame, NONE, Sleep, points};
use crate::gfp::Gfp;
use crate::memory::{HandleMmFault, UnmapRegion, release};
use crate::mmzone::PageKind;
use crate::page_alloc::{AllocPages, Request};
use crate::space::Mapping;
use crate::trace::Event;
use crate::view::Local;
use crate::why::Why;
use crate::workload::{Op, Pattern};
use crate::world::{Birth, World};

/// Touching a mapped page costs one cache miss: 90 to 98 ns a page were measured in a sweep over
/// 200 MiB (emulated guests), 55 to 100 ns are usual on real machines.
const TOUCH_NS: u32 = 90;

points! {
    /// Program points of a task in user mode.
    UsPt {
        Fetch 0 Yields "next operation of the program";
        Touch 0 Plain "touch the next page; not mapped: page fault";
        Touched 0 Plain "back from the fault; out of memory: killed";
        Alloc 0 Plain "ask for the next block";
        Got 0 Plain "keep the block in the pool";
        Release 0 Plain "free the next block of the pool";
        ExitRegion 0 Plain "exit: unmap the next region";
        ExitPool 0 Plain "exit: free the next block";
        Gone 0 Yields "exit: the task is gone";
    }
}

/// A task in user mode.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct User {
    /// Where it stands.
    pub pt: UsPt,
    /// Program.
    pub program: u32,
    /// Next operation.
    pub pc: u32,
    /// Progress within the operation.
    pub i: u32,
    /// Where a sequential touch of each round begins.
    pub at: u32,
}

impl User {
    /// A task about to run a program.
    pub fn call(program: u32) -> Frame {
        Frame::User(Self {
            pt: UsPt::Fetch,
            program,
            pc: 0,
            i: 0,
            at: 0,
        })
    }

    fn op(&self, w: &World) -> Op {
        w.facts.programs[self.program as usize].ops[self.pc as usize]
    }

    fn next(&mut self) -> Flow {
        (self.pc, self.i, self.pt) = (self.pc + 1, 0, UsPt::Fetch);
        Flow::Next
    }

    fn node(cx: &Context, w: &World) -> u8 {
        if cx.bound_node == u8::MAX {
            w.local_node()
        } else {
            cx.bound_node
        }
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        match self.pt {
            UsPt::Fetch => self.fetch(w, cx),
            UsPt::Touch => self.touch(w, cx),
            UsPt::Touched => self.touched(w, cx),
            UsPt::Alloc => self.alloc(w, cx),
            UsPt::Got => self.got(w, cx),
            UsPt::Release => self.release(w, cx),
            UsPt::ExitRegion => {
                let regions = w.spaces.all[cx.space as usize].regions.len() as u32;
                if self.i == regions {
                    self.pt = UsPt::ExitPool;
                    return Flow::Next;
                }
                self.i += 1;
                Flow::Call(UnmapRegion::call(self.i - 1))
            }
            UsPt::ExitPool => {
                let pools = &mut w.spaces.all[cx.space as usize].pools;
                let Some(frame) = pools.iter_mut().find_map(Vec::pop) else {
                    self.pt = UsPt::Gone;
                    return Flow::Next;
                };
                let order = w.mem.pages[frame as usize].order();
                release(w, frame);
                Flow::Call(crate::pcp::FreePages::call(frame, order))
            }
            UsPt::Gone => {
                w.why(Why::Gone, [cx.task, 0, 0, 0, 0, 0]);
                w.trace(Event::Exit, [cx.task, 0, 0, 0, 0, 0]);
                w.spaces.all[cx.space as usize] = Default::default();
                Flow::Exit
            }
        }
    }

    fn fetch(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        w.spend(w.facts.cost.syscall);
        match self.op(w) {
            Op::Map {
                region,
                pages,
                huge,
            } => {
                w.spaces.mmap(cx.space, region, pages, huge);
                self.at = 0;
                return self.next();
            }
            Op::Touch { .. } => self.pt = UsPt::Touch,
            Op::Free { region } => {
                self.next();
                return Flow::Call(UnmapRegion::call(region));
            }
            Op::Alloc { .. } => self.pt = UsPt::Alloc,
            Op::Release { .. } => self.pt = UsPt::Release,
            Op::Spawn { program, count } => {
                w.spend(w.facts.cost.fork);
                for _ in 0..count {
                    w.spawn(Birth {
                        program,
                        node: w.facts.programs[program as usize].node,
                    });
                }
                return self.next();
            }
            Op::Bind { node } => {
                cx.bound_node = node;
                let cpus = w.facts.layout.nodes[node as usize].cpus.iter().copied();
                cx.move_to = w.sched.place(cpus);
                cx.sleep = Sleep::Until(w.now);
                self.next();
                return Flow::Sleep;
            }
            Op::Think { ns } => {
                cx.sleep = Sleep::Until(w.now + ns);
                self.next();
                return Flow::Sleep;
            }
            Op::Loop { times, end } => return self.begin_loop(cx, times, end),
            Op::EndLoop { start } => return self.end_loop(cx, start),
            Op::Exit => {
                self.i = 0;
                self.pt = UsPt::ExitRegion;
            }
        }
        Flow::Next
    }

    fn begin_loop(&mut self, cx: &mut Context, times: u32, end: u32) -> Flow {
        if times == 0 {
            self.pc = end;
            return Flow::Next;
        }
        cx.loops[cx.depth as usize] = times;
        cx.depth += 1;
        self.next()
    }

    fn end_loop(&mut self, cx: &mut Context, start: u32) -> Flow {
        let left = &mut cx.loops[cx.depth as usize - 1];
        *left -= 1;
        if *left == 0 {
            cx.depth -= 1;
            return self.next();
        }
        self.pc = start;
        self.next()
    }

    fn touch(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let Op::Touch {
            region,
            count,
            pattern,
        } = self.op(w)
        else {
            return self.next();
        };
        if self.i == count {
            return self.next();
        }
        let pages = w.spaces.all[cx.space as usize].regions[region as usize].pages;
        let page = match pattern {
            Pattern::Sequential => self.at % pages,
            Pattern::Random => cx.rng.below(pages),
        };
        self.at = (self.at + 1) % pages;
        self.i += 1;
        match w.spaces.lookup(cx.space, region, page) {
            Mapping::Page(_) | Mapping::Huge(_) => {
                w.spend(TOUCH_NS);
                w.why(Why::UserTouch, [page, region, 0, 0, 0, 0]);
                Flow::Next
            }
            Mapping::NoTable | Mapping::Empty => {
                self.pt = UsPt::Touched;
                Flow::Call(HandleMmFault::call(region, page, Self::node(cx, w)))
            }
        }
    }

    fn touched(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.pt = UsPt::Touch;
        if cx.ret == 0 {
            let rss = w.spaces.all[cx.space as usize].rss;
            w.why(Why::Oom, [cx.task, rss, 0, 0, 0, 0]);
            w.trace(Event::Killed, [cx.task, 0, 0, 0, 0, 0]);
            (self.i, self.pt) = (0, UsPt::ExitRegion);
        }
        Flow::Next
    }

    fn alloc(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let Op::Alloc {
            order, count, gfp, ..
        } = self.op(w)
        else {
            return self.next();
        };
        if self.i == count {
            return self.next();
        }
        self.i += 1;
        self.pt = UsPt::Got;
        let gfp = if order > 0 { gfp.with(Gfp::COMP) } else { gfp };
        Flow::Call(AllocPages::call(Request::new(
            w,
            gfp,
            order,
            Self::node(cx, w),
        )))
    }

    fn got(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.pt = UsPt::Alloc;
        let Op::Alloc {
            pool, order, count, ..
        } = self.op(w)
        else {
            return self.next();
        };
        if cx.ret == NONE {
            // A kernel user that cannot get its block gives up on the rest.
            self.i = count;
            return Flow::Next;
        }
        w.mem.set_kind(cx.ret, PageKind::Kernel, order);
        w.mem.pages[cx.ret as usize].owner = cx.space;
        w.mem.pages[cx.ret as usize].index = pool;
        w.spaces.all[cx.space as usize].pools[pool as usize].push(cx.ret);
        Flow::Next
    }

    fn release(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let Op::Release { pool, every } = self.op(w) else {
            return self.next();
        };
        let blocks = &mut w.spaces.all[cx.space as usize].pools[pool as usize];
        let victim = self.i as usize + every as usize - 1;
        if victim >= blocks.len() {
            blocks.retain(|&frame| frame != NONE);
            return self.next();
        }
        let frame = std::mem::replace(&mut blocks[victim], NONE);
        self.i += every;
        let order = w.mem.pages[frame as usize].order();
        release(w, frame);
        Flow::Call(crate::pcp::FreePages::call(frame, order))
    }

    /// Arguments and locals.
    pub fn locals(&self, w: &World) -> Vec<Local> {
        use crate::show::*;
        let program = &w.facts.programs[self.program as usize];
        let mut out = vec![text("program", &program.name), number("operation", self.pc)];
        out.push(text("what", &describe(self.op(w))));
        out.push(number("done", self.i));
        out
    }
}

/// An operation in a few words.
fn describe(op: Op) -> String {
    use crate::show::commas;
    match op {
        Op::Map { region, pages, .. } => {
            format!("map region {region}, {} pages", commas(pages.into()))
        }
        Op::Touch { region, count, .. } => {
            format!("touch region {region}, {} times", commas(count.into()))
        }
        Op::Free { region } => format!("unmap region {region}"),
        Op::Alloc { order, count, .. } => {
            format!("allocate {} blocks of order {order}", commas(count.into()))
        }
        Op::Release { every, .. } => format!("free one block in {every}"),
        Op::Spawn { count, .. } => format!("start {count} tasks"),
        Op::Bind { node } => format!("bind to node {node}"),
        Op::Think { ns } => format!("think for {} us", commas((ns / 1000) as i64)),
        Op::Loop { times, .. } => format!("repeat {times} times"),
        Op::EndLoop { .. } => "end of loop".to_string(),
        Op::Exit => "exit".to_string(),
    }
}
