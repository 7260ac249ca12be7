//! The index of modelled kernel functions, `docs/functions.md`: from a kernel's name to our file.

use std::fmt::Write;

use facts::kernel;
use facts::view::Fidelity;
use mm::frames::{FUNCTIONS, Function};
use picture::catalog::kernels_with;

const HEAD: &str = "# Modelled kernel functions\n
<!-- Written by `cargo run -p describe -- schema` from the engine's rooms; a test compares them. -->\n
Each line is one function of the engine, sorted by the kernel's name. The kernel file and the line are
those of the named release. A *mirrored* function makes the same decisions from the same inputs and
leaves nothing out. For a *simplified* function the note in our file says what is different. Functions
without a kernel file belong to the engine.\n
| kernel function | kernel file | fidelity | kernels that have it | our file |
| --- | --- | --- | --- | --- |
";

/// One row for each function.
pub fn markdown() -> String {
    let mut functions: Vec<&Function> = FUNCTIONS.iter().collect();
    functions.sort_by_key(|function| function.name.trim_start_matches('_'));
    let mut text = HEAD.to_string();
    for function in functions {
        let file = our_file(function.room);
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | [{file}](../{file}) |",
            function.name,
            kernel_place(function),
            fidelity(function.fidelity),
            kernels(function),
        );
    }
    text
}

/// "mm/vmscan.c:1126 (6.1.176)".
fn kernel_place(function: &Function) -> String {
    match function.source {
        Some((tag, line)) => {
            format!("{}:{line} ({})", function.file, tag.trim_start_matches('v'))
        }
        None => function.file.to_string(),
    }
}

fn fidelity(fidelity: Fidelity) -> &'static str {
    match fidelity {
        Fidelity::Mirrored => "mirrored",
        Fidelity::Simplified => "simplified",
        Fidelity::Absent => "absent",
    }
}

/// "all", or the kernels in order; several consecutive kernels are written as first to last.
fn kernels(function: &Function) -> String {
    let Some(when) = function.kernels else {
        return "all".to_string();
    };
    let having = kernels_with(when);
    let mut runs: Vec<Vec<&str>> = Vec::new();
    let mut is_going_on = false;
    for kernel in kernel::kernels() {
        let has = having.iter().any(|id| id == kernel.id);
        match runs.last_mut().filter(|_| is_going_on) {
            Some(run) if has => run.push(kernel.id),
            _ if has => runs.push(vec![kernel.id]),
            _ => {}
        }
        is_going_on = has;
    }
    let words = runs.iter().map(|run| match run.as_slice() {
        [first, _, .., last] => format!("{first} to {last}"),
        few => few.join(", "),
    });
    words.collect::<Vec<String>>().join(", ")
}

/// The path from the project's folder. The compiler gets paths from `engine/`, or absolute ones.
fn our_file(room: &str) -> String {
    let room = room.replace('\\', "/");
    let at = room.find("mm/src/").unwrap_or(0);
    format!("engine/{}", &room[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_function_index_matches_the_source() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/functions.md");
        let committed = std::fs::read_to_string(path).expect("docs/functions.md");
        assert_eq!(
            committed,
            markdown(),
            "docs/functions.md is stale: run `cargo run -p describe -- schema`"
        );
    }

    #[test]
    fn every_function_names_a_file_that_exists() {
        for function in FUNCTIONS {
            let file = our_file(function.room);
            let path = format!("{}/../../{file}", env!("CARGO_MANIFEST_DIR"));
            assert!(
                std::path::Path::new(&path).exists(),
                "{}: {file}",
                function.name
            );
        }
    }
}
