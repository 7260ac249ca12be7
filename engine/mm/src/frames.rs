//! Program points and frames: how kernel functions become values that can be stepped.
//!
//! Modelled: one activation of a kernel function is a struct whose `pt` is an enum; the enum's
//! variants are the lines of the function's pseudo-code in order, each with its text. The
//! pseudo-code a person reads *is* that enum, so it cannot drift from what runs.
//! Left out: a second, faster path. `go` loops the same `point` the debugger steps.
//! Invariants: only `go` counts points; a frame never touches the stack it lies on, it returns
//! a [`Flow`]; the scheduler is asked after the same points whether stepping or running.

use facts::state::State;

use crate::rng::Rng;
use crate::view::Local;
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
#[derive(Debug, Clone, PartialEq, Eq, Hash, State)]
pub struct Context {
    /// What the callee returned.
    pub ret: u32,
    /// Task id.
    pub task: u32,
    /// Address space, `u32::MAX` for kernel threads.
    pub space: u32,
    /// Node whose zonelist serves this task's allocations; `u8::MAX` = node of its CPU.
    pub bound_node: u8,
    /// How it sleeps, set before [`Flow::Sleep`].
    pub sleep: Sleep,
    /// CPU to move to at the next sleep, `u16::MAX` for none.
    pub move_to: u16,
    /// Rounds left of the program's loops it is in, outermost first.
    pub loops: [u32; MAX_LOOPS],
    /// How many loops it is in.
    pub depth: u8,
    /// Its own random numbers.
    pub rng: Rng,
    /// It reclaims: may use all reserves and must not reclaim again (PF_MEMALLOC).
    pub memalloc: bool,
    /// The OOM killer chose it (TIF_MEMDIE, `tsk_is_oom_victim`).
    pub oom_victim: bool,
    /// It has to die: SIGKILL, or the OOM killer's choice.
    pub killed: bool,
    /// What it wants of reclaim, and the batch in its hands.
    pub sc: ScanControl,
    /// Pages under writeback it has not handed to their device yet: the bio being filled.
    pub bio: Vec<u32>,
    /// The extent of a file those are part of, [`NONE`] for none (`mpage_da_data`).
    pub io_end: u32,
    /// Writes it holds back for merging while it reclaims (`struct blk_plug`).
    pub plug: Vec<crate::block::Bio>,
    /// Pages it dirtied since it last looked whether too much is dirty (`nr_dirtied`).
    pub nr_dirtied: u32,
    /// When it looks next, pages (`nr_dirtied_pause`).
    pub nr_dirtied_pause: u32,
    /// From when on its next pause counts, jiffies; 0 for never (`dirty_paused_when`).
    pub dirty_paused_when: u64,
}

/// Pages a task dirties before it first looks whether too much is dirty: 128 KiB (`copy_process`).
const FIRST_PAUSE: u32 = 32;

impl Context {
    /// A context for a task, or for a frame run on the side.
    pub fn new(task: u32, space: u32, rng: Rng) -> Self {
        Self {
            ret: 0,
            task,
            space,
            bound_node: u8::MAX,
            sleep: Sleep::No,
            move_to: u16::MAX,
            loops: [0; MAX_LOOPS],
            depth: 0,
            rng,
            memalloc: false,
            oom_victim: false,
            killed: false,
            sc: ScanControl::default(),
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, State)]
pub enum Sleep {
    /// It does not.
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

/// Declares the program points of one function.
macro_rules! points {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $indent:literal $kind:ident $text:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, facts::state::State)]
        #[repr(u8)]
        pub enum $name { $(#[doc = $text] $variant,)+ }
        impl $name {
            /// What may happen to the CPU after each line.
            pub const KINDS: &'static [$crate::frames::Kind] = &[$($crate::frames::Kind::$kind,)+];
            /// The lines in order.
            pub const LINES: &'static [$crate::frames::PointInfo] = &[
                $($crate::frames::PointInfo {
                    indent: $indent, kind: $crate::frames::Kind::$kind, text: $text
                },)+
            ];
        }
    };
}
pub(crate) use points;

