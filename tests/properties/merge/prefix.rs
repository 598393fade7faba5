//! The prefix of new ids, where clones meet.

use serde_json::Value;

use crate::support::World;
use crate::support::clones::bare_clones;
use crate::support::clones::{create, failed, sync, tip};

/// The prefix that a clone gives new ids.
#[track_caller]
fn prefix(world: &World, clone: &str) -> String {
    let place = world.bd_in(clone, &["where", "--json"]).json();
    let prefix = place["prefix"].as_str().unwrap().to_owned();
    let id = create(world, clone, &["x"]);
    assert!(id.starts_with(&format!("{prefix}-")), "{id}");
    prefix
}

/// Clones `a` and `b` of an empty hub, each with a store of its own that was begun so.
fn begun(a: &[&str], b: &[&str]) -> World {
    let world = bare_clones(&["a", "b"]);
    for (clone, more) in [("a", a), ("b", b)] {
        world.bd_in(clone, &[&["init"], more].concat()).ok();
    }
    world
}

#[test]
fn a_chosen_prefix_is_not_beaten_by_a_default_in_any_order() {
    for (first, second) in [("a", "b"), ("b", "a")] {
        for (a, b) in [
            (&["--prefix", "web"][..], &[][..]),
            (&[], &["--prefix", "web"]),
        ] {
            let world = begun(a, b);
            sync(&world, &[first, second, first]);
            assert_eq!(
                (prefix(&world, "a"), prefix(&world, "b")),
                ("web".into(), "web".into())
            );
            world.bd_in(".", &["clone", "hub.git", "c"]).ok();
            assert_eq!(prefix(&world, "c"), "web");
        }
    }
}

#[test]
fn bd_that_somebody_chose_is_a_choice() {
    let world = begun(&["--prefix", "web"], &["--prefix", "bd"]);
    sync(&world, &["a", "b", "a"]);
    assert_eq!(
        (prefix(&world, "a"), prefix(&world, "b")),
        ("bd".into(), "bd".into())
    );
}

#[test]
fn a_default_that_is_asked_for_by_name_is_a_choice_from_then_on() {
    for choose in [&["init", "--prefix", "bd"][..], &["rename-prefix", "bd"]] {
        let world = begun(&[], &["--prefix", "web"]);
        world.bd_in("a", choose).ok();
        let chosen = tip(&world, "a");
        world.bd_in("a", choose).ok();
        world.bd_in("a", &["init"]).ok();
        assert_eq!(tip(&world, "a"), chosen, "nothing is written twice");
        sync(&world, &["b", "a", "b"]);
        assert_eq!(
            (prefix(&world, "a"), prefix(&world, "b")),
            ("bd".into(), "bd".into()),
            "{choose:?}"
        );
    }
    // In a clone that joins a default.
    let world = bare_clones(&["a", "b"]);
    world.bd_in("a", &["init"]).ok();
    sync(&world, &["a"]);
    let default = tip(&world, "a");
    world.bd_in("b", &["init", "--prefix", "bd"]).ok();
    assert_ne!(tip(&world, "b"), default);
}

#[test]
fn the_default_of_an_earlier_version_beats_no_choice() {
    let world = begun(&["--prefix", "web"], &[]);
    // As earlier versions wrote it: the register has the stamp of the creation.
    let text = world
        .git_in("b", &["show", "refs/beads/main:meta.json"])
        .ok();
    let mut meta: Value = serde_json::from_str(&text).unwrap();
    let creation = meta["at"]["*"].clone();
    assert!(
        meta["at"]["prefix"].as_str() < creation.as_str(),
        "a default has the lowest stamp"
    );
    for key in ["at", "by"] {
        meta[key].as_object_mut().unwrap().remove("prefix");
    }
    let file = world.file("meta.json", format!("{meta}\n"));
    let git = |args: &[&str]| world.git_in("b", args).ok().trim().to_owned();
    let blob = git(&["hash-object", "-w", &file]);
    world.file("tree", format!("100644 blob {blob}\tmeta.json\n"));
    let mut command = world.command("b", "git", &["mktree"]);
    command.stdin(std::fs::File::open(world.path("tree")).unwrap());
    let tree = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let commit = git(&["commit-tree", tree.trim(), "-m", "init"]);
    git(&["update-ref", "refs/beads/main", &commit]);
    sync(&world, &["a", "b", "a"]);
    assert_eq!(
        (prefix(&world, "a"), prefix(&world, "b")),
        ("web".into(), "web".into())
    );
}

