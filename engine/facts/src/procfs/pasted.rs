//! Cleans a line of a pasted text: removes log prefixes, quote marks, extra spaces, colours and remarks.
//!
//! Modelled: the pattern of the text before the zone's header, which is removed from the rows that follow;
//! quote marks of mails; spaces of all kinds; terminal colours; remarks after a number.
//! Left out: rows that were wrapped over two lines.
//! Invariants: never panics; a line without any of this is not changed.

use std::borrow::Cow;

/// A line in plain characters: every kind of space becomes a space, and invisible characters are removed.
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

/// Characters without width: line break marks, byte order marks, and the replacement for an invalid byte.
const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}'
    )
}

/// A line without the quote marks of mails.
pub fn unquoted(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '>' | '|' | '│'))
}

/// The pattern of the text before the rows of a listing: a log prefix, a quote mark, a file name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prefix {
    shape: Vec<PrefixToken>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PrefixToken {
    /// Any number of digits and spaces.
    Number,
    /// A colon or a hyphen: grep prints a colon after the file name in a matching line, and a hyphen in a
    /// context line.
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
    /// The pattern of the text before a header, if it looks like a prefix and not like the words of a
    /// sentence.
    pub fn of(text: &str) -> Option<Prefix> {
        let end = text.trim_end();
        let ends_well = end.chars().next_back().is_none_or(|c| {
            !c.is_alphanumeric() && !matches!(c, '"' | '\'' | '`' | ',' | '(' | '=')
        });
        // The line numbers of `cat -n`.
        let counts = end.chars().all(is_number);
        if !(ends_well || counts) || text.len() > 200 {
            return None;
        }
        let mut shape: Vec<PrefixToken> = Vec::new();
        for c in text.chars() {
            let token = match c {
                c if is_number(c) => PrefixToken::Number,
                c if is_separator(c) => PrefixToken::Separator,
                c => PrefixToken::Other(c),
            };
            if token != PrefixToken::Number || shape.last() != Some(&PrefixToken::Number) {
                shape.push(token);
            }
        }
        Some(Prefix { shape })
    }

    /// Whether the rows have no prefix.
    pub fn is_empty(&self) -> bool {
        self.shape.is_empty()
    }

    /// The line without its prefix; none if the line begins differently.
    pub fn strip<'a>(&self, line: &'a str) -> Option<&'a str> {
        let mut rest = line;
        for token in &self.shape {
            rest = match token {
                PrefixToken::Number => rest.trim_start_matches(is_number),
                PrefixToken::Separator => rest.strip_prefix(is_separator)?,
                PrefixToken::Other(c) => rest.strip_prefix(*c)?,
            };
        }
        Some(rest)
    }
}

/// Whether the text after a row's value is a remark: it is empty, or does not begin with a letter or digit.
pub fn is_remark(text: &str) -> bool {
    text.chars()
        .next()
        .is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '.' | '-' | '+' | '_'))
        || text.starts_with("--")
        || text.starts_with("->")
}

/// Whether a line is not empty but has no letter and no digit: "...", "--", "[...]".
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
    fn leaves_a_plain_line_unchanged() {
        for line in ["", "  pages free     3840", "höher"] {
            assert!(matches!(plain(line), Cow::Borrowed(same) if same == line));
        }
    }

    #[test]
    fn removes_unusual_spaces_marks_and_colours() {
        assert_eq!(
            plain("Node\u{a0}0,\u{2009}zone\u{3000}DMA"),
            "Node 0, zone DMA"
        );
        assert_eq!(plain("\tmin\t5"), " min 5");
        assert_eq!(plain("\u{1b}[1;32mmin\u{1b}[0m \u{200b}5\r"), "min 5 ");
        assert_eq!(plain("\u{feff}min\u{0} 5"), "min 5");
    }

    #[test]
    fn recognizes_a_prefix_by_its_shape() {
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
    fn recognizes_comments_and_separator_lines() {
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
