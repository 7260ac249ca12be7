//! Reading of experiments, machines, tunables and stops.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use mm::experiment::{self, Experiment, Raw};
use mm::kernel::{self, Kernel};
use mm::profile::{self, MachineProfile};
use mm::read::{self, nearest};
use mm::tunables;
use mm::view::Refusal;
use mm::workload::parse_ns;
use serde_json::Value;

use crate::args::Parsed;
use crate::failure::{Failure, Outcome, bad, io_fault, refused};
use crate::output::say;

/// The longest text that is read, bytes.
pub const MAX_TEXT: u64 = 64 << 20;
/// The largest seed in an experiment's JSON.
const MAX_SEED: u64 = (1 << 53) - 1;
/// The kernel for commands that need one, by default.
pub const DEFAULT_KERNEL: &str = "6.1";

/// Reads a whole file, or stdin for `-`.
///
/// # Errors
/// The file does not exist, is not text or has no end.
pub fn read_text(path: &str) -> Outcome<String> {
    let name = source_name(path);
    text_of(name, read_bytes(path)?, |name, bytes| {
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            bad(format!("{name}: not text: byte {at} is not UTF-8"))
        })
    })
}

/// Reads a text that was saved or copied elsewhere: in UTF-8, in UTF-16, or with bytes of an older
/// encoding between plain letters.
///
/// # Errors
/// The file does not exist, is empty or has no end.
pub fn read_pasted(path: &str) -> Outcome<String> {
    let lossy = |_: &str, bytes: Vec<u8>| Ok(String::from_utf8_lossy(&bytes).into_owned());
    text_of(source_name(path), read_bytes(path)?, lossy)
}

fn read_bytes(path: &str) -> Outcome<Vec<u8>> {
    let name = source_name(path);
    let mut bytes = Vec::new();
    let read = if path == "-" {
        io::stdin()
            .lock()
            .take(MAX_TEXT + 1)
            .read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(MAX_TEXT + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| io_fault(name, &error))?;
    if bytes.len() as u64 > MAX_TEXT {
        return Err(bad(format!("{name}: longer than {} MiB", MAX_TEXT >> 20)));
    }
    Ok(bytes)
}

/// The text of some bytes: UTF-16 by its byte order mark or its zeros, anything else by `other`.
fn text_of(
    name: &str,
    bytes: Vec<u8>,
    other: impl Fn(&str, Vec<u8>) -> Outcome<String>,
) -> Outcome<String> {
    let text = match utf16(&bytes) {
        Some(text) => text,
        None => other(name, bytes)?,
    };
    // Some editors begin a file with a byte order mark.
    let text = text
        .strip_prefix('\u{feff}')
        .map_or(text.clone(), str::to_string);
    if text.trim().is_empty() {
        return Err(bad(format!("{name}: empty")));
    }
    Ok(text)
}

/// The text of bytes in UTF-16, which begin with the byte order mark or with a plain letter in two
/// bytes.
fn utf16(bytes: &[u8]) -> Option<String> {
    let read: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        [letter, 0, _, 0, ..] if *letter != 0 => u16::from_le_bytes,
        [0, letter, 0, _, ..] if *letter != 0 => u16::from_be_bytes,
        _ => return None,
    };
    let (pairs, _) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|&pair| read(pair)).collect();
    Some(String::from_utf16_lossy(&units))
}

/// The name of a path in a sentence.
pub fn source_name(path: &str) -> &str {
    if path == "-" { "stdin" } else { path }
}

/// Does a word look like a path rather than an id?
fn is_path(word: &str) -> bool {
    word == "-" || Path::new(word).exists() || word.contains(['/', '\\']) || word.ends_with(".json")
}

fn unknown(what: &str, word: &str, known: &[String]) -> Failure {
    let near = nearest(word, known.iter().map(String::as_str));
    let guess = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
    let reason = format!("no {what} is called {word:?} and there is no such file{guess}");
    bad(reason).and(format!("{what}s: {}", known.join(", ")))
}

/// The kernel with this id.
///
/// # Errors
/// The kernel does not exist; the sentence lists the ids of all kernels.
pub fn kernel(id: &str) -> Outcome<&'static Kernel> {
    kernel::find(id).ok_or_else(|| {
        let known: Vec<&str> = kernel::kernels().iter().map(|k| k.id).collect();
        bad(format!(
            "kernel: no kernel is called {id:?}; there are {}",
            known.join(", ")
        ))
    })
}

