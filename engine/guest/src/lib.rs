//! What the host and the guest program share: the settings of a run, the names of files, and the
//! operations that a program cannot request from a real kernel.
//!
//! The guest program executes the same compiled workload as the engine, with the same random
//! numbers. It is called `guest DIR`; as the first process of a virtual machine it takes
//! [`FOLDER`]. The folder has [`EXPERIMENT`] and [`SETTINGS`].
#![forbid(unsafe_code)]

mod cgroup_names;
mod paths;
mod refusals;
mod settings;

pub use cgroup_names::{cgroup_file, refused_names};
pub use paths::{COMPACT_MEMORY, DROP_CACHES, NR_HUGEPAGES, tunable_path};
pub use refusals::refusals;
pub use settings::{
    BUFFER, CAPTURE, DATA, EXPERIMENT, FOLDER, OWN_PAGES, SETTINGS, Settings, data_file,
};
