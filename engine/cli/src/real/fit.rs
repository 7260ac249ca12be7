//! Fits an experiment to a real kernel: finds which parts map to a virtual machine.

use mm::arch::Arch;
use mm::experiment::{Experiment, Raw};
use mm::kernel;
use mm::layout::Layout;
use mm::profile::{MachineProfile, ZonelistChoice};
use mm::tunables;
use mm::workload::Op;
use serde_json::{Value, json};

use crate::failure::{Outcome, bad, refused};
use crate::real::kernel::RealKernel;
use crate::real::scale::{self, MIB_PAGES, throttled};
use crate::real::vm::{Disk, Node, Vm};

/// The memory that a kernel needs on its first node besides its own code and data, MiB.
const BESIDE_KERNEL_MIB: u64 = 16;
/// From this many CPUs on, each node gets one: they take turns on one thread of this computer.
const MOST_CPUS: u16 = 8;
/// Ticks a second of Debian's kernels.
const HZ: u16 = 250;
/// The duration of a workload without `--until`.
pub const USUAL_LENGTH_NS: u64 = 30_000_000_000;
/// Space on the data disk besides the workload's files: the journal and tables of ext4, and files
/// that the workload creates, MiB.
const SPARE_MIB: u64 = 256;

/// The caller's options.
#[derive(Debug, Clone, Copy, Default)]
pub struct Choices {
    /// Memory of the machine, MiB.
    pub mib: Option<u64>,
    /// CPUs of each node.
    pub cpus: Option<u16>,
    /// The maximum duration of the workload, ns.
    pub length_ns: Option<u64>,
}

/// An experiment that fits a virtual machine.
#[derive(Debug)]
pub struct Fitted {
    /// The experiment that the guest executes: its machine has the nodes of the virtual machine, and its
    /// sizes are numbers.
    pub experiment: Experiment,
    /// The virtual machine.
    pub vm: Vm,
    /// Changes and omissions, one sentence each.
    pub notes: Vec<String>,
}

/// Fits an experiment to a kernel. `loaded` is the size of the kernel's code and data, bytes.
///
/// # Errors
/// Parts of the experiment that a virtual machine or a real kernel cannot reproduce.
pub fn fit(
    experiment: &Experiment,
    kernel: &RealKernel,
    loaded: u64,
    choices: Choices,
) -> Outcome<Fitted> {
    let mut notes = Vec::new();
    let mut raw = experiment.raw.clone();
    on_kernel(&mut raw, kernel, &mut notes)?;
    refuse_machine(&experiment.machine)?;
    let machine = machine(&experiment.machine, loaded, choices, &mut notes)?;
    let features = &kernel::find(kernel.variant)
        .ok_or_else(|| bad("no variant"))?
        .features;
    let sizes = |reason| bad(format!("workload: {reason}"));
    let mut workload = experiment.workload.clone();
    let layout = Layout::new(&machine, features);
    let (new, old) = (machine.present_pages(), experiment.machine.present_pages());
    if choices.mib.is_some() && new != old {
        workload = workload.scaled(&layout, new, old).map_err(sizes)?;
    }
    let workload = workload.absolute(&layout).map_err(sizes)?;
    let fault = |error: serde_json::Error| bad(error.to_string());
    raw.workload = serde_json::to_value(&workload).map_err(fault)?;
    length(&mut raw, experiment, choices, &mut notes);
    let found = mapped(&machine, &workload.files.is_empty(), &mut notes);
    raw.machine = serde_json::to_value(&found).map_err(fault)?;
    let title = format!("on {}", kernel.release);
    let fitted = Experiment::new(raw).map_err(|found| refused(&title, &found))?;
    for left in guest::refusals(&fitted) {
        notes.push(format!("left out: {}: {}", left.path, left.reason));
    }
    let vm = vm(&fitted, &mut notes)?;
    Ok(Fitted {
        experiment: fitted,
        vm,
        notes,
    })
}

/// The experiment on the variant of the real kernel, without the parts that this kernel lacks.
fn on_kernel(raw: &mut Raw, real: &RealKernel, notes: &mut Vec<String>) -> Outcome<()> {
    let own = std::mem::replace(&mut raw.kernel, real.variant.to_string());
    if own != raw.kernel {
        notes.push(format!(
            "the experiment is made for {own}; here it runs on {}, and in the engine on {}",
            real.release, raw.kernel
        ));
    }
    for patch in raw.patches.drain(..) {
        notes.push(format!(
            "left out: patch {patch}: a distribution's kernel does not have it"
        ));
    }
    let known = kernel::find(real.variant).ok_or_else(|| bad("no variant"))?;
    let known = tunables::list(&known.features);
    let mut missing = |name: &String| {
        let has = known.iter().any(|info| info.name == name);
        if !has {
            notes.push(format!("left out: {name}: this kernel has no such tunable"));
        }
        has
    };
    raw.tunables.retain(|name, _| missing(name));
    Ok(())
}

