//! Moving pages in a running machine changes nothing else; also, compaction in a running machine.

use facts::index::FrameIndex;
use std::collections::BTreeSet;

use mm::check::check;
use mm::experiment::Experiment;
use mm::frames::Frame;
use mm::machine::Machine;
use mm::migrate::move_page;
use mm::mmzone::{PageKind, flag};
use mm::record::RecordKind;
use mm::rng::Rng;
use serde_json::{Value, json};

/// A machine of one zone of `pages` pages, with swap, on which a kernel runs these processes.
fn machine(kernel: &str, pages: u64, processes: Value) -> Machine {
    let raw = json!({
        "machine": {
            "id": "moves", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 4096, "pages": pages }], "cpus": 2 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "d2010",
            "pcp": true, "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "disk_2010", "files": true, "swap": 32768 }],
        },
        "kernel": kernel, "seed": 1, "length": "60s",
        "workload": { "id": "moves", "files": [
            { "name": "data", "size": "4 MiB" }, { "name": "log", "size": "2 MiB" },
        ], "processes": processes },
    });
    Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"))
}

/// Reads, writes and maps files, touches memory, ends some processes: everything fits into memory.
fn quiet() -> Value {
    json!([
        { "name": "files", "program": [
            { "op": "map", "region": "shared", "file": "data" },
            { "op": "repeat", "times": 40, "do": [
                { "op": "read", "file": "data", "size": "256 KiB", "chunk": "6 KiB" },
                { "op": "touch", "region": "shared", "pages": 60, "write": true, "order": "random" },
                { "op": "write", "file": "log", "size": "128 KiB", "chunk": "3 KiB" },
                { "op": "fsync", "file": "log" },
            ] },
        ] },
        { "name": "heap", "count": 2, "program": [
            { "op": "repeat", "times": 40, "do": [
                { "op": "map", "region": "heap", "size": 300 },
                { "op": "touch", "region": "heap" },
                { "op": "dontneed", "region": "heap", "every": 2 },
                { "op": "touch", "region": "heap", "order": "random", "pages": 500 },
                { "op": "free", "region": "heap" },
            ] },
        ] },
    ])
}

/// Moves an idle page that is on a list and in no CPU's vector to a free frame, as compaction
/// would. The new page goes to the head of the list. This takes no virtual time.
fn move_one(m: &mut Machine, rng: &mut Rng) -> bool {
    let now = m.w.now;
    let n = m.w.mem.pages.len() as u32;
    let busy = flag::LOCKED | flag::WRITEBACK | flag::UNEVICTABLE;
    let from = FrameIndex::new(rng.below(n));
    let is_idle = |m: &Machine, f: FrameIndex| {
        let page = m.w.mem.pages[f];
        let waits = m.w.lru_add.iter().any(|vec| vec.pages.contains(&f));
        page.has(flag::LRU) && page.meta & busy == 0 && !page.is_orphan() && !waits
    };
    if m.tasks.iter().any(has_zone_lock) {
        return false;
    }
    let Some(old) = from.until(FrameIndex::new(n)).find(|&f| is_idle(m, f)) else {
        return false;
    };
    let order0 = |m: &Machine, f: FrameIndex| {
        let page = m.w.mem.pages[f];
        page.is(PageKind::Free) && page.order() == 0
    };
    let Some(new) = m.w.mem.pages.indices().find(|&f| order0(m, f)) else {
        return false;
    };
    m.w.mem.del_free(new);
    m.w.counters.compact_free_taken += 1;
    m.w.mem.lru_del(old);
    m.w.mem.pages[old].set(flag::LOCKED | flag::ISOLATED);
    move_page(&mut m.w, old, new);
    m.w.mem.lru_add(new);
    // The old frame becomes free instead of the new one.
    m.w.counters.pgfree += 1;
    let t = m.w.mem.block_type(old);
    m.w.mem.add_free(old, 0, t, false);
    merge(m, old);
    m.w.now = now;
    true
}

/// Is a task changing the buddy lists, with their lock held?
fn has_zone_lock(task: &mm::machine::Task) -> bool {
    task.stack.iter().next_back().is_some_and(|f| {
        matches!(
            f,
            Frame::Rmqueue(_)
                | Frame::RmqueueBulk(_)
                | Frame::RmqueueSmallest(_)
                | Frame::Fallback(_)
                | Frame::FreePages(_)
                | Frame::FreeOne(_)
                | Frame::PcpBulk(_)
        )
    })
}

