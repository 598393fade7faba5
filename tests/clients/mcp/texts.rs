//! Views, limits of texts, and memory.

use serde_json::{Value, json};

use super::Agent;
use crate::support::World;

fn told(agent: &mut Agent, mut arguments: Value, id: &str) -> Value {
    arguments["id"] = json!(id);
    let mut told = agent.call("task_status", arguments);
    if let Some(memory) = told.get_mut("memory") {
        let memory = memory.as_object_mut().unwrap();
        let sources = memory.remove("sources").unwrap();
        for kind in ["findings", "decisions"] {
            let count =
                |texts: Option<&Value>| texts.map_or(0, |texts| texts.as_array().unwrap().len());
            assert_eq!(count(sources.get(kind)), count(memory.get(kind)), "{kind}");
        }
    }
    told
}

#[test]
fn long_texts_are_cut_by_characters_and_said_so() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create(
        "T",
        json!({"description": "é".repeat(1000), "design": "d".repeat(400), "acceptance": "a".repeat(401)}),
    );
    let meta = told(&mut agent, json!({"view": "meta"}), &id);
    assert_eq!(
        meta["issue"]["description"],
        format!("{}...", "é".repeat(400))
    );
    assert_eq!(
        meta["issue"]["design"],
        "d".repeat(400),
        "exactly the limit is whole"
    );
    assert_eq!(
        meta["meta_truncated"],
        json!(["description", "acceptance"]),
        "top level"
    );
    let short = told(
        &mut agent,
        json!({"view": "meta", "meta_max_chars": 3}),
        &id,
    );
    assert_eq!(short["issue"]["design"], "ddd...");
    for unlimited in [0, -1] {
        let whole = told(
            &mut agent,
            json!({"view": "meta", "meta_max_chars": unlimited}),
            &id,
        );
        assert_eq!(whole["issue"]["description"], "é".repeat(1000));
        assert!(whole.get("meta_truncated").is_none());
    }
    let summary = told(&mut agent, json!({"meta_max_chars": 3}), &id);
    assert!(
        summary["issue"].get("description").is_none() && summary.get("meta_truncated").is_none()
    );
    // Every tool with a view has it.
    for (tool, arguments) in [
        (
            "task_start",
            json!({"id": id, "view": "meta", "meta_max_chars": 2}),
        ),
        (
            "task_update_meta",
            json!({"id": id, "design": "12345", "view": "meta", "meta_max_chars": 2}),
        ),
    ] {
        let answer = agent.call(tool, arguments);
        assert_eq!(answer["issue"]["description"], "éé...", "{tool}");
    }
    agent.call("task_done", json!({"id": id, "reason": "ok"}));
    let again = agent.call(
        "task_reopen",
        json!({"id": id, "reason": "no", "view": "meta", "meta_max_chars": 2, "memory_limit": 1}),
    );
    assert_eq!(again["issue"]["design"], "12...");
    assert!(
        again.get("memory").is_none(),
        "nothing remembered, nothing told"
    );
}

#[test]
fn the_newest_memory_is_told_oldest_first() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("T", json!({}));
    for i in 0..7 {
        agent.call(
            "task_progress",
            json!({"id": id, "findings": [format!("f{i}")]}),
        );
    }
    let note = json!({"id": id, "decisions": ["d0", " d1 ", "KEY DECISION: d2"], "findings": ["FINDING: f7", "f0"]});
    let told_now = agent.call("task_progress", note);
    assert!(told_now.get("memory").is_none(), "none unless asked for");
    let memory = told(&mut agent, json!({"memory_limit": 3}), &id)["memory"].clone();
    assert_eq!(
        memory,
        json!({"findings": ["f5", "f6", "f7"], "decisions": ["d0", "d1", "d2"], "truncated": true,
        "more": {"findings": 5}})
    );
    let all = told(&mut agent, json!({"memory_limit": 100}), &id)["memory"].clone();
    assert_eq!(
        all["findings"],
        json!(["f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"]),
        "a duplicate is stored once"
    );
    assert!(all.get("truncated").is_none() && all.get("more").is_none());
    for none in [0, -5] {
        assert!(
            told(&mut agent, json!({"memory_limit": none}), &id)
                .get("memory")
                .is_none()
        );
    }
    for (tool, arguments) in [
        ("task_start", json!({"id": id, "memory_limit": 1})),
        (
            "task_update_meta",
            json!({"id": id, "design": "x", "memory_limit": 1}),
        ),
        (
            "task_progress",
            json!({"id": id, "findings": ["f8"], "memory_limit": 1}),
        ),
    ] {
        assert_eq!(
            agent.call(tool, arguments)["memory"]["decisions"],
            json!(["d2"]),
            "{tool}"
        );
    }
    // A comment of a person is no part of it; a finding of a person is.
    world.bd(&["note", &id, "just saying"]).ok();
    world.bd(&["note", &id, "--finding", "by hand"]).ok();
    let memory = told(&mut agent, json!({"memory_limit": 1}), &id)["memory"].clone();
    assert_eq!(memory["findings"], json!(["by hand"]));
    assert!(memory.get("comments").is_none() && memory["more"].get("comments").is_none());
}

