//! Tests that every field of a machine is in its hash: each is changed in turn.
//!
//! Modelled: a walk over all fields that changes the n-th value it meets; structs are taken apart
//! without `..`, so that a new field does not compile until it is named.
//! Left out: stop conditions and the recorder, which are no part of the state by design.

use std::collections::{BTreeSet, VecDeque};

use crate::stack::Stack;

/// Counts down to the value to change, and remembers where it was and which lists were empty.
#[derive(Debug, Default)]
pub struct Walk {
    left: usize,
    path: Vec<&'static str>,
    hit: Option<String>,
    /// Places with nothing to change.
    pub empty: Vec<String>,
}

impl Walk {
    fn hit(&mut self) -> bool {
        let hit = self.left == 0 && self.hit.is_none();
        if hit {
            self.hit = Some(self.path.join("."));
        } else {
            self.left = self.left.saturating_sub(1);
        }
        hit
    }

    /// Walks one field.
    pub fn field<T: Flip>(&mut self, name: &'static str, value: &mut T) {
        self.path.push(name);
        value.flip(self);
        self.path.pop();
    }
}

/// Something whose values can be changed one by one.
pub trait Flip {
    /// Changes the value the walk has come to.
    fn flip(&mut self, walk: &mut Walk);
}

/// Takes a struct apart; fields after `skip` are no part of the state.
macro_rules! flips {
    ($ty:ident { $($field:ident),+ } $(skip $($skip:ident),+)?) => {
        impl $crate::flip::Flip for $ty {
            fn flip(&mut self, walk: &mut $crate::flip::Walk) {
                let $ty { $($field,)+ $($($skip: _,)+)? } = self;
                $(walk.field(concat!(stringify!($ty), ".", stringify!($field)), $field);)+
            }
        }
    };
}
pub(crate) use flips;

/// An enum is changed to the first of two values it does not have.
macro_rules! flip_enums {
    ($($ty:ty: $a:expr, $b:expr;)+) => {$(
        impl Flip for $ty {
            fn flip(&mut self, walk: &mut Walk) {
                if walk.hit() {
                    *self = if *self == $a { $b } else { $a };
                }
            }
        }
    )+};
}

macro_rules! flip_numbers {
    ($($ty:ty)+) => {$(
        impl Flip for $ty {
            fn flip(&mut self, walk: &mut Walk) {
                if walk.hit() {
                    *self ^= 1 as $ty;
                }
            }
        }
    )+};
}
flip_numbers! { u8 u16 u32 u64 i32 usize }

impl Flip for bool {
    fn flip(&mut self, walk: &mut Walk) {
        if walk.hit() {
            *self = !*self;
        }
    }
}

impl<T: Flip> Flip for [T] {
    /// The first, the middle and the last.
    fn flip(&mut self, walk: &mut Walk) {
        let n = self.len();
        let mut places = vec![0, n / 2, n.saturating_sub(1)];
        places.dedup();
        for i in places.into_iter().filter(|&i| i < n) {
            self[i].flip(walk);
        }
    }
}

impl<T: Flip, const N: usize> Flip for [T; N] {
    fn flip(&mut self, walk: &mut Walk) {
        self.as_mut_slice().flip(walk);
    }
}

impl<T: Flip + Clone> Flip for Vec<T> {
    fn flip(&mut self, walk: &mut Walk) {
        match self.last().cloned() {
            None => walk.empty.push(walk.path.join(".")),
            Some(last) if walk.hit() => self.push(last),
            Some(_) => self.as_mut_slice().flip(walk),
        }
    }
}

impl Flip for Stack {
    fn flip(&mut self, walk: &mut Walk) {
        match self.last().cloned() {
            None => walk.empty.push(walk.path.join(".")),
            Some(last) if walk.hit() => {
                self.top().expect("it has a last frame").1[0] = last;
                self.push_spares(1);
            }
            Some(_) => (**self).flip(walk),
        }
    }
}

impl<T: Flip + Clone> Flip for VecDeque<T> {
    fn flip(&mut self, walk: &mut Walk) {
        match self.back().cloned() {
            None => walk.empty.push(walk.path.join(".")),
            Some(last) if walk.hit() => self.push_back(last),
            Some(_) => self.make_contiguous().flip(walk),
        }
    }
}

impl<A: Flip, B: Flip> Flip for (A, B) {
    fn flip(&mut self, walk: &mut Walk) {
        self.0.flip(walk);
        self.1.flip(walk);
    }
}

use crate::frames::Sleep;
use crate::machine::{TaskKind, TaskStatus};
use crate::profile::{Thp, ZonelistChoice};

