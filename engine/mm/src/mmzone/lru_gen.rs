//! Generations of pages: the state of a set of lists and of each page (linux/mmzone.h,
//! linux/mm_inline.h; from 6.1).
//!
//! Modelled: the numbers of the generations, when each was opened, the refault controller's counts,
//! the state of walks over page tables, one list for each generation, type and zone, a page's
//! generation and use, and which generation a page joins.
//! Left out: the batches in which a walk counts pages; each page is counted when it moves. A filter
//! is an exact set of tables, not a Bloom filter.
//! Visible difference: a Bloom filter sends walks through some unused tables on machines with more
//! than 20 GiB mapped.
//! Invariants: a page on a list of a generation has a generation number and no PG_active;
//! `gen_pages` counts pages by these numbers; the two youngest generations count as active.

use facts::index::{FrameIndex, ListIndex, LruvecIndex, ZoneIndex};
use facts::state::State;

use crate::mmzone::{Memory, Page, flag};
use crate::vmscan::{ANON, FILE};

/// Minimum number of generations of a type: the two youngest ones are never evicted from.
pub const MIN_NR_GENS: u64 = 2;
/// Maximum number of generations of a type.
pub const MAX_NR_GENS: usize = 4;
/// Number of tiers of a generation (`MAX_NR_TIERS`).
pub const TIERS: usize = 4;

/// Index of a generation in arrays by generation.
pub const fn gen_of_seq(seq: u64) -> usize {
    (seq % MAX_NR_GENS as u64) as usize
}

/// The tier of a page that was used this often through file descriptors (`lru_tier_from_refs`).
pub const fn tier_of(uses: u32) -> usize {
    (uses + 1).next_power_of_two().ilog2() as usize
}

/// A page's generation and uses (`LRU_GEN_MASK`, `LRU_REFS_MASK`): the generation plus one in the lower
/// three bits, 0 if it is on no list of a generation, and up to three further uses above.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct GenBits(u8);

impl GenBits {
    const GEN: u8 = 7;
    const REFS_SHIFT: u8 = 3;

    /// Index of the generation; `None` if the page is on no list of a generation.
    #[inline]
    pub fn generation(self) -> Option<usize> {
        usize::from(self.0 & Self::GEN).checked_sub(1)
    }

    /// The same page in this generation, or in none.
    pub(crate) fn within(self, generation: Option<usize>) -> Self {
        let number = generation.map_or(0, |index| index as u8 + 1);
        Self(self.0 & !Self::GEN | number)
    }

    /// Number of uses through file descriptors after the first two.
    pub const fn refs(self) -> u32 {
        (self.0 >> Self::REFS_SHIFT) as u32
    }

    /// The same page with this many such uses, at most three.
    pub(crate) const fn with_refs(self, refs: u8) -> Self {
        Self(self.0 & Self::GEN | refs << Self::REFS_SHIFT)
    }
}

/// The properties of a page that determine which generation it joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Joining {
    /// 1 for a file page, 0 for an anonymous page.
    pub file: usize,
    /// True if the page has PG_active.
    pub active: bool,
    /// True if the page must be written first, or is being written: anonymous memory outside the
    /// swap cache, or PG_reclaim on a page that is dirty or under writeback.
    pub waits: bool,
    /// True if the page joins the tail, to be evicted next.
    pub reclaiming: bool,
}

/// Walks over page tables for one set of lists (`lru_gen_mm_state`).
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct WalkState {
    /// Number of the last round that was completed.
    pub seq: u64,
    /// The next process of this round.
    pub next: u32,
    /// Processes from this one on were added since the last round, and all their tables are
    /// scanned.
    pub tail: u32,
    /// Tables that are worth a visit in a round, by the round's number modulo 2; `None` for all
    /// tables.
    pub filters: [Option<Vec<u64>>; 2],
}

/// The generations of one set of lists (`lru_gen_folio`, `lru_gen_struct` in 6.1).
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct LruGen {
    /// Number of the youngest generation of both types.
    pub max_seq: u64,
    /// Number of the oldest generation of each type.
    pub min_seq: [u64; 2],
    /// When each generation was opened, ns.
    pub born_ns: [u64; MAX_NR_GENS],
    /// Refaults by type and tier, averaged over earlier generations.
    pub avg_refaulted: [[u64; TIERS]; 2],
    /// Pages evicted or carried over, by type and tier, averaged in the same way.
    pub avg_total: [[u64; TIERS]; 2],
    /// Refaults of pages evicted from the current oldest generation.
    pub refaulted: [[u64; TIERS]; 2],
    /// Pages evicted from the current oldest generation.
    pub evicted: [[u64; TIERS]; 2],
    /// Pages carried over to the next generation because of their tier.
    pub protected: [[u64; TIERS]; 2],
    /// Walks over page tables.
    pub walk: WalkState,
    /// Pages by zone type, generation, anonymous and file (`nr_pages`); empty without memory
    /// cgroups, where the zones count them.
    pub by_zone: Vec<[[u32; 2]; MAX_NR_GENS]>,
}

