//! The frames of kernel functions that have no list of their own beside them.

use crate::buddy::*;
use crate::fallback::RmqueueFallback;
use crate::intervention::Intervene;
use crate::memory::*;
use crate::oom::OutOfMemory;
use crate::page_alloc::*;
use crate::pcp::*;
use crate::sched::HrtimerInterrupt;
use crate::slowpath::*;
use crate::user::User;
use crate::vmscan::active::ShrinkActiveList;
use crate::vmscan::balance_node::BalancePgdat;
use crate::vmscan::balance_scans::{BalanceScans, KswapdShrinkZone};
use crate::vmscan::balance_zones::BalanceZones;
use crate::vmscan::direct::TryToFreePages;
use crate::vmscan::inactive::ShrinkInactiveList;
use crate::vmscan::kswapd::{Kswapd, TryToSleep};
use crate::vmscan::lruvec::ShrinkLruvec;
use crate::vmscan::node::ShrinkNode;
use crate::vmscan::page_list::ShrinkPageList;
use crate::vmscan::slab::ShrinkSlab;
use crate::vmscan::throttle::{CongestionWait, ReclaimThrottle};
use crate::vmscan::zone_reclaim::{ZoneReclaim, ZoneReclaimPass};
use crate::watermark_ok::WatermarkOk;

flips!(Request {
    gfp,
    order,
    migratetype,
    node,
    high,
    preferred,
    classzone
});
flips!(Rmqueue {
    pt,
    rq,
    zone,
    flags,
    page
});
flips!(RmqueueBulk {
    pt,
    rq,
    zone,
    flags,
    left
});
flips!(RmqueueSmallest {
    pt,
    zone,
    order,
    from,
    rest,
    page,
    current
});
flips!(FreePages {
    pt,
    page,
    order,
    list_type
});
flips!(FreeUnrefPageList {
    pt,
    page,
    list_type
});
flips!(FreePcppagesBulk {
    pt,
    zone,
    to_free,
    batch_free,
    list,
    cpu
});
flips!(FreeOnePage {
    pt,
    page,
    order,
    migratetype
});
flips!(RmqueueFallback {
    pt,
    zone,
    order,
    start,
    flags,
    may_wake,
    donor,
    page,
    current,
    moved,
    stole,
    rest,
    was,
    claimed
});
flips!(Kswapd {
    pt,
    node,
    order,
    classzone,
    balanced_order,
    balanced_class,
    new_order,
    new_class
});
flips!(TryToSleep {
    pt,
    node,
    order,
    classzone,
    until
});
flips!(BalancePgdat {
    pt,
    node,
    order,
    highest,
    boost,
    before,
    total
});
flips!(BalanceZones {
    pt,
    node,
    order,
    class,
    end_zone,
    zone,
    all_ok,
    under_min,
    balanced
});
flips!(BalanceScans {
    pt,
    node,
    order,
    class,
    end_zone,
    zone,
    raise
});
flips!(KswapdShrinkZone {
    pt,
    zone,
    end_zone,
    order,
    before
});
flips!(TryToFreePages {
    pt,
    rq,
    next,
    zone,
    last_node
});
flips!(ShrinkNode { pt, node, before });
flips!(ShrinkLruvec {
    pt,
    owner,
    lru,
    nr_reclaimed
});
flips!(ShrinkInactiveList {
    pt,
    owner,
    file,
    nr_to_scan,
    stalled,
    nr_scanned,
    nr_reclaimed
});
flips!(ShrinkActiveList {
    pt,
    owner,
    file,
    nr_to_scan,
    i,
    referenced
});
flips!(ShrinkPageList {
    pt,
    i,
    page,
    reclaim_clean
});
flips!(ZoneReclaim { pt, zone, rq });
flips!(ZoneReclaimPass { pt, zone, rq, slab });
flips!(ShrinkSlab {
    pt,
    node,
    zone,
    shrinker,
    left,
    freed,
    stolen
});
flips!(ReclaimThrottle {
    pt,
    node,
    reason,
    timeout,
    since
});
flips!(CongestionWait {
    pt,
    divisor,
    iff,
    owner,
    since
});
flips!(OutOfMemory { pt, space });
flips!(HandleMmFault {
    pt,
    region,
    page,
    node,
    write
});
flips!(DoAnonymousPage {
    pt,
    region,
    page,
    node,
    frame
});
flips!(DoHugeAnonymousPage {
    pt,
    region,
    page,
    node,
    gfp,
    frame
});
flips!(UnmapRegion {
    pt,
    region,
    page,
    frame
});
flips!(AllocPages { pt, rq });
flips!(GetPageFromFreelist {
    pt,
    rq,
    mark,
    flags,
    next,
    zone,
    state
});
flips!(HrtimerInterrupt { pt, cpu });
flips!(Slowpath {
    pt,
    rq,
    flags,
    no_progress_loops,
    progress
});
flips!(WakeAllKswapds {
    pt,
    rq,
    next,
    zone,
    last_node
});
flips!(Intervene { pt, next });
flips!(User {
    pt,
    program,
    pc,
    i,
    at
});
flips!(WatermarkOk {
    pt,
    zone,
    order,
    mark,
    classzone,
    flags,
    without_boost,
    min,
    free,
    o
});
