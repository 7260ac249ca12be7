//! The file of a sweep: an experiment, the axes along which it is changed, and the figures to report.

use mm::experiment::{self, Experiment, Raw};
use mm::profile;
use mm::read;
use serde_json::{Map, Value, json};

use super::axes::{self, Axis};
use super::{Outcome, bad, refused};

/// The fields of the file.
const FIELDS: [&str; 3] = ["experiment", "axes", "figures"];

/// A sweep, read but not yet checked.
#[derive(Debug)]
pub struct Sweep {
    /// The name of the file in messages.
    pub name: String,
    /// The experiment that the axes change: the id of a ready-made one, or a description.
    pub base: Value,
    /// The full description of the experiment.
    pub start: Value,
    /// The axes, by name.
    pub axes: Vec<Axis>,
    /// The names of the figures in each line; none for all.
    pub figures: Option<Vec<String>>,
}

impl Sweep {
    /// Reads the text of a file. `name` is the file's name in messages.
    ///
    /// # Errors
    /// The text is not JSON, or a field is missing, unknown or of the wrong kind.
    pub fn parse(name: &str, text: &str) -> Outcome<Sweep> {
        let value = read::parse(text).map_err(|e| {
            let at = format!("line {}, column {}", e.line(), e.column());
            bad(format!("{name}: not JSON: {e} ({at})"))
        })?;
        let Value::Object(fields) = value else {
            return Err(bad(format!("{name}: a sweep is a JSON object")));
        };
        if let Some(unknown) = fields.keys().find(|key| !FIELDS.contains(&key.as_str())) {
            let known = FIELDS.join(", ");
            let reason = format!("{name}: {unknown}: unknown field; the known fields are {known}");
            return Err(bad(reason));
        }
        let Some(base) = fields.get("experiment").cloned() else {
            return Err(bad(format!("{name}: experiment: this field is missing")));
        };
        Ok(Sweep {
            start: start(name, &base)?,
            base,
            axes: axes::read(name, fields.get("axes"))?,
            figures: figures(name, fields.get("figures"))?,
            name: name.to_string(),
        })
    }

    /// The experiment at some values of the axes.
    ///
    /// # Errors
    /// Every error, with its path.
    pub fn at(&self, values: &Map<String, Value>) -> Outcome<Experiment> {
        let source = match axes::in_words(values) {
            words if words.is_empty() => self.name.clone(),
            words => format!("{}: with {words}", self.name),
        };
        changed(&source, self.start.clone(), values)
    }
}

fn figures(name: &str, value: Option<&Value>) -> Outcome<Option<Vec<String>>> {
    let wrong = || {
        bad(format!(
            "{name}: figures: expected a list of names, such as [\"pgscan_direct\", \"Elapsed time\"]"
        ))
    };
    let Some(value) = value else { return Ok(None) };
    let names = value.as_array().ok_or_else(wrong)?.iter();
    let names = names.map(|name| name.as_str().map(str::to_string));
    names
        .collect::<Option<Vec<String>>>()
        .ok_or_else(wrong)
        .map(Some)
}

/// The description of an experiment that may be named by its id.
///
/// # Errors
/// No experiment has this id; the error lists the known ids.
pub fn start(source: &str, base: &Value) -> Outcome<Value> {
    let Value::String(id) = base else {
        return Ok(base.clone());
    };
    let experiment = Experiment::preset(id).map_err(|found| refused(source, &found))?;
    Ok(json!(experiment.raw))
}

/// An experiment with some of its fields changed: path to value.
///
/// # Errors
/// Every error, with its path.
pub fn changed(source: &str, mut value: Value, values: &Map<String, Value>) -> Outcome<Experiment> {
    // A whole machine is set before a field of it.
    let mut paths: Vec<(Vec<String>, &String, &Value)> = values
        .iter()
        .map(|(path, new)| (axes::segments(path), path, new))
        .collect();
    paths.sort_by_key(|(segments, path, _)| (segments.len(), *path));
    for (segments, path, new) in paths {
        write_out(&mut value, &segments);
        axes::set(&mut value, &segments, new)
            .map_err(|reason| bad(format!("{source}: {path}: {reason}")))?;
    }
    let raw: Raw = read::read(value, "").map_err(|found| refused(source, &found))?;
    Experiment::new(raw).map_err(|found| refused(source, &found))
}

/// Replaces the id of a ready-made machine or workload by its description, if a path leads into it.
fn write_out(experiment: &mut Value, path: &[String]) {
    let [part, _, ..] = path else { return };
    let Some(Value::String(id)) = experiment.get(part) else {
        return;
    };
    let described = match part.as_str() {
        "machine" => profile::find(id).map(|machine| json!(machine)),
        "workload" => {
            let mut all = experiment::workloads().into_iter();
            all.find(|workload| workload.id == *id)
                .map(|workload| json!(workload))
        }
        _ => None,
    };
    if let Some(described) = described {
        experiment[part] = described;
    }
}
