//! Machines that real kernels printed at boot, read and recomputed.

use std::path::Path;

use mm::procfs::import::{ImportOptions, import_zoneinfo};
use serde_json::{Value, json};

use super::{folders, name_of};
use crate::failure::{Outcome, refused};
use crate::input::read_text;

/// For each printed machine: its number of zones, and which watermarks differ and why.
pub fn made(recorded: &Path) -> Outcome<Value> {
    let mut out = Vec::new();
    for folder in folders(recorded, |name| !name.starts_with("dyn-"))? {
        let path = folder.join("zoneinfo.txt").display().to_string();
        let text = read_text(&path)?;
        let report = import_zoneinfo(&text, &ImportOptions::default())
            .map_err(|found| refused(&path, &found))?;
        let differ = report
            .check
            .iter()
            .filter(|zone| !zone.differences.is_empty());
        let differ: Vec<Value> = differ
            .map(|zone| json!({"node": zone.node, "zone": zone.zone, "why": zone.differences}))
            .collect();
        out.push(json!({
            "name": name_of(&folder), "kernel": report.kernel,
            "zones": report.check.len(), "differ": differ,
        }));
    }
    Ok(Value::Array(out))
}
