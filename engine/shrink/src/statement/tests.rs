//! Statements are read, refused and compared.

use super::*;

fn parsed(text: &str, kernels: Option<&str>) -> Statement {
    let parsed = Statement::parse(text, kernels);
    parsed.unwrap_or_else(|failure| panic!("{text}: {failure:?}"))
}

fn refusal(text: &str, kernels: Option<&str>) -> String {
    match Statement::parse(text, kernels) {
        Err(fault) => fault.to_string(),
        Ok(read) => panic!("{text}: {read:?}"),
    }
}

#[test]
fn reads_comparisons_joined_by_and() {
    let statement = parsed("allocstall>0 in A and = 0 in B", Some("3.0, 3.16"));
    let told: Vec<_> = statement
        .clauses
        .iter()
        .map(|c| (c.counter.as_str(), c.compare, c.bound.clone(), c.side))
        .collect();
    assert_eq!(
        told,
        [
            ("allocstall", Compare::More, Bound::Number(0), 0),
            ("allocstall", Compare::Equal, Bound::Number(0), 1)
        ]
    );
    let kernels: Vec<_> = statement.sides.iter().map(|s| s.kernel.clone()).collect();
    assert_eq!(kernels, [Some("3.0".to_string()), Some("3.16".to_string())]);
    let statement = parsed("oom_kill >= 1_000 and pgfault != 5", None);
    assert_eq!(statement.sides, [Side::default()]);
    assert_eq!(statement.clauses[0].bound, Bound::Number(1000));
}

#[test]
fn an_error_names_its_position() {
    for (text, kernels, says) in [
        (
            "",
            None,
            "column 1: the name of a counter is expected, but the statement ends",
        ),
        (
            "> 0",
            None,
            "column 1: the name of a counter is expected, not \">\"",
        ),
        (
            "allocstall",
            None,
            "column 11: one of > >= = != <= < is expected",
        ),
        (
            "allocstall =< 0",
            None,
            "column 12: one of > >= = != <= < is expected",
        ),
        (
            "allocstall > > 1",
            None,
            "column 14: a whole number or a counter is expected, not \">\"",
        ),
        ("allocstall > -1", None, "column 14: a whole number"),
        (
            "pgfault > 0 or pgfree > 0",
            None,
            "column 13: \"and\", \"in\" or the end",
        ),
        ("pgfault > 0 and", None, "column 16: one of"),
        ("pgfault > 0 in", None, "column 15: a kernel is expected"),
        (
            "pgfault > 0 in C",
            Some("3.0,3.16"),
            "column 16: C is none of --kernels",
        ),
        (
            "pgfault > 0 in 9.9",
            None,
            "column 16: no kernel is called \"9.9\"",
        ),
    ] {
        let reason = refusal(text, kernels);
        assert!(reason.contains(says), "{text:?}: {reason}");
    }
}

#[test]
fn compares_a_counter_with_a_multiple_of_another_one() {
    let statement = parsed("pgscan_direct > 10 * pgsteal_direct in 3.0", None);
    let bound = &statement.clauses[0].bound;
    assert_eq!(bound.of(|name| (name == "pgsteal_direct").then_some(3)), 30);
    let statement = parsed("pgscan_direct<=pgscan_kswapd and > 2*pgfree", None);
    let counters = statement.clauses.iter().flat_map(Clause::counters);
    let counters: Vec<_> = counters.collect();
    assert_eq!(
        counters,
        [
            ("pgscan_direct", 0),
            ("pgscan_kswapd", 15),
            ("pgscan_direct", 0),
            ("pgfree", 37)
        ]
    );
}

#[test]
fn each_operator_compares_as_documented() {
    let rows: [(&str, [bool; 3]); 7] = [
        (">", [false, false, true]),
        (">=", [false, true, true]),
        ("=", [false, true, false]),
        ("==", [false, true, false]),
        ("!=", [true, false, true]),
        ("<=", [true, true, false]),
        ("<", [true, false, false]),
    ];
    for (operator, expected) in rows {
        let statement = parsed(&format!("pgfault {operator} 5"), None);
        let found = [4, 5, 6].map(|value| statement.clauses[0].compare.holds(value, 5));
        assert_eq!(found, expected, "{operator}");
    }
}
