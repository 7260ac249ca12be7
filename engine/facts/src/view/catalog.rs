//! Data that never changes while a machine runs: functions, mechanisms, tunables, records and counters, as
//! users read about them.

use serde::Serialize;

use super::CompactionIs;

/// How faithful a mechanism is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum Fidelity {
    /// The same decisions from the same inputs as the named kernel function, in every modelled kernel that
    /// has it, and nothing left out. A note can only give another name of it in other kernels, or what else
    /// it contains.
    Mirrored,
    /// It behaves similarly; the note says what is different or left out.
    Simplified,
    /// It is not modelled.
    Absent,
}

/// One line of a function's pseudo-code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct Line {
    /// The text, without indentation.
    pub text: String,
    /// Indentation level.
    pub indent: u32,
    /// Ids of the kernels that have it; none if all do.
    pub kernels: Option<Vec<String>>,
}

/// A modelled kernel function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct FunctionInfo {
    /// The kernel's name.
    pub name: String,
    /// The kernel's file, "mm/page_alloc.c"; empty for functions of the engine.
    pub file: String,
    /// A release that has it, and the line where its definition begins in that release.
    pub source: Option<(String, u32)>,
    /// How faithfully it is modelled.
    pub fidelity: Fidelity,
    /// What is different, if anything is.
    pub note: String,
    /// The ids of the kernels that have it, if not all do.
    pub kernels: Option<Vec<String>>,
    /// Pseudo-code.
    pub lines: Vec<Line>,
}

/// Facts about an opened experiment that do not change while it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Info {
    /// Experiment id.
    pub experiment: String,
    /// Title.
    pub title: String,
    /// Kernel variant id.
    pub kernel: String,
    /// Lines of pseudo-code that its kernel with its patches does not have: (function, line).
    pub absent_lines: Vec<(u32, u32)>,
    /// Machine profile id.
    pub machine: String,
    /// Machine title.
    pub machine_title: String,
    /// Workload id.
    pub workload: String,
    /// Seed.
    pub seed: u64,
    /// Length in ns.
    pub length_ns: u64,
    /// Bytes per page.
    pub page_size: u64,
    /// Number of orders.
    pub orders: u32,
    /// Order of a pageblock (and of a huge page).
    pub pageblock_order: u32,
    /// Whether this kernel compacts memory.
    pub compaction: CompactionIs,
    /// Highest order that the workload requests; 0 if it requests no blocks.
    pub largest_order: u32,
    /// All zone types of this architecture and kernel, by index.
    pub zone_types: Vec<String>,
    /// Migrate types by index, as /proc/pagetypeinfo names them.
    pub migratetypes: Vec<String>,
    /// Whether its workload starts threads, which the kernel balances over CPUs.
    pub has_threads: bool,
    /// For each node: id, CPU ids, and for each absent zone type why it is absent.
    pub nodes: Vec<NodeInfo>,
    /// Page frames that exist.
    pub frames: u64,
    /// Whether every frame can be drawn.
    pub teaching: bool,
    /// Timer frequency.
    pub hz: u32,
}

/// The answer to opening an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Opened {
    /// Facts about the experiment.
    pub info: Info,
    /// The experiment in canonical JSON.
    pub canonical: String,
    /// The experiment's key, which is equal for equal experiments, no matter how they are written.
    pub key: String,
}

/// Facts about a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct NodeInfo {
    /// Node id.
    pub id: u32,
    /// CPU ids.
    pub cpus: Vec<u32>,
    /// Distances to every node.
    pub distances: Vec<u32>,
    /// Ranges that exist: (first pfn, pages); the page-state array of the node lists these frames in order.
    pub ranges: Vec<(u64, u64)>,
    /// Zone types that the node lacks: (name, reason).
    pub absent: Vec<(String, String)>,
}

/// An item that a user can choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Choice {
    /// Stable id.
    pub id: String,
    /// The name for users.
    pub title: String,
    /// A description in one sentence.
    pub about: String,
}

/// A mechanism and how it is modelled in a kernel variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Mechanism {
    /// Name.
    pub name: String,
    /// How faithful.
    pub fidelity: Fidelity,
    /// What is different or missing, and where it would matter.
    pub note: String,
}

/// A constant of the engine: what an operation costs in virtual time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct CostInfo {
    /// Its name in the engine, "page_ladder_free".
    pub name: String,
    /// The operation, and the origin of the value.
    pub about: String,
}

/// One `vm.*` tunable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct TunableView {
    /// Its name: "vm.min_free_kbytes".
    pub name: String,
    /// Default as text.
    pub default: String,
    /// Limits or choices as text.
    pub limits: String,
    /// Unit.
    pub unit: String,
    /// What it does.
    pub about: String,
}

