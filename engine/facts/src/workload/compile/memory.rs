//! Operations on memory: regions and pools of blocks.

use super::*;

/// The longest computation for one access, ns. A longer computation is a separate operation.
const MAX_COMPUTE_NS: u32 = 1_000_000;

impl<'a> Compiler<'a> {
    pub(super) fn map(
        &mut self,
        region: &'a str,
        size: Option<&Size>,
        huge: bool,
        file: Option<&str>,
        at: &str,
        out: &mut Vec<Refusal>,
    ) {
        let mut limit = MOST_MAPPED * self.layout.managed();
        let (mut fd, mut whole) = (u8::MAX, 1);
        if let Some(name) = file {
            let Some((number, set)) = self.file(name, at, out) else {
                return;
            };
            let known = self.own_of((set.first, set.count)).unwrap_or(set.count);
            if known > 1 {
                let reason = format!("'{name}' is {known} files: only one file can be mapped");
                return refuse(out, &format!("{at}.file"), &reason);
            }
            if huge {
                let reason = "a file cannot be mapped with huge pages";
                refuse(out, &format!("{at}.huge"), reason);
            }
            (fd, whole, limit) = (number, set.pages, set.pages.into());
        }
        let pages = match size {
            Some(size) => self.size(size, &format!("{at}.size"), limit, out),
            None => whole,
        };
        let number = self.regions.iter().position(|r| r.name == region);
        let number = number.unwrap_or_else(|| {
            self.regions.push(Region {
                name: region,
                pages: None,
                file: false,
            });
            self.regions.len() - 1
        });
        if self.regions[number].pages.is_some() {
            let reason = format!("region '{region}' is mapped already: free it first");
            refuse(out, &format!("{at}.region"), &reason);
        }
        self.regions[number].pages = Some(pages);
        self.regions[number].file = file.is_some();
        self.ops.push(Op::Map {
            region: number as u32,
            pages,
            huge,
            fd,
        });
    }

    pub(super) fn mapped(&mut self, region: &str, at: &str, out: &mut Vec<Refusal>) -> Option<u32> {
        let found = self
            .regions
            .iter()
            .position(|r| r.name == region && r.pages.is_some());
        if found.is_none() {
            let reason = format!("region '{region}' is not mapped at this point");
            refuse(out, &format!("{at}.region"), &reason);
        }
        found.map(|n| n as u32)
    }

    pub(super) fn touch(
        &mut self,
        region: &str,
        pages: Option<&Size>,
        how: Touches,
        at: &str,
        out: &mut Vec<Refusal>,
    ) {
        let Touches {
            pattern,
            write,
            slice,
            bytes,
        } = how;
        let Some(number) = self.mapped(region, at, out) else {
            return;
        };
        let found = &self.regions[number as usize];
        // The number of pages in a thread's part is known only when the thread runs.
        let all = if slice { 0 } else { found.pages.unwrap_or(1) };
        let write = write.unwrap_or(!found.file);
        let limit = u64::from(u32::MAX);
        let count = pages.map_or(all, |p| self.size(p, &format!("{at}.pages"), limit, out));
        self.ops.push(Op::Touch {
            region: number,
            count,
            pattern,
            write,
            slice,
            bytes,
        });
    }

