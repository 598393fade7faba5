//! `status`: the state of the work, for a supervisor: what waits for a person, who works on what.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Condition, Counts, Fact, Order, Row};
use crate::ops::answer::{After, Answer, AnswerKind, Next, Summary, is_zero};
use crate::ops::shared::active::{Active, ActiveIssues};
use crate::ops::shared::blockers::{BlockedRow, waiting};
use crate::ops::shared::carry::uncommitted;
use crate::ops::shared::commit_links::{Landed, follow, landed_among};
use crate::ops::shared::epic::{FinishedEpic, finished};
use crate::ops::shared::next_ready::free_in;
use crate::ops::shared::query::{Query, asked, order, states};
use crate::ops::shared::remote_state::{Distance, distances};
use crate::ops::{Result, Tracker, View};

/// Where things stand.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Status {
    /// The repository.
    pub repo: String,
    /// Issues by status.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, u64>,
    /// How many can be started.
    pub ready_count: u64,
    /// How many wait for others.
    pub blocked_count: u64,
    /// How many wait for a person.
    pub waiting_count: u64,
    /// How many are claimed and nothing happens.
    pub stale_count: u64,
    /// After so many days.
    pub stale_days: u64,
    /// How many epics have only children that have ended.
    pub epics_to_close_count: u64,
    /// How many questions wait for an answer by the caller, or by anybody.
    pub question_count: u64,
    /// How many have values that were written at the same time.
    pub conflict_count: u64,
    /// What waits for a person: labelled `human`, or blocked for a reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<Active>,
    /// Who works on what.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_progress: Vec<Active>,
    /// What waits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<BlockedRow>,
    /// Epics whose children have all ended, with the command that closes each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub epics_to_close: Vec<FinishedEpic>,
    /// What can be started next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ready: Vec<Summary>,
    /// Which of those in progress and of those that can be started a commit on the default branch closes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub landed: Vec<Landed>,
    /// Issues with values that were written at the same time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// How far we and each remote are apart, as of the last exchange.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remotes: Vec<Distance>,
    /// How many changes are in carry files of the work tree that are not committed.
    #[serde(skip_serializing_if = "is_zero")]
    pub uncommitted_count: usize,
    /// Blobs that can't be shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
    #[serde(skip)]
    after: After,
}

impl Status {
    /// Returns true if it shows no issue.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
            && self.in_progress.is_empty()
            && self.blocked.is_empty()
            && self.ready.is_empty()
            && self.epics_to_close.is_empty()
    }
}

impl Answer for Status {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
    fn next(&self) -> Next {
        self.after.next()
    }
}

/// Counts, what waits for a person, who is on what, what waits, what is next: of the issues that a query lets through,
/// as many of each as its limit says, and half as many that are next.
pub fn status(tracker: &Tracker, query: &Query) -> Result<Status> {
    tracker.read(|view| {
        let (stale_days, stale_since) = tracker.stale();
        let has_closing = follow(view)?;
        let scene = Scene {
            view,
            query,
            active: ActiveIssues {
                view,
                branches: branches(tracker),
                stale_since,
            },
            has_closing,
        };
        let remotes = distances(view)?;
        let asked = asked(view, &query.tree)?;
        // Each file has all that its clone had to carry.
        let uncommitted = uncommitted(tracker.store())?.into_iter();
        let uncommitted_count = uncommitted.map(|file| file.changes).max().unwrap_or(0);
        view.last(|| {
            Ok(Status {
                remotes,
                uncommitted_count,
                stale_days,
                ..scene.issues(&asked)?
            })
        })
    })
}

/// The issues that branches are about, by id.
fn branches(tracker: &Tracker) -> HashMap<String, String> {
    tracker
        .store()
        .user_branches()
        .issue_branches()
        .into_iter()
        .map(|(branch, id)| (id, branch))
        .collect()
}

/// The facts, next to the issue, that the lines of a status need.
struct Scene<'v, 't> {
    view: &'v View<'t>,
    query: &'v Query,
    active: ActiveIssues<'v, 't>,
    /// Whether any commit of the default branch closes an issue.
    has_closing: bool,
}

