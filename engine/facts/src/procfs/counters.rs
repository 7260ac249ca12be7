//! Reading `/proc/vmstat` (mm/vmstat.c, `vmstat_show`) of any kernel.
//!
//! Modelled: lines of a name and a number; a number of 64 bits that wrapped is negative.
//! Left out: which kernel prints which name; see [`crate::vmstat`].
//! Visible difference: none.
//! Invariants: never panics; each name is read once; any other line gives a refusal with its line number, and
//! there are at most [`MOST`] of them.

use std::collections::BTreeMap;

/// Counters by name.
pub type Counted = BTreeMap<String, i64>;

/// The maximum number of refusals of one text.
pub const MOST: usize = 100;
/// The maximum length of a counter's name, bytes.
const LONGEST_NAME: usize = 80;

/// A line that is not a counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// The line number, from 1.
    pub line: usize,
    /// What is wrong with the line.
    pub reason: String,
}

/// The counters of a text. Blank lines are skipped.
///
/// # Errors
/// Lines that are not a name and a number, or that repeat a name.
pub fn counters(text: &str) -> Result<Counted, Vec<BadLine>> {
    let mut found = Counted::new();
    let mut bad = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let reason = match counter(line) {
            Ok((name, value)) => match found.insert(name.to_string(), value) {
                None => continue,
                Some(_) => format!("{name} appears twice"),
            },
            Err(reason) => reason,
        };
        bad.push(BadLine {
            line: number,
            reason,
        });
        if bad.len() == MOST {
            break;
        }
    }
    match bad.is_empty() {
        true => Ok(found),
        false => Err(bad),
    }
}

/// The name and the number of a line.
fn counter(line: &str) -> Result<(&str, i64), String> {
    let quoted = || -> String { line.chars().take(LONGEST_NAME).collect() };
    let mut words = line.split_ascii_whitespace();
    let name = words.next().unwrap_or_default();
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.len() > LONGEST_NAME || !name.bytes().all(is_of_name) {
        return Err(format!("{:?} is not a counter of /proc/vmstat", quoted()));
    }
    let Some(number) = words.next() else {
        return Err(format!("{name} has no number; is the file cut off?"));
    };
    let value = number.parse::<i64>().ok().or_else(|| {
        // A sum over CPUs that was briefly below zero is printed without a sign.
        let wrapped = number.parse::<u64>().ok()?;
        Some(wrapped.cast_signed())
    });
    match (value, words.next()) {
        (Some(value), None) => Ok((name, value)),
        _ => Err(format!("{:?} is not a name and a number", quoted())),
    }
}

/// The later values minus the earlier ones, for every name in either.
pub fn difference(before: &Counted, after: &Counted) -> Counted {
    let names = before.keys().chain(after.keys());
    let of = |counters: &Counted, name: &String| counters.get(name).copied().unwrap_or(0);
    names
        .map(|name| {
            let moved = of(after, name).wrapping_sub(of(before, name));
            (name.clone(), moved)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_and_subtracts_counters_by_name() {
        let before = counters("a 1\nb -2\n\r\n").expect("two counters");
        assert_eq!((before["a"], before["b"]), (1, -2));
        let after = counters("a 5\r\nc 18446744073709551615\n").expect("two counters");
        let moved = difference(&before, &after);
        assert_eq!((moved["a"], moved["b"], moved["c"]), (4, 2, -1));
    }

    #[test]
    fn refuses_a_line_without_a_counter_by_its_number() {
        let bad = counters("a 1\nb\nc x\na 2\n=== swaps\nd 1 2\n").expect_err("five lines");
        let lines: Vec<usize> = bad.iter().map(|line| line.line).collect();
        assert_eq!(lines, [2, 3, 4, 5, 6]);
        assert!(bad[0].reason.contains("cut off"), "{bad:?}");
        assert_eq!(bad[2].reason, "a appears twice");
        let many = "?\n".repeat(MOST * 3);
        assert_eq!(counters(&many).expect_err("too many").len(), MOST);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused_with_line_numbers(text in any::<String>()) {
            let lines = text.lines().count();
            match counters(&text) {
                Ok(found) => prop_assert!(found.len() <= lines),
                Err(bad) => prop_assert!(bad.iter().all(|b| b.line >= 1 && b.line <= lines)),
            }
        }
    }
}