/// The kind of a field of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum FieldKind {
    /// A page frame number, or none.
    Page,
    /// Index of a zone.
    Zone,
    /// Index of a zone type.
    ZoneType,
    /// Id of a task.
    Task,
    /// Id of a node.
    Node,
    /// A CPU.
    Cpu,
    /// A plain number, which may be negative.
    Count,
    /// An order.
    Order,
    /// Index of a migrate type.
    Migratetype,
    /// gfp flags, as the engine numbers them.
    Gfp,
    /// Index of an owner of LRU lists.
    Lists,
    /// Index of an LRU list.
    Lru,
    /// A watermark: 0 min, 1 low, 2 high.
    Mark,
    /// Index of a block device.
    Device,
    /// The reason for which a flusher writes, by number.
    FlushReason,
    /// The reason for which a reclaimer is throttled, by number.
    ThrottleReason,
    /// Timer ticks.
    Jiffies,
    /// 0 or 1.
    Flag,
    /// Pages of a batch and their outcomes: the count, then page, outcome, page, outcome.
    Outcomes,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Field {
    /// Its name; a field of a tracepoint has the kernel's name.
    pub name: String,
    /// What it is.
    pub kind: FieldKind,
}

/// An event or a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum RecordSort {
    /// Something happened.
    Event,
    /// The kernel made a decision.
    Decision,
}

/// The comparison of a decision with a watermark, by the decision's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct Watermark {
    /// The owner of the watermark.
    pub zone: &'static str,
    /// The compared value, pages.
    pub value: &'static str,
    /// The limit that the value had to exceed, pages.
    pub needed: &'static str,
    /// Which watermark.
    pub mark: &'static str,
    /// The part of the limit that is reserved for others, if any, pages.
    pub reserve: Option<&'static str>,
    /// Whether the value exceeded the limit.
    pub passed: bool,
}

/// A kind of record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct RecordKind {
    /// The kernel's tracepoint name, or the engine's.
    pub name: String,
    /// Event or decision.
    pub kind: RecordSort,
    /// Whether the kernel has a tracepoint of this name.
    pub tracepoint: bool,
    /// For an event: its meaning.
    pub about: String,
    /// For an event: its file in the kernel and the versions that have it; "Engine" if it belongs to the
    /// engine.
    pub source: String,
    /// For a decision: a sentence of at most 30 words. `{field}` stands for a value, shown by its kind;
    /// `{field noun}` for a count of the noun.
    pub template: Option<String>,
    /// Its fields, in order. A list is always the last field.
    pub fields: Vec<Field>,
    /// The comparison, if the decision compared a number with a watermark.
    pub watermark: Option<Watermark>,
}

/// How many counters share a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum CounterPer {
    /// One for the whole machine.
    Machine,
    /// One for each zone type; the name is followed by `_` and the zone's name.
    ZoneType,
    /// One for anonymous memory and one for files; followed by `_anon` or `_file`.
    Memory,
}

/// An event counter of /proc/vmstat, or several whose names begin the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct CounterKind {
    /// The kernel's name, or its beginning.
    pub name: String,
    /// How many counters there are.
    pub per: CounterPer,
    /// What it counts.
    pub about: String,
}

/// Everything the engine offers. The build writes it into the page's `catalog.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Catalog {
    /// Engine version.
    pub version: String,
    /// Machine profiles.
    pub machines: Vec<Choice>,
    /// Kernel variants.
    pub kernels: Vec<Choice>,
    /// For each kernel variant the release that it is or to which its patches apply: (id, release).
    pub releases: Vec<(String, String)>,
    /// Workloads.
    pub workloads: Vec<Choice>,
    /// Ready-made experiments.
    pub experiments: Vec<Choice>,
    /// Modelled functions, by function id.
    pub functions: Vec<FunctionInfo>,
    /// Ready-made experiments: (id, canonical JSON).
    pub presets: Vec<(String, String)>,
    /// The tunables of each kernel variant: (id, tunables).
    pub tunables: Vec<(String, Vec<TunableView>)>,
    /// All kinds of record, by number: events, then decisions.
    pub records: Vec<RecordKind>,
    /// The reason for which a flusher writes, by number.
    pub flush_reasons: Vec<String>,
    /// The reason for which a reclaimer is throttled, by number.
    pub throttle_reasons: Vec<String>,
    /// The event counters.
    pub counters: Vec<CounterKind>,
    /// How each mechanism is modelled, by kernel variant: (id, mechanisms).
    pub mechanisms: Vec<(String, Vec<Mechanism>)>,
    /// The cost of work in virtual time, by its index in a machine's table of costs.
    pub costs: Vec<CostInfo>,
    /// gfp flags: (bits, name). Of the sets of several bits that a value contains, the first is printed by
    /// its name, then the remaining single bits.
    pub gfp: Vec<(u32, String)>,
    /// LRU lists by index.
    pub lru: Vec<String>,
}
