//! Every limit a reader can set, at its ends and near them: the engine continues, and no number
//! wraps around. These tests are built with overflow checks, so a sum or product that would wrap in
//! the page's build ends a test. Without a wrap both builds compute the same values.

use mm::check::check;
use mm::experiment::Experiment;
use mm::index::ZoneIndex;
use mm::machine::Machine;
use mm::rng::Rng;
use mm::tunables::{self, TunableInfo, TunableKind};
use serde_json::{Map, Value, json};

use crate::fuzz::cases::{self, chance, pick};

const STEPS: u64 = 6_000;

/// `vm.min_free_kbytes` beyond 1.4 billion on a machine of 8 MiB: the `7 * high` of kswapd, and
/// watermark plus reserve, did not fit in 32 bits.
#[test]
fn a_min_free_kbytes_far_larger_than_memory_overflows_no_number() {
    let given = include_str!("data/overflow.json");
    for kib in ["1431655760", "2147483647"] {
        let text = given.replace("1431655760", kib);
        let mut m = Machine::boot(&Experiment::from_json(&text).expect("a valid experiment"));
        m.run(1_000_000, u64::MAX);
        assert_eq!(check(&m), []);
        let high = m.w.mem.zones[ZoneIndex::new(0)].mark(2);
        let exact = u64::from(high) * 8;
        assert!(exact > u64::from(u32::MAX) - 16, "{exact}");
        assert_eq!(u64::from(high * 7 + high), exact.min(u32::MAX.into()));
        // kswapd always scans a zone that is never above its watermarks.
        assert!(
            m.w.mem
                .zones
                .iter()
                .all(|z| z.nr_free_pages < z.mark(0).get())
        );
    }
}

/// A number at an end of a range, next to an end, or anywhere in the range.
fn extreme(rng: &mut Rng, min: u64, max: u64) -> u64 {
    let anywhere = min + rng.next_u64() % (max - min).saturating_add(1).max(1);
    *pick(
        rng,
        &[
            min,
            max,
            min.saturating_add(1).min(max),
            max.saturating_sub(1).max(min),
            anywhere,
        ],
    )
}

fn tunable(rng: &mut Rng, info: &TunableInfo, zones: usize) -> String {
    let number = |rng: &mut Rng| extreme(rng, info.min, info.max).to_string();
    match info.kind {
        TunableKind::Number => number(rng),
        TunableKind::NumberOrAuto if chance(rng, 10) => "auto".to_string(),
        TunableKind::NumberOrAuto => number(rng),
        TunableKind::Vector => (0..zones)
            .map(|_| number(rng))
            .collect::<Vec<_>>()
            .join(" "),
        TunableKind::Choice => (*pick(rng, info.choices)).to_string(),
    }
}

/// Some or all tunables of a machine, at extreme values.
fn extreme_tunables(rng: &mut Rng, of: &Experiment) -> Map<String, Value> {
    let zones = of.tunables.lowmem_reserve_ratio.len();
    let share = *pick(rng, &[15, 50, 100]);
    let mut set = Map::new();
    for info in tunables::list(&of.kernel.features) {
        let wanted = chance(rng, share) && info.name != "numa_zonelist_order";
        let value = tunable(rng, &info, zones);
        // The kernel refuses values from 1 to 7.
        let is_fraction = info.name.starts_with("vm.percpu_pagelist");
        let fits = !is_fraction || value.parse().is_ok_and(|n: u64| n == 0 || n >= 8);
        if wanted && fits {
            set.insert(info.name.to_string(), json!(value));
        }
    }
    set
}

