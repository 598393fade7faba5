//! What an agent has left: its client has ended, its session has, or its lease is over.

use std::time::Duration;

use serde_json::{Value, json};

use super::answered;
use super::notices::notices;
use crate::clients::mcp::Agent;
use crate::support::plumbing::{blob, git, path};
use crate::support::tools::copy_program;
use crate::support::{Output, World, binary};

/// Runs a command line within a client of a known name, which ends with it.
fn within_client(world: &World, session: &str, line: &str) -> String {
    let shell = world.path("claude");
    if !shell.exists() {
        copy_program("/bin/bash", &shell);
    }
    // More than one command: a shell becomes the last one.
    let line = format!("{line}; true");
    let mut client = world.command("repo", &shell.display().to_string(), &["-c", &line]);
    client.env("CLAUDE_CODE_SESSION_ID", session);
    world.run(client, None).ok()
}

#[test]
fn what_a_client_leaves_that_ended_another_agent_of_its_person_takes() {
    let world = World::with_store();
    let program = binary();
    let ids = ["A", "B", "C", "D"].map(|title| world.create(&[title]));
    let [taken, ended, refused, living] = &ids;
    let start = format!(
        "{program} --actor ann start {taken} && {program} --actor ann start {ended} && {program} --actor ann start {refused}"
    );
    within_client(&world, "s-1", &start);
    let (code, said) = answered(&world, "bob/codex-aaaaa", &["start", refused]);
    assert_eq!((code, said.as_str()), (3, "claimed"));
    let (code, said) = answered(&world, "ann", &["start", refused]);
    assert_eq!((code, said.as_str()), (3, "claimed"));
    let refusal = world.bd(&["--actor", "bob", "start", refused]);
    let text = refusal.fails(3);
    assert!(text.contains("whose client has ended"), "{text}");
    let (code, said) = answered(&world, "ann/codex-bbbbb", &["start", taken]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("was claimed by ann/claude-") && said.ends_with("whose client has ended"),
        "{said}"
    );
    let (code, said) = answered(
        &world,
        "ann/codex-bbbbb",
        &["done", ended, "-r", "it works"],
    );
    assert_eq!(code, 0, "{said}");
    // One that is at work excludes others as ever.
    let inner = format!(
        "{program} --actor ann start {living} && {program} --actor ann --agent codex-bbbbb start {living}; test $? = 3 && echo refused"
    );
    assert!(within_client(&world, "s-2", &inner).contains("refused"));
}

#[test]
fn what_was_left_is_the_next_after_what_is_as_urgent_and_ready() {
    let world = World::with_store();
    let program = binary();
    let issue = |priority: &str| world.create(&[priority, "-p", priority]);
    let [first, left, ready] = ["0", "1", "1"].map(issue);
    let start =
        format!("{program} --actor ann start {first} && {program} --actor ann start {left}");
    within_client(&world, "s-1", &start);
    let claim = |who: &str| -> Value {
        let (person, agent) = who.split_once('/').unwrap_or((who, ""));
        let args = [
            "--actor", person, "--agent", agent, "ready", "--claim", "--json",
        ];
        let output = world.bd(&args);
        output.json()["issue"]["id"].clone()
    };
    // More urgent than what is ready; then what is ready; then the rest.
    for expected in [&first, &ready, &left] {
        assert_eq!(claim("ann/codex-bbbbb"), expected.as_str());
    }
    // Only for agents of the same person.
    let other = world.create(&["Other"]);
    within_client(
        &world,
        "s-2",
        &format!("{program} --actor ann start {other}"),
    );
    for who in ["bob/codex-aaaaa", "ann"] {
        let (person, agent) = who.split_once('/').unwrap_or((who, ""));
        let args = ["--actor", person, "--agent", agent, "ready", "--claim"];
        assert!(
            world.bd(&args).fails(1).contains("nothing is ready"),
            "{who}"
        );
    }
    let mut agent = Agent::start(world.command("repo", binary(), &["--actor", "ann", "mcp"]));
    let listed = agent.call("task_list", json!({}));
    assert_eq!(
        (&listed["kind"], &listed["next"]),
        (&json!("empty"), &json!("start_next_ready"))
    );
    let taken = agent.call("task_start", json!({"id": "next"}));
    assert_eq!(taken["issue"]["id"], other.as_str());
    let remark = taken["remarks"][0].as_str().unwrap();
    assert!(remark.ends_with("whose client has ended"), "{remark}");
}

