//! Guessed verbs and options: the answer is the right command with the user's own arguments.

use serde_json::Value;

use crate::support::World;

/// The hint of a usage error, which is also an answer under `--json`.
#[track_caller]
fn hint(args: &[&str]) -> String {
    let world = World::with_store();
    let stderr = world.bd(args).fails(2);
    assert!(stderr.starts_with("error: "), "{stderr}");
    let mut all = args.to_vec();
    all.insert(0, "--json");
    let answer: Value = serde_json::from_str(&world.bd(&all).stdout).unwrap();
    assert_eq!(
        (answer["v"].as_i64(), answer["kind"].as_str()),
        (Some(1), Some("error"))
    );
    assert_eq!(answer["code"], "usage");
    let hint = stderr
        .lines()
        .find_map(|line| line.strip_prefix("hint: "))
        .unwrap_or_else(|| panic!("{stderr}"));
    assert!(answer["hint"].is_string(), "{answer}");
    hint.to_owned()
}

#[test]
fn a_hint_says_where_and_as_whom_as_the_caller_did() {
    let world = World::with_store();
    let id = world.create(&["A"]);
    let said = |args: &[&str]| world.bd_in(".", args).stderr;
    let purge = said(&["-C", "repo", "--actor", "Bo B", "purge", &id]);
    let right = format!("hint: git beads -C repo --actor 'Bo B' purge {id} --yes\n");
    assert!(purge.contains(&right), "{purge}");
    let agent = said(&["purge", &id, "-C", "repo", "--agent", "helper"]);
    let right = format!("hint: git beads -C repo --agent helper purge {id} --yes\n");
    assert!(agent.contains(&right), "{agent}");
    let remote = said(&["-C", "repo", "sync"]);
    let right = "hint: git -C repo remote add origin URL\n";
    assert!(remote.contains(right), "{remote}");
    let json = world.bd_in(".", &["-C", "repo", "purge", &id, "--json"]);
    let right = format!("git beads -C repo purge {id} --yes");
    assert_eq!(json.stdout.matches(&right).count(), 1, "{}", json.stdout);
    // A line that is repeated has them already.
    let line = said(&["-C", "repo", "tag", &id, "x"]);
    let right = format!("hint: git beads -C repo label {id} x\n");
    assert!(line.contains(&right), "{line}");
}

#[test]
fn verbs_of_other_trackers_are_understood() {
    assert_eq!(
        hint(&["tag", "bd-1", "urgent"]),
        "git beads label bd-1 urgent"
    );
    assert_eq!(hint(&["view", "bd-1"]), "git beads show bd-1");
    assert_eq!(
        hint(&["finish", "bd-1", "-r", "it works"]),
        "git beads done bd-1 -r 'it works'"
    );
    assert_eq!(hint(&["rm", "bd-1"]), "git beads delete bd-1");
    assert_eq!(hint(&["find", "a b"]), "git beads search 'a b'");
}

#[test]
fn a_typo_gives_the_nearest_verb() {
    assert_eq!(hint(&["crate", "X"]), "git beads create X");
    assert_eq!(hint(&["creat", "X"]), "git beads create X");
    assert_eq!(hint(&["unblok", "bd-1"]), "git beads unblock bd-1");
    assert_eq!(hint(&["claime", "bd-1"]), "git beads claim bd-1");
    assert_eq!(hint(&["lsit"]), "git beads list");
    assert_eq!(hint(&["shwo", "bd-1"]), "git beads show bd-1");
    assert_eq!(hint(&["updat", "bd-1"]), "git beads update bd-1");
    assert_eq!(hint(&["redy"]), "git beads ready");
    assert_eq!(hint(&["serch", "x"]), "git beads search x");
}

#[test]
fn a_verb_like_nothing_gives_help() {
    assert_eq!(hint(&["xyzzy"]), "git beads help");
}

