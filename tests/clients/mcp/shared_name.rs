//! Agents that share a session or a name: which of them goes on with an issue, and how another one is told apart.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Agent;
use super::next::next;
use crate::support::World;

#[test]
fn who_shares_a_session_is_told_how_to_take_another_issue() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let ids = [agent.create("A", json!({})), agent.create("B", json!({}))];
    let mut hint = |arguments: Value| agent.call("task_start", arguments)["hint"].clone();
    let call = "If that was not you: task_start(id=\"next\", as=\"NAME\")";
    assert_eq!(hint(json!({"id": ids[0]})), Value::Null);
    assert_eq!(hint(json!({"id": ids[0]})), call);
    // Who has a name of its own is nobody else.
    for _ in 0..2 {
        let named = json!({"id": ids[1], "as": "tests"});
        assert_eq!(hint(named), Value::Null);
    }
}

#[test]
fn two_servers_of_one_name_do_not_go_on_with_one_issue() {
    let mut world = World::with_store();
    world.set("GIT_BEADS_AGENT", "worker");
    let (mut one, mut other) = (Agent::new(&world), Agent::new(&world));
    let ids = [one.create("A", json!({})), one.create("B", json!({}))];
    let start = |agent: &mut Agent, id: &str| agent.call("task_start", json!({"id": id}));
    assert_eq!(start(&mut one, &ids[0])["next"], "continue");
    let second = start(&mut other, &ids[0]);
    assert_eq!(second["next"], "start_next_ready", "{second}");
    assert!(second["already_in_progress"].is_object(), "{second}");
    let again = json!({"id": ids[0], "status": "in_progress"});
    assert_eq!(next(&mut other, "task_progress", again), "start_next_ready");
    // Who has begun it goes on with it, also with one that it was given as the next.
    assert_eq!(start(&mut one, &ids[0])["next"], "continue");
    let taken = start(&mut one, "next");
    let id = taken["issue"]["id"].as_str().unwrap().to_owned();
    assert_eq!(start(&mut one, &id)["next"], "continue");
    assert_eq!(start(&mut other, &id)["next"], "start_next_ready");
    // A server that has ended is no other one: who comes after it goes on.
    let (code, _) = one.end();
    assert_eq!(code, 0);
    assert_eq!(start(&mut other, &id)["next"], "continue");
}

#[test]
fn two_servers_of_one_name_are_told_apart_by_the_names_of_beads_mcp_too() {
    let mut world = World::with_store();
    world.set("GIT_BEADS_AGENT", "worker");
    let full = || Agent::with(&world, &["--profile", "full"]);
    let (mut one, mut other) = (full(), full());
    let id = one.create("A", json!({}));
    let claim = json!({"issue_id": id});
    let start = json!({"issue_id": id, "status": "in_progress"});
    assert!(one.call("claim", claim.clone()).get("next").is_none());
    for (tool, arguments) in [("claim", &claim), ("update", &start)] {
        let told = other.call(tool, arguments.clone());
        assert_eq!(told["next"], "start_next_ready", "{tool}: {told}");
        assert_ne!(told["action"], "claimed", "{tool}");
        let own = one.call(tool, arguments.clone());
        assert!(own.get("next").is_none(), "{tool}: {own}");
    }
    let title = json!({"issue_id": id, "title": "B"});
    assert!(
        other.call("update", title).get("next").is_none(),
        "no start"
    );
}

#[test]
fn two_that_take_the_next_issue_get_different_ones() {
    let world = World::with_store();
    let mut agents = [Agent::new(&world), Agent::new(&world), Agent::new(&world)];
    let all: BTreeSet<String> = (0..30)
        .map(|n| agents[0].create(&format!("Issue {n}"), json!({})))
        .collect();
    let taken: Vec<String> = std::thread::scope(|scope| {
        let each = agents.iter_mut().enumerate().map(|(n, agent)| {
            scope.spawn(move || {
                let name = format!("worker{n}");
                let take = |_| {
                    let taken = agent.call("task_start", json!({"id": "next", "as": name}));
                    taken["issue"]["id"].as_str().unwrap().to_owned()
                };
                (0..10).map(take).collect::<Vec<_>>()
            })
        });
        let each: Vec<_> = each.collect();
        each.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    assert_eq!(taken.len(), 30);
    assert_eq!(taken.into_iter().collect::<BTreeSet<_>>(), all);
}
