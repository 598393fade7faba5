//! An id that was given up still names its issue, on every clone.

use crate::support::World;
use crate::support::clones::{create, failed, sync};

/// The id that an argument leads to in a clone.
#[track_caller]
fn find(world: &World, clone: &str, argument: &str) -> String {
    let shown = world.bd_in(clone, &["show", argument, "--json"]).json();
    shown["issue"]["id"].as_str().unwrap().to_owned()
}

/// Commits something in `repo` on the default branch.
fn commit(world: &World, message: &str) {
    world
        .git(&["commit", "-q", "--allow-empty", "-m", message])
        .ok();
}

/// Two clones, `repo` and `b`.
fn clones() -> World {
    let world = World::with_store();
    world.git_in(".", &["init", "-q", "--bare", "hub.git"]).ok();
    world.git(&["remote", "add", "origin", "../hub.git"]).ok();
    commit(&world, "first");
    world.git(&["push", "-q", "origin", "main"]).ok();
    world.bd(&["sync"]).ok();
    world.bd_in(".", &["clone", "hub.git", "b"]).ok();
    world
}

#[test]
fn a_former_id_is_found_on_every_clone() {
    let world = clones();
    let old = create(&world, "repo", &["Log in"]);
    commit(&world, &format!("Before\n\nBead: {old}"));
    world.bd(&["rename", &old, "bd-login"]).ok();
    commit(&world, &format!("After\n\nFixes: {old}"));
    sync(&world, &["repo", "b"]);
    world.git(&["push", "-q", "origin", "main"]).ok();
    world.git_in("b", &["pull", "-q"]).ok();
    let short = old.strip_prefix("bd-").unwrap();
    for clone in ["repo", "b"] {
        for rebuilt in [false, true] {
            if rebuilt {
                std::fs::remove_dir_all(world.path(&format!("{clone}/.git/beads"))).unwrap();
            }
            for name in [&old, short, "bd-login"] {
                assert_eq!(find(&world, clone, name), "bd-login", "{clone} {name}");
            }
            let shown = world.bd_in(clone, &["show", &old, "--json"]).json();
            assert_eq!(shown["issue"]["commits"].as_array().unwrap().len(), 2);
            let list = world.bd_in(clone, &["list", "--landed", "-q"]).ok();
            assert_eq!(list, "bd-login\n", "{clone}");
            let found = world.bd_in(clone, &["search", &old, "-q"]).ok();
            assert_eq!(found, "bd-login\n", "{clone}");
            let log = world.bd_in(clone, &["log", &old]).ok();
            assert!(log.contains(&format!("rename {old} to bd-login")), "{log}");
            let blame = world.bd_in(clone, &["blame", &old, "--json"]).ok();
            assert!(blame.contains(&format!("rename {old} to")), "{blame}");
        }
    }
    world.bd_in("b", &["update", &old, "-p", "1"]).ok();
    world.bd_in("b", &["note", &old, "seen"]).ok();
    let page = world.bd_in("b", &["export", "--html"]).ok();
    assert!(page.contains("Before") && page.contains("After"));
    let said = world.bd_in("b", &["done", "--landed"]).ok();
    assert!(said.contains("bd-login closed"), "{said}");
}

#[test]
fn a_new_issue_gets_no_former_id() {
    let world = clones();
    let old = create(&world, "repo", &["Log in"]);
    world.bd(&["rename", &old, "bd-login"]).ok();
    let other = create(&world, "repo", &["Other"]);
    let error = failed(world.bd(&["rename", &other, &old, "--json"]), 3);
    assert_eq!(error["code"], "taken");
    // Not either where the rename is known only as what a remote has.
    sync(&world, &["repo"]);
    world.bd_in("b", &["fetch"]).ok();
    let third = create(&world, "b", &["Third"]);
    let error = failed(world.bd_in("b", &["rename", &third, &old, "--json"]), 3);
    assert_eq!(error["code"], "taken");
}

#[test]
fn renaming_back_works_and_forgets_nothing() {
    let world = clones();
    let old = create(&world, "repo", &["Log in"]);
    world.bd(&["rename", &old, "bd-login"]).ok();
    world.bd(&["rename", "bd-login", &old]).ok();
    for name in ["bd-login", &old] {
        assert_eq!(find(&world, "repo", name), old);
    }
    world.bd(&["undo"]).ok();
    assert_eq!(find(&world, "repo", &old), "bd-login");
    world.bd(&["undo"]).ok();
    assert_eq!(find(&world, "repo", "bd-login"), old);
    assert!(!world.bd(&["show", &old]).ok().contains("bd-login"));
}

