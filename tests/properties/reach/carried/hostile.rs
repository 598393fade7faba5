//! Files, folders and names that strangers have written: none changes an issue, a file elsewhere, or a terminal.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::super::export;
use super::{FOLDER, carry, commit, enter, git, lead_and_agent};
use crate::support::World;
use crate::support::clones::{create, two_clones};

/// A file as text, and what makes another one of it.
pub(in crate::properties::reach) struct Forger {
    pub(in crate::properties::reach) header: Value,
    pub(in crate::properties::reach) lines: Vec<Value>,
}

impl Forger {
    pub(in crate::properties::reach) fn of(world: &World, path: &str) -> Self {
        let text = std::fs::read_to_string(world.path(path)).unwrap();
        let mut lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let header = lines.next().unwrap();
        let lines = lines.collect();
        Self { header, lines }
    }

    /// Returns the text, with a sum that fits.
    pub(in crate::properties::reach) fn text(&self) -> String {
        let lines: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        let sum: String = Sha256::digest(lines.as_bytes())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let mut header = self.header.clone();
        header["sum"] = sum.into();
        format!("{header}\n{lines}")
    }

    pub(in crate::properties::reach) fn with(&self, change: impl FnOnce(&mut Self)) -> String {
        let mut other = Self {
            header: self.header.clone(),
            lines: self.lines.clone(),
        };
        change(&mut other);
        other.text()
    }
}

