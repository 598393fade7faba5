//! `log`: what was done, by whom and why, newest first.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index;
use crate::model::Uid;
use crate::model::date::Period;
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::issue_diff::{Described, DiffDetail, describe_commit};
use crate::ops::shared::operation::Operation;
use crate::ops::shared::words::bad_date;
use crate::ops::{Result, Tracker, View};

/// A choice of operations, and of what is shown of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// Those on an issue.
    pub id: Option<String>,
    /// Shows what they changed, field by field.
    pub patch: bool,
    /// The part of the changes to show.
    pub detail: DiffDetail,
    /// Not before this date.
    pub since: Option<String>,
    /// Not after this date.
    pub until: Option<String>,
    /// By whom: a name, a part of one, `me`, or an agent.
    pub author: Option<String>,
    /// So many at most; 0 means all of them.
    pub limit: usize,
}

/// Operations, newest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Log {
    /// The operations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<Operation>,
    /// The commits before which the history is cut, where the list reaches them: earlier ones are not here, nor is
    /// known what these changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
    /// True if there are more than these.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl Answer for Log {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Lists the operations on an issue, or on all. Only those that are listed are looked into.
pub(crate) fn log(tracker: &Tracker, request: &History) -> Result<Log> {
    tracker.read(|view| {
        let wanted = wanted(view, request)?;
        let mut found = match &request.author {
            Some(name) if wanted.actors.as_ref().is_some_and(Vec::is_empty) => {
                by_agent(view, name, &wanted)?
            }
            _ => view.index.oplog().operations(&wanted)?,
        };
        // One more than is shown says that there are more.
        let truncated = request.limit > 0 && found.len() > request.limit;
        if truncated {
            found.truncate(request.limit);
        }
        let mut cut = view.cuts()?;
        // A full page ends before most cuts: only a cut that it shows is its end.
        if truncated {
            cut.retain(|commit| found.iter().any(|one| one.commit.to_string() == *commit));
        }
        let operation = |found| entry(view, found, wanted.issue, request);
        Ok(Log {
            operations: found.into_iter().map(operation).collect::<Result<_>>()?,
            cut,
            truncated,
        })
    })
}

/// Returns the operations of an agent, by `person/agent` or its name alone.
fn by_agent(view: &View<'_>, name: &str, wanted: &index::OpFilter) -> Result<Vec<index::OpRecord>> {
    let (person, agent) = match name.rsplit_once('/') {
        Some((person, agent)) => (Some(person.to_owned()), agent),
        None => (None, name),
    };
    let all = index::OpFilter {
        actors: person.map(|person| vec![person]),
        limit: 0,
        ..wanted.clone()
    };
    let mut found = view.index.oplog().operations(&all)?;
    found.retain(|operation| operation.agent.as_deref() == Some(agent));
    if wanted.limit > 0 {
        found.truncate(wanted.limit);
    }
    Ok(found)
}

fn wanted(view: &View<'_>, request: &History) -> Result<index::OpFilter> {
    let date = |text: &Option<String>| {
        let read = |text: &String| view.clock().past(text).ok_or_else(|| bad_date(text));
        text.as_ref().map(read).transpose()
    };
    let actors = match request.author.as_deref() {
        Some("me") => Some(vec![view.tracker.actor().to_owned()]),
        Some(name) => Some(view.index.oplog().actors_like(name)?),
        None => None,
    };
    Ok(index::OpFilter {
        issue: request.id.as_deref().map(|id| view.find(id)).transpose()?,
        since: date(&request.since)?.map(|period| period.start),
        until: date(&request.until)?.map(Period::last),
        actors,
        limit: match request.limit {
            0 => 0,
            limit => limit.saturating_add(1),
        },
    })
}

fn entry(
    view: &View<'_>,
    found: index::OpRecord,
    issue: Option<Uid>,
    request: &History,
) -> Result<Operation> {
    let commit = found.commit;
    let operation = Operation::with_words(view, found, issue)?;
    if !request.patch {
        return Ok(operation);
    }
    let commit = view.snapshot().store().ancestry().commit(commit)?;
    let Described { issues, more } = describe_commit(view, &commit, issue, request.detail)?;
    Ok(Operation {
        issues,
        more,
        ..operation
    })
}
