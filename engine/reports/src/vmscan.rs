//! Rows from the tracepoints of vmscan and compaction.
//!
//! Modelled: the report that the post-processing script of 2010 made of a trace, under its published names.
//! Left out: its rows by process.
//! Visible difference: the script counts pages of active lists as scanned, `/proc/vmstat` does not. The report
//! has rows of both, and their names say which they are.
//! Invariants: the total rows are sums of the rows before them. A kernel without compaction has zeros in its
//! rows; a kernel whose compaction the engine does not model has no such rows.

use mm::compaction::totals::CompactionTotals;
use mm::vmscan::totals::{DIRECT, KSWAPD};
use mm::vmscan::{ANON, FILE};

use crate::measured::Measured;
use crate::rows::{Row, float, hundredths, row, seconds};

/// Pages that kswapd scanned by the script's rule; "Kswapd pages scanned" is the count of `/proc/vmstat`.
const KSWAPD_SCANNED: &str = "Kswapd pages scanned, active lists too";

/// Adds the rows of a run in which reclaim ran.
pub fn vmscan_rows(m: &Measured, out: &mut Vec<Row>) {
    let totals = &m.vmscan_totals;
    if totals.scanned == [0, 0] && totals.wakeup_requests == 0 {
        return;
    }
    direct_rows(m, out);
    kswapd_rows(m, out);
    let scanned: u64 = totals.scanned.iter().sum();
    let reclaimed = m.counter("pgsteal_direct") + m.counter("pgsteal_kswapd");
    let (anon, file) = (written(m, ANON), written(m, FILE));
    let mut add = |metric: &str, unit, value| out.push(row(metric, unit, value));
    add("Total pages scanned", "pages", float(scanned));
    add("Total pages reclaimed", "pages", float(reclaimed));
    let share = |part, of| hundredths(part_of(part, of));
    let name = "total pages scanned/reclaimed";
    add(name, "%", share(float(reclaimed), float(scanned)));
    let name = "total pages scanned/written";
    add(name, "%", share(float(anon + file), float(scanned)));
    let name = "file pages scanned/written";
    add(name, "%", share(float(file), float(scanned)));
    let stall = seconds(m.counter("stall_direct_ns"));
    let name = "Percentage Time Spent Direct Reclaim";
    add(name, "%", share(stall, stall + seconds(m.cpu_ns)));
    let awake = seconds(totals.kswapd_awake_ns);
    let name = "Percentage Time kswapd Awake";
    add(name, "%", share(awake, seconds(m.elapsed_ns)));
    if let Some(compaction) = &m.compaction {
        compaction_rows(compaction, out);
    }
}

/// Sums over the scanners of compaction and the pages it moved.
fn compaction_rows(totals: &CompactionTotals, out: &mut Vec<Row>) {
    for (metric, pages) in [
        ("Migrate Pages Scanned", totals.migrate_scanned),
        ("Migrate Pages Isolated", totals.migrate_isolated),
        ("Free Pages Scanned", totals.free_scanned),
        ("Free Pages Isolated", totals.free_isolated),
        ("Migrated Pages", totals.migrated),
        ("Migration Failures", totals.failed),
    ] {
        out.push(row(metric, "pages", float(pages)));
    }
}

fn direct_rows(m: &Measured, out: &mut Vec<Row>) {
    let n = |name: &str| float(m.counter(name));
    out.push(row("Direct reclaims", "calls", n("allocstall")));
    let scanned = m.vmscan_totals.scanned[DIRECT];
    let metric = "Direct reclaim pages scanned";
    out.push(row(metric, "pages", float(scanned)));
    let metric = "Direct reclaim pages scanned, inactive lists";
    out.push(row(metric, "pages", n("pgscan_direct")));
    let metric = "Direct reclaim pages reclaimed";
    out.push(row(metric, "pages", n("pgsteal_direct")));
    write_rows(m, "Direct reclaim", DIRECT, out);
    let stall = hundredths(seconds(m.counter("stall_direct_ns")));
    out.push(row("Time stalled direct reclaim", "s", stall));
}

fn kswapd_rows(m: &Measured, out: &mut Vec<Row>) {
    let totals = &m.vmscan_totals;
    let mut add = |metric: &str, unit, n| out.push(row(metric, unit, float(n)));
    add("Wake kswapd requests", "calls", totals.wakeup_requests);
    add("Kswapd wakeups", "calls", totals.kswapd_wakeups);
    add(KSWAPD_SCANNED, "pages", totals.scanned[KSWAPD]);
    write_rows(m, "Kswapd reclaim", KSWAPD, out);
    let awake = hundredths(seconds(totals.kswapd_awake_ns));
    out.push(row("Time kswapd awake", "s", awake));
}