#[test]
fn a_choice_from_elsewhere_that_replaces_the_default_is_no_later_choice() {
    let world = begun(&["--prefix", "web"], &[]);
    sync(&world, &["a"]);
    let said = world.bd_in("b", &["sync"]).ok();
    assert!(
        said.contains("new ids begin with web- now, which was chosen elsewhere; here it was bd-"),
        "{said}"
    );
}

#[test]
fn of_two_choices_the_later_counts_and_sync_says_so() {
    let world = begun(&["--prefix", "web"], &["--prefix", "app"]);
    sync(&world, &["a"]);
    let said = world.bd_in("b", &["sync"]).ok();
    assert!(
        said.contains("new ids begin with app-, the later choice; web- was chosen elsewhere"),
        "{said}"
    );
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(
        said.contains("new ids begin with app- now")
            && said.contains("git beads rename-prefix web"),
        "{said}"
    );
    let said = world.bd_in("b", &["sync"]).ok();
    assert!(!said.contains("new ids"), "once is enough: {said}");
    assert_eq!(
        (prefix(&world, "a"), prefix(&world, "b")),
        ("app".into(), "app".into())
    );
}

#[test]
fn init_changes_the_prefix_of_nobody() {
    let world = bare_clones(&["a", "b"]);
    world.bd_in("a", &["init", "--prefix", "web"]).ok();
    sync(&world, &["a"]);
    let error = failed(world.bd_in("b", &["init", "--prefix", "zzz", "--json"]), 3);
    assert_eq!(error["code"], "exists");
    assert!(
        error["message"].as_str().unwrap().contains("web"),
        "{error}"
    );
    let none = world.git_in("b", &["rev-parse", "--verify", "-q", "refs/beads/main"]);
    assert_ne!(none.code, 0, "what is refused changes nothing");
    world.bd_in("b", &["init", "--prefix", "web"]).ok();
    let before = tip(&world, "b");
    let error = failed(world.bd_in("b", &["init", "--prefix", "zzz", "--json"]), 3);
    assert!(
        error["hint"]
            .as_str()
            .unwrap()
            .contains("git beads rename-prefix zzz"),
        "{error}"
    );
    world.bd_in("b", &["init", "--prefix", "web"]).ok();
    world.bd_in("b", &["init"]).ok();
    assert_eq!(
        (tip(&world, "b"), prefix(&world, "b")),
        (before, "web".into())
    );
}

#[test]
fn a_change_of_prefix_is_logged_announced_and_undone() {
    let world = bare_clones(&["a", "b"]);
    world.bd_in("a", &["init", "--prefix", "web"]).ok();
    let old = create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    world.bd_in("b", &["init"]).ok();
    let said = world.bd_in("a", &["rename-prefix", "app"]).ok();
    assert_eq!(
        said.trim(),
        "new ids begin with app- (was web-); existing ids stay"
    );
    let changed = tip(&world, "a");
    world.bd_in("a", &["rename-prefix", "app"]).ok();
    assert_eq!(tip(&world, "a"), changed, "nothing is written twice");
    assert!(
        world
            .bd_in("a", &["log", "-n", "1"])
            .ok()
            .contains("rename-prefix web to app")
    );
    sync(&world, &["a"]);
    let said = world.bd_in("b", &["sync"]).ok();
    assert!(said.contains("new ids begin with app- now"), "{said}");
    assert_eq!(prefix(&world, "b"), "app");
    assert_eq!(
        world.bd_in("b", &["show", &old, "--json"]).json()["issue"]["id"],
        old.as_str()
    );
    sync(&world, &["b", "a"]);
    let said = world.bd_in("a", &["undo", &changed]).ok();
    assert!(said.contains("rename-prefix web to app"), "{said}");
    sync(&world, &["a", "b"]);
    assert_eq!(
        (prefix(&world, "a"), prefix(&world, "b")),
        ("web".into(), "web".into())
    );
    let _ = failed(world.bd_in("a", &["rename-prefix", "a b", "--json"]), 1);
}

#[test]
fn a_prefix_that_was_changed_again_is_left_by_an_undo() {
    let world = World::with_store();
    world.bd(&["rename-prefix", "app"]).ok();
    let first = world.git(&["rev-parse", "refs/beads/main"]).ok();
    world.bd_as("bob", &["rename-prefix", "web"]).ok();
    let said = world.bd(&["undo", first.trim()]).fails(3);
    assert!(
        said.contains("store prefix: changed since by bob"),
        "{said}"
    );
    world.bd(&["undo", first.trim(), "--force"]).ok();
    let undo = world.git(&["rev-parse", "refs/beads/main"]).ok();
    assert!(world.create(&["x"]).starts_with("bd-"));
    world.bd(&["undo", undo.trim()]).ok();
    assert!(world.create(&["x"]).starts_with("web-"));
}
