//! Statements about runs: `allocstall > 0 in A and = 0 in B`.
//!
//! A statement is one or more comparisons, joined by `and`: a counter, an operator, a number or
//! another counter, and optionally `in` and a kernel. A comparison without a counter refers to the
//! preceding counter. A comparison without a kernel refers to the experiment's own kernel.

use std::fmt;

use mm::experiment::{Experiment, Raw};
use mm::machine::Machine;
use mm::read::nearest;
use mm::view::Refusal;
use serde::Serialize;

use crate::trial::figures;

/// A comparison of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compare {
    More,
    AtLeast,
    Equal,
    Unequal,
    AtMost,
    Less,
}

/// The operators. Operators with two characters come first, because the others are prefixes of
/// them.
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
    pub(crate) fn holds(self, value: u64, number: u64) -> bool {
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

/// A kernel to run on: the experiment's with further patches, or another one with exactly these patches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Side {
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

    pub(crate) fn of(&self, raw: &Raw) -> Raw {
        let mut raw = raw.clone();
        if let Some(kernel) = &self.kernel {
            raw.kernel.clone_from(kernel);
            raw.patches.clear();
        }
        for patch in &self.patches {
            if !raw.patches.contains(patch) {
                raw.patches.push(patch.clone());
            }
        }
        raw
    }

    pub(crate) fn name(&self, raw: &Raw) -> String {
        let raw = self.of(raw);
        let patches = raw.patches.iter().map(|patch| format!("+{patch}"));
        raw.kernel.clone() + &patches.collect::<String>()
    }
}

/// What a counter is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Bound {
    Number(u64),
    /// A multiple of another counter of the same run.
    Counter {
        times: u64,
        counter: String,
        /// The byte offset of its name.
        at: usize,
    },
}

impl Bound {
    /// Its value. A counter that the run does not have is 0.
    pub(crate) fn of(&self, value: impl FnOnce(&str) -> Option<u64>) -> u64 {
        match self {
            Bound::Number(number) => *number,
            Bound::Counter { times, counter, .. } => {
                value(counter).unwrap_or_default().saturating_mul(*times)
            }
        }
    }
}

/// One comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    pub(crate) counter: String,
    /// The byte offset of its start.
    at: usize,
    pub(crate) compare: Compare,
    pub(crate) bound: Bound,
    /// Index in the statement's sides.
    pub(crate) side: usize,
}

impl Clause {
    /// The counters that it needs, and their positions.
    fn counters(&self) -> impl Iterator<Item = (&str, usize)> {
        let bound = match &self.bound {
            Bound::Counter { counter, at, .. } => Some((counter.as_str(), *at)),
            Bound::Number(_) => None,
        };
        std::iter::once((self.counter.as_str(), self.at)).chain(bound)
    }
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    text: String,
    pub(crate) clauses: Vec<Clause>,
    pub(crate) sides: Vec<Side>,
}

/// A counter of the statement, and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// Its name.
    pub counter: String,
    /// The kernel and its patches.
    pub kernel: String,
    /// Its value at the end of the run.
    pub value: u64,
}

/// The reason why a statement cannot be evaluated or does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A word of the statement is wrong.
    Word {
        /// The statement.
        text: String,
        /// Its column, from 0.
        column: usize,
        /// The reason.
        reason: String,
    },
    /// The list of kernels is wrong.
    Kernels,
    /// The experiment cannot run on a kernel of the statement.
    Refused {
        /// The kernel with its patches.
        kernel: String,
        /// Why.
        refusals: Vec<Refusal>,
    },
    /// The statement does not hold for the experiment, because of this counter.
    DoesNotHold(Figure),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Word { column, reason, .. } => write!(f, "column {}: {reason}", column + 1),
            Fault::Kernels => write!(f, "name up to 26 kernels, separated by commas: 3.0,3.16"),
            Fault::Refused { kernel, refusals } => {
                write!(f, "the experiment cannot run on {kernel}")?;
                refusals
                    .iter()
                    .try_for_each(|refusal| write!(f, "; {}: {}", refusal.path, refusal.reason))
            }
            Fault::DoesNotHold(figure) => write!(
                f,
                "the statement does not hold: {} is {} on {}",
                figure.counter, figure.value, figure.kernel
            ),
        }
    }
}

