//! Shortens programs so that they end at the point where the time limit stopped them on the real
//! kernel. Both runs then do the same work.
//!
//! Modelled: operations inside nested loops; the last operation in part, if it has an amount. Left
//! out: processes with several tasks, processes that other processes start, timed loops, `sample`.
//! Invariants: a shortened program does at most the work of the whole program, in the same order; a
//! program that cannot be shortened stays unchanged, with a reason.

use serde_json::{Value, json};

use crate::reached::Reached;

/// The size of a sector, the unit in which the guest counts read and written data.
const SECTOR: u64 = 512;

/// Shortens the programs of the tasks that the time limit ended. After its last operation a task
/// waits until the time limit, and keeps its memory until then. Returns a sentence for each task.
pub fn shorten(processes: &mut [Value], reached: &[Reached], length_ms: u64) -> Vec<String> {
    let all: Vec<&Value> = processes.iter().collect();
    let started = started(&all);
    let mut notes = Vec::new();
    for process in processes {
        let name = process["name"].as_str().unwrap_or_default().to_string();
        let is_own = |place: &&Reached| {
            let of = place.task.rsplit_once('/');
            of.is_some_and(|(of, _)| of == name)
        };
        let Some(place) = reached.iter().find(is_own) else {
            continue;
        };
        let shortened = if started.contains(&name) {
            Err("another process starts it")
        } else if process.get("count").and_then(Value::as_u64).unwrap_or(1) != 1 {
            Err("it has several tasks")
        } else {
            let steps = process["program"].as_array().cloned().unwrap_or_default();
            up_to(&steps, 0, place, place.round)
        };
        let task = &place.task;
        match shortened {
            Ok(mut steps) => {
                steps.push(json!({"op": "think", "time": format!("{}ms", length_ms.max(1))}));
                process["program"] = json!(steps);
                notes.push(told(place));
            }
            Err(why) => notes.push(format!(
                "{task} does as much as the time allows, not as much as on the real kernel: {why}"
            )),
        }
    }
    notes
}

/// The processes that other processes start, as children or as threads.
fn started(processes: &[&Value]) -> Vec<String> {
    fn of_steps(steps: &Value, found: &mut Vec<String>) {
        for step in steps.as_array().into_iter().flatten() {
            let starts = step["op"] == "threads" || step["op"] == "spawn";
            if let (true, Some(name)) = (starts, step["process"].as_str()) {
                found.push(name.to_string());
            }
            of_steps(&step["do"], found);
        }
    }
    let mut found = Vec::new();
    for process in processes {
        of_steps(&process["program"], &mut found);
    }
    found
}

/// The result of shortening a task's program.
fn told(place: &Reached) -> String {
    let Reached {
        task,
        pc,
        op,
        round,
        done,
    } = place;
    let round = round.saturating_add(1);
    let cut = match op.as_str() {
        "touch" => format!(", cut after {done} touches"),
        "access" => format!(", cut after {done} accesses"),
        "read" | "write" | "copy" => format!(", cut after {done} sectors"),
        "create" => format!(", cut after {done} files"),
        _ => String::new(),
    };
    format!(
        "{task} does as much as it did on the real kernel before the time limit: its last operation is {op} (number {pc}, round {round}){cut}"
    )
}

/// The number of operations that a step compiles to. A loop has one operation before its body and
/// one after it.
fn size(step: &Value) -> Result<u64, &'static str> {
    match (step["op"].as_str(), step["do"].as_array()) {
        (Some("repeat"), Some(body)) => Ok(2 + sizes(body)?),
        (Some("sample"), _) => Err("its program measures latencies"),
        _ => Ok(1),
    }
}

fn sizes(steps: &[Value]) -> Result<u64, &'static str> {
    steps.iter().map(size).sum()
}

/// The steps up to a position. The first step is operation `first` of the program, and the
/// operation at the position has been done `round` times since these steps began.
fn up_to(
    steps: &[Value],
    first: u64,
    place: &Reached,
    round: u64,
) -> Result<Vec<Value>, &'static str> {
    let mut at = first;
    for (i, step) in steps.iter().enumerate() {
        let end = at + size(step)?;
        if place.pc >= end {
            at = end;
            continue;
        }
        let mut done = steps[..i].to_vec();
        match step["do"].as_array() {
            Some(body) => done.extend(rounds(step, body, at, place, round)?),
            None if step["op"] != place.op.as_str() => {
                return Err("its operations do not fit the capture");
            }
            None => done.extend(part(step, place.done)),
        }
        return Ok(done);
    }
    Err("its program had ended")
}

/// The complete rounds of a loop, then the steps of the round that the end cut off.
fn rounds(
    step: &Value,
    body: &[Value],
    at: u64,
    place: &Reached,
    round: u64,
) -> Result<Vec<Value>, &'static str> {
    if place.op == "repeat" && place.pc == at {
        // The loop was about to start, or to start its next round.
        return Err("the end found it between two rounds");
    }
    let each = times_inside(body, at + 1, place.pc)?;
    let (complete, rest) = (round / each, round % each);
    let mut done = Vec::new();
    if complete > 0 {
        let mut whole = step.clone();
        if let Some(fields) = whole.as_object_mut() {
            fields.remove("for");
            fields.insert("times".into(), json!(complete));
        }
        done.push(whole);
    }
    if place.pc == at + 1 + sizes(body)? {
        return Err("the end found it between two rounds");
    }
    done.extend(up_to(body, at + 1, place, rest)?);
    Ok(done)
}

