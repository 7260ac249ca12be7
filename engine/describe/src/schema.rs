//! The descriptions of an experiment's types: `experiment.schema.json` for the page, `docs/experiment.md` for
//! people.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Map, Value};

type Fields = Map<String, Value>;

/// The schema as the page loads it.
pub fn json() -> String {
    facts::schema::experiment().to_string()
}

/// A table for each type, from the experiment inwards.
pub fn markdown() -> String {
    let schema = facts::schema::experiment();
    let mut page = Page {
        types: schema["$defs"].as_object().expect("named types"),
        text: HEAD.to_string(),
        told: BTreeSet::new(),
    };
    page.tell("Experiment", &schema);
    page.text
}

const HEAD: &str = "# Format of an experiment\n
<!-- Written by `cargo run -p describe -- schema` from the engine's types; a test compares them. -->\n
An experiment is one JSON object. A required field has nothing under *left out*; null counts as left
out. Numbers are whole and at most 9007199254740991; `10`, `10.0` and `1e1` are the same number. The
value of a tunable may be a number or text. `npm run sim -- list` prints all ready-made parts, and the
tunables of each kernel with their limits. The build also writes this description as a JSON Schema,
`web/src/engine/pkg/experiment.schema.json`.\n";

struct Page<'a> {
    types: &'a Fields,
    text: String,
    /// Types that were already written.
    told: BTreeSet<&'a str>,
}

impl<'a> Page<'a> {
    /// A type, then the types that it contains.
    fn tell(&mut self, name: &'a str, schema: &'a Value) {
        if !self.told.insert(name) {
            return;
        }
        self.line(format!("\n## {name}\n\n{}", text(schema, "description")));
        if let Some(fields) = schema["properties"].as_object() {
            self.fields(schema, fields);
        }
        for kind in each(schema, "oneOf") {
            if let Some(fields) = kind["properties"].as_object() {
                let op = text(&fields["op"], "const");
                self.line(format!("\n### {op}\n\n{}", text(kind, "description")));
                self.fields(kind, fields);
            }
        }
        let words: Vec<&Value> = each(schema, "oneOf").collect();
        if words.iter().any(|word| word.get("const").is_some()) {
            self.line("\n| word | what it means |\n| --- | --- |".to_string());
            for word in words {
                let about = cell(text(word, "description"));
                self.line(format!("| `{}` | {about} |", text(word, "const")));
            }
        } else if schema.get("anyOf").is_some() {
            self.line(format!("\n{}.", self.kind(schema)));
        }
        for name in inside(schema) {
            if let Some(schema) = self.types.get(name) {
                self.tell(name, schema);
            }
        }
    }

    fn fields(&mut self, schema: &Value, fields: &Fields) {
        let needed: Vec<&str> = each(schema, "required").filter_map(Value::as_str).collect();
        let others = fields.keys().map(String::as_str);
        let others = others.filter(|name| !needed.contains(name));
        let all: Vec<&str> = needed.iter().copied().chain(others).collect();
        if all.is_empty() {
            return;
        }
        // The field that identifies the type comes first.
        let is_fixed = |name: &&str| fields[*name].get("const").is_some();
        let (fixed, free): (Vec<&str>, Vec<&str>) = all.into_iter().partition(is_fixed);
        self.line("\n| field | type, unit | left out | limits | meaning |".to_string());
        self.line("| --- | --- | --- | --- | --- |".to_string());
        for name in fixed {
            let word = text(&fields[name], "const");
            self.line(format!(
                "| `{name}` | text |  | `{word}` | Which operation it is. |"
            ));
        }
        for name in free {
            let field = &fields[name];
            let is_needed = needed.contains(&name);
            let row = [
                format!("`{name}`"),
                self.kind(field),
                if is_needed {
                    String::new()
                } else {
                    left_out(field)
                },
                limits(field),
                cell(text(field, "description")),
            ];
            self.line(format!("| {} |", row.join(" | ")));
        }
    }

    /// The kind of a value: "whole number, KiB".
    fn kind(&self, schema: &Value) -> String {
        let mut out = match reference(schema) {
            Some(name) => format!("[{name}](#{})", name.to_lowercase()),
            None => match schema.get("anyOf") {
                Some(_) => {
                    let kinds: Vec<String> = each(schema, "anyOf").map(|s| self.kind(s)).collect();
                    kinds.join(" or ")
                }
                None => word(schema, |items| self.kind(items)),
            },
        };
        if let Some(unit) = schema["x-unit"].as_str() {
            let _ = write!(out, ", {unit}");
        }
        out
    }

