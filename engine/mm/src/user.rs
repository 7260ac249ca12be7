//! User mode: a task runs its program, one operation or one touched page per point.
//!
//! Modelled: the workload's operations; a fault or a system call enters the kernel.
//! Left out: instructions between the operations; `compute` and `think` stand for computing and
//! idle time.
//! Invariants: the last task of a process to exit has freed everything that the process held.

use facts::index::{NodeIndex, ZonelistIndex};
use facts::state::State;

mod accesses;
pub mod files;
pub mod memory;
pub mod runs;
pub mod threads;

use crate::compaction::CompactNodes;
use crate::filemap::{
    FilemapRead, FsyncFile, GenericPerformWrite, TruncateInodePages, page_sectors,
};
use crate::frames::{Context, Flow, Frame, NONE, Sleep, Up, room};
use crate::gfp::Gfp;
use crate::memcg::over_high::HandleOverHigh;
use crate::memory::{HandleMmFault, UnmapRegion, release};
use crate::mempolicy;
use crate::mmzone::{PageKind, flag};
use crate::page_alloc::{AllocPages, Request};
use crate::process::Fd;
use crate::record::{decisions, events};
use crate::sched::SLICE_NS;
use crate::slab::DAllocAndLookup;
use crate::space::{Access, Backing, Mapping};
use crate::workload::{AccessSize, Op, Pattern, order};
use crate::world::{Birth, World};

events! {
    /// A task ends because its fault failed or the OOM killer chose it.
    Killed "fault_oom" from "Engine" { task: Task };
    /// A timed round of a program starts or ends: the time between two of these events is a latency.
    RoundEnded "round_ended" from "Engine" { task: Task, sampler: Count };
    /// A task ended.
    Exit "sched_process_exit" from "include/trace/events/sched.h" { task: Task };
}

decisions! {
    GroupExit { task: Task }
        "{task} exits because its process was killed.";
    Oom { task: Task, rss: Count }
        "{task} was chosen by the OOM killer, or can get no page at all: it ends and frees its {rss page}.";
    SigKill { task: Task, rss: Count }
        "{task} was sent SIGKILL: it ends and frees its {rss page}.";
    Gone { task: Task }
        "{task} has freed everything it held and has exited.";
}

room! {
    User: "user mode" in "";
    Simplified "The workload's program. What a task computes between its operations is simulated as time only.";
    UsPt {
        Fetch 0 Yields "next operation of the program";
        Touch 0 Plain "touch the next page, a fault if not mapped";
        Access 0 Plain "accesses up to the next one that changes a page table entry";
        Changing 0 Plain "the access that changes one, a fault if not mapped";
        Touched 0 Plain "back from the fault (out of memory: killed)";
        Open 0 Plain "file not open: open() finds or makes its inode";
        Opened 0 Plain "back from open(): continue, retry, or leave";
        Transfer 0 Yields "next read() or write()";
        Moved 0 Plain "back from the call (out of memory: leave)";
        Compute 0 Plain "compute: 10 us at a time, no memory touched";
        Wait 0 Plain "wait4(): sleep while tasks it started run";
        Join 0 Plain "pthread_join(): sleep while other threads run";
        Barrier 0 Plain "pthread_barrier_wait(): sleep until all arrive";
        WakeNext 0 Yields "last to arrive: futex_wake() of the next thread";
        Fsync 0 Plain "fsync() of the next file";
        Unlink 0 Plain "unlink() of the next file";
        Stat 0 Plain "stat() of the next file";
        Found 0 Plain "back from the look-up: release the file";
        Create 0 Plain "creat() of the next file";
        Made 0 Plain "write it, if it has an inode";
        Written 0 Plain "the next write(), until all is written";
        Close 0 Plain "close it";
        Lock 0 Plain "mlock() of the next page, a fault if not mapped";
        Locked 0 Plain "back from the fault (out of memory: leave)";
        DontNeed 0 Yields "madvise(): the next page that is not needed";
        Sysctl 0 Plain "write to /proc/sys: recompute what depends on it";
        Alloc 0 Plain "request the next block";
        Got 0 Plain "add the block to the pool";
        Release 0 Plain "free the next block of the pool";
        ExitRegion 0 Plain "exit: unmap the next region";
        ExitFile 0 Plain "exit: close the next file";
        ExitPool 0 Plain "exit: free the next block";
        Gone 0 Yields "exit: the task has ended";
        Left 0 Yields "exit: the thread has ended, its process continues";
    }
    locals(self, w) {
        program: text(&w.facts.programs[self.program as usize].name);
        operation: number(self.pc);
        what: text(&describe(*self.op(w)));
        done: number(self.i);
    }
}