/// Merges a free page with its buddies.
fn merge(m: &mut Machine, mut frame: FrameIndex) {
    let mem = &mut m.w.mem;
    loop {
        let page = mem.pages[frame];
        let (order, zone) = (page.order(), page.zone());
        let buddy = frame.buddy(order);
        if order + 1 >= mem.orders || !mem.is_free_block(buddy, order, zone) {
            return;
        }
        let t = mem.block_type(frame);
        mem.del_free(frame);
        mem.del_free(buddy);
        frame = mem.join(frame, order);
        mem.add_free(frame, order + 1, t, false);
    }
}

/// The results of a run, without the arrangement of free pages.
fn outcome(m: &Machine) -> Vec<u64> {
    let c = &m.w.counters;
    let files = m.w.files.all.iter();
    let files = files.flat_map(|f| [f.nr_pages.into(), f.nr_dirty.into(), f.written.into()]);
    let counted = [
        c.pgfault,
        c.pgmajfault,
        c.pgpgin,
        c.nr_dirtied,
        c.pgactivate,
        c.pswpout,
        c.oom_kill,
    ];
    counted.into_iter().chain(files).collect()
}

/// Pages are moved every few steps, whatever their users do. Between two steps all state is consistent,
/// and the run ends with the same results as without moves.
#[test]
fn moving_pages_does_not_change_the_results_of_a_run() {
    let mut still = machine("2.6.37", 16_384, quiet());
    still.run(u64::MAX, u64::MAX);
    let mut shaken = machine("2.6.37", 16_384, quiet());
    let mut rng = Rng::stream(3, 1);
    let mut moved = 0;
    while !shaken.w.sched.ended {
        let step = shaken.w.run.steps() + 1 + u64::from(rng.below(60));
        shaken.run(step, u64::MAX);
        moved += u32::from(move_one(&mut shaken, &mut rng));
        if moved % 256 == 1 {
            assert_eq!(check(&shaken), [], "after step {step}");
        }
    }
    assert!(moved > 5_000, "{moved} pages were moved");
    assert_eq!(check(&shaken), []);
    assert_eq!(outcome(&shaken), outcome(&still));
}

/// A reader has found its page and not yet read it when the page is moved: the reader then reads
/// the new page.
#[test]
fn a_reader_finds_its_page_after_the_page_was_moved() {
    let mut m = machine("2.6.37", 16_384, quiet());
    let mut met = 0;
    while met < 20 {
        m.run(m.w.run.steps() + 1, u64::MAX);
        let found = m
            .tasks
            .iter()
            .find_map(|t| match t.stack.iter().next_back() {
                Some(Frame::FileRead(f)) if f.pt == mm::filemap::FrPt::Copy => {
                    let fd = &m.w.processes.all[t.cx.process as usize].fds[f.fd as usize];
                    Some((f.frame, fd.file, t.cx.task))
                }
                _ => None,
            });
        let Some((old, file, task)) = found else {
            continue;
        };
        let page = m.w.mem.pages[old];
        let busy = flag::LOCKED | flag::WRITEBACK;
        if page.owner != file || page.meta & busy != 0 || !page.has(flag::LRU) {
            continue;
        }
        let index = page.index;
        let free =
            |f: &FrameIndex| m.w.mem.pages[*f].is(PageKind::Free) && m.w.mem.pages[*f].order() == 0;
        let Some(new) = m.w.mem.pages.indices().find(free) else {
            continue;
        };
        m.w.mem.del_free(new);
        m.w.counters.compact_free_taken += 1;
        m.w.mem.lru_del(old);
        m.w.mem.pages[old].set(flag::LOCKED | flag::ISOLATED);
        move_page(&mut m.w, old, new);
        m.w.mem.lru_add(new);
        m.w.counters.pgfree += 1;
        let t = m.w.mem.block_type(old);
        m.w.mem.add_free(old, 0, t, false);
        merge(&mut m, old);
        assert_eq!(m.w.files.page(file, index), Some(new));
        // The call frame holds the old page until the reader looks the page up again, which it must
        // do.
        let before = m.w.mem.pages[new].has(flag::REFERENCED);
        while m.tasks[task]
            .stack
            .iter()
            .next_back()
            .is_some_and(|f| matches!(f, Frame::FileRead(f) if f.pt == mm::filemap::FrPt::Copy))
        {
            m.run(m.w.run.steps() + 1, u64::MAX);
        }
        let page = m.w.mem.pages[new];
        assert!(page.has(flag::REFERENCED) || page.has(flag::ACTIVE) || before);
        assert_eq!(m.w.mem.pages[old].meta & flag::REFERENCED, 0);
        met += 1;
    }
    assert_eq!(check(&m), []);
}

