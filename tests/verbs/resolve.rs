//! `resolve`: settles a field that two clones wrote at the same time; `conflicts` lists them.

use crate::support::World;
use crate::support::clones::{create, failed, sync, two_clones};

/// Two clones that have both written the description of an issue, and its id.
fn conflict() -> (World, String) {
    let world = two_clones();
    let id = create(&world, "a", &["Shared"]);
    sync(&world, &["a", "b"]);
    for clone in ["a", "b"] {
        world
            .bd_in(clone, &["update", &id, "-d", &format!("by {clone}")])
            .ok();
    }
    sync(&world, &["a", "b", "a"]);
    (world, id)
}

/// The description of an issue, and how many of its fields have a conflict.
fn seen(world: &World, clone: &str, id: &str) -> (String, usize) {
    let issue = &world.bd_in(clone, &["show", id, "--json"]).json()["issue"];
    let listed = world.bd_in(clone, &["conflicts", id, "--json"]).json();
    (
        issue["description"].as_str().unwrap().to_owned(),
        listed["conflicts"].as_array().map_or(0, Vec::len),
    )
}

#[test]
fn a_value_is_taken_by_its_number_or_written_and_all_clones_agree() {
    for (choice, wanted) in [
        (["--take", "0"], "by b"),
        (["--take", "1"], "by a"),
        (["--value", "by both"], "by both"),
    ] {
        let (world, id) = conflict();
        assert_eq!(seen(&world, "a", &id), ("by b".into(), 1));
        world
            .bd_in("a", &["resolve", &id, "description", choice[0], choice[1]])
            .ok();
        sync(&world, &["a", "b"]);
        for clone in ["a", "b"] {
            assert_eq!(seen(&world, clone, &id), (wanted.into(), 0), "{choice:?}");
        }
    }
}

#[test]
fn its_answer_is_the_changed_issue() {
    let (world, id) = conflict();
    let args = ["resolve", &id, "description", "--take", "1", "--json"];
    let answer = world.bd_in("a", &args).json();
    assert_eq!(
        (&answer["kind"], &answer["id"]),
        (&"updated".into(), &id.as_str().into())
    );
}

#[test]
fn a_field_without_a_conflict_and_a_number_of_no_value_are_refused() {
    let (world, id) = conflict();
    for (field, number) in [("title", "1"), ("description", "9")] {
        let args = ["resolve", &id, field, "--take", number, "--json"];
        let error = failed(world.bd_in("a", &args), 1);
        let hint = format!("git beads conflicts {id}");
        assert_eq!(error["hint"], hint.as_str(), "{error}");
    }
    assert_eq!(seen(&world, "a", &id).1, 1);
}

/// Two clones with one issue that two agents have started at the same time; codex has it.
fn started_twice() -> (World, String) {
    let world = two_clones();
    let id = create(&world, "a", &["Shared"]);
    sync(&world, &["a", "b"]);
    world
        .bd_in("a", &["start", &id, "--agent", "claude-3f2ak"])
        .ok();
    world
        .bd_in(
            "b",
            &["start", &id, "--actor", "ann", "--agent", "codex-91xq0"],
        )
        .ok();
    // Between clones the later claim holds; at the remote nothing is left to settle.
    for (clone, peer) in [("a", "b"), ("b", "a")] {
        let url = world.path(peer).display().to_string();
        world.git_in(clone, &["remote", "add", "peer", &url]).ok();
        world.bd_in(clone, &["pull", "--remote", "peer"]).ok();
    }
    (world, id)
}

#[test]
fn who_ends_the_work_settles_the_lost_claim() {
    for ends in [
        &["done", "-r", "ok"][..],
        &["stop"],
        &["block", "-r", "waits"],
    ] {
        let (world, id) = started_twice();
        let mut args = vec!["--actor", "ann", "--agent", "codex-91xq0", ends[0], &id];
        args.extend(&ends[1..]);
        world.bd_in("b", &args).ok();
        let listed = world.bd_in("b", &["conflicts", &id, "--json"]).json();
        assert_eq!(listed["conflicts"], serde_json::json!([]), "{listed}");
    }
}

#[test]
fn of_two_claims_the_lost_one_is_a_conflict_and_can_be_taken_whole() {
    for (take, holder) in [("0", "ann/codex-91xq0"), ("1", "Ann/claude-3f2ak")] {
        let (world, id) = started_twice();
        let listed = world.bd_in("a", &["conflicts", &id, "--json"]).json();
        let entries = listed["conflicts"].as_array().unwrap();
        assert_eq!(entries.len(), 1, "{listed}");
        assert_eq!(
            (
                &entries[0]["field"],
                &entries[0]["value"],
                &entries[0]["current"]
            ),
            (
                &"claim".into(),
                &"claude-3f2ak".into(),
                &"codex-91xq0".into()
            )
        );
        world
            .bd_in("a", &["resolve", &id, "claim", "--take", take])
            .ok();
        sync(&world, &["a", "b"]);
        for clone in ["a", "b"] {
            let listed = world.bd_in(clone, &["conflicts", &id, "--json"]).json();
            assert!(
                listed["conflicts"].as_array().is_none_or(Vec::is_empty),
                "{listed}"
            );
            let said = world
                .bd_in(clone, &["start", &id, "--actor", "lea"])
                .fails(3);
            assert!(said.contains(holder), "{take}: {said}");
        }
    }
}

#[test]
fn a_parent_that_lost_is_checked_as_any_other() {
    let world = two_clones();
    let id = create(&world, "a", &["Shared"]);
    let (one, other) = (create(&world, "a", &["P"]), create(&world, "a", &["Q"]));
    sync(&world, &["a", "b"]);
    for (clone, parent) in [("a", &one), ("b", &other)] {
        world
            .bd_in(clone, &["update", &id, "--parent", parent])
            .ok();
    }
    sync(&world, &["a", "b", "a"]);
    world.bd_in("a", &["update", &one, "--parent", &id]).ok();
    let take = ["resolve", &id, "parent", "--take", "1"];
    let said = world.bd_in("a", &take).fails(3);
    assert!(said.contains("cycle"), "{said}");
    world.bd_in("a", &["update", &one, "--parent", ""]).ok();
    world.bd_in("a", &["delete", &one]).ok();
    let said = world.bd_in("a", &take).fails(1);
    assert!(said.contains("deleted"), "{said}");
    world.bd_in("a", &["restore", &one]).ok();
    world.bd_in("a", &take).ok();
    let shown = world.bd_in("a", &["show", &id, "--json"]).json();
    assert_eq!(shown["issue"]["parent"], one.as_str());
}

#[test]
fn without_a_field_it_shows_the_choice() {
    let world = two_clones();
    let id = create(&world, "a", &["Shared"]);
    sync(&world, &["a", "b"]);
    for (clone, priority) in [("a", "2"), ("b", "0")] {
        let change = ["update", &id, "-p", priority, "-d", clone];
        world.bd_in(clone, &change).ok();
    }
    world.bd_in("a", &["update", &id, "-p", "1"]).ok();
    sync(&world, &["a", "b", "a"]);
    let listed = world.bd_in("a", &["conflicts", &id]).ok();
    assert!(listed.contains("P0") && listed.contains("P1"), "{listed}");
    for args in [&["resolve", id.as_str()][..], &["resolve"]] {
        assert_eq!(world.bd_in("a", args).ok(), listed, "{args:?}");
    }
    let one = world.bd_in("a", &["resolve", &id, "priority"]).ok();
    assert!(
        one.contains("priority") && !one.contains("description"),
        "{one}"
    );
    world.bd_in("a", &["resolve", &id, "--take", "1"]).fails(2);
}