/// Sets some numbers and times of a program to their maximum.
fn stretch(rng: &mut Rng, value: &mut Value, key: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| stretch(rng, item, key)),
        Value::Object(fields) => {
            for (key, value) in fields {
                stretch(rng, value, key);
            }
        }
        _ if !chance(rng, 20) => {}
        _ => match key {
            "time" | "for" | "less" | "together" | "start" => {
                *value = json!(*pick(rng, &["0ns", "1ns", "14399s", "14400000ms"]));
            }
            "every" if value.is_string() => *value = json!(*pick(rng, &["1ns", "14400s"])),
            "every" | "times" => *value = json!(extreme(rng, 1, u32::MAX.into())),
            "pages" => *value = json!(extreme(rng, 1, u64::MAX)),
            "size" | "chunk" if value.is_string() => {
                let all = [
                    "1 B",
                    "16777215 GiB",
                    "18014398509481983 KiB",
                    "100%",
                    "0.000001%",
                ];
                *value = json!(*pick(rng, &all));
            }
            "count" => *value = json!(extreme(rng, 1, u32::MAX.into())),
            _ => {}
        },
    }
}

fn devices(rng: &mut Rng) -> Value {
    let capacity = extreme(rng, 1 << 10, 64 << 30);
    let most = (capacity / 2).min(64 << 20) / 64 * 64;
    let swap = *pick(rng, &[0, 64.min(most), most]);
    let model = *pick(
        rng,
        &[
            "disk_2010",
            "disk_2014",
            "ssd_2021",
            "nvme_2021",
            "throttled",
        ],
    );
    let rate = extreme(rng, 4096, 100_000_000_000);
    json!([{ "id": "sda", "model": model, "files": true, "bytes_per_s": rate,
             "capacity_kib": capacity, "swap": swap }])
}

/// The experiment of a seed with some settings at extremes, if the result is valid.
fn pushed(rng: &mut Rng, seed: u64) -> Option<(Value, Experiment)> {
    let of = cases::experiment(seed);
    let mut raw: Value = serde_json::from_str(&of.canonical()).expect("JSON");
    let set = extreme_tunables(rng, &of);
    raw["tunables"] = Value::Object(set);
    if chance(rng, 60) {
        let at = *pick(rng, &["0ns", "1us", "200us"]);
        let set = extreme_tunables(rng, &of);
        let slow = json!({ "device": "sda", "percent": *pick(rng, &[1, 100]) });
        raw["interventions"] = json!([{ "at": at, "set": set }, { "at": "1us", "slow": slow }]);
    }
    if chance(rng, 50) {
        raw["machine"]["devices"] = devices(rng);
    }
    if chance(rng, 50) {
        raw["length"] = json!(*pick(rng, &["14400s", "1ns", "14399999ms"]));
    }
    if chance(rng, 50) {
        stretch(rng, &mut raw["workload"]["processes"], "");
    }
    let experiment = Experiment::from_json(&raw.to_string()).ok()?;
    Some((raw, experiment))
}

/// Prints the experiment when the engine itself panics.
struct Named(String);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.0);
        }
    }
}

#[test]
fn no_setting_at_its_limit_overflows_a_number() {
    let from = std::env::var("MMSCOPE_FUZZ_FROM").map_or(0, |n| n.parse().expect("a seed"));
    let many = std::env::var("MMSCOPE_FUZZ_CASES").map_or(150, |n| n.parse().expect("a number"));
    let mut runs = 0;
    for seed in from..from + many {
        let mut rng = Rng::stream(seed, 9);
        let Some((raw, experiment)) = (0..8).find_map(|_| pushed(&mut rng, seed)) else {
            continue;
        };
        let _named = Named(format!("seed {seed}: {raw}"));
        let mut m = Machine::boot(&experiment);
        m.run(STEPS, u64::MAX);
        assert_eq!(check(&m), [], "seed {seed}");
        for zone in &m.w.mem.zones {
            let [min, low, high] = [0, 1, 2].map(|mark| zone.mark(mark));
            assert!(min <= low && low <= high, "seed {seed}: marks rise");
        }
        runs += 1;
    }
    assert!(
        runs * 10 > many * 9,
        "only {runs} of {many} were experiments"
    );
}
