//! Plants a bug for every invariant; the recount must name it.

use facts::index::FrameIndex;
use mm::index::{
    CpuIndex, GroupIndex, ListIndex, ListSlot, LruvecIndex, NodeIndex, TaskIndex, ZoneIndex,
    ZonelistIndex,
};
use std::collections::BTreeSet;

use mm::amount::Pages;
use mm::block::{Bio, End, Origin, submit_bio};
use mm::check::{Violation, check};
use mm::experiment::Experiment;
use mm::frames::Frame;
use mm::machine::{Machine, TaskKind, TaskStatus};
use mm::memcg::{counter::Limits, group::Group};
use mm::mmzone::{Gauge, PageKind, flag};
use mm::page_writeback::extent::IoEnd;
use mm::page_writeback::set_page_writeback;
use mm::slab::{BUFFERS, INODE, TREE_NODE};

use super::fuzz::faulted::Faulted;

/// A valid machine at work, with per-cpu lists and pages of every kind.
fn sound() -> Machine {
    let mut raw =
        serde_json::to_value(mm::experiment::preset("mixed-types.teach").expect("a preset"))
            .expect("an experiment");
    let profile = mm::profile::find("x86_64-8g-teach").expect("a machine");
    raw["machine"] = serde_json::to_value(profile).expect("a machine");
    raw["machine"]["pcp"] = true.into();
    raw["tunables"]["transparent_hugepage"] = "madvise".into();
    let huge = serde_json::json!({ "name": "huge", "count": 1, "program": [
        { "op": "map", "region": "a", "size": 512, "huge": true },
        { "op": "touch", "region": "a" }, { "op": "think", "time": "50ms" } ] });
    let workloads = mm::experiment::workloads();
    let mixed = workloads
        .iter()
        .find(|w| w.id == "mixed-types")
        .expect("a workload");
    raw["workload"] = serde_json::to_value(mixed).expect("a workload");
    raw["workload"]["processes"]
        .as_array_mut()
        .expect("processes")
        .insert(0, huge);
    let experiment = Experiment::from_json(&raw.to_string()).expect("valid");
    let mut m = Machine::boot(&experiment);
    m.run(30_000, u64::MAX);
    while !is_rich(&m) {
        let step = m.w.run.steps() + 1;
        m.run(step, u64::MAX);
        assert!(!m.w.sched.ended, "no machine rich enough was found");
    }
    assert_eq!(check(&m), []);
    m
}

/// A valid machine with work on three CPUs.
fn busy() -> Machine {
    let preset = mm::experiment::preset("streaming-reader.teach").expect("a preset");
    let mut m = Machine::boot(&Experiment::new(preset).expect("a valid preset"));
    let has_work = |c: &&mm::sched::Cpu| !c.is_idle() || !c.sleepers().is_empty();
    while m.w.sched.cpus.iter().filter(has_work).count() < 3 {
        assert!(!m.w.sched.ended, "no machine busy enough was found");
        m.run(m.w.run.steps() + 1, u64::MAX);
    }
    assert_eq!(check(&m), []);
    m
}

/// Does the machine have a block of each kind, a sleeping task, a waiting task and a block that a
/// task holds?
fn is_rich(m: &Machine) -> bool {
    let count = |kind: PageKind| {
        m.w.mem
            .zones
            .iter()
            .map(|z| z.kinds[kind as usize])
            .sum::<u32>()
    };
    use PageKind::*;
    [Free, Pcp, InFlight, Anon, HugeAnon, PageTable, Kernel]
        .into_iter()
        .all(|k| count(k) > 0)
        && m.tasks.iter().any(|t| t.status == TaskStatus::Sleeping)
        && m.tasks
            .iter()
            .any(|t| matches!(t.stack.last(), Some(Frame::AnonPage(f)) if !f.frame.is_none()))
}

fn frame_of(m: &Machine, kind: PageKind) -> FrameIndex {
    let mut pages = m.w.mem.pages.entries();
    pages
        .find(|(_, p)| p.kind() == kind)
        .expect("a page of this kind")
        .0
}

