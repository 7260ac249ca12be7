//! How a command can end other than well.

use std::fmt::Display;
use std::io;

use mm::view::Refusal;

/// Exit code of bad input.
pub const BAD_INPUT: u8 = 2;
/// Exit code of a fault of the engine itself.
pub const ENGINE_FAULT: u8 = 3;

/// Why a command did not end well.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// Something given to it cannot be; the sentences say what and where.
    Bad(String),
    /// Whoever read its output has had enough.
    Closed,
}

/// What a command's part comes to.
pub type Outcome<T> = Result<T, Failure>;

/// Bad input, in one line: what it quotes may hold anything.
pub fn bad(reason: impl AsRef<str>) -> Failure {
    Failure::Bad(shown(reason.as_ref()))
}

impl Failure {
    /// With another line below.
    pub fn and(self, line: impl AsRef<str>) -> Failure {
        match self {
            Failure::Bad(reason) => Failure::Bad(format!("{reason}\n{}", line.as_ref())),
            Failure::Closed => Failure::Closed,
        }
    }
}

/// A text with what would move the cursor, change colours or turn the line around written as
/// escapes: terminals obey them wherever they come from.
pub fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_format(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Characters without a width that say how others are laid out.
const fn is_format(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
}

/// Refused data: one line for each field, after the name of where it came from.
pub fn refused(source: impl Display, refusals: &[Refusal]) -> Failure {
    let lines: Vec<String> = refusals
        .iter()
        .map(|refusal| match refusal.path.as_str() {
            "" | "." => format!("{source}: {}", refusal.reason),
            path => format!("{source}: {path}: {}", refusal.reason),
        })
        .map(|line| shown(&line))
        .collect();
    Failure::Bad(lines.join("\n"))
}

/// A fault of reading or writing.
pub fn io_fault(what: impl Display, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Closed,
        io::ErrorKind::NotFound => bad(format!("{what}: there is no such file")),
        io::ErrorKind::PermissionDenied => bad(format!("{what}: no permission")),
        io::ErrorKind::IsADirectory => bad(format!("{what}: this is a folder")),
        _ => bad(format!("{what}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_moves_no_cursor_and_fakes_no_line() {
        let quoted = "a\u{1b}[2J\r\nok: \u{202e}b\u{7f}\u{9b}é";
        let line = r"a\u{1b}[2J\r\nok: \u{202e}b\u{7f}\u{9b}é";
        assert_eq!(bad(quoted), Failure::Bad(line.to_string()));
        let refusal = Refusal {
            path: "a\nb".to_string(),
            reason: "\u{7}".to_string(),
        };
        let both = refused("f", &[refusal.clone(), refusal]);
        assert_eq!(
            both.and("ours"),
            Failure::Bad("f: a\\nb: \\u{7}\nf: a\\nb: \\u{7}\nours".to_string())
        );
    }
}
