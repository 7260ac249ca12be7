//! The experiments a page opens by itself, packed while the page is built: `packed.json`.
//!
//! With them a first figure needs no module that reads experiments. For each the file has what is
//! said when it is open, and its plan in hexadecimal digits, which compress well. A text that is not
//! among them is read in the page, by the same code.

use std::path::Path;

use mm::experiment::{self, Experiment, Raw};
use mm::json::{self, Value};
use mm::ordered::Map;
use mm::plan::Plan;
use mm::view::Refusal;

use crate::Outcome;

/// The run that greets a visitor, and how much of it; as in `web/src/home/greeting.ts`.
const GREETING: (&str, &str) = ("streaming-reader.teach", "120s");
/// The seed the scenes of lessons have; as in `web/src/lesson`.
const FIRST_SEED: u64 = 1;

/// All of them: every ready-made experiment, the greeting, each scene of each lesson.
pub fn packed(project: &Path) -> Outcome<String> {
    let mut all = experiment::presets();
    let greeting = experiment::preset(GREETING.0).ok_or("nothing greets")?;
    all.push(Raw {
        id: String::new(),
        length: GREETING.1.to_string(),
        ..greeting
    });
    for entry in std::fs::read_dir(project.join("lessons"))? {
        let lesson = entry?.path();
        // Beside the lessons lie the figures they show.
        if lesson.join("lesson.json").is_file() {
            scenes(&lesson, &mut all).map_err(|why| format!("{}: {why}", lesson.display()))?;
        }
    }
    let each = all.into_iter().map(|raw| {
        let experiment = Experiment::new(raw).map_err(|found| in_words(&found))?;
        let plan = Plan::of(&experiment);
        let opened = json::text(&picture::opened(&plan.facts, &experiment));
        let digits = plan.pack().into_iter().map(|byte| format!("{byte:02x}"));
        let digits: String = digits.collect();
        Ok(format!("{{\"opened\":{opened},\"plan\":\"{digits}\"}}"))
    });
    let each: Vec<String> = each.collect::<Outcome<_>>()?;
    Ok(format!("[{}]", each.join(",\n")))
}

/// The experiments of a lesson's scenes, each once.
fn scenes(lesson: &Path, all: &mut Vec<Raw>) -> Outcome<()> {
    let read = |name: &str| -> Outcome<Value> {
        let text = std::fs::read_to_string(lesson.join(name))?;
        json::parse(&text).map_err(|fault| format!("{name}: {fault}").into())
    };
    let (head, data) = (read("lesson.json")?, read("experiments.json")?);
    let Some(Value::Object(scenes)) = head.get("scenes") else {
        return Err("lesson.json has no scenes".into());
    };
    for (name, scene) in scenes {
        let raw = scene_run(scene, &head, &data).map_err(|why| format!("scene {name}: {why}"))?;
        if !all.contains(&raw) {
            all.push(raw);
        }
    }
    Ok(())
}

/// The experiment of a scene, put together as the page does (`experimentText`).
fn scene_run(scene: &Value, head: &Value, data: &Value) -> Outcome<Raw> {
    let Some(Value::Object(set)) = scene.get("set") else {
        return Err("nothing is set".into());
    };
    let mut turned = Vec::new();
    for (knob, value) in set {
        let turns = head.get("knobs").and_then(|all| all.get(knob));
        let turns = turns.and_then(|knob| knob.get("turns"));
        let turns = turns.and_then(Value::as_str).ok_or("no such knob")?;
        turned.push((turns, value.as_str().ok_or("no value")?));
    }
    let chosen = turned.iter().find(|(turns, _)| *turns == "experiment");
    let experiment = match chosen {
        Some((_, id)) => id,
        None => word(scene, "experiment")?,
    };
    let found = data.get("experiments").and_then(|all| all.get(experiment));
    let Some(Value::Object(found)) = found else {
        return Err("no such experiment".into());
    };
    let mut fields: Map<String, Value> = found.iter().cloned().collect();
    if fields.get("machine").is_none() {
        let machine = data.get("machine").ok_or("no machine")?;
        fields.insert("machine".to_string(), machine.clone());
    }
    fields.insert("id".to_string(), Value::String(String::new()));
    fields.insert("seed".to_string(), Value::Number(FIRST_SEED));
    for (turns, value) in turned {
        turn(&mut fields, turns, value);
    }
    Raw::from_json(&json::text(&Value::Object(fields))).map_err(|found| in_words(&found).into())
}

fn word<'a>(value: &'a Value, name: &str) -> Outcome<&'a str> {
    let word = value.get(name).and_then(Value::as_str);
    word.ok_or_else(|| format!("no {name}").into())
}

/// Changes the field of an experiment that a knob turns.
fn turn(fields: &mut Map<String, Value>, turns: &str, value: &str) {
    let text = |text: &str| Value::String(text.to_string());
    match turns {
        "experiment" => {}
        "kernel" => {
            fields.insert("kernel".to_string(), text(value));
        }
        "patches" => {
            let ids = value.split(' ').filter(|id| *id != "none");
            let ids = Value::Array(ids.map(text).collect());
            fields.insert("patches".to_string(), ids);
        }
        tunable => {
            let mut tunables: Map<String, Value> = match fields.get("tunables") {
                Some(Value::Object(found)) => found.iter().cloned().collect(),
                _ => Map::default(),
            };
            tunables.insert(tunable.to_string(), text(value));
            fields.insert("tunables".to_string(), Value::Object(tunables));
        }
    }
}

fn in_words(refusals: &[Refusal]) -> String {
    let each = refusals.iter().map(|r| format!("{}: {}", r.path, r.reason));
    each.collect::<Vec<_>>().join("; ")
}