fn set_meta(m: &mut Machine, frame: FrameIndex, kind: PageKind, order: u8) {
    let page = &mut m.w.mem.pages[frame];
    page.meta = page.meta & !0xff | u32::from(order) << 4 | kind as u32;
}

/// The head of a free block of at least this order.
fn free_block(m: &Machine, order: u8) -> FrameIndex {
    let mut pages = m.w.mem.pages.entries();
    let found = pages.find(|(_, p)| p.kind() == PageKind::Free && p.order() >= order);
    FrameIndex::new(found.expect("a free block").0.get())
}

fn user(m: &Machine, status: TaskStatus) -> TaskIndex {
    let is = |t: &mm::machine::Task| matches!(t.kind, TaskKind::User { .. }) && t.status == status;
    let found = m.tasks.entries().find(|(_, t)| is(t));
    found.expect("a task in this state").0
}

/// Starts to write a page to a position on the first device.
fn write_page(m: &mut Machine, frame: FrameIndex, start: u64) {
    if !m.w.mem.pages[frame].has(flag::WRITEBACK) {
        set_page_writeback(&mut m.w, frame);
    }
    let bio = Bio {
        device: 0,
        write: true,
        sync: false,
        origin: Origin::Other,
        start,
        pages: vec![frame],
        end: End::Write,
        io_end: mm::frames::NONE,
    };
    submit_bio(&mut m.w, bio);
}

/// Gives the machine a memory cgroup below the root, to which no page is charged.
fn give_cgroup(m: &mut Machine) {
    let memcg = &mut m.w.memcg;
    for parent in [GroupIndex::NONE, GroupIndex::ROOT] {
        memcg.memory.add(parent, Limits::default());
        memcg.swap.add(parent, Limits::default());
        memcg.groups.push(Group::default());
    }
    m.w.mem.groups.grow(m.w.mem.pages.len(), 0);
}

type Plant = fn(&mut Machine);

