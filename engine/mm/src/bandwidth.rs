//! Memory and the links between nodes, as queues. The cost of an access depends on the node of its
//! page.
//!
//! Modelled, on a machine whose memory has rates: three kinds of queues, which serve accesses in
//! the order of arrival. There is one for the memory of each node, one for each direction from a
//! node's memory to another node's CPUs, and one for each link, both directions together. An access
//! enters all queues on its path at the same time and occupies each one for as long as its bytes
//! take there: `start = max(arrival, free_at)`, then `free_at = start + bytes / rate`. The access
//! ends when the last queue has served it, but not before the thread itself could have moved the
//! bytes. Zeroing and copying pages use the same queues.
//!
//! Order: the clocks of CPUs differ by up to a slice, and queues serve accesses in the order in
//! which the points run. A CPU that runs first must not leave gaps that no other CPU can use.
//! Therefore all accesses of one CPU up to the end of its slice, a fault, or the end of the
//! operation form a *run*: they all arrive when the first one does. The CPU continues at its own
//! rate. At the end of the run it waits until its queues have served the accesses. The result does
//! not depend on where the run is interrupted for display. It does not depend on where a slice ends
//! either, as long as no other CPU uses those queues.
//! Left out: banks and rows, reordering, caches, copies by devices. A short run waits behind long
//! ones, as if memory served the threads in turn, a slice at a time.
//! Visible difference: a thread with few accesses is slowed as much as the threads that stream; a
//! real memory controller serves it earlier. Two streams from a node's own CPUs get 7.6 GB/s each
//! from the memory of the Opteron; 6.6 GB/s were measured.
//! Invariants: the intervals in which a queue serves never overlap. In any window it therefore
//! serves at most its rate times the window, plus one run. A queue that is free before the clocks
//! of all CPUs is at rest.

#[cfg(test)]
mod tests;

use facts::index::{CpuIndex, FrameIndex, IndexVec, NodeIndex};
use facts::profile::MemoryRates;
use facts::state::State;

use crate::profile::MAX_RUN_NODES;
use crate::record::decisions;
use crate::workload::AccessSize;
use crate::world::World;

decisions! {
    AccessLocal { page: Page, node: Node, bytes: Count, ns: Count }
        "The page at {page} is on the node of this CPU, {node}: accessing {bytes byte} takes {ns} ns.";
    AccessRemote { page: Page, node: Node, from: Node, bytes: Count, ns: Count, local: Count }
        "The page at {page} is on {node} and the CPU is on {from}: accessing {bytes byte} takes {ns} ns instead of {local} ns for local memory.";
    MemoryBusy { node: Node, ns: Count }
        "The memory of {node} is still busy with earlier accesses: the CPU waits {ns} ns.";
    DirectionBusy { node: Node, from: Node, ns: Count }
        "The path from the memory of {node} to the CPUs of {from} is busy: the CPU waits {ns} ns.";
    LinkBusy { node: Node, from: Node, ns: Count }
        "The link between {node} and {from} is busy in both directions: the CPU waits {ns} ns.";
}

/// Parts per nanosecond. Times are stored in these parts because a page at 15 GB/s takes 268.2 ns.
const PARTS: u64 = 1 << 10;
/// Size of a cache line in bytes.
const LINE: u64 = 64;

/// The cost of one access, in parts of a nanosecond, rounded up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessCost {
    /// Bytes the access moves.
    bytes: u64,
    /// Time the thread itself needs: for memory of its own node, and for remote memory.
    own: [u64; 2],
    /// Time in the queue of the memory of the node.
    node: u64,
    /// Time in the queue of the direction.
    direction: u64,
    /// Time in the queue of the link.
    link: u64,
}

