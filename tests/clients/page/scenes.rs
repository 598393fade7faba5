//! The scenes of the file are those of the verbs: the same issues, in the same order, with the same names of fields.

use std::path::Path;

use git_beads::env::{Env, Sealed, User};
use git_beads::ops::{Intent, Tracker, open, scene::scene};
use git_beads::store::Location;
use serde_json::{Value, json};

use super::graph::{generated, nested, real};
use super::{export, sample};
use crate::properties::queries::store;
use crate::support::{World, data};

/// Returns the scenes that the scripts of the page make, where there is a node to run them.
pub fn scenes(world: &World, asked: &Value) -> Option<Vec<Value>> {
    if !world.lend("node") {
        return None;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = |relative: &str| root.join(relative).display().to_string();
    let (script, scripts) = (path("tests/clients/page/scenes.mjs"), path("src/page"));
    let args = [&script, &scripts, &export(world), &asked.to_string()];
    let command = world.command("repo", "node", &args.map(String::as_str));
    Some(serde_json::from_str(&world.run(command, None).ok()).unwrap())
}

/// Opens the store of a world within this process.
pub fn tracker(world: &World) -> Tracker {
    let command = world.command("repo", "git", &[]);
    let variables = command.get_envs();
    let dir = world.path("repo");
    let env = Env::sealed(Sealed {
        variables: variables
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect(),
        dir: dir.clone(),
        program: "git-beads".into(),
        identity: User {
            name: "Ann".to_owned(),
            email: "ann@example.org".to_owned(),
        },
        input: Vec::new(),
    });
    let explicit = true;
    open(&Location { dir, explicit, env }, None, Intent::Read).unwrap()
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
    let asked = json!([["inbox", {}], ["board", {"query": ""}]]);
    let Some(scenes) = scenes(&world, &asked) else {
        return;
    };
    let (ours, theirs) = (&scenes[0], world.bd(&["inbox", "--json"]).json());
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
        let (ours, theirs) = (named(&scenes[1], "key", name), named(&theirs, "name", name));
        let said = ["title", "status", "priority", "type", "updated_at"];
        compare(name, &ours["heads"], &theirs["issues"], &said);
        assert_eq!(ours["total"], theirs["total_count"], "{name}");
    }
}

/// Returns a scene without what only one side says, its edges in one order.
fn plain(mut scene: Value) -> Value {
    let about = scene.as_object_mut().unwrap();
    for name in ["at", "scene"] {
        about.remove(name);
    }
    about.retain(|_, value| !value.is_null());
    if let Some(edges) = about.get_mut("edges").and_then(Value::as_array_mut) {
        edges.sort_by_key(|edge| (edge["first"].to_string(), edge["then"].to_string()));
    }
    for list in ["nodes", "epics"] {
        for issue in about
            .get_mut(list)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            // A board has columns for other states, too; a list of rows calls these one.
            let column = issue
                .as_object_mut()
                .unwrap()
                .remove("column")
                .unwrap_or_default();
            if ["ready", "in_progress", "blocked"]
                .iter()
                .any(|known| column == **known)
            {
                issue["column"] = column;
            }
        }
    }
    if let Some(focus) = about.get_mut("focus").and_then(Value::as_object_mut) {
        focus.remove("column");
    }
    scene
}

#[test]
fn graph_and_stats_are_those_of_the_program() {
    let mut worlds = vec![
        sample(),
        store(),
        nested(),
        generated(1),
        generated(2),
        World::with_store(),
    ];
    for name in data()
        .iter()
        .flat_map(|_| ["gqlc-1.x", "tearags-1.x", "beads-0.47"])
    {
        worlds.push(real(name));
    }
    for world in worlds {
        let tracker = tracker(&world);
        let mut asked = vec![json!(["stats", {}]), json!(["graph", {}])];
        let listed = world.bd(&["list", "--all", "-n", "0", "-q"]).ok();
        // Of a large one some.
        for id in listed.lines().step_by(1 + listed.lines().count() / 100) {
            for (steps, closed) in [(1, false), (2, true), (6, false)] {
                asked.push(json!(["graph", {"id": id, "steps": steps, "closed": closed}]));
            }
        }
        let Some(ours) = scenes(&world, &json!(asked)) else {
            return;
        };
        for (ours, asked) in ours.into_iter().zip(&asked) {
            let name = asked[0].as_str().unwrap();
            let theirs = scene(&tracker, name, asked[1].clone()).unwrap();
            let (ours, theirs) = (plain(ours), plain(theirs));
            for key in theirs.as_object().unwrap().keys() {
                assert_eq!(ours.get(key), theirs.get(key), "{key} of {asked}");
            }
            assert_eq!(ours, theirs, "{asked}");
        }
    }
    let tracker = tracker(&sample());
    for (name, asked) in [
        ("graph", json!({"id": "bd-none"})),
        ("graph", json!({"way": 1})),
        ("none", json!({})),
    ] {
        assert!(scene(&tracker, name, asked).is_err(), "{name}");
    }
}
