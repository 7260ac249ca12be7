//! Small machines for tests: one zone with given free blocks, pageblock types and kernel. Tests run
//! the engine's own functions on these machines to their end.
#![allow(dead_code)]

use facts::index::FrameIndex;
use mm::check::{Violation, check};
use mm::experiment::Experiment;
use mm::fallback::MmPageAllocExtfrag;
use mm::frames::{Context, Frame, Left};
use mm::gfp::{AllocFlags, Gfp, MOVABLE, RECLAIMABLE, RESERVED, UNMOVABLE};
use mm::index::{ListIndex, TaskIndex, ZoneIndex, ZonelistIndex};
use mm::machine::Machine;
pub use mm::machine::Machine as Small;
use mm::mmzone::{PageKind, flag};
use mm::page_alloc::Request;
use mm::rng::Rng;
use mm::stack::Stack;
use serde_json::{Value, json};

/// Boots an idle machine with the given ranges of each node (start pfn, pages) and 2 CPUs per node.
pub fn boot(kernel: &str, arch: (&str, u32), nodes: &[&[(u64, u64)]], change: Value) -> Machine {
    let distance = |a, b| if a == b { 10 } else { 20 };
    let distances: Vec<Vec<u8>> = (0..nodes.len())
        .map(|a| (0..nodes.len()).map(|b| distance(a, b)).collect())
        .collect();
    let nodes: Vec<Value> = nodes
        .iter()
        .map(|ranges| {
            let ranges = ranges.iter();
            let ranges: Vec<Value> = ranges
                .map(|&(start, pages)| json!({ "start_pfn": start, "pages": pages }))
                .collect();
            json!({ "ranges": ranges, "cpus": 2 })
        })
        .collect();
    let mut raw = json!({
        "machine": {
            "id": "small", "title": "", "arch": arch.0, "page_size_kib": arch.1, "nodes": nodes,
            "distances": distances, "hz": 250, "thp": "never", "costs": "s2011",
            "pcp": false, "zonelist_order": "default",
        },
        "kernel": kernel, "seed": 1, "length": "1s",
        "workload": { "id": "none", "processes": [{ "name": "idle", "program": [
            { "op": "think", "time": "1s" },
        ] }] },
        "tunables": { "vm.min_free_kbytes": "0" },
    });
    for (path, value) in change.as_object().into_iter().flatten() {
        *raw.pointer_mut(path).expect("a field") = value.clone();
    }
    let experiment = Experiment::from_json(&raw.to_string());
    Machine::boot(&experiment.expect("a valid experiment"))
}

/// A zone of `pages` from pfn 0 in which only the given blocks are free: "M10 0" is a movable block
/// of order 10 at frame 0. Blocks are on their list in the order given; all other pages are in use.
/// `blocks` gives the pageblock types: "MU" is a movable pageblock, then an unmovable one.
pub fn zone(kernel: &str, arch: (&str, u32), pages: u64, free: &str, blocks: &str) -> Machine {
    let mut m = boot(kernel, arch, &[&[(0, pages)]], Value::Null);
    let mem = &mut m.w.mem;
    for list in ListIndex::all(mem.lists.count()) {
        while let Some(frame) = mem.lists.head(list) {
            let order = mem.del_free(frame);
            mem.set_kind(frame, PageKind::Kernel, order);
        }
    }
    for page in mem
        .pages
        .slice_mut(FrameIndex::new(0), FrameIndex::new(pages as u32))
    {
        page.meta = page.meta & !0xff | PageKind::Kernel as u32;
    }
    for (i, c) in blocks.chars().enumerate() {
        mem.blocks[i] = type_of(c);
    }
    for block in free.split(", ").filter(|b| !b.is_empty()) {
        let (list, frame) = block.split_once(' ').expect("type, order, frame");
        let (t, order) = list.split_at(1);
        let order: u8 = order.parse().expect("an order");
        let frame = FrameIndex::new(frame.parse().expect("a frame"));
        for page in mem.pages.slice_mut(frame, frame.plus(1 << order)) {
            page.meta = page.meta & !0xff | PageKind::Tail as u32;
        }
        let head = &mut mem.pages[frame];
        head.meta = head.meta & !0xff | u32::from(order) << 4 | PageKind::Kernel as u32;
        let t = type_of(t.chars().next().expect("a type"));
        mem.add_free(frame, order, t, true);
    }
    m
}

pub const X86: (&str, u32) = ("x86_64", 4);
pub const PPC64K: (&str, u32) = ("ppc64", 64);

pub fn type_of(c: char) -> u8 {
    match c {
        'U' => UNMOVABLE,
        'M' => MOVABLE,
        'R' => RECLAIMABLE,
        _ => RESERVED,
    }
}

/// Violations, except those of pages in use that no address space of the small machine holds.
pub fn wrong(m: &Machine) -> Vec<Violation> {
    let mut found = check(m);
    found.retain(|v| {
        !matches!(
            v,
            Violation::Unheld { .. }
                | Violation::AllocatedPages { .. }
                | Violation::InFlightLost { .. }
        )
    });
    found
}

