//! Writes descriptions of the engine for the page and for readers.
//!
//! `cargo run -p describe` writes four files into `web/src/engine/pkg/`, next to the engine's module:
//! `catalog.json`, the engine's texts, which the module does not contain; `records.ts`, the types of
//! records; `parts.json`, the parts of experiments; `experiment.schema.json`, the meaning of an experiment's
//! fields. `docs/experiment.md` is the schema for people. `cargo run -p describe -- schema` writes only the
//! last two. Both commands also write `docs/functions.md`, the index of modelled kernel functions.

mod functions;
mod parts;
mod records;
mod schema;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

/// The result of a step; errors are sentences for the user who runs the build.
type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let written = match words.as_slice() {
        [] => project_root().and_then(write_all),
        ["schema"] => project_root().and_then(write_schema),
        _ => Err("usage: cargo run -p describe [-- schema]".into()),
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("describe: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// The folder that holds `engine/`; this crate sits two levels below it.
fn project_root() -> Outcome<&'static Path> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    Ok(root.ok_or("engine/describe has moved: project root not found")?)
}

fn write_all(project: &Path) -> Outcome<()> {
    write_schema(project)?;
    let out = project.join("web/src/engine/pkg");
    let catalog = picture::catalog::catalog();
    std::fs::write(out.join("catalog.json"), mm::read::written(&catalog))?;
    std::fs::write(out.join("records.ts"), records::records(&catalog))?;
    std::fs::write(out.join("parts.json"), parts::parts())?;
    Ok(())
}

/// Writes the meaning of an experiment's fields, for the page and for readers.
fn write_schema(project: &Path) -> Outcome<()> {
    let out = project.join("web/src/engine/pkg");
    std::fs::create_dir_all(&out)?;
    std::fs::write(out.join("experiment.schema.json"), schema::json())?;
    write_page(project, "docs/experiment.md", &schema::markdown())?;
    write_page(project, "docs/functions.md", &functions::markdown())
}

/// Writes a page unless it already has this text, so that programs that watch files stay idle.
fn write_page(project: &Path, name: &str, text: &str) -> Outcome<()> {
    let page = project.join(name);
    if std::fs::read_to_string(&page).unwrap_or_default() != text {
        std::fs::write(page, text)?;
    }
    Ok(())
}
