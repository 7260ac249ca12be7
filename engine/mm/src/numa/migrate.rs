//! Moving one misplaced page (mm/migrate.c: `migrate_misplaced_page`).
//!
//! Modelled: which pages are never moved, the free memory that the target node must have,
//! isolation, and `migrate_pages` with the node as target; the rate limit of kernels up to 4.19.
//! Left out: executable pages of files, which the engine does not distinguish.
//! Visible difference: in the kernel, the program text that many tasks share would move only once.
//! Invariants: the move reclaims nothing and wakes no task; at the end an isolated page is on a
//! list again.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::AllocFlags;
use crate::kernel::{Exclusive, Features};
use crate::migrate::{MigratePages, Target, leave_list};
use crate::mmzone::{PageKind, WMARK_HIGH, flag};
use crate::numa::autonuma;
use crate::numa::tick::core_rules;
use crate::numa::vectors;
use crate::record::decisions;
use crate::watermark_ok::WatermarkOk;
use crate::world::World;
use facts::amount::Pages;
use facts::index::{FrameIndex, NodeIndex, ZoneIndex};
use facts::state::State;

decisions! {
    NumaDirty { page: Page }
        "The page at {page} is a dirty file page: it is not moved.";
    NumaRate { page: Page, node: Node, moved: Count, most: Count }
        "In this 100 ms window, {moved page} reached {node}; the limit is {most}. The page at {page} is not moved.";
    NumaNoRoom { page: Page, node: Node, pages: Count }
        "With {pages page} fewer, no zone of {node} would stay above its high watermark: the page at {page} is not moved.";
    NumaMappedMore { page: Page, mappings: Count }
        "The page at {page} has {mappings mapping}, not exactly one: it is not moved.";
    NumaNotListed { page: Page }
        "The page at {page} is on no LRU list, so it cannot be isolated: it is not moved.";
    NumaMoved { node: Node, pages: Count }
        "The kernel moved {pages page} to {node}.";
    NumaNotMoved { node: Node, pages: Count }
        "The kernel could not move {pages page} to {node}.";
}

/// Length of a rate window, ms (`migrate_interval_millisecs`).
const WINDOW_MS: u64 = 100;
/// Pages that may move to a node in a window, KiB (`ratelimit_pages`).
const WINDOW_KIB: u64 = 128 * 1024;

/// Pages that moved to a node recently (`numabalancing_migrate_next_window`, `_nr_pages`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Window {
    /// When the window ends, in jiffies.
    pub end: u64,
    /// Number of pages moved in the window.
    pub pages: u64,
}

impl Window {
    /// May this many more pages move now (`numamigrate_update_ratelimit`)? If so, they are counted,
    /// whether or not the move succeeds. The limit is checked before they are added.
    pub fn admits(&mut self, jiffies: u64, length: u64, pages: u64, most: u64) -> bool {
        if jiffies > self.end {
            (self.pages, self.end) = (0, jiffies + length);
        }
        if self.pages > most {
            return false;
        }
        self.pages += pages;
        true
    }

    /// Have so many pages moved recently that a scan would mark entries in vain
    /// (`migrate_ratelimited`)? Only faults begin a window, so one second after the end of a window
    /// the answer is false.
    pub fn is_full(&self, jiffies: u64, second: u64, most: u64) -> bool {
        jiffies <= self.end + second && self.pages >= most
    }
}

/// Does the kernel refuse pages that are mapped more than once, and move all others whatever they
/// contain?
fn asks_mappings(features: &Features) -> bool {
    let rules = features.numa_balancing.rules();
    rules.is_some_and(|rules| {
        matches!(
            rules.exclusive,
            Exclusive::MappedOnce | Exclusive::AnonMappedOnce
        )
    })
}

/// Number of pages that may move to a node in a window.
pub fn most_pages(w: &World) -> u64 {
    WINDOW_KIB / w.facts.layout.geometry.page_kib()
}

room! {
    MigrateMisplacedPage: "migrate_misplaced_page" in "mm/migrate.c" at "v6.1.20" line 2165;
    Simplified "Executable pages of files are not told apart." if |f| f.numa_balancing.rules().is_some();
    MmPt {
        Check 0 Plain "a dirty page of a file: no" if |f| !asks_mappings(f);
        Mapped 0 Plain "mapped more than once, or too many moved lately: no" if |f| asks_mappings(f);
        Room 0 Plain "migrate_balanced_pgdat(): is a zone above high without it?";
        Isolate 0 Plain "isolate it from its LRU list, or fail";
        Move 0 Plain "migrate_pages() to the node, MIGRATE_ASYNC";
        Moved 0 Plain "count it, or put it back on its list";
    }
    locals(self, w) {
        page: page(self.page);
        node: node(self.node);
    }
}

