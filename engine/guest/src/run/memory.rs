//! Operations on memory, on the pool of huge pages, and on the placement of a task.

use std::io;
use std::sync::atomic::Ordering::Relaxed;

use facts::index::NodeIndex;
use facts::workload::{AccessSize, Op, Policy, order};

use super::control;
use super::region::Region;
use super::sys;
use super::task::{Task, compute};

/// Computing is done for this many accesses at a time: reading the clock takes longer than an access.
const ACCESSES_AT_ONCE: u32 = 64;

impl Task {
    pub(super) fn memory(&mut self, pc: u32, op: Op) -> io::Result<()> {
        match op {
            Op::Map {
                region,
                pages,
                huge,
                fd,
            } => {
                let file = match fd {
                    u8::MAX => None,
                    fd => Some(self.files.opened(fd, true)?),
                };
                let mapped = Region::map(pages, self.plan.page_bytes, file)?;
                if huge {
                    mapped.advise_huge()?;
                }
                self.process.set_region(region, mapped);
                self.at = 0;
                Ok(())
            }
            Op::Touch { .. } => {
                self.touch(pc, op);
                Ok(())
            }
            Op::Access { .. } => {
                self.access(pc, op);
                Ok(())
            }
            Op::Lock { region } => {
                let mut mapped = self.process.region(region);
                let locked = mapped.lock();
                self.process.set_region(region, mapped);
                self.done(pc, mapped.pages().into(), 0);
                locked
            }
            Op::Free { region } => {
                let mut mapped = self.process.region(region);
                self.process.set_region(region, Region::default());
                mapped.unmap()
            }
            Op::DontNeed { region, every } => self.give_back(pc, region, every),
            _ => Ok(()),
        }
    }

    fn touch(&mut self, pc: u32, op: Op) {
        let Op::Touch {
            region,
            count,
            pattern,
            write,
            slice,
            bytes,
        } = op
        else {
            return;
        };
        #[cfg(test)]
        let number = region;
        let region = self.process.region(region);
        let part = match slice {
            true => order::part(self.thread, region.pages()),
            false => (0, region.pages()),
        };
        let count = if count == 0 { part.1 } else { count };
        if part.1 == 0 {
            return;
        }
        let whole = bytes == AccessSize::Page;
        self.at %= part.1;
        for done in 0..count {
            let page = order::next_page(pattern, part, &mut self.at, &mut self.rng);
            region.touch(page, write, whole);
            #[cfg(test)]
            super::witness::note(super::witness::Seen::Page(number.into(), page.into()));
            self.slot.progress(done + 1);
        }
        self.done(pc, count.into(), self.rounds(pc).into());
    }

    fn access(&mut self, pc: u32, op: Op) {
        let Op::Access {
            region,
            times,
            own,
            writes,
            bytes,
            compute_ns,
        } = op
        else {
            return;
        };
        let region = self.process.region(region);
        let (whole, mine) = (
            (0, region.pages()),
            order::part(self.thread, region.pages()),
        );
        let page_size = bytes == AccessSize::Page;
        let mut computed = 0;
        for done in 0..times {
            let is_own = self.rng.below(100) < own.into();
            let write = self.rng.below(100) < writes.into();
            let (first, pages) = if is_own { mine } else { whole };
            if pages > 0 {
                region.touch(first + self.rng.below(pages), write, page_size);
            }
            self.slot.progress(done + 1);
            if done + 1 - computed == ACCESSES_AT_ONCE && compute_ns > 0 {
                compute(u64::from(compute_ns) * u64::from(ACCESSES_AT_ONCE));
                computed = done + 1;
            }
        }
        compute(u64::from(compute_ns) * u64::from(times - computed));
        self.done(pc, times.into(), self.rounds(pc).into());
    }

    fn give_back(&self, pc: u32, region: u32, every: u32) -> io::Result<()> {
        let region = self.process.region(region);
        if every == 1 {
            region.give_back(0, region.pages())?;
            self.done(pc, region.pages().into(), 0);
            return Ok(());
        }
        let mut freed = 0;
        for page in (every - 1..region.pages()).step_by(every as usize) {
            region.give_back(page, 1)?;
            freed += 1;
            self.slot.progress(page);
        }
        self.done(pc, freed, u64::from(region.pages()) - freed);
        Ok(())
    }

    /// Operations on the pool of huge pages. The kernel chooses which pages it frees.
    pub(super) fn pool(&mut self, pc: u32, op: Op) -> io::Result<()> {
        let owned = self.slot.huge_pages();
        match op {
            Op::Alloc { gfp, .. } if !gfp.has(facts::gfp::Gfp::REPEAT) => Ok(()),
            Op::Alloc { pool, count, .. } => {
                let added = control::change_huge_pages(i64::from(count))?.max(0) as u32;
                self.pools[pool as usize] += added;
                owned.fetch_add(added, Relaxed);
                self.done(pc, added.into(), count.into());
                Ok(())
            }
            Op::Release { pool, every } => {
                let freed = self.pools[pool as usize] / every.max(1);
                control::change_huge_pages(-i64::from(freed))?;
                self.pools[pool as usize] -= freed;
                owned.fetch_sub(freed, Relaxed);
                self.done(pc, freed.into(), 0);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Returns the huge pages that the task has not released.
    pub(super) fn leave_pools(&self) {
        let left = self.slot.huge_pages().swap(0, Relaxed);
        if left > 0 {
            // An error is ignored, because there is no place to report it.
            let _ = control::change_huge_pages(-i64::from(left));
        }
    }

    /// Runs the task on the CPUs of its program's node. Memory then comes from the node of the CPU
    /// by default.
    pub(super) fn start_on(&self, node: NodeIndex) {
        if !node.is_none()
            && let Err(error) = self.bind(node, false)
        {
            let number = error.raw_os_error().unwrap_or(0);
            self.note(0, super::table::Kind::Failed, number as u64, 0);
        }
    }

    /// Moves the task to a node. MPOL_PREFERRED would switch NUMA balancing off, so only the CPUs are set
    /// unless memory may come from no other node.
    pub(super) fn bind(&self, node: NodeIndex, strict: bool) -> io::Result<()> {
        let cpus = self.plan.node_cpus.get(node.index());
        self.plan.set_affinity(0, cpus.map_or(&[], Vec::as_slice))?;
        match strict {
            true => sys::set_policy(libc::MPOL_BIND, &[node]),
            false if self.plan.node_cpus.len() > 1 => sys::set_policy(libc::MPOL_DEFAULT, &[]),
            false => Ok(()),
        }
    }

    pub(super) fn set_policy(&self, policy: Policy, sets: &[Vec<NodeIndex>]) -> io::Result<()> {
        match policy {
            Policy::Default => sys::set_policy(libc::MPOL_DEFAULT, &[]),
            Policy::Preferred { node } => sys::set_policy(libc::MPOL_PREFERRED, &[node]),
            Policy::Bind { which } => sys::set_policy(libc::MPOL_BIND, &sets[which as usize]),
            Policy::Interleave { which } => {
                sys::set_policy(libc::MPOL_INTERLEAVE, &sets[which as usize])
            }
        }
    }
}
