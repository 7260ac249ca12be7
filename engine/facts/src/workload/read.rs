//! Reading a workload from JSON.
//!
//! Modelled: every operation of the language. Left out: whether it makes sense on a machine: that
//! is [`crate::workload::compile`]. Invariants: what is written with serde is read back equal.

use crate::json::{self, Value};
use crate::read::{Faults, Fields, choice, each, fault, flag, number, text};
use crate::workload::{BlockType, FileSet, Pattern, Process, Size, Step, Workload};

const PATTERNS: [(&str, Pattern); 2] = [
    ("sequential", Pattern::Sequential),
    ("random", Pattern::Random),
];
const BLOCKS: [(&str, BlockType); 6] = [
    ("unmovable", BlockType::Unmovable),
    ("reclaimable", BlockType::Reclaimable),
    ("movable", BlockType::Movable),
    ("atomic", BlockType::Atomic),
    ("dma", BlockType::Dma),
    ("dma32", BlockType::Dma32),
];
const U32: u64 = u32::MAX as u64;

/// Reads a workload. `None` when a fault was found.
pub fn workload(value: &Value, path: &str, faults: &mut Faults) -> Option<Workload> {
    let before = faults.len();
    let mut f = Fields::of(value, path, faults)?;
    let id = f.text("id", faults);
    let title = f.text_or_empty("title", faults);
    let about = f.text_or_empty("about", faults);
    let files = f
        .get("files")
        .map(|v| each(v, &f.at("files"), faults, file_set));
    let processes = f
        .need("processes", faults)
        .map(|v| each(v, &f.at("processes"), faults, process));
    f.finish(faults);
    if faults.len() > before {
        return None;
    }
    Some(Workload {
        id: id?,
        title,
        about,
        files: files.unwrap_or_default(),
        processes: processes?,
    })
}

fn file_set(value: &Value, path: &str, faults: &mut Faults) -> Option<FileSet> {
    let mut f = Fields::of(value, path, faults)?;
    let name = f.text("name", faults);
    let size = need_size(&mut f, "size", faults);
    let count = f.number_or("count", U32, 1, faults) as u32;
    let absent = f
        .get("absent")
        .and_then(|v| flag(v, &f.at("absent"), faults))
        .unwrap_or(false);
    f.finish(faults);
    Some(FileSet {
        name: name?,
        size: size?,
        count,
        absent,
    })
}

pub(crate) fn process(value: &Value, path: &str, faults: &mut Faults) -> Option<Process> {
    let mut f = Fields::of(value, path, faults)?;
    let name = f.text("name", faults);
    let count = f.number_or("count", U32, 1, faults) as u32;
    let node = f
        .get("node")
        .and_then(|v| number(v, &f.at("node"), U32, faults));
    let start = f.get("start").and_then(|v| text(v, &f.at("start"), faults));
    let own = f
        .get("own")
        .map(|v| each(v, &f.at("own"), faults, text))
        .unwrap_or_default();
    let program = f
        .need("program", faults)
        .map(|v| each(v, &f.at("program"), faults, step));
    f.finish(faults);
    Some(Process {
        name: name?,
        count,
        node: node.map(|n| n as u32),
        start,
        own,
        program: program?,
    })
}

fn size(value: &Value, path: &str, faults: &mut Faults) -> Option<Size> {
    match value {
        Value::String(text) => Some(Size::Text(text.clone())),
        other => number(other, path, u64::MAX, faults).map(Size::Pages),
    }
}

fn get_size(f: &mut Fields<'_>, name: &'static str, faults: &mut Faults) -> Option<Size> {
    f.get(name).and_then(|v| size(v, &f.at(name), faults))
}

fn need_size(f: &mut Fields<'_>, name: &'static str, faults: &mut Faults) -> Option<Size> {
    f.need(name, faults)
        .and_then(|v| size(v, &f.at(name), faults))
}

fn get_order(f: &mut Fields<'_>, faults: &mut Faults) -> Pattern {
    let order = f
        .get("order")
        .and_then(|v| choice(v, &f.at("order"), &PATTERNS, faults));
    order.unwrap_or_default()
}

