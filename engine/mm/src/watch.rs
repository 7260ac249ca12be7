//! Search conditions: breakpoints, and values whose last change is sought.
//!
//! Modelled: nothing of the kernel; the code only reads.
//! Left out: the search itself, which belongs to the session; the session calls this module after
//! every step.
//! Invariants: a check changes nothing. Whether a step hits depends on the machine after it and on
//! the machine before it; for a count, on the machine before the locked section that it ends. A
//! search forward and one backward therefore find the same steps. No breakpoint compares a count in
//! the middle of a locked section.

use crate::counters::{Counter, Counters};
use crate::frames::Frame;
use crate::machine::Machine;
use crate::map::{page_at, state_of};
use crate::mmzone::{NUMA_COUNTERS, Page, PageKind};
use crate::record::field_text;
use crate::world::World;
use facts::index::{FrameIndex, LruvecIndex, NodeIndex, TaskIndex, ZoneIndex};

/// The part of a page frame's record that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PagePart {
    /// Use of the page, and order of its block.
    State,
    /// Page flags.
    Flags,
    /// Owner of the page, and its index within the owner.
    Owner,
    /// The list that holds the page.
    List,
    /// Any of these parts.
    Any,
}

/// A number that a machine has at every step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// An event counter of /proc/vmstat.
    Counter(Counter),
    /// One of the six `numa_*` counters, summed over the zones.
    Numa(u8),
    /// NR_FREE_PAGES of a zone, in pages.
    Free {
        /// Zone index.
        zone: ZoneIndex,
    },
    /// 1 while a zone's free pages are below a watermark (0 min, 1 low, 2 high), including its boost.
    Below {
        /// Zone index.
        zone: ZoneIndex,
        /// Watermark.
        mark: u8,
    },
    /// Number of free blocks of an order in a zone.
    Blocks {
        /// Zone index.
        zone: ZoneIndex,
        /// Order.
        order: u8,
    },
    /// Number of pages on an LRU list.
    Lru {
        /// Index of the lists' owner.
        owner: LruvecIndex,
        /// Index of the list.
        list: u8,
    },
    /// Part of the record of a page frame.
    Page {
        /// Dense frame.
        frame: FrameIndex,
        /// Which part of the record.
        part: PagePart,
    },
    /// The state of a task: runnable, sleeping, waiting, exited; 4 before it is created.
    Task(TaskIndex),
    /// 1 while a node's kswapd is awake.
    Kswapd {
        /// Index of the node.
        node: NodeIndex,
    },
}

impl Value {
    /// The counter at an index of [`crate::counters::ABOUT`], followed by [`NUMA_COUNTERS`]; see
    /// [`Counters::counter`].
    pub fn counter(place: usize, which: usize) -> Option<Value> {
        match place.checked_sub(crate::counters::ABOUT.len()) {
            Some(i) => (i < NUMA_COUNTERS.len()).then_some(Value::Numa(i as u8)),
            None => Counters::counter(place, which).map(Value::Counter),
        }
    }

    /// Is this a count that many steps of a locked section may change, rather than the state of one
    /// thing?
    fn is_count(self) -> bool {
        match self {
            Value::Counter(_)
            | Value::Numa(_)
            | Value::Free { .. }
            | Value::Below { .. }
            | Value::Blocks { .. }
            | Value::Lru { .. } => true,
            Value::Page { .. } | Value::Task(_) | Value::Kswapd { .. } => false,
        }
    }

    /// Does the machine have this zone, page or node?
    pub fn exists(self, w: &World) -> bool {
        match self {
            Value::Counter(_) | Value::Task(_) => true,
            Value::Numa(i) => i < 6,
            Value::Free { zone } => w.mem.zones.at(zone).is_some(),
            Value::Below { zone, mark } => w.mem.zones.at(zone).is_some() && mark < 3,
            Value::Blocks { zone, order } => w.mem.zones.at(zone).is_some() && order < w.mem.orders,
            Value::Lru { owner, list } => {
                w.mem.lruvecs.at(owner).is_some() && (list as usize) < crate::mmzone::LRU_LISTS
            }
            Value::Page { frame, .. } => w.mem.pages.at(frame).is_some(),
            Value::Kswapd { node } => w.kswapd.at(node).is_some(),
        }
    }

    /// The current value.
    pub fn of(self, m: &Machine) -> u64 {
        let mem = &m.w.mem;
        match self {
            Value::Counter(counter) => m.w.counters.count(counter),
            Value::Numa(i) => mem.zones.iter().map(|z| z.numa[i as usize]).sum(),
            Value::Free { zone } => mem.zones[zone].nr_free_pages.into(),
            Value::Below { zone, mark } => {
                let z = &mem.zones[zone];
                u64::from(z.nr_free_pages < z.mark(mark).get())
            }
            Value::Blocks { zone, order } => mem.zones[zone].nr_free[order as usize].into(),
            Value::Lru { owner, list } => mem.lruvecs[owner].nr[list as usize].into(),
            Value::Page { frame, part } => page_part(&m.w, frame, part),
            Value::Task(id) => m.tasks.at(id).map_or(4, |t| t.status as u64),
            Value::Kswapd { node } => u64::from(m.w.kswapd[node].awake),
        }
    }
}

