//! A trace of events that the page collected earlier.
//!
//! Modelled: nothing; reads a list of events and prints it. Left out: a machine. Invariants: an
//! error names the field that is not a list of events; lines are in order of time.

use mm::kernel;
use mm::read;
use mm::record::{ALL, NAMES, TEXTS};
use serde_json::Value;

use super::{Dialect, Line, Printer};

/// The lines of a trace file in the print format of a kernel, which is given by its id. `events` is JSON:
/// `{ "about", "zone_types", "pageblock_order", "events" }`. Each event is a list of its name, time in ns,
/// CPU, task's name, process id and its fields, as in [`Line`]. `"for_scripts": true` prints them as
/// [`Dialect::for_scripts`] describes.
///
/// # Errors
/// A message about the error in the text.
pub fn print(kernel: &str, events: &str) -> Result<String, String> {
    let found = kernel::find(kernel).ok_or_else(|| format!("no kernel is called '{kernel}'"))?;
    let value = read::parse(events).map_err(|e| format!("not JSON: {e}"))?;
    let types = list(&value, "zone_types")?.iter().map(Value::as_str);
    let types: Option<Vec<String>> = types.map(|name| name.map(str::to_string)).collect();
    let types = types.ok_or("zone_types: expected a list of names")?;
    let order = value.get("pageblock_order").and_then(number);
    let order = order.ok_or("pageblock_order: missing")? as u32;
    let about = value.get("about").and_then(Value::as_str).unwrap_or("");
    let mut lines = Vec::new();
    for (i, event) in list(&value, "events")?.iter().enumerate() {
        lines.push(line(event).ok_or_else(|| format!("events[{i}]: not an event"))?);
    }
    // A run continues on the CPU whose clock is behind; a trace file has the events of all CPUs in order of time.
    lines.sort_by_key(|line| line.time_ns);
    let mut dialect = Dialect::of(&found.features, types, order);
    if let Some(Value::Bool(true)) = value.get("for_scripts") {
        dialect = dialect.for_scripts();
    }
    let mut printer = Printer::new(dialect);
    let mut out = printer.header(about);
    for line in &lines {
        printer.line(line, &mut out);
    }
    Ok(out)
}

fn list<'a>(value: &'a Value, name: &str) -> Result<&'a [Value], String> {
    match value.get(name) {
        Some(Value::Array(list)) => Ok(list),
        _ => Err(format!("{name}: a list is missing")),
    }
}

fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(n) => n.as_u64(),
        _ => None,
    }
}

fn line(value: &Value) -> Option<Line> {
    let Value::Array(fields) = value else {
        return None;
    };
    let [name, time, cpu, task, pid, numbers @ ..] = fields.as_slice() else {
        return None;
    };
    let name = name.as_str()?;
    let place = TEXTS.iter().position(|text| text.name == name)?;
    let kind = *ALL.get(place).filter(|kind| !kind.is_decision())?;
    let values: Option<Vec<i64>> = numbers.iter().map(Value::as_i64).collect();
    Some(Line {
        time_ns: number(time)?,
        cpu: number(cpu)?,
        task: task.as_str()?.to_string(),
        pid: number(pid)?,
        kind,
        values: values.filter(|values| values.len() == NAMES[place].len())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_events_in_order_of_time() {
        let text = r#"{ "about": "a test", "zone_types": ["DMA", "DMA32", "Normal"],
            "pageblock_order": 9, "events": [
            ["mm_vmscan_wakeup_kswapd", 41956, 0, "say \"hi\", twice/1", 1001, 0, 2, 3, 6155],
            ["mm_vmscan_kswapd_wake", 12340, 3, "kswapd0", 1002, 0, 1]] }"#;
        let old = print("3.0", text).expect("a trace");
        let lines: Vec<&str> = old.lines().filter(|l| !l.starts_with('#')).collect();
        assert_eq!(
            lines,
            [
                "         kswapd0-1002  [003]     1.000012: mm_vmscan_kswapd_wake: nid=0 order=1",
                "  say-hi-twice-1-1001  [000]     1.000041: mm_vmscan_wakeup_kswapd: nid=0 zid=2 order=3",
            ]
        );
        let plain = |kernel: &str| {
            let text = text.replacen('{', r#"{ "for_scripts": true,"#, 1);
            let all = print(kernel, &text).expect("a trace");
            let lines = all.lines().filter(|l| !l.starts_with('#'));
            lines.map(str::to_string).collect::<Vec<_>>()
        };
        assert_eq!(plain("3.0"), lines);
        let new = print("6.1", text).expect("a trace");
        let last = new.lines().last().expect("a line");
        assert_eq!(
            plain("6.1").last(),
            Some(&last.replace("..... ", "")),
            "only the flags are left out"
        );
        assert_eq!(
            last,
            "  say-hi-twice-1-1001    [000] .....     1.000041: mm_vmscan_wakeup_kswapd: nid=0 order=3 gfp_flags=GFP_HIGHUSER_MOVABLE"
        );
    }

    #[test]
    fn refuses_a_text_that_is_not_a_trace() {
        let empty = r#"{ "zone_types": [], "pageblock_order": 9, "events": [] }"#;
        assert!(print("3.0", empty).is_ok());
        assert!(print("9.9", empty).is_err_and(|e| e.contains("9.9")));
        for (text, says) in [
            ("", "not JSON"),
            ("{}", "zone_types"),
            (r#"{ "zone_types": [1], "events": [] }"#, "names"),
            (r#"{ "zone_types": [], "events": [] }"#, "pageblock_order"),
            (
                r#"{ "zone_types": [], "pageblock_order": 9, "events": [["nothing", 1, 0, "", 1]] }"#,
                "events[0]",
            ),
        ] {
            assert!(
                print("3.0", text).is_err_and(|e| e.contains(says)),
                "{text}"
            );
        }
    }
}
