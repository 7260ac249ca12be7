//! The memory cgroups of a machine.
//!
//! Modelled: nothing; this module only reads the machine. Left out: the root, which has no limits.
//! Invariants: amounts of a cgroup include those of the cgroups below it.

use mm::frames::Frame;
use mm::index::{GroupIndex, IndexVec};
use mm::machine::{Machine, Task};
use mm::map::{page_at, state_of};
use mm::memcg::charge::TcPt;
use mm::memcg::counter::UNLIMITED;
use mm::memcg::files::{Sizes, all_sizes, events, stats};
use mm::memcg::group::{Event, Stat};
use mm::memcg::over_high::HoPt;
use mm::memcg::pressure::period_ns;
use mm::memcg::protection;
use mm::view::{GroupEventsView, GroupHeldView, GroupProcessView, GroupView, HeldBy, PAGE_STATES};
use mm::world::World;

use crate::task_name;

/// The cgroups in the order of a walk: each before those below it; empty on a machine without cgroups.
pub fn groups(m: &Machine) -> Vec<GroupView> {
    let w = &m.w;
    if !w.memcg.is_on() {
        return Vec::new();
    }
    let mut memory = w.memcg.memory.clone();
    let walk = memory.preorder(GroupIndex::ROOT);
    for &group in &walk {
        protection::calculate(
            &mut memory,
            GroupIndex::ROOT,
            group,
            w.facts.groups.recursive,
        );
    }
    let sizes = all_sizes(w);
    let states = states(w);
    let below_root = walk.into_iter().filter(|group| !group.is_root());
    below_root
        .map(|group| {
            let effective = memory.all[group].effective;
            GroupView {
                effective_low: effective.low.into(),
                effective_min: effective.min.into(),
                states: states[group].to_vec(),
                ..view(m, group, &sizes[group])
            }
        })
        .collect()
}

/// Pages of each cgroup and those below it by page state.
fn states(w: &World) -> IndexVec<GroupIndex, [u64; PAGE_STATES]> {
    let memory = &w.memcg.memory.all;
    let mut found = IndexVec::from(vec![[0; PAGE_STATES]; memory.len()]);
    for frame in w.mem.pages.indices() {
        let group = w.mem.group_of(frame);
        if !group.is_root() {
            found[group][state_of(page_at(w, frame)) as usize] += 1;
        }
    }
    // Parents come before their children.
    for index in (1..memory.len()).rev() {
        let group = GroupIndex::new(index as u8);
        let own = found[group];
        if let Some(parent) = found.at_mut(memory[group].parent) {
            for (all, pages) in parent.iter_mut().zip(own) {
                *all += pages;
            }
        }
    }
    found
}

fn view(m: &Machine, group: GroupIndex, sizes: &Sizes) -> GroupView {
    let w = &m.w;
    let counter = &w.memcg.memory.all[group];
    let swap = &w.memcg.swap.all[group];
    let limit = |pages: u32| (pages != UNLIMITED).then_some(u64::from(pages));
    let stats = stats(w, group);
    let of = |stat: Stat| stats[stat as usize];
    let mut pressure = w.memcg.groups[group].pressure;
    pressure.advance(w.now, period_ns(w.facts.hz));
    let path = path(w, group);
    GroupView {
        index: group.get().into(),
        name: mm::show::group_name(w, group).to_string(),
        depth: path.len() as u32 - 1,
        path: path.join("/"),
        parent: counter.parent.get().into(),
        usage: counter.usage.into(),
        swap: swap.usage.into(),
        max: limit(counter.limits.max),
        high: limit(counter.limits.high),
        low: counter.limits.low.into(),
        min: counter.limits.min.into(),
        swap_max: limit(swap.limits.max),
        effective_low: 0,
        effective_min: 0,
        anon: sizes.anon,
        file: sizes.file,
        states: Vec::new(),
        lists: sizes.lru.to_vec(),
        dirty: sizes.file_dirty,
        writeback: sizes.file_writeback,
        events: event_counts(w, group),
        scanned: of(Stat::ScanKswapd) + of(Stat::ScanDirect),
        stolen: of(Stat::StealKswapd) + of(Stat::StealDirect),
        some_ns: pressure.some.total_ns,
        full_ns: pressure.full.total_ns,
        processes: processes(m, group),
        held: m
            .tasks
            .iter()
            .filter_map(|task| held(w, task, group))
            .collect(),
    }
}

