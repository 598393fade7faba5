//! Bad input: an exit code of the contract, an error and a hint, an answer, and nothing is changed.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde_json::Value;

use crate::clients::mcp::next::after_refusal;
use crate::support::{Output, World};

const REF: &str = "refs/beads/main";

/// Refused with a code, in text and in JSON, and the store is as it was. Returns standard error.
#[track_caller]
fn refused(world: &World, code: i32, args: &[&str]) -> String {
    let before = world.git(&["rev-parse", REF]).stdout;
    let output = world.bd(args);
    assert_eq!(output.stdout, "", "an error is talk");
    let stderr = told(output, code);
    let mut all = vec!["--json"];
    all.extend(args);
    answered(world.bd(&all), code);
    assert_eq!(
        world.git(&["rev-parse", REF]).stdout,
        before,
        "the store has changed"
    );
    stderr
}

#[track_caller]
fn told(output: Output, code: i32) -> String {
    let stderr = output.fails(code);
    assert!(
        stderr.starts_with("error: ") && !stderr.contains("panicked"),
        "{stderr}"
    );
    assert_eq!(stderr.matches("error: ").count(), 1, "{stderr}");
    assert!(
        stderr
            .lines()
            .any(|line| line.len() > 8 && line.starts_with("hint: ")),
        "no hint: {stderr}"
    );
    stderr
}

#[track_caller]
fn answered(output: Output, code: i32) -> Value {
    assert_eq!(output.stdout.lines().count(), 1, "{output:?}");
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(
        (answer["v"].as_i64(), answer["kind"].as_str()),
        (Some(1), Some("error")),
        "{answer}"
    );
    let word = answer["code"].as_str().unwrap();
    assert_eq!(answer["next"], after_refusal(word), "{answer}");
    for key in ["code", "message", "hint"] {
        assert!(
            answer[key].as_str().is_some_and(|text| !text.is_empty()),
            "{key}: {answer}"
        );
    }
    told(output, code);
    answer
}

fn with_one() -> (World, String) {
    let world = World::with_store();
    let id = world.create(&["One"]);
    (world, id)
}

#[test]
fn an_unknown_id_is_not_found_by_any_verb() {
    let (world, id) = with_one();
    for verb in [
        "show", "start", "done", "delete", "restore", "block", "unblock", "defer", "reopen",
        "update",
    ] {
        assert!(
            refused(&world, 1, &[verb, "zzz"]).contains("Issue zzz not found"),
            "{verb}"
        );
    }
    refused(&world, 1, &["note", "zzz", "text"]);
    refused(&world, 1, &["rename", "zzz", "bd-new"]);
    refused(&world, 1, &["label", "zzz", "a"]);
    refused(&world, 1, &["log", "zzz"]);
    refused(&world, 1, &["dep", "tree", "zzz"]);
    refused(&world, 1, &["create", "X", "--parent", "zzz"]);
    refused(&world, 1, &["create", "X", "--on", "zzz"]);
    refused(&world, 1, &["list", "--parent", "zzz"]);
    refused(&world, 1, &["update", &id, "--parent", "zzz"]);
}

#[test]
fn nothing_is_no_id_even_where_there_is_one_issue_only() {
    let (world, _) = with_one();
    for verb in ["show", "start", "done", "delete", "block", "update"] {
        refused(&world, 1, &[verb, ""]);
        refused(&world, 1, &[verb, " "]);
    }
    refused(&world, 1, &["create", "X", "--on", ""]);
}

#[test]
fn one_unknown_id_among_several_changes_nothing() {
    let (world, id) = with_one();
    refused(&world, 1, &["done", &id, "zzz"]);
    refused(&world, 1, &["update", &id, "zzz", "--title", "New"]);
}

#[test]
fn near_ids_are_named() {
    let (world, id) = with_one();
    let near = format!("{id}x");
    assert!(refused(&world, 1, &["show", &near]).contains(&format!("git beads show {id}")));
}

#[test]
fn an_ambiguous_beginning_names_the_candidates() {
    let (world, id) = with_one();
    let other = world.create(&["Two"]);
    let stderr = refused(&world, 1, &["done", "bd"]);
    assert!(stderr.contains(&id) && stderr.contains(&other), "{stderr}");
}

