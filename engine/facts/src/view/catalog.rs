//! What never changes while a machine runs: functions, mechanisms, tunables, events and counters, as
//! a person reads of them.

use serde::Serialize;

/// How faithful a mechanism is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum Fidelity {
    /// The same decisions from the same inputs as the named kernel function, in every modelled
    /// kernel that has it, and nothing left out. A note beside it can only say what it is called
    /// elsewhere, or what else it contains.
    Mirrored,
    /// The same direction; what is different, or left out, is said beside it.
    Simplified,
    /// Not there.
    Absent,
}

/// One line of a function's pseudo-code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Line {
    /// The text, without indentation.
    pub text: String,
    /// Indentation level.
    pub indent: u32,
}

/// A modelled kernel function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct FunctionInfo {
    /// The kernel's name.
    pub name: String,
    /// The kernel's file, "mm/page_alloc.c"; empty for engine functions.
    pub file: String,
    /// A release that has it, and the line its definition begins at there.
    pub source: Option<(String, u32)>,
    /// How faithful.
    pub fidelity: Fidelity,
    /// What is different, where something is.
    pub note: String,
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
    /// All zone types of this architecture and kernel, by index.
    pub zone_types: Vec<String>,
    /// Migrate types by index, as /proc/pagetypeinfo names them.
    pub migratetypes: Vec<String>,
    /// Per node: id, CPU ids, and for each absent zone type why it is absent.
    pub nodes: Vec<NodeInfo>,
    /// Page frames that exist.
    pub frames: u64,
    /// True when every frame can be drawn.
    pub teaching: bool,
    /// Timer frequency.
    pub hz: u32,
}

/// What is said when an experiment is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Opened {
    /// Its facts.
    pub info: Info,
    /// Its canonical JSON.
    pub canonical: String,
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
    /// Zones the node lacks: (name, why).
    pub absent: Vec<(String, String)>,
}

/// An item a person can choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Choice {
    /// Stable id.
    pub id: String,
    /// For people.
    pub title: String,
    /// One sentence.
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
    /// What is different or missing, and where it would have mattered.
    pub note: String,
}

/// One `vm.*` tunable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct TunableView {
    /// "vm.min_free_kbytes".
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

/// How a number of an event is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum EventField {
    /// A plain number.
    Number,
    /// A page frame number.
    Page,
    /// Index of a zone.
    Zone,
    /// Id of a task.
    Task,
    /// Index of a migrate type.
    Type,
    /// gfp flags, as the engine numbers them.
    Gfp,
    /// Id of a node.
    Node,
    /// Index of an LRU list.
    Lru,
}

/// A kind of event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct EventKind {
    /// The kernel's tracepoint name, or an engine name.
    pub name: String,
    /// True where the kernel has a tracepoint of this name.
    pub tracepoint: bool,
    /// Fields in order: (name, how to read it).
    pub fields: Vec<(String, EventField)>,
    /// What it tells.
    pub about: String,
    /// Where the kernel has it: its file, and versions; "Engine" where it is ours.
    pub source: String,
}

/// What there is a counter of the same name for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum CounterPer {
    /// One, of the whole machine.
    Machine,
    /// One for each zone type; the name is followed by `_` and the zone's.
    ZoneType,
    /// One for anonymous memory and one for files; followed by `_anon` or `_file`.
    Memory,
}

/// An event counter of /proc/vmstat, or several whose names begin alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct CounterKind {
    /// The kernel's name, or its beginning.
    pub name: String,
    /// How many there are.
    pub per: CounterPer,
    /// What it counts.
    pub about: String,
}

/// A kind of decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct DecisionKind {
    /// The engine's name.
    pub name: String,
    /// A sentence of at most 30 words with places for numbers; see the module `why`.
    pub template: String,
    /// Where it compared a zone's free pages with a mark: did they exceed it?
    pub passed: Option<bool>,
}

/// What the engine offers: the build writes it into the page's `catalog.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Catalog {
    /// Engine version.
    pub version: String,
    /// Machine profiles.
    pub machines: Vec<Choice>,
    /// Kernel variants.
    pub kernels: Vec<Choice>,
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
    /// All kinds of event, by event id.
    pub events: Vec<EventKind>,
    /// All kinds of decision, by number.
    pub decisions: Vec<DecisionKind>,
    /// What a flusher is asked to write for, by number.
    pub flush_reasons: Vec<String>,
    /// What a reclaimer is throttled for, by number.
    pub throttle_reasons: Vec<String>,
    /// The event counters.
    pub counters: Vec<CounterKind>,
    /// How each mechanism is modelled, by kernel variant: (id, mechanisms).
    pub mechanisms: Vec<(String, Vec<Mechanism>)>,
    /// gfp flags: (bits, name). The first set of several bits a value has is printed by its name,
    /// then the single bits that are left.
    pub gfp: Vec<(u32, String)>,
    /// LRU lists by index.
    pub lru: Vec<String>,
}
