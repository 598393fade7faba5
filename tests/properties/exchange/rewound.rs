//! Remotes that were rewound, emptied or replaced: nothing that was seen of them is lost, and nothing foreign comes in.

use super::remotes::{fails_and_keeps, in_step, remarks};
use crate::support::World;
use crate::support::clones::{create, hub_tip, sync, tip, two_clones};

/// Puts a store that was begun separately in the place of the one at the hub; returns its issue.
fn put_another_store(world: &World) -> String {
    world.git_in(".", &["init", "--quiet", "other"]).ok();
    world.bd_in("other", &["init"]).ok();
    let id = create(world, "other", &["y"]);
    let push = [
        "push",
        "--quiet",
        "--force",
        "../hub.git",
        "refs/beads/main",
    ];
    world.git_in("other", &push).ok();
    id
}

#[test]
fn a_rewound_remote_gets_back_what_it_dropped() {
    let world = two_clones();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    let old = hub_tip(&world);
    let y = create(&world, "a", &["y"]);
    sync(&world, &["a"]);
    world
        .git_in(
            "a",
            &[
                "push",
                "--quiet",
                "--force",
                "origin",
                &format!("{old}:refs/beads/main"),
            ],
        )
        .ok();
    let z = create(&world, "b", &["z"]);
    sync(&world, &["b"]);
    let before = tip(&world, "a");
    let said = remarks(world.bd_in("a", &["sync", "--json"]));
    assert!(said.contains("origin was set back"), "{said}");
    world
        .git_in(
            "a",
            &["merge-base", "--is-ancestor", &before, "refs/beads/main"],
        )
        .ok();
    sync(&world, &["b"]);
    in_step(&world, &[&x, &y, &z]);
    assert_eq!(remarks(world.bd_in("a", &["sync", "--json"])), "");
}

#[test]
fn a_clone_that_saw_the_dropped_commits_only_by_fetch_still_restores_them() {
    let world = two_clones();
    let old = hub_tip(&world);
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    sync(&world, &["b"]);
    // The one who made it is gone; the hub is set back.
    world
        .git_in("hub.git", &["update-ref", "refs/beads/main", &old])
        .ok();
    std::fs::remove_dir_all(world.path("a")).unwrap();
    assert!(remarks(world.bd_in("b", &["sync", "--json"])).contains("was set back"));
    assert_eq!(tip(&world, "b"), hub_tip(&world));
    assert!(world.bd_in("b", &["list", "-q"]).ok().contains(&x));
}

#[test]
fn what_was_fetched_and_never_merged_is_not_lost_with_a_remote_that_was_set_back() {
    for fetches in [0, 2] {
        let world = two_clones();
        let old = hub_tip(&world);
        let x = create(&world, "a", &["x"]);
        sync(&world, &["a"]);
        world.bd_in("b", &["fetch"]).ok();
        // The one who made it is gone; the hub is set back, and may be fetched from again before anything is merged.
        world
            .git_in("hub.git", &["update-ref", "refs/beads/main", &old])
            .ok();
        std::fs::remove_dir_all(world.path("a")).unwrap();
        for _ in 0..fetches {
            world.bd_in("b", &["fetch"]).ok();
        }
        assert_eq!(world.bd_in("b", &["list", "-q"]).ok(), "");
        world.git_in("b", &["gc", "--quiet", "--prune=now"]).ok();
        assert!(remarks(world.bd_in("b", &["sync", "--json"])).contains("was set back"));
        assert_eq!(tip(&world, "b"), hub_tip(&world));
        assert!(world.bd_in("b", &["list", "-q"]).ok().contains(&x));
        assert_eq!(remarks(world.bd_in("b", &["sync", "--json"])), "");
        let kept = ["for-each-ref", "refs/beads-seen/origin/unmerged"];
        assert_eq!(world.git_in("b", &kept).ok(), "", "until it is merged");
    }
}

#[test]
fn a_remote_that_held_another_store_can_be_sent_to_once_that_is_gone() {
    let world = two_clones();
    create(&world, "b", &["Ours"]);
    put_another_store(&world);
    world
        .git_in("b", &["update-ref", "-d", "refs/beads-seen/origin/main"])
        .ok();
    world.bd_in("b", &["sync"]).fails(3);
    world
        .git_in("hub.git", &["update-ref", "-d", "refs/beads/main"])
        .ok();
    world.bd_in("b", &["fetch"]).ok();
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(tip(&world, "b"), hub_tip(&world));
}

#[test]
fn a_ref_deleted_on_the_remote_comes_back_and_the_sync_says_so() {
    let world = two_clones();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    world
        .git_in("hub.git", &["update-ref", "-d", "refs/beads/main"])
        .ok();
    let said = remarks(world.bd_in("b", &["sync", "--json"]));
    assert!(said.contains("origin has lost its issues"), "{said}");
    sync(&world, &["a"]);
    in_step(&world, &[&x]);
}

#[test]
fn a_mirror_push_from_a_clone_without_the_ref_loses_nothing() {
    let world = two_clones();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "plain"])
        .ok();
    world.git_in("plain", &["push", "--quiet", "--mirror"]).ok();
    assert!(
        !world
            .git_in("hub.git", &["for-each-ref"])
            .ok()
            .contains("refs/beads/main")
    );
    let y = create(&world, "b", &["y"]);
    let said = remarks(world.bd_in("a", &["sync", "--json"]));
    assert!(said.contains("lost its issues"), "{said}");
    sync(&world, &["b", "a"]);
    in_step(&world, &[&x, &y]);
}

#[test]
fn a_push_sends_what_the_remote_has_lost_since_it_was_last_asked() {
    let world = two_clones();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    world
        .git_in("hub.git", &["update-ref", "-d", "refs/beads/main"])
        .ok();
    world.bd_in("a", &["push"]).ok();
    in_step(&world, &[&x]);
}

#[test]
fn a_remote_replaced_by_another_store_is_joined_only_on_request() {
    let world = two_clones();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    let y = put_another_store(&world);
    let theirs = hub_tip(&world);
    for clone in ["a", "b"] {
        assert_eq!(fails_and_keeps(&world, clone, 3)["code"], "store_mismatch");
    }
    assert_eq!(hub_tip(&world), theirs);
    world.bd_in("a", &["sync", "--adopt"]).ok();
    sync(&world, &["b", "a"]);
    in_step(&world, &[&x, &y]);
}

#[test]
fn a_remote_whose_history_was_squashed_is_joined_without_a_base() {
    let world = two_clones();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    let y = create(&world, "b", &["y"]);
    world
        .bd_in("a", &["update", &x, "--title", "x, newer"])
        .ok();
    let root = world
        .git_in(
            "hub.git",
            &["commit-tree", "-m", "squashed", "refs/beads/main^{tree}"],
        )
        .ok();
    world
        .git_in("hub.git", &["update-ref", "refs/beads/main", root.trim()])
        .ok();
    sync(&world, &["a", "b", "a"]);
    in_step(&world, &[&x, &y]);
    assert_eq!(
        world.bd_in("b", &["show", &x, "--json"]).json()["issue"]["title"],
        "x, newer"
    );
}
