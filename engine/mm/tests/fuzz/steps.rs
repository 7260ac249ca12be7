//! What must be true of single steps of machines with the multi-generational LRU or memory cgroups.
//!
//! A [`Step`] stores what one step may change; after the step, [`Step::wrong`] compares the machine with it.
//! `planted.rs` proves that each of these checks can fail.

use facts::index::FrameIndex;
use mm::block::{BdPt, BlkDone};
use mm::frames::Frame;
use mm::index::{LruvecIndex, TaskIndex};
use mm::kernel::MemcgRule;
use mm::machine::Machine;
use mm::memcg::group::Event;
use mm::memcg::oom::MoPt;
use mm::memcg::reclaim::TmPt;
use mm::mmzone::{MAX_NR_GENS, Page, flag};
use mm::vmscan::lru_gen::{EvPt, InPt, NgPt, TryToIncMaxSeq};
use mm::vmscan::node::SnPt;
use mm::vmscan::{ANON, FILE};
use std::collections::BTreeMap;

/// Fruitless reclaims of one charge before the OOM killer is called: after 16 of them the charge is retried.
const FRUITLESS: u32 = 17;
/// The reclaim before the prepaid pages of all CPUs are given back. It comes once per charge and may free pages
/// that another task takes.
const BEFORE_DRAIN: u32 = 1;
/// A charge of more pages is not retried because a reclaim freed some.
const FEW_PAGES: u16 = 8;

/// A step whose outcome is checked.
#[derive(Debug, Clone)]
pub enum Step {
    /// A generation is opened.
    Opens(Opened),
    /// The write of a page ends.
    EndsWrite(EndsWrite),
    /// Reclaim chooses the next cgroup to visit.
    Visits(TaskIndex),
    /// A batch of pages goes to the ladder.
    Shrinks(TaskIndex),
    /// The ladder has kept some pages of a batch.
    Kept(TaskIndex),
    /// A reclaim for a charge ends.
    ReclaimEnds(TaskIndex),
    /// A charge calls the OOM killer, with the number of pages that did not fit.
    CallsKiller { task: TaskIndex, pages: u16 },
    /// A write to memory.max calls the OOM killer.
    WriteCallsKiller,
    /// Another step.
    Other,
}

/// The generations of all pages when a new one is opened.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The lists whose generation it is.
    owner: LruvecIndex,
    /// By type, the oldest of four generations, whose pages are carried to the next.
    carried: [Option<usize>; 2],
    /// The generation of each page.
    generations: Vec<Option<usize>>,
}

/// A page whose write ends, and the number of pages rotated so far.
#[derive(Debug, Clone, Copy)]
pub struct EndsWrite {
    /// The frame.
    frame: FrameIndex,
    /// True if the page has to go to the tail of its oldest generation.
    rotates: bool,
    /// `pgrotated` before.
    rotated: u64,
}

impl Step {
    /// The next step of a machine.
    pub fn next(m: &Machine) -> Self {
        let task = m.w.task;
        let stack = &m.tasks[task].stack;
        let below = stack.len().checked_sub(2).map(|at| &stack[at]);
        match stack.last() {
            Some(Frame::TryToIncMaxSeq(f)) if f.pt == InPt::Inc => {
                Self::Opens(Opened::before(m, f))
            }
            Some(Frame::BlkDone(f)) if f.pt == BdPt::Write => {
                EndsWrite::before(m, f).map_or(Self::Other, Self::EndsWrite)
            }
            Some(Frame::ShrinkNode(f)) if f.pt == SnPt::Group => Self::Visits(task),
            Some(Frame::LruGenShrinkNode(f)) if f.pt == NgPt::Lists => Self::Visits(task),
            Some(Frame::EvictFolios(f)) if f.pt == EvPt::Ladder => Self::Shrinks(task),
            Some(Frame::EvictFolios(f)) if f.pt == EvPt::Sort => Self::Kept(task),
            Some(Frame::MemcgReclaim(f)) if f.pt == TmPt::End => match below {
                Some(Frame::TryCharge(_)) => Self::ReclaimEnds(task),
                _ => Self::Other,
            },
            Some(Frame::MemcgOom(f)) if f.pt == MoPt::Count => match below {
                Some(Frame::TryCharge(charge)) => Self::CallsKiller {
                    task,
                    pages: charge.pages,
                },
                Some(Frame::MemoryWrite(_)) => Self::WriteCallsKiller,
                _ => Self::Other,
            },
            _ => Self::Other,
        }
    }

    /// What is wrong after the step, as far as it can be seen without the steps before.
    pub fn wrong(&self, m: &Machine) -> Option<String> {
        match self {
            Self::Opens(opened) => opened.wrong(m),
            Self::EndsWrite(ends) => ends.wrong(m),
            Self::Visits(task) => visits_protected(m, *task),
            _ => None,
        }
    }
}

