//! Repeated files of /proc as a series: `/proc/vmstat` and `/proc/zoneinfo`.
//!
//! Modelled: nothing. Left out: other files.
//! Invariants: every row has a number for every column; a value that a copy lacks repeats the one before it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::pairs::cut;
use crate::reader::{MOST_REFUSALS, Refused};

/// The most columns.
const MOST_COLUMNS: usize = 4000;
/// The most numbers of all rows.
const MOST_NUMBERS: usize = 20_000_000;

/// Which file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum File {
    /// `/proc/vmstat`: columns are its counters.
    Vmstat,
    /// `/proc/zoneinfo`: columns are `node/zone/counter`.
    Zoneinfo,
}

/// Copies of a file, in order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    /// The kind of file.
    pub kind: File,
    /// Names of the columns after the first.
    pub columns: Vec<String>,
    /// A row for each copy: the time in seconds or the ordinal from 0, then the values.
    pub rows: Vec<Vec<f64>>,
    /// The first number of a row is a time.
    pub timed: bool,
}

/// A copy that is being read.
#[derive(Default)]
struct Copies {
    names: Vec<String>,
    numbers: BTreeMap<String, usize>,
    rows: Vec<Vec<f64>>,
    times: Vec<Option<f64>>,
    /// The values of the copy so far, by column.
    now: Vec<f64>,
    seen: Vec<bool>,
    is_open: bool,
    time: Option<f64>,
    count: usize,
}

/// Reads copies of `/proc/vmstat` or `/proc/zoneinfo` that follow each other. A copy ends at a line
/// with a time, at a blank line, or where a counter occurs again. A time is a line with one number
/// in seconds, of an epoch or an uptime (whose second number is ignored).
///
/// # Errors
/// The lines that belong to neither file, at most 100.
pub fn read(text: &str) -> Result<Series, Vec<Refused>> {
    let mut copies = Copies::default();
    let mut refusals = Vec::new();
    let mut zone: Option<String> = None;
    let mut is_zoneinfo = false;
    for (i, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().take(8).collect();
        if line.starts_with("Node ") {
            is_zoneinfo = true;
            zone = zone_of(line);
            if zone.is_none() {
                refuse(
                    &mut refusals,
                    i,
                    format!("a zone without a name: {}", cut(line)),
                );
            }
            continue;
        }
        let read = match (&words[..], &zone) {
            ([], _) => {
                if !is_zoneinfo {
                    copies.end();
                }
                Ok(())
            }
            ([remark, ..], _) if remark.starts_with('#') => Ok(()),
            ([time] | [time, _], _)
                if seconds(time).is_some() && words.iter().all(|w| seconds(w).is_some()) =>
            {
                copies.end();
                zone = None;
                copies.time = seconds(time);
                Ok(())
            }
            (words, Some(zone)) => zone_line(&mut copies, zone, words),
            ([name, value], None) => match value.parse::<u64>() {
                Ok(value) if is_name(name) => copies.put((*name).to_string(), value as f64),
                _ => Err(format!("no counter and its value: {}", cut(line))),
            },
            _ => Err(format!("no counter and its value: {}", cut(line))),
        };
        if let Err(reason) = read {
            refuse(&mut refusals, i, reason);
        }
        if refusals.len() == MOST_REFUSALS {
            break;
        }
    }
    copies.end();
    if refusals.is_empty() && copies.rows.is_empty() {
        let reason = "there is neither /proc/vmstat nor /proc/zoneinfo in it".to_string();
        refusals.push(Refused { line: 1, reason });
    }
    if refusals.is_empty() {
        Ok(copies.series(if is_zoneinfo {
            File::Zoneinfo
        } else {
            File::Vmstat
        }))
    } else {
        Err(refusals)
    }
}

fn refuse(refusals: &mut Vec<Refused>, line: usize, reason: String) {
    refusals.push(Refused {
        line: line as u64 + 1,
        reason,
    });
}

/// `Node 0, zone   Normal`.
fn zone_of(line: &str) -> Option<String> {
    let (node, zone) = line.strip_prefix("Node ")?.split_once(',')?;
    let zone = zone.trim().strip_prefix("zone")?.trim();
    (is_name(zone) && node.parse::<u32>().is_ok()).then(|| format!("{node}/{zone}"))
}