    fn line(&mut self, line: String) {
        self.text.push_str(&line);
        self.text.push('\n');
    }
}

/// The word for a type without a name.
fn word(schema: &Value, of: impl Fn(&Value) -> String) -> String {
    match schema["type"].as_str() {
        Some("integer") => "whole number".to_string(),
        Some("string") if schema.get("enum").is_some() => "name".to_string(),
        Some("string") => "text".to_string(),
        Some("boolean") => "true or false".to_string(),
        Some("array") => format!("list of {}", of(&schema["items"])),
        _ => "text or whole number".to_string(),
    }
}

fn left_out(field: &Value) -> String {
    match (field["x-left-out"].as_str(), field.get("default")) {
        (Some(words), _) => cell(words),
        (None, Some(Value::String(text))) => format!("`{text}`"),
        (None, Some(value)) => value.to_string(),
        (None, None) => "none".to_string(),
    }
}

/// The limits of a value, except those of the number's type.
fn limits(field: &Value) -> String {
    let number = |name: &str| field[name].as_u64();
    let between = |least: Option<u64>, most: Option<u64>, of: &str| match (least, most) {
        (Some(least), Some(most)) => format!("{least} to {most}{of}"),
        (Some(least), None) if least > 0 => format!("from {least}{of} on"),
        (None, Some(most)) => format!("at most {most}{of}"),
        _ => String::new(),
    };
    let choices = if field.get("enum").is_some() {
        "enum"
    } else {
        "examples"
    };
    let is_chosen = choices == "enum" || each(field, choices).count() > 1;
    let words = each(field, choices).map(|value| format!("`{}`", plain(value)));
    let all = [
        if is_chosen {
            words.collect::<Vec<_>>().join(", ")
        } else {
            String::new()
        },
        if is_chosen {
            String::new()
        } else {
            between(number("minimum"), number("maximum"), "")
        },
        between(number("minLength"), number("maxLength"), " characters"),
        between(number("minItems"), number("maxItems"), " items"),
        field["pattern"]
            .as_str()
            .map_or(String::new(), |it| format!("`{}`", cell(it))),
    ];
    all.into_iter()
        .filter(|one| !one.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

/// The named types that a type contains, required ones first.
fn inside(schema: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    collect(schema, &mut found);
    found
}

fn collect<'a>(schema: &'a Value, found: &mut Vec<&'a str>) {
    if let Some(name) = reference(schema) {
        found.push(name);
    }
    for list in ["anyOf", "oneOf"] {
        each(schema, list).for_each(|one| collect(one, found));
    }
    if let Some(items) = schema.get("items") {
        collect(items, found);
    }
    let fields = schema["properties"].as_object();
    let needed =
        each(schema, "required").filter_map(|name| schema["properties"].get(name.as_str()?));
    needed.for_each(|field| collect(field, found));
    fields
        .into_iter()
        .flat_map(Fields::values)
        .for_each(|field| collect(field, found));
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

fn each<'a>(schema: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    schema
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn text<'a>(schema: &'a Value, name: &str) -> &'a str {
    schema[name].as_str().unwrap_or_default()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or(value.to_string(), str::to_string)
}

/// Text, escaped for a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_reference_page_matches_the_types() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/experiment.md");
        let written = std::fs::read_to_string(path).unwrap_or_default();
        let fresh = written == markdown();
        assert!(
            fresh,
            "docs/experiment.md is stale: run `cargo run -p describe -- schema`"
        );
    }

    #[test]
    fn describes_every_type_and_operation() {
        let (schema, page) = (facts::schema::experiment(), markdown());
        for name in schema["$defs"].as_object().expect("types").keys() {
            assert!(page.contains(&format!("\n## {name}\n")), "{name}");
        }
        for op in mm::workload::OPERATIONS {
            assert!(page.contains(&format!("\n### {op}\n")), "{op}");
            assert!(
                page.contains(&format!("\n| `op` | text |  | `{op}` |")),
                "{op}"
            );
        }
    }
}
