//! Names and words that a query is asked by, looked up in the state.

use crate::index::{Condition, Fact, Order, Pattern, names_like};
use crate::model::query::STATES;
use crate::model::{Party, Status};
use crate::ops::shared::commit_links::closed_by_commits;
use crate::ops::shared::words::{custom_status, unknown_status};
use crate::ops::{Command, Error, Result, View};

/// People whom a part of a name can mean.
const MOST_PEOPLE: usize = 100;

/// Returns the condition for a name as lists show it: an assignee, or what an agent has in progress, by `person/agent` or the
/// name of the agent alone, where no one by that name is assigned to anything. A name that no one has means all who have it as
/// a part, in any case.
pub(super) fn holder(view: &View<'_>, name: &String) -> Result<Condition> {
    let assigned = Condition::from(Fact::Assignee(name.into()));
    if is_any(view, &assigned)? {
        return Ok(assigned);
    }
    let by_agent = by_agent(name);
    if is_any(view, &by_agent)? {
        return Ok(by_agent);
    }
    let people = people_like(view, name)?;
    Ok(match people.is_empty() {
        true => assigned,
        false => Condition::Any(
            people
                .iter()
                .map(|name| Fact::Assignee(name.into()).into())
                .collect(),
        ),
    })
}

/// Returns the condition for who made an issue: a name, or where no one has it, as a part, in any case.
pub(super) fn author(view: &View<'_>, name: &Pattern) -> Result<Condition> {
    let exact = Condition::from(Fact::Author(name.clone()));
    if name.is_beginning || is_any(view, &exact)? {
        return Ok(exact);
    }
    let people = people_like(view, &name.text)?;
    Ok(match people.is_empty() {
        true => exact,
        false => Condition::Any(
            people
                .iter()
                .map(|name| Fact::Author(name.into()).into())
                .collect(),
        ),
    })
}

/// Returns the names of people that have one as a part, in any case.
/// Errors: Too many have it to be meant.
pub(super) fn people_like(view: &View<'_>, part: &str) -> Result<Vec<String>> {
    let people = names_like(view.index.people()?, part);
    if people.len() > MOST_PEOPLE {
        let message = format!("`{part}` is in the names of {} people", people.len());
        return Err(Error::invalid(message).hinted(Command::of("people")));
    }
    Ok(people)
}

fn is_any(view: &View<'_>, condition: &Condition) -> Result<bool> {
    Ok(!view
        .index
        .first(condition, Order::Priority, 1, 0)?
        .is_empty())
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
    if let Some(custom) = custom_status(view, word)? {
        return Ok(custom);
    }
    if word == "all" {
        let error = Error::invalid("`all` is not a status");
        return Err(error.hinted(Command::of("list").flag("--all")));
    }
    if STATES.contains(&word.to_lowercase().as_str()) {
        let error = Error::invalid(format!("`{word}` is no status"));
        return Err(error.hinted(Command::of("list").flag("-w").text(format!("is:{word}"))));
    }
    Err(unknown_status(word, &[]))
}

/// Returns what an agent has in progress, by its name or with that of its person.
fn by_agent(name: &str) -> Condition {
    Condition::from(match name.rsplit_once('/') {
        Some((person, agent)) => Fact::Holder(Party {
            person: person.to_owned(),
            agent: Some(agent.to_owned()),
        }),
        None => Fact::Agent(name.to_owned()),
    })
}

/// Returns the condition that an issue waits for a person: a question to an agent that is known here is none to a person.
pub(crate) fn waiting_or_asking(view: &View<'_>) -> Condition {
    Condition::Fact(Fact::Waiting(view.tracker.store().agents().names()))
}
