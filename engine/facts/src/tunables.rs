//! The `vm.*` sysctls that a user can set, with each kernel's names, limits and defaults.
//!
//! Modelled: the tunables that decide watermarks, protection, per-cpu lists, zonelist order and dirty limits,
//! and the setting of huge pages (kernel/sysctl.c, mm/page_alloc.c).
//! Left out: the `*_bytes` variants of the dirty ratios; switches of mechanisms that are not modelled.
//! Visible difference: none; an unknown name is refused.
//! Invariants: a [`Tunables`] contains only values that its kernel would accept.

use std::borrow::Cow;
use std::collections::BTreeMap;

use deserr::{Deserr, IntoValue, Value, ValueKind, ValuePointerRef};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::json;

use crate::arch::ZoneType;
use crate::kernel::{
    Features, LruOwner, PcpRule, ReserveRule, ScanPeriod, ThpRaise, ZonelistOrder, kernels,
};
use crate::profile::{MachineProfile, Thp, ZonelistChoice, refuse};
use crate::read::{self, Refusals, row};
use crate::state::State;
use crate::view::Refusal;

/// Tunables as users write them: name to value.
pub(crate) struct Words(BTreeMap<String, Word>);

impl Words {
    /// The values as texts.
    pub(crate) fn values(self) -> BTreeMap<String, String> {
        let each = self.0.into_iter();
        each.map(|(name, Word(value))| (name, value)).collect()
    }
}

impl Deserr<Refusals> for Words {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        location: ValuePointerRef<'_>,
    ) -> Result<Self, Refusals> {
        read::entries(value, location, |name| Ok(name.to_string())).map(Words)
    }
}

/// Every tunable that any kernel has, with the widest limits of all kernels.
impl JsonSchema for Words {
    fn schema_name() -> Cow<'static, str> {
        "Tunables".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut all: BTreeMap<&str, Vec<TunableInfo>> = BTreeMap::new();
        for kernel in kernels() {
            for info in list(&kernel.features) {
                all.entry(info.name).or_default().push(info);
            }
        }
        let each = all
            .iter()
            .map(|(&name, infos)| (name.to_string(), word_schema(infos)));
        let values: serde_json::Map<_, _> = each.collect();
        json_schema!({
            "description": "Values by name, as text or as a number. The kernel decides which tunables exist.",
            "type": "object",
            "properties": values,
            "additionalProperties": false,
        })
    }
}

/// One tunable, for all kernels that have it.
fn word_schema(infos: &[TunableInfo]) -> serde_json::Value {
    let least = infos.iter().map(|info| info.min).min();
    let most = infos.iter().map(|info| info.max).max();
    let mut choices: Vec<&str> = infos
        .iter()
        .flat_map(|info| info.choices)
        .copied()
        .collect();
    choices.sort_unstable();
    choices.dedup();
    let info = &infos[0];
    let mut defaults: Vec<&str> = Vec::new();
    for info in infos {
        if !defaults.contains(&info.default.as_str()) {
            defaults.push(&info.default);
        }
    }
    let mut schema = json!({
        "title": info.name,
        "description": sentence(info.doc),
        "type": ["string", "integer"],
        "x-left-out": defaults.join(" or "),
    });
    if info.kind == TunableKind::Choice {
        schema["type"] = json!("string");
        schema["examples"] = json!(choices);
    } else {
        schema["minimum"] = json!(least);
        schema["maximum"] = json!(most);
    }
    if !info.unit.is_empty() {
        schema["x-unit"] = json!(info.unit);
    }
    schema
}

/// A tunable's description as a sentence.
fn sentence(doc: &str) -> String {
    let mut letters = doc.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

/// A value. For most sysctls a user would write a number.
struct Word(String);

impl Deserr<Refusals> for Word {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        location: ValuePointerRef<'_>,
    ) -> Result<Self, Refusals> {
        match value {
            Value::String(text) => Ok(Word(text)),
            Value::Integer(number) => Ok(Word(number.to_string())),
            Value::NegativeInteger(number) => Ok(Word(number.to_string())),
            Value::Float(number) => Ok(Word(number.to_string())),
            other => Err(read::mismatch(other, &[ValueKind::String], location)),
        }
    }
}

