//! Words of other trackers: the names of their columns, their states, priorities and times.

use jiff::civil::{Date, DateTime};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

use crate::model::issue::parse_priority;
use crate::model::status::IN_PROGRESS;
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

/// Words of others for a status, and the one that means the same here.
const OTHER_STATUSES: [(&str, &str); 5] = [
    (
        "done complete completed finished fixed resolved merged shipped cancelled canceled wontfix",
        "closed",
    ),
    (
        "doing started active wip working ongoing progress in_work in_review review",
        IN_PROGRESS,
    ),
    (
        "todo to_do new backlog triage unstarted reopened pending",
        "open",
    ),
    ("paused postponed snoozed later on_hold hold", "deferred"),
    ("waiting stuck", "blocked"),
];
/// Words of others for a priority, in its order.
const OTHER_PRIORITIES: [&str; 5] = [
    "urgent critical highest blocker",
    "high major important",
    "medium normal default",
    "low minor",
    "lowest trivial none",
];

/// Those that only a table has: elsewhere they ask for something else.
const TABLE_STATUSES: [(&str, &str); 4] = [
    ("opened planned ready selected_for_development", "open"),
    ("indeterminate code_review in_testing qa", IN_PROGRESS),
    ("icebox", "deferred"),
    ("duplicate wont_do", "closed"),
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

/// Returns the status that a word of a table means.
pub(super) fn state(word: &str) -> Option<Status> {
    let ours = Status::parse(&word.replace(' ', "_"));
    let other = || other_status(word).or_else(|| named(&TABLE_STATUSES, word));
    ours.or_else(|| other().map(Status::new))
}

/// Returns the status that a word of others means, which is none itself.
pub(crate) fn other_status(word: &str) -> Option<&'static str> {
    named(&OTHER_STATUSES, word)
}

fn named(table: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    let found = table.iter().find(|(words, _)| is_one_of(words, word));
    found.map(|(_, ours)| *ours)
}

/// Returns whether a word is one of a list, in any case and spelling: `In Review`, `in-review`.
fn is_one_of(words: &str, word: &str) -> bool {
    let word = plain(word);
    words.split(' ').any(|known| plain(known) == word)
}

/// Returns the priority that a word of others means.
pub(crate) fn other_priority(word: &str) -> Option<i64> {
    let at = OTHER_PRIORITIES
        .iter()
        .position(|words| is_one_of(words, word));
    at.and_then(|at| i64::try_from(at).ok())
}

/// Returns the priority of a cell: the usual one where it names none.
pub(super) fn priority(word: &str) -> Option<i64> {
    const NONE: &str = "none no_priority not_set undefined unprioritized";
    if word.is_empty() || is_one_of(NONE, word) {
        return Some(2);
    }
    parse_priority(word).ok().or_else(|| other_priority(word))
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
