//! The walk of an allocation along its zonelist.

use mm::frames::Frame;
use mm::gfp::AllocFlags;
use mm::index::{ZoneIndex, ZonelistIndex};
use mm::machine::Task;
use mm::mmzone::WMARK_LOW;
use mm::page_alloc::Request;
use mm::show::MARKS;
use mm::view::{Route, Stop, StopState};
use mm::world::World;
use mm::zlc;

/// The zonelist walk of a task's allocation in progress.
pub fn route(w: &World, task: &Task) -> Option<Route> {
    let rq = task.stack.iter().rev().find_map(|f| match f {
        Frame::AllocPages(a) => Some(a.rq),
        _ => None,
    })?;
    let walk = task.stack.iter().rev().find_map(|f| match f {
        Frame::FreeList(g) => Some(g),
        _ => None,
    });
    let (mark, alloc_flags) =
        walk.map_or((WMARK_LOW, AllocFlags::default()), |g| (g.mark, g.flags));
    let took = walk.is_some_and(|g| matches!(g.pt, mm::page_alloc::GfPt::Took));
    let at = walk
        .filter(|g| !g.zone.is_none())
        .map(|g| (g.next - 1, g.zone));
    let list = &w.facts.zonelists[rq.node];
    let stops = (0u8..).zip(list).map(|(place, &zone)| {
        let z = &w.mem.zones[zone];
        let state = match at {
            _ if z.kind > rq.high => StopState::NotAllowed,
            Some((now, _)) if place < now => StopState::Passed,
            Some((now, _)) if place == now && took => StopState::Took,
            Some((now, _)) if place == now => StopState::Now,
            _ => StopState::Ahead,
        };
        let full = zlc::is_cached(w, rq.node) && !zlc::worth_trying(w, rq.node, place);
        Stop {
            full,
            ..stop(w, zone, &rq, mark, alloc_flags, state)
        }
    });
    Some(Route {
        task: task.cx.task.get(),
        node: w.node_id(w.home(rq.node)).into(),
        order: rq.order.into(),
        gfp: rq.gfp.to_string(),
        mark: if walk.is_some() {
            MARKS[mark as usize]
        } else {
            "none"
        }
        .to_string(),
        alloc_flags: alloc_flags.names().map(str::to_string).collect(),
        zap_in_ns: zap_in_ns(w, rq.node),
        stops: stops.collect(),
    })
}

/// The time until a walk of the node's zonelist may clear the full bits (`zlc_setup`), ns.
fn zap_in_ns(w: &World, list: ZonelistIndex) -> Option<u64> {
    let cache = w.zlc.at(list)?;
    let first = cache.last_full_zap + u64::from(w.facts.hz) + 1;
    Some(w.jiffy_ns(first).saturating_sub(w.now))
}

fn stop(
    w: &World,
    zone: ZoneIndex,
    rq: &Request,
    mark: u8,
    f: AllocFlags,
    state: StopState,
) -> Stop {
    let z = &w.mem.zones[zone];
    let mut min = z.mark(mark);
    if f.has(AllocFlags::HIGH) {
        min -= min / 2;
    }
    if f.has(AllocFlags::HARDER) {
        min -= min / 4;
    }
    let kept_back = z.protection[rq.classzone as usize];
    Stop {
        zone: w.zone_key(zone),
        state,
        needs: u64::from(min) + u64::from(kept_back),
        kept_back: kept_back.into(),
        full: false,
    }
}
