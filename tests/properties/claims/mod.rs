//! Who may take an issue, and who may end the work on it.

mod left;
mod notices;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::faults::soaking;
use crate::clients::mcp::Agent;
use crate::support::plumbing::{git, hub};
use crate::support::{World, binary};

/// The answer of a verb about a held issue: its exit code, and what it says of the holder.
fn answered(world: &World, caller: &str, args: &[&str]) -> (i32, String) {
    let (person, agent) = caller.split_once('/').unwrap_or((caller, ""));
    let mut all = vec!["--json", "--actor", person];
    if !agent.is_empty() {
        all.extend(["--agent", agent]);
    }
    all.extend(args);
    let output = world.bd(&all);
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    let said = match &answer["remarks"][0] {
        Value::String(said) => said.clone(),
        _ if answer["already_in_progress"].is_object() && output.code == 0 => "own".to_owned(),
        _ => answer["code"].as_str().unwrap_or_default().to_owned(),
    };
    (output.code, said)
}

/// Callers and holders, and whether the caller may start and end: `own`, `yes`, or `no`.
const TABLE: [(&str, &str, &str, &str); 11] = [
    ("ann/c-1", "ann/c-1", "own", "own"),
    ("ann", "ann", "own", "own"),
    ("ann/c-1", "ann/c-1.sub", "yes", "yes"),
    ("ann/c-1.sub", "ann/c-1", "yes", "yes"),
    ("ann/c-1", "ann", "yes", "yes"),
    ("ann/c-1.a", "ann/c-1.b", "no", "no"),
    ("ann/c-2", "ann/c-1", "no", "no"),
    ("bob/c-1", "ann/c-1", "no", "no"),
    ("bob/c-1", "ann", "no", "no"),
    ("ann", "ann/c-1", "no", "yes"),
    ("ann", "bob/c-1", "no", "yes"),
];

#[test]
fn a_claim_excludes_whom_the_table_says() {
    let world = World::with_store();
    for (caller, holder, start, end) in TABLE {
        let verbs: [(&[&str], &str); 6] = [
            (&["start"], start),
            (&["update", "-s", "in_progress"], start),
            (&["done", "-r", "it works"], end),
            (&["block", "-r", "no access"], end),
            (&["defer"], end),
            (&["stop"], end),
        ];
        for (verb, may) in verbs {
            let id = world.create(&["T"]);
            answered(&world, holder, &["start", &id]);
            let mut args = verb.to_vec();
            args.insert(1, &id);
            let answer = answered(&world, caller, &args);
            let context = format!("{caller} {args:?} of {holder}: {answer:?}");
            match may {
                "no" => assert_eq!(answer, (3, "claimed".to_owned()), "{context}"),
                "yes" => {
                    assert_eq!(
                        answer,
                        (0, format!("{id} was claimed by {holder}")),
                        "{context}"
                    );
                }
                _ => assert_eq!(answer.0, 0, "{context}"),
            }
            // Texts are never refused.
            assert_eq!(answered(&world, caller, &["note", &id, "a thought"]).0, 0);
        }
    }
}

/// What an answer says of a claim, with neither ids nor times.
fn of_claim(answer: &Value, id: &str) -> Value {
    let of = |key: &str| answer[key].clone();
    let mut said = json!([
        of("code"),
        of("message"),
        of("remarks"),
        of("already_in_progress")
    ]);
    if let Some(holder) = said[3].as_object_mut() {
        holder.remove("since");
    }
    serde_json::from_str(&said.to_string().replace(id, "ID")).unwrap()
}

#[test]
fn a_server_answers_a_claim_as_the_commands_do() {
    let world = World::with_store();
    let verbs: [(&[&str], &str, Value); 6] = [
        (&["start"], "task_start", json!({})),
        (
            &["done", "-r", "it works"],
            "task_done",
            json!({"reason": "it works"}),
        ),
        (
            &["note", "-s", "in_progress"],
            "task_progress",
            json!({"status": "in_progress"}),
        ),
        (
            &["note", "-s", "blocked"],
            "task_progress",
            json!({"status": "blocked"}),
        ),
        (
            &["note", "-s", "deferred"],
            "task_progress",
            json!({"status": "deferred"}),
        ),
        (
            &["note", "-s", "open"],
            "task_progress",
            json!({"status": "open"}),
        ),
    ];
    for (caller, holder, ..) in TABLE {
        // A server always acts as an agent.
        let Some((person, name)) = caller.split_once('/') else {
            continue;
        };
        // Without a name of its own a call counts as that of the part that works on the issue.
        if holder.starts_with(&format!("{caller}.")) {
            continue;
        }
        let mut command = world.command("repo", binary(), &["mcp"]);
        command.env("GIT_BEADS_ACTOR", person);
        command.env("GIT_BEADS_AGENT", name);
        let mut agent = Agent::start(command);
        for (verb, tool, arguments) in &verbs {
            let [first, second] = ["T", "T"].map(|title| {
                let id = world.create(&[title]);
                answered(&world, holder, &["start", &id]);
                id
            });
            let caller_args = ["--json", "--actor", person, "--agent", name];
            let mut args = [&caller_args[..], &[verb[0], &first]].concat();
            args.extend(&verb[1..]);
            let command = world.bd(&args);
            let by_command = serde_json::from_str(&command.stdout).unwrap();
            let mut arguments = arguments.clone();
            arguments["id"] = json!(second);
            let (text, failed) = agent.raw(tool, &arguments);
            let by_server = serde_json::from_str(&text).unwrap();
            let context = format!("{caller} {verb:?} of {holder}: {command:?}\n{text}");
            assert_eq!(failed, command.code == 3, "{context}");
            assert_eq!(
                of_claim(&by_server, &second),
                of_claim(&by_command, &first),
                "{context}"
            );
        }
    }
}

