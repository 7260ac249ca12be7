//! The speed of memory, by node.
//!
//! Modelled: the rate of one thread on its own node and on another; the total rates of a node's memory, of
//! one direction between two nodes, and of the link between them; the latency of one access.
//! Left out: links of different widths, routes of more than one link, caches; copies between the page cache
//! and a program's buffer, because a buffer has no node.
//! Visible difference: on a machine with nodes at two distances, the farther ones are not slower.
//! Invariants: rates and latencies that [`check`] passed are above 0, so nothing is divided by 0, and the
//! time of a page fits 64 bits.

use deserr::Deserr;
use schemars::JsonSchema;
use serde::Serialize;

use crate::profile::{MachineProfile, refuse};
use crate::view::Refusal;

/// The slowest and the fastest memory, bytes per second.
const RATES: (u64, u64) = (1_000_000, 10_000_000_000_000);
/// Longest latency, ns.
const MAX_LATENCY_NS: u32 = 100_000;
/// The shortest and the usual slice, us.
const USUAL_SLICE_US: u32 = 10;
/// The longest slice. With 50 us, one of 32 streams from one node's memory got almost nothing for 100 ms; the
/// reason is not known.
const MAX_SLICE_US: u32 = 20;

/// Rates and latencies of memory. A machine without them charges the same cost for every access.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields, rename = "MemoryRates")]
pub struct MemoryRates {
    /// The rate of one thread to or from the memory of its own node while no other thread uses it.
    #[schemars(
        title = "One thread, own node",
        range(min = RATES.0, max = RATES.1),
        extend("x-unit" = "bytes a second")
    )]
    pub local_bytes_per_s: u64,
    /// The rate of one thread to or from the memory of another node while no other thread uses it.
    #[schemars(
        title = "One thread, other node",
        range(min = RATES.0, max = RATES.1),
        extend("x-unit" = "bytes a second")
    )]
    pub remote_bytes_per_s: u64,
    /// The rate between the memory of one node and the CPUs of another, for all threads together.
    #[schemars(
        title = "One direction of a link",
        range(min = RATES.0, max = RATES.1),
        extend("x-unit" = "bytes a second")
    )]
    pub direction_bytes_per_s: u64,
    /// The rate between two nodes, in both directions together.
    #[schemars(
        title = "A link, both directions",
        range(min = RATES.0, max = RATES.1),
        extend("x-unit" = "bytes a second")
    )]
    pub link_bytes_per_s: u64,
    /// The rate of a node's memory, for all threads on all nodes together.
    #[schemars(
        title = "Memory of a node",
        range(min = RATES.0, max = RATES.1),
        extend("x-unit" = "bytes a second")
    )]
    pub node_bytes_per_s: u64,
    /// How long one access to a node's own memory takes until its first byte arrives.
    #[schemars(
        title = "Latency, own node",
        range(min = 1, max = MAX_LATENCY_NS),
        extend("x-unit" = "ns")
    )]
    pub local_ns: u32,
    /// How long one access to another node's memory takes until its first byte arrives.
    #[schemars(
        title = "Latency, other node",
        range(min = 1, max = MAX_LATENCY_NS),
        extend("x-unit" = "ns")
    )]
    pub remote_ns: u32,
    /// The maximum time for which a CPU in user mode runs before others get a turn. It belongs to the model,
    /// not to the kernel. Accesses of this time enter the queues of memory together: a shorter time is more
    /// exact but takes longer to simulate.
    #[serde(skip_serializing_if = "is_usual_slice")]
    #[deserr(default = USUAL_SLICE_US)]
    #[schemars(
        default = "usual_slice",
        title = "Longest run of accesses",
        range(min = USUAL_SLICE_US, max = MAX_SLICE_US),
        extend("x-left-out" = "10"),
        extend("x-unit" = "us")
    )]
    pub slice_us: u32,
}

/// Ten microseconds, as on machines whose memory has no rates.
fn usual_slice() -> u32 {
    USUAL_SLICE_US
}

fn is_usual_slice(slice_us: &u32) -> bool {
    *slice_us == USUAL_SLICE_US
}

