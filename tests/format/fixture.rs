//! A store of format 1 as it was written in November 2026: every later version must open it.
//!
//! `tests/fixtures/v1.bundle` holds `refs/beads/main` and is never made again. It has issues that
//! the program of that day wrote (`fmt-v68o` and its child, `fmt-4ql3`, the deleted `fmt-tg7l`) and,
//! in one commit by hand, every register, sets with payloads, lost values that are settled, inline
//! and by reference, memory of all kinds, a redaction, memory of no issue, a purge marker, a register
//! and a set that nobody knows, and a blob that asks for format 9.

use serde_json::{Value, json};

use crate::support::World;
use crate::support::plumbing::{REF, blob, git, path_of, sound};

const FULL: &str = "01J1000000000000000000000A";
const PURGED: &str = "01J4000000000000000000000D";
const NEWER: &str = "01J5000000000000000000000E";

fn opened() -> World {
    let world = World::new();
    let bundle = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/v1.bundle");
    git(
        &world,
        &["fetch", "--quiet", bundle, &format!("{REF}:{REF}")],
    );
    world
}

fn issue(world: &World, id: &str) -> Value {
    world.bd(&["show", id, "--json"]).json()
}

#[test]
fn every_issue_is_listed() {
    let world = opened();
    let list = world
        .bd(&["list", "--all", "--deleted", "--json", "-n", "0"])
        .json();
    assert_eq!(list["total_count"], 9);
    let rows = list["issues"].as_array().unwrap().iter();
    let rows: Vec<String> = rows
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap_or("-").to_owned();
            let [id, status, kind, parent] = ["id", "status", "type", "parent"].map(text);
            format!(
                "{id} P{} {status} {kind} {parent} {} {}",
                row["priority"],
                row["labels"],
                text("title")
            )
        })
        .collect();
    let expected = [
        r#"fmt-full P0 in_progress bug fmt-parent ["backend","ünïcode"] Every register"#,
        "fmt-v68o P1 closed epic - null An epic",
        "fmt-purged P2 tombstone task - null -",
        "fmt-parent P2 open epic - null A parent by hand",
        r#"fmt-v68o.1 P2 closed task fmt-v68o ["after","backend"] Its child"#,
        "fmt-4ql3 P2 open task - null Waits for the child",
        "fmt-tg7l P2 tombstone task - null Deleted",
        "Odd_Prefix-slug-one P4 needs-review task - null A status of its own",
    ];
    let (newer, rest): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.starts_with("fmt-newer"));
    assert_eq!(rest.iter().collect::<Vec<_>>().len(), expected.len());
    for row in expected {
        assert!(
            rest.iter().any(|found| *found == row),
            "{row} is not in {rest:#?}"
        );
    }
    assert_eq!(newer.len(), 1);
    sound(&world);
}

#[test]
fn every_register_is_shown() {
    let shown = issue(&opened(), "fmt-full");
    let expected = json!({
        "id": "fmt-full", "title": "Every register", "status": "in_progress", "priority": 0, "type": "bug",
        "assignee": "agent-7", "parent": "fmt-parent", "labels": ["backend", "ünïcode"],
        "created_at": "2024-01-02T08:04:05.678Z", "updated_at": "2024-09-17T12:40:52.992Z",
        "description": "Long\ntext ü \u{1f600}", "design": "A design", "acceptance": "It works",
        "notes": "Some notes", "external_ref": "gh-12", "created_by": "ann@ws1", "uid": FULL,
        "due": "2031-02-03T04:05:06.000Z", "defer": "2030-01-01T00:00:00.000Z",
        "dependencies": [
            {"id": "Odd_Prefix-slug-one", "type": "blocks", "title": "A status of its own", "status": "needs-review"},
            {"id": "external:proj:cap", "type": "blocks"},
            {"id": "fmt-nowhere", "type": "discovered-from"},
            {"id": "fmt-parent", "type": "related", "title": "A parent by hand", "status": "open"},
        ],
        "conflicts": [
            {"field": "assignee", "value": "agent-9", "by": "agent-9@ws2", "at": "2024-07-17T09:22:23.872Z"},
            {"field": "description", "by": "eve", "at": "2024-07-29T19:38:05.696Z"},
            {"field": "x_colour", "value": "blue", "by": "eve", "at": "2024-07-17T09:22:23.872Z"},
        ],
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&shown["issue"][key], value, "{key}");
    }
}

#[test]
fn memory_of_every_kind_is_shown_and_what_is_redacted_is_not() {
    let world = opened();
    let shown = issue(&world, "fmt-full");
    let entry = |id: &str, text: &str, at: &str| json!([{"id": id, "text": text, "by": "bob@lap", "at": at}]);
    let (a, b, c) = (
        "01J8000000000000000000000A",
        "01J8000000000000000000000B",
        "01J8000000000000000000000C",
    );
    let at = "2024-09-17T12:40:52.992Z";
    assert_eq!(
        shown["memory"]["findings"],
        entry(a, "A finding by hand", at)
    );
    assert_eq!(
        shown["memory"]["decisions"],
        entry(b, "A decision by hand", at)
    );
    assert_eq!(
        shown["memory"]["comments"],
        entry(c, "An imported comment", "2024-05-06T07:08:09.000Z")
    );
    assert_eq!(world.bd(&["search", "wrong", "-q"]).ok().trim(), "");
    world
        .bd(&[
            "redact",
            "fmt-full",
            "01J8000000000000000000000D",
            "--restore",
        ])
        .ok();
    assert_eq!(world.bd(&["search", "wrong", "-q"]).ok().trim(), "fmt-full");
}