#[test]
fn force_takes_over_and_says_from_whom() {
    let world = World::with_store();
    let id = world.create(&["T"]);
    answered(&world, "ann/c-1", &["start", &id]);
    let refused = world.bd(&["--json", "--actor", "ann", "--agent", "c-2", "start", &id]);
    assert_eq!(refused.code, 3);
    let error: Value = serde_json::from_str(&refused.stdout).unwrap();
    assert_eq!(error["already_in_progress"]["by"], "ann/c-1");
    assert_eq!(error["already_in_progress"]["session"], "c-1");
    let said = format!("{id} was claimed by ann/c-1");
    assert_eq!(
        answered(&world, "ann/c-2", &["start", &id, "--force"]),
        (0, said)
    );
    assert_eq!(answered(&world, "ann/c-1", &["done", &id]).0, 3);
    let said = format!("{id} was claimed by ann/c-2");
    assert_eq!(
        answered(&world, "ann/c-1", &["done", &id, "--force"]),
        (0, said)
    );
}

#[test]
fn force_ends_the_work_of_another_agent_and_says_whose_it_was() {
    let world = World::with_store();
    let verbs: [&[&str]; 6] = [
        &["block", "-r", "no access"],
        &["defer"],
        &["done"],
        &["stop"],
        &["note", "-s", "open"],
        &["update", "-s", "blocked"],
    ];
    for verb in verbs {
        let id = world.create(&["T"]);
        answered(&world, "ann/c-1", &["start", &id]);
        let mut args = verb.to_vec();
        args.insert(1, &id);
        assert_eq!(answered(&world, "ann/c-2", &args).0, 3, "{verb:?}");
        args.push("--force");
        let said = format!("{id} was claimed by ann/c-1");
        assert_eq!(answered(&world, "ann/c-2", &args), (0, said), "{verb:?}");
    }
}

#[test]
fn what_is_assigned_to_another_or_pinned_needs_force() {
    let world = World::with_store();
    let id = world.create(&["T", "-a", "bob"]);
    assert_eq!(
        answered(&world, "ann", &["start", &id]),
        (3, "assigned".to_owned())
    );
    assert_eq!(
        answered(&world, "ann/c-1", &["start", &id]),
        (3, "assigned".to_owned())
    );
    assert_eq!(answered(&world, "bob/c-1", &["start", &id]).0, 0);
    // It was bob's before, so it is his again.
    assert_eq!(answered(&world, "bob/c-1", &["stop", &id]).0, 0);
    let issue = world.bd(&["show", &id, "--json"]).json()["issue"].clone();
    assert_eq!(
        (&issue["status"], &issue["assignee"]),
        (&json!("open"), &json!("bob"))
    );
    let said = format!("{id} was assigned to bob");
    assert_eq!(
        answered(&world, "ann", &["start", &id, "--force"]),
        (0, said)
    );
    let pinned = world.create(&["P"]);
    world.bd(&["update", &pinned, "-s", "pinned"]).ok();
    assert_eq!(
        answered(&world, "ann", &["start", &pinned]),
        (3, "protected".to_owned())
    );
    assert_eq!(answered(&world, "ann", &["start", &pinned, "--force"]).0, 0);
}

