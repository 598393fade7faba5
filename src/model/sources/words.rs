//! Words of other trackers: the names of their columns, their states, priorities and times.

use jiff::civil::{Date, DateTime};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

use crate::model::{Status, time};

/// The contents of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SourceColumn {
    Id,
    /// The number by which other rows name this one.
    Internal,
    Title,
    Description,
    Status,
    /// The kind of its status, where a project has words of its own.
    Category,
    Reason,
    Labels,
    Assignee,
    Author,
    Priority,
    Type,
    Created,
    Updated,
    Closed,
    Due,
    Url,
    Parent,
    BlockedBy,
    Comment,
    Milestone,
}

use SourceColumn as C;

/// The names that `--map` has for columns.
pub(super) const NAMES: [(&str, SourceColumn); 19] = [
    ("id", C::Id),
    ("title", C::Title),
    ("description", C::Description),
    ("status", C::Status),
    ("reason", C::Reason),
    ("labels", C::Labels),
    ("assignee", C::Assignee),
    ("author", C::Author),
    ("priority", C::Priority),
    ("type", C::Type),
    ("created", C::Created),
    ("updated", C::Updated),
    ("closed", C::Closed),
    ("due", C::Due),
    ("url", C::Url),
    ("parent", C::Parent),
    ("blocked_by", C::BlockedBy),
    ("comment", C::Comment),
    ("milestone", C::Milestone),
];

pub(super) const JIRA: [(&str, SourceColumn); 23] = [
    ("issue key", C::Id),
    ("issue id", C::Internal),
    ("summary", C::Title),
    ("description", C::Description),
    ("status", C::Status),
    ("status category", C::Category),
    ("resolution", C::Reason),
    ("labels", C::Labels),
    ("assignee", C::Assignee),
    ("reporter", C::Author),
    ("priority", C::Priority),
    ("issue type", C::Type),
    ("created", C::Created),
    ("updated", C::Updated),
    ("resolved", C::Closed),
    ("due date", C::Due),
    ("parent key", C::Parent),
    ("parent", C::Parent),
    ("parent id", C::Parent),
    ("inward issue link (blocks)", C::BlockedBy),
    ("comment", C::Comment),
    ("fix versions", C::Milestone),
    ("fix version/s", C::Milestone),
];

pub(super) const LINEAR: [(&str, SourceColumn); 16] = [
    ("id", C::Id),
    ("title", C::Title),
    ("description", C::Description),
    ("status", C::Status),
    ("priority", C::Priority),
    ("assignee", C::Assignee),
    ("creator", C::Author),
    ("labels", C::Labels),
    ("created", C::Created),
    ("updated", C::Updated),
    ("completed", C::Closed),
    ("canceled", C::Closed),
    ("due date", C::Due),
    ("parent issue", C::Parent),
    ("project milestone", C::Milestone),
    ("blocked by", C::BlockedBy),
];

/// Our own export.
pub(super) const OWN: [(&str, SourceColumn); 11] = [
    ("id", C::Id),
    ("title", C::Title),
    ("status", C::Status),
    ("priority", C::Priority),
    ("type", C::Type),
    ("assignee", C::Assignee),
    ("parent", C::Parent),
    ("labels", C::Labels),
    ("created_at", C::Created),
    ("updated_at", C::Updated),
    ("closed_at", C::Closed),
];