const PLANTS: &[(&str, Plant)] = &[
    ("FreeCharged", |m| {
        give_cgroup(m);
        let free = free_block(m, 0);
        m.w.mem.groups[free] = 1;
    }),
    ("Charges", |m| {
        give_cgroup(m);
        m.w.memcg.memory.all[GroupIndex::new(1)].usage += 1;
    }),
    ("SwapCharges", |m| {
        give_cgroup(m);
        m.w.memcg.swap.all[GroupIndex::new(1)].usage += 1;
    }),
    ("ObjectBytes", |m| {
        give_cgroup(m);
        m.w.memcg.groups[GroupIndex::new(1)].objects.used += 592;
    }),
    ("ProtectedUsage", |m| {
        give_cgroup(m);
        m.w.memcg.memory.all[GroupIndex::ROOT].children.low += 1;
    }),
    ("Unaligned", |m| {
        let f = free_block(m, 2);
        let order = m.w.mem.pages[f].order();
        set_meta(m, f, PageKind::Tail, 0);
        set_meta(m, f.next(), PageKind::Free, order);
    }),
    ("LeavesZone", |m| {
        let z = &m.w.mem.zones[ZoneIndex::new(0)];
        let head = z
            .all_frames()
            .rev()
            .find(|&f| m.w.mem.pages[f].kind() > PageKind::Tail);
        set_meta(m, head.expect("a block"), PageKind::Free, 10);
    }),
    ("Overlap", |m| {
        let f = free_block(m, 2);
        set_meta(m, f.next(), PageKind::Kernel, 0);
    }),
    ("Loose", |m| {
        let f = frame_of(m, PageKind::Kernel);
        set_meta(m, f, PageKind::Tail, 0);
    }),
    ("ListLength", |m| {
        m.w.mem.lists.miscount(ListIndex::new(0));
    }),
    ("ListedTwice", |m| {
        let f = free_block(m, 0);
        let mut copy = m.w.mem.pages.clone();
        m.w.mem.lists.push_head(&mut copy[f], ListIndex::new(0), f);
    }),
    ("ListedWrongly", |m| {
        let f = free_block(m, 1);
        let list = m.w.mem.lists.list_of(&m.w.mem.pages, f);
        let other = ListIndex::new(list.get() - 4);
        m.w.mem.lists.remove(&mut m.w.mem.pages, f);
        m.w.mem.lists.push_head(&mut m.w.mem.pages[f], other, f);
    }),
    ("Unlisted", |m| {
        let f = free_block(m, 0);
        m.w.mem.lists.remove(&mut m.w.mem.pages, f);
    }),
    ("SlotAstray", |m| {
        let f = free_block(m, 0);
        let slot = ListSlot::new(m.w.mem.pages[f].slot.get() ^ 1);
        m.w.mem.pages[f].slot = slot;
    }),
    ("FreePages", |m| {
        m.w.mem.zones[ZoneIndex::new(1)].nr_free_pages += 1
    }),
    ("FreeBlocks", |m| {
        m.w.mem.zones[ZoneIndex::new(1)].nr_free[3] += 1
    }),
    ("KindCount", |m| {
        m.w.mem.zones[ZoneIndex::new(1)].kinds[PageKind::Anon as usize] += 1
    }),
    ("Managed", |m| m.w.mem.zones[ZoneIndex::new(0)].managed -= 1),
    ("PcpCount", |m| m.w.mem.pcp_count[0] += 1),
    ("Unmerged", |m| {
        let f = free_block(m, 1);
        let t = m.w.mem.block_type(f);
        let order = m.w.mem.del_free(f);
        let upper = m.w.mem.halve(f, order);
        m.w.mem.add_free(f, order - 1, t, false);
        m.w.mem.add_free(upper, order - 1, t, false);
    }),
    ("BlockType", |m| m.w.mem.blocks[0] = 7),
    ("Highatomic", |m| {
        m.w.mem.zones[ZoneIndex::new(0)].nr_reserved_highatomic += 1
    }),
    ("Boost", |m| {
        m.w.mem.zones[ZoneIndex::new(0)].boost = Pages::new(1 << 20)
    }),
    ("Marks", |m| {
        m.w.mem.zones[ZoneIndex::new(0)].wmark[1] = Pages::ZERO
    }),
    ("NumaEvents", |m| {
        m.w.mem.zones[ZoneIndex::new(0)].numa[1] += 1
    }),
    ("AllocatedPages", |m| m.w.counters.pgfree += 1),
    ("Rss", |m| m.w.processes.all[0].space.rss += 1),
    ("WrongOwner", |m| {
        let f = frame_of(m, PageKind::Anon);
        m.w.mem.pages[f].index += 1;
    }),
    ("HeldTwice", |m| {
        let f = frame_of(m, PageKind::Kernel);
        let owner = m.w.mem.pages[f].owner;
        m.w.processes.all[owner as usize].pools[0].push(f);
    }),
    ("Unheld", |m| {
        let f = frame_of(m, PageKind::Kernel);
        let owner = m.w.mem.pages[f].owner;
        for pool in &mut m.w.processes.all[owner as usize].pools {
            pool.retain(|&held| held != f);
        }
    }),
    ("InFlightLost", |m| {
        for task in &mut m.tasks {
            for frame in task.stack.iter_mut() {
                if let Frame::AnonPage(f) = frame {
                    f.frame = FrameIndex::NONE;
                }
            }
        }
    }),
    ("NotInFlight", |m| {
        let free = free_block(m, 0);
        for task in &mut m.tasks {
            for frame in task.stack.iter_mut() {
                if let Frame::AnonPage(f) = frame {
                    f.frame = free;
                }
            }
        }
    }),
    ("Queues", |m| {
        let t = user(m, TaskStatus::Runnable);
        let cpu = m.tasks[t].cpu;
        m.w.sched.enqueue(t, cpu, 0, cpu);
    }),
    ("Timers", |m| {
        let t = user(m, TaskStatus::Sleeping);
        let cpu = m.tasks[t].cpu;
        m.w.sched.sleep_until(t, cpu, u64::MAX / 2);
    }),
    ("NotRunnable", |m| {
        let t = user(m, TaskStatus::Runnable);
        m.tasks[t].status = TaskStatus::Sleeping;
    }),
    ("NotSleeping", |m| {
        let t = user(m, TaskStatus::Sleeping);
        m.tasks[t].status = TaskStatus::Runnable;
    }),
    ("Unwakeable", |m| {
        let t = user(m, TaskStatus::Sleeping);
        m.tasks[t].status = TaskStatus::Waiting;
    }),
    ("Frames", |m| {
        let t = user(m, TaskStatus::Runnable);
        m.tasks[t].stack.clear();
    }),
    ("CpuKey", |m| {
        let other = m.w.sched.cpus.indices().find(|&cpu| cpu != m.w.cpu);
        m.w.sched.forget(other.expect("another CPU"));
    }),
    ("CpuRest", |m| {
        *m = busy();
        m.w.sched.ignore_rest();
    }),
    ("Placed", |m| m.w.sched.cpus[CpuIndex::new(0)].placed += 1),
    ("ReclaimLocked", |m| {
        m.w.mem.lruvecs[LruvecIndex::new(0)].reclaim_locked = true
    }),
    ("KswapdFlag", |m| {
        m.w.kswapd[NodeIndex::new(0)].awake ^= true
    }),
    ("ZoneLru", |m| m.w.mem.zones[ZoneIndex::new(0)].lru[0] += 1),
    ("LruSize", |m| {
        m.w.mem.lruvecs[LruvecIndex::new(0)].nr[0] += 1
    }),
    ("Isolated", |m| {
        m.w.mem.lruvecs[LruvecIndex::new(0)].isolated[1] += 1
    }),
    ("Marked", |m| {
        let features = &mut std::sync::Arc::make_mut(&mut m.w.facts).features;
        features.numa_balancing = mm::kernel::NumaBalancing::Absent;
        m.w.counters.numa_pte_updates += 1;
    }),
    ("RateWindow", |m| {
        let window = mm::numa::migrate::Window {
            pages: 1 << 40,
            ..Default::default()
        };
        m.w.numa.windows.push(window);
    }),
    ("GaugeCount", |m| {
        m.w.mem.zones[ZoneIndex::new(1)].gauge[Gauge::Dirty as usize] += 1
    }),
    ("DeviceDirty", |m| m.w.wb.wbs[0].nr_dirty += 1),
    ("Writeback", |m| {
        let f = frame_of(m, PageKind::Anon);
        m.w.mem.pages[f].set(flag::WRITEBACK);
    }),
    ("Writeback", |m| {
        let frame = frame_of(m, PageKind::Anon);
        for start in [0, 1000] {
            write_page(m, frame, start);
        }
    }),
    ("Writeback", |m| {
        let frame = frame_of(m, PageKind::Anon);
        let (id, next, len, left, open) = (0, 1, 1, 0, true);
        let pages = vec![frame];
        let extent = IoEnd {
            id,
            next,
            len,
            left,
            open,
            pages,
        };
        m.w.wb.wbs[0].io_ends.push(extent);
    }),
    ("Requests", |m| m.w.block.miscount()),
    ("WaitsForNothing", |m| {
        let f = frame_of(m, PageKind::Anon);
        m.w.page_wait.push((f, TaskIndex::new(0)));
    }),
    ("Unwakeable", |m| {
        let frame = frame_of(m, PageKind::Anon);
        write_page(m, frame, 0);
        let (cpu, task) = (m.w.facts.devices[0].cpu, m.w.block.devices[0].task);
        m.w.interrupt_at(cpu, task, u64::MAX);
    }),
    ("AllocBatch", |m| {
        m.w.mem.zones[ZoneIndex::new(1)].alloc_batch = 1
    }),
    ("Ungranted", |m| m.w.sched.wakes.push(TaskIndex::new(0))),
];

