//! Calls of the program, and folders for its output.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// The outcome of one call.
pub struct Called {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Called {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).expect("stdout is JSON")
    }
}

/// A folder for one test, empty at first.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder for the test");
    path
}

pub fn call_in(cwd: &Path, words: &[&str], stdin: &str) -> Called {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mmscope"))
        .args(words)
        .current_dir(cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("mmscope starts");
    let mut pipe = child.stdin.take().expect("stdin is a pipe");
    // A command that reads nothing may have ended already.
    let _ = pipe.write_all(stdin.as_bytes());
    drop(pipe);
    let output = child.wait_with_output().expect("mmscope ends");
    Called {
        code: output.status.code().expect("no signal"),
        out: String::from_utf8(output.stdout).expect("stdout is text"),
        err: String::from_utf8(output.stderr).expect("stderr is text"),
    }
}

pub fn call(words: &[&str]) -> Called {
    call_in(Path::new("."), words, "")
}

/// Calls the program and expects success.
pub fn good(words: &[&str]) -> Called {
    let called = call(words);
    assert_eq!(called.code, 0, "{words:?}: {}", called.err);
    called
}

/// Calls the program and expects a refusal with this text and no output.
pub fn refused(words: &[&str], says: &str) {
    refused_with(words, "", says);
}

pub fn refused_with(words: &[&str], stdin: &str, says: &str) {
    let called = call_in(Path::new("."), words, stdin);
    assert_eq!(called.code, 2, "{words:?}: {}", called.err);
    assert_eq!(called.out, "", "{words:?}");
    assert!(called.err.contains(says), "{words:?}: {}", called.err);
}

pub const TEACH: &str = "first-touch.teach";

pub fn machine_json(pages: &str) -> String {
    format!(
        r#"{{"id":"small","title":"","arch":"x86_64","page_size_kib":4,
        "nodes":[{{"ranges":[{{"start_pfn":0,"pages":2048}}],"cpus":1}},
                 {{"ranges":[{{"start_pfn":1048576,"pages":{pages}}}],"cpus":1}}],
        "distances":[[10,20],[20,10]],"hz":250,"thp":"never","costs":"s2021","pcp":true,
        "zonelist_order":"default","tunables":{{"vm.min_free_kbytes":"128"}}}}"#
    )
}
