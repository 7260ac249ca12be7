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
const KERNEL: Opt = value("--kernel", "K", "kernel variant; `mmscope list` shows them");
const MACHINE: Opt = value(
    "--machine",
    "ID|FILE",
    "a ready-made machine, a JSON file of one, or the output of import-zoneinfo",
);
const SEED: Opt = value("--seed", "N", "seed of all random numbers");
const UNTIL: Opt = value(
    "--until",
    "WHEN",
    "virtual time (10s, 250ms) or a number of steps; default: the end of the run",
);
const SET: Opt = Opt {
    name: "--set",
    value: Some("NAME=VALUE"),
    many: true,
    about: "a tunable at boot, may be repeated; `--set list` shows names and limits",
};

const EXPERIMENT_NOTE: &str =
    "EXPERIMENT is an id (`mmscope list` shows them), a path to a JSON file, or - for stdin.";

/// `mmscope list`.
pub const LIST: Command = Command {
    name: "list",
    about: "Prints machines, kernels, workloads and experiments as JSON.",
    operand: None,
    options: &[HELP],
    notes: "Each kernel is listed with its tunables and their limits, and its mechanisms and their fidelity.",
};

/// `mmscope run`.
pub const RUN: Command = Command {
    name: "run",
    about: "Runs an experiment and prints a report.",
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
            "the rows of published tables, or everything as JSON, instead of a short text",
        ),
        switch(
            "--who-paid",
            "which task stalled, scanned, wrote and waited for whom, and whose pages were reclaimed",
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
        value("--lru-gen", "FILE", "lru_gen of debugfs at the end"),
        value(
            "--lru-gen-full",
            "FILE",
            "lru_gen_full of debugfs at the end",
        ),
        value(
            "--events",
            "FILE",
            "every event of the run, one JSON object per line",
        ),
        value(
            "--ftrace",
            "FILE",
            "every event of the run, in the format of the kernel's trace file",
        ),
        value(
            "--ftrace-script",
            "FILE",
            "the same without the flags column, for the kernel's post-processing scripts",
        ),
        HELP,
    ],
    notes: "EXPERIMENT is an id (`mmscope list` shows them), a path to a JSON file, or - for stdin.\nWith - as FILE, the output goes to stdout and the short report to stderr.",
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
    about: "Runs an experiment on two kernels at once and prints the line at which they first differ.",
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

/// `mmscope shrink`.
pub const SHRINK: Command = Command {
    name: "shrink",
    about: "Makes an experiment smaller as long as a statement about its counters holds.",
    operand: Some("EXPERIMENT"),
    options: &[
        value(
            "--that",
            "STATEMENT",
            "comparisons joined by `and`: 'allocstall > 0 in A and = 0 in B'",
        ),
        value(
            "--kernels",
            "A,B",
            "the kernels that the statement calls A, B and so on; K+PATCH adds a patch",
        ),
        switch(
            "--json",
            "the experiment, the counters and the number of runs as one JSON object",
        ),
        KERNEL,
        MACHINE,
        SEED,
        SET,
        HELP,
    ],
    notes: "EXPERIMENT is an id (`mmscope list` shows them), a path to a JSON file, or - for stdin.\nThe result is the canonical JSON of the smallest experiment found; its counters go to stderr.\nThe search ends when the statement holds for no experiment that is one step smaller. Ctrl-C ends it earlier.",
};

/// scripts/sim.mjs runs this before it runs an experiment in the WebAssembly build.
pub const RESOLVE: Command = Command {
    name: "resolve",
    ..HASH
};

/// `mmscope zoneinfo`.
pub const ZONEINFO: Command = Command {
    name: "zoneinfo",
    about: "Prints /proc/zoneinfo of a machine at rest, computed by the kernel's rules.",
    operand: None,
    options: &[MACHINE, KERNEL, SET, HELP],
    notes: "Any machine up to 64 TiB and 64 nodes can be printed, whether or not it can be run.\nWithout --kernel, the kernel is the one that an import found, or 6.1.",
};

