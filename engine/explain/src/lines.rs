//! Extracts the kernel's message from a line of a log.
//!
//! Modelled: timestamps of dmesg and of journals, log levels, caller ids, host names, file names that grep
//! adds, quote marks, colours and extra spaces.
//! Left out: logs in JSON.
//! Invariants: never panics; a line without a prefix is not changed.

use std::borrow::Cow;

use facts::procfs::pasted::{plain, unquoted};

/// The longest line that is read; longer lines do not belong to a report.
const MAX_LINE: usize = 4000;
/// The maximum length of a prefix.
const MAX_PREFIX: usize = 200;

/// A line without the prefix that a log or a mail added.
pub fn body(line: &str) -> String {
    if line.len() > MAX_LINE {
        return String::new();
    }
    let line: Cow<'_, str> = plain(line);
    let line = unquoted(&line);
    let line = after_time(line).unwrap_or(line);
    let line = after_host(line).unwrap_or(line);
    // A caller id, or the kernel's time after the time of a journal.
    let line = after_time(line).unwrap_or(line);
    let line = after_caller(line).unwrap_or(line);
    after_level(line).unwrap_or(line).trim().to_string()
}

/// The text after `[ 12.345678]` or `[Thu Nov 26 10:00:00 2026]`.
fn after_time(line: &str) -> Option<&str> {
    let head = prefix_of(line);
    let open = head.find('[')?;
    let close = open + line[open..].find(']')?;
    is_time(&line[open + 1..close]).then(|| line[close + 1..].trim_start())
}

fn is_time(text: &str) -> bool {
    let text = text.trim();
    let seconds = text.split_once('.').is_some_and(|(whole, part)| {
        // Some vendors write the CPU before the time: `[2-3219.1870]`.
        let is_digits =
            |s: &str| !s.is_empty() && s.chars().all(|c| c.is_ascii_digit() || c == '-');
        is_digits(whole) && is_digits(part)
    });
    let clock = text.split(' ').any(|word| {
        let mut parts = word.split(':');
        let is_two = |part: Option<&str>| part.is_some_and(|p| p.len() == 2);
        is_two(parts.next()) && is_two(parts.next()) && parts.next().is_some()
    });
    seconds || clock
}

/// The text after the `kernel: ` of a journal, if the text before it is a log's prefix.
fn after_host(line: &str) -> Option<&str> {
    let at = prefix_of(line).find("kernel: ")?;
    Some(line[at + "kernel: ".len()..].trim_start())
}

/// The text after `[ T1234]` or `[    C0]`.
fn after_caller(line: &str) -> Option<&str> {
    let (id, rest) = line.strip_prefix('[')?.split_once(']')?;
    let number = id.trim().strip_prefix(['T', 'C'])?;
    let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    is_number.then(|| rest.trim_start())
}

/// The text after `<4>`.
fn after_level(line: &str) -> Option<&str> {
    let (level, rest) = line.strip_prefix('<')?.split_once('>')?;
    let is_level = !level.is_empty() && level.chars().all(|c| c.is_ascii_digit());
    is_level.then(|| rest.trim_start())
}

/// The part of a line that can be a prefix.
fn prefix_of(line: &str) -> &str {
    let mut end = line.len().min(MAX_PREFIX);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::body;

    #[test]
    fn removes_the_prefix_that_a_log_puts_before_a_line() {
        let row = "Node 0 DMA free:4kB min:8kB";
        for prefix in [
            "",
            "[   19.673968] ",
            "<4>[   19.673968] ",
            "[2-3219.1870] ",
            "[   19.673968][ T1234] ",
            "[   19.673968] [    C0] ",
            "[Thu Nov 26 10:00:00 2026] ",
            "Nov 26 10:00:00 host kernel: ",
            "Nov 26 10:00:00 host kernel: [   19.673968] ",
            "2026-11-26T10:00:00.123456+01:00 host kernel: [   19.673968] ",
            "kern  :warn  : [   19.673968] ",
            "kern  :warn  : [Thu Nov 26 10:00:00 2026] ",
            "/var/log/messages:Nov 26 10:00:00 host kernel: ",
            "> > [   19.673968] ",
            "\u{a0}\u{a0}[   19.673968]\u{a0}",
            "<4>",
        ] {
            assert_eq!(body(&format!("{prefix}{row}\r")), row, "{prefix}");
        }
    }

    #[test]
    fn keeps_the_brackets_of_the_task_table() {
        assert_eq!(
            body("[  12.5] [    180]     0   180 wl"),
            "[    180]     0   180 wl"
        );
        assert_eq!(body("[    180]     0   180 wl"), "[    180]     0   180 wl");
        assert_eq!(body("[ pid ]   uid  tgid"), "[ pid ]   uid  tgid");
    }
}
