//! A line of a pasted text without what came along: log prefixes, quote marks, odd spaces, colours,
//! remarks.
//!
//! Modelled: the shape of whatever stands before the zone's header, taken off the rows that follow;
//! marks of mail quoting; spaces of all kinds; terminal colours; remarks behind a number.
//! Left out: rows that were wrapped over two lines.
//! Invariants: never panics; a line without any of this stays as it is.

use std::borrow::Cow;

/// A line in plain characters: every kind of space is a space, and what no terminal shows is gone.
pub fn plain(line: &str) -> Cow<'_, str> {
    let is_plain = |c: char| matches!(c, ' '..='~') || (!c.is_whitespace() && c > '\u{a0}');
    let shows = |c: char| is_plain(c) && !is_invisible(c);
    if line.chars().all(shows) {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => {
                // A colour: ESC [ numbers letter.
                if chars.next_if_eq(&'[').is_some() {
                    while chars.next_if(|c| !c.is_ascii_alphabetic()).is_some() {}
                    chars.next();
                }
            }
            c if c.is_whitespace() => out.push(' '),
            c if c.is_control() || is_invisible(c) => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Marks of zero width: of line breaking, of byte order, and what stands for a byte that is no text.
const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}'
    )
}

/// A line without the marks of mail quoting.
pub fn unquoted(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '>' | '|' | '│'))
}

/// The shape of what stands before the rows of a listing: a log prefix, a quote, a file name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prefix {
    shape: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Any number of digits and spaces.
    Number,
    /// A colon or a hyphen: grep writes one behind the name of a file in a match, the other in a
    /// line around it.
    Separator,
    Other(char),
}

const fn is_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, ' ' | '\t')
}

const fn is_separator(c: char) -> bool {
    matches!(c, ':' | '-')
}

impl Prefix {
    /// The shape of a text that stands before a header, if it looks like a prefix and not like the
    /// words of a sentence.
    pub fn of(text: &str) -> Option<Prefix> {
        let end = text.trim_end();
        let ends_well = end.chars().next_back().is_none_or(|c| {
            !c.is_alphanumeric() && !matches!(c, '"' | '\'' | '`' | ',' | '(' | '=')
        });
        // The numbers of `cat -n`.
        let counts = end.chars().all(is_number);
        if !(ends_well || counts) || text.len() > 200 {
            return None;
        }
        let mut shape: Vec<Part> = Vec::new();
        for c in text.chars() {
            let part = match c {
                c if is_number(c) => Part::Number,
                c if is_separator(c) => Part::Separator,
                c => Part::Other(c),
            };
            if part != Part::Number || shape.last() != Some(&Part::Number) {
                shape.push(part);
            }
        }
        Some(Prefix { shape })
    }

    /// Whether nothing stands before the rows.
    pub fn is_empty(&self) -> bool {
        self.shape.is_empty()
    }

    /// What follows the prefix in a line; none where the line has another beginning.
    pub fn strip<'a>(&self, line: &'a str) -> Option<&'a str> {
        let mut rest = line;
        for part in &self.shape {
            rest = match part {
                Part::Number => rest.trim_start_matches(is_number),
                Part::Separator => rest.strip_prefix(is_separator)?,
                Part::Other(c) => rest.strip_prefix(*c)?,
            };
        }
        Some(rest)
    }
}

/// Whether a text behind a row's value is a remark: nothing, or what begins with no letter and no
/// digit.
pub fn is_remark(text: &str) -> bool {
    text.chars()
        .next()
        .is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '.' | '-' | '+' | '_'))
        || text.starts_with("--")
        || text.starts_with("->")
}

/// Whether a line has no letter and no digit, but something: "...", "--", "[...]".
pub fn is_ornament(line: &str) -> bool {
    let line = line.trim();
    let words = ["snip", "cut", "etc", "skipped", "omitted", "truncated"];
    let inner = line.trim_matches(|c: char| !c.is_alphanumeric());
    !line.is_empty()
        && !line.starts_with("===")
        && (inner.is_empty() || (inner != line && words.contains(&&*inner.to_ascii_lowercase())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_line_stays_as_it_is() {
        for line in ["", "  pages free     3840", "höher"] {
            assert!(matches!(plain(line), Cow::Borrowed(same) if same == line));
        }
    }

    #[test]
    fn odd_spaces_marks_and_colours_go() {
        assert_eq!(
            plain("Node\u{a0}0,\u{2009}zone\u{3000}DMA"),
            "Node 0, zone DMA"
        );
        assert_eq!(plain("\tmin\t5"), " min 5");
        assert_eq!(plain("\u{1b}[1;32mmin\u{1b}[0m \u{200b}5\r"), "min 5 ");
        assert_eq!(plain("\u{feff}min\u{0} 5"), "min 5");
    }

    #[test]
    fn a_prefix_is_known_by_its_shape() {
        for (before, row, rest) in [
            (
                "[  12.345678] ",
                "[ 9912.000001]   pages free 3",
                "pages free 3",
            ),
            ("> > ", "> >   min 5", "min 5"),
            (
                "Nov 26 10:00:00 host kernel: [  123.456] ",
                "Nov 26 10:00:01 host kernel: [12345.6]         min 5",
                "min 5",
            ),
            ("/proc/zoneinfo:", "/proc/zoneinfo-        min 5", "min 5"),
            ("12:", "13-  min 5", "min 5"),
            ("    12\t", "    13\t  min 5", "min 5"),
            ("web1: ", "web1:   min 5", "min 5"),
        ] {
            let prefix = Prefix::of(before).expect(before);
            assert_eq!(prefix.strip(row).map(str::trim), Some(rest), "{before}");
            assert!(!prefix.is_empty());
        }
        assert_eq!(Prefix::of("Look at "), None);
        assert_eq!(Prefix::of("> ").expect("a quote").strip("min 5"), None);
    }

    #[test]
    fn remarks_and_ornaments_are_told_from_rows() {
        for text in [
            "", "# lowest", "// first", "<- here", "-- x", "(220 kB)", "; y",
        ] {
            assert!(is_remark(text), "{text}");
        }
        for text in ["5", "pages", "-5", ".5"] {
            assert!(!is_remark(text), "{text}");
        }
        for line in ["...", "--", "…", "[...]", "[snip]", "<cut>", "- - -"] {
            assert!(is_ornament(line), "{line}");
        }
        for line in ["", "min 5", "=== vmstat", "snip", "cut 5"] {
            assert!(!is_ornament(line), "{line}");
        }
    }
}
