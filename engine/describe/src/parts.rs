//! What an experiment is put together from, in full: `parts.json`.
//!
//! The page's texts name ready-made machines and workloads only; a form that shows what is inside of
//! them, so that it can be changed, loads this file first. Patches stand here too: nothing else in the
//! page chooses among them.

use mm::experiment;
use mm::kernel::patches::patches;
use mm::profile;
use mm::read::written;

/// Every ready-made machine and workload as an experiment would describe it, and every patch.
pub fn parts() -> String {
    format!(
        "{{\"machines\":{},\"workloads\":{},\"patches\":{}}}",
        written(&profile::profiles()),
        written(&experiment::workloads()),
        written(&patches()),
    )
}
