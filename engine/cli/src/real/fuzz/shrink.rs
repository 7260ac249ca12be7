//! Smaller experiments: fewer processes, fewer operations, fewer pages.

use serde_json::{Value, json};

/// The experiments that are one step smaller, the boldest steps first.
pub fn smaller(raw: &Value) -> Vec<Value> {
    let mut out = Vec::new();
    let processes = raw["workload"]["processes"].as_array().map_or(0, Vec::len);
    for i in (0..processes).rev().filter(|_| processes > 1) {
        out.push(changed(raw, |workload| {
            remove(&mut workload["processes"], i);
        }));
    }
    for i in 0..processes {
        let program = &raw["workload"]["processes"][i]["program"];
        let steps = program.as_array().map_or(0, Vec::len);
        for step in (0..steps).rev().filter(|_| steps > 1) {
            out.push(changed(raw, |workload| {
                remove(&mut workload["processes"][i]["program"], step);
            }));
        }
    }
    out.push(changed(raw, halve));
    out.push(changed(raw, once));
    if raw["tunables"].as_object().is_some_and(|all| all.len() > 1) {
        let mut fewer = raw.clone();
        let needed = ["transparent_hugepage", "lru_gen.enabled"];
        if let Some(all) = fewer["tunables"].as_object_mut() {
            all.retain(|name, _| needed.contains(&name.as_str()));
        }
        out.push(fewer);
    }
    out.retain(|smaller| smaller != raw);
    out
}

fn changed(raw: &Value, change: impl FnOnce(&mut Value)) -> Value {
    let mut raw = raw.clone();
    change(&mut raw["workload"]);
    drop_unused_files(&mut raw["workload"]);
    raw
}

fn remove(list: &mut Value, place: usize) {
    if let Some(list) = list.as_array_mut() {
        list.remove(place);
    }
}

/// Removes files that no operation names.
fn drop_unused_files(workload: &mut Value) {
    let used = workload["processes"].to_string();
    if let Some(files) = workload["files"].as_array_mut() {
        files.retain(|file| used.contains(&file["name"].to_string()));
    }
}

/// All sizes are half as large.
fn halve(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, field) in map.iter_mut() {
                match field.as_u64() {
                    Some(pages) if name == "size" => *field = json!((pages / 2).max(16)),
                    _ => halve(field),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(halve),
        _ => {}
    }
}

/// All loops run once.
fn once(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, field) in map.iter_mut() {
                match field.is_u64() && name == "times" {
                    true => *field = json!(1),
                    false => once(field),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(once),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::fuzz::draw;

    /// Operations and pages of an experiment.
    fn weight(raw: &Value) -> u64 {
        let text = raw.to_string();
        let numbers = text.split(|c: char| !c.is_ascii_digit());
        text.len() as u64 + numbers.filter_map(|n| n.parse::<u64>().ok()).sum::<u64>()
    }

    #[test]
    fn ends_at_an_experiment_that_cannot_be_made_smaller() {
        let raw = draw::experiment(7, "6.1").expect("a draw");
        let mut raw = serde_json::to_value(raw).expect("JSON");
        let mut steps = 0;
        while let Some(next) = smaller(&raw).into_iter().next() {
            assert!(weight(&next) < weight(&raw), "{next}");
            raw = next;
            steps += 1;
            assert!(steps < 1000, "it never ends");
        }
        assert_eq!(
            raw["workload"]["processes"].as_array().map(Vec::len),
            Some(1)
        );
    }

    #[test]
    fn removes_unused_files() {
        let raw = json!({"workload": {
            "files": [{"name": "a", "size": 100}, {"name": "b", "size": 100}],
            "processes": [
                {"name": "x", "program": [{"op": "read", "file": "a"}]},
                {"name": "y", "program": [{"op": "read", "file": "b"}]}]}});
        let first = &smaller(&raw)[0];
        assert_eq!(
            first["workload"]["files"],
            json!([{"name": "a", "size": 100}])
        );
    }
}
