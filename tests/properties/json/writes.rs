//! Answers of verbs that write.

use super::{held, hold};
use crate::support::World;

#[test]
fn create_answers_created() {
    let world = World::with_store();
    let answer = held(
        &world,
        "create",
        &["create", "One", "-l", "a", "-d", "text"],
    );
    assert_eq!(answer["kind"], "created");
    assert_eq!(answer["next"], "continue");
    assert!(answer["id"].as_str().unwrap().starts_with("bd-"));
    held(&world, "create", &["create", "Two", "--key", "k"]);
    held(&world, "create", &["create", "Two", "--key", "k"]);
    held(&world, "create", &["create", "Three", "--dry-run"]);
    held(&world, "create", &["create", "Four", "--start"]);
}

#[test]
fn q_answers_created() {
    let world = World::with_store();
    assert_eq!(held(&world, "q", &["q", "One"])["kind"], "created");
}

#[test]
fn init_answers_once_and_again() {
    let world = World::new();
    held(&world, "init", &["init"]);
    held(&world, "init", &["init"]);
}

#[test]
fn changes_answer_updated() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    let id = id.as_str();
    for (verb, args) in [
        ("update", &["update", id, "--title", "Uno"][..]),
        ("label", &["label", id, "a"]),
        ("assign", &["assign", id, "Bob"]),
        ("priority", &["priority", id, "P0"]),
        ("block", &["block", id, "-r", "waits for Bob"]),
        ("unblock", &["unblock", id]),
        ("defer", &["defer", id, "--until", "3d"]),
        ("unblock", &["unblock", id]),
        ("delete", &["delete", id]),
        ("restore", &["restore", id]),
        ("rename", &["rename", id, "bd-new"]),
    ] {
        assert_eq!(held(&world, verb, args)["kind"], "updated", "{verb}");
    }
}

#[test]
fn a_change_of_nothing_answers_too() {
    let world = World::with_store();
    let id = world.create(&["One", "-p", "1"]);
    held(&world, "update", &["update", &id, "--title", "One"]);
    held(&world, "priority", &["priority", &id, "1"]);
}

#[test]
fn done_answers_closed() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let [one, two] = ["One", "Two"].map(|title| world.create(&[title, "--parent", &epic]));
    let answer = held(&world, "done", &["done", &one, "-r", "as planned"]);
    assert_eq!(answer["kind"], "closed");
    assert_eq!(answer["closed"], one.as_str());
    assert_eq!(answer["next"], "start_next_ready");
    assert_eq!(answer["next_ready"]["id"], two.as_str());
    let answer = held(&world, "done", &["done", &two]);
    assert_eq!(answer["auto_closed"], serde_json::json!([epic]));
    assert_eq!(answer["next"], "await_user");
    assert_eq!(
        held(&world, "reopen", &["reopen", &two, "-r", "no"])["kind"],
        "updated"
    );
}

#[test]
fn start_continues() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    world.create(&["Two"]);
    assert_eq!(held(&world, "start", &["start", &id])["next"], "continue");
    held(&world, "start", &["ready", "--claim"]);
}

#[test]
fn notes_answer_progress() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    let answer = held(
        &world,
        "note",
        &["note", &id, "--finding", "f", "--status", "in_progress"],
    );
    assert_eq!(answer["kind"], "progress");
    let entry = held(&world, "show", &["show", &id])["memory"]["findings"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    held(&world, "redact", &["redact", &id, &entry]);
    held(&world, "redact", &["redact", &id, &entry, "--restore"]);
}

#[test]
fn a_note_that_is_there_already_answers_too() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    held(&world, "note", &["note", &id, "--finding", "f"]);
    held(&world, "note", &["note", &id, "--finding", "f"]);
}

#[test]
fn dependencies_answer() {
    let world = World::with_store();
    let [a, b, c] = ["A", "B", "C"].map(|title| world.create(&[title]));
    held(&world, "dep add", &["dep", "add", &a, "--on", &b]);
    held(&world, "dep add", &["dep", "add", &a, "--on", &b]);
    held(&world, "link", &["link", &b, &c]);
    held(&world, "dep tree", &["dep", "tree", &a]);
    held(&world, "graph", &["graph"]);
    held(&world, "graph", &["graph", &a, "--all"]);
    held(&world, "dep rm", &["dep", "rm", &a, "--on", &b]);
}

#[test]
fn split_names_what_comes_next() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let plan = world.file(
        "plan.json",
        r#"[{"title":"A"},{"title":"B","depends_on":[0]}]"#,
    );
    let answer = held(&world, "split", &["split", &epic, "-F", &plan]);
    assert_eq!(answer["next"], "start_next_ready");
    assert_eq!(answer["ids"].as_array().unwrap().len(), 2);
}

#[test]
fn a_partial_import_names_its_lines() {
    let world = World::with_store();
    let file = world.file("in.jsonl", "{\"id\":\"x-1\",\"title\":\"t\"}\nno json\n");
    let output = world.bd(&["import", &file, "--json"]);
    let answer = hold(&world, "import", &output.stdout);
    assert_eq!(answer["errors"][0]["line"], 2);
    assert!(output.fails(1).contains("hint: "));
    let file = world.file("whole.jsonl", "{\"id\":\"x-2\",\"title\":\"t\"}\n");
    assert_eq!(held(&world, "import", &["import", &file])["created"], 1);
}

#[test]
fn setup_answers_with_files_for_every_option() {
    let world = World::new();
    let all = held(&world, "setup", &["setup"]);
    assert_eq!(all["agents"].as_array().unwrap().len(), 16);
    for option in [&[][..], &["--write"], &["--check"], &["--remove"]] {
        let mut args = vec!["setup", "claude"];
        args.extend(option);
        let answer = held(&world, "setup", &args);
        assert_eq!(
            (&answer["agent"], &answer["files"][0]["path"]),
            (&"claude".into(), &".mcp.json".into())
        );
        assert_eq!(
            answer["in_place"],
            matches!(option, ["--write" | "--check"]),
            "{answer}"
        );
    }
    let answer = held(&world, "setup", &["setup", "ci", "gitlab", "--remove"]);
    assert_eq!(answer["files"][0]["path"], ".gitlab/git-beads.yml");
    let lacking = world.bd(&["setup", "claude", "--check", "--json"]);
    assert_eq!(lacking.code, 1);
    hold(&world, "setup", &lacking.stdout);
    let unknown = world.bd(&["setup", "nobody", "--json"]);
    hold(&world, "error", &unknown.stdout);
}

#[test]
fn hooks_answer_a_report() {
    let world = World::with_store();
    for verb in ["install", "status", "uninstall"] {
        let answer = held(&world, &format!("hooks {verb}"), &["hooks", verb]);
        assert_eq!(
            (&answer["kind"], answer["hooks"].as_array().unwrap().len()),
            (&"report".into(), 4)
        );
    }
    held(
        &world,
        "hooks install",
        &["hooks", "install", "--sync", "--dry-run"],
    );
    world.git(&["config", "core.hooksPath", "hooks"]).ok();
    hold(
        &world,
        "hooks install",
        &world.bd(&["hooks", "install", "--json"]).stdout,
    );
}
