//! The settings of a run (`guest.json`).

use serde::{Deserialize, Serialize};

/// The folder that the guest program takes when it is the first process.
pub const FOLDER: &str = "/mmscope";
/// The canonical experiment, in that folder.
pub const EXPERIMENT: &str = "experiment.json";
/// The settings, in that folder.
pub const SETTINGS: &str = "guest.json";
/// The folder for the capture, below that folder. It is used if there is no device for the capture.
pub const CAPTURE: &str = "capture";
/// Where the device for files is mounted.
pub const DATA: &str = "/data";

/// The name of a file of the workload on the device for files. `number` is its index in
/// [`facts::experiment::Experiment::files`].
pub fn data_file(number: u32) -> String {
    format!("f{number}")
}

/// Pages that a process of the guest program writes to between its start and its first operation: stack, heap
/// and the shared table of tasks. In a cgroup without a workload, memory.stat has this many anonymous pages
/// (a process that only sleeps, on 6.1).
pub const OWN_PAGES: u64 = 2;
/// Bytes of the buffer of a process for reading and writing. A longer call names the buffer several times, so
/// that it is one call for the kernel.
pub const BUFFER: usize = 64 << 10;

/// The data that the guest program needs besides the experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Time between two samples of the counters, ms.
    pub sample_ms: u64,
    /// Tracepoints to record: "vmscan:mm_vmscan_lru_isolate".
    pub events: Vec<String>,
    /// Size of the trace buffer of each CPU, KiB.
    pub trace_kib: u32,
    /// Files below /proc/sys or /sys that are written before the run, and the values.
    pub sysctls: Vec<(String, String)>,
    /// Kernel modules to load, in this order: paths of unpacked `.ko` files.
    pub modules: Vec<String>,
    /// The location of the workload's files: a block device with an ext4 file system, or a folder.
    pub data: Option<String>,
    /// Block device for swap space. The guest program writes its header.
    pub swap: Option<String>,
    /// Block device to which the capture is written as a tar archive. Without it, the capture is a folder.
    pub out: Option<String>,
    /// Copied to `shape.json`. The guest program adds facts that only it knows.
    pub shape: serde_json::Map<String, serde_json::Value>,
    /// Whether to switch the machine off at the end.
    pub power_off: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            sample_ms: 200,
            events: Vec::new(),
            trace_kib: 4096,
            sysctls: Vec::new(),
            modules: Vec::new(),
            data: None,
            swap: None,
            out: None,
            shape: serde_json::Map::new(),
            power_off: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes_and_fills_in_defaults() {
        let given = r#"{"events": ["vmscan:mm_vmscan_kswapd_wake"], "sysctls": [["/proc/sys/vm/swappiness", "10"]]}"#;
        let read: Settings = serde_json::from_str(given).expect("settings");
        assert_eq!(read.sample_ms, 200);
        assert_eq!(read.sysctls[0].1, "10");
        let again = serde_json::to_string(&read).expect("text");
        assert_eq!(
            serde_json::from_str::<Settings>(&again).expect("settings"),
            read
        );
    }

    #[test]
    fn refuses_an_unknown_field() {
        let error = serde_json::from_str::<Settings>(r#"{"sample": 1}"#).expect_err("unknown");
        assert!(
            error.to_string().contains("unknown field `sample`"),
            "{error}"
        );
    }
}
