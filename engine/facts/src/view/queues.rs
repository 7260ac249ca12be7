//! Where reclaimers are made to wait: who waits, what would wake them, how long others waited.

use serde::Serialize;

/// What is waited in or for; its name is the kernel's reason or function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum QueueKind {
    /// VMSCAN_THROTTLE_WRITEBACK: until enough pages were written.
    Writeback,
    /// VMSCAN_THROTTLE_ISOLATED: until somebody finds fewer pages isolated.
    Isolated,
    /// VMSCAN_THROTTLE_NOPROGRESS: until somebody reclaims enough.
    #[serde(rename = "noprogress")]
    NoProgress,
    /// VMSCAN_THROTTLE_CONGESTED: for a tick, nobody ends it (5.16).
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
    /// Since when, ns; none where the kernel does not keep it (`msleep`).
    pub since_ns: Option<u64>,
    /// When its timer fires, ns; none once it was woken.
    pub until_ns: Option<u64>,
    /// Who ended its wait, where it has not gone on yet; none where its timer did.
    pub waker: Option<u32>,
}

/// The two numbers a queue's gate compares now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct GateView {
    /// WRITEBACK: pages written since the first waiter came (NR_THROTTLED_WRITTEN -
    /// nr_reclaim_start); isolated: isolated pages; NOPROGRESS: pages a direct reclaimer has
    /// reclaimed; congestion: devices marked congested; CONGESTED and retry: twice the pages that
    /// wait for I/O.
    pub value: u64,
    /// WRITEBACK: 32 for each waiter; isolated: an eighth of the inactive list; NOPROGRESS: an
    /// eighth of what that reclaimer scanned, or 0; congestion: 0; CONGESTED and retry: the pages
    /// that can be reclaimed.
    pub against: u64,
    /// NOPROGRESS: the reclaimer that is nearest to waking the others.
    pub task: Option<u32>,
    /// Isolated: 0 for the anonymous list, 1 for that of files.
    pub list: Option<u32>,
}

/// The last wait of a queue that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct EndedView {
    /// Who waited.
    pub task: u32,
    /// Who ended it; none where its timer did.
    pub waker: Option<u32>,
    /// How long it took as the kernel reports it, us.
    pub delayed_us: u64,
    /// Where a person stands right after it.
    pub step: u64,
}

/// One place where reclaimers of a node are made to wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct QueueView {
    /// Which it is.
    pub kind: QueueKind,
    /// As the kernel's trace calls it: "VMSCAN_THROTTLE_WRITEBACK", "congestion_wait"; empty where
    /// nothing is traced.
    pub name: String,
    /// Longest sleep asked for, us.
    pub timeout_us: u64,
    /// Who is in it, in the order in which they came.
    pub waiters: Vec<WaiterView>,
    /// What would end the waits; none where there is nothing to compare.
    pub gate: Option<GateView>,
    /// The last wait that ended, for some steps.
    pub last: Option<EndedView>,
    /// How long waits took in this run so far, on all nodes: us, and how many.
    pub delays: Vec<(u64, u64)>,
}
