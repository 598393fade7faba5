//! Which operations an undo is about: the last of the actor's own that nobody has taken back, or the one that is
//! named.

use super::{Undo, short};
use crate::index::{Operation, Wanted};
use crate::ops::{Error, Result, View};
use crate::store::Oid;

/// A number of more digits is the beginning of a commit.
const LONGEST_NUMBER: usize = 3;
/// So many operations are looked at in the beginning; then twice as many, until there are enough.
const FIRST: usize = 16;

/// The operations to take back, newest first.
///
/// # Errors
/// A text that names none, or one that can't be taken back.
pub(super) fn choose(view: &View<'_>, request: &Undo) -> Result<Vec<Operation>> {
    let text = request.what.as_deref().unwrap_or("1").trim();
    match text.parse::<usize>() {
        Ok(0) => Err(Error::invalid("0 operations are none").hinted("git beads undo")),
        Ok(n) if text.len() <= LONGEST_NUMBER => own(view, n),
        _ => Ok(vec![named(view, text, request.force)?]),
    }
}

fn named(view: &View<'_>, text: &str, force: bool) -> Result<Operation> {
    let commit = view.revision(text)?.commit();
    let Some(operation) = view.index.operation(commit)? else {
        let message = format!("{} is not in the history here", short(commit));
        return Err(Error::not_found(message).hinted("git beads sync"));
    };
    if view.snapshot().store().commit(commit)?.parents.len() > 1 {
        let message = format!("{} is a merge; what it brought are operations of their own", short(commit));
        return Err(Error::invalid(message).hinted("git beads log"));
    }
    if !force && view.index.undone()?.contains(&commit) {
        let by = view.index.undoings()?.into_iter().find(|undoing| undoing.undoes.contains(&commit));
        let by = by.map_or(commit, |undoing| undoing.commit);
        let message = format!(
            "{} ({}) is undone already, by {}, which can be undone in turn",
            short(commit),
            operation.subject,
            short(by)
        );
        return Err(Error::conflict("undone", message).hinted(format!("git beads undo {}", short(by))));
    }
    Ok(operation)
}

/// The last operations of the actor that stand.
fn own(view: &View<'_>, n: usize) -> Result<Vec<Operation>> {
    let undone = view.index.undone()?;
    let actor = view.tracker.actor();
    let mut limit = FIRST.max(n);
    loop {
        let wanted = Wanted { actors: Some(vec![actor.to_owned()]), limit, ..Wanted::default() };
        let found = view.index.operations(&wanted)?;
        let all = found.len() < limit;
        let mut own = Vec::new();
        for operation in found {
            if own.len() < n
                && operation.undoes.is_empty()
                && !undone.contains(&operation.commit)
                && wrote(view, &operation)?
            {
                own.push(operation);
            }
        }
        match own.len() {
            enough if enough == n => return Ok(own),
            0 if all => {
                return Err(
                    Error::not_found(format!("{actor} has done nothing that can be undone")).hinted("git beads log")
                );
            }
            fewer if all => {
                return Err(Error::invalid(format!("{actor} has done only {fewer} that can be undone"))
                    .hinted(format!("git beads undo {fewer}")));
            }
            _ => limit *= 2,
        }
    }
}

/// Whether an operation changed anything but the store itself, and is no merge.
fn wrote(view: &View<'_>, operation: &Operation) -> Result<bool> {
    let store = view.snapshot().store();
    let commit = store.commit(operation.commit)?;
    let listed = commit.trailer("Issues").is_some();
    Ok(commit.parents.len() == 1 && (listed || store.written_by(&commit, None)?.iter().any(|it| !it.is_meta())))
}

/// A purge is for good.
pub(super) fn purged(view: &View<'_>, operation: &Operation) -> Error {
    let message = format!(
        "a purge can't be undone ({} {}): the text is gone for good",
        short(operation.commit),
        operation.subject
    );
    let before = own_before(view, operation).ok().flatten();
    let hint = before.map_or_else(|| "git beads log".to_owned(), |commit| format!("git beads undo {}", short(commit)));
    Error::conflict("purged", message).hinted(hint)
}

/// The operation of the same actor before one, to go on with.
fn own_before(view: &View<'_>, operation: &Operation) -> Result<Option<Oid>> {
    let undone = view.index.undone()?;
    let wanted = Wanted {
        actors: Some(vec![operation.actor.clone()]),
        until: Some(operation.at),
        limit: FIRST,
        ..Wanted::default()
    };
    let found = view.index.operations(&wanted)?;
    let older = found.into_iter().skip_while(|it| it.commit != operation.commit).skip(1);
    for older in older.filter(|it| it.undoes.is_empty() && !undone.contains(&it.commit)) {
        if wrote(view, &older)? {
            return Ok(Some(older.commit));
        }
    }
    Ok(None)
}
