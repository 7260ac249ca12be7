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
            programs,
            interventions,
            length_ns,
            seed,
            node_of_cpu,
            booted_thp,
            pcp,
        } = self;
        walk.field("layout", &mut layout.hz);
        walk.field("features", &mut features.boost);
        walk.field("cost", cost);
        walk.field("zero_page", zero_page);
        walk.field("zero_huge", zero_huge);
        walk.field("zonelists", zonelists);
        walk.field("programs", &mut programs[0].count);
        walk.field("interventions", &mut interventions[0].0);
        walk.field("length_ns", length_ns);
        walk.field("seed", seed);
        walk.field("node_of_cpu", node_of_cpu);
        walk.field("booted_thp", booted_thp);
        walk.field("pcp", pcp);
    }
}

mod frames {
    use crate::buddy::*;
    use crate::fallback::RmqueueFallback;
    use crate::kswapd::Kswapd;
    use crate::memory::*;
    use crate::page_alloc::*;
    use crate::pcp::*;
    use crate::sched::HrtimerInterrupt;
    use crate::slowpath::*;
    use crate::sysctl::SysctlWrite;
    use crate::user::User;
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
    flips!(FreePcppagesBulk {
        pt,
        zone,
        to_free,
        batch_free,
        list
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
    flips!(Kswapd { pt, node, order });
    flips!(HandleMmFault {
        pt,
        region,
        page,
        node
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
    flips!(Slowpath { pt, rq, flags });
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
    use crate::counters::Counters;
    use crate::frames::Context;
    use crate::machine::{Machine, Task};
    use crate::mmzone::{Memory, Page, Segment, Zone};
    use crate::tunables::Tunables;
    use crate::world::{Birth, KswapdState, Run, World};

    flips!(Machine { w, tasks });
    flips!(Task {
        kind,
        cpu,
        status,
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
        rng
    });
    flips!(World {
        mem, spaces, sched, counters, tunables, thp, kswapd, born, births, facts, now, cpu, task,
        run
    } skip rec);
    flips!(Run { steps } skip stop_steps, stop_ns, fresh, limit, deadline, kind, deeper);
    flips!(Birth { program, node });
    flips!(KswapdState {
        task,
        awake,
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
        pcp_count,
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
        protection,
        nr_free_pages,
        nr_reserved_highatomic,
        nr_free,
        kinds,
        pcp_high,
        pcp_batch,
        numa
    });
    flips!(Counters {
        pgalloc,
        pgfree,
        pgfault,
        thp_fault_alloc,
        thp_fault_fallback
    });
    flips!(Tunables {
        min_free_kbytes,
        watermark_scale_factor,
        watermark_boost_factor,
        lowmem_reserve_ratio,
        numa_zonelist_order,
        percpu_pagelist_fraction,
        dirty_ratio,
        dirty_background_ratio,
        transparent_hugepage
    });
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
    ] {
        let mut raw = serde_json::to_value(crate::experiment::preset(id)).expect("an experiment");
        let machine = raw["machine"].as_str().and_then(crate::profile::find);
        raw["machine"] = serde_json::to_value(machine).expect("a machine");
        raw["machine"]["pcp"] = true.into();
        let mut m = Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"));
        while m.w.run.steps < 60_000 && !m.w.sched.ended {
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
    let wake = crate::slowpath::WakeAllKswapds::call(request);
    frames.insert(wake.function() as u8, wake);
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
