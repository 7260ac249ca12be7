//! The tracepoints: for each event and each range of kernels, its name and the text of its details.
//!
//! A placeholder `{field}` is a field of the engine's record, printed according to its kind: gfp
//! flags by name, migrate types by the numbers of the kernel. `{field:how}` selects another format:
//!
//! | how | |
//! | --- | --- |
//! | `address` | an address that is made up from the page frame number |
//! | `node`, `index`, `zone` | of a zone: its node, the number of its type, the name of its type in eight columns |
//! | `lru`, `file`, `mode` | of a list: its name, whether it holds file pages, whether it is active (2 for both) |
//! | `kind` | the kind of reclaim: of file pages or of anonymous pages |
//! | `reclaim` | the same, and whether a task waits for the write |
//! | `mixed` | the same, where a pass that waits takes both kinds |
//! | `anon`, `of_file` | the count if the list is of this kind, else 0; a reader adds both |
//! | `active` | what was taken without what was deactivated |
//! | `throttle`, `flush` | why a task waits, why a flusher writes, by name |
//! | `comm`, `pid` | of a task; it is only read |
//! | `fragmenting`, `pageblock_order`, `classzone`, `wmark_check` | computed from other fields and the machine |
//! | `=TEXT` | always this text |
//!
//! Sources: include/trace/events/{vmscan,compaction,migrate,kmem,oom,sched,writeback}.h of the releases.

use mm::record::RecordKind;

use crate::dialect::Era;
use crate::dialect::Era::*;

/// The condition under which a kernel prints a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// No further condition.
    Nothing,
    /// `mm_vmscan_throttled`.
    Throttles,
    /// Tracepoints of compaction.
    Compacts,
    /// `mm_migrate_pages` with the fields of 3.8.
    Migrates,
    /// The form is read but never printed, because the engine does not know all of its fields.
    ReadOnly,
}

/// The text of a tracepoint in a range of kernels.
#[derive(Debug, Clone, Copy)]
pub struct Tracepoint {
    /// The engine's record.
    pub kind: RecordKind,
    /// The first print format that has it.
    pub since: Era,
    /// The last one.
    pub until: Era,
    /// The condition for printing.
    pub needs: Needs,
    /// The kernel's name of the event.
    pub name: &'static str,
    /// Its details.
    pub text: &'static str,
}

macro_rules! tracepoints {
    ($($kind:ident { $($needs:ident $since:ident..$until:ident $name:literal $text:literal;)+ })+) => {
        /// Every tracepoint that is printed or read as a record of the engine.
        pub const TRACEPOINTS: &[Tracepoint] = &[$($(Tracepoint {
            kind: RecordKind::$kind,
            since: $since,
            until: $until,
            needs: Needs::$needs,
            name: $name,
            text: $text,
        },)+)+];
    };
}

