//! `undo` where clones meet.

use super::tip;
use crate::support::history::{subjects, two_clones};
use crate::support::look::{issue, named};

#[test]
fn an_id_that_another_clone_has_given_does_not_come_back() {
    let world = two_clones();
    named(&world, "bd-old", &["First"]);
    world.bd(&["rename", "bd-old", "bd-new"]).ok();
    let rename = world.git(&["rev-parse", "refs/beads/main"]).ok();
    let another = world.create(&["Another"]);
    assert!(
        world
            .bd(&["rename", &another, "bd-old"])
            .fails(3)
            .contains("bd-old is taken")
    );
    // A clone that has not heard of it can give the id away.
    let there = world.bd_in("other", &["create", "There", "-q"]).ok();
    world
        .bd_in("other", &["rename", there.trim(), "bd-old"])
        .ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["sync"]).ok();
    assert_eq!(issue(&world, "bd-old")["title"], "There");
    let said = world.bd(&["undo", rename.trim()]).fails(3);
    assert!(
        said.contains("another issue is called bd-old now"),
        "{said}"
    );
}

#[test]
fn merges_are_passed_over_and_named() {
    let world = two_clones();
    let id = named(&world, "bd-a", &["First"]);
    world.bd(&["sync"]).ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["update", id, "-p", "0"]).ok();
    world
        .bd_in("other", &["--actor", "bob", "update", id, "-t", "bug"])
        .ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["sync"]).ok();
    assert_eq!(subjects(&world, &["-n", "1"]), ["merge"]);
    assert!(world.bd(&["undo", "@"]).fails(1).contains("is a merge"));
    world.bd(&["undo"]).ok();
    let now = issue(&world, id);
    assert_eq!((&now["priority"], &now["type"]), (&2.into(), &"bug".into()));
}

#[test]
fn clones_that_undo_at_the_same_time_agree() {
    let world = two_clones();
    let id = named(&world, "bd-a", &["First"]);
    world
        .bd(&["update", id, "--title", "Second", "-p", "0"])
        .ok();
    let mine = tip(&world);
    world.bd(&["sync"]).ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["undo", &mine]).ok();
    world.bd_in("other", &["undo", &mine]).ok();
    world.bd_in("other", &["update", id, "-t", "bug"]).ok();
    for folder in ["other", "repo", "other"] {
        world.bd_in(folder, &["sync"]).ok();
    }
    for folder in ["repo", "other"] {
        let now = world.bd_in(folder, &["show", id, "--json"]).json()["issue"].clone();
        assert_eq!(
            (&now["title"], &now["priority"], &now["type"]),
            (&"First".into(), &2.into(), &"bug".into())
        );
        assert!(now["conflicts"].is_null(), "{now}");
    }
}

#[test]
fn a_write_elsewhere_at_the_same_time_is_not_lost() {
    let world = two_clones();
    let id = named(&world, "bd-a", &["First"]);
    world.bd(&["update", id, "--title", "Second"]).ok();
    world.bd(&["sync"]).ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["undo"]).ok();
    world
        .bd_in(
            "other",
            &["--actor", "bob", "update", id, "--title", "Bob's"],
        )
        .ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["sync"]).ok();
    assert_eq!(issue(&world, id)["title"], "Bob's");
    let conflicts = world.bd(&["conflicts", "--json"]).json()["conflicts"].clone();
    assert_eq!(conflicts[0]["value"], "First");
}

#[test]
fn what_a_merge_has_brought_comes_back_though_no_write_may_make_it() {
    let world = two_clones();
    let (part, whole) = (
        named(&world, "bd-part", &["P"]),
        named(&world, "bd-whole", &["W"]),
    );
    world.bd(&["sync"]).ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["update", part, "--parent", whole]).ok();
    world.bd_in("other", &["dep", "add", part, whole]).ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["sync"]).ok();
    for removal in [
        &["dep", "rm", part, whole][..],
        &["update", part, "--parent", ""],
    ] {
        let before = world.bd(&["show", part]).ok();
        world.bd(removal).ok();
        world.bd(&["undo"]).ok();
        assert_eq!(world.bd(&["show", part]).ok(), before, "{removal:?}");
    }
    // Once it is part of it by another write, it does not wait for it again.
    world.bd(&["update", part, "--parent", ""]).ok();
    world.bd(&["dep", "rm", part, whole]).ok();
    let removal = tip(&world);
    world.bd(&["update", part, "--parent", whole]).ok();
    let said = world.bd(&["undo", &removal]).fails(3);
    assert!(said.contains("it can't be blocked by it"), "{said}");
}
