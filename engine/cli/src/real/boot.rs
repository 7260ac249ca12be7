//! Runs the virtual machine with a time limit and reports its progress on stderr. The virtual machine never
//! outlives this program.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::failure::{Outcome, bad, io_fault};
use crate::output::say;
use crate::real::advice::Requirement;
use crate::real::disks::installed;
use crate::real::vm::{Files, QEMU, Vm};

/// Time between two checks of the virtual machine.
const LOOK: Duration = Duration::from_millis(50);
/// The beginning of the guest program's messages on the console.
const OURS: &str = "mmscope: ";
/// Lines of the console that a failure quotes.
const QUOTED: usize = 12;

/// Whether a signal has asked this program to end.
static ENDED: AtomicBool = AtomicBool::new(false);
static LISTENS: Once = Once::new();

/// The virtual machine; it is killed when this value is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The emulator.
///
/// # Errors
/// What to install.
pub fn qemu() -> Outcome<std::path::PathBuf> {
    let mut found = QEMU.iter().filter_map(|name| {
        let file = Path::new(name).file_name()?.to_str()?;
        installed(
            file,
            &["/usr/libexec", "/opt/homebrew/bin", "/usr/local/bin"],
        )
    });
    found
        .next()
        .ok_or_else(|| Requirement::Qemu.missing("QEMU for x86-64 is not installed"))
}

/// Boots the machine and waits until it is off. The time it took is returned.
///
/// # Errors
/// The emulator is missing, the machine does not start, the time limit is reached, or the user
/// interrupts.
pub fn run(vm: &Vm, files: &Files, limit: Duration, quiet: bool) -> Outcome<Duration> {
    let program = qemu()?;
    LISTENS.call_once(|| {
        // If the handler cannot be set, an interrupt ends this program as usual.
        let _ = ctrlc::set_handler(|| ENDED.store(true, Ordering::SeqCst));
    });
    let began = Instant::now();
    let child = Command::new(&program)
        .args(vm.arguments(files))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| io_fault(program.display(), &error))?;
    let mut running = Running(child);
    let mut told = 0;
    loop {
        if !quiet {
            told = progress(&files.console, told, began);
        }
        let ended = running.0.try_wait();
        if let Some(status) = ended.map_err(|error| io_fault("QEMU", &error))? {
            if status.success() {
                return Ok(began.elapsed());
            }
            return Err(stopped(&mut running, files));
        }
        if ENDED.load(Ordering::SeqCst) {
            return Err(bad("interrupted: the virtual machine was ended"));
        }
        if began.elapsed() > limit {
            let reason = format!(
                "the virtual machine was ended after {} s: it should have been off by then. --limit 600s gives it longer",
                limit.as_secs()
            );
            return Err(bad(reason).and(console_end(&files.console)));
        }
        sleep(LOOK);
    }
}

fn stopped(running: &mut Running, files: &Files) -> crate::failure::Failure {
    let mut text = String::new();
    if let Some(mut errors) = running.0.stderr.take() {
        let _ = std::io::Read::read_to_string(&mut errors, &mut text);
    }
    let first = text.lines().next().unwrap_or("no message").to_string();
    bad(format!("QEMU failed: {first}")).and(console_end(&files.console))
}

/// The last lines of the console, for a failure.
pub fn console_end(console: &Path) -> String {
    let text = fs::read(console).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let last = &lines[lines.len().saturating_sub(QUOTED)..];
    match last.is_empty() {
        true => "its console printed nothing".to_string(),
        false => {
            let shown = last
                .iter()
                .map(|line| format!("  | {}", crate::failure::shown(line)));
            format!(
                "its console ends with:\n{}",
                shown.collect::<Vec<_>>().join("\n")
            )
        }
    }
}

/// Prints the messages of the guest program since the last check. Returns how much of the console was read.
fn progress(console: &Path, told: usize, began: Instant) -> usize {
    let bytes = fs::read(console).unwrap_or_default();
    let new = bytes.get(told..).unwrap_or_default();
    // Only whole lines are read.
    let Some(end) = new.iter().rposition(|byte| *byte == b'\n') else {
        return told;
    };
    for line in String::from_utf8_lossy(&new[..end]).lines() {
        if let Some((_, text)) = line.split_once(OURS) {
            let seconds = began.elapsed().as_secs_f64();
            let text = crate::failure::shown(text.trim_end());
            say(&format!("{seconds:6.1} s  guest: {text}"));
        }
    }
    told + end + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_the_last_lines_of_the_console() {
        let folder = tempfile::tempdir().expect("a folder");
        let console = folder.path().join("console.log");
        assert_eq!(console_end(&console), "its console printed nothing");
        let lines: Vec<String> = (0..30).map(|i| format!("line {i}")).collect();
        fs::write(&console, lines.join("\r\n\r\n")).expect("a file");
        let end = console_end(&console);
        assert!(
            end.contains("| line 29") && end.contains("| line 18"),
            "{end}"
        );
        assert!(!end.contains("line 17"), "{end}");
    }

    #[test]
    fn reads_each_complete_line_of_the_console_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let console = folder.path().join("console.log");
        fs::write(&console, "boot\nmmscope: half").expect("a file");
        let began = Instant::now();
        let told = progress(&console, 0, began);
        assert_eq!(told, 5);
        fs::write(&console, "boot\nmmscope: half a line\n").expect("a file");
        assert_eq!(progress(&console, told, began), 26);
    }
}
