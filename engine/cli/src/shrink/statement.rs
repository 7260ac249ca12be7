//! Statements about runs: `allocstall > 0 in A and = 0 in B`.
//!
//! A statement is one or more comparisons, joined by `and`: a counter, an operator, a number, and optionally
//! `in` and a kernel. A comparison without a counter is about the counter before it. Without a kernel it is
//! about the experiment's own.

use std::collections::BTreeMap;

use mm::experiment::{Experiment, Raw};
use mm::machine::Machine;
use mm::proc::{self, File};

use crate::args::nearest;
use crate::failure::{Failure, Outcome, bad, refused, shown};

/// Steps between two checks of the stop.
const CHUNK: u64 = 1_000_000;

/// A comparison of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compare {
    More,
    AtLeast,
    Equal,
    Unequal,
    AtMost,
    Less,
}

/// The operators. Those of two letters come first, because the others begin them.
const OPERATORS: [(&str, Compare); 7] = [
    (">=", Compare::AtLeast),
    ("<=", Compare::AtMost),
    ("!=", Compare::Unequal),
    ("==", Compare::Equal),
    (">", Compare::More),
    ("<", Compare::Less),
    ("=", Compare::Equal),
];

impl Compare {
    fn holds(self, value: u64, number: u64) -> bool {
        match self {
            Compare::More => value > number,
            Compare::AtLeast => value >= number,
            Compare::Equal => value == number,
            Compare::Unequal => value != number,
            Compare::AtMost => value <= number,
            Compare::Less => value < number,
        }
    }
}

/// A kernel to run on: the experiment's or another one, with further patches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Side {
    kernel: Option<String>,
    patches: Vec<String>,
}

impl Side {
    /// `3.0`, `3.0+patch+patch`, or `+patch` for the experiment's own kernel with a patch.
    fn parse(text: &str) -> Side {
        let mut parts = text.split('+').map(str::to_string);
        let kernel = parts.next().filter(|kernel| !kernel.is_empty());
        let patches = parts.filter(|patch| !patch.is_empty()).collect();
        Side { kernel, patches }
    }

    fn of(&self, raw: &Raw) -> Raw {
        let mut raw = raw.clone();
        if let Some(kernel) = &self.kernel {
            raw.kernel.clone_from(kernel);
        }
        for patch in &self.patches {
            if !raw.patches.contains(patch) {
                raw.patches.push(patch.clone());
            }
        }
        raw
    }

    fn name(&self, raw: &Raw) -> String {
        let raw = self.of(raw);
        let patches = raw.patches.iter().map(|patch| format!("+{patch}"));
        raw.kernel.clone() + &patches.collect::<String>()
    }
}

/// One comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Clause {
    counter: String,
    /// Where it stands, in characters from 0.
    at: usize,
    compare: Compare,
    number: u64,
    /// Index in the statement's sides.
    side: usize,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    text: String,
    clauses: Vec<Clause>,
    sides: Vec<Side>,
}

/// What a counter of the statement is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// Its name.
    pub counter: String,
    /// The kernel and its patches.
    pub kernel: String,
    /// Its value at the end of the run.
    pub value: u64,
}

/// The values of all counters of a statement, in its order.
pub type Answer = Vec<Figure>;

/// The words of a statement, with their places.
struct Words<'a> {
    text: &'a str,
    words: std::iter::Peekable<std::vec::IntoIter<(usize, &'a str)>>,
}

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Words<'a> {
        let is_operator = |c: char| "<>=!".contains(c);
        let mut words = Vec::new();
        let mut rest = text.char_indices().peekable();
        while let Some((start, first)) = rest.next() {
            if first.is_whitespace() {
                continue;
            }
            let mut end = start + first.len_utf8();
            while let Some((at, c)) =
                rest.next_if(|&(_, c)| !c.is_whitespace() && is_operator(c) == is_operator(first))
            {
                end = at + c.len_utf8();
            }
            words.push((start, &text[start..end]));
        }
        let words = words.into_iter().peekable();
        Words { text, words }
    }

    /// Refuses what stands at the next word.
    fn expected(&mut self, what: &str) -> Failure {
        let (at, found) = match self.words.peek() {
            Some(&(at, word)) => (at, format!("not {word:?}")),
            None => (self.text.len(), "but the statement ends".to_string()),
        };
        fault(self.text, at, &format!("{what} is expected, {found}"))
    }
}

/// A fault at a place of a statement. A second line repeats the statement, a third marks the place.
fn fault(text: &str, at: usize, reason: &str) -> Failure {
    let column = text[..at].chars().count();
    bad(format!("--that, column {}: {reason}", column + 1))
        .and(format!("  {}", shown(text)))
        .and(format!("  {}^", " ".repeat(column)))
}