/// Declares the frame enum, its only loop and the table of functions.
macro_rules! frames {
    ($($name:ident($ty:ty, $pt:ty) $function:literal in $file:literal $fidelity:ident $note:literal;)+) => {
        /// One activation of a kernel function.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, State)]
        pub enum Frame { $(#[doc = $function] $name($ty),)+ }

        /// Function ids, in the order of [`FUNCTIONS`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum FunctionId { $(#[doc = $function] $name,)+ }

        /// The kernel's name of each function: what a running engine says of it. The rest of
        /// [`FUNCTIONS`] is not part of the page's module.
        pub const NAMES: &[&str] = &[$($function,)+];

        /// A modelled function.
        #[derive(Debug)]
        pub struct Function {
            /// The kernel's name.
            pub name: &'static str,
            /// The kernel's file; empty for functions of the engine.
            pub file: &'static str,
            /// How faithful it is.
            pub fidelity: crate::view::Fidelity,
            /// What is different.
            pub note: &'static str,
            /// Pseudo-code.
            pub lines: &'static [PointInfo],
        }

        /// All modelled functions.
        pub const FUNCTIONS: &[Function] = &[$(Function {
            name: $function, file: $file, fidelity: crate::view::Fidelity::$fidelity, note: $note,
            lines: <$pt>::LINES,
        },)+];

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
                        loop {
                            let kind = <$pt>::KINDS[f.pt as usize];
                            let flow = anew(f).point(w, cx, Up { above, kind });
                            let left = match flow {
                                Flow::Called(Left::Returned) if !w.is_due(w.run.kind) => continue,
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
    Wmark(crate::watermark_ok::WatermarkOk, crate::watermark_ok::WmPt) "zone_watermark_ok" in "mm/page_alloc.c" Mirrored
        "The exact counters of the engine make the plain and the 'safe' test one.";
    AllocPages(crate::page_alloc::AllocPages, crate::page_alloc::ApPt) "alloc_pages_nodemask" in "mm/page_alloc.c" Mirrored
        "Cpusets are left out; called __alloc_pages from 5.13 on.";
    FreeList(crate::page_alloc::GetPageFromFreelist, crate::page_alloc::GfPt) "get_page_from_freelist" in "mm/page_alloc.c" Simplified
        "Cpusets and nodemasks are left out.";
    Slowpath(crate::slowpath::Slowpath, crate::slowpath::SlPt) "alloc_pages_slowpath" in "mm/page_alloc.c" Simplified
        "Nothing is compacted between the attempts, and HighAtomic blocks are never given back.";
    WakeKswapds(crate::slowpath::WakeAllKswapds, crate::slowpath::WkPt) "wake_all_kswapds" in "mm/page_alloc.c" Simplified
        "Called wake_all_kswapd to 3.0. 3.16 also asks whether compaction could work; 2.6.37 notes the order only of a zone below its mark. 3.0 lowers the class zone only with a higher order, here also when nobody asked before.";
    Rmqueue(crate::buddy::Rmqueue, crate::buddy::RqPt) "rmqueue" in "mm/page_alloc.c" Simplified
        "Called buffered_rmqueue up to 4.9. From 6.0 on a refill that failed is followed by a look at the buddy lists; here the request fails. A boost wakes kswapd inside the fallback instead of at the end. HighAtomic blocks are never given back.";
    RmqueueBulk(crate::pcp::RmqueueBulk, crate::pcp::RbPt) "rmqueue_bulk" in "mm/page_alloc.c" Mirrored "";
    RmqueueSmallest(crate::buddy::RmqueueSmallest, crate::buddy::RsPt) "rmqueue_smallest" in "mm/page_alloc.c" Mirrored
        "With expand(): one line a split.";
    Fallback(crate::fallback::RmqueueFallback, crate::fallback::FbPt) "rmqueue_fallback" in "mm/page_alloc.c" Simplified
        "Grouping by mobility stays on where the kernel switches it off, below five pageblocks of memory.";
    FreePages(crate::pcp::FreePages, crate::pcp::FpPt) "free_pages" in "mm/page_alloc.c" Simplified
        "6.12 keeps movable and other huge pages on two per-cpu lists and tunes their limit; here they share one, and the limit is its lower bound.";
    FreeUnrefList(crate::pcp::FreeUnrefPageList, crate::pcp::FlPt) "free_unref_page_list" in "mm/page_alloc.c" Simplified
        "Pages are freed one by one, each CPU's lists locked for each. __pagevec_free to 3.2, free_hot_cold_page_list to 4.14.";
    PcpBulk(crate::pcp::FreePcppagesBulk, crate::pcp::PbPt) "free_pcppages_bulk" in "mm/page_alloc.c" Simplified
        "From 5.15 on batches grow with repeated frees, which is left out.";
    FreeOne(crate::buddy::FreeOnePage, crate::buddy::FoPt) "free_one_page" in "mm/page_alloc.c" Simplified
        "6.12 also sets the pageblock type of a buddy it merges across types.";
    Fault(crate::memory::HandleMmFault, crate::memory::HfPt) "handle_mm_fault" in "mm/memory.c" Simplified
        "Only the lowest level of page tables exists.";
    AnonPage(crate::memory::DoAnonymousPage, crate::memory::DaPt) "do_anonymous_page" in "mm/memory.c" Simplified
        "Reads are faults like writes: there is no zero page.";
    HugeAnon(crate::memory::DoHugeAnonymousPage, crate::memory::DhPt) "do_huge_pmd_anonymous_page" in "mm/huge_memory.c" Simplified
        "No deposited page table, no zero huge page.";
    Unmap(crate::memory::UnmapRegion, crate::memory::UrPt) "unmap_region" in "mm/mmap.c" Simplified
        "Pages are freed one by one as zap_pte_range meets them, without a gather list.";
    SwapPage(crate::swapfile::DoSwapPage, crate::swapfile::DsPt) "do_swap_page" in "mm/memory.c" Simplified
        "A page mapped for reading keeps its slot when it is written to later.";
    SwapReadahead(crate::swapfile::SwapinReadahead, crate::swapfile::RaPt) "swapin_readahead" in "mm/swap_state.c" Simplified
        "By slot on every device; from 4.14 on a kernel goes by address where no disk turns.";
    FileFault(crate::filemap::FilemapFault, crate::filemap::FfPt) "filemap_fault" in "mm/filemap.c" Simplified
        "Shared mappings only; neighbours that are cached are not mapped along.";
    FileRead(crate::filemap::FilemapRead, crate::filemap::FrPt) "filemap_read" in "mm/filemap.c" Mirrored
        "do_generic_file_read up to 4.15, generic_file_buffered_read to 5.11.";
    Readahead(crate::filemap::PageCacheReadahead, crate::filemap::RaPt) "page_cache_readahead" in "mm/readahead.c" Simplified
        "ondemand_readahead and what it calls. Pages join the cache as they are allocated, up to 3.16 too.";
    FileWrite(crate::filemap::GenericPerformWrite, crate::filemap::GwPt) "generic_perform_write" in "mm/filemap.c" Simplified
        "Blocks are found without reading, and a part of a page is written without reading the rest.";
    Fsync(crate::filemap::FsyncFile, crate::filemap::FsPt) "vfs_fsync" in "fs/sync.c" Simplified
        "Pages only: no journal and no inode.";
    AddToCache(crate::filemap::AddToPageCacheLru, crate::filemap::AcPt) "add_to_page_cache_lru" in "mm/filemap.c" Simplified
        "With the allocation of the page; called filemap_add_folio from 5.16 on. Only the leaves of a file's tree take memory.";
    NewSlab(crate::slab::NewSlab, crate::slab::NsPt) "new_slab" in "mm/slub.c" Simplified
        "Four caches; the slabs each CPU keeps for itself are left out.";
    Truncate(crate::filemap::TruncateInodePages, crate::filemap::TiPt) "truncate_inode_pages" in "mm/truncate.c" Simplified
        "Also drops the clean pages of all files for drop_caches.";
    Lookup(crate::slab::DAllocAndLookup, crate::slab::DlPt) "d_alloc_and_lookup" in "fs/namei.c" Simplified
        "A name is found or made; directories are not read. Later kernels do this in lookup_open.";
    Inode(crate::slab::IgetLocked, crate::slab::IgPt) "iget_locked" in "fs/inode.c" Simplified
        "An inode is found or made; its block is not read from the device.";
    User(crate::user::User, crate::user::UsPt) "user mode" in "" Mirrored "The workload's program.";
    Kswapd(crate::vmscan::kswapd::Kswapd, crate::vmscan::kswapd::KsPt) "kswapd" in "mm/vmscan.c" Simplified
        "Compaction after a run, and kcompactd, are not part of the engine yet. In 3.0 a lower class alone does not keep it going.";
    TryToSleep(crate::vmscan::kswapd::TryToSleep, crate::vmscan::kswapd::TsPt) "kswapd_try_to_sleep" in "mm/vmscan.c" Mirrored "";
    BalancePgdat(crate::vmscan::balance_node::BalancePgdat, crate::vmscan::balance_node::BpPt) "balance_pgdat" in "mm/vmscan.c" Mirrored
        "The loop of kernels with per-node lists, as in 6.1.";
    BalanceZones(crate::vmscan::balance_zones::BalanceZones, crate::vmscan::balance_zones::BzPt) "balance_pgdat (zones)" in "mm/vmscan.c" Mirrored
        "The loop of kernels with per-zone lists, as in 3.0.";
    BalanceScans(crate::vmscan::balance_scans::BalanceScans, crate::vmscan::balance_scans::BcPt) "balance_pgdat (scans)" in "mm/vmscan.c" Simplified
        "The loop of 3.16. Nothing is compacted, and no zone is left alone because compaction could serve it.";
    KswapdShrinkZone(crate::vmscan::balance_scans::KswapdShrinkZone, crate::vmscan::balance_scans::KzPt) "kswapd_shrink_zone" in "mm/vmscan.c" Simplified
        "Whether compaction could serve the order is not asked.";
    ZoneReclaim(crate::vmscan::zone_reclaim::ZoneReclaim, crate::vmscan::zone_reclaim::ZrPt) "zone_reclaim" in "mm/vmscan.c" Mirrored
        "Called node_reclaim from 4.8 on, where it is about a whole node.";
    ZoneReclaimPass(crate::vmscan::zone_reclaim::ZoneReclaimPass, crate::vmscan::zone_reclaim::ZpPt) "__zone_reclaim" in "mm/vmscan.c" Simplified
        "Called __node_reclaim from 4.8 on. Of slab, dentries and inodes are shrunk.";
    TryToFreePages(crate::vmscan::direct::TryToFreePages, crate::vmscan::direct::TfPt) "try_to_free_pages" in "mm/vmscan.c" Simplified
        "With do_try_to_free_pages and shrink_zones. Zones ready for compaction are not passed over.";
    ShrinkNode(crate::vmscan::node::ShrinkNode, crate::vmscan::node::SnPt) "shrink_node" in "mm/vmscan.c" Simplified
        "should_continue_reclaim, for high orders, is left out.";
    ShrinkLruvec(crate::vmscan::lruvec::ShrinkLruvec, crate::vmscan::lruvec::SzPt) "shrink_lruvec" in "mm/vmscan.c" Mirrored
        "Called shrink_zone with per-zone lists.";
    ShrinkInactiveList(crate::vmscan::inactive::ShrinkInactiveList, crate::vmscan::inactive::SiPt) "shrink_inactive_list" in "mm/vmscan.c" Simplified
        "Without lumpy reclaim and its second, waiting pass.";
    ShrinkActiveList(crate::vmscan::active::ShrinkActiveList, crate::vmscan::active::SaPt) "shrink_active_list" in "mm/vmscan.c" Simplified
        "No page is mapped executable.";
    ShrinkPageList(crate::vmscan::page_list::ShrinkPageList, crate::vmscan::page_list::PgPt) "shrink_page_list" in "mm/vmscan.c" Simplified
        "Called shrink_folio_list from 5.19. No huge pages, no buffers, no contention for locks.";
    ShrinkSlab(crate::vmscan::slab::ShrinkSlab, crate::vmscan::slab::SbPt) "shrink_slab" in "mm/vmscan.c" Simplified
        "The shrinkers of dentries and inodes, of one file system.";
    ReclaimThrottle(crate::vmscan::throttle::ReclaimThrottle, crate::vmscan::throttle::RtPt) "reclaim_throttle" in "mm/vmscan.c" Mirrored "";
    CongestionWait(crate::vmscan::throttle::CongestionWait, crate::vmscan::throttle::CwPt) "congestion_wait" in "mm/backing-dev.c" Mirrored
        "With wait_iff_congested.";
    Oom(crate::oom::OutOfMemory, crate::oom::OoPt) "out_of_memory" in "mm/oom_kill.c" Simplified
        "The task with the most memory is chosen; there is no oom_score_adj and no reaper.";
    BlkDone(crate::block::BlkDone, crate::block::BdPt) "blk_done_softirq" in "block/blk-softirq.c" Simplified
        "The interrupt of a device and the softirq it raises are one; in block/blk-mq.c from 5.11 on.";
    BlkGetRequest(crate::block::BlkGetRequest, crate::block::GrPt) "get_request_wait" in "block/blk-core.c" Simplified
        "Called blk_mq_get_tag with one queue for each CPU, with wbt_wait before it; here a device has one queue in every era.";
    Flusher(crate::page_writeback::flusher::WbWorkfn, crate::page_writeback::flusher::WbPt) "wb_workfn" in "fs/fs-writeback.c" Simplified
        "Called bdi_writeback_thread to 3.9. With wb_writeback, queue_io and writeback_sb_inodes.";
    WriteCachePages(crate::page_writeback::flusher::WriteCachePages, crate::page_writeback::flusher::WcPt) "write_cache_pages" in "mm/page-writeback.c" Simplified
        "A page that is locked or under writeback is passed over; the place where writing stopped is not remembered.";
    BalanceDirtyPages(crate::page_writeback::balance::BalanceDirtyPages, crate::page_writeback::balance::BaPt) "balance_dirty_pages" in "mm/page-writeback.c" Simplified
        "Rates look at the whole machine's dirty pages, not at each device's; limits of 3.1 do not shrink for the heaviest writer.";
    Timer(crate::sched::HrtimerInterrupt, crate::sched::HiPt) "hrtimer_interrupt" in "kernel/time/hrtimer.c" Simplified
        "One pseudo task a CPU wakes the sleepers whose time has come.";
    Intervene(crate::intervention::Intervene, crate::intervention::IvPt) "intervention" in "" Simplified
        "Does what the experiment does to the machine, each at its time: proc_sys_write, drop_caches_sysctl_handler, fork, SIGKILL. Nobody's time is spent on it.";
}

// Every call copies a frame.
const _: () = assert!(Frame::SIZE <= 24, "a frame has outgrown 24 bytes");
