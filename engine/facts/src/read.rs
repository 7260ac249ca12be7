//! Reads outside data: turns JSON text into typed values, and names the path of each invalid value.
//!
//! Modelled: serde_json's grammar, and the rules that types declare with deserr. A key that appears twice in
//! one object is refused; a null field counts as missing. A number is read as JavaScript reads it, so that
//! the page and the command line agree: 10.0 and 1e1 are the whole number 10, and a number beyond
//! [`MAX_NUMBER`], which JavaScript would round, is refused.
//! Left out: checks that need more than one value; the module of the type makes them.
//! Invariants: reading continues after a refusal, so that one answer lists all refusals that a person would
//! read; each has a path that a person can follow (`nodes[1].ranges[0].pages`).

mod bounded;
mod nearest;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;

use deserr::{
    DeserializeError, Deserr, ErrorKind, IntoValue, Map as _, MergeWithError, ValueKind,
    ValuePointerRef, take_cf_content,
};
use serde::Serialize;
use serde::de::{self, Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::view::Refusal;
use crate::workload::OPERATIONS;

pub use bounded::{MOST_REFUSALS, bounded};
pub use nearest::nearest;

/// The largest whole number that JavaScript does not round (`Number.MAX_SAFE_INTEGER`).
pub const MAX_NUMBER: u64 = (1 << 53) - 1;

/// All refusals of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusals(pub Vec<Refusal>);

/// Reads the value at a path: "" means the whole, "machine" a part of an experiment.
///
/// # Errors Every refusal with its path.
pub fn read<T: Deserr<Refusals>>(value: Value, path: &str) -> Result<T, Vec<Refusal>> {
    let whole = ValuePointerRef::Origin;
    let place = if path.is_empty() {
        whole
    } else {
        whole.push_key(path)
    };
    let mut rounded = Vec::new();
    find_rounded(&value, path, &mut rounded);
    let read = T::deserialize_from_value(value.into_value(), place);
    let mut refusals = match read {
        Ok(read) if rounded.is_empty() => return Ok(read),
        Ok(_) => Vec::new(),
        Err(refusals) => refusals.0,
    };
    // A refusal by the field's own limits is more precise.
    rounded.retain(|r| refusals.iter().all(|known| known.path != r.path));
    refusals.append(&mut rounded);
    Err(refusals)
}

/// Refuses every number of a value that JavaScript would round.
fn find_rounded(value: &Value, path: &str, out: &mut Vec<Refusal>) {
    match value {
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                find_rounded(item, &format!("{path}[{i}]"), out);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                let below = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                find_rounded(field, &below, out);
            }
        }
        Value::Number(number) if is_rounded(number) => refuse(out, path, above(number)),
        _ => {}
    }
}

fn is_rounded(number: &serde_json::Number) -> bool {
    match (number.as_u64(), number.as_i64()) {
        (Some(n), _) => n > MAX_NUMBER,
        (None, Some(n)) => n.unsigned_abs() > MAX_NUMBER,
        (None, None) => number.as_f64().is_none_or(is_beyond),
    }
}

/// Whether the number is beyond those that JavaScript does not round.
fn is_beyond(number: f64) -> bool {
    number.abs() > MAX_NUMBER as f64
}

fn above(number: impl fmt::Display) -> String {
    format!("{number} is not a whole number from 0 to {MAX_NUMBER}")
}

/// Adds a refusal.
pub fn refuse(refusals: &mut Vec<Refusal>, path: &str, reason: impl Into<String>) {
    refusals.push(Refusal {
        path: path.to_string(),
        reason: reason.into(),
    });
}

/// Words separated by commas: "a, b, c".
pub fn row<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().collect::<Vec<_>>().join(", ")
}

/// The JSON of plain data whose keys are strings.
pub fn written<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("plain data whose keys are strings")
}

/// Reads an object with any keys; `key` checks each key.
pub(crate) fn entries<K: Ord, T: Deserr<Refusals>, V: IntoValue>(
    value: deserr::Value<V>,
    location: ValuePointerRef<'_>,
    key: impl Fn(&str) -> Result<K, String>,
) -> Result<BTreeMap<K, T>, Refusals> {
    let deserr::Value::Map(map) = value else {
        return Err(mismatch(value, &[ValueKind::Map], location));
    };
    let (mut out, mut refusals) = (BTreeMap::new(), Vec::new());
    for (name, value) in map.into_iter() {
        if refusals.len() > MOST_REFUSALS {
            break;
        }
        let place = location.push_key(&name);
        match key(&name) {
            Err(reason) => refuse(&mut refusals, &path_of(place), reason),
            Ok(key) => match T::deserialize_from_value(value.into_value(), place) {
                Ok(value) => drop(out.insert(key, value)),
                Err(found) => refusals.extend(found.0),
            },
        }
    }
    if refusals.is_empty() {
        Ok(out)
    } else {
        Err(Refusals(refusals))
    }
}

