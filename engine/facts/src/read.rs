//! Reading outside data: JSON values into typed ones, naming the path of whatever does not fit.
//!
//! Modelled: objects whose unknown and missing fields are refused, and limits on numbers.
//! Left out: serde's derived readers: their errors name no path, and one is generated for every
//! type and source, which the page would have to download.
//! Invariants: reading goes on after a fault, so that all faults are found at once; a fault has a
//! path a person can follow (`nodes[1].ranges[0].pages`).

use crate::json::{self, Value};
use crate::ordered::Map;
use crate::view::Refusal;

/// The faults found so far.
pub type Faults = Vec<Refusal>;

/// Adds a fault.
pub fn fault(faults: &mut Faults, path: &str, reason: impl Into<String>) {
    faults.push(Refusal {
        path: path.to_string(),
        reason: reason.into(),
    });
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) | Value::OtherNumber(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn mismatch(faults: &mut Faults, path: &str, wanted: &str, found: &Value) {
    fault(
        faults,
        path,
        format!("{wanted} is needed here, not {}", kind(found)),
    );
}

/// Text.
pub fn text(value: &Value, path: &str, faults: &mut Faults) -> Option<String> {
    let found = value.as_str().map(str::to_string);
    if found.is_none() {
        mismatch(faults, path, "text", value);
    }
    found
}

/// A whole number from 0 to `max`.
pub fn number(value: &Value, path: &str, max: u64, faults: &mut Faults) -> Option<u64> {
    let written = match value {
        Value::Number(n) if *n <= max => return Some(*n),
        Value::Number(n) => n.to_string(),
        Value::OtherNumber(written) => written.clone(),
        _ => {
            mismatch(faults, path, "a whole number", value);
            return None;
        }
    };
    let reason = format!("{written} is not a whole number from 0 to {max}");
    fault(faults, path, reason);
    None
}

/// True or false.
pub fn flag(value: &Value, path: &str, faults: &mut Faults) -> Option<bool> {
    if let Value::Bool(flag) = value {
        return Some(*flag);
    }
    mismatch(faults, path, "true or false", value);
    None
}

/// A list; empty when it is none.
pub fn list<'a>(value: &'a Value, path: &str, faults: &mut Faults) -> &'a [Value] {
    match value {
        Value::Array(items) => items,
        _ => {
            mismatch(faults, path, "a list", value);
            &[]
        }
    }
}

/// Every item of a list, read with its path.
pub fn each<T>(
    value: &Value,
    path: &str,
    faults: &mut Faults,
    mut item: impl FnMut(&Value, &str, &mut Faults) -> Option<T>,
) -> Vec<T> {
    // A loop, not an iterator: this is compiled anew for each type that is listed.
    let mut out = Vec::new();
    for (i, value) in list(value, path, faults).iter().enumerate() {
        if let Some(read) = item(value, &place(path, i), faults) {
            out.push(read);
        }
    }
    out
}

/// Path of an item of a list.
fn place(path: &str, i: usize) -> String {
    format!("{path}[{i}]")
}

/// Words in a row: "a, b, c".
pub fn row(words: &mut dyn Iterator<Item = &str>) -> String {
    join(words, ", ")
}

/// Words with something between them: [`slice::join`] once, not for each type of word.
pub fn join(words: &mut dyn Iterator<Item = &str>, between: &str) -> String {
    let mut out = String::new();
    for word in words {
        if !out.is_empty() {
            out.push_str(between);
        }
        out.push_str(word);
    }
    out
}

/// One of several words.
pub fn choice<T: Copy>(
    value: &Value,
    path: &str,
    words: &[(&str, T)],
    faults: &mut Faults,
) -> Option<T> {
    let mut names = words.iter().map(|&(name, _)| name);
    chosen(value, path, &mut names, faults).map(|at| words[at].1)
}

/// Which of several words it is.
fn chosen(
    value: &Value,
    path: &str,
    names: &mut dyn Iterator<Item = &str>,
    faults: &mut Faults,
) -> Option<usize> {
    let word = text(value, path, faults)?;
    let mut known = Vec::new();
    for name in names {
        if name == word {
            return Some(known.len());
        }
        known.push(name);
    }
    let (word, known) = (json::text(&word), row(&mut known.into_iter()));
    fault(faults, path, format!("{word} is none of {known}"));
    None
}

