//! The walk over the zonelist for the failed request, with the numbers of the report.
//!
//! Modelled: the zones that the request may use, its watermark, the reserve of each zone against the request,
//! the free pages that do not count, and the check of larger orders.
//! Left out: the preferred node, which no report names, so nodes are walked in numerical order; cpusets and
//! memory policies beyond the nodes that the report names.
//! Invariants: the same arithmetic as in the simulated machine (`facts::watermark_check`). If the text lacks
//! a number, there is no verdict.

use facts::arch::ZoneType;
use facts::gfp::AllocFlags;
use facts::watermark_check::{Check, FreeBlocks, Outcome, uses_reserves};

use crate::document::Verdict;
use crate::era::Era;
use crate::oom::classes;
use crate::report::{Report, ZoneRow};
use crate::request::Request;

/// A zone in the walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneCheck<'a> {
    /// The zone's row.
    pub zone: &'a ZoneRow,
    /// The result of the check.
    pub verdict: Verdict,
    /// The numbers of the check, if the text contains them.
    pub numbers: Option<Numbers>,
    /// The missing values that prevent a verdict.
    pub lacks: Vec<&'static str>,
    /// How the check of a larger order ended, if the zone has enough free pages.
    pub outcome: Option<Outcome>,
}

/// The numbers of a check, in kB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers {
    /// Free pages.
    pub free: u64,
    /// Free pages that count; can be negative.
    pub counted: i64,
    /// The min watermark, including the boost.
    pub min: u64,
    /// The watermark that applies to this request.
    pub mark: u64,
    /// The reserve against this request; none if the text lacks it.
    pub reserve: Option<u64>,
    /// The watermark plus the reserve.
    pub needs: i64,
    /// Free pages reserved for high-order atomic requests.
    pub highatomic: u64,
    /// Free CMA pages that the request may not use.
    pub cma: u64,
}

/// The request, and what is assumed about the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Whether the report names a request.
    pub is_named: bool,
    /// Its order.
    pub order: u8,
    /// The highest zone type that it may use.
    pub highest: ZoneType,
    /// What the request may do at the min watermark.
    pub flags: AllocFlags,
    /// Whether it may use CMA areas.
    pub movable: bool,
    /// The nodes that it may use; none for all nodes.
    pub nodes: Option<Vec<u16>>,
    /// Page size in kB.
    pub page_kb: u64,
    /// How the page size was found.
    pub page_from: PageFrom,
    /// The zone types that are the positions in `lowmem_reserve[]`.
    pub types: Option<Vec<ZoneType>>,
}

/// How the page size was determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFrom {
    /// From the smallest free block.
    Blocks,
    /// From the amount of free memory, which the report gives in pages and in kB.
    Totals,
    /// It is assumed.
    Assumed,
}

/// The request of a report; if the report names none, a request for one page of any zone.
pub fn asked(report: &Report) -> Asked {
    let (page_kb, page_from) = page_size(report);
    let base = Asked {
        is_named: false,
        order: 0,
        highest: ZoneType::Movable,
        flags: AllocFlags::default(),
        movable: true,
        nodes: None,
        page_kb,
        page_from,
        types: classes::of(report),
    };
    let Some(request) = &report.request else {
        return base;
    };
    Asked {
        is_named: true,
        order: request.order,
        highest: request.highest_zone(),
        flags: request.alloc_flags(),
        movable: request.is_movable(),
        nodes: nodes(report, request),
        ..base
    }
}

fn page_size(report: &Report) -> (u64, PageFrom) {
    if let Some(kb) = report.page_kb() {
        return (kb, PageFrom::Blocks);
    }
    let free = report.total("free").filter(|at| at.value > 0);
    let kb = report.zones_kb("free");
    if let (Some(pages), Some(kb)) = (free, kb)
        && let size @ (4 | 8 | 16 | 64) = kb.saturating_add(pages.value / 2) / pages.value
    {
        return (size, PageFrom::Totals);
    }
    (4, PageFrom::Assumed)
}

/// The nodes that a request may use, as far as the report names them.
fn nodes(report: &Report, request: &Request) -> Option<Vec<u16>> {
    let of_cpuset = report.mems_allowed.as_ref().map(|(nodes, _)| nodes);
    // Atomic requests ignore the cpuset.
    let of_cpuset = of_cpuset.filter(|_| !request.is_atomic());
    match (&request.nodemask, of_cpuset) {
        (Some(mask), Some(cpuset)) => {
            let both = mask.iter().filter(|node| cpuset.contains(node));
            Some(both.copied().collect())
        }
        (Some(nodes), None) | (None, Some(nodes)) => Some(nodes.clone()),
        (None, None) => None,
    }
}

/// All zones in the order of the walk, those that the request may not use last.
pub fn walk<'a>(report: &'a Report, asked: &Asked, era: &Era) -> Vec<ZoneCheck<'a>> {
    let mut zones: Vec<&ZoneRow> = report.zones.iter().collect();
    zones.sort_by_key(|zone| (zone.node, std::cmp::Reverse(classes::kind(zone))));
    let mut checks: Vec<ZoneCheck<'_>> = zones
        .into_iter()
        .map(|zone| check(zone, asked, era))
        .collect();
    checks.sort_by_key(|check| check.verdict == Verdict::NotAllowed);
    checks
}

