//! The jobs that the server of Backlog.md can do too, and what they cost there: the fewest calls that do them.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use super::Agent;
use super::clients::{clients, node};
use super::jobs::{
    BUG, DECISION, FINDING, INBOX, JOBS, PARTS, PR, REASON, REQUEST, TEXTS, committed,
};
use super::scripted::Cost;
use crate::support::World;

/// A project, and a client of its server.
struct Backlog {
    world: World,
    agent: Agent,
    script: String,
    cost: Cost,
}

impl Backlog {
    fn new(clients: &Path) -> Self {
        let world = World::new();
        let script = clients.join("node_modules/backlog.md/cli.js");
        let init = [
            "init",
            "Demo",
            "--defaults",
            "--integration-mode",
            "mcp",
            "--check-branches",
            "false",
        ];
        node(&world, clients, &script, &init).ok();
        let script = script.display().to_string();
        let agent = Self::server(&world, "repo", clients, &script);
        Self {
            world,
            agent,
            script,
            cost: Cost::default(),
        }
    }

    fn server(world: &World, folder: &str, clients: &Path, script: &str) -> Agent {
        let node = clients.join("node_modules/node/bin/node");
        let words = [script, "mcp", "start"];
        Agent::start(world.command(folder, node.to_str().unwrap(), &words))
    }

    /// Calls a tool, at a price.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> String {
        let text = told(&mut self.agent, tool, &arguments);
        let root = self.world.path("").display().to_string();
        self.cost
            .count(tool, &arguments, &text.replace(&root, "WORLD/"));
        text
    }

    /// Creates a task before the job begins; returns its id.
    fn make(&mut self, title: &str, more: Value) -> String {
        let mut task = task(title, &["what", "how", "done"]);
        let members = more.as_object().unwrap().clone();
        task.as_object_mut().unwrap().extend(members);
        id(&told(&mut self.agent, "task_create", &task))
    }

    /// Begins a job; what was before costs nothing.
    fn job(&mut self) -> &mut Self {
        self.cost = Cost::default();
        self
    }
}

#[track_caller]
fn told(agent: &mut Agent, tool: &str, arguments: &Value) -> String {
    let call = json!({"name": tool, "arguments": arguments});
    let request = agent.request("tools/call", call);
    // It says other things in between.
    let answer = std::iter::repeat_with(|| agent.receive()).find(|said| said["id"] == request);
    let result = answer.unwrap()["result"].clone();
    assert_ne!(result["isError"], true, "{tool}({arguments}): {result}");
    let blocks = result["content"].as_array().unwrap().iter();
    let texts = blocks.map(|block| block["text"].as_str().unwrap());
    texts.collect::<Vec<_>>().join("\n")
}

/// A new task with the texts that the other tracker gets.
fn task(title: &str, [what, how, done]: &[&str; 3]) -> Value {
    json!({"title": title, "description": format!("{what}\n\n{how}"), "acceptanceCriteria": [done]})
}

/// The id of the task that an answer is about.
fn id(answer: &str) -> String {
    let (_, rest) = answer.split_once("\nTask ").unwrap();
    rest.split_once(" - ").unwrap().0.to_owned()
}

fn epic(backlog: &mut Backlog) {
    let parent = id(&backlog.call("task_create", task(REQUEST, &TEXTS)));
    let mut made = Vec::new();
    for part in PARTS {
        let mut part = task(part, &TEXTS);
        part["parentTaskId"] = json!(parent);
        made.push(id(&backlog.call("task_create", part)));
    }
    let begin = json!({"id": made[0], "status": "In Progress", "assignee": ["ann"]});
    assert!(backlog.call("task_edit", begin).contains("In Progress"));
}

fn decision(backlog: &mut Backlog) {
    let about = backlog.make("Bound the cache", json!({}));
    backlog.make("Write the manual", json!({}));
    let comment = json!({"id": about, "commentsAppend": [DECISION], "commentAuthor": "lea"});
    told(&mut backlog.agent, "task_edit", &comment);
    let backlog = backlog.job();
    let found = backlog.call("task_search", json!({"query": "evict cache"}));
    assert!(found.contains(&about), "{found}");
    let shown = backlog.call("task_view", json!({"id": about}));
    assert!(shown.contains("lea") && shown.contains(DECISION), "{shown}");
}

fn resume(backlog: &mut Backlog) {
    let held = |name: &str| json!({"status": "In Progress", "assignee": [name]});
    backlog.make("Theirs", held("lea"));
    let mine = id(&told(&mut backlog.agent, "task_create", &{
        let mut mine = task("Mine", &TEXTS);
        mine["status"] = json!("In Progress");
        mine["assignee"] = json!(["ann"]);
        mine
    }));
    let note = json!({"id": mine, "notesAppend": [FINDING]});
    told(&mut backlog.agent, "task_edit", &note);
    let backlog = backlog.job();
    let list = json!({"status": "In Progress", "assignee": "ann"});
    assert!(backlog.call("task_list", list).contains(&mine));
    let shown = backlog.call("task_view", json!({"id": mine}));
    assert!(shown.contains(TEXTS[2]) && shown.contains(FINDING));
}

fn evidence(backlog: &mut Backlog) {
    let commit = committed(&mut backlog.world);
    let held = json!({"status": "In Progress", "assignee": ["ann"]});
    let id = backlog.make("Limit", held);
    let close = json!({"id": id, "status": "Done", "finalSummary": REASON, "notesAppend": [FINDING],
        "addReferences": [commit, PR]});
    let answer = backlog.job().call("task_edit", close);
    assert!(answer.contains(PR) && answer.contains("Done"), "{answer}");
}