/// Huge pages of 16 MiB with base pages of 4 KiB: order 12, 4,096 pages per block. The code is the
/// same.
#[test]
fn a_machine_with_huge_pages_of_order_12_compacts() {
    let raw = json!({
        "machine": "ppc64-3g-4k", "kernel": "2.6.37", "seed": 1, "length": "60s",
        "workload": { "id": "holes", "processes": [{ "name": "hog", "program": [
            { "op": "map", "region": "heap", "size": "2850 MiB" },
            { "op": "touch", "region": "heap" },
            { "op": "dontneed", "region": "heap", "every": 2 },
            { "op": "alloc", "pool": "huge", "order": 12, "count": 20, "type": "movable", "go_on": true },
        ] }] },
    });
    let mut m = Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"));
    assert_eq!((m.w.mem.pageblock_order, m.w.mem.orders), (12, 13));
    m.run(u64::MAX, u64::MAX);
    let c = &m.w.counters;
    assert!(c.compact_success > 0 && c.compact_pages_moved > 4096);
    assert_eq!(check(&m), []);
}

/// Teaching size: 64 blocks of 64 pages. The code is the same.
#[test]
fn a_machine_of_many_short_blocks_compacts() {
    let raw = json!({
        "machine": "sh4-16m-teach", "kernel": "2.6.37", "seed": 1, "length": "60s",
        "workload": { "id": "holes", "processes": [{ "name": "hog", "program": [
            { "op": "map", "region": "heap", "size": "15 MiB" },
            { "op": "touch", "region": "heap" },
            { "op": "dontneed", "region": "heap", "every": 2 },
            { "op": "alloc", "pool": "huge", "order": 6, "count": 20, "type": "movable", "go_on": true },
        ] }] },
    });
    let mut m = Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"));
    assert_eq!((m.w.mem.pageblock_order, m.w.mem.blocks.len()), (6, 64));
    while !m.w.sched.ended {
        m.run(m.w.run.steps() + 97, u64::MAX);
        assert_eq!(check(&m), []);
    }
    let c = &m.w.counters;
    assert!(c.compact_success > 0 && c.compact_pages_moved > 64);
}

/// Memory is full of pages of a task and of a file, with holes, and huge pages are requested.
/// Compaction makes the blocks, and between any two steps all state is consistent.
#[test]
fn compaction_makes_huge_pages_by_moving_pages() {
    let processes = json!([
        { "name": "hog", "program": [
            { "op": "map", "region": "heap", "size": "8 MiB" },
            { "op": "touch", "region": "heap" },
            { "op": "dontneed", "region": "heap", "every": 2 },
            { "op": "repeat", "times": 100, "do": [
                { "op": "touch", "region": "heap", "order": "random", "pages": 40 },
                { "op": "read", "file": "data", "size": "64 KiB" },
                { "op": "write", "file": "log", "size": "32 KiB" },
                { "op": "think", "time": "20ms" },
            ] },
        ] },
        { "name": "pool", "start": "300ms", "program": [
            { "op": "repeat", "times": 100, "do": [
                { "op": "alloc", "pool": "huge", "order": 9, "count": 4, "type": "movable", "go_on": true },
                { "op": "think", "time": "30ms" },
                { "op": "release", "pool": "huge" },
            ] },
        ] },
    ]);
    let mut m = machine("2.6.37", 4096, processes);
    let mut seen = BTreeSet::new();
    m.w.rec.on = true;
    while m.w.run.steps() < 1_500_000 && m.w.now < 6_000_000_000 {
        m.run(m.w.run.steps() + 211, u64::MAX);
        assert_eq!(check(&m), [], "after step {}", m.w.run.steps());
        seen.extend(m.w.rec.records.drain(..).map(|r| r.kind));
    }
    use RecordKind::{CompactAlloc, CompactBegins, MigrateMoved, TargetTaken};
    for kind in [CompactBegins, MigrateMoved, TargetTaken, CompactAlloc] {
        assert!(seen.contains(&kind), "{kind:?} never happened");
    }
    let c = &m.w.counters;
    assert!(c.compact_success > 0 && c.compact_pages_moved > 100);
    assert!(c.compact_stall >= c.compact_success + c.compact_fail);
}
