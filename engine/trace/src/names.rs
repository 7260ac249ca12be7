//! Tasks, zones and texts of a trace, as small numbers.
//!
//! Modelled: nothing. Left out: tasks and texts beyond a limit, which share the last number.
//! Invariants: a number once given keeps its meaning; all lists are bounded.

use std::collections::BTreeMap;

use crate::details::ZoneTypes;

/// The maximum number of different tasks.
pub const MOST_TASKS: usize = 100_000;
/// The maximum number of different texts.
pub const MOST_TEXTS: usize = 50_000;
/// The maximum number of zones.
const MOST_ZONES: usize = 1024;
/// The maximum number of names of one process id.
const MOST_NAMES: usize = 64;
const LONGEST_TEXT: usize = 200;
/// The kernel's name for a task that it no longer knows.
const FORGOTTEN: &str = "<...>";

/// A task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Process id.
    pub pid: u64,
    /// Its name.
    pub comm: String,
    /// Events in its name.
    pub events: u64,
}

/// Tasks by process id and name.
#[derive(Debug, Default)]
pub struct Tasks {
    /// All, by number.
    pub all: Vec<Task>,
    by_pid: BTreeMap<u64, Vec<u32>>,
}

impl Tasks {
    /// The number of a task; a name that is not known takes the last task with this process id.
    pub fn number(&mut self, pid: u64, comm: Option<&str>) -> u32 {
        let comm = comm.filter(|&comm| comm != FORGOTTEN);
        let same = self.by_pid.get(&pid).map_or(&[][..], Vec::as_slice);
        let all = &self.all;
        let known = same.iter().rev().find(|&&id| match comm {
            Some(comm) => all[id as usize].comm == comm,
            None => true,
        });
        if let Some(&id) = known {
            return id;
        }
        // A task that has had no name so far.
        let nameless = same.iter().find(|&&id| all[id as usize].comm == FORGOTTEN);
        if let (Some(comm), Some(&id)) = (comm, nameless) {
            self.all[id as usize].comm = shortened(comm);
            return id;
        }
        if let Some(&last) = same.last().filter(|_| same.len() >= MOST_NAMES) {
            return last;
        }
        if self.all.len() == MOST_TASKS {
            return MOST_TASKS as u32 - 1;
        }
        let id = self.all.len() as u32;
        let is_last = self.all.len() + 1 == MOST_TASKS;
        self.all.push(Task {
            pid: if is_last { 0 } else { pid },
            comm: match comm {
                _ if is_last => "(all other tasks)".to_string(),
                Some(comm) => shortened(comm),
                None => FORGOTTEN.to_string(),
            },
            events: 0,
        });
        if !is_last {
            self.by_pid.entry(pid).or_default().push(id);
        }
        id
    }
}

/// Texts by number.
#[derive(Debug, Default)]
pub struct Texts {
    /// All, by number.
    pub all: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl Texts {
    /// The number of a text.
    pub fn number(&mut self, text: &str) -> u32 {
        let text = &shortened(text)[..];
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let is_full = self.all.len() + 1 >= MOST_TEXTS;
        let text = if is_full { "(not kept)" } else { text };
        if is_full && self.all.len() == MOST_TEXTS {
            return MOST_TEXTS as u32 - 1;
        }
        let number = self.all.len() as u32;
        self.all.push(text.to_string());
        self.numbers.insert(text.to_string(), number);
        number
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(LONGEST_TEXT).collect()
}

/// Zone types and zones in order of their first occurrence.
#[derive(Debug)]
pub struct Zones {
    types: Vec<String>,
    /// Node and type of each zone.
    pub all: Vec<(i64, i64)>,
}

impl Default for Zones {
    fn default() -> Zones {
        // The numbers of x86-64, for kernels that print numbers.
        let types = ["DMA", "DMA32", "Normal", "Movable"];
        Zones {
            types: types.map(str::to_string).to_vec(),
            all: Vec::new(),
        }
    }
}

impl ZoneTypes for Zones {
    fn number(&mut self, name: &str) -> i64 {
        if let Some(at) = self.types.iter().position(|known| known == name) {
            return at as i64;
        }
        if self.types.len() < 64 {
            self.types.push(name.chars().take(16).collect());
        }
        self.types.len() as i64 - 1
    }
}

impl Zones {
    /// The number of a zone that is given as (node << 8) + the number of its type.
    pub fn zone(&mut self, zone: i64) -> i64 {
        let pair = (zone >> 8, zone & 0xff);
        if let Some(at) = self.all.iter().position(|&known| known == pair) {
            return at as i64;
        }
        if self.all.len() < MOST_ZONES {
            self.all.push(pair);
        }
        self.all.len() as i64 - 1
    }

    /// The name of a zone type.
    pub fn type_name(&self, number: i64) -> String {
        let known = usize::try_from(number)
            .ok()
            .and_then(|at| self.types.get(at));
        known.map_or_else(|| format!("type {number}"), String::clone)
    }
}
