//! The ways in which a command can fail.

use std::fmt::Display;
use std::io;

use mm::view::Refusal;
use reports::sweep::Refused;

/// Exit code of results that were not reproduced.
pub const DIFFERS: u8 = 1;
/// Exit code of bad input.
pub const BAD_INPUT: u8 = 2;
/// Exit code of a fault in the engine itself.
pub const ENGINE_FAULT: u8 = 3;

/// Why a command failed.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// Bad input; the sentences give the reason and the location.
    Bad(String),
    /// The reader of its output has closed the pipe.
    Closed,
    /// Results were not reproduced; the output says which.
    Differs,
}

/// The result of a part of a command.
pub type Outcome<T> = Result<T, Failure>;

/// Bad input, in one line, because quoted text may contain anything.
pub fn bad(reason: impl AsRef<str>) -> Failure {
    Failure::Bad(shown(reason.as_ref()))
}

impl Failure {
    /// Adds another line.
    pub fn and(self, line: impl AsRef<str>) -> Failure {
        match self {
            Failure::Bad(reason) => Failure::Bad(format!("{reason}\n{}", line.as_ref())),
            other => other,
        }
    }
}

/// A text in which characters that move the cursor, change colours or reverse the direction of a
/// line are escaped, because terminals would obey them.
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

/// Characters without width that change the layout of others.
const fn is_format(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
}

/// Errors in data: one line for each field, after the name of the source.
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

impl From<Refused> for Failure {
    fn from(Refused(lines): Refused) -> Failure {
        let lines: Vec<String> = lines.iter().map(|line| shown(line)).collect();
        Failure::Bad(lines.join("\n"))
    }
}

/// A failure of reading or writing.
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
    fn quoted_text_cannot_move_the_cursor_or_fake_a_line() {
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