/// The words of a statement, with their places.
struct Words<'a> {
    text: &'a str,
    words: std::iter::Peekable<std::vec::IntoIter<(usize, &'a str)>>,
}

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Words<'a> {
        let is_operator = |c: char| "<>=!*".contains(c);
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

    /// Reports an error at the next word.
    fn expected(&mut self, what: &str) -> Fault {
        let (at, found) = match self.words.peek() {
            Some(&(at, word)) => (at, format!("not {word:?}")),
            None => (self.text.len(), "but the statement ends".to_string()),
        };
        fault(self.text, at, &format!("{what} is expected, {found}"))
    }
}

fn fault(text: &str, at: usize, reason: &str) -> Fault {
    Fault::Word {
        text: text.to_string(),
        column: text[..at].chars().count(),
        reason: reason.to_string(),
    }
}

impl Statement {
    /// Reads a statement. `kernels` are the kernels that it calls A, B and so on.
    ///
    /// # Errors
    /// A word is wrong.
    pub fn parse(text: &str, kernels: Option<&str>) -> Result<Statement, Fault> {
        let named: Vec<Side> = kernels.map_or(Vec::new(), |kernels| {
            kernels.split(',').map(|k| Side::parse(k.trim())).collect()
        });
        if named.len() > 26 || named.iter().any(|side| *side == Side::default()) {
            return Err(Fault::Kernels);
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

    fn clause(&mut self, words: &mut Words<'_>, named: &[Side]) -> Result<(), Fault> {
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
        let bound = bound(words)?;
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
            bound,
            side,
        });
        Ok(())
    }

    /// Can the statement be evaluated for this experiment? Do its kernels and counters exist?
    ///
    /// # Errors
    /// The experiment cannot run on a kernel, or a counter does not exist.
    pub fn check(&self, raw: &Raw) -> Result<(), Fault> {
        for (index, side) in self.sides.iter().enumerate() {
            let kernel = side.name(raw);
            let experiment = Experiment::new(side.of(raw)).map_err(|refusals| Fault::Refused {
                kernel: kernel.clone(),
                refusals,
            })?;
            let known = figures(&Machine::boot(&experiment));
            let clauses = self.clauses.iter().filter(|clause| clause.side == index);
            for (name, at) in clauses.flat_map(Clause::counters) {
                if !known.contains_key(name) {
                    let near = nearest(name, known.keys().map(String::as_str));
                    let guess = near.map_or(String::new(), |n| format!("; did you mean {n}?"));
                    let reason = format!("{kernel} has no counter {name}{guess}");
                    return Err(fault(&self.text, at, &reason));
                }
            }
        }
        Ok(())
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A number, a counter, or a number `*` a counter.
fn bound(words: &mut Words<'_>) -> Result<Bound, Fault> {
    let number = |word: &str| word.replace('_', "").parse::<u64>().ok();
    let counter = |words: &mut Words<'_>, times| {
        let found = words.words.next_if(|(_, word)| is_name(word));
        found.map(|(at, word)| Bound::Counter {
            times,
            counter: word.to_string(),
            at,
        })
    };
    let Some((_, word)) = words.words.next_if(|(_, word)| number(word).is_some()) else {
        let bound = counter(words, 1);
        return bound.ok_or_else(|| words.expected("a whole number or a counter"));
    };
    let number = number(word).unwrap_or_default();
    if words.words.next_if(|(_, word)| *word == "*").is_none() {
        return Ok(Bound::Number(number));
    }
    let bound = counter(words, number);
    bound.ok_or_else(|| words.expected("the name of a counter"))
}

/// Can a word be the name of a counter?
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic()) && !["and", "in"].contains(&word)
}

fn side(text: &str, at: usize, word: &str, named: &[Side]) -> Result<Side, Fault> {
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

#[cfg(test)]
mod tests;
