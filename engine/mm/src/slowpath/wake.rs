//! Waking kswapd (mm/page_alloc.c `wake_all_kswapds`, mm/vmscan.c `wakeup_kswapd`).
//!
//! Modelled: which zones or nodes are checked, at which watermark; the request passed to kswapd,
//! asleep or awake.
//! Left out: whether compaction could serve the order instead (from 3.16 on).
//! Invariants: kswapd gets its request and is woken; the caller never waits for it.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::AllocFlags;
use crate::kernel::{KswapdLoop, KswapdWake};
use crate::mmzone::{WMARK_HIGH, WMARK_LOW};
use crate::page_alloc::{Request, allowed};
use crate::record::{decisions, events};
use crate::vmscan::MAX_RECLAIM_RETRIES;
use crate::watermark_ok::{Compared, WatermarkOk};
use crate::world::World;
use facts::amount::Pages;
use facts::index::{NodeIndex, ZoneIndex};
use facts::state::State;

events! {
    /// An allocation requested free pages from the kswapd of a node, whose zones are short of them.
    MmVmscanWakeupKswapd "mm_vmscan_wakeup_kswapd" from "include/trace/events/vmscan.h" { nid: Node, zid: Zone, order: Order, gfp_flags: Gfp };
}

decisions! {
    WakeKswapd { zone: Zone, free: Count, counted: Count, mark: Mark, needs: Count } below(counted, needs, mark)
        "{zone} has {free free page}; the watermark check counts {counted}, which is not above {mark} ({needs}): kswapd of the node is woken.";
    WakeKswapdKept { zone: Zone, free: Count, counted: Count, mark: Mark, kept_back: Count, needs: Count } below(counted, needs, mark, kept_back)
        "{zone} has {free free page}; the watermark check counts {counted}, which is not above {needs} ({mark} plus a reserve of {kept_back}): kswapd of the node is woken.";
    WakeKswapdOrder { zone: Zone, free: Count, counted: Count, mark: Mark, kept_back: Count, needs: Count } above(counted, needs, mark, kept_back)
        "{zone} has {free free page}; the watermark check counts {counted}, which is above {needs}, but in blocks that are too small: kswapd of the node is woken.";
    WakeKswapdBoost { node: Node }
        "The watermarks of a zone on {node} are boosted: kswapd is woken to free as many pages as the boost.";
    KswapdNotNeeded { zone: Zone, free: Count, counted: Count, mark: Mark, needs: Count } above(counted, needs, mark)
        "{zone} has {free free page}; the watermark check counts {counted}, which is above {mark} ({needs}): kswapd of the node may stay asleep.";
    KswapdNotNeededKept { zone: Zone, free: Count, counted: Count, mark: Mark, kept_back: Count, needs: Count } above(counted, needs, mark, kept_back)
        "{zone} has {free free page}; the watermark check counts {counted}, which is above {needs} ({mark} plus a reserve of {kept_back}): kswapd of the node may stay asleep.";
    KswapdGaveUp { node: Node, runs: Count }
        "kswapd of {node} freed nothing in {runs run}: it is not woken.";
    KswapdAwake { node: Node, order: Order }
        "kswapd of {node} is already awake: it notes {order} and keeps working.";
}

room! {
    WakeAllKswapds: "wake_all_kswapds" in "mm/page_alloc.c" at "v6.1.176" line 4871;
    Simplified "Called wake_all_kswapd up to 3.0. 3.16 also checks whether compaction could work. 3.0 lowers the class zone only with a higher order, here also if there was no request before.";
    /// The woken kswapd runs when the task reaches a point where it may leave its CPU, as in kernels
    /// without preemption inside the kernel.
    WkPt {
        Next 0 Hold "for each zone of the zonelist the request may use:";
        Wakeup 1 Hold "wakeup_kswapd(zone), if it sleeps and is needed";
    }
    locals(self, w) {
        rq: request(&self.rq);
        zone: zone(self.zone) if self.next > 0;
    }
}

/// `wake_all_kswapds` with `wakeup_kswapd`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct WakeAllKswapds {
    /// Current program point.
    pub pt: WkPt,
    /// The request that needs memory.
    pub rq: Request,
    /// Index in the zonelist of the next zone.
    pub next: u8,
    /// The zone being checked.
    pub zone: ZoneIndex,
    /// Node last woken (6.1 wakes once per node).
    pub last_node: NodeIndex,
}

