//! `blame`: who set what.

use serde_json::{Value, json};

use crate::support::World;
use crate::support::history::two_clones;
use crate::support::look::named;

/// `field: value` of each line, with who, and the subject of the operation.
fn lines(world: &World, folder: &str, id: &str) -> Vec<String> {
    let blame = world.bd_in(folder, &["blame", id, "--json"]).json();
    let line = |field: &serde_json::Value| {
        let value = field["value"]
            .as_str()
            .map_or_else(|| field["value"].to_string(), str::to_owned);
        let word = |key: &str| field[key].as_str().unwrap_or("-").to_owned();
        format!(
            "{} {} {} | {}",
            word("by"),
            word("field"),
            value,
            word("subject")
        )
    };
    blame["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(line)
        .collect()
}

#[test]
fn each_field_names_the_operation_that_set_it() {
    let world = World::with_store();
    let id = named(&world, "bd-a", &["First", "-l", "x"]);
    named(&world, "bd-b", &["Second"]);
    world
        .bd_as(
            "bob",
            &["update", id, "-d", "long", "-p", "1", "--add-label", "y"],
        )
        .ok();
    world
        .bd_as("cy", &["note", id, "--finding", "seen", "a comment"])
        .ok();
    world.bd_as("dan", &["dep", "add", id, "--on", "bd-b"]).ok();
    world.bd_as("eve", &["done", id, "-r", "did it"]).ok();
    insta::assert_snapshot!(lines(&world, "repo", id).join("\n"), @r#"
    Ann id bd-a | rename bd-v68o to bd-a
    Ann title First | create bd-v68o: First
    eve status closed | done bd-a: did it
    eve reason did it | done bd-a: did it
    bob priority 1 | update bd-a: description, priority, labels
    Ann type task | create bd-v68o: First
    Ann labels x | create bd-v68o: First
    bob labels y | update bd-a: description, priority, labels
    dan dependencies {"id":"bd-b","type":"blocks"} | dep add bd-a: blocks bd-b
    bob description long | update bd-a: description, priority, labels
    cy findings seen | note bd-a: 2 added
    cy comments a comment | note bd-a: 2 added
    "#);
}

#[test]
fn text_is_as_git_blame_has_it() {
    let world = World::with_store();
    let id = named(&world, "bd-a", &["First"]);
    world.bd(&["update", id, "-d", "one\ntwo\nthree"]).ok();
    let text = world.bd(&["blame", id]).ok();
    let last = text.lines().last().unwrap();
    assert_eq!(
        &last[10..],
        " 2026-11-20 11:20 +0000 Ann description: one ... 2 more lines"
    );
    let commit = world
        .git(&["rev-parse", "--short=10", "refs/beads/main"])
        .ok();
    assert_eq!(&last[..10], commit.trim());
    assert_eq!(text.lines().next(), Some("bd-a First"));
}

#[test]
fn a_value_from_elsewhere_names_its_own_commit_and_no_merge() {
    let world = two_clones();
    named(&world, "bd-a", &["First"]);
    world.bd(&["sync"]).ok();
    world.bd_in("other", &["sync"]).ok();
    world
        .bd_in("other", &["--actor", "bob", "update", "bd-a", "-p", "0"])
        .ok();
    world.bd(&["update", "bd-a", "--title", "Mine"]).ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["sync"]).ok();
    let lines = lines(&world, "repo", "bd-a");
    assert!(
        lines.contains(&"bob priority 0 | update bd-a: priority".to_owned()),
        "{lines:?}"
    );
    assert!(
        lines.contains(&"Ann title Mine | update bd-a: title".to_owned()),
        "{lines:?}"
    );
}

#[test]
fn what_an_import_brought_is_its() {
    let world = World::with_store();
    let line = r#"{"id":"x-1","title":"T","status":"open","created_by":"zoe","created_at":"2020-01-01T00:00:00Z","updated_at":"2020-02-01T00:00:00Z","comments":[{"id":1,"issue_id":"x-1","author":"yan","text":"hi","created_at":"2020-01-02T00:00:00Z"}]}"#;
    let file = world.file("one.jsonl", line);
    world.bd(&["import", &file]).ok();
    world.bd(&["update", "x-1", "-p", "1"]).ok();
    let lines = lines(&world, "repo", "x-1");
    let import = "import one.jsonl: 1 created, 0 updated";
    for expected in [
        format!("zoe title T | {import}"),
        format!("yan comments hi | {import}"),
    ] {
        assert!(lines.contains(&expected), "{lines:?}");
    }
    assert!(
        lines.contains(&"Ann priority 1 | update x-1: priority".to_owned()),
        "{lines:?}"
    );
}

#[test]
fn what_an_undo_brought_back_is_of_the_one_who_undid() {
    let mut world = World::with_store();
    let id = named(&world, "bd-a", &["First", "-l", "x"]);
    world
        .bd_as(
            "bob",
            &[
                "update",
                id,
                "--title",
                "Bob's",
                "-p",
                "0",
                "--rm-label",
                "x",
            ],
        )
        .ok();
    let update = world
        .git(&["rev-parse", "refs/beads/main"])
        .ok()
        .trim()
        .to_owned();
    world.set("GIT_BEADS_NOW", "1795260000000");
    world.bd_as("cy", &["undo", &update]).ok();
    let undo = world
        .git(&["rev-parse", "refs/beads/main"])
        .ok()
        .trim()
        .to_owned();
    let blamed = |name: &str| {
        let fields = world.bd(&["blame", id, "--json"]).json()["fields"].clone();
        fields
            .as_array()
            .unwrap()
            .iter()
            .find(|field| field["field"] == name)
            .unwrap()
            .clone()
    };
    for (name, value) in [
        ("title", json!("First")),
        ("priority", json!(2)),
        ("labels", json!("x")),
    ] {
        let field = blamed(name);
        assert_eq!(
            (&field["by"], &field["value"], &field["commit"]),
            (&"cy".into(), &value, &json!(undo))
        );
        assert_eq!(
            (&field["undid"], &field["redid"]),
            (&json!([update]), &Value::Null)
        );
        assert!(
            field["at"].as_str().unwrap().starts_with("2026-11-21T"),
            "{field}"
        );
    }
    assert_eq!(
        (&blamed("type")["by"], &blamed("type")["undid"]),
        (&"Ann".into(), &Value::Null)
    );
    let text = world.bd(&["blame", id]).ok();
    let line = format!(
        "{} 2026-11-21 11:20 +0000 cy title: First (undid {})\n",
        &undo[..10],
        &update[..10]
    );
    assert!(text.contains(&line), "{text}");
    // What shows the value says of it what it said before.
    assert!(!world.bd(&["export"]).ok().contains("\"cy\""));
    world.bd_as("dan", &["undo", &undo]).ok();
    let field = blamed("title");
    assert_eq!(
        (&field["by"], &field["value"]),
        (&"dan".into(), &"Bob's".into())
    );
    assert_eq!(
        (&field["undid"], &field["redid"]),
        (&Value::Null, &json!([update]))
    );
    let text = world.bd(&["blame", id]).ok();
    assert!(
        text.contains(&format!("dan title: Bob's (redid {})\n", &update[..10])),
        "{text}"
    );
    world.bd(&["update", id, "--title", "Second"]).ok();
    world.bd(&["update", id, "-d", "long"]).ok();
    world.bd(&["undo", "2"]).ok();
    assert!(
        world
            .bd(&["blame", id])
            .ok()
            .contains(" Ann title: Bob's (undid 2 operations)\n")
    );
}

#[test]
fn a_field_and_an_entry_name_their_agent() {
    let world = World::with_store();
    let id = world.create(&["T"]);
    let agent = ["--agent", "claude-3f2ak"];
    let run = |args: &[&str]| world.bd(&[&agent, args].concat()).ok();
    run(&["note", &id, "--finding", "seen"]);
    run(&["update", &id, "-p", "0"]);
    let blame = world.bd(&["blame", &id, "--json"]).json();
    let agent_of = |name: &str| {
        let fields = blame["fields"].as_array().unwrap();
        let field = fields.iter().find(|it| it["field"] == name).unwrap();
        field["agent"].clone()
    };
    assert_eq!(agent_of("findings"), "claude-3f2ak");
    assert_eq!(agent_of("priority"), "claude-3f2ak");
    assert_eq!(agent_of("title"), Value::Null);
    let text = world.bd(&["blame", &id]).ok();
    assert!(text.contains(" Ann/claude-3f2ak priority: 0"), "{text}");
    // What a person takes back the person has set.
    let log = world.bd(&["log", &id, "-n", "1", "--json"]).json();
    let commit = log["operations"][0]["commit"].as_str().unwrap();
    world.bd(&["undo", commit]).ok();
    let text = world.bd(&["blame", &id]).ok();
    assert!(text.contains(" Ann priority: 2"), "{text}");
}
