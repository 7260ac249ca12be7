//! The rows of a table, under their published names.
//!
//! Modelled: MMTests' report of the changes of `/proc/vmstat` over a test, fs_mark's report of each
//! loop, tiobench's report of each invocation, times of all other phases, operations a second, and
//! latencies. Left out: rows of swap and of NUMA counters that were not published. As in fs_mark,
//! each loop's rate is rounded to a tenth before it is used. Invariants: percentages of the vmstat
//! block are rounded down to whole numbers, as the tool of 2011 and 2014 printed them. In runs with
//! latencies, which the tool of 2021 measured, they are rounded to two decimals. If no page was
//! scanned, an efficiency is 100. A row exists for every published metric whose phase the run has.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::latency::latency_rows;
use crate::measured::{Measured, Phase, Rate};
use crate::vmscan::vmscan_rows;

const NS_PER_S: f64 = 1e9;
/// The workload's name for a round of fs_mark.
const FS_MARK_LOOP: &str = "loop";
/// tiobench's MB.
const SECTORS_PER_MB: f64 = 2048.0;

/// One row of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The published name: "Direct pages scanned".
    pub metric: String,
    /// The published unit: "pages".
    pub unit: Cow<'static, str>,
    /// The value.
    pub value: f64,
}

pub(crate) fn row(metric: &str, unit: &'static str, value: f64) -> Row {
    Row {
        metric: metric.to_string(),
        unit: Cow::Borrowed(unit),
        value,
    }
}

/// All rows of a run.
pub fn rows(m: &Measured) -> Vec<Row> {
    let mut out = Vec::new();
    phase_rows(m, &mut out);
    rate_rows(&m.rates, &mut out);
    for latencies in &m.latencies {
        latency_rows(latencies, &mut out);
    }
    let system_ns = m.cpu_ns.saturating_sub(m.user_ns);
    out.push(row("User/Sys time", "s", hundredths(seconds(m.cpu_ns))));
    out.push(row("User time", "s", hundredths(seconds(m.user_ns))));
    out.push(row("System time", "s", hundredths(seconds(system_ns))));
    out.push(row("Elapsed time", "s", hundredths(seconds(m.elapsed_ns))));
    vmstat_rows(m, &mut out);
    vmscan_rows(m, &mut out);
    out
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of a run are far below 2^53"
)]
pub(crate) fn float(n: u64) -> f64 {
    n as f64
}

pub(crate) fn seconds(ns: u64) -> f64 {
    float(ns) / NS_PER_S
}

/// Rounds to `1 / parts`.
pub(crate) fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

pub(crate) fn hundredths(value: f64) -> f64 {
    rounded(value, 100.0)
}

/// The share of `n` in `of`, in whole percent, rounded down; `none` if `of` is 0.
pub fn percent(n: u64, of: u64, none: u64) -> u64 {
    match of {
        0 => none,
        _ => (u128::from(n) * 100 / u128::from(of)) as u64,
    }
}

/// The same, rounded to two decimals.
fn exact_percent(n: u64, of: u64, none: u64) -> f64 {
    match of {
        0 => float(none),
        _ => hundredths(float(n) * 100.0 / float(of)),
    }
}

