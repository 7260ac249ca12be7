//! What must be true of the counters of the multi-generational LRU over a part of a run.

use mm::frames::Frame;
use mm::kernel::LruGenRule;
use mm::lru_gen::LruGenSwitched;
use mm::machine::Machine;
use mm::memcg::group::Stat;
use mm::mmzone::MAX_NR_GENS;
use mm::record::{Declared, KEPT};
use mm::vmscan::lru_gen::GenScanned;
use mm::vmscan::{ANON, FILE, MmVmscanLruIsolate};

/// The counters at the beginning of a part of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// True if the pages are in generations, and no reclaimer still uses the classic lists.
    is_on: bool,
    /// True if vm.swappiness is 0 and no reclaimer has an older value.
    never_swaps: bool,
    scanned: [u64; 2],
    refilled: u64,
    refaults: [u64; 2],
    activated: [u64; 2],
    restored: [u64; 2],
    /// The oldest and the number of generations of anonymous pages, by set of lists.
    anon: Vec<(u64, u64)>,
}

impl Slice {
    /// The counters now.
    pub fn begin(m: &Machine) -> Self {
        let c = &m.w.counters;
        let frames = || m.tasks.iter().flat_map(|task| task.stack.iter());
        let is_classic = |frame: &Frame| matches!(frame, Frame::ShrinkLruvec(_));
        let swaps = |frame: &Frame| matches!(frame, Frame::EvictFolios(f) if f.swappiness > 0);
        let gens = m.w.mem.lruvecs.iter().filter_map(|l| l.lru_gen.as_ref());
        Self {
            is_on: m.w.mem.lru_gen_on && !frames().any(is_classic),
            never_swaps: m.w.tunables.swappiness == 0 && !frames().any(swaps),
            scanned: [c.pgscan_anon, c.pgscan_file],
            refilled: refilled(m),
            refaults: c.workingset_refault,
            activated: c.workingset_activate,
            restored: c.workingset_restore,
            anon: gens.map(|g| (g.min_seq[ANON], g.nr_gens(ANON))).collect(),
        }
    }

    /// Returns what is wrong at the end of the part.
    pub fn wrong(&self, m: &Machine) -> Option<String> {
        let now = Self::begin(m);
        let stolen = [m.w.counters.pgsteal_anon, m.w.counters.pgsteal_file];
        if [ANON, FILE]
            .iter()
            .any(|&file| stolen[file] > now.scanned[file])
        {
            return Some(format!("{stolen:?} pages were reclaimed, of {now:?}"));
        }
        let records = &m.w.rec.records;
        let is_switched = records
            .iter()
            .any(|record| LruGenSwitched::of(record).is_some());
        if !self.is_on || !now.is_on || is_switched {
            return None;
        }
        let wrong = self
            .refaults_are_wrong(&now, m)
            .or_else(|| self.swapped(&now));
        wrong.or_else(|| self.scans_are_wrong(&now, m))
    }

    /// The counters do not equal the sums over all scans, if all of them were recorded.
    fn scans_are_wrong(&self, now: &Self, m: &Machine) -> Option<String> {
        let records = &m.w.rec.records;
        if !m.w.rec.on || records.len() >= KEPT {
            return None;
        }
        let (mut taken, mut sorted) = ([0, 0], 0);
        for scan in records.iter().filter_map(GenScanned::of) {
            taken[usize::from(scan.lru / 2)] += scan.taken as u64;
            sorted += scan.sorted as u64;
        }
        // From 6.12 on the kernel prints the same numbers in an event.
        let (mut printed_taken, mut printed_sorted) = ([0, 0], 0);
        for event in records.iter().filter_map(MmVmscanLruIsolate::of) {
            printed_taken[usize::from(event.lru / 2)] += event.nr_taken as u64;
            printed_sorted += (event.nr_scanned - event.nr_taken - event.nr_skipped) as u64;
        }
        let prints = m.w.facts.features.lru_gen == LruGenRule::AgesWithin;
        if prints && (printed_taken, printed_sorted) != (taken, sorted) {
            return Some(format!(
                "{printed_taken:?} isolated and {printed_sorted} sorted by the events, but {taken:?} and {sorted}"
            ));
        }
        let is_right = [ANON, FILE]
            .iter()
            .all(|&file| now.scanned[file] - self.scanned[file] == taken[file])
            && now.refilled - self.refilled == sorted;
        (!is_right).then(|| format!("{taken:?} isolated, {sorted} sorted aside: {self:?} {now:?}"))
    }

    /// More refaults activated pages than there were refaults. Every anonymous page that comes back does
    /// so in a fault, which restores it if it is activated. 6.1 counts an activation when it spares a page.
    fn refaults_are_wrong(&self, now: &Self, m: &Machine) -> Option<String> {
        let grew = |of: fn(&Self) -> [u64; 2], file: usize| of(now)[file] - of(self)[file];
        let mut types = [ANON, FILE].into_iter();
        let is_right = m.w.facts.features.lru_gen != LruGenRule::AgesWithin
            || types.all(|file| grew(|s| s.activated, file) <= grew(|s| s.refaults, file))
                && grew(|s| s.activated, ANON) == grew(|s| s.restored, ANON);
        (!is_right).then(|| format!("refaults from {self:?} to {now:?}"))
    }

    /// Anonymous pages were isolated or a generation of them was closed, although vm.swappiness is 0. If four
    /// generations are open, a new one closes the oldest.
    fn swapped(&self, now: &Self) -> Option<String> {
        let pairs = || self.anon.iter().zip(&now.anon);
        let is_closed = pairs().any(|(old, new)| old.0 != new.0 && new.1 != MAX_NR_GENS as u64);
        let is_wrong = self.never_swaps
            && now.never_swaps
            && (is_closed || self.scanned[ANON] != now.scanned[ANON]);
        is_wrong.then(|| format!("swappiness is 0: {self:?} {now:?}"))
    }
}

/// Number of pages that scans moved to younger generations. Only the cgroups count what limit reclaim moves.
fn refilled(m: &Machine) -> u64 {
    let groups = m.w.memcg.groups.iter();
    match m.w.memcg.is_on() {
        true => groups.map(|group| group.stats[Stat::Refill as usize]).sum(),
        false => m.w.counters.pgrefill,
    }
}
