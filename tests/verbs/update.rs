//! `update`: fields of issues.

use insta::assert_snapshot;

use crate::support::look::{commits, ids, issue, status};
use crate::support::samples::two as world;

/// Every option that sets a text, its name in JSON, and a value.
const TEXTS: [(&str, &str, &str); 9] = [
    ("--title", "title", "New"),
    ("--description", "description", "what\nand why"),
    ("--design", "design", "how"),
    ("--acceptance", "acceptance", "when"),
    ("--notes", "notes", "else"),
    ("--type", "type", "bug"),
    ("--status", "status", "in_progress"),
    ("--assignee", "assignee", "Bob"),
    ("--external-ref", "external_ref", "gh-12"),
];

#[test]
fn every_text_can_be_set() {
    let world = world();
    for (option, field, value) in TEXTS {
        let answer = world
            .bd(&["update", "bd-a", option, value, "--json"])
            .json();
        assert_eq!(
            (&answer["kind"], &answer["id"]),
            (&"updated".into(), &"bd-a".into())
        );
        assert_eq!(ids(&answer["changed"]), [field]);
        assert_eq!(issue(&world, "bd-a")[field], value, "{option}");
    }
}

#[test]
fn short_options_are_those_of_create() {
    let world = world();
    world
        .bd(&[
            "update", "bd-a", "-d", "d", "-D", "D", "-A", "A", "-t", "bug", "-p", "0", "-s",
            "blocked", "-a", "me",
        ])
        .ok();
    let made = issue(&world, "bd-a");
    for (field, value) in [
        ("description", "d"),
        ("design", "D"),
        ("acceptance", "A"),
        ("type", "bug"),
        ("status", "blocked"),
        ("assignee", "Ann"),
    ] {
        assert_eq!(made[field], value, "{field}");
    }
    assert_eq!(made["priority"], 0);
}

#[test]
fn an_empty_text_clears() {
    let world = world();
    let fields = [
        "--description",
        "--design",
        "--acceptance",
        "--notes",
        "--assignee",
        "--external-ref",
    ];
    for option in fields {
        world.bd(&["update", "bd-a", option, "x"]).ok();
        world.bd(&["update", "bd-a", option, ""]).ok();
        let field = option.trim_start_matches('-').replace('-', "_");
        assert!(issue(&world, "bd-a").get(&field).is_none(), "{option}");
    }
    for option in ["--due", "--defer"] {
        world.bd(&["update", "bd-a", option, "2027-01-02"]).ok();
        world.bd(&["update", "bd-a", option, ""]).ok();
        assert!(
            issue(&world, "bd-a")
                .get(option.trim_start_matches('-'))
                .is_none(),
            "{option}"
        );
    }
}

#[test]
fn what_an_issue_must_have_cannot_be_cleared() {
    let world = world();
    let before = commits(&world);
    for option in ["--title", "--type", "--priority", "--status"] {
        let error = world.bd(&["update", "bd-a", option, ""]).fails(1);
        assert!(error.starts_with("error: "), "{option}: {error}");
    }
    assert_eq!(commits(&world), before);
}

#[test]
fn dates_are_read_in_every_form() {
    let world = world();
    for (text, day) in [
        ("2027-01-02", "2027-01-02T23:59:59"),
        ("2027-01-02T03:04:05Z", "2027-01-02T03:04:05"),
        ("2027-01-02T03:04:05+02:00", "2027-01-02T01:04:05"),
        ("tomorrow", "2026-11-21T23:59:59"),
        ("3d", "2026-11-23T23:59:59"),
        ("2w", "2026-12-04T23:59:59"),
    ] {
        world.bd(&["update", "bd-a", "--due", text]).ok();
        let due = issue(&world, "bd-a")["due"].as_str().unwrap().to_owned();
        assert!(due.starts_with(day), "{text}: {due}");
    }
    for text in ["soon", "2027-13-01", "2027-02-30", "3x", "-3d"] {
        assert!(
            world
                .bd(&["update", "bd-a", &format!("--due={text}")])
                .fails(1)
                .contains("is not a date"),
            "{text}"
        );
    }
}

#[test]
fn labels_are_added_and_removed_one_by_one() {
    let world = world();
    world
        .bd(&["update", "bd-a", "--add-label", "x", "--add-label", "y,z"])
        .ok();
    assert_eq!(ids(&issue(&world, "bd-a")["labels"]), ["x", "y", "z"]);
    world
        .bd(&["update", "bd-a", "--rm-label", "x", "--rm-label", "nothing"])
        .ok();
    assert_eq!(ids(&issue(&world, "bd-a")["labels"]), ["y", "z"]);
    world.bd(&["update", "bd-a", "--add-label", "x"]).ok();
    assert_eq!(ids(&issue(&world, "bd-a")["labels"]), ["x", "y", "z"]);
}

#[test]
fn a_parent_can_be_given_changed_and_taken() {
    let world = world();
    let epic = world.create(&["E", "-t", "epic"]);
    world.bd(&["update", "bd-a", "--parent", &epic]).ok();
    assert_eq!(issue(&world, "bd-a")["parent"], epic.as_str());
    assert_eq!(ids(&issue(&world, &epic)["children"]), ["bd-a"]);
    world.bd(&["update", "bd-a", "--parent", "bd-b"]).ok();
    assert!(issue(&world, &epic).get("children").is_none());
    world.bd(&["update", "bd-a", "--parent", ""]).ok();
    assert!(issue(&world, "bd-a").get("parent").is_none());
}

