//! Machines on which the cost of an access depends on the node.
//!
//! Modelled: two servers of 2012 whose rates were published, and small machines of two and of four nodes with
//! such rates, in two sizes each.
//! Left out: their firmware maps, and the distances of their nodes.
//! Visible difference: see [`crate::profile::ready`].
//! Invariants: the origin of each number that is not a rate is given where it is written.

use super::{DMA, GIB, LOW, NORMAL, blocks, machine, node, teaching};
use crate::arch::ZoneType;
use crate::profile::{CostEra, MachineProfile, MemoryRates, NodeProfile};

/// The nodes of a server with the same memory on each. The first node has the old zones and the hole below 4
/// GiB. Each node reserves page structs of 56 bytes per page.
fn equal_nodes(count: u64, cpus: u16, gib: u64) -> Vec<NodeProfile> {
    const RECORDS: u64 = 3584;
    let first = node(
        cpus,
        &[
            LOW[0],
            LOW[1],
            (DMA, 3 * GIB),
            (NORMAL, NORMAL + (gib - 3) * GIB),
        ],
        &[
            (ZoneType::Dma, 22),
            (ZoneType::Dma32, 17_408),
            (ZoneType::Normal, (gib - 3) * RECORDS),
        ],
    );
    let start = |n: u64| NORMAL + (n * gib - 3) * GIB;
    let others = (1..count).map(|n| {
        let range = (start(n), start(n + 1));
        node(cpus, &[range], &[(ZoneType::Normal, gib * RECORDS)])
    });
    std::iter::once(first).chain(others).collect()
}

/// A machine on which the cost of an access depends on the node. The distance between its nodes is 20
/// (`REMOTE_DISTANCE`, which is *chosen*: no distances were published), and it has 1000 timer ticks per
/// second (*inferred*).
fn with_rates(mut profile: MachineProfile, rates: MemoryRates) -> MachineProfile {
    for distance in profile.distances.iter_mut().flatten() {
        *distance = if *distance == 10 { 10 } else { 20 };
    }
    (profile.hz, profile.memory) = (1000, Some(rates));
    profile
}

/// The Opteron server of the NUMA balancing series of 2012: 4 nodes of 8 CPUs were published (*read*). It had
/// 64 GiB; 32 GiB are *chosen*, so that a simulated machine takes half the memory in the browser. The
/// programs of that series use 12 GiB at most.
pub(super) fn x86_64_4node() -> MachineProfile {
    let machine = machine(
        "x86_64-4node",
        "Opteron server of 2012, 4 nodes of 8 GiB (it had 16), 32 CPUs, memory by node",
        CostEra::S2011,
        equal_nodes(4, 8, 8),
    );
    with_rates(machine, in_long_slices(MemoryRates::OPTERON_2012))
}

/// The server with two nodes and 12 CPUs (*read*) whose times of numa01 and numa02 were posted in 2012. Its
/// memory was not published: 2 nodes of 8 GiB are *chosen*.
pub(super) fn x86_64_2node_12cpu() -> MachineProfile {
    let machine = machine(
        "x86_64-2node-12cpu",
        "x86_64 server of 2012, 2 nodes of 8 GiB, 12 CPUs, memory by node",
        CostEra::S2011,
        equal_nodes(2, 6, 8),
    );
    with_rates(machine, MemoryRates::TWO_NODES_2012)
}

/// The memory of a machine with many CPUs, whose slices are twice as long as usual. A second of 32 busy CPUs
/// then has half as many runs of accesses. *Chosen*: 32 streams on one node still wait less than half a tick
/// for each run.
fn in_long_slices(rates: MemoryRates) -> MemoryRates {
    MemoryRates {
        slice_us: 20,
        ..rates
    }
}

/// A small machine with four nodes, as fast as the Opteron server; everything else is *chosen*.
pub(super) fn x86_64_4node_1g() -> MachineProfile {
    const QUARTER: u64 = GIB / 4;
    let first = node(
        2,
        &[LOW[0], LOW[1], (DMA, QUARTER)],
        &[(ZoneType::Dma, 22), (ZoneType::Dma32, 6144)],
    );
    let others = (1..4).map(|n| {
        let range = (n * QUARTER, (n + 1) * QUARTER);
        node(2, &[range], &[(ZoneType::Dma32, 896)])
    });
    let machine = machine(
        "x86_64-4node-1g",
        "Four nodes of 256 MiB, 8 CPUs, memory by node as fast as that of x86_64-4node",
        CostEra::S2011,
        std::iter::once(first).chain(others).collect(),
    );
    with_rates(machine, MemoryRates::OPTERON_2012)
}

/// The teaching size of [`x86_64_4node_1g`], on which a user can watch a single task or page move. The rates
/// are those of the Opteron server; everything else is *chosen*.
pub(super) fn x86_64_4node_1g_teach() -> MachineProfile {
    const QUARTER: u64 = GIB / 4;
    let first = node(
        2,
        &[blocks(0, 1), blocks(DMA, 1)],
        &[(ZoneType::Dma, 16), (ZoneType::Dma32, 8)],
    );
    let others = (1..4).map(|n| {
        let reserved = [(ZoneType::Dma32, 8)];
        node(2, &[blocks(n * QUARTER, 2)], &reserved)
    });
    let small = machine(
        "x86_64-4node-1g-teach",
        "Teaching size of x86_64-4node-1g: 8 pageblocks, 8 CPUs, memory by node",
        CostEra::S2011,
        std::iter::once(first).chain(others).collect(),
    );
    let small = teaching(small, &x86_64_4node_1g());
    with_rates(small, MemoryRates::OPTERON_2012)
}

/// A small machine on which memory speed depends on the node. The rates are those of the Opteron server;
/// everything else is *chosen*.
pub(super) fn x86_64_2node_512m() -> MachineProfile {
    const HALF: u64 = GIB / 2;
    let first = node(
        2,
        &[LOW[0], LOW[1], (DMA, HALF)],
        &[(ZoneType::Dma, 22), (ZoneType::Dma32, 6144)],
    );
    let second = node(2, &[(HALF, 2 * HALF)], &[(ZoneType::Dma32, 1792)]);
    let machine = machine(
        "x86_64-2node-512m",
        "Two nodes of 512 MiB, 4 CPUs, memory by node as fast as that of x86_64-4node",
        CostEra::S2011,
        vec![first, second],
    );
    with_rates(machine, MemoryRates::OPTERON_2012)
}

/// The teaching size of [`x86_64_2node_512m`]. The rates are those of the Opteron server; everything else is
/// *chosen*.
pub(super) fn x86_64_2node_512m_teach() -> MachineProfile {
    const HALF: u64 = GIB / 2;
    let first = node(
        2,
        &[blocks(0, 1), blocks(DMA, 2)],
        &[(ZoneType::Dma, 16), (ZoneType::Dma32, 8)],
    );
    let second = node(2, &[blocks(HALF, 2)], &[(ZoneType::Dma32, 16)]);
    let small = machine(
        "x86_64-2node-512m-teach",
        "Teaching size of x86_64-2node-512m: 5 pageblocks, 4 CPUs, memory by node",
        CostEra::S2011,
        vec![first, second],
    );
    let small = teaching(small, &x86_64_2node_512m());
    with_rates(small, MemoryRates::OPTERON_2012)
}
