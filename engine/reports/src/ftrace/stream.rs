//! The events of a running machine, in order of time.
//!
//! Modelled: nothing of a kernel. The clocks of the engine's CPUs differ by some microseconds, but
//! the lines of a trace are in order of time over all CPUs. An event is therefore held back until
//! every CPU has passed its time. Left out: events before the stream began. Invariants: lines never
//! go back in time; events of one time keep their order.

use mm::index::{FrameIndex, ZoneIndex};
use mm::machine::Machine;
use mm::record::{FIELDS, Record};
use mm::view::FieldKind;
use mm::world::World;

use super::{Dialect, Line, NOTHING, Printer};

/// The trace of a running machine.
#[derive(Debug)]
pub struct Stream {
    printer: Printer,
    /// Lines held back, in the order of their events.
    waiting: Vec<Line>,
}

impl Stream {
    /// The trace of a machine from now on; `for_scripts` as in [`Dialect::for_scripts`].
    pub fn of(m: &Machine, for_scripts: bool) -> Stream {
        let layout = &m.w.facts.layout;
        let types = layout.zone_types.iter();
        let types = types.map(|kind| kind.name().to_string()).collect();
        let order = m.w.mem.pageblock_order;
        let mut dialect = Dialect::of(&m.w.facts.features, types, order.into());
        if for_scripts {
            dialect = dialect.for_scripts();
        }
        Stream {
            printer: Printer::new(dialect),
            waiting: Vec::new(),
        }
    }

    /// The lines above the events.
    pub fn header(&self, about: &str) -> String {
        self.printer.header(about)
    }

    /// Takes an event and ignores decisions. `name` gives the name of a task.
    pub fn take(&mut self, m: &Machine, record: &Record, name: String) {
        if record.kind.is_decision() {
            return;
        }
        let fields = FIELDS[record.kind as usize].iter().zip(&record.values);
        let values = fields.map(|(&field, &value)| number(&m.w, field, value));
        let values = values.collect();
        self.waiting.push(Line {
            time_ns: record.time_ns,
            cpu: record.cpu.get().into(),
            task: name,
            pid: 1000 + u64::from(record.task.get()),
            kind: record.kind,
            values,
        });
    }

    /// The lines that no later line can precede; all lines once the machine has ended.
    pub fn more(&mut self, m: &Machine) -> String {
        let until = if m.w.sched.ended {
            u64::MAX
        } else {
            behind(&m.w)
        };
        self.lines_before(until)
    }

    /// All remaining lines.
    pub fn rest(&mut self) -> String {
        self.lines_before(u64::MAX)
    }

    fn lines_before(&mut self, until: u64) -> String {
        // A stable sort: events of one time keep their order.
        self.waiting.sort_by_key(|line| line.time_ns);
        let ready = self.waiting.partition_point(|line| line.time_ns < until);
        let mut out = String::new();
        for line in self.waiting.drain(..ready) {
            self.printer.line(&line, &mut out);
        }
        out
    }
}

/// A lower bound for the time of later events, ns: the earliest clock of the CPUs that have work to
/// do.
fn behind(w: &World) -> u64 {
    let busy = w.sched.cpus.iter().filter(|cpu| !cpu.is_idle());
    let least = busy.map(|cpu| cpu.now).min();
    least.unwrap_or(w.now).min(w.now)
}

fn number(w: &World, field: FieldKind, value: i64) -> i64 {
    match field {
        FieldKind::Page => {
            let frame = FrameIndex::new(value as u32).known();
            frame.map_or(NOTHING, |frame| w.mem.pfn(frame) as i64)
        }
        FieldKind::Zone => {
            let zone = &w.mem.zones[ZoneIndex::new(value as u8)];
            (i64::from(zone.node.get()) << 8) + i64::from(zone.kind)
        }
        _ => value,
    }
}
