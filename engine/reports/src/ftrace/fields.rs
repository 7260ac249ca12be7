//! The details of each event, in the order the era's kernel prints them.
//!
//! Modelled: the columns of every tracepoint the engine fires. Left out: others.
//! Invariants: one blank between fields; `name=value`, with no blank inside.

use std::fmt::Write as _;

use mm::gfp::Gfp;
use mm::trace::{EVENTS, Event, Field};

use super::words::{gfp, migratetype, page};
use super::{Dialect, Era, Line, NOTHING, Printer};

const THROTTLES: [&str; 4] = [
    "VMSCAN_THROTTLE_WRITEBACK",
    "VMSCAN_THROTTLE_ISOLATED",
    "VMSCAN_THROTTLE_NOPROGRESS",
    "VMSCAN_THROTTLE_CONGESTED",
];

/// Which reclaim a batch or a write was: the simulation writes nothing synchronously.
fn kind(file: bool) -> &'static str {
    if file {
        "RECLAIM_WB_FILE|RECLAIM_WB_ASYNC"
    } else {
        "RECLAIM_WB_ANON|RECLAIM_WB_ASYNC"
    }
}

/// A byte of a number that holds several.
fn byte(n: u64, i: u32) -> u64 {
    n >> (8 * i) & 0xff
}

/// The fields of an event the kernel has.
pub fn known(p: &mut Printer, line: &Line, out: &mut String) {
    let n = &line.n;
    let d = &p.dialect;
    // Writing to a string cannot fail.
    let _ = match line.event {
        Event::MmPageAlloc
        | Event::MmPageAllocZoneLocked
        | Event::MmPageAllocExtfrag
        | Event::MmPageFree
        | Event::MmPageFreeBatched
        | Event::MmPagePcpuDrain => allocator(d, line, out),
        Event::MmVmscanKswapdWake => write!(out, "nid={} order={}", n[0], n[1]),
        Event::MmVmscanWakeupKswapd if d.is_old() => {
            write!(out, "nid={} zid={} order={}", n[0], n[1] & 0xff, n[2])
        }
        Event::MmVmscanWakeupKswapd => {
            write!(
                out,
                "nid={} order={} gfp_flags={}",
                n[0],
                n[2],
                gfp(d, n[3])
            )
        }
        Event::MmVmscanDirectReclaimBegin => {
            let may_write = match d.is_old() {
                true => format!("may_writepage={} ", n[1]),
                false => String::new(),
            };
            let told = write!(out, "order={} {may_write}gfp_flags={}", n[0], gfp(d, n[2]));
            begin(p, line);
            told
        }
        Event::MmVmscanDirectReclaimEnd => {
            p.reclaims.retain(|&(pid, _)| pid != line.pid);
            write!(out, "nr_reclaimed={}", n[0])
        }
        Event::MmVmscanLruIsolate => isolate(p, line, out),
        Event::MmVmscanLruShrinkInactive => shrink_inactive(d, n, out),
        Event::MmVmscanLruShrinkActive => write!(
            out,
            "nid={} nr_taken={} nr_active={} nr_deactivated={} nr_referenced={} priority={} flags={}",
            n[0],
            n[1],
            n[1].saturating_sub(n[2]),
            n[2],
            n[3],
            n[4],
            kind(n[5] & 1 == 1)
        ),
        Event::MmVmscanWritepage => {
            write!(out, "{} flags={}", page(d, n[0]), kind(n[1] == 1))
        }
        Event::MmVmscanThrottled => write!(
            out,
            "nid={} usec_timeout={} usect_delayed={} reason={}",
            n[0],
            n[1],
            n[2],
            THROTTLES.get(n[3] as usize).unwrap_or(&"")
        ),
        Event::ReclaimRetryZone => {
            let zone = d.zone_types.get((n[0] & 0xff) as usize);
            write!(
                out,
                "node={} zone={:<8} order={} reclaimable={} available={} min_wmark={} no_progress_loops={} wmark_check={}",
                n[0] >> 8,
                zone.map_or("", String::as_str),
                n[1],
                n[2],
                n[3],
                n[4],
                n[5],
                u8::from(n[3] > n[4])
            )
        }
        _ => {
            own(d, line, out);
            Ok(())
        }
    };
}

