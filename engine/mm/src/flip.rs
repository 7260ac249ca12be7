//! Tests that every field of a machine is in its hash: each is changed in turn.
//!
//! Modelled: a walk over all fields that changes the n-th value it meets; structs are taken apart
//! without `..`, so that a new field does not compile until it is named.
//! Left out: stop conditions and the recorder, which are no part of the state by design.

use std::collections::VecDeque;

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

impl<T: Flip + Copy> Flip for crate::touched::Touched<T> {
    fn flip(&mut self, walk: &mut Walk) {
        match self.last().copied() {
            None => walk.empty.push(walk.path.join(".")),
            Some(last) if walk.hit() => self.push(last),
            Some(_) => self.slice_mut(0, self.len()).flip(walk),
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
    TaskKind: TaskKind::Kswapd { node: 0 }, TaskKind::Intervention;
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
    crate::costs::Costs: *crate::costs::Costs::of(crate::profile::CostEra::P7),
        *crate::costs::Costs::of(crate::profile::CostEra::D2010);
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
            zone_reclaim_default,
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
        walk.field("interventions", &mut interventions[0].at_ns);
        walk.field("length_ns", length_ns);
        walk.field("seed", seed);
        walk.field("node_of_cpu", node_of_cpu);
        walk.field("zone_reclaim_default", zone_reclaim_default);
        walk.field("booted_thp", booted_thp);
        walk.field("pcp", pcp);
        walk.field("hz", hz);
        walk.field("devices", &mut devices[0].pages);
    }
}
mod frames;
mod rich;
mod state;
