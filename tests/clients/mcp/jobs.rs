//! Ten jobs of an agent, each done over the pipe by an agent that obeys `next` and hints, with what each costs it.

use std::fmt::Write;

use serde_json::{Value, json};

use super::Agent;
use super::scripted::Wish::{Agreed, Do, Told};
use super::scripted::{Cost, Scripted, Wish};
use crate::support::World;
use crate::support::look::{issue, memory, status};

/// The jobs, in their order.
pub const JOBS: [&str; 10] = [
    "plan an epic and begin with its first part",
    "two agents look, then claim",
    "what did lea decide, and when",
    "go on after the context was lost",
    "file in a fresh submodule, claim in a worktree",
    "close with the evidence",
    "file what was found on the way",
    "take back three mistakes",
    "what is blocked, by what, who has that",
    "sort four new issues",
];
/// Texts of an issue: what, how, and when it is done.
pub const TEXTS: [&str; 3] = [
    "Requests above the limit are refused",
    "A token bucket for each client, in memory",
    "The 101st request in a minute is answered with 429",
];
/// The parts of an epic.
pub const PARTS: [&str; 4] = [
    "Count requests",
    "Answer 429",
    "Read the limit",
    "Tell the limit",
];
/// What a person asks for.
pub const REQUEST: &str = "Limit the rate of requests";
/// What was found out, chosen, and found on the way.
pub const FINDING: &str = "The proxy keeps 40 connections open";
pub const DECISION: &str = "Evict the oldest entry of the cache: memory stays bounded";
pub const BUG: &str = "Parser loses tabs";
/// How a job ends.
pub const REASON: &str = "Refused with 429 after 100 requests";
pub const PR: &str = "https://example.org/pull/17";
/// What is to be sorted: the title, the right type, priority and label of each.
pub const INBOX: [[&str; 4]; 4] = [
    ["Crash on start", "bug", "P0", "core"],
    ["Dark colours", "feature", "P3", "ui"],
    ["Slow search", "bug", "P1", "core"],
    ["Typo in the help", "chore", "P4", "docs"],
];

/// Commits in `repo`; returns the beginning of the commit's id, always the same.
pub fn committed(world: &mut World) -> String {
    for name in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
        world.set(name, "2026-11-20T09:00:00Z");
    }
    let commit = ["commit", "--quiet", "--allow-empty", "-m", "Limit"];
    world.git(&commit).ok();
    let id = world.git(&["rev-parse", "--short=8", "HEAD"]).ok();
    id.trim().to_owned()
}

/// A store, and a session of a client that is always the same.
fn store() -> World {
    let mut world = World::with_store_made_here();
    world.set("CLAUDE_CODE_SESSION_ID", "s-1");
    world
}

fn texts(title: &str) -> Value {
    let [what, how, done] = TEXTS;
    json!({"title": title, "description": what, "design": how, "acceptance": done})
}

fn agent(world: &World) -> Scripted {
    Scripted::new(world, Agent::new(world))
}

/// Does a job with one agent in the profile `task`.
fn job(world: &World, goal: impl IntoIterator<Item = Wish>) -> (Value, Cost) {
    let mut agent = agent(world);
    let answer = agent.wants(goal).works();
    (answer, agent.cost)
}

/// An epic from a request, and its parts: ends with the first of them started.
fn epic() -> Cost {
    let world = store();
    let [what, how, done] = TEXTS;
    let (answer, cost) = job(
        &world,
        [
            Do("task_status", json!({})),
            Told,
            Do(
                "task_start",
                json!({"user_request": REQUEST, "description": what, "design": how, "acceptance": done}),
            ),
            Do(
                "task_decompose",
                json!({"epic_id": "@/issue/id", "sub_issues": PARTS.map(texts)}),
            ),
        ],
    );
    assert_eq!(answer["issue"]["title"], PARTS[0]);
    assert_eq!(answer["issue"]["status"], "in_progress");
    cost
}

