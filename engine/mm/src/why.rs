//! Why a step went as it did: one template a decision, to be filled with the numbers it compared.
//!
//! Modelled: subject, number, comparison, number, consequence; at most 30 words.
//! Left out: guessing. A sentence exists only where a program point recorded its numbers.
//! Invariants: every placeholder names a number the decision passes.
//!
//! The templates are for `catalog.json`: who shows a decision fills them in (the page's
//! `engine/said.ts`). A running machine needs of them only which numbers are pages, zones and tasks.
//!
//! Placeholders: `{0}` number, `{0 page}` number with its noun ("1 page", "2 pages"), `{z0}` zone, `{t0}` task, `{p0}` page, `{o0}` order with its size,
//! `{l0}` LRU list, `{k0}` reason to wait, `{b0}` block device, `{f0}` reason to flush, `{m0}` watermark name, `{y0}` migrate type, `{n0}` node, `{d0}` duration in ns.

/// What a decision's numbers mean on a number line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// No number line.
    None,
    /// n[0] zone, n[1] value (biased by 2^31 so that it may be negative), n[2] what it had to
    /// exceed, n[3] mark index (0 min, 1 low, 2 high), n[4] reserve included, n[5] NR_FREE_PAGES.
    Watermark {
        /// Did the value exceed it?
        passed: bool,
    },
}