impl Scene<'_, '_> {
    /// Reads what the index knows.
    fn issues(&self, asked: &Condition) -> Result<Status> {
        let (index, now) = (&self.view.index, self.view.now());
        let all = states(self.query).and(asked.clone());
        let in_progress = all.clone().and(Condition::in_progress());
        let blocked = all.clone().and(Fact::Blocked);
        let ready = all.clone().ready(now);
        let limit = self.query.limit;
        // The index keeps the totals as counters; a filter has to count rows.
        let counts = match self.query.is_plain() {
            true => index.counts(now)?,
            false => Counts {
                statuses: index.statuses(asked)?,
                ready: index.count(&ready)?,
                blocked: index.count(&blocked)?,
                ..Counts::default()
            },
        };
        let active = self.leading(&in_progress, limit)?;
        let next = self.leading(&ready, limit.div_ceil(2))?;
        Ok(Status {
            landed: match self.has_closing {
                true => landed_among(self.view, active.iter().chain(&next))?,
                false => Vec::new(),
            },
            after: match self.query.says_next {
                true => free_in(self.view, &all, Order::Priority)?,
                false => After::Looked,
            },
            repo: self.view.tracker.store().place().display().to_string(),
            ready_count: counts.ready,
            blocked_count: counts.blocked,
            stale_count: self.stale(in_progress)?,
            in_progress: self.active.all(&active)?,
            blocked: self
                .leading(&blocked, limit)?
                .iter()
                .map(|row| self.waiting(row))
                .collect::<Result<_>>()?,
            ready: next.into_iter().map(Summary::core).collect(),
            counts: counts.statuses,
            ..self.oddities(&all, asked)?
        })
    }

    /// Adds what few stores have; each is read only where there is one.
    fn oddities(&self, all: &Condition, asked: &Condition) -> Result<Status> {
        let (index, limit) = (&self.view.index, self.query.limit);
        let most = if limit == 0 { usize::MAX } else { limit };
        // One question says which of the rare things are there at all, so that most runs ask nothing more.
        let [waits, conflicts, broken, questions, epics] = index.oddities()?;
        let mut status = Status::default();
        if questions {
            status.question_count = self.questions(asked)?;
        }
        if waits {
            let waiting = all.clone().and(Fact::ForAPerson);
            let page = index.page(&waiting, order(self.query)?, limit, self.query.offset)?;
            status.waiting_count = page.total;
            status.waiting = self.active.all(&page.rows)?;
        }
        if epics {
            (status.epics_to_close, status.epics_to_close_count) = finished(self.view, all, limit)?;
        }
        if conflicts {
            let conflicted = index.conflicted_of(asked.clone())?;
            status.conflict_count = conflicted.len() as u64;
            let ids = conflicted.iter().take(most).map(|uid| self.view.id(*uid));
            status.conflicts = ids.collect::<Result<_>>()?;
        }
        if broken {
            let paths = index.broken()?.into_iter().take(most);
            status.unreadable = paths.map(|(path, why)| format!("{path}: {why}")).collect();
        }
        Ok(status)
    }

    /// Counts the questions to the caller and to anybody, of the issues that a query lets through, closed ones too.
    fn questions(&self, asked: &Condition) -> Result<u64> {
        let (index, caller) = (&self.view.index, self.view.tracker.party());
        if self.query.is_plain() {
            return Ok(index.memory().question_count(&caller)?);
        }
        let with_closed = Query {
            all: true,
            ..self.query.clone()
        };
        let all = states(&with_closed).and(asked.clone());
        let mut count = 0;
        for question in index.memory().open_questions(Some(&caller))? {
            let row = index.row(question.issue)?;
            // One at a time, as each issue counts as often as it asks.
            let nums = row.into_iter().map(|row| row.num).collect();
            count += index.count(&all.clone().and(Fact::Row(nums)))?;
        }
        Ok(count)
    }

    fn leading(&self, condition: &Condition, limit: usize) -> Result<Vec<Row>> {
        Ok(self
            .view
            .index
            .first(condition, order(self.query)?, limit, self.query.offset)?)
    }

    /// Returns how many are claimed and nothing happens.
    fn stale(&self, in_progress: Condition) -> Result<u64> {
        if self.query.is_plain() {
            return Ok(self.view.index.stale_claims(self.active.stale_since)?);
        }
        let stale = in_progress.and(Fact::Stale(self.active.stale_since));
        Ok(self.view.index.count(&stale)?)
    }

    fn waiting(&self, row: &Row) -> Result<BlockedRow> {
        let waiting = waiting(self.view, row)?;
        Ok(BlockedRow {
            summary: waiting.summary.into_core(),
            ..waiting
        })
    }
}
