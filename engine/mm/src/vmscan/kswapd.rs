//! The kswapd thread of a node: sleep, wake, balance (mm/vmscan.c, `kswapd`).
//!
//! Modelled: the main loops of 2.6.37, 3.0, 3.16 and 6.1; the nap of a tenth of a second before
//! real sleep, and the counter of naps cut short; each era's test for sleeping.
//! Left out: waking kcompactd (from 4.6 on); in 3.0, continuing immediately for a lower zone than
//! that of the last run, and order-0 requests that leave the class unchanged.
//! Invariants: kswapd is marked asleep exactly while it really sleeps; every wake-up leads to one
//! `balance_pgdat`.

use crate::frames::{Context, Flow, Frame, Sleep, Up, room};
use crate::gfp::AllocFlags;
use crate::kernel::{KswapdLoop, LruOwner};
use crate::mmzone::WMARK_HIGH;
use crate::record::{decisions, events};
use crate::vmscan::MAX_RECLAIM_RETRIES;
use crate::vmscan::balance_node::BalancePgdat;
use crate::vmscan::balance_scans::{self, BalanceScans};
use crate::vmscan::balance_zones::BalanceZones;
use crate::watermark_ok::WatermarkOk;
use crate::world::World;
use facts::index::{NodeIndex, ZoneIndex};
use facts::state::State;

events! {
    /// kswapd of a node woke up to balance it.
    MmVmscanKswapdWake "mm_vmscan_kswapd_wake" from "include/trace/events/vmscan.h" { nid: Node, order: Order };
    /// kswapd of a node went to sleep: the node is balanced, or it gave up.
    MmVmscanKswapdSleep "mm_vmscan_kswapd_sleep" from "include/trace/events/vmscan.h" { nid: Node };
}

decisions! {
    KswapdHarder { node: Node, asked: Order, order: Order }
        "A block of {asked} was requested meanwhile, larger than {order}: kswapd of {node} continues without sleeping.";
    KswapdLower { node: Node }
        "Lower zones were requested meanwhile: kswapd of {node} continues without sleeping.";
    KswapdReads { node: Node, order: Order, classzone: ZoneType }
        "kswapd of {node} is asked to balance for {order}.";
    KswapdNotBalanced { node: Node }
        "{node} is not balanced: kswapd does not sleep.";
    KswapdNap { node: Node, timeout: Jiffies }
        "{node} is balanced: kswapd naps for {timeout jiffy} before it really sleeps.";
    KswapdNapCut { node: Node }
        "kswapd of {node} was woken during its nap: memory is used up quickly.";
}

room! {
    Kswapd: "kswapd" in "mm/vmscan.c" at "v6.1.176" line 7350;
    Simplified "From 3.0 on neither kswapd nor kcompactd compacts. In 3.0 a request for a lower class alone does not start another run immediately.";
    KsPt {
        Pick 0 Plain "last run done: read the requested order and zone";
        Sleep 0 Yields "no harder request: kswapd_try_to_sleep()";
        Wake 0 Plain "read the order and highest zone, reset them";
        Balance 0 Plain "balance_pgdat(): until the node is balanced";
        Balanced 0 Yields "remember the order it was balanced for";
    }
    locals(self, w) {
        nid: node(self.node);
        order: number(self.order);
        classzone_idx: zone_type(self.classzone);
    }
}

/// The kswapd thread of one node.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Kswapd {
    /// Current program point.
    pub pt: KsPt,
    /// Node of kswapd.
    pub node: NodeIndex,
    /// Order of this run.
    pub order: u8,
    /// Highest zone type of this run.
    pub classzone: u8,
    /// Order for which the last run balanced the node.
    pub balanced_order: u8,
    /// Highest zone type for which the last run balanced the node (3.16).
    pub balanced_class: u8,
    /// Order last requested (3.16).
    pub new_order: u8,
    /// Class zone last requested (3.16).
    pub new_class: u8,
}

