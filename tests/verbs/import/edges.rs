//! Edges of every kind, also odd ones.

use serde_json::Value;

use super::{export, exported, ids, import, line, records, show, with};
use crate::support::World;

const DAY: &str = "2026-01-02T00:00:00Z";

fn edge(kind: &str, to: &str) -> String {
    format!(
        r#"{{"issue_id":"x","depends_on_id":"{to}","type":"{kind}","created_at":"{DAY}","created_by":"ann"}}"#
    )
}

fn waiting(id: &str, edges: &[String]) -> String {
    line(
        id,
        DAY,
        &format!(
            r#","dependencies":[{}]"#,
            edges.join(",").replace("\"x\"", &format!("\"{id}\""))
        ),
    )
}

#[test]
fn edges_of_every_kind_come_back() {
    let text = waiting(
        "bd-1",
        &[
            edge("parent-child", "bd-3"),
            edge("parent-child", "bd-2"),
            edge("parent_child", "bd-4"),
            edge("child", "bd-5"),
        ],
    ) + &waiting(
        "bd-2",
        &[
            edge("blocks", "bd-3"),
            edge("related", "bd-3"),
            edge("blocks", "bd-3"),
        ],
    ) + &waiting(
        "bd-3",
        &[
            edge("blocks", "gone-1"),
            edge("blocks", "external:beads:bd-o18s"),
            edge("my-type", "bd-1"),
        ],
    ) + &line("bd-4", DAY, "")
        + &line("bd-5", DAY, r#","dependencies":[{"depends_on_id":"bd-1"}]"#);
    let world = with(&text);
    let (original, back) = (records(&text), records(&export(&world)));
    for (id, record) in &original {
        assert_eq!(back.get(id), Some(record), "{id}");
    }
    assert_eq!(
        show(&world, "bd-1")["issue"]["parent"],
        "bd-3",
        "the first parent is the parent"
    );
    let edges = show(&world, "bd-1")["issue"]["dependencies"].clone();
    for (kind, id) in [
        ("parent-child", "bd-2"),
        ("parent_child", "bd-4"),
        ("child", "bd-5"),
    ] {
        let found = edges
            .as_array()
            .unwrap()
            .iter()
            .any(|edge| edge["type"] == kind && edge["id"] == id);
        assert!(found, "{kind} {id} in {edges}");
    }
    // Dangling and external targets don't block.
    assert!(ids(&world, &["ready", "-q"]).contains(&"bd-3".to_owned()));
    assert_eq!(ids(&world, &["blocked", "-q"]), ["bd-2", "bd-5"]);
    // A further edge of ours: those of the import stay as they were.
    world.bd(&["dep", "add", "bd-3", "--on", "bd-4"]).ok();
    let after = exported(&world, "bd-3")["dependencies"].clone();
    for old in records(&text)["bd-3"]["dependencies"].as_array().unwrap() {
        assert!(after.as_array().unwrap().contains(old), "{old} in {after}");
    }
    assert_eq!(after.as_array().unwrap().len(), 4);
}

/// Types that our own commands refuse.
fn strange() -> String {
    waiting(
        "bd-1",
        &[
            edge("two words", "bd-2"),
            edge("a:b", "bd-2"),
            edge("", "bd-2"),
        ],
    ) + &line("bd-2", DAY, "")
        + &line("bd-3", DAY, "")
}

#[test]
fn edges_of_a_strange_type_come_back() {
    let world = with(strange());
    assert_eq!(records(&export(&world)), records(&strange()));
}

#[test]
fn edges_of_a_strange_type_survive_an_edit() {
    let world = with(strange());
    world.bd(&["dep", "add", "bd-1", "--on", "bd-3"]).ok();
    let edges = exported(&world, "bd-1")["dependencies"].clone();
    assert_eq!(edges.as_array().unwrap().len(), 4, "{edges}");
}

#[test]
fn loops_are_taken_and_end() {
    let text = waiting(
        "bd-1",
        &[edge("blocks", "bd-2"), edge("parent-child", "bd-2")],
    ) + &waiting(
        "bd-2",
        &[edge("blocks", "bd-1"), edge("parent-child", "bd-1")],
    ) + &waiting(
        "bd-3",
        &[edge("blocks", "bd-3"), edge("parent-child", "bd-3")],
    );
    let world = with(&text);
    assert_eq!(records(&export(&world)), records(&text));
    let ready = ids(&world, &["ready", "-q"]);
    assert_eq!(
        ready,
        ["bd-1", "bd-3"],
        "nothing waits for itself, and of a circle one edge is suspended"
    );
    assert_eq!(
        world.bd(&["dep", "cycles", "--json"]).json()["cycles"][0]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    world.bd(&["list", "--tree"]).ok();
    world.bd(&["dep", "tree", "bd-1"]).ok();
    world.bd(&["done", "bd-1"]).ok();
    world.bd(&["show", "bd-3"]).ok();
}

#[test]
fn lines_may_name_later_lines() {
    let text = waiting(
        "bd-1",
        &[edge("blocks", "bd-9"), edge("parent-child", "bd-8")],
    ) + &line("bd-9", DAY, "")
        + &line("bd-8", DAY, "");
    let world = with(&text);
    assert_eq!(ids(&world, &["blocked", "-q"]), ["bd-1"]);
    let stored = super::blob(&world, "bd-1");
    let uid = show(&world, "bd-9")["issue"]["uid"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        stored["set:deps"].get(format!("blocks:{uid}")).is_some(),
        "{stored}"
    );
    // The order of lines is no matter.
    let reversed: String = text.lines().rev().map(|line| format!("{line}\n")).collect();
    let other = with(reversed);
    assert_eq!(
        super::object(&world, "refs/beads/main:issues"),
        super::object(&other, "refs/beads/main:issues")
    );
}

#[test]
fn a_target_that_comes_later_is_the_same_edge() {
    let first = waiting(
        "bd-1",
        &[edge("blocks", "bd-2"), edge("parent-child", "bd-3")],
    );
    let world = with(&first);
    assert_eq!(ids(&world, &["ready", "-q"]), ["bd-1"]);
    import(
        &world,
        line("bd-2", DAY, "") + &line("bd-3", DAY, r#","issue_type":"epic""#),
    );
    assert_eq!(ids(&world, &["blocked", "-q"]), ["bd-1"]);
    let once = |what: &str| {
        let shown = show(&world, "bd-1");
        assert_eq!(shown["issue"]["parent"], "bd-3", "{what}");
        let edges = shown["issue"]["dependencies"].as_array().unwrap();
        assert_eq!(edges.len(), 1, "{what}: {edges:?}");
        assert_eq!(edges[0]["title"], "bd-2", "{what}");
        assert_eq!(
            exported(&world, "bd-1")["dependencies"]
                .as_array()
                .unwrap()
                .len(),
            2,
            "{what}"
        );
        let dependents = show(&world, "bd-2")["issue"]["dependents"].clone();
        assert_eq!(dependents.as_array().unwrap().len(), 1, "{what}");
        let counted = world.bd(&["list", "--json"]).json();
        let row = counted["issues"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["id"] == "bd-1")
            .unwrap()
            .clone();
        let alone = with(first.clone() + &line("bd-2", DAY, "") + &line("bd-3", DAY, ""));
        let rows = alone.bd(&["list", "--json"]).json();
        let same = rows["issues"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["id"] == "bd-1")
            .unwrap()
            .clone();
        assert_eq!(row["dependency_count"], same["dependency_count"], "{what}");
    };
    once("as literal");
    // The same file again resolves it: two keys, one edge.
    import(&world, &first);
    once("as both");
    world.bd(&["dep", "add", "bd-1", "--on", "bd-2"]).ok();
    once("added again");
    world.bd(&["dep", "rm", "bd-1", "--on", "bd-2"]).ok();
    assert_eq!(show(&world, "bd-1")["issue"]["dependencies"], Value::Null);
    assert_eq!(
        ids(&world, &["ready", "-q", "-t", "task"]),
        ["bd-1", "bd-2"]
    );
}

#[test]
fn a_parent_known_by_its_id_alone_can_be_removed() {
    let world = with(waiting("bd-1", &[edge("parent-child", "bd-3")]));
    import(&world, line("bd-3", DAY, ""));
    world
        .bd(&[
            "dep",
            "rm",
            "bd-1",
            "--on",
            "bd-3",
            "--type",
            "parent-child",
        ])
        .ok();
    assert_eq!(show(&world, "bd-1")["issue"]["parent"], Value::Null);
}

#[test]
fn a_new_store_takes_the_prefix_of_what_is_imported() {
    let world = World::new();
    let lines = "{\"id\":\"web-a1\",\"title\":\"A\"}\n{\"id\":\"web-b2.1\",\"title\":\"B\"}\n{\"id\":\"x-1\",\"title\":\"C\"}\n";
    let file = world.file("web.jsonl", lines);
    let said = world.bd(&["init", "--import", &file]).ok();
    assert!(said.starts_with("Tracking issues in "), "{said}");
    assert!(said.contains("(prefix: web)\n3 created,"), "{said}");
    assert!(world.create(&["New"]).starts_with("web-"));
    // What is asked for counts more, and a store that is there keeps what it has.
    let world = World::new();
    let file = world.file("web.jsonl", lines);
    world
        .bd(&["init", "--import", &file, "--prefix", "mine"])
        .ok();
    assert!(world.create(&["New"]).starts_with("mine-"));
    world.bd(&["init", "--import", &file]).ok();
    assert!(world.create(&["Other"]).starts_with("mine-"));
}
