//! Notices: an agent is told once what others did to what it had in progress.

use serde_json::json;

use super::answered;
use crate::clients::mcp::Agent;
use crate::support::World;

/// What a command of an agent says of notices.
pub(super) fn notices(world: &World, agent: &str, args: &[&str]) -> Vec<String> {
    let all = [&["--actor", "ann", "--agent", agent], args].concat();
    let said = world.bd(&all).stderr;
    let lines = said
        .lines()
        .filter_map(|line| line.strip_prefix("notice: "));
    lines.map(str::to_owned).collect()
}

#[test]
fn an_agent_is_told_once_who_took_or_ended_its_work() {
    let world = World::with_store();
    let (one, two) = (world.create(&["One"]), world.create(&["Two"]));
    for id in [&one, &two] {
        answered(&world, "ann/c-1", &["start", id]);
    }
    assert!(!world.path("repo/.git/beads/agents/c-1.notes").exists());
    answered(&world, "ann/c-2", &["start", &one, "--force"]);
    answered(&world, "ann", &["done", &two]);
    assert!(notices(&world, "c-2", &["list"]).is_empty());
    assert!(
        notices(&world, "c-1", &["start", "none"]).len() == 2,
        "also where it fails"
    );
    assert!(notices(&world, "c-1", &["list"]).is_empty(), "once");
    answered(&world, "ann/c-2", &["start", &one, "--force"]);
    answered(&world, "ann/c-1", &["start", &one, "--force"]);
    let said = world
        .bd(&["--actor", "ann", "--agent", "c-2", "prime"])
        .ok();
    let line = format!("Notices:\n- your claim of {one} was taken over by ann/c-1\n");
    assert!(said.contains(&line), "{said}");
    assert!(notices(&world, "c-2", &["list"]).is_empty());
    // What another clone calls its agent is no path here.
    answered(&world, "ann/../../x", &["start", &two]);
    world.bd(&["uninstall", "--yes"]).ok();
    assert!(!world.path("repo/.git/beads").exists());
}

#[test]
fn an_agent_is_told_who_gave_its_issue_away_deleted_or_undid_it() {
    let world = World::with_store();
    let ids = ["A", "B", "C"].map(|title| world.create(&[title]));
    for id in &ids {
        answered(&world, "ann/c-1", &["start", id]);
    }
    let [given, deleted, undone] = &ids;
    let give = ["update", given, "-a", "zed"];
    for caller in ["ann/c-2", "bob/c-3"] {
        let (code, said) = answered(&world, caller, &give);
        assert_eq!((code, said.as_str()), (3, "claimed"), "{caller}");
        let (code, _) = answered(&world, caller, &["assign", given, ""]);
        assert_eq!(code, 3, "{caller}");
    }
    let since = |id: &str| {
        world.bd(&["--json", "status"]).json()["in_progress"]
            .as_array()
            .and_then(|all| all.iter().find(|issue| issue["id"] == id))
            .map(|issue| issue["since"].clone())
    };
    let before = since(given);
    world.pass(3600);
    let said = format!("{given} was claimed by ann/c-1");
    assert_eq!(
        answered(&world, "ann/c-2", &[&give[..], &["--force"]].concat()),
        (0, said)
    );
    assert!(
        before.is_some() && since(given) != before,
        "its claim is a new one"
    );
    let said = format!("{deleted} was claimed by ann/c-1");
    assert_eq!(answered(&world, "ann/c-2", &["delete", deleted]), (0, said));
    let start = world.bd(&["log", undone, "-n", "1", "--json"]).json();
    let start = start["operations"][0]["commit"]
        .as_str()
        .unwrap()
        .to_owned();
    world.bd_as("ann", &["undo", &start]).ok();
    let told = notices(&world, "c-1", &["list"]);
    let ended =
        |id: &str, verb: &str, by: &str| format!("your claim of {id} was ended ({verb}) by {by}");
    assert_eq!(
        told,
        [
            ended(given, "assign", "ann/c-2"),
            ended(deleted, "delete", "ann/c-2"),
            ended(undone, "undo", "ann"),
        ]
    );
    // The holder gives its own issue away, and a person anybody's: that is said.
    let own = world.create(&["E"]);
    answered(&world, "ann/c-1", &["start", &own]);
    assert_eq!(answered(&world, "ann/c-1", &["assign", &own, "bob"]).0, 0);
    answered(&world, "bob/c-3", &["start", &own]);
    assert_eq!(
        answered(&world, "ann", &["assign", &own, "zed"]).1,
        format!("{own} was claimed by bob/c-3")
    );
}

