//! Prepares the machine: file systems, modules, swap space, settings, files of the workload.

use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use facts::workload::SECTOR;
use guest::{CAPTURE, DATA, Settings};

use super::control;
use super::files::write_directly;
use super::plan::Plan;
use super::report::Messages;
use super::sys;

/// File systems of the first process: device, folder, kind.
const MOUNTS: [(&str, &str, &str); 5] = [
    ("proc", "/proc", "proc"),
    ("sysfs", "/sys", "sysfs"),
    ("devtmpfs", "/dev", "devtmpfs"),
    ("debugfs", "/sys/kernel/debug", "debugfs"),
    ("tracefs", "/sys/kernel/tracing", "tracefs"),
];
/// ext4 would initialize parts of a new file system in the background.
const EXT4_OPTIONS: &str = "noinit_itable";
/// Longest wait for a device after its module was loaded, in steps of 20 ms.
const STEPS_FOR_DEVICE: u32 = 250;

/// Mounts the kernel's own file systems.
pub fn mount_all(messages: &mut Messages) {
    for (device, folder, kind) in MOUNTS {
        match sys::mount(device, folder, kind, "") {
            // The kernel has mounted it already.
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {}
            result => {
                messages.check(&format!("mount {folder}"), result);
            }
        }
    }
}

/// Loads modules in order. The first process also removes their files, whose pages could not be reclaimed.
pub fn load_modules(modules: &[String], is_first: bool, messages: &mut Messages) {
    for module in modules {
        match sys::load_module(Path::new(module)) {
            Err(error) if error.raw_os_error() == Some(libc::EEXIST) => {}
            result => {
                messages.check(&format!("module {module}"), result);
            }
        }
        if is_first {
            messages.check("remove a module's file", fs::remove_file(module));
        }
    }
}

/// Waits until a device exists.
fn wait_for(device: &str) {
    let mut steps = 0;
    while !Path::new(device).exists() && steps < STEPS_FOR_DEVICE {
        std::thread::sleep(Duration::from_millis(20));
        steps += 1;
    }
}

/// The folder for the workload's files: where the device is mounted, or the folder that the settings name.
pub fn data_folder(settings: &Settings, folder: &Path, messages: &mut Messages) -> PathBuf {
    let Some(data) = &settings.data else {
        return folder.join("data");
    };
    if data.starts_with("/dev/") {
        wait_for(data);
    }
    let is_device = fs::metadata(data).is_ok_and(|found| found.file_type().is_block_device());
    if !is_device && !data.starts_with("/dev/") {
        return PathBuf::from(data);
    }
    let mounted = sys::mount(data, DATA, "ext4", EXT4_OPTIONS);
    messages.check(&format!("mount {data}"), mounted);
    PathBuf::from(DATA)
}

/// Makes swap space of a device and uses it.
pub fn swap_on(device: &str, page_bytes: usize) -> io::Result<()> {
    wait_for(device);
    let mut file = OpenOptions::new().write(true).open(device)?;
    let bytes = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    file.write_all(&swap_header(bytes, page_bytes))?;
    file.sync_all()?;
    drop(file);
    sys::swap_on(device)
}

/// The first page of swap space: version 1 and the number of the last page at byte 1024, the signature at the
/// end.
fn swap_header(bytes: u64, page_bytes: usize) -> Vec<u8> {
    const SIGNATURE: &[u8] = b"SWAPSPACE2";
    let last = (bytes / page_bytes as u64).saturating_sub(1);
    let mut page = vec![0; page_bytes];
    page[1024..1028].copy_from_slice(&1u32.to_ne_bytes());
    page[1028..1032].copy_from_slice(&u32::try_from(last).unwrap_or(u32::MAX).to_ne_bytes());
    page[page_bytes - SIGNATURE.len()..].copy_from_slice(SIGNATURE);
    page
}

/// Writes the kernel's settings. Returns the values that they had, last one first.
pub fn write_settings(
    sysctls: &[(String, String)],
    messages: &mut Messages,
) -> Vec<(String, String)> {
    let mut before = Vec::new();
    for (path, value) in sysctls {
        if !["/proc/sys/", "/sys/"]
            .iter()
            .any(|top| path.starts_with(top))
        {
            messages.say(&format!("{path}: not below /proc/sys or /sys, not written"));
            continue;
        }
        let old = chosen(&control::read(path)).to_string();
        let what = format!("write '{value}' to {path}");
        if messages.check(&what, control::write(path, value)).is_some() {
            before.insert(0, (path.clone(), old));
        }
    }
    before
}

/// The value of a setting. If the kernel lists all choices, this is the one in brackets.
fn chosen(text: &str) -> &str {
    let mut words = text.split_whitespace();
    let found = words.find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    found.unwrap_or(text.trim())
}

/// Makes the workload's files that must exist and do not, and removes those that must not. Their
/// pages are not cached afterwards.
pub fn make_files(plan: &Plan, messages: &mut Messages) {
    if plan.experiment.files.is_empty() {
        return;
    }
    messages.check("folder for files", fs::create_dir_all(&plan.folder));
    for (number, &(_, is_absent)) in (0..).zip(&plan.experiment.files) {
        let path = plan.file(number);
        let size = u64::from(plan.sectors(number)) * u64::from(SECTOR);
        let found = fs::metadata(&path).ok().map(|found| found.len());
        if is_absent && found.is_some() {
            messages.check("remove a file", fs::remove_file(&path));
        } else if !is_absent && found != Some(size) {
            messages.check(&path.display().to_string(), write_directly(&path, size));
        }
    }
}

/// The folder for the capture.
pub fn capture_folder(folder: &Path) -> PathBuf {
    folder.join(CAPTURE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swap_space_begins_with_its_header() {
        let page = swap_header(64 << 20, 4096);
        assert_eq!(page.len(), 4096);
        assert_eq!(&page[4086..], b"SWAPSPACE2");
        assert_eq!(page[1024..1028], 1u32.to_ne_bytes());
        assert_eq!(page[1028..1032], 16_383u32.to_ne_bytes());
    }

    #[test]
    fn reads_the_value_of_a_setting() {
        assert_eq!(chosen("always [madvise] never\n"), "madvise");
        assert_eq!(chosen("256\t256\t32\n"), "256\t256\t32");
    }

    #[test]
    fn writes_no_file_outside_the_kernels_settings() {
        let mut messages = Messages::default();
        let path = std::env::temp_dir().join(format!("mmscope-guest-{}", std::process::id()));
        write_settings(
            &[(path.display().to_string(), "1".to_string())],
            &mut messages,
        );
        assert!(!path.exists());
    }
}