impl AccessCost {
    fn of(rates: &MemoryRates, bytes: u64, latency_ns: [u32; 2]) -> Self {
        let parts = |rate: u64| {
            let parts = (u128::from(bytes) * u128::from(1_000_000_000 * PARTS))
                .div_ceil(u128::from(rate.max(1)));
            u64::try_from(parts).unwrap_or(u64::MAX >> PARTS.ilog2())
        };
        let latency = latency_ns.map(|ns| u64::from(ns) * PARTS);
        Self {
            bytes,
            own: [
                latency[0] + parts(rates.local_bytes_per_s),
                latency[1] + parts(rates.remote_bytes_per_s),
            ],
            node: parts(rates.node_bytes_per_s),
            direction: parts(rates.direction_bytes_per_s),
            link: parts(rates.link_bytes_per_s),
        }
    }

    /// The same cost for a thread that computes for this long with each access.
    pub(crate) fn with_compute(mut self, ns: u32) -> Self {
        self.own = self.own.map(|own| own + u64::from(ns) * PARTS);
        self
    }

    /// Time the thread itself needs for one access, in parts of a nanosecond.
    pub(crate) fn own(&self, remote: bool) -> u64 {
        self.own[usize::from(remote)]
    }
}

/// What accesses cost on a machine whose memory has rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessCosts {
    line: AccessCost,
    page: AccessCost,
}

impl AccessCosts {
    /// Costs on a machine with this page size.
    pub fn new(rates: &MemoryRates, page_bytes: u64) -> Self {
        let latency_ns = [rates.local_ns, rates.remote_ns];
        Self {
            line: AccessCost::of(rates, LINE, latency_ns),
            page: AccessCost::of(rates, page_bytes, [0, 0]),
        }
    }

    /// Cost of one access of this size.
    pub fn of(&self, size: AccessSize) -> &AccessCost {
        match size {
            AccessSize::Line => &self.line,
            AccessSize::Page => &self.page,
        }
    }
}

/// A resource that serves accesses one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// The memory of one node.
    Node(NodeIndex),
    /// From the memory of `node` to the CPUs of `from`.
    Direction {
        /// Node of the CPUs.
        from: NodeIndex,
        /// Node of the memory.
        node: NodeIndex,
    },
    /// The link between two nodes, both directions together.
    Link(NodeIndex, NodeIndex),
}

impl Queue {
    fn index(self, nodes: usize) -> usize {
        let place = |a: NodeIndex, b: NodeIndex| a.index() * nodes + b.index();
        match self {
            Queue::Node(node) => node.index(),
            Queue::Direction { from, node } => nodes + place(from, node),
            Queue::Link(a, b) => nodes + nodes * nodes + place(a.min(b), a.max(b)),
        }
    }

    fn at(index: usize, nodes: usize) -> Self {
        let node = |index: usize| NodeIndex::new(index as u8);
        let pair = |place: usize| (node(place / nodes), node(place % nodes));
        match index.checked_sub(nodes) {
            None => Queue::Node(node(index)),
            Some(place) if place < nodes * nodes => {
                let (from, node) = pair(place);
                Queue::Direction { from, node }
            }
            Some(place) => {
                let (a, b) = pair(place - nodes * nodes);
                Queue::Link(a, b)
            }
        }
    }
}

/// Number of accesses by the node of their memory.
pub type ByNode = [u32; MAX_RUN_NODES];

/// Accesses of the running CPU that are not complete yet.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
struct AccessRun {
    /// True while there are such accesses.
    open: bool,
    /// When the first of them arrived, in parts of a nanosecond.
    since: u64,
    /// When the last queue will have served them, in parts of a nanosecond.
    through: u64,
    /// The queue that finishes last.
    last: u32,
}

/// The queues of a machine; empty if its memory has no rates.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Bandwidth {
    /// When each queue becomes free, in parts of a nanosecond; 0 once the clocks of all CPUs have
    /// passed that time.
    #[state(sparse)]
    free_at: Vec<u64>,
    /// Fraction of each CPU's clock beyond whole nanoseconds, in parts of a nanosecond.
    #[state(sparse)]
    fraction: IndexVec<CpuIndex, u16>,
    /// Accesses of the running CPU that are not complete yet.
    run: AccessRun,
    /// How long each queue has been busy, in parts of a nanosecond.
    #[state(skip = "a count that no run depends on")]
    busy: Vec<u64>,
    /// Bytes moved, indexed by the node of the CPU, then by the node of the memory.
    #[state(skip = "a count that no run depends on")]
    moved: Vec<u64>,
    #[state(skip = "it never changes")]
    nodes: u32,
}

