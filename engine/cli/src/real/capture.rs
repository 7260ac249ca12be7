//! The capture: read from the disk to which the guest wrote it, and completed.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use mm::experiment::Experiment;

use crate::failure::{Outcome, bad, io_fault};
use crate::real::boot::console_end;
use crate::real::fit::workload_json;
use crate::real::summary::Summary;
use crate::real::vm::{Files, OUT};

/// The largest file of a capture, bytes.
const MOST: u64 = 1 << 30;
/// The file that identifies a folder as a capture.
const SHAPE: &str = "shape.json";
/// The output of the guest's console.
const CONSOLE: &str = "console.log";

/// Prepares the folder of a capture. An existing capture is replaced.
///
/// # Errors
/// The folder contains other files.
pub fn prepare(folder: &Path) -> Outcome<()> {
    let fault = |error: std::io::Error| io_fault(folder.display(), &error);
    if folder.exists() {
        let entries = fs::read_dir(folder).map_err(fault)?;
        let names: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.file_name()))
            .collect();
        let is_empty = names.is_empty();
        // A failed run leaves only its console output.
        let is_failed = names.iter().all(|name| name == CONSOLE);
        if !is_failed && !folder.join(SHAPE).is_file() {
            return Err(bad(format!(
                "{}: this folder has other files; choose another with --out DIR",
                folder.display()
            )));
        }
        if !is_empty {
            fs::remove_dir_all(folder).map_err(fault)?;
        }
    }
    fs::create_dir_all(folder).map_err(fault)
}

/// Reads the files that the guest wrote, and adds the files that the host must write.
///
/// # Errors
/// The guest wrote no files, or the disk is full.
pub fn collect(files: &Files, experiment: &Experiment, folder: &Path) -> Outcome<()> {
    let image = files.image(OUT);
    let count = unpack(&image, folder)
        .map_err(|error| io_fault(format!("the capture on {}", image.display()), &error))?;
    let _ = fs::copy(&files.console, folder.join(CONSOLE));
    if count == 0 || !folder.join("after.txt").is_file() {
        let reason = "the guest switched itself off without a complete capture";
        return Err(bad(reason).and(console_end(&files.console)));
    }
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| io_fault(path.display(), &error))
    };
    if !folder.join("summary.json").exists() {
        let trace = trace(folder)?;
        write("summary.json", format!("{:#}\n", Summary::of(&trace)))?;
    }
    if !folder.join("workload.json").exists() {
        write(
            "workload.json",
            format!("{:#}\n", workload_json(experiment)),
        )?;
    }
    write("experiment.json", format!("{}\n", experiment.canonical()))
}

/// Were tasks of the workload still alive at the time limit? Only then the guest writes the state
/// of the machine before they were killed.
pub fn was_cut(folder: &Path) -> bool {
    folder.join("end.txt").is_file()
}

/// Unpacks the files of a tar archive into a folder, without the folders in their names. Returns how many
/// there are.
fn unpack(image: &Path, folder: &Path) -> std::io::Result<u64> {
    let mut count = 0;
    for entry in tar::Archive::new(File::open(image)?).entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let Some(name) = path
            .file_name()
            .filter(|_| entry.header().entry_type().is_file())
        else {
            continue;
        };
        let mut file = File::create(folder.join(name))?;
        std::io::copy(&mut (&mut entry).take(MOST), &mut file)?;
        count += 1;
    }
    Ok(count)
}

/// The whole trace, if there is one.
fn trace(folder: &Path) -> Outcome<String> {
    let path = folder.join("trace.txt.gz");
    let Ok(file) = File::open(&path) else {
        return Ok(String::new());
    };
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(file)
        .read_to_end(&mut bytes)
        .map_err(|error| io_fault(path.display(), &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpacks_plain_names_from_a_disk_that_is_longer_than_the_archive() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut tar = tar::Builder::new(Vec::new());
        for name in ["before.txt", "capture/after.txt"] {
            let mut header = tar::Header::new_gnu();
            header.set_size(2);
            tar.append_data(&mut header, name, &b"ok"[..]).expect("tar");
        }
        let mut bytes = tar.into_inner().expect("tar");
        bytes.resize(1 << 20, 0);
        let image = folder.path().join("out.img");
        fs::write(&image, bytes).expect("a file");
        let into = folder.path().join("capture");
        prepare(&into).expect("a folder");
        assert_eq!(unpack(&image, &into).expect("unpacks"), 2);
        assert_eq!(fs::read(into.join("after.txt")).expect("a file"), b"ok");
        fs::write(&image, vec![0; 4096]).expect("a file");
        assert_eq!(unpack(&image, &into).expect("an empty disk"), 0);
    }

    #[test]
    fn replaces_only_an_existing_capture() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path();
        fs::write(at.join("letter.txt"), "dear").expect("a file");
        assert!(prepare(at).is_err());
        let failed = at.join("failed");
        fs::create_dir(&failed).expect("a folder");
        fs::write(failed.join(CONSOLE), "panic").expect("a file");
        prepare(&failed).expect("a run that failed");
        fs::write(at.join(SHAPE), "{}").expect("a file");
        prepare(at).expect("a capture");
        assert!(fs::read_dir(at).expect("a folder").next().is_none());
    }
}