/// Whether a request may use a zone.
fn is_allowed(zone: &ZoneRow, asked: &Asked) -> bool {
    let of_type = classes::kind(zone).is_some_and(|kind| kind <= asked.highest);
    let nodes = asked.nodes.as_ref();
    of_type && nodes.is_none_or(|nodes| nodes.contains(&zone.node))
}

fn check<'a>(zone: &'a ZoneRow, asked: &Asked, era: &Era) -> ZoneCheck<'a> {
    let (reserve, reserve_lacks) = reserve(zone, asked);
    let (free, min) = (zone.kb("free"), zone.kb("min"));
    let mut lacks: Vec<&'static str> = Vec::new();
    lacks.extend(free.is_none().then_some("free"));
    lacks.extend(min.is_none().then_some("min"));
    lacks.extend(reserve_lacks.then_some("lowmem_reserve"));
    let verdict = |verdict| ZoneCheck {
        zone,
        verdict,
        numbers: None,
        lacks: Vec::new(),
        outcome: None,
    };
    if !is_allowed(zone, asked) {
        return verdict(Verdict::NotAllowed);
    }
    let (Some(free), Some(min)) = (free, min) else {
        return ZoneCheck {
            lacks,
            ..verdict(Verdict::Unknown)
        };
    };
    if asked.order > 0 && zone.blocks.is_empty() {
        lacks.push("free blocks by order");
    }
    let blocks = usable_blocks(zone, asked);
    let page_kb = asked.page_kb.max(1);
    let boost = zone.kb("boost").unwrap_or(0);
    let ignores_boost = era.atomic_ignores_boost
        && asked.order == 0
        && asked.flags.has(AllocFlags::HIGH.with(AllocFlags::HARDER));
    let counts = if ignores_boost {
        min.saturating_sub(boost)
    } else {
        min
    };
    let highatomic = zone
        .kb("free_highatomic")
        .or(zone.kb("reserved_highatomic"));
    let cma = zone.kb("free_cma").filter(|_| !asked.movable).unwrap_or(0);
    let check = Check {
        free: free / page_kb,
        mark: counts / page_kb,
        reserve,
        highatomic: highatomic.unwrap_or(0) / page_kb,
        cma: cma / page_kb,
        order: asked.order,
        flags: asked.flags,
        blocks: &blocks,
    };
    let compared = check.compared(&era.rules);
    let outcome = check.outcome(&era.rules);
    let reserve_kb = reserve.saturating_mul(page_kb);
    let signed = |pages: i64| pages.saturating_mul(i64::try_from(page_kb).unwrap_or(1));
    let needs = signed(compared.needs);
    let kept = !uses_reserves(asked.flags);
    let numbers = Numbers {
        free,
        counted: signed(compared.counted),
        min,
        mark: u64::try_from(needs).unwrap_or(0).saturating_sub(reserve_kb),
        reserve: (!reserve_lacks).then_some(reserve_kb),
        needs,
        highatomic: highatomic.filter(|_| kept).unwrap_or(0),
        cma,
    };
    let without_blocks = asked.order > 0 && zone.blocks.is_empty();
    let passed = match outcome {
        Outcome::Below => Verdict::Below,
        // If the text lacks the reserve or the blocks, a passed check proves nothing.
        _ if reserve_lacks || without_blocks => Verdict::Unknown,
        Outcome::Passes => Verdict::Passes,
        Outcome::NoBlock | Outcome::Fragmented { .. } => Verdict::NoBlock,
    };
    ZoneCheck {
        numbers: Some(numbers),
        lacks,
        outcome: Some(outcome),
        ..verdict(passed)
    }
}

/// The reserve of a zone against the request, in pages; the flag says that the text lacks it.
fn reserve(zone: &ZoneRow, asked: &Asked) -> (u64, bool) {
    let Some(row) = &zone.reserve else {
        return (0, true);
    };
    let Some(types) = &asked.types else {
        return (0, true);
    };
    let below = types.iter().rposition(|kind| *kind <= asked.highest);
    match below.and_then(|at| row.get(at)) {
        Some(pages) => (*pages, false),
        None => (0, true),
    }
}

/// Free blocks by order, limited to those that the request may use.
fn usable_blocks(zone: &ZoneRow, asked: &Asked) -> Vec<FreeBlocks> {
    let uses_highatomic = uses_reserves(asked.flags);
    let of_letter = |letter: char| match letter {
        'U' | 'M' | 'E' | 'R' => true,
        'H' => uses_highatomic,
        'C' => asked.movable,
        _ => false,
    };
    let rows = zone.blocks.iter();
    rows.map(|row| FreeBlocks {
        count: row.count,
        // Rows without letters do not show the migrate types of blocks.
        usable: row.types.as_ref().is_none_or(|t| t.chars().any(of_letter)),
    })
    .collect()
}
