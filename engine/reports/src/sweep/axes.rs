//! The axes of a sweep: paths into an experiment, each with its values, and their product.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Outcome, Refused, bad};

/// The maximum number of combinations in one sweep.
pub const MOST: u64 = 100_000;
/// Objects whose keys may contain dots: the text after the name of the object is one key.
const NAMED: [&str; 2] = ["tunables", "set"];

/// One axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Axis {
    /// The path of the field, as it was written.
    pub path: String,
    /// Its values, in order.
    pub values: Vec<Value>,
}

/// Reads the axes of a file.
///
/// # Errors
/// An axis is neither a list nor a range, or there are too many combinations.
pub fn read(name: &str, value: Option<&Value>) -> Outcome<Vec<Axis>> {
    let axes = match value {
        None => return Ok(Vec::new()),
        Some(Value::Object(axes)) => axes,
        Some(_) => {
            return Err(bad(format!(
                "{name}: axes: expected an object, path to values"
            )));
        }
    };
    let mut out: Vec<Axis> = Vec::new();
    for (path, values) in axes {
        let wrong = |reason: &str| bad(format!("{name}: axes.{path}: {reason}"));
        let axis = Axis {
            path: path.clone(),
            values: values_of(values, &wrong)?,
        };
        let twin = out
            .iter()
            .find(|other| segments(&other.path) == segments(path));
        if let Some(twin) = twin {
            return Err(wrong(&format!("the same field as {}", twin.path)));
        }
        out.push(axis);
    }
    out.sort_by(|a, b| a.path.cmp(&b.path));
    let product = out.iter().try_fold(1u64, |product, axis| {
        product.checked_mul(axis.values.len() as u64)
    });
    match product.filter(|runs| *runs <= MOST) {
        Some(_) => Ok(out),
        None => Err(bad(format!(
            "{name}: axes: more than {MOST} combinations; divide the sweep into several files"
        ))),
    }
}

fn values_of(value: &Value, wrong: &impl Fn(&str) -> Refused) -> Outcome<Vec<Value>> {
    match value {
        Value::Array(values) if values.is_empty() => Err(wrong("the list of values is empty")),
        Value::Array(values) => {
            let is_twice = |(i, value): (usize, &Value)| values[..i].contains(value);
            if let Some((_, value)) = values.iter().enumerate().find(|&item| is_twice(item)) {
                return Err(wrong(&format!("{value} is named twice")));
            }
            Ok(values.clone())
        }
        Value::Object(range) => range_of(range, wrong),
        _ => Err(wrong(
            "expected a list of values, or a range: { \"from\": 1, \"to\": 8 }",
        )),
    }
}

fn range_of(range: &Map<String, Value>, wrong: &impl Fn(&str) -> Refused) -> Outcome<Vec<Value>> {
    const FIELDS: [&str; 3] = ["from", "to", "step"];
    if let Some(unknown) = range.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        let reason = format!("unknown field {unknown}; a range has from, to and step");
        return Err(wrong(&reason));
    }
    let number = |field: &str, otherwise: Option<u64>| match range.get(field) {
        None => otherwise.ok_or_else(|| wrong(&format!("the range has no field '{field}'"))),
        Some(value) => value
            .as_u64()
            .ok_or_else(|| wrong(&format!("{field} is not a whole number of 0 or more"))),
    };
    let (from, to, step) = (
        number("from", None)?,
        number("to", None)?,
        number("step", Some(1))?,
    );
    if step == 0 || from > to {
        return Err(wrong("a range needs from <= to and a step of at least 1"));
    }
    if (to - from) / step >= MOST {
        return Err(wrong(&format!("more than {MOST} values")));
    }
    let mut values = Vec::new();
    let mut next = Some(from);
    while let Some(value) = next.filter(|value| *value <= to) {
        values.push(value.into());
        next = value.checked_add(step);
    }
    Ok(values)
}

/// Every combination of values, the last axis changing fastest.
pub fn product(axes: &[Axis]) -> Vec<Map<String, Value>> {
    let mut out = vec![Map::new()];
    for axis in axes {
        let with = |values: &Map<String, Value>| {
            let values = values.clone();
            axis.values.iter().map(move |value| {
                let mut values = values.clone();
                values.insert(axis.path.clone(), value.clone());
                values
            })
        };
        out = out.iter().flat_map(with).collect();
    }
    out
}

/// "kernel=3.0, seed=2".
pub fn in_words(values: &Map<String, Value>) -> String {
    let each = values.iter().map(|(path, value)| match value {
        Value::String(text) => format!("{path}={text}"),
        other => format!("{path}={other}"),
    });
    each.collect::<Vec<_>>().join(", ")
}