impl LruGen {
    /// Generations of a machine at boot (`lru_gen_init_lruvec`).
    pub const fn new() -> Self {
        Self {
            max_seq: MIN_NR_GENS + 1,
            min_seq: [0; 2],
            born_ns: [0; MAX_NR_GENS],
            avg_refaulted: [[0; TIERS]; 2],
            avg_total: [[0; TIERS]; 2],
            refaulted: [[0; TIERS]; 2],
            evicted: [[0; TIERS]; 2],
            protected: [[0; TIERS]; 2],
            walk: WalkState {
                seq: MIN_NR_GENS,
                next: 0,
                tail: 0,
                filters: [None, None],
            },
            by_zone: Vec::new(),
        }
    }

    /// Generations of one of several cgroups, which itself counts the pages in this many zone
    /// types.
    pub fn of_group(zone_types: usize) -> Self {
        Self {
            by_zone: vec![[[0; 2]; MAX_NR_GENS]; zone_types],
            ..Self::new()
        }
    }

    /// Generations with filters, for the test that changes every value.
    #[cfg(test)]
    pub(crate) fn filled() -> Self {
        let mut gens = Self::new();
        gens.walk.filters = [Some(vec![1]), Some(vec![2])];
        gens.by_zone.push([[0; 2]; MAX_NR_GENS]);
        gens
    }

    /// Number of generations of a type (`get_nr_gens`).
    pub fn nr_gens(&self, file: usize) -> u64 {
        self.max_seq - self.min_seq[file] + 1
    }

    /// Is this generation one of the two youngest, which count as active (`lru_gen_is_active`)?
    #[inline]
    pub fn is_active(&self, generation: usize) -> bool {
        generation == gen_of_seq(self.max_seq) || generation == gen_of_seq(self.max_seq - 1)
    }

    /// The number of the generation that a page joins (`lru_gen_add_folio`).
    pub fn seq_to_join(&self, page: Joining) -> u64 {
        let oldest = self.min_seq[page.file];
        if page.active {
            self.max_seq
        } else if page.waits {
            self.max_seq - 1
        } else if page.reclaiming || oldest + MIN_NR_GENS >= self.max_seq {
            oldest
        } else {
            oldest + 1
        }
    }

    /// The number of the generation with this index, which lies at most three before the youngest.
    pub fn seq_of_gen(&self, generation: usize) -> u64 {
        let back = (gen_of_seq(self.max_seq) + MAX_NR_GENS - generation) % MAX_NR_GENS;
        self.max_seq - back as u64
    }
}

impl Default for LruGen {
    fn default() -> Self {
        Self::new()
    }
}

impl Memory {
    /// The list of an owner's pages in a zone, of a generation and type.
    #[inline]
    pub fn gen_list(
        &self,
        owner: LruvecIndex,
        zone: ZoneIndex,
        generation: usize,
        file: usize,
    ) -> ListIndex {
        let within = (generation * 2 + file) as u32;
        let group = self.group_of_lists(owner).index();
        let set = (group * self.zones.len() + zone.index()) as u32;
        ListIndex::new(self.first_gen_list() + set * 2 * MAX_NR_GENS as u32 + within)
    }

    /// Number of an owner's pages in a zone, of a generation and type.
    pub(crate) fn gen_pages_in(
        &self,
        owner: LruvecIndex,
        zone: ZoneIndex,
        generation: usize,
        file: usize,
    ) -> u32 {
        let zone = &self.zones[zone];
        let gens = self.lruvecs[owner].lru_gen.as_ref();
        match gens.and_then(|gens| gens.by_zone.get(usize::from(zone.kind))) {
            Some(of_group) => of_group[generation][file],
            None => zone.gen_pages[generation][file],
        }
    }

