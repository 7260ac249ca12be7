//! `mmscope zoneinfo`: the /proc/zoneinfo that a described machine would print.

use mm::layout::Layout;
use mm::procfs;
use mm::tunables::Tunables;
use mm::view::Refusal;

use crate::args::Parsed;
use crate::failure::{Outcome, bad, refused};
use crate::input::{self, DEFAULT_KERNEL, source_name};
use crate::list;
use crate::output::{print, say};

/// Prints /proc/zoneinfo of a machine at rest.
///
/// # Errors
/// The input is bad, or the pipe is closed.
pub fn zoneinfo(parsed: &Parsed) -> Outcome<()> {
    if let Some(kernel) = input::set_list(parsed)? {
        return list::tunables(kernel);
    }
    let Some(word) = parsed.value("--machine") else {
        return Err(bad("which machine? --machine ID|FILE"));
    };
    let given = parsed.value("--kernel").map(input::kernel).transpose()?;
    let (machine, found) = input::machine(word)?;
    let kernel = match given {
        Some(kernel) => kernel,
        None => {
            let id = found.as_deref().unwrap_or(DEFAULT_KERNEL);
            say(&format!("kernel {id}"));
            input::kernel(id)?
        }
    };
    let features = &kernel.features;
    let (mut tunables, found) = Tunables::of(&machine, features);
    if !found.is_empty() {
        return Err(refused(source_name(word), &found));
    }
    let refusals: Vec<Refusal> = input::settings(parsed)?
        .into_iter()
        .filter_map(|(name, value)| tunables.set(features, &name, &value).err())
        .collect();
    if !refusals.is_empty() {
        return Err(refused("--set", &refusals));
    }
    let layout = Layout::new(&machine, features);
    let view = procfs::view_at_rest(&layout, features, &tunables, machine.thp);
    print(&procfs::zoneinfo(features, &view))
}