/// A valid machine with cached, dirty and unmapped pages of a file, swapped pages, pages in the swap
/// cache, and inodes.
fn cached() -> Machine {
    let raw = serde_json::json!({
        "machine": {
            "id": "small", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 0, "pages": 2048 }], "cpus": 2 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "s2011",
            "pcp": true, "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "throttled", "files": true, "swap": 16384,
                          "bytes_per_s": 104857600 }],
        },
        "kernel": "6.1", "seed": 1, "length": "100s",
        "workload": { "id": "", "files": [{ "name": "a", "size": 400 }], "processes": [
            { "name": "main", "program": [
                { "op": "map", "region": "a", "size": 900 },
                { "op": "map", "region": "b", "size": 900 },
                { "op": "repeat", "times": 100, "do": [
                    { "op": "touch", "region": "a", "write": false },
                    { "op": "write", "file": "a" },
                    { "op": "read", "file": "a" },
                    { "op": "touch", "region": "b", "write": false } ] } ] }] },
        "tunables": { "vm.min_free_kbytes": "256" },
    });
    let experiment = Experiment::from_json(&raw.to_string()).expect("valid");
    let mut m = Machine::boot(&experiment);
    loop {
        let step = m.w.run.steps() + 1;
        m.run(step, u64::MAX);
        assert!(!m.w.sched.ended, "no machine rich enough was found");
        let has = |set: u32, clear: u32, kind: PageKind| {
            let mut pages = m.w.mem.pages.iter();
            pages.any(|p| p.kind() == kind && p.has(set) && p.meta & clear == 0)
        };
        let process = m.w.processes.all.first();
        if process.is_some_and(|p| p.space.swapped > 20)
            && m.w.processes.swap_entries(0).iter().any(|e| e.1 == 0)
            && m.w.processes.swap_entries(0).iter().any(|e| e.1 == 1)
            && has(flag::DIRTY, 0, PageKind::File)
            && has(0, flag::DIRTY | flag::MAPPED, PageKind::File)
            && has(flag::SWAPCACHE, 0, PageKind::Anon)
        {
            break;
        }
    }
    assert_eq!(check(&m), []);
    m
}

