//! What an agent has done can be taken back and put right within the tools.

use serde_json::json;

use super::Agent;
use crate::support::World;

#[test]
fn an_agent_takes_back_its_last_change() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let (a, b) = (agent.create("A", json!({})), agent.create("B", json!({})));
    agent.call("task_link", json!({"id": a, "depends_on": b}));
    agent.call("task_update_meta", json!({"id": b, "design": "other"}));
    // The last one on an issue, though another is newer.
    let undone = agent.call("task_undo", json!({"id": a}));
    assert_eq!(
        undone,
        json!({"kind": "updated", "next": "continue", "id": a, "undone": format!("dep add {a}: blocks {b}"),
            "you": undone["you"]})
    );
    assert_eq!(undone["you"], agent.call("task_status", json!({}))["you"]);
    let ready = agent.call("task_list", json!({}));
    assert_eq!(ready["issues"].as_array().unwrap().len(), 2, "{ready}");
    let undone = agent.call("task_undo", json!({}));
    assert_eq!(undone["id"], b.as_str());
    let told = agent.call("task_status", json!({"id": b, "view": "meta"}));
    assert_eq!(told["issue"]["design"], "how");
    // The creation of an issue is taken back as its deletion, which can be restored.
    agent.call("task_undo", json!({"id": b}));
    assert_eq!(
        agent.call("task_status", json!({"id": b}))["issue"]["status"],
        "tombstone"
    );
}

#[test]
fn an_agent_does_not_take_back_what_another_agent_of_the_same_person_did() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let by = |name: &str, mut arguments: serde_json::Value| {
        arguments["as"] = name.into();
        arguments
    };
    let (a, b) = (agent.create("A", json!({})), agent.create("B", json!({})));
    let mend = |id: &str, design: &str| json!({"id": id, "design": design});
    agent.call("task_update_meta", by("claude-3f2ak", mend(&a, "first")));
    agent.call("task_update_meta", by("codex-91xq0", mend(&b, "second")));
    world.bd(&["update", &b, "--acceptance", "by hand"]).ok();
    let undone = agent.call("task_undo", by("claude-3f2ak", json!({})));
    assert_eq!(undone["id"], a.as_str(), "{undone}");
    let error = agent.refused("task_undo", by("claude-3f2ak", json!({"id": b})));
    assert_eq!(error["code"], "not_found", "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("claude-3f2ak has no operation"), "{error}");
    let told = agent.call("task_status", json!({"id": b, "view": "meta"}));
    assert_eq!(told["issue"]["design"], "second");
}

#[test]
fn what_another_has_overwritten_is_not_taken_back() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("A", json!({}));
    agent.call("task_update_meta", json!({"id": id, "design": "mine"}));
    world
        .bd_as("lea", &["update", &id, "--design", "theirs"])
        .ok();
    let error = agent.refused("task_undo", json!({"id": id}));
    assert_eq!(error["code"], "overwritten", "and no older one is: {error}");
    assert_eq!(error["next"], "await_user");
    let told = agent.call("task_status", json!({"id": id, "view": "meta"}));
    assert_eq!(told["issue"]["design"], "theirs");
    let empty = World::with_store();
    let none = Agent::new(&empty).refused("task_undo", json!({}));
    assert_eq!(none["code"], "not_found");
}

#[test]
fn what_another_did_on_the_issue_since_stays_and_is_said() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("A", json!({}));
    agent.call("task_progress", json!({"id": id, "findings": ["mine"]}));
    world.bd_as("lea", &["done", &id, "-r", "fin"]).ok();
    let undone = agent.call("task_undo", json!({"id": id}));
    assert_eq!(
        undone,
        json!({"kind": "updated", "next": "continue", "id": id, "undone": format!("note {id}: 1 added"),
            "you": undone["you"], "kept": format!("done {id}: fin (by lea)")})
    );
    assert_eq!(
        agent.call("task_status", json!({"id": id}))["issue"]["status"],
        "closed"
    );
}

#[test]
fn an_update_of_what_it_does_not_take_names_the_call_that_does() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("A", json!({}));
    let closing = agent.refused("task_update_meta", json!({"id": id, "status": "closed"}));
    let hint = closing["hint"].as_str().unwrap();
    assert_eq!(hint, format!("task_done(id=\"{id}\", reason=\"...\")"));
    let other = agent.refused("task_update_meta", json!({"id": id, "status": "blocked"}));
    let hint = other["hint"].as_str().unwrap();
    assert!(hint.starts_with("task_progress("), "{other}");
    let empty = agent.refused("task_update_meta", json!({"id": id, "title": ""}));
    assert!(
        empty["message"].as_str().unwrap().contains("title"),
        "{empty}"
    );
    let none = agent.refused("task_update_meta", json!({"id": id}));
    assert_eq!(
        none["message"],
        "At least one of description, design, acceptance is required"
    );
}

