//! `--print`: the files of a run and its command line, for a reader's own virtual machine or test box.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use guest::Settings;

use crate::failure::{Outcome, bad, io_fault};
use crate::output::{print, say};
use crate::real::Plan;
use crate::real::disks::ext4_arguments;
use crate::real::run::{Parts, write};
use crate::real::vm::{Files, QEMU, for_shell};

/// The folder for a run as root on the reader's own computer.
const BOX: &str = "box";

/// Writes the files and prints the script.
///
/// # Errors
/// The folder contains other files, a part is missing, or the disk is full.
pub fn files(plan: &Plan) -> Outcome<()> {
    let folder = &plan.folder;
    let fault = |error: std::io::Error| io_fault(folder.display(), &error);
    if fs::read_dir(folder).is_ok_and(|mut all| all.next().is_some()) {
        return Err(bad(format!(
            "{}: this folder has files; choose another with --out DIR",
            folder.display()
        )));
    }
    fs::create_dir_all(folder.join(BOX)).map_err(fault)?;
    let parts = Parts::of(plan)?;
    let kernel = folder.join("vmlinux");
    fs::copy(&plan.bootable.elf, &kernel).map_err(fault)?;
    write(&folder.join("initramfs.cpio.gz"), &parts.initramfs(plan)?)?;
    let experiment = plan.fitted.experiment.canonical();
    write(&folder.join(guest::EXPERIMENT), experiment.as_bytes())?;
    write(
        &folder.join(guest::SETTINGS),
        parts.settings_json()?.as_bytes(),
    )?;
    let program = folder.join("guest");
    write(&program, &parts.program)?;
    make_executable(&program).map_err(fault)?;
    write(
        &folder.join(BOX).join(guest::EXPERIMENT),
        experiment.as_bytes(),
    )?;
    let on_box = serde_json::to_string_pretty(&on_a_box(&parts.settings));
    let on_box = on_box.map_err(|error| bad(error.to_string()))?;
    write(&folder.join(BOX).join(guest::SETTINGS), on_box.as_bytes())?;
    let script = script(plan);
    let run = folder.join("run.sh");
    write(&run, script.as_bytes())?;
    make_executable(&run).map_err(fault)?;
    say(&format!("the files are in {}", folder.display()));
    print(&script)
}

/// Makes a file executable for everyone.
#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

/// On this platform, files have no such permission.
#[cfg(not(unix))]
fn make_executable(_path: &Path) -> std::io::Result<()> {
    Ok(())
}

/// The settings without disks, modules and switching off: files are in a folder, and so is the capture.
fn on_a_box(settings: &Settings) -> Settings {
    Settings {
        modules: Vec::new(),
        data: settings.data.as_ref().map(|_| "data".to_string()),
        swap: None,
        out: None,
        power_off: false,
        ..settings.clone()
    }
}

/// The disks and the virtual machine as a script.
fn script(plan: &Plan) -> String {
    let vm = &plan.fitted.vm;
    let here = Path::new(".");
    let files = Files::in_folder(here, here.join("vmlinux"));
    let mut out = String::from(
        "#!/bin/sh\n# Runs the experiment; out.img is then a tar archive of the capture.\n# As root on a box instead, without QEMU: ./guest box\nset -e\ncd \"$(dirname \"$0\")\"\n",
    );
    for (name, disk) in vm.disks() {
        let bytes = disk.map_or(2 << 30, |disk| disk.bytes);
        let _ = writeln!(out, "truncate -s {bytes} {name}.img");
        if name == "data" {
            let words = ext4_arguments(&files.image(name), here);
            // The guest writes the files of the workload.
            let empty = words
                .iter()
                .position(|word| word == "-d")
                .unwrap_or(words.len());
            let words: Vec<String> = words[..empty].iter().chain(words.last()).cloned().collect();
            let _ = writeln!(out, "mkfs.ext4 {}", words.join(" "));
        }
    }
    let _ = writeln!(out, "{}", for_shell(QEMU[0], &vm.arguments(&files)));
    let _ = writeln!(out, "mkdir -p capture\ntar -xf out.img -C capture");
    out
}