impl Kswapd {
    /// Frame of a node's kswapd before its first sleep. Nothing has been requested yet, so it is
    /// responsible for all zone types.
    pub fn call(node: NodeIndex, zone_types: usize) -> Frame {
        Frame::Kswapd(Kswapd {
            pt: KsPt::Sleep,
            node,
            order: 0,
            classzone: zone_types as u8 - 1,
            balanced_order: 0,
            balanced_class: zone_types as u8 - 1,
            new_order: 0,
            new_class: zone_types as u8 - 1,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            KsPt::Pick if w.facts.features.kswapd_counts_scans() => self.pick_new(w),
            KsPt::Pick if self.forgets(w) => self.pick_order(w),
            KsPt::Pick => self.pick(w),
            KsPt::Sleep => {
                self.pt = KsPt::Wake;
                cx.memalloc = false;
                // 3.16 tests for the order and class of the end of the last run.
                let (order, class) = if w.facts.features.kswapd_counts_scans() {
                    (self.balanced_order, self.balanced_class)
                } else {
                    (self.order, self.classzone)
                };
                up.call(TryToSleep::call(self.node, order, class), w, cx)
            }
            KsPt::Wake => {
                self.read(w);
                self.pt = KsPt::Balance;
                Flow::Next
            }
            KsPt::Balance => {
                cx.begin_reclaim();
                self.pt = KsPt::Balanced;
                w.vmscan_totals.kswapd_wake(self.node, w.now);
                w.record(MmVmscanKswapdWake {
                    nid: self.node,
                    order: self.order,
                });
                up.call(
                    match w.facts.features.lru_owner {
                        LruOwner::Zone if w.facts.features.kswapd_counts_scans() => {
                            BalanceScans::call(self.node, self.order, self.classzone)
                        }
                        LruOwner::Zone => BalanceZones::call(self.node, self.order, self.classzone),
                        LruOwner::Node => BalancePgdat::call(self.node, self.order, self.classzone),
                    },
                    w,
                    cx,
                )
            }
            KsPt::Balanced => {
                // The order, and in 3.16 the class, at the end of the run; 2.6.37 ignores them.
                let [order, class, _, _] = cx.ret.to_le_bytes();
                if !self.forgets(w) {
                    (self.balanced_order, self.balanced_class) = (order, class);
                }
                self.pt = KsPt::Pick;
                Flow::Next
            }
        }
    }

    fn forgets(&self, w: &World) -> bool {
        w.facts.features.kswapd_loop == KswapdLoop::Forgets
    }

    /// 2.6.37: resets the requested order before the node is known to be balanced for it. Only an
    /// order above that of the last run starts another run immediately. Any other order is
    /// forgotten, unless it is requested again before [`Self::read`].
    fn pick_order(&mut self, w: &mut World) -> Flow {
        let asked = std::mem::take(&mut w.kswapd[self.node].order);
        self.pt = KsPt::Sleep;
        if self.order < asked {
            w.record(KswapdHarder {
                node: self.node,
                asked,
                order: self.order,
            });
            (self.order, self.pt) = (asked, KsPt::Balance);
        }
        Flow::Next
    }

    fn pick(&mut self, w: &mut World) -> Flow {
        let k = &w.kswapd[self.node];
        let (k_order, k_classzone) = (k.order, k.classzone);
        self.pt = KsPt::Sleep;
        if w.facts.features.kswapd_loop == KswapdLoop::Harder
            && self.balanced_order >= self.order
            && (k.order > self.order)
        {
            w.record(KswapdHarder {
                node: self.node,
                asked: k.order,
                order: self.order,
            });
            self.pt = KsPt::Wake;
        }
        let finished = self.balanced_order >= self.order;
        self.order = self.balanced_order.min(self.order);
        if w.facts.features.kswapd_loop != KswapdLoop::Harder && finished {
            // kswapd sleeps only if the node is balanced for the requests made meanwhile.
            self.order = k_order;
            if k_classzone != u8::MAX {
                self.classzone = k_classzone;
            }
        }
        Flow::Next
    }

    /// 3.16: reads new requests once the last run has met the earlier ones. kswapd sleeps unless
    /// the new requests are harder than the last run.
    fn pick_new(&mut self, w: &mut World) -> Flow {
        if self.balanced_class >= self.new_class && self.balanced_order == self.new_order {
            (self.new_order, self.new_class) = take_asked(w, self.node);
        }
        self.pt = KsPt::Sleep;
        let node = self.node;
        if self.order < self.new_order {
            w.record(KswapdHarder {
                node,
                asked: self.new_order,
                order: self.order,
            });
            self.pt = KsPt::Balance;
        } else if self.classzone > self.new_class {
            w.record(KswapdLower { node });
            self.pt = KsPt::Balance;
        }
        if self.pt == KsPt::Balance {
            (self.order, self.classzone) = (self.new_order, self.new_class);
        }
        Flow::Next
    }

    fn read(&mut self, w: &mut World) {
        if w.facts.features.kswapd_counts_scans() {
            (self.order, self.classzone) = take_asked(w, self.node);
            (self.new_order, self.new_class) = (self.order, self.classzone);
            w.record(KswapdReads {
                node: self.node,
                order: self.order,
                classzone: self.classzone,
            });
            return;
        }
        let types = w.facts.layout.zone_types.len() as u8;
        let forgets = self.forgets(w);
        let k = &mut w.kswapd[self.node];
        self.order = k.order;
        if !forgets {
            k.order = 0;
        }
        // Without a new request the zone of the last run remains (`kswapd_highest_zoneidx`).
        if k.classzone < types {
            self.classzone = k.classzone;
        }
        k.classzone = u8::MAX;
        w.record(KswapdReads {
            node: self.node,
            order: self.order,
            classzone: self.classzone,
        });
    }
}

room! {
    TryToSleep: "kswapd_try_to_sleep" in "mm/vmscan.c" at "v6.1.176" line 7253;
    Simplified "kcompactd is not woken before kswapd sleeps, as it is from 4.6 on.";
    TsPt {
        Check 0 Plain "prepare_kswapd_sleep(): not balanced: return";
        Nap 0 Yields "balanced: nap for a tenth of a second";
        Again 0 Plain "woken early, or no longer balanced: return";
        Sleep 0 Yields "really sleep until wakeup_kswapd()";
        Woken 0 Plain "woken";
    }
    locals(self, w) {
        nid: node(self.node);
        order: number(self.order);
    }
}

/// `kswapd_try_to_sleep`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct TryToSleep {
    /// Current program point.
    pub pt: TsPt,
    /// Node of kswapd.
    pub node: NodeIndex,
    /// Order to balance for.
    pub order: u8,
    /// Highest zone type to balance.
    pub classzone: u8,
    /// When the nap ends if kswapd is not woken, ns.
    pub until: u64,
}

