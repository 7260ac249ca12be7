//! The memory cgroups of a captured workload (`cgroups` of `workload.json`).
//!
//! Modelled: the files that mmscope's workload language has. Left out: other files, with a note each.
//! Invariants: a cgroup comes after the one that contains it.

use serde_json::{Map, Value, json};

use crate::capture::SHAPE;
use crate::fault::{Outcome, in_file};

/// The fields of a cgroup that the workload language has.
const FIELDS: [&str; 8] = [
    "name",
    "parent",
    "memory.max",
    "memory.high",
    "memory.low",
    "memory.min",
    "memory.swap.max",
    "memory.oom.group",
];

/// The memory cgroups of a workload.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cgroups {
    /// Each as a JSON object.
    pub list: Vec<Value>,
    /// Was the cgroup file system mounted with memory_recursiveprot?
    pub recursive: bool,
}

impl Cgroups {
    /// The cgroups that a workload declares.
    pub fn of_workload(workload: &Value) -> Cgroups {
        Cgroups {
            list: workload["cgroups"].as_array().cloned().unwrap_or_default(),
            recursive: workload["memory_recursiveprot"] == true,
        }
    }

    /// The names of the cgroups.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list
            .iter()
            .filter_map(|cgroup| cgroup["name"].as_str())
    }

    /// The cgroups in the format of this engine, and a note for each file that is left out.
    pub fn translated(&self) -> (Cgroups, Vec<String>) {
        let mut notes = Vec::new();
        let known = self.list.iter().map(|cgroup| known(cgroup, &mut notes));
        let cgroups = Cgroups {
            list: parents_first(known.collect()),
            recursive: self.recursive,
        };
        (cgroups, notes)
    }
}

/// Pages of its own that a program of the first captures writes to after it was started, apart from the
/// buffer for reading and writing. A reader with a buffer of 256 pages has 260 anonymous pages in its cgroup
/// (`memmaxread`); what these pages hold was not examined. Later captures give their number.
const OWN_PAGES: u64 = 4;
/// The buffer of a program whose operations do not say how much one call reads or writes.
const CHUNK: &str = "64 KiB";

/// The memory that each process of the guest has besides its workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuestMemory {
    /// Pages of its own.
    own_pages: u64,
    /// Bytes of its buffer; none for the size of one call.
    buffer_bytes: Option<u64>,
}

impl GuestMemory {
    /// As `shape.json` gives it (`guest_memory`); without it, that of the first captures.
    ///
    /// # Errors
    /// A value is not a number of pages, or not a number of bytes in whole KiB.
    pub fn of_shape(shape: &Value) -> Outcome<GuestMemory> {
        let mut out = GuestMemory {
            own_pages: OWN_PAGES,
            buffer_bytes: None,
        };
        let given = match &shape["guest_memory"] {
            Value::Null => return Ok(out),
            Value::Object(given) => given,
            _ => return Err(in_file(SHAPE, "guest_memory: give an object")),
        };
        let refuse = |field: &str, expected: &str| {
            in_file(SHAPE, format!("guest_memory.{field}: give {expected}"))
        };
        if let Some(pages) = given.get("own_pages") {
            let pages = pages.as_u64().filter(|&pages| pages > 0);
            out.own_pages =
                pages.ok_or_else(|| refuse("own_pages", "a number of pages, at least 1"))?;
        }
        if let Some(bytes) = given.get("buffer_bytes") {
            let is_right = |&bytes: &u64| bytes > 0 && bytes.is_multiple_of(1024);
            let bytes = bytes.as_u64().filter(is_right);
            let bytes = bytes.ok_or_else(|| refuse("buffer_bytes", "a multiple of 1024 bytes"))?;
            out.buffer_bytes = Some(bytes);
        }
        Ok(out)
    }

