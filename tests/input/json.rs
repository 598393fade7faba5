//! Every `--json` answer: one line, an envelope, nothing empty, and as `schema VERB` says.

use serde_json::Value;

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
    assert_eq!(answer["v"], 1, "{answer}");
    let kind = answer["kind"].as_str().unwrap_or_default();
    let kinds = [
        "issue", "summary", "empty", "progress", "created", "updated", "closed", "error", "report",
    ];
    assert!(kinds.contains(&kind), "{answer}");
    let next = answer["next"].as_str().unwrap_or_default();
    assert!(
        ["continue", "start_next_ready", "await_user"].contains(&next),
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
fn man_answers_a_report() {
    let world = World::new();
    assert_eq!(held(&world, "man", &["man", "../share"])["kind"], "report");
    assert_eq!(
        held(&world, "man", &["man", "--remove", "../share"])["removed"],
        true
    );
    assert!(held(&world, "man", &["man", "--remove", "../share"])["folder"].is_null());
}

#[test]
fn init_answers_once_and_again() {
    let world = World::new();
    held(&world, "init", &["init"]);
    held(&world, "init", &["init"]);
}

#[test]
fn lists_answer_summary() {
    let world = World::with_store();
    let id = world.create(&["One", "-l", "a", "-a", "Bob"]);
    world.create(&["Two", "--on", &id]);
    for verb in ["list", "ready", "blocked"] {
        let answer = held(&world, verb, &[verb]);
        assert_eq!(answer["kind"], "summary");
        assert_eq!(
            answer["returned"],
            answer["issues"].as_array().unwrap().len()
        );
        assert_eq!(answer["truncated"], false);
    }
    assert_eq!(
        held(&world, "search", &["search", "one"])["kind"],
        "summary"
    );
}

#[test]
fn a_list_tells_the_true_number() {
    let world = World::with_store();
    for title in ["One", "Two", "Three"] {
        world.create(&[title]);
    }
    let answer = held(&world, "list", &["list", "-n", "2"]);
    assert_eq!(
        (&answer["total_count"], &answer["returned"]),
        (&3.into(), &2.into())
    );
    assert_eq!(answer["truncated"], true);
    assert!(answer["hint"].is_string());
    let answer = held(&world, "list", &["list", "-n", "2", "--offset", "2"]);
    assert_eq!(
        (&answer["total_count"], &answer["returned"]),
        (&3.into(), &1.into())
    );
}

#[test]
fn a_list_of_nothing_is_empty() {
    let world = World::with_store();
    for verb in ["list", "ready", "blocked"] {
        let answer = held(&world, verb, &[verb]);
        assert_eq!(answer["kind"], "empty");
        assert_eq!(answer["issues"], serde_json::json!([]));
        assert_eq!(answer["total_count"], 0);
    }
    assert_eq!(held(&world, "search", &["search", "none"])["kind"], "empty");
}

#[test]
fn show_answers_an_issue_with_its_memory() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let id = world.create(&[
        "One", "--parent", &epic, "-d", "what", "-D", "how", "-A", "when",
    ]);
    let other = world.create(&["Two", "--on", &id, "-l", "a,b"]);
    world
        .bd(&[
            "note",
            &id,
            "--finding",
            "f",
            "--decision",
            "d",
            "--comment",
            "c",
        ])
        .ok();
    let answer = held(&world, "show", &["show", &id]);
    assert_eq!(answer["kind"], "issue");
    assert_eq!(answer["issue"]["parent"], epic.as_str());
    assert_eq!(answer["issue"]["dependents"][0]["id"], other.as_str());
    for kind in ["findings", "decisions", "comments"] {
        let entry = &answer["memory"][kind][0];
        for key in ["id", "text", "by", "at"] {
            assert!(entry[key].is_string(), "{kind}: {entry}");
        }
    }
    let epic = held(&world, "show", &["show", &epic]);
    assert_eq!(epic["issue"]["ready_children"][0]["title"], "One");
    assert_eq!(
        held(&world, "show", &["show", &id, &other])["issues"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    held(&world, "show", &["show", &id, "--memory", "0"]);
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
fn no_cycles_is_an_answer_without_empty_lists() {
    held(&World::with_store(), "dep cycles", &["dep", "cycles"]);
    held(&World::with_store(), "graph", &["graph"]);
}

#[test]
fn cycles_that_were_imported_are_named() {
    let world = World::with_store();
    let issue = |id: &str, on: &str| {
        format!(
            "{{\"id\":\"{id}\",\"title\":\"t\",\"dependencies\":[{{\"issue_id\":\"{id}\",\"depends_on_id\":\"{on}\",\"type\":\"blocks\"}}]}}\n"
        )
    };
    let file = world.file("in.jsonl", issue("x-1", "x-2") + &issue("x-2", "x-1"));
    held(&world, "import", &["import", &file]);
    let cycles = held(&world, "dep cycles", &["dep", "cycles"]);
    assert_eq!(cycles["cycles"][0].as_array().unwrap().len(), 2);
}

#[test]
fn split_continues() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let plan = world.file(
        "plan.json",
        r#"[{"title":"A"},{"title":"B","depends_on":[0]}]"#,
    );
    let answer = held(&world, "split", &["split", &epic, "-F", &plan]);
    assert_eq!(answer["next"], "continue");
    assert_eq!(answer["ids"].as_array().unwrap().len(), 2);
}

#[test]
fn explanations_answer() {
    let world = World::with_store();
    let id = world.create(&["A"]);
    world.create(&["B", "--on", &id]);
    held(&world, "ready --explain", &["ready", "--explain"]);
}

#[test]
fn an_explanation_of_nothing_has_no_empty_lists() {
    held(
        &World::with_store(),
        "ready --explain",
        &["ready", "--explain"],
    );
}

#[test]
fn reports_answer() {
    let world = World::with_store();
    held(&world, "where", &["where"]);
    let id = world.create(&["A"]);
    world.bd(&["start", &id]).ok();
    held(&world, "status", &["status"]);
    held(&world, "status", &[]);
    held(&world, "board", &["board", "-n", "0"]);
    held(&world, "log", &["log"]);
    held(&world, "log", &["log", &id]);
    held(&world, "stats", &["stats"]);
    world.bd(&["done", &id]).ok();
    held(&world, "stats", &["stats", "--since", "2w"]);
    held(&world, "log", &["log", "-p", "-n", "0"]);
    held(&world, "blame", &["blame", &id]);
    held(&world, "diff", &["diff", "@~1"]);
    held(&world, "undo", &["undo", "--dry-run"]);
    held(&world, "undo", &["undo"]);
}

#[test]
fn the_state_of_nothing_has_no_empty_counts() {
    held(&World::with_store(), "status", &["status"]);
    held(&World::with_store(), "stats", &["stats"]);
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
        &["blocked"],
        &["status"],
        &["context"],
    ] {
        held(&world, args[0], args);
    }
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
fn setup_answers_with_files_for_every_option() {
    let world = World::new();
    let all = held(&world, "setup", &["setup"]);
    assert_eq!(all["agents"].as_array().unwrap().len(), 8);
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
    let lacking = world.bd(&["setup", "claude", "--check", "--json"]);
    assert_eq!(lacking.code, 1);
    hold(&world, "setup", &lacking.stdout);
    let unknown = world.bd(&["setup", "nobody", "--json"]);
    hold(&world, "error", &unknown.stdout);
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

#[test]
fn every_schema_is_of_a_verb_and_every_reference_in_it_is_defined() {
    let world = World::new();
    let all: Value = serde_json::from_str(&world.bd(&["schema"]).ok()).unwrap();
    for (verb, whole) in all.as_object().unwrap() {
        let one: Value = serde_json::from_str(&world.bd(&["schema", verb]).ok()).unwrap();
        assert_eq!(&one, whole, "{verb}");
    }
}
