//! `labels`: the labels of issues, with counts.

use serde_json::json;

use crate::support::World;
use crate::support::look::named;
use crate::support::plumbing::git;

#[test]
fn labels_are_listed_with_open_and_total_issues_most_used_first() {
    let world = World::with_store();
    assert_eq!(
        world.bd(&["labels"]).ok(),
        "no labels; git beads label ID LABEL adds one\n"
    );
    assert_eq!(world.bd(&["labels", "--json"]).json()["kind"], "empty");
    named(&world, "bd-a", &["A", "-l", "api,slow"]);
    named(&world, "bd-b", &["B", "-l", "slow,on-call"]);
    named(&world, "bd-c", &["C", "-l", "old"]);
    named(&world, "bd-d", &["D", "-l", "gone"]);
    world.bd(&["done", "bd-a", "bd-c"]).ok();
    world.bd(&["delete", "bd-d"]).ok();
    let answer = world.bd(&["labels", "--json"]).json();
    assert_eq!(answer["kind"], "summary");
    let labels = answer["labels"].as_array().unwrap();
    assert_eq!(labels.len(), 4, "{answer}");
    assert_eq!(labels[0], json!({"name": "slow", "open": 1, "total": 2}));
    insta::assert_snapshot!(world.bd(&["labels"]).ok(), @r"
    label open total
    slow 1 2
    api 0 1
    old 0 1
    on-call 1 1
    ");
    // Those of closed issues alone are left out on request.
    let open = world.bd(&["labels", "--open", "-q"]).ok();
    assert_eq!(open.lines().next(), Some("slow"), "{open}");
    assert!(!open.contains("old") && !open.contains("api"), "{open}");
    world.bd(&["restore", "bd-d"]).ok();
    assert!(world.bd(&["labels", "-q"]).ok().contains("gone\n"));
    world.bd(&["purge", "bd-d", "--yes"]).ok();
    assert!(!world.bd(&["labels", "-q"]).ok().contains("gone\n"));
}

#[test]
fn without_a_store_it_says_how_to_make_one() {
    let world = World::new();
    for verb in ["labels", "types", "people"] {
        let said = world.bd(&[verb]).fails(4);
        assert!(said.contains("hint: git beads init"), "{verb}: {said}");
    }
}

#[test]
fn it_answers_in_linked_worktrees_and_bare_repositories() {
    let world = World::new();
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "First"],
    );
    world.bd(&["init"]).ok();
    world.create(&["A", "-l", "x", "-t", "bug", "-a", "bob"]);
    git(&world, &["worktree", "add", "--quiet", "../linked"]);
    git(&world, &["init", "--quiet", "--bare", "../hub.git"]);
    git(&world, &["remote", "add", "origin", "../hub.git"]);
    world.bd(&["sync"]).ok();
    for folder in ["linked", "hub.git"] {
        for verb in ["labels", "types", "people"] {
            let here = world.bd(&[verb, "--json"]).json();
            let there = world.bd_in(folder, &[verb, "--json"]).json();
            assert_eq!(here, there, "{folder} {verb}");
        }
    }
}
