//! Names and words that a query is asked by, looked up in the state.

use crate::index::{Filter, Order};
use crate::model::{Party, Status};
use crate::ops::shared::commit_links::closed_by_commits;
use crate::ops::shared::words::unknown_status;
use crate::ops::{Command, Error, Result, View};

/// Returns the filter for a name as lists show it: an assignee, or what an agent has in progress, by `person/agent` or the
/// name of the agent alone, where no one by that name is assigned to anything.
pub(crate) fn holder(view: &View<'_>, name: Option<String>) -> Result<Filter> {
    let assigned = Filter {
        assignee: Some(name.clone()),
        done: true,
        deleted: true,
        ..Filter::default()
    };
    let Some(name) = name else {
        return Ok(assigned);
    };
    let is_any = |filter: &Filter| -> Result<bool> {
        Ok(!view.index.first(filter, Order::Priority, 1, 0)?.is_empty())
    };
    let by_agent = by_agent(name);
    // The few that are in progress are asked first: a name that no agent has costs no more.
    match is_any(&by_agent)? && !is_any(&assigned)? {
        true => Ok(by_agent),
        false => Ok(assigned),
    }
}

/// Returns the numbers of the issues that a commit on the default branch closes.
pub(crate) fn landed(view: &View<'_>) -> Result<Vec<i64>> {
    let closed = closed_by_commits(view)?;
    Ok(closed.iter().map(|(row, _)| row.num).collect())
}

/// A status of the contract, or one that an import brought.
pub(crate) fn stored_status(view: &View<'_>, word: &str) -> Result<String> {
    if let Some(known) = Status::parse(word) {
        return Ok(known.as_str().to_owned());
    }
    if view.index.counts(view.now())?.statuses.contains_key(word) {
        return Ok(word.to_owned());
    }
    if word == "all" {
        let error = Error::invalid("`all` is not a status");
        return Err(error.hinted(Command::of("list").flag("--all")));
    }
    Err(unknown_status(word))
}

/// Returns what an agent has in progress, by its name or with that of its person.
fn by_agent(name: String) -> Filter {
    match name.rsplit_once('/') {
        Some((person, agent)) => Filter {
            holder: Some(Party {
                person: person.to_owned(),
                agent: Some(agent.to_owned()),
            }),
            ..Filter::default()
        },
        None => Filter {
            agent: Some(name),
            ..Filter::default()
        },
    }
}
