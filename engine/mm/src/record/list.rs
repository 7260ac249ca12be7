//! Every kind of record, by number, and where it is declared: beside the code that makes it.

use super::{Declared, Numbered};
use crate::view::{FieldKind, Watermark};

/// Texts about a kind of record, for people.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// Name of the kernel's tracepoint, or the engine's name.
    pub name: &'static str,
    /// Of an event: its place in the kernel, a file and versions, or `Engine`.
    pub source: &'static str,
    /// Of an event: what it reports.
    pub about: &'static str,
    /// Of a decision: its sentence, with places for its fields.
    pub template: Option<&'static str>,
    /// Of a decision that compares with a watermark: the fields of the comparison.
    pub watermark: Option<Watermark>,
}

macro_rules! records {
    (
        events { $($event:ident in $($of:ident)::+;)+ }
        decisions { $($decision:ident in $($by:ident)::+;)+ }
    ) => {
        records! { @all $($event in $($of)::+;)+ $($decision in $($by)::+;)+ }
        /// The number of events, which come before the decisions.
        pub const FIRST_DECISION: usize = [$(RecordKind::$event),+].len();
    };
    (@all $($name:ident in $($room:ident)::+;)+) => {
        /// A kind of record.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum RecordKind { $(#[doc = concat!("[`crate::", $(stringify!($room), "::",)+ stringify!($name), "`].")] $name,)+ }
        $(impl Numbered for crate::$($room)::+::$name { const KIND: RecordKind = RecordKind::$name; })+
        /// Every kind, by number.
        pub const ALL: &[RecordKind] = &[$(RecordKind::$name),+];
        /// The fields of each kind.
        pub const FIELDS: &[&[FieldKind]] = &[$(<crate::$($room)::+::$name as Declared>::FIELDS),+];
        /// The names of these fields.
        pub const NAMES: &[&[&str]] = &[$(<crate::$($room)::+::$name as Declared>::NAMES),+];
        /// The texts of each kind. Not part of the page's module.
        pub const TEXTS: &[Text] = &[$(<crate::$($room)::+::$name as Declared>::TEXT),+];
    };
}

impl RecordKind {
    /// Is it a decision, not an event?
    pub fn is_decision(self) -> bool {
        self as usize >= FIRST_DECISION
    }
}

