//! An experiment described as JSON Schema: what forms, the editor and the documentation say of it.
//!
//! Modelled: every field of the types that are read, with its meaning, unit, limits, what holds where it
//! is left out, and the words of a choice; the schema of a type that is read by hand stands beside its
//! reading.
//! Left out: what needs more than one value to judge, and what a field that is null means (it counts
//! as left out).
//! Invariants: what the schema refuses the reader refuses; an unknown field, a missing one and a value
//! of another type are refused by both.
//!
//! Beside the words of JSON Schema: `x-unit` is what a number counts, or how a text is written;
//! `x-left-out` is what holds then, in words; `x-words` are what true and false mean; `x-ready-made` are the
//! ids of ready-made experiments; `x-published` are kernels' names in published tables, each with what
//! differs from the kernel that is run for it.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::experiment::{Raw, workloads};
use crate::kernel::{self, patches};
use crate::profile::{MachineProfile, profiles};
use crate::workload::Workload;

/// The schema of an experiment as people write it.
pub fn experiment() -> Value {
    let plain =
        SchemaSettings::draft2020_12().with_transform(RecursiveTransform(plain as fn(&mut Schema)));
    plain
        .into_generator()
        .into_root_schema_for::<Raw>()
        .to_value()
}

/// Sentences without the marks of source text; no null, which only says that a field is left out.
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

/// `anyOf` a type and null is the type.
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

/// A stretch of time: "10ms".
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

/// One of the ready-made, by its id.
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

/// A machine: a ready-made one's id, or a description.
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

/// A workload: a ready-made one's id, or a description.
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
