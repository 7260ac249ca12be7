//! The typed door between the engine and the browser.
use wasm_bindgen::prelude::*;

/// The engine's version, as links carry it.
#[wasm_bindgen]
pub fn engine_version() -> String {
    env!("CARGO_PKG_VERSION").to_string()
}
