//! The JSON Schema of an experiment, which forms, the editor and the documentation use.
//!
//! Modelled: every field of the types that are read, with its meaning, unit, limits and default, and the
//! words for each choice. The schema of a type that is read by hand is next to the code that reads it.
//! Left out: checks that need more than one value, and null fields (null counts as left out).
//! Invariants: the reader refuses whatever the schema refuses. Both refuse an unknown field, a missing field
//! and a value of the wrong type.
//!
//! In addition to the words of JSON Schema: `x-unit` is the unit of a number, or the format of a text;
//! `x-left-out` describes the default; `x-words` say what true and false mean; `x-ready-made` are the ids of
//! ready-made experiments; `x-published` are kernels' names in published tables, each with the difference
//! from the kernel that runs in its place.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::experiment::{Raw, workloads};
use crate::kernel::{self, patches};
use crate::profile::{MachineProfile, profiles};
use crate::workload::Workload;

/// The schema of an experiment as users write it.
pub fn experiment() -> Value {
    let plain =
        SchemaSettings::draft2020_12().with_transform(RecursiveTransform(plain as fn(&mut Schema)));
    plain
        .into_generator()
        .into_root_schema_for::<Raw>()
        .to_value()
}

/// Removes line breaks and backticks from descriptions, and null, which only means that a field is left out.
fn plain(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::String(text)) = object.get_mut("description") {
        *text = text.replace('\n', " ").replace('`', "");
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_string(), only);
        }
    }
    without_null(object);
    if object.get("default") == Some(&Value::Null) {
        object.remove("default");
    }
}

/// Replaces an `anyOf` of a type and null by the type.
fn without_null(object: &mut Map<String, Value>) {
    let Some(Value::Array(kinds)) = object.get_mut("anyOf") else {
        return;
    };
    kinds.retain(|kind| *kind != json!({ "type": "null" }));
    if let [Value::Object(only)] = kinds.as_mut_slice() {
        let only = std::mem::take(only);
        object.remove("anyOf");
        for (name, value) in only {
            object.entry(name).or_insert(value);
        }
    }
}

/// A duration: "10ms".
pub(crate) struct Time;

impl JsonSchema for Time {
    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "10s, 250ms, 5us or 100ns; at most four hours.",
            "type": "string",
            "pattern": r"^\s*[0-9]+\s*(s|ms|us|µs|ns)\s*$",
        })
    }
}

/// One of these ids.
fn one_of(ids: impl IntoIterator<Item = String>) -> Schema {
    let ids: Vec<String> = ids.into_iter().collect();
    json_schema!({ "type": "string", "enum": ids })
}

/// A kernel's id, or another name of it.
pub(crate) struct KernelId;

impl JsonSchema for KernelId {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "KernelId".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names = kernel::kernels().iter().flat_map(|kernel| {
            let own = std::iter::once(kernel.id).chain(kernel.aliases.iter().copied());
            own.chain(kernel::published_names(kernel))
        });
        let mut schema = one_of(names.map(str::to_string));
        let known = kernel::PUBLISHED.iter();
        let known = known.filter(|each| kernel::find(each.name).is_some());
        let notes: Map<String, Value> = known
            .map(|each| (each.name.to_string(), Value::from(each.note)))
            .collect();
        schema.insert("x-published".to_string(), Value::Object(notes));
        schema
    }
}

/// A patch's id.
pub(crate) struct PatchId;

impl JsonSchema for PatchId {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "PatchId".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        one_of(patches::patches().iter().map(|patch| patch.id.to_string()))
    }
}

/// A machine: the id of a ready-made machine, or a description.
pub(crate) struct AnyMachine;

impl JsonSchema for AnyMachine {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "AnyMachine".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let named = one_of(profiles().into_iter().map(|machine| machine.id));
        let described = generator.subschema_for::<MachineProfile>();
        json_schema!({ "anyOf": [named, described] })
    }
}

/// A workload: the id of a ready-made workload, or a description.
pub(crate) struct AnyWorkload;

impl JsonSchema for AnyWorkload {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "AnyWorkload".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let named = one_of(workloads().into_iter().map(|workload| workload.id));
        let described = generator.subschema_for::<Workload>();
        json_schema!({ "anyOf": [named, described] })
    }
}