/// All lists of a zone that are not empty, head first: "M0 1 2; U3 8".
pub fn lists(m: &Machine, zone: ZoneIndex) -> String {
    let mem = &m.w.mem;
    let mut out = Vec::new();
    for (t, name) in [
        (UNMOVABLE, 'U'),
        (MOVABLE, 'M'),
        (RECLAIMABLE, 'R'),
        (RESERVED, 'H'),
    ] {
        for order in 0..mem.orders {
            let frames: Vec<String> = mem
                .lists
                .iter(mem.free_list(zone, order, t))
                .map(|f| f.to_string())
                .collect();
            if !frames.is_empty() {
                out.push(format!("{name}{order} {}", frames.join(" ")));
            }
        }
    }
    out.join("; ")
}

/// Types of the first pageblocks, such as "MU".
pub fn blocks(m: &Machine) -> String {
    m.w.mem
        .blocks
        .iter()
        .map(|&t| ['U', 'M', 'R', 'H'][usize::from(t)])
        .collect()
}

/// Runs a function to its end and returns its result.
pub fn run(m: &mut Machine, frame: Frame) -> u32 {
    m.w.run.stop_at(u64::MAX);
    m.w.rec.on = true;
    let mut cx = Context::new(TaskIndex::new(0), 0, Rng::stream(1, 1));
    let mut stack = Stack::new(frame);
    while let Some((top, above)) = stack.top() {
        match top.go(above, &mut m.w, &mut cx) {
            Left::Due => {}
            Left::Returned => stack.pop(),
            Left::Asleep | Left::Exited => panic!("a kernel function left the CPU"),
        }
        stack.push_spares(std::mem::take(&mut m.w.run.deeper) as usize);
    }
    m.w.sched.wakes.clear();
    m.w.sched.attention = false;
    cx.ret
}

/// A request for pages of a migrate type.
pub fn request(m: &Machine, t: char, order: u8) -> Request {
    let gfp = match t {
        'U' => Gfp::GFP_KERNEL,
        'R' => Gfp::GFP_KERNEL.with(Gfp::RECLAIMABLE),
        'A' => Gfp::GFP_ATOMIC,
        _ => Gfp::GFP_HIGHUSER_MOVABLE,
    };
    Request::new(&m.w, gfp, order, ZonelistIndex::new(0))
}

/// `rmqueue` from zone 0.
pub fn rmqueue(m: &mut Machine, t: char, order: u8) -> u32 {
    let rq = request(m, t, order);
    run(
        m,
        mm::buddy::Rmqueue::call(rq, ZoneIndex::new(0), AllocFlags::default()),
    )
}

/// `__alloc_pages`, fast and slow path.
pub fn alloc(m: &mut Machine, mut rq: Request) -> u32 {
    // Nothing can be reclaimed here, so a request that may loop would never end.
    rq.gfp = rq.gfp.with(Gfp::NORETRY);
    run(m, mm::page_alloc::AllocPages::call(rq))
}

/// Frees a block.
pub fn free(m: &mut Machine, frame: FrameIndex, order: u8) {
    m.w.mem.set_kind(frame, PageKind::InFlight, order);
    m.w.counters.pgalloc[0] += 1 << order;
    run(m, mm::pcp::FreePages::call(frame, order));
}

/// (alloc order, fallback order, change_ownership) of the last `mm_page_alloc_extfrag`.
pub fn extfrag(m: &Machine) -> Option<(u8, u8, bool)> {
    let (_, last) = m.w.rec.all::<MmPageAllocExtfrag>().next_back()?;
    Some((last.alloc_order, last.fallback_order, last.change_ownership))
}

/// A zone with one page per letter: inactive and active file pages (i, a) and anonymous pages (I, A),
/// dirty (d), free (F), pinned (P). The inactive file list holds the pages in `tails`, tail first, then
/// the others.
pub fn drawn(kernel: &str, pages: &str, tails: &[u32]) -> Machine {
    let free: Vec<String> = (0..)
        .zip(pages.chars())
        .filter(|&(_, c)| c == 'F')
        .map(|(frame, _): (u32, char)| format!("M0 {frame}"))
        .collect();
    let mut m = zone(kernel, X86, 4096, &free.join(", "), "");
    let all = 0..pages.len() as u32;
    let others: Vec<u32> = all.filter(|frame| !tails.contains(frame)).collect();
    for &frame in tails.iter().chain(&others) {
        let c = pages.as_bytes()[frame as usize] as char;
        if "FP".contains(c) {
            continue;
        }
        let kind = if "iad".contains(c) {
            PageKind::File
        } else {
            PageKind::Anon
        };
        let page = &mut m.w.mem.pages[FrameIndex::new(frame)];
        page.meta = page.meta & !0xff | kind as u32;
        page.owner = u32::MAX;
        if "aA".contains(c) {
            page.set(flag::ACTIVE);
        }
        if c == 'd' {
            page.set(flag::DIRTY);
        }
        m.w.mem.lru_add(FrameIndex::new(frame));
    }
    m
}

/// Number of anonymous pages on each node.
pub fn anon_by_node(m: &Machine) -> Vec<u32> {
    let mut pages = vec![0; m.w.facts.layout.nodes.len()];
    for p in 0..m.w.processes.all.len() {
        for held in m.w.processes.holdings(p) {
            let page = m.w.mem.pages[held.frame];
            if page.is_anon() {
                let node = m.w.mem.zones[page.zone()].node;
                pages[node.index()] += 1 << page.order();
            }
        }
    }
    pages
}
