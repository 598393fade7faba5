//! Ways to look back.

use serde_json::Value;

use crate::support::World;

/// The subjects of operations, newest first.
#[track_caller]
pub fn subjects(world: &World, args: &[&str]) -> Vec<String> {
    let mut all = vec!["log", "--json"];
    all.extend(args);
    let log = world.bd(&all).json();
    let operations = log["operations"].as_array().cloned().unwrap_or_default();
    operations
        .iter()
        .map(|operation| operation["subject"].as_str().unwrap().to_owned())
        .collect()
}

/// The change of a field in a list of changes.
#[track_caller]
pub fn field<'a>(changes: &'a Value, name: &str) -> &'a Value {
    let found = changes
        .as_array()
        .unwrap()
        .iter()
        .find(|change| change["field"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {changes}"))
}

/// Two clones that know of each other: `repo`, and `other` below it.
pub fn two_clones() -> World {
    let world = World::with_store();
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
        .ok();
    world.git(&["remote", "add", "origin", "../hub.git"]).ok();
    world.bd(&["sync"]).ok();
    world.bd_in(".", &["clone", "hub.git", "other"]).ok();
    world
}
