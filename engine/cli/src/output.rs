//! Output of data: stdout or files, opened before anything runs.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Outcome, bad, io_fault};

/// One output.
#[derive(Debug)]
pub struct Target {
    name: String,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Stdout(BufWriter<io::Stdout>),
    File(BufWriter<File>),
}

impl Target {
    /// Standard output.
    pub fn stdout() -> Target {
        Target {
            name: "stdout".to_string(),
            sink: Sink::Stdout(BufWriter::new(io::stdout())),
        }
    }

    /// Writes text.
    ///
    /// # Errors
    /// The disk is full, or the pipe is closed.
    pub fn write(&mut self, text: &str) -> Outcome<()> {
        let written = match &mut self.sink {
            Sink::Stdout(out) => out.write_all(text.as_bytes()),
            Sink::File(out) => out.write_all(text.as_bytes()),
        };
        written.map_err(|error| io_fault(&self.name, &error))
    }

    /// Writes what is still buffered.
    ///
    /// # Errors
    /// The disk is full, or the pipe is closed.
    pub fn finish(mut self) -> Outcome<()> {
        let flushed = match &mut self.sink {
            Sink::Stdout(out) => out.flush(),
            Sink::File(out) => out.flush(),
        };
        flushed.map_err(|error| io_fault(&self.name, &error))
    }
}

/// Prints data on stdout.
///
/// # Errors
/// A closed pipe.
pub fn print(text: &str) -> Outcome<()> {
    let mut out = Target::stdout();
    out.write(text)?;
    out.finish()
}

/// Prints a message for the user on stderr. A closed stderr is not an error.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// The outputs of some options, each `-` or a path. All paths are checked before the first file is
/// created, and no two may be the same.
///
/// # Errors
/// A folder does not exist, a path is a folder, or two outputs go to one file.
pub fn open(wanted: &[(&str, &str)], inputs: &[&str]) -> Outcome<Vec<Target>> {
    let mut taken: Vec<(PathBuf, &str)> = Vec::new();
    let inputs: Vec<PathBuf> = inputs
        .iter()
        .filter_map(|path| fs::canonicalize(path).ok())
        .collect();
    for &(option, path) in wanted {
        let place = if path == "-" {
            PathBuf::from(path)
        } else {
            place(option, path)?
        };
        if inputs.contains(&place) && place.is_file() {
            return Err(bad(format!("{option} {path}: this file is also read")));
        }
        let other = taken.iter().find(|(p, _)| *p == place);
        if let Some((_, other)) = other.filter(|_| !place.starts_with("/dev")) {
            let name = if path == "-" { "stdout" } else { path };
            return Err(bad(format!(
                "{other} and {option} both write to {name}: give one of them a file of its own"
            )));
        }
        taken.push((place, option));
    }
    wanted
        .iter()
        .map(|&(option, path)| create(option, path))
        .collect()
}

/// The canonical form of a path, with all links resolved.
fn place(option: &str, path: &str) -> Outcome<PathBuf> {
    let at = Path::new(path);
    if at.is_dir() {
        return Err(bad(format!("{option} {path}: this is a folder")));
    }
    let Some(name) = at.file_name() else {
        return Err(bad(format!("{option} {path}: this is not a file name")));
    };
    let parent = match at.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let parent = fs::canonicalize(parent).map_err(|_| {
        let folder = parent.display();
        bad(format!("{option} {path}: there is no folder {folder}"))
    })?;
    if !parent.is_dir() {
        let folder = parent.display();
        return Err(bad(format!("{option} {path}: {folder} is not a folder")));
    }
    let joined = parent.join(name);
    Ok(fs::canonicalize(&joined).unwrap_or(joined))
}

fn create(option: &str, path: &str) -> Outcome<Target> {
    if path == "-" {
        return Ok(Target::stdout());
    }
    let file = File::create(path).map_err(|error| io_fault(format!("{option} {path}"), &error))?;
    Ok(Target {
        name: format!("{option} {path}"),
        sink: Sink::File(BufWriter::new(file)),
    })
}
