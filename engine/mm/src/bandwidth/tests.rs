//! Tests of the queues alone, with the memory rates of the Opteron.

use super::*;
use crate::rng::Rng;
use facts::index::NodeIndex;

fn rates() -> MemoryRates {
    MemoryRates::OPTERON_2012
}

fn pages(node: usize, n: u32) -> ByNode {
    let mut by_node = ByNode::default();
    by_node[node] = n;
    by_node
}

#[test]
fn each_queue_has_a_unique_index() {
    let nodes = 4;
    let mut seen = std::collections::BTreeSet::new();
    for from in NodeIndex::all(4) {
        let node = Queue::Node(from);
        assert!(seen.insert(node.index(nodes)));
        assert_eq!(Queue::at(node.index(nodes), nodes), node);
        for to in NodeIndex::all(4) {
            let direction = Queue::Direction { from, node: to };
            assert!(seen.insert(direction.index(nodes)));
            assert_eq!(Queue::at(direction.index(nodes), nodes), direction);
            let link = Queue::Link(from.min(to), from.max(to));
            assert_eq!(Queue::at(link.index(nodes), nodes), link);
            assert_eq!(Queue::Link(to, from).index(nodes), link.index(nodes));
        }
    }
}

/// 4,096 bytes at 8.44 GB/s take 485.3 ns, at 15.27 GB/s 268.2 ns; a cache line of local memory takes
/// 70 ns and 7.6 ns.
#[test]
fn access_costs_follow_from_the_rates() {
    let costs = AccessCosts::new(&rates(), 4096);
    assert_eq!(costs.page.own(false) * 10 / PARTS, 4853);
    assert_eq!(costs.page.own(true) * 10 / PARTS, 6095);
    assert_eq!(costs.page.node * 10 / PARTS, 2682);
    assert_eq!(costs.line.own(false) * 10 / PARTS, 775);
}

/// Accessing local pages for a second takes the same time to 1/1024 ns, one by one or all in one
/// call.
#[test]
fn a_long_stream_does_not_drift() {
    let cost = *AccessCosts::new(&rates(), 4096).of(AccessSize::Page);
    let n = 2_060_000;
    let mut single = Bandwidth::new(4, 1);
    let mut clock = 0;
    for _ in 0..n {
        clock = single.accesses(clock, NodeIndex::new(0), &pages(0, 1), &cost);
        clock = single.end(clock).0;
    }
    let mut whole = Bandwidth::new(4, 1);
    let at_once = whole.accesses(0, NodeIndex::new(0), &pages(0, n), &cost);
    assert_eq!(whole.end(at_once).0, clock);
    let exact_ns = u64::from(n) * 4096 * 100 / 844;
    assert!(
        (clock / PARTS).abs_diff(exact_ns) < 2000,
        "2 us in a second"
    );
}

/// Two CPUs access 17 pages of one remote node at the same time. 17 pages occupy the direction for
/// 9.4 us, so the second CPU waits for the first.
#[test]
fn a_run_of_accesses_waits_for_earlier_runs() {
    let cost = *AccessCosts::new(&rates(), 4096).of(AccessSize::Page);
    let mut b = Bandwidth::new(2, 2);
    let own = b.accesses(0, NodeIndex::new(1), &pages(0, 17), &cost);
    assert_eq!(b.end(own), (own, None), "its own rate is slower");
    let own = b.accesses(0, NodeIndex::new(1), &pages(0, 17), &cost);
    let (through, last) = b.end(own);
    assert_eq!(
        last,
        Some(Queue::Direction {
            from: NodeIndex::new(1),
            node: NodeIndex::new(0)
        })
    );
    assert_eq!(through, 34 * cost.direction);
    b.pass(through / PARTS + 1);
    assert!(b.free_at.iter().all(|&free_at| free_at == 0), "at rest");
    assert_eq!(b.moved(NodeIndex::new(1), NodeIndex::new(0)), 34 * 4096);
}

/// What a queue served: time intervals with their bytes.
type Served = Vec<(u64, u64, u64)>;

/// Random runs of four CPUs on two nodes never exceed the rate of a queue.
#[test]
fn a_queue_serves_no_more_than_its_rate_in_any_window() {
    for seed in 0..200 {
        let rng = &mut Rng::stream(seed, 7);
        let (served, longest) = random_runs(rng, 300);
        for (queue, served) in served.iter().enumerate() {
            let cost = |bytes: u64| match Queue::at(queue, 2) {
                Queue::Node(_) => bytes * PARTS * 100 / 1527,
                Queue::Direction { .. } => bytes * PARTS * 100 / 737,
                Queue::Link(..) => bytes * PARTS * 100 / 1214,
            };
            for pair in served.windows(2) {
                assert!(pair[1].0 >= pair[0].1, "no two at once");
            }
            let last = served.last().map_or(0, |s| s.1);
            for _ in 0..20 {
                let from = u64::from(rng.below(last as u32 + 1));
                let until = from + u64::from(rng.below(last as u32 / 4 + 1));
                let ends_inside = |s: &&(u64, u64, u64)| s.1 > from && s.1 <= until;
                let bytes: u64 = served.iter().filter(ends_inside).map(|s| s.2).sum();
                assert!(cost(bytes) <= until - from + cost(longest));
            }
        }
    }
}

/// Makes runs of pages and lines on both nodes. The CPU whose clock is earliest goes next, as with
/// the scheduler. Returns what each queue served, and the bytes of the longest run.
fn random_runs(rng: &mut Rng, runs: u32) -> (Vec<Served>, u64) {
    let costs = AccessCosts::new(&rates(), 4096);
    let mut b = Bandwidth::new(2, 4);
    let mut served = vec![Served::new(); b.free_at.len()];
    let (mut clocks, mut longest) = ([0u64; 4], 0);
    for _ in 0..runs {
        let cpu = (0..4).min_by_key(|&cpu| clocks[cpu]).unwrap_or(0);
        b.pass(clocks[cpu] / PARTS);
        let size = [AccessSize::Line, AccessSize::Page][rng.below(2) as usize];
        let cost = *costs.of(size);
        let mut bytes = 0;
        for _ in 0..1 + rng.below(3) {
            let mut by_node = ByNode::default();
            (by_node[0], by_node[1]) = (rng.below(20), rng.below(20));
            bytes += u64::from(by_node[0] + by_node[1]) * cost.bytes;
            let before = b.clone();
            clocks[cpu] = b.accesses(
                clocks[cpu],
                NodeIndex::new((cpu / 2) as u8),
                &by_node,
                &cost,
            );
            for (queue, served) in served.iter_mut().enumerate() {
                let took = b.busy[queue] - before.busy[queue];
                if took > 0 {
                    let unit = match Queue::at(queue, 2) {
                        Queue::Node(_) => cost.node,
                        Queue::Direction { .. } => cost.direction,
                        Queue::Link(..) => cost.link,
                    };
                    let end = b.free_at[queue];
                    served.push((end - took, end, took / unit * cost.bytes));
                }
            }
        }
        longest = longest.max(bytes);
        clocks[cpu] = b.end(clocks[cpu]).0 + u64::from(rng.below(3000)) * PARTS;
    }
    (served, longest)
}