/// The fields of an object being read.
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    path: String,
    known: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// Begins reading an object.
    pub fn of(value: &'a Value, path: &str, faults: &mut Faults) -> Option<Fields<'a>> {
        let Value::Object(map) = value else {
            mismatch(faults, path, "an object", value);
            return None;
        };
        Some(Fields {
            map,
            path: path.to_string(),
            known: Vec::new(),
        })
    }

    /// Path of a field.
    pub fn at(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_string()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    /// A field that may be missing; null counts as missing.
    pub fn get(&mut self, name: &'static str) -> Option<&'a Value> {
        self.known.push(name);
        self.map
            .get(name)
            .filter(|value| !matches!(value, Value::Null))
    }

    /// A field that must be there.
    pub fn need(&mut self, name: &'static str, faults: &mut Faults) -> Option<&'a Value> {
        let found = self.get(name);
        if found.is_none() {
            fault(faults, &self.at(name), "this field is missing");
        }
        found
    }

    /// Text that must be there.
    pub fn text(&mut self, name: &'static str, faults: &mut Faults) -> Option<String> {
        let value = self.need(name, faults)?;
        text(value, &self.at(name), faults)
    }

    /// Text, empty when missing.
    pub fn text_or_empty(&mut self, name: &'static str, faults: &mut Faults) -> String {
        let value = self.get(name);
        value
            .and_then(|v| text(v, &self.at(name), faults))
            .unwrap_or_default()
    }

    /// A number from 0 to `max` that must be there.
    pub fn number(&mut self, name: &'static str, max: u64, faults: &mut Faults) -> Option<u64> {
        let value = self.need(name, faults)?;
        number(value, &self.at(name), max, faults)
    }

    /// A number from 0 to `max`, or a default.
    pub fn number_or(
        &mut self,
        name: &'static str,
        max: u64,
        default: u64,
        faults: &mut Faults,
    ) -> u64 {
        let value = self.get(name);
        value
            .and_then(|v| number(v, &self.at(name), max, faults))
            .unwrap_or(default)
    }

    /// Text values by name, such as tunables.
    pub fn words(&mut self, name: &'static str, faults: &mut Faults) -> Map<String, String> {
        let path = self.at(name);
        let Some(Value::Object(map)) = self.get(name) else {
            if let Some(other) = self.map.get(name).filter(|v| !matches!(v, Value::Null)) {
                mismatch(faults, &path, "an object", other);
            }
            return Default::default();
        };
        let entries = map.iter();
        entries
            .filter_map(|(key, value)| {
                // A number is what a person would write for most sysctls.
                let word = match value {
                    Value::Number(n) => Some(n.to_string()),
                    Value::OtherNumber(written) => Some(written.clone()),
                    other => text(other, &format!("{path}.{key}"), faults),
                };
                word.map(|word| (key.clone(), word))
            })
            .collect()
    }

    /// Refuses the fields nobody asked for.
    pub fn finish(self, faults: &mut Faults) {
        for (name, _) in self.map {
            if !self.known.contains(&name.as_str()) {
                let known = row(&mut self.known.iter().copied());
                let reason = format!("unknown field; known are {known}");
                fault(faults, &self.at(name), reason);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_named_with_its_path() {
        let text = r#"{ "count": -1, "name": 7, "extra": 1, "items": [1, "two"] }"#;
        let value = crate::json::parse(text).expect("JSON");
        let mut faults = Vec::new();
        let mut fields = Fields::of(&value, "machine", &mut faults).expect("an object");
        fields.number("count", 10, &mut faults);
        fields.text("name", &mut faults);
        let items = fields.need("items", &mut faults).expect("there");
        let read = each(items, &fields.at("items"), &mut faults, |v, p, f| {
            number(v, p, 5, f)
        });
        fields.text("missing", &mut faults);
        fields.finish(&mut faults);
        assert_eq!(read, [1]);
        let said: Vec<String> = faults
            .iter()
            .map(|f| format!("{}: {}", f.path, f.reason))
            .collect();
        expect_test::expect![[r#"
            machine.count: -1 is not a whole number from 0 to 10
            machine.name: text is needed here, not a number
            machine.items[1]: a whole number is needed here, not text
            machine.missing: this field is missing
            machine.extra: unknown field; known are count, name, items, missing"#]]
        .assert_eq(&said.join("\n"));
    }
}
