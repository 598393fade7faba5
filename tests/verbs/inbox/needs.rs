//! What needs a person beside questions, and what goes on beside it.

use serde_json::Value;

use crate::support::World;
use crate::support::clones::{create, sync, two_clones};
use crate::support::plumbing::git;
use crate::support::samples::{three, two};

/// The reasons and issues of an inbox, in its order.
fn needs(world: &World, folder: &str) -> Vec<(String, String)> {
    let said = world.bd_in(folder, &["inbox", "--json"]).json();
    let rows = said["needs"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let rows = rows.iter();
    rows.map(|row| (text(&row["reason"]), text(&row["issue"])))
        .collect()
}

fn row(reason: &str, issue: &str) -> (String, String) {
    (reason.to_owned(), issue.to_owned())
}

#[test]
fn what_waits_for_a_person_is_listed_once() {
    let world = three();
    world.bd(&["block", "bd-a", "-r", "needs\nlegal"]).ok();
    world.pass(60);
    world.bd(&["label", "bd-b", "human"]).ok();
    world.bd(&["label", "bd-c", "human"]).ok();
    // Its question says more.
    world.bd(&["ask", "bd-c", "Which?"]).ok();
    assert_eq!(
        needs(&world, "repo"),
        [row("person", "bd-a"), row("person", "bd-b")]
    );
    insta::assert_snapshot!(world.bd(&["inbox"]).ok(), @r#"
    Needs you 3
    ? bd-c c: Which? (Ann, now)
    ! bd-a a: blocked: needs legal (1m)
    ! bd-b b: labelled human (now)
    next: git beads answer bd-c "..."
    "#);
}

#[test]
fn a_conflict_is_a_row_with_its_values() {
    let world = two_clones();
    let id = create(&world, "a", &["One"]);
    sync(&world, &["a", "b"]);
    world
        .bd_in("a", &["--actor", "lea", "priority", &id, "0"])
        .ok();
    world
        .bd_in("b", &["--actor", "bob", "priority", &id, "1"])
        .ok();
    sync(&world, &["a", "b"]);
    assert_eq!(needs(&world, "b"), [row("conflict", &id)]);
    let said = world.bd_in("b", &["inbox"]).ok();
    let line = format!("% {id} One: priority: 0 P1 (bob), 1 P0 (lea) (now)\n");
    assert!(said.contains(&line), "{said}");
    world
        .bd_in("b", &["resolve", &id, "priority", "--take", "1"])
        .ok();
    assert_eq!(needs(&world, "b"), []);
}

#[test]
fn what_a_commit_closes_is_listed_until_it_is_closed() {
    let world = two();
    git(
        &world,
        &[
            "commit",
            "--quiet",
            "--allow-empty",
            "-m",
            "Fix\n\nCloses: bd-b",
        ],
    );
    assert_eq!(needs(&world, "repo"), [row("landed", "bd-b")]);
    let said = world.bd(&["inbox"]).ok();
    assert!(said.contains("v bd-b B: closed by "), "{said}");
    assert!(said.contains(" (git beads done --landed) ("), "{said}");
    world.bd(&["done", "--landed"]).ok();
    assert_eq!(needs(&world, "repo"), []);
}

#[test]
fn a_claim_in_which_nothing_happens_is_no_work() {
    let world = two();
    world.bd(&["--agent", "c-1", "start", "bd-a"]).ok();
    world.bd(&["note", "bd-a", "--finding", "it leaks"]).ok();
    let said = world.bd(&["inbox"]).ok();
    assert!(
        said.contains("nothing needs you; 1 issue is in progress\n\nAt work 1\nbd-a A (Ann/c-1, now) it leaks\n"),
        "{said}"
    );
    // Longer than `beads.stale`.
    world.pass(60 * 86_400);
    assert_eq!(needs(&world, "repo"), [row("stale", "bd-a")]);
    let said = world.bd(&["inbox"]).ok();
    assert!(said.contains("~ bd-a A: Ann/c-1, "), "{said}");
    assert!(said.contains("stale ("), "{said}");
    assert!(!said.contains("At work"), "{said}");
}

#[test]
fn what_others_changed_is_counted_and_stays_new() {
    let world = two();
    // Who has never looked has no such line: `whats-new` begins with a week.
    world.bd_as("bob", &["priority", "bd-a", "1"]).ok();
    assert!(!world.bd(&["inbox"]).ok().contains("Since you looked"));
    world.bd(&["whats-new"]).ok();
    world.bd_as("bob", &["priority", "bd-b", "1"]).ok();
    world.bd(&["--agent", "c-1", "note", "bd-a", "x"]).ok();
    for _ in 0..2 {
        let said = world.bd(&["inbox"]).ok();
        let line =
            "Since you looked\n2 issues changed by Ann/c-1, bob (now; git beads whats-new)\n";
        assert!(said.contains(line), "{said}");
    }
    world.bd(&["whats-new"]).ok();
    assert!(!world.bd(&["inbox"]).ok().contains("Since you looked"));
}

#[test]
fn an_agent_is_shown_its_questions_alone() {
    let world = two();
    world.bd(&["label", "bd-a", "human"]).ok();
    let said = world.bd(&["--agent", "c-1", "inbox"]).ok();
    assert_eq!(said, "nothing needs you\n");
    let said = world.bd(&["--agent", "c-1", "inbox", "--json"]).json();
    assert_eq!(said.as_object().unwrap().len(), 3, "{said}");
}

#[test]
fn more_than_fifty_of_a_reason_are_counted() {
    let world = World::with_store();
    let line = |n| format!(r#"{{"id":"bd-{n}x","title":"T{n}","labels":["human"]}}"#);
    let lines: Vec<String> = (0..60).map(line).collect();
    let file = world.file("issues.jsonl", lines.join("\n"));
    world.bd(&["import", &file]).ok();
    let said = world.bd(&["inbox", "--json"]).json();
    assert_eq!(said["needs"].as_array().unwrap().len(), 50);
    assert_eq!(said["needs_counts"]["person"], 60, "{said}");
    let said = world.bd(&["inbox"]).ok();
    assert!(said.starts_with("Needs you 60\n"), "{said}");
    let more = "  40 more (git beads list -w 'is:waiting -is:question')\n";
    assert!(said.contains(more), "{said}");
    assert!(!said.contains("Next"), "{said}");
}

#[test]
fn those_that_ask_already_leave_room_for_the_others() {
    let world = World::with_store();
    let line = |n| format!(r#"{{"id":"bd-{n}x","title":"T{n}","labels":["human"]}}"#);
    let lines: Vec<String> = (0..55).map(line).collect();
    let file = world.file("issues.jsonl", lines.join("\n"));
    world.bd(&["import", &file]).ok();
    for n in 0..52 {
        world.bd(&["ask", &format!("bd-{n}x"), "Which?"]).ok();
    }
    let said = world.bd(&["inbox", "--json"]).json();
    assert_eq!(said["needs"].as_array().unwrap().len(), 3);
    assert_eq!(said["needs_counts"], Value::Null);
    assert!(world.bd(&["inbox"]).ok().starts_with("Needs you 55\n"));
}

#[test]
fn an_issue_is_shown_for_one_reason() {
    let world = three();
    world.bd(&["label", "bd-a", "human"]).ok();
    world.bd(&["--agent", "c-1", "start", "bd-b"]).ok();
    git(
        &world,
        &[
            "commit",
            "--quiet",
            "--allow-empty",
            "-m",
            "Fix\n\nCloses: bd-a\nCloses: bd-b\nCloses: bd-c",
        ],
    );
    let rows = [
        row("person", "bd-a"),
        row("landed", "bd-c"),
        row("landed", "bd-b"),
    ];
    assert_eq!(needs(&world, "repo"), rows);
    let said = world.bd(&["inbox"]).ok();
    assert!(
        !said.contains("At work") && !said.contains("Next"),
        "{said}"
    );
}

#[test]
fn a_conflict_of_an_issue_that_has_ended_needs_no_one() {
    for end in ["delete", "done"] {
        let world = two_clones();
        let id = create(&world, "a", &["One"]);
        sync(&world, &["a", "b"]);
        world.bd_in("a", &["priority", &id, "0"]).ok();
        world.bd_in("b", &["priority", &id, "1"]).ok();
        sync(&world, &["a", "b"]);
        assert_eq!(needs(&world, "b").len(), 1);
        world.bd_in("b", &[end, &id]).ok();
        assert_eq!(needs(&world, "b"), []);
    }
}

#[test]
fn a_question_that_is_answered_is_not_what_was_last_noted() {
    let world = World::with_store();
    let id = world.create(&["Cart"]);
    let bot = |args: &[&str]| world.bd(&[&["--agent", "bot2"], args].concat()).ok();
    bot(&["start", &id]);
    bot(&["note", &id, "--finding", "keys are short"]);
    bot(&["ask", &id, "404?"]);
    let note = || world.bd(&["inbox", "--json"]).json()["at_work"][0]["last_note"]["text"].clone();
    assert_eq!(note(), "404?");
    world.bd(&["answer", &id, "An empty cart"]).ok();
    assert_eq!(note(), "keys are short");
}

#[test]
fn all_that_is_stale_is_counted_and_new_work_is_shown() {
    let world = World::with_store();
    let line = |n| {
        format!(
            r#"{{"id":"bd-{n}x","title":"T{n}","status":"in_progress","updated_at":"2020-01-01T00:00:00Z"}}"#
        )
    };
    let lines: Vec<String> = (0..250).map(line).collect();
    let file = world.file("issues.jsonl", lines.join("\n"));
    world.bd(&["import", &file]).ok();
    let id = world.create(&["New"]);
    world.bd(&["start", &id]).ok();
    let said = world.bd(&["inbox", "--json"]).json();
    assert_eq!(said["needs_counts"]["stale"], 250, "{said}");
    assert_eq!(said["at_work"][0]["id"], id.as_str(), "{said}");
}

#[test]
fn what_is_left_out_is_in_no_other_part() {
    let world = World::with_store();
    let line = |n| format!(r#"{{"id":"bd-{n}x","title":"T{n}","labels":["human","review"]}}"#);
    let lines: Vec<String> = (0..60).map(line).collect();
    let other = r#"{"id":"bd-r","title":"R","labels":["review"]}"#;
    let file = world.file("issues.jsonl", format!("{}\n{other}", lines.join("\n")));
    world.bd(&["import", &file]).ok();
    let said = world.bd(&["inbox", "--json"]).json();
    assert_eq!(said["needs"].as_array().unwrap().len(), 51);
    assert_eq!(said["needs_counts"]["person"], 60, "{said}");
    assert_eq!(said["ready"], Value::Null, "{said}");
    assert_eq!(said["ready_count"], 0, "{said}");
    assert!(world.bd(&["inbox"]).ok().starts_with("Needs you 61\n"));
}
