//! Which zone failed which check, and with which numbers.

use facts::arch::ZoneType;
use facts::gfp::AllocFlags;
use facts::watermark_check::Outcome;

use crate::document::{Finding, Severity, Unit, Verdict};
use crate::era::Era;
use crate::oom::title::asked_for;
use crate::oom::walk::{Asked, Numbers, PageFrom, ZoneCheck};
use crate::report::{Announced, Report};
use crate::words::{counted, kb, list};

/// The findings about the request and about each zone.
pub fn findings(
    report: &Report,
    asked: &Asked,
    era: &Era,
    checks: &[ZoneCheck<'_>],
) -> Vec<Finding> {
    let mut found = vec![whole(report, asked, checks)];
    let kills = report.announced == Some(Announced::OomKill);
    found.extend(checks.iter().filter_map(|check| zone(asked, check, kills)));
    found.extend(not_allowed(asked, checks));
    found.extend(may_do(report, asked, era));
    found
}

/// The request, and how many zones fail its check, in one sentence.
fn whole(report: &Report, asked: &Asked, checks: &[ZoneCheck<'_>]) -> Finding {
    let Some(request) = &report.request else {
        let text = if report.announced == Some(Announced::OomKill) {
            "The kernel names no request: the order is -1, as when SysRq-f starts the OOM killer. The zones are checked for a request of one page that may use every zone."
        } else {
            "The report names no request. The zones are checked for a request of one page that may use every zone, against min."
        };
        return Finding::new(Severity::Note, text).at(report.line);
    };
    let tried = |verdict: Verdict| checks.iter().filter(|s| s.verdict == verdict).count() as u64;
    let allowed = checks.len() as u64 - tried(Verdict::NotAllowed);
    let (below, no_block) = (tried(Verdict::Below), tried(Verdict::NoBlock));
    let (passes, unknown) = (tried(Verdict::Passes), tried(Verdict::Unknown));
    let what = format!(
        "The request is for {} with {}; it may use {}.",
        asked_for(report),
        request.flags_words(),
        zones_up_to(asked.highest)
    );
    let result = if checks.is_empty() {
        "The report has no zones, so it does not show why the request failed.".to_string()
    } else if allowed == 0 {
        "The report lists no such zone.".to_string()
    } else if passes > 0 {
        format!(
            "By the printed numbers {} of {} would pass the check against the min watermark now. The report was printed after the request had failed: memory was freed in between, or a limit that the report does not show applied.",
            passes,
            counted(allowed, "zone")
        )
    } else if unknown > 0 {
        format!(
            "{} of {} fail; the report lacks numbers for the others.",
            below + no_block,
            counted(allowed, "zone")
        )
    } else {
        let all = if allowed == 1 {
            "The only zone that it may use fails"
        } else {
            "All zones that it may use fail"
        };
        let how = match (below, no_block) {
            (_, 0) => "the free memory is not above watermark plus reserve",
            (0, _) => "enough memory is free, but no free block is large enough",
            _ => {
                "some have too little free memory, the others have no free block that is large enough"
            }
        };
        format!("{all}: {how}.")
    };
    let severity = if passes == 0 && allowed > 0 {
        Severity::Cause
    } else {
        Severity::Warning
    };
    Finding::new(severity, format!("{what} {result}"))
        .at(request.line)
        .with(Unit::One, &[("order", request.order.into())])
}

fn zones_up_to(highest: ZoneType) -> &'static str {
    match highest {
        ZoneType::Dma => "zone DMA only",
        ZoneType::Dma32 => "zone DMA32 and zones below it",
        ZoneType::Normal => "zone Normal and zones below it",
        ZoneType::HighMem => "zone HighMem, if there is one, and zones below it",
        ZoneType::Movable | ZoneType::Device => "every zone",
    }
}

/// The sentence about a zone; none if the request may not use it.
fn zone(asked: &Asked, check: &ZoneCheck<'_>, kills: bool) -> Option<Finding> {
    let name = format!("Zone {} of node {}", check.zone.name, check.zone.node);
    let Some(numbers) = &check.numbers else {
        return (check.verdict == Verdict::Unknown).then(|| {
            let text = format!("{name}: the report lacks {}.", list(&check.lacks));
            Finding::new(Severity::Note, text).at(check.zone.line)
        });
    };
    let (severity, text) = match check.verdict {
        Verdict::Below => (Severity::Cause, below(&name, asked, numbers, check)),
        Verdict::NoBlock => (Severity::Cause, no_block(&name, asked, numbers, check)),
        Verdict::Passes => (
            match asked.is_named {
                true => Severity::Warning,
                false => Severity::Note,
            },
            passes(&name, asked, numbers, check, kills),
        ),
        _ => {
            let (lacks, needs) = (list(&check.lacks), needs_words(numbers));
            let text = format!(
                "{name} has {} free, above {needs}; the report lacks {lacks}, so the result of the check is unknown.",
                kb(numbers.free)
            );
            (Severity::Note, text)
        }
    };
    let values = [("free", numbers.free), ("min", numbers.min)];
    let finding = Finding::new(severity, text).at(check.zone.line);
    let finding = finding.with(Unit::Kb, &values);
    Some(match numbers.reserve {
        Some(reserve) => finding.with(Unit::Kb, &[("reserve", reserve)]),
        None => finding,
    })
}

/// "min 42,532 kB + reserve 0 kB", with the lowered watermark if there is one.
fn needs_words(numbers: &Numbers) -> String {
    let lowered = match numbers.mark == numbers.min {
        true => String::new(),
        false => format!(" lowered to {}", kb(numbers.mark)),
    };
    let reserve = match numbers.reserve {
        Some(reserve) => format!("reserve {}", kb(reserve)),
        None => "a reserve that the report lacks".to_string(),
    };
    format!("min {}{lowered} + {reserve}", kb(numbers.min))
}

/// "has 42,400 kB free", and how much of that counts.
fn free_words(numbers: &Numbers) -> String {
    let counted = u64::try_from(numbers.counted).unwrap_or(0);
    if counted == numbers.free {
        return format!("has {} free", kb(numbers.free));
    }
    let mut parts = Vec::new();
    if numbers.highatomic > 0 {
        let kept = kb(numbers.highatomic);
        parts.push(format!(
            "{kept} is reserved for atomic requests of higher orders"
        ));
    }
    if numbers.cma > 0 {
        parts.push(format!("{} is in CMA areas", kb(numbers.cma)));
    }
    let kept = numbers.highatomic.saturating_add(numbers.cma);
    let own = (numbers.free - counted).saturating_sub(kept);
    if own > 0 && numbers.counted >= 0 {
        parts.push(format!("{} is subtracted for the request itself", kb(own)));
    }
    let why = match parts.is_empty() {
        true => String::new(),
        false => format!(", because {}", list(&parts)),
    };
    format!(
        "has {} free, of which {} counts{why}",
        kb(numbers.free),
        kb(counted)
    )
}

fn who(asked: &Asked) -> &'static str {
    match asked.is_named {
        true => "The request",
        false => "A request for one page",
    }
}

