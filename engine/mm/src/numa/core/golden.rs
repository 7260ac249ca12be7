//! Rounds in which each CPU places its running task. Four short runs process the CPUs in the order of their
//! numbers. Random starts converge quickly only if each round uses a random order: in the order of numbers, a
//! group larger than a node may keep moving forever.

use super::Target;
use super::directed::{self, Directed};
use super::layout::{Layout, Runs};
use super::rules::Rules;
use super::tests::layout;
use crate::rng::Rng;
use facts::index::{CpuIndex, NodeIndex};

/// Counts of one round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Round {
    /// Exchanges with a task of another group.
    flips: u32,
    /// Exchanges with a task of the same group.
    own: u32,
}

fn placed(layout: &Layout, cpu: CpuIndex) -> Option<(Directed, Target)> {
    let mover = layout.mover(cpu)?;
    let found = directed::place(layout, mover, &Rules::V18);
    Some((found, found.target(cpu)))
}

/// Runs one round in the order of CPU numbers.
fn round(layout: &mut Layout) -> Round {
    let cpus: Vec<_> = CpuIndex::all(layout.seats.len()).collect();
    round_of(layout, &cpus)
}

/// Runs one round. All CPUs are busy, so all moves are exchanges.
fn round_of(layout: &mut Layout, cpus: &[CpuIndex]) -> Round {
    let mut round = Round::default();
    for &cpu in cpus {
        let Some((found, target)) = placed(layout, cpu) else {
            continue;
        };
        if target.cpu == cpu {
            continue;
        }
        assert!(target.flips, "{found:?}");
        let (here, there) = (cpu, target.cpu);
        let group = |seat: CpuIndex| layout.seats[seat].member().map(|m| m.mm);
        if group(here) == group(there) {
            round.own += 1;
        } else {
            round.flips += 1;
        }
        let moved = layout.seats[here].runs;
        layout.seats[here].runs = std::mem::replace(&mut layout.seats[there].runs, moved);
    }
    round
}

/// The groups of all CPUs, by node.
fn groups(layout: &Layout) -> String {
    let mut text = String::new();
    let mut node = NodeIndex::new(0);
    for seat in &layout.seats {
        if seat.node != node {
            text.push('|');
            node = seat.node;
        }
        text.push(seat.member().map_or('.', |m| m.mm as u8 as char));
    }
    text
}

/// Runs two rounds, compares the layout after each, and then the exchanges of both.
fn golden(start: &[&str], after: [&str; 2], flips: [u32; 2], own: u32) {
    let mut layout = layout(start);
    let rounds = after.map(|after| {
        let round = round(&mut layout);
        assert_eq!(groups(&layout), after);
        round
    });
    assert_eq!(rounds.map(|round| round.flips), flips);
    assert_eq!(rounds.iter().map(|round| round.own).sum::<u32>(), own);
    assert_eq!(
        round(&mut layout),
        Round::default(),
        "no task moves any more"
    );
}

#[test]
fn two_groups_split_evenly_over_two_nodes_separate_in_one_round() {
    golden(&["AABB", "AABB"], ["BBBB|AAAA"; 2], [2, 0], 2);
}

#[test]
fn two_alternating_groups_separate_in_one_round() {
    golden(&["ABAB", "ABAB"], ["BBBB|AAAA"; 2], [2, 0], 1);
}

#[test]
fn four_alternating_groups_separate_in_two_rounds() {
    golden(
        &["ABCDABCD"; 4],
        [
            "CCCCCCCC|DDDDDDDD|BBBBABBA|AABAAABA",
            "CCCCCCCC|DDDDDDDD|BBBBBBBB|AAAAAAAA",
        ],
        [14, 2],
        7,
    );
}

#[test]
fn two_groups_on_four_nodes_fill_each_node_in_one_round() {
    let end = "BBBBBBBB|AAAAAAAA|BBBBBBBB|AAAAAAAA";
    golden(&["ABABABAB"; 4], [end; 2], [8, 0], 2);
}

#[test]
fn the_example_of_the_patch_description_converges_after_three_exchanges() {
    let mut layout = layout(&["111224", "111335"]);
    let mut exchanges = Vec::new();
    for cpu in CpuIndex::all(12) {
        let (_, target) = placed(&layout, cpu).unwrap();
        if target.cpu != cpu {
            exchanges.push((cpu.get(), target.cpu.get()));
            layout.seats.swap(cpu.index(), target.cpu.index());
            // The task on a CPU keeps the node of that CPU.
            for (cpu, seat) in (0..).zip(&mut layout.seats) {
                seat.node = NodeIndex::new(u8::from(cpu >= 6));
            }
        }
    }
    assert_eq!(exchanges, [(6, 5), (7, 3), (8, 4)]);
    assert_eq!(groups(&layout), "111111|422335");
    assert_eq!(round(&mut layout), Round::default());
}

fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, rng.below(last as u32 + 1) as usize);
    }
}

/// Groups of these sizes on nodes of eight CPUs, in a random order.
fn shuffled(sizes: &[usize], rng: &mut Rng) -> Layout {
    let letters = (b'A'..).zip(sizes);
    let mut order: Vec<u8> = letters
        .flat_map(|(letter, &size)| std::iter::repeat_n(letter, size))
        .collect();
    shuffle(&mut order, rng);
    let order = String::from_utf8(order).unwrap();
    let rows: Vec<_> = (0..order.len() / 8)
        .map(|node| &order[node * 8..][..8])
        .collect();
    layout(&rows)
}

/// Runs rounds in random orders until no task exchanges CPUs with another group.
fn rounds(sizes: &[usize], seed: u64, most: u32) -> (u32, Layout) {
    let mut rng = Rng::stream(seed, 0);
    let mut layout = shuffled(sizes, &mut rng);
    let start = groups(&layout);
    let mut cpus: Vec<_> = CpuIndex::all(layout.seats.len()).collect();
    for rounds in 0..=most {
        shuffle(&mut cpus, &mut rng);
        let before = groups(&layout);
        if round_of(&mut layout, &cpus).flips == 0 {
            assert_eq!(groups(&layout), before);
            return (rounds, layout);
        }
    }
    panic!("{start} has not converged after {most} rounds (seed {seed})");
}

/// Does each node run only one group?
fn is_packed(layout: &Layout) -> bool {
    let text = groups(layout);
    let runs_one = |node: &str| node.bytes().all(|group| group == node.as_bytes()[0]);
    text.split('|').all(runs_one)
}

#[test]
fn four_groups_of_eight_converge_within_five_rounds() {
    for seed in 0..1000 {
        let mut layout = shuffled(&[8; 4], &mut Rng::stream(seed, 0));
        let mut moved = 0;
        while round(&mut layout) != Round::default() {
            moved += 1;
            assert!(moved <= 5, "seed {seed}: {}", groups(&layout));
        }
        assert!(is_packed(&layout), "seed {seed}: {}", groups(&layout));
        let (_, layout) = rounds(&[8; 4], seed, 5);
        assert!(is_packed(&layout), "seed {seed}: {}", groups(&layout));
    }
}

/// Columns: sizes of groups, number of starts, maximum number of rounds.
#[test]
fn random_starts_converge_within_the_expected_number_of_rounds() {
    let table: [(&[usize], u64, u32); 3] =
        [(&[8; 8], 100, 5), (&[16; 2], 200, 60), (&[4; 8], 200, 5)];
    for (sizes, starts, most) in table {
        let mut all: Vec<_> = (0..starts)
            .map(|seed| rounds(sizes, seed, most).0)
            .collect();
        all.sort_unstable();
        let median = all[all.len() / 2];
        let expected = if sizes.len() == 2 { 3..=5 } else { 2..=3 };
        assert!(expected.contains(&median), "{sizes:?}: {median}");
    }
}

#[test]
fn groups_that_fit_no_node_exchange_tasks_only_inside_groups_at_the_end() {
    for seed in 0..50 {
        rounds(&[5, 5, 5, 5, 6, 6], seed, 200);
    }
}

#[test]
fn a_group_larger_than_a_node_may_move_forever_if_cpus_act_in_order() {
    let mut layout = layout(&["BBBAAABA", "BABAAAAB", "AABBBBAB", "AAABABBB"]);
    for _ in 0..3 {
        round(&mut layout);
    }
    let before = groups(&layout);
    assert!(round(&mut layout).flips > 0);
    assert_eq!(groups(&layout), before, "the layout is unchanged");
}

#[test]
fn an_exchange_leaves_the_length_of_each_queue_unchanged() {
    let mut layout = shuffled(&[16; 2], &mut Rng::stream(7, 0));
    let loads: Vec<_> = layout.seats.iter().map(|seat| seat.load).collect();
    for _ in 0..10 {
        round(&mut layout);
        assert!(layout.seats.iter().all(|seat| seat.runs != Runs::Idle));
        assert!(
            layout
                .seats
                .iter()
                .map(|seat| seat.load)
                .eq(loads.iter().copied())
        );
    }
}

#[test]
fn groups_that_fill_their_nodes_do_not_move() {
    let full = layout(&["AAAAAAAA", "BBBBBBBB", "CCCCCCCC", "DDDDDDDD"]);
    for cpu in 0..32 {
        let (found, target) = placed(&full, CpuIndex::new(cpu)).unwrap();
        assert_eq!(target.cpu, CpuIndex::new(cpu), "{found:?}");
    }
}
