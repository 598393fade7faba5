//! `snapshot`: what is worked on, as a file for clones that can't fetch issues.

use serde_json::{Value, json};

use crate::support::World;
use crate::support::clones::{create, failed, sync, two_clones};

const FILE: &str = ".git-beads/snapshot.jsonl";

fn world() -> World {
    let world = World::with_store();
    world
        .git(&["commit", "--quiet", "--allow-empty", "-m", "first"])
        .ok();
    world
}

/// The titles in a snapshot, and its first line.
fn read(text: &str) -> (Value, Vec<String>) {
    let mut lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let header = lines.next().unwrap();
    let titles = lines.filter_map(|line| Some(line["b"]["title"].as_str()?.to_owned()));
    let mut titles: Vec<String> = titles.collect();
    titles.sort();
    (header, titles)
}

#[test]
fn it_has_what_is_left_and_what_that_needs() {
    let world = world();
    let epic = world.create(&["epic", "-t", "epic"]);
    let part = world.create(&["part", "--parent", &epic]);
    let blocker = world.create(&["blocker"]);
    world.bd(&["dep", "add", &part, &blocker]).ok();
    world.bd(&["done", &blocker, "-r", "x"]).ok();
    world.bd(&["note", &part, "a finding"]).ok();
    for title in ["closed", "deleted"] {
        let id = world.create(&[title]);
        match title {
            "closed" => world.bd(&["done", &id, "-r", "x"]).ok(),
            _ => world.bd(&["delete", &id]).ok(),
        };
    }
    let text = world.bd(&["snapshot"]).ok();
    let (header, titles) = read(&text);
    assert_eq!(titles, ["blocker", "epic", "part"]);
    assert!(text.contains("a finding"));
    assert_eq!(
        (&header["beads"], &header["known"], &header["v"]),
        (&json!("snapshot"), &json!(5), &json!(1))
    );
    let tip = world.git(&["rev-parse", "refs/beads/main"]).ok();
    assert_eq!(header["tip"], tip.trim());
    let at = world
        .git(&["log", "-1", "--format=%ct", "refs/beads/main"])
        .ok();
    assert_eq!(header["at"].to_string(), at.trim());
    let (_, all) = read(&world.bd(&["snapshot", "--all"]).ok());
    assert_eq!(all, ["blocker", "closed", "deleted", "epic", "part"]);
    assert!(
        !world.path("repo/.git-beads").exists(),
        "nothing is written"
    );
}

#[test]
fn it_is_written_only_where_it_differs() {
    let world = world();
    world.create(&["x"]);
    let said = world.bd(&["snapshot", "--write"]).ok();
    assert_eq!(
        said,
        "1 of 1 issues are in .git-beads/snapshot.jsonl\nnext: git add .git-beads/snapshot.jsonl && git commit\n"
    );
    assert_eq!(world.git(&["diff", "--cached", "--name-only"]).ok(), "");
    let path = world.path(&format!("repo/{FILE}"));
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, world.bd(&["snapshot"]).ok());
    let said = world.bd(&["snapshot", "--write", "--json"]).json();
    assert_eq!(
        (&said["written"], &said["committed"], &said["next"]),
        (&json!(false), &json!(false), &json!("commit_file")),
        "{said}"
    );
    world.git(&["add", FILE]).ok();
    world.git(&["commit", "--quiet", "-m", "snapshot"]).ok();
    let said = world.bd(&["snapshot", "--write", "--json"]).json();
    assert_eq!(
        (&said["written"], &said["committed"], &said["next"]),
        (&json!(false), &json!(true), &json!("continue")),
        "{said}"
    );
    // Time alone changes nothing, a change does.
    world.pass(90_000);
    world.bd(&["snapshot", "--write"]).ok();
    assert_eq!(world.git(&["status", "--porcelain"]).ok(), "");
    world.create(&["y"]);
    world.bd(&["snapshot", "--write"]).ok();
    assert_eq!(
        world.git(&["status", "--porcelain"]).ok(),
        format!(" M {FILE}\n")
    );
    assert_eq!(
        world.bd(&["snapshot", "--write", "-q"]).ok(),
        format!("{FILE}\n")
    );
}