/// A machine as data, and the kernel that it was imported from. The word is an id, a file with a
/// machine, or the output of `import-zoneinfo`.
///
/// # Errors
/// The id or file does not exist, or the file is not JSON.
pub fn machine_value(word: &str) -> Outcome<(Value, Option<String>)> {
    if profile::find(word).is_some() {
        return Ok((Value::String(word.to_string()), None));
    }
    if !is_path(word) {
        let known: Vec<String> = profile::profiles().into_iter().map(|p| p.id).collect();
        return Err(unknown("machine", word, &known));
    }
    let name = source_name(word);
    let value = read::parse(&read_text(word)?).map_err(|e| {
        let at = format!("line {}, column {}", e.line(), e.column());
        bad(format!("{name}: not JSON: {e} ({at})"))
    })?;
    if let Some(machine @ Value::Object(_)) = value.get("machine")
        && value.get("check").is_some()
    {
        let kernel = value.get("kernel").and_then(Value::as_str);
        return Ok((machine.clone(), kernel.map(str::to_string)));
    }
    if !matches!(value, Value::Object(_)) {
        return Err(bad(format!("{name}: a machine is a JSON object")));
    }
    Ok((value, None))
}

/// A machine that can be laid out and printed, even if it cannot be run.
///
/// # Errors
/// Every error, with its path.
pub fn machine(word: &str) -> Outcome<(MachineProfile, Option<String>)> {
    let (value, kernel) = machine_value(word)?;
    Ok((sound_machine(word, &value)?, kernel))
}

fn sound_machine(word: &str, value: &Value) -> Outcome<MachineProfile> {
    let refuse = |found: &[Refusal]| refused(source_name(word), found);
    let machine = match value {
        Value::String(id) => profile::find(id).ok_or_else(|| refuse(&[]))?,
        described => read::read(described.clone(), "").map_err(|found| refuse(&found))?,
    };
    let found = profile::check(&machine);
    if found.is_empty() {
        Ok(machine)
    } else {
        Err(refuse(&found))
    }
}

/// The experiment of a command, changed by its options.
///
/// # Errors
/// Every error, with its path.
pub fn experiment(parsed: &Parsed) -> Outcome<Experiment> {
    let Some(word) = parsed.operand() else {
        let known: Vec<String> = experiment::presets().into_iter().map(|e| e.id).collect();
        return Err(bad("which EXPERIMENT? An id, a file or - for stdin")
            .and(format!("experiments: {}", known.join(", "))));
    };
    if word == "-" && parsed.value("--machine") == Some("-") {
        return Err(bad("the experiment and --machine cannot both be stdin"));
    }
    let mut raw = raw_experiment(word)?;
    if let Some(word) = parsed.value("--machine") {
        let (value, printed_by) = machine_value(word)?;
        // The machine is checked separately first, so that the paths of errors refer to its own
        // file.
        let machine = sound_machine(word, &value)?;
        let found = profile::check_runnable(&machine);
        if !found.is_empty() {
            return Err(refused(source_name(word), &found));
        }
        raw.machine = value;
        keep_own_tunables(&mut raw, &machine);
        if let Some(kernel) = printed_by.filter(|kernel| *kernel != raw.kernel)
            && parsed.value("--kernel").is_none()
        {
            let own = &raw.kernel;
            say(&format!(
                "the experiment's kernel {own} is used; the machine was imported from {kernel}: --kernel {kernel} uses that one"
            ));
        }
    }
    if let Some(id) = parsed.value("--kernel") {
        raw.kernel = kernel(id)?.id.to_string();
    }
    if let Some(seed) = parsed.value("--seed") {
        let parsed = seed.parse().ok().filter(|seed| *seed <= MAX_SEED);
        raw.seed = parsed.ok_or_else(|| {
            bad(format!(
                "--seed {seed}: a seed is a whole number from 0 to {MAX_SEED}"
            ))
        })?;
    }
    for (name, value) in settings(parsed)? {
        raw.tunables.insert(name, value);
    }
    Experiment::new(raw).map_err(|refusals| refused(source_name(word), &refusals))
}

/// A machine's own tunables win: the experiment's values were chosen for another machine.
fn keep_own_tunables(raw: &mut Raw, machine: &MachineProfile) {
    for (name, own) in &machine.tunables {
        let other = raw.tunables.remove(name);
        if let Some(other) = other.filter(|other| other != own) {
            say(&format!(
                "{name} is {own}, from the machine, and not {other}, from the experiment; --set {name}={other} changes that"
            ));
        }
    }
}

/// The same experiment on another kernel.
///
/// # Errors
/// The kernel does not exist, or does not allow a field of the experiment.
pub fn on_kernel(experiment: &Experiment, id: &str) -> Outcome<Experiment> {
    let name = format!("on {id}");
    let mut raw =
        Raw::from_json(&experiment.canonical()).map_err(|found| refused(&name, &found))?;
    raw.kernel = kernel(id)?.id.to_string();
    Experiment::new(raw).map_err(|found| refused(&name, &found))
}

fn raw_experiment(word: &str) -> Outcome<Raw> {
    if let Some(raw) = experiment::preset(word) {
        return Ok(raw);
    }
    if !is_path(word) {
        let known: Vec<String> = experiment::presets().into_iter().map(|e| e.id).collect();
        return Err(unknown("experiment", word, &known));
    }
    Raw::from_json(&read_text(word)?).map_err(|refusals| refused(source_name(word), &refusals))
}

