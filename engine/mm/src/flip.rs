//! Checks that every field of a machine is part of its hash: changes each field in turn, on a
//! machine that has a value in every field.

use facts::index::{
    CpuIndex, FrameIndex, GroupIndex, LruvecIndex, NodeIndex, TaskIndex, ZoneIndex, ZonelistIndex,
};
use std::collections::BTreeSet;

use facts::state::Walk;

use crate::stack::Stack;

/// A workload that reaches every function of files and swap.
fn everything() -> serde_json::Value {
    serde_json::json!({
        "id": "everything", "title": "", "about": "",
        "files": [{ "name": "map", "size": "20%" }, { "name": "log", "size": "20%" }],
        "processes": [
            { "name": "files", "count": 1, "program": [
                { "op": "map", "region": "shared", "file": "map" },
                { "op": "repeat", "times": 1000, "do": [
                    { "op": "read", "file": "map", "size": 16 },
                    { "op": "write", "file": "log", "size": 16 },
                    { "op": "unlink", "file": "log" },
                    { "op": "touch", "region": "shared", "write": true, "pages": 50 },
                    { "op": "write", "file": "log", "size": 100 },
                    { "op": "fsync", "file": "log" },
                    { "op": "create", "count": 3, "size": 8 }
                ] }
            ] },
            { "name": "hog", "count": 2, "program": [
                { "op": "map", "region": "heap", "size": "45%" },
                { "op": "repeat", "times": 1000, "do": [{ "op": "touch", "region": "heap" }] }
            ] }
        ]
    })
}

/// Gives a flusher files, work and an extent.
fn give_flusher(wb: &mut crate::page_writeback::Wb) {
    wb.io.push(0);
    wb.more_io.push(0);
    wb.work.push(crate::page_writeback::Work {
        reason: crate::page_writeback::FlushReason::Sync,
        pages: 0,
    });
    wb.io_ends.push(crate::page_writeback::extent::IoEnd {
        id: 0,
        next: 0,
        len: 0,
        left: 0,
        open: false,
        pages: vec![FrameIndex::new(0)],
    });
}

/// Gives a device requests, its flusher work, and a task a bio that is being filled.
fn give_io(m: &mut crate::machine::Machine) {
    for start in [0, 1000, 2000] {
        let bio = crate::block::Bio {
            device: 0,
            write: true,
            sync: false,
            origin: crate::block::Origin::Other,
            start,
            pages: vec![FrameIndex::new(1)],
            end: crate::block::End::Write,
            io_end: crate::frames::NONE,
        };
        crate::block::submit_bio(&mut m.w, bio);
    }
    give_flusher(&mut m.w.wb.wbs[0]);
    m.tasks[TaskIndex::new(0)].cx.bio.push(FrameIndex::new(1));
}

