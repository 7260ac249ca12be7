//! The key of an experiment: 64 bits that are equal for equal experiments, no matter how they are written.
//!
//! Modelled: a hash over everything that influences a run: machine, kernel, patches, tunables in force at
//! boot, workload, interventions, seed and length. A ready-made machine or workload counts like its full
//! description. The fields of an object count in alphabetical order, a missing field counts like its default,
//! patches count in alphabetical order, and times of the experiment itself count in ns.
//! `lru_gen.enabled` counts if it is not 0, because keys are older than a kernel that boots with another
//! value.
//! Left out: ids, titles and descriptions of the experiment, the machine and the workload, which change no
//! run. Amounts and times inside a workload count as they are written, so one amount in two units gives two
//! keys. The key does not identify the engine: results are compared by key and engine version.
//! Invariants: two experiments with the same key have the same run, except for chance collisions of 64 bits.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::Experiment;
use crate::state::StateHasher;
use crate::tunables::{self, Tunables};

/// The version of the key. It increases when the same experiment gets another key.
const FORMAT: u64 = 1;
/// Fields of machines and workloads that change no run.
const NAMES: [&str; 3] = ["id", "title", "about"];

/// The key of an experiment, written as 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u64);

impl Key {
    /// The 64 bits.
    pub const fn bits(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Experiment {
    /// The key of this experiment.
    pub fn key(&self) -> Key {
        let mut hasher = StateHasher::default();
        hasher.word(FORMAT);
        add(&mut hasher, &self.without_names());
        Key(hasher.finish())
    }

    /// All data that influences the run.
    fn without_names(&self) -> Value {
        let mut machine = described(&self.machine);
        machine.remove("tunables");
        let mut patches = self.raw.patches.clone();
        patches.sort();
        let mut parts = Map::new();
        let mut part = |name: &str, value: Value| parts.insert(name.to_string(), value);
        part("machine", Value::Object(machine));
        part("kernel", self.kernel.id.into());
        part("patches", patches.into());
        part("tunables", Value::Object(self.changed_tunables()));
        part("workload", Value::Object(described(&self.workload)));
        part("interventions", self.acts().into());
        part("seed", self.seed.into());
        part("length_ns", self.length_ns.into());
        Value::Object(parts)
    }

    /// The tunables at boot that differ from the kernel's defaults, and `lru_gen.enabled` unless it is 0.
    fn changed_tunables(&self) -> Map<String, Value> {
        let features = &self.kernel.features;
        let defaults = Tunables {
            lru_gen_enabled: 0,
            ..Tunables::defaults(&self.machine, features)
        };
        let mut changed = Map::new();
        for info in tunables::list(features) {
            let value = self.tunables.get(info.name);
            if value != defaults.get(info.name) {
                changed.insert(info.name.to_string(), value.into());
            }
        }
        changed
    }

    /// The interventions in order of time, with times in ns.
    fn acts(&self) -> Vec<Value> {
        let mut acts: Vec<(u64, Value)> = Vec::new();
        for intervention in &self.raw.interventions {
            let mut act = object(&intervention.act);
            let at = crate::workload::parse_ns(&intervention.at).unwrap_or(u64::MAX);
            act.insert("at_ns".to_string(), at.into());
            acts.push((at, Value::Object(act)));
        }
        acts.sort_by_key(|&(at, _)| at);
        acts.into_iter().map(|(_, act)| act).collect()
    }
}

/// An object with these fields.
fn object<T: Serialize>(data: &T) -> Map<String, Value> {
    match serde_json::to_value(data) {
        Ok(Value::Object(fields)) => fields,
        _ => unreachable!("plain data whose keys are strings"),
    }
}

/// A machine or a workload without its id, title and description.
fn described<T: Serialize>(data: &T) -> Map<String, Value> {
    let mut fields = object(data);
    fields.retain(|name, _| !NAMES.contains(&name.as_str()));
    fields
}

/// Adds a value. A number for its kind comes first. Texts, lists and objects also have their length, so two
/// different values never add the same words.
fn add(hasher: &mut StateHasher, value: &Value) {
    match value {
        Value::Null => hasher.word(1),
        Value::Bool(flag) => {
            hasher.word(2);
            hasher.word(u64::from(*flag));
        }
        Value::Number(number) => {
            hasher.word(3);
            match number.as_u64() {
                Some(whole) => hasher.word(whole),
                None => add_text(hasher, &number.to_string()),
            }
        }
        Value::String(text) => {
            hasher.word(4);
            add_text(hasher, text);
        }
        Value::Array(items) => {
            hasher.word(5);
            hasher.word(items.len() as u64);
            items.iter().for_each(|item| add(hasher, item));
        }
        Value::Object(fields) => {
            hasher.word(6);
            hasher.word(fields.len() as u64);
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_by_key(|&(name, _)| name);
            for (name, field) in fields {
                add_text(hasher, name);
                add(hasher, field);
            }
        }
    }
}

fn add_text(hasher: &mut StateHasher, text: &str) {
    hasher.word(text.len() as u64);
    for bytes in text.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        hasher.word(u64::from_le_bytes(word));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::experiment::{Raw, presets, workloads};
    use crate::profile;

    const ID: &str = "watermarks.teach";

    type Change = fn(&mut Raw);

    fn key_of(raw: &Raw) -> Key {
        Experiment::new(raw.clone())
            .expect("a valid experiment")
            .key()
    }

    fn preset(id: &str) -> Raw {
        super::super::preset(id).expect("a preset")
    }

    /// The experiment with the full descriptions of its machine and its workload.
    fn written_out(raw: &Raw) -> Raw {
        let mut out = raw.clone();
        if let Value::String(id) = &raw.machine {
            out.machine = json!(profile::find(id).expect("a machine"));
        }
        if let Value::String(id) = &raw.workload {
            let mut all = workloads().into_iter();
            out.workload = json!(all.find(|w| w.id == *id).expect("a workload"));
        }
        out
    }

    #[test]
    fn gives_a_preset_and_its_written_out_form_the_same_key() {
        for raw in presets() {
            let out = written_out(&raw);
            assert_eq!(key_of(&raw), key_of(&out), "{}", raw.id);
            let text = Experiment::new(out).expect("valid").canonical();
            let read = Experiment::from_json(&text).expect("reads back");
            assert_eq!(key_of(&raw), read.key(), "{}", raw.id);
        }
    }

    #[test]
    fn gives_each_preset_another_key_unless_only_names_differ() {
        let mut known: BTreeMap<u64, Value> = BTreeMap::new();
        for raw in presets() {
            let experiment = Experiment::new(raw).expect("a valid preset");
            let data = experiment.without_names();
            if let Some(other) = known.insert(experiment.key().bits(), data.clone()) {
                assert_eq!(other, data, "{}", experiment.raw.id);
            }
        }
        assert!(known.len() > 20, "{} keys", known.len());
    }

    #[test]
    fn ignores_spellings_and_names_that_change_no_run() {
        let raw = preset(ID);
        let key = key_of(&raw);
        let mut other = written_out(&raw);
        other.id = "mine".to_string();
        other.title = "Mine".to_string();
        other.machine["id"] = json!("mine");
        other.machine["title"] = json!("Mine");
        other.workload["about"] = json!("Mine.");
        other.length = "100000us".to_string();
        other.interventions[0].at = "1000us".to_string();
        other
            .tunables
            .insert("vm.min_free_kbytes".into(), " 128".into());
        other.tunables.insert("vm.swappiness".into(), "60".into());
        assert_eq!(key_of(&other), key);
        // A tunable set by the machine counts like the same tunable set by the experiment.
        let moved = std::mem::take(&mut other.tunables);
        other.machine["tunables"] = json!(moved);
        assert_eq!(key_of(&other), key);
    }

    #[test]
    fn changes_with_each_field_that_influences_the_run() {
        let raw = written_out(&preset(ID));
        let changes: [(&str, Change); 12] = [
            ("none", |_| ()),
            ("kernel", |raw| raw.kernel = "6.12".to_string()),
            ("seed", |raw| raw.seed += 1),
            ("length", |raw| raw.length = "100000001ns".to_string()),
            ("tunable", |raw| {
                raw.tunables.insert("vm.swappiness".into(), "61".into());
            }),
            ("hz", |raw| raw.machine["hz"] = json!(1000)),
            ("pcp", |raw| {
                raw.machine["pcp"] = json!(raw.machine["pcp"] == false)
            }),
            ("cpus", |raw| raw.machine["nodes"][0]["cpus"] = json!(7)),
            ("count", |raw| {
                raw.workload["processes"][0]["count"] = json!(9)
            }),
            ("act", |raw| drop(raw.interventions.pop())),
            ("time of an act", |raw| {
                raw.interventions[0].at = "1001us".to_string();
            }),
            ("a file", |raw| {
                raw.workload["files"] = json!([{ "name": "more", "size": 4 }]);
            }),
        ];
        let mut seen: Vec<(u64, &str)> = Vec::new();
        for (what, change) in changes {
            let mut other = raw.clone();
            change(&mut other);
            let key = key_of(&other).bits();
            let same = seen.iter().find(|(known, _)| *known == key);
            assert_eq!(same, None, "{what}");
            seen.push((key, what));
        }
    }

    #[test]
    fn counts_patches_whatever_their_order() {
        let patched = |patches: &[&str]| {
            let mut raw = preset("stress-highalloc.teach");
            raw.kernel = "2.6.37".to_string();
            raw.patches = patches.iter().map(ToString::to_string).collect();
            Experiment::new(raw).map(|e| e.key())
        };
        let ids: Vec<&str> = crate::kernel::patches::patches()
            .iter()
            .map(|p| p.id)
            .collect();
        let plain = patched(&[]).expect("valid");
        let alone: Vec<&str> = ids
            .into_iter()
            .filter(|&id| patched(&[id]).is_ok())
            .collect();
        let (a, b) = (alone[0], alone[1]);
        assert_ne!(patched(&[a]), Ok(plain));
        assert_ne!(patched(&[a]), patched(&[b]));
        assert_eq!(patched(&[a, b]), patched(&[b, a]));
    }

    /// A key is stored with results: it must not change by accident.
    #[test]
    fn is_written_as_sixteen_digits_that_do_not_change() {
        assert_eq!(Key(0xab).to_string(), "00000000000000ab");
        let key = key_of(&preset("first-touch.teach"));
        assert_eq!(key.to_string(), "2cef78a756f43875");
    }
}
