//! What was recorded: decisions with their numbers, and events in words.

use mm::gfp::Gfp;
use mm::machine::Machine;
use mm::session::numbers;
use mm::show::{MARKS, commas, type_name};
use mm::trace::{EVENTS, Field, Record, What};
use mm::view::{Compare, EventView, Why};
use mm::vmscan::LRU_NAMES;
use mm::why::{LINES, Line};
use mm::world::World;

use crate::task_name;

/// What a step decided, and the numbers it compared.
pub fn why_view(w: &World, r: &Record) -> Option<Why> {
    let What::Why(why) = r.what else {
        return None;
    };
    Some(Why {
        decision: why as u32,
        numbers: numbers(w, why, &r.n),
        compare: compare(w, LINES[why as usize], &r.n),
        task: r.task,
        cpu: r.cpu.into(),
    })
}

fn compare(w: &World, line: Line, n: &[u32; 6]) -> Option<Compare> {
    let Line::Watermark { passed } = line else {
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
        value: i64::from(n[1]) - (1 << 31),
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
