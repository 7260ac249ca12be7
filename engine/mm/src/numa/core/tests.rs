//! Worked examples of the rules on whole layouts, and of the placement of one task.

use super::layout::{Layout, Member, Mover, Runs, Seat, TASK_LOAD};
use super::placement::{Period, Placement, Totals};
use super::rules::{Average, Rules};
use super::spread::{Gain, Spread, spread};
use super::{Verdict, ideal_cpu, most_buddies, most_idle, private};
use facts::index::{CpuIndex, NodeIndex, TaskIndex};

/// A seat with the same load in all estimates.
fn seat(node: NodeIndex, runs: Runs, load: u64) -> Seat {
    Seat {
        node,
        runs,
        load: [load; 3],
        claimed: false,
    }
}

fn member(task: TaskIndex, mm: u32, shared: Option<bool>) -> Member {
    Member {
        task,
        mm,
        shared,
        ideal_cpu: None,
        buddy: None,
        buddy_faults: 0,
    }
}

/// A layout of nodes of equal size. A letter is a shared task of a process, `p` a private one, `o`
/// a task that balancing does not track, `.` an idle CPU.
pub(super) fn layout(nodes: &[&str]) -> Layout {
    let mut seats = Vec::new();
    for (node, cpus) in NodeIndex::all(nodes.len()).zip(nodes) {
        for runs in cpus.bytes() {
            let task = seats.len() as u32;
            let runs = match runs {
                b'.' => Runs::Idle,
                b'o' => Runs::Other,
                b'p' => Runs::Member(member(TaskIndex::new(task), 1000 + task, Some(false))),
                letter => Runs::Member(member(TaskIndex::new(task), letter.into(), Some(true))),
            };
            let load = if runs == Runs::Idle { 0 } else { TASK_LOAD };
            seats.push(seat(node, runs, load));
        }
    }
    Layout {
        nodes: nodes.len(),
        seats: seats.into(),
    }
}

fn mover(layout: &Layout, cpu: CpuIndex) -> Mover<'_> {
    layout.mover(cpu).unwrap()
}

fn totals(shared: u64, private: u64) -> Totals {
    Totals {
        shared,
        private,
        best: None,
    }
}

#[test]
fn a_task_changes_between_shared_and_private_at_twice_the_faults() {
    let table = [
        (None, 50, 50, true),
        (None, 49, 50, false),
        (Some(false), 99, 50, false),
        (Some(false), 100, 50, true),
        (Some(true), 25, 50, false),
        (Some(true), 26, 50, true),
        (Some(true), 0, 0, false),
    ];
    for (was, shared, private, is) in table {
        let placement = Placement {
            shared: was,
            ..Placement::default()
        };
        let found = placement.status(&totals(shared, private));
        assert_eq!(found, is, "{was:?}, {shared} shared, {private} private");
    }
}

#[test]
fn equal_shared_and_private_faults_never_change_the_status() {
    for faults in 1..1000 {
        for was in [false, true] {
            let placement = Placement {
                shared: Some(was),
                ..Placement::default()
            };
            assert_eq!(placement.status(&totals(faults, faults)), was, "{faults}");
        }
    }
}

#[test]
fn averages_faults_over_8_or_16_scan_passes() {
    let averages = |average: Average| {
        let mut rules = Rules::V18;
        rules.average = average;
        let mut placement = Placement::default();
        [1600, 1600, 1600, 0, 0].map(|pages| {
            placement.sample(2, NodeIndex::new(1), true, pages);
            let totals = placement.average(&rules);
            assert_eq!(totals.best, Some((NodeIndex::new(1), totals.private)));
            assert_eq!(placement.current, [[0, 0]; 2]);
            totals.private
        })
    };
    assert_eq!(averages(Average::Eighth), [200, 375, 528, 462, 404]);
    assert_eq!(averages(Average::Sixteenth), [100, 193, 280, 262, 245]);
}

