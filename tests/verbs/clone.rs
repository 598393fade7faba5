//! `clone`: a repository with its issues.

use crate::support::clones::{create, failed, sync, tip, two_clones};

#[test]
fn the_issues_come_along() {
    let world = two_clones();
    let id = create(&world, "a", &["From a"]);
    sync(&world, &["a"]);
    let said = world.bd_in(".", &["clone", "hub.git", "c"]).ok();
    assert!(said.contains("joined from origin"), "{said}");
    assert!(world.bd_in("c", &["list", "-q"]).ok().contains(&id));
    assert_eq!(tip(&world, "c"), tip(&world, "a"));
}

#[test]
fn its_answer_names_the_folder_and_the_remote() {
    let world = two_clones();
    let answer = world
        .bd_in(".", &["clone", "hub.git", "c", "--json"])
        .json();
    let repo = world.path("c").canonicalize().unwrap();
    let told = answer["repo"].as_str().unwrap();
    assert!(
        told == "WORLD/c" || told == repo.to_str().unwrap(),
        "{answer}"
    );
    assert_eq!(
        (&answer["kind"], &answer["joined"], &answer["prefix"]),
        (&"report".into(), &"origin".into(), &"bd".into())
    );
}

#[test]
fn a_folder_that_is_there_and_an_address_of_nothing_are_refused() {
    let world = two_clones();
    for args in [
        ["clone", "hub.git", "a", "--json"],
        ["clone", "none.git", "c", "--json"],
    ] {
        let error = failed(world.bd_in(".", &args), 5);
        assert_eq!(error["code"], "remote", "{error}");
    }
    assert!(!world.path("c").exists());
}

#[test]
fn a_bundle_is_cloned_as_git_does() {
    let world = two_clones();
    let id = create(&world, "a", &["From a"]);
    world
        .git_in("a", &["commit", "--allow-empty", "-m", "x"])
        .ok();
    world
        .git_in("a", &["bundle", "create", "../r.bundle", "--all"])
        .ok();
    let said = world.bd_in(".", &["clone", "r.bundle"]).ok();
    assert!(said.contains("joined from origin"), "{said}");
    assert!(world.bd_in("r", &["list", "-q"]).ok().contains(&id));
}

#[test]
fn it_acts_as_the_agent_that_is_named() {
    let world = two_clones();
    world.git_in(".", &["init", "-q", "plain"]).ok();
    world
        .bd_in(".", &["--agent", "helper", "clone", "plain", "c"])
        .ok();
    let message = world
        .git_in("c", &["log", "-1", "--format=%B", "refs/beads/main"])
        .ok();
    assert!(message.contains("\nAgent: helper\n"), "{message}");
}