#[test]
fn stop_without_an_id_gives_back_all_of_this_agent() {
    let world = World::with_store();
    let [a, b, c] = ["A", "B", "C"].map(|title| world.create(&[title]));
    answered(&world, "ann/c-1", &["start", &a]);
    answered(&world, "ann/c-1", &["start", &b]);
    answered(&world, "ann/c-2", &["start", &c]);
    let stopped = world
        .bd(&["--actor", "ann", "--agent", "c-1", "stop", "-q"])
        .ok();
    let stopped: BTreeSet<&str> = stopped.lines().collect();
    assert_eq!(stopped, BTreeSet::from([a.as_str(), b.as_str()]));
    assert_eq!(
        world.bd(&["list", "-s", "in_progress", "-q"]).ok().trim(),
        c
    );
    let error = world.bd(&["stop", &a]).fails(1);
    assert!(error.contains("is open, not in progress"), "{error}");
}

#[test]
fn an_undo_brings_the_claim_back_as_it_was() {
    let world = World::with_store();
    let id = world.create(&["T"]);
    let refused = |caller| answered(&world, caller, &["start", &id]).0 == 3;
    answered(&world, "ann/c-1", &["start", &id]);
    answered(&world, "ann/c-1", &["done", &id]);
    assert_eq!(answered(&world, "ann/c-1", &["undo"]).0, 0);
    assert!(refused("ann/c-2"));
    assert_eq!(
        answered(&world, "ann/c-1", &["start", &id]),
        (0, "own".to_owned())
    );
    world.bd_as("ann", &["assign", &id, "bob"]).ok();
    assert!(refused("ann/c-1"));
    assert_eq!(
        answered(&world, "bob", &["start", &id]),
        (0, "own".to_owned())
    );
    world.bd_as("ann", &["undo"]).ok();
    assert_eq!(
        answered(&world, "ann/c-1", &["start", &id]),
        (0, "own".to_owned())
    );
    answered(&world, "ann/c-2", &["start", &id, "--force"]);
    assert_eq!(answered(&world, "ann/c-2", &["undo"]).0, 0);
    assert_eq!(
        answered(&world, "ann/c-1", &["start", &id]),
        (0, "own".to_owned())
    );
}

#[test]
fn an_import_of_a_newer_status_voids_the_claim() {
    let world = World::with_store();
    let id = world.create(&["T"]);
    answered(&world, "ann/c-1", &["start", &id]);
    let line = world.bd(&["export"]).ok();
    let mut record: Value = serde_json::from_str(line.trim()).unwrap();
    record["updated_at"] = json!("2026-11-21T00:00:00Z");
    record["assignee"] = json!("bob");
    world.bd_with(format!("{record}\n"), &["import", "-"]).ok();
    assert_eq!(
        answered(&world, "bob", &["start", &id]),
        (0, "own".to_owned())
    );
}

#[test]
fn many_agents_of_few_persons_take_each_issue_once() {
    let world = World::with_store();
    let (count, workers, worktrees, persons) = match soaking() {
        true => (10_000, 64, 16, 4),
        false => (60, 6, 2, 2),
    };
    git(&world, &["commit", "-q", "--allow-empty", "-m", "First"]);
    for n in 1..worktrees {
        let at = format!("../tree-{n}");
        git(&world, &["worktree", "add", "-q", "--detach", &at]);
    }
    let lines: String = (0..count)
        .map(|n| format!("{{\"id\":\"bd-{n}\",\"title\":\"T{n}\",\"status\":\"open\"}}\n"))
        .collect();
    world.bd_with(lines, &["import", "-"]).ok();
    let taken = Arc::new(Mutex::new(Vec::new()));
    let world = &world;
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let taken = taken.clone();
            let (actor, agent) = (format!("p{}", worker % persons), format!("c-{worker}"));
            let args = [
                "--actor", &actor, "--agent", &agent, "ready", "--claim", "-q",
            ];
            let folder = match worker % worktrees {
                0 => "repo".to_owned(),
                n => format!("tree-{n}"),
            };
            let mut command = world.command(&folder, binary(), &args);
            scope.spawn(move || {
                loop {
                    let output = command.output().unwrap();
                    if !output.status.success() {
                        assert_eq!(output.status.code(), Some(1), "{output:?}");
                        break;
                    }
                    let id = String::from_utf8(output.stdout).unwrap();
                    taken.lock().unwrap().push(id.trim().to_owned());
                }
            });
        }
    });
    let taken = taken.lock().unwrap();
    assert_eq!(taken.len(), count);
    assert_eq!(taken.iter().collect::<BTreeSet<_>>().len(), count);
}