#[test]
fn a_session_that_goes_on_in_another_process_is_at_work() {
    let world = World::with_store();
    let program = binary();
    let id = world.create(&["T"]);
    let own = format!("{program} --actor ann --agent c-1");
    within_client(&world, "s-1", &format!("{own} start {id}"));
    // At once: what is known of the first process is a moment old.
    let taken = format!("{program} --actor ann --agent c-2 start {id}");
    let resumed =
        format!("{own} note {id} --finding resumed; {taken}; test $? = 3 && echo refused");
    assert!(within_client(&world, "s-1", &resumed).contains("refused"));
    // A clock that was set back leaves a time that is still to come.
    let path = world.path("repo/.git/beads/agents/c-1.json");
    let later = std::time::SystemTime::now() + Duration::from_secs(3600);
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(later).unwrap();
    within_client(&world, "s-1", &format!("{own} list"));
    let noted = std::fs::metadata(&path).unwrap().modified().unwrap();
    assert!(noted < later, "it is noted anew");
}

/// What a client reports of a session, as its hook does, and what we answer.
fn report(world: &World, event: &str, session: &str) -> String {
    let said = json!({"session_id": session, "hook_event_name": event, "tool_response": "x"});
    let command = world.command(
        "repo",
        binary(),
        &["--actor", "ann", "hook", event, "claude"],
    );
    world.run(command, Some(said.to_string().as_bytes())).ok()
}

/// A command of the agent of a session of Claude Code.
fn in_session(world: &World, session: &str, args: &[&str]) -> Output {
    let args = [&["--actor", "ann", "--json"], args].concat();
    let mut command = world.command("repo", binary(), &args);
    command.env("CLAUDE_CODE_SESSION_ID", session);
    world.run(command, None)
}

#[test]
fn a_session_that_has_ended_leaves_its_work_to_others_of_its_person() {
    let world = World::with_store();
    let (one, two) = (world.create(&["One"]), world.create(&["Two"]));
    for id in [&one, &two] {
        in_session(&world, "s-1", &["start", id]).ok();
    }
    assert_eq!(answered(&world, "ann/c-2", &["start", &one]).0, 3);
    assert_eq!(report(&world, "session-end", "s-1"), "");
    assert_eq!(answered(&world, "bob/c-2", &["start", &one]).0, 3);
    let (code, said) = answered(&world, "ann/c-2", &["start", &one]);
    assert!(
        code == 0 && said.ends_with("whose session has ended"),
        "{said}"
    );
    // The same session goes on: once it has done something it works on what is left.
    idle(&world, &agent_of(&world, &two), 1);
    report(&world, "beat", "s-1");
    assert_eq!(answered(&world, "ann/c-2", &["start", &two]).0, 3);
}

#[test]
fn an_agent_of_another_person_with_the_same_name_has_left_nothing() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    answered(&world, "ann/c-1", &["start", &id]);
    let line = format!("{} --actor bob --agent c-1 list", binary());
    within_client(&world, "s-1", &line);
    let (code, said) = answered(&world, "ann/c-2", &["start", &id]);
    assert_eq!((code, said.as_str()), (3, "claimed"));
}

/// The agent that works on an issue.
fn agent_of(world: &World, id: &str) -> String {
    let blob: Value = serde_json::from_str(&blob(world, &path(world, id))).unwrap();
    blob["claim"]["agent"].as_str().unwrap().to_owned()
}

