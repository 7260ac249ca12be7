//! Commands besides runs: help, lists, hashes, where kernels differ.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::called::{TEACH, call, call_in, folder, good, refused};

#[test]
fn help_goes_to_stdout_and_a_missing_command_to_stderr() {
    let help = good(&["--help"]);
    for command in [
        "list",
        "run",
        "hash",
        "zoneinfo",
        "import-zoneinfo",
        "bench",
        "bench",
    ] {
        assert!(help.out.contains(command));
        let own = good(&[command, "--help"]);
        assert!(
            own.out.contains(&format!("mmscope {command}")),
            "{}",
            own.out
        );
        assert_eq!(own.err, "");
    }
    assert!(
        good(&["run", "x", "--until", "--help"])
            .out
            .contains("--events")
    );
    refused(&[], "which command?");
    refused(&["rnu"], "did you mean run?");
    refused(&["frobnicate"], "no command");
    refused(&["run", TEACH, "--kernle", "3.0"], "did you mean --kernel?");
    refused(&["list", "all"], "takes options only");
}

#[test]
fn list_names_everything_that_can_be_chosen() {
    let list = good(&["list"]).json();
    for kind in ["machines", "kernels", "workloads", "experiments"] {
        let items = list[kind].as_array().expect(kind);
        assert!(items.iter().all(|item| item["id"].is_string()) && !items.is_empty());
    }
    let kernel = &list["kernels"][0];
    assert!(kernel["tunables"][0]["limits"].is_string());
    assert!(kernel["mechanisms"][0]["fidelity"].is_string());
    let ids = list["experiments"].as_array().expect("experiments").iter();
    assert!(ids.into_iter().any(|e| e["id"] == TEACH));
}

#[test]
fn the_hash_does_not_depend_on_how_the_run_is_stepped() {
    let hash = good(&["hash", TEACH, "--until", "20000"]);
    assert_eq!(hash.out.len(), 17);
    assert!(hash.out.trim_end().chars().all(|c| c.is_ascii_hexdigit()));
    assert!(hash.err.contains("step 20000"));
    let stepped = good(&["hash", TEACH, "--until=20000", "--stepped"]);
    assert_eq!(hash.out, stepped.out);
    let native = good(&["hash", TEACH, "--until", "20000", "--engine", "native"]);
    assert_eq!(hash.out, native.out);
    let seeded = good(&["hash", TEACH, "--until", "20000", "--seed", "2"]);
    assert_ne!(hash.out, seeded.out);
    let time = good(&["hash", TEACH, "--until", "2ms"]);
    assert_eq!(
        time.out,
        good(&["hash", TEACH, "--until", "2ms", "--stepped"]).out
    );
    let end = good(&["hash", TEACH]);
    assert!(end.err.contains("ended"));
    assert_eq!(end.out, good(&["hash", TEACH, "--until", "10s"]).out);
    refused(&["hash", TEACH, "--engine", "wasm"], "npm run");
    refused(&["hash", TEACH, "--engine", "jit"], "native and wasm");
}

#[test]
fn resolve_prints_the_experiment_with_its_options_applied() {
    let words = ["resolve", TEACH, "--engine", "wasm", "--until", "5ms"];
    let resolved = good(&[&words[..], &["--seed", "9007199254740991"]].concat()).json();
    assert_eq!(resolved["engine"], "wasm");
    assert_eq!(resolved["until_ns"], 5_000_000);
    assert_eq!(resolved["until_step"], Value::Null);
    let text = resolved["experiment"].as_str().expect("text");
    assert!(text.contains("9007199254740991"));
    let direct = good(&[
        "hash",
        TEACH,
        "--until",
        "5ms",
        "--seed",
        "9007199254740991",
    ]);
    let again = call_in(Path::new("."), &["hash", "-", "--until", "5ms"], text);
    assert_eq!((again.code, again.out), (0, direct.out));
}

