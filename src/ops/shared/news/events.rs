//! Single events: what one operation did with an issue, as others want to know it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::model::status::IN_PROGRESS;
use crate::model::{Party, time};
use crate::ops::shared::field_diff::{CONFLICTS, FieldChange};
use crate::ops::shared::issue_diff::{ChangeKind, IssueChange};

/// Something that happened to an issue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct NewsEvent {
    /// What.
    pub what: NewsKind,
    /// Who did it, as `person` or `person/agent`; nothing of a conflict.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// When.
    pub at: String,
    /// The reason, the text of an entry, or the statuses as `open -> in_progress`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The fields that were changed, or conflict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
}

/// What happened to an issue; what matters most to others comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NewsKind {
    /// It was created.
    Created,
    /// It was closed.
    Closed,
    /// It was accepted that it is done.
    Accepted,
    /// It was opened again.
    Reopened,
    /// It was deleted.
    Deleted,
    /// It was restored.
    Restored,
    /// Its text was removed for good.
    Purged,
    /// A question was asked.
    Asked,
    /// It was assigned to the caller.
    Assigned,
    /// Fields were changed in two clones at the same time.
    Conflict,
    /// It has another status, neither closed nor opened again by that.
    Status,
    /// A question was answered.
    Answered,
    /// A finding was added.
    Finding,
    /// A decision was added.
    Decision,
    /// A comment was added.
    Comment,
    /// Other fields were changed.
    Changed,
}

impl NewsKind {
    /// Returns true for what was said, and not done.
    pub(super) fn is_entry(self) -> bool {
        self == Self::Asked || self >= Self::Answered && self <= Self::Comment
    }
}

/// Fields that are said with others, or that no person reads.
const SAID: [&str; 7] = [
    "id", "status", "reason", "evidence", "deleted", "claim", CONFLICTS,
];

/// Returns what an operation did with an issue, for a person.
pub(super) fn events_of(change: &IssueChange, by: &Party, at: u64, me: &str) -> Vec<NewsEvent> {
    let event = |what, text| NewsEvent {
        what,
        by: by.to_string(),
        at: time::format(at),
        text,
        fields: Vec::new(),
    };
    let mut events = Vec::new();
    events.extend(main_kind(change).map(|kind| event(kind, reason(change, kind))));
    let is_new = change.what == ChangeKind::Created;
    let has_status = events.iter().any(|event| event.what == NewsKind::Status);
    let mut fields: Vec<String> = Vec::new();
    for field in &change.changes {
        let is_mine = field.new.as_ref().and_then(Value::as_str) == Some(me);
        match (field.field.as_str(), entry_kind(field)) {
            (_, Some(kind)) if !is_new => events.push(event(kind, text_of(field))),
            ("accepted", _) if field.new.is_some() => {
                events.push(event(NewsKind::Accepted, None));
            }
            ("assignee", _) if is_mine => events.push(event(NewsKind::Assigned, None)),
            // To start an issue assigns it.
            ("assignee", _) if has_status => {}
            (name, _) if is_new || SAID.contains(&name) => {}
            (name, _) if fields.iter().any(|known| known == name) => {}
            (name, _) => fields.push(name.to_owned()),
        }
    }
    if !fields.is_empty() {
        let changed = event(NewsKind::Changed, None);
        events.push(NewsEvent { fields, ..changed });
    }
    events
}

/// Returns the conflicts that a merge has found in an issue.
pub(super) fn conflicts_of(change: &IssueChange, at: u64) -> Option<NewsEvent> {
    let came = change.changes.iter().filter(|it| it.field == CONFLICTS);
    let name = |lost: &Value| lost["field"].as_str().map(str::to_owned);
    let mut fields: Vec<String> = came
        .filter_map(|it| it.new.as_ref().and_then(name))
        .collect();
    fields.dedup();
    (!fields.is_empty()).then(|| NewsEvent {
        what: NewsKind::Conflict,
        by: String::new(),
        at: time::format(at),
        text: None,
        fields,
    })
}