impl Opened {
    fn before(m: &Machine, f: &TryToIncMaxSeq) -> Self {
        let gens = m.w.mem.lruvecs[f.owner].lru_gen.as_ref();
        let carried = [ANON, FILE].map(|file| {
            let counts = file == FILE || f.can_swap;
            let four = gens.filter(|g| g.nr_gens(file) == MAX_NR_GENS as u64 && counts);
            four.map(|g| g.min_seq[file] as usize % MAX_NR_GENS)
        });
        let frames = m.w.mem.pages.indices();
        Self {
            owner: f.owner,
            carried,
            generations: frames.map(|frame| m.w.mem.generation(frame)).collect(),
        }
    }

    /// A page moved although it was not in the oldest of four generations.
    fn wrong(&self, m: &Machine) -> Option<String> {
        let pages = m.w.mem.pages.indices().zip(&self.generations);
        let mut moved = pages.filter(|&(frame, &old)| m.w.mem.generation(frame) != old);
        moved.find_map(|(frame, &old)| {
            let new = m.w.mem.generation(frame);
            let oldest = self.carried[type_of(m.w.mem.pages[frame])];
            let next = oldest.map(|oldest| (oldest + 1) % MAX_NR_GENS);
            let is_carried = old.is_some() && old == oldest && new == next;
            let is_own = m.w.mem.lruvec_of(frame) == self.owner;
            (!is_carried || !is_own).then(|| {
                format!("opening a generation moved the page at {frame} from {old:?} to {new:?}")
            })
        })
    }
}

impl EndsWrite {
    fn before(m: &Machine, f: &BlkDone) -> Option<Self> {
        let request = m.w.block.devices[usize::from(f.device)].in_flight.first()?;
        let frame = *request.pages.get(f.i as usize)?;
        let page = m.w.mem.pages[frame];
        let stays = flag::LOCKED | flag::DIRTY | flag::UNEVICTABLE;
        Some(Self {
            frame,
            rotates: page.has(flag::RECLAIM) && page.has(flag::LRU) && page.meta & stays == 0,
            rotated: m.w.counters.pgrotated,
        })
    }

    /// The page was not rotated exactly once, or not to the tail of its oldest generation.
    fn wrong(&self, m: &Machine) -> Option<String> {
        let mem = &m.w.mem;
        let page = mem.pages[self.frame];
        let times = m.w.counters.pgrotated - self.rotated;
        let is_at_tail = || {
            let gens = mem.lruvecs[mem.lruvec_of(self.frame)].lru_gen.as_ref();
            let oldest = gens.map(|g| g.min_seq[type_of(page)] as usize % MAX_NR_GENS);
            let list = mem.lists.tail(mem.gen_list(
                mem.lruvec_of(self.frame),
                page.zone(),
                oldest.unwrap_or(0),
                type_of(page),
            ));
            mem.generation(self.frame) == oldest && list == Some(self.frame)
        };
        let is_right = times == u64::from(self.rotates)
            && !page.has(flag::RECLAIM)
            && !page.has(flag::WRITEBACK)
            && (!self.rotates || !mem.lru_gen_on || is_at_tail());
        (!is_right).then(|| format!("{self:?} rotated {times} times"))
    }
}

/// Did reclaim choose a cgroup of which memory.min protects all pages?
fn visits_protected(m: &Machine, task: TaskIndex) -> Option<String> {
    let group = match m.tasks[task].stack.last()? {
        Frame::ShrinkNode(f) if f.pt == SnPt::Lists => f.group.known()?,
        Frame::TryToShrinkLruvec(f) => m.w.mem.group_of_lists(f.owner),
        _ => return None,
    };
    let target = m.tasks[task].cx.sc.target;
    let ignores_target = m.w.facts.features.memcg == MemcgRule::SharedWalk;
    let is_unprotected = group.is_root() || (ignores_target && group == target);
    let counter = m.w.memcg.memory.all.at(group)?;
    let is_covered = counter.usage > 0 && counter.effective.min >= counter.usage;
    (is_covered && !is_unprotected)
        .then(|| format!("reclaim for {target} visits {group}: {counter:?}"))
}

/// The reclaims of one charge since it began or last called the OOM killer.
#[derive(Debug, Clone, Copy, Default)]
struct Trail {
    all: u32,
    fruitless: u32,
    is_repeated: bool,
}

/// Checks single steps, and what they add up to.
#[derive(Debug, Clone, Default)]
pub struct Steps {
    /// By task, the anonymous pages of its batch that have to be written before they are freed.
    unwritten: BTreeMap<TaskIndex, Vec<FrameIndex>>,
    /// The charge of each task that had to reclaim.
    trails: BTreeMap<TaskIndex, Trail>,
    /// Number of checked steps, by kind.
    pub checked: Checked,
}

/// Numbers of steps that were checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checked {
    /// Generations that were opened.
    pub opened: u64,
    /// Writes of pages that ended.
    pub writes: u64,
    /// Of these pages, those that were rotated.
    pub rotated: u64,
    /// Cgroups that reclaim visited.
    pub visits: u64,
    /// Anonymous pages at their first visit.
    pub unwritten: u64,
    /// Calls of the OOM killer by a charge.
    pub killer: u64,
}

impl Checked {
    /// Adds the numbers of another run.
    pub fn add(&mut self, other: Self) {
        self.opened += other.opened;
        self.writes += other.writes;
        self.rotated += other.rotated;
        self.visits += other.visits;
        self.unwritten += other.unwritten;
        self.killer += other.killer;
    }
}

