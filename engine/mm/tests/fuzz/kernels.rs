//! The kernel of a random case.

use mm::kernel::{Kernel, kernels};
use mm::rng::Rng;

use super::cases::{AUTOS, CAUGHT, CORES, LATER, MOVERS, TEAMS, chance, has_generations, pick};
use super::cgroups::has_cgroups;

/// May this kernel be drawn for a seed? A case that once failed draws only from the kernels of its
/// time.
fn is_drawn(kernel: &Kernel, seed: u64) -> bool {
    let later = [
        "lumpyreclaim-traceonly",
        "traceonly",
        "blindcompact",
        "obeysync",
        "fastscan",
        "compacthint",
        "2.6.38",
    ];
    let is_too_late = CAUGHT.contains(&seed) && later.contains(&kernel.id);
    !is_apart(kernel) && !is_too_late
}

/// Kernels that are drawn separately, so that cases without them stay the same.
const APART: [&str; 9] = [
    "3.7", "3.8", "3.10", "4.4", "4.9", "4.14", "4.19", "5.4", "6.6",
];

/// The number of these kernels that cases with teams of threads draw. Earlier cases do not change.
const OF_TEAMS_TOO: usize = 2;

/// The kernel of seeds from [`AUTOS`] on.
const AUTONUMA: &str = "autonuma-28";

/// Patches of this kernel; each is drawn independently.
pub const OF_AUTONUMA: [&str; 3] = ["an-scan-ptes", "an-second-fault", "an-strict"];

/// Kernels of seeds from [`CORES`] on.
const OF_THREADS: [&str; 2] = ["numacore-17", "numacore-18"];

/// Kernels of seeds from [`MOVERS`] on.
const OF_MOVERS: [&str; 3] = ["3.8", "3.8", "mainline-3.13"];

fn is_apart(kernel: &Kernel) -> bool {
    let later = [&APART[..], &OF_THREADS, &OF_MOVERS, &[AUTONUMA]].concat();
    later.contains(&kernel.id)
}

/// The kernel of a seed. Cases with threads draw one with NUMA balancing more often.
pub fn kernel(seed: u64, rng: &mut Rng, threads: &mut Rng, newer: &mut Rng) -> &'static Kernel {
    let balances = |k: &&Kernel| k.features.numa_balancing.rules().is_some() && !is_apart(k);
    let known: Vec<&Kernel> = kernels().iter().filter(|k| is_drawn(k, seed)).collect();
    let mut kernel = *pick(rng, &known);
    if seed >= TEAMS && chance(threads, 60) {
        let balancing: Vec<&Kernel> = kernels().iter().filter(balances).collect();
        kernel = *pick(threads, &balancing);
    }
    if has_generations(seed) || has_cgroups(seed) {
        let id: &&str = pick(newer, &["6.1", "6.12"]);
        kernel = mm::kernel::find(id).expect("a kernel");
    }
    if seed >= LATER && (seed < TEAMS || chance(newer, 15)) {
        let drawn = if seed < TEAMS {
            APART.len()
        } else {
            OF_TEAMS_TOO
        };
        let id: &&str = pick(newer, &APART[..drawn]);
        kernel = mm::kernel::find(id).expect("a kernel");
    }
    if seed >= AUTOS {
        kernel = mm::kernel::find(AUTONUMA).expect("a kernel");
    } else if seed >= CORES {
        let id: &&str = pick(newer, &OF_THREADS);
        kernel = mm::kernel::find(id).expect("a kernel");
    }
    if seed >= MOVERS {
        let id: &&str = pick(newer, &OF_MOVERS);
        kernel = mm::kernel::find(id).expect("a kernel");
    }
    kernel
}
