//! `mmscope list`: lists everything that can be chosen.

use mm::experiment;
use mm::kernel::{Kernel, kernels, published_names};
use mm::profile::{MachineProfile, check_runnable, profiles};
use picture::catalog;
use serde_json::{Value, json};

use crate::args::Parsed;
use crate::failure::Outcome;
use crate::output::print;

/// Prints the catalogue as JSON.
///
/// # Errors
/// A closed pipe.
pub fn list(_: &Parsed) -> Outcome<()> {
    let catalog = catalog::catalog();
    let about = |id: &str| {
        let machine = catalog.machines.iter().find(|machine| machine.id == id);
        machine.map_or(String::new(), |machine| machine.about.clone())
    };
    let machines: Vec<Value> = profiles()
        .iter()
        .map(|profile| machine(profile, about(&profile.id)))
        .collect();
    let experiments: Vec<Value> = experiment::presets()
        .iter()
        .map(|raw| {
            json!({
                "id": raw.id, "title": raw.title, "machine": raw.machine, "kernel": raw.kernel,
                "workload": raw.workload, "tunables": raw.tunables, "seed": raw.seed,
                "length": raw.length,
            })
        })
        .collect();
    let everything = json!({
        "version": catalog.version,
        "machines": machines,
        "kernels": kernels().iter().map(kernel).collect::<Vec<_>>(),
        "workloads": catalog.workloads,
        "experiments": experiments,
    });
    print(&format!("{everything:#}\n"))
}

fn machine(profile: &MachineProfile, about: String) -> Value {
    json!({
        "id": profile.id, "title": profile.title, "about": about,
        "arch": profile.arch, "page_size_kib": profile.page_size_kib,
        "nodes": profile.nodes.len(),
        "cpus": profile.nodes.iter().map(|node| u64::from(node.cpus)).sum::<u64>(),
        "pages": profile.present_pages(),
        "runnable": check_runnable(profile).is_empty(),
    })
}

fn kernel(kernel: &Kernel) -> Value {
    let names = published_names(kernel);
    let names: Vec<&str> = kernel.aliases.iter().copied().chain(names).collect();
    json!({
        "id": kernel.id, "aliases": names, "title": kernel.title,
        "mechanisms": kernel.features.mechanisms(),
        "tunables": catalog::tunables(&kernel.features),
    })
}

/// Prints a kernel's tunables with their limits, for `--set list`.
///
/// # Errors
/// A closed pipe.
pub fn tunables(kernel: &Kernel) -> Outcome<()> {
    let infos = catalog::tunables(&kernel.features);
    let width = |of: fn(&mm::view::TunableView) -> &str| {
        infos.iter().map(|info| of(info).len()).max().unwrap_or(0)
    };
    let (names, defaults, limits) = (
        width(|info| &info.name),
        width(|info| &info.default).max("default".len()),
        width(|info| &info.limits),
    );
    let mut out = format!(
        "{:names$}  {:defaults$}  {:limits$}  of kernel {}\n",
        "name", "default", "limits", kernel.id
    );
    for info in &infos {
        let unit = if info.unit.is_empty() {
            String::new()
        } else {
            format!(" [{}]", info.unit)
        };
        out.push_str(&format!(
            "{:names$}  {:defaults$}  {:limits$}  {}{unit}\n",
            info.name, info.default, info.limits, info.about
        ));
    }
    print(&out)
}
