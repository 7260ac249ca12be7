//! Random trees of memory cgroups, and what must hold about them from one look at a machine to the next.

use mm::frames::Frame;
use mm::index::{GroupIndex, IndexVec};
use mm::machine::Machine;
use mm::memcg::over_high::HighPause;
use mm::record::{Declared, Record, RecordKind};
use mm::rng::Rng;
use serde_json::{Value, json};

use super::cases::{GENERATIONS, chance, pick, size};

/// From this seed up to [`GENERATIONS`] a case has 6.1 or 6.12 with memory cgroups.
pub const CGROUPS: u64 = 1 << 37;

/// Does a case have memory cgroups?
pub fn has_cgroups(seed: u64) -> bool {
    (CGROUPS..GENERATIONS).contains(&seed)
}

const NAMES: [&str; 6] = ["a0", "a1", "a2", "a3", "a4", "a5"];

/// A limit: pages, a share of memory, or none.
fn limit(rng: &mut Rng) -> Value {
    match rng.below(8) {
        0 => json!("max"),
        1 | 2 => json!(format!("{}%", 1 + rng.below(90))),
        3 => json!(size(rng, 0, 1500)),
        _ => json!(size(rng, 0, 120)),
    }
}

/// Removes the changes that switch huge pages on, which are not modelled together with cgroups.
fn keep_small_pages(processes: &mut [Value], interventions: &mut Vec<Value>) {
    const THP: &str = "transparent_hugepage";
    for process in processes {
        if let Some(program) = process["program"].as_array_mut() {
            program.retain(|op| op["name"] != THP);
        }
    }
    for act in interventions.iter_mut() {
        if let Some(set) = act["set"].as_object_mut() {
            set.remove(THP);
        }
    }
    interventions.retain(|act| act["set"].as_object().is_none_or(|set| !set.is_empty()));
}

/// Draws cgroups for a machine with either kind of LRU lists and without huge pages.
pub fn draw(
    rng: &mut Rng,
    tunables: &mut Value,
    processes: &mut [Value],
    interventions: &mut Vec<Value>,
) -> Vec<Value> {
    tunables["transparent_hugepage"] = json!("never");
    tunables["lru_gen.enabled"] = json!(pick(rng, &[0, 7]));
    tree(rng, processes, interventions)
}

/// Draws a tree of cgroups, puts processes into them, and changes their limits while the machine runs.
fn tree(rng: &mut Rng, processes: &mut [Value], interventions: &mut Vec<Value>) -> Vec<Value> {
    keep_small_pages(processes, interventions);
    let count = 1 + rng.below(NAMES.len() as u32) as usize;
    let names = &NAMES[..count];
    let mut groups = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let mut group = json!({ "name": name });
        if i > 0 && chance(rng, 60) {
            group["parent"] = json!(pick(rng, &names[..i]));
        }
        for (file, often) in [
            ("memory.max", 60),
            ("memory.high", 30),
            ("memory.low", 35),
            ("memory.min", 20),
            ("memory.swap.max", 25),
        ] {
            if chance(rng, often) {
                group[file] = limit(rng);
            }
        }
        if chance(rng, 20) {
            group["memory.oom.group"] = json!(true);
        }
        groups.push(group);
    }
    for process in processes {
        if chance(rng, 85) {
            process["cgroup"] = json!(pick(rng, names));
        }
    }
    let files = [
        "memory.max",
        "memory.high",
        "memory.low",
        "memory.min",
        "memory.swap.max",
        "memory.reclaim",
    ];
    while chance(rng, 60) {
        let write =
            json!({ "name": pick(rng, names), "file": pick(rng, &files), "value": limit(rng) });
        let at = format!("{}us", rng.below(3000));
        interventions.push(json!({ "at": at, "cgroup": write }));
    }
    groups
}