/// A task in user mode.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct User {
    /// Current program point.
    pub pt: UsPt,
    /// Index of the program.
    pub program: u32,
    /// Index of the next operation.
    pub pc: u32,
    /// Progress within the operation.
    pub i: u32,
    /// Start of a sequential touch in each round; for a copy, 1 if it writes next.
    pub at: u32,
    /// Node from which the next page for the pool of huge pages is requested (`next_nid_to_alloc`).
    pub next_nid: NodeIndex,
    /// Number of nodes that had no block for the current page of the pool.
    pub tried: u8,
}

impl User {
    /// Frame of a task that has not started its program.
    pub fn call(program: u32) -> Frame {
        Frame::User(Self {
            pt: UsPt::Fetch,
            program,
            pc: 0,
            i: 0,
            at: 0,
            next_nid: NodeIndex::new(0),
            tried: 0,
        })
    }

    #[inline]
    fn op<'w>(&self, w: &'w World) -> &'w Op {
        &w.facts.programs[self.program as usize].ops[self.pc as usize]
    }

    fn next(&mut self) -> Flow {
        (self.pc, self.i, self.pt) = (self.pc + 1, 0, UsPt::Fetch);
        Flow::Next
    }

    /// Zonelist for allocations during a system call.
    #[inline]
    fn node(cx: &mut Context, w: &World) -> ZonelistIndex {
        mempolicy::zonelist(w, cx)
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        if cx.killed && self.may_die() {
            w.end_accesses();
            return self.die(w, cx);
        }
        if cx.task_work && self.may_work() {
            cx.task_work = false;
            w.end_accesses();
            let work = crate::numa::task_work(w, cx);
            return up.call(work, w, cx);
        }
        if cx.over_high > 0 && self.may_work() {
            w.end_accesses();
            return up.call(HandleOverHigh::call(), w, cx);
        }
        if cx.looks_at_cpu && self.may_die() {
            cx.looks_at_cpu = false;
            w.end_accesses();
            if Self::move_to_allowed(w, cx) {
                return Flow::Sleep;
            }
        }
        match self.pt {
            UsPt::Fetch => self.fetch(w, cx, up),
            UsPt::Touch => self.touch(w, cx, up),
            UsPt::Access => self.access(w, cx),
            UsPt::Changing => self.access_changing(w, cx, up),
            UsPt::Touched => self.touched(w, cx),
            UsPt::Open => {
                self.pt = UsPt::Opened;
                let file = self.fd(w, cx).file;
                up.call(DAllocAndLookup::call(file, Self::node(cx, w)), w, cx)
            }
            UsPt::Opened => self.opened(w, cx),
            UsPt::Transfer => self.transfer(w, cx, up),
            UsPt::Moved => {
                self.pt = UsPt::Transfer;
                if cx.ret == 0 {
                    self.at = 0;
                    return self.next();
                }
                Flow::Next
            }
            UsPt::Compute => self.compute(w),
            UsPt::Wait => self.wait(w, cx),
            UsPt::Join => self.join(w, cx),
            UsPt::Barrier => self.barrier(w, cx),
            UsPt::WakeNext => self.wake_next(w, cx),
            UsPt::Fsync => self.fsync(w, cx, up),
            UsPt::Unlink => self.unlink(w, cx, up),
            UsPt::Stat => self.stat(w, cx, up),
            UsPt::Found => self.found(w, cx, up),
            UsPt::Create => self.create(w, cx, up),
            UsPt::Made => self.made(w, cx, up),
            UsPt::Written => self.written(w, cx, up),
            UsPt::Close => {
                let fd = self.number(w);
                close(w, cx.process, fd);
                w.phases.made.files += 1;
                w.phases.creating.file(cx.task);
                self.pt = UsPt::Create;
                Flow::Next
            }
            UsPt::Lock => self.lock(w, cx, up),
            UsPt::Locked => {
                self.pt = UsPt::Lock;
                if cx.ret == 0 { self.next() } else { Flow::Next }
            }
            UsPt::DontNeed => self.dont_need(w, cx, up),
            UsPt::Sysctl => self.sysctl(w),
            UsPt::Alloc => self.alloc(w, cx, up),
            UsPt::Got => self.got(w, cx),
            UsPt::Release => self.release(w, cx, up),
            UsPt::ExitRegion => {
                let regions = w.processes.all[cx.process as usize].space.regions.len() as u32;
                if self.i == regions {
                    (self.i, self.pt) = (0, UsPt::ExitFile);
                    return Flow::Next;
                }
                self.i += 1;
                up.call(UnmapRegion::call(self.i - 1), w, cx)
            }
            UsPt::ExitFile => self.exit_file(w, cx, up),
            UsPt::ExitPool => self.exit_pool(w, cx, up),
            UsPt::Gone => {
                w.record(Gone { task: cx.task });
                w.record(Exit { task: cx.task });
                self.gone(w, cx);
                Flow::Exit
            }
            UsPt::Left => {
                w.record(Exit { task: cx.task });
                self.ended(w, cx);
                Flow::Exit
            }
        }
    }

    /// At exit: closes the next file.
    fn exit_file(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        if self.i as usize == w.processes.all[cx.process as usize].fds.len() {
            self.pt = UsPt::ExitPool;
            return Flow::Next;
        }
        self.i += 1;
        match close(w, cx.process, self.i as u8 - 1) {
            Some(file) => up.call(TruncateInodePages::call(file), w, cx),
            None => Flow::Next,
        }
    }

    /// At exit: frees the next block of the pools.
    fn exit_pool(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let pools = &mut w.processes.all[cx.process as usize].pools;
        let Some(frame) = pools.iter_mut().find_map(Vec::pop) else {
            self.pt = UsPt::Gone;
            return Flow::Next;
        };
        let order = w.mem.pages[frame].order();
        release(w, frame);
        up.call(crate::pcp::FreePages::call(frame, order), w, cx)
    }

    fn fetch(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        w.spend(w.facts.cost.syscall);
        match *self.op(w) {
            Op::Map {
                region,
                pages,
                huge,
                fd,
            } => {
                if fd != u8::MAX && !self.fd(w, cx).open {
                    return self.open(w, cx);
                }
                let backing = self.map_file(w, cx, region, fd);
                w.processes.mmap(cx.process, region, pages, huge, backing);
                self.at = 0;
                return self.next();
            }
            Op::Transfer { .. } => self.pt = UsPt::Transfer,
            Op::Copy { .. } => (self.at, self.pt) = (0, UsPt::Transfer),
            Op::Compute { .. } => self.pt = UsPt::Compute,
            Op::Wait { .. } => self.pt = UsPt::Wait,
            Op::Mark { name } => {
                w.phases.mark(self.program, name, cx.task, w.now);
                return self.next();
            }
            Op::Sample { sampler } => {
                w.phases.samples.begin(cx.task, sampler, w.now);
                let program = &w.facts.programs[self.program as usize];
                if program.samplers[sampler as usize].rate.is_some() {
                    w.phases.operations.begin(self.program, sampler, w.now);
                }
                return self.round_ended(w, cx, sampler);
            }
            Op::Took { sampler } => {
                let rule = &w.facts.programs[self.program as usize].samplers[sampler as usize];
                if rule.rate.is_some() {
                    w.phases.operations.done(self.program, sampler, w.now);
                }
                let samples = &mut w.phases.samples;
                samples.took(self.program, cx.task, sampler, rule, w.now);
                return self.round_ended(w, cx, sampler);
            }
            Op::Stop => {
                w.phases.mark(self.program, NONE, cx.task, w.now);
                w.stop();
                return self.next();
            }
            Op::Fsync { .. } => self.pt = UsPt::Fsync,
            Op::Unlink { .. } => self.pt = UsPt::Unlink,
            Op::Create { .. } => {
                w.phases.creating.begin(cx.task, w.now);
                self.pt = UsPt::Create;
            }
            Op::Stat { .. } => self.pt = UsPt::Stat,
            Op::DropCaches { slab } => {
                self.next();
                return up.call(TruncateInodePages::drop_caches(slab), w, cx);
            }
            Op::CompactMemory => {
                self.next();
                w.spend(w.facts.cost.syscall);
                return up.call(CompactNodes::call(), w, cx);
            }
            Op::Lock { region } => {
                w.processes.lock(cx.process, region);
                self.pt = UsPt::Lock;
            }
            Op::Touch { .. } => self.pt = UsPt::Touch,
            Op::Access { .. } => self.pt = UsPt::Access,
            Op::Free { region } => {
                self.next();
                return up.call(UnmapRegion::call(region), w, cx);
            }
            Op::DontNeed { .. } => self.pt = UsPt::DontNeed,
            Op::Set { .. } => self.pt = UsPt::Sysctl,
            Op::Alloc { .. } => self.pt = UsPt::Alloc,
            Op::Release { .. } => self.pt = UsPt::Release,
            Op::Spawn { program, count } => return self.spawn(w, cx, program, count),
            Op::Kill { program, instance } => {
                w.signal(program, instance);
                return self.next();
            }
            Op::Threads { program, count } => return self.start_threads(w, cx, program, count),
            Op::Barrier => self.pt = UsPt::Barrier,
            Op::Join => self.pt = UsPt::Join,
            Op::Affinity { which } => return self.affinity(w, cx, which),
            Op::Policy(policy) => return self.set_policy(w, cx, policy),
            Op::Bind { node, strict } => return self.bind(w, cx, node, strict),
            Op::Think { ns } => {
                cx.sleep = Sleep::Until(w.now + ns);
                self.next();
                return Flow::Sleep;
            }
            Op::ThinkLike { ns, name } => {
                let like_ns = w.phases.took(self.program, name, cx.task);
                cx.sleep = Sleep::Until(w.now + ns + like_ns);
                self.next();
                return Flow::Sleep;
            }
            Op::Loop { .. } => return self.begin_loop(w, cx),
            Op::EndLoop { start } => return self.end_loop(w, cx, start),
            Op::Exit => self.exit(w, cx),
        }
        Flow::Next
    }

    /// Starts processes (`fork`).
    fn spawn(&mut self, w: &mut World, cx: &Context, program: u32, count: u32) -> Flow {
        w.spend(w.facts.cost.fork);
        for _ in 0..count {
            w.spawn(Birth {
                program,
                node: w.facts.programs[program as usize].node.zonelist(),
                parent: cx.process,
                thread: None,
            });
        }
        self.next()
    }

    /// Ends a timed round, or begins the first one. The log records when the measured time of the
    /// round began.
    fn round_ended(&mut self, w: &mut World, cx: &Context, sampler: u32) -> Flow {
        w.record(RoundEnded {
            task: cx.task,
            sampler: sampler.into(),
        });
        self.next()
    }

    fn begin_loop(&mut self, w: &World, cx: &mut Context) -> Flow {
        let Op::Loop {
            times,
            ns,
            every_ns,
            end,
        } = *self.op(w)
        else {
            return self.next();
        };
        if times == Some(0) {
            self.pc = end;
            return Flow::Next;
        }
        let inner = cx.depth as usize;
        let after = |ns| if ns > 0 { w.now + ns } else { 0 };
        cx.loops[inner] = times.unwrap_or(u32::MAX);
        cx.until[inner] = after(ns);
        cx.earliest[inner] = after(every_ns);
        cx.depth += 1;
        self.next()
    }

    fn end_loop(&mut self, w: &mut World, cx: &mut Context, start: u32) -> Flow {
        let inner = cx.depth as usize - 1;
        let (left, until) = (&mut cx.loops[inner], &mut cx.until[inner]);
        let waits = self.i > 0;
        if !waits && (*until == 0 || *left < u32::MAX) {
            *left -= 1;
        }
        if *left == 0 || (*until > 0 && w.now >= *until) {
            (*until, cx.earliest[inner], cx.depth) = (0, 0, cx.depth - 1);
            return self.next();
        }
        if let Some(early) = cx.earliest[inner].checked_sub(w.now).filter(|&ns| ns > 0) {
            w.spend(early.min(SLICE_NS) as u32);
            self.i = 1;
            return Flow::Next;
        }
        if let Op::Loop { every_ns, .. } =
            w.facts.programs[self.program as usize].ops[start as usize]
            && every_ns > 0
        {
            cx.earliest[inner] = w.now + every_ns;
        }
        self.pc = start;
        self.next()
    }

    /// Is the task in user mode, or about to return to it? A fatal signal ends the task here.
    fn may_die(&self) -> bool {
        use UsPt::*;
        // The task holds a block or an inode that it just got, or is already exiting.
        !matches!(
            self.pt,
            Opened | Found | Made | Got | ExitRegion | ExitFile | ExitPool | Gone | Left
        )
    }

    /// Is the task about to return to user mode, holding no kernel object? Postponed work can run
    /// now (`task_work_run`).
    fn may_work(&self) -> bool {
        use UsPt::*;
        matches!(
            self.pt,
            Fetch | Touch | Access | Transfer | Compute | DontNeed
        )
    }

    fn die(&mut self, w: &mut World, cx: &Context) -> Flow {
        let process = &w.processes.all[cx.process as usize];
        let rss = process.space.rss;
        if cx.killed && process.space.owner != cx.task {
            w.record(GroupExit { task: cx.task });
        } else if cx.killed && !cx.oom_victim {
            w.record(SigKill {
                task: cx.task,
                rss: rss.into(),
            });
        } else {
            w.record(Oom {
                task: cx.task,
                rss: rss.into(),
            });
            w.record(Killed { task: cx.task });
        }
        if !cx.killed && !process_is_last(w, cx) {
            // A failed fault ends the whole process.
            w.kill(cx.task);
        }
        self.exit(w, cx);
        Flow::Next
    }

    /// The program's number of the open file that the operation uses.
    fn number(&self, w: &World) -> u8 {
        match *self.op(w) {
            Op::Map { fd, .. }
            | Op::Transfer { fd, .. }
            | Op::Fsync { fd }
            | Op::Unlink { fd }
            | Op::Stat { fd }
            | Op::Create { fd, .. } => fd,
            Op::Copy { from, .. } if self.at == 0 => from,
            Op::Copy { to, .. } => to,
            _ => u8::MAX,
        }
    }

    /// Computes for a while; another task may get the CPU in between.
    fn compute(&mut self, w: &mut World) -> Flow {
        let Op::Compute { ns } = *self.op(w) else {
            return self.next();
        };
        let left = ns - u64::from(self.i) * SLICE_NS;
        let now = left.min(SLICE_NS);
        w.spend_user(now as u32);
        self.i += 1;
        if now == left { self.next() } else { Flow::Next }
    }

    fn sysctl(&mut self, w: &mut World) -> Flow {
        if let Op::Set { which } = *self.op(w) {
            let facts = std::sync::Arc::clone(&w.facts);
            let sets = &facts.programs[self.program as usize].sets;
            let written = std::slice::from_ref(&sets[which as usize]);
            crate::sysctl::write(w, written);
            crate::sysctl::written(w, written);
        }
        self.next()
    }

    fn wait(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let every = match *self.op(w) {
            Op::Wait { every_ns } => every_ns,
            _ => 0,
        };
        let process = &mut w.processes.all[cx.process as usize];
        let waits = process.children > 0 || !process.threads.is_empty();
        process.waits = waits && every == 0;
        if !waits {
            return self.next();
        }
        cx.sleep = match every {
            0 => Sleep::Wait,
            ns => Sleep::Until(w.now + ns),
        };
        Flow::Sleep
    }

    /// Records for reports that the task has ended.
    fn ended(&self, w: &mut World, cx: &Context) {
        crate::memcg::count_tasks(w, cx.process, -1);
        crate::numa::group::leave(w, cx.task);
        if !w.facts.programs[self.program as usize].marks.is_empty() {
            w.phases.mark(self.program, NONE, cx.task, w.now);
        }
        w.phases.creating.end(cx.task, w.now);
        w.phases.samples.end(cx.task);
    }

    /// The last task of a process has freed everything it held: wakes the tasks that wait for the
    /// process.
    fn gone(&self, w: &mut World, cx: &Context) {
        self.ended(w, cx);
        let gone = std::mem::take(&mut w.processes.all[cx.process as usize]);
        if let Some(parent) = w.processes.all.get_mut(gone.parent as usize)
            && parent.children > 0
        {
            parent.children -= 1;
            if let Some(task) = parent.to_wake() {
                w.wake(task);
            }
        }
    }
}