#[test]
fn titles_have_something_in_them() {
    let (world, id) = with_one();
    for title in ["", "   ", "\t\n", "\u{a0}"] {
        refused(&world, 1, &["create", title]);
        refused(&world, 1, &["q", title]);
        refused(&world, 1, &["update", &id, "--title", title]);
    }
    refused(&world, 1, &["create"]);
}

#[test]
fn texts_have_limits() {
    let (world, id) = with_one();
    refused(&world, 1, &["create", &"x".repeat(70 * 1024)]);
    refused(
        &world,
        1,
        &["update", &id, "--title", &"x".repeat(70 * 1024)],
    );
    let long = world.file("long.txt", "x".repeat(256 * 1024 + 1));
    refused(&world, 1, &["create", "X", "-F", &long]);
    let fits = world.file("fits.txt", "x".repeat(256 * 1024));
    world.bd(&["create", "X", "-F", &fits]).ok();
}

#[test]
fn labels_and_names_have_limits() {
    let (world, id) = with_one();
    let long = "x".repeat(300);
    refused(&world, 1, &["label", &id, &long]);
    refused(&world, 1, &["create", "X", "-l", &long]);
    refused(&world, 1, &["assign", &id, &long]);
}

#[test]
fn bytes_that_are_no_text_are_a_usage_error() {
    let (world, id) = with_one();
    let bad = OsStr::from_bytes(b"a\xff");
    for args in [
        &["create"][..],
        &["show"],
        &["update", &id, "--title"],
        &["create", "X", "-d"],
    ] {
        let mut command = world.command("repo", env!("CARGO_BIN_EXE_git-beads"), args);
        command.arg(bad).arg("--json");
        assert_eq!(answered(world.run(command, None), 2)["code"], "usage");
    }
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    let world = World::with_store();
    let file = world.file("bytes", b"a\xff");
    refused(&world, 1, &["create", "X", "-F", &file]);
    refused(&world, 1, &["create", "X", "-F", "nowhere"]);
    refused(&world, 1, &["import", "nowhere"]);
}

#[test]
fn values_that_are_none_are_refused() {
    let (world, id) = with_one();
    for priority in ["9", "-1", "P5", "high", ""] {
        refused(&world, 1, &["priority", &id, "--", priority]);
    }
    refused(&world, 1, &["create", "X", "-p", "9"]);
    refused(&world, 1, &["list", "-p", "9"]);
    refused(&world, 1, &["update", &id, "-s", "nope"]);
    refused(&world, 1, &["list", "-s", "nope"]);
    refused(&world, 1, &["note", &id, "text", "-s", "nope"]);
    refused(&world, 1, &["create", "X", "-t", "a b"]);
    refused(&world, 1, &["list", "--sort", "nope"]);
}

#[test]
fn an_unknown_status_gives_the_nearest_one() {
    let (world, id) = with_one();
    assert!(
        refused(&world, 1, &["update", &id, "-s", "in_progres"])
            .contains("did you mean `in_progress`")
    );
    assert!(refused(&world, 1, &["list", "-s", "closd"]).contains("did you mean `closed`"));
}

#[test]
fn dates_that_are_none_are_refused() {
    let (world, id) = with_one();
    for date in ["nope", "2026-02-30", "2026-13-01", "3x", "-3d"] {
        let due = format!("--due={date}");
        refused(&world, 1, &["update", &id, &due]);
        refused(&world, 1, &["defer", &id, &format!("--until={date}")]);
        refused(&world, 1, &["list", &format!("--since={date}")]);
    }
}

#[test]
fn an_issue_does_not_wait_for_itself() {
    let (world, id) = with_one();
    assert!(refused(&world, 3, &["dep", "add", &id, "--on", &id]).contains("itself"));
    refused(&world, 3, &["link", &id, &id]);
    refused(&world, 3, &["update", &id, "--parent", &id]);
}

