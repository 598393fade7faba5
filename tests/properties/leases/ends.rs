//! Ends: what was done under a claim that another one has by now is not applied, and no reason is lost.

use super::{run, started, status, two};
use crate::support::clones::{create, tip};

/// `b` has taken the issue over without the knowledge of `a`.
fn replaced() -> (crate::support::World, String) {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "b", &["start", &id, "--force"]).ok();
    (world, id)
}

#[test]
fn who_was_replaced_ends_nothing_and_both_are_told() {
    for (verb, word) in [
        (&["done", "-r", "ported"][..], "done"),
        (&["block", "-r", "ported"], "block"),
    ] {
        let (world, id) = replaced();
        run(&world, "a", &["note", &id, "--finding", "seen by a"]).ok();
        let args = [&verb[..1], &[&*id], &verb[1..]].concat();
        let text = run(&world, "a", &args).fails(3);
        let said = format!("was taken over by b-person/b-agent; your {word} is not applied");
        assert!(text.contains(&said), "{text}");
        for clone in ["a", "b"] {
            world.bd_in(clone, &["sync"]).ok();
            let shown = world.bd_in(clone, &["show", &id]).ok();
            assert!(
                shown.contains("in_progress") && shown.contains("seen by a"),
                "{shown}"
            );
            let comment = format!(
                "{word} by a-person/a-agent: ported (not applied: claimed by b-person/b-agent)"
            );
            assert!(shown.contains(&comment), "{shown}");
        }
        run(&world, "b", &["done", &id, "-r", "really"]).ok();
        world.bd_in("a", &["sync"]).ok();
        assert_eq!(status(&world, "a", &id), "closed");
    }
}

#[test]
fn an_end_that_the_remote_can_not_hear_of_is_made_here_and_sent_later() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    std::fs::rename(world.path("hub.git"), world.path("away.git")).unwrap();
    let output = run(&world, "a", &["done", &id, "-r", "x"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(
        output.stderr.contains("the remote has not heard of it"),
        "{output:?}"
    );
    std::fs::rename(world.path("away.git"), world.path("hub.git")).unwrap();
    run(&world, "a", &["sync"]).ok();
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "closed");
}

#[test]
fn an_end_made_while_the_remote_was_away_gives_way_to_who_has_it_there() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    world.bd_in("b", &["sync"]).ok();
    std::fs::rename(world.path("hub.git"), world.path("away.git")).unwrap();
    run(&world, "a", &["done", &id, "-r", "late"]).ok();
    std::fs::rename(world.path("away.git"), world.path("hub.git")).unwrap();
    run(&world, "b", &["start", &id, "--force"]).ok();
    let synced = run(&world, "a", &["sync", "--json"]).json();
    assert_eq!(synced["claims_lost"][0]["not_applied"], "done", "{synced}");
    assert_eq!(status(&world, "a", &id), "in_progress");
    let shown = world.bd_in("a", &["show", &id]).ok();
    assert!(shown.contains("late (not applied"), "{shown}");
}

#[test]
fn an_undo_takes_no_claim_back_that_another_clone_has() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["stop", &id]).ok();
    run(&world, "b", &["start", &id]).ok();
    let refused = run(&world, "a", &["undo"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.stderr.contains("b-person/b-agent"), "{refused:?}");
    run(&world, "a", &["sync"]).ok();
    run(&world, "b", &["done", &id, "-r", "by b"]).ok();
    run(&world, "a", &["sync"]).ok();
    assert_eq!(status(&world, "a", &id), "closed");
}

#[test]
fn an_undo_and_a_restore_are_heard_of_at_the_remote() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["stop", &id]).ok();
    run(&world, "a", &["undo"]).ok();
    assert_eq!(tip(&world, "a"), tip(&world, "hub.git"));
    assert_eq!(run(&world, "b", &["start", &id]).code, 3);
    run(&world, "a", &["delete", &id]).ok();
    run(&world, "a", &["restore", &id]).ok();
    run(&world, "a", &["sync"]).ok();
    assert_eq!(run(&world, "b", &["start", &id]).code, 3);
}

#[test]
fn what_has_landed_is_heard_of() {
    for by_itself in [false, true] {
        let (world, id) = two("strict");
        run(&world, "a", &["start", &id]).ok();
        let message = format!("End\n\nCloses: {id}");
        world
            .git_in("a", &["commit", "-q", "--allow-empty", "-m", &message])
            .ok();
        if by_itself {
            world
                .git_in("a", &["config", "beads.autoClose", "true"])
                .ok();
            run(&world, "a", &["hook", "refresh"]).ok();
        } else {
            run(&world, "a", &["done", "--landed"]).ok();
        }
        assert_eq!(status(&world, "a", &id), "closed");
        assert_eq!(tip(&world, "a"), tip(&world, "hub.git"));
    }
}

#[test]
fn a_note_that_gives_an_issue_back_is_heard_of() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["note", &id, "--status", "open"]).ok();
    run(&world, "b", &["start", &id]).ok();
}

