//! `accept`: a person confirms that what an agent has closed is done.

use crate::support::World;
use crate::support::clones::{create, sync, two_clones};
use crate::support::samples::{three, two};

/// The ids that a query finds.
fn found(world: &World, query: &str) -> Vec<String> {
    let said = world.bd(&["list", "-q", "-w", query]).ok();
    said.lines().map(str::to_owned).collect()
}

/// The reasons of an inbox with their issues.
fn needs(world: &World, folder: &str) -> Vec<String> {
    let said = world.bd_in(folder, &["inbox", "--json"]).json();
    let rows = said["needs"].as_array().cloned().unwrap_or_default();
    let row = |row: &serde_json::Value| {
        format!(
            "{} {}",
            row["reason"].as_str().unwrap(),
            row["issue"].as_str().unwrap()
        )
    };
    rows.iter().map(row).collect()
}

#[test]
fn what_an_agent_closes_waits_until_a_person_accepts_it() {
    let world = two();
    world.bd(&["done", "bd-b", "-r", "by hand"]).ok();
    let done = [
        "--agent", "c-1", "done", "bd-a", "-r", "ported", "--pr", "7",
    ];
    world.bd(&done).ok();
    assert_eq!(found(&world, "is:review"), ["bd-a"]);
    let said = world.bd(&["inbox"]).ok();
    let row = "+ bd-a A: closed by Ann/c-1: ported, pr 7 (git beads accept bd-a) (now)\n";
    assert!(said.contains(row), "{said}");
    let said = world.bd(&["show", "bd-a"]).ok();
    assert!(said.contains(" by Ann/c-1\n"), "{said}");
    assert!(said.contains("\naccepted: not yet\n"), "{said}");
    let shown = world.bd(&["show", "bd-a", "--json"]).json();
    assert_eq!(shown["issue"]["closed_by_agent"], "Ann/c-1");

    let said = world.bd(&["--actor", "Lea", "accept", "bd-a"]).ok();
    assert_eq!(
        said,
        "bd-a accepted: A\nnext: git beads --actor Lea show bd-a\n"
    );
    assert!(found(&world, "is:review").is_empty());
    assert!(needs(&world, "repo").is_empty());
    let shown = world.bd(&["show", "bd-a", "--json"]).json();
    assert_eq!(shown["issue"]["accepted"]["by"], "Lea");
    let said = world.bd(&["log", "bd-a", "-n", "1"]).ok();
    assert!(said.contains("accept bd-a"), "{said}");
    let said = world.bd(&["blame", "bd-a"]).ok();
    assert!(said.contains("accepted"), "{said}");

    let again = world.bd(&["accept", "bd-a"]).ok();
    assert!(
        again.contains("bd-a unchanged: A\nnote: bd-a was accepted already, by Lea\n"),
        "{again}"
    );
    world.bd(&["--actor", "Lea", "undo"]).ok();
    assert_eq!(found(&world, "is:review"), ["bd-a"]);
}