#[test]
fn a_server_tells_an_agent_in_its_next_answer() {
    let mut world = World::with_store();
    world.set("GIT_BEADS_AGENT", "claude-3f2ak");
    let mut agent = Agent::new(&world);
    let id = agent.create("T", json!({}));
    agent.call("task_start", json!({"id": id}));
    agent.call(
        "task_done",
        json!({"id": id, "reason": "x", "as": "codex-91xq0", "force": true}),
    );
    let told = agent.call("task_list", json!({"mode": "list"}));
    let expected = format!("your claim of {id} was ended (done) by Ann/codex-91xq0");
    assert_eq!(told["notices"], json!([expected]));
    assert!(agent.call("task_list", json!({}))["notices"].is_null());
    let id = agent.create("T2", json!({}));
    agent.call("task_start", json!({"id": id}));
    agent.call(
        "task_progress",
        json!({"id": id, "status": "blocked", "findings": ["x"], "as": "codex-91xq0", "force": true}),
    );
    let told = agent.call("task_status", json!({"id": id, "memory_limit": 1}));
    let expected = format!("your claim of {id} was ended (block) by Ann/codex-91xq0");
    assert_eq!(told["notices"], json!([expected]));
    let source = told["memory"]["sources"]["findings"][0].as_str().unwrap();
    assert!(source.starts_with("Ann/codex-91xq0 20"), "{source}");
}

#[test]
fn an_agent_ends_nothing_that_its_person_took_from_it() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    answered(&world, "ann/c-1", &["start", &id]);
    answered(&world, "ann", &["start", &id, "--force"]);
    for verb in ["done", "start", "stop"] {
        let (code, said) = answered(&world, "ann/c-1", &[verb, &id]);
        assert_eq!((code, said.as_str()), (3, "claimed"), "{verb}");
    }
    // Another agent of hers still goes on with it, and so does this one after it was given back.
    answered(&world, "ann", &["stop", &id]);
    assert_eq!(answered(&world, "ann/c-1", &["start", &id]).0, 0);
}

#[test]
fn what_follows_says_what_the_caller_may_do() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    let said = |agent: &str, args: &[&str]| {
        let all = [&["--agent", agent], args].concat();
        world.bd(&all).stdout
    };
    said("c-1", &["start", &id]);
    assert!(said("c-1", &["note", &id, "x"]).contains("done"));
    let other = said("c-2", &["note", &id, "y"]);
    assert!(!other.contains("done") && other.contains("show"), "{other}");
    world.bd(&["ask", &id, "Which?"]).ok();
    let inbox = said("c-2", &["inbox"]);
    assert!(inbox.contains("a person answers"), "{inbox}");
    world.bd(&["block", &id, "-r", "waits"]).ok();
    let answer = world.bd(&["answer", &id, "that one"]).ok();
    assert!(
        answer.contains(&format!("still blocked: git beads unblock {id}")),
        "{answer}"
    );
    // Nobody is asked about what has ended.
    world.bd(&["unblock", &id]).ok();
    world.bd(&["done", &id, "-r", "x"]).ok();
    let refused = world.bd(&["ask", &id, "Late?"]);
    assert_eq!(refused.code, 3, "{refused:?}");
}

#[test]
fn a_question_that_nobody_will_see_is_not_waited_for() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    world.bd(&["ask", &id, "Which?"]).ok();
    world.bd(&["done", &id, "-r", "x"]).ok();
    let waited = world.bd(&["wait", &id, "--until", "answered", "--timeout", "20s"]);
    assert_eq!(waited.code, 3, "{waited:?}");
    assert!(
        waited.stderr.contains("no one will answer it"),
        "{waited:?}"
    );
}

#[test]
fn an_update_that_opens_gives_the_issue_back() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    answered(&world, "ann/c-1", &["start", &id]);
    answered(&world, "ann/c-1", &["update", &id, "-s", "open"]);
    let issue = world.bd(&["show", &id, "--json"]).json();
    assert!(issue["issue"]["assignee"].is_null(), "{issue}");
}

#[test]
fn who_takes_what_is_next_is_sent_on_like_this() {
    let world = World::with_store();
    for title in ["One", "Two", "Three"] {
        world.create(&[title]);
    }
    let agent = ["--agent", "c-1"];
    let taken = world
        .bd(&[&agent[..], &["ready", "--claim", "--json"]].concat())
        .json();
    let id = taken["issue"]["id"].as_str().unwrap();
    let done = world
        .bd(&[&agent[..], &["done", id, "-r", "x", "--json"]].concat())
        .json();
    assert_eq!(done["next"], "start_next_ready", "{done}");
    let taken = world
        .bd(&[&agent[..], &["ready", "--claim", "--json"]].concat())
        .json();
    let id = taken["issue"]["id"].as_str().unwrap();
    let done = world
        .bd(&[&agent[..], &["done", id, "-r", "x"]].concat())
        .ok();
    assert!(
        done.contains("git beads --agent c-1 ready --claim"),
        "{done}"
    );
    let none = world
        .bd(&["ready", "--claim", "-l", "nothing-like-it"])
        .fails(1);
    assert!(
        none.contains("nothing is ready of what was asked for (1 others are)"),
        "{none}"
    );
}

#[test]
fn what_says_no_names_no_agent() {
    let mut world = World::with_store();
    for name in ["CURSOR_AGENT", "CLAUDECODE", "AGENT"] {
        for value in ["0", "false"] {
            world.set(name, value);
        }
    }
    let place = world.bd(&["where", "--json"]).json();
    assert!(place["agent"].is_null(), "{place}");
}
