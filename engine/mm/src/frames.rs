//! Program points and frames: how kernel functions become values that can be stepped.
//!
//! Modelled: one activation of a kernel function is a struct whose `pt` is an enum. The enum's
//! variants are the lines of the function's pseudo-code in order, each with its text. The
//! pseudo-code that the page shows *is* that enum, so it cannot differ from what runs. Left out: a
//! second, faster path. `go` loops over the same `point` that the debugger steps. Invariants: only
//! `go` counts points, and user mode counts touches: one point does many touches, and each is a
//! step. A frame never touches the stack that holds it; it returns a [`Flow`]. The scheduler is
//! called after the same points whether the machine steps or runs.

use facts::index::{CpuIndex, FrameIndex, NodeIndex, TaskIndex, ZonelistIndex};
use facts::state::State;

use crate::compaction::CompactControl;
use crate::kernel::Features;
use crate::migrate::MigrateControl;
use crate::rng::Rng;
use crate::user::runs::RandomAccess;
use crate::view::{Fidelity, Local};
use crate::vmscan::ScanControl;
use crate::workload::MAX_LOOPS;
use crate::world::World;

/// What may happen to the CPU after a program point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The task does not leave the CPU: it holds a lock, or it has checked something that it is
    /// about to take.
    Hold,
    /// The task leaves the CPU only when 10 us of virtual time have passed.
    Plain,
    /// A yield point: a lock was dropped, a batch ended, or the task returns to user mode.
    Yields,
}

/// One line of a function's pseudo-code.
#[derive(Debug, Clone, Copy)]
pub struct PointInfo {
    /// Indentation level.
    pub indent: u8,
    /// What may happen to the CPU after the line.
    pub kind: Kind,
    /// Text of the line.
    pub text: &'static str,
}

/// Which kernels have a line.
pub type When = fn(&Features) -> bool;

/// Does a kernel with these features have this line?
pub fn is_in(when: Option<When>, features: &Features) -> bool {
    when.is_none_or(|when| when(features))
}

/// A line that only some kernels have.
pub(crate) const fn only(when: When) -> Option<When> {
    Some(when)
}

/// What a frame returns to the dispatcher after a point.
#[derive(Debug)]
pub enum Flow {
    /// Continue in this frame.
    Next,
    /// A frame was called ([`Up::call`]) and left its loop in this way.
    Called(Left),
    /// Pop this frame; the result, if any, is in the task's return slot.
    Ret,
    /// Leave the CPU as the task's `sleep` slot says, and continue in this frame when woken.
    Sleep,
    /// The task has exited.
    Exit,
}

/// How a frame left its loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The task must leave the CPU or pause: a stop was reached, a wake-up must be granted, or it
    /// is another CPU's turn.
    Due,
    /// The function returned.
    Returned,
    /// The task sleeps.
    Asleep,
    /// The task has exited.
    Exited,
}

