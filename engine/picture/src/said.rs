//! What was recorded, in words: sentences about decisions, and events.

use mm::gfp::Gfp;
use mm::machine::Machine;
use mm::page_writeback::FLUSH_REASONS;
use mm::show::{MARKS, commas, order_name, type_name, zone_name};
use mm::trace::{EVENTS, Field, Record, What};
use mm::view::{Compare, EventView, Span, Why};
use mm::vmscan::LRU_NAMES;
use mm::vmscan::throttle::REASONS;
use mm::why::{Line as WhyLine, WHYS};
use mm::world::World;

use crate::task_name;

/// Why a decision went as it did.
pub fn why_view(m: &Machine, r: &Record) -> Why {
    let What::Why(why) = r.what else {
        return Why {
            sentence: Vec::new(),
            compare: None,
            task: r.task,
            cpu: r.cpu.into(),
        };
    };
    let (template, line) = WHYS[why as usize];
    Why {
        sentence: sentence(m, template, &r.n),
        compare: compare(&m.w, line, &r.n),
        task: r.task,
        cpu: r.cpu.into(),
    }
}

fn compare(w: &World, line: WhyLine, n: &[u32; 6]) -> Option<Compare> {
    let WhyLine::Watermark { passed } = line else {
        return None;
    };
    let z = w.mem.zones.get(n[0] as usize)?;
    let name = MARKS[n[3] as usize];
    let reserve = i64::from(n[4]);
    let marks = (0u8..3).map(|i| {
        (
            MARKS[i as usize].to_string(),
            i64::from(z.mark(i)) + reserve,
        )
    });
    Some(Compare {
        label: "free".to_string(),
        value: unbias(n[1]),
        against_label: if reserve > 0 {
            format!("{name} + kept back")
        } else {
            name.to_string()
        },
        against: n[2].into(),
        marks: marks.collect(),
        passed,
    })
}

fn unbias(n: u32) -> i64 {
    i64::from(n) - (1 << 31)
}

/// Fills a template; see [`mm::why`] for its placeholders.
fn sentence(m: &Machine, template: &str, n: &[u32; 6]) -> Vec<Span> {
    let mut out = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        if !before.is_empty() {
            out.push(Span::Text {
                text: before.to_string(),
            });
        }
        let (what, behind) = after.split_once('}').unwrap_or((after, ""));
        out.push(placeholder(m, what, n));
        rest = behind;
    }
    if !rest.is_empty() {
        out.push(Span::Text {
            text: rest.to_string(),
        });
    }
    if let Some(Span::Number { text }) = out.first_mut()
        && let Some(number) = text.strip_prefix("node ")
    {
        *text = format!("Node {number}");
    }
    out
}

fn placeholder(m: &Machine, what: &str, n: &[u32; 6]) -> Span {
    let w = &m.w;
    let kind = what.chars().next().filter(char::is_ascii_alphabetic);
    let rest = what.strip_prefix(|c: char| c.is_ascii_alphabetic());
    let rest = rest.unwrap_or(what);
    let (digits, noun) = rest.split_once(' ').unwrap_or((rest, ""));
    let value = n[digits.parse::<usize>().unwrap_or(0).min(5)];
    let number = |text: String| Span::Number { text };
    match kind {
        Some('z') => Span::Zone {
            text: zone_name(w, value as u8),
            key: w.zone_key(value as u8),
        },
        Some('t') => {
            let name = m
                .tasks
                .get(value as usize)
                .map_or(String::new(), |t| task_name(w, t));
            Span::Task {
                text: name,
                id: value,
            }
        }
        Some('p') => {
            let pfn = w.mem.pfn(value);
            Span::Page {
                text: format!("{pfn:#x}"),
                pfn,
            }
        }
        Some('o') => number(order_name(w, value)),
        Some('m') => Span::Text {
            text: MARKS[value as usize % 3].to_string(),
        },
        Some('y') => number(type_name(w, value as u8).to_string()),
        Some('s') => number(commas(unbias(value))),
        Some('n') => number(format!("node {value}")),
        Some('l') => number(LRU_NAMES[value as usize % 5].to_string()),
        Some('b') => {
            let drive = w.facts.devices.get(value as usize);
            Span::Text {
                text: drive.map_or(String::new(), |d| d.profile.id.clone()),
            }
        }
        Some('f') => number(FLUSH_REASONS[value as usize % 5].to_string()),
        Some('k') => number(REASONS[value as usize % 4].to_string()),
        _ if noun.is_empty() => number(commas(value.into())),
        _ => {
            let plural = if value == 1 { "" } else { "s" };
            number(format!("{} {noun}{plural}", commas(value.into())))
        }
    }
}

