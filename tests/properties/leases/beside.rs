//! Several commands at once, and several issues: whoever takes what is next gets something, or is told that nothing is left.

use std::thread;

use serde_json::Value;

use super::{run, started, status, two};
use crate::support::World;
use crate::support::clones::{create, script};
use crate::support::events::{Gate, WAITS_FOR_ANOTHER, until};

#[test]
fn a_local_start_waits_for_one_that_asks_the_remote_for_the_same_issue() {
    let (mut world, id) = two("local");
    let events = world.events();
    // The hub takes its time.
    let (gate, asked) = (Gate::new(&world, "gate"), world.path("asked"));
    let hook = format!(
        "cat >/dev/null; touch '{}'; {}; exit 0",
        asked.display(),
        gate.spoken_lines()
    );
    script(&world, "hub.git/hooks/pre-receive", &hook);
    let ask = world.command(
        "a",
        crate::support::binary(),
        &["--agent", "one", "start", &id, "--strict", "--json"],
    );
    let beside = world.command(
        "a",
        crate::support::binary(),
        &["--agent", "two", "start", &id, "--json"],
    );
    let (first, second) = thread::scope(|scope| {
        let first = scope.spawn(|| {
            let mut ask = ask;
            ask.output().unwrap()
        });
        until("the hub is asked", || asked.exists());
        let second = scope.spawn(|| {
            let mut beside = beside;
            beside.output().unwrap()
        });
        events.wait(WAITS_FOR_ANOTHER, 1);
        gate.open();
        (first.join().unwrap(), second.join().unwrap())
    });
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    assert_eq!(second.status.code(), Some(3), "{second:?}");
    let said: Value = serde_json::from_slice(&second.stdout).unwrap();
    assert_eq!(said["code"], "claimed", "{said}");
}

#[test]
fn who_takes_what_is_next_goes_on_where_another_was_faster() {
    let (world, first) = two("strict");
    let second = create(&world, "a", &["Second"]);
    world.bd_in("a", &["sync"]).ok();
    world.bd_in("b", &["sync"]).ok();
    for agent in ["one", "two", "three", "four", "five", "six"] {
        // Claims of which the remote keeps no ref: the other clone hears of them by its start.
        world
            .bd_in("a", &["--agent", "other", "start", &first, "--local"])
            .ok();
        world.bd_in("a", &["sync"]).ok();
        let taken = started(&world.bd_in("b", &["--agent", agent, "ready", "--claim", "--json"]));
        assert_eq!(taken["issue"]["id"], second.as_str(), "{agent}: {taken}");
        world.bd_in("b", &["--agent", agent, "stop", &second]).ok();
        world.bd_in("a", &["--agent", "other", "stop", &first]).ok();
        world.bd_in("a", &["sync"]).ok();
    }
    world.bd_in("b", &["sync"]).ok();
    run(&world, "b", &["done", &first, "-r", "x"]).ok();
    run(&world, "b", &["done", &second, "-r", "x"]).ok();
    let nothing = run(&world, "b", &["ready", "--claim", "--json"]);
    assert_eq!(nothing.code, 1, "{nothing:?}");
    let said: Value = serde_json::from_str(&nothing.stdout).unwrap();
    assert_eq!(
        (&said["code"], &said["next"]),
        (&"nothing_ready".into(), &"await_user".into()),
        "{said}"
    );
}

#[test]
fn who_lost_an_issue_in_another_clone_is_told() {
    let (world, taken) = two("local");
    let (ended, given) = (
        create(&world, "a", &["Ended"]),
        create(&world, "a", &["Given"]),
    );
    for id in [&taken, &ended, &given] {
        world.bd_in("a", &["--agent", "one", "start", id]).ok();
    }
    world.bd_in("a", &["sync"]).ok();
    let other = |args: &[&str]| world.bd_in("b", &[&["--actor", "lea"], args].concat()).ok();
    world.bd_in("b", &["sync"]).ok();
    other(&["--agent", "two", "start", &taken, "--force"]);
    other(&["done", &ended, "-r", "it was mine"]);
    other(&["assign", &given, "zed"]);
    world.bd_in("b", &["sync"]).ok();
    world.bd_in("a", &["sync"]).ok();
    let told = world.bd_in("a", &["--agent", "one", "list"]).stderr;
    for line in [
        format!("notice: your claim of {taken} was taken over by lea/two\n"),
        format!("notice: your claim of {ended} was ended (closed) by lea\n"),
        format!("notice: your claim of {given} was "),
    ] {
        assert!(told.contains(&line), "{line}: {told}");
    }
    assert_eq!(
        world.bd_in("a", &["--agent", "one", "list"]).stderr,
        "",
        "once"
    );
}

