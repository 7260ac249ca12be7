//! The guest program: `guest DIR`, or the first process of a virtual machine, for which DIR is `/mmscope`.
//!
//! Messages begin with `mmscope:` and go to standard error, which is the console of a virtual machine. The
//! exit status is 2 if DIR cannot be read.

#[cfg(target_os = "linux")]
mod run;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    run::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("mmscope: the guest program runs on Linux only");
    std::process::ExitCode::from(2)
}
