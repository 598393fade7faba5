//! The inbox: what needs the caller in one repository, and what goes on beside it.

mod needs;
mod row;
mod words;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Condition, Fact, Order};
use crate::model::{Uid, time};
use crate::ops::answer::{Answer, AnswerKind, Question, Summary};
use crate::ops::shared::commit_links::follow;
use crate::ops::shared::news;
use crate::ops::shared::query::names::waiting_or_asking;
use crate::ops::shared::question::is_asked;
use crate::ops::{Result, Tracker, View};
use crate::store::seen_marks::mark_of;
use needs::Needs;
pub(crate) use row::{AskedRepo, AtWork, Changed, Need, NeedReason, NextIssue, OpenQuestion};

/// Issues that others have changed and of which it is said what happened.
const MOST_CHANGED: usize = 5;
/// Issues that can be started, of one repository.
const NEXT: usize = 5;
/// The same of several.
const MOST_NEXT: usize = 10;

/// The needs of the caller, oldest first within each reason, and what else goes on.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Inbox {
    /// The questions that wait for an answer, each with its issue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<OpenQuestion>,
    /// Other issues that need a person, in the order of the reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Need>,
    /// Number of these by reason, where not all are here.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub needs_counts: BTreeMap<NeedReason, u64>,
    /// Issues in progress, with their holders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_work: Vec<AtWork>,
    /// Number of issues in progress, where not all are here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_work_count: Option<u64>,
    /// Changes by others since the last `whats-new` of the caller.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Changed>,
    /// Issues that can be started, a few of each repository.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ready: Vec<NextIssue>,
    /// Number of issues that can be started and wait for no person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_count: Option<u64>,
    /// The repositories that were asked, where several were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repos: Vec<AskedRepo>,
    /// The commit of this state, in one repository: an act names it.
    #[serde(skip)]
    pub seen: String,
}

impl Inbox {
    /// Adds what was found in a repository of that name.
    pub(crate) fn add(&mut self, repo: &str, found: Self) {
        let named = || Some(repo.to_owned());
        let questions = found.questions.into_iter();
        self.questions.extend(questions.map(|it| OpenQuestion {
            repo: named(),
            ..it
        }));
        let mut totals = counts_of(&found.needs);
        totals.extend(found.needs_counts);
        for (reason, n) in totals {
            *self.needs_counts.entry(reason).or_default() += n;
        }
        let needs = found.needs.into_iter();
        self.needs.extend(needs.map(|it| Need {
            repo: named(),
            ..it
        }));
        let in_progress = found.at_work_count.unwrap_or(found.at_work.len() as u64);
        *self.at_work_count.get_or_insert(0) += in_progress;
        let at_work = found.at_work.into_iter();
        self.at_work.extend(at_work.map(|it| AtWork {
            repo: named(),
            ..it
        }));
        let changed = found.changed.into_iter();
        self.changed.extend(changed.map(|it| Changed {
            repo: named(),
            ..it
        }));
        let ready = found.ready.into_iter();
        self.ready.extend(ready.map(|it| NextIssue {
            repo: named(),
            ..it
        }));
        if let Some(n) = found.ready_count {
            *self.ready_count.get_or_insert(0) += n;
        }
    }

    /// Puts what was added in order: by reason, and by time within each; and leaves out the numbers of reasons that are here whole.
    pub(crate) fn sort(&mut self) {
        let shown = counts_of(&self.needs);
        self.needs_counts
            .retain(|reason, n| shown.get(reason) != Some(n));
        self.questions
            .sort_by(|one, other| one.question.entry.at.cmp(&other.question.entry.at));
        self.needs
            .sort_by(|one, other| (one.reason, &one.at).cmp(&(other.reason, &other.at)));
        let shown = self.at_work.len() as u64;
        self.at_work_count = self.at_work_count.filter(|n| *n > shown);
        self.at_work.sort_by(|one, other| {
            let last = |work: &AtWork| work.active.last_activity.clone();
            last(other).cmp(&last(one))
        });
        self.ready.sort_by_key(|next| next.summary.priority);
        self.ready.truncate(MOST_NEXT);
    }
}

/// Counts rows by reason.
fn counts_of(needs: &[Need]) -> BTreeMap<NeedReason, u64> {
    let mut counts = BTreeMap::new();
    for need in needs {
        *counts.entry(need.reason).or_default() += 1;
    }
    counts
}

