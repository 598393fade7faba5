//! Several commands at once, and several issues: whoever takes what is next gets something, or is told that nothing is left.

use std::thread;

use serde_json::Value;

use super::{run, started, two};
use crate::support::clones::{create, script};
use crate::support::events::{Gate, until};

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
fn a_local_start_beside_one_that_asks_the_remote_gives_way_to_it() {
    let (world, id) = two("local");
    // The hub takes its time.
    let (gate, asked) = (Gate::new(&world, "gate"), world.path("asked"));
    let hook = format!(
        "cat >/dev/null; touch '{}'; {}; exit 0",
        asked.display(),
        gate.spoken_lines()
    );
    script(&world, "hub.git/hooks/pre-receive", &hook);
    let ask = ["--agent", "one", "start", &id, "--strict", "--json"];
    let mut ask = world.command("a", crate::support::binary(), &ask);
    let first = thread::scope(|scope| {
        let first = scope.spawn(|| ask.output().unwrap());
        until("the hub is asked", || asked.exists());
        started(&world.bd_in("a", &["--agent", "two", "start", &id, "--json"]));
        gate.open();
        first.join().unwrap()
    });
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    let synced = world.bd_in("a", &["sync", "--json"]).json();
    assert_eq!(synced["claims_lost"][0]["by"], "Ann/one", "{synced}");
    let shown = world.bd_in("a", &["show", &id, "--json"]).json();
    assert_eq!(shown["issue"]["claim"]["by"], "Ann/one", "{shown}");
}
