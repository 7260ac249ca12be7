//! Random accesses to a region, each independent of the others, as runs of accesses up to the next
//! one that changes a page table entry.
//!
//! Modelled: an access goes to the thread's part of the region or to anywhere in it, and reads or
//! writes, by the shares that the workload declares. The next access that changes an entry follows
//! from the page tables: from the share of accesses of each class that would change one, and from a
//! number that the task draws from its own generator ([`crate::exponential`]). All accesses before
//! it are one step. The result stays exact if another task changes entries in between.
//! Left out: which pages the accesses of a run went to; they change no entry.
//! Visible difference: the bytes of a run go to nodes in proportion to its pages, not at random.
//! Invariants: the state after a run is the same however the run is split; random numbers are drawn
//! only if an access changes an entry.

use super::*;
use crate::bandwidth::{AccessCost, ByNode};
use crate::exponential;
use crate::frames::Kind;
use crate::profile::MAX_RUN_NODES;
use crate::rng::Rng;
use crate::space::{Pages, Survey};
use facts::index::NodeIndex;

decisions! {
    AccessRun { accesses: Count, changing: Count, pages: Count }
        "In this step the task makes {accesses access} and changes no page table entry. An access would change the entry of {changing} of {pages page}.";
    AccessChanges { index: Count, region: Count, changing: Count }
        "Page {index} of region {region} is accessed next: it was drawn from the {changing page} whose entry an access would change.";
}

/// Fraction bits of shares of accesses.
const SHARE_BITS: u32 = 32;

/// Progress of a task's random accesses.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct RandomAccess {
    /// Remainder of the number drawn for the next access that changes an entry
    /// ([`exponential::draw`]); `None` before the first run and after such an access.
    left: Option<u64>,
    /// Fractions of an access to each node that have not been counted yet.
    parts: [u32; MAX_RUN_NODES],
    /// What the page tables contained at the last run.
    #[state(skip = "it follows from the page tables")]
    run_data: CachedRunData,
}

#[cfg(test)]
impl RandomAccess {
    /// Fills the record, so that tests can change each field.
    pub(crate) fn fill(&mut self) {
        self.left = Some(1);
    }
}

/// Accesses of one class.
#[derive(Debug, Clone, Copy)]
struct Class {
    /// Number of accesses of this class among 10,000.
    weight: u64,
    pages: Pages,
    write: bool,
    survey: Survey,
}

impl Class {
    /// Of `10_000 << SHARE_BITS` accesses, the number of this class that go to `pages` of its
    /// pages.
    fn accesses_to(&self, pages: u32) -> u64 {
        // Computed in two parts: the product does not fit into 64 bits, and 128 bits are slow.
        let (accesses, of) = (self.weight * u64::from(pages), u64::from(self.pages.count));
        let rest = ((accesses % of) << SHARE_BITS) / of;
        ((accesses / of) << SHARE_BITS) + rest
    }

    /// Number of those accesses that change an entry.
    fn changing(&self) -> u64 {
        self.accesses_to(self.survey.changing)
    }

    /// Number of those accesses that go to pages of a node and do not change the entry.
    fn unchanging(&self, node: usize) -> u64 {
        self.accesses_to(self.survey.unchanging[node])
    }
}

/// Data for the runs of an operation, valid as long as the page tables do not change.
#[derive(Debug)]
struct RunData {
    op: Op,
    process: u32,
    part: (u32, u32),
    /// Version of the region's page tables ([`crate::process::Processes::accesses_version`]).
    version: Option<u64>,
    classes: Classes,
    shares: [u64; MAX_RUN_NODES],
    /// What one access subtracts from the number drawn for the next one that changes an entry;
    /// `None` if each access changes an entry.
    hazard: Option<u64>,
}

/// The [`RunData`] of a task's last run; a copy of the task computes it again.
#[derive(Debug, Default)]
struct CachedRunData(Option<Box<RunData>>);

