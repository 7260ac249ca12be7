//! The details of each event, in the order the era's kernel prints them.
//!
//! Modelled: the columns of every tracepoint that the engine has. Left out: others.
//! Invariants: one space between fields; `name=value`, with no space inside.

use std::fmt::Write as _;

use mm::gfp::Gfp;
use mm::record::{FIELDS, NAMES, RecordKind};
use mm::view::FieldKind;

use super::words::{gfp, migratetype, page};
use super::{Dialect, Era, Line, NOTHING, Printer};

const THROTTLES: [&str; 4] = [
    "VMSCAN_THROTTLE_WRITEBACK",
    "VMSCAN_THROTTLE_ISOLATED",
    "VMSCAN_THROTTLE_NOPROGRESS",
    "VMSCAN_THROTTLE_CONGESTED",
];

/// The kind of reclaim to which a batch or a write belongs.
fn kind(file: bool) -> &'static str {
    if file {
        "RECLAIM_WB_FILE|RECLAIM_WB_ASYNC"
    } else {
        "RECLAIM_WB_ANON|RECLAIM_WB_ASYNC"
    }
}

/// The same for a write, which may belong to a pass that waits for it (to 3.1).
fn written(file: bool, sync: bool) -> &'static str {
    match (file, sync) {
        (_, false) => kind(file),
        (true, true) => "RECLAIM_WB_FILE|RECLAIM_WB_SYNC",
        (false, true) => "RECLAIM_WB_ANON|RECLAIM_WB_SYNC",
    }
}

/// The fields of an event that the kernel has.
pub fn known(p: &mut Printer, line: &Line, out: &mut String) {
    let n = |name| line.field(name);
    let d = &p.dialect;
    // Writing to a string cannot fail.
    let _ = match line.kind {
        RecordKind::MmPageAlloc
        | RecordKind::MmPageAllocZoneLocked
        | RecordKind::MmPageAllocExtfrag
        | RecordKind::MmPageFree
        | RecordKind::MmPageFreeBatched
        | RecordKind::MmPagePcpuDrain => allocator(d, line, out),
        RecordKind::MmVmscanKswapdWake => write!(out, "nid={} order={}", n("nid"), n("order")),
        RecordKind::MmVmscanWakeupKswapd if d.is_old() => {
            write!(
                out,
                "nid={} zid={} order={}",
                n("nid"),
                n("zid") & 0xff,
                n("order")
            )
        }
        RecordKind::MmVmscanWakeupKswapd => {
            write!(
                out,
                "nid={} order={} gfp_flags={}",
                n("nid"),
                n("order"),
                gfp(d, n("gfp_flags"))
            )
        }
        RecordKind::MmVmscanDirectReclaimBegin => {
            let may_write = match d.is_old() {
                true => format!("may_writepage={} ", n("may_writepage")),
                false => String::new(),
            };
            let told = write!(
                out,
                "order={} {may_write}gfp_flags={}",
                n("order"),
                gfp(d, n("gfp_flags"))
            );
            begin(p, line);
            told
        }
        RecordKind::MmVmscanDirectReclaimEnd => {
            p.reclaims.retain(|&(pid, _)| pid != line.pid);
            write!(out, "nr_reclaimed={}", n("nr_reclaimed"))
        }
        RecordKind::MmVmscanLruIsolate => isolate(p, line, out),
        RecordKind::MmVmscanLruShrinkInactive => shrink_inactive(d, line, out),
        RecordKind::MmVmscanLruShrinkActive => write!(
            out,
            "nid={} nr_taken={} nr_active={} nr_deactivated={} nr_referenced={} priority={} flags={}",
            n("nid"),
            n("nr_taken"),
            n("nr_taken") - n("nr_deactivated"),
            n("nr_deactivated"),
            n("nr_referenced"),
            n("priority"),
            kind(n("file") == 1)
        ),
        RecordKind::MmVmscanWritepage => {
            let flags = written(n("file") == 1, n("sync") == 1);
            write!(out, "{} flags={flags}", page(d, n("pfn")))
        }
        RecordKind::MmCompactionIsolateMigratepages
        | RecordKind::MmCompactionIsolateFreepages
        | RecordKind::MmCompactionMigratepages
        | RecordKind::MmMigratePages => migration(line, out),
        RecordKind::MmVmscanThrottled => write!(
            out,
            "nid={} usec_timeout={} usect_delayed={} reason={}",
            n("nid"),
            n("usec_timeout"),
            n("usec_delayed"),
            THROTTLES.get(n("reason") as usize).unwrap_or(&"")
        ),
        RecordKind::ReclaimRetryZone => {
            let zone = d.zone_types.get((n("zone") & 0xff) as usize);
            write!(
                out,
                "node={} zone={:<8} order={} reclaimable={} available={} min_wmark={} no_progress_loops={} wmark_check={}",
                n("zone") >> 8,
                zone.map_or("", String::as_str),
                n("order"),
                n("reclaimable"),
                n("available"),
                n("min_wmark"),
                n("no_progress_loops"),
                u8::from(n("available") > n("min_wmark"))
            )
        }
        _ => {
            own(d, line, out);
            Ok(())
        }
    };
}

