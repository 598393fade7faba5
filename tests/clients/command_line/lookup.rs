//! How an argument names an issue.

use insta::assert_snapshot;

use crate::support::World;
use crate::support::look::{issue, named, quiet, status};

fn world() -> World {
    let world = World::with_store();
    for id in ["bd-a1b2", "bd-a1", "bd-a1c3", "bd-zebra", "web-q7w8"] {
        named(&world, id, &[id]);
    }
    world.create(&["First", "--parent", "bd-a1b2"]);
    world
}

/// The id that an argument leads to.
#[track_caller]
fn find(world: &World, argument: &str) -> String {
    issue(world, argument)["id"].as_str().unwrap().to_owned()
}

#[test]
fn an_exact_id_beats_a_beginning() {
    let world = world();
    assert_eq!(find(&world, "bd-a1"), "bd-a1");
    assert_eq!(find(&world, "a1"), "bd-a1");
    assert_eq!(find(&world, "bd-a1b2"), "bd-a1b2");
}

#[test]
fn the_prefix_may_be_left_out() {
    let world = world();
    assert_eq!(find(&world, "a1b2"), "bd-a1b2");
    assert_eq!(find(&world, "a1b2.1"), "bd-a1b2.1");
    assert_eq!(find(&world, "zebra"), "bd-zebra");
}

#[test]
fn a_unique_beginning_is_enough() {
    let world = world();
    assert_eq!(find(&world, "bd-z"), "bd-zebra");
    assert_eq!(find(&world, "z"), "bd-zebra");
    assert_eq!(find(&world, "a1c"), "bd-a1c3");
}

#[test]
fn children_do_not_make_a_beginning_ambiguous() {
    let world = world();
    assert_eq!(find(&world, "bd-a1b"), "bd-a1b2");
    assert_eq!(find(&world, "a1b2."), "bd-a1b2.1");
}

#[test]
fn other_prefixes_are_found_too() {
    let world = world();
    assert_eq!(find(&world, "web-q7w8"), "web-q7w8");
    assert_eq!(find(&world, "web"), "web-q7w8");
    assert_eq!(find(&world, "q7"), "web-q7w8");
}

