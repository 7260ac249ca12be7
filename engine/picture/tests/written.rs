//! What crosses the door is the JSON serde_json would write.

use mm::experiment::Experiment;
use mm::json;
use mm::machine::Machine;
use picture::catalog;

fn same<T: serde::Serialize>(value: &T) {
    assert_eq!(
        json::text(value),
        serde_json::to_string(value).expect("JSON")
    );
}

#[test]
fn the_catalog_is_written_as_serde_json_does() {
    same(&catalog::catalog());
}

#[test]
fn views_are_written_as_serde_json_does() {
    for id in ["anon-hog.teach", "dirty-writer.teach"] {
        let experiment = Experiment::preset(id).expect("a preset");
        let mut machine = Machine::boot(&experiment);
        same(&picture::info(&machine.w.facts, &experiment));
        for steps in [0, 100_000, 100_001, 300_000] {
            machine.run(steps, u64::MAX);
            machine.w.rec.on = true;
            machine.run(steps + 1, u64::MAX);
            same(&picture::view(&machine, None));
        }
    }
}