    /// The assumption of the twin, in a sentence.
    pub fn assumed(self) -> String {
        let buffer = match self.buffer_bytes {
            Some(bytes) => format!("a buffer of {} KiB", bytes >> 10),
            None => "a buffer".to_string(),
        };
        format!(
            "each process in a memory cgroup has {} pages of its own, and {buffer} if it reads or writes files",
            self.own_pages
        )
    }
}

/// The operations with which a process gets the memory that the guest's program has besides its workload:
/// pages of its own and, if it reads or writes, a buffer. In a cgroup with a limit they take room.
pub fn own_memory(program: &[Value], memory: GuestMemory) -> Vec<Value> {
    let mut out = vec![
        json!({"op": "map", "region": "guest program", "size": memory.own_pages}),
        json!({"op": "touch", "region": "guest program"}),
    ];
    let given = memory
        .buffer_bytes
        .map(|bytes| json!(format!("{} KiB", bytes >> 10)));
    if let Some(size) = buffer(program).map(|call| given.unwrap_or(call)) {
        out.extend([
            json!({"op": "map", "region": "guest buffer", "size": size}),
            json!({"op": "touch", "region": "guest buffer"}),
        ]);
    }
    out
}

/// The size of one call of the first operation that reads or writes.
fn buffer(program: &[Value]) -> Option<Value> {
    program.iter().find_map(|step| match step["op"].as_str() {
        Some("read" | "write") => Some(match &step["chunk"] {
            Value::Null => json!(CHUNK),
            chunk => chunk.clone(),
        }),
        _ => buffer(step["do"].as_array()?),
    })
}

/// A cgroup with the fields that the workload language has.
fn known(cgroup: &Value, notes: &mut Vec<String>) -> Value {
    let Some(fields) = cgroup.as_object() else {
        return cgroup.clone();
    };
    let mut out = Map::new();
    for (field, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        if FIELDS.contains(&field.as_str()) {
            out.insert(field.clone(), value.clone());
        } else {
            let name = cgroup["name"].as_str().unwrap_or("?");
            notes.push(format!(
                "{field} of cgroup {name} is not set: the engine has no such file"
            ));
        }
    }
    Value::Object(out)
}

/// Sorts the cgroups so that each one comes after its parent. Those whose parent is not among them are
/// last, in the given order.
fn parents_first(mut left: Vec<Value>) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    loop {
        let is_ready = |cgroup: &Value| {
            let parent = &cgroup["parent"];
            parent.is_null() || out.iter().any(|before| before["name"] == *parent)
        };
        let Some(next) = left.iter().position(is_ready) else {
            out.append(&mut left);
            return out;
        };
        out.push(left.remove(next));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_memory_of_the_guest_program() {
        let first = GuestMemory {
            own_pages: OWN_PAGES,
            buffer_bytes: None,
        };
        assert_eq!(GuestMemory::of_shape(&json!({})), Ok(first));
        let given = json!({"guest_memory": {"own_pages": 2, "buffer_bytes": 65536}});
        let memory = GuestMemory {
            own_pages: 2,
            buffer_bytes: Some(65536),
        };
        assert_eq!(GuestMemory::of_shape(&given), Ok(memory));
    }

    #[test]
    fn refuses_memory_of_the_guest_program_that_makes_no_region() {
        let cases = [
            ("guest_memory", json!(4)),
            ("guest_memory.own_pages", json!({"own_pages": 0})),
            ("guest_memory.own_pages", json!({"own_pages": "2"})),
            ("guest_memory.own_pages", json!({"own_pages": -1})),
            ("guest_memory.buffer_bytes", json!({"buffer_bytes": 512})),
            ("guest_memory.buffer_bytes", json!({"buffer_bytes": 0})),
            ("guest_memory.buffer_bytes", json!({"buffer_bytes": 1.5})),
        ];
        for (path, given) in cases {
            let faults = GuestMemory::of_shape(&json!({"guest_memory": given}));
            let faults = faults.expect_err(path);
            assert_eq!(faults[0].file, SHAPE);
            assert!(
                faults[0].reason.starts_with(&format!("{path}: ")),
                "{faults:?}"
            );
        }
    }
}
