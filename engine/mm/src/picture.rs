//! Pictures of a machine: turns its state into the plain data of [`crate::view`].
//!
//! Modelled: nothing; reading only. Left out: anything that would need the machine to move.
//! Invariants: taking a picture changes nothing; sentences come from recorded decisions only.

mod reclaim;

use crate::frames::{Frame, FunctionId, NAMES};
use crate::gfp::{AllocFlags, Gfp};
use crate::kernel::BlockReserve;
use crate::machine::{Machine, Task, TaskKind, TaskStatus};
use crate::map::ranges;
use crate::mmzone::{
    Gauge, LRU_ACTIVE_ANON, LRU_ACTIVE_FILE, LRU_INACTIVE_ANON, LRU_INACTIVE_FILE, LRU_UNEVICTABLE,
    Page, PageKind, WMARK_LOW, Zone, flag,
};
use crate::page_alloc::Request;
use crate::page_writeback::FLUSH_REASONS;
use crate::show::{MARKS, commas, order_name, type_name, zone_name};
use crate::trace::{EVENTS, Field, Record, What};
use crate::view::*;
use crate::vmscan::LRU_NAMES;
use crate::vmscan::throttle::REASONS;
use crate::why::{Line as WhyLine, WHYS};
use crate::world::World;

/// The state a page is drawn in; `page` heads its block.
pub fn state_of(page: Page) -> PageState {
    let active = page.has(flag::ACTIVE);
    match page.kind() {
        PageKind::Free | PageKind::Pcp => PageState::Free,
        PageKind::Anon | PageKind::File if page.has(flag::ISOLATED) => PageState::Isolated,
        PageKind::Anon | PageKind::File if page.has(flag::WRITEBACK) => PageState::Writeback,
        PageKind::File if page.has(flag::DIRTY) => PageState::Dirty,
        PageKind::Anon if active => PageState::AnonActive,
        PageKind::Anon => PageState::AnonInactive,
        PageKind::File if active => PageState::FileActive,
        PageKind::File => PageState::FileInactive,
        PageKind::HugeAnon => PageState::Huge,
        PageKind::PageTable => PageState::PageTable,
        PageKind::Kernel | PageKind::Slab => PageState::Slab,
        PageKind::InFlight => PageState::Isolated,
        PageKind::Reserved | PageKind::Absent | PageKind::Tail => PageState::Reserved,
    }
}

/// Name of a task: "touch/1", "kswapd0".
pub fn task_name(w: &World, task: &Task) -> String {
    match task.kind {
        TaskKind::User { program, instance } => {
            format!("{}/{instance}", w.facts.programs[program as usize].name)
        }
        TaskKind::Kswapd { node } => format!("kswapd{node}"),
        TaskKind::Timer { cpu } => format!("timer/{cpu}"),
        TaskKind::Device { device } => {
            format!("irq/{}", w.facts.devices[device as usize].profile.id)
        }
        TaskKind::Flusher { device } => {
            format!("flush-{}", w.facts.devices[device as usize].profile.id)
        }
        TaskKind::Sysctl => "sysctl".to_string(),
    }
}

/// Everything small about this moment. `followed` is the task whose stack is shown.
pub fn view(m: &Machine, followed: Option<u32>) -> View {
    let w = &m.w;
    let last = w.run.steps.checked_sub(1);
    let records: Vec<&Record> = w
        .rec
        .records
        .iter()
        .rev()
        .take_while(|r| Some(r.step) == last)
        .collect();
    let ran = records.first().map(|r| r.task).or(w.rec.last_task);
    let followed = followed.filter(|&t| (t as usize) < m.tasks.len());
    let followed = followed.or(ran).or(Some(w.task));
    let shown = followed.and_then(|t| m.tasks.get(t as usize));
    let stack = shown.map_or(Vec::new(), |t| {
        t.stack.iter().rev().map(|f| frame_view(w, f)).collect()
    });
    let why = records.iter().find_map(|r| match r.what {
        What::Why(_) => Some(why_view(m, r)),
        What::Event(_) => None,
    });
    View {
        position: m.position(),
        zones: (0..w.mem.zones.len())
            .map(|z| zone_view(w, z as u8))
            .collect(),
        nodes: nodes(w),
        tasks: m
            .tasks
            .iter()
            .enumerate()
            .map(|(id, t)| task_view(w, id as u32, t))
            .collect(),
        ran,
        next: (!w.sched.ended).then_some(w.task),
        followed,
        stack,
        why,
        events: records
            .iter()
            .rev()
            .filter_map(|r| event_view(m, r))
            .collect(),
        route: shown.and_then(|t| route(w, t)),
        lru: reclaim::lru(w),
        batches: reclaim::batches(m),
        reclaimers: reclaim::reclaimers(m),
        devices: reclaim::devices(w),
        writeback: reclaim::writeback(w),
        counters: counters(w),
    }
}

