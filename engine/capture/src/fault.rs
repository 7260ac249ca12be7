//! An error in a capture: the file, the line if there is one, and the reason.

use std::fmt::{self, Display};

use mm::view::Refusal;
use serde::Serialize;

/// One error in a capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The file; empty for the capture as a whole.
    pub file: String,
    /// The line in it, from 1.
    pub line: Option<usize>,
    /// The reason, and what the user can do.
    pub reason: String,
}

/// The result of reading a part of a capture.
pub type Outcome<T> = Result<T, Vec<Fault>>;

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.file.as_str(), self.line) {
            ("", _) => f.write_str(&self.reason),
            (file, None) => write!(f, "{file}: {}", self.reason),
            (file, Some(line)) => write!(f, "{file}:{line}: {}", self.reason),
        }
    }
}

/// An error in a file.
pub fn in_file(file: &str, reason: impl Into<String>) -> Vec<Fault> {
    vec![Fault {
        file: file.to_string(),
        line: None,
        reason: reason.into(),
    }]
}

/// An error in a line of a file.
pub fn at_line(file: &str, line: usize, reason: impl Into<String>) -> Vec<Fault> {
    vec![Fault {
        file: file.to_string(),
        line: Some(line),
        reason: reason.into(),
    }]
}

/// Errors in data, with the paths before the reasons.
pub fn refused(file: &str, refusals: &[Refusal]) -> Vec<Fault> {
    let fault = |refusal: &Refusal| Fault {
        file: file.to_string(),
        line: None,
        reason: match refusal.path.as_str() {
            "" | "." => refusal.reason.clone(),
            path => format!("{path}: {}", refusal.reason),
        },
    };
    refusals.iter().map(fault).collect()
}

/// Three results, or the errors of all of them.
///
/// # Errors
/// Any of the three failed.
pub fn joined<A, B, C>(a: Outcome<A>, b: Outcome<B>, c: Outcome<C>) -> Outcome<(A, B, C)> {
    match (a, b, c) {
        (Ok(a), Ok(b), Ok(c)) => Ok((a, b, c)),
        (a, b, c) => {
            let all = [a.err(), b.err(), c.err()];
            Err(all.into_iter().flatten().flatten().collect())
        }
    }
}