#[test]
fn nothing_is_called_not_applied_that_was_not_done() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "b", &["start", &id, "--force"]).ok();
    run(&world, "b", &["done", &id, "-r", "ok"]).ok();
    let synced = run(&world, "a", &["sync", "--json"]).json();
    let lost = &synced["claims_lost"];
    assert_eq!(lost.as_array().map(Vec::len), Some(1), "{synced}");
    assert!(lost[0]["not_applied"].is_null(), "{synced}");
}

#[test]
fn an_end_that_gave_way_is_said_once() {
    let (world, id) = two("local");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "b", &["start", &id]).ok();
    run(&world, "b", &["sync"]).ok();
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    let synced = run(&world, "a", &["sync", "--json"]).json();
    let lost = synced["claims_lost"].as_array().unwrap();
    assert_eq!(lost.len(), 1, "{synced}");
    assert_eq!(lost[0]["not_applied"], "done", "{synced}");
}

#[test]
fn an_end_without_the_remote_says_what_it_is_about() {
    let (world, id) = two("strict");
    world
        .git_in("a", &["config", "beads.remote", "origin"])
        .ok();
    run(&world, "a", &["start", &id]).ok();
    world
        .git_in("a", &["remote", "rename", "origin", "hub"])
        .ok();
    let ended = run(&world, "a", &["done", &id, "-r", "x"]);
    assert_eq!(ended.code, 5, "{ended:?}");
    assert!(
        ended
            .stderr
            .contains("it has ended here, but not at the remote"),
        "{ended:?}"
    );
}

/// Runs commands in clones, each as its agent, the `when`th time that a command in a clone asks the remote, after the answer
/// and before it goes on; what is run so asks without that.
fn meanwhile(world: &World, clone: &str, when: usize, commands: &[(&str, &str)]) {
    let path = |name: &str| world.path(name).display().to_string();
    let asked = path(&format!("{clone}.asked"));
    let mut lines = format!(
        "git-upload-pack \"$@\" || exit 1
case \" $INSIDE \" in *\" {clone} \"*) exit 0;; esac
INSIDE=\"$INSIDE {clone}\"; export INSIDE; unset GIT_DIR; echo >>'{asked}'
[ $(wc -l <'{asked}') = {when} ] || exit 0
"
    );
    for (step, (other, command)) in commands.iter().enumerate() {
        let name = if *other == clone { "third" } else { other };
        let folder = path(other);
        let line = format!(
            "(cd '{folder}'; GIT_BEADS_SEED='{clone} {step}' git-beads --actor {name}-person --agent {name}-agent {command} >&2) || exit 0\n"
        );
        lines.push_str(&line);
    }
    let done = path(&format!("{clone}.done"));
    let wrapper = script(
        world,
        &format!("{clone}.wrapper"),
        &format!("{lines}touch '{done}'; exit 0"),
    );
    world
        .git_in(clone, &["config", "remote.origin.uploadpack", &wrapper])
        .ok();
}

#[test]
fn what_another_exchange_has_brought_is_not_undone_by_one_that_fetched_before() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "b", &["start", &id, "--force"]).ok();
    let done = format!("done {id} -r ported");
    // Without a push, which would wait for the one that goes on.
    let pull = ("a", "hook pull origin");
    meanwhile(&world, "a", 3, &[("b", &done), pull]);
    // The third time is the fetch after the look that has found the claim replaced, and its text.
    let refused = run(&world, "a", &["done", &id, "-r", "mine"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(world.path("a.done").exists(), "{refused:?}");
    for clone in ["a", "b"] {
        world.bd_in(clone, &["sync"]).ok();
        let shown = world.bd_in(clone, &["show", &id, "--json"]).json();
        let issue = &shown["issue"];
        assert_eq!(
            (&issue["status"], &issue["reason"]),
            (&"closed".into(), &"ported".into()),
            "{clone}: {issue}"
        );
    }
}

#[test]
fn an_end_at_the_remote_outlives_an_older_claim_that_a_peer_has_brought() {
    let (world, id) = two("strict");
    third_clone(&world);
    let url = world.path("c").display().to_string();
    world.git_in("b", &["remote", "add", "c", &url]).ok();
    run(&world, "b", &["start", &id]).ok();
    create(&world, "a", &["Makes the remote move"]);
    world.bd_in("a", &["sync"]).ok();
    // Only its ref is sent: the store of the remote does not hear of it.
    run(&world, "c", &["start", &id, "--force"]).ok();
    run(&world, "b", &["start", &id]).fails(3);
    std::fs::rename(world.path("hub.git"), world.path("away.git")).unwrap();
    run(&world, "b", &["done", &id, "-r", "late"]).fails(3);
    run(&world, "b", &["done", &id, "-r", "late", "--force"]).fails(5);
    std::fs::rename(world.path("away.git"), world.path("hub.git")).unwrap();
    run(&world, "b", &["pull", "--remote", "c"]).ok();
    run(&world, "a", &["start", &id, "--force"]).ok();
    run(&world, "a", &["done", &id, "-r", "ported"]).ok();
    for clone in ["b", "c", "a", "b"] {
        run(&world, clone, &["sync"]).ok();
        assert_eq!(status(&world, clone, &id), "closed", "{clone}");
    }
}

/// A third clone, that asks for claims at the remote too.
fn third_clone(world: &World) {
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "c"])
        .ok();
    world.bd_in("c", &["init"]).ok();
    world
        .git_in("c", &["config", "beads.claims", "strict"])
        .ok();
}

