//! Which rules apply: v17, v18, or v18 without some of its patches.
//!
//! Modelled: each of the ten patches by which v18 differs from v17, as far as it changes a rule of
//! this module.
//! Left out: handling small pages one table at a time (patch 4); placement in the task's own
//! context (patch 2), which only makes exchanges possible.
//! Invariants: [`Rules::V17`] and [`Rules::V18`] differ in all fields.

/// Weight of a finished pass in the averages of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Average {
    /// The weight is an eighth (v17).
    Eighth,
    /// The weight is a sixteenth (v18, with directed convergence).
    Sixteenth,
}

impl Average {
    /// The average after a pass with `new` faults. The division rounds down, so small averages vanish.
    pub const fn next(self, was: u64, new: u64) -> u64 {
        let passes = match self {
            Self::Eighth => 8,
            Self::Sixteenth => 16,
        };
        (was * (passes - 1) + new) / passes
    }
}

/// The nodes over which the memory of a shared task is interleaved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskRule {
    /// All nodes that run a buddy (v17; `NUMA_POLICY_ADAPTIVE`).
    AnyBuddy,
    /// All nodes that run three or more buddies (v18; `NUMA_POLICY_MANYBUDDIES`).
    ManyBuddies,
}

/// The rules that apply to placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Groups spread and compress. A CPU need not be proposed twice, and a change need not wait for
    /// passes (patch 5, directed convergence; patch 6 removes what it replaces).
    pub directed: bool,
    /// A task that compresses sends the task on its target CPU to its old CPU (patch 1, task flipping).
    pub flips: bool,
    /// Tasks of several processes can form one group (patch 5, `tasks_buddies`).
    pub across_processes: bool,
    /// How faults are averaged (patch 5).
    pub average: Average,
    /// When a task's node changes, its private faults on the old node are counted as faults on the
    /// new one. Switched off by patch 5 (`MIGRATE_FAULT_STATS`).
    pub faults_follow: bool,
    /// A task is placed at its CPU's jiffy, at least once per second, instead of at a fault after a
    /// pass (patches 2 and 5).
    pub by_second: bool,
    /// The concentration of a task's memory is measured (patch 7).
    pub measures: bool,
    /// A task whose memory is concentrated moves only to that node (patch 8, `NUMA_CONVERGE_MIGRATIONS`).
    pub vetoes: bool,
    /// The more concentrated the memory, the smaller the scan; a change resets the scan period
    /// (patch 9).
    pub adapts_scan: bool,
    /// The nodes over which shared memory is interleaved (patch 10).
    pub mask: MaskRule,
    /// An allocation tries nodes with enough memory before it reclaims (patch 3).
    pub nice: bool,
    /// A scan ends after passing twice its size (patch 5).
    pub ends_overscan: bool,
}

impl Rules {
    /// numa/core v17, 22 November 2012.
    pub const V17: Self = Self {
        directed: false,
        flips: false,
        across_processes: false,
        average: Average::Eighth,
        faults_follow: true,
        by_second: false,
        measures: false,
        vetoes: false,
        adapts_scan: false,
        mask: MaskRule::AnyBuddy,
        nice: false,
        ends_overscan: false,
    };
    /// numa/core v18, 30 November 2012.
    pub const V18: Self = Self {
        directed: true,
        flips: true,
        across_processes: true,
        average: Average::Sixteenth,
        faults_follow: false,
        by_second: true,
        measures: true,
        vetoes: true,
        adapts_scan: true,
        mask: MaskRule::ManyBuddies,
        nice: true,
        ends_overscan: true,
    };
}