/// The head of the block that contains a frame, and the frame's position in it.
fn head_of(w: &World, frame: FrameIndex) -> (Page, FrameIndex, u32) {
    let pages = &w.mem.pages;
    let mut order = 0;
    let mut head = frame;
    while pages[head].is(PageKind::Tail) && order < w.mem.orders {
        order += 1;
        head = frame.head(order);
    }
    (pages[head], head, frame.since(head))
}

fn page_part(w: &World, frame: FrameIndex, part: PagePart) -> u64 {
    let (page, head, place) = head_of(w, frame);
    // With the multi-generational LRU, a page also changes when a walk promotes it.
    let generation = w.mem.generation(head).map_or(0, |index| index as u64 + 1);
    let state = state_of(page_at(w, head)) as u64 | u64::from(page.order()) << 8 | generation << 16;
    let flags = u64::from(page.meta >> 16);
    let owner = u64::from(page.owner) << 32 | u64::from(page.index.wrapping_add(place));
    let list = if page.slot.is_none() {
        u64::from(u32::MAX)
    } else {
        w.mem.lists.list_of(&w.mem.pages, head).get().into()
    };
    match part {
        PagePart::State => state,
        PagePart::Flags => flags,
        PagePart::Owner => owner,
        PagePart::List => list,
        PagePart::Any => {
            let mixed = state | flags << 16 | list << 32;
            mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ owner.rotate_left(17)
        }
    }
}

/// The kind of event at which a breakpoint is hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watch {
    /// A task has just called this function and has not executed its first line.
    Function(u8),
    /// A task has just reached this line, which it will execute next.
    Line(u8, u8),
    /// The step made a record of this kind.
    Record(u16),
    /// The step changed this value. A count is compared when no lock is held: a locked section is one
    /// change, at its last step.
    Change(Value),
    /// The step changed this value, with or without a lock held.
    Write(Value),
}

impl Watch {
    /// The value of a machine to remember, if it is valid in this state.
    fn value(self, m: &Machine) -> Option<u64> {
        match self {
            Watch::Change(value) if value.is_count() && !m.is_open() => None,
            Watch::Change(value) | Watch::Write(value) => Some(value.of(m)),
            Watch::Function(_) | Watch::Line(..) | Watch::Record(_) => None,
        }
    }
}

/// Operator of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Is {
    /// Equal.
    Equal,
    /// Not equal.
    Unequal,
    /// Smaller.
    Below,
    /// Not smaller.
    AtLeast,
}

/// A condition on a field that must hold for a hit to count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// A local of the function or a field of the record; not used for changes of a value, which have no
    /// other field.
    pub field: String,
    /// Operator of the comparison.
    pub is: Is,
    /// Word with which the field is compared.
    pub with: String,
    /// Number with which the field is compared, if the word is a number.
    pub number: Option<i64>,
}

/// A breakpoint as a search uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breakpoint {
    /// When it is hit.
    pub watch: Watch,
    /// A further condition.
    pub condition: Option<Condition>,
}

/// The position of a task before a step, and the values at that time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Before {
    depth: usize,
    task: TaskIndex,
    /// Values by breakpoint; `None` if not known yet.
    values: Vec<Option<u64>>,
}

impl Before {
    /// Stores the state of a machine that these breakpoints need.
    pub fn note(&mut self, m: &Machine, points: &[Breakpoint]) {
        self.task = m.w.task;
        self.depth = m.tasks[self.task].stack.len();
        self.values.resize(points.len(), None);
        for (known, point) in self.values.iter_mut().zip(points) {
            *known = point.watch.value(m).or(*known);
        }
    }

    /// Begins a search forward. If it begins inside a locked section, the values at the end of the
    /// section are compared with the current ones.
    pub fn begin(&mut self, m: &Machine, points: &[Breakpoint]) {
        self.values.clear();
        self.values.extend(points.iter().map(|p| match p.watch {
            Watch::Change(value) | Watch::Write(value) => Some(value.of(m)),
            _ => None,
        }));
    }
}

impl Breakpoint {
    /// True if the breakpoint cannot be checked without records.
    pub fn needs_records(&self) -> bool {
        matches!(self.watch, Watch::Record(_))
    }

    /// Did the step that began at `before` hit the breakpoint? `i` is its index among the
    /// breakpoints of `before`.
    pub fn is_hit(&self, m: &Machine, before: &Before, i: usize) -> bool {
        let stack = &m.tasks[before.task].stack;
        match self.watch {
            Watch::Change(_) | Watch::Write(_) => {
                let (now, before) = (self.watch.value(m), before.values[i]);
                let changed = now.zip(before).filter(|(now, before)| now != before);
                changed.is_some_and(|(now, _)| match &self.condition {
                    Some(condition) => condition.holds(&now.to_string()),
                    None => true,
                })
            }
            Watch::Function(function) => {
                let top = stack.last().filter(|_| stack.len() > before.depth);
                top.is_some_and(|f| f.function() as u8 == function && self.holds_in(f, &m.w))
            }
            Watch::Line(function, line) => stack.last().is_some_and(|f| {
                f.function() as u8 == function && f.line() == line && self.holds_in(f, &m.w)
            }),
            Watch::Record(kind) => self.was_recorded(m, kind),
        }
    }

