//! Program points and frames: how kernel functions become values that can be stepped.
//!
//! Modelled: one activation of a kernel function is a struct whose `pt` is an enum; the enum's
//! variants are the lines of the function's pseudo-code in order, each with its text. The
//! pseudo-code a person reads *is* that enum, so it cannot drift from what runs.
//! Left out: a second, faster path. `go` loops the same `point` the debugger steps.
//! Invariants: only `go` counts points, and user mode touches, which are a step each although one
//! point does many; a frame never touches the stack it lies on, it returns
//! a [`Flow`]; the scheduler is asked after the same points whether stepping or running.

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
    /// A lock is held, or something was checked and will be taken: never leaves the CPU.
    Hold,
    /// Leaves the CPU only when 10 us of virtual time have passed.
    Plain,
    /// A yield point: a lock was dropped, a batch ended, back to user mode.
    Yields,
}

/// One line of a function's pseudo-code.
#[derive(Debug, Clone, Copy)]
pub struct PointInfo {
    /// Indentation level.
    pub indent: u8,
    /// Scheduling kind.
    pub kind: Kind,
    /// The line.
    pub text: &'static str,
}

/// Which kernels a line is part of.
pub type When = fn(&Features) -> bool;

/// Does a kernel with these features have a line?
pub fn is_in(when: Option<When>, features: &Features) -> bool {
    when.is_none_or(|when| when(features))
}

/// A line of some kernels.
pub(crate) const fn only(when: When) -> Option<When> {
    Some(when)
}

/// What a frame tells the dispatcher after a point.
#[derive(Debug)]
pub enum Flow {
    /// Go on in this frame.
    Next,
    /// A frame was called ([`Up::call`]), and this is how it came out.
    Called(Left),
    /// Pop this frame; the result, if any, is in the task's return slot.
    Ret,
    /// Leave the CPU as the task's `sleep` slot says, and go on in this frame when woken.
    Sleep,
    /// The task is gone.
    Exit,
}

/// How a frame came out of its loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The CPU is due: a stop, a wake-up to grant, or another CPU's turn.
    Due,
    /// It returned.
    Returned,
    /// Its task sleeps.
    Asleep,
    /// Its task is gone.
    Gone,
}

/// The part of a task its frames may touch. The return slot belongs to the task: were it the
/// machine's, another task could overwrite it between return and use.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Context {
    /// What the callee returned.
    pub ret: u32,
    /// Task id.
    pub task: u32,
    /// Its process, `u32::MAX` for kernel threads.
    #[state(name = "space", rest = NONE)]
    pub process: u32,
    /// Zonelist that serves this task's allocations: a node's, from the number of nodes on a node's own
    /// zones only, from twice that on those of a set of nodes, where it is the first of the set and the
    /// node of the CPU is added; `u8::MAX` = node of its CPU.
    #[state(rest = u8::MAX)]
    pub bound_node: u8,
    /// CPUs it may run on (`cpus_allowed`), an index of the facts' masks; `u16::MAX` = those of the node
    /// it is bound to, any where it is bound to none.
    #[state(rest = u16::MAX)]
    pub allowed: u16,
    /// Its CPU mask has changed: it looks at its CPU when it is next in user mode.
    pub looks_at_cpu: bool,
    /// Nodes its memory is interleaved over, an index of the facts' sets; `u16::MAX` for none.
    #[state(rest = u16::MAX)]
    pub interleave: u16,
    /// Node that served its last interleaved request that is for no page of a region (`il_prev`).
    pub il_prev: u8,
    /// How far its accesses anywhere have got.
    pub access: RandomAccess,
    /// Which of the threads started together it is, from 0, and of how many; (0, 0) for none.
    pub part: (u32, u32),
    /// How it sleeps, set before [`Flow::Sleep`].
    pub sleep: Sleep,
    /// CPU to move to at the next sleep, `u16::MAX` for none.
    #[state(rest = u16::MAX)]
    pub move_to: u16,
    /// Rounds left of the program's loops it is in, outermost first; `u32::MAX` with a time for as
    /// many as there is time for.
    pub loops: [u32; MAX_LOOPS],
    /// When no further round of those begins, ns; 0 where rounds alone end the loop.
    pub until: [u64; MAX_LOOPS],
    /// When the next round of those may begin, ns; 0 for at once.
    pub earliest: [u64; MAX_LOOPS],
    /// How many loops it is in.
    pub depth: u8,
    /// Its own random numbers.
    pub rng: Rng,
    /// It reclaims: may use all reserves and must not reclaim again (PF_MEMALLOC).
    pub memalloc: bool,
    /// How often it began to reclaim: a request of its own, or a pass of kswapd; for the timeline.
    #[state(skip = "a count of what was done, which no run asks for")]
    pub reclaims: u32,
    /// The OOM killer chose it (TIF_MEMDIE, `tsk_is_oom_victim`).
    pub oom_victim: bool,
    /// It has to die: SIGKILL, or the OOM killer's choice.
    pub killed: bool,
    /// What it wants of reclaim, and the batch in its hands.
    pub sc: ScanControl,
    /// What it wants of compaction, and the free pages in its hands.
    pub cc: CompactControl,
    /// What it moves, and where to.
    pub migrate: MigrateControl,
    /// There is work to do before it goes back to user mode (`task_work`).
    pub task_work: bool,
    /// Pages under writeback it has not handed to their device yet: the bio being filled.
    pub bio: Vec<u32>,
    /// The extent of a file those are part of, [`NONE`] for none (`mpage_da_data`).
    #[state(rest = NONE)]
    pub io_end: u32,
    /// Writes it holds back for merging while it reclaims (`struct blk_plug`).
    pub plug: Vec<crate::block::Bio>,
    /// Pages it dirtied since it last looked whether too much is dirty (`nr_dirtied`).
    pub nr_dirtied: u32,
    /// When it looks next, pages (`nr_dirtied_pause`).
    #[state(rest = FIRST_PAUSE)]
    pub nr_dirtied_pause: u32,
    /// From when on its next pause counts, jiffies; 0 for never (`dirty_paused_when`).
    pub dirty_paused_when: u64,
}