#[test]
fn the_end_of_a_turn_names_once_what_is_in_progress() {
    let world = World::with_store();
    assert_eq!(report(&world, "stop", "s-1"), "");
    let ids = ["One", "Two", "Three", "Four"].map(|title| world.create(&[title]));
    in_session(&world, "s-1", &["start", &ids[0]]).ok();
    in_session(&world, "s-2", &["start", &ids[1]]).ok();
    let said: Value = serde_json::from_str(&report(&world, "stop", "s-1")).unwrap();
    let expected = format!(
        "still in progress by this session: {} One; git beads done ID -r \"what was done\" ends one, git beads stop ID gives it back",
        ids[0]
    );
    assert_eq!(said, json!({"systemMessage": expected}));
    assert_eq!(report(&world, "stop", "s-1"), "");
    for id in &ids[2..] {
        in_session(&world, "s-1", &["start", id]).ok();
    }
    assert!(report(&world, "stop", "s-1").contains("Four"));
    for id in [&ids[0], &ids[2], &ids[3]] {
        in_session(&world, "s-1", &["done", id]).ok();
    }
    assert_eq!(report(&world, "stop", "s-1"), "");
}

#[test]
fn a_report_of_a_client_never_fails_and_takes_no_notice() {
    let world = World::new();
    assert_eq!(report(&world, "stop", "s-1"), "");
    let world = World::with_store();
    let id = world.create(&["One"]);
    in_session(&world, "s-1", &["start", &id]).ok();
    answered(&world, "bob/c-2", &["start", &id, "--force"]);
    for text in ["", "no json", "{}", "[]", r#"{"session_id": 7}"#] {
        for event in ["beat", "stop", "session-end"] {
            let command = world.command("repo", binary(), &["hook", event, "claude"]);
            assert_eq!(
                world.run(command, Some(text.as_bytes())).ok(),
                "",
                "{event} {text}"
            );
        }
    }
    assert_eq!(report(&world, "beat", "s-1"), "");
    let told = in_session(&world, "s-1", &["list"]).stderr;
    assert!(told.contains("notice: your claim of"), "{told}");
}

/// Lets an agent have done nothing for some minutes.
fn idle(world: &World, agent: &str, minutes: u64) {
    let path = world.path(&format!("repo/.git/beads/agents/{agent}.json"));
    let file = std::fs::File::options().write(true).open(path).unwrap();
    let then = std::time::SystemTime::now() - Duration::from_secs(60 * minutes);
    file.set_modified(then).unwrap();
}

#[test]
fn a_list_says_how_long_another_agent_did_nothing() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    answered(&world, "ann/c-1", &["start", &id]);
    idle(&world, "c-1", 5);
    for (args, words) in [
        (&["list"][..], "@ann/c-1 5m"),
        (&["show", &id], "@ann/c-1 5m"),
        (&["board"], "@ann/c-1 5m"),
        (&["status"], "@ann/c-1 now, idle 5m"),
    ] {
        let text = world.bd(args).ok();
        assert!(text.contains(words), "{args:?}: {text}");
        // One's own is no news.
        let own = ["--actor", "ann", "--agent", "c-1"];
        idle(&world, "c-1", 5);
        let text = world.bd(&[&own, args].concat()).ok();
        assert!(!text.contains("5m"), "{args:?}: {text}");
        idle(&world, "c-1", 5);
    }
    let list = world.bd(&["list", "--json"]).json();
    let claim = &list["issues"][0]["claim"];
    assert_eq!(
        (&claim["by"], &claim["last_activity"], &claim["mine"]),
        (&json!("ann/c-1"), &json!("5m"), &Value::Null)
    );
    // So does an answer to who starts it: the holder, who may have forgotten, and another one.
    for (caller, code) in [("ann/c-1", 0), ("ann/c-2", 3)] {
        let (person, agent) = caller.split_once('/').unwrap();
        let start = ["--actor", person, "--agent", agent, "start", &id, "--json"];
        let output = world.bd(&start);
        assert_eq!(output.code, code, "{output:?}");
        let answer: Value = serde_json::from_str(&output.stdout).unwrap();
        let claim = &answer["already_in_progress"];
        assert_eq!(claim["last_activity"], "5m", "{answer}");
        idle(&world, "c-1", 5);
    }
}

