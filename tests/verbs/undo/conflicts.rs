//! `undo` of what settled a conflict: it is open again, here and in every clone.

use serde_json::{Value, json};

use crate::support::World;
use crate::support::history::two_clones;
use crate::support::look::{commits, issue, named};

const ID: &str = "bd-a";

/// What lost, as `conflicts` lists it.
#[track_caller]
fn open(world: &World, folder: &str) -> Value {
    world.bd_in(folder, &["conflicts", "--json"]).json()["conflicts"].clone()
}

#[track_caller]
fn values(world: &World, folder: &str) -> Vec<String> {
    let open = open(world, folder);
    open.as_array()
        .unwrap()
        .iter()
        .map(|it| it["value"].as_str().unwrap().to_owned())
        .collect()
}

#[track_caller]
fn sync(world: &World, folders: &[&str]) {
    folders
        .iter()
        .for_each(|folder| drop(world.bd_in(folder, &["sync"]).ok()));
}

/// Two clones that know that bob, who was later, and amy wrote a title and a description at the same time.
fn written_twice(text: &str) -> World {
    let world = two_clones();
    named(&world, ID, &["First"]);
    sync(&world, &["repo", "other"]);
    world
        .bd_as("amy", &["update", ID, "--title", "Amy's", "-d", text])
        .ok();
    world
        .bd_in(
            "other",
            &[
                "--actor", "bob", "update", ID, "--title", "Bob's", "-d", "bob's",
            ],
        )
        .ok();
    sync(&world, &["repo", "other", "repo"]);
    world
}

#[test]
fn it_is_listed_shown_and_counted_as_before() {
    let world = written_twice("amy's");
    let before = open(&world, "repo");
    assert_eq!(values(&world, "repo"), ["amy's", "Amy's"]);
    let shown = issue(&world, ID);
    let status = world.bd(&["status", "--json"]).json()["conflicts"].clone();
    for (field, take, value) in [("description", "1", "amy's"), ("title", "0", "Bob's")] {
        world.bd(&["resolve", ID, field, "--take", take]).ok();
        assert_eq!(issue(&world, ID)[field], value);
    }
    assert_eq!(open(&world, "repo"), json!([]));
    let text = world.bd(&["undo"]).ok();
    assert!(
        text.contains("    conflicts: +title by amy: Amy's\n"),
        "{text}"
    );
    let text = world.bd(&["undo"]).ok();
    assert!(
        text.contains(
            "    description: amy's -> bob's\n    conflicts: +description by amy: amy's\n"
        ),
        "{text}"
    );
    assert_eq!(open(&world, "repo"), before);
    let again = issue(&world, ID);
    assert_eq!(
        (&again["conflicts"], &again["description"]),
        (&shown["conflicts"], &shown["description"])
    );
    assert_eq!(world.bd(&["status", "--json"]).json()["conflicts"], status);
    // And settled again, and open again.
    world.bd(&["undo", "@"]).ok();
    assert_eq!(
        (
            values(&world, "repo"),
            issue(&world, ID)["description"].clone()
        ),
        (vec!["Amy's".into()], json!("amy's"))
    );
    world.bd(&["undo"]).ok();
    assert_eq!(open(&world, "repo"), before);
    world
        .bd(&["resolve", ID, "description", "--take", "1"])
        .ok();
    assert_eq!(
        (
            values(&world, "repo"),
            issue(&world, ID)["description"].clone()
        ),
        (vec!["Amy's".into()], json!("amy's"))
    );
    sync(&world, &["repo"]);
    assert_eq!(world.bd(&["doctor", "-q"]).stdout, "");
}

#[test]
fn what_a_later_write_settled_is_open_again_too() {
    let world = written_twice("amy's");
    let before = open(&world, "repo");
    world.bd(&["update", ID, "--title", "Ann's"]).ok();
    assert_eq!(values(&world, "repo"), ["amy's"]);
    world.bd(&["undo"]).ok();
    assert_eq!(open(&world, "repo"), before);
}

