//! The watermark check as arithmetic on plain numbers (mm/page_alloc.c: `__zone_watermark_ok`).
//!
//! Modelled: the lowered watermark of requests that may use reserves, the pages that do not count as free,
//! the first comparison, and both checks of larger orders.
//! Left out: the drift of per-cpu counters.
//! Visible difference: none; the simulated machine and the explanation of real reports use the same
//! functions.
//! Invariants: raising the watermark never turns a failure into a success; [`AllocFlags::HIGH`] and
//! [`AllocFlags::HARDER`] never turn a success into a failure.

use std::ops::{Div, Sub};

use crate::gfp::AllocFlags;
use crate::kernel::{BlockReserve, Features, OrderCheck, Slack};

/// How a kernel checks a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckRules {
    /// Pages subtracted for the request itself.
    pub slack: Slack,
    /// How larger orders are checked.
    pub order_check: OrderCheck,
    /// Which blocks are reserved for high-order atomic requests.
    pub block_reserve: BlockReserve,
}

impl CheckRules {
    /// The rules of a modelled kernel.
    pub const fn of(features: &Features) -> CheckRules {
        CheckRules {
            slack: features.slack,
            order_check: features.order_check,
            block_reserve: features.block_reserve,
        }
    }
}

/// Free blocks of one order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FreeBlocks {
    /// The number of blocks of all migrate types.
    pub count: u64,
    /// Whether one of them is on a list that the request may use.
    pub usable: bool,
}

/// A zone and a request, in numbers. All except the order are pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check<'a> {
    /// `NR_FREE_PAGES`.
    pub free: u64,
    /// The watermark to check, including its boost if the boost counts.
    pub mark: u64,
    /// The zone's protection from the request.
    pub reserve: u64,
    /// Pages in blocks reserved for high-order atomic requests.
    pub highatomic: u64,
    /// Free CMA pages that the request may not use.
    pub cma: u64,
    /// The order of the request.
    pub order: u8,
    /// What the request may do.
    pub flags: AllocFlags,
    /// Free blocks by order; may be shorter than the kernel's list.
    pub blocks: &'a [FreeBlocks],
}

/// The numbers that a check compares first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// The free pages that count; can be negative.
    pub counted: i64,
    /// The limit that they must exceed: the lowered watermark plus the reserve.
    pub needs: i64,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The zone can serve the request.
    Passes,
    /// The pages that count do not exceed the limit.
    Below,
    /// [`OrderCheck::HalvingLoop`]: without the blocks below this order, too few pages are left.
    Fragmented {
        /// Blocks below this order were subtracted.
        order: u8,
        /// The pages that were left.
        left: i64,
        /// The limit that they had to exceed.
        needs: i64,
    },
    /// [`OrderCheck::SuitableBlock`]: no free block is large enough.
    NoBlock,
}

/// A watermark for a request that may use reserves: half of it with `HIGH`, then a quarter less with
/// `HARDER`.
#[inline(always)]
pub fn lowered<P, N>(mark: P, flags: AllocFlags) -> P
where
    P: Copy + Sub<Output = P> + Div<N, Output = P>,
    N: From<u8>,
{
    let mut mark = mark;
    if flags.has(AllocFlags::HIGH) {
        mark = mark - mark / N::from(2);
    }
    if flags.has(AllocFlags::HARDER) {
        mark = mark - mark / N::from(4);
    }
    mark
}

/// Whether a request may use the lists of the reserved migrate type.
#[inline(always)]
pub const fn uses_reserves(flags: AllocFlags) -> bool {
    flags.has(AllocFlags::HIGH) || flags.has(AllocFlags::HARDER)
}

/// Pages subtracted from the free pages for the request itself.
#[inline(always)]
pub const fn slack_pages(slack: Slack, order: u8) -> i32 {
    match slack {
        Slack::OrderMinusOne => (1i32 << order) - 1,
        Slack::OrderPlusOne => (1i32 << order) + 1,
    }
}