impl Bandwidth {
    /// Idle queues for a machine with this many nodes and CPUs.
    pub fn new(nodes: usize, cpus: usize) -> Self {
        let queues = nodes + 2 * nodes * nodes;
        Self {
            free_at: vec![0; queues],
            fraction: vec![0; cpus].into(),
            run: AccessRun::default(),
            busy: vec![0; queues],
            moved: vec![0; nodes * nodes],
            nodes: nodes as u32,
        }
    }

    /// Occupies a queue for the time of an access.
    fn enter(&mut self, queue: Queue, cost: u64) {
        let index = queue.index(self.nodes as usize);
        let free_at = &mut self.free_at[index];
        *free_at = (*free_at).max(self.run.since) + cost;
        self.busy[index] += cost;
        if *free_at > self.run.through {
            (self.run.through, self.run.last) = (*free_at, index as u32);
        }
    }

    /// Enters accesses of a CPU of node `from` into their queues at this time. Returns when the CPU
    /// alone would have completed them.
    fn accesses(
        &mut self,
        clock: u64,
        from: NodeIndex,
        by_node: &ByNode,
        cost: &AccessCost,
    ) -> u64 {
        if !self.run.open {
            (self.run.open, self.run.since) = (true, clock);
        }
        let mut own = 0;
        for (node, &n) in NodeIndex::all(by_node.len())
            .zip(by_node)
            .filter(|&(_, &n)| n > 0)
        {
            let (n, remote) = (u64::from(n), node != from);
            own += n * cost.own(remote);
            self.enter(Queue::Node(node), n * cost.node);
            if remote {
                self.enter(Queue::Direction { from, node }, n * cost.direction);
                self.enter(Queue::Link(from, node), n * cost.link);
            }
            let place = from.index() * self.nodes as usize + node.index();
            self.moved[place] += n * cost.bytes;
        }
        clock + own
    }

    /// Ends the run when the clock of its CPU has this value. Returns when the run is complete, and
    /// the queue it waited for.
    fn end(&mut self, clock: u64) -> (u64, Option<Queue>) {
        let run = std::mem::take(&mut self.run);
        let waits = run.through > clock;
        let last = Queue::at(run.last as usize, self.nodes as usize);
        (run.through.max(clock), waits.then_some(last))
    }

    /// Are there accesses that are not complete yet?
    pub fn is_open(&self) -> bool {
        self.run.open
    }

    /// All CPU clocks have reached this time (ns): queues that are free by then are reset to 0.
    pub fn pass(&mut self, now: u64) {
        for free_at in &mut self.free_at {
            if *free_at <= now * PARTS {
                *free_at = 0;
            }
        }
    }

    /// How long after this time the queue becomes free, ns.
    pub fn behind_ns(&self, queue: Queue, now: u64) -> u64 {
        let free_at = self.free_at[queue.index(self.nodes as usize)];
        free_at.saturating_sub(now * PARTS).div_ceil(PARTS)
    }

    /// How long the queue has been busy since boot, ns.
    pub fn busy_ns(&self, queue: Queue) -> u64 {
        self.busy[queue.index(self.nodes as usize)] / PARTS
    }

    /// Bytes moved since boot between CPUs of node `from` and memory of `node`.
    pub fn moved(&self, from: NodeIndex, node: NodeIndex) -> u64 {
        self.moved[from.index() * self.nodes as usize + node.index()]
    }
}

impl World {
    /// The node a page frame is on.
    #[inline]
    pub fn node_of(&self, frame: FrameIndex) -> NodeIndex {
        self.mem.node_of(frame)
    }

    /// The clock of the running CPU in parts of a nanosecond.
    fn clock(&self) -> u64 {
        let fraction = self.bandwidth.fraction[self.cpu];
        self.now * PARTS + u64::from(fraction)
    }

