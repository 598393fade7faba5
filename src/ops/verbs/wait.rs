//! `wait`: until issues are closed, ready, answered or changed.
//!
//! What is waited for is looked at when the ref has moved, and when the date has come until which an issue is deferred:
//! nothing else makes it true. No lock is held meanwhile.

use std::collections::BTreeSet;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::Uid;
use crate::ops::answer::{After, Answer, AnswerKind, Next};
use crate::ops::shared::foreign_change::is_foreign_change;
use crate::ops::shared::issue_state::IssueState;
use crate::ops::shared::question::questions;
use crate::ops::shared::sync::{Sync, exchange};
use crate::ops::{Code, Command, Error, Intent, Location, Result, Tracker, View, open};
use crate::store::Oid;

/// Issues that an answer names where anything was waited for.
const NAMED: usize = 20;

/// The state that is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Until {
    /// It is closed or deleted.
    Closed,
    /// It can be started now.
    Ready,
    /// All its questions are answered.
    Answered,
    /// It is another than it was.
    Changed,
    /// There is something in it that the caller has not done: a change by someone else, its end, an answer, or that it
    /// can be started now.
    #[serde(skip)]
    News,
}

impl Until {
    /// Its word, in the order of the command line.
    pub(crate) const ALL: [(&'static str, Self); 4] = [
        ("closed", Self::Closed),
        ("ready", Self::Ready),
        ("answered", Self::Answered),
        ("changed", Self::Changed),
    ];

    /// Returns its word.
    pub(crate) fn as_str(self) -> &'static str {
        let word = Self::ALL.iter().find(|(_, until)| *until == self);
        word.map_or("", |(word, _)| word)
    }
}

/// The arguments of a wait.
#[derive(Clone, Debug)]
pub(crate) struct WaitRequest {
    /// The issues; none means any change at all.
    pub ids: Vec<String>,
    /// The state that is waited for.
    pub until: Until,
    /// Waits for all of the issues instead of the first of them.
    pub all: bool,
}

/// An issue that is as it was waited for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Reached {
    /// Its id, as it is shown now.
    pub id: String,
    /// Its status, unless an answer was waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The newest of its answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The person who gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Its title, for people.
    #[serde(skip)]
    pub title: String,
}

/// The end of a wait.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Waited {
    /// The state that was waited for.
    pub until: Until,
    /// The issues that are so; of a change of anything, those that it named.
    #[serde(rename = "true", skip_serializing_if = "Vec::is_empty")]
    pub reached: Vec<Reached>,
    /// The time that it took.
    pub waited: String,
    /// True if the time was over first.
    #[serde(skip)]
    pub is_over: bool,
    /// True if there is nothing to repeat the wait for.
    #[serde(skip)]
    pub is_vain: bool,
}

impl Answer for Waited {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
    fn next(&self) -> Next {
        match self.is_over && !self.is_vain {
            true => After::WaitOver.next(),
            false => After::Looked.next(),
        }
    }
}

impl Waited {
    /// Returns the answer after a time: what was reached, or nothing where the time was over first.
    pub(crate) fn new(until: Until, reached: Option<Vec<Reached>>, waited: Duration) -> Self {
        Self {
            until,
            is_over: reached.is_none(),
            is_vain: false,
            reached: reached.unwrap_or_default(),
            waited: span(waited),
        }
    }
}

/// Returns a duration in its largest unit.
fn span(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3_600 => format!("{}m", seconds / 60),
        seconds => format!("{}h", seconds / 3_600),
    }
}

/// A wait that has begun.
#[derive(Debug)]
pub(crate) struct Wait {
    until: Until,
    all: bool,
    /// The issues, as they were at the beginning.
    issues: Vec<(Uid, IssueState)>,
    /// The tip at the beginning.
    seen: Oid,
    /// The time of the beginning.
    began: u64,
    /// The first date at which an issue that is deferred can become ready.
    due: Option<u64>,
}

/// How far news of an issue can be expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outlook {
    /// What a wait is for is so already: it has ended, can be started, or has its answers.
    Past,
    /// Only what no one has announced can come.
    Open,
    /// A question, an issue that it waits for, a date, or the work of another is open.
    Due,
}

/// What one look says of an issue.
enum WaitVerdict {
    Reached(Reached),
    NotYet,
    /// It can't become so any more.
    Never(Error),
}