/// The `--set` options: (name, value) in order; a bare name gets its `vm.`.
///
/// # Errors
/// A word has no `=`, or a name is given twice.
pub fn settings(parsed: &Parsed) -> Outcome<Vec<(String, String)>> {
    let mut out: Vec<(String, String)> = Vec::new();
    for word in parsed.all("--set") {
        let Some((name, value)) = word.split_once('=') else {
            return Err(bad(format!(
                "--set {word}: write --set NAME=VALUE; --set list shows the names"
            )));
        };
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || value.is_empty() {
            let missing = if name.is_empty() { "name" } else { "value" };
            return Err(bad(format!("--set {word}: the {missing} is missing")));
        }
        let name = full_name(name);
        if out.iter().any(|(other, _)| *other == name) {
            return Err(bad(format!("--set {name} is given twice")));
        }
        out.push((name, value.to_string()));
    }
    Ok(out)
}

/// `min_free_kbytes` is `vm.min_free_kbytes`, if a kernel has that.
fn full_name(name: &str) -> String {
    let long = format!("vm.{name}");
    let is_known = kernel::kernels().iter().any(|kernel| {
        tunables::list(&kernel.features)
            .iter()
            .any(|info| info.name == long)
    });
    if is_known { long } else { name.to_string() }
}

/// The stop of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// At the experiment's end.
    End,
    /// After this many steps.
    Step(u64),
    /// When every CPU has reached this time, ns.
    Time(u64),
}

impl Until {
    /// Reads `--until`.
    ///
    /// # Errors
    /// The text is neither a duration nor a whole number.
    pub fn of(parsed: &Parsed) -> Outcome<Until> {
        let Some(text) = parsed.value("--until") else {
            return Ok(Until::End);
        };
        if text.chars().all(|c| c.is_ascii_digit()) {
            let steps = text.parse();
            return steps
                .map(Until::Step)
                .map_err(|_| bad(format!("--until {text}: more steps than can be counted")));
        }
        let ns = parse_ns(text).map_err(|reason| {
            bad(format!(
                "--until {text}: {reason}; a bare number counts steps"
            ))
        })?;
        Ok(Until::Time(ns))
    }

    /// The last step.
    pub fn step(self) -> u64 {
        if let Until::Step(step) = self {
            step
        } else {
            u64::MAX
        }
    }

    /// The last time, ns.
    pub fn ns(self) -> u64 {
        if let Until::Time(ns) = self {
            ns
        } else {
            u64::MAX
        }
    }
}

/// `--set list`: the kernel whose tunables are requested, if they are.
///
/// # Errors
/// The kernel or experiment is unknown, or `list` is combined with settings.
pub fn set_list(parsed: &Parsed) -> Outcome<Option<&'static Kernel>> {
    if !parsed.all("--set").any(|word| word == "list") {
        return Ok(None);
    }
    if parsed.all("--set").count() > 1 {
        return Err(bad(
            "--set list shows the tunables and allows no other --set",
        ));
    }
    if let Some(id) = parsed.value("--kernel") {
        return kernel(id).map(Some);
    }
    if let Some(word) = parsed.operand() {
        return kernel(&raw_experiment(word)?.kernel).map(Some);
    }
    say(&format!(
        "no kernel was chosen: these are the tunables of {DEFAULT_KERNEL}"
    ));
    kernel(DEFAULT_KERNEL).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::RUN;

    fn parsed(line: &str) -> Parsed {
        let words: Vec<String> = line.split(' ').map(str::to_string).collect();
        RUN.parse(&words).expect("options of run")
    }

    #[test]
    fn until_accepts_a_time_or_a_number_of_steps() {
        for (text, until) in [
            ("10s", Until::Time(10_000_000_000)),
            ("250ms", Until::Time(250_000_000)),
            ("120000", Until::Step(120_000)),
            ("0", Until::Step(0)),
        ] {
            assert_eq!(Until::of(&parsed(&format!("--until {text}"))), Ok(until));
        }
        for text in [
            "1.5s",
            "s",
            "10 parsecs",
            "99999999999999999999",
            "-1",
            "99999s",
        ] {
            assert!(Until::of(&RUN.parse(&[format!("--until={text}")]).expect("parses")).is_err());
        }
    }

    #[test]
    fn refuses_a_setting_without_name_or_value_or_given_twice() {
        let set = settings(&parsed(
            "--set min_free_kbytes=8 transparent_hugepage=never",
        ));
        let expected = [
            ("vm.min_free_kbytes", "8"),
            ("transparent_hugepage", "never"),
        ];
        let expected = expected.map(|(n, v)| (n.to_string(), v.to_string()));
        assert_eq!(set, Ok(expected.to_vec()));
        for line in [
            "--set x",
            "--set =1",
            "--set x=",
            "--set min_free_kbytes=8 --set vm.min_free_kbytes=9",
        ] {
            assert!(settings(&parsed(line)).is_err(), "{line}");
        }
    }
}
