//! Memory cgroups of a workload: a tree of names with limits.
//!
//! Modelled: the files memory.max, memory.high, memory.low, memory.min, memory.swap.max and memory.oom.group,
//! and the mount option memory_recursiveprot.
//! Left out: other controllers; cgroups that are created or removed during the run; moving a process.
//! Invariants: a compiled parent comes before its children; the root is not in the list.

use std::borrow::Cow;

use deserr::{Deserr, IntoValue, Value, ValueKind, ValuePointerRef};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use super::compile::parse_kib;
use super::{MAX_NAME, Workload};
use crate::index::GroupIndex;
use crate::kernel::Features;
use crate::kernel::MemcgRule;
use crate::layout::Layout;
use crate::read::{self, Refusals, row};
use crate::view::Refusal;

/// The maximum number of cgroups in a workload.
pub const MAX_CGROUPS: usize = 64;
/// A limit of this many pages means no limit.
pub const UNLIMITED: u32 = u32::MAX;

/// A memory cgroup. A limit that is left out keeps the value that a new cgroup has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields)]
pub struct Cgroup {
    /// Its name, which processes and other cgroups use to refer to it.
    #[schemars(length(min = 1, max = MAX_NAME))]
    pub name: String,
    /// The name of its parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(title = "Inside", extend("x-left-out" = "the root"))]
    pub parent: Option<String>,
    /// The limit. At this size the cgroup must reclaim its own memory before it gets more.
    #[serde(rename = "memory.max", skip_serializing_if = "Option::is_none")]
    #[deserr(rename = "memory.max", default)]
    #[schemars(extend("x-left-out" = "max: no limit"))]
    pub max: Option<Limit>,
    /// Above this size its tasks reclaim and pause, but none is killed.
    #[serde(rename = "memory.high", skip_serializing_if = "Option::is_none")]
    #[deserr(rename = "memory.high", default)]
    #[schemars(extend("x-left-out" = "max: no limit"))]
    pub high: Option<Limit>,
    /// Up to this size its memory is reclaimed only if nothing else can be reclaimed.
    #[serde(rename = "memory.low", skip_serializing_if = "Option::is_none")]
    #[deserr(rename = "memory.low", default)]
    #[schemars(extend("x-left-out" = "0: not protected"))]
    pub low: Option<Limit>,
    /// Up to this size its memory is never reclaimed.
    #[serde(rename = "memory.min", skip_serializing_if = "Option::is_none")]
    #[deserr(rename = "memory.min", default)]
    #[schemars(extend("x-left-out" = "0: not protected"))]
    pub min: Option<Limit>,
    /// The maximum swap space that it may use.
    #[serde(rename = "memory.swap.max", skip_serializing_if = "Option::is_none")]
    #[deserr(rename = "memory.swap.max", default)]
    #[schemars(extend("x-left-out" = "max: no limit"))]
    pub swap_max: Option<Limit>,
    /// Whether the OOM killer kills all tasks of the cgroup together.
    #[serde(rename = "memory.oom.group", skip_serializing_if = "super::is_false")]
    #[deserr(rename = "memory.oom.group", default)]
    #[schemars(
        default,
        extend("x-words" = ["all tasks together", "one task"], "x-left-out" = "one task")
    )]
    pub oom_group: bool,
}

/// A limit of a cgroup: pages as a number, or a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Limit {
    /// Pages.
    Pages(u64),
    /// "max", or a size with a unit.
    Text(String),
}

impl Deserr<Refusals> for Limit {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        location: ValuePointerRef<'_>,
    ) -> Result<Self, Refusals> {
        match value {
            Value::Integer(pages) => Ok(Self::Pages(pages)),
            Value::String(text) => Ok(Self::Text(text)),
            other => Err(read::mismatch(other, &[ValueKind::Integer], location)),
        }
    }
}

impl JsonSchema for Limit {
    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Pages, a size with a unit: \"64 MiB\" or \"40%\" of memory, or \"max\" for no limit.",
            "anyOf": [
                { "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": r"^\s*(max|[0-9]+\s*(KiB|MiB|GiB)|[0-9]+(\.[0-9]{1,6})?\s*(%|% of node))\s*$" }
            ]
        })
    }
}

impl Limit {
    /// The limit in pages, rounded down; [`UNLIMITED`] for "max".
    ///
    /// # Errors
    /// A message that shows how to write a limit.
    pub fn pages(&self, layout: &Layout) -> Result<u32, String> {
        let pages = match self {
            Self::Pages(pages) => *pages,
            Self::Text(text) if text.trim() == "max" => return Ok(UNLIMITED),
            Self::Text(text) => {
                let kib = parse_kib(layout, 0, text).map_err(|_| {
                    format!("'{text}' is not a limit: write pages as a number, \"64 MiB\", \"40%\" or \"max\"")
                })?;
                kib / layout.geometry.page_kib()
            }
        };
        Ok(u32::try_from(pages).unwrap_or(UNLIMITED))
    }
}

