//! The commands and their options.

use crate::args::{Command, Opt};

const fn value(name: &'static str, value: &'static str, about: &'static str) -> Opt {
    Opt {
        name,
        value: Some(value),
        many: false,
        about,
    }
}

const fn switch(name: &'static str, about: &'static str) -> Opt {
    Opt {
        name,
        value: None,
        many: false,
        about,
    }
}

const HELP: Opt = switch("--help", "this text");
const KERNEL: Opt = value("--kernel", "K", "kernel variant; `mmscope list` has them");
const MACHINE: Opt = value(
    "--machine",
    "ID|FILE",
    "a ready-made machine, a JSON file that describes one, or what import-zoneinfo wrote",
);
const SEED: Opt = value("--seed", "N", "seed of all random numbers");
const UNTIL: Opt = value(
    "--until",
    "WHEN",
    "10s or 250ms of virtual time, or a number of steps; else to the end",
);
const SET: Opt = Opt {
    name: "--set",
    value: Some("NAME=VALUE"),
    many: true,
    about: "a tunable at boot, may be repeated; `--set list` shows names and limits",
};

const EXPERIMENT_NOTE: &str =
    "EXPERIMENT is an id (`mmscope list` has them), a path to a JSON file, or - for stdin.";

/// `mmscope list`.
pub const LIST: Command = Command {
    name: "list",
    about: "Prints machines, kernels, workloads and experiments as JSON.",
    operand: None,
    options: &[HELP],
    notes: "Each kernel has its tunables with limits, and its mechanisms with how faithful they are.",
};

/// `mmscope run`.
pub const RUN: Command = Command {
    name: "run",
    about: "Runs an experiment and says what came of it.",
    operand: Some("EXPERIMENT"),
    options: &[
        KERNEL,
        MACHINE,
        SEED,
        UNTIL,
        SET,
        value(
            "--report",
            "mmtests|json",
            "the rows of published tables, or all as JSON, instead of a short text",
        ),
        value("--vmstat", "FILE", "/proc/vmstat at the end"),
        value("--zoneinfo", "FILE", "/proc/zoneinfo at the end"),
        value("--buddyinfo", "FILE", "/proc/buddyinfo at the end"),
        value("--pagetypeinfo", "FILE", "/proc/pagetypeinfo at the end"),
        value(
            "--unusable-index",
            "FILE",
            "extfrag/unusable_index of debugfs at the end",
        ),
        value(
            "--extfrag-index",
            "FILE",
            "extfrag/extfrag_index of debugfs at the end",
        ),
        value(
            "--events",
            "FILE",
            "every event of the run, one JSON object a line",
        ),
        value(
            "--ftrace",
            "FILE",
            "every event of the run, as the kernel's own trace file has it",
        ),
        value(
            "--ftrace-script",
            "FILE",
            "the same without the flags column, for the kernel's post-processing scripts",
        ),
        HELP,
    ],
    notes: "EXPERIMENT is an id (`mmscope list` has them), a path to a JSON file, or - for stdin.\nA FILE of - is stdout; the short report then goes to stderr.",
};

/// `mmscope hash`.
pub const HASH: Command = Command {
    name: "hash",
    about: "Runs an experiment and prints the 64-bit hash of the machine's state.",
    operand: Some("EXPERIMENT"),
    options: &[
        value(
            "--engine",
            "native|wasm",
            "which build of the engine; wasm runs in Node, through `npm run sim`",
        ),
        UNTIL,
        switch("--stepped", "execute one program point at a time"),
        KERNEL,
        MACHINE,
        SEED,
        SET,
        HELP,
    ],
    notes: EXPERIMENT_NOTE,
};

/// `mmscope part`.
pub const PART: Command = Command {
    name: "part",
    about: "Runs an experiment on two kernels at once and says where they first act differently.",
    operand: Some("EXPERIMENT"),
    options: &[
        KERNEL,
        value("--with", "K", "the other kernel"),
        UNTIL,
        MACHINE,
        SEED,
        SET,
        HELP,
    ],
    notes: EXPERIMENT_NOTE,
};

/// What scripts/sim.mjs asks before it runs an experiment in the WebAssembly build.
pub const RESOLVE: Command = Command {
    name: "resolve",
    ..HASH
};

/// `mmscope zoneinfo`.
pub const ZONEINFO: Command = Command {
    name: "zoneinfo",
    about: "Prints /proc/zoneinfo of a machine at rest, as the kernel's own rules give it.",
    operand: None,
    options: &[MACHINE, KERNEL, SET, HELP],
    notes: "Any machine up to 64 TiB and 64 nodes can be printed, whether or not it can be run.\nWithout --kernel: the one an import found, else 6.1.",
};

