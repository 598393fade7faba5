//! Eight real files, whole.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{export, object, records, tip};
use crate::support::plumbing::sound;
use crate::support::{World, data};

const FILES: [(&str, usize); 8] = [
    ("assessify-1.x-memories.jsonl", 103),
    ("beads-0.30.jsonl", 873),
    ("beads-0.47.jsonl", 2464),
    ("beads-0.9.jsonl", 430),
    ("beads_rust-br.jsonl", 513),
    ("gqlc-1.x.jsonl", 749),
    ("morphir-0.4x.jsonl", 209),
    ("tearags-1.x.jsonl", 908),
];

/// Names the first record that differs, rather than printing megabytes.
#[track_caller]
fn same(name: &str, left: &BTreeMap<String, Value>, right: &BTreeMap<String, Value>) {
    for (id, record) in left {
        assert_eq!(Some(record), right.get(id), "{name}: {id}");
    }
    let more: Vec<&String> = right.keys().filter(|id| !left.contains_key(*id)).collect();
    assert!(more.is_empty(), "{name}: {more:?} came from nowhere");
}

fn trees(world: &World) -> (String, String) {
    let memory = world
        .git(&["rev-parse", "--verify", "--quiet", "refs/beads/main:memory"])
        .stdout;
    (object(world, "refs/beads/main:issues"), memory)
}

fn round_trip(name: &str, count: usize) {
    let Some(folder) = data() else { return };
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let file = path.display().to_string();
    let original = records(&text);
    let notes = original
        .keys()
        .filter(|name| name.starts_with("memory "))
        .count();
    assert_eq!(original.len() - notes, count);

    let world = World::with_store();
    let before = tip(&world);
    let report = world.bd(&["import", &file, "--json"]).json();
    assert_eq!(report["created"], count, "{name}");
    assert_eq!(report["updated"], 0, "{name}");
    assert!(
        report["errors"].as_array().is_none_or(Vec::is_empty),
        "{name}: {report}"
    );
    assert_eq!(
        report["duplicates"].as_u64().unwrap() as usize,
        text.lines().count() - original.len(),
        "{name}"
    );
    assert_eq!(
        object(&world, "refs/beads/main^"),
        before,
        "{name} is one commit"
    );
    let listed = world.bd(&["list", "--all", "--deleted", "--json"]).json();
    assert_eq!(listed["total_count"], count, "{name}");

    let out = export(&world);
    same(name, &original, &records(&out));
    assert_eq!(
        out.lines().count(),
        original.len(),
        "{name}: a line for each"
    );
    for line in out.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        if record["_type"] == "memory" {
            continue;
        }
        assert_eq!(record["_type"], "issue", "{name}");
        let comments = record["comments"].as_array().map_or(0, Vec::len);
        assert_eq!(
            record["comment_count"], comments,
            "{name}: {}",
            record["id"]
        );
        assert!(
            record["dependency_count"].is_u64() && record["dependent_count"].is_u64(),
            "{name}"
        );
    }

    // Again: nothing moves.
    let after = tip(&world);
    let again = world.bd(&["import", &file, "--json"]).json();
    assert_eq!(
        (&again["created"], &again["updated"], &again["memory"]),
        (&0.into(), &0.into(), &0.into()),
        "{name}"
    );
    assert_eq!(again["unchanged"], count, "{name}");
    assert_eq!(tip(&world), after, "{name}");

    // Nor by its own export.
    let refs = world.git(&["for-each-ref"]).ok();
    let own = world.bd_with(&out, &["import", "-", "--json"]).json();
    assert_eq!(own["unchanged"], count, "{name}");
    assert_eq!(own["without_links"], Value::Null, "{name}");
    assert_eq!(world.git(&["for-each-ref"]).ok(), refs, "{name}");

    // Elsewhere, at another time, by somebody else: the same trees.
    let mut other = World::with_store();
    other
        .set("GIT_BEADS_NOW", "1700000000000")
        .set("GIT_BEADS_SEED", "other");
    other.bd_as("bob", &["import", &file]).ok();
    assert_eq!(trees(&world), trees(&other), "{name}");

    // The export is as good as the file.
    let second = World::with_store();
    let copy = second.file("copy.jsonl", &out);
    assert_eq!(
        second.bd(&["import", &copy, "--json"]).json()["created"],
        count,
        "{name}"
    );
    same(name, &original, &records(&export(&second)));
    assert_eq!(
        export(&second),
        out,
        "{name}: the second export has the bytes of the first"
    );

    sound(&world);
}

macro_rules! round_trips {
    ($($test:ident $index:literal)*) => {$(
        #[test]
        fn $test() {
            let (name, count) = FILES[$index];
            round_trip(name, count);
        }
    )*};
}

round_trips! { assessify 0 beads_0_30 1 beads_0_47 2 beads_0_9 3 beads_rust 4 gqlc 5 morphir 6 tearags 7 }

#[test]
fn all_eight_into_one_store_and_back() {
    let Some(folder) = data() else { return };
    let world = World::with_store();
    let mut last: BTreeMap<String, Value> = BTreeMap::new();
    // `bd-` is the prefix of several projects, so only files whose ids don't meet can be compared.
    for (name, _) in FILES.iter().filter(|(name, _)| !name.starts_with("beads-")) {
        let file = folder.join(name);
        world.bd(&["import", &file.display().to_string()]).ok();
        last.extend(records(&std::fs::read_to_string(file).unwrap()));
    }
    same("all", &last, &records(&export(&world)));
}
