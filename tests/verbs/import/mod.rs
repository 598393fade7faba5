//! Files of `bd` and `br`: in without loss, out to the letter, joined with what is here.

mod bad;
mod edges;
mod followed;
mod github;
mod join;
mod newer;
mod odd;
mod own_export;
mod real;
mod shapes;
mod tables;
mod words;

use std::collections::BTreeMap;

use git_beads::model::{Uid, time};
use serde_json::Value;

use crate::support::World;

/// Keys that an export adds to every issue.
const ADDED: [&str; 4] = [
    "_type",
    "dependency_count",
    "dependent_count",
    "comment_count",
];

/// The records of a file by what names them, without what an export adds; of the lines of one id the newest.
fn records(text: &str) -> BTreeMap<String, Value> {
    let mut found: BTreeMap<String, (Option<i128>, Value)> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut value: Value = serde_json::from_str(line).unwrap();
        let instant = |key: &str| value[key].as_str().and_then(time::instant);
        let updated = instant("updated_at").or_else(|| instant("created_at"));
        let name = match value["id"].as_str() {
            Some(id) => id.to_owned(),
            None => format!("memory {} {}", value["key"], value["value"]),
        };
        if value["_type"] != "memory" {
            value
                .as_object_mut()
                .unwrap()
                .retain(|key, _| !ADDED.contains(&key.as_str()));
        }
        if found.get(&name).is_none_or(|(known, _)| updated >= *known) {
            found.insert(name, (updated, value));
        }
    }
    found
        .into_iter()
        .map(|(name, (_, value))| (name, value))
        .collect()
}

/// Imports a text and returns the report.
#[track_caller]
fn import(world: &World, text: impl AsRef<[u8]>) -> Value {
    let file = world.file("import.jsonl", text);
    world.bd(&["import", &file, "--json"]).json()
}

/// A store that holds the records of a text.
pub fn with(text: impl AsRef<[u8]>) -> World {
    let world = World::with_store();
    import(&world, text);
    world
}

pub fn export(world: &World) -> String {
    world.bd(&["export"]).ok()
}

/// The record of an issue in an export.
#[track_caller]
fn exported(world: &World, id: &str) -> Value {
    records(&export(world))
        .remove(id)
        .unwrap_or_else(|| panic!("{id} is not in the export"))
}

#[track_caller]
fn show(world: &World, id: &str) -> Value {
    world.bd(&["show", id, "--json"]).json()
}

/// The path of an issue's blob.
#[track_caller]
fn path(world: &World, id: &str) -> String {
    let uid = show(world, id)["issue"]["uid"].as_str().unwrap().to_owned();
    let [a, b, c] = uid.parse::<Uid>().unwrap().shard();
    format!("issues/{a}/{b}/{c}/{uid}/issue.json")
}

/// The blob of an issue, as git has it.
#[track_caller]
fn blob(world: &World, id: &str) -> Value {
    let text = world
        .git(&[
            "cat-file",
            "blob",
            &format!("refs/beads/main:{}", path(world, id)),
        ])
        .ok();
    serde_json::from_str(&text).unwrap()
}

/// The object that something of the ref names.
#[track_caller]
fn object(world: &World, what: &str) -> String {
    world.git(&["rev-parse", what]).ok().trim().to_owned()
}

fn tip(world: &World) -> String {
    object(world, "refs/beads/main")
}

/// The keys of `lost` in an issue's blob.
fn lost(world: &World, id: &str) -> Vec<String> {
    blob(world, id)["lost"]
        .as_object()
        .map(|lost| lost.keys().cloned().collect())
        .unwrap_or_default()
}

/// Ids of a list.
#[track_caller]
fn ids(world: &World, args: &[&str]) -> Vec<String> {
    world
        .bd(args)
        .ok()
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

/// A record with a title and both times; `more` begins with a comma.
pub fn line(id: &str, updated: &str, more: &str) -> String {
    format!(
        r#"{{"id":"{id}","title":"{id}","created_at":"2026-01-01T00:00:00Z","updated_at":"{updated}"{more}}}"#
    ) + "\n"
}