    pub(super) fn access(&mut self, step: &Step, at: &str, out: &mut Vec<Refusal>) {
        let Step::Access {
            region,
            times,
            own,
            writes,
            bytes,
            compute,
        } = step
        else {
            return;
        };
        let Some(number) = self.mapped(region, at, out) else {
            return;
        };
        if self.regions[number as usize].file {
            let reason = format!(
                "region '{region}' maps a file, and 'access' needs anonymous memory: use 'touch' for a file"
            );
            refuse(out, &format!("{at}.region"), &reason);
        }
        if *times == 0 {
            refuse(
                out,
                &format!("{at}.times"),
                "at least one access is required",
            );
        }
        for (name, share) in [("own", *own), ("writes", *writes)] {
            if share > 100 {
                let reason = format!("{share} is not a percentage: give 0 to 100");
                refuse(out, &format!("{at}.{name}"), &reason);
            }
        }
        let compute_ns = compute.as_deref().map_or(Ok(0), parse_ns);
        let compute_ns = compute_ns.and_then(|ns| match u32::try_from(ns) {
            Ok(ns) if ns <= MAX_COMPUTE_NS => Ok(ns),
            _ => Err(format!(
                "{ns} ns for each access: at most {MAX_COMPUTE_NS} ns are allowed"
            )),
        });
        let compute_ns = compute_ns.unwrap_or_else(|reason| {
            refuse(out, &format!("{at}.compute"), &reason);
            0
        });
        self.ops.push(Op::Access {
            region: number,
            times: *times,
            own: *own,
            writes: *writes,
            bytes: *bytes,
            compute_ns,
        });
    }

    pub(super) fn dont_need(&mut self, region: &str, every: u32, at: &str, out: &mut Vec<Refusal>) {
        if every == 0 {
            let reason = "one page in this many is freed: give at least 1";
            refuse(out, &format!("{at}.every"), reason);
        }
        if let Some(region) = self.mapped(region, at, out) {
            self.ops.push(Op::DontNeed { region, every });
        }
    }

    pub(super) fn alloc(
        &mut self,
        pool: &'a str,
        order: u8,
        count: &Size,
        (kind, go_on): (BlockType, bool),
        at: &str,
        out: &mut Vec<Refusal>,
    ) {
        let orders = self.layout.geometry.orders;
        if order >= orders {
            let reason = format!(
                "order {order} is too large: this machine has orders 0 to {}",
                orders - 1
            );
            refuse(out, &format!("{at}.order"), &reason);
            return;
        }
        let limit = match go_on {
            true => u32::MAX.into(),
            false => (self.layout.managed() >> order).max(1),
        };
        let count = self.size(count, &format!("{at}.count"), limit, out);
        let gfp = match kind {
            BlockType::Unmovable => Gfp::GFP_KERNEL,
            BlockType::Reclaimable => Gfp::GFP_KERNEL.with(Gfp::RECLAIMABLE),
            BlockType::Movable => Gfp::GFP_HIGHUSER_MOVABLE,
            BlockType::Atomic => Gfp::GFP_ATOMIC,
            BlockType::Dma => Gfp::GFP_KERNEL.with(Gfp::DMA),
            BlockType::Dma32 => Gfp::GFP_KERNEL.with(Gfp::DMA32),
            BlockType::Hugetlb => Gfp::GFP_HUGETLB,
        };
        debug_assert!(gfp.migratetype() <= MOVABLE.max(RECLAIMABLE));
        let pool = self
            .pools
            .iter()
            .position(|name| *name == pool)
            .unwrap_or_else(|| {
                self.pools.push(pool);
                self.pools.len() - 1
            });
        self.ops.push(Op::Alloc {
            pool: pool as u32,
            order,
            count,
            gfp,
            go_on,
        });
    }

    pub(super) fn release(&mut self, pool: &str, every: u32, at: &str, out: &mut Vec<Refusal>) {
        let Some(number) = self.pools.iter().position(|name| *name == pool) else {
            let reason = format!("nothing was allocated into pool '{pool}' before this point");
            return refuse(out, &format!("{at}.pool"), &reason);
        };
        if every == 0 {
            return refuse(
                out,
                &format!("{at}.every"),
                "one block in this many is freed: give at least 1",
            );
        }
        self.ops.push(Op::Release {
            pool: number as u32,
            every,
        });
    }

    /// Pages of a size; at least 1, at most `limit`.
    pub(super) fn size(&self, size: &Size, path: &str, limit: u64, out: &mut Vec<Refusal>) -> u32 {
        let node = self.home();
        to_pages(self.layout, node, size, path, limit, out)
    }
}