fn counters(w: &World) -> Vec<(String, u64)> {
    let mut out = w.counters.named(&w.facts.layout.zone_types);
    let numa = [
        "numa_hit",
        "numa_miss",
        "numa_foreign",
        "numa_interleave",
        "numa_local",
        "numa_other",
    ];
    for (i, name) in numa.into_iter().enumerate() {
        out.push((
            name.to_string(),
            w.mem.zones.iter().map(|z| z.numa[i]).sum(),
        ));
    }
    out.retain(|&(_, n)| n > 0);
    out
}

fn nodes(w: &World) -> Vec<NodeView> {
    let states = w.kswapd.iter().zip(&w.pgdat).zip(0..);
    states
        .map(|((k, pgdat), id)| NodeView {
            id,
            kswapd_awake: k.awake,
            kswapd_wakes: k.wakes,
            kswapd_order: k.order.into(),
            kswapd_since_ns: k.since_ns,
            kswapd_napping: k.napping,
            kswapd_failures: pgdat.kswapd_failures.into(),
            throttled: reclaim::writeback_gate(pgdat),
        })
        .collect()
}

fn zone_view(w: &World, id: u8) -> ZoneView {
    let z = &w.mem.zones[id as usize];
    let (node, kind) = (usize::from(z.node), usize::from(z.kind));
    let layout = &w.facts.layout.nodes[node].zones[kind];
    let types = crate::gfp::TYPES;
    let lists = |order| {
        (0..types)
            .map(move |t| u64::from(w.mem.lists.len(w.mem.free_list(id, order, t))))
            .collect()
    };
    let mut blocks = vec![0; types.into()];
    for (block, &t) in (z.first >> w.mem.pageblock_order..).zip(zone_blocks(w, z)) {
        let first = block << w.mem.pageblock_order;
        if w.mem.pages[first as usize].kind() != PageKind::Absent {
            blocks[usize::from(t)] += 1;
        }
    }
    ZoneView {
        key: w.zone_key(id),
        node: z.node.into(),
        name: w.zone_type(z.kind).name().to_string(),
        start_pfn: layout.start_pfn,
        spanned: layout.spanned,
        present: z.present.into(),
        managed: z.managed.into(),
        free: z.nr_free_pages.into(),
        pcp: z.kinds[PageKind::Pcp as usize].into(),
        min: z.mark(0).into(),
        low: z.mark(1).into(),
        high: z.mark(2).into(),
        boost: z.boost.into(),
        protection: z.protection[..w.facts.layout.zone_types.len()]
            .iter()
            .map(|&p| p.into())
            .collect(),
        states: states(z),
        nr_free: z.nr_free[..w.mem.orders.into()]
            .iter()
            .map(|&n| n.into())
            .collect(),
        free_lists: (0..w.mem.orders).map(lists).collect(),
        blocks,
    }
}

fn zone_blocks<'a>(w: &'a World, z: &Zone) -> &'a [u8] {
    let shift = w.mem.pageblock_order;
    &w.mem.blocks[(z.first >> shift) as usize..((z.first + z.frames) >> shift) as usize]
}

/// Pages of a zone by state. Dirty pages and pages being written are taken out of the inactive
/// list first, where most of them are: which list each is on is only known page by page.
fn states(z: &Zone) -> Vec<u64> {
    let mut out = vec![0; PAGE_STATES];
    let mut add = |state: PageState, pages: u32| out[state as usize] += u64::from(pages);
    let kind = |k: PageKind| z.kinds[k as usize];
    let listed = |lru: u8| z.lru[usize::from(lru)];
    add(PageState::Free, kind(PageKind::Free) + kind(PageKind::Pcp));
    add(PageState::Huge, kind(PageKind::HugeAnon));
    add(PageState::PageTable, kind(PageKind::PageTable));
    add(
        PageState::Slab,
        kind(PageKind::Kernel) + kind(PageKind::Slab),
    );
    add(PageState::Reserved, kind(PageKind::Reserved));
    add(PageState::AnonActive, listed(LRU_ACTIVE_ANON));
    add(PageState::AnonInactive, listed(LRU_INACTIVE_ANON));
    let mut busy = z.gauge(Gauge::Dirty) + z.gauge(Gauge::Writeback);
    for (state, lru) in [
        (PageState::FileInactive, LRU_INACTIVE_FILE),
        (PageState::FileActive, LRU_ACTIVE_FILE),
    ] {
        let taken = busy.min(listed(lru));
        busy -= taken;
        add(state, listed(lru) - taken);
    }
    add(PageState::Dirty, z.gauge(Gauge::Dirty));
    add(
        PageState::Writeback,
        z.gauge(Gauge::Writeback) - busy.min(z.gauge(Gauge::Writeback)),
    );
    let lists: u32 = z.lru[..4].iter().sum();
    let lists = lists + z.lru[usize::from(LRU_UNEVICTABLE)];
    add(PageState::AnonInactive, z.lru[usize::from(LRU_UNEVICTABLE)]);
    let pages = kind(PageKind::Anon) + kind(PageKind::File);
    add(
        PageState::Isolated,
        kind(PageKind::InFlight) + pages.saturating_sub(lists),
    );
    out
}

