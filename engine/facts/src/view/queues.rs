//! Where reclaimers wait: which tasks wait, what would wake them, and how long earlier waits took.

use serde::Serialize;

/// The kind of a wait. Its name is the kernel's reason or function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum QueueKind {
    /// VMSCAN_THROTTLE_WRITEBACK: until enough pages were written.
    Writeback,
    /// VMSCAN_THROTTLE_ISOLATED: until another task finds fewer pages isolated.
    Isolated,
    /// VMSCAN_THROTTLE_NOPROGRESS: until another task reclaims enough.
    #[serde(rename = "noprogress")]
    NoProgress,
    /// VMSCAN_THROTTLE_CONGESTED: for one tick; nothing ends it earlier (5.16).
    Congested,
    /// `congestion_wait` of kswapd, at the end of `shrink_node` (to 5.15).
    CongestionWait,
    /// `wait_iff_congested` of direct reclaimers, at the end of `shrink_node` (to 5.15).
    WaitIffCongested,
    /// `msleep` in `shrink_inactive_list` (to 5.15).
    IsolatedSleep,
    /// `congestion_wait` in `should_reclaim_retry` (4.7 to 5.15).
    RetryWait,
}

/// A task in a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct WaiterView {
    /// The task.
    pub task: u32,
    /// When its wait began, ns; none if the kernel does not store it (`msleep`).
    pub since_ns: Option<u64>,
    /// When its timer fires, ns; none once the task was woken.
    pub until_ns: Option<u64>,
    /// The task that ended its wait, until the waiting task continues; none if its timer did.
    pub waker: Option<u32>,
}

/// The two numbers that the check of a queue compares now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct GateView {
    /// WRITEBACK: pages written since the first waiter arrived (NR_THROTTLED_WRITTEN - nr_reclaim_start);
    /// isolated: isolated pages; NOPROGRESS: pages that a direct reclaimer has reclaimed; congestion: devices
    /// marked congested; CONGESTED and retry: twice the pages that wait for I/O.
    pub value: u64,
    /// WRITEBACK: 32 for each waiter; isolated: an eighth of the inactive list; NOPROGRESS: an
    /// eighth of what that reclaimer scanned, or 0; congestion: 0; CONGESTED and retry: the pages
    /// that can be reclaimed.
    pub against: u64,
    /// NOPROGRESS: the reclaimer that is closest to waking the others.
    pub task: Option<u32>,
    /// Isolated: 0 for the anonymous list, 1 for the file list.
    pub list: Option<u32>,
}

/// The last wait of a queue that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct EndedView {
    /// The task that waited.
    pub task: u32,
    /// The task that ended the wait; none if its timer did.
    pub waker: Option<u32>,
    /// The duration of the wait as the kernel reports it, us.
    pub delayed_us: u64,
    /// The step right after it.
    pub step: u64,
}

/// One place where reclaimers of a node wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct QueueView {
    /// The kind of wait.
    pub kind: QueueKind,
    /// Its name in the kernel's trace: "VMSCAN_THROTTLE_WRITEBACK", "congestion_wait"; empty if it is not
    /// traced.
    pub name: String,
    /// The longest requested sleep, us.
    pub timeout_us: u64,
    /// The waiting tasks, in the order in which they arrived.
    pub waiters: Vec<WaiterView>,
    /// The comparison that would end the waits; none if there is none.
    pub gate: Option<GateView>,
    /// The last wait that ended, for some steps.
    pub last: Option<EndedView>,
    /// Durations of waits in this run so far, on all nodes: us, and the number of waits.
    pub delays: Vec<(u64, u64)>,
}
