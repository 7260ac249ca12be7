//! Breakpoints and values as the page names them: a kind and up to two numbers.
#![allow(missing_docs, reason = "the attribute generates items without docs")]

use mm::index::{LruvecIndex, NodeIndex, TaskIndex, ZoneIndex};
use mm::watch::{Breakpoint, Condition, Is, PagePart, Value, Watch};
use mm::world::World;
use wasm_bindgen::prelude::*;

/// The event of a breakpoint, or the value to watch.
#[wasm_bindgen]
pub enum WatchKind {
    /// A call of function `a`.
    Function = "function",
    /// Line `b` of function `a` about to run.
    Line = "line",
    /// A record of the kind with index `a` in the catalog.
    Event = "event",
    /// A change of the counter with index `a` in the catalog, of zone type or kind `b`.
    Counter = "counter",
    /// A change of zone `a`'s free pages.
    Free = "free",
    /// Zone `a` crosses watermark `b`: 0 min, 1 low, 2 high.
    Below = "below",
    /// A change of zone `a`'s free blocks of order `b`.
    Blocks = "blocks",
    /// A change of the length of list `b` of owner `a`.
    Lru = "lru",
    /// A change of page frame `a`; `b` is 0 for state, 1 flags, 2 owner, 3 list, 4 any of them.
    Page = "page",
    /// A change of task `a`'s state.
    Task = "task",
    /// kswapd of the node with index `a` wakes or goes to sleep.
    Kswapd = "kswapd",
}

/// How a condition compares.
#[wasm_bindgen]
pub enum Comparison {
    /// Equal.
    Equal = "=",
    /// Not equal.
    Unequal = "≠",
    /// Smaller.
    Below = "<",
    /// Not smaller.
    AtLeast = "≥",
}

const PARTS: [PagePart; 5] = [
    PagePart::State,
    PagePart::Flags,
    PagePart::Owner,
    PagePart::List,
    PagePart::Any,
];

/// The value, if the machine has it.
pub fn value(w: &World, kind: WatchKind, a: f64, b: f64) -> Option<Value> {
    let (n, m) = (a as u8, b as u8);
    let value = match kind {
        WatchKind::Counter => Value::counter(a as usize, b as usize)?,
        WatchKind::Free => Value::Free {
            zone: ZoneIndex::new(n),
        },
        WatchKind::Below => Value::Below {
            zone: ZoneIndex::new(n),
            mark: m,
        },
        WatchKind::Blocks => Value::Blocks {
            zone: ZoneIndex::new(n),
            order: m,
        },
        WatchKind::Lru => Value::Lru {
            owner: LruvecIndex::new(n),
            list: m,
        },
        WatchKind::Page => Value::Page {
            frame: w.mem.frame(a as u64)?,
            part: *PARTS.get(m as usize)?,
        },
        WatchKind::Task => Value::Task(TaskIndex::new(a as u32)),
        WatchKind::Kswapd => Value::Kswapd {
            node: NodeIndex::new(n),
        },
        _ => return None,
    };
    value.exists(w).then_some(value)
}

/// The event, if the machine has it.
pub fn watch(w: &World, kind: WatchKind, a: f64, b: f64) -> Option<Watch> {
    match kind {
        WatchKind::Function => Some(Watch::Function(a as u8)),
        WatchKind::Line => Some(Watch::Line(a as u8, b as u8)),
        WatchKind::Event => Some(Watch::Record(a as u16)),
        kind => value(w, kind, a, b).map(Watch::Change),
    }
}

/// A breakpoint with a condition on `field`, or without a condition if `field` is empty.
pub fn breakpoint(
    watch: Watch,
    field: String,
    is: Comparison,
    with: String,
    number: Option<f64>,
) -> Breakpoint {
    let is = match is {
        Comparison::Unequal => Is::Unequal,
        Comparison::Below => Is::Below,
        Comparison::AtLeast => Is::AtLeast,
        _ => Is::Equal,
    };
    let condition = (!field.is_empty()).then_some(Condition {
        field,
        is,
        with,
        number: number.map(|n| n as i64),
    });
    Breakpoint { watch, condition }
}