/// `mmscope import-zoneinfo`.
pub const IMPORT: Command = Command {
    name: "import-zoneinfo",
    about: "Reads a /proc/zoneinfo, alone or inside a longer text, and describes its machine as JSON.",
    operand: Some("DUMP"),
    options: &[
        value("--kernel", "K", "the kernel that printed it; else inferred"),
        value(
            "--arch",
            "A",
            "x86_64 or ppc64: the architecture, or the one whose page and block sizes are nearest; else inferred",
        ),
        value("--page-size", "4K|64K", "size of a page; else inferred"),
        value(
            "--listing",
            "N",
            "which listing, from 1, where DUMP has several of /proc/zoneinfo",
        ),
        value(
            "--min-free-kbytes",
            "N",
            "vm.min_free_kbytes; else inferred",
        ),
        value(
            "--watermark-scale-factor",
            "N",
            "vm.watermark_scale_factor; else inferred",
        ),
        value(
            "--lowmem-reserve-ratio",
            "A,B,..",
            "vm.lowmem_reserve_ratio; else inferred",
        ),
        HELP,
    ],
    notes: "DUMP is a file, or - for stdin. Log prefixes, quote marks, remarks and UTF-16 are read. The marks are computed anew and held against the dump's.\nThe report can be given to `--machine`.",
};

/// `mmscope bench`.
pub const BENCH: Command = Command {
    name: "bench",
    about: "Measures the engine on this machine.",
    operand: None,
    options: &[
        switch("--json", "the figures as JSON"),
        switch("--quick", "shorter and rougher, under a minute"),
        HELP,
    ],
    notes: "`npm run bench` adds the same figures of the WebAssembly build and their ratios.",
};

/// `mmscope twin`.
pub const TWIN: Command = Command {
    name: "twin",
    about: "Repeats a run captured on a real kernel and prints both side by side.",
    operand: Some("DIR"),
    options: &[
        switch("--json", "the comparison as JSON"),
        value(
            "--experiment",
            "FILE",
            "the experiment that is run, as JSON",
        ),
        value(
            "--events",
            "FILE",
            "events of reclaim and writeback of our run, one JSON object a line",
        ),
        value(
            "--samples",
            "FILE",
            "counters of our run every 200 ms, as samples.csv has the guest's",
        ),
        HELP,
    ],
    notes: "DIR holds before.txt, after.txt, shape.json, sysctl.txt and summary.json of one run.",
};

/// `mmscope fidelity`.
pub const FIDELITY: Command = Command {
    name: "fidelity",
    about: "Runs the experiments of published tables and says how well they agree.",
    operand: None,
    options: &[
        value("--figures", "DIR", "the tables; else the project's own"),
        value("--only", "TABLE", "one table, by its id"),
        value(
            "--seeds",
            "N",
            "runs each with so many seeds; medians are scored",
        ),
        switch(
            "--write",
            "makes the committed full-size results anew where they are out of date",
        ),
        switch(
            "--again",
            "with --write: makes those that are up to date again, too",
        ),
        switch("--json", "tables and scores as JSON"),
        HELP,
    ],
    notes: "A change is the value over the first kernel's: up, down, or flat within 5 %. A cell agrees when both\nchanges go the same way; its ratio is our change over the published one. Counts below 0.01 % of a\ntable's largest of the same unit are noise and not scored.",
};

/// `mmscope sensitivity`.
pub const SENSITIVITY: Command = Command {
    name: "sensitivity",
    about: "Runs the experiments of numa/core v18 with each constant lower and higher.",
    operand: None,
    options: &[
        switch(
            "--write",
            "writes the committed results instead of printing",
        ),
        HELP,
    ],
    notes: "The four JVMs work for a minute instead of four. All runs together take most of an hour.",
};

/// `mmscope truth`.
pub const TRUTH: Command = Command {
    name: "truth",
    about: "Holds the engine against the real kernels' captures that come with it, as JSON.",
    operand: None,
    options: &[
        value(
            "--tables",
            "teaching|full",
            "only the published tables, run at this size",
        ),
        HELP,
    ],
    notes: "Without --tables: marks and list sizes of every recorded case, the marks of every printed machine,\na twin of every captured run that can be repeated, and the tables at teaching size. The engine's\nbuild runs this for the page.",
};

/// All commands a person may type, in the order of the help.
pub const ALL: [&Command; 11] = [
    &LIST,
    &RUN,
    &HASH,
    &PART,
    &ZONEINFO,
    &IMPORT,
    &TWIN,
    &FIDELITY,
    &SENSITIVITY,
    &TRUTH,
    &BENCH,
];

/// The help of all commands.
pub fn help() -> String {
    let mut out = String::from(
        "mmscope: the engine without a browser.\n\n  mmscope COMMAND [OPTIONS]    (npm run --silent sim -- COMMAND [OPTIONS])\n\n",
    );
    for command in ALL {
        let left = match command.operand {
            Some(operand) => format!("{} {operand}", command.name),
            None => command.name.to_string(),
        };
        out.push_str(&format!("  {left:22}  {}\n", command.about));
    }
    out.push_str(
        "\nmmscope COMMAND --help shows a command's options. Data goes to stdout, all else to stderr.\nPaths are relative to where you stand. Exit codes: 0 done, 2 bad input, 3 a fault of the engine.\n",
    );
    out
}