#[test]
fn dependencies_need_two_issues() {
    let (world, id) = with_one();
    refused(&world, 1, &["dep", "add", &id, "--on", "zzz"]);
    refused(&world, 1, &["dep", "add", "zzz", "--on", &id]);
    refused(&world, 1, &["dep", "rm", &id, "--on", "zzz"]);
    let other = world.create(&["Two"]);
    refused(&world, 1, &["dep", "rm", &id, "--on", &other]);
    refused(&world, 1, &["dep", "add", &id, "--on", &other, "-t", "a b"]);
}

#[test]
fn a_cycle_is_refused_and_named() {
    let world = World::with_store();
    let [a, b, c] = ["A", "B", "C"].map(|title| world.create(&[title]));
    world.bd(&["dep", "add", &a, "--on", &b]).ok();
    world.bd(&["dep", "add", &b, "--on", &c]).ok();
    let stderr = refused(&world, 3, &["dep", "add", &c, "--on", &a]);
    assert!(
        stderr.contains(&format!("{c} -> {a} -> {b} -> {c}")),
        "{stderr}"
    );
}

#[test]
fn a_parent_is_not_below_its_child() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let child = world.create(&["Child", "--parent", &epic]);
    let grandchild = world.create(&["Grandchild", "--parent", &child]);
    refused(&world, 3, &["update", &epic, "--parent", &grandchild]);
}

#[test]
fn children_go_three_levels_deep() {
    let world = World::with_store();
    let mut id = world.create(&["Root", "-t", "epic"]);
    for level in 1..=3 {
        id = world.create(&[&format!("Level {level}"), "--parent", &id]);
    }
    assert_eq!(id.matches('.').count(), 3);
    refused(&world, 1, &["create", "Level 4", "--parent", &id]);
}

#[test]
fn a_prefix_is_a_word() {
    let world = World::new();
    for prefix in ["a b", "", "a..b", "-x", "..x", "a/b", "a:b"] {
        refused(&world, 1, &["init", &format!("--prefix={prefix}")]);
    }
    assert_eq!(
        world.git(&["rev-parse", "--verify", "--quiet", REF]).code,
        1
    );
}

#[test]
fn a_rename_needs_a_free_id_that_is_one() {
    let (world, id) = with_one();
    let other = world.create(&["Two"]);
    assert!(refused(&world, 3, &["rename", &id, &other]).contains("taken"));
    for new in ["", "a b", "a/b", "a~b", "a\nb"] {
        refused(&world, 1, &["rename", &id, new]);
    }
}

#[test]
fn states_that_stand_in_the_way_are_conflicts() {
    let (world, id) = with_one();
    refused(&world, 3, &["unblock", &id]);
    refused(&world, 3, &["restore", &id]);
    refused(&world, 3, &["reopen", &id]);
    world.bd(&["done", &id]).ok();
    assert!(refused(&world, 3, &["start", &id]).contains(&format!("hint: git beads reopen {id}")));
    world.bd(&["delete", &id]).ok();
    assert!(refused(&world, 1, &["start", &id]).contains(&format!("hint: git beads restore {id}")));
}

#[test]
fn two_forms_of_one_answer_are_refused() {
    let world = World::with_store();
    for (args, option, other) in [
        (&["graph", "--json", "--dot"][..], "--dot", "--json"),
        (
            &["--json=pretty", "graph", "--mermaid"],
            "--mermaid",
            "--json",
        ),
        (&["graph", "--dot", "-q"], "--dot", "--quiet"),
        (
            &["export", "--html", "page.html", "--json"],
            "--html",
            "--json",
        ),
        (&["--json", "export", "--csv"], "--csv", "--json"),
    ] {
        let error = world.bd(args).fails(2);
        assert!(
            error.contains(&format!(
                "the argument '{option}' cannot be used with '{other}'"
            )),
            "{error}"
        );
        assert!(error.contains("hint: git beads help "), "{error}");
    }
    assert!(!world.path("repo/page.html").exists());
    world.bd(&["export", "--html", "page.html", "-q"]).ok();
}

#[test]
fn what_somebody_works_on_is_not_taken() {
    let (world, id) = with_one();
    world.bd_as("bob", &["start", &id]).ok();
    assert!(refused(&world, 3, &["start", &id]).contains("in progress by bob"));
    world.bd(&["start", &id, "--force"]).ok();
}

