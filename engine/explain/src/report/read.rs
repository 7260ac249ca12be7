//! Finds the reports in a text and reads each of them.

use crate::lines::body;
use crate::report::rows::{self, Open};
use crate::report::{Report, header, tasks};

/// The maximum number of reports in one text.
const MAX_REPORTS: usize = 200;
/// The maximum number of errors that are listed.
const MAX_FAULTS: usize = 20;

/// The reports of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The reports, in the order of the text.
    pub reports: Vec<Report>,
    /// Lines that could not be read, each with the reason.
    pub faults: Vec<(usize, String)>,
}

#[derive(Default)]
struct Reader {
    found: Found,
    open: Open,
    columns: Option<Vec<String>>,
    in_group_stats: bool,
    /// The number of the first line of the last report, if that report is incomplete.
    header: Option<String>,
    is_full: bool,
}

/// Reads all reports of a text. If a line is faulty, lists the error and reads the rest of its report.
pub fn read(text: &str) -> Found {
    let mut reader = Reader::default();
    for (index, raw) in text.lines().enumerate() {
        reader.line(index + 1, &body(raw));
        if reader.is_full {
            break;
        }
    }
    let Found {
        mut reports,
        faults,
    } = reader.found;
    // A `Mem-Info:` without a zone is not a report.
    reports.retain(|report| report.announced.is_some() || !report.zones.is_empty());
    Found { reports, faults }
}

impl Reader {
    fn line(&mut self, number: usize, row: &str) {
        if row.is_empty() {
            return;
        }
        if let Some((report, done)) = header::begin(row, number) {
            self.begin(number, report);
            // Old kernels print the rest of this line on separate lines.
            self.header = done.is_err().then(|| row.to_string());
            self.note(number, done);
            return;
        }
        if self.continues_header(row) {
            return;
        }
        if self.begins_state(row) {
            let report = Report {
                line: number,
                last_line: number,
                ..Report::default()
            };
            self.begin(number, report);
        }
        let read = self.row(number, row);
        match read {
            Ok(true) => {
                if let Some(report) = self.found.reports.last_mut() {
                    report.last_line = number;
                }
            }
            Ok(false) => {}
            Err(reason) => self.note(number, Err(reason)),
        }
    }

    /// Whether a row completes the first line of a report, which lacked the mask or the order.
    fn continues_header(&mut self, row: &str) -> bool {
        let is_rest = row.starts_with(", mode:") || row.starts_with(", order");
        let (Some(first), Some(report)) = (&self.header, self.found.reports.last_mut()) else {
            return false;
        };
        if !is_rest {
            return false;
        }
        let first_line = report.line;
        let whole = format!("{first}{row}");
        if let Some((complete, Ok(()))) = header::begin(&whole, first_line) {
            report.request = complete.request;
            self.found.faults.retain(|(line, _)| *line != first_line);
            self.header = None;
        }
        true
    }

    /// Whether a state of memory begins here that does not belong to the last report.
    fn begins_state(&self, row: &str) -> bool {
        let starts = row.eq_ignore_ascii_case("Mem-Info:")
            || row.starts_with("active_anon:")
            || (row.starts_with("Node ") && row.contains(" free:") && row.contains(" min:"))
            || (row.starts_with("Node ") && row.contains(" active_anon:") && row.contains("kB"));
        match self.found.reports.last() {
            None => starts,
            Some(last) if last.killed.is_some() => starts,
            // A second state begins: its first line comes after zones.
            Some(last) => row.eq_ignore_ascii_case("Mem-Info:") && !last.zones.is_empty(),
        }
    }

    fn begin(&mut self, line: usize, report: Report) {
        if self.found.reports.len() >= MAX_REPORTS {
            let reason = format!(
                "the text has more than {MAX_REPORTS} reports; those before this line are explained"
            );
            self.found.faults.push((line, reason));
            self.is_full = true;
            return;
        }
        self.found.reports.push(report);
        self.open = Open::Nothing;
        self.columns = None;
        self.in_group_stats = false;
        self.header = None;
    }

    fn note(&mut self, line: usize, done: Result<(), String>) {
        if let Err(reason) = done
            && self.found.faults.len() < MAX_FAULTS
        {
            self.found.faults.push((line, reason));
        }
    }

    fn row(&mut self, number: usize, row: &str) -> Result<bool, String> {
        let Some(report) = self.found.reports.last_mut() else {
            return Ok(false);
        };
        if let Some(columns) = tasks::columns(row) {
            self.columns = Some(columns);
            self.in_group_stats = false;
            return Ok(true);
        }
        if let Some(columns) = &self.columns
            && tasks::task(report, columns, row, number)
        {
            return Ok(true);
        }
        if tasks::killed(report, row, number)? {
            return Ok(true);
        }
        if tasks::group(report, row, number) {
            self.in_group_stats = row.ends_with(':');
            return Ok(true);
        }
        if self.in_group_stats && tasks::group_stat(report, row, number) {
            return Ok(true);
        }
        // Not combined with `||`, because one line may contain several of these.
        let says_more = header::more(report, row, number);
        Ok(rows::state(report, &mut self.open, row, number)? || says_more)
    }
}
