//! All tests of the explanations, in one binary.

mod reports;
mod zoneinfo;
