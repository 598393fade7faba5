//! Claims of who is at work are kept; those of who has gone are taken over, and both are told.

use serde_json::{Value, json};

use super::{claim, claims, run, started, status, two};
use crate::clients::mcp::Agent;
use crate::support::binary;
use crate::support::clones::create;
use crate::support::events::until;

#[test]
fn who_was_replaced_ends_nothing_and_both_are_told() {
    let (world, id) = two("remote");
    started(&run(
        &world,
        "a",
        &["start", &id, "--lease", "30m", "--json"],
    ));
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(run(&world, "b", &["start", &id]).code, 3);
    world.pass_minutes(31);
    let taken = started(&run(
        &world,
        "b",
        &["start", &id, "--lease", "24h", "--json"],
    ));
    assert_eq!(taken["claim"]["fence"], 2, "{taken}");
    assert!(
        taken["remarks"][0]
            .as_str()
            .unwrap()
            .contains("whose lease of 30m is over"),
        "{taken}"
    );
    run(&world, "a", &["note", &id, "--finding", "seen by a"]).ok();
    let late = run(&world, "a", &["done", &id, "-r", "ported"]);
    let text = late.fails(3);
    assert!(
        text.contains("was taken over by b-person/b-agent; your done is not applied"),
        "{text}"
    );
    for clone in ["a", "b"] {
        world.bd_in(clone, &["sync"]).ok();
    }
    for clone in ["a", "b"] {
        let shown = world.bd_in(clone, &["show", &id]).ok();
        assert!(
            shown.contains("in_progress") && shown.contains("seen by a"),
            "{shown}"
        );
        assert!(
            shown.contains(
                "done by a-person/a-agent: ported (not applied: claimed by b-person/b-agent)"
            ),
            "{shown}"
        );
    }
    run(&world, "b", &["done", &id, "-r", "really"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
    world.bd_in("a", &["sync"]).ok();
    assert_eq!(status(&world, "a", &id), "closed");
}

#[test]
fn who_is_at_work_keeps_the_claim_with_one_push_for_all() {
    let (world, id) = two("remote");
    let more: Vec<String> = (0..3)
        .map(|n| create(&world, "a", &[&format!("More {n}")]))
        .collect();
    world.bd_in("a", &["sync"]).ok();
    for id in more.iter().chain([&id]) {
        started(&run(
            &world,
            "a",
            &["start", id, "--lease", "90m", "--json"],
        ));
    }
    let main = world
        .git_in("hub.git", &["rev-parse", "refs/beads/main"])
        .ok();
    let beats = || {
        let format = "--format=%(contents)";
        let refs = ["for-each-ref", format, "refs/beads/claims"];
        let text = world.git_in("hub.git", &refs).ok();
        [0, 1, 2].map(|beat| text.matches(&format!("\"beat\":{beat},")).count())
    };
    let beat = |holder: &str| {
        let log = world.path("talks");
        let _ = std::fs::remove_file(&log);
        let mut beat = world.command("a", binary(), &["hook", "claims", holder]);
        beat.env("GIT_TRACE", &log);
        world.run(beat, None).ok();
        let talk = std::fs::read_to_string(&log).unwrap_or_default();
        talk.matches("trace: built-in: git push").count()
    };
    world.pass_minutes(31);
    // Of another holder nothing is said, and nothing twice.
    assert_eq!((beat("a-person/x"), beats()), (0, [4, 0, 0]));
    assert_eq!((beat("a-person/a-agent"), beats()), (1, [0, 4, 0]));
    assert_eq!((beat("a-person/a-agent"), beats()), (0, [0, 4, 0]));
    let after = world
        .git_in("hub.git", &["rev-parse", "refs/beads/main"])
        .ok();
    assert_eq!(after, main);
}

#[test]
fn a_server_keeps_a_claim_while_its_pipe_is_open() {
    let (world, id) = two("remote");
    let mut agent = Agent::in_folder(&world, "a", &["--lease", "90m"]);
    let answer = agent.call("task_start", json!({"id": id}));
    assert_eq!(
        [&answer["claim"]["fence"], &answer["claim"]["mine"]],
        [&json!(1), &json!(true)],
        "{answer}"
    );
    until("a beat", || {
        world.pass_minutes(1);
        claim(&world)["beat"] != 0
    });
}

#[test]
fn a_claim_is_taken_over_from_a_state_that_is_behind() {
    let (world, id) = two("remote");
    run(&world, "a", &["start", &id]).ok();
    // The start came with a tip that is not here.
    assert_eq!(run(&world, "b", &["start", &id]).code, 3);
    let answer = started(&run(&world, "b", &["start", &id, "--force", "--json"]));
    assert_eq!(answer["claim"]["fence"], 2, "{answer}");
    // What was given back meanwhile is no refusal, and its number grows on.
    run(&world, "b", &["stop", &id]).ok();
    run(&world, "a", &["sync"]).ok();
    let output = run(&world, "a", &["start", &id, "--force", "--json"]);
    let answer = started(&output);
    assert_eq!(
        (&answer["claim"]["fence"], &answer["claim"]["tentative"]),
        (&json!(3), &Value::Null),
        "{output:?}"
    );
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    run(&world, "a", &["reopen", &id, "-r", "y"]).ok();
    let answer = started(&run(&world, "a", &["start", &id, "--json"]));
    assert_eq!(answer["claim"]["fence"], 4, "{answer}");
}

#[test]
fn a_forced_start_says_whose_claim_at_the_remote_it_was() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "b", &["start", &id, "--force"]).ok();
    // The store of the one that was replaced still names itself.
    let answer = started(&run(&world, "a", &["start", &id, "--force", "--json"]));
    assert_eq!(answer["already_in_progress"], Value::Null, "{answer}");
    assert_eq!(
        (&answer["remarks"], &answer["claim"]["fence"]),
        (
            &json!([format!("{id} was claimed by b-person/b-agent")]),
            &json!(3)
        ),
        "{answer}"
    );
}