impl Context {
    /// It begins to reclaim.
    pub fn begin_reclaim(&mut self) {
        self.memalloc = true;
        self.reclaims = self.reclaims.wrapping_add(1);
    }
}

/// Pages a task dirties before it first looks whether too much is dirty: 128 KiB (`copy_process`).
const FIRST_PAUSE: u32 = 32;

impl Context {
    /// A context for a task, or for a frame run on the side.
    pub fn new(task: u32, process: u32, rng: Rng) -> Self {
        Self {
            ret: 0,
            task,
            process,
            bound_node: u8::MAX,
            allowed: u16::MAX,
            looks_at_cpu: false,
            interleave: u16::MAX,
            il_prev: 0,
            access: RandomAccess::default(),
            part: (0, 0),
            sleep: Sleep::No,
            move_to: u16::MAX,
            loops: [0; MAX_LOOPS],
            until: [0; MAX_LOOPS],
            earliest: [0; MAX_LOOPS],
            depth: 0,
            rng,
            memalloc: false,
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
            nr_dirtied: 0,
            nr_dirtied_pause: FIRST_PAUSE,
            dirty_paused_when: 0,
        }
    }
}

/// How a task leaves the CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub enum Sleep {
    /// It does not.
    #[state(rest)]
    No,
    /// Until this virtual time, ns.
    Until(u64),
    /// Until somebody wakes it.
    Wait,
    /// For I/O: until this time, ns, or until somebody wakes it; `u64::MAX` for the latter only.
    Io(u64),
}

/// No frame, no page: the engine's null.
pub const NONE: u32 = u32::MAX;