/// Two agents look, then take what they saw: each gets one of its own.
fn claims(mut world: World, second: &[(&str, &str)]) -> Cost {
    let ids = [world.create(&["One"]), world.create(&["Other"])];
    let mut agents = [agent(&world), {
        for (name, value) in second {
            world.set(name, value);
        }
        agent(&world)
    }];
    for agent in &mut agents {
        agent.wants([Do("task_list", json!({}))]).step();
    }
    let taken = agents
        .each_mut()
        .map(|agent| agent.works()["issue"]["id"].clone());
    assert_eq!(json!(taken), json!(ids));
    let [first, second] = agents;
    first.cost + second.cost
}

fn decided(profile: &str, goal: [Wish; 2]) -> (Value, Cost) {
    let world = store();
    let id = world.create(&["Bound the cache"]);
    world.create(&["Write the manual"]);
    let note = ["note", &id, "--decision", DECISION];
    world.bd_as("lea", &note).ok();
    let server = Agent::with(&world, &["--profile", profile]);
    let mut agent = Scripted::new(&world, server);
    let answer = agent.wants(goal).works();
    (answer, agent.cost)
}

/// What somebody has decided, and when.
fn decision() -> Cost {
    let (answer, cost) = decided(
        "task",
        [
            Do("task_list", json!({"query": "evict cache"})),
            Do(
                "task_status",
                json!({"id": "@/issues/0/id", "memory_limit": 5}),
            ),
        ],
    );
    assert_eq!(answer["memory"]["decisions"], json!([DECISION]));
    let source = &answer["memory"]["sources"]["decisions"][0];
    let source = source.as_str().unwrap();
    // The agent below her name is the session that wrote it.
    assert!(source.starts_with("lea/claude-") && source.ends_with(" 2026-11-20"));
    cost
}

/// The same with the names of beads-mcp.
fn decision_in_full() -> Cost {
    let (answer, cost) = decided(
        "full",
        [
            Do("search", json!({"query": "evict cache"})),
            Do("comments", json!({"issue_id": "@Bound the cache"})),
        ],
    );
    let comment = &answer[0];
    assert!(comment["text"].as_str().unwrap().ends_with(DECISION));
    assert_eq!(comment["author"], "lea");
    let when = comment["created_at"].as_str().unwrap();
    assert!(when.starts_with("2026-11-20"));
    cost
}

/// To go on after the context was lost, beside the work of another.
fn resume() -> Cost {
    let world = store();
    let theirs = world.create(&["Theirs"]);
    world.bd_as("lea", &["start", &theirs]).ok();
    let mut before = Agent::new(&world);
    let mine = before.create("Mine", texts("Mine"));
    before.call("task_start", json!({"id": mine}));
    before.call("task_progress", json!({"id": mine, "findings": [FINDING]}));
    // The server lives on; what the agent knew does not.
    let mut after = Scripted::new(&world, before);
    let answer = after
        .wants([
            Do("task_status", json!({})),
            Do(
                "task_start",
                json!({"id": "@mine", "view": "meta", "memory_limit": 5}),
            ),
        ])
        .works();
    assert_eq!(answer["issue"]["id"], mine.as_str());
    assert_eq!(answer["issue"]["acceptance"], TEXTS[2]);
    assert_eq!(answer["memory"]["findings"], json!([FINDING]));
    after.cost
}

/// To file an issue in a fresh submodule, and to find one of the project in a worktree of it.
fn places() -> Cost {
    let world = store();
    let made = world.create(&["Of the project"]);
    let git = |folder: &str, args: &[&str]| {
        let args = [&["-c", "protocol.file.allow=always"], args].concat();
        world.git_in(folder, &args).ok();
    };
    git(".", &["init", "--quiet", "lib"]);
    for folder in ["lib", "repo"] {
        git(
            folder,
            &["commit", "--quiet", "--allow-empty", "-m", "first"],
        );
    }
    git("repo", &["submodule", "--quiet", "add", "../lib", "lib"]);
    git("repo", &["worktree", "add", "--quiet", "../linked"]);
    let mut lib = Scripted::new(&world, Agent::in_folder(&world, "repo/lib", &[]));
    lib.wants([
        Do("task_status", json!({})),
        Agreed,
        Do("task_create", texts("Of the library")),
    ])
    .works();
    let list = world.bd_in("repo/lib", &["list", "--json"]).json();
    assert_eq!(list["issues"][0]["title"], "Of the library");
    let project = world.bd(&["list", "--json"]).json();
    assert_eq!(project["issues"].as_array().unwrap().len(), 1);
    let mut linked = Scripted::new(&world, Agent::in_folder(&world, "linked", &[]));
    let answer = linked.wants([Do("task_list", json!({}))]).works();
    assert_eq!(answer["issue"]["id"], made.as_str());
    assert_eq!(status(&world, &made), "in_progress");
    lib.cost + linked.cost
}