fn task_view(w: &World, id: u32, t: &Task) -> TaskView {
    let cpu = &w.sched.cpus[t.cpu as usize];
    let on_cpu = match t.kind {
        TaskKind::Timer { .. } | TaskKind::Device { .. } => w.task == id,
        _ => cpu.current == id,
    };
    let state = match t.status {
        TaskStatus::Runnable if on_cpu => TaskState::Running,
        TaskStatus::Runnable => TaskState::Runnable,
        TaskStatus::Sleeping => TaskState::Sleeping,
        TaskStatus::Waiting => TaskState::Waiting,
        TaskStatus::Exited => TaskState::Exited,
    };
    let sleeper = cpu.sleepers().iter().find(|&&(_, task)| task == id);
    let function = t.stack.last().map_or("", |f| match f.function() {
        FunctionId::User => "",
        function => NAMES[function as usize],
    });
    let (waits_for, waits_since_ns) = reclaim::waits_for(w, t);
    TaskView {
        id,
        name: task_name(w, t),
        pid: 1000 + id,
        cpu: t.cpu.into(),
        node: w.facts.node_of_cpu[t.cpu as usize].into(),
        state,
        wakes_at_ns: sleeper.map(|&(at, _)| at),
        function: function.to_string(),
        rss: w
            .spaces
            .all
            .get(t.cx.space as usize)
            .map_or(0, |s| s.rss.into()),
        waits_for,
        waits_since_ns,
        kernel_thread: !matches!(t.kind, TaskKind::User { .. }),
    }
}

fn frame_view(w: &World, f: &Frame) -> FrameView {
    FrameView {
        function: f.function() as u32,
        line: f.line().into(),
        locals: f.locals(w),
    }
}

/// The zonelist walk of a task's allocation in progress.
fn route(w: &World, task: &Task) -> Option<Route> {
    let rq = task.stack.iter().rev().find_map(|f| match f {
        Frame::AllocPages(a) => Some(a.rq),
        _ => None,
    })?;
    let walk = task.stack.iter().rev().find_map(|f| match f {
        Frame::FreeList(g) => Some(g),
        _ => None,
    });
    let (mark, alloc_flags) =
        walk.map_or((WMARK_LOW, AllocFlags::default()), |g| (g.mark, g.flags));
    let took = walk.is_some_and(|g| matches!(g.pt, crate::page_alloc::GfPt::Took));
    let at = walk
        .filter(|g| g.zone != u8::MAX)
        .map(|g| (g.next - 1, g.zone));
    let list = &w.facts.zonelists[rq.node as usize];
    let stops = (0u8..).zip(list).map(|(place, &zone)| {
        let z = &w.mem.zones[zone as usize];
        let state = match at {
            _ if z.kind > rq.high => StopState::NotAllowed,
            Some((now, _)) if place < now => StopState::Passed,
            Some((now, _)) if place == now && took => StopState::Took,
            Some((now, _)) if place == now => StopState::Now,
            _ => StopState::Ahead,
        };
        stop(w, zone, &rq, mark, alloc_flags, state)
    });
    Some(Route {
        task: task.cx.task,
        node: w.home(rq.node).into(),
        order: rq.order.into(),
        gfp: rq.gfp.to_string(),
        mark: if walk.is_some() {
            MARKS[mark as usize]
        } else {
            "none"
        }
        .to_string(),
        alloc_flags: alloc_flags.names().map(str::to_string).collect(),
        stops: stops.collect(),
    })
}

fn stop(w: &World, zone: u8, rq: &Request, mark: u8, f: AllocFlags, state: StopState) -> Stop {
    let z = &w.mem.zones[zone as usize];
    let mut min = z.mark(mark);
    if f.has(AllocFlags::HIGH) {
        min -= min / 2;
    }
    if f.has(AllocFlags::HARDER) {
        min -= min / 4;
    }
    let kept_back = z.protection[rq.classzone as usize];
    Stop {
        zone: w.zone_key(zone),
        state,
        needs: u64::from(min) + u64::from(kept_back),
        kept_back: kept_back.into(),
    }
}