    fn holds_in(&self, frame: &Frame, w: &World) -> bool {
        let Some(condition) = &self.condition else {
            return true;
        };
        let mut locals = frame.locals(w).into_iter();
        locals.any(|local| local.name == condition.field && condition.holds(&local.value))
    }

    /// Did the last step make a record of this kind whose fields meet the condition?
    fn was_recorded(&self, m: &Machine, kind: u16) -> bool {
        let records = m.w.rec.records.iter().rev();
        let mut of_step = records.take_while(|r| r.step + 1 == m.w.run.steps());
        of_step.any(|r| {
            r.kind as u16 == kind
                && self.condition.as_ref().is_none_or(|condition| {
                    field_text(&m.w, r, &condition.field).is_some_and(|text| condition.holds(&text))
                })
        })
    }
}

impl Condition {
    fn holds(&self, value: &str) -> bool {
        match (self.is, number(value), self.number) {
            (Is::Equal, Some(a), Some(b)) => a == b,
            (Is::Unequal, Some(a), Some(b)) => a != b,
            (Is::Below, Some(a), Some(b)) => a < b,
            (Is::AtLeast, Some(a), Some(b)) => a >= b,
            (Is::Equal, ..) => value.eq_ignore_ascii_case(&self.with),
            (Is::Unequal, ..) => !value.eq_ignore_ascii_case(&self.with),
            (Is::Below | Is::AtLeast, ..) => false,
        }
    }
}

/// The integer of which this text is the printed form: "1,213", "0x52fcb", "−4". `None` for any
/// other text. Written by hand, because the library's parser is as long as the rest of this file.
fn number(text: &str) -> Option<i64> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        None => (text.trim_start_matches('\u{2212}'), 10),
    };
    let mut n = None;
    for c in digits.chars().filter(|&c| c != ',') {
        let digit = i64::from(c.to_digit(radix)?);
        n = Some(n.unwrap_or(0) * i64::from(radix) + digit);
    }
    if digits.len() < text.len() && radix == 10 {
        n.map(|n: i64| -n)
    } else {
        n
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::ABOUT;
    use crate::experiment::Experiment;
    use crate::map;

    #[test]
    fn parses_numbers_as_they_are_printed() {
        assert_eq!(number("1,213"), Some(1213));
        assert_eq!(number("0x52fcb"), Some(0x52fcb));
        assert_eq!(number("\u{2212}4"), Some(-4));
        assert_eq!(number("0/DMA32"), None);
    }

    /// A frame inside a block is found through the block's head, as on the page map.
    #[test]
    fn every_frame_has_the_state_shown_on_the_map() {
        let mut m = Machine::boot(&Experiment::preset("first-touch.teach").expect("a preset"));
        for steps in [0, 5_000, 60_000] {
            m.run(steps, u64::MAX);
            for node in 0..m.w.facts.layout.nodes.len() {
                let shown = map::page_states(&m.w, node);
                let mut at = 0;
                for (start, pages) in map::ranges(&m.w.facts.layout, node) {
                    for pfn in start..start + pages {
                        let frame = m.w.mem.frame(pfn).expect("existing memory");
                        let state = page_part(&m.w, frame, PagePart::State) & 0xff;
                        assert_eq!(state as u8, shown[at] & 0x7f, "pfn {pfn:#x} at {steps}");
                        at += 1;
                    }
                }
            }
        }
    }

    #[test]
    fn finds_a_counter_by_its_index() {
        let mut m = Machine::boot(&Experiment::preset("anon-hog.teach").expect("a preset"));
        m.run(400_000, u64::MAX);
        let named = m.w.counters.named(&m.w.facts.layout.zone_types);
        let count = |name: &str| named.iter().find(|n| n.0 == name).expect("a counter").1;
        let place = |name: &str| ABOUT.iter().position(|a| a.0 == name).expect("a counter");
        let of = |name: &str, which| Value::counter(place(name), which).expect("a known counter");
        assert!(count("pgfault") > 0 && count("pgalloc_dma32") > 0 && count("pgscan_anon") > 0);
        for name in ["pgfault", "pgscan_anon", "oom_kill"] {
            assert_eq!(of(name, 0).of(&m), count(name), "{name}");
        }
        assert_eq!(of("pgalloc", 1).of(&m), count("pgalloc_dma32"));
        assert_eq!(
            of("workingset_refault", 0).of(&m),
            count("workingset_refault_anon")
        );
        let hits: u64 = m.w.mem.zones.iter().map(|z| z.numa[0]).sum();
        assert_eq!(
            Value::counter(ABOUT.len(), 0).expect("numa_hit").of(&m),
            hits
        );
        assert_eq!(Value::counter(ABOUT.len() + 6, 0), None);
        assert_eq!(Value::counter(place("pgalloc"), 6), None);
    }
}
