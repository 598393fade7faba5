//! Ids: which are free, and what follows when an issue gets another.

use serde_json::Value;

use crate::model::id::child_number;
use crate::model::{IssueId, Status, Uid, prefix};
use crate::ops::{Code, Command, Error, Hint, Result, Tracker, Tx};

/// An id that is free, for a new issue or for the one named.
pub(crate) fn free(tx: &Tx<'_>, id: &str, own: Option<Uid>) -> Result<IssueId> {
    let id = IssueId::given(id.trim())?;
    if tx.is_free(id.as_str(), own)? {
        return Ok(id);
    }
    // What only a remote has can't be shown before it is merged.
    let hint = match tx.view.index.ids().is_taken(id.as_str(), own)? {
        false
            if tx
                .view
                .reserved_ids()?
                .iter()
                .any(|known| known == id.as_str()) =>
        {
            Command::of("sync")
        }
        _ => Command::of("show").id(&id),
    };
    Err(Error::new(Code::Taken, format!("{id} is taken")).hinted(hint))
}

/// Returns the ids in front of other words, and those words. A word is an id where it is written with a prefix, and names an
/// issue.
/// Errors: a later word that is written like an id, which is meant as one.
pub(crate) fn leading(tracker: &Tracker, words: Vec<String>) -> Result<(Vec<String>, Vec<String>)> {
    if !words.iter().any(|word| word.contains('-')) {
        return Ok((Vec::new(), words));
    }
    let (at, misplaced) = tracker.read(|view| {
        let own = format!("{}-", prefix::of(&view.snapshot().meta()?));
        let is_id = |word: &String| word.contains('-') && view.find(word).is_ok();
        let at = words.iter().position(|word| !is_id(word));
        let others = &words[at.unwrap_or(words.len())..];
        let misplaced = others
            .iter()
            .find(|word| word.starts_with(&own) || is_id(word));
        Ok((words.len() - others.len(), misplaced.cloned()))
    })?;
    if let Some(word) = misplaced {
        return Err(no_label(&word));
    }
    let mut ids = words;
    let others = ids.split_off(at);
    Ok((ids, others))
}

/// The error for an id that is where labels are.
fn no_label(word: &str) -> Error {
    let message = format!("`{word}` looks like an ID, not like a label");
    let hint = "ids come first; `--` in front of the labels allows such a label";
    Error::new(Code::Usage, message).hinted(Hint::text(hint))
}

/// The branches of this clone are still about an issue that has another id.
pub(crate) fn rename_branches(tracker: &Tracker, old: &str, new: &str) {
    if let Err(error) = tracker
        .store()
        .user_branches()
        .rename_branch_issue(old, new)
    {
        tracker.warn(format!("its branch still names {old}: {error}"));
    }
}

/// Notes at the parent that a child's number was used, so that it is not given again.
pub(crate) fn remember_number(tx: &mut Tx<'_>, id: &str) -> Result<()> {
    let Some((above, _)) = id.rsplit_once('.') else {
        return Ok(());
    };
    let Some(number) = child_number(above, id) else {
        return Ok(());
    };
    let Some(parent) = tx
        .view
        .index
        .ids()
        .issues_with_id(above)?
        .into_iter()
        .next()
    else {
        return Ok(());
    };
    // A deleted parent gets no more children, so there is nothing to remember; a purged one can't be read.
    if tx.status(parent)? == Status::Tombstone {
        return Ok(());
    }
    let mut parent = tx.issue(parent)?;
    // Never lowered: a number that was given once is not given again.
    if parent.blob().value("last_child").as_u64().unwrap_or(0) < number {
        let writer = tx.writer(&parent)?;
        parent
            .blob_mut()
            .set(&writer, "last_child", Value::from(number));
        tx.put(parent);
    }
    Ok(())
}