/// A machine with at least one of everything, including a call frame of every function.
#[expect(
    clippy::too_many_lines,
    reason = "one field after the other, in one list"
)]
fn rich() -> crate::machine::Machine {
    use crate::experiment::Experiment;
    use crate::machine::Machine;
    use std::collections::BTreeMap;
    let mut frames = BTreeMap::new();
    let mut rich = None;
    for id in [
        "first-touch.teach",
        "first-touch.ppc64.teach",
        "mixed-types.teach",
        "many-tasks.teach",
        "run-out.teach",
        "watermarks.teach",
        "anon-hog.teach",
        "dirty-writer.teach",
        "streaming-reader.teach",
    ] {
        let mut raw = serde_json::to_value(crate::experiment::preset(id)).expect("an experiment");
        let machine = raw["machine"].as_str().and_then(crate::profile::find);
        raw["machine"] = serde_json::to_value(machine).expect("a machine");
        raw["machine"]["pcp"] = true.into();
        if id == "streaming-reader.teach" {
            let rates = crate::profile::MemoryRates::OPTERON_2012;
            raw["machine"]["memory"] = serde_json::to_value(rates).expect("rates");
            raw["workload"] = everything();
            raw["interventions"] =
                serde_json::json!([{ "at": "1ms", "set": { "vm.min_free_kbytes": "300" } }]);
            raw["machine"]["devices"] = serde_json::json!([
                { "id": "sda", "model": "ssd_2021", "files": true, "swap": 16384 }
            ]);
        }
        let mut m = Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"));
        while m.w.run.steps() < 300_000 && !m.w.sched.ended {
            m.run(m.w.run.steps() + 1, u64::MAX);
            for frame in m.tasks.iter().flat_map(|t| t.stack.iter()) {
                frames
                    .entry(frame.function() as u8)
                    .or_insert_with(|| frame.clone());
            }
        }
        rich = Some(m);
    }
    let mut m = rich.expect("a machine");
    let request = crate::page_alloc::Request::new(
        &m.w,
        crate::gfp::Gfp::GFP_KERNEL,
        0,
        ZonelistIndex::new(0),
    );
    use crate::vmscan::balance_scans::{BalanceScans, KswapdShrinkZone};
    use crate::vmscan::throttle::{CongestionWait, Reason, ReclaimThrottle};
    for rare in [
        crate::slowpath::wake::WakeAllKswapds::call(request),
        crate::slab::CacheGrow::call(0, request.gfp, ZonelistIndex::new(0)),
        crate::vmscan::zone_reclaim::ZoneReclaim::call(ZoneIndex::new(0), request),
        crate::vmscan::zone_reclaim::ZoneReclaimPass::call(ZoneIndex::new(0), request),
        ReclaimThrottle::call(NodeIndex::new(0), Reason::Writeback),
        CongestionWait::call(10),
        BalanceScans::call(NodeIndex::new(0), 0, 0),
        KswapdShrinkZone::call(ZoneIndex::new(0), ZoneIndex::new(0), 0),
        crate::oom::OutOfMemory::call(),
        crate::compaction::DirectCompact::call(request, crate::gfp::AllocFlags::default(), true),
        crate::compaction::TryToCompactPages::call(request, true),
        crate::compaction::CompactZone::call(ZoneIndex::new(0), 3, 0, true),
        crate::compaction::CompactNodes::call(),
        crate::compaction::ReclaimcompactZoneOrder::call(
            &m.w,
            &m.tasks[TaskIndex::new(0)].cx,
            ZoneIndex::new(0),
        ),
        crate::compaction::IsolateMigratepages::call(),
        crate::compaction::IsolateFreepages::call(),
        crate::migrate::MigratePages::call(),
        crate::migrate::UnmapAndMove::call(FrameIndex::new(0), 1, crate::migrate::Target::Scanner),
        crate::numa::scan::TaskNumaWork::call(&m.w.facts.features),
        crate::locks::MutexLock::call(0, 1),
        crate::sched::LoadBalance::call(CpuIndex::new(0), 0, crate::sched::balance::Idle::Busy),
        crate::numa::fault::DoNumaPage::of(0, 0),
        crate::numa::table_fault::DoPmdNumaPage::of(0, 0),
        crate::numa::cluster::DoNumaPages::of(0, 0, false),
        crate::numa::converge::TaskNumaPlacement::call(),
        crate::numa::autonuma::scand::KnumaScand::call(),
        crate::numa::autonuma::balance::SchedAutonumaBalance::call(CpuIndex::new(0)),
        crate::numa::migrate::MigrateMisplacedPage::call(
            &m.w,
            FrameIndex::new(0),
            NodeIndex::new(0),
        ),
        crate::block::BlkGetRequest::read(0, true),
        crate::page_writeback::WriteCachePages::call(0, 0, 1, crate::block::Origin::Other),
        crate::page_writeback::BalanceDirtyPages::call(1, 0),
        crate::vmscan::lru_gen::LruGenShrinkNode::call(NodeIndex::new(0)),
        crate::vmscan::lru_gen::TryToShrinkLruvec::call(LruvecIndex::new(0), 0),
        crate::vmscan::lru_gen::EvictFolios::call(LruvecIndex::new(0), 60),
        crate::vmscan::lru_gen::ScanFolios::call(LruvecIndex::new(0), 0, 0),
        crate::vmscan::lru_gen::TryToIncMaxSeq::call(LruvecIndex::new(0), 3, true),
        crate::vmscan::lru_gen::WalkMm::call(LruvecIndex::new(0), 0),
        crate::vmscan::lru_gen::LruGenAgeNode::call(NodeIndex::new(0)),
        crate::memcg::charge::TryCharge::call(GroupIndex::ROOT, 1, request.gfp),
        crate::memcg::reclaim::TryToFreeMemCgroupPages::call(
            GroupIndex::ROOT,
            1,
            request.gfp,
            &m.w,
        ),
        crate::memcg::over_high::HandleOverHigh::call(),
        crate::memcg::oom::MemCgroupOom::call(GroupIndex::ROOT, 1),
        crate::memcg::write::MemoryWrite::call(
            GroupIndex::ROOT,
            facts::intervention::CgroupFile::Max,
            1,
        ),
    ] {
        frames.insert(rare.function() as u8, rare);
    }
    give_io(&mut m);
    // The test changes the ends and the middle of each vector, so fill the vectors that happen to
    // be empty.
    let mapped = m.w.processes.all.iter().find(|p| p.space.rss > 0).cloned();
    let reader =
        m.w.processes
            .all
            .iter()
            .find(|p| !p.fds.is_empty())
            .cloned();
    m.w.processes.all[0] = mapped.expect("a process with pages");
    m.w.processes.all[0].fds = reader.expect("a process with files").fds;
    m.w.processes.all[0].pools.push(vec![FrameIndex::new(1)]);
    m.w.processes.all[0].anon_vma.fill();
    m.w.processes.all[0].auto.fill();
    m.w.sched
        .enqueue(TaskIndex::new(0), CpuIndex::new(0), 0, CpuIndex::new(0));
    m.w.sched.balance.fill();
    m.w.sched
        .sleep_until(TaskIndex::new(0), CpuIndex::new(0), 1);
    m.w.births.push(crate::world::Birth {
        parent: crate::frames::NONE,
        program: 0,
        node: ZonelistIndex::new(0),
        thread: Some(crate::world::NewThread {
            part: (0, 1),
            allowed: 0,
            interleave: 0,
        }),
    });
    m.w.phases.mark(0, 0, TaskIndex::new(0), 0);
    let sampler = crate::workload::Sampler {
        name: String::new(),
        less_ns: 0,
        together_below_ns: 0,
        rate: None,
    };
    m.w.phases.creating.begin(TaskIndex::new(0), 0);
    m.w.phases.creating.begin(TaskIndex::new(1), 0);
    m.w.phases.creating.end(TaskIndex::new(1), 0);
    m.w.phases.samples.begin(TaskIndex::new(0), 0, 0);
    m.w.phases
        .samples
        .took(0, TaskIndex::new(0), 0, &sampler, 1);
    m.w.phases.operations.begin(0, 0, 0);
    let waited = crate::phases::delays::Waited::Throttled(0);
    m.w.phases.delays.add(waited, false, 1, 1);
    m.w.sched.wakes.push(TaskIndex::new(0));
    m.w.kills.push(TaskIndex::new(0));
    m.w.congestion_wait.push(TaskIndex::new(0));
    m.w.wait_ends.push((TaskIndex::new(0), TaskIndex::new(0)));
    m.w.signals.push((0, 1));
    m.w.exits.push(0);
    m.w.affinities.push(((0, 1), 0));
    m.w.processes.all[0].threads.push(crate::process::Thread {
        task: TaskIndex::new(0),
        program: 0,
        at_barrier: false,
    });
    m.w.pgdat[NodeIndex::new(0)]
        .pfmemalloc_wait
        .push(TaskIndex::new(0));
    m.w.pgdat[NodeIndex::new(0)]
        .reclaim_wait
        .push((0, TaskIndex::new(0)));
    m.w.block.devices[0].throttled = [vec![TaskIndex::new(0)], vec![TaskIndex::new(0)]];
    m.w.block.fill();
    m.w.block.devices[0].queued.push(crate::block::Request {
        write: true,
        sync: false,
        origin: crate::block::Origin::Other,
        task: TaskIndex::new(0),
        start: 0,
        pages: vec![FrameIndex::new(0)],
        io_end: crate::frames::NONE,
        queued_at: 0,
        issued_at: 0,
        ends_at: 0,
    });
    give_flusher(&mut m.w.wb.wbs[0]);
    m.w.wb.wbs[0].doing = Some(crate::page_writeback::FlushReason::Sync);
    let tunables = &mut m.w.tunables;
    tunables.min_free_kbytes = Some(1);
    tunables.zone_reclaim_mode = Some(1);
    tunables.transparent_hugepage = Some(crate::profile::Thp::Never);
    tunables.numa_balancing = 1;
    m.w.task_works.push(TaskIndex::new(0));
    m.w.numa.fill();
    m.w.files.fill();
    m.w.evicted.note(0);
    m.w.slab.fill();
    m.w.memcg.fill();
    m.w.mem.groups.grow(1, 0);
    m.w.mem.lruvecs.as_mut_slice()[0].by_zone.push([0; 5]);
    m.w.page_wait.push((FrameIndex::new(0), TaskIndex::new(0)));
    m.w.processes.fill();
    let cx = &mut m.tasks[TaskIndex::new(0)].cx;
    cx.bio.push(FrameIndex::new(0));
    cx.access.fill();
    cx.plug.push(crate::block::Bio {
        device: 0,
        write: true,
        sync: false,
        origin: crate::block::Origin::Kswapd,
        start: 0,
        pages: vec![FrameIndex::new(0)],
        end: crate::block::End::Write,
        io_end: crate::frames::NONE,
    });
    for list in [&mut cx.sc.batch, &mut cx.sc.kept, &mut cx.sc.free] {
        list.push(FrameIndex::new(0));
    }
    cx.sc.survivors.push(FrameIndex::new(0));
    cx.migrate.list.push(FrameIndex::new(0));
    cx.cc.freepages.push(FrameIndex::new(0));
    m.w.swap.fill_by_cpu(2);
    m.w.mem.gen_bits.push(Default::default());
    m.w.mem.lruvecs[LruvecIndex::new(0)].lru_gen = Some(crate::mmzone::LruGen::filled());
    m.w.lru_gen_last.push(TaskIndex::new(0));
    for task in &mut m.tasks {
        if let Some(outermost) = task.stack.first().cloned() {
            task.stack = Stack::new(outermost);
        }
    }
    let missing: Vec<&str> = (0u8..)
        .zip(crate::frames::FUNCTIONS)
        .filter(|(id, _)| !frames.contains_key(id))
        .map(|(_, f)| f.name)
        .collect();
    assert!(missing.is_empty(), "no frame of {missing:?}");
    let more = frames.into_values().enumerate().map(|(i, frame)| {
        let mut task = m.tasks[TaskIndex::new(0)].clone();
        (task.cpu, task.stack) = (CpuIndex::new(i as u16), Stack::new(frame));
        task
    });
    m.tasks = more.collect();
    m
}

