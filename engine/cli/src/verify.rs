//! `mmscope verify`: runs the experiments of some results again, and compares.

use mm::experiment::{Experiment, Raw};
use mm::read;
use mm::view::Refusal;
use reports::sweep::{How, Line, changed, ran, result, start};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::args::Parsed;
use crate::failure::{Failure, Outcome, bad, refused, shown};
use crate::input::{read_text, source_name};
use crate::output::print;
use crate::runs;

/// A result to be repeated.
struct Claim {
    /// The location of the result, and the run's axes.
    name: String,
    /// The experiment, or the reason why this build cannot run it.
    experiment: Outcome<Experiment>,
    /// The experiment's key, if it is known.
    key: Option<String>,
    /// The number of steps after which the run stops.
    until: u64,
    engine: String,
    hash: String,
    steps: u64,
    seconds: f64,
    /// The reason why the run ended; a report says only whether it ended.
    ended: Option<How>,
    figures: Map<String, Value>,
}

/// The report of a run, as `run --report json` prints it.
#[derive(Deserialize)]
struct Report {
    version: String,
    experiment: Value,
    position: Position,
    panic: Option<String>,
    hash: String,
    counters: Map<String, Value>,
    rows: Vec<ReportedRow>,
}

/// A moment that the page saved, which can carry the result of its run.
#[derive(Deserialize)]
struct Moment {
    experiment: Value,
    result: Option<MomentResult>,
}

#[derive(Deserialize)]
struct MomentResult {
    step: u64,
    time_ns: u64,
    hash: String,
    engine: String,
    ended: bool,
    #[serde(default)]
    figures: Vec<(String, Value)>,
}

#[derive(Deserialize)]
struct Position {
    step: u64,
    time_ns: u64,
    ended: bool,
}

#[derive(Deserialize)]
struct ReportedRow {
    metric: String,
    value: Value,
}

/// Repeats the runs of a file.
///
/// # Errors
/// The file has no results, or results differ.
pub fn verify(parsed: &Parsed) -> Outcome<()> {
    let Some(path) = parsed.operand() else {
        return Err(bad(
            "which FILE? Lines of sweep, a report of run --report json, or a result saved by the page",
        ));
    };
    let claims = claims(source_name(path), &read_text(path)?)?;
    let found = runs::all(&claims, differences);
    let mut text = String::new();
    let mut reproduced = 0;
    for (claim, found) in claims.iter().zip(found) {
        let own = claim.engine == mm::VERSION;
        let engine = format!("engine {}, here {}", claim.engine, mm::VERSION);
        let verdict = match (found.is_empty(), own) {
            (true, true) => "reproduced".to_string(),
            (true, false) => format!("reproduced ({engine})"),
            (false, true) => format!("differs: {}", found.join("; ")),
            (false, false) => format!("differs: {engine}; {}", found.join("; ")),
        };
        reproduced += usize::from(found.is_empty());
        text.push_str(&shown(&format!("{}: {verdict}", claim.name)));
        text.push('\n');
    }
    text.push_str(&format!(
        "{reproduced} of {} runs reproduced\n",
        claims.len()
    ));
    print(&text)?;
    if reproduced == claims.len() {
        Ok(())
    } else {
        Err(Failure::Differs)
    }
}

/// The results in a file: JSON lines, a list of them, or one report.
fn claims(name: &str, text: &str) -> Outcome<Vec<Claim>> {
    let text = match page_data(text) {
        Some(Some(data)) => data,
        Some(None) => {
            return Err(bad(format!(
                "{name}: this page contains no results of mmscope"
            )));
        }
        None => text,
    };
    let claims: Vec<Claim> = match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(items)) => {
            let each = items.into_iter().enumerate();
            each.map(|(i, item)| claim(&format!("{name}: [{i}]"), item))
                .collect::<Outcome<_>>()?
        }
        Ok(one) => vec![claim(name, one)?],
        Err(whole) => lines(name, text, &whole)?,
    };
    if claims.is_empty() {
        return Err(bad(format!("{name}: no results of runs")));
    }
    Ok(claims)
}

