//! What was overwritten since is left alone, and passed over.

use serde_json::Value;

use super::tip;
use crate::support::World;
use crate::support::look::{issue, named, status};

#[test]
fn what_was_overwritten_since_is_left_alone() {
    let world = World::with_store();
    let id = named(&world, "bd-a", &["First"]);
    world
        .bd(&["update", id, "--title", "Second", "-p", "0"])
        .ok();
    let mine = tip(&world);
    world.bd_as("bob", &["update", id, "--title", "Bob's"]).ok();
    let text = world.bd(&["undo"]).ok();
    assert!(
        text.contains(
            "left alone, changed since: bd-a title: Bob's (by bob, 2026-11-20 11:20 +0000)"
        ),
        "{text}"
    );
    let now = issue(&world, id);
    assert_eq!(
        (&now["title"], &now["priority"]),
        (&"Bob's".into(), &2.into())
    );
    assert!(
        world
            .bd(&["undo", &mine])
            .fails(3)
            .contains("undone already")
    );
    world.bd(&["undo", &mine, "--force"]).ok();
    assert_eq!(issue(&world, id)["title"], "First");
}

#[test]
fn what_was_overwritten_does_not_lead_on_to_a_bulk_operation() {
    let world = World::with_store();
    let lines: Vec<String> = (0..150)
        .map(|i| {
            format!(r#"{{"id":"bd-{i:03}","title":"Issue {i}","status":"open","priority":2,"issue_type":"task"}}"#)
        })
        .collect();
    let file = world.file("issues.jsonl", lines.join("\n"));
    world.bd(&["import", &file]).ok();
    let import = tip(&world);
    world.bd(&["update", "bd-001", "-p", "1"]).ok();
    world.bd_as("bob", &["update", "bd-001", "-p", "3"]).ok();
    let before = tip(&world);
    let said = world.bd(&["undo"]).fails(3);
    assert!(
        said.contains("nothing is left of") && said.contains(&format!("undo {}", &import[..10])),
        "{said}"
    );
    assert_eq!(tip(&world), before);
    world.bd(&["undo", &import]).ok();
    assert_eq!(issue(&world, "bd-000")["status"], "tombstone");
}

#[test]
fn what_was_overwritten_does_not_lead_on_to_the_creation_of_an_issue() {
    let world = World::with_store();
    let first = world.create(&["First"]);
    let creation = tip(&world);
    world.bd_as("bob", &["create", "Other"]).ok();
    let list = world.bd(&["list", "-q"]).ok();
    let other = list.lines().find(|id| *id != first).unwrap();
    world.bd(&["update", other, "-p", "1"]).ok();
    world.bd_as("bob", &["update", other, "-p", "3"]).ok();
    let before = tip(&world);
    let said = world.bd(&["undo"]).fails(3);
    assert!(said.contains("the one before it made an issue"), "{said}");
    let hint = format!("undo {}", &creation[..10]);
    assert!(said.contains(&hint), "{said}");
    assert_eq!(tip(&world), before);
    world.bd(&["undo", &creation]).ok();
    assert_eq!(status(&world, &first), "tombstone");
}

#[test]
fn what_was_overwritten_wholly_is_shown_and_passed_over() {
    let world = World::with_store();
    let id = named(&world, "bd-a", &["First"]);
    world.bd(&["update", id, "-p", "1"]).ok();
    world.bd(&["update", id, "--add-label", "x"]).ok();
    world
        .bd(&["update", id, "-t", "bug", "--add-label", "gone"])
        .ok();
    world
        .bd_as("bob", &["update", id, "-t", "task", "--rm-label", "gone"])
        .ok();
    world.bd(&["update", id, "--title", "Second"]).ok();
    world.bd_as("bob", &["update", id, "--title", "Bob's"]).ok();
    let text = world.bd(&["undo", "--dry-run"]).ok();
    let told: Vec<&str> = text
        .lines()
        .map(|line| line.split_once(" update").map_or(line, |(_, rest)| rest))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
     bd-a: title
      changed since: bd-a title: Bob's (by bob, 2026-11-20 11:20 +0000)
     bd-a: type, labels
      nothing of it is left
     bd-a: labels
      changed bd-a Bob's
        labels: -x
    nothing was written
    ");
    world.bd(&["undo"]).ok();
    assert!(issue(&world, id)["labels"].is_null());
    // Again: they are shown again, and the next one goes.
    let undone = world.bd(&["undo", "--json"]).json();
    let subjects = |of: &str| -> Vec<String> {
        undone[of]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["subject"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        subjects("skipped"),
        ["update bd-a: title", "update bd-a: type, labels"]
    );
    assert_eq!(subjects("operations"), ["update bd-a: priority"]);
    assert_eq!(
        (&undone["skipped"][0]["left"][0]["by"], &undone["left"]),
        (&"bob".into(), &Value::Null)
    );
    let now = issue(&world, id);
    assert_eq!(
        (&now["priority"], &now["title"]),
        (&2.into(), &"Bob's".into())
    );
    // With --force it is the overwritten one itself.
    world.bd(&["undo", "--force"]).ok();
    assert_eq!(issue(&world, id)["title"], "First");
}

#[test]
fn what_is_passed_over_does_not_count() {
    let world = World::with_store();
    let (id, other) = (world.create(&["First"]), world.create(&["Other"]));
    world.bd(&["update", &other, "-p", "1"]).ok();
    world.bd(&["update", &id, "--title", "Second"]).ok();
    world.bd(&["update", &other, "-p", "0"]).ok();
    world
        .bd_as("bob", &["update", &id, "--title", "Bob's"])
        .ok();
    let said = world.bd(&["undo", "9"]).fails(1);
    assert!(
        said.ends_with("only 3 operations of Ann can be undone\nhint: git beads undo 3\n"),
        "{said}"
    );
    world.bd(&["undo", "2"]).ok();
    assert_eq!(issue(&world, &other)["priority"], 2);
    let said = world.bd_as("bob", &["undo", "2"]).fails(1);
    assert!(
        said.contains("only 1 operations of bob can be undone"),
        "{said}"
    );
    let made = world.bd(&["log", &other, "--json"]).json();
    let creation = made["operations"].as_array().unwrap().last().unwrap()["commit"].clone();
    world.bd(&["undo", creation.as_str().unwrap()]).ok();
    assert_eq!(status(&world, &other), "tombstone");
    let said = world.bd(&["undo"]).fails(3);
    assert!(
        said.contains("nothing was undone; ") && said.contains(" title: changed since by bob\n"),
        "{said}"
    );
}

#[test]
fn work_that_somebody_took_over_stays_begun() {
    let world = World::with_store();
    let id = world.create(&["First"]);
    world.bd(&["start", &id]).ok();
    world.bd_as("bob", &["start", &id, "--force"]).ok();
    assert!(world.bd(&["undo"]).fails(3).contains("nothing was undone"));
    assert_eq!(
        (status(&world, &id), issue(&world, &id)["assignee"].clone()),
        ("in_progress".into(), "bob".into())
    );
    world.bd(&["undo", "--force"]).ok();
    assert_eq!(status(&world, &id), "open");
}