#[test]
fn changing_any_field_changes_the_hash() {
    let machine = rich();
    let hash = machine.hash();
    // The test changes the ends and the middle of a vector, so give each task the frame of another
    // function.
    let (mut changed, mut empty) = (BTreeSet::new(), BTreeSet::new());
    let mut count = 0;
    for task in std::iter::once(None).chain(machine.tasks.iter().cloned().map(Some)) {
        let mut m = machine.clone();
        if let Some(task) = task {
            m.tasks = vec![task].into();
        }
        let hash = if m.tasks.len() == 1 { m.hash() } else { hash };
        for left in 0.. {
            let mut walk = Walk::to(left);
            let mut m = m.clone();
            match m.tasks.len() {
                1 => walk.field("task", &mut m.tasks[TaskIndex::new(0)]),
                _ => walk.field("machine", &mut m),
            }
            let Some(hit) = walk.changed else {
                empty.extend(walk.empty);
                break;
            };
            assert_ne!(m.hash(), hash, "{hit} is not part of the hash");
            count += 1;
            changed.insert(hit);
        }
    }
    empty.retain(|at: &String| !changed.iter().any(|hit| hit.starts_with(at)));
    assert!(empty.is_empty(), "nothing to change in {empty:?}");
    assert!(count > 500, "only {count} values were changed");
}
