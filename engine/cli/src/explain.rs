//! `mmscope explain`: explains messages of real machines in sentences.

use explain::{Document, Explanation, File, Severity};

use crate::args::Parsed;
use crate::failure::{Outcome, bad};
use crate::input::{self, source_name};
use crate::output::{print, say};

/// Prints the explanation of some files.
///
/// # Errors
/// The input is bad or has nothing to explain, or the pipe is closed.
pub fn explain(parsed: &Parsed) -> Outcome<()> {
    if parsed.operands().is_empty() {
        return Err(bad(
            "which FILE? The output of dmesg, a /proc/zoneinfo, or - for stdin",
        ));
    }
    let read = |path: &String| {
        let name = source_name(path).to_string();
        input::read_pasted(path).map(|text| File { name, text })
    };
    let files: Outcome<Vec<File>> = parsed.operands().iter().map(read).collect();
    let found = explain::explain(&files?);
    if parsed.has("--json") {
        let value = serde_json::to_value(&found).map_err(|error| bad(error.to_string()))?;
        return print(&format!("{value:#}\n"));
    }
    let refusals: Vec<String> = refusals(&found).collect();
    if found.documents.is_empty() {
        return Err(bad(refusals.join("\n")));
    }
    for refusal in &refusals {
        say(refusal);
    }
    let documents: Vec<String> = found.documents.iter().map(words).collect();
    print(&documents.join("\n"))
}

fn refusals(found: &Explanation) -> impl Iterator<Item = String> {
    found.refusals.iter().map(|refused| match refused.line {
        Some(line) => format!("{}: line {line}: {}", refused.file, refused.reason),
        None => format!("{}: {}", refused.file, refused.reason),
    })
}

/// A document: its title, then one sentence per line.
fn words(document: &Document) -> String {
    let mut out = format!("{}:{}: {}\n", document.file, document.line, document.title);
    for finding in &document.findings {
        let mark = match finding.severity {
            Severity::Cause => "!!",
            Severity::Warning => " !",
            Severity::Note => "  ",
        };
        let place = finding.line.map(|line| format!(" (line {line})"));
        let place = place.unwrap_or_default();
        out.push_str(&format!("{mark} {}{place}\n", finding.text));
    }
    out
}