fn vmstat_rows(m: &Measured, out: &mut Vec<Row>) {
    let n = |name: &str| m.counter(name);
    let (direct, kswapd) = (n("pgscan_direct"), n("pgscan_kswapd"));
    let (by_direct, by_kswapd) = (n("pgsteal_direct"), n("pgsteal_kswapd"));
    let velocity = |pages: u64| match m.elapsed_ns {
        0 => 0.0,
        ns => rounded(float(pages) / seconds(ns), 1000.0),
    };
    let share = |part: u64, of: u64, none: u64| match m.latencies.is_empty() {
        true => float(percent(part, of, none)),
        false => exact_percent(part, of, none),
    };
    let mut count = |metric: &str, unit, n: u64| out.push(row(metric, unit, float(n)));
    count("Page Ins", "KiB", n("pgpgin"));
    count("Page Outs", "KiB", n("pgpgout"));
    count("Swap Ins", "pages", n("pswpin"));
    count("Swap Outs", "pages", n("pswpout"));
    count("Direct pages scanned", "pages", direct);
    count("Kswapd pages scanned", "pages", kswapd);
    count("Kswapd pages reclaimed", "pages", by_kswapd);
    count("Direct pages reclaimed", "pages", by_direct);
    count("Page writes by reclaim", "pages", n("nr_vmscan_write"));
    count("Page writes anon", "pages", n("pswpout"));
    let immediate = n("nr_vmscan_immediate_reclaim");
    count("Page reclaim immediate", "pages", immediate);
    count("Slabs scanned", "objects", n("slabs_scanned"));
    count("Direct inode steals", "inodes", n("pginodesteal"));
    count("Kswapd inode steals", "inodes", n("kswapd_inodesteal"));
    let mut part = |metric: &str, value: f64| out.push(row(metric, "%", value));
    part("Kswapd efficiency", share(by_kswapd, kswapd, 100));
    part("Direct efficiency", share(by_direct, direct, 100));
    let of_direct = share(direct, direct + kswapd, 0);
    part("Percentage direct scans", of_direct);
    out.push(row("Kswapd velocity", "pages/s", velocity(kswapd)));
    out.push(row("Direct velocity", "pages/s", velocity(direct)));
}

/// For phases in which blocks were requested even after failures: the share of successes by the phase's
/// name, as STRESS-HIGHALLOC reports it, their number, and the time. False if no blocks were requested.
fn blocks_rows(name: &str, of: &[&Phase], out: &mut Vec<Row>) -> bool {
    let blocks: u64 = of.iter().map(|phase| phase.made.blocks).sum();
    let asked = blocks + of.iter().map(|phase| phase.made.failed).sum::<u64>();
    if asked > 0 {
        out.push(row(name, "%", float(percent(blocks, asked, 0))));
        out.push(row(&format!("{name} asked"), "blocks", float(asked)));
        out.push(row(&format!("{name} got"), "blocks", float(blocks)));
        out.push(time_row(&format!("{name} time"), of));
    }
    asked > 0
}

/// The time of phases with one name, in the order in which they began. Time in which several phases
/// run concurrently counts once, as on a wall clock.
fn time_row(metric: &str, of: &[&Phase]) -> Row {
    let (mut ns, mut until) = (0, 0);
    for phase in of {
        ns += phase.to_ns.saturating_sub(phase.from_ns.max(until));
        until = until.max(phase.to_ns);
    }
    row(metric, "s", hundredths(seconds(ns)))
}

/// Operations a second by name, and the sum of all names with one unit, as printed by a harness
/// that starts several instances of a benchmark.
fn rate_rows(rates: &[Rate], out: &mut Vec<Row>) {
    let mut units: Vec<&str> = Vec::new();
    for rate in rates {
        if !units.contains(&rate.unit.as_str()) {
            units.push(&rate.unit);
        }
    }
    for unit in units {
        let of_unit = rates.iter().filter(|rate| rate.unit == unit);
        let values: Vec<(&str, f64)> = of_unit.map(|rate| (&*rate.name, per_s(rate))).collect();
        let sum = values.iter().map(|&(_, value)| value).sum();
        let names = values.iter().copied();
        let total = (values.len() > 1).then_some(("sum", sum));
        out.extend(names.chain(total).map(|(name, value)| Row {
            metric: name.to_string(),
            unit: Cow::Owned(unit.to_string()),
            value: hundredths(value),
        }));
    }
}

fn per_s(rate: &Rate) -> f64 {
    match rate.to_ns - rate.from_ns {
        0 => 0.0,
        ns => float(rate.operations) / seconds(ns),
    }
}

