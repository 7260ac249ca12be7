//! kswapd: woken and put to sleep as the kernel does; it does not reclaim yet (mm/vmscan.c).
//!
//! Modelled: one thread a node, its wait, its tracepoints, the boost it takes back after a run.
//! Left out: `balance_pgdat`. Who could tell: free pages never rise, `pageoutrun` stays 0.
//! Invariants: asleep exactly while its task waits.

use crate::frames::{Context, Flow, Frame, Sleep, points};
use crate::mmzone::MAX_ZONE_TYPES;
use crate::trace::Event;
use crate::view::Local;
use crate::why::Why;
use crate::world::World;

points! {
    /// Program points of `kswapd`.
    KsPt {
        Sleep 0 Yields "sleep until wakeup_kswapd()";
        Wake 0 Plain "woken: read the order and the highest zone asked for";
        Balance 0 Plain "balance_pgdat(): reclaim until the node is balanced (not part of the engine yet)";
        Unboost 0 Plain "take back the watermark boost seen at the start";
    }
}

/// The kswapd thread of one node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kswapd {
    /// Where it stands.
    pub pt: KsPt,
    /// Node.
    pub node: u8,
    /// Order of this run.
    pub order: u8,
}

impl Kswapd {
    /// The thread of a node, about to fall asleep.
    pub fn call(node: u8) -> Frame {
        Frame::Kswapd(Kswapd {
            pt: KsPt::Sleep,
            node,
            order: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let node = u32::from(self.node);
        match self.pt {
            KsPt::Sleep => {
                w.trace(Event::MmVmscanKswapdSleep, [node, 0, 0, 0, 0, 0]);
                let now = w.now;
                let k = &mut w.kswapd[self.node as usize];
                (k.awake, k.since_ns) = (false, now);
                cx.sleep = Sleep::Wait;
                self.pt = KsPt::Wake;
                Flow::Sleep
            }
            KsPt::Wake => {
                w.spend(w.facts.cost.context_switch);
                let k = &mut w.kswapd[self.node as usize];
                self.order = std::mem::take(&mut k.order);
                let classzone = std::mem::take(&mut k.classzone);
                k.boosts = [0; MAX_ZONE_TYPES];
                for z in w.mem.zones.iter().filter(|z| z.node == self.node) {
                    if z.kind <= classzone {
                        k.boosts[z.kind as usize] = z.boost;
                    }
                }
                w.trace(
                    Event::MmVmscanKswapdWake,
                    [node, self.order.into(), 0, 0, 0, 0],
                );
                self.pt = KsPt::Balance;
                Flow::Next
            }
            KsPt::Balance => {
                w.why(Why::KswapdAbsent, [node, 0, 0, 0, 0, 0]);
                w.spend(w.facts.cost.reclaim_visit);
                self.pt = KsPt::Unboost;
                Flow::Next
            }
            KsPt::Unboost => {
                for z in w.mem.zones.iter_mut().filter(|z| z.node == self.node) {
                    z.boost -= z
                        .boost
                        .min(w.kswapd[self.node as usize].boosts[z.kind as usize]);
                }
                self.pt = KsPt::Sleep;
                Flow::Next
            }
        }
    }

    /// Arguments and locals.
    pub fn locals(&self, _w: &World) -> Vec<Local> {
        use crate::show::number;
        vec![number("nid", self.node), number("order", self.order)]
    }
}