    /// Adds pages of an owner's zone to the count of an LRU list, or subtracts them
    /// (`update_lru_size`).
    pub(crate) fn count_listed(
        &mut self,
        owner: LruvecIndex,
        zone: ZoneIndex,
        lru: usize,
        by: i32,
    ) {
        let zone = &mut self.zones[zone];
        let lists = &mut self.lruvecs[owner];
        let in_zone = lists.by_zone.get_mut(usize::from(zone.kind));
        let counts = [&mut zone.lru[lru], &mut lists.nr[lru]];
        for count in counts.into_iter().chain(in_zone.map(|zone| &mut zone[lru])) {
            *count = count.wrapping_add_signed(by);
        }
    }

    /// Generation and uses of a page.
    #[inline]
    pub fn gen_bits(&self, frame: FrameIndex) -> GenBits {
        let bits = self.gen_bits.at(frame);
        bits.copied().unwrap_or_default()
    }

    /// The generation of a page; `None` if it is on no list of a generation.
    #[inline]
    pub fn generation(&self, frame: FrameIndex) -> Option<usize> {
        self.gen_bits(frame).generation()
    }

    /// How often a page was used through file descriptors: further uses, and PG_workingset
    /// (`lru_tier_from_refs`).
    pub fn uses(&self, frame: FrameIndex) -> u32 {
        let refs = self.gen_bits(frame).refs();
        refs + u32::from(self.pages[frame].has(flag::WORKINGSET))
    }

    /// The classic list as which a page counts in nr_active and nr_inactive.
    #[inline]
    pub fn counted_as(&self, frame: FrameIndex) -> u8 {
        let page = self.pages[frame];
        match self.generation(frame) {
            Some(generation) => self.lru_of_gen(self.lruvec_of(frame), generation, type_of(page)),
            None => page.lru(),
        }
    }

    /// The inactive or active list of a type, by generation.
    fn lru_of_gen(&self, owner: LruvecIndex, generation: usize, file: usize) -> u8 {
        let gens = self.lruvecs[owner].lru_gen.as_ref();
        let active = gens.is_some_and(|gens| gens.is_active(generation));
        2 * file as u8 + u8::from(active)
    }

    /// Adds a page to a list of a generation. Returns false if it belongs on a classic list
    /// (`lru_gen_add_folio`).
    pub(crate) fn lru_gen_add(&mut self, frame: FrameIndex, reclaiming: bool) -> bool {
        let page = self.pages[frame];
        if !self.lru_gen_on || page.has(flag::UNEVICTABLE) {
            return false;
        }
        let owner = self.lruvec_of(frame);
        let Some(gens) = &self.lruvecs[owner].lru_gen else {
            return false;
        };
        let file = type_of(page);
        let written = flag::DIRTY | flag::WRITEBACK;
        let seq = gens.seq_to_join(Joining {
            file,
            active: page.has(flag::ACTIVE),
            waits: file == ANON && !page.has(flag::SWAPCACHE)
                || page.has(flag::RECLAIM) && page.meta & written != 0,
            reclaiming,
        });
        self.gen_bits[frame] = self.gen_bits(frame).within(Some(gen_of_seq(seq)));
        self.count_gen(frame, 1);
        self.pages[frame].clear(flag::ACTIVE);
        self.pages[frame].set(flag::LRU);
        self.gen_push(frame, gen_of_seq(seq), reclaiming);
        true
    }

    /// Puts a page that is on no list on the list of a generation.
    pub(crate) fn gen_push(&mut self, frame: FrameIndex, generation: usize, to_tail: bool) {
        let page = self.pages[frame];
        let owner = self.lruvec_of(frame);
        let list = self.gen_list(owner, page.zone(), generation, type_of(page));
        let page = &mut self.pages[frame];
        if to_tail {
            self.lists.push_tail(page, list, frame);
        } else {
            self.lists.push_head(page, list, frame);
        }
    }

    /// Takes a page off its list; it still counts in its generation.
    pub(crate) fn gen_unlink(&mut self, frame: FrameIndex) {
        let slot = self.pages[frame].leave_list();
        self.lists.vacate(&mut self.pages, slot);
    }

    /// Takes a page off the list of its generation. Returns false if it is on a classic list
    /// (`lru_gen_del_folio`). A page of the youngest generations stays young, unless it is reclaimed.
    pub(crate) fn lru_gen_del(&mut self, frame: FrameIndex, reclaiming: bool) -> bool {
        let Some(generation) = self.generation(frame) else {
            return false;
        };
        let owner = self.lruvec_of(frame);
        let gens = self.lruvecs[owner].lru_gen.as_ref();
        let is_young = gens.is_some_and(|gens| gens.is_active(generation));
        self.count_gen(frame, -1);
        self.gen_bits[frame] = self.gen_bits(frame).within(None);
        let page = &mut self.pages[frame];
        page.clear(flag::LRU);
        if is_young && !reclaiming {
            page.set(flag::ACTIVE);
        }
        self.gen_unlink(frame);
        true
    }