/// A line of a zone: a counter and its value, or `pages free 100`. Lists and nested lines are left out.
fn zone_line(copies: &mut Copies, zone: &str, words: &[&str]) -> Result<(), String> {
    let (name, value) = match words {
        ["pages", name, value] | [name, value] => (*name, *value),
        _ => return Ok(()),
    };
    match value.parse::<u64>() {
        Ok(value) if is_name(name) => copies.put(format!("{zone}/{name}"), value as f64),
        _ => Ok(()),
    }
}

fn is_name(text: &str) -> bool {
    text.len() <= 60
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A number with decimals, or a whole one.
fn seconds(text: &str) -> Option<f64> {
    let fine = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| fine)
}

impl Copies {
    fn put(&mut self, name: String, value: f64) -> Result<(), String> {
        let known = self.numbers.get(&name).copied();
        let at = match known {
            // Lines of per-cpu lists come once for each CPU; the first counter of all begins the next copy.
            Some(at) if self.seen[at] && at != 0 && name.contains('/') => return Ok(()),
            Some(at) if self.seen[at] => {
                self.end();
                at
            }
            Some(at) => at,
            None if self.names.len() == MOST_COLUMNS => {
                return Err(format!("more than {MOST_COLUMNS} counters"));
            }
            None => {
                self.numbers.insert(name.clone(), self.names.len());
                self.names.push(name);
                self.now.push(0.0);
                self.seen.push(false);
                self.names.len() - 1
            }
        };
        if self.count > MOST_NUMBERS {
            return Err(format!("more than {MOST_NUMBERS} numbers"));
        }
        self.now[at] = value;
        self.seen[at] = true;
        self.is_open = true;
        Ok(())
    }

    fn end(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.count += self.now.len();
            if self.count > MOST_NUMBERS {
                return;
            }
            self.rows.push(self.now.clone());
            self.times.push(self.time);
            self.seen.fill(false);
            self.time = None;
        }
    }

    fn series(self, kind: File) -> Series {
        let timed = self.times.iter().all(Option::is_some);
        let width = self.names.len();
        let rows = self.rows.into_iter().zip(self.times).enumerate();
        let rows = rows.map(|(i, (mut values, time))| {
            values.resize(width, 0.0);
            values.insert(0, if timed { time.unwrap_or(0.0) } else { i as f64 });
            values
        });
        Series {
            kind,
            rows: rows.collect(),
            columns: self.names,
            timed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_copies_of_vmstat_with_any_separator() {
        let copy = |free: u32| format!("nr_free_pages {free}\npgfault 7\n");
        let rows = |text: &str| read(text).expect("a series").rows;
        let plain = [vec![0.0, 10.0, 7.0], vec![1.0, 20.0, 7.0]];
        assert_eq!(rows(&(copy(10) + &copy(20))), plain);
        assert_eq!(rows(&(copy(10) + "\n\n" + &copy(20))), plain);
        let timed = read(&format!("100.5\n{}101.5 80.1\n{}", copy(10), copy(20)));
        let timed = timed.expect("a series");
        assert!(timed.timed);
        assert_eq!(timed.columns, ["nr_free_pages", "pgfault"]);
        assert_eq!(timed.rows, [vec![100.5, 10.0, 7.0], vec![101.5, 20.0, 7.0]]);
    }

    #[test]
    fn reads_copies_of_zoneinfo_by_zone() {
        let copy = "Node 0, zone      DMA\n  per-node stats\n      nr_inactive_anon 3\n  pages free     5\n        min      1\n        protection: (0, 1)\n  pagesets\n    cpu: 0\n              count: 7\nNode 0, zone   Normal\n  pages free     50\n";
        let series = read(&format!(
            "{copy}{}",
            copy.replace("free     5", "free     6")
        ))
        .expect("a series");
        assert_eq!(series.kind, File::Zoneinfo);
        let at = series
            .columns
            .iter()
            .position(|name| name == "0/DMA/free")
            .expect("a column");
        let free: Vec<f64> = series.rows.iter().map(|row| row[at + 1]).collect();
        assert_eq!(free, [5.0, 6.0]);
        assert!(series.columns.contains(&"0/Normal/free".to_string()));
    }

    #[test]
    fn refuses_other_texts_with_their_lines() {
        let refused = read("nr_free_pages 5\nthis is prose\n").expect_err("prose");
        assert_eq!(refused[0].line, 2);
        assert!(refused[0].reason.contains("this is prose"));
        assert_eq!(read("").expect_err("empty").len(), 1);
        assert_eq!(
            read(&"x y z\n".repeat(500)).expect_err("prose").len(),
            MOST_REFUSALS
        );
    }
}
