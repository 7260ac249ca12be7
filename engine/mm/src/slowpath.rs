//! The allocator's slow path, up to where reclaim would begin (mm/page_alloc.c).
//!
//! Modelled: waking kswapd, the ALLOC_* flags of the slow path, the walk at the min mark.
//! Left out: compaction, direct reclaim, retries and the OOM killer; where they would begin, a
//! point says so and the request fails.
//! Who could tell: `allocstall` stays 0, and a task whose fault fails is killed early.
//! Invariants: kswapd is woken on the slow path only, never on the fast path.

use crate::frames::{Context, Flow, Frame, NONE, points};
use crate::gfp::{AllocFlags, Gfp};
use crate::kernel::{BlockReserve, KswapdWake};
use crate::mmzone::{WMARK_HIGH, WMARK_LOW, WMARK_MIN};
use crate::page_alloc::{GetPageFromFreelist, Request, allowed};
use crate::trace::Event;
use crate::view::Local;
use crate::watermark_ok::WatermarkOk;
use crate::why::Why;
use crate::world::World;

points! {
    /// Program points of `alloc_pages_slowpath`.
    SlPt {
        Wake 0 Plain "unless the request forbids it: wake_all_kswapds()";
        Flags 0 Plain "mark min; ALLOC_HIGH and ALLOC_HARDER where the request has reserves";
        TryMin 0 Plain "page = get_page_from_freelist(mark min)";
        Tried 0 Plain "got one: return it";
        Cannot 0 Plain "the request may not sleep: give up";
        Reclaim 0 Plain "direct compaction and reclaim, then try again (not part of the engine yet)";
        NoPage 0 Plain "no page: return none";
    }
}

/// `__alloc_pages_slowpath`. Returns the frame, or [`NONE`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Slowpath {
    /// Where it stands.
    pub pt: SlPt,
    /// What is asked.
    pub rq: Request,
    /// Flags of its walks.
    pub flags: AllocFlags,
}