#[test]
fn a_long_text_is_found_where_it_was() {
    let long = "a line of amy's\n".repeat(400);
    let world = written_twice(&long);
    world
        .bd(&["resolve", ID, "description", "--value", "both"])
        .ok();
    let text = world.bd(&["undo"]).ok();
    assert!(text.contains("conflicts: +description by amy\n"), "{text}");
    sync(&world, &["repo", "other"]);
    world
        .git_in("other", &["gc", "--quiet", "--prune=now"])
        .ok();
    world.bd_in(".", &["clone", "hub.git", "third"]).ok();
    for folder in ["repo", "other", "third"] {
        assert_eq!(
            values(&world, folder)[0].trim_end(),
            long.trim_end(),
            "{folder}"
        );
    }
    world
        .bd_in("third", &["resolve", ID, "description", "--take", "1"])
        .ok();
    sync(&world, &["third", "repo"]);
    assert_eq!(
        issue(&world, ID)["description"]
            .as_str()
            .unwrap()
            .trim_end(),
        long.trim_end()
    );
    assert_eq!(values(&world, "repo"), ["Amy's"]);
}

#[test]
fn it_is_open_in_every_clone_whatever_they_have_seen() {
    for seen in ["nothing", "the resolve", "both"] {
        let world = written_twice("amy's");
        let before = open(&world, "repo");
        world
            .bd(&["resolve", ID, "description", "--take", "1"])
            .ok();
        if seen != "nothing" {
            sync(&world, &["repo", "other"]);
            assert_eq!(values(&world, "other"), ["Amy's"]);
        }
        world.bd(&["undo"]).ok();
        if seen == "both" {
            sync(&world, &["repo", "other"]);
        }
        // Something else happens there meanwhile.
        world.bd_in("other", &["update", ID, "-p", "0"]).ok();
        sync(&world, &["other", "repo", "other"]);
        for folder in ["repo", "other"] {
            assert_eq!(open(&world, folder), before, "{seen}, {folder}");
        }
        world
            .bd_in("other", &["resolve", ID, "description", "--take", "0"])
            .ok();
        sync(&world, &["other", "repo"]);
        assert_eq!(values(&world, "repo"), ["Amy's"], "{seen}");
    }
}

#[test]
fn clones_that_undo_the_same_resolve_agree() {
    let world = written_twice("amy's");
    let before = open(&world, "repo");
    world
        .bd(&["resolve", ID, "description", "--take", "1"])
        .ok();
    let resolve = world
        .git(&["rev-parse", "refs/beads/main"])
        .ok()
        .trim()
        .to_owned();
    sync(&world, &["repo", "other"]);
    world.bd(&["undo", &resolve]).ok();
    world.bd_in("other", &["undo", &resolve]).ok();
    sync(&world, &["repo", "other", "repo"]);
    for folder in ["repo", "other"] {
        assert_eq!(open(&world, folder), before);
    }
    // One of the two settles it again, in both.
    let undo = world
        .git(&["rev-parse", "refs/beads/main^1"])
        .ok()
        .trim()
        .to_owned();
    world.bd(&["undo", &undo]).ok();
    sync(&world, &["repo", "other"]);
    assert_eq!(values(&world, "other"), ["Amy's"]);
    assert_eq!(
        world.bd_in("other", &["show", ID, "--json"]).json()["issue"]["description"],
        "amy's"
    );
}

#[test]
fn what_was_written_since_stays_settled() {
    let world = written_twice("amy's");
    let before = commits(&world);
    world.bd(&["resolve", ID, "title", "--take", "0"]).ok();
    let resolve = world
        .git(&["rev-parse", "refs/beads/main"])
        .ok()
        .trim()
        .to_owned();
    world
        .bd_as("cy", &["update", ID, "--title", "Cy's", "-d", "cy's"])
        .ok();
    let said = world.bd(&["undo", &resolve]).fails(3);
    assert!(
        said.contains("nothing was undone; bd-a conflicts: changed since by cy"),
        "{said}"
    );
    assert_eq!(commits(&world), before + 2);
    world.bd(&["undo", &resolve, "--force"]).ok();
    assert_eq!(
        (values(&world, "repo"), issue(&world, ID)["title"].clone()),
        (vec!["amy's".into(), "Amy's".into()], json!("Cy's"))
    );
}