#[test]
fn options_of_other_trackers_are_understood() {
    assert_eq!(
        hint(&["update", "X", "--body", "a b"]),
        "git beads update X --description 'a b'"
    );
    assert_eq!(
        hint(&["update", "X", "--body=a b"]),
        "git beads update X '--description=a b'"
    );
    assert_eq!(
        hint(&["create", "X", "--deps", "bd-1"]),
        "git beads create X --on bd-1"
    );
    assert_eq!(hint(&["list", "--max", "3"]), "git beads list --limit 3");
    assert_eq!(
        hint(&["done", "bd-1", "-m", "it works"]),
        "git beads done bd-1 --reason 'it works'"
    );
}

#[test]
fn a_typo_gives_the_nearest_option() {
    assert_eq!(
        hint(&["create", "X", "--descripton", "d"]),
        "git beads create X --description d"
    );
    assert_eq!(hint(&["list", "--limt", "3"]), "git beads list --limit 3");
    assert_eq!(
        hint(&["list", "--stat", "open"]),
        "git beads list --status open"
    );
}

#[test]
fn an_option_like_nothing_gives_the_help_of_the_verb() {
    assert_eq!(hint(&["list", "--xyzzy"]), "git beads help list");
}

#[test]
fn a_word_that_was_taken_for_an_issue_or_a_type_is_answered_with_what_is_meant() {
    let world = World::with_store();
    let id = world.create(&["A"]);
    for (args, expected) in [
        (vec!["comment", "add", &id, "hi"], format!("note {id} hi")),
        (vec!["label", "create", "foo"], "help label".to_owned()),
        (
            vec!["create", "-t", "bug"],
            "create \"What is to be done\"".to_owned(),
        ),
        (vec!["label", "bd-none", "foo"], "list --all".to_owned()),
    ] {
        let said = world.bd(&args).stderr;
        let hint = said
            .lines()
            .find_map(|line| line.strip_prefix("hint: git beads "));
        assert_eq!(hint, Some(expected.as_str()), "{said}");
    }
    for verb in ["show", "done", "update", "edit", "note"] {
        let said = world.bd(&[verb]).fails(2);
        let hint = format!("hint: git beads {verb} ID (git beads list shows the IDs)");
        assert!(said.contains(&hint), "{said}");
    }
}

#[test]
fn a_value_of_others_is_answered_with_ours() {
    let world = World::with_store();
    let id = world.create(&["A"]);
    for (args, hint) in [
        (
            vec!["update", &id, "-s", "done"],
            format!("did you mean `closed`? git beads done {id}"),
        ),
        (
            vec!["update", &id, "-s", "doing"],
            format!("did you mean `in_progress`? git beads start {id}"),
        ),
        (
            vec!["update", &id, "-s", "todo"],
            "did you mean `open`?".to_owned(),
        ),
        (
            vec!["update", &id, "-s", "clsoed"],
            format!("did you mean `closed`? git beads done {id}"),
        ),
        (
            vec!["list", "-s", "done"],
            "did you mean `closed`?".to_owned(),
        ),
        (vec!["list", "-s", "all"], "git beads list --all".to_owned()),
        (
            vec!["list", "-s", "xyzzy"],
            "git beads help list".to_owned(),
        ),
        (vec!["list", "-p", "0-1"], "did you mean `0,1`?".to_owned()),
        (
            vec!["list", "-p", "P0..P2"],
            "did you mean `0,1,2`?".to_owned(),
        ),
        (
            vec!["update", &id, "-p", "urgent"],
            "did you mean `P0`?".to_owned(),
        ),
        (
            vec!["create", "T", "-p", "high"],
            "did you mean `P1`?".to_owned(),
        ),
        (
            vec!["create", "T", "-p", "9"],
            "git beads help create".to_owned(),
        ),
    ] {
        let said = world.bd(&args).stderr;
        assert_eq!(
            said.lines().find_map(|line| line.strip_prefix("hint: ")),
            Some(hint.as_str()),
            "{args:?}"
        );
    }
}

#[test]
fn an_argument_that_looks_like_the_verb_is_left_alone() {
    assert_eq!(hint(&["tag", "tag", "tag"]), "git beads label tag tag");
    assert_eq!(
        hint(&["--actor", "tag", "tag", "bd-1", "x"]),
        "git beads --actor tag label bd-1 x"
    );
}

