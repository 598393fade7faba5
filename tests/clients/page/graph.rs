//! The picture of the graph: no edge crosses a box, in stores of many shapes.

use serde_json::{Value, json};

use super::{browse, export, on, sample};
use crate::properties::queries::store;
use crate::support::hand::import_any;
use crate::support::{World, data};

fn record(id: &str, day: usize) -> Value {
    let at = format!("2026-{:02}-{:02}T08:00:00Z", 4 + day / 28 % 7, 1 + day % 28);
    json!({"id": id, "title": format!("What {id} is about, in some words"), "status": "open", "priority": day % 5,
        "issue_type": "task", "created_at": at, "updated_at": at, "dependencies": []})
}

/// An epic that waits and is waited for, whose parts wait for each other, for others and for what waits for their own siblings.
pub fn nested() -> World {
    let world = World::with_store();
    let waits = [
        ("in-b", "in-a"),
        ("in-c", "in-a"),
        ("in-c", "in-b"),
        ("in-d", "out-1"),
        ("out-1", "in-a"),
        ("out-2", "in-c"),
        ("epic", "out-3"),
        ("out-3", "out-4"),
        ("out-5", "epic"),
        ("out-6", "out-5"),
        ("out-6", "in-a"),
        ("in-a", "out-4"),
        ("epic", "in-d"),
        ("in-a", "in-c"),
    ];
    let ids = [
        "epic", "in-a", "in-b", "in-c", "in-d", "in-e", "out-1", "out-2", "out-3", "out-4",
        "out-5", "out-6", "alone",
    ];
    let mut records: Vec<Value> = ids
        .iter()
        .enumerate()
        .map(|(day, id)| record(id, day))
        .collect();
    for record in &mut records {
        let id = record["id"].as_str().unwrap().to_owned();
        let mut edges: Vec<Value> = waits
            .iter()
            .filter(|(from, _)| *from == id)
            .map(|(from, to)| on(from, to, "blocks"))
            .collect();
        if id.starts_with("in-") {
            edges.push(on(&id, "epic", "parent-child"));
        }
        record["dependencies"] = edges.into();
    }
    records[0]["issue_type"] = "epic".into();
    for closed in [2, 5] {
        records[closed]["status"] = "closed".into();
        records[closed]["closed_at"] = "2026-10-02T08:00:00Z".into();
    }
    import_any(&world, &records);
    world.bd(&["start", "in-a", "--force"]).ok();
    world.bd(&["done", "in-a", "-r", "it was easy"]).ok();
    world
}

/// Three epics of many parts, with edges between any two.
pub fn generated(seed: u64) -> World {
    let world = World::with_store();
    let mut state = seed;
    let mut below = move |most: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((state >> 33) % most).unwrap()
    };
    let mut records: Vec<Value> = (0..90).map(|n| record(&format!("gen-{n}"), n)).collect();
    for (n, record) in records.iter_mut().enumerate() {
        let id = format!("gen-{n}");
        let mut edges = vec![];
        if n % 5 > 0 && n > 3 {
            edges.push(on(&id, &format!("gen-{}", n % 3), "parent-child"));
        }
        for _ in 0..below(4) {
            edges.push(on(&id, &format!("gen-{}", below(90)), "blocks"));
        }
        record["dependencies"] = edges.into();
        if below(4) == 0 {
            record["status"] = "closed".into();
            record["closed_at"] = "2026-11-02T08:00:00Z".into();
        }
    }
    for epic in &mut records[..3] {
        epic["issue_type"] = "epic".into();
    }
    import_any(&world, &records);
    world
}

/// The store of a real project.
pub fn real(name: &str) -> World {
    let world = World::with_store();
    let file = data().unwrap().join(format!("{name}.jsonl"));
    world.bd(&["import", file.to_str().unwrap()]).ok();
    world
}

#[test]
fn no_edge_crosses_a_box() {
    for world in [
        sample(),
        store(),
        nested(),
        generated(1),
        generated(2),
        generated(3),
    ] {
        browse(&world, "edges", &export(&world), "");
    }
}

#[test]
fn no_edge_crosses_a_box_in_a_real_project() {
    if data().is_none() {
        return;
    }
    for name in ["gqlc-1.x", "tearags-1.x", "beads-0.47"] {
        let world = real(name);
        browse(&world, "edges", &export(&world), "");
    }
}

#[test]
fn what_is_done_is_folded() {
    let world = nested();
    browse(&world, "folded", &export(&world), "");
}

#[test]
fn charts_have_round_numbers_months_and_all_weeks() {
    let world = generated(1);
    browse(&world, "charts", &export(&world), "");
}