/// Values that were set by hand or left at the kernel's default.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, State)]
#[state(unlike)]
pub struct Tunables {
    /// `vm.min_free_kbytes`, KiB; none if the kernel computes it.
    pub min_free_kbytes: Option<u64>,
    /// `vm.watermark_scale_factor`, in 1/10000 of a zone (from 4.6).
    pub watermark_scale_factor: u64,
    /// `vm.watermark_boost_factor`, in 1/10000 of the high watermark (from 5.0).
    pub watermark_boost_factor: u64,
    /// `vm.lowmem_reserve_ratio`: one divisor for each built-in zone type; kernels to 4.17 have none for the
    /// last type.
    pub lowmem_reserve_ratio: Vec<u64>,
    /// `vm.numa_zonelist_order`.
    pub numa_zonelist_order: ZonelistChoice,
    /// `vm.percpu_pagelist_fraction` (to 5.13) or `vm.percpu_pagelist_high_fraction`: 0, or the part of a
    /// zone that its per-cpu lists may hold.
    pub percpu_pagelist_fraction: u64,
    /// `vm.swappiness`: 0 to 100, from 5.8 on to 200.
    pub swappiness: u64,
    /// `vm.page-cluster`: swap read-ahead reads 2 to the power of this number of pages.
    pub page_cluster: u64,
    /// `vm.zone_reclaim_mode`: 1 reclaims, 2 writes, 4 unmaps and swaps; none if the distances decide at
    /// boot.
    pub zone_reclaim_mode: Option<u64>,
    /// `vm.min_unmapped_ratio`, percent of a zone: this many unmapped file pages stay when zone_reclaim runs.
    pub min_unmapped_ratio: u64,
    /// `vm.min_slab_ratio`, percent of a zone: this many slab pages stay when zone_reclaim runs.
    pub min_slab_ratio: u64,
    /// `vm.dirty_expire_centisecs`.
    pub dirty_expire_centisecs: u64,
    /// `vm.dirty_writeback_centisecs`.
    pub dirty_writeback_centisecs: u64,
    /// `vm.dirty_ratio`, percent.
    pub dirty_ratio: u64,
    /// `vm.dirty_background_ratio`, percent.
    pub dirty_background_ratio: u64,
    /// `/sys/kernel/mm/transparent_hugepage/enabled`, if set by hand; none for the value at boot, which is
    /// off below 512 MiB.
    pub transparent_hugepage: Option<Thp>,
    /// `kernel.numa_balancing`: 0 off, 1 on (from 3.8). Distributions boot with 1 if there is more than one
    /// node; here it is off unless it is set.
    pub numa_balancing: u64,
    /// `kernel.numa_balancing_scan_delay_ms`: run time of a task before its first scan.
    pub numa_scan_delay_ms: u64,
    /// `kernel.numa_balancing_scan_period_min_ms`: shortest run time between two scans of a task.
    pub numa_scan_period_min_ms: u64,
    /// `kernel.numa_balancing_scan_period_max_ms`: longest run time between two scans of a task.
    pub numa_scan_period_max_ms: u64,
    /// `kernel.numa_balancing_scan_size_mb`: the maximum that a scan marks, MiB.
    pub numa_scan_size_mb: u64,
    /// `/sys/kernel/mm/lru_gen/enabled`, by bits: 1 the multi-generational LRU itself, 2 walks of page
    /// tables, 4 the accessed bits of page-table directories (from 6.1).
    pub lru_gen_enabled: u64,
    /// `/sys/kernel/mm/lru_gen/min_ttl_ms`: how long the youngest generations are protected; 0 is off.
    pub lru_gen_min_ttl_ms: u64,
}

/// How a tunable's value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TunableKind {
    /// One whole number.
    Number,
    /// A whole number, or `auto` for the kernel's own choice.
    NumberOrAuto,
    /// Whole numbers separated by blanks, one for each zone type.
    Vector,
    /// One of several words.
    Choice,
}