/// `mmscope import-zoneinfo`.
pub const IMPORT: Command = Command {
    name: "import-zoneinfo",
    about: "Reads a /proc/zoneinfo, alone or inside a longer text, and describes its machine as JSON.",
    operand: Some("DUMP"),
    options: &[
        value(
            "--kernel",
            "K",
            "the kernel that printed it; default: inferred",
        ),
        value(
            "--arch",
            "A",
            "x86_64 or ppc64: the architecture, or the one whose page and block sizes are nearest; default: inferred",
        ),
        value("--page-size", "4K|64K", "size of a page; default: inferred"),
        value(
            "--listing",
            "N",
            "the number of the listing, from 1, if DUMP has several of /proc/zoneinfo",
        ),
        value(
            "--min-free-kbytes",
            "N",
            "vm.min_free_kbytes; default: inferred",
        ),
        value(
            "--watermark-scale-factor",
            "N",
            "vm.watermark_scale_factor; default: inferred",
        ),
        value(
            "--lowmem-reserve-ratio",
            "A,B,..",
            "vm.lowmem_reserve_ratio; default: inferred",
        ),
        HELP,
    ],
    notes: "DUMP is a file, or - for stdin. Log prefixes, quote marks, remarks and UTF-16 are accepted.\nThe watermarks are computed by the kernel's rules and compared with the dump's.\nThe output can be used as a machine, with `--machine`.",
};

/// `mmscope explain`.
pub const EXPLAIN: Command = Command {
    name: "explain",
    about: "Explains OOM reports, page allocation failures, /proc/zoneinfo and memory.stat in sentences.",
    operand: Some("FILE..."),
    options: &[switch("--json", "the explanation as JSON"), HELP],
    notes: "FILE is the output of dmesg or of journalctl, a /proc/zoneinfo, or a longer text with any of these;\n- is stdin. /proc/buddyinfo or pagetypeinfo of the same moment adds the free orders of a zoneinfo.",
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
    notes: "`npm run bench` adds the same figures for the WebAssembly build, and the ratios.",
};

/// `mmscope twin`.
pub const TWIN: Command = Command {
    name: "twin",
    about: "Repeats a run captured on a real kernel and prints both side by side.",
    operand: Some("DIR"),
    options: &[
        switch(
            "--all",
            "repeats every run below DIR and prints the error of the engine, by capture and by kernel",
        ),
        switch("--json", "the comparison as JSON"),
        value("--experiment", "FILE", "the simulated experiment, as JSON"),
        value(
            "--events",
            "FILE",
            "events of reclaim and writeback in the simulated run, one JSON object per line",
        ),
        value(
            "--samples",
            "FILE",
            "counters of the simulated run every 200 ms, in the format of the guest's samples.csv",
        ),
        HELP,
    ],
    notes: "DIR holds before.txt, after.txt and shape.json of one run, and workload.json, sysctl.txt, summary.json\nand workload.log if they are there; any of them may be compressed (.gz). A folder with zoneinfo.txt instead\nholds a machine without a run: its zones are computed and compared.",
};

/// `mmscope real`.
pub const REAL: Command = Command {
    name: "real",
    about: "Runs an experiment on a real kernel in a virtual machine, then on the engine, and prints both.",
    operand: Some("EXPERIMENT"),
    options: &[
        value(
            "--kernel",
            "K|PATH",
            "a version to look for (6.1), a Debian package, a folder of an unpacked one, or a bzImage; default: the series nearest to the experiment's kernel",
        ),
        value("--modules", "DIR", "the modules of a bzImage"),
        value(
            "--memory",
            "SIZE",
            "memory of the machine, 256MiB or 1GiB: scales machine and workload",
        ),
        value("--cpus", "N", "CPUs of each node"),
        MACHINE,
        SEED,
        value(
            "--until",
            "TIME",
            "ends the workload then; default: after 30s, if the experiment does not end before",
        ),
        SET,
        value(
            "--out",
            "DIR",
            "the folder of the capture; default: real-EXPERIMENT-KERNEL-SIZE here",
        ),
        value(
            "--limit",
            "TIME",
            "ends a virtual machine that takes longer",
        ),
        switch(
            "--print",
            "writes the files and prints the command line instead of running",
        ),
        value(
            "--fuzz",
            "N",
            "instead of an experiment: N random small ones, the first with the seed of --seed; counters are scored by their bands",
        ),
        value(
            "--shrinks",
            "N",
            "with --fuzz: runs that making the worst disagreement smaller may take; default: 12",
        ),
        switch("--json", "the comparison as JSON"),
        HELP,
    ],
    notes: "EXPERIMENT is an id (`mmscope list` shows them), a path to a JSON file, or - for stdin.\nKernels are looked for in mmscope/kernels in the cache folder ($XDG_CACHE_HOME, otherwise ~/.cache): packages\nlinux-image-*.deb and folders of unpacked ones. Nothing is installed. The run needs QEMU and cargo.",
};

