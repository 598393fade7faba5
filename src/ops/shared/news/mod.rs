//! What others did since a state, issue by issue: for `whats-new`, and in short for `sync`.
//!
//! Found by the commits since then, so that it costs what has changed and not what there is. Which issues a commit wrote
//! is in its message; what it did to them is read of those that are shown.

mod events;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use super::issue_diff::{DiffDetail, IssueChange, describe_commit};
use crate::model::{MemoryKind, Party, Uid};
use crate::ops::tracker::{AGENT, YIELD};
use crate::ops::{Result, View};
use crate::store::{Commit, Oid, TreePath, Written};
pub(crate) use events::{NewsEvent, NewsKind};
use events::{conflicts_of, events_of, fold};
pub(crate) use words::sentence;

/// Operations of one issue that are read, the newest.
const MOST_OPERATIONS: usize = 50;
/// Issues that a summary looks into.
const MOST_SUMMED: usize = 200;

/// What others did, newest first.
pub(crate) struct News {
    pub(crate) issues: Vec<IssueNews>,
    /// Number of issues that changed, those that are left out included.
    pub(crate) total: usize,
}

/// What others did with an issue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct IssueNews {
    /// The issue.
    pub id: String,
    /// Its title; empty of a purged one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its status now.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// What happened, newest first.
    pub events: Vec<NewsEvent>,
    /// Number of older operations that were not read.
    #[serde(skip_serializing_if = "crate::ops::answer::is_zero")]
    pub more: usize,
}

/// What others did, in numbers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct NewsSummary {
    /// Number of issues that changed.
    pub issues: usize,
    /// People who changed them, and agents as `person/agent`.
    pub by: Vec<String>,
    /// Number of issues by what happened: `closed`, `commented`, ...; nothing of very many.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, usize>,
    /// What happened last to each of the newest, for who shows more than numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub latest: Vec<LatestNews>,
}

/// What happened last to an issue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct LatestNews {
    /// The issue.
    pub issue: String,
    /// Its identity.
    #[serde(skip)]
    pub uid: Uid,
    /// Its title; empty of a purged one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    #[serde(flatten)]
    pub event: NewsEvent,
}

/// The commits that a look is about, and the issues they changed.
struct Range {
    commits: Vec<Commit>,
    /// The issues, newest first, each with the indexes of its commits.
    issues: Vec<(Uid, Vec<usize>)>,
}

/// Returns what others than the caller did since a commit, or ever; of so many issues, or of all for 0.
pub(crate) fn since(view: &View<'_>, known: Option<Oid>, limit: usize) -> Result<News> {
    // In most stores there are none.
    let conflicted = view.index.conflicted()?;
    let range = Range::since(view, known, &BTreeSet::from_iter(conflicted))?;
    let mut total = range.issues.len();
    let limit = if limit == 0 { total } else { limit };
    let mut issues = Vec::new();
    for (uid, commits) in &range.issues {
        if issues.len() == limit {
            break;
        }
        let news = of_issue(view, &range, *uid, commits)?;
        match news.events.is_empty() {
            // Only what no person reads was written.
            true => total -= 1,
            false => issues.push(news),
        }
    }
    Ok(News { issues, total })
}

/// Returns what others did since a commit in numbers, without conflicts, and what happened last to so many of the issues; none
/// where they did nothing.
pub(crate) fn summary(view: &View<'_>, known: Oid, most: usize) -> Result<Option<NewsSummary>> {
    let range = Range::since(view, Some(known), &BTreeSet::new())?;
    let mut counts = BTreeMap::new();
    let mut latest = Vec::new();
    let mut issues = range.issues.len();
    if issues <= MOST_SUMMED {
        for (uid, commits) in &range.issues {
            let news = of_issue(view, &range, *uid, commits)?;
            let Some(word) = events::main_word(&news.events) else {
                issues -= 1;
                continue;
            };
            *counts.entry(word.to_owned()).or_default() += 1;
            let event = news.events.into_iter().next();
            latest.extend(
                event
                    .filter(|_| latest.len() < most)
                    .map(|event| LatestNews {
                        issue: news.id,
                        uid: *uid,
                        title: news.title,
                        event,
                    }),
            );
        }
    }
    Ok((issues > 0).then_some(NewsSummary {
        issues,
        by: range.people(),
        counts,
        latest,
    }))
}

impl Range {
    fn since(view: &View<'_>, known: Option<Oid>, conflicted: &BTreeSet<Uid>) -> Result<Self> {
        let commits = view.snapshot().history(known)?;
        let mut at = HashMap::new();
        let mut issues: Vec<(Uid, Vec<usize>)> = Vec::new();
        for (n, commit) in commits.iter().enumerate() {
            for uid in changed_by(view, commit, conflicted)? {
                let place = *at.entry(uid).or_insert_with(|| {
                    issues.push((uid, Vec::new()));
                    issues.len() - 1
                });
                issues[place].1.push(n);
            }
        }
        Ok(Self { commits, issues })
    }

    /// Returns the people and agents who changed something, those who did last first.
    fn people(&self) -> Vec<String> {
        let mut by = Vec::new();
        let changes = self.issues.iter().flat_map(|(_, commits)| commits);
        for n in BTreeSet::from_iter(changes) {
            let name = party_of(&self.commits[*n]).to_string();
            if !name.is_empty() && !by.contains(&name) {
                by.push(name);
            }
        }
        by
    }
}

