//! `answer`: what a person decides about a question.

use serde_json::Value;

use crate::support::World;
use crate::support::clones::{create, sync, tip, two_clones};
use crate::support::look::{commits, memory};
use crate::support::samples::one as world;
use crate::support::skipped;

fn ask(world: &World, text: &str) -> String {
    let asked = world.bd(&["--agent", "c-1", "ask", "bd-a", text, "-q"]);
    asked.ok().trim().to_owned()
}

#[test]
fn an_answer_is_shown_and_told_to_the_agent_that_asked() {
    let world = world();
    ask(&world, "Keep the old key format?");
    let answered = world.bd_as("lea", &["answer", "bd-a", "yes, until 2.0"]);
    insta::assert_snapshot!(answered.ok(), @"
    bd-a answered: Keep the old key format?
      yes, until 2.0
    next: git beads --actor lea show bd-a
    ");
    let question = &memory(&world, "bd-a")["questions"][0];
    assert_eq!(
        (&question["answer"], &question["answered_by"]),
        (&"yes, until 2.0".into(), &"lea".into())
    );
    let shown = world.bd(&["show", "bd-a"]).ok();
    assert!(
        shown.ends_with("\n  answer: yes, until 2.0 (lea, 2026-11-20)\n"),
        "{shown}"
    );
    let notice = world.bd(&["--agent", "c-1", "list"]);
    assert_eq!(
        notice.stderr,
        "notice: bd-a: lea answered \"Keep the old key format?\": yes, until 2.0\n"
    );
    assert_eq!(world.bd(&["--agent", "c-1", "list"]).stderr, "", "once");
    assert!(world.bd(&["search", "until"]).ok().contains("bd-a"));
    let before = commits(&world);
    let id = question["id"].as_str().unwrap();
    world
        .bd_as("lea", &["answer", "bd-a", id, "yes, until 2.0"])
        .ok();
    assert_eq!(commits(&world), before, "nothing has changed");
    world.bd(&["answer", "bd-a", &id[20..], "no"]).ok();
    assert_eq!(memory(&world, "bd-a")["questions"][0]["answer"], "no");
    world.bd(&["undo"]).ok();
    assert_eq!(
        memory(&world, "bd-a")["questions"][0]["answer"],
        "yes, until 2.0"
    );
}

#[test]
fn a_number_takes_an_option() {
    let world = world();
    world
        .bd(&[
            "ask", "bd-a", "Which?", "--option", "B-tree", "--option", "Hash",
        ])
        .ok();
    for number in ["0", "3", "99999999999999999999"] {
        let error = world.bd(&["answer", "bd-a", number]).fails(1);
        let message =
            format!("error: there is no option {number}: 1 to 2\nhint: git beads show bd-a\n");
        assert_eq!(error, message);
    }
    let answer = world.bd(&["answer", "bd-a", "2", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["question"]["answer"]),
        (&"updated".into(), &"Hash".into())
    );
    // One that is a number itself is meant by that.
    world
        .bd(&["ask", "bd-a", "Which?", "--option", "2", "--option", "1"])
        .ok();
    let answer = world.bd(&["answer", "bd-a", "2", "--json"]).json();
    assert_eq!(answer["question"]["answer"], "2");
    ask(&world, "How many?");
    world.bd(&["answer", "bd-a", "12"]).ok();
    assert_eq!(memory(&world, "bd-a")["questions"][2]["answer"], "12");
}

#[test]
fn what_was_taken_back_is_told_in_words() {
    let world = world();
    ask(&world, "Keep it?");
    world.bd(&["answer", "bd-a", "yes", "-q"]).ok();
    world.bd(&["undo", "-q"]).ok();
    let log = world.bd(&["log", "-n", "3", "--oneline"]).ok();
    let told: Vec<(&str, &str)> = log
        .lines()
        .filter_map(|line| line.trim().split_once(' '))
        .collect();
    assert_eq!(told[0].1.trim(), format!("undo {}: answer bd-a", told[1].0));
    assert_eq!(told[1].1.trim(), "answer bd-a");
    assert_eq!(told[2].1.trim(), "asked bd-a \"Keep it?\"");
}

#[test]
fn every_refusal_says_what_to_do() {
    let world = world();
    let refused = |code, args: &[&str]| world.bd(args).fails(code);
    insta::assert_snapshot!(refused(1, &["answer", "bd-a", "yes"]), @"
    error: bd-a has no open question
    hint: git beads inbox
    ");
    let one = ask(&world, "One?");
    insta::assert_snapshot!(refused(3, &["--agent", "c-2", "answer", "bd-a", "yes"]), @r#"
    error: only a person can answer, and c-2 is an agent
    hint: git beads --agent c-2 answer bd-a "..." --force answers anyway
    "#);
    insta::assert_snapshot!(refused(1, &["answer", "bd-a", " "]), @r#"
    error: an empty answer
    hint: git beads answer bd-a "..."
    "#);
    let two = ask(&world, "Two?");
    assert_eq!(
        refused(1, &["answer", "bd-a", "yes"]),
        format!(
            "error: bd-a has 2 open questions: {one} \"One?\", {two} \"Two?\"\nhint: git beads answer bd-a {one} \"...\"; git beads answer bd-a {two} \"...\"\n"
        )
    );
    insta::assert_snapshot!(refused(1, &["answer", "bd-a", "ZZZZZZ", "yes"]), @"
    error: bd-a has no entry ZZZZZZ
    hint: git beads show bd-a
    ");
    world.bd(&["note", "bd-a", "a comment"]).ok();
    let comment = memory(&world, "bd-a")["comments"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let error = refused(1, &["answer", "bd-a", &comment, "yes"]);
    assert_eq!(
        error,
        format!("error: {comment} of bd-a is no question\nhint: git beads show bd-a\n")
    );
    assert!(refused(1, &["answer", "bd-nosuch", "yes"]).contains("not found"));
    assert!(refused(2, &["answer", "bd-a"]).contains("[ENTRY] TEXT"));
    world
        .bd(&["--agent", "c-2", "answer", "bd-a", &two, "yes", "--force"])
        .ok();
    assert_eq!(memory(&world, "bd-a")["questions"][1]["answer"], "yes");
}

#[test]
fn a_question_that_is_redacted_is_withdrawn() {
    let world = world();
    let id = ask(&world, "Which?");
    world.bd(&["redact", "bd-a", &id]).ok();
    assert!(world.bd(&["inbox"]).ok().starts_with("nothing needs you\n"));
    assert!(memory(&world, "bd-a")["questions"].is_null());
    let error = world.bd(&["answer", "bd-a", &id, "yes"]).fails(1);
    assert_eq!(
        error,
        format!(
            "error: the question {id} of bd-a was withdrawn\nhint: git beads redact bd-a {id} --restore\n"
        )
    );
    world.bd(&["redact", "bd-a", &id, "--restore"]).ok();
    world.bd(&["answer", "bd-a", "yes"]).ok();
}

/// Two clones whose persons have answered one question at the same time, `a` first.
fn answered_twice() -> (World, String, String) {
    let world = two_clones();
    let id = create(&world, "a", &["shared"]);
    let question = world.bd_in("a", &["--agent", "c-1", "ask", &id, "Which?", "-q"]);
    let question = question.ok().trim().to_owned();
    sync(&world, &["a", "b"]);
    world
        .bd_in("a", &["--actor", "ann", "answer", &id, "this"])
        .ok();
    world
        .bd_in("b", &["--actor", "bob", "answer", &id, "that"])
        .ok();
    sync(&world, &["a", "b", "a"]);
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
    (world, id, question)
}

#[track_caller]
fn conflicts(world: &World, clone: &str, id: &str) -> Vec<Value> {
    let answer = world.bd_in(clone, &["conflicts", id, "--json"]).json();
    answer["conflicts"].as_array().unwrap().clone()
}

#[test]
fn of_two_answers_at_once_the_later_shows_and_the_other_is_a_conflict() {
    for (settle, wanted) in [
        (&["--take", "1"][..], "this"),
        (&["--take", "0"], "that"),
        (&["--value", "neither"], "neither"),
    ] {
        let (world, id, question) = answered_twice();
        let field = format!("answer:{}", &question[20..]);
        for clone in ["a", "b"] {
            let listed = conflicts(&world, clone, &id);
            assert_eq!(listed.len(), 1, "{listed:?}");
            let entry = &listed[0];
            assert_eq!(
                (&entry["field"], &entry["n"]),
                (&field.as_str().into(), &1.into())
            );
            assert_eq!(
                (&entry["value"], &entry["by"]),
                (&"this".into(), &"ann".into())
            );
            assert_eq!(
                (&entry["current"], &entry["current_by"]),
                (&"that".into(), &"bob".into())
            );
            assert_eq!(world.bd_in(clone, &["conflicts", "-q"]).ok().trim(), id);
            let status = world.bd_in(clone, &["status", "--json"]).json();
            assert_eq!(status["conflict_count"], 1);
            let shown = world.bd_in(clone, &["show", &id, "--json"]).json();
            assert_eq!(shown["issue"]["conflicts"][0]["field"], field);
            assert_eq!(shown["memory"]["questions"][0]["answer"], "that");
        }
        let unknown = world
            .bd_in("a", &["resolve", &id, &field, "--take", "2"])
            .fails(1);
        assert!(
            unknown.contains(&format!("hint: git beads conflicts {id}")),
            "{unknown}"
        );
        world
            .bd_in("a", &[&["resolve", &id, &field], settle].concat())
            .ok();
        sync(&world, &["a", "b"]);
        for clone in ["a", "b"] {
            assert!(conflicts(&world, clone, &id).is_empty());
            let shown = world.bd_in(clone, &["show", &id, "--json"]).json();
            assert_eq!(shown["memory"]["questions"][0]["answer"], wanted);
        }
    }
}

#[test]
fn an_answer_from_another_clone_is_a_notice_too() {
    let world = two_clones();
    let id = create(&world, "a", &["shared"]);
    world
        .bd_in("a", &["--agent", "c-1", "ask", &id, "Which?"])
        .ok();
    sync(&world, &["a", "b"]);
    world
        .bd_in("b", &["--actor", "lea", "answer", &id, "this"])
        .ok();
    sync(&world, &["b", "a", "a"]);
    let told = format!("notice: {id}: lea answered \"Which?\": this\n");
    assert_eq!(world.bd_in("a", &["--agent", "c-1", "list"]).stderr, told);
    assert_eq!(world.bd_in("a", &["--agent", "c-1", "list"]).stderr, "");
}

#[test]
fn an_export_has_question_and_answer_as_comments() {
    let world = world();
    world
        .bd(&[
            "ask", "bd-a", "Which?", "--option", "B-tree", "--option", "Hash",
        ])
        .ok();
    world.bd_as("lea", &["answer", "bd-a", "2"]).ok();
    ask(&world, "When?");
    let line: Value = serde_json::from_str(world.bd(&["export"]).ok().trim()).unwrap();
    let said: Vec<(&str, &str)> = line["comments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|comment| {
            (
                comment["author"].as_str().unwrap(),
                comment["text"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            ("Ann", "QUESTION: Which?\n1. B-tree\n2. Hash"),
            ("lea", "ANSWER: Hash"),
            ("Ann", "QUESTION: When?"),
        ]
    );
    let exported = world.bd(&["export"]).ok();
    let other = World::with_store();
    other.bd_with(&exported, &["import", "-"]).ok();
    assert_eq!(
        other.bd(&["export"]).ok(),
        exported,
        "it comes back to the letter"
    );
    assert!(other.bd(&["inbox"]).ok().starts_with("nothing needs you\n"));
    let path = world.path("page.html").display().to_string();
    world.bd(&["export", "--html", &path]).ok();
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page.contains("[\"answer\",[\"lea\"],"), "{page}");
}

#[test]
fn the_program_before_questions_shows_one_as_a_comment() {
    let Some(older) = std::env::var("GIT_BEADS_OLDER").ok() else {
        skipped("GIT_BEADS_OLDER names no program of before agents (.ci/older makes one)");
        return;
    };
    let world = world();
    let id = ask(&world, "Which?");
    let older = |args: &[&str]| world.run(world.command("repo", &older, args), None);
    let memory_there = || older(&["show", "bd-a", "--json"]).json()["memory"].clone();
    assert_eq!(memory_there()["comments"][0]["text"], "Which?");
    world.bd_as("lea", &["answer", "bd-a", "this"]).ok();
    assert_eq!(
        memory_there()["comments"].as_array().unwrap().len(),
        1,
        "never its answer"
    );
    // What the older program writes leaves question and answer as they are.
    older(&["note", "bd-a", "--finding", "x"]).ok();
    older(&["update", "bd-a", "--title", "New"]).ok();
    older(&["redact", "bd-a", &id]).ok();
    older(&["redact", "bd-a", &id, "--restore"]).ok();
    let question = &memory(&world, "bd-a")["questions"][0];
    assert_eq!(
        (&question["answer"], &question["text"]),
        (&"this".into(), &"Which?".into())
    );
    assert_eq!(question["agent"], "c-1");
}
