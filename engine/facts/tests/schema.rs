//! The schema of an experiment, compared with the reader.

use std::sync::LazyLock;

use facts::experiment::{Experiment, presets, workloads};
use facts::view::Refusal;
use facts::workload::OPERATIONS;
use facts::{profile, read, schema};
use jsonschema::Validator;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

static SCHEMA: LazyLock<Value> = LazyLock::new(schema::experiment);
static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::validator_for(&SCHEMA).expect("a schema"));

/// Every ready-made experiment, once with names and once with its whole machine and workload.
static WRITTEN: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let value = |text: String| read::parse(&text).expect("JSON");
    let mut out = Vec::new();
    for raw in presets() {
        let mut full = value(read::written(&raw));
        out.push(full.clone());
        let named = |id: &Value, item: &str| id.as_str() == Some(item);
        let machine = profile::profiles();
        let machine = machine.iter().find(|m| named(&raw.machine, &m.id));
        let workload = workloads();
        let workload = workload.iter().find(|w| named(&raw.workload, &w.id));
        if let Some(machine) = machine {
            full["machine"] = value(read::written(machine));
        }
        assert!(
            full["machine"].is_object(),
            "{}: its machine in full",
            raw.id
        );
        full["workload"] = value(read::written(workload.expect("a workload")));
        let process = full["workload"]["processes"][0].clone();
        let mut brought = process.clone();
        brought["name"] = "brought".into();
        if starts_threads(&process) {
            // A program can be run by the threads of only one process.
            brought["program"] = json!([{ "op": "compute", "time": "1ms" }]);
        }
        full["interventions"] = json!([
            { "at": "1ms", "start": process["name"] },
            { "at": "1ms", "start": brought },
            { "at": "2ms", "kill": "brought/1" },
            { "at": "3ms", "set": { "vm.swappiness": 10 } },
            { "at": "4ms", "drop_caches": 1 },
        ]);
        out.push(full);
    }
    out
});

/// Whether a process starts threads outside of a loop.
fn starts_threads(process: &Value) -> bool {
    let steps = process["program"].as_array();
    steps.is_some_and(|steps| steps.iter().any(|step| step["op"] == "threads"))
}

/// The reader's refusals of an experiment, and whether the schema refuses it.
fn judged(experiment: &Value) -> (Vec<Refusal>, bool) {
    let text = experiment.to_string();
    // A field that is null counts as left out, and only the reader knows that.
    let plain = read::parse(&text).expect("JSON");
    let found = Experiment::from_json(&text).err().unwrap_or_default();
    (found, !VALIDATOR.is_valid(&plain))
}

/// An unknown field, a missing field, or a value of another type, as opposed to a value beyond its limits.
fn is_structural(refusal: &Refusal) -> bool {
    let words = ["unknown", "is missing", "expected", "not an operation"];
    words.iter().any(|word| refusal.reason.contains(word))
}

#[test]
fn every_ready_made_experiment_fits_the_schema() {
    for experiment in WRITTEN.iter() {
        let (found, _) = judged(experiment);
        assert_eq!(found, [], "{experiment}");
        let errors: Vec<String> = VALIDATOR
            .iter_errors(experiment)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert_eq!(errors, [""; 0], "{experiment}");
    }
}

#[test]
fn every_operation_is_described() {
    let steps = SCHEMA["$defs"]["Step"]["oneOf"].as_array();
    let described = steps.expect("operations").iter();
    let mut names: Vec<&str> = described
        .map(|step| step["properties"]["op"]["const"].as_str().expect("a name"))
        .collect();
    let mut known = OPERATIONS.to_vec();
    names.sort_unstable();
    known.sort_unstable();
    assert_eq!(names, known);
}

/// Without a description, a person could not fill in a field.
#[test]
fn every_field_has_a_description() {
    fn walk(value: &Value, path: &str) {
        match value {
            Value::Object(fields) => {
                let properties = fields.get("properties").and_then(Value::as_object);
                for (name, field) in properties.into_iter().flatten() {
                    let about = field["description"].as_str().unwrap_or_default();
                    let is_said = field.get("const").is_some()
                        || (about.ends_with(['.', ')']) && !about.contains("[`"));
                    assert!(is_said, "{path}.{name}: {about:?}");
                }
                for (name, inner) in fields {
                    walk(inner, &format!("{path}.{name}"));
                }
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, path)),
            _ => {}
        }
    }
    walk(&SCHEMA, "");
}

