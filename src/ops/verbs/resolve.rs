//! `resolve`: settles what was written at the same time.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::model::claim::AGENT;
use crate::model::edge::PARENT_CHILD;
use crate::model::issue::CLAIM;
use crate::model::memory::ANSWER;
use crate::model::{Field, FieldKind, Issue, Party, Target, Writer};
use crate::ops::shared::conflicts::{Entry, of_issue};
use crate::ops::shared::dependency::check_edge;
use crate::ops::shared::edit::{Updated, change};
use crate::ops::shared::entry::find_entry;
use crate::ops::shared::fields::set_field;
use crate::ops::{Code, Command, Error, Result, Tracker, Tx};

/// A field to settle, and the value for it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["id", "field"]))]
pub(crate) struct Resolve {
    /// The issue.
    #[schemars(description = "")]
    pub id: String,
    /// The field.
    #[schemars(description = "")]
    pub field: String,
    /// The value with this number; 0 keeps the one that is shown.
    #[schemars(description = "Number of the value; 0 keeps the current one")]
    pub take: Option<usize>,
    /// This text instead.
    #[schemars(description = "")]
    pub value: Option<String>,
}

/// Settles a field: the chosen value is written, the others are marked as seen.
pub(crate) fn resolve(tracker: &Tracker, request: &Resolve) -> Result<Updated> {
    change(
        tracker,
        std::slice::from_ref(&request.id),
        "resolve",
        |tx, issue, writer| {
            let mut here = of_issue(&tx.view, issue)?;
            here.retain(|(entry, _)| entry.field == request.field);
            let hint = || Command::of("conflicts").id(&request.id);
            if here.is_empty() {
                let message = format!("{} has no conflict in `{}`", request.id, request.field);
                return Err(Error::not_found(message).hinted(hint()));
            }
            if let Some(ending) = answer_ending(&request.field) {
                settle_answer(tx, issue, writer, (request, ending, here))?;
                return Ok(vec!["conflicts"]);
            }
            if let Some(text) = &request.value {
                let field = Field::from_key(&request.field)
                    .filter(|field| field.kind() != FieldKind::Labels)
                    .ok_or_else(|| no_text(request))?;
                tx.live(issue.uid())?;
                set_field(tx, issue, writer, field, text)?;
            }
            if let Some((entry, value)) = taken(request, here)? {
                tx.live(issue.uid())?;
                check_parent(tx, issue, writer, &entry, &value)?;
                let agent = tx.view.tracker.party().agent;
                put(issue, writer, &entry, value, agent);
            }
            if request.field == CLAIM {
                issue.settle_claims(writer);
            }
            issue.blob_mut().settle(&request.field, writer.at);
            Ok(vec!["conflicts"])
        },
    )
}

/// Returns the value that is taken in place of the one that is shown.
fn taken(request: &Resolve, here: Vec<(Entry, Option<Value>)>) -> Result<Option<(Entry, Value)>> {
    let Some(n) = request.take.filter(|n| *n > 0) else {
        return Ok(None);
    };
    let Some((entry, value)) = here.into_iter().find(|(entry, _)| entry.n == n) else {
        let message = format!("there is no value {n} for `{}`", request.field);
        return Err(Error::invalid(message).hinted(Command::of("conflicts").id(&request.id)));
    };
    let value = value.ok_or_else(|| {
        let message = format!(
            "value {n} of `{}` can't be read: its blob is not here",
            request.field
        );
        Error::new(Code::Unreadable, message).hinted(Command::of("doctor").flag("--remote"))
    })?;
    Ok(Some((entry, value)))
}

/// Returns the end of the id of the question whose answer a field is.
fn answer_ending(field: &str) -> Option<&str> {
    field.strip_prefix(ANSWER)?.strip_prefix(':')
}

/// Settles the answers to a question: a text or one that lost is written, else the one that is shown stays.
fn settle_answer(
    tx: &mut Tx<'_>,
    issue: &Issue,
    writer: &Writer,
    (request, ending, here): (&Resolve, &str, Vec<(Entry, Option<Value>)>),
) -> Result<()> {
    // The registers of an answer are in the blob of its question, not in that of the issue.
    let mut question = find_entry(tx, issue, ending)?;
    let lost = taken(request, here)?.and_then(|(_, value)| value.as_str().map(str::to_owned));
    let shown = || question.answer().map(|(text, _)| text.to_owned());
    let text = request.value.clone().or(lost).or_else(shown);
    tx.live(issue.uid())?;
    question.set_answer(writer, &text.unwrap_or_default());
    tx.put_memory(issue.uid(), question);
    Ok(())
}

/// Refuses a parent that lost where no write may set it now: it may wait for the issue or be part of it since.
fn check_parent(
    tx: &Tx<'_>,
    issue: &Issue,
    writer: &Writer,
    entry: &Entry,
    value: &Value,
) -> Result<()> {
    let mut then = issue.clone();
    if entry.field == "parent" {
        then.blob_mut().put(writer, &entry.field, value.clone());
    }
    match then.parent() {
        Some((Target::Uid(parent), _)) if then != *issue => {
            tx.live(parent)?;
            check_edge(tx, issue, parent, PARENT_CHILD)
        }
        _ => Ok(()),
    }
}

/// Writes a value that lost; a claim comes back with its status and its assignee, or it would not count. A close is that of who
/// takes it: the agent of the caller, if there is one, has closed the issue then.
fn put(issue: &mut Issue, writer: &Writer, entry: &Entry, mut value: Value, agent: Option<String>) {
    if let Some(status) = value.as_object_mut().filter(|_| entry.field == "status") {
        status.remove(AGENT);
        let agent = agent.filter(|_| status.get("s") == Some(&"closed".into()));
        status.extend(agent.map(|agent| (AGENT.to_owned(), agent.into())));
    }
    if entry.field == CLAIM {
        let party = Party {
            person: entry.by.clone(),
            agent: value[AGENT].as_str().map(str::to_owned),
        };
        issue.take(writer, &party);
    } else {
        issue.blob_mut().put(writer, &entry.field, value);
    }
}

fn no_text(request: &Resolve) -> Error {
    let field = request.field.as_str();
    Error::invalid(format!("`{field}` can't be written as a text")).hinted(
        Command::of("resolve")
            .id(&request.id)
            .word(field)
            .flag("--take")
            .placeholder("N"),
    )
}