fn below(name: &str, asked: &Asked, numbers: &Numbers, check: &ZoneCheck<'_>) -> String {
    let needs = u64::try_from(numbers.needs).unwrap_or(0);
    let missing = u64::try_from(numbers.needs.saturating_sub(numbers.counted)).unwrap_or(0);
    let fails = match missing {
        0 => "the zone has exactly that much".to_string(),
        missing => format!("it fails by {}", kb(missing)),
    };
    let mut text = format!(
        "{name} {}. {} needs more than {} ({}): {fails}.",
        free_words(numbers),
        who(asked),
        kb(needs),
        needs_words(numbers)
    );
    if numbers.reserve > Some(0)
        && numbers.counted > i64::try_from(numbers.mark).unwrap_or(i64::MAX)
    {
        text.push_str(
            " It would pass without the reserve (lowmem_reserve) for requests that need this zone.",
        );
    }
    if asked.order > 0 && !check.zone.blocks.is_empty() {
        text.push_str(&largest(asked, check));
    }
    text
}

fn no_block(name: &str, asked: &Asked, numbers: &Numbers, check: &ZoneCheck<'_>) -> String {
    let above = format!(
        "{name} {}, above the required {} ({})",
        free_words(numbers),
        kb(u64::try_from(numbers.needs).unwrap_or(0)),
        needs_words(numbers)
    );
    if let Some(Outcome::Fragmented { order, left, needs }) = check.outcome {
        let of = |pages: i64| {
            kb(u64::try_from(pages)
                .unwrap_or(0)
                .saturating_mul(asked.page_kb))
        };
        return format!(
            "{above}. Without its free blocks below order {order} it has {}, not above {}: it is too fragmented for order {}.{}",
            of(left),
            of(needs),
            asked.order,
            largest(asked, check)
        );
    }
    let large = check.zone.blocks.get(usize::from(asked.order)..);
    let unusable = large.unwrap_or_default().iter().any(|row| row.count > 0);
    if unusable {
        return format!(
            "{above}. It has free blocks of order {} or larger, but only of migrate types that this request may not use.",
            asked.order
        );
    }
    format!(
        "{above}, but it has no free block of order {} ({}) or larger.{}",
        asked.order,
        kb(asked.page_kb << asked.order),
        largest(asked, check)
    )
}

/// The largest free blocks of a zone.
fn largest(asked: &Asked, check: &ZoneCheck<'_>) -> String {
    let rows = &check.zone.blocks;
    let Some((order, row)) = rows.iter().enumerate().rfind(|(_, row)| row.count > 0) else {
        return " It has no free block at all.".to_string();
    };
    if order >= usize::from(asked.order) {
        return String::new();
    }
    format!(
        " Its largest free blocks have order {order} ({}): {}.",
        kb(row.size_kb),
        counted(row.count, "block")
    )
}