fn why_view(m: &Machine, r: &Record) -> Why {
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

/// Fills a template; see [`crate::why`] for its placeholders.
fn sentence(m: &Machine, template: &str, n: &[u32; 6]) -> Vec<Span> {
    let mut out = Vec::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let close = rest[open..].find('}').map_or(rest.len(), |i| open + i);
        if open > 0 {
            out.push(Span::Text {
                text: rest[..open].to_string(),
            });
        }
        out.push(placeholder(m, &rest[open + 1..close], n));
        rest = rest.get(close + 1..).unwrap_or("");
    }
    if !rest.is_empty() {
        out.push(Span::Text {
            text: rest.to_string(),
        });
    }
    if let Some(Span::Number { text }) = out.first_mut()
        && text.starts_with("node ")
    {
        text.replace_range(..1, "N");
    }
    out
}

fn placeholder(m: &Machine, what: &str, n: &[u32; 6]) -> Span {
    let w = &m.w;
    let kind = what.chars().next().filter(char::is_ascii_alphabetic);
    let rest = if kind.is_some() { &what[1..] } else { what };
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

fn event_view(m: &Machine, r: &Record) -> Option<EventView> {
    let What::Event(event) = r.what else {
        return None;
    };
    let info = &EVENTS[event as usize];
    let w = &m.w;
    let mut pages = None;
    let fields = info.fields.iter().zip(r.n).map(|(&(name, field), n)| {
        let value = match field {
            Field::Page if n == crate::frames::NONE => "none".to_string(),
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

/// The facts of a machine's experiment that the page shows and that do not change.
pub fn info(m: &Machine, e: &crate::experiment::Experiment) -> Info {
    let w = &m.w;
    let g = w.facts.layout.geometry;
    let frames: u64 = w.mem.zones.iter().map(|z| u64::from(z.present)).sum();
    let highatomic = w.facts.features.block_reserve == BlockReserve::HighAtomic;
    let types = 0..crate::gfp::TYPES;
    Info {
        experiment: e.raw.id.clone(),
        title: e.raw.title.clone(),
        kernel: e.kernel.id.to_string(),
        machine: e.machine.id.clone(),
        machine_title: e.machine.title.clone(),
        workload: e.workload.id.clone(),
        seed: e.seed,
        length_ns: e.length_ns,
        page_size: 1 << g.page_shift,
        orders: g.orders.into(),
        pageblock_order: g.pageblock_order.into(),
        zone_types: w
            .facts
            .layout
            .zone_types
            .iter()
            .map(|z| z.name().to_string())
            .collect(),
        migratetypes: types
            .map(|t| crate::gfp::migratetype_name(t, highatomic).to_string())
            .collect(),
        nodes: (0..w.facts.layout.nodes.len())
            .map(|n| node_info(w, n))
            .collect(),
        frames,
        teaching: frames <= 3100,
        hz: w.facts.layout.hz.into(),
        state_bytes: m.bytes() as u64,
    }
}

fn node_info(w: &World, n: usize) -> NodeInfo {
    let node = &w.facts.layout.nodes[n];
    NodeInfo {
        id: node.id.into(),
        cpus: node.cpus.iter().map(|&c| c.into()).collect(),
        distances: w.facts.layout.distances[n]
            .iter()
            .map(|&d| d.into())
            .collect(),
        ranges: ranges(w, n),
        absent: absent(w, n),
    }
}

/// Zones between DMA and Normal that other nodes have and this one lacks, with the reason.
fn absent(w: &World, n: usize) -> Vec<(String, String)> {
    let layout = &w.facts.layout;
    let node = &layout.nodes[n];
    let ranges = ranges(w, n);
    let first = ranges.iter().map(|r| r.0).min().unwrap_or(0);
    let mut out = Vec::new();
    for (k, zone) in node.zones.iter().enumerate() {
        let elsewhere = layout.nodes.iter().any(|o| o.zones[k].is_populated());
        if zone.is_populated() || !elsewhere {
            continue;
        }
        let others = layout
            .nodes
            .iter()
            .map(|o| &o.zones[k])
            .filter(|z| z.is_populated());
        let below = others.map(|z| z.end_pfn()).max().unwrap_or(0) <= first;
        let reason = if ranges.is_empty() {
            format!("node {} has no memory", node.id)
        } else if below {
            format!("node {} starts above it", node.id)
        } else {
            format!("node {} ends below it", node.id)
        };
        out.push((zone.kind.name().to_string(), reason));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use crate::why::Why;

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
