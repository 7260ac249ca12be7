//! `mmscope`: see the library of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    mmscope_cli::main()
}
