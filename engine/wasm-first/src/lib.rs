//! The door of `engine/wasm` with what a first figure needs behind it: the module a page loads first.
//!
//! Nothing is written here, and `mm` is asked for no feature: see `mm::whole`.

pub use mmscope_wasm::*;