/// `mmscope sweep`.
pub const SWEEP: Command = Command {
    name: "sweep",
    about: "Runs an experiment with every combination of some values, and prints one line of JSON for each run.",
    operand: Some("FILE"),
    options: &[
        value("--shard", "I/N", "only the I-th of N parts of the runs"),
        value(
            "--jobs",
            "N",
            "runs at the same time; default: one for each processor",
        ),
        value(
            "--resume",
            "DIR",
            "adds the lines to a file in DIR, and skips the runs that DIR has",
        ),
        switch("--json-lines", "with --resume: also prints the lines"),
        HELP,
    ],
    notes: "FILE, or - for stdin, is JSON: an experiment (an id or a description), axes (path to values), and figures\nif only some are wanted:\n  { \"experiment\": \"anon-hog.teach\",\n    \"axes\": { \"kernel\": [\"3.0\", \"6.1\"], \"seed\": { \"from\": 1, \"to\": 8 }, \"tunables.vm.swappiness\": [0, 60] },\n    \"figures\": [\"pgscan_direct\", \"Elapsed time\"] }\nEvery combination is checked before the first run.",
};

/// `mmscope verify`.
pub const VERIFY: Command = Command {
    name: "verify",
    about: "Runs the experiments of results again, and prints whether they are reproduced or what differs.",
    operand: Some("FILE"),
    options: &[HELP],
    notes: "FILE, or - for stdin, has lines of sweep, a JSON list of them, the output of run --report json, or a\nfile of the page: a result as JSON or HTML, or a moment that carries its result.\nExit code 1: some result was not reproduced.",
};

/// `mmscope trace`.
pub const TRACE: Command = Command {
    name: "trace",
    about: "Reads a kernel trace and prints its events and the sums of the kernel's own scripts.",
    operand: Some("FILE"),
    options: &[switch("--json", "everything that was read, as JSON"), HELP],
    notes: "FILE is the text of trace, trace_pipe, trace-cmd report or perf script, or - for stdin.\nScanned pages are counted by the rule of the kernel's script; --json has those of all scripts.",
};

/// `mmscope fidelity`.
pub const FIDELITY: Command = Command {
    name: "fidelity",
    about: "Runs the experiments of published tables and scores how well the results agree.",
    operand: None,
    options: &[
        value(
            "--figures",
            "DIR",
            "the folder with the tables; default: the project's own",
        ),
        value("--only", "TABLE", "one table, by its id"),
        value(
            "--seeds",
            "N",
            "run each experiment with N seeds; medians are scored",
        ),
        switch(
            "--write",
            "run what is missing or out of date in the committed full-size results",
        ),
        switch("--again", "with --write: also run what is up to date"),
        switch("--json", "tables and scores as JSON"),
        HELP,
    ],
    notes: "A change is a value divided by the first kernel's: up, down, or flat within 5 %. A cell agrees if both\nchanges go the same way; its ratio is the simulated change divided by the published one. Counts below\n0.01 % of a table's largest count in the same unit are noise and not scored.",
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
    about: "Compares the engine with the captures of real kernels that come with it, as JSON.",
    operand: None,
    options: &[
        value(
            "--tables",
            "teaching|full",
            "only the published tables, run at this size",
        ),
        HELP,
    ],
    notes: "Without --tables: watermarks and per-cpu list sizes of every recorded case, watermarks of every\nprinted machine, a twin of every captured run that can be repeated, and the tables at teaching size.\nThe engine's build runs this for the page.",
};

/// All commands for users, in the order of the help.
pub const ALL: [&Command; 17] = [
    &LIST,
    &RUN,
    &HASH,
    &PART,
    &SHRINK,
    &ZONEINFO,
    &IMPORT,
    &EXPLAIN,
    &TWIN,
    &REAL,
    &SWEEP,
    &VERIFY,
    &TRACE,
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
        "\nmmscope COMMAND --help shows a command's options. Data goes to stdout, everything else to stderr.\nPaths are relative to the current directory. Exit codes: 0 done, 1 results differ (verify), 2 bad input,\n3 a fault of the engine.\n",
    );
    out
}