records! {
    events {
        MmPageAlloc in page_alloc;
        MmPageAllocZoneLocked in buddy;
        MmPageAllocExtfrag in fallback;
        MmPageFree in pcp;
        MmPageFreeBatched in pcp;
        MmPagePcpuDrain in pcp;
        MmVmscanWakeupKswapd in slowpath::wake;
        MmVmscanKswapdWake in vmscan::kswapd;
        MmVmscanKswapdSleep in vmscan::kswapd;
        BlockSplit in buddy;
        BlocksMerged in buddy;
        MmVmscanDirectReclaimBegin in vmscan::direct;
        MmVmscanDirectReclaimEnd in vmscan::direct;
        MmVmscanNodeReclaimBegin in vmscan::zone_reclaim;
        MmVmscanNodeReclaimEnd in vmscan::zone_reclaim;
        MmVmscanLruIsolate in vmscan;
        MmVmscanLruShrinkInactive in vmscan::inactive;
        MmVmscanLruShrinkActive in vmscan::active;
        MmVmscanWritepage in vmscan::page_list;
        MmCompactionIsolateMigratepages in compaction;
        MmCompactionIsolateFreepages in compaction;
        MmCompactionMigratepages in compaction;
        MmMigratePagesStart in migrate;
        MmMigratePages in migrate;
        MmVmscanThrottled in vmscan::throttle;
        WritebackCongestionWait in vmscan::throttle;
        WritebackWaitIffCongested in vmscan::throttle;
        BalanceDirty in page_writeback::balance;
        WritebackStart in page_writeback::flusher;
        MmFilemapAddToPageCache in filemap;
        MmFilemapDeleteFromPageCache in filemap;
        BlockRqIssue in block;
        BlockRqComplete in block::done;
        WbtStep in block::wbt;
        MarkVictim in oom;
        Panic in oom;
        ReclaimRetryZone in slowpath;
        Killed in user;
        Fork in machine;
        Exit in user;
        Intervention in intervention;
        SchedWaking in machine;
        RoundEnded in user;
        SchedMigrateTask in sched::balance;
        SchedMoveNuma in numa::preferred;
        SchedSwapNuma in numa::preferred;
        SchedStickNuma in numa::preferred;
    }
    decisions {
        WmReserves in watermark_ok;
        WmFail in watermark_ok;
        WmFailPlain in watermark_ok;
        WmPass in watermark_ok;
        WmPassPlain in watermark_ok;
        WmSmallFail in watermark_ok;
        WmSmallOk in watermark_ok;
        WmSuitable in watermark_ok;
        WmNoBlock in watermark_ok;
        ZoneFirst in page_alloc;
        ZoneNext in page_alloc;
        ZoneDirty in page_alloc;
        FairRemote in fair_zone;
        FairSpent in fair_zone;
        FairReset in fair_zone;
        ZoneNone in page_alloc;
        ZlcZap in zlc;
        ZlcFresh in zlc;
        ZlcSkip in page_alloc;
        ZlcFull in page_alloc;
        ZlcRescan in page_alloc;
        ZlcReconsider in slowpath;
        ZrFull in vmscan::zone_reclaim;
        ZrOpen in vmscan::zone_reclaim;
        ZrOpenSlab in vmscan::zone_reclaim;
        ZrNoWait in vmscan::zone_reclaim;
        ZrRemote in vmscan::zone_reclaim;
        ZrLocked in vmscan::zone_reclaim;
        ZrSome in vmscan::zone_reclaim;
        ZrSuccess in vmscan::zone_reclaim;
        ZrStillLow in page_alloc;
        NoFragmentLeave in page_alloc;
        TakePcp in buddy;
        RefillPcp in buddy;
        TakeBuddy in buddy;
        BlockFound in buddy;
        BlockNone in buddy;
        Split in buddy;
        SplitDone in buddy;
        FallbackFound in fallback;
        FallbackNone in fallback;
        StealAll in fallback;
        StealOne in fallback;
        Claim in fallback;
        NoClaim in fallback;
        Boost in fallback;
        Merge in buddy;
        MergeStop in buddy;
        MergeTop in buddy;
        PlaceTail in buddy;
        PlaceHead in buddy;
        PcpPut in pcp;
        PcpFull in pcp;
        CompactNothing in compaction;
        CompactDeferred in compaction;
        CompactDefers in compaction;
        CompactAlloc in compaction;
        CompactHint in compaction;
        ContinueReclaim in vmscan::lruvec;
        CompactTooFew in compaction;
        CompactLackOfMemory in compaction;
        CompactBegins in compaction;
        CompactMet in compaction;
        CompactAborted in compaction;
        CompactFound in compaction;
        MigrateTake in compaction;
        MigrateBlockSkipped in compaction;
        MigrateTooMany in compaction;
        TargetPassed in compaction;
        TargetTaken in compaction;
        MigrateNoTarget in migrate;
        MigrateFreed in migrate;
        MigrateLocked in migrate;
        MigrateWriteback in migrate;
        MigrateWaits in migrate;
        MigrateMoved in migrate;
        MigrateNodeFull in migrate;
        SlowEnter in page_alloc;
        SlowTry in slowpath;
        SlowNoWait in slowpath;
        WakeKswapd in slowpath::wake;
        WakeKswapdKept in slowpath::wake;
        WakeKswapdOrder in slowpath::wake;
        WakeKswapdBoost in slowpath::wake;
        KswapdNotNeeded in slowpath::wake;
        KswapdNotNeededKept in slowpath::wake;
        KswapdGaveUp in slowpath::wake;
        KswapdAwake in slowpath::wake;
        FaultMinor in memory;
        FaultHuge in memory;
        FaultTable in memory;
        HugeFail in memory;
        Mapped in memory;
        MappedHuge in memory;
        Oom in user;
        SigKill in user;
        Gone in user;
        UserTouch in user::memory;
        Woken in sched;
        LadderLocked in vmscan::page_list;
        LadderUnevictable in vmscan::page_list;
        LadderMapped in vmscan::page_list;
        LadderWriteback in vmscan::page_list;
        LadderWait in vmscan::page_list;
        RefsIgnored in vmscan::page_list;
        LadderImmediate in vmscan::page_list;
        RefsActivate in vmscan::page_list;
        RefsKeep in vmscan::page_list;
        RefsReclaim in vmscan::page_list;
        Unmapped in vmscan::page_list;
        SwapNoIo in vmscan::page_list;
        SwapSlot in vmscan::page_list;
        SwapFull in vmscan::page_list;
        DirtyForFlusher in vmscan::page_list;
        DirtyForFlusherKept in vmscan::page_list;
        DirtyKept in vmscan::page_list;
        PageoutCongested in vmscan::page_list;
        Pageout in vmscan::page_list;
        LadderFree in vmscan::page_list;
        ModeLumpy in vmscan::mode;
        ModeCompaction in vmscan::mode;
        ModeSingle in vmscan::mode;
        ModeSync in vmscan::mode;
        BlockTaken in vmscan::isolate;
        BlockStopped in vmscan::isolate;
        TooManyIsolated in vmscan::inactive;
        WakeIsolated in vmscan::inactive;
        Isolated in vmscan::inactive;
        BatchDone in vmscan::inactive;
        ActiveIsolated in vmscan::active;
        Deactivate in vmscan::active;
        AnonLow in vmscan;
        ScanFile in vmscan::lruvec;
        ScanAnon in vmscan::lruvec;
        ScanEqual in vmscan::lruvec;
        ScanFract in vmscan::lruvec;
        RoundsDone in vmscan::lruvec;
        ActiveLeft in vmscan::lruvec;
        GoalMet in vmscan::lruvec;
        NodePass in vmscan::node;
        NodeStall in vmscan;
        NodeCongested in vmscan::node;
        ThrottleSkip in vmscan::throttle;
        Throttled in vmscan::throttle;
        WakeWritten in vmscan::throttle;
        WaitEndedByWrite in vmscan::throttle;
        WaitEndedByIsolation in vmscan::throttle;
        WaitEndedByProgress in vmscan::throttle;
        WaitEndedByQueue in vmscan::throttle;
        WaitTimedOut in vmscan::throttle;
        WaitIffCongested in vmscan::throttle;
        CongestionSleep in vmscan::throttle;
        SlabScan in vmscan::slab;
        SlabCount in vmscan::slab;
        PfMemalloc in vmscan::direct;
        Priority in vmscan;
        ZoneUnreclaimable in vmscan;
        DirectDone in vmscan::direct;
        WakeProgress in vmscan::direct;
        KickFlushers in vmscan::direct;
        ForceDeactivate in vmscan::direct;
        KswapdHarder in vmscan::kswapd;
        KswapdLower in vmscan::kswapd;
        KswapdReads in vmscan::kswapd;
        KswapdNotBalanced in vmscan::kswapd;
        KswapdNap in vmscan::kswapd;
        KswapdNapCut in vmscan::kswapd;
        BoostDropped in vmscan::balance_node;
        NodeBalanced in vmscan::balance_node;
        NodeNotBalanced in vmscan::balance_node;
        PassDone in vmscan;
        ZoneInNeed in vmscan;
        ZoneInNeedOrder in vmscan;
        ZoneInNeedKept in vmscan::balance_zones;
        ZoneFine in vmscan;
        ZoneFineKept in vmscan::balance_zones;
        GapHolds in vmscan::balance_zones;
        GapFails in vmscan::balance_zones;
        GapFailsOrder in vmscan::balance_zones;
        GapHoldsKept in vmscan::balance_scans;
        GapFailsKept in vmscan::balance_scans;
        SkipBalanced in vmscan::balance_scans;
        PriorityRises in vmscan::balance_scans;
        PriorityStays in vmscan::balance_scans;
        LoopAgain in vmscan::balance_zones;
        RefaultNear in workingset;
        RefaultFar in workingset;
        HugeSplit in huge_memory;
        OomWait in oom;
        OomNobody in oom;
        OomKill in oom;
        ReclaimRetry in slowpath;
        ReclaimRetryPending in slowpath;
        RepeatRetry in slowpath;
        RepeatEnough in slowpath;
        ReclaimGiveUp in slowpath;
        Reclaimed in slowpath;
        Drained in slowpath;
        PageRead in block::done;
        PageWritten in block::done;
        QueueDrained in block::done;
        QueueFull in block::get_request;
        WriteThrottled in block::get_request;
        FlushAsked in page_writeback::flusher;
        FlushBackground in page_writeback::flusher;
        FlushPeriodic in page_writeback::flusher;
        FlushBelow in page_writeback::flusher;
        FlushQueue in page_writeback::flusher;
        FlushFile in page_writeback::flusher;
        FlushPassed in page_writeback::flusher;
        FlushPage in page_writeback::flusher;
        FlushBio in page_writeback::flusher;
        BdpFreerun in page_writeback::balance;
        BdpPause in page_writeback::balance;
        BdpPutOff in page_writeback::balance;
        BdpOver in page_writeback::balance;
        BdpUnder in page_writeback::balance;
        BdpWrites in page_writeback::balance;
        BdpWrote in page_writeback::balance;
        BdpWait in page_writeback::balance;
        WaitPage in filemap;
        ReadaheadWindow in filemap::readahead;
        SwapCached in swapfile::swapin;
        SwapIn in swapfile::swapin;
        SwapAhead in swapfile::swapin;
        SwapMapped in swapfile::swapin;
        FaultFile in filemap::fault;
        FaultFileMajor in filemap::fault;
        FaultFileAgain in filemap::fault;
        FaultAroundMapped in filemap;
        CompactionReady in compaction;
        NodeAgain in vmscan::node;
        Inode in slab::inode;
        SlabAdded in slab::new_slab;
        NoSlab in slab::new_slab;
        ZlcRescanUncached in page_alloc;
        SlowThisNode in slowpath;
        SlabElsewhere in slab::cache_grow;
        Mlocked in user::memory;
        FileCall in user::files;
        NumaFirstScan in numa::scan;
        NumaScanEarly in numa::scan;
        NumaFirstNode in numa::scan;
        NumaPeriodReset in numa::scan;
        NumaRateLimited in numa::scan;
        NumaScanClaimed in numa::scan;
        NumaMarkedTable in numa::mark;
        NumaMarked in numa::mark;
        NumaScanEnds in numa::scan;
        NumaScanWhole in numa::scan;
        NumaHint in numa::fault;
        NumaGone in numa::fault;
        NumaTable in numa::table_fault;
        NumaLocal in numa::filter;
        NumaPolicy in numa::filter;
        NumaFirstTouch in numa::filter;
        NumaSameTask in numa::filter;
        NumaSameNode in numa::filter;
        NumaUnset in numa::filter;
        NumaOtherNode in numa::filter;
        NumaFirstOfNode in numa::filter;
        NumaDeferred in numa::filter;
        NumaDirty in numa::migrate;
        NumaRate in numa::migrate;
        NumaNoRoom in numa::migrate;
        NumaMappedMore in numa::migrate;
        NumaNotListed in numa::migrate;
        NumaMoved in numa::migrate;
        NumaNotMoved in numa::migrate;
        NumaSlower in numa::placement;
        NumaPreferred in numa::placement;
        NumaPeriodDoubled in numa::placement;
        NumaPeriod in numa::placement;
        GroupExit in user;
        BarrierWait in user::threads;
        BarrierOpen in user::threads;
        ThreadEnd in user::threads;
        CpuMask in user::threads;
        BalanceNobody in sched::balance;
        BalanceHere in sched::balance;
        BalanceIdle in sched::balance;
        BalanceWithin in sched::balance;
        BalanceNoQueue in sched::balance;
        BalancePinned in sched::balance;
        BalanceTake in sched::balance;
        BalanceHot in sched::balance;
        BalanceBound in sched::balance;
        BalanceFailed in sched::balance;
        IdleTooShort in sched::balance;
        PushAsked in sched::balance;
        Pushed in sched::balance;
        TurnOver in sched;
        WokenThere in sched;
        WokenNear in sched;
        ForkedAway in sched;
        ForkedHere in sched;
        AccessLocal in bandwidth;
        AccessRemote in bandwidth;
        MemoryBusy in bandwidth;
        DirectionBusy in bandwidth;
        LinkBusy in bandwidth;
        NumaJoin in numa::group;
        NumaGroupPulls in numa::group;
        NumaGroupSpreads in numa::group;
        NumaGroupKeeps in numa::group;
        NumaSearch in numa::preferred;
        NumaMove in numa::preferred;
        NumaSwap in numa::preferred;
        NumaStick in numa::preferred;
        NumaMoveByLoad in numa::by_load;
        NumaTooUneven in numa::by_load;
        NumaUnknown in numa::core_fault;
        NumaInterleaved in numa::core_fault;
        NumaNoMask in numa::core_fault;
        NumaPrivate in numa::core_fault;
        NumaPrivateOther in numa::core_fault;
        NumaBuddy in numa::core_fault;
        NumaCluster in numa::cluster;
        NumaStrength in numa::converge;
        NumaSettling in numa::converge;
        NumaKind in numa::converge;
        NumaProposed in numa::converge;
        NumaFollowed in numa::converge;
        NumaGoes in numa::converge;
        NumaFlips in numa::converge;
        NumaCannotGo in numa::converge;
        SpreadNotSmallest in numa::converge;
        SpreadNoIdle in numa::converge;
        SpreadNoGain in numa::converge;
        SpreadGo in numa::converge;
        SpreadNoRoom in numa::converge;
        CompressFull in numa::converge;
        CompressHere in numa::converge;
        CompressNowhere in numa::converge;
        CompressTooLarge in numa::converge;
        CompressGo in numa::converge;
        OverloadNone in numa::converge;
        OverloadNowhere in numa::converge;
        OverloadGo in numa::converge;
        IntranodeStay in numa::converge;
        IntranodeGo in numa::converge;
        PrivateInside in numa::converge;
        PrivateNoRoom in numa::converge;
        PrivateGo in numa::converge;
        BuddiesStay in numa::converge;
        BuddiesGo in numa::converge;
        IdleStay in numa::converge;
        IdleGo in numa::converge;
        BalanceShared in sched::balance;
        BalanceConverged in sched::balance;
        BalanceBuddy in sched::balance;
        WokenConverged in sched;
        AccessRun in user::runs;
        AccessChanges in user::runs;
        MutexSpin in locks;
        MutexBeaten in locks;
        MutexSleep in locks;
        MutexSlept in locks;
        MutexWake in locks;
        AutoMarked in numa::mark;
        ScandProcess in numa::autonuma::scand;
        ScandPassed in numa::autonuma::scand;
        ScandRound in numa::autonuma::scand;
        ScandNap in numa::autonuma::scand;
        ScandPassEnds in numa::autonuma::scand;
        ScandWaits in numa::autonuma::scand;
        AutoShared in numa::autonuma::fault;
        AutoFirst in numa::autonuma::fault;
        AutoSharing in numa::autonuma::fault;
        AutoPass in numa::autonuma::fault;
        AutoCount in numa::autonuma::fault;
        AutoNotReady in numa::autonuma::balance;
        AutoPending in numa::autonuma::balance;
        AutoHome in numa::autonuma::balance;
        AutoNobody in numa::autonuma::balance;
        AutoStay in numa::autonuma::balance;
        AutoExchange in numa::autonuma::balance;
        AutoAlone in numa::autonuma::balance;
        BalancePlaced in sched::balance;
        WokenPlaced in sched;
        LruGenSwitched in lru_gen;
    }
}