impl MemoryRates {
    /// A server of 2012 with four nodes of eight CPUs. The rates of one thread, 8.436 and 6.717 GB/s, are
    /// *measured* (`perf bench numa mem`, posted on 7 December 2012). *Computed* from the same posting: the
    /// rate of one direction from two remote threads at 3.686 GB/s each; the rate of a link from two threads
    /// that read each other's node at 6.072 GB/s each; the rate of a node from the 801 GiB that numa02 moves
    /// in 56.32 s. The latencies are *chosen* as on servers of 2011: 60 to 80 ns, and 1.4 to 1.8 times as
    /// long from another node.
    pub const OPTERON_2012: Self = Self {
        local_bytes_per_s: 8_440_000_000,
        remote_bytes_per_s: 6_720_000_000,
        direction_bytes_per_s: 7_370_000_000,
        link_bytes_per_s: 12_140_000_000,
        node_bytes_per_s: 15_270_000_000,
        local_ns: 70,
        remote_ns: 112,
        slice_us: USUAL_SLICE_US,
    };

    /// A server of 2012 with two nodes and 12 CPUs, *computed* from times of numa01 and numa02 posted in
    /// 2012. Bound to their nodes, 12 threads move 24.4 GB/s, 2.03 each; if half of the accesses are remote,
    /// one direction carries 8.1 GB/s. A link carries 1.65 times as much as one direction, as on the machine
    /// with four nodes. *Chosen*: a node serves 20 GB/s, the minimum that those times allow; one thread gets
    /// 1.256 times less from the other node, as on that machine; the latencies.
    pub const TWO_NODES_2012: Self = Self {
        local_bytes_per_s: 2_030_000_000,
        remote_bytes_per_s: 1_620_000_000,
        direction_bytes_per_s: 8_100_000_000,
        link_bytes_per_s: 13_400_000_000,
        node_bytes_per_s: 20_000_000_000,
        local_ns: 70,
        remote_ns: 112,
        slice_us: USUAL_SLICE_US,
    };
}

/// Everything that makes the described speed impossible.
pub(super) fn check(profile: &MachineProfile, found: &mut Vec<Refusal>) {
    let Some(memory) = &profile.memory else {
        return;
    };
    let rates = [
        ("local_bytes_per_s", memory.local_bytes_per_s),
        ("remote_bytes_per_s", memory.remote_bytes_per_s),
        ("direction_bytes_per_s", memory.direction_bytes_per_s),
        ("link_bytes_per_s", memory.link_bytes_per_s),
        ("node_bytes_per_s", memory.node_bytes_per_s),
    ];
    for (name, rate) in rates {
        if !(RATES.0..=RATES.1).contains(&rate) {
            let reason = format!(
                "{rate}; the rate of memory is {} to {} bytes per second",
                RATES.0, RATES.1
            );
            found.push(refuse(format!("memory.{name}"), reason));
        }
    }
    if !(USUAL_SLICE_US..=MAX_SLICE_US).contains(&memory.slice_us) {
        let reason = format!(
            "{}; a run of accesses may last {USUAL_SLICE_US} to {MAX_SLICE_US} us",
            memory.slice_us
        );
        found.push(refuse("memory.slice_us".to_string(), reason));
    }
    for (name, ns) in [
        ("local_ns", memory.local_ns),
        ("remote_ns", memory.remote_ns),
    ] {
        if !(1..=MAX_LATENCY_NS).contains(&ns) {
            let reason = format!("{ns}; an access may take 1 to {MAX_LATENCY_NS} ns");
            found.push(refuse(format!("memory.{name}"), reason));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{check, find};

    #[test]
    fn refuses_impossible_speeds_with_their_path() {
        let refusals = |change: fn(&mut MemoryRates)| {
            let mut profile = find("x86_64-4node").expect("a ready-made machine");
            change(profile.memory.as_mut().expect("rates"));
            let found = check(&profile);
            found.into_iter().map(|r| r.path).collect::<Vec<_>>()
        };
        assert!(refusals(|_| {}).is_empty());
        assert_eq!(
            refusals(|m| m.local_bytes_per_s = 0),
            ["memory.local_bytes_per_s"]
        );
        assert_eq!(
            refusals(|m| (m.node_bytes_per_s, m.remote_ns) = (u64::MAX, 0)),
            ["memory.node_bytes_per_s", "memory.remote_ns"]
        );
        assert_eq!(refusals(|m| m.slice_us = 9), ["memory.slice_us"]);
        assert_eq!(refusals(|m| m.slice_us = 21), ["memory.slice_us"]);
    }
}