impl Wait {
    /// Begins with the present. Without an issue only a change can be waited for.
    pub(crate) fn begin(tracker: &Tracker, request: &WaitRequest) -> Result<Self> {
        if request.ids.is_empty() && request.until != Until::Changed {
            let word = request.until.as_str();
            let message = format!("no ID given that is to be {word}");
            let named = Command::of("wait").placeholder("ID").flag("--until");
            return Err(Error::invalid(message).hinted(named.word(word)));
        }
        let wait = tracker.read(|view| {
            let mut issues: Vec<(Uid, IssueState)> = Vec::new();
            for id in &request.ids {
                let uid = view.find(id)?;
                if issues.iter().all(|(known, _)| *known != uid) {
                    issues.push((uid, IssueState::read(view, uid)?));
                }
            }
            Ok(Self {
                until: request.until,
                all: request.all,
                issues,
                // Of the same state as the issues: what comes after it is seen by the first look.
                seen: view.snapshot().commit(),
                began: view.now(),
                due: None,
            })
        })?;
        tracing::debug!(issues = wait.issues.len(), "waits");
        Ok(wait)
    }

    /// Returns what is as it was waited for, once that is enough; an error if it can't come about any more.
    pub(crate) fn look(&mut self, tracker: &Tracker) -> Result<Option<Vec<Reached>>> {
        let (reached, due) = tracker.read(|view| {
            if self.issues.is_empty() {
                return Ok((self.anything(view)?, None));
            }
            let (mut reached, mut never, mut due) = (Vec::new(), Vec::new(), None);
            for (uid, before) in &self.issues {
                let now = IssueState::read(view, *uid)?;
                match self.judge(view, *uid, (before, &now))? {
                    WaitVerdict::Reached(issue) => reached.push(issue),
                    WaitVerdict::Never(error) => never.push(error),
                    // What is ready but for its date becomes so without a move of the ref.
                    WaitVerdict::NotYet if now.row.ready => due = earlier(due, now.row.defer),
                    WaitVerdict::NotYet => {}
                }
            }
            // Of several, one that is out of reach ends the wait only if all are wanted, or nothing else is left.
            let count = reached.len();
            let is_enough = if self.all {
                count == self.issues.len()
            } else {
                count > 0
            };
            let is_hopeless = if self.all { 1 } else { self.issues.len() };
            match is_enough {
                true => Ok((Some(reached), None)),
                false if never.len() >= is_hopeless => Err(never.swap_remove(0)),
                false => Ok((None, due)),
            }
        })?;
        self.due = due;
        Ok(reached)
    }

    /// Returns the date at which an issue may be ready without a move of the ref.
    pub(crate) fn due(&self) -> Option<u64> {
        self.due
    }

    /// Returns how far news of the issues can be expected, as they are now: of several, what is expected of any.
    pub(crate) fn outlook(&self, tracker: &Tracker) -> Result<Outlook> {
        tracker.read(|view| {
            let mut all = Outlook::Past;
            for (uid, _) in &self.issues {
                all = all.max(outlook(view, *uid)?);
            }
            Ok(all)
        })
    }

    /// Returns the issues as they were at the beginning.
    pub(crate) fn beginning(&self) -> Vec<Reached> {
        let states = self.issues.iter().map(|(_, state)| state);
        states.map(Reached::new).collect()
    }

    /// Returns whether the date has come at which an issue may be ready.
    pub(crate) fn is_due(&self, now: u64) -> bool {
        self.due.is_some_and(|due| due <= now)
    }

    /// Returns the state that is waited for.
    pub(crate) fn until(&self) -> Until {
        self.until
    }

    fn judge(
        &self,
        view: &View<'_>,
        uid: Uid,
        (before, now): (&IssueState, &IssueState),
    ) -> Result<WaitVerdict> {
        let is_so = match self.until {
            Until::Answered => return answered(view, uid, now),
            // One that is deleted will not be closed any more.
            Until::Closed => now.is_done(),
            Until::Changed => now != before,
            Until::News => self.is_news(view, uid, (before, now))?,
            Until::Ready if now.is_done() => {
                return Ok(never_again(now, "it will not be ready"));
            }
            Until::Ready => now.is_ready(view.now()),
        };
        Ok(match is_so {
            true => WaitVerdict::Reached(Reached::new(now)),
            false => WaitVerdict::NotYet,
        })
    }

