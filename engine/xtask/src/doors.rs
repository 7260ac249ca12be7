//! One set of bindings for both builds of the engine.
//!
//! They have the same door, so one JavaScript file does for both, and the bindings are one download.
//! As generated it holds on to the first module it was given for ever. Here `initSync` puts a second
//! in its place: whoever calls it has freed the engines of the first, whose memory goes with it.

use std::fs;
use std::path::Path;

use crate::Outcome;

/// Where the generated `initSync` begins, and the line by which it keeps the first module.
const BEGINS: &str = "function initSync(module) {\n";
const KEEPS: &str = "    if (wasm !== undefined) return wasm;\n";

/// Moves the module bound in `other` beside that of `out`, under the name `name`, and leaves the
/// bindings of `out` to both.
pub fn share(out: &Path, other: &Path, module: &str, name: &str) -> Outcome<()> {
    let bindings = format!("{module}.js");
    let ours = fs::read_to_string(out.join(&bindings))?;
    if ours != fs::read_to_string(other.join(&bindings))? {
        return Err("the two builds of the engine have different doors".into());
    }
    let wasm = |folder: &Path, name: &str| folder.join(format!("{name}_bg.wasm"));
    fs::copy(wasm(other, module), wasm(out, name))?;
    fs::remove_dir_all(other)?;
    fs::write(out.join(bindings), replaceable(&ours)?)?;
    Ok(())
}

/// The bindings whose `initSync` takes another module whenever it is called.
fn replaceable(bindings: &str) -> Outcome<String> {
    let kept = [BEGINS, KEEPS].concat();
    match bindings.matches(&kept).count() {
        1 => Ok(bindings.replace(&kept, BEGINS)),
        n => Err(format!("initSync keeps its module in {n} places, one was expected").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn init_sync_alone_takes_another_module() {
        let init = format!("async function __wbg_init(path) {{\n{KEEPS}}}\n");
        let made = format!("{BEGINS}{KEEPS}    make();\n}}\n{init}");
        let shared = replaceable(&made).expect("bindings as they are made");
        assert_eq!(shared, format!("{BEGINS}    make();\n}}\n{init}"));
        assert!(
            replaceable(&shared).is_err(),
            "a generator that writes it otherwise is noticed"
        );
    }
}
