//! Amounts become smaller, and parts disappear with all that names them.

use super::*;

#[test]
fn halves_amounts_and_reduces_them_by_an_eighth() {
    assert_eq!(less(80), [40, 70]);
    assert_eq!(less(3), [1, 2]);
    assert_eq!(less(2), [1]);
    assert_eq!(less(1), [] as [u64; 0]);
    assert_eq!(smaller_sizes(&json!("40%")), [json!("20%"), json!("35%")]);
    assert_eq!(
        smaller_sizes(&json!("64 MiB")),
        [json!("32 MiB"), json!("56 MiB")]
    );
    assert_eq!(smaller_sizes(&json!("1 MiB")), [json!("512 KiB")]);
    assert_eq!(smaller_sizes(&json!("2.5% of node")), [json!("2% of node")]);
    assert_eq!(shorter("100ms"), ["50ms", "87ms"]);
    assert_eq!(shorter("1s"), ["500ms", "870ms"]);
    assert_eq!(shorter("1ns"), [] as [&str; 0]);
}

#[test]
fn removes_a_region_with_its_operations_and_unused_files() {
    let raw = Raw {
        workload: json!({"id": "w", "files": [{"name": "f", "size": 8}], "processes": [
            {"name": "p", "count": 1, "program": [
                {"op": "map", "region": "a", "file": "f"},
                {"op": "repeat", "times": 3, "do": [{"op": "touch", "region": "a"}]},
                {"op": "think", "time": "1ms"}]}]}),
        ..mm::experiment::preset("first-touch.teach").expect("a preset")
    };
    let mut found = Vec::new();
    fewer_names(&raw, &mut found);
    let program = json!([{"op": "repeat", "times": 3, "do": []}, {"op": "think", "time": "1ms"}]);
    assert_eq!(found[0].workload["processes"][0]["program"], program);
    assert_eq!(found[0].workload.get("files"), None);
    let mut found = Vec::new();
    fewer_steps(&raw, &mut found);
    let bodies = found
        .iter()
        .map(|raw| &raw.workload["processes"][0]["program"][1]);
    assert!(
        bodies
            .into_iter()
            .any(|step| *step == json!({"op": "touch", "region": "a"}))
    );
}