#[test]
fn an_agent_can_not_accept() {
    let world = two();
    world.bd(&["--agent", "c-1", "done", "bd-a"]).ok();
    let refused = world.bd(&["--agent", "c-2", "accept", "bd-a"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    insta::assert_snapshot!(refused.stderr, @r#"
    error: only a person can accept, and c-2 is an agent
    hint: git beads --agent c-2 note bd-a --comment "what you found"
    "#);
    assert_eq!(found(&world, "is:review"), ["bd-a"]);
}

#[test]
fn what_is_sent_back_and_closed_again_waits_again() {
    let world = two();
    world.bd(&["--agent", "c-1", "done", "bd-a"]).ok();
    world.bd(&["accept", "bd-a"]).ok();
    world.bd(&["reopen", "bd-a", "-r", "it still leaks"]).ok();
    assert!(found(&world, "is:review").is_empty());
    world
        .bd(&["--agent", "c-1", "done", "bd-a", "-r", "fixed"])
        .ok();
    assert_eq!(found(&world, "is:review"), ["bd-a"]);
    let said = world.bd(&["blame", "bd-a"]).ok();
    assert!(!said.contains("accepted"), "{said}");
    world.bd(&["accept", "bd-a"]).ok();
    let said = world.bd(&["log", "-p", "bd-a", "-n", "1"]).ok();
    assert!(said.contains("accepted"), "{said}");
}

#[test]
fn an_open_one_with_the_label_is_closed_by_its_acceptance() {
    let world = two();
    let refused = world.bd(&["accept", "bd-a"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(
        refused.stderr.contains("bd-a is open, not closed"),
        "{refused:?}"
    );
    world.bd(&["--agent", "c-1", "start", "bd-a"]).ok();
    world
        .bd(&["--agent", "c-1", "label", "bd-a", "review"])
        .ok();
    assert_eq!(needs(&world, "repo"), ["review bd-a"]);
    let said = world.bd(&["inbox"]).ok();
    assert!(
        said.contains("+ bd-a A: asks for a review (git beads accept bd-a) ("),
        "{said}"
    );
    world.bd(&["ask", "bd-a", "Which?"]).ok();
    let said = world.bd(&["accept", "bd-a"]).ok();
    assert!(
        said.contains("note: bd-a has a question without an answer"),
        "{said}"
    );
    let shown = world.bd(&["show", "bd-a", "--json"]).json();
    assert_eq!(shown["issue"]["status"], "closed");
    assert_eq!(shown["issue"]["accepted"]["by"], "Ann");
    assert!(shown["issue"]["labels"].is_null(), "{shown}");
    assert!(needs(&world, "repo").is_empty());
}

#[test]
fn what_was_closed_long_ago_is_not_shown() {
    let world = two();
    world.bd(&["--agent", "c-1", "done", "bd-a"]).ok();
    world.pass(60 * 86_400);
    assert!(found(&world, "is:review").is_empty());
    assert!(needs(&world, "repo").is_empty());
}

#[test]
fn what_an_agent_closes_in_any_way_is_to_be_accepted() {
    let world = three();
    let message = "Fix\n\nCloses: bd-a";
    let commit = ["commit", "--quiet", "--allow-empty", "-m", message];
    world.git_in("repo", &commit).ok();
    world.bd(&["--agent", "c-1", "done", "--landed"]).ok();
    let update = ["--agent", "c-1", "update", "bd-b", "-s", "closed"];
    world.bd(&update).ok();
    assert_eq!(found(&world, "is:review sort:id"), ["bd-a", "bd-b"]);
}

#[test]
fn an_acceptance_is_back_with_the_close() {
    let world = two();
    world.bd(&["--agent", "c-1", "done", "bd-a"]).ok();
    world.bd(&["accept", "bd-a"]).ok();
    world.bd(&["reopen", "bd-a", "-r", "no"]).ok();
    world.bd(&["undo"]).ok();
    let shown = world.bd(&["show", "bd-a", "--json"]).json();
    assert_eq!(shown["issue"]["accepted"]["by"], "Ann", "{shown}");
    assert!(found(&world, "is:review").is_empty());
}

#[test]
fn the_undo_of_a_later_acceptance_is_none() {
    let world = two();
    for _ in 0..2 {
        world.bd(&["--agent", "c-1", "done", "bd-a"]).ok();
        world.bd(&["accept", "bd-a"]).ok();
        world.pass(5);
        world.bd(&["reopen", "bd-a", "-r", "no"]).ok();
    }
    world.bd(&["undo"]).ok();
    let said = world.bd(&["undo"]).ok();
    assert!(!said.contains("accepted: +"), "{said}");
    assert_eq!(found(&world, "is:review"), ["bd-a"]);
}

#[test]
fn a_status_that_was_lost_is_that_of_who_takes_it() {
    let world = two_clones();
    let id = create(&world, "a", &["One"]);
    sync(&world, &["a", "b"]);
    world.bd_in("a", &["--agent", "c-1", "done", &id]).ok();
    world.bd_in("b", &["defer", &id]).ok();
    sync(&world, &["a", "b", "a"]);
    let conflicts = world.bd_in("a", &["conflicts", "--json"]).json();
    let taken = conflicts["conflicts"][0]["value"]["s"].clone();
    world
        .bd_in("a", &["resolve", &id, "status", "--take", "1"])
        .ok();
    assert_eq!(taken, "closed", "{conflicts}");
    assert!(needs(&world, "a").is_empty());
}

#[test]
fn a_label_is_gone_with_the_review_that_it_asks_for() {
    let world = two();
    for end in ["accept", "reopen"] {
        world.bd(&["label", "bd-a", "review"]).ok();
        world.bd(&["--agent", "c-1", "done", "bd-a"]).ok();
        world.bd(&[end, "bd-a"]).ok();
        let shown = world.bd(&["show", "bd-a", "--json"]).json();
        assert!(shown["issue"]["labels"].is_null(), "{end}: {shown}");
        if end == "accept" {
            world.bd(&["reopen", "bd-a"]).ok();
        }
        assert!(needs(&world, "repo").is_empty());
    }
}

#[test]
fn two_who_accept_at_the_same_time_agree() {
    let world = two_clones();
    let id = create(&world, "a", &["One"]);
    world.bd_in("a", &["--agent", "c-1", "done", &id]).ok();
    sync(&world, &["a", "b"]);
    assert_eq!(needs(&world, "b"), [format!("review {id}")]);
    world.bd_in("a", &["--actor", "lea", "accept", &id]).ok();
    world.bd_in("b", &["--actor", "bob", "accept", &id]).ok();
    sync(&world, &["a", "b"]);
    for clone in ["a", "b"] {
        assert!(needs(&world, clone).is_empty());
        let conflicts = world.bd_in(clone, &["conflicts", "--json"]).json();
        let log = world.bd_in(clone, &["log", "-p", "-n", "9"]).ok();
        assert!(!log.contains("conflict"), "{log}");
        assert_eq!(
            conflicts["conflicts"].as_array().unwrap().len(),
            0,
            "{conflicts}"
        );
    }
}

#[test]
fn a_question_is_found_by_who_can_answer_it() {
    let world = two();
    world.bd(&["ask", "bd-a", "Which?"]).ok();
    world.bd(&["ask", "bd-b", "Which?", "--to", "lea"]).ok();
    assert_eq!(found(&world, "is:question"), ["bd-a"]);
    let said = world.bd(&["--actor", "lea", "list", "-q", "-w", "is:question"]);
    assert_eq!(said.ok(), "bd-a\nbd-b\n");
}
