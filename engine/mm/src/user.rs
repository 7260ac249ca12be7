//! User mode: a task runs its program, one operation or one touched page a point.
//!
//! Modelled: the workload's operations; the kernel is entered by a fault or a call.
//! Left out: instructions between the operations; `think` stands for them.
//! Invariants: a task that exits has freed all it held.

use crate::filemap::{
    FilemapRead, FsyncFile, GenericPerformWrite, TruncateInodePages, page_sectors,
};
use crate::frames::{Context, Flow, Frame, NONE, Sleep, points};
use crate::gfp::Gfp;
use crate::memory::{HandleMmFault, UnmapRegion, release};
use crate::mmzone::{PageKind, flag};
use crate::page_alloc::{AllocPages, Request};
use crate::slab::IgetLocked;
use crate::space::{Backing, Fd, Mapping};
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
        Open 0 Plain "the file is not open: open(), its inode is found or made";
        Opened 0 Plain "no memory for an inode: leave the operation; nothing to map: exit";
        Transfer 0 Yields "next read() or write()";
        Moved 0 Plain "back from the call; out of memory: leave the operation";
        Wait 0 Plain "wait4(): tasks it started have not ended: sleep";
        Fsync 0 Plain "fsync() of the next file";
        Unlink 0 Plain "unlink() of the next file; nobody uses it: its pages go at once";
        Create 0 Plain "creat() of the next file";
        Made 0 Plain "write it; no memory for an inode: leave the operation";
        Written 0 Plain "the next write(), until all of it is written";
        Close 0 Plain "close it";
        Lock 0 Plain "mlock(): next page of the region; not mapped: fault it in";
        Locked 0 Plain "back from the fault; out of memory: leave the operation";
        Alloc 0 Plain "ask for the next block";
        Got 0 Plain "keep the block in the pool";
        Release 0 Plain "free the next block of the pool";
        ExitRegion 0 Plain "exit: unmap the next region";
        ExitFile 0 Plain "exit: close the next file; it has no name and no other user: its pages go";
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
    /// Where a sequential touch of each round begins; whether a copy writes next.
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
        if cx.killed && self.may_die() {
            return self.die(w, cx);
        }
        match self.pt {
            UsPt::Fetch => self.fetch(w, cx),
            UsPt::Touch => self.touch(w, cx),
            UsPt::Touched => self.touched(w, cx),
            UsPt::Open => {
                self.pt = UsPt::Opened;
                Flow::Call(IgetLocked::call(self.fd(w, cx).file, Self::node(cx, w)))
            }
            UsPt::Opened => self.opened(w, cx),
            UsPt::Transfer => self.transfer(w, cx),
            UsPt::Moved => {
                self.pt = UsPt::Transfer;
                if cx.ret == 0 {
                    self.at = 0;
                    return self.next();
                }
                Flow::Next
            }
            UsPt::Wait => self.wait(w, cx),
            UsPt::Fsync => self.fsync(w, cx),
            UsPt::Unlink => self.unlink(w, cx),
            UsPt::Create => self.create(w, cx),
            UsPt::Made => self.made(w, cx),
            UsPt::Written => self.written(w, cx),
            UsPt::Close => {
                w.whole_only();
                let fd = self.number(w);
                close(w, cx.space, fd);
                w.phases.made.files += 1;
                self.pt = UsPt::Create;
                Flow::Next
            }
            UsPt::Lock => self.lock(w, cx),
            UsPt::Locked => {
                w.whole_only();
                self.pt = UsPt::Lock;
                if cx.ret == 0 { self.next() } else { Flow::Next }
            }
            UsPt::Alloc => self.alloc(w, cx),
            UsPt::Got => self.got(w, cx),
            UsPt::Release => self.release(w, cx),
            UsPt::ExitRegion => {
                let regions = w.spaces.all[cx.space as usize].regions.len() as u32;
                if self.i == regions {
                    (self.i, self.pt) = (0, UsPt::ExitFile);
                    return Flow::Next;
                }
                self.i += 1;
                Flow::Call(UnmapRegion::call(self.i - 1))
            }
            UsPt::ExitFile => {
                if self.i as usize == w.spaces.all[cx.space as usize].fds.len() {
                    self.pt = UsPt::ExitPool;
                    return Flow::Next;
                }
                self.i += 1;
                match close(w, cx.space, self.i as u8 - 1) {
                    Some(file) => Flow::Call(TruncateInodePages::call(file)),
                    None => Flow::Next,
                }
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
                self.gone(w, cx);
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
                fd,
            } => {
                if fd != u8::MAX && !self.fd(w, cx).open {
                    return self.open(w, cx);
                }
                let backing = self.map_file(w, cx, region, fd);
                w.spaces.mmap(cx.space, region, pages, huge, backing);
                self.at = 0;
                return self.next();
            }
            Op::Transfer { .. } => self.pt = UsPt::Transfer,
            Op::Copy { .. } => (self.at, self.pt) = (0, UsPt::Transfer),
            Op::Wait { .. } => self.pt = UsPt::Wait,
            Op::Mark { name } => {
                w.phases.mark(self.program, name, cx.task, w.now);
                return self.next();
            }
            Op::Stop => {
                w.phases.mark(self.program, NONE, cx.task, w.now);
                w.stop();
                return self.next();
            }
            Op::Fsync { .. } => self.pt = UsPt::Fsync,
            Op::Unlink { .. } => self.pt = UsPt::Unlink,
            Op::Create { .. } => self.pt = UsPt::Create,
            Op::DropCaches => {
                self.next();
                return Flow::Call(TruncateInodePages::drop_caches());
            }
            Op::Lock { region } => {
                w.spaces.lock(cx.space, region);
                self.pt = UsPt::Lock;
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
                        parent: cx.space,
                    });
                }
                return self.next();
            }
            Op::Bind { node, strict } => {
                cx.bound_node = if strict { w.only(node) } else { node };
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

    /// In user mode, or about to go back there: a fatal signal ends it here.
    fn may_die(&self) -> bool {
        use UsPt::*;
        // A block or an inode just got is in its hand; an exit is on its way.
        !matches!(
            self.pt,
            Opened | Made | Got | ExitRegion | ExitFile | ExitPool | Gone
        )
    }

    fn die(&mut self, w: &mut World, cx: &Context) -> Flow {
        let rss = w.spaces.all[cx.space as usize].rss;
        if cx.killed && !cx.oom_victim {
            w.why(Why::SigKill, [cx.task, rss, 0, 0, 0, 0]);
        } else {
            w.why(Why::Oom, [cx.task, rss, 0, 0, 0, 0]);
            w.trace(Event::Killed, [cx.task, 0, 0, 0, 0, 0]);
        }
        (self.i, self.pt) = (0, UsPt::ExitRegion);
        Flow::Next
    }

    /// The number of the open file the operation is about.
    fn number(&self, w: &World) -> u8 {
        match self.op(w) {
            Op::Map { fd, .. }
            | Op::Transfer { fd, .. }
            | Op::Fsync { fd }
            | Op::Unlink { fd }
            | Op::Create { fd, .. } => fd,
            Op::Copy { from, .. } if self.at == 0 => from,
            Op::Copy { to, .. } => to,
            _ => u8::MAX,
        }
    }

    fn fd<'a>(&self, w: &'a mut World, cx: &Context) -> &'a mut Fd {
        let number = self.number(w);
        &mut w.spaces.all[cx.space as usize].fds[number as usize]
    }

    /// The file the operation has open, or is about to.
    pub(crate) fn open_file(&self, w: &World, space: u32) -> Option<u32> {
        let fds = &w.spaces.all[space as usize].fds;
        fds.get(self.number(w) as usize).map(|fd| fd.file)
    }

    /// Opens the file, or leaves the operation when there is none (ENOENT); writing and mapping
    /// create it.
    fn open(&mut self, w: &mut World, cx: &Context) -> Flow {
        let creates = match self.op(w) {
            Op::Transfer { write, .. } => write,
            Op::Copy { .. } => self.at > 0,
            _ => true,
        };
        let file = self.fd(w, cx).file;
        let f = &mut w.files.all[file as usize];
        if creates && !f.linked {
            (f.linked, f.written) = (true, 0);
        }
        if !f.linked {
            self.at = 0;
            return self.next();
        }
        self.pt = UsPt::Open;
        Flow::Next
    }

    fn opened(&mut self, w: &mut World, cx: &Context) -> Flow {
        let maps = matches!(self.op(w), Op::Map { .. });
        if cx.ret == 0 && maps {
            // What follows relies on the region.
            return self.die(w, cx);
        }
        if cx.ret == 0 {
            return self.next();
        }
        self.fd(w, cx).open = true;
        self.pt = match self.op(w) {
            Op::Map { .. } => UsPt::Fetch,
            _ => UsPt::Transfer,
        };
        Flow::Next
    }

    /// What a region will show: the file is in use by one more.
    fn map_file(&self, w: &mut World, cx: &Context, region: u32, fd: u8) -> Backing {
        if fd == u8::MAX {
            return Backing::Anon;
        }
        w.whole_only();
        let file = self.fd(w, cx).file;
        w.files.add_mapping(file, cx.space, region);
        crate::slab::inode_get(w, file);
        let offset = 0;
        Backing::File { file, offset, fd }
    }

    fn transfer(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let (write, sectors, chunk, pattern) = match self.op(w) {
            Op::Transfer {
                write,
                sectors,
                chunk,
                pattern,
                ..
            } => (write, sectors, chunk, pattern),
            Op::Copy { sectors, chunk, .. } => (self.at > 0, sectors, chunk, Pattern::Sequential),
            _ => return self.next(),
        };
        if self.i >= sectors {
            return self.next();
        }
        let fd = self.number(w);
        let open = *self.fd(w, cx);
        let size = w.files.file(open.file).pages * page_sectors(w);
        if !open.open {
            return self.open(w, cx);
        }
        let ahead = match pattern {
            Pattern::Random if self.at != self.i + 1 => open.first + cx.rng.below(open.count),
            Pattern::Random => open.file,
            Pattern::Sequential if open.pos < size => open.file,
            Pattern::Sequential => open.first + (open.file - open.first + 1) % open.count,
        };
        if pattern == Pattern::Random {
            // Chosen once for each call.
            self.at = self.i + 1;
        }
        if ahead != open.file {
            let closed = close(w, cx.space, fd);
            self.fd(w, cx).turn_to(ahead);
            return match closed {
                Some(file) => Flow::Call(TruncateInodePages::call(file)),
                None => Flow::Next,
            };
        }
        let place = self.fd(w, cx);
        if pattern == Pattern::Random {
            place.pos = chunk * cx.rng.below((size / chunk).max(1));
        } else if place.pos >= size {
            place.pos = 0;
        }
        let pos = place.pos;
        let length = chunk.min(size - pos).min(sectors - self.i);
        if write {
            w.phases.made.written += u64::from(length);
        } else {
            w.phases.made.read += u64::from(length);
        }
        if matches!(self.op(w), Op::Copy { .. }) {
            // What was read is written before more is read.
            self.i += if write { length } else { 0 };
            self.at = u32::from(!write);
        } else {
            self.i += length;
        }
        self.pt = UsPt::Moved;
        w.spend(w.facts.cost.syscall);
        w.why(Why::FileCall, [open.file, pos, length, 0, 0, 0]);
        let (end, node) = (pos + length, Self::node(cx, w));
        Flow::Call(if write {
            GenericPerformWrite::call(fd, end, node)
        } else {
            FilemapRead::call(fd, end, node)
        })
    }

    fn fsync(&mut self, w: &mut World, cx: &Context) -> Flow {
        w.whole_only();
        let row = *self.fd(w, cx);
        if self.i == row.count {
            return self.next();
        }
        self.i += 1;
        Flow::Call(FsyncFile::call(row.first + self.i - 1))
    }

    fn unlink(&mut self, w: &mut World, cx: &Context) -> Flow {
        w.whole_only();
        let row = *self.fd(w, cx);
        if self.i == row.count {
            return self.next();
        }
        let file = row.first + self.i;
        self.i += 1;
        w.spend(w.facts.cost.dentry_free);
        let f = &mut w.files.all[file as usize];
        if !std::mem::replace(&mut f.linked, false) {
            return Flow::Next;
        }
        let gone = if row.open && row.file == file {
            close(w, cx.space, self.number(w))
        } else {
            (f.users == 0 && f.inode != NONE).then_some(file)
        };
        match gone {
            Some(file) => Flow::Call(TruncateInodePages::call(file)),
            None => Flow::Next,
        }
    }

    fn create(&mut self, w: &mut World, cx: &Context) -> Flow {
        w.whole_only();
        let Op::Create { count, pages, .. } = self.op(w) else {
            return self.next();
        };
        if self.i == count {
            return self.next();
        }
        self.i += 1;
        w.spend(w.facts.cost.syscall);
        let file = w.files.create(crate::filemap::device_for_files(w), pages);
        self.fd(w, cx).turn_to(file);
        self.pt = UsPt::Made;
        Flow::Call(IgetLocked::call(file, Self::node(cx, w)))
    }

    fn made(&mut self, w: &mut World, cx: &Context) -> Flow {
        w.whole_only();
        if cx.ret == 0 {
            return self.next();
        }
        self.fd(w, cx).open = true;
        self.write_on(w, cx)
    }

    /// The next write() to a file just created.
    fn write_on(&mut self, w: &mut World, cx: &Context) -> Flow {
        w.whole_only();
        let Op::Create { pages, chunk, .. } = self.op(w) else {
            return self.next();
        };
        self.pt = UsPt::Written;
        let (pos, all) = (self.fd(w, cx).pos, pages * page_sectors(w));
        let end = pos.saturating_add(chunk).min(all);
        w.phases.made.written += u64::from(end - pos);
        let node = Self::node(cx, w);
        Flow::Call(GenericPerformWrite::call(self.number(w), end, node))
    }

    fn written(&mut self, w: &mut World, cx: &Context) -> Flow {
        w.whole_only();
        let Op::Create { pages, .. } = self.op(w) else {
            return self.next();
        };
        if cx.ret == 0 || self.fd(w, cx).pos >= pages * page_sectors(w) {
            self.pt = UsPt::Close;
            return Flow::Next;
        }
        w.spend(w.facts.cost.syscall);
        self.write_on(w, cx)
    }

    fn wait(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let every = match self.op(w) {
            Op::Wait { every_ns } => every_ns,
            _ => 0,
        };
        let space = &mut w.spaces.all[cx.space as usize];
        space.waits = space.children > 0 && every == 0;
        if space.children == 0 {
            return self.next();
        }
        cx.sleep = match every {
            0 => Sleep::Wait,
            ns => Sleep::Until(w.now + ns),
        };
        Flow::Sleep
    }

    /// The task has freed all it held: whoever waits for it is told.
    fn gone(&self, w: &mut World, cx: &Context) {
        if !w.facts.programs[self.program as usize].marks.is_empty() {
            w.phases.mark(self.program, NONE, cx.task, w.now);
        }
        let space = std::mem::take(&mut w.spaces.all[cx.space as usize]);
        if let Some(parent) = w.spaces.all.get_mut(space.parent as usize)
            && parent.children > 0
        {
            parent.children -= 1;
            if parent.children == 0 && std::mem::take(&mut parent.waits) {
                let task = parent.task;
                w.wake(task);
            }
        }
    }

    fn lock(&mut self, w: &mut World, cx: &Context) -> Flow {
        w.whole_only();
        let Op::Lock { region } = self.op(w) else {
            return self.next();
        };
        if self.i == w.spaces.region(cx.space, region).pages {
            return self.next();
        }
        let page = self.i;
        self.i += 1;
        match w.spaces.lookup(cx.space, region, page) {
            Mapping::Page(frame) => {
                crate::swap::mlock_page(w, frame);
                w.why(Why::Mlocked, [frame, 0, 0, 0, 0, 0]);
                Flow::Next
            }
            // Huge pages are on no list that reclaim looks at.
            Mapping::Huge(_) => Flow::Next,
            Mapping::NoTable | Mapping::Empty | Mapping::Swap(_) => {
                self.pt = UsPt::Locked;
                let write = w.spaces.region(cx.space, region).backing == Backing::Anon;
                let node = Self::node(cx, w);
                Flow::Call(HandleMmFault::call(region, page, node, write))
            }
        }
    }

    fn touch(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let Op::Touch {
            region,
            count,
            pattern,
            write,
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
        let anon = w.spaces.region(cx.space, region).backing == Backing::Anon;
        match w.spaces.touch(cx.space, region, page, write && anon) {
            // A clean page of a file is mapped read-only.
            Mapping::Page(frame)
                if write && !anon && !w.mem.pages[frame as usize].has(flag::DIRTY) =>
            {
                self.fault(w, cx, region, page, write)
            }
            Mapping::Page(_) | Mapping::Huge(_) => {
                w.spend_user(TOUCH_NS);
                w.why(Why::UserTouch, [page, region, 0, 0, 0, 0]);
                Flow::Next
            }
            Mapping::NoTable | Mapping::Empty | Mapping::Swap(_) => {
                self.fault(w, cx, region, page, write)
            }
        }
    }

    fn fault(&mut self, w: &World, cx: &Context, region: u32, page: u32, write: bool) -> Flow {
        self.pt = UsPt::Touched;
        let node = Self::node(cx, w);
        Flow::Call(HandleMmFault::call(region, page, node, write))
    }

    fn touched(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.pt = UsPt::Touch;
        if cx.ret == 0 {
            return self.die(w, cx);
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

/// Closes an open file of a task. Returns the file if it has neither name nor user left.
fn close(w: &mut World, space: u32, fd: u8) -> Option<u32> {
    let open = &mut w.spaces.all[space as usize].fds[fd as usize];
    let file = open.file;
    if !std::mem::replace(&mut open.open, false) {
        return None;
    }
    crate::slab::inode_put(w, file);
    let f = w.files.file(file);
    (!f.linked && f.users == 0).then_some(file)
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
        Op::Wait { .. } => "wait for the tasks it started".to_string(),
        Op::Mark { .. } => "a phase begins".to_string(),
        Op::Stop => "end the run".to_string(),
        Op::Fsync { fd } => format!("write out file {fd}"),
        Op::Unlink { fd } => format!("remove file {fd}"),
        Op::Create { count, .. } => format!("create {} files", commas(count.into())),
        Op::DropCaches => "drop clean pages".to_string(),
        Op::Free { region } => format!("unmap region {region}"),
        Op::Alloc { order, count, .. } => {
            format!("allocate {} blocks of order {order}", commas(count.into()))
        }
        Op::Release { every, .. } => format!("free one block in {every}"),
        Op::Spawn { count, .. } => format!("start {count} tasks"),
        Op::Bind { node, strict } => {
            let memory = if strict { " and its memory" } else { "" };
            format!("bind to node {node}{memory}")
        }
        Op::Think { ns } => format!("think for {} us", commas((ns / 1000) as i64)),
        Op::Loop { times, .. } => format!("repeat {times} times"),
        Op::EndLoop { .. } => "end of loop".to_string(),
        Op::Exit => "exit".to_string(),
    }
}