#[test]
fn what_has_a_lease_that_is_over_anybody_takes() {
    let world = World::with_store();
    let ids = ["A", "B", "C"].map(|title| world.create(&[title, "-p", "1"]));
    for id in &ids {
        answered(&world, "ann/c-1", &["start", id, "--lease", "30m"]);
    }
    let ready = world.create(&["Ready", "-p", "2"]);
    idle(&world, "c-1", 29);
    let shown = |args: &[&str]| world.bd(args).ok();
    assert!(shown(&["show", &ids[0]]).contains("lease: 30m\n"));
    assert!(!shown(&["status"]).contains("lease over"));
    assert_eq!(answered(&world, "bob/c-2", &["start", &ids[0]]).0, 3);
    idle(&world, "c-1", 30);
    assert!(shown(&["show", &ids[0]]).contains("lease: 30m, over\n"));
    assert_eq!(shown(&["status"]).matches("lease over").count(), 3);
    let lease = json!({"minutes": 30, "activity": "stale"});
    assert_eq!(
        world.bd(&["show", &ids[0], "--json"]).json()["lease"],
        lease
    );
    let taken = format!(
        "{} was claimed by ann/c-1, whose lease of 30m is over",
        ids[0]
    );
    assert_eq!(answered(&world, "bob/c-2", &["start", &ids[0]]), (0, taken));
    assert_eq!(answered(&world, "bob", &["done", &ids[1]]).0, 0);
    // The more urgent first, then what is ready; an agent that comes back has its claim as before.
    let other = world.create(&["Ready too", "-p", "3"]);
    let claim = |caller: &str, more: &[&str]| {
        let (person, agent) = caller.split_once('/').unwrap();
        let args = [
            "--json", "--actor", person, "--agent", agent, "ready", "--claim",
        ];
        let claimed = world.bd(&[&args[..], more].concat());
        claimed.json()["issue"]["id"].as_str().unwrap().to_owned()
    };
    // Who asks for open ones gets none that is in progress.
    assert_eq!(claim("bob/c-5", &["-s", "open"]), ready);
    assert_eq!(claim("bob/c-3", &[]), ids[2]);
    assert_eq!(claim("bob/c-4", &[]), other);
    let (code, said) = answered(&world, "ann/c-1", &["done", &ids[2]]);
    assert_eq!((code, said.as_str()), (3, "claimed"));
    let notices = notices(&world, "c-1", &["list"]);
    assert!(
        notices.is_empty(),
        "they were told with the refusal: {notices:?}"
    );
}

#[test]
fn a_lease_is_that_of_the_claim() {
    let world = World::with_store();
    let lease = |id: &str| {
        let blob: Value = serde_json::from_str(&blob(&world, &path(&world, id))).unwrap();
        blob["claim"]["lease"].clone()
    };
    let (asked, configured, person) = (
        world.create(&["A"]),
        world.create(&["B"]),
        world.create(&["C"]),
    );
    answered(&world, "ann/c-1", &["start", &asked, "--lease", "2h"]);
    git(&world, &["config", "beads.lease", "45m"]);
    answered(&world, "ann/c-1", &["start", &configured]);
    answered(&world, "ann", &["start", &person]);
    assert_eq!(
        [lease(&asked), lease(&configured), lease(&person)],
        [json!(120), json!(45), Value::Null]
    );
    for wrong in ["0m", "25h", "soon", "30"] {
        let text = world.bd(&["start", &person, "--lease", wrong]).fails(2);
        assert!(text.contains("a lease is 1m to 24h"), "{text}");
    }
    git(&world, &["config", "beads.lease", "soon"]);
    world.create(&["D"]);
    let output = world.bd(&["--agent", "c-9", "--actor", "ann", "ready", "--claim"]);
    let warning = "beads.lease is `soon`, so claims have no lease: git config beads.lease 30m";
    assert!(
        output.code == 0 && output.stderr.contains(warning),
        "{output:?}"
    );
}