/// A modelled function.
#[derive(Debug)]
pub struct Function {
    /// The kernel's name.
    pub name: &'static str,
    /// The kernel's file; empty for functions of the engine.
    pub file: &'static str,
    /// A release that has it, and the line its definition begins at there.
    pub source: Option<(&'static str, u32)>,
    /// How faithful it is.
    pub fidelity: Fidelity,
    /// What is different.
    pub note: &'static str,
    /// Pseudo-code.
    pub lines: &'static [PointInfo],
    /// For each line which kernels have it, where not all do.
    pub when: &'static [Option<When>],
    /// Which kernels have the function, where not all do.
    pub kernels: Option<When>,
    /// The file of its room, as the compiler was given it.
    pub room: &'static str,
}

/// A kernel function's room: all that is known of it, and its program points in order. Beside it
/// stand the struct of its arguments and locals, with `pt`, and `point`, which runs one line.
///
/// A line is one statement of two rows at most; with `if` it is one that only some kernels have,
/// those whose [`Features`] say so. Another kernel never comes by it, in any run. The same `if` behind
/// the note says which kernels have the function.
///
/// A local is `name: kind(value)`, by the kinds of [`crate::show`], and `if` when there is one.
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
            /// What is known of the function.
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
            /// Which kernels have the function, where not all do.
            pub const KERNELS: Option<$crate::frames::When> =
                [$($crate::frames::only(|$kf| $kernels),)? None][0];
            /// Which kernels have each line, where not all do.
            pub const WHEN: &'static [Option<$crate::frames::When>] = &[
                $([$($crate::frames::only(|$f| $when),)? None][0],)+
            ];
            /// What may happen to the CPU after each line.
            pub const KINDS: &'static [$crate::frames::Kind] = &[$($crate::frames::Kind::$kind,)+];

            /// Arguments and locals as a person reads them.
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

        /// The kernel's name of each: what a running engine says of it. The rest of [`FUNCTIONS`]
        /// is not part of the page's module.
        pub const NAMES: &[&str] = &[$(<$ty>::FUNCTION.name,)+];

        /// Which kernels have each line of each, where not all do: all a running engine needs to say
        /// what is not there.
        const WHENS: &[&[Option<When>]] = &[$(<$ty>::WHEN,)+];

        impl Frame {
            /// Bytes of a frame: every call copies one.
            pub const SIZE: usize = size_of::<Frame>();

            /// Which function this is an activation of.
            pub fn function(&self) -> FunctionId {
                match self { $(Frame::$name(_) => FunctionId::$name,)+ }
            }

            /// The line about to run.
            pub fn line(&self) -> u8 {
                match self { $(Frame::$name(f) => f.pt as u8,)+ }
            }

            /// Arguments and locals as a person reads them.
            pub fn locals(&self, w: &World) -> Vec<Local> {
                match self { $(Frame::$name(f) => f.locals(w),)+ }
            }

            /// Runs points of this frame and of those it calls, built in the spare places `above`
            /// it, until it returns, sleeps, or the CPU is due. Returns what happened; the kind
            /// of the last point is in `w.run.kind`, how many of the places above are now frames
            /// of the task in `w.run.deeper`.
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
                                "{} is at {:?}, which this kernel is said not to have",
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
                                Flow::Exit => Left::Gone,
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

/// The lines a kernel with these features does not have: function, line.
pub fn absent_lines(features: &Features) -> Vec<(u8, u8)> {
    let functions = (0..).zip(WHENS);
    let lines =
        functions.flat_map(|(f, lines)| (0..).zip(*lines).map(move |(l, when)| (f, l, when)));
    lines
        .filter(|&(_, _, when)| !is_in(*when, features))
        .map(|(f, l, _)| (f, l))
        .collect()
}

/// What is above a running frame.
pub struct Up<'a> {
    /// Spare places: in the first a callee is built.
    above: &'a mut [Frame],
    /// Kind of the running point.
    kind: Kind,
}

impl Up<'_> {
    /// For a frame run on the side, which calls nobody.
    pub fn nobody() -> Self {
        let (above, kind) = (&mut [][..], Kind::Hold);
        Up { above, kind }
    }

    /// Puts a callee into the first of the places above its caller and runs it, unless the CPU is
    /// due behind the call, or no place would be left for what it calls. Where the call stands the
    /// callee's function is known, so that it is entered without asking what it is.
    #[inline(always)]
    pub fn call(self, callee: Frame, w: &mut World, cx: &mut Context) -> Flow {
        w.run.count();
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

/// The same frame, of which the compiler takes for granted nothing it has seen: else it would work
/// out what lines further down need before the first, and most runs of a frame are a few lines.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
fn anew<T>(frame: &mut T) -> &mut T {
    std::hint::black_box(frame)
}
/// In WebAssembly that costs more than it saves.
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
}

// Every call copies a frame.
const _: () = assert!(Frame::SIZE <= 24, "a frame has outgrown 24 bytes");
