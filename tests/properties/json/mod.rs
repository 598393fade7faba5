//! Every `--json` answer: one line, an envelope, nothing empty, and as `schema VERB` says.

mod reads;
mod writes;

use serde_json::Value;

use crate::support::samples::mixed;
use crate::support::{World, schema};

/// Lists that are documented to be there even when there is nothing in them.
const ALWAYS: [&str; 3] = ["issues", "errors", "conflicts"];

/// Where an answer holds a null, `""`, `[]` or `{}`.
fn empties(value: &Value, at: &str, found: &mut Vec<String>) {
    let name = at.rsplit('.').next().unwrap();
    match value {
        Value::Null => found.push(format!("{at} is null")),
        Value::String(text) if text.is_empty() => found.push(format!("{at} is \"\"")),
        Value::Array(items) if items.is_empty() && !ALWAYS.contains(&name) => {
            found.push(format!("{at} is []"));
        }
        Value::Object(map) if map.is_empty() => found.push(format!("{at} is {{}}")),
        Value::Array(items) => items.iter().for_each(|item| empties(item, at, found)),
        Value::Object(map) => map
            .iter()
            .for_each(|(key, item)| empties(item, &format!("{at}.{key}"), found)),
        _ => {}
    }
}

/// Runs a verb with `--json` and holds its answer against the rules and its schema.
#[track_caller]
fn held(world: &World, verb: &str, args: &[&str]) -> Value {
    let mut all = args.to_vec();
    all.push("--json");
    hold(world, verb, &world.bd(&all).ok())
}

#[track_caller]
fn hold(world: &World, verb: &str, stdout: &str) -> Value {
    assert!(
        stdout.ends_with('\n') && stdout.lines().count() == 1,
        "not one line: {stdout}"
    );
    let answer: Value = serde_json::from_str(stdout).unwrap();
    // A value has each name once.
    assert_eq!(answer.to_string().len(), stdout.trim().len(), "{stdout}");
    assert_eq!(answer["v"], 1, "{answer}");
    let kind = answer["kind"].as_str().unwrap_or_default();
    let kinds = [
        "issue", "summary", "empty", "progress", "created", "updated", "closed", "error", "report",
    ];
    assert!(kinds.contains(&kind), "{answer}");
    let next = answer["next"].as_str().unwrap_or_default();
    assert!(
        ["continue", "start_next_ready", "await_user", "retry"].contains(&next),
        "{answer}"
    );
    let mut found = Vec::new();
    empties(&answer, verb, &mut found);
    let schema: Value = serde_json::from_str(&world.bd(&["schema", verb]).ok()).unwrap();
    found.extend(schema::violations(&schema, &answer));
    assert!(found.is_empty(), "{verb}: {found:#?}\n{answer}");
    answer
}

#[test]
fn a_purged_title_is_left_out() {
    let world = World::with_store();
    let gone = world.create(&["hunter2", "-a", "bob", "-l", "secret"]);
    let other = world.create(&["Other", "--on", &gone]);
    let child = world.create(&["Child", "--parent", &gone]);
    world
        .bd(&["dep", "add", &gone, "--on", &child, "--type", "related"])
        .ok();
    world.bd(&["note", &gone, "--finding", "hunter2 too"]).ok();
    world.bd(&["purge", "--yes", &gone]).ok();
    let shown = held(&world, "show", &["show", &other]);
    assert_eq!(shown["issue"]["dependencies"][0]["id"], *gone);
    assert_eq!(
        held(&world, "list", &["list", "--deleted"])["issues"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert_eq!(
        held(&world, "dep tree", &["dep", "tree", &other])["tree"]["depends_on"][0]["id"],
        *gone
    );
    held(
        &world,
        "watch",
        &[
            "watch",
            "--since",
            "2001-01-01",
            "-n",
            "1",
            "-s",
            "tombstone",
        ],
    );
    for args in [
        &["show", &gone][..],
        &["show", &gone, &child],
        &["show", &gone, "--at", "@~2"],
        &["list", "--deleted", "--at", "@~2"],
        &["graph", "--all"],
        &["graph", &gone],
        &["log", &gone, "-p"],
        &["diff", "@~3"],
        &["board"],
        &["stats"],
        &["labels"],
        &["types"],
        &["people"],
        &["whats-new", "--since", "2001-01-01", "--agent", "c-1"],
        &["blocked"],
        &["status"],
        &["context"],
    ] {
        held(&world, args[0], args);
    }
}

#[test]
fn errors_are_answers() {
    let world = World::with_store();
    let output = world.bd(&["show", "zzz", "--json"]);
    let answer = hold(&world, "error", &output.stdout);
    assert_eq!(
        (answer["kind"].as_str(), answer["code"].as_str()),
        (Some("error"), Some("not_found"))
    );
}

#[test]
fn pretty_is_the_same_answer_for_people() {
    let world = World::with_store();
    world.create(&["A"]);
    let pretty = world.bd(&["list", "--json=pretty"]).ok();
    assert!(pretty.starts_with("{\n  \"v\": 1,\n"), "{pretty}");
    let pretty: Value = serde_json::from_str(&pretty).unwrap();
    assert_eq!(pretty, held(&world, "list", &["list"]));
    assert!(
        world
            .bd(&["show", "zzz", "--json=pretty"])
            .stdout
            .starts_with("{\n")
    );
    assert!(
        world
            .bd(&["shwo", "zzz", "--json=pretty"])
            .stdout
            .starts_with("{\n")
    );
}

#[test]
fn every_schema_is_of_a_verb_and_every_reference_in_it_is_defined() {
    let world = World::new();
    let all: Value = serde_json::from_str(&world.bd(&["schema"]).ok()).unwrap();
    for (verb, whole) in all.as_object().unwrap() {
        let one: Value = serde_json::from_str(&world.bd(&["schema", verb]).ok()).unwrap();
        assert_eq!(&one, whole, "{verb}");
    }
}

#[test]
fn json_is_one_line_and_pretty_for_people() {
    let world = mixed();
    assert_eq!(world.bd(&["list", "--json"]).ok().lines().count(), 1);
    let pretty = world.bd(&["list", "--json=pretty"]);
    assert!(pretty.stdout.lines().count() > 10);
    assert_eq!(pretty.json()["total_count"], 3);
}
