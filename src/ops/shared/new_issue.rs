//! A new issue with its fields and a free id.

use serde_json::Value;

use super::fields::set_field;
use crate::model::id::IdError;
use crate::model::{Field, FieldMap, Issue, IssueId, Status, Uid, id};
use crate::ops::{Command, Error, Hint, Result, Tx};

/// Types that a title can begin with.
const KINDS: [&str; 4] = ["bug", "feature", "chore", "task"];
/// Draws of an id before it gets longer.
const DRAWS: u32 = 8;

/// Makes an issue with its fields and a free id; the caller stages it. The parent decides the id, so
/// it is given apart.
pub(crate) fn build(
    tx: &mut Tx<'_>,
    fields: &FieldMap<Option<String>>,
    parent: Option<Uid>,
) -> Result<Issue> {
    let (mut issue, writer) = tx.new_issue();
    let id = match parent {
        Some(parent) => child_id(tx, parent)?,
        None => root_id(tx)?,
    };
    issue
        .blob_mut()
        .put(&writer, "id", Value::from(id.as_str()));
    let title = fields[Field::Title].as_deref().unwrap_or_default();
    let (kind, title) = match &fields[Field::Type] {
        Some(kind) => (kind.as_str(), title),
        None => kind_of(title.trim()),
    };
    issue.set_title(&writer, title).map_err(|error| {
        Error::from(error).hinted(Command::of("create").placeholder("What is to be done"))
    })?;
    let priority = fields[Field::Priority].as_deref().unwrap_or("2");
    for (field, text) in [(Field::Type, kind), (Field::Priority, priority)] {
        set_field(tx, &mut issue, &writer, field, text)?;
    }
    // Before the other fields, one of which may be a status.
    issue.set_status(&writer, Status::Open);
    for (field, text) in fields.iter() {
        let is_set = matches!(
            field,
            Field::Title | Field::Type | Field::Priority | Field::Parent
        );
        if let Some(text) = text.as_deref().filter(|_| !is_set) {
            set_field(tx, &mut issue, &writer, field, text)?;
        }
    }
    issue.set_parent(&writer, parent);
    Ok(issue)
}

/// Splits a text such as `bug: It hangs` into type and rest.
pub(super) fn kind_of(text: &str) -> (&'static str, &str) {
    let named = text.split_once(':').and_then(|(word, rest)| {
        let word = word.trim().to_lowercase();
        let kind = KINDS.into_iter().find(|kind| *kind == word)?;
        Some((kind, rest.trim()))
    });
    named.unwrap_or(("task", text))
}

fn child_id(tx: &Tx<'_>, parent: Uid) -> Result<IssueId> {
    let parent = tx.issue(parent)?;
    if parent.is_deleted() {
        return Err(Error::deleted(parent.id()));
    }
    // A child that was renamed away still counts.
    let used = parent.blob().value("last_child").as_u64().unwrap_or(0);
    let parent = IssueId::parse(parent.id())?;
    let next = tx.last_child(parent.as_str())?.max(used) + 1;
    parent.child(next).map_err(|error| {
        let hint = match error {
            IdError::Quoted(_) => Hint::run(
                "give the parent another id first: ",
                Command::of("rename")
                    .id(&parent)
                    .word(id::plain(parent.as_str())),
            ),
            _ => Command::of("create")
                .placeholder("TITLE")
                .then(", then git beads update ID --parent PARENT keeps a flat id"),
        };
        Error::from(error).hinted(hint)
    })
}

fn root_id(tx: &Tx<'_>) -> Result<IssueId> {
    let prefix = tx.view.prefix()?.to_owned();
    let here = tx.view.index.ids().known_ids()?;
    // Of a part of a store: the ids of the rest are as taken as those that are here.
    let known = here.max(tx.view.tracker.store().reach_notes().known());
    let shortest = id::length_for(known);
    for draw in 0.. {
        // Several misses in a row mean that ids of this length are nearly used up.
        let id = id::mint(
            &prefix,
            shortest + draw / DRAWS,
            tx.view.tracker.env().random(),
        );
        if tx.is_free(id.as_str(), None)? {
            return Ok(id);
        }
    }
    unreachable!("ids get longer until one is free")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_begin_with_its_type() {
        assert_eq!(kind_of("Bug: It hangs"), ("bug", "It hangs"));
        assert_eq!(kind_of("cache: slow"), ("task", "cache: slow"));
    }
}