/// Makes one event of changes of fields by one party that follow each other.
pub(super) fn fold(events: Vec<NewsEvent>) -> Vec<NewsEvent> {
    let mut folded: Vec<NewsEvent> = Vec::new();
    for event in events {
        let is_plain = |it: &NewsEvent| it.what == NewsKind::Changed;
        match folded.last_mut() {
            Some(last) if is_plain(last) && is_plain(&event) && last.by == event.by => {
                let new = event.fields.into_iter();
                let new: Vec<_> = new.filter(|it| !last.fields.contains(it)).collect();
                last.fields.extend(new);
            }
            _ => folded.push(event),
        }
    }
    folded
}

/// Returns the one word for events of an issue, newest first: whether it is there and open, else what asks for attention.
pub(super) fn main_word(events: &[NewsEvent]) -> Option<&'static str> {
    // Of these the newest counts, since it says whether there still is work.
    let life = events.iter().find(|event| event.what <= NewsKind::Purged);
    let main = life.or_else(|| events.iter().min_by_key(|event| event.what))?;
    let has_started = main
        .text
        .as_ref()
        .is_some_and(|text| text.ends_with(IN_PROGRESS));
    Some(match main.what {
        NewsKind::Status if has_started => "started",
        kind => word(kind),
    })
}

fn word(kind: NewsKind) -> &'static str {
    match kind {
        NewsKind::Created => "created",
        NewsKind::Closed => "closed",
        NewsKind::Accepted => "accepted",
        NewsKind::Reopened => "reopened",
        NewsKind::Deleted => "deleted",
        NewsKind::Restored => "restored",
        NewsKind::Purged => "purged",
        NewsKind::Status | NewsKind::Changed => "updated",
        NewsKind::Assigned => "assigned to you",
        NewsKind::Finding | NewsKind::Decision | NewsKind::Comment => "commented",
        NewsKind::Asked => "asked",
        NewsKind::Answered => "answered",
        NewsKind::Conflict => "in conflict",
    }
}

/// Returns what an operation did with the issue as a whole.
fn main_kind(change: &IssueChange) -> Option<NewsKind> {
    match change.what {
        ChangeKind::Created => Some(NewsKind::Created),
        ChangeKind::Closed => Some(NewsKind::Closed),
        ChangeKind::Reopened => Some(NewsKind::Reopened),
        ChangeKind::Deleted => Some(NewsKind::Deleted),
        ChangeKind::Restored => Some(NewsKind::Restored),
        ChangeKind::Purged => Some(NewsKind::Purged),
        ChangeKind::Changed => value(change, "status").map(|_| NewsKind::Status),
        // A commit never takes a path away, and what can't be read is a matter of `doctor`.
        ChangeKind::Absent | ChangeKind::Unreadable => None,
    }
}

/// Returns why, or the statuses of a change from one to another.
fn reason(change: &IssueChange, kind: NewsKind) -> Option<String> {
    let new = |name| text_of(value(change, name)?);
    match kind {
        NewsKind::Closed | NewsKind::Reopened => new("reason"),
        NewsKind::Deleted => new("deleted"),
        NewsKind::Status => {
            let status = value(change, "status")?;
            let old = status.old.as_ref().and_then(Value::as_str);
            Some(format!(
                "{} -> {}",
                old.unwrap_or_default(),
                text_of(status)?
            ))
        }
        _ => None,
    }
}

fn value<'c>(change: &'c IssueChange, name: &str) -> Option<&'c FieldChange> {
    change.changes.iter().find(|it| it.field == name)
}

fn text_of(field: &FieldChange) -> Option<String> {
    let text = field.new.as_ref().and_then(Value::as_str);
    text.map(str::to_owned)
}

/// Returns what an entry of memory that has come, or was answered, is.
fn entry_kind(field: &FieldChange) -> Option<NewsKind> {
    field.entry.as_ref()?;
    match (field.field.as_str(), &field.old, &field.new) {
        ("questions", Some(_), Some(_)) => Some(NewsKind::Answered),
        (_, Some(_), _) | (_, _, None) => None,
        ("findings", ..) => Some(NewsKind::Finding),
        ("decisions", ..) => Some(NewsKind::Decision),
        ("questions", ..) => Some(NewsKind::Asked),
        _ => Some(NewsKind::Comment),
    }
}