#[test]
fn nothing_is_called_not_applied_that_was_not_done() {
    let (world, id) = replaced();
    run(&world, "b", &["done", &id, "-r", "ok"]).ok();
    let synced = run(&world, "a", &["sync", "--json"]).json();
    assert_eq!(synced["claims_lost"].get(0), None, "{synced}");
    let said = synced["remarks"].to_string();
    assert!(
        said.contains("was ended (closed) by b-person/b-agent"),
        "{synced}"
    );
}

#[test]
fn an_end_beside_others_that_send_is_sent() {
    let (world, id) = two("strict");
    started(&run(&world, "a", &["start", &id, "--json"]));
    create(&world, "b", &["Makes the remote move"]);
    world.bd_in("b", &["sync"]).ok();
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "closed");
}

#[test]
fn who_was_replaced_by_one_whose_clock_is_behind_ends_nothing() {
    let (mut world, id) = two("strict");
    let now = |minutes: u64| (1_795_173_600_000 + (600 + minutes) * 60_000).to_string();
    world.set("GIT_BEADS_NOW", &now(30));
    run(&world, "a", &["start", &id]).ok();
    // Earlier than all that both have.
    world.set(
        "GIT_BEADS_NOW",
        &(1_795_173_600_000_u64 - 3_600_000).to_string(),
    );
    run(&world, "b", &["start", &id, "--force"]).ok();
    world.set("GIT_BEADS_NOW", &now(60));
    run(&world, "b", &["done", &id, "-r", "by b"]).ok();
    world.set("GIT_BEADS_NOW", &now(70));
    let text = run(&world, "a", &["done", &id, "-r", "by a"]).fails(3);
    assert!(
        text.contains("was closed by b-person/b-agent; your done is not applied"),
        "{text}"
    );
    assert!(!text.contains("--force"), "{text}");
    world.bd_in("b", &["sync"]).ok();
    let shown = world.bd_in("b", &["show", &id]).ok();
    assert!(
        shown.contains("reason: by b") && shown.contains("by a (not applied"),
        "{shown}"
    );
}

#[test]
fn who_was_replaced_is_told_so_also_where_both_said_the_same() {
    for reason in [&["-r", "ended"][..], &[]] {
        let (mut world, id) = two("strict");
        let mut at = |minutes: u64, clone: &str, args: &[&str]| {
            let now = 1_795_173_600_000 + (600 + minutes) * 60_000;
            world.set("GIT_BEADS_NOW", &now.to_string());
            // Two agents of one person: also who is assigned is the same.
            let agent = format!("{clone}-agent");
            let person = ["--actor", "ann", "--agent", &agent];
            world.bd_in(clone, &[&person[..], args].concat())
        };
        let done = [&["done", &id][..], reason].concat();
        at(0, "a", &["start", &id]).ok();
        at(10, "b", &["start", &id, "--force"]).ok();
        at(60, "b", &done).ok();
        // The earlier one, so the join takes the other one and keeps no trace of this.
        let text = at(30, "a", &done).fails(3);
        assert!(
            text.contains("was closed by ann/b-agent; your done is not applied"),
            "{text}"
        );
        assert_eq!(tip(&world, "a"), tip(&world, "hub.git"));
    }
}

#[test]
fn of_two_that_close_what_neither_has_claimed_both_have() {
    let (mut world, id) = two("strict");
    for (clone, minutes) in [("b", 60), ("a", 30)] {
        let now = 1_795_173_600_000_u64 + (600 + minutes) * 60_000;
        world.set("GIT_BEADS_NOW", &now.to_string());
        run(&world, clone, &["done", &id, "-r", "duplicate"]).ok();
    }
    assert_eq!(tip(&world, "a"), tip(&world, "hub.git"));
}

#[test]
fn an_agent_ends_nothing_that_another_one_has_started_meanwhile() {
    for (args, verb) in [
        (&["done", "-r", "not mine"][..], "done"),
        (&["block", "-r", "not mine"], "block"),
        (&["defer", "--until", "2w"], "defer"),
    ] {
        let (world, id) = two("strict");
        run(&world, "b", &["start", &id]).ok();
        let all = [&args[..1], &[&*id], &args[1..]].concat();
        let text = run(&world, "a", &all).fails(3);
        let said = format!("was taken over by b-person/b-agent; your {verb} is not applied");
        assert!(text.contains(&said), "{text}");
        for clone in ["a", "b"] {
            world.bd_in(clone, &["sync"]).ok();
            assert_eq!(status(&world, clone, &id), "in_progress");
            let shown = world.bd_in(clone, &["show", &id]).ok();
            assert_eq!(
                shown.contains("not mine (not applied"),
                verb != "defer",
                "{shown}"
            );
            assert!(!shown.contains("conflict"), "{shown}");
        }
        run(&world, "b", &["done", &id, "-r", "really"]).ok();
    }
    // A person decides.
    let (world, id) = two("strict");
    run(&world, "b", &["start", &id]).ok();
    world
        .bd_in(
            "a",
            &["--actor", "Eve", "--agent", "", "done", &id, "-r", "moot"],
        )
        .ok();
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "closed");
}
