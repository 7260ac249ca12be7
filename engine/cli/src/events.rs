//! The recorded events of a run, one JSON object per line.

use std::cell::RefCell;
use std::rc::Rc;

use mm::gfp::Gfp;
use mm::index::{FrameIndex, ZoneIndex};
use mm::machine::Machine;
use mm::record::{FIELDS, KEPT, NAMES, Record, TEXTS, node_id};
use mm::show::type_name;
use mm::view::FieldKind;
use mm::vmscan::LRU_NAMES;
use picture::task_name;
use reports::ftrace::stream::Stream;
use reports::who_paid::WhoPaid;
use serde_json::{Map, Value, json};

use crate::failure::Outcome;
use crate::input::Until;
use crate::output::{Target, say};

/// The number of steps executed before the recorder is emptied. These steps never fill the
/// recorder.
const SLICE: u64 = 2048;

/// Writes events during a run.
pub trait Writer {
    /// Writes the new records.
    ///
    /// # Errors
    /// The disk is full, or the pipe is closed.
    fn write(&mut self, machine: &Machine) -> Outcome<()>;
    /// Writes the remaining records.
    ///
    /// # Errors
    /// The disk is full, or the pipe is closed.
    fn finish(self: Box<Self>) -> Outcome<()>;
}

/// One JSON object per line.
pub struct Lines {
    /// The output.
    pub out: Target,
}

impl Writer for Lines {
    fn write(&mut self, machine: &Machine) -> Outcome<()> {
        for record in &machine.w.rec.records {
            if let Some(line) = line(machine, record) {
                self.out.write(&format!("{line}\n"))?;
            }
        }
        Ok(())
    }
    fn finish(self: Box<Self>) -> Outcome<()> {
        self.out.finish()
    }
}

/// Adds up who paid for reclaim.
impl Writer for Rc<RefCell<WhoPaid>> {
    fn write(&mut self, machine: &Machine) -> Outcome<()> {
        let mut who = self.borrow_mut();
        machine
            .w
            .rec
            .records
            .iter()
            .for_each(|record| who.take(record));
        Ok(())
    }
    fn finish(self: Box<Self>) -> Outcome<()> {
        Ok(())
    }
}

/// Lines in the format of the kernel's trace file.
pub struct Ftrace {
    stream: Stream,
    out: Target,
}

impl Ftrace {
    /// Begins a trace. `about` describes the run; `for_scripts` leaves out what the kernel's scripts
    /// cannot parse.
    ///
    /// # Errors
    /// The disk is full, or the pipe is closed.
    pub fn begin(
        machine: &Machine,
        mut out: Target,
        about: &str,
        for_scripts: bool,
    ) -> Outcome<Ftrace> {
        let stream = Stream::of(machine, for_scripts);
        out.write(&stream.header(about))?;
        Ok(Ftrace { stream, out })
    }
}

impl Writer for Ftrace {
    fn write(&mut self, machine: &Machine) -> Outcome<()> {
        for record in &machine.w.rec.records {
            let task = machine.tasks.get(record.task.index());
            let name = task.map_or(String::new(), |task| task_name(&machine.w, task));
            self.stream.take(machine, record, name);
        }
        self.out.write(&self.stream.more(machine))
    }
    fn finish(mut self: Box<Self>) -> Outcome<()> {
        let rest = self.stream.rest();
        self.out.write(&rest)?;
        self.out.finish()
    }
}

/// Runs a machine and writes every event meanwhile.
///
/// # Errors
/// The disk is full, or the pipe is closed.
pub fn run_recorded(
    machine: &mut Machine,
    until: Until,
    writers: &mut [Box<dyn Writer>],
) -> Outcome<()> {
    machine.w.rec.on = true;
    let mut is_complete = true;
    loop {
        let before = machine.w.run.steps();
        let stop = until.step().min(before.saturating_add(SLICE));
        machine.run(stop, until.ns());
        is_complete &= machine.w.rec.records.len() < KEPT;
        for writer in writers.iter_mut() {
            writer.write(machine)?;
        }
        machine.w.rec.records.clear();
        if machine.w.run.steps() < before + SLICE {
            break;
        }
    }
    machine.w.rec.on = false;
    if !is_complete {
        say("some events were dropped: more came at once than the recorder holds");
    }
    Ok(())
}

/// One event; decisions are not events.
pub fn line(machine: &Machine, record: &Record) -> Option<Value> {
    if record.kind.is_decision() {
        return None;
    }
    let kind = record.kind as usize;
    let task = machine.tasks.get(record.task.index());
    let mut line = Map::new();
    line.insert("step".into(), record.step.into());
    line.insert("time_ns".into(), record.time_ns.into());
    line.insert("cpu".into(), record.cpu.get().into());
    line.insert("task".into(), record.task.get().into());
    line.insert(
        "comm".into(),
        task.map_or(String::new(), |task| task_name(&machine.w, task))
            .into(),
    );
    line.insert("event".into(), TEXTS[kind].name.into());
    let fields = NAMES[kind].iter().zip(FIELDS[kind]).zip(&record.values);
    for ((&name, &field), &value) in fields {
        line.insert(name.into(), field_value(machine, field, value));
    }
    Some(Value::Object(line))
}

fn field_value(machine: &Machine, field: FieldKind, value: i64) -> Value {
    let w = &machine.w;
    match field {
        FieldKind::Page => {
            let frame = FrameIndex::new(value as u32).known();
            frame.map_or(Value::Null, |frame| w.mem.pfn(frame).into())
        }
        FieldKind::Zone => w.zone_key(ZoneIndex::new(value as u8)).into(),
        FieldKind::Node => node_id(w, value).into(),
        FieldKind::Task => {
            let task = machine.tasks.get(value as usize);
            json!(task.map(|task| task_name(w, task)))
        }
        FieldKind::Migratetype => type_name(w, value as u8).into(),
        FieldKind::Lru => LRU_NAMES[value as usize % LRU_NAMES.len()].into(),
        FieldKind::Gfp => Gfp(value as u16).to_string().into(),
        _ => value.into(),
    }
}
