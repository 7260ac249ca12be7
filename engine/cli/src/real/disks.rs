//! The images of the disks. They are sparse files; the disk of files gets its file system here.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use mm::experiment::Experiment;

use crate::failure::{Outcome, bad, io_fault};
use crate::real::advice::Requirement;
use crate::real::vm::{Files, OUT, Vm};

/// Space for the capture, bytes; the image takes only the space that is written.
const OUT_BYTES: u64 = 2 << 30;
/// Additional folders, besides PATH, in which the program that makes ext4 may be installed.
const SBIN: [&str; 4] = [
    "/usr/sbin",
    "/sbin",
    "/opt/homebrew/opt/e2fsprogs/sbin",
    "/usr/local/opt/e2fsprogs/sbin",
];
/// Fixed, so that two runs have the same disk.
const UUID: &str = "6d6d7363-6f70-4501-8000-000000000001";

/// Makes all images. Files that exist when the workload begins are on the disk: the guest would write them
/// at the disk's rate.
///
/// # Errors
/// The disk is full, or the program that makes ext4 is missing.
pub fn make(vm: &Vm, files: &Files, experiment: &Experiment) -> Outcome<()> {
    for (name, disk) in vm.disks() {
        let bytes = disk.map_or(OUT_BYTES, |disk| disk.bytes);
        let image = files.image(name);
        let fault = |error: std::io::Error| io_fault(image.display(), &error);
        let file = File::create(&image).map_err(fault)?;
        file.set_len(bytes).map_err(fault)?;
        debug_assert!(name != OUT || disk.is_none());
        if name == "data" {
            let contents = files.disks.join("files");
            write_files(&contents, experiment)?;
            make_ext4(&image, &contents)?;
            let _ = fs::remove_dir_all(&contents);
        }
    }
    Ok(())
}

/// The files that exist at the start, with their sizes. No page is empty: an empty one would be a hole,
/// which is read without the disk.
fn write_files(folder: &Path, experiment: &Experiment) -> Outcome<()> {
    let fault = |error: std::io::Error| io_fault(folder.display(), &error);
    fs::create_dir_all(folder).map_err(fault)?;
    let mib = vec![b'm'; 1 << 20];
    for (number, &(pages, absent)) in (0u32..).zip(&experiment.files) {
        if absent {
            continue;
        }
        let mut file = File::create(folder.join(guest::data_file(number))).map_err(fault)?;
        let mut left = u64::from(pages) * 4096;
        while left > 0 {
            let part = left.min(mib.len() as u64);
            file.write_all(&mib[..part as usize]).map_err(fault)?;
            left -= part;
        }
    }
    Ok(())
}

/// The arguments with which ext4 is made: blocks of a page also on a small disk, and nothing left for the
/// guest to initialise in the background.
pub fn ext4_arguments(image: &Path, contents: &Path) -> Vec<String> {
    let fixed = [
        "-q",
        "-F",
        "-b",
        "4096",
        "-m",
        "0",
        "-U",
        UUID,
        "-E",
        "lazy_itable_init=0,lazy_journal_init=0,hash_seed=6d6d7363-6f70-4501-8000-000000000002",
        "-d",
    ];
    let paths = [contents, image].map(|path| path.display().to_string());
    fixed.map(str::to_string).into_iter().chain(paths).collect()
}

fn make_ext4(image: &Path, contents: &Path) -> Outcome<()> {
    let Some(program) = installed("mkfs.ext4", &SBIN) else {
        return Err(
            Requirement::Mkfs.missing("mkfs.ext4 is not installed; the workload's files need it")
        );
    };
    let made = Command::new(program)
        .args(ext4_arguments(image, contents))
        .output();
    let made = made.map_err(|error| io_fault("mkfs.ext4", &error))?;
    match made.status.success() {
        true => Ok(()),
        false => {
            let why = String::from_utf8_lossy(&made.stderr);
            Err(bad(format!("mkfs.ext4: {}", why.trim())))
        }
    }
}

/// A program in PATH or in one of these folders.
pub fn installed(program: &str, also: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.extend(also.iter().map(PathBuf::from));
    let mut places = folders.into_iter().map(|folder| folder.join(program));
    places.find(|place| place.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_ext4_with_page_sized_blocks_and_no_work_left_for_the_guest() {
        let words = ext4_arguments(Path::new("/t/data.img"), Path::new("/t/files")).join(" ");
        assert!(words.contains("-b 4096"), "{words}");
        assert!(words.contains("lazy_itable_init=0"), "{words}");
        assert!(words.ends_with("-d /t/files /t/data.img"), "{words}");
    }

    #[test]
    fn finds_programs_in_extra_folders() {
        assert!(installed("no-such-program", &["/bin"]).is_none());
        assert!(installed("sh", &["/bin"]).is_some());
    }
}
