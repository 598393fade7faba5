//! What two clones take they also take merged: blobs at the very edge of every limit, and their merges.

use proptest::collection::{btree_map, vec};
use proptest::option::weighted;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::model::blob::Origin;
use crate::model::join::*;
use crate::model::limits::{HEAVIEST_BLOB, LARGEST_BLOB};
use crate::model::limits::{MAX_LABEL, MAX_NAME, MAX_TEXT, MAX_TITLE, MAX_WORD, ValueError};
use crate::model::stamp::Stamp;

fn stamp() -> impl Strategy<Value = Stamp> {
    (1..5u64).prop_map(|n| Stamp::new(n, 7))
}

/// Arrays or objects within each other.
fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(0), |value, n| {
        if n % 2 == 0 {
            json!([value])
        } else {
            json!({"k": value})
        }
    })
}

/// Returns a text that is exactly as long as it may be, or one character longer.
fn text(limit: usize) -> impl Strategy<Value = String> {
    (
        prop_oneof![Just("x"), Just("\u{1}")],
        prop_oneof![9 => Just(limit), 1 => Just(limit + 1), 4 => Just(2)],
    )
        .prop_map(|(c, n)| c.repeat(n))
}

fn value(key: &str) -> BoxedStrategy<Value> {
    let deep = prop_oneof![(97..102usize).prop_map(nested), Just(Value::Null)];
    let limit = match key {
        "title" => MAX_TITLE,
        "assignee" => MAX_NAME,
        "type" => MAX_WORD,
        _ => MAX_TEXT,
    };
    prop_oneof![text(limit).prop_map(Value::from), deep].boxed()
}

fn register(key: &'static str) -> impl Strategy<Value = (String, Register)> {
    (
        value(key),
        stamp(),
        text(MAX_NAME),
        weighted(0.3, text(100)),
    )
        .prop_map(move |(value, at, by, when)| {
            let when = when.filter(|when| !when.contains('\u{1}'));
            (
                key.to_owned(),
                Register {
                    value,
                    at,
                    by,
                    when,
                },
            )
        })
}

fn element() -> impl Strategy<Value = Element> {
    let payload = btree_map(
        "[pq]",
        prop_oneof![(97..101usize).prop_map(nested), Just(json!(1))],
        0..2,
    );
    let payload = payload.prop_map(Map::from_iter);
    (any::<bool>(), stamp(), payload).prop_map(|(live, at, payload)| Element { live, at, payload })
}

fn blob() -> impl Strategy<Value = Blob> {
    let keys = proptest::sample::subsequence(
        vec![
            "title",
            "assignee",
            "type",
            "description",
            "import",
            "x-new",
        ],
        0..5,
    );
    let registers = keys.prop_flat_map(|keys| keys.into_iter().map(register).collect::<Vec<_>>());
    let labels = vec((text(MAX_LABEL), element()), 0..3);
    let origin = (stamp(), text(MAX_NAME)).prop_map(|(at, by)| Origin { at, by, when: None });
    (registers, labels, origin).prop_map(|(registers, labels, origin)| Blob {
        v: 1,
        min_reader: 1,
        uid: Some(Stamp::new(1, 1)),
        origin,
        registers: registers.into_iter().collect(),
        sets: BTreeMap::from([("labels".to_owned(), labels.into_iter().collect())]),
        ..Blob::default()
    })
}

fn merged(a: &Blob, b: &Blob, bases: &[Blob]) -> Blob {
    merge(
        Side { blob: a, oid: "aa" },
        Side { blob: b, oid: "bb" },
        bases,
    )
}

/// Returns whether every reader takes the bytes of a blob.
fn taken(blob: &Blob) -> bool {
    Blob::parse(&blob.to_bytes()).is_ok()
}

proptest! {
    // Texts of this length take their time.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn who_takes_both_sides_takes_the_merge(a in blob(), b in blob(), c in blob(), bases in vec(blob(), 0..2)) {
        prop_assume!(taken(&a) && taken(&b) && taken(&c));
        let m = merged(&a, &b, &bases);
        prop_assert!(m.to_checked_bytes().is_ok(), "{:?}", m.to_checked_bytes().map(drop));
        prop_assert!(taken(&m));
        let further = merged(&merged(&m, &c, &[]), &merged(&b, &c, &[]), &bases);
        prop_assert!(further.to_checked_bytes().is_ok() && taken(&further));
    }

    /// What is written is read, and what is read can be written again, by one and the same rule.
    #[test]
    fn writers_and_readers_agree(a in blob()) {
        prop_assert_eq!(a.to_checked_bytes().is_ok(), taken(&a));
    }
}

