//! Each experiment has one state hash: the same natively, tested here, and in WebAssembly, tested
//! in web/src/engine/hashes.test.ts. Both compare with the same file. After a change of the engine
//! that should change runs, `UPDATE_EXPECT=1 cargo test -p mm hashes::` rewrites it.

use mm::experiment::{Experiment, presets};
use mm::machine::Machine;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hashes.txt");

/// A teaching run is not followed beyond this step: most later steps are touches of resident pages.
const LONG: u64 = 1_000_000_000;

/// Lines of "experiment step hash": teaching runs early and at their end or at [`LONG`], full-size runs
/// early.
fn hashes() -> String {
    let mut lines = String::new();
    for raw in presets() {
        let stops: &[u64] = if raw.id.ends_with("teach") {
            &[1, 50_000, LONG]
        } else {
            &[300_000]
        };
        let mut machine = Machine::boot(&Experiment::new(raw.clone()).expect("a valid preset"));
        for &stop in stops {
            machine.run(stop, u64::MAX);
            let step = machine.position().step;
            lines += &format!("{} {step} {:016x}\n", raw.id, machine.hash());
        }
    }
    lines
}

#[test]
fn every_preset_has_its_recorded_hashes() {
    let found = hashes();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(FILE, &found).expect("the file can be written");
    }
    let expected = std::fs::read_to_string(FILE).expect("tests/data/hashes.txt");
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected, "first difference");
    }
    assert_eq!(found.lines().count(), expected.lines().count());
}
