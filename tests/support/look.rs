//! Ways to look at a world that many tests share.

use serde_json::Value;

use crate::support::World;

/// Words of a JSON array: strings as they are, of objects their `id`.
pub fn ids(list: &Value) -> Vec<&str> {
    let word = |item: &Value| item.get("id").is_some();
    list.as_array()
        .map(|items| {
            items
                .iter()
                .filter_map(|item| {
                    if word(item) {
                        item["id"].as_str()
                    } else {
                        item.as_str()
                    }
                })
                .collect()
        })
        .unwrap_or_default()
}

/// The ids that a command prints with `-q`.
#[track_caller]
pub fn quiet(world: &World, args: &[&str]) -> Vec<String> {
    let mut all = vec!["-q"];
    all.extend(args);
    world.bd(&all).ok().lines().map(str::to_owned).collect()
}

/// What `show --json` says of an issue.
#[track_caller]
pub fn issue(world: &World, id: &str) -> Value {
    world.bd(&["show", id, "--json"]).json()["issue"].clone()
}

/// The status of an issue.
#[track_caller]
pub fn status(world: &World, id: &str) -> String {
    issue(world, id)["status"].as_str().unwrap().to_owned()
}

/// The memory of an issue.
#[track_caller]
pub fn memory(world: &World, id: &str) -> Value {
    world.bd(&["show", id, "--json"]).json()["memory"].clone()
}

/// How many commits the store has.
pub fn commits(world: &World) -> usize {
    world
        .git(&["rev-list", "--count", "refs/beads/main"])
        .ok()
        .trim()
        .parse()
        .unwrap()
}

/// Creates an issue with a chosen id.
#[track_caller]
pub fn named<'a>(world: &World, id: &'a str, args: &[&str]) -> &'a str {
    let made = world.create(args);
    world.bd(&["rename", &made, id]).ok();
    id
}

/// The texts of a kind of memory of `bd-a`.
pub fn texts(world: &World, kind: &str) -> Vec<String> {
    let memory = memory(world, "bd-a");
    let entries = memory[kind].as_array().cloned().unwrap_or_default();
    entries
        .iter()
        .map(|entry| entry["text"].as_str().unwrap().to_owned())
        .collect()
}
