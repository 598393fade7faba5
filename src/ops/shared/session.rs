//! The summary that a session begins with, for `context` and `prime`.
//!
//! The knobs live here, next to the data, so that the command, the tool and the hook print the same bytes.
//! State comes first. Text of issues is not to be trusted: it is put on one line and cut, and characters that
//! hide or steer are left out.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Condition, Fact, Order, Page, Row};
use crate::model::status::IN_PROGRESS;
use crate::ops::answer::{Answer, AnswerKind, Summary, shortened};
use crate::ops::shared::commit_links::{Landed, follow, landed_among};
use crate::ops::shared::next_ready::handed;
use crate::ops::shared::words::plain;
use crate::ops::{Result, Tracker, View};

/// Issues in progress at most.
const ACTIVE: usize = 5;
/// Ready issues at most.
const READY: usize = 10;
/// The heading of findings and decisions.
pub(crate) const RECENT: &str = "Recent findings and decisions:";
/// The heading of what a commit on the default branch closes.
const LANDED: &str = "Landed, still open (git beads done --landed closes them):";
/// The command that lists the questions.
pub(crate) const INBOX: &str = "git beads inbox";
/// Characters of a text or a title.
const LONGEST: usize = 300;

/// What a session should know.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Session {
    /// Not closed.
    pub open_count: u64,
    /// Can be started.
    pub ready_count: u64,
    /// Are being worked on.
    pub in_progress_count: u64,
    /// Of those, by the caller.
    pub mine_count: u64,
    /// Wait for others.
    pub blocked_count: u64,
    /// Questions that wait for an answer by the caller, or by anybody.
    #[serde(skip_serializing_if = "is_none")]
    pub question_count: u64,
    /// Who works on what, the actor's own first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_progress: Vec<Summary>,
    /// What can be started next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ready: Vec<Summary>,
    /// Which of these a commit on the default branch closes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub landed: Vec<Landed>,
    /// What was learnt last, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recent: Vec<Recent>,
    /// All of it, as people and agents read it.
    pub text: String,
}

/// A finding or a decision.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Recent {
    /// `finding` or `decision`.
    pub kind: String,
    /// The id of its issue.
    pub id: String,
    /// The title of its issue.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What it says, on one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_none(n: &u64) -> bool {
    *n == 0
}

impl Answer for Session {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// A list with what leads to the rest of it.
pub(crate) struct SessionSection {
    pub(crate) heading: &'static str,
    pub(crate) rows: Vec<String>,
    pub(crate) more: u64,
    pub(crate) command: &'static str,
    /// The same for a client that has our server.
    pub(crate) tool: &'static str,
}

impl SessionSection {
    /// Returns a whole list.
    pub(crate) fn of(heading: &'static str, rows: Vec<String>) -> Self {
        Self {
            heading,
            rows,
            more: 0,
            command: "",
            tool: "",
        }
    }
}

impl Session {
    /// Returns the counts as one line; `inbox` is said of questions, in brackets.
    pub(crate) fn counts(&self, inbox: &str) -> String {
        let mine = if self.mine_count > 0 {
            format!(" (you: {})", self.mine_count)
        } else {
            String::new()
        };
        let Self {
            open_count,
            ready_count,
            in_progress_count,
            blocked_count,
            ..
        } = self;
        let questions = match self.question_count {
            0 => String::new(),
            1 => format!(", 1 question ({inbox})"),
            n => format!(", {n} questions ({inbox})"),
        };
        format!(
            "{open_count} open, {ready_count} ready, {in_progress_count} in progress{mine}, {blocked_count} blocked{questions}"
        )
    }