#[test]
fn prefers_the_first_of_several_nodes_with_equally_many_faults() {
    let mut placement = Placement::default();
    placement.sample(3, NodeIndex::new(2), false, 1600);
    placement.sample(3, NodeIndex::new(1), true, 1600);
    let totals = placement.average(&Rules::V18);
    assert_eq!((totals.shared, totals.private), (100, 100));
    assert_eq!(totals.best, Some((NodeIndex::new(1), 100)));
}

#[test]
fn v17_waits_for_two_passes_and_two_equal_proposals() {
    let (rules, there, here) = (
        Rules::V17,
        (CpuIndex::new(9), NodeIndex::new(1)),
        (CpuIndex::new(2), NodeIndex::new(0)),
    );
    let mut placement = Placement::default();
    assert!(placement.settles(&rules), "a new task need not wait");
    let first = placement.commit(true, there, here, &rules);
    assert!(first.changed && first.waits && !first.goes);
    assert_eq!((placement.shared, placement.node), (Some(true), None));
    assert_eq!(first.period, Period::Kept);
    assert!(!placement.settles(&rules), "a change must settle");
    assert!(placement.settles(&rules));
    let second = placement.commit(true, there, here, &rules);
    assert!(second.changed && !second.waits && second.goes);
    assert_eq!(placement.node, Some(NodeIndex::new(1)));
    let third = placement.commit(true, there, there, &rules);
    assert!(!third.changed && !third.goes);
    assert_eq!(third.period, Period::Doubled);
}

#[test]
fn v18_acts_on_the_first_proposal_and_inside_a_node() {
    let mut placement = Placement::default();
    assert!(placement.settles(&Rules::V18));
    let commit = placement.commit(
        false,
        (CpuIndex::new(3), NodeIndex::new(0)),
        (CpuIndex::new(2), NodeIndex::new(0)),
        &Rules::V18,
    );
    assert!(commit.changed && commit.goes && !commit.waits);
    assert_eq!(commit.period, Period::Shortest);
    let mut v17 = Placement {
        candidate: Some(CpuIndex::new(3)),
        ..Placement::default()
    };
    assert!(
        !v17.commit(
            false,
            (CpuIndex::new(3), NodeIndex::new(0)),
            (CpuIndex::new(2), NodeIndex::new(0)),
            &Rules::V17
        )
        .goes
    );
}

#[test]
fn private_faults_follow_the_task_in_v17_only() {
    let before = Placement {
        faults: vec![[5, 40], [7, 2]],
        current: vec![[0; 2]; 2],
        shared: Some(false),
        node: Some(NodeIndex::new(0)),
        candidate: Some(CpuIndex::new(9)),
        ..Placement::default()
    };
    let mut v17 = before.clone();
    assert_eq!(
        v17.commit(
            false,
            (CpuIndex::new(9), NodeIndex::new(1)),
            (CpuIndex::new(2), NodeIndex::new(0)),
            &Rules::V17
        )
        .followed,
        40
    );
    assert_eq!(v17.faults, [[5, 0], [7, 42]]);
    let mut v18 = before;
    assert_eq!(
        v18.commit(
            false,
            (CpuIndex::new(9), NodeIndex::new(1)),
            (CpuIndex::new(2), NodeIndex::new(0)),
            &Rules::V18
        )
        .followed,
        0
    );
    assert_eq!(v18.faults, [[5, 40], [7, 2]]);
}

#[test]
fn a_period_doubles_up_to_the_maximum() {
    let mut period = 100;
    for next in [200, 400, 800, 1600, 1600] {
        period = Period::Doubled.next(period, (100, 1600));
        assert_eq!(period, next);
    }
    assert_eq!(Period::Doubled.next(120, (100, 1600)), 240);
    assert_eq!(Period::Doubled.next(900, (100, 1600)), 1600);
    assert_eq!(Period::Shortest.next(1600, (100, 1600)), 100);
}

