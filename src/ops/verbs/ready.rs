//! `ready`: what can be started, why the rest can't, and claiming the first.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Order, Row, Sort};
use crate::model::Status;
use crate::model::graph::{Facts, Readiness};
use crate::ops::answer::{After, Answer, AnswerKind, Summary};
use crate::ops::shared::blockers::open_blockers;
use crate::ops::shared::claim::Started;
use crate::ops::shared::commit_links::{follow, landed_among};
use crate::ops::shared::epic::{closing, is_finished};
use crate::ops::shared::next_ready::{first_to_take, free_in};
use crate::ops::shared::query::names::waiting_or_asking;
use crate::ops::shared::query::{List, Query, condition, group, order, page, rest};
use crate::ops::shared::remote_claim::start_chosen;
use crate::ops::{Code, Command, Error, Result, Tracker, View};

/// The ready queue: what can be started, most urgent first.
pub(crate) fn ready(tracker: &Tracker, query: &Query) -> Result<List> {
    tracker.read_at(query.at.as_deref(), |view| {
        let asked = condition(view, query)?;
        let ready = asked.clone().ready(view.now());
        let is_any = query.at.is_none() && follow(view)?;
        let (page, landed) = view.index.at_once(|| -> Result<_> {
            let page = page(view, query, &ready)?;
            let landed = match is_any {
                true => landed_among(view, &page.rows)?,
                false => Vec::new(),
            };
            Ok((page, landed))
        })??;
        let list = List::new(view.tracker, page, query.offset);
        // Of the past there is nothing to start.
        let after = match query.says_next && query.at.is_none() {
            true => free_in(view, &asked, order(query)?)?,
            false => After::Looked,
        };
        let group = group(query)?;
        let mut ids = Vec::new();
        if !list.issues.is_empty() && view.index.asks_a_person()? {
            let waiting = ready.and(waiting_or_asking(view));
            let order = Order::Priority;
            for row in view.index.first(&waiting, Sort { group, order }, 0, 0)? {
                if list.issues.iter().any(|issue| issue.id == row.id) {
                    ids.push(row.id);
                }
            }
        }
        Ok(List {
            group,
            landed,
            after,
            waiting: ids,
            ..list
        })
    })
}

/// Why every open issue is or is not in the ready queue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Explanation {
    /// The issues that can be started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ready: Vec<Summary>,
    /// The others, each with its reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_ready: Vec<NotReady>,
    /// How many of both there are in all.
    pub total_count: u64,
    /// Whether there are more than these.
    pub truncated: bool,
    /// How to see the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// An issue that can't be started, and why.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct NotReady {
    /// Its id.
    pub id: String,
    /// Its title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Why.
    pub reason: String,
    /// The command that follows from it, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Answer for Explanation {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Explains the ready queue: every issue that has not ended, with the rule that decides it.
pub(crate) fn explain(tracker: &Tracker, query: &Query) -> Result<Explanation> {
    tracker.read_at(query.at.as_deref(), |view| {
        let page = page(view, query, &condition(view, query)?)?;
        let mut explanation = Explanation {
            ready: Vec::new(),
            not_ready: Vec::new(),
            total_count: page.total,
            truncated: false,
            hint: None,
        };
        (explanation.truncated, explanation.hint) = rest(&page, query.offset);
        for row in page.rows {
            match readiness(&row).readiness(view.now()) {
                // What can't be read may look ready, and can't be started.
                Readiness::Ready if row.unreadable.is_none() => {
                    explanation.ready.push(Summary::listed(row));
                }
                why => explanation.not_ready.push(not_ready(view, row, &why)?),
            }
        }
        Ok(explanation)
    })
}

fn not_ready(view: &View<'_>, row: Row, why: &Readiness) -> Result<NotReady> {
    let is_finished = is_finished(view, &row)?;
    Ok(NotReady {
        reason: match is_finished {
            true => "all children closed".to_owned(),
            false => reason(view, &row, why)?,
        },
        hint: is_finished.then(|| closing(&row.id)),
        id: row.id,
        title: row.title,
    })
}

fn readiness(row: &Row) -> Facts {
    Facts {
        status: row.status.clone(),
        deleted: row.status == Status::Tombstone,
        open_blockers: usize::try_from(row.blockers).unwrap_or(usize::MAX),
        defer: row.defer,
        parent_epic: row.kind == "epic" && row.children > 0,
    }
}

fn reason(view: &View<'_>, row: &Row, why: &Readiness) -> Result<String> {
    Ok(match why {
        Readiness::Ready => "it can't be read".to_owned(),
        Readiness::Blocked(_) => {
            let ids: Vec<String> = open_blockers(view, row)?
                .into_iter()
                .map(|blocker| blocker.id)
                .collect();
            format!("blocked by {}", ids.join(", "))
        }
        Readiness::Deferred(Some(until)) => format!(
            "deferred until {}",
            view.clock().formatted(*until, "%Y-%m-%d")
        ),
        Readiness::Deferred(None) => "deferred".to_owned(),
        Readiness::RollUp if row.open_children == 0 => {
            "an epic with open issues below its closed children: work on those".to_owned()
        }
        Readiness::RollUp => {
            format!(
                "an epic with {} children, {} of them open: work on those",
                row.children, row.open_children
            )
        }
        Readiness::Status(status) => match &row.assignee {
            Some(assignee) => format!("{status} ({assignee})"),
            None => status.to_string(),
        },
    })
}

/// Says that nothing can be started, of all or of what was asked for.
fn nothing(view: &View<'_>, query: &Query) -> Error {
    let all = view
        .index
        .counts(view.now())
        .map_or(0, |counts| counts.ready);
    if all == 0 || query.is_plain() {
        let error = Error::new(Code::NothingReady, "nothing is ready that you may start");
        return error.hinted(Command::of("ready").flag("--explain"));
    }
    let message = format!("nothing is ready of what was asked for ({all} others are)");
    Error::new(Code::NothingReady, message).hinted(Command::of("ready"))
}

/// Takes the first ready issue, atomically.
///
/// # Errors
/// Nothing is ready: code `nothing_ready`.
pub(crate) fn claim(tracker: &Tracker, query: &Query) -> Result<Started> {
    let chosen = |view: &View<'_>| -> Result<Row> {
        let first = first_to_take(view, &condition(view, query)?, order(query)?)?;
        first.ok_or_else(|| nothing(view, query))
    };
    let started = start_chosen(tracker, &|tx| Ok(chosen(&tx.view)?.uid), false)?;
    // Who works through the queue is sent on like this, as long as there is more.
    tracker.note_queue(query.is_plain());
    Ok(started.with_claim())
}
