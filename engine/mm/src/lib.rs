//! The memory-management engine of mmscope.
#![forbid(unsafe_code)]

pub mod arch;
pub mod kernel;
pub mod layout;
pub mod profile;
pub mod view;