/// The refusal of a value of the wrong type.
pub(crate) fn mismatch<V: IntoValue>(
    actual: deserr::Value<V>,
    accepted: &[ValueKind],
    location: ValuePointerRef<'_>,
) -> Refusals {
    let kind = ErrorKind::IncorrectValueKind { actual, accepted };
    take_cf_content(Refusals::error(None, kind, location))
}

/// The refusal of a missing field.
pub(crate) fn missing(field: &str, location: ValuePointerRef<'_>) -> Refusals {
    let kind = ErrorKind::MissingField { field };
    take_cf_content(Refusals::error::<Value>(None, kind, location))
}

fn path_of(location: ValuePointerRef<'_>) -> String {
    match location {
        ValuePointerRef::Origin => String::new(),
        ValuePointerRef::Index { index, prev } => format!("{}[{index}]", path_of(*prev)),
        ValuePointerRef::Key { key, prev } if prev.is_origin() => key.to_string(),
        ValuePointerRef::Key { key, prev } => format!("{}.{key}", path_of(*prev)),
    }
}

fn kind(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Null => "null",
        ValueKind::Boolean => "a truth value",
        ValueKind::Integer | ValueKind::NegativeInteger | ValueKind::Float => "a number",
        ValueKind::String => "text",
        ValueKind::Sequence => "a list",
        ValueKind::Map => "an object",
    }
}

fn wanted(accepted: &[ValueKind]) -> &'static str {
    match accepted {
        [ValueKind::Integer, ..] => "a whole number",
        [ValueKind::Boolean] => "true or false",
        [first, ..] => kind(*first),
        [] => "something else",
    }
}

impl Refusals {
    /// Continues reading until there are more refusals than the list may have.
    fn go_on(self) -> ControlFlow<Self, Self> {
        if self.0.len() > MOST_REFUSALS {
            ControlFlow::Break(self)
        } else {
            ControlFlow::Continue(self)
        }
    }
}

impl DeserializeError for Refusals {
    fn error<V: IntoValue>(
        before: Option<Self>,
        error: ErrorKind<'_, V>,
        location: ValuePointerRef<'_>,
    ) -> ControlFlow<Self, Self> {
        let mut path = path_of(location);
        let mut below = |name: &str| path = path_of(location.push_key(name));
        let reason = match error {
            ErrorKind::IncorrectValueKind { actual, accepted } => match (actual, accepted) {
                (deserr::Value::NegativeInteger(n), [ValueKind::Integer]) => {
                    format!("{n} is not a whole number of 0 or more")
                }
                (deserr::Value::Float(n), [ValueKind::Integer]) if is_beyond(n) => {
                    above(format!("{n:e}"))
                }
                (deserr::Value::Float(n), [ValueKind::Integer]) => {
                    format!("{n} is not a whole number of 0 or more")
                }
                (actual, _) => {
                    let (wanted, found) = (wanted(accepted), kind(actual.kind()));
                    format!("expected {wanted}, found {found}")
                }
            },
            ErrorKind::MissingField { field } => {
                below(field);
                "this field is missing".to_string()
            }
            ErrorKind::UnknownKey { key, accepted } => {
                below(key);
                format!(
                    "unknown field; the known fields are {}",
                    row(accepted.iter().copied())
                )
            }
            ErrorKind::UnknownValue { value, accepted } => {
                format!("{value:?} is not one of {}", row(accepted.iter().copied()))
            }
            ErrorKind::BadSequenceLen { expected, .. } => format!("expected {expected} values"),
            // deserr's message for an unknown tag. Only operations have tags.
            ErrorKind::Unexpected { msg } if msg == "Incorrect tag value" => {
                below("op");
                format!(
                    "this is not an operation; the known operations are {}",
                    row(OPERATIONS)
                )
            }
            ErrorKind::Unexpected { msg } => too_large(&msg).unwrap_or(msg),
        };
        let mut refusals = before.unwrap_or(Refusals(Vec::new()));
        refuse(&mut refusals.0, &path, reason);
        refusals.go_on()
    }
}

/// Rewrites deserr's message about a number that is too large for its type.
fn too_large(msg: &str) -> Option<String> {
    let (_, rest) = msg.split_once("value: `")?;
    let (value, rest) = rest.split_once('`')?;
    let (_, max) = rest.split_once('`')?;
    let max = max.strip_suffix('`')?;
    Some(format!("{value} is not a whole number from 0 to {max}"))
}

impl MergeWithError<Refusals> for Refusals {
    fn merge(
        before: Option<Self>,
        other: Refusals,
        _: ValuePointerRef<'_>,
    ) -> ControlFlow<Self, Self> {
        let mut refusals = before.unwrap_or(Refusals(Vec::new()));
        refusals.0.extend(other.0);
        refusals.go_on()
    }
}

