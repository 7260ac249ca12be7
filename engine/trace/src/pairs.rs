//! The second half of a line as keys and values.
//!
//! Modelled: the formats in which tracepoints print. Left out: free text. Invariants: the number of
//! keys is bounded; values are not copied.

use std::borrow::Cow;

use crate::NOTHING;

/// Numbers above it are not exact in the page, and [`NOTHING`] is none.
const LARGEST: i64 = NOTHING - 1;
/// The maximum number of keys of an event.
const MOST: usize = 40;
/// The longest key.
const LONGEST_KEY: usize = 40;

/// The keys and values of an event, in order.
#[derive(Debug, Default)]
pub struct Pairs<'a> {
    /// Each key with its value.
    pub all: Vec<(Cow<'a, str>, &'a str)>,
    /// Words after the last value that belong to none.
    pub left: &'a str,
}

/// Parses details: `key=value`, also with blanks inside names of tasks; `range=(a ~ b)`; and
/// `words 7`.
pub fn pairs(details: &str) -> Pairs<'_> {
    let mut out = Pairs::default();
    // The start of a value that may continue, and the start of words that form a key.
    let (mut open, mut label): (Option<usize>, Option<usize>) = (None, None);
    let mut at = 0;
    for word in details.split(' ') {
        let (start, end) = (at, at + word.len());
        at = end + 1;
        if word.is_empty() || word == "==>" {
            continue;
        }
        if let Some((key, value)) = word.split_once('=').filter(|(key, _)| is_key(key)) {
            label = None;
            let value_at = start + key.len() + 1;
            let goes_on = key.ends_with("comm") || value.starts_with('(');
            open = goes_on.then_some(value_at);
            out.push(Cow::Borrowed(key), value.trim_end_matches(','));
        } else if let (Some(from), Some(last)) = (open, out.all.last_mut()) {
            last.1 = details[from..end].trim_end_matches(',');
            if word.ends_with(')') {
                open = None;
            }
        } else if let Some(from) = label {
            if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') || is_flags(word) {
                let key = details[from..start].trim_end_matches([' ', ':']);
                let key = key.split_whitespace().collect::<Vec<_>>().join("_");
                out.push(Cow::Owned(key), word.trim_end_matches([':', ',']));
                label = None;
            }
        } else if word.contains("+0x") {
            out.push(Cow::Borrowed("function"), word.trim_end_matches(':'));
        } else if !is_pointer(word) {
            label = Some(start);
        }
    }
    out.left = label.map_or("", |from| &details[from..]);
    out.split_ranges();
    out
}

fn is_key(text: &str) -> bool {
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    !text.is_empty() && text.len() <= LONGEST_KEY && text.bytes().all(fine)
}

fn is_flags(word: &str) -> bool {
    word.len() > 3
        && word
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'|'))
}

fn is_pointer(word: &str) -> bool {
    let word = word.trim_end_matches(':');
    word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl<'a> Pairs<'a> {
    fn push(&mut self, key: Cow<'a, str>, value: &'a str) {
        if self.all.len() < MOST && key.len() <= LONGEST_KEY {
            self.all.push((key, value));
        }
    }

    /// `range=(a ~ b)` as `range_from` and `range_to`.
    fn split_ranges(&mut self) {
        let mut i = 0;
        while let Some((key, value)) = self.all.get(i) {
            let inner = value
                .strip_prefix('(')
                .and_then(|value| value.strip_suffix(')'));
            if let Some((from, to)) = inner.and_then(|inner| inner.split_once(" ~ ")) {
                let to_key = format!("{key}_to");
                self.all[i] = (Cow::Owned(format!("{key}_from")), from);
                self.all.insert(i + 1, (Cow::Owned(to_key), to));
                i += 1;
            }
            i += 1;
        }
    }

    /// A value by its key, and its index; `near` is the probable index.
    pub(crate) fn get(&self, key: &str, near: usize) -> Option<(usize, &'a str)> {
        let all = &self.all;
        if let Some((_, value)) = all.get(near).filter(|(name, _)| name == key) {
            return Some((near, value));
        }
        let at = all.iter().position(|(name, _)| name == key)?;
        Some((at, all[at].1))
    }
}

/// A decimal number, or a hexadecimal one after 0x.
pub fn number(text: &str) -> Option<i64> {
    let n = match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => text.parse().ok()?,
    };
    (-LARGEST..=LARGEST).contains(&n).then_some(n)
}

/// A quotation of at most 40 characters.
pub fn cut(text: &str) -> String {
    let short: String = text.chars().take(40).filter(|c| !c.is_control()).collect();
    let dots = if text.chars().nth(40).is_some() {
        "..."
    } else {
        ""
    };
    format!("\"{short}{dots}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(details: &str) -> Vec<(String, String)> {
        let all = pairs(details).all.into_iter();
        all.map(|(key, value)| (key.to_string(), value.to_string()))
            .collect()
    }

    fn of(list: &[(&str, &str)]) -> Vec<(String, String)> {
        let pair = |(key, value): &(&str, &str)| ((*key).to_string(), (*value).to_string());
        list.iter().map(pair).collect()
    }

    #[test]
    fn splits_event_details_of_every_format() {
        for (details, told) in [
            (
                "node=0 zone=DMA32    order=9",
                &[("node", "0"), ("zone", "DMA32"), ("order", "9")][..],
            ),
            (
                "zone_end=0x1000, mode=sync",
                &[("zone_end", "0x1000"), ("mode", "sync")],
            ),
            (
                "range=(0x1 ~ 0x200) nr_scanned=156",
                &[
                    ("range_from", "0x1"),
                    ("range_to", "0x200"),
                    ("nr_scanned", "156"),
                ],
            ),
            (
                "prev_comm=my prog 2 prev_pid=5 prev_state=R+ ==> next_comm=swapper/0 next_pid=0",
                &[
                    ("prev_comm", "my prog 2"),
                    ("prev_pid", "5"),
                    ("prev_state", "R+"),
                    ("next_comm", "swapper/0"),
                    ("next_pid", "0"),
                ],
            ),
            (
                "super_cache_scan+0x0/0x1e0 000000006641ed31: nid: 0 objects to shrink 7 gfp_flags GFP_KERNEL cache items 1 delta 0",
                &[
                    ("function", "super_cache_scan+0x0/0x1e0"),
                    ("nid", "0"),
                    ("objects_to_shrink", "7"),
                    ("gfp_flags", "GFP_KERNEL"),
                    ("cache_items", "1"),
                    ("delta", "0"),
                ],
            ),
            (
                "bdi 254:0: limit=12950",
                &[("bdi", "254:0"), ("limit", "12950")],
            ),
        ] {
            assert_eq!(taken(details), of(told), "{details}");
        }
        assert_eq!(pairs("classzone=3 nr_req").left, "nr_req");
    }

    #[test]
    fn numbers_that_javascript_cannot_represent_exactly_are_none() {
        assert_eq!(number("0x20"), Some(32));
        assert_eq!(number("-1"), Some(-1));
        for wrong in [
            "",
            "x",
            "9223372036854775807",
            "9007199254740991",
            "0xfffffffffffffff",
            "1e3",
        ] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }
}