#[test]
fn both_names_that_two_clones_gave_at_once_find_it() {
    let world = clones();
    let old = create(&world, "repo", &["Log in"]);
    sync(&world, &["repo", "b"]);
    world.bd(&["rename", &old, "bd-login"]).ok();
    world.bd_in("b", &["rename", &old, "bd-enter"]).ok();
    sync(&world, &["repo", "b", "repo"]);
    for clone in ["repo", "b"] {
        for name in ["bd-login", "bd-enter", &old] {
            assert_eq!(find(&world, clone, name), "bd-enter");
        }
    }
}

#[test]
fn an_id_that_two_issues_gave_up_names_neither() {
    let world = clones();
    let epic = create(&world, "repo", &["E", "-t", "epic"]);
    sync(&world, &["repo", "b"]);
    let child = create(&world, "repo", &["One", "--parent", &epic]);
    assert_eq!(create(&world, "b", &["Two", "--parent", &epic]), child);
    sync(&world, &["repo", "b", "repo"]);
    let two = world.bd(&["list", "-q"]).ok();
    let two = two.lines().find(|id| id.contains('~')).unwrap().to_owned();
    world.bd(&["rename", &two, "bd-two"]).ok();
    assert_eq!(find(&world, "repo", &child), child, "an exact id counts");
    commit(&world, &format!("x\n\nFixes: {child}"));
    assert_eq!(
        world.bd(&["list", "--landed", "-q"]).ok(),
        format!("{child}\n")
    );
    world.bd(&["rename", &child, "bd-one"]).ok();
    sync(&world, &["repo", "b"]);
    for clone in ["repo", "b"] {
        for args in [&["show", &child][..], &["update", &child, "-p", "1"]] {
            let error = failed(world.bd_in(clone, &[args, &["--json"]].concat()), 3);
            let message = error["message"].as_str().unwrap();
            assert_eq!(error["code"], "ambiguous");
            assert!(
                message.contains("bd-one") && message.contains("bd-two"),
                "{message}"
            );
        }
    }
    assert_eq!(world.bd(&["list", "--landed", "-q"]).ok(), "");
    let error = failed(world.bd(&["rename", &epic, &child, "--json"]), 3);
    assert_eq!(error["code"], "taken");
}

#[test]
fn children_of_a_renamed_parent_stay_and_an_import_of_the_former_id_is_the_issue() {
    let world = clones();
    let old = create(&world, "repo", &["E", "-t", "epic"]);
    let child = create(&world, "repo", &["One", "--parent", &old]);
    let before = world.bd(&["export"]).ok();
    world.bd(&["rename", &old, "bd-epic"]).ok();
    assert_eq!(find(&world, "repo", &child), child);
    assert_eq!(
        create(&world, "repo", &["Two", "--parent", &old]),
        "bd-epic.1"
    );
    world.bd(&["rename", &child, "bd-free"]).ok();
    assert_eq!(find(&world, "repo", &child), "bd-free");
    let exported = world.bd(&["export"]).ok();
    assert!(!exported.contains("alias"), "{exported}");
    let file = world.file("old.jsonl", before);
    world.bd(&["import", &file]).ok();
    let ids = world.bd(&["list", "-q"]).ok();
    assert_eq!(ids.lines().count(), 3, "{ids}");
    assert!(!ids.contains(&old), "{ids}");
}

#[test]
fn a_former_id_goes_with_a_purge_and_is_kept_by_a_delete() {
    let world = clones();
    let old = create(&world, "repo", &["Secret"]);
    world.bd(&["rename", &old, "bd-secret"]).ok();
    world.bd(&["delete", &old]).ok();
    assert_eq!(find(&world, "repo", &old), "bd-secret");
    world.bd(&["restore", &old]).ok();
    world.bd(&["purge", &old, "--yes"]).ok();
    let _ = failed(world.bd(&["show", &old, "--json"]), 1);
    assert_eq!(find(&world, "repo", "bd-secret"), "bd-secret");
}