impl Slowpath {
    /// A slow path about to begin.
    pub fn call(rq: Request) -> Frame {
        Frame::Slowpath(Slowpath {
            pt: SlPt::Wake,
            rq,
            flags: AllocFlags::default(),
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        match self.pt {
            SlPt::Wake => {
                w.spend(w.facts.cost.slowpath_entry);
                self.pt = SlPt::Flags;
                if !self.rq.gfp.has(Gfp::KSWAPD_RECLAIM) {
                    return Flow::Next;
                }
                Flow::Call(WakeAllKswapds::call(self.rq))
            }
            SlPt::Flags => {
                self.flags = slow_flags(w, &self.rq);
                w.why(Why::SlowTry, [WMARK_MIN.into(), 0, 0, 0, 0, 0]);
                self.pt = SlPt::TryMin;
                Flow::Next
            }
            SlPt::TryMin => {
                self.pt = SlPt::Tried;
                Flow::Call(GetPageFromFreelist::call(self.rq, WMARK_MIN, self.flags))
            }
            SlPt::Tried => {
                if cx.ret != NONE {
                    return Flow::Ret;
                }
                self.pt = SlPt::Cannot;
                Flow::Next
            }
            SlPt::Cannot => {
                if self.rq.gfp.has(Gfp::DIRECT_RECLAIM) {
                    self.pt = SlPt::Reclaim;
                } else {
                    w.why(Why::SlowNoWait, [self.rq.order.into(), 0, 0, 0, 0, 0]);
                    self.pt = SlPt::NoPage;
                }
                Flow::Next
            }
            SlPt::Reclaim => {
                let order = self.rq.order.into();
                w.why(Why::ReclaimBegins, [order, 0, 0, 0, 0, 0]);
                w.trace(
                    Event::ReclaimAbsent,
                    [order, self.rq.gfp.0.into(), 0, 0, 0, 0],
                );
                self.pt = SlPt::NoPage;
                Flow::Next
            }
            SlPt::NoPage => {
                cx.ret = NONE;
                Flow::Ret
            }
        }
    }

    /// Arguments and locals.
    pub fn locals(&self, w: &World) -> Vec<Local> {
        let mut out = crate::show::request(w, &self.rq);
        out.push(crate::show::text(
            "alloc_flags",
            &crate::show::flags(self.flags),
        ));
        out
    }
}

/// `gfp_to_alloc_flags`: a request that cannot wait gets a quarter more, `__GFP_HIGH` half.
fn slow_flags(w: &World, rq: &Request) -> AllocFlags {
    let mut flags = AllocFlags::default();
    if rq.gfp.has(Gfp::HIGH) {
        flags = flags.with(AllocFlags::HIGH);
    }
    // From 4.4 only GFP_ATOMIC proper gets the further quarter; before, whoever cannot wait, from
    // 3.x on without the light huge page requests, which do not wake kswapd.
    let atomic = match w.facts.features.block_reserve {
        BlockReserve::MigrateReserve => rq.gfp.has(Gfp::KSWAPD_RECLAIM),
        BlockReserve::HighAtomic => rq.gfp.has(Gfp::HIGH),
    };
    let atomic = atomic && !rq.gfp.has(Gfp::DIRECT_RECLAIM);
    if atomic {
        flags = flags.with(AllocFlags::HARDER);
    } else {
        flags = flags.with(AllocFlags::CPUSET);
    }
    if w.facts.features.block_reserve == BlockReserve::HighAtomic && rq.gfp.has(Gfp::KSWAPD_RECLAIM)
    {
        flags = flags.with(AllocFlags::KSWAPD);
    }
    flags
}

points! {
    /// Program points of `wake_all_kswapds`.
    WkPt {
        Next 0 Plain "for each zone of the zonelist, up to the highest allowed:";
        Wakeup 1 Plain "wakeup_kswapd(): wake it if it sleeps and the zone is not above its low mark";
    }
}

/// `wake_all_kswapds` with `wakeup_kswapd`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WakeAllKswapds {
    /// Where it stands.
    pub pt: WkPt,
    /// The request that needs memory.
    pub rq: Request,
    /// Place in the zonelist of the next zone.
    pub next: u8,
    /// The zone looked at.
    pub zone: u8,
    /// Node last woken (6.1 wakes once a node).
    pub last_node: u8,
}

impl WakeAllKswapds {
    /// A round of wake-ups about to begin.
    pub fn call(rq: Request) -> Frame {
        Frame::WakeKswapds(Self {
            pt: WkPt::Next,
            rq,
            next: 0,
            zone: 0,
            last_node: u8::MAX,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, _cx: &mut Context) -> Flow {
        match self.pt {
            WkPt::Next => {
                let next = allowed(w, self.rq.node, self.rq.high)
                    .find(|&(place, _)| place >= usize::from(self.next));
                let Some((place, zone)) = next else {
                    return Flow::Ret;
                };
                self.next = place as u8 + 1;
                self.zone = zone;
                let node = w.mem.zones[zone as usize].node;
                let once = w.facts.features.kswapd_wake == KswapdWake::PerNode;
                if !(once && node == self.last_node) {
                    self.pt = WkPt::Wakeup;
                }
                self.last_node = node;
                Flow::Next
            }
            WkPt::Wakeup => {
                self.wakeup_kswapd(w);
                self.pt = WkPt::Next;
                Flow::Next
            }
        }
    }

    fn wakeup_kswapd(&mut self, w: &mut World) {
        let zone = self.zone;
        let node = w.mem.zones[zone as usize].node;
        let order = self.rq.order;
        let k = &mut w.kswapd[node as usize];
        k.order = k.order.max(order);
        k.classzone = k.classzone.max(self.rq.classzone);
        if k.awake {
            w.why(Why::KswapdAwake, [node.into(), order.into(), 0, 0, 0, 0]);
            return;
        }
        let (mark, class, zones) = sleep_test(w, zone, self.rq.classzone);
        let z = &w.mem.zones[zone as usize];
        let n = [
            zone.into(),
            z.nr_free_pages,
            z.mark(mark),
            node.into(),
            mark.into(),
            0,
        ];
        let balanced = zones
            .into_iter()
            .any(|z| WatermarkOk::new(z, order, mark, class, AllocFlags::default()).holds(w));
        if balanced {
            w.why(Why::KswapdNotNeeded, n);
            return;
        }
        w.why(Why::WakeKswapd, n);
        w.trace(
            Event::MmVmscanWakeupKswapd,
            [node.into(), zone.into(), order.into(), 0, 0, 0],
        );
        w.spend(w.facts.cost.wake);
        let k = &mut w.kswapd[node as usize];
        (k.awake, k.wakes, k.since_ns) = (true, k.wakes + 1, w.now);
        let task = k.task;
        w.wake(task);
    }

    /// Arguments and locals.
    pub fn locals(&self, w: &World) -> Vec<Local> {
        let mut out = crate::show::request(w, &self.rq);
        if self.next > 0 {
            out.push(crate::show::zone(w, "zone", self.zone));
        }
        out
    }
}

/// What lets kswapd sleep on: the mark, the class zone and the zones of which one must pass.
/// To 3.1 the zone asked about at its low mark, by 3.16 at its high mark, both without reserve;
/// from 4.8 any zone of the node at its high mark (`pgdat_balanced`), and no boost.
fn sleep_test(w: &World, zone: u8, classzone: u8) -> (u8, u8, Vec<u8>) {
    let mark = match w.facts.features.kswapd_wake {
        KswapdWake::PerZoneLow => return (WMARK_LOW, 0, vec![zone]),
        KswapdWake::PerZoneHigh => return (WMARK_HIGH, 0, vec![zone]),
        KswapdWake::PerNode => WMARK_HIGH,
    };
    let node = w.mem.zones[zone as usize].node;
    let of_node: Vec<u8> = (0..w.mem.zones.len() as u8)
        .filter(|&z| w.mem.zones[z as usize].node == node)
        .filter(|&z| w.mem.zones[z as usize].kind <= classzone)
        .collect();
    if of_node.iter().any(|&z| w.mem.zones[z as usize].boost > 0) {
        return (mark, classzone, Vec::new());
    }
    (mark, classzone, of_node)
}
