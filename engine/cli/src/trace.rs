//! `mmscope trace`: prints the contents of a trace of a real kernel or of mmscope.

use std::fs::File;
use std::io::{self, Read};

use mm::read::written;
use trace::Reader;
use trace::info::Info;
use trace::sums::{Scanned, Sums, Written};

use crate::args::Parsed;
use crate::failure::{Outcome, bad, io_fault, shown};
use crate::input::source_name;
use crate::output::print;

/// The number of bytes that are read in one call.
const CHUNK: usize = 1 << 20;
/// The number of errors that the short text shows.
const SHOWN: usize = 10;

/// Reads a trace and prints what it contains.
///
/// # Errors
/// The file does not exist, the text has no events, or the pipe is closed.
pub fn trace(parsed: &Parsed) -> Outcome<()> {
    let Some(path) = parsed.operand() else {
        return Err(bad("which trace? mmscope trace FILE"));
    };
    let info = read(path)?;
    if parsed.has("--json") {
        return print(&format!("{}\n", written(&info)));
    }
    print(&text(&info))
}

fn read(path: &str) -> Outcome<Info> {
    let name = source_name(path);
    let fault = |error: io::Error| io_fault(name, &error);
    let mut source: Box<dyn Read> = match path {
        "-" => Box::new(io::stdin().lock()),
        path => Box::new(File::open(path).map_err(fault)?),
    };
    let mut reader = Reader::new();
    let mut chunk = vec![0; CHUNK];
    let mut is_first = true;
    loop {
        let count = source.read(&mut chunk).map_err(fault)?;
        if std::mem::take(&mut is_first) && chunk[..count].starts_with(&[0x1f, 0x8b]) {
            return Err(bad(format!(
                "{name} is compressed: unpack it, as with zcat {name} | mmscope trace -"
            )));
        }
        if count == 0 {
            break;
        }
        reader.feed(&chunk[..count]);
    }
    reader.finish();
    let info = reader.info();
    if info.events == 0 && info.unknown.is_empty() {
        let reason = info.message.clone().unwrap_or_default();
        let mut failure = bad(format!("{name}: {reason}"));
        for refusal in info.refusals.iter().take(SHOWN) {
            failure = failure.and(shown(&format!("line {}: {}", refusal.line, refusal.reason)));
        }
        return Err(failure);
    }
    Ok(info)
}

fn text(info: &Info) -> String {
    let mut out = String::new();
    let mut add = |line: String| {
        out.push_str(&shown(&line));
        out.push('\n');
    };
    if let Some(dialect) = &info.dialect {
        let range = match (&dialect.oldest, &dialect.newest) {
            (oldest, newest) if oldest == newest => oldest.clone(),
            (oldest, newest) => format!("{oldest} to {newest}"),
        };
        add(format!(
            "format     {} ({}), as of kernel {range}",
            dialect.name, dialect.source
        ));
        for why in &dialect.why {
            add(format!("           {why}"));
        }
    }
    add(format!(
        "events     {} in {} lines",
        info.events, info.lines
    ));
    add(format!(
        "time       {:.6} s, from {} s of its clock",
        info.to_ns as f64 / 1e9,
        info.clock.as_deref().unwrap_or("?")
    ));
    add(format!(
        "tasks      {}, on {} CPUs",
        info.tasks.len(),
        info.cpus.len()
    ));
    if info.overwritten > 0 {
        add(format!(
            "overwritten  {} events before the first one",
            info.overwritten
        ));
    }
    if info.losses > 0 {
        add(format!(
            "lost       {} events, at {} places",
            info.lost, info.losses
        ));
    }
    if info.went_back > 0 {
        add(format!("out of order  {} events", info.went_back));
    }
    if let Some(message) = &info.message {
        add(message.clone());
    }
    add(String::new());
    let mut kinds: Vec<_> = info.kinds.iter().collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count));
    for kind in kinds {
        let own = if kind.engine { "" } else { "  (not modelled)" };
        add(format!("{:>9}  {}{own}", kind.count, kind.name));
    }
    for unknown in &info.unknown {
        add(format!("{:>9}  {}  (unknown)", unknown.count, unknown.name));
    }
    if info.refused > 0 {
        add(String::new());
        add(format!("refused    {} lines", info.refused));
        for refusal in info.refusals.iter().take(SHOWN) {
            add(format!("line {}: {}", refusal.line, refusal.reason));
        }
    }
    add(String::new());
    let era = info
        .dialect
        .as_ref()
        .map_or("", |dialect| &dialect.name[..]);
    for line in sums(&info.sums, era) {
        add(line);
    }
    out
}

/// The summary of the kernel's scripts, by the rules of the era's script.
fn sums(sums: &Sums, era: &str) -> Vec<String> {
    let row = |name: &str, value: u64| format!("{name:<38}{value:>12}");
    let time = |name: &str, ns: u64| format!("{name:<38}{:>12.6} s", ns as f64 / 1e9);
    let scanned = |scanned: &Scanned| match era {
        "2.6.37" => scanned.without_one,
        "6.12" => scanned.inactive,
        // The script of these kernels expects fields that they no longer print; the script of 6.12 reads
        // the new ones.
        "5.10" | "5.15" | "6.1" => scanned.inactive,
        _ => scanned.without_two,
    };
    let (direct, kswapd, pages) = (&sums.direct, &sums.kswapd, &sums.pages);
    let mut out = vec![
        row("Direct reclaims", direct.reclaims),
        row("Direct reclaim pages scanned", scanned(&direct.scanned)),
        row("Direct reclaim pages reclaimed", direct.reclaimed),
    ];
    out.extend(written_rows("Direct reclaim", &direct.written));
    out.extend([
        row("Wake kswapd requests", direct.requests),
        time("Time stalled in direct reclaim", direct.stalled_ns),
        time("  the median", direct.median_ns),
        time("  the longest", direct.longest_ns),
        row("Kswapd wakeups", kswapd.wakes),
        row("Kswapd wakeups while awake", kswapd.rewakes),
        row("Kswapd pages scanned", scanned(&kswapd.scanned)),
        row("Kswapd pages reclaimed", kswapd.reclaimed),
    ]);
    out.extend(written_rows("Kswapd", &kswapd.written));
    out.push(time("Time kswapd awake", kswapd.awake_ns));
    if kswapd.awake_by_script_ns != kswapd.awake_ns {
        out.push(time(
            "  with sleeps before any wakeup",
            kswapd.awake_by_script_ns,
        ));
    }
    out.extend([
        row("Pages allocated", pages.allocated),
        row("Pages allocated under the lock", pages.locked),
        row("Pages freed directly", pages.freed),
        row("Pages freed in batches", pages.freed_batched),
        row("Pages drained from per-cpu lists", pages.drained),
        row("Drains of per-cpu lists", pages.drains),
        row("Refills of per-cpu lists", pages.refills),
        row("Fallbacks to another migrate type", pages.fallbacks),
        row("  that fragment", pages.fragmenting),
        row("  that change the pageblock's type", pages.changed),
        row("  severe", pages.severe),
        row("  moderate", pages.moderate),
    ]);
    out
}

fn written_rows(who: &str, written: &Written) -> [String; 4] {
    let row =
        |kind: &str, value: u64| format!("{:<38}{value:>12}", format!("{who} writes, {kind}"));
    [
        row("file sync", written.file_sync),
        row("anon sync", written.anon_sync),
        row("file async", written.file_async),
        row("anon async", written.anon_async),
    ]
}
