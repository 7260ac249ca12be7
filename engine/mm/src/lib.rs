//! The memory-management engine of mmscope.
#![forbid(unsafe_code)]

pub mod view;