impl WakeAllKswapds {
    /// Frame of a call that has not started.
    pub fn call(rq: Request) -> Frame {
        Frame::WakeKswapds(Self {
            pt: WkPt::Next,
            rq,
            next: 0,
            zone: ZoneIndex::new(0),
            last_node: NodeIndex::NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, _cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            WkPt::Next => {
                let next = allowed(w, self.rq.node, self.rq.high)
                    .find(|&(place, _)| place >= usize::from(self.next));
                let Some((place, zone)) = next else {
                    return Flow::Ret;
                };
                self.next = place as u8 + 1;
                self.zone = zone;
                let node = w.mem.zones[zone].node;
                let once = w.facts.features.kswapd_wake == KswapdWake::PerNode;
                if !(once && node == self.last_node) {
                    self.pt = WkPt::Wakeup;
                }
                self.last_node = node;
                Flow::Next
            }
            WkPt::Wakeup => {
                match w.facts.features.kswapd_wake {
                    KswapdWake::NeedyZones => self.wakeup_if_needy(w),
                    _ => self.wakeup_kswapd(w),
                }
                self.pt = WkPt::Next;
                Flow::Next
            }
        }
    }

    /// 2.6.37: an order is passed on only for a zone below its low watermark, and it is traced even
    /// if kswapd is already running.
    fn wakeup_if_needy(&self, w: &mut World) {
        let (zone, order) = (self.zone, self.rq.order);
        let node = w.mem.zones[zone].node;
        let test = || WatermarkOk::new(zone, order, WMARK_LOW, 0, AllocFlags::default());
        let (compared, passed) = test().compared(w);
        if test().holds(w) {
            not_needed(w, compared);
            return;
        }
        let k = &mut w.kswapd[node];
        k.order = k.order.max(order);
        let sleeps = !k.awake;
        if sleeps {
            woken(w, compared, passed);
        } else {
            w.record(KswapdAwake { node, order });
        }
        w.vmscan_totals.wakeup_requests += 1;
        w.record(MmVmscanWakeupKswapd {
            nid: node,
            zid: zone,
            order,
            gfp_flags: self.rq.gfp,
        });
        if sleeps {
            w.spend(w.facts.cost.wake);
            w.wake_kswapd(node);
        }
    }

    fn wakeup_kswapd(&mut self, w: &mut World) {
        let zone = self.zone;
        let node = w.mem.zones[zone].node;
        let order = self.rq.order;
        let zone_era = w.facts.features.kswapd_loop == KswapdLoop::Harder;
        let k = &mut w.kswapd[node];
        if zone_era {
            // The class zone is lowered only together with a higher order.
            let first = k.classzone == u8::MAX && !w.facts.features.kswapd_counts_scans();
            if order > k.order || first {
                k.classzone = k.classzone.min(self.rq.classzone);
            }
        } else if k.classzone == u8::MAX || k.classzone < self.rq.classzone {
            k.classzone = self.rq.classzone;
        }
        k.order = k.order.max(order);
        if k.awake {
            w.record(KswapdAwake { node, order });
            return;
        }
        let (mark, class, zones) = sleep_test(w, zone, self.rq.classzone);
        let is_boosted = zones.is_empty();
        let test = |zone| WatermarkOk::new(zone, order, mark, class, AllocFlags::default());
        if let Some(fine) = zones.into_iter().find(|&z| test(z).holds(w)) {
            let (compared, _) = test(fine).compared(w);
            not_needed(w, compared);
            return;
        }
        let failures = w.pgdat[node].kswapd_failures;
        if !zone_era && failures >= MAX_RECLAIM_RETRIES {
            w.record(KswapdGaveUp {
                node,
                runs: failures.into(),
            });
            return;
        }
        if is_boosted {
            w.record(WakeKswapdBoost { node });
        } else {
            let (compared, passed) = test(zone).compared(w);
            woken(w, compared, passed);
        }
        w.vmscan_totals.wakeup_requests += 1;
        w.record(MmVmscanWakeupKswapd {
            nid: node,
            zid: zone,
            order,
            gfp_flags: self.rq.gfp,
        });
        w.spend(w.facts.cost.wake);
        w.wake_kswapd(node);
    }
}

/// Records that a checked zone needs no help: kswapd may stay asleep.
fn not_needed(w: &mut World, compared: Compared) {
    let Compared {
        zone,
        free,
        counted,
        mark,
        kept_back,
        needs,
    } = compared;
    if kept_back > 0 {
        w.record(KswapdNotNeededKept {
            zone,
            free,
            counted,
            mark,
            kept_back,
            needs,
        });
    } else {
        w.record(KswapdNotNeeded {
            zone,
            free,
            counted,
            mark,
            needs,
        });
    }
}

/// Wakes kswapd for a zone; `passed` is true if the zone has enough free pages but in blocks that
/// are too small.
fn woken(w: &mut World, compared: Compared, passed: bool) {
    let Compared {
        zone,
        free,
        counted,
        mark,
        kept_back,
        needs,
    } = compared;
    match (passed, kept_back > 0) {
        (true, _) => w.record(WakeKswapdOrder {
            zone,
            free,
            counted,
            mark,
            kept_back,
            needs,
        }),
        (false, true) => w.record(WakeKswapdKept {
            zone,
            free,
            counted,
            mark,
            kept_back,
            needs,
        }),
        (false, false) => w.record(WakeKswapd {
            zone,
            free,
            counted,
            mark,
            needs,
        }),
    }
}

/// The check that lets kswapd stay asleep: the watermark, the class zone, and the zones of which
/// one must pass. Up to 3.1: the zone in question at its low watermark; in 3.16 at its high
/// watermark, both without reserve. From 4.8 on: any zone of the node at its high watermark
/// (`pgdat_balanced`), and no boost.
fn sleep_test(w: &World, zone: ZoneIndex, classzone: u8) -> (u8, u8, Vec<ZoneIndex>) {
    let mark = match w.facts.features.kswapd_wake {
        KswapdWake::NeedyZones | KswapdWake::PerZoneLow => return (WMARK_LOW, 0, vec![zone]),
        KswapdWake::PerZoneHigh => return (WMARK_HIGH, 0, vec![zone]),
        KswapdWake::PerNode => WMARK_HIGH,
    };
    let node = w.mem.zones[zone].node;
    let of_node: Vec<ZoneIndex> = (w.mem.zones.indices())
        .filter(|&z| w.mem.zones[z].node == node)
        .filter(|&z| w.mem.zones[z].kind <= classzone)
        .collect();
    if of_node.iter().any(|&z| w.mem.zones[z].boost > Pages::ZERO) {
        return (mark, classzone, Vec::new());
    }
    (mark, classzone, of_node)
}