/// Closes an open file of a task. Returns the file if it has neither a name nor a user left.
fn close(w: &mut World, process: u32, fd: u8) -> Option<u32> {
    let open = &mut w.processes.all[process as usize].fds[fd as usize];
    let file = open.file;
    if !std::mem::replace(&mut open.open, false) {
        return None;
    }
    crate::slab::dput(w, file);
    let f = w.files.file(file);
    (!f.linked && f.users == 0).then_some(file)
}

/// Is this the last living task of its process?
fn process_is_last(w: &World, cx: &Context) -> bool {
    w.processes.all[cx.process as usize].is_last(cx.task)
}

/// An operation in a few words.
fn describe(op: Op) -> String {
    use crate::show::commas;
    match op {
        Op::Map { region, pages, .. } => {
            format!("map region {region}, {} pages", commas(pages.into()))
        }
        Op::Touch {
            region,
            count: 0,
            slice: true,
            ..
        } => format!("touch its part of region {region}"),
        Op::Touch {
            region,
            count,
            bytes,
            ..
        } => {
            let whole = match bytes {
                AccessSize::Line => "",
                AccessSize::Page => ", whole pages",
            };
            format!(
                "touch region {region}, {} times{whole}",
                commas(count.into())
            )
        }
        Op::Access { region, times, .. } => {
            format!(
                "access region {region} anywhere, {} times",
                commas(times.into())
            )
        }
        Op::Lock { region } => format!("lock region {region}"),
        Op::Transfer {
            fd, write, sectors, ..
        } => {
            let verb = if write { "write" } else { "read" };
            format!("{verb} file {fd}, {} KiB", commas((sectors / 2).into()))
        }
        Op::Copy {
            from, to, sectors, ..
        } => {
            let kib = commas((sectors / 2).into());
            format!("copy file {from} to {to}, {kib} KiB")
        }
        Op::Threads { count, .. } => format!("start {count} threads"),
        Op::Barrier => "wait at the barrier for the other threads".to_string(),
        Op::Join => "wait for the threads it started".to_string(),
        Op::Affinity { .. } => "set the CPU mask".to_string(),
        Op::Policy(policy) => format!("set the memory policy: {}", threads::policy_words(policy)),
        Op::Wait { .. } => "wait for the tasks it started".to_string(),
        Op::Mark { .. } => "a phase begins".to_string(),
        Op::Sample { .. } => "start the stopwatch".to_string(),
        Op::Took { .. } => "a round has ended: record its duration".to_string(),
        Op::Stop => "end the run".to_string(),
        Op::Fsync { fd } => format!("write out file {fd}"),
        Op::Unlink { fd } => format!("remove file {fd}"),
        Op::Create { count, .. } => format!("create {} files", commas(count.into())),
        Op::Stat { fd } => format!("look up file {fd}"),
        Op::DropCaches { slab: false } => "drop clean pages".to_string(),
        Op::DropCaches { slab: true } => "drop clean pages, names and inodes".to_string(),
        Op::CompactMemory => "compact all memory".to_string(),
        Op::Set { .. } => "write a tunable".to_string(),
        Op::Free { region } => format!("unmap region {region}"),
        Op::DontNeed { region, every } => format!("drop one page in {every} of region {region}"),
        Op::Alloc { order, count, .. } => {
            format!("allocate {} blocks of order {order}", commas(count.into()))
        }
        Op::Release { every, .. } => format!("free one block in {every}"),
        Op::Spawn { count, .. } => format!("start {count} tasks"),
        Op::Kill { .. } => "kill tasks".to_string(),
        Op::Bind { node, strict } => {
            let memory = if strict { " and its memory" } else { "" };
            format!("bind to node {node}{memory}")
        }
        Op::Think { ns } => format!("think for {} us", commas((ns / 1000) as i64)),
        Op::ThinkLike { ns, .. } => format!(
            "think for {} us plus the duration of a phase",
            commas((ns / 1000) as i64)
        ),
        Op::Compute { ns } => format!("compute for {} us", commas((ns / 1000) as i64)),
        Op::Loop {
            times: Some(times), ..
        } => format!("repeat {times} times"),
        Op::Loop { ns, .. } => format!("repeat for {} us", commas((ns / 1000) as i64)),
        Op::EndLoop { .. } => "end of loop".to_string(),
        Op::Exit => "exit".to_string(),
    }
}