flip_enums! {
    TaskStatus: TaskStatus::Runnable, TaskStatus::Sleeping;
    TaskKind: TaskKind::Kswapd { node: 0 }, TaskKind::Sysctl;
    Sleep: Sleep::Wait, Sleep::Until(1);
    Thp: Thp::Always, Thp::Never;
    crate::vmscan::throttle::Reason: crate::vmscan::throttle::Reason::Isolated,
        crate::vmscan::throttle::Reason::Congested;
    crate::block::Origin: crate::block::Origin::Sync, crate::block::Origin::Other;
    crate::block::End: crate::block::End::Read, crate::block::End::Write;
    crate::space::Backing: crate::space::Backing::Anon,
        crate::space::Backing::File { file: 0, offset: 0, fd: 0 };
    ZonelistChoice: ZonelistChoice::Node, ZonelistChoice::Zone;
    Option<u64>: None, Some(1);
    Option<Thp>: None, Some(Thp::Always);
    &'static crate::costs::Costs: crate::costs::Costs::of(crate::profile::CostEra::P7),
        crate::costs::Costs::of(crate::profile::CostEra::D2010);
}

impl Flip for crate::gfp::Gfp {
    fn flip(&mut self, walk: &mut Walk) {
        self.0.flip(walk);
    }
}
impl Flip for crate::gfp::AllocFlags {
    fn flip(&mut self, walk: &mut Walk) {
        self.0.flip(walk);
    }
}

impl Flip for std::sync::Arc<crate::world::Facts> {
    fn flip(&mut self, walk: &mut Walk) {
        std::sync::Arc::make_mut(self).flip(walk);
    }
}

/// What never changes while a machine runs is derived from its experiment: one value of each.
impl Flip for crate::world::Facts {
    fn flip(&mut self, walk: &mut Walk) {
        let Self {
            layout,
            features,
            cost,
            zero_page,
            zero_huge,
            zonelists,
            highest,
            preferred,
            programs,
            interventions,
            length_ns,
            seed,
            node_of_cpu,
            booted_thp,
            pcp,
            hz,
            devices,
        } = self;
        walk.field("layout", &mut layout.hz);
        walk.field("features", &mut features.boost);
        walk.field("cost", cost);
        walk.field("zero_page", zero_page);
        walk.field("zero_huge", zero_huge);
        walk.field("zonelists", zonelists);
        walk.field("highest", &mut highest[0]);
        walk.field("preferred", &mut preferred[0][0]);
        walk.field("programs", &mut programs[0].count);
        walk.field("interventions", &mut interventions[0].0);
        walk.field("length_ns", length_ns);
        walk.field("seed", seed);
        walk.field("node_of_cpu", node_of_cpu);
        walk.field("booted_thp", booted_thp);
        walk.field("pcp", pcp);
        walk.field("hz", hz);
        walk.field("devices", &mut devices[0].pages);
    }
}

mod frames {
    use crate::buddy::*;
    use crate::fallback::RmqueueFallback;
    use crate::memory::*;
    use crate::oom::OutOfMemory;
    use crate::page_alloc::*;
    use crate::pcp::*;
    use crate::sched::HrtimerInterrupt;
    use crate::slowpath::*;
    use crate::sysctl::SysctlWrite;
    use crate::user::User;
    use crate::vmscan::active::ShrinkActiveList;
    use crate::vmscan::balance_node::BalancePgdat;
    use crate::vmscan::balance_zones::BalanceZones;
    use crate::vmscan::direct::TryToFreePages;
    use crate::vmscan::inactive::ShrinkInactiveList;
    use crate::vmscan::kswapd::{Kswapd, TryToSleep};
    use crate::vmscan::lruvec::ShrinkLruvec;
    use crate::vmscan::node::ShrinkNode;
    use crate::vmscan::page_list::ShrinkPageList;
    use crate::vmscan::slab::ShrinkSlab;
    use crate::vmscan::throttle::{CongestionWait, ReclaimThrottle};
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
    flips!(FreePages { pt, page, order });
    flips!(FreeUnrefPageList { pt, page });
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
        balanced_order
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
        balanced,
        zone_scanned
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
    flips!(ShrinkSlab {
        pt,
        node,
        left,
        freed
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
        zone
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
    flips!(SysctlWrite { pt, next });
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
}

mod state {
    use crate::frames::Context;
    use crate::machine::{Machine, Task};
    use crate::mmzone::{Lruvec, Memory, Page, Segment, Zone};
    use crate::tunables::Tunables;
    use crate::vmscan::{ScanControl, Tally};
    use crate::world::{Birth, KswapdState, Pgdat, Run, World};

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
        may_writepage,
        may_unmap,
        may_swap,
        nr_to_reclaim,
        nr_scanned,
        nr_reclaimed,
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
        mem, spaces, sched, counters, tunables, thp, kswapd, pgdat, files, swap, block, wb, slab,
        page_wait, congestion_wait, kills, born, births, facts, now, cpu, task, run
    } skip rec);
    flips!(Run { steps } skip stop_steps, stop_ns, fresh, limit, deadline, kind, deeper);
    flips!(Birth { program, node });
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
        dirty_expire_centisecs,
        dirty_writeback_centisecs,
        dirty_ratio,
        dirty_background_ratio,
        transparent_hugepage
    });
}

