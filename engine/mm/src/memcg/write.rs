//! Writes to the files of a cgroup (mm/memcontrol.c, `memory_max_write`, `memory_high_write`,
//! `memory_reclaim`).
//!
//! Modelled: a lower limit takes effect immediately: the writer reclaims until the usage is below
//! it. Above memory.max the OOM killer follows sixteen reclaims without success.
//! Left out: the writing task: the write takes no time on any CPU.
//! Invariants: after a write to memory.max the usage is at most the limit, or nothing can be
//! reclaimed and no process can be killed.

use facts::index::GroupIndex;
use facts::intervention::CgroupFile;
use facts::state::{State, StateHasher, Walk};

use super::oom::MemCgroupOom;
use super::reclaim::TryToFreeMemCgroupPages;
use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::kernel::MemcgRule;
use crate::vmscan::SWAP_CLUSTER_MAX;
use crate::world::World;

/// Number of reclaims without success before the writer gives up (`MAX_RECLAIM_RETRIES`).
const RETRIES: u8 = 16;

/// The file that is written, as part of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written(pub CgroupFile);

impl State for Written {
    fn flip(&mut self, walk: &mut Walk) {
        let mut reclaims = self.0 == CgroupFile::Reclaim;
        walk.field("Written", &mut reclaims);
        self.0 = if reclaims {
            CgroupFile::Reclaim
        } else {
            CgroupFile::Max
        };
    }
    fn hash(&self, hasher: &mut StateHasher) {
        hasher.word(self.0 as u64);
    }
    fn is_at_rest(&self) -> bool {
        false
    }
}

room! {
    MemoryWrite: "memory_max_write" in "mm/memcontrol.c";
    Simplified "Also memory_high_write(), memory_low_write(), memory_min_write(), swap_max_write() and memory_reclaim()." if |f| f.memcg != MemcgRule::Absent;
    MwPt {
        Set 0 Plain "page_counter_set_max(), page_counter_set_high()";
        Check 0 Plain "until the usage is below it, or enough is reclaimed:";
        Reclaim 1 Plain "drain_all_stock() once, try_to_free_mem_cgroup_pages()";
        Reclaimed 1 Plain "no progress 16 times: give up";
        Oom 1 Plain "memory.max: mem_cgroup_out_of_memory()";
        Killed 1 Plain "no task to kill: give up";
    }
    locals(self, w) {
        memcg: group(self.group);
        nr_pages: number(self.pages);
        nr_retries: number(self.retries);
    }
}

/// `memory_max_write` and the functions for the other files.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct MemoryWrite {
    /// Current program point.
    pub pt: MwPt,
    /// The cgroup.
    pub group: GroupIndex,
    /// The file that is written.
    pub file: Written,
    /// Number of retries left.
    pub retries: u8,
    /// True if the stocks were drained.
    pub drained: bool,
    /// The limit in pages, or the number of pages still to be reclaimed.
    pub pages: u32,
}

/// Number of pages that one call for memory.reclaim requests: all that are left, or from 6.12 on a
/// quarter of them.
pub fn reclaim_step(rule: MemcgRule, left: u32) -> u32 {
    match rule {
        MemcgRule::SharedWalk => (left / 4).max(SWAP_CLUSTER_MAX),
        MemcgRule::WholeTree | MemcgRule::Absent => left.max(SWAP_CLUSTER_MAX),
    }
}

impl MemoryWrite {
    /// Frame of a write that has not started.
    pub fn call(group: GroupIndex, file: CgroupFile, pages: u32) -> Frame {
        Frame::MemoryWrite(Self {
            pt: MwPt::Set,
            group,
            file: Written(file),
            retries: RETRIES,
            drained: false,
            pages,
        })
    }

    /// Executes one point.
    #[inline(never)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            MwPt::Set => {
                self.set(w);
                self.pt = MwPt::Check;
                Flow::Next
            }
            MwPt::Check => match self.left(w) {
                0 => Flow::Ret,
                _ => {
                    self.pt = MwPt::Reclaim;
                    Flow::Next
                }
            },
            MwPt::Reclaim => {
                self.pt = MwPt::Reclaimed;
                if !std::mem::replace(&mut self.drained, true) && !self.is_reclaim() {
                    w.memcg.drain(self.group);
                    self.pt = MwPt::Check;
                    return Flow::Next;
                }
                let left = self.left(w);
                let goal = match self.is_reclaim() {
                    true => reclaim_step(w.facts.features.memcg, left),
                    false => left,
                };
                let call = TryToFreeMemCgroupPages::call(self.group, goal, Gfp::GFP_KERNEL, w);
                up.call(call, w, cx)
            }
            MwPt::Reclaimed => self.reclaimed(cx),
            MwPt::Oom => {
                self.pt = MwPt::Killed;
                up.call(MemCgroupOom::call(self.group, 0), w, cx)
            }
            MwPt::Killed => {
                self.pt = MwPt::Check;
                if cx.ret == 0 {
                    return Flow::Ret;
                }
                self.retries = RETRIES;
                // The victim needs time to exit.
                cx.sleep = crate::frames::Sleep::Until(w.jiffy_ns(w.jiffies() + 1));
                Flow::Sleep
            }
        }
    }

    fn is_reclaim(&self) -> bool {
        self.file.0 == CgroupFile::Reclaim
    }

    fn set(&self, w: &mut World) {
        let mut memory = w.memcg.memory.all[self.group].limits;
        let mut swap = w.memcg.swap.all[self.group].limits;
        match self.file.0 {
            CgroupFile::Max => memory.max = self.pages,
            CgroupFile::High => memory.high = self.pages,
            CgroupFile::Low => memory.low = self.pages,
            CgroupFile::Min => memory.min = self.pages,
            CgroupFile::SwapMax => swap.max = self.pages,
            CgroupFile::Reclaim => {}
        }
        w.memcg.memory.set(self.group, memory);
        w.memcg.swap.set(self.group, swap);
    }

    /// Number of pages still to be reclaimed.
    fn left(&self, w: &World) -> u32 {
        match self.file.0 {
            CgroupFile::Max | CgroupFile::High => {
                let usage = w.memcg.memory.all[self.group].usage;
                usage.saturating_sub(self.pages)
            }
            CgroupFile::Low | CgroupFile::Min | CgroupFile::SwapMax => 0,
            CgroupFile::Reclaim => self.pages,
        }
    }

    fn reclaimed(&mut self, cx: &Context) -> Flow {
        let reclaimed = cx.ret;
        if self.is_reclaim() {
            self.pages = self.pages.saturating_sub(reclaimed);
        }
        self.pt = MwPt::Check;
        if reclaimed > 0 {
            return Flow::Next;
        }
        if self.retries > 0 {
            self.retries -= 1;
            return Flow::Next;
        }
        if self.file.0 == CgroupFile::Max {
            self.pt = MwPt::Oom;
            return Flow::Next;
        }
        Flow::Ret
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_reclaims_a_quarter_of_the_remaining_pages_from_6_12_on() {
        let calls = |rule| {
            let (mut left, mut calls) = (1000u32, Vec::new());
            while left > 0 {
                let step = reclaim_step(rule, left);
                calls.push(step);
                left = left.saturating_sub(step);
            }
            calls
        };
        let quarters = [250, 187, 140, 105, 79, 59, 45, 33, 32, 32, 32, 32];
        assert_eq!(calls(MemcgRule::SharedWalk), quarters);
        assert_eq!(calls(MemcgRule::WholeTree), [1000]);
    }
}