/// `migrate_misplaced_page`. Returns 1 when the page was moved, else 0.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct MigrateMisplacedPage {
    /// Current program point.
    pub pt: MmPt,
    /// The node to which the page should move.
    pub node: NodeIndex,
    /// Frame of the page.
    pub page: FrameIndex,
    /// Number of base pages in the page.
    pub pages: u32,
}

impl MigrateMisplacedPage {
    /// Frame of a move that has not started.
    pub fn call(w: &World, page: FrameIndex, node: NodeIndex) -> Frame {
        Frame::MigrateMisplaced(Self {
            pt: if asks_mappings(&w.facts.features) {
                MmPt::Mapped
            } else {
                MmPt::Check
            },
            node,
            page,
            pages: 1 << w.mem.pages[page].order(),
        })
    }

    /// Executes one point.
    #[inline(never)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            MmPt::Check => self.check(w, cx),
            MmPt::Mapped => self.mapped(w, cx),
            MmPt::Room => self.room(w, cx),
            MmPt::Isolate => self.isolate(w, cx),
            MmPt::Move => {
                self.pt = MmPt::Moved;
                up.call(MigratePages::call(), w, cx)
            }
            MmPt::Moved => self.moved(w, cx),
        }
    }

    fn refuse(cx: &mut Context) -> Flow {
        cx.ret = 0;
        Flow::Ret
    }

    fn check(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let page = w.mem.pages[self.page];
        if page.is(PageKind::File) && page.has(flag::DIRTY) {
            w.record(NumaDirty { page: self.page });
            return Self::refuse(cx);
        }
        // 3.13 does not check how often the page is mapped, but limits the rate as well.
        if !self.is_within_rate(w) {
            return Self::refuse(cx);
        }
        self.pt = MmPt::Room;
        Flow::Next
    }

    /// The first check in 3.8.
    fn mapped(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let mappings = crate::rmap::mapcount(w, self.page);
        if mappings != 1 {
            w.record(NumaMappedMore {
                page: self.page,
                mappings: mappings.into(),
            });
            return Self::refuse(cx);
        }
        if !self.is_within_rate(w) {
            return Self::refuse(cx);
        }
        self.pt = MmPt::Room;
        Flow::Next
    }

    /// May the pages move to the node now? Only some kernels limit the rate.
    fn is_within_rate(&self, w: &mut World) -> bool {
        if !crate::numa::rules(&w.facts).is_some_and(|rules| rules.rate_limited) {
            return true;
        }
        let auto = autonuma::rules(&w.facts.features).is_some();
        // AutoNUMA allows exactly the limit; 3.8 exceeds it by one move.
        let (jiffies, most) = (w.jiffies(), most_pages(w) - u64::from(auto));
        let length = WINDOW_MS * u64::from(w.facts.hz) / 1000;
        let nodes = w.facts.layout.nodes.len();
        w.numa.windows.resize(nodes, Window::default());
        let window = &mut w.numa.windows[self.node.index()];
        let admits = window.admits(jiffies, length, self.pages.into(), most);
        let moved = window.pages as i64;
        if !admits {
            w.record(NumaRate {
                page: self.page,
                node: self.node,
                moved,
                most: most_pages(w) as i64,
            });
        }
        admits
    }

    fn room(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        if self.pages > 1 && core_rules(&w.facts.features).is_some_and(|core| !core.nice_alloc) {
            // v17 checks this for small pages only.
            self.pt = MmPt::Isolate;
            return Flow::Next;
        }
        let zones = w.mem.zones.indices();
        let of_node = zones.filter(|&z| w.mem.zones[z].node == self.node);
        // From the highest zone down.
        let zones: Vec<ZoneIndex> = of_node.rev().collect();
        w.spend(w.facts.cost.zone_walk * zones.len() as u32);
        // 3.8 checks whether there is room for one page, however many move, like a request that may
        // use any zone.
        let old = asks_mappings(&w.facts.features);
        let is_core = core_rules(&w.facts.features).is_some();
        let classzone = if old { 0 } else { w.facts.highest[3] };
        let is_auto = autonuma::rules(&w.facts.features).is_some();
        let asks_for_one = old && !is_core && !is_auto;
        let pages = if asks_for_one { 1 } else { self.pages };
        let has_room = |w: &mut World, &zone: &ZoneIndex| {
            let mut test = WatermarkOk::new(zone, 0, WMARK_HIGH, classzone, AllocFlags::default());
            test.min = Pages::new(pages);
            !(old && crate::vmscan::is_given_up(w, zone)) && test.holds(w)
        };
        if !zones.iter().any(|zone| has_room(w, zone)) {
            w.record(NumaNoRoom {
                page: self.page,
                node: self.node,
                pages: pages.into(),
            });
            if self.pages > 1 && crate::numa::rules(&w.facts).is_some_and(|rules| rules.huge_apart)
            {
                w.counters.pgmigrate_fail += u64::from(self.pages);
            }
            return Self::refuse(cx);
        }
        self.pt = MmPt::Isolate;
        Flow::Next
    }

    fn isolate(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        debug_assert!(cx.migrate.list.is_empty());
        let page = w.mem.pages[self.page];
        if !page.is(PageKind::HugeAnon) {
            if !page.has(flag::LRU) || vectors::waits(w, self.page) {
                w.record(NumaNotListed { page: self.page });
                return Self::refuse(cx);
            }
            let file = usize::from(!page.is_anon());
            w.mem.lru_del(self.page);
            w.mem.pages[self.page].set(flag::ISOLATED);
            let owner = w.mem.lruvec_of(self.page);
            w.mem.lruvecs[owner].isolated[file] += 1;
            w.spend(w.facts.cost.lru_isolate_page);
        }
        cx.migrate.list.push(self.page);
        cx.migrate.target = Target::Node(self.node);
        self.pt = MmPt::Move;
        Flow::Next
    }

    fn moved(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let (node, pages) = (self.node, self.pages.into());
        let failed = cx.migrate.list.pop();
        cx.migrate.target = Target::Scanner;
        if let Some(frame) = failed {
            if self.pages == 1 {
                leave_list(w, cx, frame);
                crate::swap::return_to_lru(w, frame);
            }
            w.record(NumaNotMoved { node, pages });
        } else {
            w.counters.numa_pages_migrated += u64::from(self.pages);
            w.record(NumaMoved { node, pages });
        }
        cx.ret = failed.is_none().into();
        Flow::Ret
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: u64 = 32_768;

    /// The limit is checked before the pages are added.
    #[test]
    fn the_migration_rate_limit_is_exceeded_by_at_most_one_move() {
        let count = |pages: u64| {
            let mut window = Window::default();
            (0..u64::MAX)
                .take_while(|_| window.admits(1, 100, pages, MOST))
                .count()
        };
        assert_eq!((count(1), count(512)), (32_769, 65));
    }

    /// AutoNUMA refuses once the limit is reached.
    #[test]
    fn the_migration_rate_limit_of_autonuma_is_never_exceeded() {
        let count = |pages: u64| {
            let mut window = Window::default();
            (0..u64::MAX)
                .take_while(|_| window.admits(1, 100, pages, MOST - 1))
                .count()
        };
        assert_eq!((count(1), count(512)), (32_768, 64));
    }

    #[test]
    fn the_first_fault_after_a_rate_limit_window_starts_the_next_window() {
        let mut window = Window::default();
        let asked = [
            (1, 512),
            (50, 32_256),
            (60, 512),
            (61, 1),
            (101, 1),
            (102, 1),
        ];
        let answers = asked.map(|(at, pages)| window.admits(at, 100, pages, MOST));
        assert_eq!(answers, [true, true, true, false, false, true]);
        assert_eq!(window, Window { end: 202, pages: 1 });
    }

    #[test]
    fn a_full_rate_limit_window_stops_scans_until_a_second_after_its_end() {
        let asked = [
            (500, 32_767),
            (500, MOST),
            (900, 40_000),
            (1550, 40_000),
            (1551, 40_000),
        ];
        let answers = asked.map(|(at, pages)| Window { end: 550, pages }.is_full(at, 1000, MOST));
        assert_eq!(answers, [false, true, true, true, false]);
    }

    /// A window admits the limit plus at most one move.
    #[test]
    fn no_window_admits_more_than_the_limit_plus_one_move() {
        for (seed, unit, bound) in [(1, 1, 32_769), (2, 512, 33_280)] {
            let mut rng = crate::rng::Rng::stream(seed, 0);
            let (mut window, mut now) = (Window::default(), 1);
            let (mut end, mut passed) = (0, 0);
            for _ in 0..200_000 {
                now += u64::from(rng.below(200) == 0) * u64::from(rng.below(40));
                let admits = window.admits(now, 100, unit, MOST);
                if window.end != end {
                    (end, passed) = (window.end, 0);
                }
                passed += if admits { unit } else { 0 };
                assert!(passed <= bound && passed == window.pages);
            }
        }
    }
}