#[test]
fn part_prints_where_two_kernels_first_differ() {
    let words = [
        "part",
        "fsmark.teach",
        "--kernel",
        "3.0-rc6-vanilla",
        "--with",
        "zlcfirst",
    ];
    let parted = good(&words).out;
    assert!(parted.starts_with("same for "), "{parted}");
    assert!(parted.contains("both ran "), "{parted}");
    for kernel in ["3.0-rc6-vanilla at ", "zlcfirst at "] {
        assert!(parted.contains(kernel), "{parted}");
    }
    let soon = good(&[
        "part", TEACH, "--kernel", "6.1", "--with", "6.12", "--until", "3",
    ]);
    assert_eq!(soon.out, "same for 3 steps\n");
    refused(&["part", TEACH], "with which kernel");
    refused(
        &["part", TEACH, "--kernel", "6.1", "--with", "6.1"],
        "name another",
    );
    refused(&["part", TEACH, "--with", "7.0"], "no kernel is called");
}

#[test]
fn set_list_shows_the_limits_of_tunables() {
    let old = good(&["run", "--set", "list", "--kernel", "3.0"]).out;
    assert!(old.contains("vm.min_free_kbytes") && !old.contains("vm.watermark_scale_factor"));
    let new = good(&["hash", TEACH, "--set", "list", "--kernel", "6.1"]).out;
    assert!(new.contains("vm.watermark_scale_factor") && new.contains("1 to "));
    assert!(
        good(&["zoneinfo", "--set", "list"])
            .out
            .contains("of kernel 6.1")
    );
}

#[test]
fn fidelity_scores_the_tables_that_it_can_run_and_names_the_others() {
    let folder = folder("figures");
    let table = r#"{ "tables": [{ "id": "large-dd.teach", "title": "t",
        "kernels": ["3.0", "6.1"],
        "rows": [
            { "metric": "download tar", "unit": "s", "values": [59, 59] },
            { "metric": "Swap Ins", "unit": "pages", "values": [0, 0] },
            { "metric": "Bogus", "unit": "s", "values": [1, 2] }
        ] }] }"#;
    fs::write(folder.join("one.json"), table).expect("written");
    let later = r#"{ "tables": [{ "id": "tiobench.teach", "title": "t", "kernels": ["3.0", "nowhere"],
        "rows": [{ "metric": "Swap Ins", "unit": "pages", "values": [0, 0] }] }] }"#;
    fs::write(folder.join("two.json"), later).expect("written");
    let at = folder.display().to_string();
    let words = ["fidelity", "--figures", &at, "--seeds", "2", "--json"];
    let called = good(&words);
    let waits = "tiobench.teach: there is no kernel \"nowhere\" yet";
    assert!(called.err.contains(waits), "{}", called.err);
    let told = called.json();
    assert_eq!(told["tables"].as_array().map(Vec::len), Some(1));
    let of = &told["tables"][0];
    assert_eq!(of["id"], "large-dd.teach");
    let rows = of["rows"].as_array().expect("rows");
    assert_eq!(rows[0]["cells"][1]["agrees"], true);
    assert!(rows[0]["spread"][0][0].is_number());
    assert_eq!(rows[2]["values"][0], Value::Null);
    let unknown: Vec<&str> = of["unknown"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(unknown, ["no run measures \"Bogus\""]);
    assert_eq!(told["scores"]["scored"], 2);
    assert_eq!(told["scores"]["agree"], 2);
    assert_eq!(told["scores"]["moving"], 0);
    let text = good(&words[..5]).out;
    assert!(text.contains("2 of 2 cells agree"), "{text}");
    let called = call(&["fidelity", "--figures", &at, "--only", "none"]);
    assert!(
        called.err.contains("there are large-dd.teach"),
        "{}",
        called.err
    );
    fs::write(folder.join("two.json"), "{}").expect("written");
    let called = call(&words);
    assert!(
        called.code == 2 && called.err.contains("tables"),
        "{}",
        called.err
    );
}
