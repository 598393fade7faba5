//! Records that are no issues of bd, known by their keys.

use serde_json::{Map, Value};

/// A kind of records that are no issues of bd.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OtherFile {
    /// Its records, as a part of a sentence.
    pub what: &'static str,
    /// Keys that only its records have all.
    keys: &'static [&'static str],
    /// True if bd keeps it in the folder of the file of issues.
    pub is_of_bd: bool,
}

const fn beside(what: &'static str, keys: &'static [&'static str]) -> OtherFile {
    OtherFile {
        what,
        keys,
        is_of_bd: true,
    }
}

/// The kinds that are known by their keys.
static OTHERS: [OtherFile; 11] = [
    beside("bd's deletions", &["id", "ts", "by"]),
    beside("bd's events", &["event_type", "issue_id"]),
    beside("bd's interactions", &["id", "kind", "actor"]),
    beside("bd's routes", &["prefix", "path"]),
    beside("bd's metadata", &["database"]),
    beside("bd's table of dependencies", &["issue_id", "depends_on_id"]),
    beside("bd's table of labels", &["issue_id", "label"]),
    beside("bd's table of comments", &["issue_id", "text"]),
    beside("bd's settings", &["key", "value"]),
    beside("the state of bd's backup", &["last_dolt_commit"]),
    OtherFile {
        what: "issues of GitHub",
        keys: &["number", "title"],
        is_of_bd: false,
    },
];

/// Returns the other kind that a record belongs to.
pub(super) fn other_kind(map: &Map<String, Value>) -> Option<&'static OtherFile> {
    let is_kind = |other: &&OtherFile| other.keys.iter().all(|key| map.contains_key(*key));
    // With a title it is an issue, unless the other kind has titles too.
    let may_be = |other: &&OtherFile| !has_title(map) || other.keys.contains(&"title");
    OTHERS.iter().filter(may_be).find(is_kind)
}

fn has_title(map: &Map<String, Value>) -> bool {
    let title = map.get("title").and_then(Value::as_str);
    title.is_some_and(|title| !title.trim().is_empty())
}

/// Refuses a record that is no issue.
pub(super) fn check_issue(map: &Map<String, Value>) -> Result<(), String> {
    let text = |key: &str| map.get(key).and_then(Value::as_str);
    if let Some(kind) = text("_type").filter(|kind| *kind != "issue") {
        return Err(format!("not an issue: its `_type` is {kind:?}"));
    }
    // A deletion may have no title.
    if has_title(map) || text("id").is_none() || text("status") == Some("tombstone") {
        return Ok(());
    }
    Err("not an issue: no `title`".into())
}