    fn is_news(
        &self,
        view: &View<'_>,
        uid: Uid,
        (before, now): (&IssueState, &IssueState),
    ) -> Result<bool> {
        let at = view.now();
        let came = (now.is_done() && !before.is_done())
            || (now.is_ready(at) && !before.is_ready(self.began))
            || now.answered > before.answered;
        // What the caller has done meanwhile is no news to it.
        Ok(came || (now != before && is_foreign_change(view, uid, self.seen)?))
    }

    /// Returns the issues that were named by what has happened since the beginning; none where nothing has.
    fn anything(&self, view: &View<'_>) -> Result<Option<Vec<Reached>>> {
        // A ref that was set back has moved too.
        if view.snapshot().commit() == self.seen {
            return Ok(None);
        }
        let commits = view.snapshot().history(Some(self.seen))?;
        let listed = commits.iter().filter_map(|commit| commit.trailer("Issues"));
        let words = listed.flat_map(str::split_whitespace);
        let uids: BTreeSet<Uid> = words.filter_map(|uid| uid.parse().ok()).collect();
        let mut reached = Vec::new();
        for uid in uids.into_iter().take(NAMED) {
            // What a history names may be gone with a ref that was set back.
            if view.index.row(uid)?.is_some() {
                reached.push(Reached::new(&IssueState::read(view, uid)?));
            }
        }
        Ok(Some(reached))
    }
}

fn outlook(view: &View<'_>, uid: Uid) -> Result<Outlook> {
    let state = IssueState::read(view, uid)?;
    let (row, caller) = (&state.row, view.tracker.party());
    let holder = view.issue(uid)?.holder();
    let is_awaited = view.index.memory().open_count(uid)? > 0
        || row.blockers > 0
        || row.defer.is_some_and(|until| until > view.now())
        || holder.is_some_and(|holder| holder != caller);
    Ok(match is_awaited {
        _ if state.is_done() => Outlook::Past,
        true => Outlook::Due,
        false if state.is_ready(view.now()) || state.answered > 0 => Outlook::Past,
        false => Outlook::Open,
    })
}

fn earlier(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.into_iter().chain(b).min()
}

/// Returns the end of a wait for an issue that has ended, and can't come to what is waited for any more.
fn never_again(now: &IssueState, what: &str) -> WaitVerdict {
    let (id, status) = (&now.row.id, now.status());
    let error = Error::new(Code::Closed, format!("{id} is {status}: {what}"));
    WaitVerdict::Never(error.hinted(Command::of("show").id(id)))
}

/// Judges the questions of an issue: of several, the newest answer is named once none is open.
fn answered(view: &View<'_>, uid: Uid, now: &IssueState) -> Result<WaitVerdict> {
    let questions = questions(view, uid)?;
    // By the times as they are written, which are of one form.
    let newest = questions
        .iter()
        .max_by_key(|question| &question.answered_at);
    let Some(newest) = newest else {
        let id = &now.row.id;
        let ask = Command::of("ask")
            .id(id)
            .placeholder("what you have to know");
        let error = Error::not_found(format!("{id} asks nothing"));
        return Ok(WaitVerdict::Never(error.hinted(ask)));
    };
    if questions.iter().any(|question| question.answer.is_none()) {
        // No inbox shows it any more.
        return Ok(match now.is_done() {
            true => never_again(now, "no one will answer it"),
            false => WaitVerdict::NotYet,
        });
    }
    Ok(WaitVerdict::Reached(Reached {
        status: None,
        answer: newest.answer.clone(),
        by: newest.answered_by.clone(),
        ..Reached::new(now)
    }))
}

impl Reached {
    fn new(state: &IssueState) -> Self {
        Self {
            id: state.row.id.clone(),
            status: Some(state.status().to_string()),
            answer: None,
            by: None,
            title: state.row.title.clone(),
        }
    }
}

/// Takes over what the remote has, while a wait goes on elsewhere.
pub(crate) fn fetch(location: &Location, actor: Option<&str>) -> Result<()> {
    let tracker = open(location, actor, Intent::Write)?;
    let request = Sync {
        push: false,
        unattended: true,
        ..Sync::default()
    };
    exchange(&tracker, &request).map(|_| ())
}