impl Statement {
    /// Reads a statement. `kernels` are those that it calls A, B and so on.
    ///
    /// # Errors
    /// A sentence that names the place.
    pub fn parse(text: &str, kernels: Option<&str>) -> Outcome<Statement> {
        let named: Vec<Side> = kernels.map_or(Vec::new(), |kernels| {
            kernels.split(',').map(|k| Side::parse(k.trim())).collect()
        });
        if named.len() > 26 || named.iter().any(|side| *side == Side::default()) {
            return Err(bad(
                "--kernels: write up to 26 kernels, separated by commas: --kernels 3.0,3.16",
            ));
        }
        let mut words = Words::of(text);
        let mut statement = Statement {
            text: text.to_string(),
            clauses: Vec::new(),
            sides: Vec::new(),
        };
        loop {
            statement.clause(&mut words, &named)?;
            match words.words.peek() {
                None => return Ok(statement),
                Some((_, "and")) => words.words.next(),
                Some(_) => return Err(words.expected("\"and\", \"in\" or the end")),
            };
        }
    }

    fn clause(&mut self, words: &mut Words<'_>, named: &[Side]) -> Outcome<()> {
        let is_name = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic());
        let (at, counter) = match words.words.next_if(|(_, word)| is_name(word)) {
            Some((at, word)) => (at, word.to_string()),
            None => match self.clauses.last() {
                Some(before) => (before.at, before.counter.clone()),
                None => return Err(words.expected("the name of a counter")),
            },
        };
        let operator = |word: &str| OPERATORS.iter().find(|(text, _)| *text == word);
        let compare = match words.words.next_if(|(_, word)| operator(word).is_some()) {
            Some((_, word)) => operator(word).map_or(Compare::Equal, |&(_, compare)| compare),
            None => return Err(words.expected("one of > >= = != <= <")),
        };
        let number = |word: &str| word.replace('_', "").parse::<u64>().ok();
        let number = match words.words.next_if(|(_, word)| number(word).is_some()) {
            Some((_, word)) => number(word).unwrap_or_default(),
            None => return Err(words.expected("a whole number")),
        };
        let side = match words.words.next_if(|(_, word)| *word == "in") {
            None => Side::default(),
            Some(_) => match words.words.next() {
                Some((at, word)) => side(words.text, at, word, named)?,
                None => return Err(words.expected("a kernel")),
            },
        };
        let place = self.sides.iter().position(|known| *known == side);
        let side = place.unwrap_or_else(|| {
            self.sides.push(side);
            self.sides.len() - 1
        });
        self.clauses.push(Clause {
            counter,
            at,
            compare,
            number,
            side,
        });
        Ok(())
    }

    /// Can the statement be asked about this experiment: do its kernels and counters exist?
    ///
    /// # Errors
    /// A sentence that names the kernel or the place of the counter.
    pub fn check(&self, raw: &Raw) -> Outcome<()> {
        for (index, side) in self.sides.iter().enumerate() {
            let experiment = Experiment::new(side.of(raw))
                .map_err(|found| refused(format!("on {}", side.name(raw)), &found))?;
            let known = figures(&Machine::boot(&experiment));
            for clause in self.clauses.iter().filter(|clause| clause.side == index) {
                if !known.contains_key(&clause.counter) {
                    let near = nearest(&clause.counter, known.keys().map(String::as_str));
                    let guess = near.map_or(String::new(), |n| format!("; did you mean {n}?"));
                    let kernel = side.name(raw);
                    let name = &clause.counter;
                    let reason = format!("{kernel} has no counter {name}{guess}");
                    return Err(fault(&self.text, clause.at, &reason));
                }
            }
        }
        Ok(())
    }

    /// Runs an experiment. Returns the counters if the statement holds; none if it does not, if the
    /// experiment is not valid, or if the run was stopped.
    pub fn holds(&self, raw: &Raw, stop: &dyn Fn() -> bool) -> Option<Answer> {
        let mut runs: Vec<Option<BTreeMap<String, u64>>> = vec![None; self.sides.len()];
        let mut answer = Answer::new();
        for clause in &self.clauses {
            let side = &self.sides[clause.side];
            if runs[clause.side].is_none() {
                runs[clause.side] = Some(run(side.of(raw), stop)?);
            }
            let value = *runs[clause.side].as_ref()?.get(&clause.counter)?;
            if !clause.compare.holds(value, clause.number) {
                return None;
            }
            answer.push(Figure {
                counter: clause.counter.clone(),
                kernel: side.name(raw),
                value,
            });
        }
        Some(answer)
    }

    /// The first counter that contradicts the statement.
    pub fn told(&self, raw: &Raw) -> String {
        for clause in &self.clauses {
            let side = &self.sides[clause.side];
            let value = run(side.of(raw), &|| false)
                .and_then(|counters| counters.get(&clause.counter).copied())
                .unwrap_or_default();
            if !clause.compare.holds(value, clause.number) {
                return format!("{} is {value} on {}", clause.counter, side.name(raw));
            }
        }
        String::new()
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn side(text: &str, at: usize, word: &str, named: &[Side]) -> Outcome<Side> {
    if let &[letter @ b'A'..=b'Z'] = word.as_bytes() {
        return named
            .get(usize::from(letter - b'A'))
            .cloned()
            .ok_or_else(|| {
                let reason = format!("{word} is none of --kernels, which names {}", named.len());
                fault(text, at, &reason)
            });
    }
    let side = Side::parse(word);
    if side
        .kernel
        .as_ref()
        .is_some_and(|id| mm::kernel::find(id).is_none())
    {
        let known: Vec<&str> = mm::kernel::kernels().iter().map(|k| k.id).collect();
        let kernel = side.kernel.unwrap_or_default();
        let reason = format!(
            "no kernel is called {kernel:?}; there are {}",
            known.join(", ")
        );
        return Err(fault(text, at, &reason));
    }
    Ok(side)
}

/// The counters at the end of a run; none if it is not valid or was stopped.
fn run(raw: Raw, stop: &dyn Fn() -> bool) -> Option<BTreeMap<String, u64>> {
    let experiment = Experiment::new(raw).ok()?;
    let mut machine = Machine::boot(&experiment);
    loop {
        let next = machine.w.run.steps().saturating_add(CHUNK);
        machine.run(next, u64::MAX);
        if machine.w.run.steps() < next {
            return Some(figures(&machine));
        }
        if stop() {
            return None;
        }
    }
}

/// The engine's counters by name, and what /proc/vmstat has beside them.
fn figures(machine: &Machine) -> BTreeMap<String, u64> {
    let vmstat = proc::print(machine, File::Vmstat);
    let lines = vmstat.lines().filter_map(|line| line.split_once(' '));
    let mut out: BTreeMap<String, u64> = lines
        .filter_map(|(name, value)| Some((name.to_string(), value.parse().ok()?)))
        .collect();
    let types = &machine.w.facts.layout.zone_types;
    out.extend(machine.w.counters.named(types));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, kernels: Option<&str>) -> Statement {
        let parsed = Statement::parse(text, kernels);
        parsed.unwrap_or_else(|failure| panic!("{text}: {failure:?}"))
    }

    fn refusal(text: &str, kernels: Option<&str>) -> String {
        match Statement::parse(text, kernels) {
            Err(Failure::Bad(reason)) => reason,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn reads_comparisons_joined_by_and() {
        let statement = parsed("allocstall>0 in A and = 0 in B", Some("3.0, 3.16"));
        let told: Vec<_> = statement
            .clauses
            .iter()
            .map(|c| (c.counter.as_str(), c.compare, c.number, c.side))
            .collect();
        assert_eq!(
            told,
            [
                ("allocstall", Compare::More, 0, 0),
                ("allocstall", Compare::Equal, 0, 1)
            ]
        );
        let kernels: Vec<_> = statement.sides.iter().map(|s| s.kernel.clone()).collect();
        assert_eq!(kernels, [Some("3.0".to_string()), Some("3.16".to_string())]);
        let statement = parsed("oom_kill >= 1_000 and pgfault != 5", None);
        assert_eq!(statement.sides, [Side::default()]);
        assert_eq!(statement.clauses[0].number, 1000);
    }

    #[test]
    fn names_the_place_of_an_error() {
        for (text, kernels, says) in [
            (
                "",
                None,
                "column 1: the name of a counter is expected, but the statement ends",
            ),
            (
                "> 0",
                None,
                "column 1: the name of a counter is expected, not \">\"",
            ),
            (
                "allocstall",
                None,
                "column 11: one of > >= = != <= < is expected",
            ),
            (
                "allocstall =< 0",
                None,
                "column 12: one of > >= = != <= < is expected",
            ),
            (
                "allocstall > many",
                None,
                "column 14: a whole number is expected, not \"many\"",
            ),
            ("allocstall > -1", None, "column 14: a whole number"),
            (
                "pgfault > 0 or pgfree > 0",
                None,
                "column 13: \"and\", \"in\" or the end",
            ),
            ("pgfault > 0 and", None, "column 16: one of"),
            ("pgfault > 0 in", None, "column 15: a kernel is expected"),
            (
                "pgfault > 0 in C",
                Some("3.0,3.16"),
                "column 16: C is none of --kernels",
            ),
            (
                "pgfault > 0 in 9.9",
                None,
                "column 16: no kernel is called \"9.9\"",
            ),
        ] {
            let reason = refusal(text, kernels);
            assert!(reason.contains(says), "{text:?}: {reason}");
        }
        let reason = refusal("pgfault > x", None);
        assert!(reason.ends_with("  pgfault > x\n            ^"), "{reason}");
    }

    #[test]
    fn compares_as_the_operators_say() {
        let rows: [(&str, [bool; 3]); 7] = [
            (">", [false, false, true]),
            (">=", [false, true, true]),
            ("=", [false, true, false]),
            ("==", [false, true, false]),
            ("!=", [true, false, true]),
            ("<=", [true, true, false]),
            ("<", [true, false, false]),
        ];
        for (operator, expected) in rows {
            let statement = parsed(&format!("pgfault {operator} 5"), None);
            let found = [4, 5, 6].map(|value| statement.clauses[0].compare.holds(value, 5));
            assert_eq!(found, expected, "{operator}");
        }
    }
}