/// Words for a status, without spaces and signs; the reason of a closed one is the word itself, where it says more.
const STATES: [(&str, Status); 34] = [
    ("todo", Status::Open),
    ("open", Status::Open),
    ("opened", Status::Open),
    ("new", Status::Open),
    ("backlog", Status::Open),
    ("triage", Status::Open),
    ("unstarted", Status::Open),
    ("reopened", Status::Open),
    ("planned", Status::Open),
    ("ready", Status::Open),
    ("selectedfordevelopment", Status::Open),
    ("inprogress", Status::InProgress),
    ("indeterminate", Status::InProgress),
    ("started", Status::InProgress),
    ("doing", Status::InProgress),
    ("inreview", Status::InProgress),
    ("review", Status::InProgress),
    ("codereview", Status::InProgress),
    ("intesting", Status::InProgress),
    ("qa", Status::InProgress),
    ("blocked", Status::Blocked),
    ("onhold", Status::Blocked),
    ("deferred", Status::Deferred),
    ("icebox", Status::Deferred),
    ("done", Status::Closed),
    ("closed", Status::Closed),
    ("complete", Status::Closed),
    ("completed", Status::Closed),
    ("resolved", Status::Closed),
    ("canceled", Status::Closed),
    ("cancelled", Status::Closed),
    ("duplicate", Status::Closed),
    ("wontfix", Status::Closed),
    ("wontdo", Status::Closed),
];

const PRIORITIES: [(&str, i64); 18] = [
    ("blocker", 0),
    ("highest", 0),
    ("critical", 0),
    ("urgent", 0),
    ("high", 1),
    ("major", 1),
    ("medium", 2),
    ("normal", 2),
    ("low", 3),
    ("minor", 3),
    ("lowest", 4),
    ("trivial", 4),
    ("", 2),
    ("none", 2),
    ("nopriority", 2),
    ("notset", 2),
    ("undefined", 2),
    ("unprioritized", 2),
];

fn plain(word: &str) -> String {
    word.chars()
        .filter(|c| c.is_alphanumeric())
        .collect::<String>()
        .to_lowercase()
}

/// Returns whether a word says no more of an issue than that it is over.
pub(super) fn is_plain_end(word: &str) -> bool {
    matches!(
        plain(word).as_str(),
        "done" | "closed" | "complete" | "completed" | "resolved"
    )
}

pub(super) fn state(word: &str) -> Option<Status> {
    let word = plain(word);
    STATES
        .iter()
        .find(|(known, _)| *known == word)
        .map(|(_, status)| status.clone())
}

/// Returns the priority that a word means: the usual one where it means none.
pub(super) fn priority(word: &str) -> Option<i64> {
    let word = plain(word);
    let number = word.strip_prefix('p').unwrap_or(&word).parse::<i64>();
    match number {
        Ok(number @ 0..=4) => Some(number),
        _ => PRIORITIES
            .iter()
            .find(|(known, _)| *known == word)
            .map(|(_, priority)| *priority),
    }
}

pub(super) fn kind_of(word: &str) -> String {
    match plain(word).as_str() {
        "bug" | "defect" => "bug".to_owned(),
        "story" | "newfeature" | "improvement" | "enhancement" | "feature" => "feature".to_owned(),
        "task" | "subtask" => "task".to_owned(),
        _ => word.to_lowercase(),
    }
}

/// Returns the time of a cell in milliseconds; without a zone it is UTC, so that all clones read the same.
pub(super) fn exported_time(text: &str) -> Option<u64> {
    if let Some(at) = time::parse(text) {
        return Some(at);
    }
    // `Thu Nov 27 2026 10:01:00 GMT+0000 (GMT)`
    let plain = text.split(" (").next().unwrap_or(text).replace("GMT", "");
    if let Ok(at) =
        strtime::parse("%a %b %d %Y %H:%M:%S %z", &plain).and_then(|it| it.to_timestamp())
    {
        return u64::try_from(at.as_millisecond()).ok();
    }
    let formats = [
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%d %H:%M",
        "%Y-%m-%dT%H:%M:%S",
        "%d/%b/%y %I:%M %p",
        "%d/%b/%Y %I:%M %p",
        "%d/%b/%y %H:%M",
    ];
    let at = formats
        .iter()
        .find_map(|format| DateTime::strptime(format, text).ok());
    let days = ["%Y-%m-%d", "%d/%b/%y", "%d/%b/%Y", "%d.%m.%Y"];
    let at = at.or_else(|| {
        days.iter()
            .find_map(|format| Date::strptime(format, text).ok())
            .map(Into::into)
    });
    let at = at?.to_zoned(TimeZone::UTC).ok()?;
    u64::try_from(at.timestamp().as_millisecond()).ok()
}
