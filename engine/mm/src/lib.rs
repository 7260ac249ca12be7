//! The memory-management engine of mmscope.
#![forbid(unsafe_code)]

pub mod arch;
pub mod costs;
pub mod kernel;
pub mod layout;
pub mod profile;
pub mod tunables;
pub mod view;
pub mod watermark;
pub mod zonelist;
