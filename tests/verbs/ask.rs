//! `ask`: a question to a person.

use crate::support::World;
use crate::support::look::{commits, memory, quiet};
use crate::support::samples::one as world;

#[test]
fn a_question_waits_in_the_memory_of_its_issue() {
    let world = world();
    let asked = world.bd(&[
        "--agent",
        "c-1",
        "ask",
        "bd-a",
        "Which index?",
        "--option",
        "B-tree",
        "--option",
        "Hash",
    ]);
    insta::assert_snapshot!(asked.ok(), @"
    bd-a asks: A
    next: git beads --agent c-1 wait bd-a --until answered
    ");
    let question = &memory(&world, "bd-a")["questions"][0];
    assert_eq!(question["text"], "Which index?");
    assert_eq!(question["options"], serde_json::json!(["B-tree", "Hash"]));
    assert_eq!(
        (&question["by"], &question["agent"]),
        (&"Ann".into(), &"c-1".into())
    );
    let shown = world.bd(&["show", "bd-a"]).ok();
    let shown = shown.split_once("questions").unwrap().1;
    let ending = &question["id"].as_str().unwrap()[20..];
    assert_eq!(
        shown,
        format!("\n- Which index? (Ann/c-1, 2026-11-20, {ending})\n  1 B-tree\n  2 Hash\n")
    );
    assert!(
        world.bd(&["list"]).ok().contains("bd-a"),
        "it blocks nothing"
    );
    assert_eq!(quiet(&world, &["ready"]), ["bd-a"]);
    let answer = world
        .bd(&["ask", "bd-a", "When?", "--to", "@lea", "--json"])
        .json();
    assert_eq!(
        (&answer["kind"], &answer["next"]),
        (&"progress".into(), &"continue".into())
    );
    let to_lea = &memory(&world, "bd-a")["questions"][1];
    assert_eq!(
        (&to_lea["to"], &to_lea["id"]),
        (&"lea".into(), &answer["question"])
    );
}

#[test]
fn what_is_asked_already_is_asked_once() {
    let world = world();
    let first = quiet(&world, &["ask", "bd-a", "Which index?"]);
    let before = commits(&world);
    assert_eq!(
        quiet(&world, &["ask", "bd-a", "QUESTION: Which index?"]),
        first
    );
    assert_eq!(commits(&world), before);
    world.bd(&["answer", "bd-a", "a hash"]).ok();
    assert_ne!(quiet(&world, &["ask", "bd-a", "Which index?"]), first);
}

#[test]
fn status_and_prime_count_what_waits_for_an_answer() {
    let world = world();
    assert_eq!(world.bd(&["status", "--json"]).json()["question_count"], 0);
    world.bd(&["ask", "bd-a", "Which index?"]).ok();
    world.bd(&["ask", "bd-a", "When?", "--to", "lea"]).ok();
    let count = |actor| world.bd_as(actor, &["status", "--json"]).json()["question_count"].clone();
    assert_eq!((count("Ann"), count("lea")), (1.into(), 2.into()));
    let filtered = |label| {
        let args = ["status", "--json", "-l", label];
        world.bd_as("lea", &args).json()["question_count"].clone()
    };
    world.bd(&["label", "bd-a", "backend"]).ok();
    assert_eq!(
        (filtered("backend"), filtered("other")),
        (2.into(), 0.into())
    );
    let status = world.bd(&["status"]).ok();
    assert!(
        status.contains("1 question waits for an answer (git beads inbox)"),
        "{status}"
    );
    let prime = world.bd_as("lea", &["prime"]).ok();
    assert!(
        prime.contains("0 blocked, 2 questions (git beads inbox)"),
        "{prime}"
    );
    world.bd(&["delete", "bd-a"]).ok();
    assert_eq!((count("Ann"), count("lea")), (0.into(), 0.into()));
}

#[test]
fn what_no_question_can_be_is_refused() {
    let world = world();
    let refused = |args: &[&str]| world.bd(args).fails(1);
    insta::assert_snapshot!(refused(&["ask", "bd-a", " "]), @r#"
    error: an empty question
    hint: git beads ask bd-a "what you have to know"
    "#);
    insta::assert_snapshot!(refused(&["ask", "bd-a", "Which?", "--option", ""]), @r#"
    error: an empty option
    hint: git beads ask bd-a "what you have to know"
    "#);
    let many: Vec<&str> = [
        &["ask", "bd-a", "Which?"][..],
        &["--option", "x"].repeat(10),
    ]
    .concat();
    insta::assert_snapshot!(refused(&many), @r#"
    error: 10 options; the limit is 9
    hint: git beads ask bd-a "what you have to know"
    "#);
    let long = "x".repeat(501);
    assert!(refused(&["ask", "bd-a", "Which?", "--option", &long]).contains("the limit is 500"));
    assert!(refused(&["ask", "bd-a", "Which?", "--to", &long]).contains("the limit is 250"));
    assert!(refused(&["ask", "bd-nosuch", "Which?"]).contains("not found"));
    world.bd(&["delete", "bd-a"]).ok();
    assert!(refused(&["ask", "bd-a", "Which?"]).contains("hint: git beads restore bd-a"));
    let empty = World::new().bd(&["ask", "bd-a", "Which?"]).fails(4);
    assert!(empty.contains("hint: git beads init"), "{empty}");
}

#[test]
fn the_same_text_with_another_choice_is_another_question() {
    let world = world();
    world.bd(&["ask", "bd-a", "Which?"]).ok();
    world.bd(&["ask", "bd-a", "Which?"]).ok();
    world
        .bd(&["ask", "bd-a", "Which?", "--to", "lea", "--option", "x"])
        .ok();
    assert_eq!(
        memory(&world, "bd-a")["questions"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn a_question_to_an_agent_waits_for_no_person() {
    let world = world();
    let other = world.create(&["B"]);
    // An agent is known by what it has done here.
    world.bd(&["--agent", "c-1", "note", "bd-a", "seen"]).ok();
    let ask = ["--agent", "c-2", "ask", "bd-a", "Which index?", "--to"];
    for name in ["c-1", "Ann/c-1"] {
        world.bd(&[&ask[..], &[name]].concat()).ok();
    }
    let none: [&str; 0] = [];
    assert_eq!(quiet(&world, &["list", "--waiting"]), none);
    assert_eq!(quiet(&world, &["list", "-w", "is:waiting"]), none);
    let ready = world.bd(&["ready", "--json"]).json();
    assert!(ready.get("waiting").is_none(), "{ready}");
    // A person who is asked is waited for, also beside an agent.
    world.bd(&["ask", &other, "When?", "--to", "lea"]).ok();
    assert_eq!(quiet(&world, &["list", "--waiting"]), [other.as_str()]);
    // The agent is given it, and may answer; another one may not.
    assert_eq!(
        quiet(&world, &["--agent", "c-1", "ready", "--claim"]),
        ["bd-a"]
    );
    let inbox = world.bd(&["--agent", "c-1", "inbox"]).ok();
    assert!(inbox.contains("answer bd-a"), "{inbox}");
    let question = memory(&world, "bd-a")["questions"][0]["id"].clone();
    let answer = ["answer", "bd-a", question.as_str().unwrap(), "B-tree"];
    world
        .bd(&[&["--agent", "c-2"], &answer[..]].concat())
        .fails(3);
    world.bd(&[&["--agent", "c-1"], &answer[..]].concat()).ok();
    assert_eq!(memory(&world, "bd-a")["questions"][0]["answer"], "B-tree");
}
