//! `whats-new`: what others did since the caller last looked.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::time;
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::news::{self, IssueNews};
use crate::ops::{Code, Result, Tracker, View};
use crate::store::Oid;
use crate::store::seen_marks::{self, SeenMark};

/// How far back the first look goes.
const FIRST: u64 = 7 * time::DAY;

/// What a look is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    /// From this revision or date, instead of the last look.
    pub since: Option<String>,
    /// Leaves the mark where it is.
    pub peek: bool,
    /// So many issues at most; 0 means all of them.
    pub limit: usize,
}

/// What others did, issue by issue, newest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct NewsList {
    /// Where it begins.
    pub begin: NewsBegin,
    /// The time of the last look, or at which the first one begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The commit from which on it tells; none from the beginning of the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The commit up to which it tells.
    pub to: String,
    /// The issues.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<IssueNews>,
    /// Number of issues that changed.
    pub total_count: usize,
    /// True if there are more than these.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// True if the next look begins where this one ends.
    pub marked: bool,
    /// The commits before which the history is cut, where it begins with one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
}

/// Where a look begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NewsBegin {
    /// Where the last look ended.
    LastLook,
    /// A week ago: there was no look before.
    First,
    /// A week ago: the commit of the last look is not in the history any more.
    Lost,
    /// At a revision or date that was asked for.
    Asked,
}

impl Answer for NewsList {
    fn kind(&self) -> AnswerKind {
        match self.issues.is_empty() {
            true => AnswerKind::Empty,
            false => AnswerKind::Report,
        }
    }
}

/// The beginning of a look.
struct Begin {
    kind: NewsBegin,
    commit: Option<Oid>,
    at: Option<u64>,
}

/// Returns what others did since the last look, and notes how far this one goes. The look of an agent, or one that is asked
/// to, leaves that as it is.
pub(crate) fn whats_new(tracker: &Tracker, look: &Look) -> Result<NewsList> {
    let mark = seen_marks::mark_of(tracker.store(), tracker.actor());
    let (mut answer, tip) = tracker.read(|view| found(view, look, mark))?;
    // A person has not seen what one of their agents reads.
    if look.since.is_none() && !look.peek && tracker.agent().is_none() {
        answer.marked = set_mark(tracker, mark, tip);
    }
    Ok(answer)
}

fn found(view: &View<'_>, look: &Look, mark: Option<SeenMark>) -> Result<(NewsList, Oid)> {
    let begin = match &look.since {
        Some(text) => asked(view, text)?,
        None => last(view, mark)?,
    };
    let news = news::since(view, begin.commit, look.limit)?;
    let tip = view.snapshot().commit();
    let cut = match begin.commit {
        None => view.cuts()?,
        Some(_) => Vec::new(),
    };
    let list = NewsList {
        begin: begin.kind,
        since: begin.at.map(time::format),
        from: begin.commit.map(|commit| commit.to_string()),
        to: tip.to_string(),
        truncated: news.total > news.issues.len(),
        total_count: news.total,
        issues: news.issues,
        marked: false,
        cut,
    };
    Ok((list, tip))
}

/// Returns the beginning that was asked for.
fn asked(view: &View<'_>, text: &str) -> Result<Begin> {
    let (kind, at) = (NewsBegin::Asked, None);
    let commit = match view.revision(text) {
        Ok(snapshot) => Some(snapshot.commit()),
        // From before the first commit: all of the history is news.
        Err(error) if error.is(Code::NothingYet) => None,
        Err(error) => return Err(error),
    };
    Ok(Begin { kind, commit, at })
}

/// Returns where the last look ended; a week ago where there was none, or the history has lost its commit.
fn last(view: &View<'_>, mark: Option<SeenMark>) -> Result<Begin> {
    let Some(mark) = mark else {
        return week_ago(view, NewsBegin::First);
    };
    // The ref can have been set back, or to another store.
    match view.snapshot().descends_from(mark.commit)? {
        true => Ok(Begin {
            kind: NewsBegin::LastLook,
            commit: Some(mark.commit),
            at: Some(mark.at),
        }),
        false => week_ago(view, NewsBegin::Lost),
    }
}

fn week_ago(view: &View<'_>, kind: NewsBegin) -> Result<Begin> {
    let at = view.now().saturating_sub(FIRST);
    let commit = view.index.commit_at(at)?;
    let at = Some(at);
    Ok(Begin { kind, commit, at })
}

/// Notes that the caller has seen the history up to a commit; returns false where that can't be written.
fn set_mark(tracker: &Tracker, before: Option<SeenMark>, commit: Oid) -> bool {
    if before.is_some_and(|mark| mark.commit == commit) {
        return true;
    }
    let at = tracker.now();
    let mark = SeenMark { commit, at };
    let written = seen_marks::set_mark(tracker.store(), tracker.actor(), mark);
    // What was found is shown all the same.
    if let Err(error) = &written {
        tracker.warn(format!("the next look shows this again: {error}"));
    }
    written.is_ok()
}
