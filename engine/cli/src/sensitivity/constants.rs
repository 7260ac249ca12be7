//! The constants that the results of numa/core v18 may depend on, each with the range it may have.

use serde_json::Value;

/// A constant that was measured, computed or chosen, and not read from the source of a result.
pub struct Constant {
    /// Its name on the page.
    pub name: &'static str,
    /// Its unit, as the page prints it after a value.
    pub unit: &'static str,
    /// The source of its value and its range.
    pub source: &'static str,
    /// Two values, below and above the one that is used.
    pub values: [u64; 2],
    /// Its location.
    location: Location,
}

/// The location of a constant in an experiment.
enum Location {
    /// A field of the machine's memory rates.
    Rate(&'static str),
    /// A field of every operation of a kind in the workload. A text value gets its unit back.
    Operation {
        op: &'static str,
        field: &'static str,
        /// Only operations that have this field: two kinds of `access` differ by it.
        having: &'static str,
    },
}

/// All constants, those of the machine first.
pub const CONSTANTS: [Constant; 8] = [
    Constant {
        name: "Latency of another node",
        unit: "ns",
        source: "chosen: 1.3 to 2 times the latency of local memory",
        values: [91, 140],
        location: Location::Rate("remote_ns"),
    },
    Constant {
        name: "Memory of a node",
        unit: "bytes/s",
        source: "computed from the published time of numa02 on 3.6; 20 % to either side",
        values: [12_216_000_000, 18_324_000_000],
        location: Location::Rate("node_bytes_per_s"),
    },
    Constant {
        name: "One direction of a link",
        unit: "bytes/s",
        source: "computed from a posting of 2012; 20 % to either side",
        values: [5_896_000_000, 8_844_000_000],
        location: Location::Rate("direction_bytes_per_s"),
    },
    Constant {
        name: "A link, both directions",
        unit: "bytes/s",
        source: "computed from a posting of 2012; 20 % to either side",
        values: [9_712_000_000, 14_568_000_000],
        location: Location::Rate("link_bytes_per_s"),
    },
    Constant {
        name: "Computing with each access of a JVM",
        unit: "ns",
        source: "chosen: memory is 0.5 of user time; 0.7 and 0.3 here",
        values: [33, 182],
        location: Location::Operation {
            op: "access",
            field: "compute",
            having: "compute",
        },
    },
    Constant {
        name: "Accesses of a hundred to the thread's own eighth",
        unit: "",
        source: "chosen",
        values: [20, 60],
        location: Location::Operation {
            op: "access",
            field: "own",
            having: "own",
        },
    },
    Constant {
        name: "Time between two collections",
        unit: "ms",
        source: "chosen",
        values: [2_500, 10_000],
        location: Location::Operation {
            op: "sample",
            field: "for",
            having: "for",
        },
    },
    Constant {
        name: "Pages that a thread reads in a collection",
        unit: "pages",
        source: "chosen",
        values: [49_152, 196_608],
        location: Location::Operation {
            op: "access",
            field: "times",
            having: "bytes",
        },
    },
];

impl Constant {
    /// Sets the constant everywhere in an experiment, and returns the old value; none if the
    /// experiment does not use the constant.
    ///
    /// `machine` and `workload` are whole, not ids.
    pub fn set(&self, machine: &mut Value, workload: &mut Value, value: u64) -> Option<u64> {
        match &self.location {
            Location::Rate(field) => {
                let rate = machine.get_mut("memory")?.get_mut(field)?;
                let before = rate.as_u64()?;
                *rate = Value::from(value);
                Some(before)
            }
            Location::Operation { op, field, having } => {
                let mut before = None;
                each_operation(workload, &mut |operation| {
                    if operation["op"] == *op && operation.get(*having).is_some() {
                        let found = replace(&mut operation[*field], value, self.unit);
                        before = before.or(found);
                    }
                });
                before
            }
        }
    }
}

/// Calls `act` with every object of a workload that is an operation.
pub fn each_operation(value: &mut Value, act: &mut impl FnMut(&mut Value)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| each_operation(item, act)),
        Value::Object(fields) => {
            fields
                .values_mut()
                .for_each(|field| each_operation(field, act));
            if value.get("op").is_some() {
                act(value);
            }
        }
        _ => {}
    }
}

/// Replaces a number, or a text such as "78ns", by a number; returns the old value in the same
/// unit.
fn replace(field: &mut Value, value: u64, unit: &str) -> Option<u64> {
    if let Some(number) = field.as_u64() {
        *field = Value::from(value);
        return Some(number);
    }
    let text = field.as_str()?;
    let digits = text.trim_end_matches(char::is_alphabetic);
    let number: u64 = digits.parse().ok()?;
    let before = match (&text[digits.len()..], unit) {
        ("s", "ms") => number * 1000,
        (given, wanted) if given == wanted => number,
        _ => return None,
    };
    *field = Value::from(format!("{value}{unit}"));
    Some(before)
}

#[cfg(test)]
mod tests {
    use mm::experiment::{preset, workloads};
    use mm::profile;
    use serde_json::to_value;

    use super::*;

    fn whole(id: &str) -> (Value, Value) {
        let raw = preset(id).expect("a preset");
        let machine = raw.machine.as_str().and_then(profile::find);
        let workload = workloads().into_iter().find(|w| raw.workload == w.id);
        (
            to_value(machine.expect("a machine")).expect("JSON"),
            to_value(workload.expect("a workload")).expect("JSON"),
        )
    }

    #[test]
    fn specjbb_uses_every_constant_with_a_value_between_the_tried_ones() {
        for constant in &CONSTANTS {
            let (mut machine, mut workload) = whole("specjbb-4x-thp");
            let [low, high] = constant.values;
            let used = constant.set(&mut machine, &mut workload, low);
            let used = used.unwrap_or_else(|| panic!("{} is not there", constant.name));
            assert!(low < used && used < high, "{}: {used}", constant.name);
            let now = constant.set(&mut machine, &mut workload, high);
            assert_eq!(now, Some(low), "{}", constant.name);
        }
    }

    #[test]
    fn numa01_uses_only_the_constants_of_memory_and_links() {
        let used = CONSTANTS.iter().filter(|constant| {
            let (mut machine, mut workload) = whole("numa01");
            constant.set(&mut machine, &mut workload, 1).is_some()
        });
        let used: Vec<&str> = used.map(|constant| constant.name).collect();
        assert_eq!(
            used,
            [
                "Latency of another node",
                "Memory of a node",
                "One direction of a link",
                "A link, both directions"
            ]
        );
    }
}