/// Adds the reason from a value's own check.
impl MergeWithError<String> for Refusals {
    fn merge(
        before: Option<Self>,
        reason: String,
        location: ValuePointerRef<'_>,
    ) -> ControlFlow<Self, Self> {
        let mut refusals = before.unwrap_or(Refusals(Vec::new()));
        refuse(&mut refusals.0, &path_of(location), reason);
        refusals.go_on()
    }
}

/// Reads a text that consists of one JSON value.
///
/// # Errors The first error, with its line and column.
pub fn parse(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Strict>(text).map(|strict| strict.0)
}

/// A value in whose objects each key appears once; null fields are left out.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Strict, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }
    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }
    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }
    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Value, E> {
        // JSON has only one kind of number, so 10.0 is 10.
        let whole = number as i64;
        if whole as f64 == number && !is_beyond(number) {
            return Ok(match u64::try_from(whole) {
                Ok(whole) => whole.into(),
                Err(_) => whole.into(),
            });
        }
        Ok(number.into())
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            out.push(item);
        }
        Ok(out.into())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut out = serde_json::Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let Strict(value) = fields.next_value()?;
            if out.contains_key(&name) {
                let reason = format!("the key {name:?} appears twice in one object");
                return Err(A::Error::custom(reason));
            }
            out.insert(name, value);
        }
        out.retain(|_, value| !value.is_null());
        Ok(out.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserr)]
    #[deserr(error = Refusals, deny_unknown_fields)]
    struct Thing {
        count: u8,
        name: String,
        items: Vec<u64>,
        #[deserr(default)]
        note: Option<String>,
        missing: bool,
    }

    fn said(text: &str) -> Vec<String> {
        let refusals = read::<Thing>(parse(text).expect("JSON"), "machine").expect_err("refusals");
        let each = refusals.iter().map(|f| format!("{}: {}", f.path, f.reason));
        each.collect()
    }

    #[test]
    fn reports_every_error_with_its_path() {
        let text = r#"{ "count": -1, "name": 7, "extra": 1, "items": [1, "two"], "note": null }"#;
        expect_test::expect![[r#"
            machine.count: -1 is not a whole number of 0 or more
            machine.extra: unknown field; the known fields are count, name, items, note, missing
            machine.items[1]: expected a whole number, found text
            machine.name: expected text, found a number
            machine.missing: this field is missing"#]]
        .assert_eq(&said(text).join("\n"));
        let large = r#"{ "count": 300, "name": "", "items": [], "missing": true }"#;
        assert_eq!(
            said(large),
            ["machine.count: 300 is not a whole number from 0 to 255"]
        );
    }

    /// A number that JavaScript reads as an integer is an integer; a number that it would round is refused.
    #[test]
    fn reads_numbers_as_javascript_does() {
        let items = |numbers: &str| {
            let text =
                format!(r#"{{ "count": 1, "name": "", "items": [{numbers}], "missing": true }}"#);
            let value = parse(&text).expect("JSON");
            read::<Thing>(value, "").map(|thing| thing.items)
        };
        let read =
            items("10, 10.0, 1e1, 1E+1, 100e-1, -0, 0.0, 9007199254740991, 9007199254740991.0");
        let most = MAX_NUMBER;
        assert_eq!(read, Ok(vec![10, 10, 10, 10, 10, 0, 0, most, most]));
        for (number, reason) in [
            ("1.5", "1.5 is not a whole number of 0 or more"),
            ("-1.0", "-1 is not a whole number of 0 or more"),
            (
                "9007199254740992",
                "9007199254740992 is not a whole number from 0 to 9007199254740991",
            ),
            (
                "9007199254740993",
                "9007199254740993 is not a whole number from 0 to 9007199254740991",
            ),
            (
                "1e300",
                "1e300 is not a whole number from 0 to 9007199254740991",
            ),
            (
                "99999999999999999999",
                "1e20 is not a whole number from 0 to 9007199254740991",
            ),
        ] {
            let refusal = Refusal {
                path: "items[0]".to_string(),
                reason: reason.to_string(),
            };
            assert_eq!(items(number), Err(vec![refusal]));
        }
        assert!(parse("[+1]").is_err() && parse("[01]").is_err() && parse("[.5]").is_err());
    }

    #[test]
    fn reports_syntax_errors_with_line_and_column() {
        let said = |text| parse(text).expect_err("no JSON").to_string();
        assert_eq!(
            said("{\n  \"a\": x\n}"),
            "expected value at line 2 column 8"
        );
        assert_eq!(
            said(r#"{"a": 1, "a": 2}"#),
            "the key \"a\" appears twice in one object at line 1 column 16"
        );
        assert!(parse(&"[".repeat(200)).is_err());
    }
}