#[test]
fn what_ends_under_a_takeover_is_kept_beside_who_gives_way_to_it() {
    let (world, id) = two("strict");
    run(&world, "b", &["start", &id]).ok();
    world.bd_in("a", &["sync"]).ok();
    create(&world, "b", &["Makes the remote move"]);
    world.bd_in("b", &["sync"]).ok();
    // Only the ref is sent; the store of the remote hears of the takeover by the one that was replaced.
    run(&world, "a", &["start", &id, "--force"]).ok();
    std::fs::rename(world.path("hub.git"), world.path("away.git")).unwrap();
    run(&world, "a", &["done", &id, "-r", "ported"]).fails(5);
    std::fs::rename(world.path("away.git"), world.path("hub.git")).unwrap();
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "in_progress");
    for clone in ["a", "b", "a"] {
        world.bd_in(clone, &["sync"]).ok();
    }
    for clone in ["a", "b"] {
        assert_eq!(status(&world, clone, &id), "closed", "{clone}");
        let log = world.bd_in(clone, &["log", &id]).ok();
        assert!(log.contains("keep "), "{log}");
    }
    assert_eq!(claims(&world), [] as [String; 0]);
}

#[test]
fn a_claim_that_another_one_had_meanwhile_is_a_new_one() {
    let (world, id) = two("strict");
    run(&world, "b", &["start", &id]).ok();
    run(&world, "a", &["start", &id, "--force"]).ok();
    run(&world, "a", &["stop", &id]).ok();
    let answer = started(&run(&world, "b", &["start", &id, "--json"]));
    assert_eq!(
        (&answer["already_in_progress"], &answer["claim"]["fence"]),
        (&Value::Null, &json!(3)),
        "{answer}"
    );
}