#[test]
fn a_private_task_of_v17_moves_to_a_node_with_two_more_idle_cpus() {
    let go = |layout: &Layout| most_idle::place(layout, mover(layout, CpuIndex::new(0))).goes_to();
    assert_eq!(go(&layout(&["pppp", "ppp."])), None);
    assert_eq!(go(&layout(&["pppp", "p.p."])), Some(CpuIndex::new(7)));
    assert_eq!(go(&layout(&["ppp.", "pp.."])), None);
    assert_eq!(go(&layout(&["ppp.", "p..."])), Some(CpuIndex::new(7)));
    let mut chosen = layout(&["pppp", "pp.."]);
    chosen.seats[CpuIndex::new(6)].claimed = true;
    assert_eq!(go(&chosen), Some(CpuIndex::new(7)), "one idle CPU is left");
    chosen.seats[CpuIndex::new(7)].claimed = true;
    assert_eq!(go(&chosen), None);
    assert_eq!(go(&layout(&["p....", "ppppp"])), None);
}

fn most_buddies_of(layout: &Layout, cpu: CpuIndex) -> most_buddies::MostBuddies {
    most_buddies::place(layout, mover(layout, cpu), &Rules::V17)
}

#[test]
fn a_shared_task_of_v17_moves_to_the_node_with_the_most_buddies() {
    let found = most_buddies_of(&layout(&["ABpp", "AAp."]), CpuIndex::new(0));
    assert_eq!((found.here, found.mask), (1, 0b11));
    // The idle CPU is the last one.
    assert_eq!(found.goes_to(), Some(CpuIndex::new(7)));
    let best = found.best.unwrap();
    assert_eq!((best.node, best.buddies), (NodeIndex::new(1), 2));
    // The task does not move for an equal number of buddies.
    assert_eq!(
        most_buddies_of(&layout(&["AApp", "AApp"]), CpuIndex::new(4)).goes_to(),
        Some(CpuIndex::new(3))
    );
    assert_eq!(
        most_buddies_of(&layout(&["AApp", "AApp"]), CpuIndex::new(0)).goes_to(),
        None
    );
    // A node full of buddies is skipped.
    assert_eq!(
        most_buddies_of(&layout(&["AAAA", "AApp"]), CpuIndex::new(0)).goes_to(),
        Some(CpuIndex::new(7))
    );
    // Tasks that balancing does not track are not displaced.
    assert_eq!(
        most_buddies_of(&layout(&["Appp", "AAoo"]), CpuIndex::new(0)).goes_to(),
        None
    );
}

#[test]
fn v17_chooses_a_worse_node_if_the_best_one_has_no_cpu_to_take() {
    let found = most_buddies_of(&layout(&["AAAo", "AApp"]), CpuIndex::new(0));
    assert_eq!(found.here, 3);
    assert_eq!(found.goes_to(), Some(CpuIndex::new(7)));
}

#[test]
fn v17_never_displaces_groups_on_their_ideal_nodes() {
    let mut mixed = layout(&["AABB", "AABB"]);
    let displaced = most_buddies_of(&mixed, CpuIndex::new(4)).goes_to();
    assert_eq!(
        displaced,
        Some(CpuIndex::new(3)),
        "no ideal CPU is known yet"
    );
    for (cpu, seat) in (0..).zip(&mut mixed.seats) {
        if let Runs::Member(member) = &mut seat.runs {
            member.ideal_cpu = Some(CpuIndex::new(cpu));
        }
    }
    assert!((0..8).all(|cpu| {
        most_buddies_of(&mixed, CpuIndex::new(cpu))
            .goes_to()
            .is_none()
    }));
}

#[test]
fn a_group_spreads_if_that_brings_node_loads_one_task_closer() {
    let table = [
        (6144, 2048, 2048, 4096, 0, true),
        (6144, 2048, 4096, 4096, -4096, false),
        (4096, 4096, 1024, 0, -2048, false),
        (3072, 1024, 1024, 2048, 0, true),
        (2048, 1024, 1024, 1024, -1024, false),
    ];
    for (here, there, group, before, after, is_worth_it) in table {
        let gain = Gain { here, there, group };
        assert_eq!((gain.before(), gain.after()), (before, after), "{gain:?}");
        assert_eq!(gain.is_worth_it(), is_worth_it, "{gain:?}");
    }
}