/// Limits in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GroupLimits {
    /// memory.max.
    pub max: u32,
    /// memory.high.
    pub high: u32,
    /// memory.low.
    pub low: u32,
    /// memory.min.
    pub min: u32,
    /// memory.swap.max.
    pub swap_max: u32,
}

/// A cgroup after it was compiled for a machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The cgroup above it; 0 is the root.
    pub parent: GroupIndex,
    /// Its limits.
    pub limits: GroupLimits,
    /// Whether the OOM killer kills all its tasks together.
    pub oom_group: bool,
}

/// The compiled cgroups of a workload.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Groups {
    /// The cgroups in order of their index, which begins at 1.
    pub all: Vec<Group>,
    /// Whether unclaimed protection of a parent is distributed among its children (the mount option
    /// memory_recursiveprot).
    pub recursive: bool,
}

impl Groups {
    /// The index of a cgroup by its name.
    pub fn named(&self, name: &str) -> Option<GroupIndex> {
        let found = self.all.iter().position(|group| group.name == name)?;
        Some(GroupIndex::new(found as u8 + 1))
    }

    /// Why no cgroup has this name.
    pub fn unknown(&self, name: &str) -> String {
        if self.all.is_empty() {
            return format!("no cgroup is called '{name}'; the workload has none");
        }
        let known = row(self.all.iter().map(|group| group.name.as_str()));
        format!("no cgroup is called '{name}'; there are {known}")
    }
}

/// Compiles the cgroups of a workload.
pub fn groups(
    workload: &Workload,
    layout: &Layout,
    features: &Features,
    out: &mut Vec<Refusal>,
) -> Groups {
    let mut compiled = Groups {
        all: Vec::new(),
        recursive: workload.memory_recursiveprot,
    };
    let given = &workload.cgroups;
    if given.is_empty() {
        return compiled;
    }
    if features.memcg == MemcgRule::Absent {
        let reason = "memory cgroups of this kernel are not modelled; choose 6.1 or 6.12";
        refuse(out, "workload.cgroups", reason);
        return compiled;
    }
    let most = MAX_CGROUPS.min(usize::from(u8::MAX) / layout.nodes.len().max(1) - 1);
    if given.len() > most {
        let reason = format!(
            "{} cgroups; a machine with {} nodes may have at most {most}",
            given.len(),
            layout.nodes.len()
        );
        refuse(out, "workload.cgroups", &reason);
        return compiled;
    }
    for (i, cgroup) in given.iter().enumerate() {
        let path = format!("workload.cgroups[{i}]");
        let group = compile(cgroup, &compiled, layout, &path, out);
        compiled.all.push(group);
    }
    compiled
}

/// Compiles a cgroup that comes after those already compiled.
fn compile(
    cgroup: &Cgroup,
    before: &Groups,
    layout: &Layout,
    path: &str,
    out: &mut Vec<Refusal>,
) -> Group {
    let name = &cgroup.name;
    if name.is_empty() || name.len() > MAX_NAME {
        let reason = format!("a name must have 1 to {MAX_NAME} characters");
        refuse(out, &format!("{path}.name"), &reason);
    } else if before.named(name).is_some() {
        let reason = format!("two cgroups are called '{name}'");
        refuse(out, &format!("{path}.name"), &reason);
    }
    let parent = match &cgroup.parent {
        None => GroupIndex::ROOT,
        Some(parent) => before.named(parent).unwrap_or_else(|| {
            let reason = format!("{}, before this one", before.unknown(parent));
            refuse(out, &format!("{path}.parent"), &reason);
            GroupIndex::ROOT
        }),
    };
    let mut limit = |name: &str, limit: &Option<Limit>, rest: u32| match limit {
        None => rest,
        Some(limit) => limit.pages(layout).unwrap_or_else(|reason| {
            refuse(out, &format!("{path}.{name}"), &reason);
            rest
        }),
    };
    let limits = GroupLimits {
        max: limit("memory.max", &cgroup.max, UNLIMITED),
        high: limit("memory.high", &cgroup.high, UNLIMITED),
        low: limit("memory.low", &cgroup.low, 0),
        min: limit("memory.min", &cgroup.min, 0),
        swap_max: limit("memory.swap.max", &cgroup.swap_max, UNLIMITED),
    };
    Group {
        name: name.clone(),
        parent,
        limits,
        oom_group: cgroup.oom_group,
    }
}

fn refuse(out: &mut Vec<Refusal>, path: &str, reason: &str) {
    out.push(Refusal {
        path: path.to_string(),
        reason: reason.to_string(),
    });
}