/// The names from the topmost cgroup to this one.
fn path(w: &World, group: GroupIndex) -> Vec<String> {
    let up = w.memcg.memory.path(group).filter(|at| !at.is_root());
    let mut names: Vec<String> = up
        .map(|at| mm::show::group_name(w, at).to_string())
        .collect();
    names.reverse();
    names
}

fn event_counts(w: &World, group: GroupIndex) -> GroupEventsView {
    let of = |event| events(w, group, event);
    GroupEventsView {
        low: of(Event::Low),
        high: of(Event::High),
        max: of(Event::Max),
        oom: of(Event::Oom),
        oom_kill: of(Event::OomKill),
        swap_max: of(Event::SwapMax),
        swap_fail: of(Event::SwapFail),
    }
}

fn processes(m: &Machine, group: GroupIndex) -> Vec<GroupProcessView> {
    let w = &m.w;
    let own = w.processes.all.iter();
    own.filter(|process| process.group == group && process.users() > 0)
        .filter_map(|process| {
            let task = process.space.owner;
            Some(GroupProcessView {
                task: task.get(),
                name: task_name(w, m.tasks.at(task)?),
                rss: process.space.rss.into(),
                swapped: process.space.swapped.into(),
                dying: process.dying,
            })
        })
        .collect()
}

/// The innermost call that holds a task up because of this cgroup's limits.
fn held(w: &World, task: &Task, group: GroupIndex) -> Option<GroupHeldView> {
    let by = task.stack.iter().rev().find_map(|frame| match frame {
        Frame::MemcgOom(oom) if oom.group == group => Some(HeldBy::Oom),
        Frame::OverHigh(high) if high.pt == HoPt::Woken => {
            let own = mm::memcg::of_task(w, &task.cx);
            (w.memcg.memory.over_high(own) == Some(group)).then_some(HeldBy::Pause)
        }
        Frame::OverHigh(high) if high.group == group && high.pt == HoPt::Reclaimed => {
            Some(HeldBy::High)
        }
        Frame::TryCharge(charge) if charge.over == group && charge.pt == TcPt::Margin => {
            Some(HeldBy::Max)
        }
        _ => None,
    })?;
    Some(GroupHeldView {
        task: task.cx.task.get(),
        by,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mm::experiment::{Experiment, presets};

    fn machine(id: &str) -> Machine {
        let raw = presets().into_iter().find(|raw| raw.id == id);
        Machine::boot(&Experiment::new(raw.expect("a preset")).expect("valid"))
    }

    #[test]
    fn shows_the_pages_processes_and_events_of_a_cgroup_at_its_limit() {
        let mut m = machine("container-at-its-limit.teach");
        m.run(700_000, u64::MAX);
        let before = groups(&m);
        let [shop] = before.as_slice() else {
            panic!("{} cgroups", before.len());
        };
        assert_eq!(
            (shop.path.as_str(), shop.max, shop.high),
            ("shop", Some(1024), None)
        );
        let charged: u64 = shop.states.iter().sum();
        assert!(charged <= shop.usage && shop.usage <= 1024, "{shop:?}");
        assert!(shop.events.max > 0 && shop.stolen > 0, "{shop:?}");
        let names = |shop: &GroupView| -> Vec<String> {
            shop.processes.iter().map(|p| p.name.clone()).collect()
        };
        assert_eq!(names(shop), ["service/1", "reader/1"]);
        let mut held = 0;
        while groups(&m)[0].events.oom_kill == 0 {
            m.run(m.w.run.steps() + 100, u64::MAX);
            held += groups(&m)[0].held.len();
        }
        assert!(held > 0);
        m.run(u64::MAX, u64::MAX);
        assert_eq!(names(&groups(&m)[0]), ["reader/1"]);
        assert_eq!(groups(&m)[0].anon, 0);
    }

    #[test]
    fn shows_nothing_without_cgroups() {
        assert_eq!(groups(&machine("out-of-memory.teach")), []);
    }
}