    fn set_clock(&mut self, clock: u64) {
        self.now = clock / PARTS;
        self.bandwidth.fraction[self.cpu] = (clock % PARTS) as u16;
    }

    /// How long the running task may keep its CPU while it only executes plain points, in parts of
    /// a nanosecond; 0 when its time has run out.
    pub(crate) fn parts_left(&self, deadline_ns: u64) -> u64 {
        deadline_ns
            .saturating_mul(PARTS)
            .saturating_sub(self.clock())
    }

    /// Makes accesses on the running CPU, which continues at its own rate. They complete at the end
    /// of the run ([`World::end_accesses`]).
    pub(crate) fn access(&mut self, by_node: &ByNode, cost: &AccessCost) {
        let (clock, from) = (self.clock(), self.local_node());
        let clock = self.bandwidth.accesses(clock, from, by_node, cost);
        self.set_clock(clock);
    }

    /// Completes the accesses of the running CPU: the CPU waits for queues that have not served
    /// them yet.
    pub(crate) fn end_accesses(&mut self) {
        if !self.bandwidth.is_open() {
            return;
        }
        let before = self.now;
        let (clock, waits_for) = self.bandwidth.end(self.clock());
        self.set_clock(clock);
        let ns = (self.now - before) as i64;
        let here = self.local_node();
        let other = |a, b| if a == here { b } else { a };
        let Some(queue) = waits_for.filter(|_| ns > 0) else {
            return;
        };
        match queue {
            Queue::Node(node) => self.record(MemoryBusy { node, ns }),
            Queue::Direction { from, node } => self.record(DirectionBusy { node, from, ns }),
            Queue::Link(a, b) => self.record(LinkBusy {
                node: other(a, b),
                from: here,
                ns,
            }),
        }
    }

    /// Records what one access costs the running CPU, without any waits.
    pub(crate) fn record_access(&mut self, page: FrameIndex, cost: &AccessCost) {
        if !self.rec.on {
            return;
        }
        let (node, from) = (self.node_of(page), self.local_node());
        let bytes = cost.bytes as i64;
        let ns = |remote| cost.own(remote).div_ceil(PARTS) as i64;
        if node == from {
            self.record(AccessLocal {
                page,
                node,
                bytes,
                ns: ns(false),
            });
        } else {
            self.record(AccessRemote {
                page,
                node,
                from,
                bytes,
                ns: ns(true),
                local: ns(false),
            });
        }
    }

    /// Charges the running CPU for moving all bytes of pages on these nodes.
    fn spend_transfer(&mut self, by_node: &ByNode, cost: &AccessCost) {
        debug_assert!(
            !self.bandwidth.is_open(),
            "user mode ends its run at a fault"
        );
        self.access(by_node, cost);
        self.end_accesses();
    }

    /// Zeroes a page, or a huge page (`clear_highpage`, `clear_huge_page`).
    pub fn spend_zeroing(&mut self, frame: FrameIndex, order: u8) {
        match self.facts.accesses {
            None if order == 0 => self.spend(self.facts.zero_page),
            None => self.spend(self.facts.zero_huge),
            Some(costs) => {
                let mut by_node = ByNode::default();
                by_node[self.node_of(frame).index()] = 1 << order;
                self.spend_transfer(&by_node, &costs.page);
            }
        }
    }

    /// Copies a page or a huge page (`copy_highpage`): its bytes are read and written.
    pub fn spend_copy(&mut self, from: FrameIndex, to: FrameIndex, order: u8) {
        let page_kib = self.facts.layout.geometry.page_kib();
        match self.facts.accesses {
            None if order == 0 => self.spend(self.facts.cost.copy_page(page_kib)),
            None => {
                let ns = self.facts.cost.copy_huge(page_kib << order);
                self.spend(u32::try_from(ns).unwrap_or(u32::MAX));
            }
            Some(costs) => {
                let mut by_node = ByNode::default();
                by_node[self.node_of(from).index()] += 1 << order;
                by_node[self.node_of(to).index()] += 1 << order;
                self.spend_transfer(&by_node, &costs.page);
            }
        }
    }
}