/// What a form needs to know about a tunable.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct TunableInfo {
    /// The name of the sysctl.
    pub name: &'static str,
    /// How its value is written.
    pub kind: TunableKind,
    /// Default as text.
    pub default: String,
    /// Smallest number.
    pub min: u64,
    /// Largest number.
    pub max: u64,
    /// The words of a choice.
    pub choices: &'static [&'static str],
    /// Unit.
    pub unit: &'static str,
    /// What the tunable does.
    pub doc: &'static str,
}

/// Largest value of an `int` sysctl.
const INT_MAX: u64 = i32::MAX as u64;
/// `MIN_PERCPU_PAGELIST_FRACTION` (mm/page_alloc.c): the kernel accepts no smaller fraction except 0.
const MIN_PERCPU_PAGELIST_FRACTION: u64 = 8;

const MIN_FREE: &str = "vm.min_free_kbytes";
const SCALE: &str = "vm.watermark_scale_factor";
const BOOST: &str = "vm.watermark_boost_factor";
const RESERVE: &str = "vm.lowmem_reserve_ratio";
const ORDER: &str = "vm.numa_zonelist_order";
const FRACTION: &str = "vm.percpu_pagelist_fraction";
const HIGH_FRACTION: &str = "vm.percpu_pagelist_high_fraction";
const DIRTY: &str = "vm.dirty_ratio";
const BACKGROUND: &str = "vm.dirty_background_ratio";
const SWAPPINESS: &str = "vm.swappiness";
const CLUSTER: &str = "vm.page-cluster";
const ZONE_RECLAIM: &str = "vm.zone_reclaim_mode";
const UNMAPPED: &str = "vm.min_unmapped_ratio";
const MIN_SLAB: &str = "vm.min_slab_ratio";
const EXPIRE: &str = "vm.dirty_expire_centisecs";
const PERIOD: &str = "vm.dirty_writeback_centisecs";
const THP: &str = "transparent_hugepage";
const NUMA_BALANCING: &str = "kernel.numa_balancing";
const SCAN_DELAY: &str = "kernel.numa_balancing_scan_delay_ms";
const PERIOD_MIN: &str = "kernel.numa_balancing_scan_period_min_ms";
const PERIOD_MAX: &str = "kernel.numa_balancing_scan_period_max_ms";
const SCAN_SIZE: &str = "kernel.numa_balancing_scan_size_mb";
const LRU_GEN: &str = "lru_gen.enabled";
const MIN_TTL: &str = "lru_gen.min_ttl_ms";
/// All bits of `lru_gen.enabled`.
const LRU_GEN_ALL: u64 = 7;
/// The longest time between two scans that can be set, ms: an hour.
const LONGEST_PERIOD: u64 = 3_600_000;
/// The largest window that can be set, MiB: a terabyte.
const LARGEST_SCAN: u64 = 1 << 20;

/// The default divisor of a zone type (`sysctl_lowmem_reserve_ratio`, mm/page_alloc.c).
fn default_ratio(features: &Features, kind: ZoneType) -> u64 {
    match (kind, features.reserve) {
        (ZoneType::Dma | ZoneType::Dma32, _) => 256,
        (ZoneType::Normal, _) => 32,
        (ZoneType::HighMem, ReserveRule::RatioAtLeastOne) => 32,
        _ => 0,
    }
}

/// Whether NUMA balancing is on by default (0 or 1), and the shortest and the longest scan period, ms
/// (kernel/sched/fair.c).
fn numa_defaults(features: &Features) -> (u64, u64, u64) {
    match features.numa_balancing.rules().map(|rules| rules.period) {
        Some(ScanPeriod::Fixed) => (0, 100, 5000),
        Some(ScanPeriod::Core) => (1, 100, 1600),
        // AutoNUMA's own switch "enabled"; its tasks have no periods.
        Some(ScanPeriod::Daemon) => (1, 1000, 60_000),
        Some(ScanPeriod::ByResidentSize) | None => (0, 1000, 60_000),
    }
}

/// The bits of `lru_gen.enabled` with which a kernel boots. The hardware may lack some of them.
const fn lru_gen_default(features: &Features) -> u64 {
    if features.lru_gen.is_modelled() && features.multi_gen_lru {
        LRU_GEN_ALL
    } else {
        0
    }
}