fn passes(
    name: &str,
    asked: &Asked,
    numbers: &Numbers,
    check: &ZoneCheck<'_>,
    kills: bool,
) -> String {
    let block = match asked.order {
        0 => String::new(),
        order => format!(", and has a free block of order {order} or larger"),
    };
    let high = check.zone.kb("high").filter(|_| kills);
    let high = high.map(|high| high.saturating_add(numbers.reserve.unwrap_or(0)));
    let last = match high.filter(|high| numbers.counted <= i64::try_from(*high).unwrap_or(i64::MAX))
    {
        Some(high) => format!(
            " Before the kernel kills, it checks once more against high + reserve ({}), which this zone does not pass.",
            kb(high)
        ),
        None => String::new(),
    };
    format!(
        "{name} {}, above the required {} ({}){block}: it passes by these numbers.{last}",
        free_words(numbers),
        kb(u64::try_from(numbers.needs).unwrap_or(0)),
        needs_words(numbers)
    )
}

/// Zones that the request may not use, in one sentence.
fn not_allowed(asked: &Asked, checks: &[ZoneCheck<'_>]) -> Option<Finding> {
    let zones = checks.iter().filter(|s| s.verdict == Verdict::NotAllowed);
    let zones: Vec<&ZoneCheck<'_>> = zones.collect();
    let first = zones.first()?;
    let words = |check: &&ZoneCheck<'_>| {
        let free = check.zone.kb("free").map_or("unknown".to_string(), kb);
        format!(
            "{} of node {} ({free} free)",
            check.zone.name, check.zone.node
        )
    };
    let shown: Vec<String> = zones.iter().take(8).map(words).collect();
    let more = zones.len().saturating_sub(shown.len());
    let more = match more {
        0 => String::new(),
        more => format!(" and {} more", counted(more as u64, "zone")),
    };
    let of_nodes = asked.nodes.as_ref().map_or("", |_| " or nodes");
    let text = format!(
        "The request may not use these zones because of their types{of_nodes}: {}{more}.",
        shown.join(", ")
    );
    Some(Finding::new(Severity::Note, text).at(first.zone.line))
}

/// What the request may do, where that affects the result.
fn may_do(report: &Report, asked: &Asked, era: &Era) -> Vec<Finding> {
    let Some(request) = &report.request else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut note = |text: String| found.push(Finding::new(Severity::Note, text).at(request.line));
    if !request.may_wait() {
        let lowered = match (
            asked.flags.has(AllocFlags::HIGH),
            asked.flags.has(AllocFlags::HARDER),
        ) {
            (true, true) => " In return only three eighths of min apply to it.",
            (true, false) => " In return only half of min applies to it.",
            _ => "",
        };
        note(format!(
            "The request may not wait: it cannot reclaim, compact or start the OOM killer. It only wakes kswapd.{lowered}"
        ));
    }
    if request.gives_up() {
        note(
            "The request has __GFP_NORETRY: it gives up after one round of reclaim and compaction."
                .to_string(),
        );
    }
    if report.announced == Some(Announced::Failure) && request.order > 3 && request.may_wait() {
        note("Requests above order 3 (PAGE_ALLOC_COSTLY_ORDER) do not start the OOM killer: the request fails instead.".to_string());
    }
    if request.is_for_one_node() {
        note(
            "The request may use only one node (__GFP_THISNODE), which the report does not name."
                .to_string(),
        );
    }
    if !era.is_known && request.order > 0 {
        note("The report does not show which kernel printed it. The check of 4.4 and later kernels is assumed: one free block must be large enough.".to_string());
    }
    found
}

/// The assumptions of the explanation.
pub fn assumptions(report: &Report, asked: &Asked, era: &Era) -> Vec<Finding> {
    let mut found = Vec::new();
    if report.zones.is_empty() {
        return found;
    }
    if let Some((release, line)) = &report.release {
        let check = match era.rules.order_check {
            facts::kernel::OrderCheck::HalvingLoop => "kernels before 4.4",
            facts::kernel::OrderCheck::SuitableBlock => "kernels from 4.4 on",
        };
        let text = format!("The kernel is {release}; the watermark check of {check} applies.");
        found.push(Finding::new(Severity::Note, text).at(*line));
    }
    let mut note = |text: &str| found.push(Finding::new(Severity::Note, text));
    if asked.page_from == PageFrom::Assumed {
        note("The report does not show the size of a page: 4 kB is assumed.");
    }
    let mut nodes: Vec<u16> = report.zones.iter().map(|zone| zone.node).collect();
    nodes.dedup();
    if nodes.len() > 1 {
        note(
            "The report does not name the node where the request began. The request tries the zones of all allowed nodes, so the order does not change the result.",
        );
    }
    if asked.order > 0 && report.zones.iter().all(|zone| zone.blocks.is_empty()) {
        note(
            "The report has no free blocks by order, so it does not show which orders were available.",
        );
    }
    found
}