/// The paths of all values inside a value.
fn places(value: &Value, at: String, out: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                places(inner, format!("{at}/{name}"), out);
            }
        }
        Value::Array(items) => {
            for (i, inner) in items.iter().enumerate() {
                places(inner, format!("{at}/{i}"), out);
            }
        }
        _ => {}
    }
    out.push(at);
}

/// Removes the value at a path.
fn without(experiment: &mut Value, place: &str) {
    let Some((around, name)) = place.rsplit_once('/') else {
        return;
    };
    match experiment.pointer_mut(around) {
        Some(Value::Object(fields)) => drop(fields.remove(name)),
        Some(Value::Array(items)) => drop(items.remove(name.parse().expect("a number"))),
        _ => {}
    }
}

#[derive(Debug, Clone)]
enum Change {
    Unknown,
    Missing,
    Other(Value),
}

fn change() -> impl Strategy<Value = Change> {
    let numbers = [0, 1, 7, 64, 300, 70_000, 1 << 33, u64::MAX];
    let words = [
        "", "moon", "1ms", "12 MiB", "3 %", "sda", "random", "map", "0",
    ];
    let odd = prop_oneof![
        Just(json!(null)),
        Just(json!([])),
        Just(json!({})),
        Just(json!([{ "moon": 1 }])),
        Just(json!(true)),
        Just(json!(1.5)),
        Just(json!(-3)),
        prop::sample::select(numbers.to_vec()).prop_map(Value::from),
        prop::sample::select(words.to_vec()).prop_map(Value::from),
    ];
    prop_oneof![
        Just(Change::Unknown),
        Just(Change::Missing),
        odd.prop_map(Change::Other)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_reader_refuses_everything_that_the_schema_refuses(
        which in any::<Index>(),
        place in any::<Index>(),
        change in change(),
    ) {
        let mut experiment = WRITTEN[which.index(WRITTEN.len())].clone();
        let mut all = Vec::new();
        places(&experiment, String::new(), &mut all);
        let place = &all[place.index(all.len())];
        let here = experiment.pointer_mut(place).expect("a place");
        match change.clone() {
            Change::Unknown => match here {
                Value::Object(fields) => drop(fields.insert("moon".to_string(), json!(1))),
                other => *other = json!({ "moon": 1 }),
            },
            Change::Other(value) => *here = value,
            Change::Missing => without(&mut experiment, place),
        }
        let (found, is_odd) = judged(&experiment);
        let told = format!("{place} {change:?}: {found:?}, schema refuses: {is_odd}");
        prop_assert!(!is_odd || !found.is_empty(), "the reader takes it: {told}");
        prop_assert!(is_odd || !found.iter().any(is_structural), "the schema takes it: {told}");
    }
}

/// The format of sizes and times is defined twice: as a pattern of the schema, and by their parsers.
#[test]
fn the_reader_accepts_exactly_the_sizes_and_times_that_match_the_schema() {
    let pattern = |name: &str| {
        let mut of = SCHEMA["$defs"][name].clone();
        of["$schema"] = SCHEMA["$schema"].clone();
        jsonschema::validator_for(&of).expect("a schema")
    };
    let time = pattern("Time");
    for text in [
        "10s", " 5 ms ", "7us", "7µs", "1ns", "", "s", "1", "1.5s", "-1s", "1 h", "1s2",
    ] {
        let is_read = facts::workload::parse_ns(text).is_ok();
        assert_eq!(time.is_valid(&text.into()), is_read, "{text:?}");
    }
    let size = pattern("Size");
    let map = |size: &Value| {
        let mut experiment = WRITTEN[1].clone();
        experiment["interventions"] = json!([]);
        experiment["workload"]["processes"] = json!([{ "name": "one", "program": [
            { "op": "map", "region": "heap", "size": size },
            { "op": "map", "region": "hog", "size": "1 MiB" },
        ]}]);
        judged(&experiment).0.is_empty()
    };
    for text in [
        "4 MiB",
        "4MiB",
        " 4 KiB",
        "1 MiB ",
        "5%",
        "5 % of node",
        "4",
        "4 MB",
        "4.5 MiB",
        "",
        "%",
    ] {
        let text = Value::from(text);
        assert_eq!(size.is_valid(&text), map(&text), "{text}");
    }
    assert!(size.is_valid(&json!(7)) && map(&json!(7)));
}