/// A workload that comes by every function of files and swap.
fn everything() -> serde_json::Value {
    serde_json::json!({
        "id": "everything", "title": "", "about": "",
        "files": [{ "name": "map", "size": "20%" }, { "name": "log", "size": "20%" }],
        "processes": [
            { "name": "files", "count": 1, "program": [
                { "op": "map", "region": "shared", "file": "map" },
                { "op": "repeat", "times": 1000, "do": [
                    { "op": "touch", "region": "shared", "write": true, "pages": 50 },
                    { "op": "write", "file": "log", "size": 100 },
                    { "op": "fsync", "file": "log" },
                    { "op": "create", "count": 3, "size": 8 },
                    { "op": "unlink", "file": "log" },
                    { "op": "read", "file": "map", "size": 100 }
                ] }
            ] },
            { "name": "hog", "count": 2, "program": [
                { "op": "map", "region": "heap", "size": "45%" },
                { "op": "repeat", "times": 1000, "do": [{ "op": "touch", "region": "heap" }] }
            ] }
        ]
    })
}

/// Files, work and an extent for a flusher.
fn give_flusher(wb: &mut crate::page_writeback::Wb) {
    wb.io.push(0);
    wb.more_io.push(0);
    wb.work.push(crate::page_writeback::Work {
        reason: crate::page_writeback::FlushReason::Sync,
        pages: 0,
    });
    wb.io_ends.push(crate::page_writeback::extent::IoEnd {
        id: 0,
        next: 0,
        len: 0,
        left: 0,
        open: false,
        pages: vec![0],
    });
}

/// Requests at a device, work for its flusher, a bio in a task's hands.
fn give_io(m: &mut crate::machine::Machine) {
    for start in [0, 1000, 2000] {
        let bio = crate::block::Bio {
            device: 0,
            write: true,
            sync: false,
            origin: crate::block::Origin::Other,
            start,
            pages: vec![1],
            end: crate::block::End::Write,
            io_end: crate::frames::NONE,
        };
        crate::block::submit_bio(&mut m.w, bio);
    }
    m.w.block.devices[0].waiting.push(0);
    give_flusher(&mut m.w.wb.wbs[0]);
    m.tasks[0].cx.bio.push(1);
}