impl Steps {
    /// Runs a machine to this step. Returns what was wrong with a step before it.
    pub fn run(&mut self, m: &mut Machine, to: u64) -> Option<String> {
        if !m.w.facts.features.lru_gen.is_modelled() {
            m.run(to, u64::MAX);
            return None;
        }
        while m.w.run.steps() < to && !m.w.sched.ended {
            let (step, before) = (Step::next(m), Counted::of(m));
            let mut wrong = self.kept(m, &step);
            m.run(m.w.run.steps() + 1, u64::MAX);
            wrong = wrong.or_else(|| step.wrong(m));
            wrong = wrong.or_else(|| before.wrong(m, &step));
            wrong = wrong.or_else(|| self.see(m, &step));
            if wrong.is_some() {
                return wrong;
            }
        }
        None
    }

    /// Handles a step that has been executed. Returns what is wrong after it and the steps before.
    pub fn see(&mut self, m: &Machine, step: &Step) -> Option<String> {
        self.count(step);
        for (_, pages) in self.unwritten.iter_mut() {
            // The page of a process that has ended is freed without a write.
            pages.retain(|&frame| !m.w.mem.pages[frame].is_orphan());
        }
        match *step {
            Step::Shrinks(task) => {
                let batch = m.tasks[task].cx.sc.batch.iter().copied();
                let pages: Vec<FrameIndex> =
                    batch.filter(|&frame| must_be_written(m, frame)).collect();
                self.checked.unwritten += pages.len() as u64;
                self.unwritten.insert(task, pages);
                None
            }
            Step::ReclaimEnds(task) => {
                let trail = self.trails.entry(task).or_default();
                trail.all += 1;
                trail.fruitless += u32::from(m.tasks[task].cx.ret == 0);
                None
            }
            Step::CallsKiller { task, pages } => {
                let trail = self.trails.entry(task).or_default();
                let least = FRUITLESS + if trail.is_repeated { 0 } else { BEFORE_DRAIN };
                let is_right =
                    trail.all >= least && (trail.fruitless >= FRUITLESS || pages > FEW_PAGES);
                let wrong = format!("task {task} called the OOM killer after {trail:?}");
                *trail = Trail {
                    is_repeated: true,
                    ..Trail::default()
                };
                (!is_right).then_some(wrong)
            }
            _ => {
                self.forget_ended_charges(m);
                None
            }
        }
    }

    /// What is wrong with the pages that the ladder is done with; called before the step that puts them back.
    pub fn kept(&mut self, m: &Machine, step: &Step) -> Option<String> {
        let Step::Kept(task) = step else {
            return None;
        };
        let pages = self.unwritten.remove(task)?;
        let kept = &m.tasks[*task].cx.sc.kept;
        let freed = pages.iter().find(|frame| !kept.contains(frame));
        freed.map(|frame| format!("the page at {frame} was freed at its first visit"))
    }

    fn forget_ended_charges(&mut self, m: &Machine) {
        let is_charge = |frame: &Frame| matches!(frame, Frame::TryCharge(_));
        self.trails
            .retain(|&task, _| m.tasks[task].stack.iter().any(is_charge));
    }

    fn count(&mut self, step: &Step) {
        match step {
            Step::Opens(_) => self.checked.opened += 1,
            Step::EndsWrite(ends) => {
                self.checked.writes += 1;
                self.checked.rotated += u64::from(ends.rotates);
            }
            Step::Visits(_) => self.checked.visits += 1,
            Step::CallsKiller { .. } => self.checked.killer += 1,
            _ => {}
        }
    }
}

/// The type of a page: [`ANON`] or [`FILE`].
fn type_of(page: Page) -> usize {
    if page.is_anon() { ANON } else { FILE }
}

/// Has an anonymous page to be written before it can be freed?
fn must_be_written(m: &Machine, frame: FrameIndex) -> bool {
    let page = m.w.mem.pages[frame];
    let is_stored = page.has(flag::SWAPCACHE) && !page.has(flag::DIRTY);
    page.is_anon() && !page.is_orphan() && !is_stored
}

/// Counters that only some steps may change.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    rotated: u64,
    written: u64,
    killer: u64,
}

impl Counted {
    /// The counters of a machine.
    pub fn of(m: &Machine) -> Self {
        let groups = m.w.memcg.groups.iter();
        Self {
            rotated: m.w.counters.pgrotated,
            written: m.w.counters.nr_written,
            killer: groups.map(|group| group.events[Event::Oom as usize]).sum(),
        }
    }

    /// What is wrong after a step: it rotated a page although no write ended, or counted `oom` although it
    /// did not call the OOM killer.
    pub fn wrong(&self, m: &Machine, step: &Step) -> Option<String> {
        let now = Self::of(m);
        let calls = matches!(step, Step::CallsKiller { .. } | Step::WriteCallsKiller);
        let is_right = now.rotated - self.rotated <= now.written - self.written
            && (now.killer == self.killer || calls);
        (!is_right).then(|| format!("{self:?} became {now:?}"))
    }
}