#[test]
fn what_the_program_of_that_day_wrote_is_shown() {
    let world = opened();
    let shown = issue(&world, "fmt-v68o.1");
    assert_eq!(shown["issue"]["status"], "closed");
    assert_eq!(shown["issue"]["reason"], "fixed in 3f2c");
    assert_eq!(shown["issue"]["created_at"], "2026-11-20T11:20:04.000Z");
    assert_eq!(shown["issue"]["closed_at"], "2026-11-20T11:20:07.000Z");
    assert_eq!(shown["memory"]["findings"][0]["text"], "It was the cookie");
    assert_eq!(shown["memory"]["decisions"][0]["text"], "Keep the cookie");
    assert_eq!(shown["memory"]["comments"][0]["text"], "Agreed");
    assert_eq!(shown["issue"]["dependents"][0]["id"], "fmt-4ql3");
    assert_eq!(
        issue(&world, "fmt-v68o")["issue"]["reason"],
        "Auto-closed: all child issues closed"
    );
}

#[test]
fn readiness_and_counts_are_as_they_were() {
    let world = opened();
    assert_eq!(world.bd(&["ready", "-q"]).ok().trim(), "fmt-4ql3");
    assert_eq!(world.bd(&["blocked", "-q"]).ok().trim(), "");
    let counts = &world.bd(&["status", "--json"]).json()["counts"];
    for (status, n) in [
        ("closed", 2),
        ("in_progress", 1),
        ("needs-review", 1),
        ("open", 2),
        ("tombstone", 2),
    ] {
        assert_eq!(counts[status], n, "{status}");
    }
    assert_eq!(
        world.bd(&["log", "--json", "-n", "0"]).json()["operations"]
            .as_array()
            .unwrap()
            .len(),
        10
    );
}

#[test]
fn a_blob_of_a_later_format_is_refused_by_name() {
    let world = opened();
    let bytes = blob(&world, &path_of(NEWER, "issue"));
    assert!(
        world
            .bd(&["show", "fmt-newer"])
            .fails(6)
            .contains("format 9")
    );
    assert!(
        world
            .bd(&["update", "fmt-newer", "--title", "x"])
            .fails(6)
            .contains("format 9")
    );
    assert_eq!(blob(&world, &path_of(NEWER, "issue")), bytes);
}

#[test]
fn a_purged_issue_keeps_its_id_and_nothing_else() {
    let world = opened();
    let shown = issue(&world, "fmt-purged");
    assert_eq!(
        (&shown["issue"]["status"], &shown["issue"]["uid"]),
        (&json!("tombstone"), &json!(PURGED))
    );
    assert!(shown["memory"].is_null(), "{shown}");
    assert_ne!(world.bd(&["restore", "fmt-purged"]).code, 0);
    let id = world.create(&["New"]);
    assert!(id.starts_with("fmt-") && id != "fmt-purged", "{id}");
}

#[test]
fn what_an_import_brought_is_exported_to_the_letter() {
    let export = opened().bd(&["export"]).ok();
    let line = export
        .lines()
        .find(|line| line.contains("\"id\":\"fmt-full\""))
        .unwrap();
    for part in [
        r#""created_at":"2024-01-02T03:04:05.678901-05:00""#,
        r#""cost":1.50"#,
        r#""$odd":"key""#,
        r#""owner":"eve""#,
        r#""text":"FINDING: A finding by hand""#,
        r#""text":"KEY DECISION: A decision by hand""#,
        r#""metadata":"{}""#,
    ] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
    assert!(export.contains(r#"{"_type":"memory","key":"build","value":"The build needs zlib"}"#));
}

#[test]
fn editing_keeps_the_rest_byte_for_byte() {
    let world = opened();
    let place = path_of(FULL, "issue");
    let before: Value = serde_json::from_str(&blob(&world, &place)).unwrap();
    assert_eq!(
        blob(&world, &place),
        format!("{before}\n"),
        "the bytes are canonical"
    );
    world.bd(&["update", "fmt-full", "--title", "Edited"]).ok();
    let after: Value = serde_json::from_str(&blob(&world, &place)).unwrap();
    let mut expected = before;
    expected["title"] = json!("Edited");
    expected["at"]["title"] = after["at"]["title"].clone();
    expected["by"]["title"] = json!("Ann");
    expected.as_object_mut().unwrap().remove("when");
    assert_eq!(blob(&world, &place), format!("{expected}\n"));
    sound(&world);
}
