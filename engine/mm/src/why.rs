//! Why a step went as it did: one template a decision, filled with the numbers it compared.
//!
//! Modelled: subject, number, comparison, number, consequence; at most 30 words.
//! Left out: guessing. A sentence exists only where a program point recorded its numbers.
//! Invariants: every placeholder names a number the decision passes.
//!
//! Placeholders: `{0}` number, `{0 page}` number with its noun ("1 page", "2 pages"), `{z0}` zone, `{t0}` task, `{p0}` page, `{o0}` order with its size,
//! `{m0}` watermark name, `{y0}` migrate type, `{n0}` node, `{d0}` duration in ns.

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
        /// Templates and number lines, by discriminant.
        pub const WHYS: &[(&str, Line)] = &[$(($text, $line),)+];
    };
}

whys! {
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
    ZoneNone Line::None, "All {0} zones this request may use were passed over: no page on this walk.";
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
    SlowEnter Line::None, "No zone of the list is above its low mark for {o0}: take the slow path, where only the min mark counts.";
    SlowTry Line::None, "The marks are lowered to {m0}: walk the zonelist once more before anything is reclaimed.";
    SlowNoWait Line::None, "The request for {o0} may not sleep, so it may not reclaim: it fails here.";
    ReclaimBegins Line::None, "Even the min marks fail for {o0}: here the kernel would reclaim pages. mmscope does not yet, so the request fails.";
    WakeKswapd Line::None, "{z0} has {1 free page}, not above its {m4} mark {2}: kswapd of node {3} is woken.";
    KswapdNotNeeded Line::None, "{z0} has {1 free page}, and the {m4} mark {2} holds: kswapd may sleep on.";
    KswapdAwake Line::None, "kswapd of node {0} is awake already: it is told of {o1} and left to work.";
    KswapdAbsent Line::None, "balance_pgdat would now reclaim until node {0} is above its high marks. It is not modelled yet: nothing is freed.";
    FaultMinor Line::None, "Page {0} of region {1} is not mapped: {t2} faults and needs a page of its own.";
    FaultHuge Line::None, "The whole {o0} around page {1} is unmapped: try one huge page instead of many small ones.";
    FaultTable Line::None, "No page table covers page {0} yet: one page is needed for the table itself.";
    HugeFail Line::None, "No free block of {o0} could be had: fall back to single pages.";
    Mapped Line::None, "{p0} on node {1} is zeroed and mapped: {t2} now has {3 page}.";
    MappedHuge Line::None, "One huge page of {o0} at {p1} is zeroed and mapped: {t2} now has {3 page}.";
    Oom Line::None, "{t0} can get no page: without reclaim there is nothing left to try, so it is killed and its {1 page} return.";
    Gone Line::None, "{t0} has given back all it held: it is gone.";
    UserTouch Line::None, "Page {0} of region {1} is mapped: the access needs no kernel.";
    Woken Line::None, "The timer of {t0} has expired: it may run on CPU {1} again.";
}