#[test]
fn most_of_what_is_tried_here_is_at_the_edge_and_within() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let taken = (0..200)
        .filter(|_| taken(&blob().new_tree(&mut runner).unwrap().current()))
        .count();
    assert!((50..200).contains(&taken), "{taken} of 200");
}

fn labels(from: usize, to: usize) -> Blob {
    let member = |n: usize| {
        (
            format!("label {n}"),
            Element {
                live: true,
                at: Stamp::new(1, 1),
                payload: Map::new(),
            },
        )
    };
    Blob {
        v: 1,
        min_reader: 1,
        sets: BTreeMap::from([("labels".into(), (from..to).map(member).collect())]),
        ..Blob::default()
    }
}

#[test]
fn a_hundred_thousand_labels_are_taken_and_what_would_be_too_many_is_not_merged() {
    let (a, b) = (labels(0, 100_000), labels(100_000, 120_000));
    assert!(taken(&a) && taken(&merged(&a, &b, &[])));
    let full = merged(&a, &labels(100_000, 140_000), &[])
        .to_checked_bytes()
        .unwrap_err();
    assert!(
        matches!(
            full,
            ValueError::Full {
                limit: HEAVIEST_BLOB,
                ..
            }
        ),
        "{full}"
    );
    assert!(!taken(&labels(0, 140_000)));
}

/// Four texts as long as they may be, of characters that take six bytes each, and what an import brings.
#[test]
fn an_honest_issue_fits() {
    let mut blob = labels(0, 2000);
    let longest = || Register {
        value: "\u{1}".repeat(MAX_TEXT).into(),
        at: Stamp::new(1, 1),
        by: "a".into(),
        when: None,
    };
    for key in ["description", "design", "acceptance", "notes"] {
        blob.registers.insert(key.into(), longest());
    }
    let edges = (0..2000).map(|n| {
        let payload = Map::from_iter([
            ("created_by".to_owned(), json!("ann")),
            ("metadata".to_owned(), json!("{}")),
        ]);
        (
            format!("blocks:=bd-{n}"),
            Element {
                live: true,
                at: Stamp::new(1, 1),
                payload,
            },
        )
    });
    blob.sets.insert("deps".into(), edges.collect());
    assert!(taken(&blob));
    blob.registers.insert("x".into(), longest());
    blob.registers.insert("y".into(), longest());
    let full = blob.to_checked_bytes().unwrap_err();
    assert!(
        matches!(
            full,
            ValueError::Full {
                limit: LARGEST_BLOB,
                ..
            }
        ),
        "{full}"
    );
}

#[test]
fn every_limit_is_named() {
    let register = |key: &str, value: Value| {
        let register = Register {
            value,
            at: Stamp::new(1, 1),
            by: "a".into(),
            when: None,
        };
        Blob {
            v: 1,
            min_reader: 1,
            registers: BTreeMap::from([(key.to_owned(), register)]),
            ..Blob::default()
        }
    };
    let cases = [
        (
            register("title", "x".repeat(501).into()),
            "title has 501 characters; the limit is 500",
        ),
        (register("id", "x".repeat(201).into()), "the limit is 200"),
        (
            register("assignee", "x".repeat(251).into()),
            "the limit is 250",
        ),
        (register("type", "x".repeat(51).into()), "the limit is 50"),
        (
            register("status", json!({"s": "x".repeat(51)})),
            "status has 51 characters; the limit is 50",
        ),
        (
            register(
                "status",
                json!({"s": "open", "reason": "x".repeat(MAX_TEXT + 1)}),
            ),
            "the limit is 262144",
        ),
        (register("key", "x".repeat(121).into()), "the limit is 120"),
        (
            register("notes", "x".repeat(MAX_TEXT + 1).into()),
            "notes has 262145 bytes; the limit is 262144",
        ),
        (
            register("import", json!({"a": "x".repeat(1 << 20)})),
            "import has 1048577 bytes; the limit is 1048576",
        ),
        (
            register(&"x".repeat(201), json!(1)),
            "the name of a value has 201 bytes; the limit is 200",
        ),
        (
            register("x", nested(101)),
            "x is nested too deep; the limit is 100",
        ),
        (labels(0, 140_000), "the limit is 131072"),
    ];
    for (blob, named) in cases {
        let why = blob.to_checked_bytes().unwrap_err().to_string();
        assert!(why.contains(named), "{why}, not {named}");
        let why = Blob::parse(&blob.to_bytes()).unwrap_err().to_string();
        assert!(
            why.contains(named) || why.contains("the limit is 131072"),
            "{why}, not {named}"
        );
    }
}
