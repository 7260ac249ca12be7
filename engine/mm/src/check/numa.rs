//! NUMA balancing: invariants of marked entries and of the rate limit.

use crate::check::Violation;
use crate::machine::Machine;
use crate::numa::migrate::most_pages;
use crate::numa::rules;

/// A kernel without NUMA balancing marks no entry. No node gets more pages in a window than the limit plus
/// one huge page.
pub(super) fn check_balancing(m: &Machine, out: &mut Vec<Violation>) {
    let w = &m.w;
    if rules(&w.facts).is_none() {
        let spaces = 0..w.processes.all.len() as u32;
        let marked: u32 = spaces.map(|space| w.processes.hinting_pages(space)).sum();
        let counted = w.counters.numa_pte_updates;
        if counted > 0 || marked > 0 {
            out.push(Violation::Marked { counted, marked });
        }
    }
    let most = most_pages(w) + (1 << w.mem.pageblock_order);
    for (node, window) in w.numa.windows.iter().enumerate() {
        if window.pages > most {
            out.push(Violation::RateWindow {
                node,
                pages: window.pages,
                most,
            });
        }
    }
}