/// A page of this kind with the first flags set and the second clear.
fn page_with(m: &Machine, kind: PageKind, set: u32, clear: u32) -> FrameIndex {
    let mut pages = m.w.mem.pages.entries();
    let found = pages.find(|(_, p)| p.kind() == kind && p.has(set) && p.meta & clear == 0);
    found.expect("such a page").0
}

const CACHE_PLANTS: &[(&str, Plant)] = &[
    ("Cached", |m| {
        let f = frame_of(m, PageKind::File);
        m.w.mem.pages[f].index += 1;
    }),
    ("Tree", |m| m.w.files.all[0].nr_pages += 1),
    ("DirtyPages", |m| {
        let f = page_with(m, PageKind::File, 0, flag::DIRTY);
        m.w.mem.pages[f].set(flag::DIRTY);
    }),
    ("Users", |m| m.w.files.all[0].users += 1),
    ("SwapCached", |m| {
        let f = page_with(m, PageKind::Anon, flag::SWAPCACHE, 0);
        m.w.mem.pages[f].clear(flag::SWAPCACHE);
    }),
    ("SwapCount", |m| {
        let slot = m.w.processes.swap_entries(0)[0].0;
        m.w.swap.duplicate(slot);
    }),
    ("SwapPlace", |m| {
        m.w.processes.all[0].space.regions.swap(0, 1)
    }),
    ("Swapped", |m| m.w.processes.all[0].space.swapped += 1),
    ("SwapMap", |m| m.w.swap.miscount()),
    ("Slab", |m| m.w.files.all[0].inode = u32::MAX),
    // An object of each cache without a user.
    ("Slab", |m| {
        assert!(m.w.slab.take(INODE, ZonelistIndex::new(0)).is_some())
    }),
    ("Slab", |m| {
        assert!(m.w.slab.take(TREE_NODE, ZonelistIndex::new(0)).is_some())
    }),
    ("Slab", |m| {
        assert!(m.w.slab.take(BUFFERS, ZonelistIndex::new(0)).is_some())
    }),
    ("Threads", |m| {
        m.w.processes.all[0].threads.push(mm::process::Thread {
            task: TaskIndex::new(0),
            program: 0,
            at_barrier: false,
        });
    }),
    // A task sleeps for a mutex that no task holds.
    ("MutexTurns", |m| {
        let sleepers = &mut m.w.processes.all[0].anon_vma.sleepers;
        sleepers.push(mm::locks::Sleeper {
            task: TaskIndex::new(0),
            since: 0,
            woken: false,
        });
    }),
    ("NotAllowed", |m| {
        let is_user = |t: &&mut mm::machine::Task| {
            matches!(t.kind, mm::machine::TaskKind::User { .. }) && !t.cx.looks_at_cpu
        };
        let task = m.tasks.iter_mut().find(is_user).expect("a process");
        let masks = &mut std::sync::Arc::make_mut(&mut m.w.facts).cpu_masks;
        masks.push(Vec::new());
        task.cx.allowed = masks.len() as u16 - 1;
    }),
    ("GaugeCount", |m| {
        m.w.mem.zones[ZoneIndex::new(0)].gauge[0] += 1
    }),
    ("Mapped", |m| {
        let f = page_with(m, PageKind::File, 0, flag::MAPPED);
        m.w.mem.pages[f].set(flag::MAPPED);
    }),
];