/// Phases named "loop" belong to fs_mark, phases in which blocks were requested to STRESS-HIGHALLOC, and
/// phases named "SeqRead-4" to tiobench with four threads. Other phases give their time, added if several
/// have one name.
fn phase_rows(m: &Measured, out: &mut Vec<Row>) {
    let mut names: Vec<&str> = Vec::new();
    for phase in &m.phases {
        if !names.contains(&phase.name.as_str()) {
            names.push(&phase.name);
        }
    }
    for name in names {
        let of = m.phases.iter().filter(|phase| phase.name == name);
        let of: Vec<&Phase> = of.collect();
        if let Some((kind, threads)) = rate_name(name) {
            let rates: Vec<f64> = of.iter().map(|phase| mb_per_s(phase)).collect();
            let spread = Spread::of(&rates);
            for (word, value) in [
                ("Min", spread.min),
                ("Mean", spread.mean),
                ("Max", spread.max),
            ] {
                let metric = format!("{word} {kind}-MB/sec-{threads}");
                out.push(row(&metric, "MB/s", hundredths(value)));
            }
        } else if blocks_rows(name, &of, out) {
            continue;
        } else if name == FS_MARK_LOOP {
            let rates: Vec<f64> = of.iter().map(|phase| files_per_s(m, phase)).collect();
            let spread = Spread::of(&rates);
            out.push(row("Files/s min", "files/s", spread.min));
            out.push(row("Files/s mean", "files/s", hundredths(spread.mean)));
            out.push(row("Files/s stddev", "files/s", hundredths(spread.stddev)));
            out.push(row("Files/s max", "files/s", spread.max));
        } else {
            out.push(time_row(name, &of));
        }
    }
}

/// "SeqRead-4" becomes ("SeqRead", "4").
fn rate_name(name: &str) -> Option<(&str, &str)> {
    let (kind, threads) = name.rsplit_once('-')?;
    let number = !threads.is_empty() && threads.bytes().all(|b| b.is_ascii_digit());
    (number && !kind.is_empty()).then_some((kind, threads))
}

fn mb_per_s(phase: &Phase) -> f64 {
    let sectors = phase.made.read + phase.made.written;
    match phase.ns() {
        0 => 0.0,
        ns => float(sectors) / SECTORS_PER_MB / seconds(ns),
    }
}

/// fs_mark adds up the rates of its threads in a loop: each divides its files by its own time, which leaves
/// out the forking and the wait for the others.
fn files_per_s(m: &Measured, phase: &Phase) -> f64 {
    let span = phase.from_ns..phase.to_ns;
    let of_loop = m.created.iter().filter(|of| span.contains(&of.from_ns));
    let rates = of_loop.map(|of| match of.to_ns - of.from_ns {
        0 => 0.0,
        ns => float(of.files.into()) / seconds(ns),
    });
    rounded(rates.sum(), 10.0)
}

/// The distribution of values.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spread {
    /// The minimum.
    pub min: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation of a sample.
    pub stddev: f64,
    /// The maximum.
    pub max: f64,
}

