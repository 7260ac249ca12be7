//! Operations on memory: touching and locking pages, and blocks of pages from the allocator.
//!
//! Modelled: one block per point; touches of resident pages in sequence, up to a fault.
//! Left out: what a program does with the data it reads.
//! Invariants: a block belongs to a pool until it is released.

use super::*;
use crate::frames::Kind;
use crate::record::{RecordKind, decisions};
use facts::index::{FrameIndex, NodeIndex};

decisions! {
    UserTouch { index: Count, region: Count }
        "Page {index} of region {region} is mapped: the access does not enter the kernel.";
    Mlocked { frame: Page }
        "The page at {frame} is locked in memory: it leaves the LRU lists that reclaim scans.";
}

impl User {
    pub(super) fn lock(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let Op::Lock { region } = *self.op(w) else {
            return self.next();
        };
        if self.i == w.processes.region(cx.process, region).pages {
            return self.next();
        }
        let page = self.i;
        self.i += 1;
        match w.processes.lookup(cx.process, region, page) {
            Mapping::Page(frame) => {
                crate::swap::mlock_page(w, frame);
                w.record(Mlocked { frame });
                Flow::Next
            }
            // Huge pages are on no list that reclaim scans.
            Mapping::Huge(_) => Flow::Next,
            Mapping::NoTable | Mapping::Empty | Mapping::Swap(_) => {
                self.pt = UsPt::Locked;
                let write = w.processes.region(cx.process, region).backing == Backing::Anon;
                let node = mempolicy::zonelist_at(w, cx, (region, page));
                up.call(HandleMmFault::call(region, page, node, write), w, cx)
            }
        }
    }

    pub(super) fn touch(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let Op::Touch {
            region,
            count,
            pattern,
            write,
            slice,
            bytes,
        } = *self.op(w)
        else {
            return self.next();
        };
        let r = w.processes.region(cx.process, region);
        let anon = r.backing == Backing::Anon;
        let (first, pages) = match slice {
            true => Self::part(cx, r.pages),
            false => (0, r.pages),
        };
        let count = if count == 0 { pages } else { count };
        if self.i == count || pages == 0 {
            return self.next();
        }
        if let Some(costs) = w.facts.accesses {
            let part = (first, pages, count);
            return self.touch_by_node(w, cx, part, *costs.of(bytes), up);
        }
        let most = self.touches_at_once(w, count);
        self.at %= pages;
        let mut done = match pattern {
            Pattern::Sequential if most > 1 && (anon || !write) => {
                self.sweep(w, (cx.process, region), (first, pages), most, write && anon)
            }
            _ => 0,
        };
        while done < most {
            let page = order::next_page(pattern, (first, pages), &mut self.at, &mut cx.rng);
            let faults = match w.processes.touch(cx.process, region, page, write && anon) {
                // A clean page of a file is mapped read-only.
                Access::Page(frame) => write && !anon && !w.mem.pages[frame].has(flag::DIRTY),
                Access::Huge(_) => false,
                Access::Hinting | Access::Absent => true,
            };
            if faults {
                self.i += 1;
                self.touched_resident(w, done);
                w.run.count_more(done);
                return self.fault(w, cx, region, page, write, up);
            }
            done += 1;
            w.record(UserTouch {
                index: page.into(),
                region: region.into(),
            });
        }
        self.touched_resident(w, done);
        w.run.count_more(done - 1);
        Flow::Next
    }

    /// The number of touches in this point, if all of them are of resident pages. Each touch is a
    /// step. The last one is the touch after which the task would leave the CPU or the run stops.
    /// If touches are recorded, the number is 1, because a record describes one touch.
    fn touches_at_once(&self, w: &World, count: u32) -> u32 {
        if w.rec.on && (w.rec.keeps)(RecordKind::UserTouch) {
            return 1;
        }
        let until = w.run.deadline[Kind::Plain as usize].saturating_sub(w.now);
        let until = until.div_ceil(w.facts.cost.touch.into()).min(w.run.left());
        until.clamp(1, u64::from(count - self.i)) as u32
    }

    /// Touches resident pages in sequence, repeatedly, up to the first fault.
    fn sweep(
        &mut self,
        w: &mut World,
        (space, region): (u32, u32),
        (first, pages): (u32, u32),
        most: u32,
        write: bool,
    ) -> u32 {
        let mut done = 0;
        while done < most {
            if done >= pages {
                // All pages are resident and their entries are marked as used, so another round
                // changes nothing.
                self.at = ((u64::from(self.at) + u64::from(most - done)) % u64::from(pages)) as u32;
                return most;
            }
            let (page, left) = (first + self.at, (most - done).min(pages - self.at));
            let touched = w.processes.touch_run(space, region, page, left, write);
            if touched == 0 {
                break;
            }
            done += touched;
            self.at = (self.at + touched) % pages;
        }
        done
    }

    /// Accounts for touches that did not enter the kernel.
    fn touched_resident(&mut self, w: &mut World, touches: u32) {
        self.i += touches;
        w.spend_user(w.facts.cost.touch * touches);
    }