/// A machine whose pages are in generations.
fn aged() -> Machine {
    let raw = serde_json::json!({
        "machine": "x86_64-8g-teach", "kernel": "6.12", "seed": 1, "length": "1s",
        "workload": { "id": "", "processes": [{ "name": "task", "program": [
            { "op": "map", "region": "heap", "size": "30%" },
            { "op": "touch", "region": "heap" },
            { "op": "stop" } ] }] },
        "tunables": { "lru_gen.enabled": "7" },
    });
    let mut m = Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"));
    m.run(u64::MAX, u64::MAX);
    m
}

/// The first page in a generation.
fn page_of_generation(m: &Machine) -> FrameIndex {
    let mut frames = m.w.mem.pages.indices();
    let found = frames.find(|&frame| m.w.mem.generation(frame).is_some());
    found.expect("a page in a generation")
}

/// Bugs of a machine with the multi-generational LRU.
const GENERATION_PLANTS: &[(&str, Plant)] = &[
    ("Generations", |m| {
        let gens = &mut m.w.mem.lruvecs[LruvecIndex::new(0)].lru_gen;
        gens.as_mut().expect("generations").min_seq[1] += 3;
    }),
    ("GenPages", |m| {
        m.w.mem.zones[ZoneIndex::new(0)].gen_pages[0][0] += 1;
    }),
    ("GenFlags", |m| {
        let frame = page_of_generation(m);
        m.w.mem.pages[frame].set(flag::ACTIVE);
    }),
];

/// Bugs in data outside the hashed state. The data is in no hash because it follows from the state.
const KEPT_PLANTS: &[(&str, Plant)] = &[("Surveys", |m| m.w.processes.miscount_survey(0, 0))];

/// The same for data that is copied with the machine.
const COPIED_PLANTS: &[(&str, Plant)] = &[("RssByNode", |m| {
    m.w.processes.all[0].space.by_node[0] += 1;
})];

#[test]
fn the_recount_detects_every_planted_bug() {
    plant_all(&sound(), PLANTS);
    plant_all(&cached(), CACHE_PLANTS);
    let aged = aged();
    assert_eq!(check(&aged), []);
    plant_all(&aged, GENERATION_PLANTS);
    let mut m = sound();
    for (name, plant) in KEPT_PLANTS {
        plant(&mut m);
        assert!(check(&m).iter().any(|found| found.name() == *name));
        // A copy recounts the data.
        m = m.clone();
        assert_eq!(check(&m), []);
    }
    for (name, plant) in COPIED_PLANTS {
        let mut m = sound();
        plant(&mut m);
        assert!(check(&m.clone()).iter().any(|found| found.name() == *name));
    }
}

