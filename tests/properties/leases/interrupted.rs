//! Commands that are killed at a push, and pushes whose answer does not come: the next command finds out what has become of them.

use serde_json::json;

use super::{claims, run, started, status, two};
use crate::support::World;
use crate::support::clones::create;
use crate::support::plumbing::instead_of_git;

/// Lets a push arrive before its command is killed.
const ARRIVES: &str = "\"$GIT\" \"$@\" >/dev/null 2>&1; ";

/// Returns a command of the agent of clone `a`.
fn as_a<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["--actor", "a-person", "--agent", "a-agent"][..], args].concat()
}

/// Runs a command in clone `a` that is killed at its push, after a script.
fn killed_at_the_push(world: &World, before: &str, args: &[&str]) {
    let script = format!(
        "case \" $* \" in *' push '*) {before}kill -9 $PPID; exit 1;; esac; exec \"$GIT\" \"$@\""
    );
    instead_of_git(world, &script);
    assert_ne!(world.bd_in("a", args).code, 0);
    std::fs::remove_file(world.path("tools/git")).unwrap();
}

#[test]
fn a_start_that_is_killed_at_its_push_is_made_by_the_next() {
    // Before the push, and after it has arrived.
    for push in ["", ARRIVES] {
        let (world, id) = two("strict");
        killed_at_the_push(&world, push, &as_a(&["start", &id]));
        let answer = started(&run(&world, "a", &["start", &id, "--json"]));
        assert_eq!(answer["claim"]["remote"], "origin", "{push}: {answer}");
        assert_eq!(run(&world, "b", &["start", &id]).code, 3);
        run(&world, "a", &["done", &id, "-r", "x"]).ok();
        assert_eq!(claims(&world), [] as [String; 0], "{push}");
    }
}

#[test]
fn a_start_that_was_killed_keeps_the_number_of_the_next() {
    let (world, id) = two("strict");
    killed_at_the_push(&world, ARRIVES, &as_a(&["start", &id]));
    create(&world, "b", &["Makes the remote move"]);
    run(&world, "b", &["sync"]).ok();
    let answer = started(&run(&world, "a", &["start", &id, "--json"]));
    assert_eq!(answer["claim"]["fence"], 2, "{answer}");
    run(&world, "a", &["sync"]).ok();
    assert_eq!(claims(&world).len(), 1);
    let again = started(&run(&world, "a", &["start", &id, "--json"]));
    assert_eq!(
        (
            &again["claim"]["fence"],
            again["already_in_progress"].is_null()
        ),
        (&json!(2), false),
        "{again}"
    );
}

#[test]
fn a_holder_ends_its_claim_after_an_attempt_of_another_that_was_killed() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    let part = [
        "--actor",
        "a-person",
        "--agent",
        "a-agent.sub",
        "start",
        &id,
    ];
    killed_at_the_push(&world, "", &part);
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
    run(&world, "b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "closed");
}

#[test]
fn a_person_ends_the_work_of_an_agent_though_the_answer_is_lost() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    instead_of_git(
        &world,
        "case \" $* \" in *' push '*) \"$GIT\" \"$@\" >/dev/null 2>&1; exit 128;; esac; exec \"$GIT\" \"$@\"",
    );
    let args = ["--actor", "a-person", "done", &id, "-r", "x"];
    world.bd_in("a", &args).ok();
    std::fs::remove_file(world.path("tools/git")).unwrap();
    assert_eq!(status(&world, "a", &id), "closed");
    assert_eq!(claims(&world), [] as [String; 0]);
}

#[test]
fn a_claim_whose_start_is_still_to_come_is_kept() {
    let (world, id) = two("strict");
    // Both arrive, and their sender is killed.
    killed_at_the_push(&world, ARRIVES, &as_a(&["start", &id]));
    let other = create(&world, "a", &["Other"]);
    run(&world, "a", &["done", &other, "-r", "x"]).ok();
    assert_eq!(claims(&world).len(), 1);
    run(&world, "a", &["sync"]).ok();
    let again = started(&run(&world, "a", &["start", &id, "--json"]));
    assert_eq!(again["claim"]["fence"], 1, "{again}");
}

#[test]
fn who_was_killed_at_a_start_does_not_end_what_another_one_has_taken_over_since() {
    let (world, id) = two("strict");
    killed_at_the_push(&world, ARRIVES, &as_a(&["start", &id]));
    // By the ref alone: the store of the remote does not say it yet.
    run(&world, "b", &["start", &id, "--force"]).ok();
    run(&world, "a", &["sync"]).ok();
    let refused = run(&world, "a", &["done", &id, "-r", "mine"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    let is_by = "is in progress by b-person/b-agent (at origin";
    assert!(refused.stderr.contains(is_by), "{refused:?}");
    run(&world, "b", &["done", &id, "-r", "ported"]).ok();
    run(&world, "a", &["sync"]).ok();
    assert_eq!(status(&world, "a", &id), "closed");
}
