//! What the live page makes of the scenes of the program is what the file makes of its data.

use std::path::Path;

use git_beads::ops::{Tracker, scene::scene};
use serde_json::{Value, json};

use crate::clients::page::{graph::real, scenes};
use crate::properties::queries::store;
use crate::support::{World, data};

/// Returns the scenes of the program as `live.js` makes them for the drawing.
fn live(world: &World, tracker: &Tracker, asked: &[Value]) -> Option<Vec<Value>> {
    let mut said = Vec::new();
    for one in asked {
        let name = one[0].as_str().unwrap();
        let found = scene(tracker, name, one[2].clone()).unwrap();
        said.push(json!([name, one[1], found]));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = root
        .join("tests/clients/serve/scenes.mjs")
        .display()
        .to_string();
    let scripts = root.join("src/page").display().to_string();
    let file = world.file("said.json", json!(said).to_string());
    if !world.lend("node") {
        return None;
    }
    let command = world.command("repo", "node", &[&script, &scripts, &file]);
    Some(serde_json::from_str(&world.run(command, None).ok()).unwrap())
}

#[test]
fn the_live_page_draws_what_the_file_draws() {
    let mut worlds = vec![store()];
    let criteria = "- [x] per key\n- [ ] per user\n- [ ] both";
    worlds[0]
        .bd(&["update", "q-count", "--acceptance", criteria])
        .ok();
    for name in data()
        .iter()
        .flat_map(|_| ["gqlc-1.x", "tearags-1.x", "beads-0.47"])
    {
        worlds.push(real(name));
    }
    let world = &worlds[0];
    let board = scene(
        &scenes::tracker(world),
        "board",
        json!({"query": "id:q-count"}),
    )
    .unwrap();
    let heads = board["columns"].as_array().unwrap().iter();
    let heads: Vec<&Value> = heads.map(|it| &it["heads"][0]["criteria"]).collect();
    assert!(heads.contains(&&json!([1, 3])), "{heads:?}");
    for world in worlds {
        let tracker = scenes::tracker(&world);
        let mut asked = Vec::new();
        for query in [
            "",
            "is:open",
            "is:closed",
            "priority:0",
            "type:bug",
            "group:assignee",
            "type:task group:parent",
            "group:priority sort:updated",
        ] {
            asked.push(json!(["board", {"query": query}, {"query": query, "most": 200}]));
            asked.push(json!(["rows", {"query": query}, {"query": query, "count": 200}]));
        }
        let listed = world.bd(&["list", "--all", "-n", "0", "-q"]).ok();
        for id in listed.lines().step_by(1 + listed.lines().count() / 40) {
            asked.push(json!(["issue", {"id": id}, {"id": id}]));
        }
        let of_file: Vec<Value> = asked.iter().map(|one| json!([one[0], one[1]])).collect();
        let (Some(file), Some(live)) = (
            scenes::scenes(&world, &json!(of_file)),
            live(&world, &tracker, &asked),
        ) else {
            return;
        };
        let mut differing = Vec::new();
        for ((file, live), asked) in file.iter().zip(&live).zip(&asked) {
            let first = first_difference("", file, live);
            differing.extend(first.map(|what| format!("{asked}: {what:.300}")));
        }
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }
}

/// What the file says and the live page says otherwise, or not at all.
const OF_ONE: [&str; 18] = [
    "at",
    "all",
    "hidden",
    "total_of",
    "words",
    "fault",
    "excerpt",
    "events",
    "older",
    "older_log",
    "unblocks",
    "started_at",
    "branch",
    "names",
    "seen",
    "warnings",
    // In another order.
    "parts",
    "scene",
];

/// Returns the first place at which two scenes differ, in what both say.
fn first_difference(place: &str, file: &Value, live: &Value) -> Option<String> {
    match (file, live) {
        (Value::Object(file), Value::Object(live)) => file.iter().find_map(|(key, value)| {
            // Of a blocker a card has the id.
            let of_blocker = place.contains(".blockers[") && key != "id";
            let is_list = key == "unblocks" && value.is_array();
            // The page adds up the columns of a board.
            let of_board = place.is_empty() && key == "total" && file.contains_key("columns");
            // A list shows no criteria.
            let of_list = key == "criteria" && place.starts_with(".heads[");
            if of_blocker || of_board || of_list || OF_ONE.contains(&key.as_str()) && !is_list {
                return None;
            }
            first_difference(
                &format!("{place}.{key}"),
                value,
                live.get(key).unwrap_or(&Value::Null),
            )
        }),
        (Value::Array(file), Value::Array(live)) => {
            if file.len() != live.len() {
                return Some(format!(
                    "{place}: {} and {}: {file:?} {live:?}",
                    file.len(),
                    live.len()
                ));
            }
            let mut each = file.iter().zip(live).enumerate();
            each.find_map(|(n, (file, live))| {
                first_difference(&format!("{place}[{n}]"), file, live)
            })
        }
        // What is false, nothing or not there is drawn alike.
        _ => {
            let is_nothing =
                |value: &Value| value.is_null() || *value == json!(false) || *value == json!("");
            let same = file == live || is_nothing(file) && is_nothing(live);
            (!same).then(|| format!("{place}: {file} and {live}"))
        }
    }
}
