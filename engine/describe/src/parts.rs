//! The parts of an experiment in full: `parts.json`.
//!
//! The page's texts contain only the names of ready-made machines and workloads. A form that shows and edits
//! their content loads this file first. Patches are here too, because only that form offers them.

use mm::experiment;
use mm::kernel::patches::offers;
use mm::profile;
use mm::read::written;

/// Every ready-made machine and workload as an experiment would describe it, and every patch.
pub fn parts() -> String {
    format!(
        "{{\"machines\":{},\"workloads\":{},\"patches\":{}}}",
        written(&profile::profiles()),
        written(&experiment::workloads()),
        written(&offers()),
    )
}