/// The number of entries of `lowmem_reserve_ratio` with these zone types: old kernels have none for the last
/// type.
pub fn ratio_len(features: &Features, zone_types: usize) -> usize {
    match features.reserve {
        ReserveRule::RatioAtLeastOne => zone_types.saturating_sub(1),
        _ => zone_types,
    }
}

impl Tunables {
    /// The values with which every kernel starts, without a reserve ratio.
    pub const fn plain() -> Tunables {
        Tunables {
            min_free_kbytes: None,
            watermark_scale_factor: 10,
            watermark_boost_factor: 15_000,
            lowmem_reserve_ratio: Vec::new(),
            numa_zonelist_order: ZonelistChoice::Default,
            percpu_pagelist_fraction: 0,
            swappiness: 60,
            page_cluster: 3,
            zone_reclaim_mode: None,
            min_unmapped_ratio: 1,
            min_slab_ratio: 5,
            dirty_expire_centisecs: 3000,
            dirty_writeback_centisecs: 500,
            dirty_ratio: 20,
            dirty_background_ratio: 10,
            transparent_hugepage: None,
            numa_balancing: 0,
            numa_scan_delay_ms: 1000,
            numa_scan_period_min_ms: 1000,
            numa_scan_period_max_ms: 60_000,
            numa_scan_size_mb: 256,
            lru_gen_enabled: 0,
            lru_gen_min_ttl_ms: 0,
        }
    }

    /// A kernel's defaults on a machine, before the profile's own tunables are applied. Defaults that a
    /// distribution chooses are those of Debian.
    pub fn defaults(profile: &MachineProfile, features: &Features) -> Tunables {
        let zone_types: Vec<ZoneType> = profile
            .zone_borders(features)
            .iter()
            .map(|border| border.kind)
            .collect();
        let entries = ratio_len(features, zone_types.len());
        let (on, least, longest) = numa_defaults(features);
        Tunables {
            numa_balancing: on,
            numa_scan_period_min_ms: least,
            numa_scan_period_max_ms: longest,
            lowmem_reserve_ratio: zone_types[..entries]
                .iter()
                .map(|&kind| default_ratio(features, kind))
                .collect(),
            numa_zonelist_order: profile.zonelist_order,
            lru_gen_enabled: lru_gen_default(features),
            ..Tunables::plain()
        }
    }

    /// The tunables with which a profile boots: the kernel's defaults, then the profile's own in alphabetical
    /// order. Names or values that this kernel does not accept are returned as refusals and keep their
    /// defaults.
    pub fn of(profile: &MachineProfile, features: &Features) -> (Tunables, Vec<Refusal>) {
        let mut tunables = Tunables::defaults(profile, features);
        let mut refusals = Vec::new();
        for (name, value) in &profile.tunables {
            if let Err(refusal) = tunables.set(features, name, value) {
                refusals.push(refuse(format!("tunables.{name}"), refusal.reason));
            }
        }
        (tunables, refusals)
    }