fn migration(line: &Line, out: &mut String) -> std::fmt::Result {
    let n = |name| line.field(name);
    match line.kind {
        RecordKind::MmCompactionMigratepages => write!(
            out,
            "nr_migrated={} nr_failed={}",
            n("nr_migrated"),
            n("nr_failed")
        ),
        // The kernel's table of names lacks this reason, whose number is 5.
        RecordKind::MmMigratePages => write!(
            out,
            "nr_succeeded={} nr_failed={} mode=MIGRATE_ASYNC reason=0x5",
            n("nr_succeeded"),
            n("nr_failed")
        ),
        _ => write!(
            out,
            "nr_scanned={} nr_taken={}",
            n("nr_scanned"),
            n("nr_taken")
        ),
    }
}

fn allocator(d: &Dialect, line: &Line, out: &mut String) -> std::fmt::Result {
    let n = |name| line.field(name);
    let at = page(d, n("pfn"));
    match line.kind {
        RecordKind::MmPageAlloc => {
            // A failed request has only the type that its flags give.
            let (t, flags) = (migratetype(d, n("migratetype")), gfp(d, n("gfp_flags")));
            write!(
                out,
                "{at} order={} migratetype={t} gfp_flags={flags}",
                n("order")
            )
        }
        RecordKind::MmPageAllocZoneLocked => write!(
            out,
            "{at} order={} migratetype={} percpu_refill={}",
            n("order"),
            migratetype(d, n("migratetype")),
            n("percpu_refill")
        ),
        RecordKind::MmPageAllocExtfrag => write!(
            out,
            "{at} alloc_order={} fallback_order={} pageblock_order={} alloc_migratetype={} \
             fallback_migratetype={} fragmenting={} change_ownership={}",
            n("alloc_order"),
            n("fallback_order"),
            d.pageblock_order,
            migratetype(d, n("alloc_migratetype")),
            migratetype(d, n("fallback_migratetype")),
            u8::from(n("fallback_order") < i64::from(d.pageblock_order)),
            n("change_ownership")
        ),
        RecordKind::MmPageFree => write!(out, "{at} order={}", n("order")),
        RecordKind::MmPageFreeBatched => {
            let cold = if d.is_old() { " cold=0" } else { "" };
            write!(out, "{at} order=0{cold}")
        }
        _ => write!(
            out,
            "{at} order={} migratetype={}",
            n("order"),
            migratetype(d, n("migratetype"))
        ),
    }
}

/// A task begins to reclaim. Its request names the highest zone (`gfp_zone`).
fn begin(p: &mut Printer, line: &Line) {
    let flags = Gfp(line.field("gfp_flags") as u16);
    let wanted = if flags.has(Gfp::DMA) {
        "DMA"
    } else if flags.has(Gfp::DMA32) {
        "DMA32"
    } else if flags.has(Gfp::MOVABLE) {
        "Movable"
    } else {
        "Normal"
    };
    let highest = highest(&p.dialect, wanted);
    p.reclaims.retain(|&(pid, _)| pid != line.pid);
    p.reclaims.push((line.pid, highest));
}

