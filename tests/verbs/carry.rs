//! `carry`: writes what no remote takes into a file of the work tree.

use crate::support::World;
use crate::support::clones::{create, failed, sync, two_clones};

#[test]
fn what_others_lack_is_written_and_named() {
    let world = two_clones();
    let error = failed(world.bd_in("b", &["carry", "--json"]), 1);
    assert_eq!(error["code"], "not_found", "{error}");
    create(&world, "b", &["Not sent"]);
    let dry = world.bd_in("b", &["carry", "--dry-run"]).ok();
    assert!(dry.ends_with("(nothing was changed)\n"), "{dry}");
    assert!(!world.path("b/.git-beads").exists());
    let said = world.bd_in("b", &["carry", "--json"]).json();
    assert_eq!(
        (
            &said["issues"],
            &said["changes"],
            &said["committed"],
            &said["next"]
        ),
        (&1.into(), &1.into(), &false.into(), &"commit_file".into()),
        "{said}"
    );
    let file = world.path(&format!("b/{}", said["file"].as_str().unwrap()));
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(said["bytes"], text.len(), "{said}");
    assert_eq!(world.bd_in("b", &["carry", "--stdout"]).ok(), text);
    assert!(text.starts_with("git-beads bundle 1\nBase: "), "{text}");
    assert!(text.lines().all(|line| line.len() <= 76), "{text}");
}

#[test]
fn the_same_changes_are_the_same_bytes() {
    let world = two_clones();
    for n in 0..30 {
        create(
            &world,
            "b",
            &[&format!("Issue {n}"), "-d", &format!("Text {n}")],
        );
    }
    world.git_in("b", &["config", "pack.threads", "8"]).ok();
    let write = || world.bd_in("b", &["carry", "--full"]).ok();
    let first = write();
    for _ in 0..4 {
        assert!(first == write(), "the bytes are others");
    }
}

#[test]
fn a_rule_that_ignores_the_file_is_named() {
    let world = two_clones();
    create(&world, "b", &["Not sent"]);
    world.file("b/.gitignore", "/.git-beads/\n");
    let said = world.bd_in("b", &["carry"]).ok();
    assert!(
        said.contains("git ignores that file by .gitignore:1:/.git-beads/"),
        "{said}"
    );
}

#[test]
fn a_store_that_no_one_ever_had_is_not_carried() {
    let world = World::with_store();
    world.create(&["x"]);
    let error = failed(world.bd(&["carry", "--json"]), 1);
    assert_eq!(error["code"], "invalid", "{error}");
}

#[test]
fn files_that_have_arrived_are_taken_out_on_the_branch_that_work_lands_on() {
    let world = two_clones();
    create(&world, "b", &["Not sent"]);
    world.bd_in("b", &["carry"]).ok();
    world.git_in("b", &["add", ".git-beads"]).ok();
    world.git_in("b", &["commit", "--quiet", "-m", "work"]).ok();
    let none = "no carry file is here whose changes the remote has\n";
    assert_eq!(world.bd_in("b", &["carry", "--clean"]).ok(), none);
    world
        .git_in("b", &["push", "--quiet", "origin", "main"])
        .ok();
    world.git_in("a", &["pull", "--quiet"]).ok();
    sync(&world, &["a", "b"]);
    let dry = world.bd_in("b", &["carry", "--clean", "--dry-run"]).ok();
    assert!(dry.starts_with("git rm -- .git-beads/carry/"), "{dry}");
    let said = world.bd_in("b", &["carry", "--clean"]).ok();
    assert!(said.ends_with("removed\nnext: git commit\n"), "{said}");
    let status = world.git_in("b", &["status", "--porcelain"]).ok();
    assert!(status.starts_with("D  .git-beads/carry/"), "{status}");
    world
        .git_in("b", &["checkout", "--quiet", "-b", "other"])
        .ok();
    let error = failed(world.bd_in("b", &["carry", "--clean", "--json"]), 1);
    assert!(
        error["message"].as_str().unwrap().contains("this is other"),
        "{error}"
    );
}

#[test]
fn a_file_is_taken_over_where_there_is_no_remote() {
    let world = two_clones();
    let id = create(&world, "b", &["Not sent"]);
    let text = world.bd_in("b", &["carry", "--stdout"]).ok();
    let file = world.file("some.jsonl", &text);
    world.git_in("a", &["remote", "remove", "origin"]).ok();
    let said = world.bd_in("a", &["collect", "--file", &file]).ok();
    assert_eq!(said, "1 change collected from WORLD/some.jsonl\n");
    assert!(world.bd_in("a", &["list", "-q"]).ok().contains(&id));
    let again = world.bd_in("a", &["collect", "--file", &file]).ok();
    assert_eq!(again, "nothing waits\n");
    let missing = failed(
        world.bd_in("a", &["collect", "--file", "none", "--json"]),
        1,
    );
    assert_eq!(missing["code"], "not_found", "{missing}");
}