fn plant_all(sound: &Machine, plants: &[(&str, Plant)]) {
    for (name, plant) in plants {
        let mut m = sound.clone();
        plant(&mut m);
        let found: BTreeSet<&str> = check(&m).iter().map(Violation::name).collect();
        assert!(found.contains(name), "{name} was planted, found: {found:?}");
        assert_ne!(m.hash(), sound.hash(), "{name} does not change the hash");
    }
}

#[test]
fn every_invariant_has_a_planted_bug() {
    let all = PLANTS
        .iter()
        .chain(CACHE_PLANTS)
        .chain(GENERATION_PLANTS)
        .chain(KEPT_PLANTS)
        .chain(COPIED_PLANTS);
    let planted: BTreeSet<&str> = all.map(|(name, _)| *name).collect();
    let known: BTreeSet<&str> = Violation::NAMES.iter().copied().collect();
    assert_eq!(planted, known);
}

#[test]
fn a_violation_is_reported_as_a_sentence_with_its_numbers() {
    let mut m = sound();
    m.w.mem.zones[ZoneIndex::new(1)].nr_free_pages += 1;
    let n = m.w.mem.zones[ZoneIndex::new(1)].nr_free_pages;
    let found = check(&m);
    assert_eq!(
        found[0].to_string(),
        format!("zone 1 records {n} free pages but has {}", n - 1)
    );
}

/// A page moves to a node only because a false earlier fault from that node was recorded. A recount
/// cannot find this, but the records can.
#[test]
fn the_check_reports_a_page_that_moves_after_a_single_fault() {
    let raw = serde_json::json!({
        "machine": {
            "id": "two", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 0, "pages": 16384 }], "cpus": 1 },
                      { "ranges": [{ "start_pfn": 16384, "pages": 16384 }], "cpus": 1 }],
            "distances": [[10, 20], [20, 10]], "hz": 250, "thp": "never", "costs": "s2011",
            "pcp": true, "zonelist_order": "default",
        },
        "kernel": "3.8", "seed": 1, "length": "1s",
        "workload": { "id": "", "processes": [{ "name": "task", "program": [
            { "op": "bind", "node": 0 },
            { "op": "map", "region": "heap", "size": "8 MiB" },
            { "op": "touch", "region": "heap" },
            { "op": "bind", "node": 1 },
            { "op": "repeat", "times": 100_000, "do": [{ "op": "touch", "region": "heap" }] } ] }] },
        "tunables": { "vm.min_free_kbytes": "1024", "kernel.numa_balancing": "1",
            "kernel.numa_balancing_scan_delay_ms": "20",
            "kernel.numa_balancing_scan_period_min_ms": "20" },
    });
    let experiment = Experiment::from_json(&raw.to_string()).expect("valid");
    for plants in [false, true] {
        let mut m = Machine::boot(&experiment);
        m.w.rec.on = true;
        let (mut faulted, mut found) = (Faulted::default(), None);
        while found.is_none() && m.w.counters.numa_pages_migrated < 500 {
            assert!(!m.w.sched.ended, "nothing moved");
            m.run(m.w.run.steps() + 1000, u64::MAX);
            for record in std::mem::take(&mut m.w.rec.records) {
                found = found.or(faulted.see(&m, &record).err());
            }
            if plants && m.w.counters.numa_hint_faults == 0 {
                // Node 1, and any task.
                let anon = page_with(&m, PageKind::Anon, 0, 0);
                m.w.numa.exchange_last(anon, 1 << 8);
            }
        }
        assert_eq!(check(&m), [], "the recount finds nothing");
        assert_eq!(found.is_some(), plants, "{found:?}");
        assert!(found.is_none_or(
            |found| found.node == NodeIndex::new(1) && found.faults == [NodeIndex::new(1)]
        ));
    }
}
