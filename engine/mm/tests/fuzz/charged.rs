//! What must be true of the pages, events and protection of memory cgroups.

use mm::index::GroupIndex;
use mm::machine::Machine;
use mm::memcg::counter::Counters;
use mm::memcg::files::{GroupFile, events};
use mm::memcg::group::{EVENTS, Event};
use mm::memcg::protection::calculate;
use mm::mmzone::{Page, PageKind, flag};

/// The cgroup of each page at the beginning of a part of a run.
#[derive(Debug, Clone, Default)]
pub struct Charged {
    pages: Vec<(GroupIndex, PageKind)>,
    freed: u64,
    /// Number of pages compared.
    pub compared: u64,
}

impl Charged {
    /// Stores the cgroup of each page.
    pub fn begin(&mut self, m: &Machine) {
        if m.w.memcg.is_on() {
            let pages = m.w.mem.pages.entries();
            self.pages.clear();
            self.pages
                .extend(pages.map(|(frame, page)| (m.w.mem.group_of(frame), kind_in_use(*page))));
            self.freed = m.w.counters.pgfree;
        }
    }

    /// Returns what is wrong: the cgroup of a page changed, although no page was freed meanwhile.
    pub fn wrong(&mut self, m: &Machine) -> Option<String> {
        if !m.w.memcg.is_on() || self.freed != m.w.counters.pgfree {
            return None;
        }
        let pages = m.w.mem.pages.entries().zip(&self.pages);
        for ((frame, page), &(old, kind)) in pages {
            if kind == PageKind::Free || kind_in_use(*page) != kind {
                continue;
            }
            self.compared += 1;
            let new = m.w.mem.group_of(frame);
            if new != old {
                return Some(format!(
                    "the page at {frame} went from cgroup {old} to {new}"
                ));
            }
        }
        None
    }
}

/// The kind of a page on the LRU lists or isolated from them; [`PageKind::Free`] for any other. A page that is
/// about to be freed has no cgroup any more.
fn kind_in_use(page: Page) -> PageKind {
    match page.meta & (flag::LRU | flag::ISOLATED) != 0 {
        true => page.kind(),
        false => PageKind::Free,
    }
}

/// Returns what is wrong: the children of a cgroup share more than its effective protection, in a walk that
/// begins at any cgroup. Protection that parts of a page are left of is not shared.
pub fn shares_too_much(counters: &Counters, recursive: bool) -> Option<String> {
    counters.all.indices().find_map(|root| {
        let mut counters = counters.clone();
        let walk = counters.preorder(root);
        for &group in walk.iter().filter(|group| !group.is_root()) {
            calculate(&mut counters, root, group, recursive);
        }
        let mut parents = walk.into_iter().filter(|&parent| parent != root);
        parents.find_map(|parent| {
            let children = counters.all.iter();
            let children = children.filter(|child| child.parent == parent && child.usage > 0);
            let effective = counters.all[parent].effective;
            let (mut min, mut low) = (0, 0);
            for child in children {
                min += u64::from(child.effective.min);
                low += u64::from(child.effective.low);
            }
            let is_right = min <= effective.min.into() && low <= effective.low.into();
            (!is_right).then(|| {
                format!("below {root}, children of {parent} have {min} and {low} of {effective:?}")
            })
        })
    })
}

const ALL: [Event; EVENTS] = [
    Event::Low,
    Event::High,
    Event::Max,
    Event::Oom,
    Event::OomKill,
    Event::OomGroupKill,
    Event::SwapMax,
    Event::SwapFail,
];

/// Rows of memory.events: the events up to [`Event::OomGroupKill`].
const PRINTED: usize = 6;

/// memory.events of a cgroup.
pub fn memory_events(m: &Machine, group: GroupIndex) -> Option<String> {
    GroupFile::Events.print(&m.w, group)
}

/// Returns what is wrong: the events of a cgroup are not its own and those of its children, or the text of
/// memory.events does not have exactly these numbers. Only the root has no text.
pub fn events_differ(
    m: &Machine,
    print: impl Fn(&Machine, GroupIndex) -> Option<String>,
) -> Option<String> {
    let counters = &m.w.memcg.memory.all;
    counters.entries().find_map(|(group, _)| {
        let children = || {
            counters
                .entries()
                .filter(|(_, child)| child.parent == group)
        };
        let of = |event: Event| {
            let below: u64 = children().map(|(at, _)| events(&m.w, at, event)).sum();
            m.w.memcg.groups[group].events[event as usize] + below
        };
        let printed = print(m, group);
        let is_printed = match &printed {
            None => group.is_root(),
            Some(text) => {
                let number = |line: &str| line.split_once(' ')?.1.parse().ok();
                let numbers: Option<Vec<u64>> = text.lines().map(number).collect();
                let expected = ALL[..PRINTED].iter().map(|&event| of(event)).collect();
                numbers == Some(expected)
            }
        };
        let is_right = is_printed
            && ALL
                .iter()
                .all(|&event| events(&m.w, group, event) == of(event));
        (!is_right).then(|| format!("cgroup {group} prints {printed:?}"))
    })
}
