//! What the scripts are told: `git beads __complete`.

use std::fmt::Write as _;

use super::hostile;
use crate::support::World;
use crate::support::look::named;

fn told(world: &World, folder: &str, words: &[&str]) -> Vec<String> {
    let mut all = vec!["__complete", "--"];
    all.extend(words);
    let output = world.bd_in(folder, &all);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    output
        .stdout
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

fn words(world: &World, words: &[&str]) -> Vec<String> {
    let told = told(world, "repo", words);
    told.iter()
        .map(|line| line.split('\t').next().unwrap().to_owned())
        .collect()
}

#[test]
fn every_verb_completes_and_none_that_is_hidden() {
    let world = World::new();
    let verbs = words(&world, &["git-beads", ""]);
    let help = world.bd(&["help"]).ok();
    for verb in help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
    {
        let verb = verb.split_whitespace().next().unwrap();
        assert!(verbs.iter().any(|known| known == verb), "{verb}");
    }
    assert!(
        !verbs
            .iter()
            .any(|verb| verb == "hook" || verb.starts_with('_'))
    );
    for (alias, verb) in [
        ("new", "create"),
        ("claim", "start"),
        ("fsck", "doctor"),
        ("grep", "search"),
    ] {
        assert!(
            words(&world, &["git-beads", alias]).contains(&alias.to_owned()),
            "{alias} of {verb}"
        );
        assert_eq!(
            words(&world, &["git-beads", alias, "--ac"]),
            words(&world, &["git-beads", verb, "--ac"])
        );
    }
}

#[test]
fn every_verb_about_issues_completes_their_ids() {
    let world = World::with_store();
    named(&world, "bd-open", &["Open"]);
    named(&world, "bd-gone", &["Gone"]);
    named(&world, "bd-done", &["Done"]);
    world.bd(&["delete", "bd-gone"]).ok();
    world.bd(&["done", "bd-done"]).ok();
    for verb in "show update edit start note redact done block unblock defer delete rename link split label assign \
                 priority log purge resolve conflicts"
        .split_whitespace()
    {
        assert_eq!(words(&world, &["git-beads", verb, ""]), ["bd-open"], "{verb}");
    }
    for above in [
        &["create", "T", "--parent"][..],
        &["q", "T", "--on"],
        &["dep", "add"],
        &["list", "--parent"],
    ] {
        assert_eq!(
            words(&world, &[&["git-beads"], above, &[""]].concat()),
            ["bd-open"],
            "{above:?}"
        );
    }
    assert_eq!(
        words(&world, &["git-beads", "update", "bd-open", ""]),
        ["bd-open"]
    );
    assert_eq!(
        words(&world, &["git-beads", "q", "T", "--on", "bd-open", ""]),
        ["bd-open"]
    );
    assert_eq!(
        words(&world, &["git-beads", "rename", "bd-open", ""]),
        [""; 0]
    );
    assert_eq!(
        words(&world, &["git-beads", "note", "bd-open", "--finding", ""]),
        [""; 0]
    );
}

#[test]
fn open_issues_come_first_and_ended_ones_where_they_are_meant() {
    let world = World::with_store();
    for (id, priority) in [("bd-a", "3"), ("bd-b", "0"), ("bd-c", "0"), ("bd-d", "0")] {
        named(&world, id, &[id, "-p", priority]);
    }
    world.bd(&["done", "bd-c"]).ok();
    world.bd(&["delete", "bd-d"]).ok();
    assert_eq!(words(&world, &["git-beads", "show", ""]), ["bd-b", "bd-a"]);
    assert_eq!(
        words(&world, &["git-beads", "show", "bd"]),
        ["bd-b", "bd-a", "bd-c"]
    );
    assert_eq!(
        words(&world, &["git-beads", "done", "bd"]),
        ["bd-b", "bd-a"]
    );
    assert_eq!(words(&world, &["git-beads", "reopen", ""]), ["bd-c"]);
    assert_eq!(words(&world, &["git-beads", "restore", ""]), ["bd-d"]);
    assert_eq!(words(&world, &["git-beads", "purge", "bd-"]).len(), 4);
}

#[test]
fn values_come_from_the_vocabularies_and_from_the_store() {
    let world = World::with_store();
    named(&world, "bd-a", &["A", "-l", "web", "-a", "Ann Lee"]);
    world.git(&["remote", "add", "hub", "../hub"]).ok();
    for (line, expected) in [
        (&["list", "-s", "in"][..], &["in_progress"][..]),
        (&["list", "-sin", "-t", "e"], &["epic"]),
        (&["priority", "bd-a", ""], &["P0", "P1", "P2", "P3", "P4"]),
        (&["label", "bd-a", ""], &["web"]),
        (&["assign", "bd-a", ""], &["me", "none", "Ann Lee"]),
        (&["push", "--remote", ""], &["hub"]),
        (&["completion", ""], &["bash", "zsh", "fish"]),
        (
            &["setup", "c"],
            &["claude", "codex", "cursor", "copilot", "continue"],
        ),
        (&["setup", "claude", ""], &[]),
        (&["mcp", "--profile", "l"], &["lazy"]),
        (&["schema", "sho"], &["show"]),
        (&["list", "--color", "a"], &["auto", "always"]),
        (&["list", "--json=p"], &["--json=pretty"]),
        (&["list", "--", "--st"], &[]),
        (&["version", ""], &[]),
        (&["list", "-="], &[]),
        (&["list", "--=x"], &[]),
    ] {
        assert_eq!(
            words(&world, &[&["git-beads"], line].concat()),
            expected,
            "{line:?}"
        );
    }
    assert_eq!(
        told(&world, "repo", &["git-beads", "export", ""]),
        ["\tfiles"]
    );
    assert_eq!(told(&world, "repo", &["git-beads", "-C", ""]), ["\tfiles"]);
}

#[test]
fn the_repository_is_the_one_that_the_line_names() {
    let world = World::with_store();
    named(&world, "bd-a", &["A"]);
    let expected = ["bd-a\tA"];
    for line in [
        &["git", "-C", "../repo", "beads", "show", ""][..],
        &[
            "git",
            "-C",
            "..",
            "--no-pager",
            "-c",
            "a.b=c",
            "-C",
            "repo",
            "beads",
            "show",
            "",
        ],
        &["git", "-C", "~/../repo", "beads", "show", ""],
        &["git", "--git-dir=../repo/.git", "beads", "show", ""],
        &["git", "--git-dir", "../repo/.git", "beads", "show", ""],
        &["/usr/bin/git-beads", "-C", "../repo", "show", ""],
        &["git-beads", "show", "-C../repo", ""],
    ] {
        assert_eq!(told(&world, "home", line), expected, "{line:?}");
    }
}

#[test]
fn nothing_is_said_where_there_is_nothing_to_say() {
    let world = World::new();
    std::fs::create_dir(world.path("outside")).unwrap();
    for (folder, line) in [
        ("repo", &["git-beads", "show", ""][..]),
        ("outside", &["git-beads", "show", ""]),
        ("outside", &["git-beads", "-C", "nowhere", "show", ""]),
        ("outside", &["git-beads", "list", "-l", ""]),
        ("outside", &["git-beads", "sync", "--remote", ""]),
        ("outside", &["git-beads", "nonsense", ""]),
        ("outside", &["git", "-C"]),
        ("outside", &["git"]),
        ("outside", &[]),
    ] {
        let told = told(&world, folder, line);
        assert!(told.is_empty() || line.len() < 3, "{line:?}: {told:?}");
    }
    assert!(!world.path("repo/.git/beads").exists());
}

#[test]
fn a_key_press_changes_nothing() {
    let world = World::with_store();
    named(&world, "bd-a", &["A"]);
    let state = || {
        (
            world.git(&["for-each-ref"]).ok(),
            world.git(&["count-objects", "-v"]).ok(),
        )
    };
    let before = state();
    assert_eq!(words(&world, &["git-beads", "show", ""]), ["bd-a"]);
    assert_eq!(state(), before);
}

#[test]
fn without_an_index_nothing_is_said_and_none_is_made() {
    let world = World::with_store();
    named(&world, "bd-a", &["A", "-l", "web"]);
    let folder = world.path("repo/.git/beads");
    std::fs::remove_dir_all(&folder).unwrap();
    for line in [
        &["show", ""][..],
        &["list", "-l", ""],
        &["list", "-a", "x"],
        &["nonsense", ""],
    ] {
        let words = [&["__complete", "--", "git-beads"], line].concat();
        assert_eq!(world.bd(&words).all(), "", "{line:?}");
        assert!(!folder.exists());
    }
    world.bd(&["list"]).ok();
    assert_eq!(words(&world, &["git-beads", "show", ""]), ["bd-a"]);
}

#[test]
fn there_are_never_more_than_two_hundred() {
    let world = World::with_store();
    let mut lines = String::new();
    for n in 0..1300 {
        let (at, status) = (
            "2026-01-01T00:00:00Z",
            if n < 150 { "open" } else { "closed" },
        );
        writeln!(lines, r#"{{"id":"bd-{n:04}","title":"T{n}","status":"{status}","issue_type":"task","priority":2,"created_at":"{at}","updated_at":"{at}"}}"#)
            .unwrap();
    }
    let file = world.file("many.jsonl", lines);
    world.bd(&["import", &file]).ok();
    assert_eq!(words(&world, &["git-beads", "show", ""]).len(), 150);
    let all = words(&world, &["git-beads", "show", "bd"]);
    assert_eq!(
        (all.len(), all[149].as_str(), all[150].as_str()),
        (200, "bd-0149", "bd-0150")
    );
    let few = words(&world, &["git-beads", "show", "bd-01"]);
    assert_eq!(
        (few.len(), few[0].as_str(), few[99].as_str()),
        (100, "bd-0100", "bd-0199")
    );
}

#[test]
fn titles_are_one_harmless_line() {
    let world = hostile();
    let title = "a: \\u{1b}[31m $(touch pwned) `touch pwned` '\"";
    assert_eq!(
        told(&world, "repo", &["git-beads", "show", "it"]),
        [format!("it's\t{title}")]
    );
    named(&world, "long", &[&"word ".repeat(50)]);
    let told = told(&world, "repo", &["git-beads", "show", "long"]);
    assert!(told[0].chars().count() <= "long\t".len() + 60, "{told:?}");
}

#[test]
fn each_script_begins_with_how_to_install_it() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = world.bd(&["completion", shell]).ok();
        let comments: Vec<&str> = script
            .lines()
            .take_while(|line| line.starts_with('#'))
            .collect();
        assert!(
            comments
                .iter()
                .any(|line| line.contains(&format!("git beads completion {shell}"))),
            "{comments:?}"
        );
    }
    let _ = world.bd(&["completion", "cmd"]).fails(2);
}