fn write_rows(m: &Measured, who: &str, reclaimer: usize, out: &mut Vec<Row>) {
    for (waits, how) in ["async", "sync"].into_iter().enumerate() {
        for (memory, name) in [(FILE, "file"), (ANON, "anon")] {
            let metric = format!("{who} write {name} {how} I/O");
            let pages = m.vmscan_totals.written[reclaimer][waits][memory];
            out.push(row(&metric, "pages", float(pages)));
        }
    }
}

/// Pages of a kind of memory that reclaim wrote.
fn written(m: &Measured, memory: usize) -> u64 {
    let of = m.vmscan_totals.written.iter().flatten();
    of.map(|kinds| kinds[memory]).sum()
}

/// In percent; 0 if the whole is 0.
fn part_of(part: f64, of: f64) -> f64 {
    if of > 0.0 { 100.0 * part / of } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mm::vmscan::totals::VmscanTotals;

    /// The counts are those of the first kernel's published column.
    #[test]
    fn published_counts_give_the_published_derived_rows() {
        let mut totals = VmscanTotals::default();
        totals.scanned = [205_098, 4_231_634];
        totals.wakeup_requests = 855;
        totals.kswapd_wakeups = 523;
        totals.kswapd_awake_ns = 885_310_000_000;
        totals.written[DIRECT] = [[42_539, 5703], [339, 0]];
        totals.written[KSWAPD][0] = [770_924, 51_070];
        let counters = [
            ("pgsteal_direct", 110_395),
            ("pgsteal_kswapd", 2_200_266),
            ("stall_direct_ns", 1_035_700_000_000),
        ];
        let m = Measured {
            counters: counters.map(|(name, n)| (name.to_string(), n)).to_vec(),
            cpu_ns: 3_339_940_000_000,
            elapsed_ns: 2_226_200_000_000,
            vmscan_totals: totals,
            ..Measured::default()
        };
        let mut rows = Vec::new();
        vmscan_rows(&m, &mut rows);
        let published = [
            ("Direct reclaim write anon async I/O", 42_539.0),
            ("Direct reclaim write anon sync I/O", 339.0),
            ("Direct reclaim write file async I/O", 5703.0),
            ("Kswapd reclaim write file async I/O", 51_070.0),
            ("Time stalled direct reclaim", 1035.7),
            ("Time kswapd awake", 885.31),
            ("Total pages scanned", 4_436_732.0),
            ("Total pages reclaimed", 2_310_661.0),
            ("total pages scanned/reclaimed", 52.08),
            ("total pages scanned/written", 19.62),
            ("file pages scanned/written", 1.28),
            ("Percentage Time Spent Direct Reclaim", 23.67),
            ("Percentage Time kswapd Awake", 39.77),
        ];
        for (metric, value) in published {
            let found = rows.iter().find(|row| row.metric == metric);
            assert_eq!(found.map(|row| row.value), Some(value), "{metric}");
        }
    }

    #[test]
    fn rows_of_compaction_are_0_if_not_built_in_and_missing_if_not_modelled() {
        let of = |compaction| {
            let mut m = Measured {
                compaction,
                ..Measured::default()
            };
            m.vmscan_totals.wakeup_requests = 1;
            let mut rows = Vec::new();
            vmscan_rows(&m, &mut rows);
            let from = rows
                .iter()
                .position(|r| r.metric == "Migrate Pages Scanned");
            let values = rows.iter().skip(from.unwrap_or(rows.len()));
            values.map(|r| r.value).collect::<Vec<f64>>()
        };
        assert_eq!(of(None), Vec::<f64>::new());
        assert_eq!(of(Some(CompactionTotals::default())), [0.0; 6]);
        let totals = CompactionTotals {
            migrate_scanned: 16,
            migrate_isolated: 8,
            free_scanned: 21,
            free_isolated: 10,
            migrated: 7,
            failed: 1,
        };
        assert_eq!(of(Some(totals)), [16.0, 8.0, 21.0, 10.0, 7.0, 1.0]);
    }

    #[test]
    fn omits_reclaim_rows_for_a_run_without_reclaim() {
        let mut rows = Vec::new();
        vmscan_rows(&Measured::default(), &mut rows);
        assert_eq!(rows, vec![]);
    }
}