#[test]
fn what_is_in_its_place_and_is_none_stays() {
    let world = world();
    world.create(&["x"]);
    world.file(&format!("repo/{FILE}"), "mine\n");
    let error = failed(world.bd(&["snapshot", "--write", "--json"]), 6);
    assert_eq!(error["code"], "refused", "{error}");
    let text = std::fs::read_to_string(world.path(&format!("repo/{FILE}"))).unwrap();
    assert_eq!(text, "mine\n");
    // One that a merge of branches has left with its marks is one of ours.
    let marked = format!("<<<<<<< HEAD\n{}>>>>>>> b\n", world.bd(&["snapshot"]).ok());
    world.file(&format!("repo/{FILE}"), marked);
    world.bd(&["snapshot", "--write"]).ok();
    world.file("repo/.gitignore", "/.git-beads/\n");
    world.create(&["y"]);
    let said = world.bd(&["snapshot", "--write"]).ok();
    assert!(
        said.contains("git ignores that file by .gitignore:1:/.git-beads/"),
        "{said}"
    );
}

#[test]
fn it_needs_a_store_and_for_writing_a_work_tree() {
    let world = World::new();
    let error = failed(world.bd(&["snapshot", "--write", "--json"]), 4);
    assert_eq!(error["code"], "no_store", "{error}");
    let refused = failed(world.bd(&["snapshot", "--json"]), 2);
    assert_eq!(refused["code"], "usage", "{refused}");
    world
        .git_in(".", &["init", "--quiet", "--bare", "bare.git"])
        .ok();
    world.bd_in("bare.git", &["init"]).ok();
    let error = failed(
        world.bd_in("bare.git", &["snapshot", "--write", "--json"]),
        1,
    );
    assert!(
        error["hint"]
            .as_str()
            .unwrap()
            .starts_with("git beads snapshot prints it"),
        "{error}"
    );
    let printed = world.bd_in("bare.git", &["snapshot"]).ok();
    assert_eq!(printed.lines().count(), 2, "{printed}");
}

#[test]
fn a_team_opts_in_by_a_file_that_it_commits() {
    let world = world();
    world.create(&["x"]);
    let said = world.bd(&["setup", "snapshot"]).ok();
    assert!(
        said.starts_with(".git-beads/snapshot.jsonl: missing\n"),
        "{said}"
    );
    assert!(
        said.contains("everyone who can read this repository reads the texts"),
        "{said}"
    );
    assert!(
        said.ends_with("hint: git beads setup snapshot --write\n"),
        "{said}"
    );
    world.bd(&["setup", "snapshot", "--check"]).fails(1);
    assert!(!world.path("repo/.git-beads").exists());
    let said = world.bd(&["setup", "snapshot", "--write"]).ok();
    assert!(
        said.starts_with(".git-beads/snapshot.jsonl: created\n"),
        "{said}"
    );
    assert!(
        said.contains("hint: git add .git-beads/snapshot.jsonl && git commit\n"),
        "{said}"
    );
    world.bd(&["setup", "snapshot", "--check"]).ok();
    world.create(&["y"]);
    world.bd(&["setup", "snapshot", "--check"]).fails(1);
    let said = world
        .bd(&["setup", "snapshot", "--remove", "--json"])
        .json();
    assert_eq!(said["files"][0]["change"], "delete", "{said}");
    assert!(!world.path(&format!("repo/{FILE}")).exists());
    world.bd(&["setup", "snapshot", "--remove"]).ok();
}

#[test]
fn what_the_remote_lacks_is_named() {
    let world = two_clones();
    create(&world, "a", &["x"]);
    let said = world.bd_in("a", &["snapshot", "--write"]);
    let line = "warning: origin lacks 1 of these changes: git beads sync, then git beads snapshot --write\n";
    assert_eq!((said.code, said.stderr.as_str()), (0, line));
    sync(&world, &["a"]);
    let said = world.bd_in("a", &["snapshot", "--write"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
}
