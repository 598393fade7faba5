//! The laws of the join, on small random blobs that collide often.

mod laws;
mod limits;
mod topology;

use proptest::collection::{btree_map, vec};
use proptest::option::weighted;
use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;
use crate::model::blob::Origin;
use crate::model::stamp::Stamp;

fn stamp() -> impl Strategy<Value = Stamp> {
    (1..5u64).prop_map(|n| Stamp::new(n, 7))
}

fn register() -> impl Strategy<Value = Register> {
    let value = prop_oneof![
        Just(Value::Null),
        (0..3i64).prop_map(|n| json!(n)),
        "[ab]".prop_map(Value::from)
    ];
    (value, stamp(), "[xy]", weighted(0.2, "[12]")).prop_map(|(value, at, by, when)| Register {
        value,
        at,
        by,
        when,
    })
}

fn element() -> impl Strategy<Value = Element> {
    let payload = btree_map("[pq]", (0..2i64).prop_map(|n| json!(n)), 0..2);
    (any::<bool>(), stamp(), payload).prop_map(|(live, at, payload)| Element {
        live,
        at,
        payload: Map::from_iter(payload),
    })
}

fn lost() -> impl Strategy<Value = Lost> {
    prop_oneof![
        stamp().prop_map(Lost::Settled),
        (0..2i64).prop_map(|n| Lost::Record(Map::from_iter([("v".to_owned(), json!(n))]))),
    ]
}

fn origin() -> impl Strategy<Value = Origin> {
    (stamp(), "[xy]", weighted(0.2, "[12]")).prop_map(|(at, by, when)| Origin { at, by, when })
}

/// Blobs of one issue, unknown registers and sets included.
pub(crate) fn blob() -> impl Strategy<Value = Blob> {
    let registers = btree_map("(title|design|status|x-future)", register(), 0..4);
    let sets = btree_map(
        "(labels|deps|x-set)",
        btree_map("[ab]", element(), 0..3),
        0..3,
    );
    let losses = btree_map("(title|design)", (stamp(), lost()), 0..3);
    (
        registers,
        sets,
        losses,
        origin(),
        weighted(0.06, stamp()),
        1..3i64,
    )
        .prop_map(|(registers, sets, losses, origin, purged, v)| {
            let uid = Some(Stamp::new(1, 1));
            if let Some(at) = purged {
                // Other programs write markers too: with an id of null, with an epoch.
                let ids = [json!("bd-x"), Value::Null];
                let id = |value: &Value| Register {
                    value: value.clone(),
                    at,
                    by: String::new(),
                    when: None,
                };
                let registers = ids
                    .get(registers.len())
                    .map(|value| ("id".to_owned(), id(value)));
                let epoch = (sets.len() > 1).then_some(v);
                return Blob {
                    v,
                    min_reader: 1,
                    epoch,
                    uid,
                    purged,
                    registers: registers.into_iter().collect(),
                    ..Blob::default()
                };
            }
            let lost = losses
                .into_iter()
                .map(|(key, (at, lost))| (format!("{key}@{at}"), lost))
                .collect();
            Blob {
                v,
                min_reader: 1,
                epoch: None,
                uid,
                purged,
                origin,
                registers,
                sets,
                lost,
            }
        })
}

fn merged(a: &Blob, b: &Blob, bases: &[Blob]) -> Blob {
    merge(
        Side { blob: a, oid: "aa" },
        Side { blob: b, oid: "aa" },
        bases,
    )
}

