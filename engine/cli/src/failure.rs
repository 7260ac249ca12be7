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

/// Bad input.
pub fn bad(reason: impl Into<String>) -> Failure {
    Failure::Bad(reason.into())
}

/// Refused data: one line for each field, after the name of where it came from.
pub fn refused(source: impl Display, refusals: &[Refusal]) -> Failure {
    let lines: Vec<String> = refusals
        .iter()
        .map(|refusal| match refusal.path.as_str() {
            "" | "." => format!("{source}: {}", refusal.reason),
            path => format!("{source}: {path}: {}", refusal.reason),
        })
        .collect();
    bad(lines.join("\n"))
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