#[test]
fn the_smallest_group_spreads_to_the_node_with_the_most_idle_cpus() {
    let spread_of = |layout: &Layout, cpu| spread(layout, mover(layout, cpu), &Rules::V18);
    let roomy = layout(&["AAAABB", "CC....", "DDD..."]);
    assert!(matches!(
        spread_of(&roomy, CpuIndex::new(4)),
        Spread::Go { cpu, node, .. } if (cpu.get(), node) == (8, NodeIndex::new(1))
    ));
    let larger = Spread::NotSmallest {
        ours: 4,
        smallest: 2,
    };
    assert_eq!(spread_of(&roomy, CpuIndex::new(0)), larger);
    // Private tasks form no groups.
    assert_eq!(
        spread_of(&layout(&["AAp", "CCC"]), CpuIndex::new(0)),
        Spread::NoIdleCpu
    );
    assert_eq!(
        spread_of(&layout(&["App", "..."]), CpuIndex::new(1)),
        Spread::NotShared
    );
}

#[test]
fn a_spreading_task_takes_the_least_loaded_cpu_if_the_node_has_room() {
    let mut roomy = layout(&["AAAABB", "CC....", "DDD..."]);
    roomy.seats[CpuIndex::new(8)].load = [0, 512, 0];
    let go = |layout: &Layout| {
        ideal_cpu(layout, mover(layout, CpuIndex::new(4)), true, &Rules::V18)
            .target(CpuIndex::new(4))
    };
    assert_eq!(go(&roomy).cpu, CpuIndex::new(9));
    // By the node's load estimates the node is full, so the task stays.
    for cpu in [8, 9, 10] {
        roomy.seats[CpuIndex::new(cpu)].load[1] = 1366;
    }
    let verdict = ideal_cpu(&roomy, mover(&roomy, CpuIndex::new(4)), true, &Rules::V18);
    assert_eq!(verdict.target(CpuIndex::new(4)).cpu, CpuIndex::new(4));
    let Verdict::Directed(found) = verdict else {
        panic!("not directed: {verdict:?}")
    };
    // Compress is not checked if spread found a target.
    assert_eq!((found.compress, found.landing.unwrap().found), (None, None));
}

/// The decision for a private task on node 0 of two nodes of eight CPUs with these loads. The last
/// CPU of node 1 is idle.
fn private_of(here: u64, there: u64) -> private::Private {
    let mut nodes = layout(&["pppppppp", "pppppppp"]);
    for seat in &mut nodes.seats {
        seat.load = [if seat.node == NodeIndex::new(0) {
            here / 8
        } else {
            there / 7
        }; 3];
    }
    nodes.seats[CpuIndex::new(15)].load = [there % 7; 3];
    private::place(&nodes, mover(&nodes, CpuIndex::new(0)))
}

#[test]
fn a_private_task_moves_if_it_gains_one_and_a_half_tasks_of_load() {
    assert_eq!(private_of(8192, 4096).goes_to(), Some(CpuIndex::new(15)));
    assert_eq!(private_of(5632, 4096).goes_to(), Some(CpuIndex::new(15)));
}

#[test]
fn a_private_task_stays_on_its_node_for_a_smaller_gain() {
    let found = private_of(5120, 4096);
    assert_eq!(found.goes_to(), None);
    assert!(matches!(
        found,
        private::Private::Inside {
            here: 5120,
            there: 4096,
            ..
        }
    ));
}

#[test]
fn a_private_task_stays_if_the_target_node_has_no_room() {
    let found = private_of(10240, 7680);
    assert_eq!(found.goes_to(), None);
    let target = NodeIndex::new(1);
    assert!(matches!(found, private::Private::NoRoom { node, .. } if node == target));
}