/// A lead, the path of a file that an agent carries, and what makes others of it.
fn carried_file() -> (World, String, Forger) {
    let (world, _) = lead_and_agent();
    let path = format!("b/{}", carry(&world, "b"));
    let forger = Forger::of(&world, &path);
    (world, path, forger)
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
        ("large", vec![b'x'; 17 << 20], "the limit is 16777216"),
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

#[test]
fn a_large_file_waits_for_the_word_of_a_person() {
    let world = two_clones();
    let lines: String = (0..201).map(|n| format!("{{\"id\":\"im-{n}\",\"title\":\"Issue {n}\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\"}}\n")).collect();
    let file = world.file("many.jsonl", lines);
    enter(&world, "b");
    world.bd_in("b", &["import", &file]).ok();
    let path = carry(&world, "b");
    // Who names the branch says nothing to the shell of who follows the hint.
    let strange = "work:refs/heads/$(x)";
    git(&world, "b", &["push", "--quiet", "../hub.git", strange]);
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    let said = world.bd_in("a", &["sync", "--json"]).json();
    assert_eq!(said["left"][0]["code"], "held", "{said}");
    let why = said["left"][0]["why"].as_str().unwrap();
    let hint = "git beads collect --branch '$(x)' --large";
    assert!(why.contains(hint), "{said}");
    assert_eq!(world.bd_in("a", &["list", "-q"]).ok(), "");
    let path = world.path(&format!("b/{path}")).display().to_string();
    world
        .bd_in("a", &["collect", "--file", &path, "--large"])
        .ok();
    assert_eq!(export(&world, "a"), export(&world, "b"));
    assert!(!world.bd_in("a", &["sync"]).ok().contains("left alone"));
}

#[test]
fn a_link_in_the_place_of_the_folder_is_refused() {
    let (world, _) = lead_and_agent();
    std::fs::create_dir(world.path("elsewhere")).unwrap();
    let link = std::os::unix::fs::symlink(world.path("elsewhere"), world.path("b/.git-beads"));
    link.unwrap();
    let said = world.bd_in("b", &["carry"]).fails(6);
    assert!(said.contains("is not a folder"), "{said}");
    assert_eq!(
        std::fs::read_dir(world.path("elsewhere")).unwrap().count(),
        0
    );
}

#[test]
fn a_name_that_a_stranger_has_chosen_is_in_no_command() {
    let (world, _) = lead_and_agent();
    let path = carry(&world, "b");
    let name = path.rsplit('/').next().unwrap();
    let (_, sum) = name.rsplit_once('-').unwrap();
    let text = std::fs::read(world.path(&format!("b/{path}"))).unwrap();
    let strange = format!("x;touch owned;\u{1b}[31m-{sum}");
    for name in [name, &strange] {
        world.file(&format!("a/{FOLDER}/{name}"), &text);
    }
    commit(&world, "a");
    git(&world, "a", &["push", "--quiet", "origin", "main"]);
    world.bd_in("a", &["collect", "--head"]).ok();
    let said = world.bd_in("a", &["carry", "--clean", "--dry-run"]).ok();
    assert_eq!(said, format!("git rm -- {path}\n"));
    let said = world.bd_in("a", &["carry", "--clean"]).ok();
    assert_eq!(said, format!("{path} removed\nnext: git commit\n"));
    // Nor is it named as the file that holds what is here.
    git(&world, "b", &["mv", &path, &format!("{FOLDER}/{strange}")]);
    git(&world, "b", &["commit", "--quiet", "-m", "renamed"]);
    let said = world.bd_in("b", &["carry"]).ok();
    assert!(said.contains(&path) && !said.contains("touch"), "{said}");
}

#[test]
fn a_copy_under_a_bad_name_stands_for_no_file() {
    let (world, _) = lead_and_agent();
    let path = carry(&world, "b");
    let text = std::fs::read(world.path(&format!("b/{path}"))).unwrap();
    // The branch that is looked at first has the copy alone.
    git(&world, "a", &["checkout", "--quiet", "-b", "aa-other"]);
    world.file(&format!("a/{FOLDER}/a copy.jsonl"), &text);
    commit(&world, "a");
    git(&world, "a", &["push", "--quiet", "origin", "aa-other"]);
    let refspec = "work:refs/heads/zz-agent";
    git(&world, "hub.git", &["fetch", "--quiet", "../b", refspec]);
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(
        said.contains("4 changes collected from zz-agent:"),
        "{said}"
    );
    assert!(
        said.contains("a copy.jsonl left alone: a bad name"),
        "{said}"
    );
}

#[test]
fn a_link_in_the_place_of_a_file_is_not_followed() {
    let (world, _) = lead_and_agent();
    let name = world.bd_in("b", &["carry", "--dry-run", "-q"]).ok();
    std::fs::create_dir_all(world.path(&format!("b/{FOLDER}"))).unwrap();
    world.file("elsewhere", "mine");
    let place = world.path(&format!("b/{}", name.trim()));
    std::os::unix::fs::symlink(world.path("elsewhere"), place).unwrap();
    let said = world.bd_in("b", &["carry"]).fails(6);
    assert!(said.contains("is not a file"), "{said}");
    let text = std::fs::read_to_string(world.path("elsewhere"));
    assert_eq!(text.unwrap(), "mine");
}

#[test]
fn what_is_left_alone_is_named_once_unless_it_is_asked_for() {
    let (world, _) = lead_and_agent();
    let path = carry(&world, "b");
    world.file(&format!("b/{path}"), "no carry file\n");
    commit(&world, "b");
    let refspec = "work:refs/heads/work";
    git(&world, "hub.git", &["fetch", "--quiet", "../b", refspec]);
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    let left = |args: &[&str]| {
        let said = world.bd_in("a", args).json();
        said["left"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(left(&["sync", "--dry-run", "--json"]), 1);
    assert_eq!(left(&["sync", "--json"]), 1);
    assert_eq!(left(&["sync", "--json"]), 0);
    assert_eq!(left(&["collect", "--json"]), 1);
    // The branch moves on, and the file with it.
    git(
        &world,
        "b",
        &["commit", "--quiet", "--allow-empty", "-m", "more"],
    );
    git(&world, "hub.git", &["fetch", "--quiet", "../b", refspec]);
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    assert_eq!(left(&["sync", "--json"]), 0);
    // Another one is named.
    world.file(&format!("b/{path}"), "none either\n");
    commit(&world, "b");
    git(&world, "hub.git", &["fetch", "--quiet", "../b", refspec]);
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    assert_eq!(left(&["sync", "--json"]), 1);
}
