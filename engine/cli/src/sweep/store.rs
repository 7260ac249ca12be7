//! A folder of results: one file of lines for each shard.
//!
//! A line is written in one call when its run has ended. A command that is killed leaves at most one
//! incomplete line, at the end of its file. The next command removes that line and runs it again.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use reports::sweep::{Line, Shard};

use crate::failure::{Outcome, bad, io_fault};

/// How often to retry a locked file, which another command may lock briefly to repair it.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// The finished runs in a folder: the names of their figures, by key.
pub type Finished = BTreeMap<String, Vec<String>>;

/// The file to which a shard adds its lines. No other command writes to it meanwhile.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: File,
}

impl Store {
    /// Opens the file of a shard and reads all finished runs of the folder.
    ///
    /// # Errors
    /// The folder cannot be read or written, a file does not contain lines, or another command
    /// works on the shard.
    pub fn open(folder: &str, shard: Shard) -> Outcome<(Store, Finished)> {
        let folder = Path::new(folder);
        fs::create_dir_all(folder).map_err(|e| io_fault(folder.display(), &e))?;
        let path = folder.join(shard.file_name());
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let file = options
            .open(&path)
            .map_err(|e| io_fault(path.display(), &e))?;
        lock(&file, &path)?;
        let mut finished = Finished::new();
        for each in files(folder)? {
            let whole = read(&each, &mut finished)?;
            if each == path {
                repair(&file, &path, whole)?;
            } else {
                repair_left(&each, whole)?;
            }
        }
        Ok((Store { path, file }, finished))
    }

    /// Adds a line.
    ///
    /// # Errors
    /// A full disk.
    pub fn add(&mut self, line: &str) -> Outcome<()> {
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|e| io_fault(self.path.display(), &e))
    }
}

fn lock(file: &File, path: &Path) -> Outcome<()> {
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            // Some network file systems have no locks.
            Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => return Ok(()),
            Err(TryLockError::Error(e)) => return Err(io_fault(path.display(), &e)),
        }
    }
    Err(bad(format!(
        "{}: another sweep writes to this file; wait for its end, or give each command a shard of its own",
        path.display()
    )))
}

/// The files of lines in a folder, in order of name.
fn files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let fault = |e| io_fault(folder.display(), &e);
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.extension().is_some_and(|end| end == "jsonl") {
            out.push(path);
        }
    }
    out.sort();
    Ok(out)
}

/// Reads the lines of a file that this version of the engine made. Returns the length of its complete lines,
/// bytes.
fn read(path: &Path, finished: &mut Finished) -> Outcome<u64> {
    let fault = |e| io_fault(path.display(), &e);
    let mut file = BufReader::new(File::open(path).map_err(fault)?);
    let (mut whole, mut number) = (0, 0);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let length = file.read_until(b'\n', &mut bytes).map_err(fault)?;
        if bytes.last() != Some(&b'\n') {
            return Ok(whole);
        }
        number += 1;
        let line: Line = serde_json::from_slice(&bytes).map_err(|e| {
            let path = path.display();
            bad(format!(
                "{path}: line {number} is not a result of a sweep: {e}"
            ))
        })?;
        if line.result.engine == mm::VERSION {
            let figures = line.result.figures.into_iter().map(|(name, _)| name);
            finished.insert(line.key, figures.collect());
        }
        whole += length as u64;
    }
}

/// Removes the incomplete line at the end of a file that this command has locked.
fn repair(file: &File, path: &Path, whole: u64) -> Outcome<()> {
    let length = file.metadata().map(|m| m.len());
    let cut = length.and_then(|length| {
        if length > whole {
            file.set_len(whole)
        } else {
            Ok(())
        }
    });
    cut.map_err(|e| io_fault(path.display(), &e))
}

/// Removes the incomplete line at the end of another shard's file, unless a command works on that shard:
/// then the line is still being written.
fn repair_left(path: &Path, whole: u64) -> Outcome<()> {
    let fault = |e| io_fault(path.display(), &e);
    let length = fs::metadata(path).map_err(fault)?.len();
    if length == whole {
        return Ok(());
    }
    let file = OpenOptions::new().write(true).open(path).map_err(fault)?;
    if file.try_lock().is_err() {
        return Ok(());
    }
    // Lines may have been added between reading and locking.
    let whole = read(path, &mut Finished::new())?;
    repair(&file, path, whole)
}
