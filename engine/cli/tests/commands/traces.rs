//! Reading traces.

use std::fs;

use super::called::{folder, good, refused, refused_with};

/// Compares the counts in the report of a run with those that the reader finds in the trace of the same run.
#[test]
fn a_trace_printed_by_mmscope_gives_the_counters_of_its_run() {
    let folder = folder("trace");
    let path = folder.join("trace.txt").display().to_string();
    for kernel in ["3.0", "6.1"] {
        let report = ["--report", "json", "--kernel", kernel, "--ftrace", &path];
        let run = good(&[&["run", "anon-hog.teach"][..], &report].concat()).json();
        let lines = fs::read_to_string(&path).expect("a trace");
        let events = lines.lines().filter(|line| !line.starts_with('#')).count();
        let read = good(&["trace", &path, "--json"]).json();
        assert_eq!(read["events"], events, "{kernel}");
        assert_eq!(read["refused"], 0, "{kernel}");
        let counter = |name: &str| run["counters"][name].as_u64().expect(name);
        let sum = |who: &str, what: &str| read["sums"][who][what].as_u64().expect(what);
        assert_eq!(sum("direct", "reclaims"), counter("allocstall"), "{kernel}");
        assert_eq!(
            sum("direct", "reclaimed"),
            counter("pgsteal_direct"),
            "{kernel}"
        );
        assert_eq!(
            sum("kswapd", "reclaimed"),
            counter("pgsteal_kswapd"),
            "{kernel}"
        );
        let rule = if kernel == "3.0" { "3.0" } else { "6.12" };
        let scanned = |who: &str| read["sums"][who]["scanned"][rule].as_u64().expect(rule);
        assert_eq!(scanned("direct"), counter("pgscan_direct"), "{kernel}");
        assert_eq!(scanned("kswapd"), counter("pgscan_kswapd"), "{kernel}");
        assert!(scanned("direct") > 0 && scanned("kswapd") > 0, "{kernel}");
        let short = good(&["trace", &path]).out;
        let row = format!("{:<38}{:>12}", "Direct reclaims", counter("allocstall"));
        assert!(short.contains(&row), "{short}");
    }
}

#[test]
fn refuses_a_text_that_is_not_a_trace_and_quotes_its_first_lines() {
    refused(&["trace"], "which trace?");
    refused(&["trace", "no-such-file"], "no such file");
    refused_with(&["trace", "-"], "", "empty");
    refused_with(&["trace", "-"], "MemTotal: 5 kB\n", "line 1: no CPU");
    refused_with(&["trace", "-"], "\u{1f}\u{8b}", "No line is an event");
    let folder = folder("packed");
    let path = folder.join("trace.gz");
    fs::write(&path, [0x1f, 0x8b, 8, 0]).expect("a file");
    refused(&["trace", &path.display().to_string()], "unpack it");
}
