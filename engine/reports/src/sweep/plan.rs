//! The plan of a sweep: every combination of its axes, checked before the first run.

use std::collections::BTreeMap;

use mm::experiment::Key;
use mm::read::MOST_REFUSALS;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::axes;
use super::file::Sweep;
use super::line::{Line, ran, result};
use super::{Outcome, Refused, bad};

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Job {
    /// The experiment's key.
    #[serde(serialize_with = "as_text")]
    pub key: Key,
    /// The values of the axes: the first combination that gives this experiment.
    pub axes: Map<String, Value>,
    /// The other combinations that give it.
    pub same: Vec<Map<String, Value>>,
}

fn as_text<S: Serializer>(key: &Key, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(key)
}

/// A shard of a sweep: the runs whose key has this remainder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    number: u64,
    of: u64,
}

impl Shard {
    /// The only shard.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// Reads "2/8".
    ///
    /// # Errors
    /// A text that is not a shard.
    pub fn parse(text: &str) -> Outcome<Shard> {
        let parts = text.split_once('/');
        let parts = parts.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Shard { number, of }),
            _ => Err(bad(format!(
                "--shard {text}: write I/N with I from 1 to N, such as 2/8"
            ))),
        }
    }

    /// The name of its file of results.
    pub fn file_name(self) -> String {
        format!("{}-of-{}.jsonl", self.number, self.of)
    }

    /// Does a run belong to this shard?
    pub fn has(self, job: &Job) -> bool {
        job.key.bits() % self.of == self.number - 1
    }
}

/// Checks every combination, and returns each experiment once.
///
/// # Errors
/// Every error, with the combination and the path; if there are very many, only the first ones.
pub fn plan(sweep: &Sweep) -> Outcome<Vec<Job>> {
    let mut jobs: Vec<Job> = Vec::new();
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    let mut refusals: Vec<String> = Vec::new();
    for axes in axes::product(&sweep.axes) {
        match sweep.at(&axes) {
            Ok(experiment) => {
                let key = experiment.key();
                if let Some(&place) = places.get(&key) {
                    jobs[place].same.push(axes);
                    continue;
                }
                places.insert(key, jobs.len());
                let same = Vec::new();
                jobs.push(Job { key, axes, same });
            }
            Err(Refused(lines)) => refusals.extend(lines),
        }
    }
    if refusals.is_empty() {
        return Ok(jobs);
    }
    let more = refusals.len().saturating_sub(MOST_REFUSALS);
    refusals.truncate(MOST_REFUSALS);
    if more > 0 {
        refusals.push(format!("and {more} more"));
    }
    Err(Refused(refusals))
}

/// Runs a job.
///
/// # Errors
/// No error after the plan was checked.
pub fn run(sweep: &Sweep, job: &Job) -> Outcome<Line> {
    let experiment = sweep.at(&job.axes)?;
    let machine = ran(&experiment, u64::MAX);
    Ok(Line {
        key: job.key.to_string(),
        axes: job.axes.clone(),
        same: job.same.clone(),
        result: result(&machine, sweep.figures.as_deref()),
        experiment: sweep.base.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_examples_of_the_documentation() {
        let page = include_str!("../../../../docs/sweeps.md");
        let (_, example) = page.split_once("\n    {\n").expect("an example");
        let (example, _) = example.split_once("\n    }\n").expect("its end");
        let page = format!("{{{example}}}");
        let file = include_str!("../../../../recipes/sweep.json");
        for (name, text, runs) in [("the page", page.as_str(), 96), ("the file", file, 96)] {
            let sweep = Sweep::parse(name, text).expect(name);
            assert_eq!(plan(&sweep).expect(name).len(), runs, "{name}");
        }
    }

    #[test]
    fn reads_shards_and_gives_each_run_to_one_of_them() {
        for text in ["", "1", "0/1", "2/1", "1/0", "a/b", "-1/2", "1/2/3"] {
            assert!(Shard::parse(text).is_err(), "{text}");
        }
        let text =
            r#"{ "experiment": "first-touch.teach", "axes": { "seed": { "from": 1, "to": 60 } } }"#;
        let jobs = plan(&Sweep::parse("f", text).expect("a sweep")).expect("a plan");
        let shards = ["1/3", "2/3", "3/3"].map(|text| Shard::parse(text).expect(text));
        assert!(
            jobs.iter()
                .all(|job| shards.iter().filter(|s| s.has(job)).count() == 1)
        );
        assert!(
            shards
                .iter()
                .all(|shard| jobs.iter().any(|job| shard.has(job)))
        );
        assert_eq!(shards[1].file_name(), "2-of-3.jsonl");
    }
}