/// The cgroups when the machine was last looked at.
#[derive(Debug, Default)]
pub struct Counts {
    seen: IndexVec<GroupIndex, Seen>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    usage: u32,
    max: u32,
    events: Vec<u64>,
}

impl Counts {
    /// Returns what is wrong: a usage that rose above its limit, a count that fell, a parent with less than
    /// its children, or a task that reclaims outside the cgroup whose limit was hit.
    pub fn see(&mut self, m: &Machine) -> Option<String> {
        let counters = &m.w.memcg.memory.all;
        let now: IndexVec<GroupIndex, Seen> = counters
            .entries()
            .map(|(group, counter)| Seen {
                usage: counter.usage,
                max: counter.limits.max,
                events: m.w.memcg.groups[group].events.to_vec(),
            })
            .collect();
        let before = std::mem::replace(&mut self.seen, now.clone());
        for (group, now) in now.entries() {
            let children = counters.iter().filter(|child| child.parent == group);
            let sum: u32 = children.map(|child| child.usage).sum();
            if sum > now.usage {
                return Some(format!(
                    "children of cgroup {group} have {sum} pages: {now:?}"
                ));
            }
            let Some(before) = before.at(group) else {
                continue;
            };
            if before.usage <= before.max && before.max == now.max && now.usage > now.max {
                return Some(format!(
                    "cgroup {group} rose above its limit: {before:?} {now:?}"
                ));
            }
            let mut pairs = before.events.iter().zip(&now.events);
            if pairs.any(|(before, now)| before > now) {
                return Some(format!("events of cgroup {group} fell: {before:?} {now:?}"));
            }
        }
        m.tasks.iter().find_map(|task| {
            let target = task.cx.sc.target;
            let outside = task.stack.iter().find_map(|frame| match frame {
                Frame::ShrinkLruvec(f) => Some(m.w.mem.group_of_lists(f.owner)),
                Frame::EvictFolios(f) => Some(m.w.mem.group_of_lists(f.owner)),
                _ => None,
            });
            let outside = outside.filter(|at| !m.w.memcg.memory.is_below(*at, target));
            outside.map(|at| format!("reclaim for cgroup {target} took pages of {at}"))
        })
    }
}

/// What is wrong with a record: a pause above memory.high is longer than a hundredth of a second and at most
/// two seconds.
pub fn wrong(m: &Machine, record: &Record) -> Option<String> {
    let pause = HighPause::of(record)?;
    let hz = i64::from(m.w.facts.hz);
    let is_right = pause.jiffies > hz / 100 && pause.jiffies <= 2 * hz;
    (!is_right).then(|| format!("{pause:?}"))
}

/// Decisions of machines with memory cgroups.
pub const OF_CGROUPS: &[RecordKind] = &[
    RecordKind::ChargeOver,
    RecordKind::ChargeRoom,
    RecordKind::ChargeFails,
    RecordKind::LimitPriority,
    RecordKind::RestartAll,
    RecordKind::RestartActive,
    RecordKind::RestartLow,
    RecordKind::HighReclaim,
    RecordKind::HighPause,
    RecordKind::HighNoPause,
    RecordKind::MemcgOom,
    RecordKind::MemcgNobody,
    RecordKind::GroupVisited,
    RecordKind::GroupBelowMin,
    RecordKind::GroupBelowLow,
    RecordKind::GroupLowReclaimed,
    RecordKind::GroupLater,
    RecordKind::GroupLowVisited,
    RecordKind::GroupRotated,
];

/// Of these, what a million random steps do not reach. Ten million reach the first four. The tests of
/// `memcg.rs` and `memcg_lru_gen.rs` reach the OOM killer and the last two.
pub const RARE: &[RecordKind] = &[
    RecordKind::RestartLow,
    RecordKind::HighNoPause,
    RecordKind::MemcgOom,
    RecordKind::MemcgNobody,
    RecordKind::GroupLater,
    RecordKind::GroupLowVisited,
];
