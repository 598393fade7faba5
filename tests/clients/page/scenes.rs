//! The scenes of the file are those of the verbs: the same issues, in the same order, with the same names of fields.

use std::path::Path;

use serde_json::Value;

use super::export;
use crate::properties::queries::store;
use crate::support::World;

/// Returns the scenes that the scripts of the page make, where there is a node to run them.
fn scenes(world: &World) -> Option<Value> {
    if !world.lend("node") {
        return None;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = |relative: &str| root.join(relative).display().to_string();
    let (script, scripts) = (path("tests/clients/page/scenes.mjs"), path("src/page"));
    let command = world.command("repo", "node", &[&script, &scripts, &export(world)]);
    Some(serde_json::from_str(&world.run(command, None).ok()).unwrap())
}

/// Checks that two lists are about the same issues in one order, and that what both say of one is the same.
#[track_caller]
fn compare(what: &str, ours: &Value, theirs: &Value, said: &[&str]) {
    let (ours, theirs) = (ours.as_array().unwrap(), theirs.as_array().unwrap());
    let ids = |all: &[Value]| -> Vec<Value> {
        let id = |one: &Value| one.get("issue").unwrap_or(&one["id"]).clone();
        all.iter().map(id).collect()
    };
    assert_eq!(ids(ours), ids(theirs), "{what}");
    assert!(!ours.is_empty(), "{what} says something");
    for (ours, theirs) in ours.iter().zip(theirs) {
        for key in said {
            assert_eq!(ours.get(*key), theirs.get(*key), "{what}: {key} of {ours}");
        }
    }
}

#[test]
fn the_inbox_and_the_board_are_those_of_the_verbs() {
    let world = store();
    let agent = |args: &[&str]| world.bd(&[&["--agent", "c-1"], args].concat()).ok();
    agent(&["start", "q-count", "--force"]);
    agent(&[
        "ask", "q-count", "Per key?", "--option", "yes", "--option", "per user",
    ]);
    agent(&["note", "q-count", "--finding", "keys are shared"]);
    agent(&["done", "q-login", "-r", "it flickers no more"]);
    world.bd(&["label", "q-codes", "human"]).ok();
    let message = "serve it\n\nCloses: q-upload";
    world
        .git(&["commit", "--quiet", "--allow-empty", "-m", message])
        .ok();
    let Some(scenes) = scenes(&world) else { return };
    let (ours, theirs) = (&scenes["inbox"], world.bd(&["inbox", "--json"]).json());
    let asked = [
        "issue", "title", "text", "by", "agent", "at", "options", "to",
    ];
    compare(
        "questions",
        &ours["questions"],
        &theirs["questions"],
        &asked,
    );
    let needed = ["reason", "title", "at", "blocked_for", "close"];
    compare("needs", &ours["needs"], &theirs["needs"], &needed);
    let works = [
        "title",
        "priority",
        "type",
        "assignee",
        "since",
        "last_activity",
    ];
    compare("at work", &ours["at_work"], &theirs["at_work"], &works);
    let first = theirs["ready"].as_array().unwrap().len();
    let ready: Value = ours["ready"].as_array().unwrap()[..first].into();
    compare(
        "ready",
        &ready,
        &theirs["ready"],
        &["title", "status", "priority", "type"],
    );
    assert_eq!(ours["ready_count"], theirs["ready_count"]);

    let theirs = world.bd(&["board", "-n", "0", "--json"]).json();
    let named = |board: &Value, key: &str, name: &str| -> Value {
        let columns = board["columns"].as_array().unwrap().iter();
        columns
            .clone()
            .find(|column| column[key] == name)
            .unwrap()
            .clone()
    };
    for name in ["ready", "in_progress", "blocked"] {
        let (ours, theirs) = (
            named(&scenes["board"], "key", name),
            named(&theirs, "name", name),
        );
        let said = ["title", "status", "priority", "type", "updated_at"];
        compare(name, &ours["heads"], &theirs["issues"], &said);
        assert_eq!(ours["total"], theirs["total_count"], "{name}");
    }
}