/// The part of a task that its frames may change. The return slot belongs to the task: if it
/// belonged to the machine, another task could overwrite it between return and use.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Context {
    /// Return value of the last callee.
    pub ret: u32,
    /// Task id.
    pub task: TaskIndex,
    /// Process of the task, `u32::MAX` for kernel threads.
    #[state(name = "space", rest = NONE)]
    pub process: u32,
    /// Zonelist for this task's allocations. Below the number of nodes, it is the number of a node.
    /// From there on: only the zones of one node. From twice the number of nodes on: the zones of a
    /// set of nodes, given by the first list of the set plus the node of the CPU. `u8::MAX` means
    /// the node of the CPU.
    #[state(rest = ZonelistIndex::NONE)]
    pub bound_node: ZonelistIndex,
    /// CPUs the task may run on (`cpus_allowed`), an index of the facts' masks. `u16::MAX` stands
    /// for the CPUs of the node the task is bound to, or any CPU if it is bound to none.
    #[state(rest = u16::MAX)]
    pub allowed: u16,
    /// True if the CPU mask has changed: the task checks its CPU when it is next in user mode.
    pub looks_at_cpu: bool,
    /// Nodes over which the task's memory is interleaved, an index of the facts' sets; `u16::MAX`
    /// for none.
    #[state(rest = u16::MAX)]
    pub interleave: u16,
    /// Node that served the task's last interleaved request that was not for a page of a region
    /// (`il_prev`).
    pub il_prev: NodeIndex,
    /// Progress of the task's random accesses.
    pub access: RandomAccess,
    /// Index of the task among the threads that started together, from 0, and their number; (0, 0)
    /// for none.
    pub part: (u32, u32),
    /// How the task sleeps; set before [`Flow::Sleep`].
    pub sleep: Sleep,
    /// CPU to move to at the next sleep, [`CpuIndex::NONE`] for none.
    #[state(rest = CpuIndex::NONE)]
    pub move_to: CpuIndex,
    /// Rounds left in the program's current loops, outermost first; `u32::MAX` for as many rounds
    /// as the time limit allows.
    pub loops: [u32; MAX_LOOPS],
    /// Time after which each of these loops starts no further round, ns; 0 if only the number of
    /// rounds ends the loop.
    pub until: [u64; MAX_LOOPS],
    /// Earliest time for the next round of each of these loops, ns; 0 for no wait.
    pub earliest: [u64; MAX_LOOPS],
    /// Number of nested loops the task is in.
    pub depth: u8,
    /// Random numbers of this task.
    pub rng: Rng,
    /// The task reclaims: it may use all reserves and must not reclaim again (PF_MEMALLOC).
    pub memalloc: bool,
    /// The task handles a page fault: pages that it adds join the youngest generation
    /// (`in_lru_fault`).
    pub in_lru_fault: bool,
    /// How often the task began to reclaim, for its own request or in a pass of kswapd; for the
    /// timeline.
    #[state(skip = "a count that no run depends on")]
    pub reclaims: u32,
    /// The OOM killer chose the task (TIF_MEMDIE, `tsk_is_oom_victim`).
    pub oom_victim: bool,
    /// The task must die, because of SIGKILL or the OOM killer.
    pub killed: bool,
    /// Reclaim parameters of the task, and the batch of pages it holds.
    pub sc: ScanControl,
    /// Compaction parameters of the task, and the free pages it holds.
    pub cc: CompactControl,
    /// The pages the task migrates, and their target.
    pub migrate: MigrateControl,
    /// The task has work to do before it returns to user mode (`task_work`).
    pub task_work: bool,
    /// Pages under writeback that the task has not submitted to their device yet: the bio being
    /// filled.
    pub bio: Vec<FrameIndex>,
    /// The extent of a file to which those pages belong, [`NONE`] for none (`mpage_da_data`).
    #[state(rest = NONE)]
    pub io_end: u32,
    /// Writes that the task holds back for merging while it reclaims (`struct blk_plug`).
    pub plug: Vec<crate::block::Bio>,
    /// Pages charged while the task's cgroup was above memory.high (`memcg_nr_pages_over_high`).
    pub over_high: u32,
    /// Pages the task dirtied since it last checked the dirty limits (`nr_dirtied`).
    pub nr_dirtied: u32,
    /// Number of dirtied pages after which the task checks next (`nr_dirtied_pause`).
    #[state(rest = FIRST_PAUSE)]
    pub nr_dirtied_pause: u32,
    /// Time from which the task's next pause counts, jiffies; 0 for never (`dirty_paused_when`).
    pub dirty_paused_when: u64,
}

impl Context {
    /// Counts the start of a reclaim.
    pub fn begin_reclaim(&mut self) {
        self.memalloc = true;
        self.reclaims = self.reclaims.wrapping_add(1);
    }
}

/// Pages a task dirties before it first checks the dirty limits: 128 KiB (`copy_process`).
const FIRST_PAUSE: u32 = 32;