impl Spread {
    /// The distribution of some values; all zero if there are no values.
    pub fn of(values: &[f64]) -> Spread {
        let Some(&first) = values.first() else {
            return Spread::default();
        };
        let count = float(values.len() as u64);
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        let stddev = match values.len() {
            1 => 0.0,
            _ => (squares / (count - 1.0)).sqrt(),
        };
        Spread {
            min: values.iter().copied().fold(first, f64::min),
            mean,
            stddev,
            max: values.iter().copied().fold(first, f64::max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mm::index::TaskIndex;
    use mm::phases::Made;
    use mm::phases::created::Created;

    fn value(m: &Measured, metric: &str) -> f64 {
        let rows = rows(m);
        let found = rows.iter().find(|row| row.metric == metric);
        found.unwrap_or_else(|| panic!("no row {metric}")).value
    }

    fn counted(elapsed_s: f64, counts: &[(&str, u64)]) -> Measured {
        let counters = counts.iter().map(|&(name, n)| (name.to_string(), n));
        Measured {
            counters: counters.collect(),
            elapsed_ns: (elapsed_s * 1000.0) as u64 * 1_000_000,
            ..Measured::default()
        }
    }

    fn phase(name: &str, ns: u64, made: Made) -> Phase {
        Phase {
            name: name.to_string(),
            from_ns: 5,
            to_ns: 5 + ns,
            made,
        }
    }

    /// The counts are those of the published FS-Mark and dd tables.
    #[test]
    fn published_counts_give_the_published_derived_rows() {
        for (elapsed, direct, by_direct, kswapd, by_kswapd, expected) in [
            (
                2451.57,
                (13_091_697),
                13_037_777,
                0,
                0,
                [100.0, 0.0, 99.0, 5340.128, 100.0],
            ),
            (
                2215.92,
                8_971_790,
                8_648_314,
                1_831_116,
                1_829_930,
                [99.0, 826.346, 96.0, 4048.788, 83.0],
            ),
            (
                624.56,
                17_482_342,
                5_858_054,
                0,
                0,
                [100.0, 0.0, 33.0, 27_991.453, 100.0],
            ),
        ] {
            let mut m = counted(
                elapsed,
                &[
                    ("pgscan_direct", direct),
                    ("pgsteal_direct", by_direct),
                    ("pgscan_kswapd", kswapd),
                    ("pgsteal_kswapd", by_kswapd),
                ],
            );
            m.elapsed_ns = (elapsed * 100.0_f64).round() as u64 * 10_000_000;
            let found = [
                "Kswapd efficiency",
                "Kswapd velocity",
                "Direct efficiency",
                "Direct velocity",
                "Percentage direct scans",
            ];
            assert_eq!(found.map(|metric| value(&m, metric)), expected);
        }
    }

    #[test]
    fn percentages_are_truncated_instead_of_rounded() {
        assert_eq!(percent(9639, 10_000, 0), 96);
        assert_eq!(percent(0, 0, 100), 100);
        assert_eq!(percent(u64::MAX, u64::MAX, 0), 100);
    }

    /// The counts are those of the published table of the throttling series.
    #[test]
    fn derived_rows_of_runs_with_latencies_have_two_decimals() {
        for (direct, by_direct, kswapd, by_kswapd, expected) in [
            (
                1_056_608_451,
                10_803_973,
                109_795_048,
                63_269_243,
                [57.62, 1.02, 90.59],
            ),
            (
                503_594_991,
                6_328_887,
                147_289_810,
                31_036_005,
                [21.07, 1.26, 77.37],
            ),
        ] {
            let mut m = counted(
                2277.67,
                &[
                    ("pgscan_direct", direct),
                    ("pgsteal_direct", by_direct),
                    ("pgscan_kswapd", kswapd),
                    ("pgsteal_kswapd", by_kswapd),
                ],
            );
            m.latencies.push(crate::latency::Latencies::default());
            let found = [
                "Kswapd efficiency",
                "Direct efficiency",
                "Percentage direct scans",
            ];
            assert_eq!(found.map(|metric| value(&m, metric)), expected);
        }
    }

    #[test]
    fn reports_user_and_system_time_separately() {
        let mut m = counted(10.0, &[("pswpout", 7), ("nr_vmscan_immediate_reclaim", 9)]);
        (m.cpu_ns, m.user_ns) = (5_250_000_000, 3_000_000_000);
        for (metric, expected) in [
            ("User/Sys time", 5.25),
            ("User time", 3.0),
            ("System time", 2.25),
            ("Page writes anon", 7.0),
            ("Page reclaim immediate", 9.0),
        ] {
            assert_eq!(value(&m, metric), expected, "{metric}");
        }
    }

    #[test]
    fn reports_files_a_second_for_loops_of_fs_mark() {
        let made = |files| Made {
            files,
            ..Made::default()
        };
        let mut m = counted(10.0, &[]);
        let second = 1_000_000_000;
        for (at, lasts) in [(0, 3), (3, 4), (7, 2)] {
            m.phases.push(Phase {
                from_ns: at * second,
                to_ns: (at + lasts) * second,
                ..phase("loop", 0, made(100))
            });
        }
        // Two threads in each loop, each with its own clock.
        for (task, at, files, lasts) in [
            (1, 0, 50, 2),
            (2, 1, 50, 2),
            (3, 3, 50, 4),
            (4, 4, 50, 3),
            (5, 7, 60, 1),
            (6, 8, 40, 1),
        ] {
            let (from_ns, to_ns) = (at * second, (at + lasts) * second);
            m.created.push(Created {
                task: TaskIndex::new(task),
                files,
                from_ns,
                to_ns,
            });
        }
        // 50.0, 29.2 and 100.0: the tool prints tenths.
        assert_eq!(value(&m, "Files/s min"), 29.2);
        assert_eq!(value(&m, "Files/s max"), 100.0);
        assert_eq!(value(&m, "Files/s mean"), 59.73);
        assert_eq!(value(&m, "Files/s stddev"), 36.39);
    }

    #[test]
    fn reports_mb_a_second_for_phases_of_tiobench() {
        let moved = |written| Made {
            written,
            ..Made::default()
        };
        let mut m = counted(10.0, &[]);
        m.phases = vec![
            phase("SeqWrite-4", 1_000_000_000, moved(204_800)),
            phase("remove files", 500_000_000, Made::default()),
            phase("SeqWrite-4", 4_000_000_000, moved(204_800)),
            Phase {
                from_ns: 7_000_000_000,
                to_ns: 8_500_000_000,
                ..phase("remove files", 0, Made::default())
            },
        ];
        assert_eq!(value(&m, "Min SeqWrite-MB/sec-4"), 25.0);
        assert_eq!(value(&m, "Mean SeqWrite-MB/sec-4"), 62.5);
        assert_eq!(value(&m, "Max SeqWrite-MB/sec-4"), 100.0);
        assert_eq!(value(&m, "remove files"), 2.0);
    }

    /// Two processes of one benchmark: the time lasts until the slower one has ended.
    #[test]
    fn counts_the_time_of_simultaneous_phases_once() {
        let mut m = counted(10.0, &[]);
        let at = |from_ns: u64, to_ns: u64| Phase {
            from_ns,
            to_ns,
            ..phase("numa01", 0, Made::default())
        };
        let second = 1_000_000_000;
        m.phases = vec![
            at(0, 4 * second),
            at(second, 3 * second),
            at(2 * second, 6 * second),
            at(8 * second, 9 * second),
        ];
        assert_eq!(value(&m, "numa01"), 7.0);
    }

    /// In the published mainline column the sum is that of its four rows.
    #[test]
    fn adds_a_sum_row_for_several_rates_of_operations() {
        let rate = |name: &str, operations| Rate {
            name: name.to_string(),
            unit: "bops".to_string(),
            operations,
            from_ns: 1_000_000_000,
            to_ns: 401_000_000_000,
        };
        let mut m = counted(10.0, &[]);
        m.rates = vec![rate("instance 1", 63_135_700)];
        assert_eq!(value(&m, "instance 1"), 157_839.25);
        assert!(rows(&m).iter().all(|row| row.metric != "sum"));
        for (name, operations) in [
            ("instance 2", 62_787_660),
            ("instance 3", 63_028_636),
            ("instance 4", 63_149_544),
        ] {
            m.rates.push(rate(name, operations));
        }
        assert_eq!(value(&m, "sum"), 630_253.85);
        let sum = rows(&m).into_iter().find(|row| row.metric == "sum");
        assert_eq!(sum.map(|row| row.unit), Some(Cow::Borrowed("bops")));
        // No operation has ended yet.
        m.rates[0].to_ns = m.rates[0].from_ns;
        assert_eq!(value(&m, "instance 1"), 0.0);
    }

    #[test]
    fn reports_allocated_blocks_as_a_share_of_requested_blocks() {
        let asked = |blocks, failed| Made {
            blocks,
            failed,
            ..Made::default()
        };
        let mut m = counted(10.0, &[]);
        m.phases = vec![
            phase("huge", 1_000_000_000, asked(30, 70)),
            phase("huge", 1_000_000_000, asked(17, 3)),
        ];
        assert_eq!(
            (value(&m, "huge asked"), value(&m, "huge got")),
            (120.0, 47.0)
        );
        // 39.17, rounded down.
        assert_eq!(value(&m, "huge"), 39.0);
    }
}
