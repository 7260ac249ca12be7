//! The guest program: built here, or found next to this program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::{Outcome, bad, io_fault};
use crate::output::say;
use crate::real::advice::Requirement;

/// The target: a static program that needs no library of the guest.
const TARGET: &str = "x86_64-unknown-linux-musl";
/// The profile: small.
const PROFILE: &str = "guest";
/// The folder of the engine's crates, if this program was built here.
const ENGINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Finds or builds the guest program.
///
/// # Errors
/// The program cannot be built; the error says what to install, or quotes cargo.
pub fn find() -> Outcome<PathBuf> {
    if let Some(beside) = beside() {
        return Ok(beside);
    }
    let engine = Path::new(ENGINE);
    if !engine.join("guest").is_dir() {
        return Err(bad(
            "the guest program is not here: put it beside this program, under the name mmscope-guest",
        ));
    }
    build(engine)
}

/// `mmscope-guest` in the folder of this program.
fn beside() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let place = own.parent()?.join("mmscope-guest");
    place.is_file().then_some(place)
}

fn build(engine: &Path) -> Outcome<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = target_folder(engine, &cargo)?;
    let made = target.join(TARGET).join(PROFILE).join("guest");
    say(match made.is_file() {
        true => "building the guest program if its sources have changed ...",
        false => "building the guest program, which takes a minute or two ...",
    });
    let built = Command::new(&cargo)
        .args(["build", "--quiet", "--package", "guest", "--bin", "guest"])
        .args(["--profile", PROFILE, "--target", TARGET])
        .current_dir(engine)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| io_fault("cargo", &error))?;
    if built.status.success() {
        return Ok(made);
    }
    let why = String::from_utf8_lossy(&built.stderr);
    if why.contains("target may not be installed") || why.contains("can't find crate for `std`") {
        let reason = format!("the guest program needs the Rust target {TARGET}");
        return Err(Requirement::Target.missing(&reason));
    }
    let lines: Vec<String> = why.lines().take(20).map(crate::failure::shown).collect();
    Err(bad("the guest program did not build").and(lines.join("\n")))
}

/// The output folder of cargo.
fn target_folder(engine: &Path, cargo: &std::ffi::OsStr) -> Outcome<PathBuf> {
    let told = Command::new(cargo)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(engine)
        .output()
        .map_err(|error| io_fault("cargo", &error))?;
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap_or_default();
    let folder = told["target_directory"].as_str();
    Ok(folder.map_or_else(|| engine.join("target"), PathBuf::from))
}