/// How often one round of these steps does an operation: the product of the counts of the enclosing
/// loops.
fn times_inside(steps: &[Value], first: u64, pc: u64) -> Result<u64, &'static str> {
    let mut at = first;
    for step in steps {
        let end = at + size(step)?;
        if (at..end).contains(&pc) {
            return match (step["do"].as_array(), step["times"].as_u64()) {
                (None, _) => Ok(1),
                (Some(body), Some(times)) if step["for"].is_null() => {
                    Ok(times.max(1).saturating_mul(times_inside(body, at + 1, pc)?))
                }
                (Some(_), _) => Err("a loop inside its loop ends by time"),
            };
        }
        at = end;
    }
    Ok(1)
}

/// The part of an operation that was done. An operation without an amount is done completely: the end of
/// the run may cut it off again.
fn part(step: &Value, done: u64) -> Option<Value> {
    let mut step = step.clone();
    let (field, amount) = match step["op"].as_str().unwrap_or_default() {
        "touch" if step["slice"] != true => ("pages", json!(done)),
        "access" => ("times", json!(done)),
        "create" => ("count", json!(done)),
        "read" | "write" | "copy" => ("size", json!(format!("{} B", done.saturating_mul(SECTOR)))),
        _ => return Some(step),
    };
    step[field] = amount;
    (done > 0).then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(pc: u64, op: &str, round: u64, done: u64) -> Reached {
        Reached {
            task: "a/1".to_string(),
            pc,
            op: op.to_string(),
            round,
            done,
        }
    }

    fn shortened(program: Value, place: Reached) -> (Value, Vec<String>) {
        let mut processes = [json!({"name": "a", "count": 1, "program": program})];
        let notes = shorten(&mut processes, &[place], 30_000);
        (processes[0]["program"].clone(), notes)
    }

    #[test]
    fn a_hog_touches_as_many_pages_as_on_the_real_kernel() {
        let touch = json!({"op": "touch", "region": "heap"});
        let program = json!([
            {"op": "map", "region": "heap", "size": 100},
            {"op": "repeat", "times": 1000, "do": [touch]},
        ]);
        let (program, notes) = shortened(program, place(2, "touch", 3, 40));
        let expected = json!([
            {"op": "map", "region": "heap", "size": 100},
            {"op": "repeat", "times": 3, "do": [touch]},
            {"op": "touch", "region": "heap", "pages": 40},
            {"op": "think", "time": "30000ms"},
        ]);
        assert_eq!(program, expected);
        assert_eq!(
            notes,
            [
                "a/1 does as much as it did on the real kernel before the time limit: its last operation is touch (number 2, round 4), cut after 40 touches"
            ]
        );
    }

    #[test]
    fn nested_loops_keep_their_complete_rounds() {
        // Operations: 0 loop, 1 stat, 2 loop, 3 read, 4 end, 5 end.
        let read = json!({"op": "read", "file": "f", "chunk": "4 KiB"});
        let inner = json!({"op": "repeat", "times": 5, "do": [read]});
        let stat = json!({"op": "stat", "file": "f"});
        let program = json!([{"op": "repeat", "for": "9s", "do": [stat, inner]}]);
        // 17 = 3 rounds of 5 reads, then 2 reads.
        let (program, _) = shortened(program, place(3, "read", 17, 24));
        let expected = json!([
            {"op": "repeat", "times": 3, "do": [stat, inner]},
            stat,
            {"op": "repeat", "times": 2, "do": [read]},
            {"op": "read", "file": "f", "chunk": "4 KiB", "size": "12288 B"},
            {"op": "think", "time": "30000ms"},
        ]);
        assert_eq!(program, expected);
    }

    #[test]
    fn keeps_an_operation_without_an_amount_and_removes_one_that_did_no_work() {
        let fsync = json!({"op": "fsync", "file": "f"});
        let write = json!({"op": "write", "file": "f"});
        let program = json!([write, fsync, write]);
        let wait = json!({"op": "think", "time": "30000ms"});
        let (whole, _) = shortened(program.clone(), place(1, "fsync", 0, 0));
        assert_eq!(whole, json!([write, fsync, wait]));
        let (nothing, _) = shortened(program, place(2, "write", 0, 0));
        assert_eq!(nothing, json!([write, fsync, wait]));
    }

    #[test]
    fn keeps_operations_that_cannot_be_shortened_and_gives_the_reason() {
        let read = json!({"op": "read", "file": "f"});
        let timed = json!([{"op": "repeat", "times": 2, "do": [
            {"op": "repeat", "for": "1s", "do": [read]},
        ]}]);
        let (kept, notes) = shortened(timed.clone(), place(2, "read", 9, 8));
        assert_eq!(kept, timed);
        assert!(
            notes[0].ends_with("a loop inside its loop ends by time"),
            "{notes:?}"
        );
        let (_, notes) = shortened(json!([read]), place(0, "touch", 0, 8));
        assert!(notes[0].ends_with("do not fit the capture"), "{notes:?}");
        let mut several = [json!({"name": "a", "count": 2, "program": [read]})];
        let notes = shorten(&mut several, &[place(0, "read", 0, 8)], 1);
        assert!(notes[0].ends_with("it has several tasks"), "{notes:?}");
    }
}