    /// Sets one tunable from text, as `sysctl -w` would.
    pub fn set(&mut self, features: &Features, name: &str, value: &str) -> Result<(), Refusal> {
        let Some(info) = list(features).into_iter().find(|info| info.name == name) else {
            return Err(refuse(name, missing_reason(name)));
        };
        let value = value.trim();
        match name {
            MIN_FREE => self.min_free_kbytes = number_or_auto(&info, value)?,
            SCALE => self.watermark_scale_factor = number(&info, value)?,
            BOOST => self.watermark_boost_factor = number(&info, value)?,
            RESERVE => {
                let len = self.lowmem_reserve_ratio.len();
                self.lowmem_reserve_ratio = vector(&info, value, len)?;
            }
            ORDER => self.numa_zonelist_order = zonelist_choice(&info, value)?,
            FRACTION | HIGH_FRACTION => self.percpu_pagelist_fraction = fraction(&info, value)?,
            DIRTY => self.dirty_ratio = number(&info, value)?,
            BACKGROUND => self.dirty_background_ratio = number(&info, value)?,
            SWAPPINESS => self.swappiness = number(&info, value)?,
            CLUSTER => self.page_cluster = number(&info, value)?,
            ZONE_RECLAIM => self.zone_reclaim_mode = number_or_auto(&info, value)?,
            UNMAPPED => self.min_unmapped_ratio = number(&info, value)?,
            MIN_SLAB => self.min_slab_ratio = number(&info, value)?,
            EXPIRE => self.dirty_expire_centisecs = number(&info, value)?,
            PERIOD => self.dirty_writeback_centisecs = number(&info, value)?,
            NUMA_BALANCING => self.numa_balancing = number(&info, value)?,
            SCAN_DELAY => self.numa_scan_delay_ms = number(&info, value)?,
            PERIOD_MIN => self.numa_scan_period_min_ms = number(&info, value)?,
            PERIOD_MAX => self.numa_scan_period_max_ms = number(&info, value)?,
            SCAN_SIZE => self.numa_scan_size_mb = number(&info, value)?,
            LRU_GEN => self.lru_gen_enabled = lru_gen_bits(&info, value)?,
            MIN_TTL => self.lru_gen_min_ttl_ms = number(&info, value)?,
            _ => self.transparent_hugepage = Some(thp(&info, value)?),
        }
        Ok(())
    }

    /// Sets one tunable while the machine runs. Values decided at boot cannot be written then.
    pub fn write(&mut self, features: &Features, name: &str, value: &str) -> Result<(), Refusal> {
        if name == ORDER {
            let reason = "zonelists are built at boot: set it under tunables";
            return Err(refuse(name, reason));
        }
        self.set(features, name, value)
    }

    /// The present value of a tunable as text, as `sysctl -n` prints it; `None` for a name that no kernel
    /// has.
    pub fn get(&self, name: &str) -> Option<String> {
        Some(match name {
            MIN_FREE => or_auto(self.min_free_kbytes),
            ZONE_RECLAIM => or_auto(self.zone_reclaim_mode),
            UNMAPPED => self.min_unmapped_ratio.to_string(),
            MIN_SLAB => self.min_slab_ratio.to_string(),
            SCALE => self.watermark_scale_factor.to_string(),
            BOOST => self.watermark_boost_factor.to_string(),
            RESERVE => numbers(&self.lowmem_reserve_ratio),
            ORDER => choice_name(self.numa_zonelist_order).to_string(),
            FRACTION | HIGH_FRACTION => self.percpu_pagelist_fraction.to_string(),
            DIRTY => self.dirty_ratio.to_string(),
            BACKGROUND => self.dirty_background_ratio.to_string(),
            SWAPPINESS => self.swappiness.to_string(),
            CLUSTER => self.page_cluster.to_string(),
            EXPIRE => self.dirty_expire_centisecs.to_string(),
            PERIOD => self.dirty_writeback_centisecs.to_string(),
            NUMA_BALANCING => self.numa_balancing.to_string(),
            SCAN_DELAY => self.numa_scan_delay_ms.to_string(),
            PERIOD_MIN => self.numa_scan_period_min_ms.to_string(),
            PERIOD_MAX => self.numa_scan_period_max_ms.to_string(),
            SCAN_SIZE => self.numa_scan_size_mb.to_string(),
            LRU_GEN => self.lru_gen_enabled.to_string(),
            MIN_TTL => self.lru_gen_min_ttl_ms.to_string(),
            THP => match self.transparent_hugepage {
                Some(thp) => thp_name(thp).to_string(),
                None => "as booted".to_string(),
            },
            _ => return None,
        })
    }
}

fn or_auto(value: Option<u64>) -> String {
    match value {
        Some(number) => number.to_string(),
        None => "auto".to_string(),
    }
}

fn numbers(values: &[u64]) -> String {
    let words: Vec<String> = values.iter().map(u64::to_string).collect();
    words.join(" ")
}

const fn choice_name(choice: ZonelistChoice) -> &'static str {
    match choice {
        ZonelistChoice::Default => "default",
        ZonelistChoice::Node => "node",
        ZonelistChoice::Zone => "zone",
    }
}

const fn thp_name(thp: Thp) -> &'static str {
    match thp {
        Thp::Always => "always",
        Thp::Madvise => "madvise",
        Thp::Never => "never",
    }
}

