//! Arguments and the tools whose work they are: what `Tool::homes` has.

use serde_json::{Value, json};

use crate::mcp::facts::{Home, Stray};
use crate::model::edge::BLOCKS;

/// Longest value of an argument that a hint repeats.
const LONGEST: usize = 200;

pub(super) const STATUS: &[Home] = &[
    home(&["wait"], always, alone),
    home(&["id"], |stray| stray.tool == "task_list", alone),
];

pub(super) const LIST: &[Home] = &[
    home(&["mode", "query", "limit", "offset"], always, alone),
    // With these a tool asks for several issues, although it shows one.
    home(
        &["status", "priority", "labels", "assignee", "parent", "type"],
        |stray| stray.tool == "task_status",
        alone,
    ),
];

pub(super) const START: &[Home] = &[
    home(&["user_request"], always, alone),
    // There is no issue yet.
    home(
        &["title", "name", "summary"],
        |stray| stray.tool == "task_start" && stray.text("id").is_none(),
        |stray| {
            Some(format!(
                "user_request={}",
                Value::from(stray.text(stray.field)?)
            ))
        },
    ),
];

pub(super) const PROGRESS: &[Home] = &[
    home(
        &[
            "findings",
            "decisions",
            "discovered",
            "question",
            "status",
            "reason",
        ],
        |stray| !closes(stray),
        |stray| on_issue(stray, &alone(stray)?),
    ),
    // A hint replaces none of these texts, and closes nothing for evidence that comes too early: they are kept as findings.
    home(
        &[
            "description",
            "design",
            "acceptance",
            "commit",
            "pr",
            "file",
        ],
        |stray| stray.tool != "task_progress",
        |stray| on_issue(stray, &finding(stray)?),
    ),
];

pub(super) const UPDATE_META: &[Home] = &[home(
    &["title", "priority", "labels", "assignee", "parent", "type"],
    always,
    // Fields are changed for a caller that has asked for a change of the issue, and never more than it named: the labels
    // would all be replaced.
    |stray| match stray.tool == "task_progress" && stray.field != "labels" {
        true => on_issue(stray, &alone(stray)?),
        false => None,
    },
)];

pub(super) const DECOMPOSE: &[Home] = &[home(&["epic_id", "sub_issues"], always, |_| None)];

pub(super) const LINK: &[Home] = &[
    home(&["depends_on", "dep_type"], always, |stray| {
        on_issue(stray, &alone(stray)?)
    }),
    home(&[BLOCKS], |stray| blocked(stray).is_some(), blocked),
];

/// The only status that no tool takes.
pub(super) const DONE: &[Home] = &[home(&["status"], closes, |stray| {
    on_issue(stray, "reason=\"...\"")
})];

const fn home(
    fields: &'static [&'static str],
    when: fn(&Stray<'_>) -> bool,
    call: fn(&Stray<'_>) -> Option<String>,
) -> Home {
    Home { fields, when, call }
}

fn always(_: &Stray<'_>) -> bool {
    true
}

fn closes(stray: &Stray<'_>) -> bool {
    stray.text("status") == Some("closed") && stray.field == "status"
}

/// Returns the argument as a call has it; none if it is too long for a hint.
fn alone(stray: &Stray<'_>) -> Option<String> {
    bounded(stray.field, stray.arguments.get(stray.field)?)
}

/// Returns an argument behind the issue that the present call names.
fn on_issue(stray: &Stray<'_>, argument: &str) -> Option<String> {
    let id = Value::from(stray.text("id")?);
    Some(format!("id={id}, {argument}"))
}

fn finding(stray: &Stray<'_>) -> Option<String> {
    let text = match stray.arguments.get(stray.field)? {
        Value::String(text) => format!("{}: {text}", stray.field),
        value => format!("{}: {value}", stray.field),
    };
    bounded("findings", &json!([text]))
}

/// Returns the same dependency, as the other issue has it.
fn blocked(stray: &Stray<'_>) -> Option<String> {
    let [id, other] = [stray.text("id")?, stray.text(BLOCKS)?].map(Value::from);
    Some(format!("id={other}, depends_on=[{id}]"))
}

fn bounded(name: &str, value: &Value) -> Option<String> {
    let value = value.to_string();
    (value.chars().count() <= LONGEST).then(|| format!("{name}={value}"))
}
