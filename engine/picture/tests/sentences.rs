//! What a sentence says is compared was compared so: the numbers it shows, put into the comparison
//! it names, have the outcome it tells. Every sentence of long stretches of every teaching run.

use mm::experiment::{Experiment, presets};
use mm::machine::Machine;
use mm::view::{Span, View};

/// Steps of a stretch, and how many stretches of a run are read.
const STRETCH: u64 = 1_600;
const STRETCHES: u64 = 8;
/// Runs are read up to here.
const LAST: u64 = 1_000_000;

/// The words of a comparison, and whether the number before them exceeds the one after.
const COMPARISONS: [(&str, bool); 5] = [
    ("not above", false),
    ("at most", false),
    ("more than", true),
    ("less than half", false),
    ("above", true),
];

/// What is said of a goal ahead, of a shifted number or of a product, not of two numbers shown.
const OTHER: [&str; 5] = [
    "goes on above",
    "shifted right",
    "kept back",
    "less than half",
    "at least half",
];

fn text(view: &View) -> Option<String> {
    let why = view.why.as_ref()?;
    let words = why.sentence.iter().map(|span| match span {
        Span::Text { text }
        | Span::Number { text }
        | Span::Zone { text, .. }
        | Span::Task { text, .. }
        | Span::Page { text, .. } => text.as_str(),
    });
    Some(words.collect())
}

/// Numbers of a text, in order; not those in names.
fn numbers(text: &str) -> Vec<i64> {
    text.split(|c: char| c.is_whitespace() || c == ';' || c == ':')
        .map(|word| word.trim_matches(['.', ',', '(', ')']).replace(',', ""))
        .map(|word| word.replace('\u{2212}', "-"))
        .filter_map(|word| word.parse().ok())
        .collect()
}

/// Is what the sentence says of its numbers true? None where it compares none.
fn holds(sentence: &str) -> Option<bool> {
    if OTHER.iter().any(|words| sentence.contains(words)) {
        return None;
    }
    let (words, exceeds) = COMPARISONS
        .iter()
        .find(|(words, _)| sentence.contains(words))?;
    let (before, after) = sentence.split_once(words)?;
    // "Normal on node 0 has 16 free pages": the node is no part of it.
    let value = *numbers(before.rsplit(" has ").next()?).last()?;
    // What follows a colon is the consequence.
    let after = numbers(after.split([':', ';']).next()?);
    let mut against = *after.first()?;
    if sentence.contains("and a gap of") {
        against += after.get(1)?;
    }
    Some((value > against) == *exceeds)
}

#[test]
fn every_comparison_a_sentence_shows_is_true() {
    let mut compared = 0;
    for raw in presets()
        .into_iter()
        .filter(|raw| raw.id.ends_with("teach"))
    {
        let id = raw.id.clone();
        let mut m = Machine::boot(&Experiment::new(raw).expect("a valid preset"));
        let mut last = Machine::boot(&Experiment::preset(&id).expect("a preset"));
        last.run(LAST, u64::MAX);
        let apart = (last.w.run.steps / STRETCHES).max(STRETCH);
        // The first steps of reclaim are worth more than any others.
        let mut begun = false;
        while !m.w.sched.ended && m.w.run.steps < LAST {
            let begins = !begun && m.w.run.steps > 0 && m.tasks.iter().any(|t| t.stack.len() > 6);
            let long = if begins { 8 * STRETCH } else { STRETCH };
            begun |= begins;
            let from = m.w.run.steps;
            m.w.rec.on = true;
            while m.w.run.steps < from + long && !m.w.sched.ended {
                m.run(m.w.run.steps + 1, u64::MAX);
                let Some(sentence) = text(&picture::view(&m, None)) else {
                    continue;
                };
                let Some(holds) = holds(&sentence) else {
                    continue;
                };
                assert!(holds, "{id}, step {}: {sentence}", m.w.run.steps);
                compared += 1;
            }
            m.w.rec.on = false;
            m.run((from / apart + 1) * apart, u64::MAX);
        }
    }
    assert!(compared > 5_000, "only {compared} sentences compare");
}

#[test]
fn a_false_sentence_is_told_from_a_true_one() {
    let said = |text: &str| holds(text);
    assert_eq!(
        said("Normal on node 0 has 18 free pages, not above its low mark 16: woken."),
        Some(false)
    );
    assert_eq!(
        said("Normal on node 0 has 16 free pages, not above its low mark 16: woken."),
        Some(true)
    );
    assert_eq!(
        said("264 pages dirty, more than the background limit of 241: write."),
        Some(true)
    );
    assert_eq!(
        said("1,264 pages dirty, at most the background limit of 1,241: enough."),
        Some(false)
    );
    assert_eq!(
        said(
            "DMA on node 0 has 20 free pages, not above its high mark 18 and a gap of 5: shrink it."
        ),
        Some(true)
    );
    assert_eq!(said("Priority 12: 3 pages reclaimed so far."), None);
}