    #[inline]
    pub(super) fn fault(
        &mut self,
        w: &mut World,
        cx: &mut Context,
        region: u32,
        page: u32,
        write: bool,
        up: Up<'_>,
    ) -> Flow {
        self.pt = UsPt::Touched;
        let node = mempolicy::zonelist_at(w, cx, (region, page));
        up.call(HandleMmFault::call(region, page, node, write), w, cx)
    }

    pub(super) fn touched(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.pt = match self.op(w) {
            Op::Access { .. } => UsPt::Access,
            _ => UsPt::Touch,
        };
        if cx.ret == 0 {
            return self.die(w, cx);
        }
        Flow::Next
    }

    /// Unmaps every n-th page, and frees it if no other process maps it.
    pub(super) fn dont_need(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let Op::DontNeed { region, every } = *self.op(w) else {
            return self.next();
        };
        let r = w.processes.region(cx.process, region);
        let page = self.i.saturating_add(every - 1);
        if page >= r.pages || r.locked {
            w.spend(w.facts.cost.tlb_flush_all);
            return self.next();
        }
        self.i = page + 1;
        let Some(found) = w.processes.zap(cx.process, region, page, every == 1) else {
            return Flow::Next;
        };
        w.spend(w.facts.cost.unmap);
        match crate::memory::zap(w, found) {
            Some(frame) => {
                let order = w.mem.pages[frame].order();
                up.call(crate::pcp::FreePages::call(frame, order), w, cx)
            }
            None => Flow::Next,
        }
    }

    pub(super) fn alloc(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let Op::Alloc {
            order, count, gfp, ..
        } = *self.op(w)
        else {
            return self.next();
        };
        if self.i == count {
            return self.next();
        }
        self.i += 1;
        self.pt = UsPt::Got;
        let gfp = if order > 0 { gfp.with(Gfp::COMP) } else { gfp };
        let node = if gfp.has(Gfp::REPEAT) {
            w.only(self.next_node(w))
        } else {
            Self::node(cx, w)
        };
        up.call(AllocPages::call(Request::new(w, gfp, order, node)), w, cx)
    }

    /// The node from which the pool of huge pages takes its next page. The nodes with memory take
    /// turns (`hstate_next_node_to_alloc`, mm/hugetlb.c of 2.6.37).
    fn next_node(&mut self, w: &World) -> NodeIndex {
        let mut ahead = nodes_with_memory(w).filter(|&n| n >= self.next_nid);
        let node = ahead.next().or_else(|| nodes_with_memory(w).next());
        let node = node.unwrap_or_default();
        self.next_nid = match node.next() {
            next if next.index() < w.facts.layout.nodes.len() => next,
            _ => NodeIndex::default(),
        };
        node
    }

    /// Should the pool try the next node after one had no page? The pool tries each node once
    /// (`alloc_fresh_huge_page`).
    fn asks_next_node(&mut self, w: &World) -> bool {
        self.tried += 1;
        let goes_on = usize::from(self.tried) < nodes_with_memory(w).count();
        if !goes_on {
            self.tried = 0;
        }
        goes_on
    }

    pub(super) fn got(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.pt = UsPt::Alloc;
        let Op::Alloc {
            pool,
            order,
            count,
            gfp,
            go_on,
        } = *self.op(w)
        else {
            return self.next();
        };
        if cx.ret != NONE {
            self.tried = 0;
        } else if gfp.has(Gfp::REPEAT) && self.asks_next_node(w) {
            self.i -= 1;
            return Flow::Next;
        }
        if go_on {
            let made = &mut w.phases.made;
            let counted = if cx.ret == NONE {
                &mut made.failed
            } else {
                &mut made.blocks
            };
            *counted += 1;
        }
        if cx.ret == NONE && go_on {
            return Flow::Next;
        }
        if cx.ret == NONE {
            // A kernel user that does not get a block does not request the remaining ones.
            self.i = count;
            return Flow::Next;
        }
        w.mem
            .set_kind(FrameIndex::new(cx.ret), PageKind::Kernel, order);
        w.mem.pages[FrameIndex::new(cx.ret)].owner = cx.process;
        w.mem.pages[FrameIndex::new(cx.ret)].index = pool;
        w.processes.all[cx.process as usize].pools[pool as usize].push(FrameIndex::new(cx.ret));
        Flow::Next
    }

    pub(super) fn release(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let Op::Release { pool, every } = *self.op(w) else {
            return self.next();
        };
        let blocks = &mut w.processes.all[cx.process as usize].pools[pool as usize];
        let victim = self.i as usize + every as usize - 1;
        if victim >= blocks.len() {
            blocks.retain(|frame| !frame.is_none());
            return self.next();
        }
        let frame = std::mem::replace(&mut blocks[victim], FrameIndex::NONE);
        self.i += every;
        let order = w.mem.pages[frame].order();
        release(w, frame);
        up.call(crate::pcp::FreePages::call(frame, order), w, cx)
    }
}

/// Nodes that have memory to allocate.
fn nodes_with_memory(w: &World) -> impl Iterator<Item = NodeIndex> {
    let nodes = NodeIndex::all(w.facts.layout.nodes.len());
    nodes.filter(|&n| !w.facts.zonelists[w.only(n)].is_empty())
}