fn missing_reason(name: &str) -> String {
    const ALL: [&str; 19] = [
        MIN_FREE,
        SCALE,
        BOOST,
        RESERVE,
        ORDER,
        FRACTION,
        HIGH_FRACTION,
        DIRTY,
        BACKGROUND,
        SWAPPINESS,
        CLUSTER,
        ZONE_RECLAIM,
        UNMAPPED,
        MIN_SLAB,
        EXPIRE,
        PERIOD,
        THP,
        LRU_GEN,
        MIN_TTL,
    ];
    if ALL.contains(&name) {
        "this kernel has no such tunable".to_string()
    } else {
        let known = row(ALL);
        format!("unknown tunable; the known tunables are {known}")
    }
}

fn number(info: &TunableInfo, value: &str) -> Result<u64, Refusal> {
    let (min, max) = (info.min, info.max);
    value
        .parse()
        .ok()
        .filter(|number| (min..=max).contains(number))
        .ok_or_else(|| {
            let value = format!("{value:?}");
            let reason = format!("{value} is not a whole number from {min} to {max}");
            refuse(info.name, reason)
        })
}

/// The bits of `lru_gen.enabled`, written as sysfs accepts them: a number, `y` for all or `n` for none.
fn lru_gen_bits(info: &TunableInfo, value: &str) -> Result<u64, Refusal> {
    match value.as_bytes().first() {
        Some(b'y' | b'Y') => return Ok(LRU_GEN_ALL),
        Some(b'n' | b'N') => return Ok(0),
        _ => {}
    }
    let hex = value.strip_prefix("0x").or(value.strip_prefix("0X"));
    let Some(hex) = hex else {
        return number(info, value);
    };
    let bits = u64::from_str_radix(hex, 16).ok();
    bits.filter(|&bits| bits <= LRU_GEN_ALL).ok_or_else(|| {
        let reason = format!("{value:?} is not a number from 0x0000 to 0x0007, y or n");
        refuse(info.name, reason)
    })
}

fn number_or_auto(info: &TunableInfo, value: &str) -> Result<Option<u64>, Refusal> {
    if value == "auto" {
        return Ok(None);
    }
    number(info, value).map(Some)
}

fn fraction(info: &TunableInfo, value: &str) -> Result<u64, Refusal> {
    match number(info, value)? {
        small if small > 0 && small < MIN_PERCPU_PAGELIST_FRACTION => {
            let reason = format!("{small}; the fraction must be 0 or at least 8");
            Err(refuse(info.name, reason))
        }
        fits => Ok(fits),
    }
}

fn vector(info: &TunableInfo, value: &str, len: usize) -> Result<Vec<u64>, Refusal> {
    let words: Vec<&str> = value
        .split([' ', '\t', ','])
        .filter(|word| !word.is_empty())
        .collect();
    if words.len() != len {
        let reason = format!(
            "{} numbers; the kernel needs {len} on this machine",
            words.len()
        );
        return Err(refuse(info.name, reason));
    }
    words.into_iter().map(|word| number(info, word)).collect()
}

fn zonelist_choice(info: &TunableInfo, value: &str) -> Result<ZonelistChoice, Refusal> {
    let chosen = match value.to_ascii_lowercase().as_str() {
        "default" | "d" => ZonelistChoice::Default,
        "node" | "n" => ZonelistChoice::Node,
        "zone" | "z" => ZonelistChoice::Zone,
        _ => return Err(wrong_choice(info, value)),
    };
    if info.choices.contains(&choice_name(chosen)) {
        Ok(chosen)
    } else {
        Err(wrong_choice(info, value))
    }
}

fn thp(info: &TunableInfo, value: &str) -> Result<Thp, Refusal> {
    match value {
        "always" => Ok(Thp::Always),
        "madvise" => Ok(Thp::Madvise),
        "never" => Ok(Thp::Never),
        _ => Err(wrong_choice(info, value)),
    }
}

fn wrong_choice(info: &TunableInfo, value: &str) -> Refusal {
    let known = row(info.choices.iter().copied());
    refuse(info.name, format!("{value:?} is not one of {known}"))
}