impl Answer for Inbox {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Returns what needs the caller: the open questions to them and to no one in particular, or to anyone with `all`; for a
/// person the rest too. An agent is shown its questions alone.
pub(crate) fn inbox(tracker: &Tracker, all: bool) -> Result<Inbox> {
    let caller = tracker.party();
    tracker.read(|view| {
        let (questions, asking) = questions(view, all)?;
        if caller.agent.is_some() {
            return Ok(Inbox {
                questions,
                ..Inbox::default()
            });
        }
        // What can fill the index comes first.
        let has_landed = follow(view)?;
        let changed = changed(view)?;
        let found = view.last(|| rest(view, questions, &asking, has_landed))?;
        Ok(Inbox {
            changed: changed.into_iter().collect(),
            seen: view.snapshot().commit().to_string(),
            ..found
        })
    })
}

/// Returns the questions, and the issues that ask them.
fn questions(view: &View<'_>, all: bool) -> Result<(Vec<OpenQuestion>, Vec<Uid>)> {
    let caller = view.tracker.party();
    let rows = view
        .index
        .memory()
        .open_questions((!all).then_some(&caller))?;
    let (mut questions, mut asking) = (Vec::new(), Vec::new());
    for row in rows {
        // One that can't be read is a matter of `doctor`.
        if let Some(entry) = view.snapshot().remembered(row.issue, row.uid)? {
            asking.push(row.issue);
            questions.push(OpenQuestion {
                repo: None,
                issue: row.id,
                uid: Some(row.issue),
                title: row.title,
                priority: view.issue(row.issue)?.priority(),
                is_for_caller: caller.agent.is_none() || is_asked(&caller, entry.to()),
                question: Question::of(&entry),
            });
        }
    }
    Ok((questions, asking))
}

/// Adds all that is no question. What few stores have is read only where there is any.
fn rest(
    view: &View<'_>,
    questions: Vec<OpenQuestion>,
    asking: &[Uid],
    has_landed: bool,
) -> Result<Inbox> {
    let (index, now) = (&view.index, view.now());
    let [waits, conflicts, ..] = index.oddities()?;
    let mut needs = Needs::new(view, asking)?;
    if waits {
        needs.persons()?;
    }
    if conflicts {
        needs.conflicts()?;
    }
    needs.reviews()?;
    if has_landed {
        needs.landed()?;
    }
    let at_work = needs.active()?;
    // What waits for a person, or has landed, is among the needs.
    let all = Condition::from(Fact::Open).ready(now);
    let needed = Condition::Any(vec![waiting_or_asking(view), needs.taken()]);
    let ready = all.clone().and(Condition::Not(Box::new(needed.clone())));
    let shown = at_work.len() as u64;
    let Needs {
        found,
        counts,
        in_progress,
        ..
    } = needs;
    let next = index.first(&ready, Order::Priority, NEXT, 0)?;
    Ok(Inbox {
        questions,
        needs: found,
        needs_counts: counts,
        at_work,
        at_work_count: Some(in_progress).filter(|n| *n > shown),
        ready: next
            .into_iter()
            .map(|row| NextIssue {
                repo: None,
                unblocks: row.dependents,
                summary: Summary::core(row),
            })
            .collect(),
        // The few that are needed, and not the many that are ready, are counted one by one.
        ready_count: Some(
            index
                .count(&all)?
                .saturating_sub(index.count(&needed.and(all))?),
        ),
        ..Inbox::default()
    })
}

/// Returns what others have changed since the caller last looked; none for one who never has, or whose last commit is gone:
/// `whats-new` begins with a week then. It leaves the mark where it is.
fn changed(view: &View<'_>) -> Result<Option<Changed>> {
    let tracker = view.tracker;
    let Some(mark) = mark_of(tracker.store(), tracker.actor()) else {
        return Ok(None);
    };
    let tip = view.snapshot().commit();
    if mark.commit == tip || !view.snapshot().descends_from(mark.commit)? {
        return Ok(None);
    }
    let news = news::summary(view, mark.commit, MOST_CHANGED)?;
    Ok(news.map(|news| Changed {
        repo: None,
        since: time::format(mark.at),
        news,
    }))
}
