//! What needs a person beside questions, reason by reason.

use std::collections::{BTreeMap, HashMap};

use super::row::{AtWork, Need, NeedReason};
use crate::index::{Condition, Fact, Order, Row};
use crate::model::{Uid, time};
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
    /// The row numbers of issues that wait for a person, have landed or are left: each is shown for one of these.
    pub(super) named: Vec<i64>,
}

impl<'v, 't> Needs<'v, 't> {
    pub(super) fn new(view: &'v View<'t>) -> Self {
        Self {
            view,
            found: Vec::new(),
            counts: BTreeMap::new(),
            named: Vec::new(),
        }
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

    /// Returns the condition that no row of a reason that takes one issue once has named an issue so far.
    fn not_yet(&self) -> Condition {
        Condition::Not(Box::new(Fact::Row(self.named.clone()).into()))
    }

    /// Labelled `human`, or blocked for a reason; what asks a question already is shown as that.
    pub(super) fn persons(&mut self, asking: &[Uid]) -> Result<()> {
        let mut nums = Vec::new();
        for uid in asking {
            nums.extend(self.view.index.row(*uid)?.map(|row| row.num));
        }
        let not_asking = Condition::Not(Box::new(Fact::Row(nums).into()));
        let waiting = Condition::from(Fact::Open).and(Fact::ForAPerson);
        let waiting = waiting.and(not_asking);
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
                    title: issue.title().to_owned(),
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

    /// What a commit closes, and waits for no person.
    pub(super) fn landed(&mut self) -> Result<()> {
        let mut rows = Vec::new();
        for (row, commit) in closed_by_commits(self.view)? {
            if !self.named.contains(&row.num) {
                let mut need = self.need(NeedReason::Landed, &row);
                need.commit = Some(commit);
                rows.push(need);
            }
        }
        let total = rows.len() as u64;
        self.add(NeedReason::Landed, rows, total);
        Ok(())
    }

    /// Adds what its holder has left, and returns what is worked on, the newest first.
    pub(super) fn active(&mut self) -> Result<Vec<AtWork>> {
        let (index, stale_since) = (&self.view.index, self.view.tracker.stale().1);
        let active = Condition::in_progress().and(self.not_yet());
        let stale = active.clone().and(Fact::Stale(stale_since));
        let fresh = Condition::Not(Box::new(Fact::Stale(stale_since).into()));
        let fresh = active.and(fresh);
        let old = index.page(&stale, Order::UpdatedReversed, MOST, 0)?;
        let new = index.first(&fresh, Order::Updated, MOST_ACTIVE, 0)?;
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
        for (active, row) in issues.all(&new)?.into_iter().zip(&new) {
            let claim = active.summary.claim.as_ref();
            if !active.lease_over && !claim.is_some_and(|claim| claim.is_left()) {
                at_work.push(AtWork { repo: None, active });
                continue;
            }
            let mut need = self.need(NeedReason::Stale, row);
            need.holder = Some(Box::new(active));
            left.push(need);
            total += 1;
        }
        self.add(NeedReason::Stale, left, total);
        Ok(at_work)
    }

    /// Returns a row of an issue, which is named by that.
    fn need(&mut self, reason: NeedReason, row: &Row) -> Need {
        self.named.push(row.num);
        Need {
            issue: row.id.clone(),
            title: row.title.clone(),
            at: time::format(row.updated),
            ..Need::new(reason)
        }
    }
}
