//! What the host and the guest program share: the settings of a run, the names of files, and what a real
//! kernel cannot be asked to do.
//!
//! The guest program executes the compiled workload of an experiment, the one that the engine runs, with
//! the same random numbers. It is called `guest DIR`; as the first process of a virtual machine it takes
//! [`FOLDER`]. The folder has [`EXPERIMENT`] and [`SETTINGS`].
#![forbid(unsafe_code)]

mod paths;
mod refusals;
mod settings;

pub use paths::{COMPACT_MEMORY, DROP_CACHES, NR_HUGEPAGES, tunable_path};
pub use refusals::refusals;
pub use settings::{CAPTURE, DATA, EXPERIMENT, FOLDER, SETTINGS, Settings, data_file};