impl Context {
    /// A context for a task, or for a frame that runs outside any task.
    pub fn new(task: TaskIndex, process: u32, rng: Rng) -> Self {
        Self {
            ret: 0,
            task,
            process,
            bound_node: ZonelistIndex::NONE,
            allowed: u16::MAX,
            looks_at_cpu: false,
            interleave: u16::MAX,
            il_prev: NodeIndex::default(),
            access: RandomAccess::default(),
            part: (0, 0),
            sleep: Sleep::No,
            move_to: CpuIndex::NONE,
            loops: [0; MAX_LOOPS],
            until: [0; MAX_LOOPS],
            earliest: [0; MAX_LOOPS],
            depth: 0,
            rng,
            memalloc: false,
            in_lru_fault: false,
            reclaims: 0,
            oom_victim: false,
            killed: false,
            sc: ScanControl::default(),
            cc: CompactControl::default(),
            migrate: MigrateControl::default(),
            task_work: false,
            bio: Vec::new(),
            io_end: NONE,
            plug: Vec::new(),
            over_high: 0,
            nr_dirtied: 0,
            nr_dirtied_pause: FIRST_PAUSE,
            dirty_paused_when: 0,
        }
    }
}

/// How a task leaves the CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub enum Sleep {
    /// The task does not leave the CPU.
    #[state(rest)]
    No,
    /// Until this virtual time, ns.
    Until(u64),
    /// Until another task wakes it.
    Wait,
    /// For I/O: until this time, ns, or until woken; `u64::MAX` for only until woken.
    Io(u64),
}

/// No frame or no page: the engine's null.
pub const NONE: u32 = u32::MAX;