/// The tunables of this kernel, in the order in which a form shows them.
pub fn list(features: &Features) -> Vec<TunableInfo> {
    let number = |name, default: &str, min, max, unit, doc| TunableInfo {
        name,
        kind: TunableKind::Number,
        default: default.to_string(),
        min,
        max,
        choices: &[],
        unit,
        doc,
    };
    let mut infos = vec![TunableInfo {
        kind: TunableKind::NumberOrAuto,
        ..number(MIN_FREE, "auto", 0, INT_MAX, "KiB", MIN_FREE_DOC)
    }];
    if features.watermark_scale_max > 0 {
        let max = features.watermark_scale_max;
        infos.push(number(SCALE, "10", 1, max, "1/10000", SCALE_DOC));
    }
    if features.boost {
        infos.push(number(BOOST, "15000", 0, INT_MAX, "1/10000", BOOST_DOC));
    }
    infos.push(TunableInfo {
        kind: TunableKind::Vector,
        ..number(
            RESERVE,
            default_ratios(features),
            0,
            INT_MAX,
            "1/pages",
            RESERVE_DOC,
        )
    });
    infos.push(TunableInfo {
        kind: TunableKind::Choice,
        choices: match features.zonelist_order {
            ZonelistOrder::Auto => &["default", "node", "zone"],
            ZonelistOrder::NodeOnly => &["default", "node"],
        },
        ..number(ORDER, "default", 0, 0, "", ORDER_DOC)
    });
    let fraction = match features.pcp {
        PcpRule::SixBatches512K | PcpRule::SixBatches1M => FRACTION,
        PcpRule::LowMarkPerCpu | PcpRule::SelfTuning => HIGH_FRACTION,
    };
    infos.push(number(fraction, "0", 0, INT_MAX, "1/zone", FRACTION_DOC));
    infos.push(number(DIRTY, "20", 0, 100, "%", DIRTY_DOC));
    infos.push(number(BACKGROUND, "10", 0, 100, "%", BACKGROUND_DOC));
    let most = match features.lru_owner {
        LruOwner::Zone => 100,
        LruOwner::Node => 200,
    };
    infos.push(number(SWAPPINESS, "60", 0, most, "", SWAPPINESS_DOC));
    infos.push(number(CLUSTER, "3", 0, 10, "order", CLUSTER_DOC));
    infos.push(TunableInfo {
        kind: TunableKind::NumberOrAuto,
        ..number(ZONE_RECLAIM, "auto", 0, 7, "", ZONE_RECLAIM_DOC)
    });
    infos.push(number(UNMAPPED, "1", 0, 100, "%", UNMAPPED_DOC));
    infos.push(number(MIN_SLAB, "5", 0, 100, "%", MIN_SLAB_DOC));
    infos.push(number(EXPIRE, "3000", 0, INT_MAX, "10 ms", EXPIRE_DOC));
    infos.push(number(PERIOD, "500", 0, INT_MAX, "10 ms", PERIOD_DOC));
    if features.thp_raise != ThpRaise::Never {
        infos.push(TunableInfo {
            kind: TunableKind::Choice,
            choices: &["always", "madvise", "never"],
            ..number(THP, "as booted", 0, 0, "", THP_DOC)
        });
    }
    if features.numa_balancing.rules().is_some() {
        let (on, _, _) = numa_defaults(features);
        infos.push(TunableInfo {
            default: on.to_string(),
            ..number(NUMA_BALANCING, "", 0, 1, "", NUMA_BALANCING_DOC)
        });
    }
    let period = features.numa_balancing.rules().map(|rules| rules.period);
    // AutoNUMA has none of these.
    if period.is_some_and(|period| period != ScanPeriod::Daemon) {
        let (_, least, longest) = numa_defaults(features);
        let default = |value: u64| value.to_string();
        let most = LONGEST_PERIOD;
        infos.push(number(SCAN_DELAY, "1000", 0, most, "ms", SCAN_DELAY_DOC));
        infos.push(TunableInfo {
            default: default(least),
            ..number(PERIOD_MIN, "", 1, most, "ms", PERIOD_MIN_DOC)
        });
        infos.push(TunableInfo {
            default: default(longest),
            ..number(PERIOD_MAX, "", 1, most, "ms", PERIOD_MAX_DOC)
        });
        let most = LARGEST_SCAN;
        infos.push(number(SCAN_SIZE, "256", 1, most, "MiB", SCAN_SIZE_DOC));
    }
    if features.lru_gen.is_modelled() {
        infos.push(TunableInfo {
            default: lru_gen_default(features).to_string(),
            ..number(LRU_GEN, "", 0, LRU_GEN_ALL, "bits", LRU_GEN_DOC)
        });
        infos.push(number(MIN_TTL, "0", 0, INT_MAX, "ms", MIN_TTL_DOC));
    }
    infos
}

