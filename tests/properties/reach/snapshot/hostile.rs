//! Snapshot files that strangers have written or edited: none begins a store, and each is named.

use serde_json::{Value, json};

use super::{FILE, git, lead, push, sandbox};
use crate::support::World;
use crate::support::clones::{create, tip};
use crate::support::older::OlderFile;

/// Lets a sandbox begin from a file; returns what is said.
#[track_caller]
fn begin(world: &World, name: &str, text: &[u8]) -> (String, i32) {
    world.file(&format!("a/{FILE}"), text);
    push(world);
    sandbox(world, name);
    let said = world.bd_in(name, &["list"]);
    (said.stderr, said.code)
}

#[test]
fn a_file_that_does_not_pass_begins_nothing() {
    let (world, _) = lead();
    let forger = OlderFile::snapshot(&world, "a");
    let real = std::fs::read_to_string(world.path(&format!("a/{FILE}"))).unwrap();
    let is_issue = |line: &&mut Value| line["p"].as_str().unwrap().ends_with("issue.json");
    let is_meta = |line: &Value| line["p"] == "meta.json";
    let foreign = "01K8G5S2F0000000000000003A";
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        (
            "edited",
            real.replacen("\"title\":\"x\"", "\"title\":\"q\"", 1)
                .into(),
            "edited after it was written",
        ),
        (
            "path",
            forger.with(|it| it.lines[0]["p"] = "../../x".into()).into(),
            "no path of an issue",
        ),
        (
            "uid",
            forger
                .with(|it| {
                    let line = it.lines.iter_mut().find(is_issue).unwrap();
                    line["b"]["uid"] = foreign.into();
                })
                .into(),
            "its uid is not that of its path",
        ),
        (
            "purge",
            forger
                .with(|it| {
                    let line = it.lines.iter_mut().find(is_issue).unwrap();
                    line["b"]["purged"] = line["b"]["at"]["*"].clone();
                })
                .into(),
            "left alone",
        ),
        (
            "meta",
            forger
                .with(|it| it.lines.retain(|line| !is_meta(line)))
                .into(),
            "there is no meta.json",
        ),
        (
            "order",
            forger.with(|it| it.lines.reverse()).into(),
            "out of order",
        ),
        (
            "newer",
            forger.with(|it| it.header["v"] = 2.into()).into(),
            "written by a newer git-beads",
        ),
        (
            "kind",
            forger.with(|it| it.header["beads"] = "carry".into()).into(),
            "it is no snapshot file",
        ),
        (
            "tip",
            forger.with(|it| it.header["tip"] = "12".into()).into(),
            "its first line is not sound",
        ),
        (
            "length",
            forger
                .with(|it| it.header["tip"] = "1".repeat(64).into())
                .into(),
            "its tip is no commit",
        ),
        (
            "known",
            forger
                .with(|it| it.header["known"] = json!(1u64 << 60))
                .into(),
            "its first line is not sound",
        ),
        (
            "large",
            vec![b' '; 17 << 20],
            "17825792 bytes; the limit is 16777216",
        ),
        ("bytes", b"\xff\xfe\x00".to_vec(), "it is not UTF-8"),
        ("empty", b"\n".to_vec(), "it is no snapshot file"),
        (
            "escape",
            forger
                .with(|it| it.lines[0]["p"] = "\u{1b}[31m".into())
                .into(),
            "no path of an issue",
        ),
    ];
    for (name, text, why) in cases {
        let (said, code) = begin(&world, name, &text);
        assert!(
            said.contains(&format!("{FILE} left alone: ")),
            "{name}: {said}"
        );
        assert!(said.contains(why), "{name}: {said}");
        assert!(!said.contains('\u{1b}'), "{name}: {said}");
        assert_eq!(code, 4, "{name}: {said}");
        let refs = git(&world, name, &["for-each-ref", "refs/beads"]);
        assert_eq!(refs, "", "{name}");
    }
    // White space and ends of lines do not matter.
    let (said, code) = begin(&world, "crlf", real.replace('\n', "\r\n").as_bytes());
    assert_eq!(code, 0, "{said}");
}

#[test]
fn a_link_in_its_place_is_not_followed() {
    let (world, _) = lead();
    std::fs::remove_file(world.path(&format!("a/{FILE}"))).unwrap();
    std::os::unix::fs::symlink("../README", world.path(&format!("a/{FILE}"))).unwrap();
    push(&world);
    sandbox(&world, "s");
    assert_eq!(world.bd_in("s", &["list"]).code, 4);
}

#[test]
fn a_name_that_the_other_history_lacks_decides_nothing() {
    let (world, issues) = lead();
    let forger = OlderFile::snapshot(&world, "a");
    // The commit of the user's branch is here too, and is no commit of these issues.
    let other = git(&world, "a", &["rev-parse", "HEAD"]).trim().to_owned();
    let text = forger.with(|it| it.header["tip"] = other.into());
    world.file(&format!("a/{FILE}"), text);
    push(&world);
    git(&world, ".", &["clone", "--quiet", "hub.git", "s"]);
    world.bd_in("s", &["list"]).ok();
    world.bd_in("s", &["update", &issues[0], "-p", "0"]).ok();
    create(&world, "s", &["new"]);
    world.bd_in("s", &["sync"]).ok();
    world.bd_in("a", &["sync"]).ok();
    assert_eq!(tip(&world, "s"), tip(&world, "a"));
    world.bd_in("a", &["doctor"]).ok();
}