/// Machines that QEMU for x86-64 cannot emulate.
fn refuse_machine(machine: &MachineProfile) -> Outcome<()> {
    let mut reasons = Vec::new();
    if machine.arch != Arch::X86_64 {
        reasons.push(format!(
            "the machine is {}; only x86_64 can be run: choose another with --machine",
            machine.arch.name()
        ));
    }
    if machine.page_size_kib != 4 {
        reasons.push(format!(
            "pages of {} KiB: x86-64 has pages of 4 KiB",
            machine.page_size_kib
        ));
    }
    if machine.zones.is_some() {
        reasons.push("zone borders of its own: a distribution's kernel has its own".to_string());
    }
    let ids = machine.nodes.iter().zip(0u16..);
    if ids
        .clone()
        .any(|(node, i)| node.id.is_some_and(|id| id != i))
    {
        reasons.push("node numbers with gaps: a virtual machine counts its nodes".to_string());
    }
    match reasons.is_empty() {
        true => Ok(()),
        false => {
            let lines = reasons.iter().map(|reason| format!("machine: {reason}"));
            let mut lines = lines.collect::<Vec<_>>().into_iter();
            let first = bad(lines.next().unwrap_or_default());
            Err(lines.fold(first, |failure, line| failure.and(line)))
        }
    }
}

/// The machine with the requested memory and CPUs.
fn machine(
    profile: &MachineProfile,
    loaded: u64,
    choices: Choices,
    notes: &mut Vec<String>,
) -> Outcome<MachineProfile> {
    let own = profile.present_pages().div_ceil(MIB_PAGES);
    let mib = choices.mib.unwrap_or(own);
    if let Some(free) = available_mib().filter(|free| mib > *free) {
        return Err(bad(format!(
            "machine: {mib} MiB of memory; this computer has {free} MiB left: --memory 256MiB scales machine and workload"
        )));
    }
    let mut scaled = scale::machine(profile, mib, loaded);
    let first: u64 = scaled
        .nodes
        .first()
        .map_or(0, |node| node.ranges.iter().map(|r| r.pages).sum());
    let needed = loaded.div_ceil(1 << 20) + BESIDE_KERNEL_MIB;
    if mib < needed || first.div_ceil(MIB_PAGES) < needed {
        return Err(bad(format!(
            "machine: {mib} MiB of memory; the first node needs {needed} for this kernel: --memory 256MiB scales machine and workload"
        )));
    }
    if mib != own {
        notes.push(format!(
            "scaled from {own} MiB to {mib} MiB: memory of nodes, swap, and sizes of the workload; rates of devices, times and tunables stay the same"
        ));
    }
    scaled.hz = HZ;
    if profile.hz != HZ {
        notes.push(format!(
            "the kernel ticks {HZ} times a second, not {}",
            profile.hz
        ));
    }
    if profile.zonelist_order == ZonelistChoice::Zone {
        scaled.zonelist_order = ZonelistChoice::Default;
        notes.push(
            "left out: zonelists in order of zones: kernels from 4.14 on do not have them".into(),
        );
    }
    if !profile.pcp {
        scaled.pcp = true;
        notes.push("the machine has no per-cpu lists; every real kernel has them".into());
    }
    if profile.memory.is_some() {
        scaled.memory = None;
        notes.push(
            "left out: the speed of memory: an emulated machine has the same on every node".into(),
        );
    }
    let all: u16 = profile.nodes.iter().map(|node| node.cpus).sum();
    let few = choices.cpus.or((all > MOST_CPUS).then_some(1));
    if let Some(few) = few {
        for node in scaled.nodes.iter_mut().filter(|node| node.cpus > 0) {
            node.cpus = few;
        }
        let now: u16 = scaled.nodes.iter().map(|node| node.cpus).sum();
        if now != all {
            notes.push(format!(
                "{now} CPUs instead of {all}: --cpus N gives each node N"
            ));
        }
    }
    scaled
        .tunables
        .retain(|name, _| name != "vm.numa_zonelist_order");
    Ok(scaled)
}

/// Free memory of this computer, MiB, if the computer reports it.
fn available_mib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024)
}

/// The length of the run.
fn length(raw: &mut Raw, experiment: &Experiment, choices: Choices, notes: &mut Vec<String>) {
    let most = choices.length_ns.unwrap_or(USUAL_LENGTH_NS);
    if experiment.length_ns > most {
        raw.length = format!("{}ms", most.div_ceil(1_000_000));
        notes.push(format!(
            "the run ends after {} instead of {}: --until 60s chooses another end",
            seconds(most),
            seconds(experiment.length_ns)
        ));
    }
}

