//! Names that agents bring from other trackers, read as the names that the tools list.

use serde_json::{Map, Value};

use crate::ops::{Error, Result};

/// Names with one meaning. An unknown name is read as the one of its set that the tool has.
const SETS: [&[&str]; 8] = [
    &["id", "issue_id", "issue_ids"],
    &["type", "issue_type"],
    &["acceptance", "acceptance_criteria"],
    &["title", "summary", "name"],
    &["depends_on", "depends_on_id", "deps", "blocked_by"],
    &["priority", "prio"],
    &["tool_name", "name"],
    &["name", "tool_name"],
];

/// Further names of findings; a tool without findings has none of them.
const FINDINGS: [&str; 5] = ["comment", "note", "notes", "text", "evidence"];

/// Renames arguments that are known by another name; two that name one thing are an error.
pub(super) fn read(
    known: &Map<String, Value>,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>> {
    let mut read = Map::new();
    let mut given: Vec<(String, String)> = Vec::new();
    for (name, value) in arguments {
        let meant = meant(known, &name).unwrap_or(&name).to_owned();
        // Models write `null` for what they leave out: it names nothing.
        if value.is_null() {
            read.entry(meant).or_insert(value);
            continue;
        }
        let value = match name.as_str() {
            "evidence" if meant == "findings" => sorted(known, value, &mut read),
            _ => Some(value),
        };
        let Some(value) = value else {
            continue;
        };
        if let Some((other, _)) = given.iter().find(|(_, taken)| *taken == meant) {
            return Err(twice(other, &name));
        }
        let value = if meant == name {
            value
        } else {
            single(known, &meant, value)
        };
        given.push((name, meant.clone()));
        read.insert(meant, value);
    }
    Ok(read)
}

/// Puts evidence of the form `commit:REV` where a tool has a place for it; returns what is left.
fn sorted(
    known: &Map<String, Value>,
    value: Value,
    read: &mut Map<String, Value>,
) -> Option<Value> {
    let items = match value {
        Value::Array(items) => items,
        value => vec![value],
    };
    // What names no place stays a finding, as other trackers mean it.
    let mut left = Vec::new();
    for item in items {
        let part = item.as_str().and_then(|text| text.split_once(':'));
        match part {
            Some((name @ ("commit" | "pr" | "file"), rest))
                if known.contains_key(name) && !read.contains_key(name) =>
            {
                read.insert(name.to_owned(), rest.trim().into());
            }
            _ => left.push(item),
        }
    }
    (!left.is_empty()).then(|| left.into())
}

fn twice(one: &str, other: &str) -> Error {
    Error::invalid(format!("{one} and {other} name the same: give one of them"))
}

/// Returns the name that a tool has for what an unknown name means.
fn meant<'a>(known: &Map<String, Value>, name: &str) -> Option<&'a str> {
    if known.contains_key(name) {
        return None;
    }
    let sets = SETS.iter().filter(|set| set.contains(&name));
    let mut names = sets.flat_map(|set| set.iter().copied());
    let findings = FINDINGS.contains(&name).then_some("findings");
    names
        .find(|other| known.contains_key(*other))
        .or_else(|| findings.filter(|findings| known.contains_key(*findings)))
}

/// Takes a list of one, as `issue_ids` is, where a text is wanted.
fn single(known: &Map<String, Value>, name: &str, value: Value) -> Value {
    match value {
        Value::Array(mut items) if items.len() == 1 && known[name]["type"] == "string" => {
            items.remove(0)
        }
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(known: &Value, arguments: Value) -> Result<Value, String> {
        let Value::Object(arguments) = arguments else {
            panic!()
        };
        read(known.as_object().unwrap(), arguments)
            .map(Value::Object)
            .map_err(|error| error.message)
    }

    #[test]
    fn every_alias_is_read_as_what_the_tool_has() {
        let known = json!({"id": {"type": "string"}, "type": {}, "acceptance": {}, "title": {}, "depends_on": {},
            "priority": {}, "findings": {}});
        for (name, meant) in [
            ("issue_id", "id"),
            ("issue_ids", "id"),
            ("issue_type", "type"),
            ("acceptance_criteria", "acceptance"),
            ("summary", "title"),
            ("name", "title"),
            ("depends_on_id", "depends_on"),
            ("deps", "depends_on"),
            ("blocked_by", "depends_on"),
            ("prio", "priority"),
            ("comment", "findings"),
            ("note", "findings"),
            ("notes", "findings"),
            ("text", "findings"),
        ] {
            assert_eq!(
                run(&known, json!({name: "x"})).unwrap(),
                json!({meant: "x"}),
                "{name}"
            );
        }
        assert_eq!(
            run(&known, json!({"issue_ids": ["bd-a"]})).unwrap(),
            json!({"id": "bd-a"})
        );
        assert_eq!(
            run(&known, json!({"id": "a", "issue_id": null})).unwrap(),
            json!({"id": "a"})
        );
    }

    #[test]
    fn evidence_goes_where_a_tool_has_a_place_for_it() {
        let known = json!({"findings": {"type": "array"}, "commit": {}, "pr": {}, "file": {}});
        let given = json!({"evidence": ["commit:HEAD", "the suite passes", "pr: #7"]});
        assert_eq!(
            run(&known, given).unwrap(),
            json!({"commit": "HEAD", "pr": "#7", "findings": ["the suite passes"]})
        );
        assert_eq!(
            run(&known, json!({"evidence": "file:a.txt"})).unwrap(),
            json!({"file": "a.txt"})
        );
    }

    #[test]
    fn two_that_name_one_thing_and_foreign_names_are_not_guessed() {
        let known = json!({"issue_id": {"type": "string"}, "notes": {}});
        assert_eq!(
            run(&known, json!({"id": "a"})).unwrap(),
            json!({"issue_id": "a"})
        );
        assert_eq!(
            run(&known, json!({"id": "a", "issue_id": "a"})).unwrap_err(),
            "id and issue_id name the same: give one of them"
        );
        assert_eq!(
            run(&known, json!({"notes": "n", "comment": "c"})).unwrap(),
            json!({"notes": "n", "comment": "c"})
        );
    }
}