const fn default_ratios(features: &Features) -> &'static str {
    match features.reserve {
        ReserveRule::RatioAtLeastOne => "256 256 32",
        _ => "256 256 32 0 0",
    }
}

const MIN_FREE_DOC: &str = "the sum of the zones' min watermarks; auto is the square root of 16 times the memory in KiB, raised by huge pages";
const SCALE_DOC: &str = "minimum distance between the watermarks, as a part of the zone";
const BOOST_DOC: &str = "how much a fallback that mixes migrate types may raise the watermarks, as a part of the high watermark; 0 switches it off";
const RESERVE_DOC: &str = "divisor: a zone reserves the pages of the higher zones, divided by this number, from requests that could use those zones";
const ORDER_DOC: &str = "when the best zone is full: whether an allocation next tries other zones of its node, or the same zone of other nodes";
const FRACTION_DOC: &str =
    "the part of a zone that its per-cpu lists may hold; 0 is the kernel's own choice";
const DIRTY_DOC: &str =
    "dirty pages at which writers must wait, as a part of the pages that could be dirty";
const BACKGROUND_DOC: &str = "dirty pages at which the flushers start writing";
const SWAPPINESS_DOC: &str =
    "how readily anonymous memory is swapped, compared with dropping file pages";
const CLUSTER_DOC: &str = "number of pages that swap read-ahead reads together, as a power of two";
const ZONE_RECLAIM_DOC: &str = "reclaim from the local zone before another node is used: 1 on, 2 also writes, 4 also unmaps and swaps; auto is on if nodes are far apart, by each kernel's rule";
const UNMAPPED_DOC: &str =
    "unmapped file pages that zone_reclaim does not reclaim, as a part of the zone";
const MIN_SLAB_DOC: &str = "slab pages that zone_reclaim does not reclaim, as a part of the zone";
const EXPIRE_DOC: &str = "age at which the periodic flush writes a dirty page";
const PERIOD_DOC: &str = "how often the flushers wake without being called; 0 switches this off";
const THP_DOC: &str = "transparent huge pages; on or madvise raises min_free_kbytes";
const NUMA_BALANCING_DOC: &str = "1: pages move to the node that uses them. Distributions switch it on if there is more than one node; here it is off unless set. It is on in numa/core, where it is a scheduler feature, and in AutoNUMA, where it stands for the switch 'enabled'. Memory tiers (2) are not modelled";
const SCAN_DELAY_DOC: &str = "how long a task runs before its process is first scanned. From 5.13 on this and the next three are files of debugfs (sched/numa_balancing); numa/core calls them sched_numa_*";
const PERIOD_MIN_DOC: &str = "shortest run time of a task between two scans of its process, divided by the number of windows the process has in memory (not divided in 3.8 and numa/core)";
const PERIOD_MAX_DOC: &str =
    "longest run time of a task between two scans, divided in the same way";
const LRU_GEN_DOC: &str = "the multi-generational LRU, by bits: 1 switches it on, 2 walks page tables, 4 uses the accessed bits of page-table directories; 7 or y is all, 0 or n is the classic lists. As in Debian, 6.1 boots with 0 and 6.12 with 7, of which ppc64 has only 1";
const MIN_TTL_DOC: &str = "age below which a file generation must not be evicted: if every generation is younger, kswapd calls the OOM killer; 0 switches this off";
const SCAN_SIZE_DOC: &str = "the maximum memory that one scan marks";
