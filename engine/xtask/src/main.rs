//! Builds the engine for the browser in three visible steps: compile, bind, optimise.
//!
//! `cargo run -p xtask -- wasm [--dev]` leaves the engine's module in `web/src/engine/pkg/`: a `.js`, a
//! `.d.ts` and a `_bg.wasm`. Beside it it leaves `catalog.json`, the engine's texts, which the module
//! does not hold, `records.ts`, the types of what it records, `parts.json`, what experiments are put
//! together from, and `experiment.schema.json`, what the fields of one mean, which
//! `docs/experiment.md` says for people. With `--dev` it is compiled faster and the last step is left
//! out. `cargo run -p xtask -- schema` writes the last two alone.

mod described;
mod parts;
mod records;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use wasm_bindgen_cli_support::Bindgen;

/// A step's outcome; errors are sentences for the person who runs the build.
type Outcome<T> = Result<T, Box<dyn Error>>;

const TARGET: &str = "wasm32-unknown-unknown";
/// The crate that is compiled, and the module's name in the page.
const CRATE: &str = "mmscope-wasm";
const MODULE: &str = "mmscope";

/// What `.cargo/config.toml` lets the compiler use, in wasm-opt's words, and what the bindings use:
/// wasm-opt refuses what was not named.
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

/// What wasm-opt leaves to others. The compiler has inlined what is worth it; inlined once more, all
/// kernel functions are one, and the download grows by 3 % without running faster.
const OPT_SKIPS: [&str; 2] = ["--skip-pass=inlining", "--skip-pass=inlining-optimizing"];

/// Beside the usual: addresses below 1024 are the far end of the stack, so that adding to a pointer
/// cannot wrap around to them; frequent locals get the short numbers; the names of the compilers are
/// removed. Repeating all passes until nothing changes (`--converge`) takes twice as long for 0.8 %
/// less to download.
const OPT_MORE: [&str; 4] = [
    "--low-memory-unused",
    "--reorder-locals",
    "--strip-producers",
    "--strip-target-features",
];

/// Functions of one name stand together, the copies of a generic one above all: 1.5 % less compressed.
const OPT_ORDER: &str = "--reorder-functions-by-name";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let built = match words.as_slice() {
        ["wasm"] => build_wasm(Speed::Release),
        ["wasm", "--dev"] => build_wasm(Speed::Dev),
        ["schema"] => project_root().and_then(|project| write_schema(&project)),
        _ => Err("usage: cargo run -p xtask -- wasm [--dev] | schema".into()),
    };
    match built {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Speed {
    /// Slow to build, fast to run: what is published.
    Release,
    /// Quick to build, for work on the engine.
    Dev,
}

impl Speed {
    fn profile(self) -> &'static str {
        match self {
            Self::Release => "web",
            Self::Dev => "wasm-dev",
        }
    }
}

fn build_wasm(speed: Speed) -> Outcome<()> {
    let project = project_root()?;
    let out = project.join("web/src/engine/pkg");
    let steps = if speed == Speed::Release { 3 } else { 2 };

    println!("engine 1/{steps}: compile");
    let compiled = compile(&project, speed)?;

    println!("engine 2/{steps}: bind");
    bind(&compiled, &out)?;
    let catalog = picture::catalog::catalog();
    std::fs::write(out.join("catalog.json"), mm::read::written(&catalog))?;
    std::fs::write(out.join("records.ts"), records::records(&catalog))?;
    std::fs::write(out.join("parts.json"), parts::parts())?;
    write_schema(&project)?;

    if speed == Speed::Release {
        println!("engine 3/{steps}: optimise");
        optimise(&project, &out.join(format!("{MODULE}_bg.wasm")))?;
    }
    Ok(())
}

/// Writes what the fields of an experiment mean, for the page and for people.
fn write_schema(project: &Path) -> Outcome<()> {
    let out = project.join("web/src/engine/pkg");
    std::fs::create_dir_all(&out)?;
    std::fs::write(out.join("experiment.schema.json"), described::json())?;
    let page = project.join("docs/experiment.md");
    // What is as it was stays untouched: it is no work for whoever watches files.
    if std::fs::read_to_string(&page).unwrap_or_default() != described::markdown() {
        std::fs::write(page, described::markdown())?;
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

/// Compiles the module and says in which folder it is.
fn compile(project: &Path, speed: Speed) -> Outcome<PathBuf> {
    let engine = project.join("engine");
    let target_dir = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| engine.join("target"), |dir| engine.join(dir));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    run(Command::new(cargo)
        .current_dir(&engine)
        .args(["build", "--target", TARGET, "--package", CRATE])
        .args(["--profile", speed.profile()]))?;
    Ok(target_dir.join(TARGET).join(speed.profile()))
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
