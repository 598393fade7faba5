//! What needs a person beside questions, reason by reason.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::row::{AtWork, CloseToAccept, Need, NeedReason};
use crate::index::{Condition, Fact, Order, Row};
use crate::model::{Status, Uid, time};
use crate::ops::answer::closing_agent;
use crate::ops::shared::active::ActiveIssues;
use crate::ops::shared::commit_links::closed_by_commits;
use crate::ops::shared::conflicts::of_issue;
use crate::ops::{Result, View};

/// The most rows of one reason in one repository.
const MOST: usize = 50;
/// Issues in progress that are looked at, the newest.
const MOST_ACTIVE: usize = 200;

/// The needs that were found.
pub(super) struct Needs<'v, 't> {
    view: &'v View<'t>,
    pub(super) found: Vec<Need>,
    pub(super) counts: BTreeMap<NeedReason, u64>,
    /// Number of issues in progress that are none of the needs.
    pub(super) in_progress: u64,
    /// The issues that ask a question: that says more than another reason would.
    asking: Vec<i64>,
    /// The issues of the reasons so far that have one row of an issue: it is shown for the first of these.
    taken: Vec<Condition>,
}

impl<'v, 't> Needs<'v, 't> {
    pub(super) fn new(view: &'v View<'t>, asking: &[Uid]) -> Result<Self> {
        let mut nums = Vec::new();
        for uid in asking {
            nums.extend(view.index.row(*uid)?.map(|row| row.num));
        }
        Ok(Self {
            view,
            found: Vec::new(),
            counts: BTreeMap::new(),
            in_progress: 0,
            asking: nums,
            taken: Vec::new(),
        })
    }

    /// Adds rows of a reason, oldest first and at most so many.
    fn add(&mut self, reason: NeedReason, mut rows: Vec<Need>, total: u64) {
        rows.sort_by(|one, other| one.at.cmp(&other.at));
        rows.truncate(MOST);
        if total > rows.len() as u64 {
            self.counts.insert(reason, total);
        }
        self.found.extend(rows);
    }

    /// Returns the condition that an issue has a row, shown or left out.
    pub(super) fn taken(&self) -> Condition {
        let mut taken = self.taken.clone();
        taken.push(Fact::Row(self.asking.clone()).into());
        Condition::Any(taken)
    }

    fn not_yet(&self) -> Condition {
        Condition::Not(Box::new(self.taken()))
    }

    /// Labelled `human`, or blocked for a reason.
    pub(super) fn persons(&mut self) -> Result<()> {
        let waiting = Condition::from(Fact::Open).and(Fact::ForAPerson);
        let taken = waiting.clone();
        let waiting = waiting.and(self.not_yet());
        self.taken.push(taken);
        let oldest = Order::UpdatedReversed;
        let page = self.view.index.page(&waiting, oldest, MOST, 0)?;
        let mut rows = Vec::new();
        for row in page.rows {
            let mut need = self.need(NeedReason::Person, &row);
            need.blocked_for = self.view.issue(row.uid)?.state().reason;
            rows.push(need);
        }
        self.add(NeedReason::Person, rows, page.total);
        Ok(())
    }

    /// One row for each value of a field that was lost, of the open issues: those of others are a matter of `conflicts`.
    pub(super) fn conflicts(&mut self) -> Result<()> {
        let uids = self.view.index.conflicted_of(Fact::Open.into())?;
        let mut rows = Vec::new();
        for uid in uids.iter().take(MOST) {
            let issue = self.view.issue(*uid)?;
            for (entry, _) in of_issue(self.view, &issue)? {
                rows.push(Need {
                    uid: Some(*uid),
                    title: issue.title().to_owned(),
                    priority: issue.priority(),
                    issue: entry.id.clone(),
                    at: entry.at.clone(),
                    conflict: Some(entry),
                    ..Need::new(NeedReason::Conflict)
                });
            }
        }
        let total = rows.len() + uids.len().saturating_sub(MOST);
        self.add(NeedReason::Conflict, rows, total as u64);
        Ok(())
    }