/// The issue is closed in all clones, after each has heard of the others.
fn closed_everywhere(world: &World, id: &str) {
    for clone in ["c", "a", "b", "c"] {
        run(world, clone, &["sync"]).ok();
        assert_eq!(status(world, clone, id), "closed", "{clone}");
    }
}

#[test]
fn an_end_that_a_peer_has_brought_outlives_a_claim_before_it() {
    let (world, id) = two("strict");
    third_clone(&world);
    let url = world.path("b").display().to_string();
    world.git_in("c", &["remote", "add", "b", &url]).ok();
    create(&world, "b", &["Makes the remote move"]);
    world.bd_in("b", &["sync"]).ok();
    // Only its ref is sent: what is asked first does not have the start.
    run(&world, "a", &["start", &id]).ok();
    let (stop, start) = (format!("stop {id}"), format!("start {id}"));
    let done = format!("done {id} -r ported");
    let later = [
        ("a", "sync"),
        ("a", &stop),
        ("b", "sync"),
        ("b", &start),
        ("b", &done),
        ("c", "pull --remote b"),
    ];
    // The third time is the fetch after the look that has found the claim, and its text.
    meanwhile(&world, "c", 3, &later);
    let synced = run(&world, "c", &["sync"]);
    assert!(world.path("c.done").exists(), "{synced:?}");
    closed_everywhere(&world, &id);
}

/// The first `sync` of `c` goes on with its older tip, while the claim of `a` is at the remote until its fetch says that the
/// issue has ended; then, before it is given back, the commands of `within` run.
fn end_beside_a_claim(within: &[(&str, &str)]) {
    let (world, id) = two("strict");
    third_clone(&world);
    let (start, force) = (format!("start {id}"), format!("start {id} --force"));
    let done = format!("done {id} -r ported");
    meanwhile(&world, "a", 6, within);
    let later = [
        ("b", start.as_str()),
        ("a", "sync"),
        ("b", &done),
        ("a", &force),
    ];
    meanwhile(&world, "c", 2, &later);
    let synced = run(&world, "c", &["sync"]);
    assert!(world.path("a.done").exists(), "{synced:?}");
    closed_everywhere(&world, &id);
}

#[test]
fn an_end_outlives_a_claim_that_was_given_back_when_its_clone_heard_of_it() {
    // Without a push, which would wait for the one that goes on.
    end_beside_a_claim(&[("c", "hook pull origin")]);
}

#[test]
fn an_end_outlives_a_claim_before_it_though_a_later_tip_was_only_fetched() {
    end_beside_a_claim(&[
        ("c", "hook pull origin"),
        ("b", "create Another"),
        ("b", "sync"),
        ("c", "fetch"),
    ]);
}

#[test]
fn a_claim_of_what_has_ended_is_given_back_as_it_was_asked_for() {
    let (world, id) = two("strict");
    let log = world.path("moves").display().to_string();
    script(
        &world,
        "hub.git/hooks/update",
        &format!("case \"$1\" in refs/beads/claims/*) echo \"$3\" >>'{log}';; esac"),
    );
    run(&world, "b", &["start", &id]).ok();
    run(&world, "b", &["done", &id, "-r", "ported"]).ok();
    std::fs::remove_file(&log).unwrap();
    run(&world, "a", &["start", &id]).fails(3);
    // Made and removed: with a larger number it would look like one that came after the end.
    let moves = std::fs::read_to_string(&log).unwrap();
    let moves: Vec<_> = moves.lines().collect();
    assert!(
        matches!(moves[..], [made, gone] if made != gone && gone.bytes().all(|byte| byte == b'0')),
        "{moves:?}"
    );
}
