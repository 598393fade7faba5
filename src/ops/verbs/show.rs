//! `show`: everything about an issue.

use std::collections::{BTreeSet, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::Lookup;
use crate::model::Uid;
use crate::ops::answer::{Answer, AnswerKind, Detail, MemoryView};
use crate::ops::shared::commit_links;
use crate::ops::tracker::Absence;
use crate::ops::{Command, Error, Result, Tracker, View};

/// Issues to show, and the limit of their memory.
#[derive(Clone, Debug, Default)]
pub struct Show {
    /// Ids.
    pub ids: Vec<String>,
    /// Entries of each kind at most; all by default.
    pub memory: Option<usize>,
    /// As of this revision.
    pub at: Option<String>,
}

/// An issue with its memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Shown {
    /// The issue.
    pub issue: Detail,
    /// Its memory.
    #[serde(skip_serializing_if = "MemoryView::is_empty")]
    pub memory: MemoryView,
    /// The lease of the claim of an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lease: Option<ShownLease>,
}

/// The lease of a claim.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ShownLease {
    /// The minutes without activity after which it is over.
    pub minutes: u32,
    /// The way in which its agent has left it: `stale` where the lease is over, `gone`, `ended`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity: Option<&'static str>,
}

/// One issue, or several.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Issues {
    /// One.
    One(Box<Shown>),
    /// Several.
    Many {
        /// The issues, in the order asked for.
        issues: Vec<Shown>,
    },
}

impl Issues {
    /// Returns all of them.
    pub(crate) fn all(&self) -> &[Shown] {
        match self {
            Self::One(shown) => std::slice::from_ref(shown),
            Self::Many { issues } => issues,
        }
    }
}

impl Answer for Issues {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Issue
    }
}

/// Shows issues. Of several that have the same id, all.
pub fn show(tracker: &Tracker, request: &Show) -> Result<Issues> {
    tracker.read_at(request.at.as_deref(), |view| {
        commit_links::follow(view)?;
        // A dozen small questions: in one transaction they don't lock and unlock a dozen times.
        view.last(|| all(view, request))
    })
}

fn all(view: &View<'_>, request: &Show) -> Result<Issues> {
    let mut uids: Vec<Uid> = Vec::new();
    for id in &request.ids {
        match view.lookup(id)? {
            // Only who sees all issues with the id can decide which one to rename.
            Lookup::Shared(holders) if !id.is_empty() => {
                uids.extend(holders.iter().map(|(uid, _)| *uid));
            }
            _ => uids.push(view.find(id)?),
        }
    }
    let mut shown = uids
        .iter()
        .map(|uid| one(view, *uid, request.memory))
        .collect::<Result<Vec<_>>>()?;
    match shown.len() {
        0 => Err(Error::invalid("no ID given").hinted(Command::of("show").placeholder("ID"))),
        1 => Ok(Issues::One(Box::new(shown.remove(0)))),
        _ => Ok(Issues::Many { issues: shown }),
    }
}

/// An issue with its memory, and the commits that [`crate::ops::shared::commit_links::follow`] has read.
pub(crate) fn one(view: &View<'_>, uid: Uid, limit: Option<usize>) -> Result<Shown> {
    let (issue, (memory, unreadable)) = view.issue_and_memory(uid)?;
    if unreadable > 0 {
        view.tracker.warn(format!(
            "{unreadable} entries in the memory of {} can't be read",
            issue.id()
        ));
    }
    // The entries are marks without text.
    let memory = if issue.is_purged() {
        Vec::new()
    } else {
        memory
    };
    let lease = issue.lease().map(|minutes| {
        let absence = issue
            .holder()
            .and_then(|holder| view.absence(&issue, &holder));
        let activity = absence.map(Absence::word);
        ShownLease { minutes, activity }
    });
    Ok(Shown {
        lease,
        issue: Detail::new(view, &issue)?,
        memory: MemoryView::new(&memory, limit.unwrap_or(usize::MAX)),
    })
}

/// Returns which words are ids of issues.
pub(crate) fn known_ids(tracker: &Tracker, words: &BTreeSet<&str>) -> Result<HashSet<String>> {
    tracker.read(|view| {
        let mut known = HashSet::new();
        for word in words {
            if !view.index.ids().issues_with_id(word)?.is_empty() {
                known.insert((*word).to_owned());
            }
        }
        Ok(known)
    })
}