#[test]
fn no_issue_is_its_own_ancestor() {
    let world = world();
    let own = world.bd(&["update", "bd-a", "--parent", "bd-a"]).fails(3);
    assert!(own.contains("its own parent"), "{own}");
    world.bd(&["update", "bd-b", "--parent", "bd-a"]).ok();
    let cycle = world.bd(&["update", "bd-a", "--parent", "bd-b"]).fails(3);
    assert!(cycle.contains("cycle: bd-a -> bd-b -> bd-a"), "{cycle}");
    assert!(cycle.contains("hint: git beads "), "{cycle}");
}

#[test]
fn the_hint_about_a_loop_of_parents_works() {
    let world = world();
    world.bd(&["update", "bd-b", "--parent", "bd-a"]).ok();
    let error = world.bd(&["update", "bd-a", "--parent", "bd-b"]).fails(3);
    let hint = error
        .lines()
        .find_map(|line| line.strip_prefix("hint: git beads "))
        .unwrap();
    world.bd(&hint.split(' ').collect::<Vec<_>>()).ok();
    world.bd(&["update", "bd-a", "--parent", "bd-b"]).ok();
}

#[test]
fn several_issues_change_in_one_commit() {
    let world = world();
    let before = commits(&world);
    let answer = world
        .bd(&[
            "update", "bd-a", "bd-b", "-p", "0", "-s", "blocked", "--json",
        ])
        .json();
    assert_eq!(commits(&world), before + 1);
    assert_eq!(ids(&answer["issues"]), ["bd-a", "bd-b"]);
    for id in ["bd-a", "bd-b"] {
        assert_eq!(
            (&issue(&world, id)["priority"], &issue(&world, id)["status"]),
            (&0.into(), &"blocked".into())
        );
    }
}

#[test]
fn one_bad_id_or_value_changes_nothing() {
    let world = world();
    let before = commits(&world);
    let _ = world.bd(&["update", "bd-a", "bd-zzzz", "-p", "0"]).fails(1);
    let _ = world
        .bd(&["update", "bd-a", "-d", "new", "-p", "9"])
        .fails(1);
    assert_eq!(commits(&world), before);
    assert!(issue(&world, "bd-a").get("description").is_none());
}

#[test]
fn no_change_is_no_commit_and_said() {
    let world = world();
    let before = commits(&world);
    assert_snapshot!(world.bd(&["update", "bd-a", "-p", "2"]).all(), @"
    bd-a unchanged: A
    next: git beads show bd-a
    ");
    assert_eq!(commits(&world), before);
}

#[test]
fn an_update_of_nothing_is_an_error() {
    let world = world();
    let error = world.bd(&["update", "bd-a"]);
    assert!(error.code == 1 || error.code == 2, "{error:?}");
    assert!(error.stderr.contains("hint: "), "{error:?}");
}

#[test]
fn text_names_what_has_changed() {
    assert_snapshot!(world().bd(&["update", "bd-a", "-p", "0", "--add-label", "x"]).all(), @"
    bd-a updated (priority, labels): A
    next: git beads show bd-a
    ");
}

#[test]
fn a_status_has_a_vocabulary() {
    let world = world();
    assert!(
        world
            .bd(&["update", "bd-a", "-s", "opne"])
            .fails(1)
            .contains("did you mean `open`")
    );
    assert!(
        world
            .bd(&["update", "bd-a", "-s", "tombstone"])
            .fails(1)
            .contains("hint: git beads delete bd-a")
    );
    for status in [
        "open",
        "in_progress",
        "blocked",
        "deferred",
        "closed",
        "pinned",
        "hooked",
    ] {
        world.bd(&["update", "bd-a", "-s", status]).ok();
        assert_eq!(self::status(&world, "bd-a"), status);
    }
}

#[test]
fn limits_are_held() {
    let world = world();
    for (option, length) in [("--title", 501), ("--add-label", 121)] {
        let error = world
            .bd(&["update", "bd-a", option, &"x".repeat(length)])
            .fails(1);
        assert!(
            error.contains(&(length - 1).to_string()),
            "{option}: {error}"
        );
    }
}

#[test]
fn closing_by_update_closes_the_epic_too() {
    let world = world();
    let epic = world.create(&["E", "-t", "epic"]);
    let child = world.create(&["C", "--parent", &epic]);
    let answer = world
        .bd(&["update", &child, "-s", "closed", "--json"])
        .json();
    assert_eq!(ids(&answer["auto_closed"]), [epic.as_str()]);
    assert_eq!(status(&world, &epic), "closed");
}

#[test]
fn appended_notes_stand_below_the_others() {
    let world = world();
    let notes = || issue(&world, "bd-a")["notes"].clone();
    world
        .bd(&["update", "bd-a", "--append-notes", "first"])
        .ok();
    assert_eq!(notes(), "first");
    let both = ["update", "bd-a", "--append-notes", "- second", "-p", "0"];
    world.bd(&both).ok();
    assert_eq!(notes(), "first\n- second");
    assert_eq!(issue(&world, "bd-a")["priority"], 0);
    world.bd(&["update", "bd-a", "--append-notes", ""]).ok();
    assert_eq!(notes(), "first\n- second");
    let unclear = ["update", "bd-a", "--notes", "x", "--append-notes", "y"];
    world.bd(&unclear).fails(2);
    assert_eq!(notes(), "first\n- second");
}
