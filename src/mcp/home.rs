//! The tool that an argument belongs to: where a call has one too many, its hint is the call that takes it.

use serde_json::{Map, Value, json};

use crate::model::edge::BLOCKS;

/// Arguments, and the tool whose work they are. The first line that has an argument counts.
const HOMES: [(&[&str], &str); 8] = [
    (&["user_request"], "task_start"),
    (
        &[
            "findings",
            "decisions",
            "discovered",
            "question",
            "status",
            "reason",
        ],
        "task_progress",
    ),
    (&["wait"], "task_status"),
    // What was done, said too early: it is kept, and nothing is closed for it.
    (&["commit", "pr", "file"], "task_progress"),
    (&["depends_on", "dep_type"], "task_link"),
    (&["mode", "query", "limit", "offset"], "task_list"),
    (&["epic_id", "sub_issues"], "task_decompose"),
    (
        &[
            "title",
            "description",
            "design",
            "acceptance",
            "priority",
            "labels",
            "assignee",
            "parent",
            "type",
        ],
        "task_update_meta",
    ),
];

/// Arguments with which a tool asks for several issues, although it tells one.
const FILTERS: [&str; 6] = ["status", "priority", "labels", "assignee", "parent", "type"];

/// Texts that a hint never replaces, as only one tool is asked to: what a call says of them is kept as a finding.
const TEXTS: [&str; 6] = [
    "description",
    "design",
    "acceptance",
    "commit",
    "pr",
    "file",
];

/// Longest value of an argument that a hint repeats.
const LONGEST: usize = 200;

/// Returns the tool for an argument that another does not take, and the call that would be right, if enough is known for
/// one.
pub(super) fn home(
    tool: &str,
    field: &str,
    arguments: &Map<String, Value>,
) -> Option<(&'static str, Option<String>)> {
    let text = |name| arguments.get(name).and_then(Value::as_str);
    if let (BLOCKS, Some(id), Some(other)) = (field, text("id"), text(field)) {
        let [id, other] = [id, other].map(Value::from);
        return Some((
            "task_link",
            Some(format!("task_link(id={other}, depends_on=[{id}])")),
        ));
    }
    let closes = arguments.get(field).and_then(Value::as_str) == Some("closed");
    let found = match tool {
        // The only status that `task_progress` refuses.
        "task_update_meta" if field == "status" && closes => {
            let id = arguments.get("id").and_then(Value::as_str);
            let call = id.map(|id| format!("task_done(id={}, reason=\"...\")", Value::from(id)));
            return Some(("task_done", call));
        }
        "task_status" if FILTERS.contains(&field) => "task_list",
        "task_list" if field == "id" => "task_status",
        // There is no issue yet.
        "task_start" if ["title", "name", "summary"].contains(&field) && text("id").is_none() => {
            let call = text(field).map(Value::from);
            let call = call.map(|asked| format!("task_start(user_request={asked})"));
            return Some(("task_start", call));
        }
        _ if TEXTS.contains(&field) => "task_progress",
        _ => HOMES.iter().find(|(fields, _)| fields.contains(&field))?.1,
    };
    let known = (found != tool).then_some(found)?;
    // Fields are changed for a caller that has asked for a change of the issue, and never more than it named: the
    // labels would all be replaced.
    let is_asked = tool == "task_progress" && field != "labels";
    let call = match known {
        "task_update_meta" if !is_asked => None,
        _ => call(known, field, arguments),
    };
    Some((known, call))
}

fn call(tool: &str, field: &str, arguments: &Map<String, Value>) -> Option<String> {
    let value = arguments.get(field)?;
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let (field, value) = match TEXTS.contains(&field) {
        true => ("findings", json!([format!("{field}: {text}")]).to_string()),
        false => (field, value.to_string()),
    };
    let value = Some(value).filter(|value| value.chars().count() <= LONGEST)?;
    let id = arguments.get("id").and_then(Value::as_str);
    match (tool, id) {
        ("task_list" | "task_start" | "task_status", _) => Some(format!("{tool}({field}={value})")),
        ("task_decompose", _) | (_, None) => None,
        (_, Some(id)) => Some(format!("{tool}(id={}, {field}={value})", Value::from(id))),
    }
}