fn seconds(ns: u64) -> String {
    format!("{:.1} s", ns as f64 / 1e9)
}

/// The machine with disks that are limited to rates.
fn mapped(machine: &MachineProfile, no_files: &bool, notes: &mut Vec<String>) -> MachineProfile {
    let devices = machine.devices_in_force();
    let files = devices
        .iter()
        .find(|device| device.files)
        .or(devices.first());
    let swap = devices.iter().find(|device| device.swap > 0);
    for device in files.into_iter().chain(swap) {
        let text = format!(
            "{}: a disk of {} bytes a second; what a request costs beyond that, as a seek, cannot be mapped",
            device.id,
            device.rates().0
        );
        let needed = !no_files || device.swap > 0;
        if needed && device.model.name() != "throttled" && !notes.contains(&text) {
            notes.push(text);
        }
    }
    if let (Some(a), Some(b)) = (files, swap)
        && a.id == b.id
        && !no_files
    {
        notes.push("files and swap get a disk each, with the rate of the one that has both".into());
    }
    let data = files.map(|device| throttled("data", device, true));
    let swap = swap.map(|device| throttled("swap", device, false));
    let devices = data.into_iter().chain(swap).collect();
    MachineProfile {
        devices: Some(devices),
        ..machine.clone()
    }
}

/// The virtual machine of an experiment whose machine was mapped.
fn vm(experiment: &Experiment, notes: &mut Vec<String>) -> Outcome<Vm> {
    let machine = &experiment.machine;
    let nodes = machine.nodes.iter().map(|node| Node {
        mib: node
            .ranges
            .iter()
            .map(|r| r.pages)
            .sum::<u64>()
            .div_ceil(MIB_PAGES),
        cpus: node.cpus,
    });
    let devices = machine.devices_in_force();
    let disk = |id: &str, bytes: u64| {
        let device = devices.iter().find(|device| device.id == id)?;
        Some(Disk {
            bytes,
            bytes_per_s: device.rates().0,
        })
    };
    let creates = (experiment.programs.iter()).flat_map(|program| &program.ops);
    let creates: u64 = creates
        .map(|op| match op {
            Op::Create { count, pages, .. } => u64::from(*count) * u64::from(*pages),
            _ => 0,
        })
        .sum();
    let creates_any = (experiment.programs.iter())
        .any(|program| program.ops.iter().any(|op| matches!(op, Op::Create { .. })));
    let pages: u64 = experiment
        .files
        .iter()
        .map(|(pages, _)| u64::from(*pages))
        .sum();
    let bytes = (pages + creates) * 4096 + (SPARE_MIB << 20);
    let has_files = !experiment.files.is_empty() || creates_any;
    let swap = devices.iter().map(|device| device.swap).max().unwrap_or(0);
    let thp = experiment
        .tunables
        .transparent_hugepage
        .unwrap_or(machine.thp);
    let thp = serde_json::to_value(thp).unwrap_or(Value::Null);
    let mut append = vec![format!(
        "transparent_hugepage={}",
        thp.as_str().unwrap_or("never")
    )];
    append.extend(kernelcore(machine, notes)?);
    Ok(Vm {
        nodes: nodes.collect(),
        distances: machine.distances.clone(),
        data: has_files.then(|| disk("data", bytes)).flatten(),
        swap: (swap > 0).then(|| disk("swap", swap << 10)).flatten(),
        append,
    })
}

/// `kernelcore=` gives every node the same amount of memory that is not movable.
fn kernelcore(machine: &MachineProfile, notes: &mut Vec<String>) -> Outcome<Option<String>> {
    let fixed: Vec<u64> = (machine.nodes.iter())
        .map(|node| {
            let from = node.movable_from_pfn.unwrap_or(u64::MAX);
            let part = |r: &mm::profile::MemRange| {
                (r.start_pfn + r.pages)
                    .min(from)
                    .saturating_sub(r.start_pfn)
            };
            node.ranges.iter().map(part).sum()
        })
        .collect();
    if machine
        .nodes
        .iter()
        .all(|node| node.movable_from_pfn.is_none())
    {
        return Ok(None);
    }
    let (least, most) = (fixed.iter().min(), fixed.iter().max());
    if least.zip(most).is_some_and(|(a, b)| b - a > MIB_PAGES * 2) {
        return Err(bad(
            "machine: the nodes' Movable zones begin at different amounts; kernelcore= gives all nodes the same",
        ));
    }
    notes.push(
        "the Movable zone comes from kernelcore=, which the kernel rounds to whole blocks".into(),
    );
    let mib = fixed.iter().sum::<u64>() / MIB_PAGES;
    Ok(Some(format!("kernelcore={mib}M")))
}

/// The workload as the twin reads it (`workload.json`).
pub fn workload_json(experiment: &Experiment) -> Value {
    json!(experiment.workload)
}