/// The index of a zone type, or of the highest type if the kernel was built without it.
fn highest(d: &Dialect, wanted: &str) -> u64 {
    let types = &d.zone_types;
    let found = types.iter().position(|name| name == wanted);
    let last = types.iter().rposition(|name| name != "Device");
    found.or(last).unwrap_or(0) as u64
}

fn isolate(p: &Printer, line: &Line, out: &mut String) -> std::fmt::Result {
    let d = &p.dialect;
    let n = |name| line.field(name);
    let (order, requested, scanned) = (n("order"), n("nr_requested"), n("nr_scanned"));
    let (skipped, taken, lru) = (n("nr_skipped"), n("nr_taken"), n("lru"));
    let name = mm::vmscan::LRU_NAMES[lru as usize % mm::vmscan::LRU_NAMES.len()];
    match d.era {
        Era::V2_6_37 => {
            let mode = match n("both") {
                0 => u8::from(name.starts_with("active")),
                _ => 2,
            };
            write!(
                out,
                "isolate_mode={mode} order={order} nr_requested={requested} nr_scanned={scanned} \
                 nr_taken={taken} contig_taken={} contig_dirty={} contig_failed={}",
                n("contig_taken"),
                n("contig_dirty"),
                n("contig_failed")
            )
        }
        Era::V3_16 => {
            let file = u8::from(name.ends_with("file"));
            write!(
                out,
                "isolate_mode=0 order={order} nr_requested={requested} nr_scanned={scanned} \
                 nr_taken={taken} file={file}"
            )
        }
        era => {
            let of_task = p.reclaims.iter().find(|(pid, _)| *pid == line.pid);
            let classzone = of_task.map_or_else(|| highest(d, "Movable"), |&(_, zone)| zone);
            if era < Era::V6_12 {
                out.push_str("isolate_mode=0 ");
            }
            write!(
                out,
                "classzone={classzone} order={order} nr_requested={requested} \
                 nr_scanned={scanned} nr_skipped={skipped} nr_taken={taken} lru={name}"
            )
        }
    }
}

fn shrink_inactive(d: &Dialect, line: &Line, out: &mut String) -> std::fmt::Result {
    let n = |name| line.field(name);
    let (nid, scanned, reclaimed) = (n("nid"), n("nr_scanned"), n("nr_reclaimed"));
    let (priority, file) = (n("priority"), n("file") == 1);
    if d.is_old() {
        // A pass that waits takes both kinds.
        let flags = match n("sync") {
            0 => kind(file),
            _ => "RECLAIM_WB_MIXED|RECLAIM_WB_SYNC",
        };
        return write!(
            out,
            "nid={nid} zid={} nr_scanned={scanned} nr_reclaimed={reclaimed} priority={priority} \
             flags={flags}",
            n("zid")
        );
    }
    let activated = n("nr_activate");
    let (anon, of_file) = if file { (0, activated) } else { (activated, 0) };
    write!(
        out,
        "nid={nid} nr_scanned={scanned} nr_reclaimed={reclaimed} nr_dirty={} nr_writeback={} \
         nr_congested=0 nr_immediate={} nr_activate_anon={anon} nr_activate_file={of_file} \
         nr_ref_keep={} nr_unmap_fail=0 priority={priority} flags={}",
        n("nr_dirty"),
        n("nr_writeback"),
        n("nr_immediate"),
        n("nr_ref_keep"),
        kind(file)
    )
}

/// The fields of an event that only the engine has.
pub fn own(d: &Dialect, line: &Line, out: &mut String) {
    let names = NAMES[line.kind as usize].iter();
    let fields = names.zip(FIELDS[line.kind as usize]).zip(&line.values);
    for (i, ((name, field), &n)) in fields.enumerate() {
        if i > 0 {
            out.push(' ');
        }
        let told = match field {
            FieldKind::Page if n == NOTHING => "page=none".to_string(),
            FieldKind::Page => page(d, n),
            FieldKind::Gfp => format!("{name}={}", gfp(d, n)),
            FieldKind::Migratetype => format!("{name}={}", migratetype(d, n)),
            FieldKind::Zone => {
                let zone = d.zone_types.get((n & 0xff) as usize);
                format!("{name}={}-{}", n >> 8, zone.map_or("", String::as_str))
            }
            _ => format!("{name}={n}"),
        };
        out.push_str(&told);
    }
}