fn allocator(d: &Dialect, line: &Line, out: &mut String) -> std::fmt::Result {
    let n = &line.n;
    let at = page(d, n[0]);
    match line.event {
        Event::MmPageAlloc => {
            // A request that failed has no type the kernel could know better than its flags.
            let (t, flags) = (migratetype(d, n[2]), gfp(d, n[3]));
            write!(out, "{at} order={} migratetype={t} gfp_flags={flags}", n[1])
        }
        Event::MmPageAllocZoneLocked => write!(
            out,
            "{at} order={} migratetype={} percpu_refill={}",
            n[1],
            migratetype(d, n[2]),
            n[3]
        ),
        Event::MmPageAllocExtfrag => write!(
            out,
            "{at} alloc_order={} fallback_order={} pageblock_order={} alloc_migratetype={} \
             fallback_migratetype={} fragmenting={} change_ownership={}",
            n[1],
            n[2],
            d.pageblock_order,
            migratetype(d, n[3]),
            migratetype(d, n[4]),
            u8::from(n[2] < u64::from(d.pageblock_order)),
            n[5]
        ),
        Event::MmPageFree => write!(out, "{at} order={}", n[1]),
        Event::MmPageFreeBatched => {
            let cold = if d.is_old() { " cold=0" } else { "" };
            write!(out, "{at} order=0{cold}")
        }
        _ => write!(
            out,
            "{at} order={} migratetype={}",
            n[1],
            migratetype(d, n[2])
        ),
    }
}

/// A task begins to reclaim: up to which zone, its request says (`gfp_zone`).
fn begin(p: &mut Printer, line: &Line) {
    let flags = Gfp(line.n[2] as u16);
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

/// The index of a zone type; of the highest there is, where the kernel was built without it.
fn highest(d: &Dialect, wanted: &str) -> u64 {
    let types = &d.zone_types;
    let found = types.iter().position(|name| name == wanted);
    let last = types.iter().rposition(|name| name != "Device");
    found.or(last).unwrap_or(0) as u64
}

fn isolate(p: &Printer, line: &Line, out: &mut String) -> std::fmt::Result {
    let d = &p.dialect;
    let [order, requested, scanned, skipped, taken, lru] = line.n;
    let name = mm::vmscan::LRU_NAMES[lru as usize % mm::vmscan::LRU_NAMES.len()];
    match d.era {
        Era::V2_6_37 => {
            let mode = u8::from(name.starts_with("active"));
            write!(
                out,
                "isolate_mode={mode} order={order} nr_requested={requested} nr_scanned={scanned} \
                 nr_taken={taken} contig_taken=0 contig_dirty=0 contig_failed=0"
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

fn shrink_inactive(d: &Dialect, n: &[u64; 6], out: &mut String) -> std::fmt::Result {
    let [nid, scanned, reclaimed, priority, flags, outcomes] = *n;
    let file = flags & 1 == 1;
    if d.is_old() {
        return write!(
            out,
            "nid={nid} zid={} nr_scanned={scanned} nr_reclaimed={reclaimed} priority={priority} \
             flags={}",
            byte(flags, 1),
            kind(file)
        );
    }
    let activated = byte(flags, 2);
    let (anon, of_file) = if file { (0, activated) } else { (activated, 0) };
    write!(
        out,
        "nid={nid} nr_scanned={scanned} nr_reclaimed={reclaimed} nr_dirty={} nr_writeback={} \
         nr_congested=0 nr_immediate={} nr_activate_anon={anon} nr_activate_file={of_file} \
         nr_ref_keep={} nr_unmap_fail=0 priority={priority} flags={}",
        byte(outcomes, 2),
        byte(outcomes, 1),
        byte(outcomes, 3),
        byte(outcomes, 0),
        kind(file)
    )
}

/// The fields of an event as the engine has them.
pub fn own(d: &Dialect, line: &Line, out: &mut String) {
    let fields = EVENTS[line.event as usize].fields;
    for (i, (&(name, field), &n)) in fields.iter().zip(&line.n).enumerate() {
        if i > 0 {
            out.push(' ');
        }
        let told = match field {
            Field::Page if n == NOTHING => "page=none".to_string(),
            Field::Page => page(d, n),
            Field::Gfp => format!("{name}={}", gfp(d, n)),
            Field::Type => format!("{name}={}", migratetype(d, n)),
            Field::Zone => {
                let zone = d.zone_types.get((n & 0xff) as usize);
                format!("{name}={}-{}", n >> 8, zone.map_or("", String::as_str))
            }
            _ => format!("{name}={n}"),
        };
        out.push_str(&told);
    }
}