    /// Returns the lists that are not empty; what was due before a time is marked.
    pub(crate) fn sections(&self, now: Option<u64>) -> Vec<SessionSection> {
        let row = |issue: &Summary| match issue.is_overdue(now.unwrap_or(0)) {
            true => format!("{} (overdue)", row(issue)),
            false => row(issue),
        };
        let active = self.in_progress.iter().map(|issue| {
            let who = issue
                .holder()
                .map(|name| format!(" ({})", plain(&name)))
                .unwrap_or_default();
            format!("{}{who}", row(issue))
        });
        let recent = self.recent.iter().map(|entry| {
            let text = if entry.text.is_empty() {
                String::new()
            } else {
                format!(": {}", entry.text)
            };
            format!("- [{}] **{} {}**{text}", entry.kind, entry.id, entry.title)
        });
        let landed = self.landed.iter();
        let landed = landed.map(|it| format!("- {}", plain(&it.id)));
        let more = |all: u64, shown: usize| all.saturating_sub(shown as u64);
        let lists = [
            SessionSection {
                heading: "In progress:",
                rows: active.collect(),
                more: more(self.in_progress_count, self.in_progress.len()),
                command: "git beads list -s in_progress",
                tool: "task_status()",
            },
            SessionSection::of(LANDED, landed.collect()),
            SessionSection {
                heading: "Ready:",
                rows: self.ready.iter().map(row).collect(),
                more: more(self.ready_count, self.ready.len()),
                command: "git beads ready",
                tool: "task_list(mode=ready)",
            },
            SessionSection::of(RECENT, recent.collect()),
        ];
        lists
            .into_iter()
            .filter(|section| !section.rows.is_empty())
            .collect()
    }
}

fn row(issue: &Summary) -> String {
    format!(
        "- {} P{} {} {}",
        issue.id,
        issue.priority,
        plain(&issue.kind),
        issue.title
    )
}

/// Reads what a session should know; its text is still empty.
pub(crate) fn gather(tracker: &Tracker, limit: usize, compact: bool) -> Result<Session> {
    tracker.read(|view| {
        let counts = view.index.counts(view.now())?;
        let caller = view.tracker.party();
        let mine = Condition::from(Fact::Open).and(Fact::Holder(caller.clone()));
        let ready = handed(view, Fact::Open.into()).ready(view.now());
        let in_progress_count = counts.statuses.get(IN_PROGRESS).copied().unwrap_or(0);
        let Page {
            rows: mut first,
            total: mine_count,
        } = match in_progress_count {
            0 => Page::default(),
            _ => view.index.page(&mine, Order::Priority, ACTIVE, 0)?,
        };
        if in_progress_count > mine_count && first.len() < ACTIVE {
            // The actor's own come first. Twice as many are read, as those may be among them.
            let others =
                view.index
                    .first(&Condition::in_progress(), Order::Priority, 2 * ACTIVE, 0)?;
            let others = others
                .into_iter()
                .filter(|row| !first.contains(row))
                .collect::<Vec<_>>();
            first.extend(others);
            first.truncate(ACTIVE);
        }
        let has_closing = follow(view)?;
        let next = match counts.ready {
            0 => Vec::new(),
            _ => view.index.first(&ready, Order::Priority, READY, 0)?,
        };
        let shown = |rows: &[Row]| {
            rows.iter()
                .cloned()
                .map(Summary::core)
                .map(sanitize)
                .collect()
        };
        Ok(Session {
            open_count: counts.listed,
            ready_count: counts.ready,
            in_progress_count,
            mine_count,
            blocked_count: counts.blocked,
            question_count: view.index.memory().question_count(&caller)?,
            in_progress: shown(&first),
            landed: match has_closing {
                true => landed_among(view, first.iter().chain(&next))?,
                false => Vec::new(),
            },
            ready: shown(&next),
            recent: recent(view, limit, compact)?,
            text: String::new(),
        })
    })
}

fn recent(view: &View<'_>, limit: usize, compact: bool) -> Result<Vec<Recent>> {
    let entries = view.index.memory().recent(limit)?.into_iter().map(|entry| {
        // Without texts no blob has to be read.
        let text = if compact {
            None
        } else {
            view.snapshot().entry_text(entry.issue, entry.uid)?
        };
        Ok(Recent {
            kind: entry.kind,
            id: plain(&entry.id),
            title: cut(plain(&entry.title)),
            text: cut(plain(&text.unwrap_or_default())),
        })
    });
    entries.collect()
}

fn sanitize(issue: Summary) -> Summary {
    Summary {
        id: plain(&issue.id),
        title: cut(plain(&issue.title)),
        ..issue
    }
}

fn cut(text: String) -> String {
    shortened(&text, LONGEST).unwrap_or(text)
}