#[test]
fn evidence_of_another_tracker_is_checked_and_kept_as_such() {
    let world = World::with_store();
    world
        .git(&["commit", "-q", "--allow-empty", "-m", "work"])
        .ok();
    let commit = world.git(&["rev-parse", "HEAD"]).ok().trim().to_owned();
    let mut agent = Agent::new(&world);
    let id = agent.create("A", json!({}));
    let close =
        |rev: &str| json!({"id": id, "reason": "fin", "evidence": [rev, "the suite passes"]});
    let error = agent.refused("task_done", close("commit:nosuch"));
    assert!(
        error["message"].as_str().unwrap().contains("no commit"),
        "{error}"
    );
    agent.call("task_done", close("commit:HEAD"));
    let shown = world.bd(&["show", &id, "--json"]).json();
    assert_eq!(shown["issue"]["evidence"], json!({"commit": commit}));
    assert_eq!(shown["memory"]["findings"].as_array().unwrap().len(), 1);
}

#[test]
fn a_dependency_is_removed_by_the_call_that_adds_it() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let (a, b) = (agent.create("A", json!({})), agent.create("B", json!({})));
    let link = json!({"id": a, "depends_on": [b]});
    agent.call("task_link", link.clone());
    let mut unlink = link;
    unlink["remove"] = json!(true);
    assert_eq!(
        agent.call("task_link", unlink.clone()),
        json!({"kind": "updated", "next": "continue", "id": a, "removed_depends_on": [b], "dep_type": "blocks"})
    );
    assert_eq!(agent.refused("task_link", unlink)["code"], "not_found");
}

#[test]
fn every_field_is_replaced_and_an_empty_text_clears() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let epic = agent.create("Epic", json!({"type": "epic"}));
    let id = agent.create("Fix tbas", json!({"labels": ["a", "b"]}));
    let changed = agent.call(
        "task_update_meta",
        json!({"id": id, "title": "Fix tabs", "priority": "P1", "type": "bug", "assignee": "lea", "parent": epic,
            "labels": ["b", "c"]}),
    );
    assert_eq!(
        changed,
        json!({"kind": "issue", "next": "continue", "issue": {"id": id, "title": "Fix tabs", "status": "open",
            "priority": 1, "type": "bug", "assignee": "lea", "parent": epic}})
    );
    let shown = world.bd(&["show", &id, "--json"]).json();
    assert_eq!(
        shown["issue"]["labels"],
        json!(["b", "c"]),
        "replaced, not added"
    );
    let cleared = agent.call(
        "task_update_meta",
        json!({"id": id, "assignee": "", "parent": "", "labels": "", "design": ""}),
    );
    assert!(cleared["issue"].get("assignee").is_none() && cleared["issue"].get("parent").is_none());
    let shown = world.bd(&["show", &id, "--json"]).json();
    assert!(shown["issue"].get("labels").is_none() && shown["issue"].get("design").is_none());
    // A title, a type and a priority are never empty.
    let message = agent.message(
        "task_update_meta",
        json!({"id": id, "title": "", "type": ""}),
    );
    assert_eq!(message, "the title is empty");
    let error = agent.refused("task_update_meta", json!({"id": id, "priority": "high"}));
    assert_eq!(error["next"], "retry");
}

#[test]
fn words_that_only_look_like_a_type_are_refused_with_the_right_one() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let (a, b) = (agent.create("A", json!({})), agent.create("B", json!({})));
    let commits = world.git(&["rev-list", "--count", "refs/beads/main"]).ok();
    for (word, meant) in [
        ("block", "blocks"),
        ("blocked_by", "blocks"),
        ("blocked-by", "blocks"),
        ("depends_on", "blocks"),
        ("depends-on", "blocks"),
        ("Blocker", "blocks"),
        ("requires", "blocks"),
        ("discovered_from", "discovered-from"),
        ("parent", "parent-child"),
        ("child", "parent-child"),
        ("related_to", "related"),
    ] {
        let link = json!({"id": a, "depends_on": b, "dep_type": word});
        let message = agent.message("task_link", link);
        let start = format!("dep_type {word} is not known: use {meant} (");
        assert!(message.starts_with(&start), "{message}");
        let create = json!({"title": "T", "description": "d", "design": "h", "acceptance": "a",
            "depends_on": b, "dep_type": word});
        let message = agent.message("task_create", create);
        assert_eq!(
            message,
            format!("dep_type {word} is not known: use {meant}")
        );
    }
    let link = json!({"id": a, "depends_on": b, "dep_type": "blocked_by"});
    assert_eq!(
        agent.message("task_link", link),
        format!("dep_type blocked_by is not known: use blocks ({a} is blocked by {b})")
    );
    assert_eq!(
        world.git(&["rev-list", "--count", "refs/beads/main"]).ok(),
        commits
    );
    // The command line refuses the same; a type of one's own works.
    world
        .bd(&["dep", "add", &a, "--on", &b, "-t", "blocked_by"])
        .fails(1);
    let own = json!({"id": a, "depends_on": b, "dep_type": "reviews"});
    assert_eq!(agent.call("task_link", own)["dep_type"], "reviews");
}