fn step(value: &Value, path: &str, faults: &mut Faults) -> Option<Step> {
    let mut f = Fields::of(value, path, faults)?;
    let op = f.text("op", faults)?;
    let step = match op.as_str() {
        "map" => map(&mut f, faults),
        "touch" => touch(&mut f, faults),
        "lock" => f.text("region", faults).map(|region| Step::Lock { region }),
        "read" | "write" => transfer(&mut f, op == "write", faults),
        "copy" => copy(&mut f, faults),
        "fsync" => f.text("file", faults).map(|file| Step::Fsync { file }),
        "unlink" => f.text("file", faults).map(|file| Step::Unlink { file }),
        "create" => {
            let count = f.number_or("count", U32, 1, faults) as u32;
            let size = need_size(&mut f, "size", faults);
            let chunk = get_size(&mut f, "chunk", faults);
            size.map(|size| Step::Create { count, size, chunk })
        }
        "drop_caches" => Some(Step::DropCaches {}),
        "free" => f.text("region", faults).map(|region| Step::Free { region }),
        "alloc" => alloc(&mut f, faults),
        "release" => {
            let pool = f.text("pool", faults);
            let every = f.number_or("every", U32, 1, faults) as u32;
            pool.map(|pool| Step::Release { pool, every })
        }
        "spawn" => {
            let process = f.text("process", faults);
            let count = f.number_or("count", U32, 1, faults) as u32;
            process.map(|process| Step::Spawn { process, count })
        }
        "wait" => {
            let every = f.get("every").and_then(|v| text(v, &f.at("every"), faults));
            Some(Step::Wait { every })
        }
        "mark" => f.text("name", faults).map(|name| Step::Mark { name }),
        "stop" => Some(Step::Stop {}),
        "bind" => {
            let node = f.number("node", U32, faults);
            let strict = f
                .get("strict")
                .and_then(|v| flag(v, &f.at("strict"), faults));
            node.map(|node| Step::Bind {
                node: node as u32,
                strict,
            })
        }
        "think" => f.text("time", faults).map(|time| Step::Think { time }),
        "repeat" => {
            let times = f.number("times", U32, faults);
            let body = f
                .need("do", faults)
                .map(|v| each(v, &f.at("do"), faults, step));
            times.zip(body).map(|(times, body)| Step::Repeat {
                times: times as u32,
                body,
            })
        }
        "exit" => Some(Step::Exit {}),
        other => {
            let known = "map, touch, lock, free, read, write, copy, fsync, unlink, create, \
                 drop_caches, alloc, release, spawn, wait, mark, stop, bind, think, repeat, exit";
            let other = json::text(other);
            let reason = format!("{other} is no operation; known are {known}");
            fault(faults, &f.at("op"), reason);
            return None;
        }
    };
    f.finish(faults);
    step
}

fn map(f: &mut Fields<'_>, faults: &mut Faults) -> Option<Step> {
    let region = f.text("region", faults);
    let file = f.get("file").and_then(|v| text(v, &f.at("file"), faults));
    let size = match file {
        Some(_) => get_size(f, "size", faults),
        None => need_size(f, "size", faults),
    };
    let huge = f
        .get("huge")
        .and_then(|v| flag(v, &f.at("huge"), faults))
        .unwrap_or(false);
    Some(Step::Map {
        region: region?,
        size,
        huge,
        file,
    })
}

fn touch(f: &mut Fields<'_>, faults: &mut Faults) -> Option<Step> {
    let region = f.text("region", faults);
    let pages = get_size(f, "pages", faults);
    let order = get_order(f, faults);
    let write = f.get("write").and_then(|v| flag(v, &f.at("write"), faults));
    Some(Step::Touch {
        region: region?,
        pages,
        order,
        write,
    })
}

fn transfer(f: &mut Fields<'_>, write: bool, faults: &mut Faults) -> Option<Step> {
    let file = f.text("file", faults);
    let size = get_size(f, "size", faults);
    let chunk = get_size(f, "chunk", faults);
    let order = get_order(f, faults);
    let file = file?;
    Some(if write {
        Step::Write {
            file,
            size,
            chunk,
            order,
        }
    } else {
        Step::Read {
            file,
            size,
            chunk,
            order,
        }
    })
}

fn copy(f: &mut Fields<'_>, faults: &mut Faults) -> Option<Step> {
    let from = f.text("from", faults);
    let to = f.text("to", faults);
    let size = get_size(f, "size", faults);
    let chunk = get_size(f, "chunk", faults);
    Some(Step::Copy {
        from: from?,
        to: to?,
        size,
        chunk,
    })
}

fn alloc(f: &mut Fields<'_>, faults: &mut Faults) -> Option<Step> {
    let pool = f.text("pool", faults);
    let order = f.number("order", 255, faults);
    let count = f
        .need("count", faults)
        .and_then(|v| size(v, &f.at("count"), faults));
    let kind = f
        .get("type")
        .and_then(|v| choice(v, &f.at("type"), &BLOCKS, faults));
    let kind = kind.unwrap_or_default();
    Some(Step::Alloc {
        pool: pool?,
        order: order? as u8,
        count: count?,
        kind,
    })
}