fn discovery(backlog: &mut Backlog) {
    let from = backlog.make("Limit", json!({"status": "In Progress"}));
    // There is no link that doesn't block.
    let bug = json!({"title": BUG, "type": "bug", "references": [from]});
    let answer = backlog.job().call("task_create", bug);
    assert!(answer.contains(BUG) && answer.contains(&from));
}

fn mistake(backlog: &mut Backlog) {
    let held = json!({"status": "In Progress", "assignee": ["ann"]});
    let wrong = backlog.make("Wrong one", held);
    let named = backlog.make("Limt", json!({"priority": "High"}));
    let twice = backlog.make("Limit", json!({}));
    let backlog = backlog.job();
    let free = json!({"id": wrong, "status": "To Do", "assignee": []});
    assert!(backlog.call("task_edit", free).contains("To Do"));
    backlog.call("task_archive", json!({"id": twice}));
    let named = json!({"id": named, "title": "Limit", "priority": "Medium"});
    assert!(backlog.call("task_edit", named).contains("Medium"));
}

fn blocked(backlog: &mut Backlog) {
    let held = json!({"status": "In Progress", "assignee": ["lea"]});
    let first = backlog.make("Limit", held);
    let second = backlog.make("Manual", json!({"dependencies": [first]}));
    let free = backlog.make("Elsewhere", json!({}));
    let backlog = backlog.job();
    // What is to do and not ready is blocked.
    let open = backlog.call("task_list", json!({"status": "To Do"}));
    let ready = backlog.call("task_list", json!({"ready": true}));
    assert!(open.contains(&second) && open.contains(&free));
    assert!(!ready.contains(&second) && ready.contains(&free));
    assert!(
        backlog
            .call("task_view", json!({"id": second}))
            .contains(&first)
    );
    let shown = backlog.call("task_view", json!({"id": first}));
    assert!(shown.contains("@lea") && shown.contains(&second), "{shown}");
}

fn triage(backlog: &mut Backlog) {
    let made = INBOX.map(|[title, ..]| backlog.make(title, json!({})));
    let backlog = backlog.job();
    let list = backlog.call("task_list", json!({"status": "To Do"}));
    for (id, [title, kind, priority, label]) in made.iter().zip(INBOX) {
        assert!(list.contains(&format!("{id} - {title}")), "{list}");
        let level = match priority {
            "P0" | "P1" => "High",
            _ => "Low",
        };
        let fields = json!({"id": id, "type": kind, "priority": level, "labels": [label]});
        let answer = backlog.call("task_edit", fields);
        assert!(answer.contains(level) && answer.contains(label));
    }
}

#[test]
fn jobs_that_backlog_md_does_too_are_counted() {
    let Some(clients) = clients() else { return };
    type Job = fn(&mut Backlog);
    let jobs: [(usize, Job); 8] = [
        (1, epic),
        (3, decision),
        (4, resume),
        (6, evidence),
        (7, discovery),
        (8, mistake),
        (9, blocked),
        (10, triage),
    ];
    let manual = include_str!("../../../docs/mcp.md");
    let mut table = String::new();
    for (number, job) in jobs {
        let mut backlog = Backlog::new(&clients);
        let version = &backlog.agent.greeting["result"]["serverInfo"]["version"];
        assert_eq!(version, "1.52.0", "whose figures docs/mcp.md has");
        job(&mut backlog);
        writeln!(table, "{} | {}", JOBS[number - 1], backlog.cost).unwrap();
    }
    insta::assert_snapshot!(table, @"
    plan an epic and begin with its first part | 6 | 331 | 766
    what did lea decide, and when | 2 | 30 | 164
    go on after the context was lost | 2 | 34 | 164
    close with the evidence | 1 | 64 | 153
    file what was found on the way | 1 | 26 | 99
    take back three mistakes | 3 | 62 | 297
    what is blocked, by what, who has that | 4 | 56 | 300
    sort four new issues | 5 | 127 | 540
    ");
    for row in table.lines() {
        let (job, cost) = row.split_once(" | ").unwrap();
        let is_it = |line: &str| line.contains(job) && line.ends_with(&format!(" | {cost} |"));
        assert!(manual.lines().any(is_it), "docs/mcp.md has no {row}");
    }
}

#[test]
fn a_task_of_a_submodule_is_filed_in_the_project_around_it() {
    let Some(clients) = clients() else { return };
    let backlog = Backlog::new(&clients);
    let world = &backlog.world;
    world.git(&["init", "--quiet", "lib"]).ok();
    let mut inner = Backlog::server(world, "repo/lib", &clients, &backlog.script);
    told(&mut inner, "task_create", &task("Of the library", &TEXTS));
    assert!(
        world
            .path("repo/backlog/tasks/task-1 - Of-the-library.md")
            .exists()
    );
}

#[test]
fn a_task_of_backlog_md_is_taken_by_both_who_saw_it() {
    let Some(clients) = clients() else { return };
    let mut backlog = Backlog::new(&clients);
    let id = backlog.make("One", json!({}));
    let mut other = Backlog::server(&backlog.world, "repo", &clients, &backlog.script);
    for (agent, name) in [(&mut backlog.agent, "ann"), (&mut other, "lea")] {
        let take = json!({"id": id, "status": "In Progress", "assignee": [name]});
        assert!(told(agent, "task_edit", &take).contains(&format!("@{name}")));
    }
}
