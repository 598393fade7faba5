//! What `doctor` says of the surroundings: each finding names its command.

use crate::support::World;
use crate::support::plumbing::{git, hub};

#[track_caller]
fn finds(world: &World, code: &str, parts: &[&str]) {
    let before = git(world, &["for-each-ref"]);
    let said = world.bd(&["doctor", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let findings = found["findings"].as_array().cloned().unwrap_or_default();
    let finding = findings.iter().find(|finding| finding["code"] == code);
    let text = finding
        .unwrap_or_else(|| panic!("no {code}: {said:?}"))
        .to_string();
    parts
        .iter()
        .for_each(|part| assert!(text.contains(part), "{part}: {text}"));
    assert_eq!((said.code, said.stderr.as_str()), (1, ""));
    assert_eq!(git(world, &["for-each-ref"]), before, "it only looks");
}

#[test]
fn a_healthy_store_has_no_findings() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    world.bd(&["start", &id]).ok();
    hub(&world);
    assert!(world.bd(&["doctor"]).ok().contains("no problems"));
}

/// Asserts that the doctor says something that is no problem.
#[track_caller]
fn notes(world: &World, expected: &[&str]) {
    let said = world.bd(&["doctor"]).ok();
    assert!(said.contains(": no problems\n"), "{said}");
    for text in expected {
        assert!(said.contains(text), "{said}");
    }
}

#[test]
fn stale_claims_are_named() {
    let mut world = World::with_store();
    for n in 0..7 {
        let id = world.create(&[&format!("Issue {n}")]);
        world.bd(&["start", &id]).ok();
    }
    world.set("GIT_BEADS_NOW", "1796383200000");
    world.bd(&["doctor"]).ok();
    git(&world, &["config", "beads.stale", "10"]);
    notes(
        &world,
        &[
            "7 in progress and not changed for 10 days",
            ", ...: git beads list -s in_progress --stale 10d",
        ],
    );
}

#[test]
fn unsynced_work_is_named() {
    let world = World::with_store();
    world.create(&["One"]);
    hub(&world);
    git(&world, &["remote", "add", "fork", "../fork.git"]);
    world.create(&["Two"]);
    notes(
        &world,
        &["origin lacks 1 change: git beads sync --remote origin"],
    );
    git(&world, &["config", "beads.remote", "fork"]);
    notes(&world, &["was ever sent to fork"]);
}

#[test]
fn two_stores_are_named() {
    let world = World::with_store();
    world.file("repo/.beads/issues.jsonl", "");
    finds(&world, "two_stores", &[".beads too", "git beads import "]);
    // What it names must be found from a folder below as well.
    std::fs::create_dir(world.path("repo/below")).unwrap();
    let said = world.bd_in("repo/below", &["doctor"]);
    let said = format!("{}{}", said.stdout, said.stderr);
    let at = said
        .find("git beads import /")
        .or_else(|| said.find("git beads import WORLD"));
    assert!(at.is_some(), "{said}");
    std::fs::remove_dir_all(world.path("repo/.beads")).unwrap();
    git(&world, &["init", "--quiet", "--bare", "../hub.git"]);
    git(&world, &["remote", "add", "origin", "../hub.git"]);
    git(&world, &["init", "--quiet", "../other"]);
    git(
        &world,
        &["-C", "../other", "remote", "add", "origin", "../hub.git"],
    );
    world.bd_in("other", &["init"]).ok();
    world.bd_in("other", &["sync"]).ok();
    let _ = world.bd(&["fetch"]);
    finds(
        &world,
        "two_stores",
        &[
            "origin has a store that was created separately",
            "git beads sync --remote origin --adopt",
        ],
    );
}

#[test]
fn a_file_in_place_of_the_folder_is_found_from_a_linked_work_tree() {
    let world = World::with_store();
    git(&world, &["commit", "-q", "--allow-empty", "-m", "Root"]);
    git(&world, &["worktree", "add", "--quiet", "../tree", "HEAD"]);
    let folder = world.path("repo/.git/beads");
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "").unwrap();
    let said = world.bd_in("tree", &["doctor"]);
    let said = format!("{}{}", said.stdout, said.stderr);
    assert!(!said.contains("ls -l .git/beads"), "{said}");
    assert!(
        said.contains("check what is in its place: ls -l ") && said.contains("repo/.git/beads\n"),
        "{said}"
    );
}

#[test]
fn a_missing_refspec_is_named() {
    let world = World::with_store();
    hub(&world);
    git(&world, &["config", "beads.trackFetch", "true"]);
    finds(
        &world,
        "refspec",
        &[
            "a fetch from origin brings no issues",
            "git beads sync --remote origin",
        ],
    );
    world.bd(&["sync"]).ok();
    world.bd(&["doctor"]).ok();
}

#[test]
fn another_program_of_the_same_name_is_named() {
    let mut world = World::with_store();
    world.executable("bin/git-beads", "#!/bin/sh\n");
    let others = world.search_path(false);
    world.set("PATH", &format!("{}:{others}", world.path("bin").display()));
    finds(&world, "path", &["runs", "bin/git-beads, not", "version"]);
    world.set("PATH", &others);
    finds(&world, "path", &["not on the PATH", "export PATH="]);
}