impl Clone for CachedRunData {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl PartialEq for CachedRunData {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for CachedRunData {}

impl RunData {
    /// The current data for runs of this operation of a task.
    fn of(w: &mut World, cx: &mut Context, op: Op) -> Box<Self> {
        let version_of = |w: &World, cx: &Context| match op {
            Op::Access { region, .. } => w.processes.accesses_version(cx.process, region),
            _ => None,
        };
        let version = version_of(w, cx);
        let is_of_now = |k: &Self| {
            (k.op, k.process, k.part) == (op, cx.process, cx.part) && k.version == version
        };
        let cached = cx.access.run_data.0.take();
        if let Some(cached) = cached.filter(|cached| version.is_some() && is_of_now(cached)) {
            return cached;
        }
        let classes = Classes::of(w, cx, op);
        let hazard = match classes.weight() {
            0 => None,
            all => exponential::hazard(classes.changing(), all << SHARE_BITS),
        };
        Box::new(Self {
            op,
            process: cx.process,
            part: cx.part,
            version: version_of(w, cx),
            shares: classes.shares(),
            classes,
            hazard,
        })
    }
}

/// The classes of an operation, and what the page tables contain for each.
#[derive(Debug)]
struct Classes {
    all: [Option<Class>; 4],
}

impl Classes {
    fn of(w: &mut World, cx: &Context, op: Op) -> Self {
        let Op::Access {
            region,
            own,
            writes,
            ..
        } = op
        else {
            return Self { all: [None; 4] };
        };
        let count = w.processes.region(cx.process, region).pages;
        let whole = (0, count);
        let part = User::part(cx, count);
        let World { processes, mem, .. } = w;
        let mut class = |(first, count): (u32, u32), write: bool, own: u8, writes: u8| {
            let weight = u64::from(own) * u64::from(writes);
            let pages = Pages {
                space: cx.process,
                region,
                first,
                count,
            };
            (weight > 0 && count > 0).then(|| Class {
                weight,
                pages,
                write,
                survey: processes.survey(pages, write, |frame| mem.node_of(frame)),
            })
        };
        Self {
            all: [
                class(whole, true, 100 - own, writes),
                class(whole, false, 100 - own, 100 - writes),
                class(part, true, own, writes),
                class(part, false, own, 100 - writes),
            ],
        }
    }

    fn each(&self) -> impl Iterator<Item = &Class> {
        self.all.iter().flatten()
    }

    /// Of `weight << SHARE_BITS` accesses, the number that change an entry.
    fn changing(&self) -> u64 {
        self.each().map(Class::changing).sum()
    }

    fn weight(&self) -> u64 {
        self.each().map(|class| class.weight).sum()
    }

    /// Number of the operation's pages whose entry an access would change, and of all its pages.
    fn pages(&self) -> (u32, u32) {
        let changing = self.each().map(|class| class.survey.changing).max();
        let all = self.each().map(|class| class.pages.count).max();
        (changing.unwrap_or(0), all.unwrap_or(0))
    }

    /// The share of each node in the accesses that change no entry. All shares add up to `1 << SHARE_BITS`,
    /// or to 0 if all accesses change an entry.
    fn shares(&self) -> [u64; MAX_RUN_NODES] {
        let to: [u64; MAX_RUN_NODES] =
            std::array::from_fn(|node| self.each().map(|class| class.unchanging(node)).sum());
        let all: u64 = to.iter().sum();
        if all == 0 {
            return to;
        }
        let share = |n: u64| ((u128::from(n) << SHARE_BITS) / u128::from(all)) as u64;
        let mut shares = to.map(share);
        let rest = (1 << SHARE_BITS) - shares.iter().sum::<u64>();
        let most = (0..MAX_RUN_NODES).max_by_key(|&node| (to[node], usize::MAX - node));
        shares[most.unwrap_or(0)] += rest;
        shares
    }

    /// Draws the next access that changes an entry: its class, and the page.
    fn draw(&self, w: &World, rng: &mut Rng) -> Option<(u32, bool)> {
        let all = u128::from(self.changing());
        let mut at = ((u128::from(rng.next_u64()) * all) >> 64) as u64;
        for class in self.each() {
            let part = class.changing();
            if at < part {
                let nth = rng.below(class.survey.changing);
                let page = w.processes.nth_changing(class.pages, class.write, nth)?;
                return Some((page, class.write));
            }
            at -= part;
        }
        None
    }
}

/// The cost of a run's accesses.
#[derive(Clone, Copy)]
enum Cost {
    /// The same for every node, in ns.
    Flat(u32),
    /// Depends on the node, for CPUs of `from`.
    ByNode { cost: AccessCost, from: NodeIndex },
}

impl Cost {
    /// The cost on the running CPU.
    fn here(w: &World, bytes: AccessSize, compute_ns: u32) -> Self {
        match w.facts.accesses {
            None => Cost::Flat(w.facts.cost.touch.saturating_add(compute_ns)),
            Some(costs) => Cost::ByNode {
                cost: costs.of(bytes).with_compute(compute_ns),
                from: w.local_node(),
            },
        }
    }