proptest! {
    #[test]
    fn commutative(a in blob(), b in blob()) {
        prop_assert_eq!(join(&a, &b), join(&b, &a));
        prop_assert_eq!(merged(&a, &b, &[]), merged(&b, &a, &[]));
    }

    #[test]
    fn associative(a in blob(), b in blob(), c in blob()) {
        prop_assert_eq!(join(&join(&a, &b), &c), join(&a, &join(&b, &c)));
    }

    #[test]
    fn idempotent(a in blob()) {
        prop_assert_eq!(&join(&a, &a), &a);
        prop_assert_eq!(&merged(&a, &a, &[]), &a);
    }

    #[test]
    fn a_merge_contains_both_sides_whatever_the_bases(a in blob(), b in blob(), bases in vec(blob(), 0..3)) {
        let m = merged(&a, &b, &bases);
        prop_assert_eq!(&join(&m, &a), &m);
        prop_assert_eq!(&join(&m, &b), &m);
    }

    #[test]
    fn bytes_give_back_the_blob(a in blob()) {
        let bytes = a.to_bytes();
        let parsed = Blob::parse(&bytes).unwrap();
        prop_assert_eq!(&parsed, &a);
        prop_assert_eq!(parsed.to_bytes(), bytes);
    }

    #[test]
    fn a_join_survives_the_disk(a in blob(), b in blob()) {
        let reread = |blob: &Blob| Blob::parse(&blob.to_bytes()).unwrap();
        prop_assert_eq!(reread(&join(&a, &b)), join(&reread(&a), &reread(&b)));
    }

    #[test]
    fn a_purge_absorbs(a in blob(), b in blob()) {
        let m = join(&a, &b);
        prop_assert_eq!(m.purged, a.purged.max(b.purged));
        prop_assert!(m.purged.is_none() || (m.sets.is_empty() && m.lost.is_empty() && m.registers.len() <= 1));
    }

    #[test]
    fn no_register_ever_disappears(a in blob(), b in blob()) {
        let m = join(&a, &b);
        prop_assert!(m.purged.is_some() || a.registers.keys().chain(b.registers.keys()).all(|k| m.registers.contains_key(k)));
    }
}

#[test]
fn markers_that_differ_in_little_join_the_same_way_in_any_order() {
    let marker = |more: &str| {
        let text =
            format!(r#"{{{more}"min_reader":1,"purged":"01K8G5S2F1000000000000004N","v":1}}"#);
        Blob::parse(text.as_bytes()).unwrap()
    };
    let uid = |tail: &str| format!(r#""uid":"01K8G5S2F000000000000000{tail}","#);
    let marks = [
        marker(""),
        marker(r#""id":null,"#),
        marker(r#""epoch":1,"#),
        marker(&uid("3M")),
        marker(&uid("3N")),
    ];
    for a in &marks {
        for b in &marks {
            assert_eq!(join(a, b), join(b, a));
        }
    }
}

/// Inside of `lost` a value lies two levels deeper.
#[test]
fn a_value_of_any_depth_can_be_lost_and_read_again() {
    let text = |value: &str, at: u64| {
        let stamp = Stamp::new(at, 1);
        format!(r#"{{"at":{{"*":"{stamp}"}},"min_reader":1,"v":1,"x":{value}}}"#)
    };
    let nested =
        |depth: usize| Blob::parse(text(&("[".repeat(depth) + &"]".repeat(depth)), 1).as_bytes());
    assert!(nested(90).is_ok() && nested(101).is_err());
    let flat = Blob::parse(text("0", 2).as_bytes()).unwrap();
    for deep in (1..=101).filter_map(|depth| nested(depth).ok()) {
        let both = merged(&deep, &flat, &[]);
        assert_eq!(Blob::parse(&both.to_bytes()).unwrap(), both);
        assert!(both.unsettled().next().unwrap().2.contains_key("v"));
    }
}

/// `at["*"]` is the creation: a register of that name could not have a stamp of its own.
#[test]
fn no_register_has_the_name_of_the_creation() {
    let text = r#"{"*":1,"at":{"*":"01K8G5S2F0000000000000003M"},"min_reader":1,"v":1}"#;
    assert!(
        Blob::parse(text.as_bytes())
            .unwrap_err()
            .to_string()
            .contains("names no register")
    );
}
