//! What must be true of generations from one check of a machine to the next.

use mm::machine::Machine;
use mm::record::{Declared, Record, RecordKind};
use mm::vmscan::lru_gen::{GenScanned, MAX_LRU_BATCH, MIN_LRU_BATCH, SortProtected, WalkDone};
use mm::vmscan::{ANON, FILE};

/// The numbers of the generations at the last check of the machine, by owner.
#[derive(Debug, Default)]
pub struct Numbers {
    seen: Vec<(u64, [u64; 2])>,
}

impl Numbers {
    /// Returns the fault, if any: a number fell, or a generation was opened without a record.
    pub fn see(&mut self, m: &Machine) -> Option<String> {
        let gens = m.w.mem.lruvecs.iter().filter_map(|l| l.lru_gen.as_ref());
        let now: Vec<(u64, [u64; 2])> = gens.map(|g| (g.max_seq, g.min_seq)).collect();
        let fell = self.seen.iter().zip(&now).any(|(old, new)| {
            new.0 < old.0 || [ANON, FILE].iter().any(|&file| new.1[file] < old.1[file])
        });
        let wrong = fell.then(|| format!("generations fell from {:?} to {now:?}", self.seen));
        self.seen = now;
        wrong
    }
}

/// The fault of a record of reclaim by generations, if any.
pub fn wrong(record: &Record) -> Option<String> {
    if let Some(scan) = GenScanned::of(record) {
        let within = scan.taken <= MIN_LRU_BATCH.into() && scan.scanned <= MAX_LRU_BATCH.into();
        let all = scan.taken + scan.sorted + scan.skipped;
        return (!within || all != scan.scanned).then(|| format!("{scan:?}"));
    }
    // A walk moves only pages whose accessed bit is set.
    if let Some(walk) = WalkDone::of(record) {
        let within = walk.promoted <= walk.young && walk.young <= walk.scanned;
        return (!within).then(|| format!("{walk:?}"));
    }
    let sort = SortProtected::of(record)?;
    let never = sort.tier == 0 || (sort.tier <= sort.limit && sort.tier < 3);
    never.then(|| format!("{sort:?}"))
}

/// Decisions of the multi-generational LRU.
pub const OF_GENERATIONS: &[RecordKind] = &[
    RecordKind::LruGenSwitched,
    RecordKind::WalkAgain,
    RecordKind::LadderUsed,
    RecordKind::RefaultRecent,
    RecordKind::RefaultOld,
    RecordKind::NodeAgingSkipped,
    RecordKind::AgeCold,
    RecordKind::AgeNotDue,
    RecordKind::AgeOld,
    RecordKind::AgeRich,
    RecordKind::AgeYoung,
    RecordKind::GenerationOpened,
    RecordKind::TypeAnon,
    RecordKind::TypeBound,
    RecordKind::TypeFile,
    RecordKind::TypeLags,
    RecordKind::TypeNoIo,
    RecordKind::TypeNoSwap,
    RecordKind::LookedAround,
    RecordKind::GenScanned,
    RecordKind::SortPromoted,
    RecordKind::SortProtected,
    RecordKind::SortUnevictable,
    RecordKind::SortWait,
    RecordKind::SortZone,
    RecordKind::AbortGoal,
    RecordKind::AbortMarks,
    RecordKind::GenTarget,
    RecordKind::GenNodePass,
    RecordKind::GenNodeSkipped,
    RecordKind::StartPriority,
    RecordKind::WalkDone,
    RecordKind::WalkStale,
    RecordKind::MinTtlKills,
];

/// Decisions that a million random steps do not always reach: these runs are short, and most
/// reclaim is by kswapd. A page that is locked in memory leaves the lists of generations
/// immediately.
pub const RARE: &[RecordKind] = &[
    RecordKind::LruGenSwitched,
    RecordKind::RefaultRecent,
    RecordKind::WalkAgain,
    RecordKind::TypeAnon,
    RecordKind::TypeNoIo,
    RecordKind::TypeLags,
    RecordKind::AbortGoal,
    RecordKind::AbortMarks,
    RecordKind::WalkDone,
    RecordKind::SortProtected,
    RecordKind::SortUnevictable,
    RecordKind::SortZone,
    RecordKind::GenNodeSkipped,
    RecordKind::WalkStale,
    RecordKind::MinTtlKills,
];
