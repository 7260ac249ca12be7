//! The ready-made experiments behind the home page's questions: each shows what its question is
//! about, and ends while that can be seen. `web/src/pages/home/questions.test.ts` checks the
//! questions themselves against their runs.

use facts::index::FrameIndex;
use mm::experiment::Experiment;
use mm::index::TaskIndex;
use mm::machine::{Machine, TaskKind, TaskStatus};
use mm::mmzone::PageKind;
use mm::oom::{OomKill, panic_message};
use mm::record::Numbered;
use serde_json::json;

fn boot(id: &str) -> Machine {
    Machine::boot(&Experiment::preset(id).expect("a preset"))
}

fn ended(id: &str) -> Machine {
    let mut m = boot(id);
    m.run(u64::MAX, u64::MAX);
    assert!(m.w.sched.ended, "{id}");
    m
}

fn free(m: &Machine) -> u32 {
    m.w.mem.zones.iter().map(|z| z.nr_free_pages).sum()
}

fn managed(m: &Machine) -> u32 {
    m.w.mem.zones.iter().map(|z| z.managed).sum()
}

/// Pageblocks that hold pages of processes as well as pages of the kernel's drivers and caches.
fn mixed_blocks(m: &Machine) -> usize {
    let block = 1 << m.w.mem.pageblock_order;
    let frames: Vec<PageKind> = (0..m.w.mem.pages.len())
        .map(|frame| m.w.mem.pages[FrameIndex::new(frame as u32)].kind())
        .collect();
    let has = |block: &[PageKind], kind| block.contains(&kind);
    let is_mixed = |block: &&[PageKind]| {
        has(block, PageKind::Anon) && (has(block, PageKind::Kernel) || has(block, PageKind::Slab))
    };
    frames.chunks(block).filter(is_mixed).count()
}

/// Reclaim fails, the largest process is killed, its memory is freed, and then the run ends.
#[test]
fn an_out_of_memory_state_ends_after_the_kill_with_free_memory() {
    let mut m = boot("out-of-memory.teach");
    m.w.rec.keeps = |kind| kind == OomKill::KIND;
    m.w.rec.on = true;
    while m.w.counters.oom_kill == 0 {
        assert!(!m.w.sched.ended, "no process was killed");
        m.run(m.w.run.steps() + 100, u64::MAX);
    }
    let swap_is_full = m.w.swap.free_slots() * 20 < m.w.swap.total();
    let (at_kill, killed_at) = (free(&m), m.w.now);
    m.run(u64::MAX, u64::MAX);
    assert!(m.w.sched.ended && swap_is_full);
    assert_eq!(m.w.counters.oom_kill, 1);
    assert!(m.w.counters.pgsteal_kswapd > 0 && m.w.counters.allocstall > 0);
    // At most a tenth was free at the kill; now half is free, and there was time to see it.
    assert!(
        at_kill * 10 < managed(&m),
        "{at_kill} pages free at the kill"
    );
    assert!(
        free(&m) * 2 > managed(&m),
        "{} pages free at the end",
        free(&m)
    );
    assert!(m.w.now > killed_at + 100_000_000);
    // The victim was the leak, the largest process; the others are still alive.
    let kills: Vec<_> = m.w.rec.records.iter().map(|r| r.values.clone()).collect();
    let [kill] = kills.as_slice() else {
        panic!("{kills:?}");
    };
    let victim = &m.tasks[TaskIndex::new(kill[0] as u32)];
    let name = |kind: TaskKind| match kind {
        TaskKind::User { program, .. } => m.w.facts.programs[program as usize].name.clone(),
        _ => String::new(),
    };
    assert_eq!(
        (name(victim.kind).as_str(), victim.status),
        ("leak", TaskStatus::Exited)
    );
    let rest = m.tasks.iter().filter(|t| t.status != TaskStatus::Exited);
    let rest: Vec<String> = rest
        .map(|t| name(t.kind))
        .filter(|n| !n.is_empty())
        .collect();
    assert_eq!(rest, ["shell", "editor"]);
}

/// Memory is nearly full, and every pageblock has pages of both kinds.
#[test]
fn kernel_pages_are_among_user_pages_when_the_run_ends() {
    let m = ended("kernel-among-user.teach");
    assert_eq!(mixed_blocks(&m), 5);
    assert!(free(&m) * 20 < managed(&m), "{} pages free", free(&m));
    // The preset that this one extends has none at its end, because it frees everything.
    assert_eq!(mixed_blocks(&ended("mixed-types.teach")), 0);
}

/// Free pages follow the watermarks up and down: kswapd frees more, then less.
#[test]
fn free_pages_follow_the_watermarks() {
    let mut m = boot("marks-moved.teach");
    let mut minima = Vec::new();
    for seconds in [59, 74, 89, 105] {
        let mut least = u32::MAX;
        for tenth in 0..50 {
            m.run(u64::MAX, (seconds * 10 - 50 + tenth) * 100_000_000);
            least = least.min(free(&m));
        }
        minima.push(least);
    }
    let [first, raised, scaled, last] = minima[..] else {
        panic!("{minima:?}");
    };
    assert!(
        first * 2 < raised && raised < scaled && last < raised,
        "{minima:?}"
    );
}

fn only_a_driver(kernel: &str, block: &str) -> Machine {
    let raw = json!({
        "machine": "x86_64-8g-teach", "kernel": kernel, "seed": 1, "length": "1s",
        "tunables": { "transparent_hugepage": "never" },
        "workload": { "id": "w", "processes": [{ "name": "driver", "program": [
            { "op": "alloc", "pool": "p", "order": 0, "count": "100%", "type": block } ] }] },
    });
    Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"))
}

/// A driver takes all memory and no process has any: the kernel panics with the message of its
/// release.
#[test]
fn the_kernel_panics_when_there_is_no_process_to_kill() {
    for (kernel, says) in [
        ("2.6.38", "Out of memory and no killable processes..."),
        ("3.16", "Out of memory and no killable processes..."),
        ("6.1", "System is deadlocked on memory"),
        ("6.12", "System is deadlocked on memory"),
    ] {
        let mut m = only_a_driver(kernel, "unmovable");
        m.run(u64::MAX, u64::MAX);
        assert!(m.w.sched.ended && m.w.panicked, "{kernel}");
        assert_eq!(panic_message(&m.w.facts.features), says, "{kernel}");
        assert_eq!(m.w.counters.oom_kill, 0, "{kernel}");
        // The run ends at the panic, not a second later.
        assert!(m.w.now < 1_000_000_000, "{kernel}: {}", m.w.now);
        assert_eq!(mm::check::check(&m), vec![], "{kernel}");
        // Nothing runs any more.
        let position = m.position();
        m.run(u64::MAX, u64::MAX);
        assert_eq!(m.position(), position, "{kernel}");
    }
}

/// The OOM killer is not called when only the memory below Normal runs out: the request fails.
#[test]
fn a_request_for_dma32_memory_fails_without_an_oom_kill() {
    for kernel in [
        "2.6.38", "3.10", "3.16", "4.14", "5.4", "5.10", "6.6", "6.12",
    ] {
        let mut m = only_a_driver(kernel, "dma32");
        m.run(u64::MAX, u64::MAX);
        assert!(m.w.sched.ended && !m.w.panicked, "{kernel}");
        assert_eq!(m.w.counters.oom_kill, 0, "{kernel}");
    }
}

/// A run that ends for another reason is not a panic.
#[test]
fn an_oom_kill_is_not_a_panic() {
    assert!(!ended("out-of-memory.teach").w.panicked);
}