impl TryToSleep {
    /// Frame of a call after a run for `order` and zones up to `classzone`.
    pub fn call(node: NodeIndex, order: u8, classzone: u8) -> Frame {
        Frame::TryToSleep(Self {
            pt: TsPt::Check,
            node,
            order,
            classzone,
            until: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        let node = self.node;
        match self.pt {
            TsPt::Check => {
                let fine = self.is_balanced(w);
                if !fine {
                    w.counters.kswapd_high_wmark_hit_quickly += 1;
                    w.record(KswapdNotBalanced { node });
                    return Flow::Ret;
                }
                self.pt = TsPt::Nap;
                Flow::Next
            }
            TsPt::Nap => {
                let hz = u64::from(w.facts.hz);
                let fires = super::throttle::timer_fires_at(w.jiffies(), hz / 10);
                self.until = w.jiffy_ns(fires);
                cx.sleep = Sleep::Until(self.until);
                let k = &mut w.kswapd[self.node];
                (k.awake, k.napping) = (false, true);
                k.since_ns = w.now;
                w.record(KswapdNap {
                    node,
                    timeout: (hz / 10) as i64,
                });
                self.pt = TsPt::Again;
                Flow::Sleep
            }
            TsPt::Again => self.again(w),
            TsPt::Sleep => {
                w.vmscan_totals.kswapd_sleep(node, w.now);
                w.record(MmVmscanKswapdSleep { nid: node });
                let k = &mut w.kswapd[self.node];
                (k.awake, k.napping, k.since_ns) = (false, false, w.now);
                cx.sleep = Sleep::Wait;
                self.pt = TsPt::Woken;
                Flow::Sleep
            }
            TsPt::Woken => {
                w.spend(w.facts.cost.context_switch);
                Flow::Ret
            }
        }
    }

    fn again(&mut self, w: &mut World) -> Flow {
        let k = &mut w.kswapd[self.node];
        let early = w.now < self.until;
        (k.awake, k.napping, k.since_ns) = (true, false, w.now);
        // Requests made during the nap are added to those of this run.
        if early {
            w.counters.kswapd_low_wmark_hit_quickly += 1;
            w.record(KswapdNapCut { node: self.node });
            return Flow::Ret;
        }
        if !self.is_balanced(w) {
            w.counters.kswapd_high_wmark_hit_quickly += 1;
            w.record(KswapdNotBalanced { node: self.node });
            return Flow::Ret;
        }
        self.pt = TsPt::Sleep;
        Flow::Next
    }

    /// Is the node balanced for this order, and does no task wait for reserves
    /// (`prepare_kswapd_sleep`, `sleeping_prematurely` negated)?
    fn is_balanced(&self, w: &mut World) -> bool {
        let waiters = std::mem::take(&mut w.pgdat[self.node].pfmemalloc_wait);
        let somebody_waits = !waiters.is_empty();
        for task in waiters {
            w.wake(task);
        }
        if w.facts.features.kswapd_counts_scans() {
            return !somebody_waits
                && balance_scans::zones_balanced(w, self.node, self.order, self.classzone);
        }
        if w.facts.features.lru_owner == LruOwner::Node {
            let hopeless = w.pgdat[self.node].kswapd_failures >= MAX_RECLAIM_RETRIES;
            let fine = hopeless || pgdat_balanced(w, self.node, self.order, self.classzone);
            if fine {
                clear_pgdat_congested(w, self.node);
            }
            return fine;
        }
        if w.facts.features.quarter_balanced {
            zones_balanced(w, self.node, self.order, self.classzone)
        } else {
            all_zones_fine(w, self.node, self.order)
        }
    }
}

/// Returns and resets the requests to kswapd of a node: the order, and the class zone, which is the
/// node's highest zone unless a request lowered it.
fn take_asked(w: &mut World, node: NodeIndex) -> (u8, u8) {
    let mut top = 0;
    for zone in node_zones(w, node, u8::MAX) {
        top = w.mem.zones[zone].kind;
    }
    let k = &mut w.kswapd[node];
    let asked = (k.order, k.classzone.min(top));
    (k.order, k.classzone) = (0, u8::MAX);
    asked
}

/// Clears the flags that earlier passes set (`clear_pgdat_congested`).
pub fn clear_pgdat_congested(w: &mut World, node: NodeIndex) {
    let pgdat = &mut w.pgdat[node];
    (pgdat.dirty, pgdat.writeback) = (false, false);
    let owner = crate::vmscan::node::node_lruvec(w, node);
    w.mem.lruvecs[owner].congested = false;
}

/// Zones of a node up to a type, lowest first.
pub fn node_zones(w: &World, node: NodeIndex, highest: u8) -> impl Iterator<Item = ZoneIndex> + '_ {
    w.mem
        .zones
        .entries()
        .filter(move |(_, z)| z.node == node && z.kind <= highest)
        .map(|(i, _)| i)
}

/// Is one zone of the node above its high watermark for this order (`pgdat_balanced`, from 4.8)?
pub fn pgdat_balanced(w: &mut World, node: NodeIndex, order: u8, highest: u8) -> bool {
    let zones: Vec<ZoneIndex> = node_zones(w, node, highest).collect();
    // A node without such zones has nothing to balance.
    zones.is_empty()
        || zones.into_iter().any(|z| {
            WatermarkOk::new(z, order, WMARK_HIGH, highest, AllocFlags::default()).holds(w)
        })
}

/// May kswapd of 2.6.37 sleep? Every zone of the node must be above its high watermark for the
/// order without reserve, or given up as unreclaimable (`sleeping_prematurely`).
pub fn all_zones_fine(w: &mut World, node: NodeIndex, order: u8) -> bool {
    let zones: Vec<ZoneIndex> = node_zones(w, node, u8::MAX).collect();
    zones.into_iter().all(|zone| {
        let owner = w.mem.zones[zone].lruvec;
        let test = WatermarkOk::new(zone, order, WMARK_HIGH, 0, AllocFlags::default());
        w.mem.lruvecs[owner].all_unreclaimable || test.holds(w)
    })
}

/// May kswapd of 3.0 sleep (`sleeping_prematurely`)? Every zone up to the class must be above its
/// high watermark without reserve, or given up; for higher orders a quarter of the pages is enough.
/// 2.6.38 tests all zones with the reserve of the class, and for higher orders sleeps if they are
/// not balanced.
pub fn zones_balanced(w: &mut World, node: NodeIndex, order: u8, class: u8) -> bool {
    let (mut all, mut total, mut passed) = (true, 0, 0);
    let f = w.facts.features;
    let first = f.sleep_test_reversed;
    let zones: Vec<ZoneIndex> = node_zones(w, node, if first { u8::MAX } else { class }).collect();
    for z in zones {
        let zone = &w.mem.zones[z];
        let (kind, present) = (zone.kind, zone.present);
        let dead = w.mem.lruvecs[zone.lruvec].all_unreclaimable;
        total += if kind <= class { present } else { 0 };
        let flags = AllocFlags::default();
        let reserve = if first { class } else { kind };
        if dead || WatermarkOk::new(z, order, WMARK_HIGH, reserve, flags).holds(w) {
            passed += present;
        } else {
            all = false;
        }
    }
    let enough = if f.quarter_exceeded {
        passed > total / 4
    } else {
        passed >= total / 4
    };
    if order == 0 {
        all
    } else {
        enough != f.sleep_test_reversed
    }
}
