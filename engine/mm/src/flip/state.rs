//! What a machine is made of beside frames.

use crate::frames::Context;
use crate::machine::{Machine, Task};
use crate::mmzone::{Lruvec, Memory, Page, Segment, Zone};
use crate::phases::{Made, Mark, Phases};
use crate::tunables::Tunables;
use crate::vmscan::{ScanControl, Tally};
use crate::world::{Birth, KswapdState, Pgdat, Spill, World};
use crate::zlc::Zlc;

flips!(Machine { w, tasks });
flips!(Task {
    kind,
    cpu,
    status,
    in_iowait,
    cx,
    stack
});
flips!(Context {
    ret,
    task,
    space,
    bound_node,
    sleep,
    move_to,
    loops,
    depth,
    rng,
    memalloc,
    oom_victim,
    killed,
    sc,
    bio,
    io_end,
    plug,
    nr_dirtied,
    nr_dirtied_pause,
    dirty_paused_when
});
flips!(ScanControl {
    gfp,
    order,
    priority,
    reclaim_idx,
    kswapd,
    zone_reclaim,
    may_writepage,
    may_unmap,
    may_swap,
    nr_to_reclaim,
    nr_scanned,
    nr_reclaimed,
    nr_slab,
    began_ns,
    total_scanned,
    may_deactivate,
    force_deactivate,
    skipped_deactivate,
    cache_trim_mode,
    file_is_tiny,
    tally,
    nr,
    targets,
    batch,
    kept,
    free,
    stat
});
flips!(Tally {
    dirty,
    unqueued_dirty,
    congested,
    writeback,
    immediate,
    file_taken,
    taken,
    activate,
    ref_keep,
    pageout
});
flips!(Pgdat {
    dirty,
    writeback,
    kswapd_failures,
    nr_writeback_throttled,
    nr_reclaim_start,
    nr_throttled_written,
    reclaim_wait,
    pfmemalloc_wait
});
flips!(World {
    mem, spaces, sched, counters, tunables, thp, kswapd, pgdat, zlc, lru_add, spills, files, gone, swap, block, wb, slab,
    page_wait, congestion_wait, kills, signals, born, births, phases, facts, now, cpu, task, run
} skip rec);

flips!(Birth {
    program,
    node,
    parent
});
flips!(Phases { marks, made });
flips!(Mark {
    program,
    name,
    task,
    at_ns,
    made
});
flips!(Made {
    files,
    read,
    written
});
flips!(Spill {
    step,
    at_ns,
    task,
    zone
});
flips!(Zlc {
    fullzones,
    last_full_zap
});
flips!(KswapdState {
    task,
    awake,
    napping,
    order,
    classzone,
    wakes,
    since_ns,
    boosts
});
flips!(Memory {
    pages,
    lists,
    blocks,
    zones,
    lruvecs,
    pcp_count,
    pcp_free_factor,
    segments,
    orders,
    pageblock_order,
    cpus,
    pcp_orders,
    pcp_huge
});
flips!(Page {
    slot,
    index,
    owner,
    meta
});
flips!(Segment { frame, pfn, len });
flips!(Zone {
    node,
    kind,
    first,
    frames,
    managed,
    present,
    wmark,
    boost,
    alloc_batch,
    reclaim_active,
    protection,
    nr_free_pages,
    nr_reserved_highatomic,
    nr_free,
    kinds,
    pcp_high,
    pcp_batch,
    numa,
    lruvec,
    lru,
    gauge
});
flips!(Lruvec {
    node,
    zone,
    nr,
    isolated,
    recent_scanned,
    recent_rotated,
    pages_scanned,
    all_unreclaimable,
    congested,
    reclaim_locked,
    tail_dirty,
    writeback,
    cost,
    refaults,
    activated,
    nonresident_age
});
flips!(Tunables {
    min_free_kbytes,
    watermark_scale_factor,
    watermark_boost_factor,
    lowmem_reserve_ratio,
    numa_zonelist_order,
    percpu_pagelist_fraction,
    swappiness,
    page_cluster,
    zone_reclaim_mode,
    min_unmapped_ratio,
    min_slab_ratio,
    dirty_expire_centisecs,
    dirty_writeback_centisecs,
    dirty_ratio,
    dirty_background_ratio,
    transparent_hugepage
});
