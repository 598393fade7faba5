//! Files as versions before this one wrote them, which no command writes any more.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::World;

/// A file as a first line and others, and what makes another one of it.
#[derive(Clone)]
pub struct OlderFile {
    pub header: Value,
    pub lines: Vec<Value>,
}

impl OlderFile {
    /// The snapshot of a clone: what is not closed.
    pub fn snapshot(world: &World, clone: &str) -> Self {
        let tip = rev(world, clone, "refs/beads/main");
        let blobs = blobs(world, clone, &tip);
        let is_issue = |path: &str| path.ends_with("/issue.json");
        let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let closed: Vec<String> = blobs
            .iter()
            .filter(|(path, blob)| is_issue(path) && blob["status"]["s"] == "closed")
            .filter_map(|(path, _)| folder(path))
            .collect();
        let known = blobs.keys().filter(|path| is_issue(path)).count();
        let header = json!({
            "at": at(world, clone), "beads": "snapshot", "known": known, "stores": stores(&blobs), "tip": tip, "v": 1,
        });
        let is_left = |path: &str| !closed.iter().any(|closed| path.starts_with(closed));
        let lines = blobs.iter().filter(|(path, _)| is_left(path)).map(line);
        Self {
            header,
            lines: lines.collect(),
        }
    }

    /// The carry file of a clone: what its remote is not known to have.
    pub fn carried(world: &World, clone: &str) -> Self {
        let tip = rev(world, clone, "refs/beads/main");
        let base = rev(world, clone, "refs/beads-remotes/origin/main");
        let (here, there) = (blobs(world, clone, &tip), blobs(world, clone, &base));
        let range = format!("{base}..{tip}");
        let listed = ["log", "--reverse", "--no-merges", "--format=%s", &range];
        let listed = world.git_in(clone, &listed).ok();
        let ops: Vec<&str> = listed.lines().collect();
        let header = json!({
            "actor": "Ann", "at": at(world, clone), "base": base, "beads": "carry", "changes": ops.len(), "ops": ops,
            "part": [1, 1], "stores": stores(&here), "v": 1,
        });
        let is_new = |(path, blob): &(&String, &Value)| there.get(*path) != Some(*blob);
        let lines = here.iter().filter(is_new).map(line);
        Self {
            header,
            lines: lines.collect(),
        }
    }

    /// Returns the text, with a sum that fits.
    pub fn text(&self) -> String {
        let lines: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        let sum = Sha256::digest(lines.as_bytes());
        let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut header = self.header.clone();
        header["sum"] = sum.into();
        format!("{header}\n{lines}")
    }

    /// Returns the text of another one.
    pub fn with(&self, change: impl FnOnce(&mut Self)) -> String {
        let mut other = self.clone();
        change(&mut other);
        other.text()
    }
}

/// Writes the snapshot of a clone into its work tree.
pub fn write_snapshot(world: &World, clone: &str) {
    let text = OlderFile::snapshot(world, clone).text();
    world.file(&format!("{clone}/.git-beads/snapshot.jsonl"), text);
}

fn line((path, blob): (&String, &Value)) -> Value {
    json!({"b": blob, "p": path})
}

fn rev(world: &World, clone: &str, name: &str) -> String {
    let id = world.git_in(clone, &["rev-parse", name]).ok();
    id.trim().to_owned()
}

fn at(world: &World, clone: &str) -> u64 {
    let at = ["log", "-1", "--format=%ct", "refs/beads/main"];
    world.git_in(clone, &at).ok().trim().parse().unwrap()
}

/// Returns the blobs of a state, by path.
fn blobs(world: &World, clone: &str, commit: &str) -> BTreeMap<String, Value> {
    let listed = ["ls-tree", "-r", "--full-tree", commit];
    let listed = world.git_in(clone, &listed).ok();
    let mut blobs = BTreeMap::new();
    for line in listed.lines() {
        let (entry, path) = line.split_once('\t').unwrap();
        let oid = entry.rsplit(' ').next().unwrap();
        let text = world.git_in(clone, &["cat-file", "blob", oid]).ok();
        blobs.insert(path.to_owned(), serde_json::from_str(&text).unwrap());
    }
    blobs
}

fn stores(blobs: &BTreeMap<String, Value>) -> Vec<&String> {
    let named = blobs["meta.json"]["set:stores"].as_object().unwrap();
    named.keys().collect()
}
