//! Files that versions before this one have written: they are collected as those versions did.

use serde_json::{Value, json};

use super::carried::{FOLDER, commit, git};
use super::{export, work};
use crate::support::World;
use crate::support::clones::{create, sync, tip, two_clones};
use crate::support::older::OlderFile;

/// A lead `a`, the path of a file of an agent `b`, and what makes others of it.
fn carried_file() -> (World, String, OlderFile) {
    let world = two_clones();
    let issues: Vec<String> = ["x", "y"].map(|title| create(&world, "a", &[title])).into();
    sync(&world, &["a", "b"]);
    work(&world, "b", &issues);
    let file = OlderFile::carried(&world, "b");
    let path = format!("b/{FOLDER}/20261122T121530Z-ann-1f0c9a2b.jsonl");
    world.file(&path, file.text());
    (world, path, file)
}

#[test]
fn a_file_arrives_once_and_all_make_the_same_commit_of_it() {
    let (world, path, _) = carried_file();
    git(&world, ".", &["clone", "--quiet", "hub.git", "c"]);
    world.bd_in("c", &["init"]).ok();
    git(&world, "b", &["checkout", "--quiet", "-b", "work"]);
    commit(&world, "b");
    git(&world, "b", &["push", "--quiet", "origin", "work"]);
    for clone in ["a", "c"] {
        git(&world, clone, &["fetch", "--quiet", "origin"]);
        let said = world.bd_in(clone, &["pull"]).ok();
        assert!(said.contains("4 changes collected from work:"), "{said}");
        let said = world.bd_in(clone, &["pull"]).ok();
        assert!(!said.contains("collected"), "{said}");
    }
    assert_eq!(tip(&world, "a"), tip(&world, "c"));
    let log = world.bd_in("a", &["log"]).ok();
    assert!(log.contains("carried: 4 changes of Ann"), "{log}");
    // Its writer sends the same in commits of its own: no value is in conflict with itself.
    sync(&world, &["a", "b", "a", "c"]);
    for clone in ["b", "c"] {
        assert_eq!(export(&world, "a"), export(&world, clone), "{clone}");
    }
    assert_eq!(world.bd_in("a", &["conflicts", "-q"]).ok(), "");
    // On the branch that work lands on it is taken out.
    git(&world, "a", &["merge", "--quiet", "origin/work"]);
    let said = world.bd_in("a", &["carry", "--clean"]).ok();
    let name = path.strip_prefix("b/").unwrap();
    assert_eq!(said, format!("{name} removed\nnext: git commit\n"));
}

fn is_issue(line: &&mut Value) -> bool {
    line["p"].as_str().unwrap().ends_with("issue.json")
}

