//! The files of a capture's folder, plain or compressed.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use capture::fault::Fault;
use capture::files::{Files, READ, is_group, is_optional, name_of};
use flate2::read::MultiGzDecoder;

use crate::failure::{Failure, Outcome, bad, io_fault, shown};
use crate::input::{MAX_TEXT, read_text};

/// The files of a folder that a capture consists of.
///
/// # Errors
/// The folder or a file cannot be read.
pub fn files_of(folder: &Path) -> Outcome<Files> {
    if !folder.is_dir() {
        let folder = folder.display();
        return Err(bad(format!("{folder}: there is no such folder")));
    }
    let (mut texts, mut notes) = (Vec::new(), Vec::new());
    let sampled = groups_of(folder)?;
    let names = READ.into_iter().chain(sampled.iter().map(String::as_str));
    for name in names {
        let plain = folder.join(name);
        let packed = folder.join(format!("{name}.gz"));
        // A log without any output is an empty file.
        if plain.metadata().is_ok_and(|found| found.len() > 0) {
            texts.push((name.to_string(), read_text(&plain.display().to_string())?));
        } else if packed.is_file() {
            let (text, cut) = unpacked(&packed)?;
            match cut {
                Some(cut) if !is_optional(name) => {
                    return Err(bad(format!("{}: {cut}", packed.display())));
                }
                Some(cut) => notes.push(format!("{name}.gz: {cut}")),
                None => {}
            }
            texts.push((name.to_string(), text));
        }
    }
    let mut files = Files::new(texts);
    files.notes = notes;
    Ok(files)
}

/// The samples of memory cgroups in a folder, in order of their names.
fn groups_of(folder: &Path) -> Outcome<Vec<String>> {
    let name = folder.display();
    let entries = fs::read_dir(folder).map_err(|error| io_fault(&name, &error))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut found: Vec<String> = names
        .map(|name| name_of(&name).to_string())
        .filter(|name| is_group(name))
        .collect();
    found.sort();
    found.dedup();
    Ok(found)
}

/// The text of a file compressed by gzip, and the reason if it ends early.
fn unpacked(path: &Path) -> Outcome<(String, Option<String>)> {
    let name = path.display();
    let file = File::open(path).map_err(|error| io_fault(&name, &error))?;
    let mut bytes = Vec::new();
    let mut text = MultiGzDecoder::new(file).take(MAX_TEXT + 1);
    let read = text.read_to_end(&mut bytes);
    if bytes.len() as u64 > MAX_TEXT {
        let most = MAX_TEXT >> 20;
        return Err(bad(format!("{name}: longer than {most} MiB unpacked")));
    }
    let cut = read.err().map(|error| {
        let lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
        format!("cannot be unpacked after line {lines}: {error}; is the file cut off?")
    });
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        bad(format!("{name}: not text: byte {at} is not UTF-8"))
    })?;
    Ok((text, cut))
}

/// The errors of a capture, one per line, preceded by the folder.
pub fn refused(folder: &Path, faults: &[Fault]) -> Failure {
    let folder = folder.display().to_string();
    let folder = folder.trim_end_matches('/');
    let line = |fault: &Fault| match fault.file.is_empty() {
        true => shown(&format!("{folder}: {fault}")),
        false => shown(&format!("{folder}/{fault}")),
    };
    Failure::Bad(faults.iter().map(line).collect::<Vec<_>>().join("\n"))
}