/// An event, unless the record is of a decision.
pub fn event_view(m: &Machine, r: &Record) -> Option<EventView> {
    let What::Event(event) = r.what else {
        return None;
    };
    let info = &EVENTS[event as usize];
    let w = &m.w;
    let mut pages = None;
    let fields = info.fields.iter().zip(r.n).map(|(&(name, field), n)| {
        let value = match field {
            Field::Page if n == mm::frames::NONE => "none".to_string(),
            Field::Page => {
                let pfn = w.mem.pfn(n);
                pages = Some((pfn, 0));
                format!("{pfn:#x}")
            }
            Field::Number => commas(n.into()),
            Field::Zone => w.zone_key(n as u8),
            Field::Task => m
                .tasks
                .get(n as usize)
                .map_or(String::new(), |t| task_name(w, t)),
            Field::Type => type_name(w, n as u8).to_string(),
            Field::Gfp => Gfp(n as u16).to_string(),
            Field::Node => n.to_string(),
            Field::Lru => LRU_NAMES[n as usize % 5].to_string(),
        };
        (name.to_string(), value)
    });
    let fields: Vec<(String, String)> = fields.collect();
    let order = info
        .fields
        .iter()
        .position(|&(name, _)| name == "order")
        .map_or(0, |i| r.n[i]);
    Some(EventView {
        step: r.step,
        time_ns: r.time_ns,
        task: r.task,
        cpu: r.cpu.into(),
        name: info.name.to_string(),
        tracepoint: info.tracepoint,
        fields,
        pages: pages.map(|(pfn, _)| (pfn, order as u8)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mm::experiment::Experiment;
    use mm::why::Why;

    fn said(why: Why, n: [u32; 6]) -> String {
        let experiment = Experiment::preset("first-touch.teach").expect("a preset");
        let machine = Machine::boot(&experiment);
        sentence(&machine, WHYS[why as usize].0, &n)
            .into_iter()
            .map(|span| match span {
                Span::Text { text }
                | Span::Number { text }
                | Span::Zone { text, .. }
                | Span::Task { text, .. }
                | Span::Page { text, .. } => text,
            })
            .collect()
    }

    #[test]
    fn sentences_name_both_numbers_and_count_in_the_right_number() {
        let fail = said(Why::WmFailPlain, [2, 7 + (1 << 31), 7, 1, 0, 9]);
        let found = said(Why::BlockFound, [2, 1, 3, 1, 0, 0]);
        expect_test::expect![[r#"
            Normal on node 0 has 9 free pages, of which the test counts 7: not above the low mark 7. It may not be used.
            Normal on node 0 has 1 free block of order 3 (32 KiB) and type Movable, the smallest that fits order 0 (4 KiB): take the first."#]]
        .assert_eq(&format!("{fail}\n{found}"));
    }

    #[test]
    fn every_template_is_filled_and_at_most_thirty_words() {
        let experiment = Experiment::preset("first-touch.teach").expect("a preset");
        let machine = Machine::boot(&experiment);
        for (template, _) in WHYS {
            let spans = sentence(&machine, template, &[1; 6]);
            let left = spans
                .iter()
                .any(|s| matches!(s, Span::Text { text } if text.contains('{')));
            assert!(!left, "{template}");
            assert!(template.split(' ').count() <= 30, "{template}");
        }
    }
}
