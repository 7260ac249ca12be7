//! The parts of an explanation, as the page and the command line receive them.

use serde::Serialize;

/// The explanation of some files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Explanation {
    /// Each report and each listing, in the order of files and lines.
    pub documents: Vec<Document>,
    /// What could not be explained.
    pub refusals: Vec<Refused>,
}

/// A file, or a line of it, that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The name of the file.
    pub file: String,
    /// The line number, from 1; none for the whole file.
    pub line: Option<usize>,
    /// The reason, and what the user can do.
    pub reason: String,
}

/// The kind of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The OOM killer ran because the machine, or the memory that a request may use, is short of pages.
    OomKill,
    /// The OOM killer ran because a memory cgroup reached its limit.
    CgroupOom,
    /// A request failed, or waited too long.
    AllocationFailure,
    /// The state of memory without a request, as SysRq-m prints it.
    MemoryReport,
    /// A listing of /proc/zoneinfo.
    Zoneinfo,
    /// The memory.stat of a memory cgroup.
    MemoryStat,
}

/// The unit of a document's zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// Kibibytes, as reports print them.
    #[serde(rename = "kB")]
    Kb,
    /// Pages, as /proc/zoneinfo prints them.
    #[serde(rename = "pages")]
    Pages,
    /// A plain number.
    #[serde(rename = "")]
    One,
}

/// One report or listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Document {
    /// What it is.
    pub kind: Kind,
    /// The name of the file that contains it.
    pub file: String,
    /// The number of its first line, from 1.
    pub line: usize,
    /// The number of its last line.
    pub last_line: usize,
    /// One sentence about it, without a full stop.
    pub title: String,
    /// The unit of the zones.
    pub unit: Unit,
    /// The findings, most important first.
    pub findings: Vec<Finding>,
    /// The zones, in the order of the text.
    pub zones: Vec<ZoneSummary>,
}

/// How important a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The cause of the failure, or a present problem.
    Cause,
    /// A contributing factor.
    Warning,
    /// Further information.
    Note,
}

/// One finding and its numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How important the finding is.
    pub severity: Severity,
    /// The finding in whole sentences.
    pub text: String,
    /// The numbers in the text that the sentences use.
    pub numbers: Vec<Number>,
    /// The number of the line that contains them; none if the finding is about data that the text lacks.
    pub line: Option<usize>,
}

impl Finding {
    /// A finding without numbers and without a line.
    pub fn new(severity: Severity, text: impl Into<String>) -> Finding {
        Finding {
            severity,
            text: text.into(),
            numbers: Vec::new(),
            line: None,
        }
    }

    /// Adds the number of the line that contains the numbers.
    #[must_use]
    pub fn at(mut self, line: usize) -> Finding {
        self.line = Some(line);
        self
    }

    /// Adds numbers that have the same unit.
    #[must_use]
    pub fn with(mut self, unit: Unit, numbers: &[(&str, u64)]) -> Finding {
        let numbers = numbers.iter().map(|&(name, value)| Number {
            name: name.to_string(),
            value,
            unit,
        });
        self.numbers.extend(numbers);
        self
    }
}

/// A number of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Number {
    /// Its name, as the text or the kernel calls it.
    pub name: String,
    /// Its value.
    pub value: u64,
    /// Its unit.
    pub unit: Unit,
}

/// The result of the watermark check for a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The zone passes the check.
    Passes,
    /// The zone is not above its watermark plus the reserve.
    Below,
    /// The zone is above its watermark, but has no suitable free block.
    NoBlock,
    /// The request may not use the zone.
    NotAllowed,
    /// The text lacks a number.
    Unknown,
}

/// One zone; a value is none if the text lacks it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ZoneSummary {
    /// Node id.
    pub node: u16,
    /// Zone name.
    pub zone: String,
    /// The number of the zone's line.
    pub line: usize,
    /// Free memory.
    pub free: Option<u64>,
    /// The min watermark, including the boost.
    pub min: Option<u64>,
    /// The low watermark, including the boost.
    pub low: Option<u64>,
    /// The high watermark, including the boost.
    pub high: Option<u64>,
    /// The reserve (`lowmem_reserve`) that the request may not use.
    pub reserve: Option<u64>,
    /// The value that the counted free pages must exceed.
    pub needs: Option<u64>,
    /// The result for the request.
    pub verdict: Verdict,
    /// Free blocks by order; empty if the text does not list them.
    pub blocks: Vec<Blocks>,
}

/// Free blocks of one order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Blocks {
    /// The order.
    pub order: u8,
    /// The number of free blocks.
    pub count: u64,
    /// Letters of the blocks' migrate types, as the text prints them; empty if it prints none.
    pub types: String,
}
