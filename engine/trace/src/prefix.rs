//! The first half of a line: task, CPU, flags, time and the name of the event.
//!
//! Modelled: the prefixes of `trace` and `trace_pipe` of every era (kernel/trace/trace_output.c),
//! of `trace-cmd report` and of `perf script`. Left out: the latency format; clocks that print no
//! seconds (`x86-tsc`, `counter`). Invariants: texts are not copied.

/// The tool that wrote the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The kernel, or `trace-cmd report`, which prints the same.
    Trace,
    /// `perf script`.
    Perf,
}

/// The first half of a line, and the second as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix<'a> {
    /// The tool that wrote the line.
    pub source: Source,
    /// The name of the task.
    pub comm: &'a str,
    /// Its process id.
    pub pid: u64,
    /// The CPU.
    pub cpu: u64,
    /// The flags between CPU and time, if it has them.
    pub flags: Option<&'a str>,
    /// The time, ns.
    pub ns: u64,
    /// The time as it was printed.
    pub clock: &'a str,
    /// The name of the event, without its group.
    pub event: &'a str,
    /// The rest.
    pub details: &'a str,
}

/// A line that is neither an event nor an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other<'a> {
    /// Nothing in it.
    Blank,
    /// A remark of the kernel or of a tool.
    Remark(&'a str),
    /// Events of a CPU were lost; the number, if the line contains it.
    Lost(Option<u64>),
    /// A function of a stack.
    Stack,
}

/// A line without an event; none if it should be one.
pub fn other(line: &str) -> Option<Other<'_>> {
    let text = line.trim();
    if text.is_empty() {
        return Some(Other::Blank);
    }
    if text.starts_with('#') {
        return Some(Other::Remark(text));
    }
    let is_about_cpu = text.starts_with("CPU:") || text.starts_with("CPU ");
    if is_about_cpu && text.ends_with(']') {
        let lost = text
            .split_once("[LOST ")
            .and_then(|(_, rest)| rest.split_once(' '));
        if let Some((count, _)) = lost {
            return Some(Other::Lost(count.parse().ok()));
        }
        if text.ends_with("[EVENTS DROPPED]") {
            return Some(Other::Lost(None));
        }
    }
    let is_remark = is_about_cpu && text.ends_with("is empty")
        || text.strip_prefix("cpus=").is_some_and(is_number)
        || text.strip_prefix("version = ").is_some_and(is_number);
    if is_remark {
        return Some(Other::Remark(text));
    }
    is_stack(line).then_some(Other::Stack)
}

/// `=> function`, or as perf prints it, `ffffffff8100 function+0x10 ([kernel])`.
fn is_stack(line: &str) -> bool {
    let text = line.trim_start();
    if text.starts_with("=> ") || text.contains("<stack trace>") {
        return true;
    }
    let first = text.split(' ').next().unwrap_or("");
    text.len() < line.len()
        && first.len() >= 6
        && first.len() < text.len()
        && first.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.ends_with(')')
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads the first half of a line.
///
/// # Errors
/// The reason, in one sentence.
pub fn read(line: &str) -> Result<Prefix<'_>, &'static str> {
    let (task, cpu, after) = cpu(line).ok_or("no CPU in brackets, such as [001]")?;
    let (source, comm, pid) = task_of(task.trim())?;
    let mut rest = after.trim_start();
    let mut flags = None;
    let mut first = word(rest);
    if !first.ends_with(':') && !first.is_empty() && first.len() <= 8 && !first.contains(':') {
        flags = Some(first);
        rest = rest[first.len()..].trim_start();
        first = word(rest);
    }
    let clock = first
        .strip_suffix(':')
        .ok_or("no time with a colon after it")?;
    let ns = time(clock).ok_or("its time is not in seconds with a fraction")?;
    rest = rest[first.len()..].trim_start();
    first = word(rest);
    // perf prints a period where an event was counted.
    if is_number(first) {
        rest = rest[first.len()..].trim_start();
        first = word(rest);
    }
    let event = first
        .strip_suffix(':')
        .ok_or("no name of an event with a colon after it")?;
    let event = event.rsplit(':').next().unwrap_or(event);
    let is_name = !event.is_empty()
        && event.len() <= 64
        && event
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name {
        return Err("the name of its event has other characters than letters, digits and _");
    }
    Ok(Prefix {
        source,
        comm,
        pid,
        cpu,
        flags,
        ns,
        clock,
        event,
        details: rest[first.len()..].trim(),
    })
}

fn word(text: &str) -> &str {
    text.split(|c: char| c.is_ascii_whitespace())
        .next()
        .unwrap_or("")
}

/// The text before `[cpu]`, the CPU, and the text after it.
fn cpu(line: &str) -> Option<(&str, u64, &str)> {
    let mut from = 0;
    while let Some(at) = line[from..].find('[') {
        let open = from + at;
        let inner = &line[open + 1..];
        if let Some((number, after)) = inner.split_once(']') {
            let is_apart = after.starts_with(' ') && line[..open].ends_with([' ', '\t']);
            if is_apart && is_number(number) && number.len() <= 6 {
                return Some((&line[..open], number.parse().ok()?, after));
            }
        }
        from = open + 1;
    }
    None
}

/// `comm-pid`, `comm-pid (tgid)`, or as perf prints it, `comm pid` or `comm pid/tid`.
fn task_of(text: &str) -> Result<(Source, &str, u64), &'static str> {
    let text = match (text.ends_with(')'), text.rfind('(')) {
        (true, Some(at)) => text[..at].trim_end(),
        _ => text,
    };
    let pid = |text: &str| {
        text.parse::<u64>()
            .map_err(|_| "its process id is out of range")
    };
    if let Some((comm, last)) = text.rsplit_once([' ', '\t']) {
        let id = last.rsplit('/').next().unwrap_or(last);
        if is_number(id) && last.split('/').all(is_number) {
            return Ok((Source::Perf, comm.trim(), pid(id)?));
        }
    }
    match text.rsplit_once('-') {
        Some((comm, id)) if is_number(id) => Ok((Source::Trace, comm.trim(), pid(id)?)),
        _ => Err("no task before the CPU: neither comm-pid nor comm pid"),
    }
}