#[test]
fn a_server_says_who_holds_an_issue_and_takes_it_by_force() {
    let mut world = World::with_store();
    world.set("GIT_BEADS_AGENT", "claude-3f2ak");
    let mut agent = Agent::new(&world);
    let id = agent.create("T", json!({}));
    let first = agent.call("task_start", json!({"id": id}));
    assert!(first["already_in_progress"].is_null(), "{first}");
    let again = agent.call("task_start", json!({"id": id}));
    assert_eq!(again["already_in_progress"]["by"], "Ann/claude-3f2ak");
    let refused = agent.refused(
        "task_done",
        json!({"id": id, "reason": "done", "as": "codex-91xq0"}),
    );
    assert_eq!(refused["code"], "claimed");
    assert_eq!(refused["already_in_progress"]["session"], "claude-3f2ak");
    // A part of the session may take over, and says so.
    let handed = agent.call("task_start", json!({"id": id, "as": "tests"}));
    assert_eq!(
        handed["remarks"][0],
        format!("{id} was claimed by Ann/claude-3f2ak")
    );
    agent.call(
        "task_start",
        json!({"id": id, "as": "codex-91xq0", "force": true}),
    );
    agent.call(
        "task_progress",
        json!({"id": id, "as": "codex-91xq0", "status": "open"}),
    );
    agent.call("task_start", json!({"id": id}));
    let released = agent.call(
        "task_progress",
        json!({"id": id, "as": "codex-91xq0", "status": "open", "force": true}),
    );
    assert_eq!(
        released["remarks"][0],
        format!("{id} was claimed by Ann/claude-3f2ak")
    );
    let issue = world.bd(&["show", &id, "--json"]).json()["issue"].clone();
    assert_eq!(
        (&issue["status"], &issue["assignee"]),
        (&json!("open"), &Value::Null)
    );
}

#[test]
fn answers_say_who_calls_and_who_works_on_what() {
    let mut world = World::with_store();
    world.set("GIT_BEADS_AGENT", "claude-3f2ak");
    let mut agent = Agent::new(&world);
    let (mine, other) = (
        agent.create("Mine", json!({})),
        agent.create("Other", json!({})),
    );
    let started = agent.call("task_start", json!({"id": mine}));
    assert_eq!(started["you"], "Ann/claude-3f2ak");
    assert!(started.get("claim").is_none(), "{started}");
    agent.call("task_start", json!({"id": other, "as": "codex-91xq0"}));
    let all = agent.call("task_status", json!({}));
    assert_eq!(all["you"], "Ann/claude-3f2ak");
    // One of two is this agent's, so it goes on with that.
    assert_eq!(all["next"], "continue");
    assert_eq!(
        (&all["claims"][&mine]["mine"], &all["claims"][&mine]["by"]),
        (&json!(true), &json!("Ann/claude-3f2ak"))
    );
    let claim = &all["claims"][&other];
    assert_eq!(claim["by"], "Ann/codex-91xq0");
    assert!(claim.get("mine").is_none() && claim["since"].is_string());
    let listed = agent.call("task_list", json!({"status": "in_progress"}));
    assert_eq!(listed["claims"], all["claims"]);
    let one = agent.call("task_status", json!({"id": other}));
    assert_eq!(&one["claim"], claim);
    // A change of another agent's issue says whose it is, one of its own does not.
    let change = json!({"id": other, "design": "x"});
    assert_eq!(&agent.call("task_update_meta", change)["claim"], claim);
    let changed = agent.call("task_update_meta", json!({"id": mine, "design": "x"}));
    assert!(changed.get("claim").is_none(), "{changed}");
    let prime = world.bd(&["prime"]).ok();
    assert!(prime.contains("2 in progress (you: 1)"), "{prime}");
    assert!(prime.contains("(Ann/codex-91xq0)"), "{prime}");
}

#[test]
fn no_session_host_or_folder_is_written_or_pushed() {
    let mut world = World::with_store();
    hub(&world);
    let session = "0d5a7c1e-93f4-4c1d-8a6b-77e2f1c0aa41";
    world.set("CLAUDECODE", "1");
    world.set("CLAUDE_CODE_SESSION_ID", session);
    let (one, two) = (world.create(&["One"]), world.create(&["Two"]));
    world.bd(&["start", &one]).ok();
    world.bd(&["note", &one, "--finding", "It works"]).ok();
    world.bd(&["start", &two]).ok();
    world.bd(&["done", &one, "-r", "done"]).ok();
    world.bd(&["sync"]).ok();
    assert!(world.bd(&["show", &two]).ok().contains("/claude-"));
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let root = world.path("").display().to_string();
    let secrets = [session, host.trim(), root.trim_end_matches('/')];
    for folder in ["repo", "hub.git"] {
        // Every object as it is stored, and every ref.
        let all = "git for-each-ref && git rev-list --objects --all | cut -c1-40 \
                   | git cat-file --batch";
        let script = format!("cd '{}' && {all}", world.path(folder).display());
        let text = world
            .run(world.command("repo", "sh", &["-c", &script]), None)
            .ok();
        assert!(text.contains("Agent: claude-"), "{folder}");
        for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
            assert!(!text.contains(*secret), "{secret} in {folder}");
        }
    }
}