/// Returns the issues that a commit of another party changed; of a merge those in which it found a conflict.
fn changed_by(view: &View<'_>, commit: &Commit, conflicted: &BTreeSet<Uid>) -> Result<Vec<Uid>> {
    if commit.is_merge() {
        // A merge that has left no conflict says nothing new, and is not looked into.
        if conflicted.is_empty() {
            return Ok(Vec::new());
        }
        let joined = view.index.oplog().wrote(commit)?;
        return Ok(joined.intersection(conflicted).copied().collect());
    }
    if !commit.is_operation() || party_of(commit) == view.tracker.party() {
        return Ok(Vec::new());
    }
    match commit.trailer("Issues").unwrap_or_default() {
        // One on very many does not list them.
        "" | "*" => Ok(view.index.oplog().wrote(commit)?.into_iter().collect()),
        listed => Ok(listed.split_whitespace().flat_map(str::parse).collect()),
    }
}

/// Returns who made a commit.
fn party_of(commit: &Commit) -> Party {
    Party {
        person: commit.trailer("Actor").unwrap_or_default().to_owned(),
        agent: commit.trailer(AGENT).map(str::to_owned),
    }
}

/// Returns what commits did with an issue.
fn of_issue(view: &View<'_>, range: &Range, uid: Uid, commits: &[usize]) -> Result<IssueNews> {
    let mut events = Vec::new();
    let mut name = None;
    for n in commits.iter().take(MOST_OPERATIONS) {
        let commit = &range.commits[*n];
        // One issue, and so one change at most; none where the history is cut.
        let described = describe_commit(view, commit, Some(uid), DiffDetail::All)?;
        // Who yields writes only again what another one did.
        let is_said_again = commit.trailer(YIELD).is_some();
        let is_news = |event: &NewsEvent| !is_said_again || event.what.is_entry();
        for change in described.issues {
            events.extend(of_change(view, commit, &change).into_iter().filter(is_news));
            name.get_or_insert((change.id, change.title));
        }
    }
    let (id, title) = name.unwrap_or_default();
    let row = view.index.row(uid)?;
    // Of a purged issue nothing is shown, whatever it was called at the time.
    let row = row.filter(|_| !events.iter().any(|event| event.what == NewsKind::Purged));
    let (title, status) = row.map_or((title, String::new()), |row| {
        (row.title, row.status.as_str().to_owned())
    });
    Ok(IssueNews {
        id,
        title,
        status,
        events: fold(events),
        more: commits.len().saturating_sub(MOST_OPERATIONS),
    })
}

/// The verbs whose commits name an entry by its number alone: its text can be redacted, which a message can't.
const SPEAKING: [&str; 3] = ["ask", "answer", "note"];
/// Entries of one operation that are told.
const MOST_SAID: usize = 20;

/// Something that an operation said of an issue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Said {
    /// The issue.
    pub id: String,
    /// `asked`, `answered`, `finding`, `decision` or `comment`.
    pub what: NewsKind,
    /// The text as it is now.
    pub text: String,
}

/// Returns whether an operation with a subject says something.
pub(crate) fn is_speaking(subject: &str) -> bool {
    let verb = subject.split(' ').next().unwrap_or_default();
    SPEAKING.contains(&verb)
}

/// Returns what an operation said, of one issue or of all; nothing of one that did something else, nor what was redacted or
/// purged since.
pub(crate) fn said_by(view: &View<'_>, commit: &Commit, issue: Option<Uid>) -> Result<Vec<Said>> {
    if commit.is_merge() || !is_speaking(&commit.subject) {
        return Ok(Vec::new());
    }
    let snapshot = view.snapshot();
    let Written::Paths(touched) = snapshot.store().ancestry().written_by(commit, issue)? else {
        return Ok(Vec::new());
    };
    let mut said = Vec::new();
    for touched in touched.iter().take(MOST_SAID) {
        let TreePath::Entry(uid, entry) = touched.path else {
            continue;
        };
        let entry = snapshot.remembered(uid, entry)?;
        let Some(entry) = entry.filter(|entry| !entry.is_redacted()) else {
            continue;
        };
        let is_answer = commit.subject.starts_with("answer ");
        let answer = entry.answer().filter(|_| is_answer);
        if is_answer && answer.is_none() {
            // It was taken back.
            continue;
        }
        let (what, text) = match (answer, entry.kind()) {
            (Some((answer, _)), _) => (NewsKind::Answered, answer),
            (None, MemoryKind::Question) => (NewsKind::Asked, entry.text()),
            (None, MemoryKind::Finding) => (NewsKind::Finding, entry.text()),
            (None, MemoryKind::Decision) => (NewsKind::Decision, entry.text()),
            (None, _) => (NewsKind::Comment, entry.text()),
        };
        said.push(Said {
            id: view.id(uid)?,
            what,
            text: text.to_owned(),
        });
    }
    Ok(said)
}

/// Returns what a commit did with an issue.
fn of_change(view: &View<'_>, commit: &Commit, change: &IssueChange) -> Vec<NewsEvent> {
    if commit.is_merge() {
        return conflicts_of(change, commit.at).into_iter().collect();
    }
    events_of(change, &party_of(commit), commit.at, view.tracker.actor())
}
