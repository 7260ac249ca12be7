//! Argument lines that people wrote for version 0.1.0, with the files it made: each still ends with the
//! same code and the same words. A line of `lines.txt` has a code, the arguments, and words of its
//! output, separated by tabs. The files beside it are the output of `import-zoneinfo`, `zoneinfo` and
//! `resolve`. These files are never changed.

use std::fs;
use std::path::Path;
use std::process::Command;

const BEFORE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/before");

/// A folder with the files, in which a command may write others.
fn folder() -> std::path::PathBuf {
    let at = Path::new(env!("CARGO_TARGET_TMPDIR")).join("before");
    let _ = fs::remove_dir_all(&at);
    fs::create_dir_all(&at).expect("a folder for the test");
    for file in ["machine.json", "experiment.json", "zoneinfo.txt"] {
        fs::copy(Path::new(BEFORE).join(file), at.join(file)).expect(file);
    }
    at
}

#[test]
fn every_command_line_of_0_1_0_still_gives_the_same_result() {
    let at = folder();
    let lines = fs::read_to_string(Path::new(BEFORE).join("lines.txt")).expect("the lines");
    let mut wrong = Vec::new();
    for line in lines.lines() {
        let mut parts = line.split('\t');
        let mut part = || parts.next().unwrap_or("");
        let (code, words, says) = (part(), part(), part());
        let output = Command::new(env!("CARGO_BIN_EXE_mmscope"))
            .args(words.split_whitespace())
            .current_dir(&at)
            .output()
            .expect("mmscope starts");
        let ended = output.status.code().map(|code| code.to_string());
        if ended.as_deref() != Some(code) {
            let err = String::from_utf8_lossy(&output.stderr);
            wrong.push(format!("mmscope {words}: {ended:?}, not {code}: {err}"));
        }
        // A refusal prints nothing to stdout, where a script reads.
        if code != "0" && !output.stdout.is_empty() {
            wrong.push(format!("mmscope {words}: prints although it refuses"));
        }
        let out = String::from_utf8_lossy(&output.stdout);
        let missing: Vec<&str> = says.split(' ').filter(|word| !out.contains(word)).collect();
        if !missing.is_empty() {
            wrong.push(format!("mmscope {words}: says no {}", missing.join(", ")));
        }
    }
    assert!(lines.lines().count() > 100);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
