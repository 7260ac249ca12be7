//! The door of `engine/wasm` with the whole engine behind it.
//!
//! Nothing is written here: this package asks `mm` for every mechanism, `wasm-first` for none. They
//! are compiled one after the other, because what one package of a compilation asks of another is
//! there for all of them.

// Asked for its features only.
use mm as _;
pub use mmscope_wasm::*;