#[test]
fn texts_are_trimmed_and_titles_bounded() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let request = format!("  {}\nsecond line  ", "t".repeat(600));
    let epic = agent.call(
        "task_start",
        json!({"user_request": request, "design": " how \n", "view": "meta", "meta_max_chars": 0}),
    );
    assert_eq!(epic["issue"]["title"], format!("{}...", "t".repeat(77)));
    assert_eq!(
        epic["issue"]["description"],
        format!("USER REQUEST: {}\nsecond line", "t".repeat(600))
    );
    assert_eq!(
        (&epic["issue"]["design"], &epic["issue"]["acceptance"]),
        (&json!("how"), &json!("PENDING"))
    );
    let id = agent.create("  spaced  ", json!({"description": "\n what \n"}));
    let told = told(&mut agent, json!({"view": "meta"}), &id);
    assert_eq!(
        (&told["issue"]["title"], &told["issue"]["description"]),
        (&json!("spaced"), &json!("what"))
    );
}

#[test]
fn the_memory_says_who_and_when() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("T", json!({}));
    world
        .bd_as("lea", &["note", &id, "--decision", "keep it"])
        .ok();
    agent.call("task_progress", json!({"id": id, "findings": ["it hangs"]}));
    let memory = agent.call("task_status", json!({"id": id, "memory_limit": 5}))["memory"].clone();
    assert_eq!(memory["decisions"], json!(["keep it"]), "texts stay texts");
    let source = |kind: &str| memory["sources"][kind][0].as_str().unwrap().to_owned();
    let (lea, day) = source("decisions")
        .split_once(' ')
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    assert_eq!((lea.as_str(), day.len()), ("lea", "2026-11-23".len()));
    assert!(source("findings").ends_with(&day), "{memory}");
}

#[test]
fn an_issue_says_what_it_waits_for_and_holds_up() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let (a, b) = (agent.create("A", json!({})), agent.create("B", json!({})));
    agent.call("task_link", json!({"id": b, "depends_on": a}));
    agent.call(
        "task_link",
        json!({"id": b, "depends_on": a, "dep_type": "related"}),
    );
    let summary = |id: &str, title: &str| json!([{"id": id, "title": title, "status": "open", "priority": 2, "type": "task"}]);
    let waits = agent.call("task_status", json!({"id": b}));
    assert_eq!(waits["blocked_by"], summary(&a, "A"));
    assert!(waits.get("blocks").is_none());
    let holds = agent.call("task_status", json!({"id": a}));
    assert_eq!(holds["blocks"], summary(&b, "B"));
    let listed = agent.call("task_list", json!({"mode": "blocked"}));
    assert_eq!(listed["blocked_by"], json!({(b.clone()): [a]}));
    for i in 0..12 {
        let one = agent.create(&format!("W{i}"), json!({}));
        agent.call("task_link", json!({"id": b, "depends_on": one}));
    }
    let waits = agent.call("task_status", json!({"id": b}));
    assert_eq!(waits["blocked_by"].as_array().unwrap().len(), 10);
    for waited in waits["blocked_by"].as_array().unwrap() {
        agent.call("task_done", json!({"id": waited["id"], "reason": "ok"}));
    }
    let ended = agent.call("task_status", json!({"id": waits["blocked_by"][0]["id"]}));
    assert!(
        ended.get("blocks").is_none(),
        "what has ended holds nothing up"
    );
}

#[test]
fn a_note_of_nothing_that_asks_for_the_memory_only_reads() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("T", json!({}));
    agent.call("task_progress", json!({"id": id, "findings": ["f"]}));
    let before = world.git(&["rev-parse", "refs/beads/main"]).ok();
    let told = agent.call("task_progress", json!({"id": id, "memory_limit": 3}));
    assert_eq!(
        (&told["kind"], &told["next"]),
        (&json!("progress"), &json!("continue"))
    );
    assert_eq!(told["memory"]["findings"], json!(["f"]));
    assert_eq!(
        world.git(&["rev-parse", "refs/beads/main"]).ok(),
        before,
        "nothing is written"
    );
}

#[test]
fn a_long_request_has_a_short_title_and_is_kept_whole() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let asked = "Please make the cache of the proxy fast ".repeat(5);
    let start =
        json!({"user_request": asked, "description": "What", "view": "meta", "meta_max_chars": 0});
    let epic = agent.call("task_start", start)["issue"].clone();
    let title = epic["title"].as_str().unwrap();
    assert!(
        title.chars().count() <= 80 && title.ends_with("..."),
        "{title}"
    );
    assert_eq!(
        epic["description"],
        format!("What\n\nUSER REQUEST: {}", asked.trim())
    );
}

#[test]
fn evidence_goes_with_the_close() {
    let world = World::with_store();
    world
        .git(&["commit", "--quiet", "--allow-empty", "-m", "port it"])
        .ok();
    let commit = world.git(&["rev-parse", "HEAD"]).ok().trim().to_owned();
    let mut agent = Agent::new(&world);
    let id = agent.create("T", json!({}));
    let none = json!({"id": id, "reason": "ok", "file": "none.md"});
    assert!(
        agent
            .message("task_done", none)
            .contains("no file \"none.md\"")
    );
    let done = json!({"id": id, "reason": "ok", "commit": "HEAD", "pr": "214"});
    assert_eq!(agent.call("task_done", done)["closed"], id.as_str());
    let shown = world.bd(&["show", &id, "--json"]).json();
    assert_eq!(
        shown["issue"]["evidence"],
        json!({"commit": commit, "pr": "214"})
    );
}