#[test]
fn the_number_of_a_claim_grows_also_where_clocks_differ() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    // By a clock that is ahead, and not sent: of the two claims a merge keeps this one.
    let names = ["--actor", "b-person", "--agent", "b-agent"];
    let force = [&names[..], &["start", &id, "--force"]].concat();
    let mut ahead = world.command("b", binary(), &force);
    ahead.env("GIT_BEADS_NOW", "1800000000000");
    world.run(ahead, None).ok();
    let answer = started(&run(&world, "a", &["start", &id, "--force", "--json"]));
    assert_eq!(answer["claim"]["fence"], 3, "{answer}");
    run(&world, "a", &["stop", &id]).ok();
    let answer = started(&run(&world, "b", &["start", &id, "--json"]));
    assert_eq!(answer["claim"]["fence"], 4, "{answer}");
}

#[test]
fn a_takeover_by_force_that_fails_leaves_the_claim_to_who_had_it() {
    let (world, id) = two("strict");
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "c"])
        .ok();
    world.bd_in("c", &["init"]).ok();
    run(&world, "a", &["start", &id]).ok();
    run(&world, "b", &["sync"]).ok();
    run(&world, "a", &["done", &id, "-r", "early"]).ok();
    create(&world, "c", &["Makes the remote move"]);
    run(&world, "c", &["sync"]).ok();
    run(&world, "a", &["reopen", &id]).ok();
    // By the ref alone, as the remote has moved: it does not hear that the issue is open again.
    run(&world, "a", &["start", &id]).ok();
    let held = claim(&world);
    run(&world, "b", &["start", &id, "--force"]).fails(3);
    assert_eq!(claim(&world), held);
    run(&world, "a", &["done", &id, "-r", "ported"]).ok();
    run(&world, "b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "closed");
}

#[test]
fn a_claim_that_was_replaced_before_its_start_was_sent_stays_lost_once_the_other_is_given_back() {
    for ahead in [0, 600] {
        let (world, id) = two("strict");
        create(&world, "a", &["Makes the remote move"]);
        world.bd_in("a", &["sync"]).ok();
        // By the ref alone, with a clock that can be ahead.
        let mut start = world.command(
            "b",
            binary(),
            &["--actor", "b-person", "--agent", "b-agent", "start", &id],
        );
        let now = start.get_envs().find(|(key, _)| *key == "GIT_BEADS_NOW");
        let now: i64 = now.unwrap().1.unwrap().to_str().unwrap().parse().unwrap();
        start.env("GIT_BEADS_NOW", (now + ahead * 1000).to_string());
        world.run(start, None).ok();
        run(&world, "a", &["start", &id, "--force"]).ok();
        run(&world, "a", &["stop", &id]).ok();
        for clone in ["b", "a", "b"] {
            run(&world, clone, &["sync"]).ok();
            assert_eq!(status(&world, clone, &id), "open", "{clone} {ahead}");
        }
        assert_eq!(claims(&world), [] as [String; 0]);
    }
}

#[test]
fn a_takeover_in_one_clone_that_fails_leaves_the_claim_to_the_agent_that_had_it() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    create(&world, "b", &["Makes the remote move"]);
    run(&world, "b", &["sync"]).ok();
    // Known, and not merged: the ref is sent alone, and what the remote knew can't be had.
    run(&world, "a", &["fetch"]).ok();
    let uploads = ["config", "remote.origin.uploadpack", "false"];
    world.git_in("a", &uploads).ok();
    let held = claim(&world);
    let other = [
        "--actor", "a-person", "--agent", "other", "start", &id, "--force",
    ];
    world.bd_in("a", &other).fails(5);
    assert_eq!(claim(&world), held);
    world
        .git_in("a", &["config", "--unset", "remote.origin.uploadpack"])
        .ok();
    run(&world, "a", &["done", &id, "-r", "ported"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
    run(&world, "b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "closed");
}
