//! Machines described from page counts alone, for tests that compare with printed numbers.
#![allow(dead_code)]

use facts::kernel::{self, Features};
pub use facts::profile::counted::{Zone, machine};

/// The features of a kernel that must exist.
pub fn features(id: &str) -> &'static Features {
    &kernel::find(id).expect("a known kernel").features
}