/// A machine with at least one of everything, a frame of every function included.
fn rich() -> crate::machine::Machine {
    use crate::experiment::Experiment;
    use crate::machine::Machine;
    use std::collections::BTreeMap;
    let mut frames = BTreeMap::new();
    let mut rich = None;
    for id in [
        "first-touch.teach",
        "first-touch.ppc64.teach",
        "mixed-types.teach",
        "many-tasks.teach",
        "run-out.teach",
        "watermarks.teach",
        "anon-hog.teach",
        "dirty-writer.teach",
        "streaming-reader.teach",
    ] {
        let mut raw = serde_json::to_value(crate::experiment::preset(id)).expect("an experiment");
        let machine = raw["machine"].as_str().and_then(crate::profile::find);
        raw["machine"] = serde_json::to_value(machine).expect("a machine");
        raw["machine"]["pcp"] = true.into();
        if id == "streaming-reader.teach" {
            raw["workload"] = everything();
            raw["interventions"] =
                serde_json::json!([{ "at": "1ms", "set": { "vm.min_free_kbytes": "300" } }]);
            raw["machine"]["devices"] = serde_json::json!([
                { "id": "sda", "model": "ssd_2021", "files": true, "swap": 16384 }
            ]);
        }
        let mut m = Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"));
        while m.w.run.steps < 300_000 && !m.w.sched.ended {
            m.run(m.w.run.steps + 1, u64::MAX);
            for frame in m.tasks.iter().flat_map(|t| t.stack.iter()) {
                frames
                    .entry(frame.function() as u8)
                    .or_insert_with(|| frame.clone());
            }
        }
        rich = Some(m);
    }
    let mut m = rich.expect("a machine");
    let request = crate::page_alloc::Request::new(&m.w, crate::gfp::Gfp::GFP_KERNEL, 0, 0);
    use crate::vmscan::throttle::{CongestionWait, Reason, ReclaimThrottle};
    for rare in [
        crate::slowpath::WakeAllKswapds::call(request),
        ReclaimThrottle::call(0, Reason::Writeback),
        CongestionWait::call(10),
        crate::oom::OutOfMemory::call(),
        crate::block::BlkGetRequest::read(0, true),
        crate::page_writeback::WriteCachePages::call(0, 0, 1, crate::block::Origin::Other),
        crate::page_writeback::BalanceDirtyPages::call(1, 0),
    ] {
        frames.insert(rare.function() as u8, rare);
    }
    give_io(&mut m);
    // The ends and the middle of each vector are walked: give them what chance did not.
    let mapped = m.w.spaces.all.iter().find(|s| s.rss > 0).cloned();
    m.w.spaces.all[0] = mapped.expect("a space with pages");
    m.w.spaces.all[0].pools.push(vec![1]);
    m.w.sched.enqueue(0, 0, 0, 0);
    m.w.sched.sleep_until(0, 0, 1);
    m.w.births.push(crate::world::Birth {
        program: 0,
        node: 0,
    });
    m.w.sched.wakes.push(0);
    m.w.kills.push(0);
    m.w.pgdat[0].pfmemalloc_wait.push(0);
    m.w.pgdat[0].reclaim_wait.push((0, 0));
    m.w.block.devices[0].waiting.push(0);
    m.w.block.devices[0].throttled = [vec![0], vec![0]];
    m.w.block.devices[0].queued.push(crate::block::Request {
        write: true,
        sync: false,
        origin: crate::block::Origin::Other,
        start: 0,
        pages: vec![0],
        io_end: crate::frames::NONE,
        queued_at: 0,
        issued_at: 0,
        ends_at: 0,
    });
    give_flusher(&mut m.w.wb.wbs[0]);
    m.w.files.fill();
    m.w.slab.fill();
    m.w.page_wait.push((0, 0));
    m.w.spaces.fill();
    let cx = &mut m.tasks[0].cx;
    cx.bio.push(0);
    cx.plug.push(crate::block::Bio {
        device: 0,
        write: true,
        sync: false,
        origin: crate::block::Origin::Kswapd,
        start: 0,
        pages: vec![0],
        end: crate::block::End::Write,
        io_end: crate::frames::NONE,
    });
    for list in [&mut cx.sc.batch, &mut cx.sc.kept, &mut cx.sc.free] {
        list.push(0);
    }
    for task in &mut m.tasks {
        if let Some(outermost) = task.stack.first().cloned() {
            task.stack = Stack::new(outermost);
        }
    }
    let missing: Vec<&str> = (0u8..)
        .zip(crate::frames::FUNCTIONS)
        .filter(|(id, _)| !frames.contains_key(id))
        .map(|(_, f)| f.name)
        .collect();
    assert!(missing.is_empty(), "no frame of {missing:?}");
    let more = frames.into_values().enumerate().map(|(i, frame)| {
        let mut task = m.tasks[0].clone();
        (task.cpu, task.stack) = (i as u16, Stack::new(frame));
        task
    });
    m.tasks = more.collect();
    m
}

#[test]
fn changing_any_field_changes_the_hash() {
    let machine = rich();
    let hash = machine.hash();
    // A vector shows its ends and its middle; every task has another function's frame.
    let mut tasks = machine.tasks.clone();
    let (mut changed, mut empty) = (BTreeSet::new(), BTreeSet::new());
    let mut count = 0;
    for task in std::iter::once(None).chain(tasks.drain(..).map(Some)) {
        let mut m = machine.clone();
        if let Some(task) = task {
            m.tasks = vec![task];
        }
        let hash = if m.tasks.len() == 1 { m.hash() } else { hash };
        for left in 0.. {
            let mut walk = Walk {
                left,
                ..Walk::default()
            };
            let mut m = m.clone();
            match m.tasks.len() {
                1 => walk.field("task", &mut m.tasks[0]),
                _ => walk.field("machine", &mut m),
            }
            let Some(hit) = walk.hit else {
                empty.extend(walk.empty);
                break;
            };
            assert_ne!(m.hash(), hash, "{hit} is not in the hash");
            count += 1;
            changed.insert(hit);
        }
    }
    empty.retain(|at: &String| !changed.iter().any(|hit| hit.starts_with(at)));
    assert!(empty.is_empty(), "nothing to change in {empty:?}");
    assert!(count > 500, "only {count} values were changed");
}
