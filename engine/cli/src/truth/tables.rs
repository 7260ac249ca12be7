//! Published tables whose experiments are run again and scored cell by cell.

use std::path::Path;

use serde_json::{Value, json};

use super::engine;
use crate::failure::Outcome;
use crate::fidelity::{
    Compared, FIGURES, Runs, as_json, compare, is_runnable, read_figures, scored,
};

/// The size at which experiments are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// The small machines of lessons.
    Teaching,
    /// The published machines.
    Full,
}

/// Every table with its cells, and the scores of all.
pub fn made(size: Size) -> Outcome<Value> {
    let tables = read_figures(Path::new(FIGURES))?;
    let mut runs = Runs::default();
    let compared: Vec<Compared> = tables
        .into_iter()
        .filter(is_runnable)
        .map(|mut table| {
            if size == Size::Teaching {
                // A table without an experiment belongs to the experiment of its own name.
                table.experiment.get_or_insert_with(|| table.id.clone());
                let of_rows = table.rows.iter_mut().map(|row| &mut row.experiment);
                let all = of_rows.chain([&mut table.experiment]).flatten();
                all.for_each(|id| id.push_str(".teach"));
            }
            compare(table, 1, &mut runs)
        })
        .collect();
    let mut made = as_json(&compared, &scored(&compared));
    made["runs"] = runs.lengths();
    made["engine"] = engine();
    made["size"] = json!(match size {
        Size::Teaching => "teaching",
        Size::Full => "full",
    });
    Ok(made)
}