/// To close an issue with the evidence.
fn evidence() -> Cost {
    let mut world = store();
    let commit = committed(&mut world);
    let mut before = Agent::new(&world);
    let id = before.create("Limit", json!({}));
    before.call("task_start", json!({"id": id}));
    let mut agent = Scripted::new(&world, before);
    let arguments =
        json!({"id": id, "reason": REASON, "findings": [FINDING], "commit": commit, "pr": PR});
    agent.wants([Do("task_done", arguments)]).works();
    let shown = issue(&world, &id);
    assert_eq!(shown["status"], "closed");
    assert!(shown.to_string().contains(&commit), "{shown}");
    assert!(shown.to_string().contains(PR), "{shown}");
    agent.cost
}

/// To file what was found on the way.
fn discovery() -> Cost {
    let world = store();
    let mut before = Agent::new(&world);
    let id = before.create("Limit", json!({}));
    before.call("task_start", json!({"id": id}));
    let mut agent = Scripted::new(&world, before);
    let arguments = json!({"id": id, "discovered": [format!("bug: {BUG}")]});
    let answer = agent.wants([Do("task_progress", arguments)]).works();
    let filed = issue(&world, answer["filed"][0].as_str().unwrap());
    assert_eq!(
        (&filed["title"], &filed["type"]),
        (&json!(BUG), &json!("bug"))
    );
    let link = &filed["dependencies"][0];
    assert_eq!(
        (&link["id"], &link["type"]),
        (&json!(id), &json!("discovered-from"))
    );
    agent.cost
}

/// To take back: the wrong issue started, one filed twice, one with the wrong title and priority.
fn mistake() -> Cost {
    let world = store();
    let mut before = Agent::new(&world);
    let wrong = before.create("Wrong one", json!({}));
    let named = before.create("Limt", json!({"priority": "P0"}));
    let twice = before.create("Limit", json!({}));
    before.call("task_start", json!({"id": wrong}));
    let mut agent = Scripted::new(&world, before);
    agent
        .wants([
            Do("task_undo", json!({"id": wrong})),
            Do("task_undo", json!({"id": twice})),
            Do(
                "task_update_meta",
                json!({"id": named, "title": "Limit", "priority": "P2"}),
            ),
        ])
        .works();
    let is_free = issue(&world, &wrong);
    assert_eq!(is_free["status"], "open");
    assert!(is_free.get("assignee").is_none() && is_free.get("claim").is_none());
    assert_eq!(status(&world, &twice), "tombstone");
    let named = issue(&world, &named);
    assert_eq!(
        (&named["title"], &named["priority"]),
        (&json!("Limit"), &json!(2))
    );
    assert!(agent.cost.calls <= 3);
    agent.cost
}

/// What is blocked, by what, and who has that.
fn blocked() -> Cost {
    let world = store();
    let (first, second) = (world.create(&["Limit"]), world.create(&["Manual"]));
    world.bd(&["dep", "add", &second, "--on", &first]).ok();
    world.create(&["Elsewhere"]);
    world.bd_as("lea", &["start", &first]).ok();
    let (answer, cost) = job(
        &world,
        [
            Do("task_list", json!({"mode": "blocked"})),
            Do("task_status", json!({"id": "@/blocked_by/*/0"})),
        ],
    );
    assert_eq!(answer["issue"]["id"], first.as_str());
    assert_eq!(answer["issue"]["status"], "in_progress");
    assert_eq!(answer["blocks"][0]["id"], second.as_str());
    let by = answer["claim"]["by"].as_str().unwrap();
    assert!(by.starts_with("lea"), "{answer}");
    assert!(cost.calls <= 3);
    cost
}

