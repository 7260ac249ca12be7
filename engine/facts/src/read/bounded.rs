//! Keeps refusals short, however long the text is.
//!
//! Modelled: the number of refusals, and the length of each.
//! Left out: the reasons themselves.
//! Invariants: text within the limits is unchanged. Other text gets a note that says how much was omitted.

use crate::view::Refusal;

/// The maximum number of refusals of one text. Nobody fixes more of them at one time.
pub const MOST_REFUSALS: usize = 100;
/// The maximum length of a path in characters: about thirty nested fields.
const MAX_PATH: usize = 600;
/// The maximum length of a reason in characters: the longest list of known names has about half as many.
const MAX_REASON: usize = 2000;
/// The maximum number of characters without a space in a reason: names and numbers are shorter.
const MAX_WORD: usize = 120;

/// The first refusals, each of limited length. If there are more, a last one says so.
pub fn bounded(refusals: Vec<Refusal>) -> Vec<Refusal> {
    let has_more = refusals.len() > MOST_REFUSALS;
    let first = refusals.into_iter().take(MOST_REFUSALS);
    let mut out: Vec<Refusal> = first
        .map(|Refusal { path, reason }| Refusal {
            path: shortened(path, MAX_PATH),
            reason: shortened(with_short_words(reason), MAX_REASON),
        })
        .collect();
    if has_more {
        out.push(Refusal {
            path: String::new(),
            reason: format!("only the first {MOST_REFUSALS} refusals are listed; there are more"),
        });
    }
    out
}

fn with_short_words(text: String) -> String {
    if text.len() <= MAX_WORD {
        return text;
    }
    let words = text.split(' ');
    let short: Vec<String> = words.map(|w| shortened(w.to_string(), MAX_WORD)).collect();
    short.join(" ")
}

/// A text, without its middle part if it has more characters than `most`.
fn shortened(text: String, most: usize) -> String {
    // Characters are counted only if there may be too many, because a text never has fewer bytes than
    // characters.
    let length = if text.len() > most {
        text.chars().count()
    } else {
        0
    };
    if length <= most {
        return text;
    }
    let half = most / 2;
    let begin: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(length - half).collect();
    let left_out = length - 2 * half;
    format!("{begin}… ({left_out} characters left out) …{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Experiment, MAX_JSON, Raw, presets, workloads};
    use crate::read::{parse, read, written};
    use crate::workload::Workload;
    use serde_json::{Value, json};

    fn refusal(path: &str, reason: &str) -> Refusal {
        Refusal {
            path: path.to_string(),
            reason: reason.to_string(),
        }
    }

    #[test]
    fn leaves_refusals_that_fit_unchanged() {
        let known = "a-name-of-24-characters, ".repeat(60);
        let fits = vec![refusal("machine.nodes[0]", &known); MOST_REFUSALS];
        assert_eq!(bounded(fits.clone()), fits);
    }

    #[test]
    fn says_how_many_characters_of_a_long_refusal_are_omitted() {
        let digits = "9".repeat(5000);
        let reason = format!("'{digits}' is not a duration: write 10s");
        let out = bounded(vec![refusal(&digits, &reason)]);
        assert!(out[0].path.contains("(4400 characters left out)"));
        assert!(out[0].reason.starts_with("'999"));
        assert!(out[0].reason.contains("(4882 characters left out)"));
        assert!(out[0].reason.ends_with("9' is not a duration: write 10s"));
        // Characters of several bytes are not split.
        let out = bounded(vec![refusal("", &"ä ".repeat(5000))]);
        assert!(out[0].reason.chars().count() < MAX_REASON + 60);
    }

    #[test]
    fn omits_all_refusals_after_the_first_hundred() {
        let out = bounded(vec![refusal("a", "b"); 5000]);
        assert_eq!(out.len(), MOST_REFUSALS + 1);
        assert!(out[MOST_REFUSALS].reason.contains("there are more"));
    }

    /// The pointers of all values inside a JSON value.
    fn places(value: &Value, at: &str, out: &mut Vec<String>) {
        out.push(at.to_string());
        match value {
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    places(item, &format!("{at}/{i}"), out);
                }
            }
            Value::Object(fields) => {
                for (name, field) in fields {
                    places(field, &format!("{at}/{}", name.replace('/', "~1")), out);
                }
            }
            _ => {}
        }
    }

    /// Variants of the value that are much too large.
    fn blown_up(value: &Value) -> Vec<Value> {
        const N: usize = 1 << 14;
        match value {
            Value::Array(items) => {
                let own = items.first().cloned().unwrap_or(json!("x"));
                let many = N / (written(&own).len() + 1);
                vec![json!(vec![1; N / 2]), json!(vec![own; many])]
            }
            Value::Object(fields) => {
                let mut keys = fields.clone();
                keys.extend((0..N / 16).map(|i| (format!("key {i}"), json!("1"))));
                let mut long = fields.clone();
                long.insert("k".repeat(N / 2), json!(vec![0; N / 8]));
                vec![keys.into(), long.into()]
            }
            _ => vec![json!("1".repeat(N)), json!("a/1 ".repeat(N / 4))],
        }
    }

    #[test]
    fn keeps_the_refusal_short_for_any_overlong_part_of_an_experiment() {
        let has = |w: &Workload, op: &str| written(w).contains(op);
        let workload = workloads().into_iter().find(|w| has(w, "\"repeat\""));
        let mut raw = presets().remove(0);
        raw.workload = serde_json::to_value(workload).expect("plain data");
        raw.patches = vec!["a".to_string()];
        let machine = crate::profile::profiles().remove(0);
        raw.machine = serde_json::to_value(&machine).expect("plain data");
        let whole: Value = serde_json::to_value(&raw).expect("plain data");
        let mut at = Vec::new();
        places(&whole, "", &mut at);
        assert!(at.len() > 60);
        for place in at {
            for other in blown_up(whole.pointer(&place).expect("it is there")) {
                let mut changed = whole.clone();
                *changed.pointer_mut(&place).expect("it is there") = other;
                let text = written(&changed);
                assert!(text.len() <= MAX_JSON);
                let Err(refusals) = Experiment::from_json(&text) else {
                    continue;
                };
                let said = written(&refusals).len();
                assert!(said < 300_000, "{place}: {said} bytes");
                assert!(refusals.len() <= MOST_REFUSALS + 1);
            }
        }
    }

    #[test]
    fn stops_reading_at_the_maximum_number_of_refusals() {
        let value = parse(&format!("[{}1]", "1,".repeat(100_000))).expect("JSON");
        let refusals = read::<Vec<String>>(value, "").expect_err("numbers are no texts");
        // One refusal beyond the limit shows that there are more.
        assert_eq!(refusals.len(), MOST_REFUSALS + 1);
        let wrong = r#"{"seed": -1, "length": 5}"#;
        assert!(Raw::from_json(wrong).expect_err("refusals").len() > 2);
    }
}
