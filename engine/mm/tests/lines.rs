//! The lines of the pseudo-code: short enough to be read beside the machine, and limited to the kernels
//! that have them.

use mm::frames::FUNCTIONS;
use mm::kernel::kernels;

/// Number of characters in a row of the page's code panel in a window of 1280 px.
const ROW: usize = 36;
/// Number of characters by which one level of indentation, and a second row, are indented.
const INDENT: usize = 2;

/// Number of rows that a text takes when it wraps between words.
fn rows(text: &str, indent: usize) -> usize {
    let (mut rows, mut left) = (1, ROW - INDENT * indent);
    let first = left;
    for word in text.split(' ') {
        let at_start = left == first && rows == 1 || left == first - INDENT && rows > 1;
        let takes = word.len() + usize::from(!at_start);
        if takes > left {
            rows += 1;
            left = first - INDENT;
            assert!(
                word.len() <= left,
                "{word:?} of {text:?} is wider than a row"
            );
            left -= word.len();
        } else {
            left -= takes;
        }
    }
    rows
}

#[test]
fn a_line_is_one_statement_of_at_most_two_rows() {
    for function in FUNCTIONS {
        for line in function.lines {
            let text = line.text;
            let rows = rows(text, line.indent.into());
            assert!(rows <= 2, "{}: {text:?} takes {rows} rows", function.name);
            let has_more = text.contains(';') || text.contains(". ");
            assert!(
                !has_more,
                "{}: {text:?} is more than one statement",
                function.name
            );
        }
    }
}

#[test]
fn a_line_of_some_kernels_is_missing_in_others() {
    for function in FUNCTIONS {
        for (line, when) in function.lines.iter().zip(function.when) {
            let Some(when) = when else { continue };
            let with = kernels().iter().filter(|k| when(&k.features)).count();
            assert!(
                (1..kernels().len()).contains(&with),
                "{}: {:?} is in {with} kernels",
                function.name,
                line.text
            );
        }
    }
}

/// Runs every ready-made experiment with every kernel, as released and with each patch it takes.
/// Each point that runs checks that its kernel has the line (`frames::Frame::go`). A machine that
/// reaches a line of another kernel fails this test. A release build does not check.
#[cfg(debug_assertions)]
#[test]
fn no_run_reaches_a_line_that_its_kernel_does_not_have() {
    use std::num::NonZero;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    // This is the longest test: on one thread it would still run when all others have ended.
    let presets = mm::experiment::presets();
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(raw) = presets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    run_with_every_kernel(raw);
                }
            });
        }
    });
}

/// Kernels with the same features run the same lines, so one of them is enough.
#[cfg(debug_assertions)]
fn run_with_every_kernel(raw: &mm::experiment::Raw) {
    use mm::experiment::{Experiment, Raw};
    use mm::kernel::patches::{patched, patches};
    use mm::machine::Machine;

    let steps = if raw.id.ends_with("teach") {
        200_000
    } else {
        50_000
    };
    let mut seen = Vec::new();
    for kernel in kernels() {
        let patches = patches().iter().map(|patch| vec![patch.id.to_string()]);
        for patches in std::iter::once(Vec::new()).chain(patches) {
            // A kernel may have the patch already. This check comes first, because reading an
            // experiment takes longer than running the machine here.
            match patched(&kernel.features, &patches) {
                Ok(features) if !seen.contains(&features) => seen.push(features),
                _ => continue,
            }
            let kernel = kernel.id.to_string();
            let raw = Raw {
                kernel,
                patches,
                ..raw.clone()
            };
            // A kernel may lack a tunable that is set.
            if let Ok(experiment) = Experiment::new(raw) {
                Machine::boot(&experiment).run(steps, u64::MAX);
            }
        }
    }
}