#[test]
fn memory_needs_an_entry_and_an_entry_a_text() {
    let (world, id) = with_one();
    refused(&world, 1, &["redact", &id, "zzz"]);
    refused(&world, 1, &["note", &id]);
    refused(&world, 1, &["note", &id, "   "]);
    refused(&world, 1, &["note", &id, "--finding", ""]);
}

#[test]
fn a_bad_plan_makes_no_children() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    for plan in [
        "",
        "[]",
        "[{",
        "{\"children\":[]}",
        "[{\"title\":\"\"}]",
        "[{\"title\":\"A\",\"size\":1}]",
        "[{\"title\":\"A\",\"priority\":9}]",
        "[{\"title\":\"A\",\"depends_on\":[7]}]",
        "[{\"title\":\"A\",\"depends_on\":[\"zzz\"]}]",
    ] {
        let file = world.file("plan", plan);
        refused(&world, 1, &["split", &epic, "-F", &file]);
    }
    refused(
        &world,
        1,
        &["split", "zzz", "-F", &world.file("good", "- A")],
    );
    refused(&world, 1, &["split", &epic, "-F", "nowhere"]);
}

#[test]
fn children_of_a_plan_wait_for_earlier_ones_only() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let own = world.file("own", r#"[{"title":"A","depends_on":[0]}]"#);
    refused(&world, 1, &["split", &epic, "-F", &own]);
    let ring = world.file(
        "ring",
        r#"[{"title":"A","depends_on":[1]},{"title":"B","depends_on":[0]}]"#,
    );
    refused(&world, 1, &["split", &epic, "-F", &ring]);
    let parent = world.file(
        "parent",
        format!(r#"[{{"title":"A","depends_on":["{epic}"]}}]"#),
    );
    let _ = world.bd(&["split", &epic, "-F", &parent]);
    assert!(world.bd(&["dep", "cycles"]).ok().starts_with("no issues"));
}

#[test]
fn a_search_needs_words() {
    let world = World::with_store();
    refused(&world, 1, &["search", ""]);
    refused(&world, 1, &["search", "  "]);
    refused(&world, 2, &["search"]);
}

#[test]
fn unknown_words_are_usage_errors() {
    let (world, id) = with_one();
    refused(&world, 2, &["tag", &id, "urgent"]);
    refused(&world, 2, &["update", &id, "--body", "a b"]);
    refused(&world, 2, &["show", "--xyzzy"]);
    refused(&world, 2, &["edit", &id]);
}

#[test]
fn an_export_to_nowhere_is_an_io_error() {
    let world = World::with_store();
    refused(&world, 6, &["export", "nowhere/out.jsonl"]);
}

#[test]
fn without_a_store_every_verb_says_how_to_begin() {
    let world = World::new();
    let verbs = [
        &["list"][..],
        &["ready"],
        &["show", "x"],
        &["create", "X"],
        &["status"],
        &[],
        &["log"],
        &["export"],
        &["search", "x"],
        &["done", "x"],
        &["import", "-"],
        &["dep", "cycles"],
    ];
    for args in verbs {
        assert!(
            refused(&world, 4, args).contains("hint: git beads init"),
            "{args:?}"
        );
    }
    let answer = answered(world.bd(&["create", "X", "--json"]), 4);
    assert_eq!(answer["code"], "no_store");
    assert_eq!(world.git(&["for-each-ref"]).ok(), "");
}

#[test]
fn without_a_repository_every_verb_but_help_says_so() {
    let world = World::empty();
    for args in [
        &["list"][..],
        &["init"],
        &["where"],
        &["create", "X"],
        &["import", "-"],
    ] {
        let text = told(world.bd_in("home", args), 128);
        assert!(text.contains("error: not a git repository"), "{text}");
        let mut all = vec!["--json"];
        all.extend(args);
        assert_eq!(
            answered(world.bd_in("home", &all), 128)["code"],
            "not_a_repository"
        );
    }
    world.bd_in("home", &["help"]).ok();
    world.bd_in("home", &["version"]).ok();
    told(World::new().bd(&["-C", "nowhere", "list"]), 128);
}