    /// Moves a page to another generation in all counts; it stays on its list (`folio_update_gen`).
    pub(crate) fn set_generation(&mut self, frame: FrameIndex, generation: usize) {
        self.count_gen(frame, -1);
        self.gen_bits[frame] = self.gen_bits(frame).within(Some(generation));
        self.count_gen(frame, 1);
    }

    /// Adds a page to the counts of its generation and of active or inactive pages, or subtracts it
    /// (`lru_gen_update_size`).
    fn count_gen(&mut self, frame: FrameIndex, by: i32) {
        let page = self.pages[frame];
        let Some(generation) = self.generation(frame) else {
            return;
        };
        let file = type_of(page);
        let owner = self.lruvec_of(frame);
        let lru = usize::from(self.lru_of_gen(owner, generation, file));
        self.count_listed(owner, page.zone(), lru, by);
        let zone = &mut self.zones[page.zone()];
        let gens = self.lruvecs[owner].lru_gen.as_mut();
        let of_group = gens.and_then(|gens| gens.by_zone.get_mut(usize::from(zone.kind)));
        let count = &mut of_group.unwrap_or(&mut zone.gen_pages)[generation][file];
        *count = count.wrapping_add_signed(by);
    }

    /// The zones whose pages are on an owner's lists, lowest first.
    pub fn zones_of(&self, owner: LruvecIndex) -> impl DoubleEndedIterator<Item = ZoneIndex> + '_ {
        let of_root = self.lists_of_root(owner);
        let zones = self.zones.entries();
        zones.filter_map(move |(zone, z)| (z.lruvec == of_root).then_some(zone))
    }

    /// Number of an owner's pages of a generation and type, in all zones.
    pub fn gen_pages(&self, owner: LruvecIndex, generation: usize, file: usize) -> u32 {
        let zones = self.zones_of(owner);
        zones
            .map(|zone| self.gen_pages_in(owner, zone, generation, file))
            .sum()
    }
}

/// The type of a page's generations: anonymous or file (`folio_is_file_lru`).
pub(crate) fn type_of(page: Page) -> usize {
    if page.is_anon() { ANON } else { FILE }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The youngest generation is 7.
    #[test]
    fn a_page_joins_the_generation_that_its_flags_determine() {
        let gens = |min_seq| LruGen {
            max_seq: 7,
            min_seq,
            ..LruGen::new()
        };
        let [both, old_anon] = [[4, 4], [4, 5]].map(gens);
        let anon = Joining::default();
        let file = Joining { file: FILE, ..anon };
        let seq = |page| both.seq_to_join(page);
        assert_eq!(
            seq(Joining {
                active: true,
                ..file
            }),
            7
        );
        assert_eq!(
            seq(Joining {
                waits: true,
                ..anon
            }),
            6
        );
        assert_eq!(
            seq(Joining {
                waits: true,
                ..file
            }),
            6
        );
        assert_eq!(seq(file), 5, "a page that was read");
        assert_eq!(
            old_anon.seq_to_join(file),
            5,
            "with three generations of files"
        );
        assert_eq!(
            gens([4, 6]).seq_to_join(file),
            6,
            "with two generations of files"
        );
        let rotated = Joining {
            reclaiming: true,
            ..file
        };
        assert_eq!(seq(rotated), 4);
        assert_eq!(seq(anon), 5, "a page of the swap cache outside a fault");
    }

    #[test]
    fn maps_use_counts_to_tiers() {
        assert_eq!([0, 1, 2, 3, 4].map(tier_of), [0, 1, 2, 2, 3]);
    }

    #[test]
    fn keeps_generation_and_refs_of_a_page_apart() {
        let bits = GenBits::default().with_refs(3).within(Some(2));
        assert_eq!((bits.generation(), bits.refs()), (Some(2), 3));
        let off = bits.within(None).with_refs(1);
        assert_eq!((off.generation(), off.refs()), (None, 1));
    }

    #[test]
    fn finds_the_number_of_a_generation_from_its_index() {
        let gens = LruGen {
            max_seq: 9,
            min_seq: [6, 7],
            ..LruGen::new()
        };
        for seq in 6..=9 {
            assert_eq!(gens.seq_of_gen(gen_of_seq(seq)), seq);
        }
    }
}