tracepoints! {
    MmPageAlloc {
        Nothing V2_6_37..V6_12 "mm_page_alloc"
            "page={pfn:address} pfn={pfn} order={order} migratetype={migratetype} gfp_flags={gfp_flags}";
    }
    MmPageAllocZoneLocked {
        Nothing V2_6_37..V6_12 "mm_page_alloc_zone_locked"
            "page={pfn:address} pfn={pfn} order={order} migratetype={migratetype} percpu_refill={percpu_refill}";
    }
    MmPageAllocExtfrag {
        Nothing V2_6_37..V6_12 "mm_page_alloc_extfrag"
            "page={pfn:address} pfn={pfn} alloc_order={alloc_order} fallback_order={fallback_order} pageblock_order={:pageblock_order} alloc_migratetype={alloc_migratetype} fallback_migratetype={fallback_migratetype} fragmenting={fallback_order:fragmenting} change_ownership={change_ownership}";
    }
    MmPageFree {
        Nothing V2_6_37..V2_6_37 "mm_page_free_direct" "page={pfn:address} pfn={pfn} order={order}";
        Nothing V3_16..V6_12 "mm_page_free" "page={pfn:address} pfn={pfn} order={order}";
    }
    MmPageFreeBatched {
        Nothing V2_6_37..V2_6_37 "mm_pagevec_free" "page={pfn:address} pfn={pfn} order={:=0} cold={:=0}";
        Nothing V3_16..V3_16 "mm_page_free_batched" "page={pfn:address} pfn={pfn} order={:=0} cold={:=0}";
        Nothing V5_10..V6_12 "mm_page_free_batched" "page={pfn:address} pfn={pfn} order={:=0}";
    }
    MmPagePcpuDrain {
        Nothing V2_6_37..V6_12 "mm_page_pcpu_drain"
            "page={pfn:address} pfn={pfn} order={order} migratetype={migratetype}";
    }
    MmVmscanWakeupKswapd {
        Nothing V2_6_37..V3_16 "mm_vmscan_wakeup_kswapd" "nid={nid} zid={zid:index} order={order}";
        Nothing V5_10..V6_12 "mm_vmscan_wakeup_kswapd" "nid={nid} order={order} gfp_flags={gfp_flags}";
    }
    MmVmscanKswapdWake {
        Nothing V2_6_37..V6_12 "mm_vmscan_kswapd_wake" "nid={nid} order={order}";
    }
    MmVmscanKswapdSleep {
        Nothing V2_6_37..V6_12 "mm_vmscan_kswapd_sleep" "nid={nid}";
    }
    MmVmscanDirectReclaimBegin {
        Nothing V2_6_37..V3_16 "mm_vmscan_direct_reclaim_begin"
            "order={order} may_writepage={may_writepage} gfp_flags={gfp_flags}";
        Nothing V5_10..V6_12 "mm_vmscan_direct_reclaim_begin" "order={order} gfp_flags={gfp_flags}";
    }
    MmVmscanDirectReclaimEnd {
        Nothing V2_6_37..V6_12 "mm_vmscan_direct_reclaim_end" "nr_reclaimed={nr_reclaimed}";
    }
    MmVmscanMemcgReclaimBegin {
        Nothing V5_10..V6_12 "mm_vmscan_memcg_reclaim_begin" "order={order} gfp_flags={gfp_flags}";
    }
    MmVmscanMemcgReclaimEnd {
        Nothing V5_10..V6_12 "mm_vmscan_memcg_reclaim_end" "nr_reclaimed={nr_reclaimed}";
    }
    MmVmscanNodeReclaimBegin {
        ReadOnly V5_10..V6_12 "mm_vmscan_node_reclaim_begin"
            "nid={nid} order={order} gfp_flags={gfp_flags}";
    }
    MmVmscanNodeReclaimEnd {
        ReadOnly V5_10..V6_12 "mm_vmscan_node_reclaim_end" "nr_reclaimed={nr_reclaimed}";
    }
    MmVmscanLruIsolate {
        Nothing V2_6_37..V2_6_37 "mm_vmscan_lru_isolate"
            "isolate_mode={both:mode} order={order} nr_requested={nr_requested} nr_scanned={nr_scanned} nr_taken={nr_taken} contig_taken={contig_taken} contig_dirty={contig_dirty} contig_failed={contig_failed}";
        Nothing V3_16..V3_16 "mm_vmscan_lru_isolate"
            "isolate_mode={:=0} order={order} nr_requested={nr_requested} nr_scanned={nr_scanned} nr_taken={nr_taken} file={lru:file}";
        Nothing V5_10..V6_1 "mm_vmscan_lru_isolate"
            "isolate_mode={:=0} classzone={:classzone} order={order} nr_requested={nr_requested} nr_scanned={nr_scanned} nr_skipped={nr_skipped} nr_taken={nr_taken} lru={lru:lru}";
        Nothing V6_12..V6_12 "mm_vmscan_lru_isolate"
            "classzone={:classzone} order={order} nr_requested={nr_requested} nr_scanned={nr_scanned} nr_skipped={nr_skipped} nr_taken={nr_taken} lru={lru:lru}";
    }
    MmVmscanLruShrinkInactive {
        Nothing V2_6_37..V3_16 "mm_vmscan_lru_shrink_inactive"
            "nid={nid} zid={zid} nr_scanned={nr_scanned} nr_reclaimed={nr_reclaimed} priority={priority} flags={file:mixed}";
        Nothing V5_10..V6_12 "mm_vmscan_lru_shrink_inactive"
            "nid={nid} nr_scanned={nr_scanned} nr_reclaimed={nr_reclaimed} nr_dirty={nr_dirty} nr_writeback={nr_writeback} nr_congested={:=0} nr_immediate={nr_immediate} nr_activate_anon={nr_activate:anon} nr_activate_file={nr_activate:of_file} nr_ref_keep={nr_ref_keep} nr_unmap_fail={:=0} priority={priority} flags={file:kind}";
    }
    MmVmscanLruShrinkActive {
        Nothing V5_10..V6_12 "mm_vmscan_lru_shrink_active"
            "nid={nid} nr_taken={nr_taken} nr_active={nr_taken:active} nr_deactivated={nr_deactivated} nr_referenced={nr_referenced} priority={priority} flags={file:kind}";
    }
    MmVmscanWritepage {
        Nothing V2_6_37..V5_15 "mm_vmscan_writepage" "page={pfn:address} pfn={pfn} flags={file:reclaim}";
        Nothing V6_1..V6_12 "mm_vmscan_write_folio" "page={pfn:address} pfn={pfn} flags={file:reclaim}";
    }
    MmCompactionIsolateMigratepages {
        Compacts V2_6_37..V6_12 "mm_compaction_isolate_migratepages"
            "nr_scanned={nr_scanned} nr_taken={nr_taken}";
    }
    MmCompactionIsolateFreepages {
        Compacts V2_6_37..V6_12 "mm_compaction_isolate_freepages"
            "nr_scanned={nr_scanned} nr_taken={nr_taken}";
        ReadOnly V6_12..V6_12 "mm_compaction_fast_isolate_freepages"
            "nr_scanned={nr_scanned} nr_taken={nr_taken}";
    }
    MmCompactionMigratepages {
        Compacts V2_6_37..V6_12 "mm_compaction_migratepages"
            "nr_migrated={nr_migrated} nr_failed={nr_failed}";
    }
    MmMigratePagesStart {
        ReadOnly V6_1..V6_12 "mm_migrate_pages_start" "";
    }
    MmMigratePages {
        Migrates V2_6_37..V6_12 "mm_migrate_pages"
            "nr_succeeded={nr_succeeded} nr_failed={nr_failed} mode={:=MIGRATE_ASYNC} reason={:=0x5}";
        ReadOnly V5_10..V6_12 "mm_migrate_pages"
            "nr_succeeded={nr_succeeded} nr_failed={nr_failed} nr_thp_succeeded={nr_thp_succeeded} nr_thp_failed={nr_thp_failed}";
    }
    MmVmscanThrottled {
        Throttles V2_6_37..V6_12 "mm_vmscan_throttled"
            "nid={nid} usec_timeout={usec_timeout} usect_delayed={usec_delayed} reason={reason:throttle}";
    }
    WritebackCongestionWait {
        Nothing V2_6_37..V5_15 "writeback_congestion_wait"
            "usec_timeout={usec_timeout} usec_delayed={usec_delayed}";
    }
    WritebackWaitIffCongested {
        Nothing V2_6_37..V5_15 "writeback_wait_iff_congested"
            "usec_timeout={usec_timeout} usec_delayed={usec_delayed}";
    }
    BalanceDirty {
        ReadOnly V3_16..V6_12 "balance_dirty_pages"
            "limit={limit} dirty={dirty} bdi_dirty={bdi_dirty} dirtied={dirtied} pause={pause}";
    }
    WritebackStart {
        ReadOnly V2_6_37..V6_12 "writeback_start" "nr_pages={nr_pages} reason={reason:flush}";
    }
    MmFilemapAddToPageCache {
        ReadOnly V3_16..V6_12 "mm_filemap_add_to_page_cache" "page={pfn:address} pfn={pfn}";
    }
    MmFilemapDeleteFromPageCache {
        ReadOnly V3_16..V6_12 "mm_filemap_delete_from_page_cache" "page={pfn:address} pfn={pfn}";
    }
    MarkVictim {
        ReadOnly V2_6_37..V6_12 "mark_victim" "pid={task:pid} comm={task:comm}";
    }
    ReclaimRetryZone {
        Nothing V5_10..V6_12 "reclaim_retry_zone"
            "node={zone:node} zone={zone:zone} order={order} reclaimable={reclaimable} available={available} min_wmark={min_wmark} no_progress_loops={no_progress_loops} wmark_check={available:wmark_check}";
    }
    Fork {
        ReadOnly V2_6_37..V6_12 "sched_process_fork" "child_comm={task:comm} child_pid={task:pid}";
    }
    Exit {
        ReadOnly V2_6_37..V6_12 "sched_process_exit" "comm={task:comm} pid={task:pid}";
    }
    SchedWaking {
        ReadOnly V2_6_37..V6_12 "sched_waking"
            "comm={task:comm} pid={task:pid} target_cpu={target_cpu}";
    }
    SchedMigrateTask {
        ReadOnly V2_6_37..V6_12 "sched_migrate_task"
            "comm={task:comm} pid={task:pid} orig_cpu={orig_cpu} dest_cpu={dest_cpu}";
    }
    SchedMoveNuma {
        ReadOnly V3_16..V6_12 "sched_move_numa"
            "pid={task:pid} src_cpu={src_cpu} src_nid={src_nid} dst_cpu={dst_cpu} dst_nid={dst_nid}";
    }
    SchedSwapNuma {
        ReadOnly V3_16..V6_12 "sched_swap_numa"
            "src_pid={task:pid} src_cpu={src_cpu} src_nid={src_nid} dst_pid={other:pid} dst_cpu={dst_cpu} dst_nid={dst_nid}";
    }
    SchedStickNuma {
        ReadOnly V3_16..V6_12 "sched_stick_numa"
            "pid={task:pid} src_cpu={src_cpu} src_nid={src_nid}";
        ReadOnly V5_10..V6_12 "sched_stick_numa"
            "src_pid={task:pid} src_cpu={src_cpu} src_nid={src_nid}";
    }
}