/// The results inside a page that mmscope saved; `None` if the text is not a page.
fn page_data(text: &str) -> Option<Option<&str>> {
    if !text.trim_start().starts_with('<') {
        return None;
    }
    let data = || {
        let (_, data) = text.split_once(r#"id="mmscope-result">"#)?;
        Some(data.split_once("</script>")?.0)
    };
    Some(data())
}

fn lines(name: &str, text: &str, whole: &serde_json::Error) -> Outcome<Vec<Claim>> {
    let lines = (1..)
        .zip(text.lines())
        .filter(|(_, l)| !l.trim().is_empty());
    lines
        .map(|(number, line)| {
            let name = format!("{name}: line {number}");
            let value = serde_json::from_str(line).map_err(|e| {
                let is_one = number == 1;
                bad(format!(
                    "{name}: not JSON: {}",
                    if is_one { whole } else { &e }
                ))
            })?;
            claim(&name, value)
        })
        .collect()
}

fn claim(name: &str, value: Value) -> Outcome<Claim> {
    let wrong = |what: &str, e: &serde_json::Error| bad(format!("{name}: not {what}: {e}"));
    if value.get("format").and_then(Value::as_str) == Some("mmscope moment") {
        let moment: Moment =
            serde_json::from_value(value).map_err(|e| wrong("a moment of the page", &e))?;
        return of_moment(name, moment);
    }
    if value.get("position").is_some() {
        let report = serde_json::from_value(value);
        return report
            .map(|report| of_report(name, report))
            .map_err(|e| wrong("a report of run --report json", &e));
    }
    let line = serde_json::from_value(value);
    line.map(|line| of_line(name, line))
        .map_err(|e| wrong("a line of sweep", &e))
}

fn of_line(name: &str, line: Line) -> Claim {
    let Line {
        key, axes, result, ..
    } = line;
    Claim {
        name: format!("{name}: {key}"),
        experiment: start("the line", &line.experiment)
            .and_then(|value| changed("the line", value, &axes))
            .map_err(Failure::from),
        key: Some(key),
        until: if result.ended == How::Stopped {
            result.steps
        } else {
            u64::MAX
        },
        engine: result.engine,
        hash: result.hash,
        steps: result.steps,
        seconds: result.seconds,
        ended: Some(result.ended),
        figures: result.figures,
    }
}

fn of_moment(name: &str, moment: Moment) -> Outcome<Claim> {
    let Some(result) = moment.result else {
        return Err(bad(format!(
            "{name}: this moment carries no result. Add one in the dialog Share, then save the file again"
        )));
    };
    Ok(of_report(
        name,
        Report {
            version: result.engine,
            experiment: moment.experiment,
            position: Position {
                step: result.step,
                time_ns: result.time_ns,
                ended: result.ended,
            },
            panic: None,
            hash: result.hash,
            counters: result.figures.into_iter().collect(),
            rows: Vec::new(),
        },
    ))
}

fn of_report(name: &str, report: Report) -> Claim {
    let Position {
        step,
        time_ns,
        ended,
    } = report.position;
    let refuse = |found: Vec<Refusal>| refused("the report", &found);
    let raw = read::read::<Raw>(report.experiment, "").map_err(refuse);
    let mut figures = report.counters;
    figures.extend(report.rows.into_iter().map(|row| (row.metric, row.value)));
    Claim {
        name: name.to_string(),
        experiment: raw.and_then(|raw| Experiment::new(raw).map_err(refuse)),
        key: None,
        until: if ended { u64::MAX } else { step },
        engine: report.version,
        hash: report.hash,
        steps: step,
        seconds: time_ns as f64 / 1e9,
        ended: match (report.panic, ended) {
            (Some(_), _) => Some(How::Panic),
            (None, false) => Some(How::Stopped),
            (None, true) => None,
        },
        figures,
    }
}

/// The differences when the run is repeated; empty if the run is reproduced.
fn differences(claim: &Claim) -> Vec<String> {
    let experiment = match &claim.experiment {
        Ok(experiment) => experiment,
        Err(Failure::Bad(reason)) => return vec![format!("cannot run here: {reason}")],
        Err(_) => return vec!["cannot run here".to_string()],
    };
    let mut found = Vec::new();
    let mut differ = |what: &str, told: String, here: String| {
        if told != here {
            found.push(format!("{what} {told}, here {here}"));
        }
    };
    if let Some(key) = &claim.key {
        differ("key", key.clone(), experiment.key().to_string());
    }
    let machine = ran(experiment, claim.until);
    let names: Vec<String> = claim.figures.keys().cloned().collect();
    let here = result(&machine, Some(&names));
    differ("hash", claim.hash.clone(), here.hash);
    differ("steps", claim.steps.to_string(), here.steps.to_string());
    differ(
        "seconds",
        claim.seconds.to_string(),
        here.seconds.to_string(),
    );
    if let Some(ended) = claim.ended {
        differ(
            "ended",
            ended.word().to_string(),
            here.ended.word().to_string(),
        );
    }
    for (name, told) in &claim.figures {
        let now = here.figures.get(name).unwrap_or(&Value::Null);
        if !is_same(told, now) {
            differ(name, told.to_string(), now.to_string());
        }
    }
    found
}

/// Are two values equal? 10 and 10.0 are, since other programs rewrite numbers.
fn is_same(a: &Value, b: &Value) -> bool {
    a == b || (a.is_number() && a.as_f64() == b.as_f64())
}