/// A modelled function.
#[derive(Debug)]
pub struct Function {
    /// The kernel's name.
    pub name: &'static str,
    /// The kernel's file; empty for functions of the engine.
    pub file: &'static str,
    /// A release that has the function, and the line on which its definition starts there.
    pub source: Option<(&'static str, u32)>,
    /// How faithfully the kernel's function is modelled.
    pub fidelity: Fidelity,
    /// How the function differs from the kernel's.
    pub note: &'static str,
    /// Pseudo-code.
    pub lines: &'static [PointInfo],
    /// For each line, which kernels have it, if not all do.
    pub when: &'static [Option<When>],
    /// Which kernels have the function, if not all do.
    pub kernels: Option<When>,
    /// The file of the function's room, as passed to the compiler.
    pub room: &'static str,
}

/// A room declares a kernel function: everything known about it, and its program points in order.
/// The struct of its arguments and locals, with `pt`, and `point`, which runs one line, are
/// declared next to it.
///
/// A line is one statement of at most two rows. A line with `if` belongs only to the kernels whose
/// [`Features`] match; other kernels never reach it. An `if` after the note says which kernels have
/// the function.
///
/// A local is `name: kind(value)`, with the kinds of [`crate::show`], and an `if` for when it exists.
macro_rules! room {
    (
        $ty:ident: $name:literal in $file:literal $(at $tag:literal line $line:literal)?;
        $fidelity:ident $note:literal $(if |$kf:ident| $kernels:expr)?;
        $(#[$doc:meta])*
        $pt:ident { $($variant:ident $indent:literal $kind:ident $text:literal $(if |$f:ident| $when:expr)?;)+ }
        locals($self:ident, $w:ident) { $($local:ident: $show:ident($value:expr) $(if $there:expr)?;)* }
    ) => {
        #[doc = concat!("Program points of `", $name, "`.")]
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, facts::state::State)]
        #[repr(u8)]
        pub enum $pt { $(#[doc = $text] $variant,)+ }

        impl $ty {
            /// Everything known about the function.
            pub const FUNCTION: $crate::frames::Function = $crate::frames::Function {
                name: $name,
                file: $file,
                source: [$(Some(($tag, $line)),)? None][0],
                fidelity: $crate::view::Fidelity::$fidelity,
                note: $note,
                lines: &[$($crate::frames::PointInfo {
                    indent: $indent, kind: $crate::frames::Kind::$kind, text: $text
                },)+],
                when: Self::WHEN,
                kernels: Self::KERNELS,
                room: file!(),
            };
            /// Which kernels have the function, if not all do.
            pub const KERNELS: Option<$crate::frames::When> =
                [$($crate::frames::only(|$kf| $kernels),)? None][0];
            /// Which kernels have each line, if not all do.
            pub const WHEN: &'static [Option<$crate::frames::When>] = &[
                $([$($crate::frames::only(|$f| $when),)? None][0],)+
            ];
            /// What may happen to the CPU after each line.
            pub const KINDS: &'static [$crate::frames::Kind] = &[$($crate::frames::Kind::$kind,)+];

            /// Arguments and locals in readable form.
            pub fn locals(&$self, $w: &$crate::world::World) -> Vec<$crate::view::Local> {
                let _ = $w;
                std::iter::empty()$(.chain({
                    let is_there = [$($there,)? true][0];
                    let shown = || $crate::show::$show($w, stringify!($local), $value);
                    is_there.then(shown).into_iter().flatten()
                }))*.collect()
            }
        }
    };
}
pub(crate) use room;

/// Declares the frame enum, its only loop and the table of functions.
macro_rules! frames {
    ($($name:ident($ty:ty);)+) => {
        /// One activation of a kernel function.
        #[derive(Debug, Clone, PartialEq, Eq, State)]
        pub enum Frame { $(#[doc = stringify!($ty)] $name($ty),)+ }

        /// Function ids, in the order of [`FUNCTIONS`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum FunctionId { $(#[doc = stringify!($ty)] $name,)+ }

        /// All modelled functions.
        pub const FUNCTIONS: &[Function] = &[$(<$ty>::FUNCTION,)+];

        /// The kernel's name of each function: all that a running engine needs. The rest of
        /// [`FUNCTIONS`] is not part of the page's module.
        pub const NAMES: &[&str] = &[$(<$ty>::FUNCTION.name,)+];

        /// For each function, which kernels have each line, if not all do. A running engine needs no
        /// more to name the lines that are absent.
        const WHENS: &[&[Option<When>]] = &[$(<$ty>::WHEN,)+];

        impl Frame {
            /// Size of a frame in bytes: every call copies one.
            pub const SIZE: usize = size_of::<Frame>();

            /// Which function this is an activation of.
            pub fn function(&self) -> FunctionId {
                match self { $(Frame::$name(_) => FunctionId::$name,)+ }
            }

            /// The line that runs next.
            pub fn line(&self) -> u8 {
                match self { $(Frame::$name(f) => f.pt as u8,)+ }
            }

            /// Arguments and locals in readable form.
            pub fn locals(&self, w: &World) -> Vec<Local> {
                match self { $(Frame::$name(f) => f.locals(w),)+ }
            }

            /// Runs points of this frame and of the frames it calls, which are built in the spare
            /// places `above` it. Stops when the frame returns or sleeps, or when the CPU is due,
            /// and returns which of these happened. Afterwards `w.run.kind` has the kind of the
            /// last point, and `w.run.deeper` the number of places above that are now frames of the
            /// task.
            #[inline(always)]
            pub fn go(&mut self, above: &mut [Frame], w: &mut World, cx: &mut Context) -> Left {
                match self { $(Frame::$name(f) => {
                    #[inline(never)]
                    fn go(f: &mut $ty, above: &mut [Frame], w: &mut World, cx: &mut Context) -> Left {
                        const THIS: u8 = FunctionId::$name as u8;
                        w.rec.function = THIS;
                        loop {
                            let kind = <$ty>::KINDS[f.pt as usize];
                            debug_assert!(
                                is_in(<$ty>::KERNELS, &w.facts.features)
                                    && is_in(<$ty>::WHEN[f.pt as usize], &w.facts.features),
                                "{} is at {:?}, a line declared absent from this kernel",
                                <$ty>::FUNCTION.name, f.pt
                            );
                            let flow = anew(f).point(w, cx, Up { above, kind });
                            let left = match flow {
                                Flow::Called(Left::Returned) if !w.is_due(w.run.kind) => {
                                    w.rec.function = THIS;
                                    continue;
                                }
                                Flow::Called(Left::Returned) => return Left::Due,
                                Flow::Called(left) => {
                                    w.run.deeper += 1;
                                    return left;
                                }
                                Flow::Next => Left::Due,
                                Flow::Ret => Left::Returned,
                                Flow::Sleep => Left::Asleep,
                                Flow::Exit => Left::Exited,
                            };
                            w.run.count();
                            if left == Left::Due && !w.is_due(kind) {
                                continue;
                            }
                            w.run.kind = kind;
                            return left;
                        }
                    }
                    go(f, above, w, cx)
                })+ }
            }
        }
    };
}

/// The lines that a kernel with these features does not have: function, line.
pub fn absent_lines(features: &Features) -> Vec<(u8, u8)> {
    let functions = (0..).zip(WHENS);
    let lines =
        functions.flat_map(|(f, lines)| (0..).zip(*lines).map(move |(l, when)| (f, l, when)));
    lines
        .filter(|&(_, _, when)| !is_in(*when, features))
        .map(|(f, l, _)| (f, l))
        .collect()
}

/// The stack above a running frame.
pub struct Up<'a> {
    /// Spare places; a callee is built in the first one.
    above: &'a mut [Frame],
    /// Kind of the running point.
    kind: Kind,
}

impl Up<'_> {
    /// For a frame that runs outside any task and calls no function.
    pub fn nobody() -> Self {
        let (above, kind) = (&mut [][..], Kind::Hold);
        Up { above, kind }
    }

    /// Builds a callee in the first place above its caller and runs it. The callee does not run yet
    /// if the CPU is due after the call, or if no place would be left for its own calls. The call
    /// site knows the callee's function, so no dispatch is needed.
    #[inline(always)]
    pub fn call(self, callee: Frame, w: &mut World, cx: &mut Context) -> Flow {
        w.run.count();
        w.visits.add(callee.function());
        let [place, above @ ..] = self.above else {
            return Flow::Called(Left::Due);
        };
        *place = callee;
        if above.is_empty() || w.is_due(self.kind) {
            w.run.kind = self.kind;
            return Flow::Called(Left::Due);
        }
        Flow::Called(place.go(above, w, cx))
    }
}

/// Hides the frame from the optimizer. Otherwise the optimizer would compute early what only later
/// lines need, and most runs of a frame execute only a few lines.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
fn anew<T>(frame: &mut T) -> &mut T {
    std::hint::black_box(frame)
}
/// In WebAssembly, hiding the frame costs more than it saves.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
fn anew<T>(frame: &mut T) -> &mut T {
    frame
}

frames! {
    Wmark(crate::watermark_ok::WatermarkOk);
    AllocPages(crate::page_alloc::AllocPages);
    FreeList(crate::page_alloc::GetPageFromFreelist);
    Slowpath(crate::slowpath::Slowpath);
    WakeKswapds(crate::slowpath::wake::WakeAllKswapds);
    Rmqueue(crate::buddy::Rmqueue);
    RmqueueBulk(crate::pcp::RmqueueBulk);
    RmqueueSmallest(crate::buddy::RmqueueSmallest);
    Fallback(crate::fallback::RmqueueFallback);
    FreePages(crate::pcp::FreePages);
    FreeUnrefList(crate::pcp::FreeUnrefPageList);
    PcpBulk(crate::pcp::FreePcppagesBulk);
    FreeOne(crate::buddy::FreeOnePage);
    Fault(crate::memory::HandleMmFault);
    AnonPage(crate::memory::DoAnonymousPage);
    HugeAnon(crate::memory::DoHugeAnonymousPage);
    Unmap(crate::memory::UnmapRegion);
    SwapPage(crate::swapfile::DoSwapPage);
    SwapReadahead(crate::swapfile::SwapinReadahead);
    FileFault(crate::filemap::FilemapFault);
    FileRead(crate::filemap::FilemapRead);
    Readahead(crate::filemap::PageCacheReadahead);
    FileWrite(crate::filemap::GenericPerformWrite);
    Fsync(crate::filemap::FsyncFile);
    AddToCache(crate::filemap::AddToPageCacheLru);
    NewSlab(crate::slab::NewSlab);
    CacheGrow(crate::slab::CacheGrow);
    Truncate(crate::filemap::TruncateInodePages);
    Lookup(crate::slab::DAllocAndLookup);
    Inode(crate::slab::IgetLocked);
    User(crate::user::User);
    Kswapd(crate::vmscan::kswapd::Kswapd);
    TryToSleep(crate::vmscan::kswapd::TryToSleep);
    BalancePgdat(crate::vmscan::balance_node::BalancePgdat);
    BalanceZones(crate::vmscan::balance_zones::BalanceZones);
    BalanceScans(crate::vmscan::balance_scans::BalanceScans);
    KswapdShrinkZone(crate::vmscan::balance_scans::KswapdShrinkZone);
    ZoneReclaim(crate::vmscan::zone_reclaim::ZoneReclaim);
    ZoneReclaimPass(crate::vmscan::zone_reclaim::ZoneReclaimPass);
    TryToFreePages(crate::vmscan::direct::TryToFreePages);
    ShrinkNode(crate::vmscan::node::ShrinkNode);
    ShrinkLruvec(crate::vmscan::lruvec::ShrinkLruvec);
    ShrinkInactiveList(crate::vmscan::inactive::ShrinkInactiveList);
    ShrinkActiveList(crate::vmscan::active::ShrinkActiveList);
    ShrinkPageList(crate::vmscan::page_list::ShrinkPageList);
    ShrinkSlab(crate::vmscan::slab::ShrinkSlab);
    ReclaimThrottle(crate::vmscan::throttle::ReclaimThrottle);
    CongestionWait(crate::vmscan::throttle::CongestionWait);
    DirectCompact(crate::compaction::DirectCompact);
    TryToCompact(crate::compaction::TryToCompactPages);
    CompactZone(crate::compaction::CompactZone);
    ReclaimCompact(crate::compaction::ReclaimcompactZoneOrder);
    CompactNodes(crate::compaction::CompactNodes);
    IsolateMigrate(crate::compaction::IsolateMigratepages);
    IsolateFree(crate::compaction::IsolateFreepages);
    MigratePages(crate::migrate::MigratePages);
    UnmapAndMove(crate::migrate::UnmapAndMove);
    Oom(crate::oom::OutOfMemory);
    BlkDone(crate::block::BlkDone);
    BlkGetRequest(crate::block::BlkGetRequest);
    Flusher(crate::page_writeback::flusher::WbWorkfn);
    WriteCachePages(crate::page_writeback::flusher::WriteCachePages);
    BalanceDirtyPages(crate::page_writeback::balance::BalanceDirtyPages);
    ThrottleVmWriteout(crate::page_writeback::throttle::ThrottleVmWriteout);
    TaskNumaWork(crate::numa::scan::TaskNumaWork);
    NumaPage(crate::numa::fault::DoNumaPage);
    MigrateMisplaced(crate::numa::migrate::MigrateMisplacedPage);
    PmdNumaPage(crate::numa::table_fault::DoPmdNumaPage);
    Timer(crate::sched::HrtimerInterrupt);
    Intervene(crate::intervention::Intervene);
    LoadBalance(crate::sched::LoadBalance);
    NumaPages(crate::numa::cluster::DoNumaPages);
    NumaPlacement(crate::numa::converge::TaskNumaPlacement);
    MutexLock(crate::locks::MutexLock);
    KnumaScand(crate::numa::autonuma::scand::KnumaScand);
    AutonumaBalance(crate::numa::autonuma::balance::SchedAutonumaBalance);
    LruGenShrinkNode(crate::vmscan::lru_gen::LruGenShrinkNode);
    TryToShrinkLruvec(crate::vmscan::lru_gen::TryToShrinkLruvec);
    EvictFolios(crate::vmscan::lru_gen::EvictFolios);
    ScanFolios(crate::vmscan::lru_gen::ScanFolios);
    TryToIncMaxSeq(crate::vmscan::lru_gen::TryToIncMaxSeq);
    WalkMm(crate::vmscan::lru_gen::WalkMm);
    LruGenAgeNode(crate::vmscan::lru_gen::LruGenAgeNode);
    TryCharge(crate::memcg::charge::TryCharge);
    MemcgReclaim(crate::memcg::reclaim::TryToFreeMemCgroupPages);
    OverHigh(crate::memcg::over_high::HandleOverHigh);
    MemcgOom(crate::memcg::oom::MemCgroupOom);
    MemoryWrite(crate::memcg::write::MemoryWrite);
}

// Every call copies a frame.
const _: () = assert!(Frame::SIZE <= 24, "a frame has outgrown 24 bytes");
