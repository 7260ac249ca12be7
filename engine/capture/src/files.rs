//! The files of a capture, as texts by name.

use std::collections::BTreeMap;

use crate::fault::{Outcome, in_file};

/// The files that are read, if they exist, apart from those of memory cgroups ([`is_group`]).
pub const READ: [&str; 12] = [
    "before.txt",
    "after.txt",
    "shape.json",
    "sysctl.txt",
    "summary.json",
    "workload.log",
    "workload.json",
    "samples.csv",
    "lru_gen.csv",
    "reached.csv",
    "zoneinfo.txt",
    "phases.tsv",
];

/// The optional files among them.
const OPTIONAL: [&str; 5] = [
    "sysctl.txt",
    "summary.json",
    "workload.log",
    "samples.csv",
    "lru_gen.csv",
];

/// Is this a file of samples of one memory cgroup?
pub fn is_group(name: &str) -> bool {
    name.starts_with("memcg-") && name.ends_with(".csv")
}

/// Can a capture be read if this file is cut off?
pub fn is_optional(name: &str) -> bool {
    OPTIONAL.contains(&name) || is_group(name)
}

/// Texts by the last part of their path, without `.gz`.
#[derive(Debug, Clone, Default)]
pub struct Files {
    texts: BTreeMap<String, String>,
    /// Notes of the reader of the files, one sentence each.
    pub notes: Vec<String>,
}

impl Files {
    /// The files of a capture.
    pub fn new(texts: impl IntoIterator<Item = (String, String)>) -> Files {
        let texts = texts.into_iter();
        let named = texts.map(|(path, text)| (name_of(&path).to_string(), text));
        Files {
            texts: named.collect(),
            notes: Vec::new(),
        }
    }

    /// A file's text.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// The text of a required file.
    ///
    /// # Errors
    /// The file is missing.
    pub fn need(&self, name: &str) -> Outcome<&str> {
        self.get(name)
            .ok_or_else(|| in_file(name, "there is no such file"))
    }
}

/// `run/samples.csv.gz` is `samples.csv`.
pub fn name_of(path: &str) -> &str {
    let last = path.rsplit(['/', '\\']).next().unwrap_or(path);
    last.strip_suffix(".gz").unwrap_or(last)
}