#[test]
fn work_that_is_found_on_the_way_is_filed_with_a_title_alone() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("Wire cache", json!({}));
    agent.call("task_start", json!({"id": id}));
    let long = format!("chore: {}", "tidy the parser ".repeat(20));
    let noted = agent.call(
        "task_progress",
        json!({"id": id, "discovered": ["bug: Parser loses tabs", "Docs are old", long]}),
    );
    assert_eq!(noted["next"], "continue");
    let filed: Vec<&str> = noted["filed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_str().unwrap())
        .collect();
    let bug = agent.call("task_status", json!({"id": filed[0], "view": "meta"}));
    assert_eq!(
        bug["issue"],
        json!({"id": filed[0], "title": "Parser loses tabs", "status": "open", "priority": 2, "type": "bug",
            "description": "Parser loses tabs", "design": "PENDING", "acceptance": "PENDING"})
    );
    let kind = |agent: &mut Agent, id: &str| agent.call("task_status", json!({"id": id}));
    assert_eq!(kind(&mut agent, filed[1])["issue"]["type"], "task");
    let chore = kind(&mut agent, filed[2])["issue"].clone();
    assert_eq!(chore["type"], "chore");
    assert!(
        chore["title"].as_str().unwrap().chars().count() <= 80,
        "{chore}"
    );
    let shown = world.bd(&["show", filed[0], "--json"]).json();
    assert_eq!(shown["issue"]["dependencies"][0]["id"], id.as_str());
    assert_eq!(shown["issue"]["dependencies"][0]["type"], "discovered-from");
    let empty = json!({"id": id, "discovered": ["bug: "]});
    assert_eq!(agent.message("task_progress", empty), "an empty discovered");
    // One call is one commit.
    agent.call("task_undo", json!({"id": filed[0]}));
    assert_eq!(kind(&mut agent, filed[1])["issue"]["status"], "tombstone");
}

#[test]
fn a_question_to_people_stands_in_the_status_with_its_answer() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("Wire cache", json!({}));
    agent.call("task_start", json!({"id": id}));
    let asked = agent.call(
        "task_progress",
        json!({"id": id, "findings": ["slow"], "question": "Keep the old key format?"}),
    );
    let question = asked["questions"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(
        asked["questions"],
        json!([{"id": question, "q": "Keep the old key format?"}])
    );
    assert_eq!(
        (&asked["kind"], &asked["next"]),
        (&"progress".into(), &"continue".into())
    );
    let status = agent.call("task_status", json!({"id": id}));
    assert_eq!(status["questions"], asked["questions"]);
    let more = json!({"id": id, "question": "When?", "status": "blocked"});
    let more = agent.call("task_progress", more);
    assert_eq!(more["questions"].as_array().unwrap().len(), 1, "{more}");
    assert_eq!(more["next"], "await_user", "nothing else is ready");
    world
        .bd_as("lea", &["answer", &id, &question, "yes, until 2.0"])
        .ok();
    let status = agent.call("task_status", json!({"id": id}));
    assert_eq!(
        status["questions"][0],
        json!({"id": question, "q": "Keep the old key format?", "answer": "yes, until 2.0", "by": "lea 2026-11-20"})
    );
    let told = format!("{id}: lea answered \"Keep the old key format?\": yes, until 2.0");
    assert_eq!(status["notices"], json!([told]));
    world.bd(&["redact", &id, &question]).ok();
    let status = agent.call("task_status", json!({"id": id}));
    assert_eq!(status["questions"][0]["q"], "When?");
    let empty = json!({"id": id, "question": "QUESTION:"});
    let refused = agent.refused("task_progress", empty);
    assert_eq!(refused["message"], "an empty question");
    assert_eq!(
        refused["hint"],
        format!("task_progress(id=\"{id}\", question=\"QUESTION\")")
    );
    let elsewhere = agent.refused("task_done", json!({"id": id, "question": "When?"}));
    assert_eq!(
        elsewhere["hint"],
        format!("task_progress(id=\"{id}\", question=\"When?\")")
    );
}

#[test]
fn an_undo_on_an_issue_takes_back_what_was_filed_from_it() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("A", json!({}));
    let answer = agent.call("task_progress", json!({"id": id, "discovered": ["bug: B"]}));
    let filed = answer["filed"][0].as_str().unwrap().to_owned();
    agent.call("task_undo", json!({"id": id}));
    let left = world.bd(&["list", "-q"]).ok();
    assert_eq!(left.trim(), id, "{filed} is gone, and {id} stays");
}