    /// What agents have closed and no one has accepted, and what asks for a review while it is open.
    pub(super) fn reviews(&mut self) -> Result<()> {
        let since = self.view.tracker.stale().1;
        let to_review = Condition::from(Fact::ToReview(since));
        let taken = to_review.clone();
        let to_review = to_review.and(self.not_yet());
        self.taken.push(taken);
        let oldest = Order::UpdatedReversed;
        let page = self.view.index.page(&to_review, oldest, MOST, 0)?;
        let mut rows = Vec::new();
        for row in page.rows {
            let mut need = self.need(NeedReason::Review, &row);
            if row.status == Status::Closed {
                let issue = self.view.issue(row.uid)?;
                let state = issue.state();
                need.close = Some(CloseToAccept {
                    by: closing_agent(&issue),
                    reason: state.reason,
                    evidence: state.evidence,
                });
            }
            rows.push(need);
        }
        self.add(NeedReason::Review, rows, page.total);
        Ok(())
    }

    /// What a commit closes, and waits for no person.
    pub(super) fn landed(&mut self) -> Result<()> {
        let landed = closed_by_commits(self.view)?;
        let nums: Vec<i64> = landed.iter().map(|(row, _)| row.num).collect();
        let all = Condition::from(Fact::Row(nums));
        let left = all.clone().and(self.not_yet());
        let left = self.view.index.first(&left, Order::Id, landed.len(), 0)?;
        let left: HashSet<i64> = left.iter().map(|row| row.num).collect();
        self.taken.push(all);
        let mut rows = Vec::new();
        for (row, commit) in landed {
            if left.contains(&row.num) {
                let mut need = self.need(NeedReason::Landed, &row);
                need.subject = self.subject_of(&row, &commit)?;
                need.commit = Some(commit);
                rows.push(need);
            }
        }
        let total = rows.len() as u64;
        self.add(NeedReason::Landed, rows, total);
        Ok(())
    }

    /// Returns the subject of a commit that names an issue.
    fn subject_of(&self, row: &Row, commit: &str) -> Result<Option<String>> {
        let names = [row.id.clone()];
        let links = self.view.index.commit_links();
        let (links, _) = links.commits_of(&names, i64::MAX.unsigned_abs(), MOST)?;
        let mut links = links.into_iter();
        let link = links.find(|link| link.commit.starts_with(commit));
        Ok(link.map(|link| link.subject))
    }

    /// Adds what its holder has left, and returns what is worked on, the newest first; with that what asks a question.
    pub(super) fn active(&mut self) -> Result<Vec<AtWork>> {
        let (index, stale_since) = (&self.view.index, self.view.tracker.stale().1);
        let stale = Condition::in_progress().and(Fact::Stale(stale_since));
        let fresh = Condition::Not(Box::new(Fact::Stale(stale_since).into()));
        let taken = Condition::Not(Box::new(Condition::Any(self.taken.clone())));
        let fresh = Condition::in_progress().and(taken).and(fresh);
        let old = index.page(&stale.and(self.not_yet()), Order::UpdatedReversed, MOST, 0)?;
        let new = index.page(&fresh, Order::Updated, MOST_ACTIVE, 0)?;
        let issues = ActiveIssues {
            view: self.view,
            branches: HashMap::new(),
            stale_since,
        };
        let mut left = Vec::new();
        for (active, row) in issues.all(&old.rows)?.into_iter().zip(&old.rows) {
            let mut need = self.need(NeedReason::Stale, row);
            need.holder = Some(Box::new(active));
            left.push(need);
        }
        let (mut at_work, mut total) = (Vec::new(), old.total);
        for (active, row) in issues.all(&new.rows)?.into_iter().zip(&new.rows) {
            let claim = active.summary.claim.as_ref();
            let is_left = active.lease_over || claim.is_some_and(|claim| claim.is_left());
            if !is_left || self.asking.contains(&row.num) {
                at_work.push(AtWork { repo: None, active });
                continue;
            }
            let mut need = self.need(NeedReason::Stale, row);
            need.holder = Some(Box::new(active));
            left.push(need);
            total += 1;
        }
        self.in_progress = new.total + old.total - total;
        self.add(NeedReason::Stale, left, total);
        Ok(at_work)
    }

    /// Returns a row of an issue.
    fn need(&self, reason: NeedReason, row: &Row) -> Need {
        Need {
            issue: row.id.clone(),
            uid: Some(row.uid),
            title: row.title.clone(),
            priority: row.priority,
            at: time::format(row.updated),
            ..Need::new(reason)
        }
    }
}