/// The parts of a path. `nodes[0]` is `nodes.0`; the name of a tunable is one part, with its dots.
pub fn segments(path: &str) -> Vec<String> {
    let path = path.replace('[', ".").replace(']', "");
    let mut out = Vec::new();
    let mut rest = path.as_str();
    while let Some((part, more)) = rest.split_once('.') {
        out.push(part.to_string());
        rest = more;
        if NAMED.contains(&part) {
            break;
        }
    }
    out.push(rest.to_string());
    out
}

/// Sets the value at a path.
///
/// # Errors
/// The path leads through a value that has no such part.
pub fn set(value: &mut Value, path: &[String], new: &Value) -> Result<(), String> {
    let Some((part, rest)) = path.split_first() else {
        *value = new.clone();
        return Ok(());
    };
    let place = match value {
        Value::Array(items) => {
            let count = items.len();
            let place = part.parse().unwrap_or(usize::MAX);
            items.get_mut(place).ok_or_else(|| {
                format!("'{part}' is not the number of an item; there are {count}, from 0")
            })?
        }
        Value::Object(fields) if rest.is_empty() || fields.contains_key(part) => {
            fields.entry(part.as_str()).or_insert(Value::Null)
        }
        Value::Object(fields) if NAMED.contains(&part.as_str()) => fields
            .entry(part.as_str())
            .or_insert(Value::Object(Map::new())),
        Value::Object(_) => return Err(format!("there is no field '{part}'")),
        _ => return Err(format!("there is no '{part}' below a single value")),
    };
    set(place, rest, new)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn axes(value: Value) -> Outcome<Vec<Axis>> {
        read("f", Some(&value))
    }

    #[test]
    fn combines_every_value_with_every_other() {
        let axes = axes(json!({
            "seed": { "from": 1, "to": 7, "step": 3 }, "kernel": ["3.0", "6.1"]
        }));
        let all = product(&axes.expect("axes"));
        let words: Vec<String> = all.iter().map(in_words).collect();
        assert_eq!(words.len(), 6);
        assert_eq!(words[0], "kernel=3.0, seed=1");
        assert_eq!(words[5], "kernel=6.1, seed=7");
        assert_eq!(product(&[]), [Map::new()]);
    }

    #[test]
    fn refuses_axes_without_valid_values() {
        for (axis, says) in [
            (
                json!({ "seed": 1 }),
                "expected a list of values, or a range",
            ),
            (json!({ "seed": [] }), "is empty"),
            (json!({ "seed": [1, 2, 1] }), "1 is named twice"),
            (json!({ "seed": { "from": 2, "to": 1 } }), "from <= to"),
            (json!({ "seed": { "from": 1 } }), "no field 'to'"),
            (
                json!({ "seed": { "from": 1, "to": "2" } }),
                "to is not a whole number",
            ),
            (
                json!({ "seed": { "from": 1, "to": 2, "by": 1 } }),
                "unknown field by",
            ),
            (
                json!({ "seed": { "from": 0, "to": 9_000_000 } }),
                "more than 100000 values",
            ),
            (
                json!({ "seed": { "from": 1, "to": 1000 }, "a": { "from": 1, "to": 1000 } }),
                "more than 100000 combinations",
            ),
            (json!({ "a[0]": [1], "a.0": [1] }), "the same field as"),
            (json!([]), "expected an object"),
        ] {
            let refused = axes(axis.clone()).expect_err("a refusal");
            let reason = refused.to_string();
            assert!(reason.contains(says), "{axis}: {reason}");
        }
        let all = axes(
            json!({ "seed": { "from": 18446744073709551610u64, "to": 18446744073709551615u64 } }),
        );
        assert_eq!(all.expect("a range")[0].values.len(), 6);
    }

    #[test]
    fn sets_fields_list_items_and_tunables() {
        let mut value = json!({ "machine": { "nodes": [{ "cpus": 1 }] }, "seed": 1 });
        let mut at = |path: &str, new: Value| set(&mut value, &segments(path), &new);
        assert_eq!(at("seed", json!(2)), Ok(()));
        assert_eq!(at("machine.nodes[0].cpus", json!(4)), Ok(()));
        assert_eq!(at("machine.nodes.0.node", json!(1)), Ok(()));
        assert_eq!(at("tunables.vm.swappiness", json!(0)), Ok(()));
        for (path, says) in [
            ("machine.nodes.1.cpus", "there are 1, from 0"),
            ("machine.nodes.x", "there are 1, from 0"),
            ("machine.nodse.0", "no field 'nodse'"),
            ("seed.x", "below a single value"),
        ] {
            let reason = at(path, json!(1)).expect_err(path);
            assert!(reason.contains(says), "{path}: {reason}");
        }
        let expected = json!({
            "machine": { "nodes": [{ "cpus": 4, "node": 1 }] }, "seed": 2,
            "tunables": { "vm.swappiness": 0 },
        });
        assert_eq!(value, expected);
    }
}
