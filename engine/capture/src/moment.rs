//! The files of /proc at one moment: sections under lines `=== name` in one text.
//!
//! A missing required section, or a section that ends within a line, is an error with a line
//! number. Captures are copied between machines, and a truncated file must not look like a smaller
//! machine.

use mm::procfs::counters::{Counted, counters};

use crate::fault::{Fault, Outcome, at_line};
use crate::files::Files;

/// Sections that every moment needs.
const NEEDED: [&str; 3] = ["zoneinfo", "vmstat", "buddyinfo"];
/// The prefix of the line above a section.
const HEAD: &str = "=== ";

/// The files of /proc at one moment.
#[derive(Debug, Clone, Default)]
pub struct Moment {
    /// The file.
    pub file: String,
    sections: Vec<Section>,
    /// /proc/vmstat.
    pub vmstat: Counted,
}

#[derive(Debug, Clone)]
struct Section {
    name: String,
    /// The line of its head, from 1.
    line: usize,
    text: String,
}

impl Moment {
    /// Reads a moment.
    ///
    /// # Errors
    /// A file or section is missing, or a line of vmstat is not a counter.
    pub fn read(files: &Files, file: &str) -> Outcome<Moment> {
        let text = files.need(file)?;
        let sections = sections(text);
        let mut moment = Moment {
            file: file.to_string(),
            sections,
            vmstat: Counted::new(),
        };
        let last = text.lines().count();
        for name in NEEDED {
            if moment.section(name).is_empty() {
                let reason = format!("there is no section \"{HEAD}{name}\"; is the file cut off?");
                return Err(at_line(file, last, reason));
            }
        }
        let head = moment.line("vmstat");
        moment.vmstat = counters(moment.section("vmstat")).map_err(|bad| {
            let fault = |bad: mm::procfs::counters::BadLine| Fault {
                file: file.to_string(),
                line: Some(head + bad.line),
                reason: bad.reason,
            };
            bad.into_iter().map(fault).collect::<Vec<_>>()
        })?;
        Ok(moment)
    }

    /// The text of a section; empty if there is none.
    pub fn section(&self, name: &str) -> &str {
        let mut sections = self.sections.iter();
        let found = sections.find(|section| section.name == name);
        found.map_or("", |section| &section.text)
    }

    /// The line of a section's head; a section's own line N is line N after it.
    pub fn line(&self, name: &str) -> usize {
        let mut sections = self.sections.iter();
        let found = sections.find(|section| section.name == name);
        found.map_or(0, |section| section.line)
    }

    /// A kernel prints the same counters at both moments; a file that lacks some is truncated.
    ///
    /// # Errors
    /// This moment lacks counters of the other.
    pub fn has_counters_of(&self, other: &Moment) -> Outcome<()> {
        let missing = |name: &&String| !self.vmstat.contains_key(*name);
        let mut lost = other.vmstat.keys().filter(missing);
        let Some(first) = lost.next() else {
            return Ok(());
        };
        let count = 1 + lost.count();
        let end = self.line("vmstat") + self.section("vmstat").lines().count();
        let reason = format!(
            "{count} counters of {} are missing, {first} among them; is the file cut off?",
            other.file
        );
        Err(at_line(&self.file, end, reason))
    }
}

fn sections(text: &str) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(name) = line.strip_prefix(HEAD) {
            found.push(Section {
                name: name.trim().to_string(),
                line: number,
                text: String::new(),
            });
        } else if let Some(section) = found.last_mut() {
            section.text.push_str(line);
            section.text.push('\n');
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Outcome<Moment> {
        let files = [("before.txt".to_string(), text.to_string())];
        Moment::read(&Files::new(files), "before.txt")
    }

    const WHOLE: &str =
        "=== zoneinfo\nNode 0\n=== vmstat\na 1\nb 2\n=== buddyinfo\nx\n=== swaps\ny\n";

    #[test]
    fn a_section_is_found_with_its_line() {
        let moment = read(WHOLE).expect("a moment");
        assert_eq!(moment.section("swaps"), "y\n");
        assert_eq!(moment.section("none"), "");
        assert_eq!((moment.line("vmstat"), moment.vmstat["b"]), (3, 2));
        let crlf = read(&WHOLE.replace('\n', "\r\n")).expect("a moment");
        assert_eq!(crlf.vmstat, moment.vmstat);
    }

    #[test]
    fn a_truncated_file_is_refused_with_its_line_wherever_it_is_cut() {
        for end in 1..WHOLE.find("=== swaps").expect("the last section") - 2 {
            let faults = read(&WHOLE[..end]).expect_err("cut off");
            assert!(faults[0].line.is_some(), "{faults:?}");
        }
        let cut = read(&WHOLE[..WHOLE.find(" 2\n").expect("a counter")]).expect_err("cut off");
        assert!(cut[0].reason.contains("buddyinfo"), "{cut:?}");
        let bad = read(&WHOLE.replace("b 2", "b")).expect_err("no number");
        assert_eq!(bad[0].line, Some(5));
    }

    #[test]
    fn refuses_a_snapshot_that_lacks_counters_of_the_other_one() {
        let whole = read(WHOLE).expect("a moment");
        let less = read(&WHOLE.replace("b 2\n", "")).expect("a moment");
        assert_eq!(whole.has_counters_of(&less), Ok(()));
        let faults = less.has_counters_of(&whole).expect_err("b is missing");
        assert_eq!(faults[0].line, Some(4));
    }
}