/// To sort what has come in: type, priority and label of each.
fn triage() -> Cost {
    let world = store();
    for [title, ..] in INBOX {
        world.create(&[title]);
    }
    let look = Do("task_list", json!({"mode": "list", "status": "open"}));
    let sort = INBOX.map(|[title, kind, priority, label]| {
        let id = format!("@{title}");
        let fields = json!({"id": id, "type": kind, "priority": priority, "labels": [label]});
        Do("task_update_meta", fields)
    });
    let (_, cost) = job(&world, std::iter::once(look).chain(sort));
    let sorted = world.bd(&["list", "--json"]).json();
    let mut rows: Vec<[String; 4]> = Vec::new();
    for row in sorted["issues"].as_array().unwrap() {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        let label = row["labels"][0].as_str().unwrap().to_owned();
        rows.push([
            text("title"),
            text("type"),
            format!("P{}", row["priority"]),
            label,
        ]);
    }
    rows.sort();
    assert_eq!(json!(rows), json!(INBOX));
    cost
}

#[test]
fn ten_jobs_are_done_by_an_agent_that_obeys() {
    let costs = [
        epic(),
        claims(store(), &[("GIT_BEADS_ACTOR", "lea")]),
        decision(),
        resume(),
        places(),
        evidence(),
        discovery(),
        mistake(),
        blocked(),
        triage(),
    ];
    let mut table = String::from("| job | calls | sent | received |\n");
    let manual = include_str!("../../../docs/mcp.md");
    for (job, cost) in JOBS.iter().zip(&costs) {
        let row = format!("| {job} | {cost} |");
        writeln!(table, "{row}").unwrap();
    }
    insta::assert_snapshot!(table, @"
    | job | calls | sent | received |
    | plan an epic and begin with its first part | 4 | 295 | 256 |
    | two agents look, then claim | 5 | 83 | 347 |
    | what did lea decide, and when | 2 | 35 | 155 |
    | go on after the context was lost | 2 | 36 | 362 |
    | file in a fresh submodule, claim in a worktree | 5 | 107 | 162 |
    | close with the evidence | 1 | 61 | 28 |
    | file what was found on the way | 1 | 26 | 50 |
    | take back three mistakes | 3 | 61 | 114 |
    | what is blocked, by what, who has that | 2 | 29 | 150 |
    | sort four new issues | 5 | 143 | 260 |
    ");
    for row in table.lines().skip(1) {
        assert!(manual.contains(row), "docs/mcp.md has no {row}");
    }
}

#[test]
fn who_decided_what_is_found_by_the_names_of_beads_mcp_too() {
    insta::assert_snapshot!(decision_in_full(), @"2 | 30 | 100");
}

#[test]
fn two_agents_of_one_person_claim_different_issues() {
    let two_sessions = claims(store(), &[("CLAUDE_CODE_SESSION_ID", "s-2")]);
    insta::assert_snapshot!(two_sessions, @"5 | 83 | 346");
    let one_session = claims(store(), &[]);
    insta::assert_snapshot!(one_session, @"5 | 87 | 360");
}

#[test]
fn each_mistake_is_taken_back_by_one_call() {
    let world = store();
    let mut agent = Agent::new(&world);
    let (id, other) = (
        agent.create("Limit", json!({})),
        agent.create("Other", json!({})),
    );
    let all = || {
        let dependencies = world.bd(&["show", &id, "--json"]).json();
        let mut all = dependencies["issue"].clone();
        all.as_object_mut().unwrap().remove("updated_at");
        json!([all, memory(&world, &id)])
    };
    let before = all();
    for (tool, arguments) in [
        ("task_link", json!({"depends_on": [other]})),
        ("task_start", json!({})),
        (
            "task_progress",
            json!({"findings": ["A password: hunter2"]}),
        ),
        (
            "task_update_meta",
            json!({"title": "Limt", "priority": "P0", "assignee": "lea"}),
        ),
        ("task_done", json!({"reason": "Not so"})),
    ] {
        let mut arguments = arguments;
        arguments["id"] = json!(id);
        agent.call(tool, arguments);
        agent.call("task_undo", json!({"id": id}));
        assert_eq!(all(), before, "{tool}");
    }
}