    /// Time for which the running task may keep its CPU, in the unit of [`Cost::of`].
    fn time_left(&self, w: &World) -> u64 {
        let deadline = w.run.deadline[Kind::Plain as usize];
        match self {
            Cost::Flat(_) => deadline.saturating_sub(w.now),
            Cost::ByNode { .. } => w.parts_left(deadline),
        }
    }

    /// CPU time of these accesses without waits, in ns or parts of a ns.
    fn of(&self, accesses: &ByNode) -> u64 {
        match self {
            Cost::Flat(ns) => accesses.iter().map(|&n| u64::from(n)).sum::<u64>() * u64::from(*ns),
            Cost::ByNode { cost, from } => NodeIndex::all(accesses.len())
                .zip(accesses)
                .map(|(node, &n)| u64::from(n) * cost.own(node != *from))
                .sum(),
        }
    }
}

impl Cost {
    /// A lower and an upper bound for the smallest number of accesses with these shares that take
    /// at least `time`, in the unit of [`Cost::of`]. `None` if accesses take no time.
    fn bracket(&self, shares: &[u64; MAX_RUN_NODES], time: u64) -> Option<(u32, u32)> {
        let own = |node: NodeIndex| match self {
            Cost::Flat(ns) => u64::from(*ns),
            Cost::ByNode { cost, from } => cost.own(node != *from),
        };
        // The number of accesses to each node differs from its share by less than one.
        let (mut mean, mut off) = (0u128, 0u128);
        let nodes = NodeIndex::all(MAX_RUN_NODES);
        for (node, &share) in nodes.zip(shares).filter(|&(_, &share)| share > 0) {
            mean += u128::from(share) * u128::from(own(node));
            off += u128::from(own(node));
        }
        let time = u128::from(time);
        let number = |time: u128| {
            let n = (time << SHARE_BITS).checked_div(mean)?;
            Some(u32::try_from(n).unwrap_or(u32::MAX))
        };
        let low = number(time.saturating_sub(off))?;
        let high = number(time + off)?.saturating_add(1);
        Some((low.max(1), high))
    }
}

/// Number of accesses that pass before one changes an entry, given the remainder of the drawn number.
fn accesses_until(left: u64, hazard: Option<u64>) -> u64 {
    match hazard {
        // Each access changes an entry.
        None => 0,
        Some(hazard) => left.checked_div(hazard).unwrap_or(u64::MAX),
    }
}

impl RandomAccess {
    /// Remainder of the number drawn for the next access that changes an entry.
    fn left(&mut self, rng: &mut Rng) -> u64 {
        *self.left.get_or_insert_with(|| exponential::draw(rng))
    }

    /// Splits `n` accesses among the nodes by these shares, including earlier fractions; also
    /// returns the new fractions.
    fn split(&self, n: u32, shares: &[u64; MAX_RUN_NODES]) -> (ByNode, [u32; MAX_RUN_NODES]) {
        let mut to = ByNode::default();
        let mut parts = self.parts;
        for node in 0..MAX_RUN_NODES {
            let sum = u64::from(n) * shares[node] + u64::from(parts[node]);
            to[node] = (sum >> SHARE_BITS) as u32;
            parts[node] = sum as u32;
        }
        (to, parts)
    }