#[test]
fn a_file_that_does_not_pass_is_left_alone_and_the_rest_goes_on() {
    let (world, path, forger) = carried_file();
    let real = std::fs::read_to_string(world.path(&path)).unwrap();
    let foreign = "01K8G5S2F0000000000000003A";
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("edited", real.replacen("fixed", "fiXed", 2).into(), "edited after it was written"),
        ("digits", forger.with(|it| {
            let path = it.lines[0]["p"].as_str().unwrap().replacen("issues/", "issues/x", 1);
            it.lines[0]["p"] = path.into();
        }).into(), "no path of an issue"),
        ("code", forger.with(|it| it.lines[0]["p"] = "src/main.rs".into()).into(), "no path of an issue"),
        ("uid", forger.with(|it| {
            let line = it.lines.iter_mut().find(is_issue).unwrap();
            line["b"]["uid"] = foreign.into();
        }).into(), "its uid is not that of its path"),
        ("purge", forger.with(|it| {
            let line = it.lines.iter_mut().find(is_issue).unwrap();
            line["b"] = json!({"v": 1, "min_reader": 1, "uid": line["b"]["uid"], "purged": line["b"]["at"]["*"]});
        }).into(), "texts are removed by those who may push alone"),
        ("store", forger.with(|it| it.header["stores"] = json!([foreign])).into(), "another store"),
        ("base", forger.with(|it| it.header["base"] = "1".repeat(40).into()).into(), "its base has not arrived"),
        ("foreign-base", forger.with(|it| {
            it.header["base"] = git(&world, "a", &["rev-parse", "HEAD"]).trim().into();
        }).into(), "no commit of these issues"),
        ("order", forger.with(|it| it.lines.swap(0, 1)).into(), "out of order"),
        ("newer", forger.with(|it| it.header["v"] = 2.into()).into(), "newer git-beads"),
        ("empty", forger.with(|it| it.lines.clear()).into(), "it holds nothing"),
        ("time", forger.with(|it| it.header["at"] = (-1).into()).into(), "beyond the limits"),
        ("text", b"\xff\xfe".to_vec(), "it is not UTF-8"),
        ("json", b"[[[[".to_vec(), "no carry file"),
    ];
    git(&world, "a", &["checkout", "--quiet", "-b", "hostile"]);
    for (name, text, _) in &cases {
        world.file(&format!("a/{FOLDER}/{name}.jsonl"), text);
    }
    commit(&world, "a");
    git(&world, "a", &["push", "--quiet", "origin", "hostile"]);
    create(&world, "a", &["Goes on"]);
    let before = export(&world, "a");
    let said = world.bd_in("a", &["sync", "--json"]).json();
    assert_eq!(said["sent"], 1, "{said}");
    let left = said["left"].as_array().unwrap();
    assert_eq!(left.len(), cases.len(), "{said}");
    for (name, _, why) in &cases {
        let from = format!("hostile:{FOLDER}/{name}.jsonl");
        let left = left
            .iter()
            .find(|left| left["from"] == from.as_str())
            .unwrap();
        assert!(left["why"].as_str().unwrap().contains(why), "{left}");
        assert_eq!(left["code"] == "edited", *name == "edited", "{left}");
    }
    assert_eq!(export(&world, "a"), before);
    // Ends of lines and white space are what a checkout changes: such a file is the same.
    let crlf = real.replace("\",\"", "\", \"").replace('\n', "\r\n");
    let file = world.file("crlf.jsonl", format!("\u{feff}{crlf}\r\n"));
    let said = world.bd_in("a", &["collect", "--file", &file]).ok();
    assert!(said.contains("4 changes collected from "), "{said}");
    let said = world
        .bd_in(
            "a",
            &[
                "collect",
                "--file",
                &world.path(&path).display().to_string(),
            ],
        )
        .ok();
    assert!(!said.contains("collected"), "{said}");
}

#[test]
fn files_that_cannot_be_merged_together_hold_up_no_other() {
    let (world, path, forger) = carried_file();
    let real = std::fs::read_to_string(world.path(&path)).unwrap();
    // The labels of both would be more than an issue can have.
    let labelled = |from: usize| {
        forger.with(|it| {
            let issue = &mut it.lines.iter_mut().find(is_issue).unwrap()["b"];
            let at = issue["at"]["*"].as_str().unwrap();
            let member = |n: usize| (format!("label {n}"), json!(format!("+{at}")));
            issue["set:labels"] = Value::Object((from..from + 66_000).map(member).collect());
        })
    };
    let files = [
        ("one", labelled(0)),
        ("other", labelled(66_000)),
        ("real", real),
    ];
    let files = files.map(|(name, text)| world.file(name, text));
    let mut args = vec!["collect", "--json"];
    args.extend(files.iter().flat_map(|file| ["--file", file]));
    let said = world.bd_in("a", &args).json();
    let collected = said["collected"].as_array().unwrap();
    let from: Vec<&str> = collected
        .iter()
        .map(|it| it["from"].as_str().unwrap())
        .collect();
    assert_eq!(from, ["WORLD/one", "WORLD/real"], "{said}");
    assert_eq!(said["left"][0]["from"], "WORLD/other", "{said}");
    let why = said["left"][0]["why"].as_str().unwrap();
    assert!(why.contains("the limit is 131072"), "{said}");
    let listed = world.bd_in("a", &["list", "--all", "--json"]).ok();
    assert!(listed.contains("new in the sandbox"), "{listed:.300}");
}