macro_rules! whys {
    ($($(#[$doc:meta])* $name:ident $line:expr, $text:literal;)+) => {
        /// A decision.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Why { $(#[doc = $text] $name,)+ }
        /// Names, templates and number lines, by discriminant.
        pub const WHYS: &[(&str, &str, Line)] = &[$((stringify!($name), $text, $line),)+];
        /// Number lines, by discriminant.
        pub const LINES: &[Line] = &[$($line,)+];
        /// Which numbers are pages, by discriminant: bit i for number i.
        pub const PAGES: &[u8] = &[$(numbers_of(b'p', $text),)+];
        /// Which numbers are zones, likewise.
        pub const ZONES: &[u8] = &[$(numbers_of(b'z', $text),)+];
        /// Which numbers are tasks, likewise.
        pub const TASKS: &[u8] = &[$(numbers_of(b't', $text),)+];
    };
}

/// The numbers a template has placeholders of a kind for: bit i for number i.
const fn numbers_of(kind: u8, template: &str) -> u8 {
    let text = template.as_bytes();
    let mut found = 0;
    let mut i = 0;
    while i + 2 < text.len() {
        if text[i] == b'{' && text[i + 1] == kind {
            found |= 1 << (text[i + 2] - b'0');
        }
        i += 1;
    }
    found
}

whys! {
    WmReserves Line::None, "The {m3} mark of {z0} is {1}: this request may use reserves, so only {2} of it count.";
    WmFail Line::Watermark { passed: false }, "{z0} has {5 free page}, of which the test counts {s1}: not above the {m3} mark plus {4} kept back, {2}. It may not be used.";
    WmFailPlain Line::Watermark { passed: false }, "{z0} has {5 free page}, of which the test counts {s1}: not above the {m3} mark {2}. It may not be used.";
    WmPass Line::Watermark { passed: true }, "{z0} has {5 free page}, of which the test counts {s1}: above the {m3} mark plus {4} kept back, {2}. The mark holds.";
    WmPassPlain Line::Watermark { passed: true }, "{z0} has {5 free page}, of which the test counts {s1}: above the {m3} mark {2}. It may be used.";
    WmSmallFail Line::None, "Without blocks below {o3}, {z0} has {s1 free page}, not above {2}, the halved mark: too fragmented.";
    WmSmallOk Line::None, "Without blocks below {o3}, {z0} still has {s1 free page}, above {2}, the halved mark: look one order up.";
    WmSuitable Line::None, "{z0} has a free block of {o1}, large enough for {o2}: the request can be met there.";
    WmNoBlock Line::None, "{z0} has {1 free page} but no block of {o2} or larger on a list this request may use.";
    ZoneFirst Line::None, "{t0} asks for {o1}: the walk begins at {z2}, the first zone of node {3}'s list that it may use.";
    ZoneNext Line::None, "{z0} is stop {1} of {2} on the zonelist: look at it next.";
    ZoneDirty Line::None, "Dirty or being written around {z0}: {1 page}, above its share of the limit, {2}. A page to be written to does not come from there on this walk.";
    FairRemote Line::None, "{z0} is on another node than the zone asked for first: on the fair walk it has no turn.";
    FairSpent Line::None, "{z0} has given its batch of {1 page}: it is the turn of the next zone.";
    FairReset Line::None, "The fair walk found no page: {1 zone} beginning with {z0} get a new batch, {2 page} left of the old ones. Walk again, all zones.";
    ZoneNone Line::None, "All {0} zones this request may use were passed over: no page on this walk.";
    ZlcZap Line::None, "Node {1}'s zonelist cache was last wiped {0} jiffies ago, more than {2}, a second: every full bit is cleared.";
    ZlcFresh Line::None, "Node {1}'s zonelist cache was last wiped {0} jiffies ago, at most {2}, a second: full bits stay.";
    ZlcSkip Line::None, "{z0} was marked full in node {1}'s zonelist cache, less than a second ago: it is passed over unseen, whatever it has free.";
    ZlcFull Line::None, "{z0} is marked full in node {1}'s zonelist cache: for up to a second it may be passed over unseen.";
    ZlcRescan Line::None, "No page, but the zonelist cache kept zones out of the walk: walk once more without it.";
    ZlcReconsider Line::None, "Direct reclaim freed {0 page}: every full bit of node {1}'s zonelist cache is cleared.";
    ZrFull Line::None, "{z0}: {1 unmapped clean file page} of {2} to be kept, {3 slab page} of {4}: nothing to gain, zone_reclaim answers FULL.";
    ZrOpen Line::None, "{z0} has {1 unmapped clean file page}, more than the {2} to be kept: zone_reclaim may help.";
    ZrOpenSlab Line::None, "{z0} has {3 slab page}, more than the {4} to be kept: zone_reclaim may help.";
    ZrNoWait Line::None, "This request may not wait, or its task reclaims already: zone_reclaim of {z0} answers NOSCAN.";
    ZrRemote Line::None, "{z0} is on node {1}, which has CPUs of its own, and this CPU is on node {2}: zone_reclaim answers NOSCAN.";
    ZrLocked Line::None, "Somebody reclaims {z0} already, and one at a time is enough: zone_reclaim answers NOSCAN.";
    ZrSome Line::None, "zone_reclaim of {z0} ends at priority {3}: {1 page} reclaimed, fewer than the {2} asked for: SOME.";
    ZrSuccess Line::None, "zone_reclaim of {z0} ends at priority {3}: {1 page} reclaimed, at least the {2} asked for: SUCCESS.";
    ZrStillLow Line::None, "After zone_reclaim {z0} is still not above its {m1} mark: on to the next zone.";
    NoFragmentLeave Line::None, "{z0} is on another node: rather mix migrate types at home than go remote, so walk again without ALLOC_NOFRAGMENT.";
    TakePcp Line::None, "CPU {0} holds {1 page} of type {y2} on its own list for {z3}: take one without the zone's lock.";
    RefillPcp Line::None, "CPU {0} has no page of type {y2} for {z3}: fetch {1} from the buddy lists first.";
    TakeBuddy Line::None, "{o0} comes straight from the buddy lists of {z1}.";
    BlockFound Line::None, "{z0} has {1 free block} of {o2} and type {y3}, the smallest that fits {o4}: take the first.";
    BlockNone Line::None, "{z0} has no free block of type {y1} from {o2} up: borrow from another type.";
    Split Line::None, "{o0} is larger than {o1}: halve it, keep the lower half, put the upper half at {p2} on the list.";
    SplitDone Line::None, "The block at {p0} is {o1}, as asked: {z2} has {3 free page} left.";
    FallbackFound Line::None, "{y0} is used up: the largest block of another type is {o1} of {y2} at {p3}.";
    FallbackNone Line::None, "No other migrate type has a block of {o0} or larger: {z1} cannot serve this request.";
    StealAll Line::None, "{o0} is at least half a pageblock, or the type is greedy: move all {1 free page} of this pageblock to {y2}.";
    StealOne Line::None, "{o0} is too small to claim the pageblock: only this block serves {y1}, the rest stays {y2}.";
    Claim Line::None, "{0} of {1 page} in the block serve {y2}, at least half: the whole pageblock becomes {y2}.";
    NoClaim Line::None, "{0} of {1 page} in the block serve {y2}, less than half: the pageblock keeps its type.";
    Boost Line::None, "This fallback mixes types in one pageblock: raise {z0}'s marks by {1} to {2 boost page}.";
    Merge Line::None, "Its buddy at {p0} is free and also {o1}: the two become one block of {o2}.";
    MergeStop Line::None, "Its buddy at {p0} is not a free block of {o1}: merging ends here.";
    MergeTop Line::None, "{o0} is the largest block there is: merging ends here.";
    PlaceTail Line::None, "The next larger neighbour is free, so this block may merge soon: it goes to the tail of {o0}, to be used last.";
    PlaceHead Line::None, "The block goes to the head of the {o0} list: {z1} now has {2 free page}.";
    PcpPut Line::None, "CPU {0}'s list now holds {1 page}, below its limit of {2}: the buddy lists are left alone.";
    PcpFull Line::None, "CPU {0}'s list reached {1 page}, its limit is {2}: give {3} back to the buddy lists.";
    SlowEnter Line::None, "No zone of the list may serve {o0} at its low mark: take the slow path, where only the min mark counts.";
    SlowTry Line::None, "The marks are lowered to {m0}: walk the zonelist once more before anything is reclaimed.";
    SlowNoWait Line::None, "The request for {o0} may not sleep, so it may not reclaim: it fails here.";
    WakeKswapd Line::Watermark { passed: false }, "{z0} has {5 free page}, of which the test counts {s1}: not above its {m3} mark {2}. kswapd of the node is woken.";
    WakeKswapdKept Line::Watermark { passed: false }, "{z0} has {5 free page}, of which the test counts {s1}: not above its {m3} mark plus {4} kept back, {2}. kswapd of the node is woken.";
    WakeKswapdOrder Line::Watermark { passed: true }, "{z0} has {5 free page}, of which the test counts {s1}: above {2}, but in blocks too small. kswapd of the node is woken.";
    WakeKswapdBoost Line::None, "The marks of a zone on {n0} are boosted: kswapd is woken to free as much.";
    KswapdNotNeeded Line::Watermark { passed: true }, "{z0} has {5 free page}, of which the test counts {s1}: above its {m3} mark {2}. kswapd of the node may sleep on.";
    KswapdNotNeededKept Line::Watermark { passed: true }, "{z0} has {5 free page}, of which the test counts {s1}: above its {m3} mark plus {4} kept back, {2}. kswapd of the node may sleep on.";
    KswapdGaveUp Line::None, "kswapd of {n0} freed nothing in {1 run}: it is not woken.";
    KswapdAwake Line::None, "kswapd of node {0} is awake already: it is told of {o1} and left to work.";
    FaultMinor Line::None, "Page {0} of region {1} is not mapped: {t2} faults and needs a page of its own.";
    FaultHuge Line::None, "The whole {o0} around page {1} is unmapped: try one huge page instead of many small ones.";
    FaultTable Line::None, "No page table covers page {0} yet: one page is needed for the table itself.";
    HugeFail Line::None, "No free block of {o0} could be had: fall back to single pages.";
    Mapped Line::None, "{p0} on node {1} is zeroed and mapped: {t2} now has {3 page}.";
    MappedHuge Line::None, "One huge page of {o0} at {p1} is zeroed and mapped: {t2} now has {3 page}.";
    Oom Line::None, "{t0} was chosen to be killed, or can get no page at all: it ends, and its {1 page} return.";
    SigKill Line::None, "{t0} was sent SIGKILL: it ends, and its {1 page} return.";
    Gone Line::None, "{t0} has given back all it held: it is gone.";
    UserTouch Line::None, "Page {0} of region {1} is mapped: the access needs no kernel.";
    Woken Line::None, "The timer of {t0} has expired: it may run on CPU {1} again.";
    LadderLocked Line::None, "Somebody else holds the lock of the page at {p0}: it is kept.";
    LadderUnevictable Line::None, "The page at {p0} is locked in memory: it goes to the unevictable list.";
    LadderMapped Line::None, "The page at {p0} is mapped, and this reclaimer may not unmap: it is kept.";
    LadderWriteback Line::None, "The page at {p0} is being written: it cannot be freed before the write ends.";
    LadderImmediate Line::None, "The page at {p0} is still being written, and so was all of {n1}'s tail: kswapd will wait.";
    RefsActivate Line::None, "The page at {p0} was used: {1} mapping touched it, referenced before: {2}. It is activated.";
    RefsKeep Line::None, "{1} mapping touched the page at {p0} since the last look: it is kept for one more round.";
    RefsReclaim Line::None, "No mapping touched the page at {p0} since the last look: it may go.";
    Unmapped Line::None, "The page at {p0} is taken out of the page tables that map it.";
    SwapNoIo Line::None, "The page at {p0} would need swap, but this request may not do I/O: it is kept.";
    SwapSlot Line::None, "The page at {p0} gets swap slot {1}.";
    SwapFull Line::None, "Swap has no free slot for the page at {p0}: it is activated.";
    DirtyForFlusher Line::None, "The page at {p0} is a dirty file page: the flushers must write it. It is activated out of the way.";
    DirtyForFlusherKept Line::None, "The page at {p0} is a dirty file page: the flushers must write it, and it will be freed behind that. It is kept.";
    DirtyKept Line::None, "The page at {p0} is dirty, and this reclaimer may not write it: it is kept.";
    PageoutCongested Line::None, "The device of the page at {p0} has a congested queue: it is kept.";
    Pageout Line::None, "The page at {p0} is written now and kept until the write ends.";
    LadderFree Line::None, "The page at {p0} is clean and unused: it is freed.";
    TooManyIsolated Line::None, "{0 page} isolated by others, more than {1} on the list, shifted right by {2}: wait.";
    Isolated Line::None, "{2} of {0 page} asked for were taken from the tail of the {l3} list, {1} scanned.";
    BatchDone Line::None, "Of {0 page} taken, {1} were reclaimed and {2} put back.";
    ActiveIsolated Line::None, "{0 page} taken from the tail of the {l1} list.";
    Deactivate Line::None, "The page at {p0} moves to the inactive list; {1} mapping touched it.";
    AnonLow Line::None, "The inactive anonymous list is short against the active one: age 32 pages.";
    ScanFile Line::None, "At priority {0} only file pages are scanned: {3} inactive, {4} active.";
    ScanAnon Line::None, "Hardly any file pages are left: at priority {0} only {1} inactive and {2} active anonymous pages are scanned.";
    ScanEqual Line::None, "At priority 0 both types are scanned whole: {1}, {2} anonymous, {3}, {4} file pages.";
    ScanFract Line::None, "At priority {0} and swappiness {5}: scan {1} inactive, {2} active anonymous, {3} inactive, {4} active file pages.";
    RoundsDone Line::None, "Nothing is left to scan at this priority: {0 page} reclaimed.";
    ActiveLeft Line::None, "The inactive list is long enough: {1 page} of the {l0} list are left alone.";
    GoalMet Line::None, "{0 page} reclaimed, the goal of {1} is met at priority {2}.";
    NodePass Line::None, "{n5} at priority {0}: {1} inactive, {2} active anonymous, {3} inactive, {4} active file pages.";
    NodeStall Line::None, "{0 page} met under writeback for the second time on {n1}: kswapd waits for writes to end.";
    NodeCongested Line::None, "The lists of {n0} are marked congested: the direct reclaimer waits.";
    ThrottleSkip Line::None, "At most half of what {n0} could reclaim is waiting for I/O: sleeping would not help.";
    Throttled Line::None, "Sleep up to {1} jiffies on {n2}, for {k0}.";
    WaitIffCongested Line::None, "{0} device queues are congested.";
    CongestionWait Line::None, "Sleep up to {0} jiffies for a device queue to drain.";
    SlabScan Line::None, "{0} objects looked at: {1} dentries and {2} inodes freed, and {3} cached pages with them.";
    SlabCount Line::None, "{0} objects could go: scan {1}, carry {2} over.";
    PfMemalloc Line::None, "{n2} has {0 free page}; direct reclaim goes on above {1}, half of the min marks.";
    Priority Line::None, "Priority {0}: {1 page} reclaimed so far.";
    ZoneUnreclaimable Line::None, "{z0} was scanned six times over without success: given up for now.";
    DirectDone Line::None, "{0 page} reclaimed, the goal was {1}: done at priority {2}.";
    KickFlushers Line::None, "{0 page} scanned, more than {1}: wake the flushers, and allow writing.";
    ForceDeactivate Line::None, "Nothing was reclaimed, but active lists were spared: start over and shrink them too.";
    KswapdHarder Line::None, "Order {1} was asked for meanwhile, more than {2}: kswapd of {n0} goes on without sleeping.";
    KswapdLower Line::None, "Lower zones were asked for meanwhile: kswapd of {n0} goes on without sleeping.";
    KswapdReads Line::None, "kswapd of {n0} is asked to balance for {o1}.";
    KswapdNotBalanced Line::None, "{n0} is not balanced: kswapd does not sleep.";
    KswapdNap Line::None, "{n0} is balanced: kswapd naps for {1} jiffies before it really sleeps.";
    KswapdNapCut Line::None, "kswapd of {n0} was woken during its nap: memory is used up quickly.";
    BoostDropped Line::None, "{n0} is not balanced: balance it first, whatever its boosted marks ask for.";
    NodeBalanced Line::None, "A zone of {n0} is above its high mark: the node is balanced.";
    NodeNotBalanced Line::None, "No zone of {n0} is above its high mark: scan at priority {1}.";
    PassDone Line::None, "{0 page} scanned of {1} aimed at, {2} reclaimed at priority {3}.";
    ZoneInNeed Line::None, "{z0} has {5 free page}, of which the test counts {s1}: not above its high mark {2}.";
    ZoneInNeedKept Line::None, "{z0} has {5 free page}, of which the test counts {s1}: not above its high mark plus {4} kept back, {2}.";
    ZoneFine Line::None, "{z0} has {5 free page}, of which the test counts {s1}: above its high mark {2}.";
    ZoneFineKept Line::None, "{z0} has {5 free page}, of which the test counts {s1}: above its high mark plus {4} kept back, {2}.";
    GapHolds Line::None, "{z0} has {5 free page}, of which the test counts {s1}: above its high mark {2}, a gap of {3} and {4} kept back: it is left alone.";
    GapFails Line::None, "{z0} has {5 free page}, of which the test counts {s1}: not above its high mark {2}, a gap of {3} and {4} kept back: shrink it.";
    GapHoldsKept Line::None, "{z0} has {1 free page}, above its high mark {2}, a gap of {3} and {4} kept back: it is left alone, and counts as scanned enough.";
    GapFailsKept Line::None, "{z0} has {1 free page}, not above its high mark {2}, a gap of {3} and {4} kept back together: shrink it.";
    SkipBalanced Line::None, "{z0} has {1 free page}, above its high mark {2}: passed over, although {3} of them are kept back for higher zones.";
    PriorityRises Line::None, "{1 page} reclaimed, but no zone had as much scanned as was aimed at, or nothing was reclaimed: priority {0} next.";
    PriorityStays Line::None, "{1 page} reclaimed, and a zone was scanned enough or had no need: priority stays at {0}.";
    LoopAgain Line::None, "Not every zone of {n0} is fine after {1 page} reclaimed: start over at priority 12.";
    RefaultNear Line::None, "The page at {p0} comes back after {1} evictions and activations, at most {2}: it belongs to the working set.";
    RefaultFar Line::None, "The page at {p0} comes back after {1} evictions and activations, more than {2}: it starts inactive.";
    OomWait Line::None, "A task chosen before is still freeing its memory: wait for it.";
    OomNobody Line::None, "No task has memory to give back.";
    OomKill Line::None, "{t0} has the most memory, {1 page} and {2} in swap: it is killed.";
    ReclaimRetry Line::None, "{z0} would have {1 page} if all its reclaimable pages were free, against {2}: try again ({3} rounds without progress).";
    ReclaimGiveUp Line::None, "{0} rounds without progress, or no zone could ever pass: give up.";
    Reclaimed Line::None, "Direct reclaim freed {0 page}: try the zonelist again.";
    Drained Line::None, "Still no page: the CPUs' own lists are drained, and the walk is tried once more.";
    PageRead Line::None, "The page at {p0} holds what was read: it is unlocked, and whoever waits for it goes on.";
    PageWritten Line::None, "The write of the page at {p0} has ended.";
    QueueDrained Line::None, "Fewer than {1} requests are left for {b0}: its queue is no longer congested.";
    QueueFull Line::None, "{b0} has {1} requests, as many as its queue takes: sleep until one has ended.";
    WriteThrottled Line::None, "{2} writes are under way on {b0}, as many as may be: sleep until they have ended.";
    FlushAsked Line::None, "The flusher was asked, by {f2}, to write {0 page}.";
    FlushBackground Line::None, "{0 page} dirty, more than the background limit of {1}: write until no longer.";
    FlushPeriodic Line::None, "The periodic flush is due: write the files that are dirty for long; {0 page} dirty.";
    FlushBelow Line::None, "{0 page} dirty, at most the background limit of {1}: enough is written.";
    FlushQueue Line::None, "{0 file} with dirty pages to visit in this round.";
    FlushFile Line::None, "File {0} has {1 dirty page}: up to {2} of them are written now.";
    FlushPassed Line::None, "Page {1} of file {2}, at {p0}, is locked or still being written: pass it over.";
    FlushPage Line::None, "Page {1} of file {2}, at {p0}, is clean from now on and under writeback.";
    FlushBio Line::None, "{0 page} in a row, from page {1} of file {2} on, go out as one bio.";
    BdpFreerun Line::None, "{0 page} dirty or being written, at most {1}, halfway between the limits: the writer goes on.";
    BdpPause Line::None, "{0 page} dirty or being written, aimed at {1}: {2 page} at {4} a second are a pause of {3} jiffies.";
    BdpPutOff Line::None, "{0 page} dirty or being written, aimed at {1}: for {2 page} at {3} a second the pause is too short and is owed.";
    BdpOver Line::None, "{0 page} dirty or being written, limit {1}; {2} of this device, limit {3}: the writer must help or wait.";
    BdpUnder Line::None, "{0 page} dirty or being written, limit {1}; {2} of this device, limit {3}: the writer goes on.";
    BdpWrites Line::None, "The writer itself writes {0 page}, beginning with file {1}.";
    BdpWrote Line::None, "{0 page} written, {1} in all; the writer's share is {2}.";
    BdpWait Line::None, "Nothing to write for the writer: it sleeps {0} jiffies and looks again.";
    WaitPage Line::None, "The page at {p0} is locked or being written: wait for it.";
    Readahead Line::None, "Page {0} of the file is needed, {1} in all: read {3 page} from {2} on, the last {4} of them ahead.";
    SwapCached Line::None, "Page {0} is in swap slot {1}, and still in the swap cache at {p2}: nothing need be read.";
    SwapIn Line::None, "Page {0} is in swap slot {1} and not in memory: a major fault.";
    SwapAhead Line::None, "Slot {0} is wanted: look at the {3} from {1} to {2}.";
    SwapMapped Line::None, "{p0} from slot {1} is mapped: slots freed: {2}. The task now has {3 page}.";
    FaultFile Line::None, "Page {0} of the file is in the page cache at {p1}: map it.";
    FaultFileMajor Line::None, "Page {0} of the file is not cached: a major fault; read {2 page} from {1} on.";
    Inode Line::None, "File {0} gets an inode: the cache now has {1}.";
    NewSlab Line::None, "No object of slab cache {0} is free: it gets {o1} at {p3}, room for {2}.";
    NoSlab Line::None, "No memory for another slab of cache {0}: what asked for an object must do without.";
    Mlocked Line::None, "The page at {p0} is locked in memory: off the lists reclaim looks at.";
    FileCall Line::None, "File {0}: {2} sectors of 512 bytes from sector {1} on.";
}
