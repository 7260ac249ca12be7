//! The tables as text.

use std::fmt::Write as _;

use super::{NOT_ATTRIBUTED, Paid, Sums};

/// The number of rows that the text shows; the others are added up in one more row.
const SHOWN: usize = 24;

/// The tables as text. Tables of many rows end with a row of all others, so that they add up.
pub fn text(paid: &Paid) -> String {
    let mut out = format!(
        "{:20} {:20} {:>7} {:>10} {:>6} {:>9} {:>9} {:>8} {:>7} {:>10}\n",
        "who paid",
        "for",
        "stalls",
        "stalled ms",
        "runs",
        "scanned",
        "reclaimed",
        "written",
        "waits",
        "waited ms"
    );
    let mut line = |task: &str, on_behalf_of: &str, sums: &Sums| {
        let _ = writeln!(
            out,
            "{task:20} {on_behalf_of:20} {:>7} {:>10} {:>6} {:>9} {:>9} {:>8} {:>7} {:>10}",
            sums.allocstall,
            sums.stall_direct_ns / 1_000_000,
            sums.pageoutrun,
            sums.pgscan_kswapd + sums.pgscan_direct,
            sums.pgsteal_kswapd + sums.pgsteal_direct,
            sums.nr_vmscan_write,
            sums.waits,
            sums.waited_us / 1000,
        );
    };
    let (shown, others) = paid.rows.split_at(paid.rows.len().min(SHOWN));
    for row in shown {
        line(&row.task, &row.on_behalf_of, &row.sums);
    }
    if !others.is_empty() {
        let mut sums = Sums::default();
        others.iter().for_each(|row| sums.add(&row.sums));
        line(&format!("{} other rows", others.len()), "", &sums);
    }
    line(NOT_ATTRIBUTED, "", &paid.not_attributed);
    line("total", "", &paid.total);
    let _ = writeln!(
        out,
        "\n{:20} {:20} {:32} {:>9}",
        "reclaimed by", "for", "pages of", "pages"
    );
    let (shown, others) = paid.taken.split_at(paid.taken.len().min(SHOWN));
    for row in shown {
        let (task, on_behalf_of, from) = (&row.task, &row.on_behalf_of, &row.from);
        let _ = writeln!(
            out,
            "{task:20} {on_behalf_of:20} {from:32} {:>9}",
            row.pages
        );
    }
    if !others.is_empty() {
        let pages: u64 = others.iter().map(|row| row.pages).sum();
        let name = format!("{} other rows", others.len());
        let _ = writeln!(out, "{name:20} {:20} {:32} {pages:>9}", "", "");
    }
    cpu_time(paid, &mut out);
    out
}

/// CPU time by task, with its share of one CPU.
fn cpu_time(paid: &Paid, out: &mut String) {
    let _ = writeln!(
        out,
        "\n{:20} {:>10} {:>10} {:>9}",
        "CPU time", "user ms", "system ms", "of a CPU"
    );
    let mut line = |task: &str, user_ns: u64, kernel_ns: u64| {
        let all = u128::from(user_ns + kernel_ns);
        let permille = all * 1000 / u128::from(paid.length_ns.max(1));
        let share = format!("{}.{} %", permille / 10, permille % 10);
        let (user, kernel) = (user_ns / 1_000_000, kernel_ns / 1_000_000);
        let _ = writeln!(out, "{task:20} {user:>10} {kernel:>10} {share:>9}");
    };
    let (shown, others) = paid.cpu.split_at(paid.cpu.len().min(SHOWN));
    for row in shown {
        line(&row.task, row.user_ns, row.kernel_ns);
    }
    if !others.is_empty() {
        let user = others.iter().map(|row| row.user_ns).sum();
        let kernel = others.iter().map(|row| row.kernel_ns).sum();
        line(&format!("{} other rows", others.len()), user, kernel);
    }
}
