//! The rules of the kernel that printed a report.
//!
//! Modelled: the check of larger orders and the reserve for atomic requests, which changed in 4.4; the boost,
//! which atomic requests ignore from 5.8 on.
//! Left out: patches of distributions.
//! Invariants: the release in the report decides; without a release, the rows decide, and the explanation
//! says so.

use facts::kernel::{BlockReserve, OrderCheck, Slack};
use facts::watermark_check::CheckRules;

use crate::report::Report;
use crate::report::pairs::leading;

/// The rules, and how they were determined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Era {
    /// The watermark check.
    pub rules: CheckRules,
    /// Whether an atomic request of order 0 ignores the boost.
    pub atomic_ignores_boost: bool,
    /// Which watermark check the report's kernel has.
    pub is_known: bool,
}

/// The check of 4.4 and later kernels.
const NEW: CheckRules = CheckRules {
    slack: Slack::OrderMinusOne,
    order_check: OrderCheck::SuitableBlock,
    block_reserve: BlockReserve::HighAtomic,
};
/// The check of kernels up to 4.3.
const OLD: CheckRules = CheckRules {
    slack: Slack::OrderMinusOne,
    order_check: OrderCheck::HalvingLoop,
    block_reserve: BlockReserve::MigrateReserve,
};

/// The rules of a report's kernel.
pub fn of(report: &Report) -> Era {
    let release = report.release.as_ref().and_then(|(text, _)| version(text));
    let is_new = release
        .map(|release| release >= (4, 4))
        .or_else(|| seen(report));
    let has_boost = report
        .zones
        .iter()
        .any(|zone| zone.values.contains_key("boost"));
    Era {
        rules: if is_new == Some(false) { OLD } else { NEW },
        atomic_ignores_boost: release.map_or(has_boost, |release| release >= (5, 8)),
        is_known: is_new.is_some(),
    }
}

/// Whether the rows are from 4.4 or later; none if either is possible.
fn seen(report: &Report) -> Option<bool> {
    let letters = |letter: char| {
        let mut blocks = report.zones.iter().flat_map(|zone| &zone.blocks);
        blocks.any(|block| block.types.as_ref().is_some_and(|t| t.contains(letter)))
    };
    let has = |name: &str| {
        let mut zones = report.zones.iter();
        zones.any(|zone| zone.values.contains_key(name))
    };
    let has_names = report.request.as_ref().is_some_and(|r| r.names.is_some());
    let is_per_node = !report.nodes.is_empty();
    if has_names || is_per_node || has("reserved_highatomic") || letters('H') {
        return Some(true);
    }
    (letters('R') || report.lists_per_cpu || !has("free_pcp")).then_some(false)
}

/// The first two numbers of a release, such as 5 and 10.
fn version(text: &str) -> Option<(u64, u64)> {
    let (major, rest) = leading(text)?;
    let (minor, _) = leading(rest.strip_prefix('.')?)?;
    Some((major, minor))
}
