//! Touches on a machine whose memory has rates: the cost of each touch depends on the node of its
//! page.
//!
//! Modelled: as many touches per point as the CPU has time for, up to a fault; a huge page is on
//! one node.
//! Left out: data that is still in a cache from the touch before. The page that a fault has just
//! zeroed is in a cache: the touch that faulted moves no bytes.
//! Invariants: the state after a touch is the same however many touches a point makes.

use super::*;
use crate::bandwidth::{AccessCost, ByNode};
use crate::frames::Kind;
use crate::record::RecordKind;
use crate::user::memory::UserTouch;
use facts::index::NodeIndex;

/// The touches of the current point.
struct Touches {
    cost: AccessCost,
    /// Node of the CPU.
    from: NodeIndex,
    /// Time for which the task still has its CPU, in parts of a nanosecond.
    left: u64,
    done: u32,
    by_node: ByNode,
}

impl Touches {
    fn new(w: &World, cost: AccessCost) -> Self {
        Self {
            cost,
            from: w.local_node(),
            left: w.parts_left(w.run.deadline[Kind::Plain as usize]),
            done: 0,
            by_node: ByNode::default(),
        }
    }

    /// How many of `most` touches to pages of this node the task can start before it loses its CPU.
    fn fit(&self, node: NodeIndex, most: u32) -> u32 {
        let own = self.cost.own(node != self.from).max(1);
        let fit = self.left.div_ceil(own).min(most.into());
        fit.max(1) as u32
    }

    fn add(&mut self, node: NodeIndex, n: u32) {
        self.by_node[node.index()] += n;
        self.done += n;
        let own = self.cost.own(node != self.from);
        self.left = self.left.saturating_sub(u64::from(n) * own);
    }
}

/// The pages of an operation that touches memory.
#[derive(Clone, Copy)]
struct TouchedPages {
    region: u32,
    /// First page of the task's part of the region, and the number of pages in that part.
    first: u32,
    pages: u32,
    anon: bool,
    write: bool,
    pattern: Pattern,
}

impl User {
    /// [`User::touch`] on a machine whose memory has rates.
    pub(super) fn touch_by_node(
        &mut self,
        w: &mut World,
        cx: &mut Context,
        (first, pages, count): (u32, u32, u32),
        cost: AccessCost,
        up: Up<'_>,
    ) -> Flow {
        let Op::Touch {
            region,
            pattern,
            write,
            ..
        } = *self.op(w)
        else {
            return self.next();
        };
        let r = w.processes.region(cx.process, region);
        let touched = TouchedPages {
            region,
            first,
            pages,
            anon: r.backing == Backing::Anon,
            write,
            pattern,
        };
        self.at %= touched.pages;
        let most = Self::steps_at_once(w, count - self.i);
        let mut touches = Touches::new(w, cost);
        let mut fault = None;
        while touches.done < most && fault.is_none() && (touches.left > 0 || touches.done == 0) {
            fault = self.touch_some(w, cx, touched, most, &mut touches);
        }
        self.i += touches.done;
        let before = w.now;
        w.access(&touches.by_node, &cost);
        w.run.count_more(touches.done - u32::from(fault.is_none()));
        let due = w.now >= w.run.deadline[Kind::Plain as usize];
        if due || fault.is_some() || self.i == count {
            w.end_accesses();
        }
        w.count_user(w.now - before);
        match fault {
            None => Flow::Next,
            Some(page) => {
                self.i += 1;
                self.fault(w, cx, region, page, write, up)
            }
        }
    }

    /// Touches one page, or as many consecutive pages of a huge page as possible. Returns the page if the
    /// touch faults.
    fn touch_some(
        &mut self,
        w: &mut World,
        cx: &mut Context,
        touched: TouchedPages,
        most: u32,
        touches: &mut Touches,
    ) -> Option<u32> {
        let TouchedPages {
            region,
            first,
            pages,
            anon,
            write,
            pattern,
        } = touched;
        let page = order::page(pattern, (first, pages), self.at, &mut cx.rng);
        let found = w.processes.touch(cx.process, region, page, write && anon);
        let frame = match found {
            // A clean page of a file is mapped read-only.
            Access::Page(frame) if write && !anon && !w.mem.pages[frame].has(flag::DIRTY) => None,
            Access::Page(frame) | Access::Huge(frame) => Some(frame),
            Access::Hinting | Access::Absent => None,
        };
        let Some(frame) = frame else {
            self.at = (self.at + 1) % pages;
            return Some(page);
        };
        let node = w.node_of(frame);
        let n = match (found, pattern) {
            (Access::Huge(_), Pattern::Sequential) => {
                let rest = w.processes.rest_of_stretch(page).min(pages - self.at);
                touches.fit(node, rest.min(most - touches.done))
            }
            _ => 1,
        };
        self.at = (self.at + n) % pages;
        touches.add(node, n);
        w.record(UserTouch {
            index: page.into(),
            region: region.into(),
        });
        w.record_access(frame, &touches.cost);
        None
    }

    /// Maximum number of touches in this point. If touches are recorded, it is 1, because a record
    /// describes one touch.
    fn steps_at_once(w: &World, left: u32) -> u32 {
        let keeps = [
            RecordKind::UserTouch,
            RecordKind::AccessLocal,
            RecordKind::AccessRemote,
        ];
        if w.rec.on && keeps.into_iter().any(w.rec.keeps) {
            return 1;
        }
        w.run.left().clamp(1, left.into()) as u32
    }
}