    /// The smallest number of accesses, from 1 to `most`, that take the CPU this time.
    fn fit(&self, most: u32, shares: &[u64; MAX_RUN_NODES], cost: Cost, time: u64) -> u32 {
        let (mut low, mut high) = cost.bracket(shares, time).unwrap_or((1, most));
        (low, high) = (low.min(most), high.min(most));
        while low < high {
            let middle = low + (high - low) / 2;
            if cost.of(&self.split(middle, shares).0) >= time {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        high.max(1)
    }
}

impl User {
    /// Makes all accesses up to the next one that changes an entry, the end of the operation, or
    /// the end of the task's time.
    pub(super) fn access(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let op = *self.op(w);
        let Op::Access {
            times,
            bytes,
            compute_ns,
            ..
        } = op
        else {
            return self.next();
        };
        let run_data = RunData::of(w, cx, op);
        if self.i == times || run_data.classes.weight() == 0 {
            w.end_accesses();
            return self.next();
        }
        let (left, hazard) = (cx.access.left(&mut cx.rng), run_data.hazard);
        let until = accesses_until(left, hazard);
        if until == 0 {
            cx.access.run_data.0 = Some(run_data);
            self.pt = UsPt::Changing;
            return Flow::Next;
        }
        let most = until.min(u64::from(times - self.i)) as u32;
        let cost = Cost::here(w, bytes, compute_ns);
        let n = cx
            .access
            .fit(most, &run_data.shares, cost, cost.time_left(w));
        let (to, parts) = cx.access.split(n, &run_data.shares);
        cx.access.parts = parts;
        cx.access.left = Some(left - hazard.unwrap_or(0) * u64::from(n));
        self.i += n;
        self.pass(w, &to, cost);
        if w.rec.on {
            let (changing, pages) = run_data.classes.pages();
            w.record(AccessRun {
                accesses: n.into(),
                changing: changing.into(),
                pages: pages.into(),
            });
        }
        cx.access.run_data.0 = Some(run_data);
        Flow::Next
    }

    /// Adds the time of accesses that change no entry.
    fn pass(&self, w: &mut World, to: &ByNode, cost: Cost) {
        let before = w.now;
        match cost {
            Cost::Flat(_) => w.now += cost.of(to),
            Cost::ByNode { cost, .. } => {
                w.access(to, &cost);
                if w.now >= w.run.deadline[Kind::Plain as usize] {
                    w.end_accesses();
                }
            }
        }
        w.count_user(w.now - before);
    }

    /// Makes the access that changes an entry. Makes no access if another task has changed entries
    /// since, so that other accesses come first.
    pub(super) fn access_changing(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let op = *self.op(w);
        let Op::Access {
            region,
            bytes,
            compute_ns,
            ..
        } = op
        else {
            return self.next();
        };
        self.pt = UsPt::Access;
        let run_data = RunData::of(w, cx, op);
        let left = cx.access.left(&mut cx.rng);
        if accesses_until(left, run_data.hazard) > 0 {
            cx.access.run_data.0 = Some(run_data);
            return Flow::Next;
        }
        let classes = &run_data.classes;
        let Some((page, write)) = classes.draw(w, &mut cx.rng) else {
            return Flow::Next;
        };
        cx.access.left = None;
        self.i += 1;
        w.record(AccessChanges {
            index: page.into(),
            region: region.into(),
            changing: classes.pages().0.into(),
        });
        match w.processes.touch(cx.process, region, page, write) {
            Access::Page(frame) | Access::Huge(frame) => {
                let cost = Cost::here(w, bytes, compute_ns);
                let mut to = ByNode::default();
                to[w.node_of(frame).index()] = 1;
                self.pass(w, &to, cost);
                if let Some(costs) = w.facts.accesses {
                    w.record_access(frame, costs.of(bytes));
                }
                Flow::Next
            }
            Access::Hinting | Access::Absent => {
                w.end_accesses();
                w.spend_user(compute_ns);
                self.fault(w, cx, region, page, write, up)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2^23 pages, 32 GiB: a shift of 64 bits would overflow.
    #[test]
    fn computes_exact_shares_of_a_32_gib_region() {
        let count = 1 << 23;
        let class = Class {
            weight: 10_000,
            pages: Pages {
                space: 0,
                region: 0,
                first: 0,
                count,
            },
            write: true,
            survey: Survey {
                changing: count / 4,
                ..Survey::default()
            },
        };
        assert_eq!(class.changing(), 2_500 << SHARE_BITS);
        assert_eq!(class.accesses_to(count), 10_000 << SHARE_BITS);
    }
}
