//! Turns the compiled engine into the files that the page loads, in two steps: bind, optimise.
//!
//! `cargo run -p xtask -- web|wasm-dev` takes the module that was compiled with that profile and writes a
//! `.js`, a `.d.ts` and a `_bg.wasm` into `web/src/engine/pkg/`. With `wasm-dev`, which compiles faster, it
//! skips the second step.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use wasm_bindgen_cli_support::Bindgen;

/// The result of a step; errors are sentences for the person who runs the build.
type Outcome<T> = Result<T, Box<dyn Error>>;

const TARGET: &str = "wasm32-unknown-unknown";
/// The crate that is compiled, and the module's name in the page.
const CRATE: &str = "mmscope-wasm";
const MODULE: &str = "mmscope";

/// The features that `.cargo/config.toml` allows the compiler, in wasm-opt's words, and those that the
/// bindings use. wasm-opt refuses features that are not named.
const OPT_FEATURES: [&str; 8] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-sign-ext",
    "--enable-nontrapping-float-to-int",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Passes that wasm-opt skips. The compiler has already inlined where it pays. A second inlining would merge
/// all kernel functions into one, and the download would grow by 3 % without running faster.
const OPT_SKIPS: [&str; 2] = ["--skip-pass=inlining", "--skip-pass=inlining-optimizing"];

/// In addition to the usual options: addresses below 1024 are the far end of the stack, so adding to a pointer
/// cannot wrap around to them; frequent locals get short numbers; the names of the compilers are removed.
/// Repeating all passes until nothing changes (`--converge`) takes twice as long for a 0.8 % smaller download.
const OPT_MORE: [&str; 4] = [
    "--low-memory-unused",
    "--reorder-locals",
    "--strip-producers",
    "--strip-target-features",
];

/// Functions of one name are placed together, above all the copies of a generic function: 1.5 % smaller when
/// compressed.
const OPT_ORDER: &str = "--reorder-functions-by-name";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let made = match words.as_slice() {
        [profile @ "web"] => finish(profile, true),
        [profile @ "wasm-dev"] => finish(profile, false),
        _ => Err("usage: cargo run -p xtask -- web|wasm-dev".into()),
    };
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Binds the module that cargo compiled with this profile, and optimises it if it is for publishing.
fn finish(profile: &str, is_published: bool) -> Outcome<()> {
    let project = project_root()?;
    let out = project.join("web/src/engine/pkg");
    bind(&compiled(&project, profile), &out)?;
    if is_published {
        optimise(&project, &out.join(format!("{MODULE}_bg.wasm")))?;
    }
    Ok(())
}

/// The folder that holds `engine/`; this crate sits two levels below it.
fn project_root() -> Outcome<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    Ok(root
        .ok_or("engine/xtask has moved: project root not found")?
        .to_path_buf())
}

/// Where cargo writes the module of a profile.
fn compiled(project: &Path, profile: &str) -> PathBuf {
    let engine = project.join("engine");
    let target_dir = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| engine.join("target"), |dir| engine.join(dir));
    target_dir.join(TARGET).join(profile)
}

/// Makes the module's bindings.
fn bind(compiled: &Path, out: &Path) -> Outcome<()> {
    let made = Bindgen::new()
        .input_path(compiled.join(format!("{}.wasm", CRATE.replace('-', "_"))))
        .out_name(MODULE)
        .web(true)
        .and_then(|bindgen| bindgen.typescript(true).generate(out));
    made.map_err(|reason| format!("wasm-bindgen: {reason:#}").into())
}

fn optimise(project: &Path, module: &Path) -> Outcome<()> {
    let tool = project.join("node_modules/binaryen/bin/wasm-opt");
    if !tool.exists() {
        return Err("wasm-opt is missing: run `npm ci` first".into());
    }
    // Binaryen's npm package is itself WebAssembly behind a Node script.
    run(Command::new("node")
        .arg(tool)
        .arg("-O3")
        .args(OPT_FEATURES)
        .args(OPT_SKIPS)
        .args(OPT_MORE)
        .arg(OPT_ORDER)
        .arg(module)
        .arg("-o")
        .arg(module))?;
    Ok(())
}

fn run(command: &mut Command) -> Outcome<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command
        .status()
        .map_err(|reason| format!("{program} did not start: {reason}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{program} failed ({status})").into())
    }
}