impl Check<'_> {
    /// The first comparison.
    pub fn compared(&self, rules: &CheckRules) -> Compared {
        let signed = |pages: u64| i64::try_from(pages).unwrap_or(i64::MAX);
        let keeps = rules.block_reserve == BlockReserve::HighAtomic && !uses_reserves(self.flags);
        let kept = if keeps { self.highatomic } else { 0 };
        let unusable = signed(kept.saturating_add(self.cma));
        let slack = i64::from(slack_pages(rules.slack, self.order));
        let mark = lowered::<i64, i64>(signed(self.mark), self.flags);
        Compared {
            counted: signed(self.free).saturating_sub(slack.saturating_add(unusable)),
            needs: mark.saturating_add(signed(self.reserve)),
        }
    }

    /// The whole check.
    pub fn outcome(&self, rules: &CheckRules) -> Outcome {
        let Compared { counted, needs } = self.compared(rules);
        if counted <= needs {
            return Outcome::Below;
        }
        match (self.order, rules.order_check) {
            (0, _) => Outcome::Passes,
            (_, OrderCheck::SuitableBlock) => {
                let large = self.blocks.get(usize::from(self.order)..);
                let suits = |blocks: &FreeBlocks| blocks.count > 0 && blocks.usable;
                match large.unwrap_or_default().iter().any(suits) {
                    true => Outcome::Passes,
                    false => Outcome::NoBlock,
                }
            }
            (_, OrderCheck::HalvingLoop) => self.halving(rules, counted),
        }
    }

    /// Subtracts the blocks of each order that is too small, and halves the watermark each time.
    fn halving(&self, rules: &CheckRules, counted: i64) -> Outcome {
        let reserve = i64::try_from(self.reserve).unwrap_or(i64::MAX);
        // Only the watermark is halved; the reserve counts in the first comparison only.
        let mut needs = self.compared(rules).needs.saturating_sub(reserve);
        let mut left = counted;
        for order in 0..self.order {
            let blocks = self.blocks.get(usize::from(order));
            let pages = blocks.map_or(0, |blocks| blocks.count.saturating_mul(1 << order));
            left = left.saturating_sub(i64::try_from(pages).unwrap_or(i64::MAX));
            needs /= 2;
            if left <= needs {
                let order = order + 1;
                return Outcome::Fragmented { order, left, needs };
            }
        }
        Outcome::Passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: CheckRules = CheckRules {
        slack: Slack::OrderMinusOne,
        order_check: OrderCheck::SuitableBlock,
        block_reserve: BlockReserve::HighAtomic,
    };
    const OLD: CheckRules = CheckRules {
        order_check: OrderCheck::HalvingLoop,
        block_reserve: BlockReserve::MigrateReserve,
        ..NEW
    };
    const CHECK: Check = Check {
        free: 1000,
        mark: 800,
        reserve: 0,
        highatomic: 0,
        cma: 0,
        order: 0,
        flags: AllocFlags(0),
        blocks: &[],
    };

    #[test]
    fn compares_free_pages_with_watermark_plus_reserve() {
        assert_eq!(CHECK.outcome(&NEW), Outcome::Passes);
        let reserved = Check {
            reserve: 200,
            ..CHECK
        };
        assert_eq!(reserved.outcome(&NEW), Outcome::Below);
        let kept = Check {
            highatomic: 150,
            cma: 50,
            ..CHECK
        };
        assert_eq!(kept.outcome(&NEW), Outcome::Below);
        assert_eq!(kept.compared(&OLD).counted, 950);
        let atomic = Check {
            flags: AllocFlags::HIGH.with(AllocFlags::HARDER),
            ..kept
        };
        let numbers = Compared {
            counted: 950,
            needs: 300,
        };
        assert_eq!(atomic.compared(&NEW), numbers);
    }

    #[test]
    fn needs_one_usable_block_of_the_order_from_4_4_on() {
        let of = |usable| FreeBlocks { count: 1, usable };
        for (blocks, outcome) in [
            (vec![of(true), of(true)], Outcome::NoBlock),
            (vec![of(true), of(true), of(false)], Outcome::NoBlock),
            (
                vec![of(true), of(true), of(false), of(true)],
                Outcome::Passes,
            ),
        ] {
            let check = Check {
                order: 2,
                blocks: &blocks,
                ..CHECK
            };
            assert_eq!(check.outcome(&NEW), outcome);
        }
    }

    #[test]
    fn subtracts_smaller_orders_and_halves_the_watermark_before_4_4() {
        let of = |count| FreeBlocks {
            count,
            usable: true,
        };
        let blocks = [of(400), of(100), of(100)];
        let check = Check {
            order: 2,
            blocks: &blocks,
            ..CHECK
        };
        // 997 - 400 is above 400, 597 - 200 is above 200.
        assert_eq!(check.outcome(&OLD), Outcome::Passes);
        let single = [of(900), of(0), of(25)];
        let outcome = Check {
            blocks: &single,
            ..check
        }
        .outcome(&OLD);
        let expected = Outcome::Fragmented {
            order: 1,
            left: 97,
            needs: 400,
        };
        assert_eq!(outcome, expected);
    }
}