/// Seconds with one to nine decimals, as ns.
pub fn time(text: &str) -> Option<u64> {
    let (seconds, part) = text.split_once('.')?;
    if !is_number(seconds) || !is_number(part) || part.len() > 9 {
        return None;
    }
    let scale = 10_u64.pow(9 - part.len() as u32);
    let part = part.parse::<u64>().ok()? * scale;
    let ns = seconds
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000_000_000)?
        .checked_add(part)?;
    // The page stores times as numbers below 2^53.
    (ns < 1 << 62).then_some(ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> (Source, String, u64, u64, u64, String, String) {
        let p = read(line).unwrap_or_else(|why| panic!("{line}: {why}"));
        let text = |t: &str| t.to_string();
        (
            p.source,
            text(p.comm),
            p.pid,
            p.cpu,
            p.ns,
            text(p.event),
            text(p.details),
        )
    }

    #[test]
    fn reads_the_prefix_of_every_tool_and_era() {
        let wake = |source, comm: &str, pid, cpu, ns| {
            let (event, details) = ("mm_vmscan_kswapd_wake", "nid=0 order=0");
            (
                source,
                comm.to_string(),
                pid,
                cpu,
                ns,
                event.to_string(),
                details.to_string(),
            )
        };
        let s = 1_000_000_000;
        for (line, told) in [
            (
                "         kswapd0-54    [000]     8.722648: mm_vmscan_kswapd_wake: nid=0 order=0",
                wake(Source::Trace, "kswapd0", 54, 0, 8 * s + 722_648_000),
            ),
            (
                "         kswapd0-54      [001] dN.1.     8.722648: mm_vmscan_kswapd_wake: nid=0 order=0",
                wake(Source::Trace, "kswapd0", 54, 1, 8 * s + 722_648_000),
            ),
            (
                "     Web Content-1234 (  1200) [003] .... 17284.993652: mm_vmscan_kswapd_wake: nid=0 order=0",
                wake(
                    Source::Trace,
                    "Web Content",
                    1234,
                    3,
                    17284 * s + 993_652_000,
                ),
            ),
            (
                "    kworker/u2:1-24    [012]  1.5: mm_vmscan_kswapd_wake:   nid=0 order=0",
                wake(Source::Trace, "kworker/u2:1", 24, 12, s + 500_000_000),
            ),
            (
                "kswapd0    54 [000]  8.722648: vmscan:mm_vmscan_kswapd_wake: nid=0 order=0",
                wake(Source::Perf, "kswapd0", 54, 0, 8 * s + 722_648_000),
            ),
            (
                "my prog 50/54 [000]  8.722648123:      1 vmscan:mm_vmscan_kswapd_wake: nid=0 order=0",
                wake(Source::Perf, "my prog", 54, 0, 8 * s + 722_648_123),
            ),
            (
                "          <idle>-0       [000] d..2.     0.000001: mm_vmscan_kswapd_wake: nid=0 order=0",
                wake(Source::Trace, "<idle>", 0, 0, 1000),
            ),
        ] {
            assert_eq!(of(line), told);
        }
    }

    #[test]
    fn names_the_part_that_a_line_lacks() {
        for (line, says) in [
            ("nonsense", "CPU"),
            ("kswapd0-54 [x] 1.0: a: b", "CPU"),
            ("kswapd0 [000] 1.0: a: b", "comm-pid"),
            ("kswapd0-99999999999999999999 [000] 1.0: a: b", "range"),
            ("kswapd0-1 [000] .... 12345: a: b", "seconds"),
            (
                "kswapd0-1 [000] .... 99999999999999999999.1: a: b",
                "seconds",
            ),
            ("kswapd0-1 [000] .... 1.0: schedule <-worker_thread", "name"),
            ("kswapd0-1 [000] .... 1.0: a-b: c", "characters"),
            ("kswapd0-1 [000] ....", "time"),
        ] {
            let why = read(line).expect_err(line);
            assert!(why.contains(says), "{line}: {why}");
        }
    }

    #[test]
    fn distinguishes_comments_stacks_and_losses_from_events() {
        for (line, told) in [
            ("", Other::Blank),
            ("# tracer: nop", Other::Remark("# tracer: nop")),
            ("CPU:3 [LOST 132 EVENTS]", Other::Lost(Some(132))),
            ("CPU:3 [EVENTS DROPPED]", Other::Lost(None)),
            ("CPU 3 is empty", Other::Remark("CPU 3 is empty")),
            ("cpus=4", Other::Remark("cpus=4")),
            (" => shrink_node", Other::Stack),
            (
                "\tffffffff81234567 shrink_node+0x1 ([kernel.kallsyms])",
                Other::Stack,
            ),
        ] {
            assert_eq!(other(line), Some(told), "{line}");
        }
        assert_eq!(other("kswapd0-1 [000] 1.0: a: b"), None);
    }
}