#[test]
fn the_uid_names_an_issue_too() {
    let world = world();
    let uid = issue(&world, "bd-zebra")["uid"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(find(&world, &uid), "bd-zebra");
}

#[test]
fn the_tenth_child_is_not_the_first() {
    let world = world();
    let plan: String = (0..10).map(|n| format!("- Child {n}\n")).collect();
    world.bd_with(plan, &["split", "bd-zebra", "-F", "-"]).ok();
    assert_eq!(find(&world, "zebra.1"), "bd-zebra.1");
    assert_eq!(find(&world, "zebra.10"), "bd-zebra.10");
}

#[test]
fn an_ambiguous_beginning_names_them_all() {
    let world = world();
    world.bd(&["rename", "bd-a1", "bd-other"]).ok();
    assert_snapshot!(world.bd(&["show", "a"]).all(), @"
    --- stderr
    error: a is the beginning of several ids: bd-a1b2, bd-a1c3
    hint: git beads show bd-a1b2
    --- exit 1
    ");
    let output = world.bd(&["done", "a", "--json"]);
    assert!(
        output.code == 1 && output.stdout.contains(r#""code":"ambiguous""#),
        "{output:?}"
    );
    assert_eq!(status(&world, "bd-a1b2"), "open");
}

#[test]
fn near_misses_are_named() {
    let world = world();
    assert_snapshot!(world.bd(&["show", "bd-zebar"]).all(), @"
    --- stderr
    error: Issue bd-zebar not found
    hint: did you mean bd-zebra? git beads show bd-zebra
    --- exit 1
    ");
    assert!(
        world
            .bd(&["start", "a1d2"])
            .fails(1)
            .contains("did you mean bd-a1b2")
    );
}

#[test]
fn nothing_near_says_where_to_look() {
    assert_snapshot!(world().bd(&["show", "xyzzy-xyzzy"]).all(), @"
    --- stderr
    error: Issue xyzzy-xyzzy not found
    hint: git beads list --all
    --- exit 1
    ");
}

#[test]
fn an_empty_argument_names_nothing() {
    let world = World::with_store();
    let only = world.create(&["The only one"]);
    for verb in [
        &["show"][..],
        &["start"],
        &["delete"],
        &["update", "-p", "0"],
        &["assign", "Bob"],
    ] {
        let mut args = verb.to_vec();
        args.insert(1, "");
        let _ = world.bd(&args).fails(1);
    }
    assert_eq!(status(&world, &only), "open");
}

#[test]
fn the_prefix_alone_does_not_name_the_only_issue() {
    let world = World::with_store();
    world.create(&["The only one"]);
    let output = world.bd(&["delete", "bd-"]);
    assert_ne!(output.code, 0, "{output:?}");
}

#[test]
fn a_pattern_is_no_beginning() {
    let world = world();
    for argument in ["%", "_", "*", "bd-%", "bd-?", "'", "bd-a1b2 "] {
        let output = world.bd(&["start", argument]);
        assert!(
            output.code == 1 || argument.trim() == "bd-a1b2",
            "{argument}: {output:?}"
        );
    }
}

#[test]
fn every_option_that_takes_an_id_takes_a_beginning() {
    let world = world();
    let child = world.create(&["C", "--parent", "zeb", "--on", "a1b", "web"]);
    assert_eq!(child, "bd-zebra.1");
    assert_eq!(
        quiet(&world, &["list", "--parent", "zeb"]),
        [child.as_str()]
    );
    world.bd(&["update", "zebra.1", "--parent", "a1c"]).ok();
    assert_eq!(issue(&world, &child)["parent"], "bd-a1c3");
    world.bd(&["dep", "rm", "zebra.1", "--on", "a1b"]).ok();
    assert_eq!(
        issue(&world, &child)["dependencies"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert!(
        world
            .bd(&["log", "zebra.1"])
            .ok()
            .contains("create bd-zebra.1")
    );
}

#[test]
fn capitals_are_as_written_or_found() {
    let world = world();
    let output = world.bd(&["show", "BD-A1B2"]);
    assert!(
        output.code == 0 || output.stderr.contains("did you mean bd-a1b2"),
        "{output:?}"
    );
}

#[test]
fn why_a_change_was_made_is_shown_and_found() {
    let world = World::with_store();
    let id = world.create(&["A plain title"]);
    let other = world.create(&["Another"]);
    let uid = world.bd(&["show", &id, "--json"]).json()["issue"]["uid"]
        .as_str()
        .unwrap()
        .to_owned();
    // Any program may say it, in the trailers of its commit.
    let message = format!(
        "update {id}: design\n\nIssues: {uid}\nActor: bot\nSession: s1\nGoal: Make zebras fast\nMemory: Asked for\n"
    );
    let tree = world.git(&["rev-parse", "refs/beads/main^{tree}"]).ok();
    let commit = world
        .git(&[
            "commit-tree",
            tree.trim(),
            "-p",
            "refs/beads/main",
            "-m",
            &message,
        ])
        .ok();
    world
        .git(&["update-ref", "refs/beads/main", commit.trim()])
        .ok();
    let log = world.bd(&["log", &id, "-n", "1", "--json"]).json();
    let context = &log["operations"][0]["context"];
    assert_eq!(
        *context,
        serde_json::json!({"session": "s1", "goal": "Make zebras fast", "memory": "Asked for"})
    );
    let shown = world.bd(&["log", &id, "-n", "1"]).ok();
    let (first, why) = shown.split_once('\n').unwrap();
    assert!(
        first.ends_with(&format!(" bot update {id}: design")),
        "{first}"
    );
    assert_eq!(
        why,
        "           goal: Make zebras fast\n           memory: Asked for\n           session: s1\n"
    );
    assert_eq!(world.bd(&["search", "zebras", "-q"]).ok().trim(), id);
    assert_eq!(world.bd(&["search", "zebras asked", "-q"]).ok().trim(), id);
    assert_eq!(world.bd(&["search", "another", "-q"]).ok().trim(), other);
    world.bd(&["purge", "--yes", &id]).ok();
    assert_eq!(
        world.bd(&["search", "zebras", "-q"]).ok(),
        "",
        "a purge forgets it"
    );
}

#[test]
fn a_value_before_the_verb_is_not_taken_for_it() {
    let world = World::with_store();
    for folder in ["éé", "abcdef"] {
        std::fs::create_dir(world.path("repo").join(folder)).unwrap();
        let error = world.bd(&["-qC", folder, "lst"]).fails(2);
        let hint = format!("hint: git beads -qC {folder} list");
        assert!(error.contains(&hint), "{error}");
    }
}

#[test]
fn many_children_of_one_hide_no_other_with_the_same_beginning() {
    let world = World::with_store();
    let line = |id: &str| format!("{{\"id\":\"{id}\",\"title\":\"T\"}}\n");
    let children: String = (1..520).map(|n| line(&format!("t-a1.{n}"))).collect();
    let all = line("t-a1") + &children + &line("t-a1-x") + &line("t-a2");
    let file = world.file("all.jsonl", all);
    world.bd(&["import", &file]).ok();
    let said = world.bd(&["close", "t-a"]).fails(1);
    assert!(
        ["t-a1,", "t-a1-x", "t-a2"]
            .iter()
            .all(|id| said.contains(id)),
        "{said}"
    );
    world.bd(&["close", "t-a1.51"]).ok();
    let said = world.bd(&["show", "a1.5"]).ok();
    assert!(said.starts_with("t-a1.5 "), "{said}");
}

#[test]
fn a_place_in_another_tracker_names_the_issue_that_is_followed_there() {
    let world = World::with_store();
    let record = |place: &str, number: u32| {
        let url = format!("https://github.com/{place}/issues/{number}");
        serde_json::json!({"number": number, "title": place, "state": "OPEN", "url": url})
    };
    let file = serde_json::json!([
        record("Acme/Shop", 2),
        record("acme/web", 2),
        record("acme/web", 12)
    ]);
    let path = world.file("gh.json", file.to_string());
    world.bd(&["import", &path]).ok();
    for (argument, id) in [
        ("#12", "gh2-12"),
        ("12", "gh2-12"),
        ("acme/web#2", "gh2-2"),
        ("github.com/Acme/Shop#2", "gh-2"),
        ("https://github.com/Acme/Shop/issues/2", "gh-2"),
        (
            "https://github.com/acme/web/issues/2#issuecomment-7",
            "gh2-2",
        ),
        ("github.com/acme/web/issues/12/", "gh2-12"),
    ] {
        assert_eq!(find(&world, argument), id, "{argument}");
    }
    // Two are number 2, and no issue has the other places.
    let said = world.bd(&["show", "#2"]);
    assert!(
        said.code != 0 && said.stderr.contains("gh-2, gh2-2"),
        "{said:?}"
    );
    for argument in ["#1", "eb#2", "https://github.com/acme/other/issues/2"] {
        let said = world.bd(&["show", argument]);
        assert!(said.code != 0, "{argument}: {said:?}");
    }
    // An id comes first.
    named(&world, "bd-12", &["Own"]);
    assert_eq!(find(&world, "12"), "bd-12");
}