#[test]
fn the_verb_is_the_first_word_and_not_a_value_of_an_option() {
    assert_eq!(
        hint(&["--actor", "list", "update", "X", "--body", "b"]),
        "git beads --actor list update X --description b"
    );
}

#[test]
fn a_missing_argument_is_named_and_gives_the_help() {
    for verb in ["start", "delete", "rename"] {
        assert_eq!(hint(&[verb]), format!("git beads help {verb}"));
    }
    assert!(
        World::with_store()
            .bd(&["rename", "bd-1"])
            .fails(2)
            .contains("NEW")
    );
    assert!(
        World::with_store()
            .bd(&["dep"])
            .fails(2)
            .contains("missing")
    );
}

#[test]
fn a_value_that_is_none_gives_the_help() {
    hint(&["list", "-n", "many"]);
    hint(&["list", "-n", "-1"]);
    hint(&["list", "--json=xml"]);
    hint(&["list", "--color", "red"]);
    hint(&["completion", "cmd"]);
    hint(&["list", "--tree", "--flat"]);
}

#[test]
fn an_unknown_verb_or_option_is_a_usage_error() {
    let world = World::with_store();
    assert!(world.bd(&["lsit"]).fails(2).contains("unknown verb `lsit`"));
    assert!(
        world
            .bd(&["list", "--staus", "open"])
            .fails(2)
            .contains("--status")
    );
    let json = world.bd(&["lsit", "--json"]);
    assert_eq!(json.code, 2);
    let error: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&error["kind"], &error["v"]), (&"error".into(), &1.into()));
}

#[test]
fn a_mistyped_verb_leads_to_the_one_meant() {
    let world = World::with_store();
    for (typed, meant) in [
        ("lsit", "list"),
        ("raedy", "ready"),
        ("shwo", "show"),
        ("creat", "create"),
        ("don", "done"),
    ] {
        let error = world.bd(&[typed]).fails(2);
        assert!(
            error.contains(&format!("hint: git beads {meant}")),
            "{error}"
        );
    }
}

#[test]
fn a_reason_behind_an_issue_is_led_to_its_option() {
    let world = World::with_store();
    let id = world.create(&["A"]);
    let other = world.create(&["B"]);
    for (words, rest) in [
        (
            &["block", &id, "waits for the vendor"][..],
            "-r 'waits for the vendor'",
        ),
        (&["block", &id, "why"], "-r why"),
        (&["done", &id, "it works"], "-r 'it works'"),
        (
            &["close", &id, "it", "is", "not needed"],
            "-r 'it is not needed'",
        ),
        (&["done", &id, &other, "both of them"], "-r 'both of them'"),
    ] {
        let said = world.bd(words).stderr;
        let hint = said.lines().find_map(|line| line.strip_prefix("hint: "));
        assert!(hint.is_some_and(|hint| hint.ends_with(rest)), "{said}");
    }
    let hint = format!("hint: git beads block {id} -r 'the vendor'\n");
    let said = world.bd(&["block", &id, "the vendor"]).stderr;
    assert!(said.contains(&hint), "{said}");
    // What can be an id is none of it.
    for words in [
        &["done", &id, "bd-zzz9"][..],
        &["done", &id, "rnoi"],
        &["done", "nowhere"],
    ] {
        let said = world.bd(words).stderr;
        assert!(!said.contains("-r "), "{said}");
    }
}

#[test]
fn what_git_adds_is_no_title() {
    let world = World::with_store();
    let here = |name: &str| world.file(&format!("repo/{name}"), "x");
    here("README.md");
    here("src/main.c");
    for args in [
        &["."][..],
        &["README.md"],
        &["src"],
        &["-A"],
        &["-p", "src/main.c"],
        &["*.c"],
    ] {
        let args = [&["add"], args].concat();
        let said = world.bd(&args).fails(2);
        assert!(said.contains("hint: git add "), "{said}");
    }
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 0);
    world.bd(&["add", "Mend README.md"]).ok();
    world.bd(&["create", "README.md"]).ok();
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 2);
}
