//! The operations that an undo is about: the last of the caller's own that are still in effect, or the one that is
//! named.

use std::collections::HashSet;

use super::short;
use crate::index::{OpFilter, OpRecord};
use crate::model::Uid;
use crate::ops::tracker::YIELD;
use crate::ops::{Code, Command, Error, Result, View};
use crate::store::{Commit, Oid, Store, Written};

/// A number of more digits is the beginning of a commit.
const LONGEST_NUMBER: usize = 3;
/// So many operations are read in the beginning; then twice as many, while there are more.
const FIRST: usize = 16;

/// The operations to be taken back.
pub(crate) enum UndoArgument<'a> {
    /// So many of the last.
    Last(usize),
    /// The one that this names.
    Named(&'a str),
}

/// Reads the argument; without one it is the last operation.
pub(crate) fn parse(text: Option<&str>) -> Result<UndoArgument<'_>> {
    let text = text.unwrap_or("1").trim();
    match text.parse() {
        Ok(0) => {
            Err(Error::invalid("0 operations are nothing to undo").hinted(Command::of("undo")))
        }
        Ok(n) if text.len() <= LONGEST_NUMBER => Ok(UndoArgument::Last(n)),
        _ => Ok(UndoArgument::Named(text)),
    }
}

/// The operation that a text names.
pub(crate) fn named(view: &View<'_>, text: &str, force: bool) -> Result<OpRecord> {
    let named = view.revision(text);
    let named = named.map_err(|error| match view.rewritten_as(text) {
        Some((_, new)) => error.hinted(Command::of("undo").word(new)),
        None => error,
    });
    let commit = named?.commit();
    let Some(operation) = view.index.oplog().operation(commit)? else {
        let message = format!("{} is not in the history here", short(commit));
        return Err(Error::not_found(message).hinted(Command::of("sync")));
    };
    let read = view.snapshot().store().ancestry().commit(commit)?;
    if read.is_merge() {
        let message = format!(
            "{} is a merge; what it brought are operations of their own",
            short(commit)
        );
        return Err(Error::invalid(message).hinted(Command::of("log")));
    }
    if read.snapshot_root().is_some() {
        let message = format!(
            "{} is a snapshot of a store; what came before it is not here",
            short(commit)
        );
        return Err(Error::new(Code::UndoAtCut, message).hinted(Command::of("log")));
    }
    if !force && view.index.oplog().undone()?.contains(&commit) {
        let by = view
            .index
            .oplog()
            .undoings()?
            .into_iter()
            .find(|undoing| undoing.undoes.contains(&commit));
        let by = by.map_or(commit, |undoing| undoing.commit);
        let message = format!(
            "{} ({}) is undone already, by {}, which can be undone in turn",
            short(commit),
            operation.subject,
            short(by)
        );
        return Err(Error::new(Code::Undone, message).hinted(Command::of("undo").word(short(by))));
    }
    Ok(operation)
}

/// The operations of the caller that stand, newest first.
#[derive(Default)]
pub(crate) struct Own {
    issue: Option<Uid>,
    /// Those of this agent; without one, those of the person alone.
    agent: Option<String>,
    undone: HashSet<Oid>,
    seen: HashSet<Oid>,
    read: std::vec::IntoIter<OpRecord>,
    limit: usize,
    all: bool,
}

impl Own {
    /// Those that wrote an issue, where one is named, by an agent, or by the person without one.
    pub(crate) fn on(issue: Option<Uid>, agent: Option<String>) -> Self {
        Self {
            issue,
            agent,
            ..Self::default()
        }
    }

    /// The next one; none is an undo, a merge, a claim that gave way at a sync, or the beginning of the store.
    pub(crate) fn next(&mut self, view: &View<'_>) -> Result<Option<OpRecord>> {
        loop {
            while let Some(operation) = self.read.next() {
                let stands =
                    // An undo is undone by name only: else two in a row would only go back and forth.
                    operation.undoes.is_empty() && !self.undone.contains(&operation.commit);
                // `read_more` begins at the newest again, so most of what it reads was seen.
                let is_first = self.seen.insert(operation.commit);
                if is_first && stands && self.counts(view, &operation)? {
                    return Ok(Some(operation));
                }
            }
            if self.all {
                return Ok(None);
            }
            self.read_more(view)?;
        }
    }

    /// Returns true if an operation changed anything but the store itself, is no merge, did not come of a sync, and is by the caller.
    fn counts(&self, view: &View<'_>, operation: &OpRecord) -> Result<bool> {
        // Before the commit is read: others can have done much since.
        if operation.agent != self.agent {
            return Ok(false);
        }
        let store = view.snapshot().store();
        let commit = store.ancestry().commit(operation.commit)?;
        Ok(commit.trailer(YIELD).is_none() && wrote(store, &commit)?)
    }

    fn read_more(&mut self, view: &View<'_>) -> Result<()> {
        if self.limit == 0 {
            self.undone = view.index.oplog().undone()?;
        }
        self.limit = FIRST.max(2 * self.limit);
        let actors = Some(vec![view.tracker.actor().to_owned()]);
        let found = view.index.oplog().operations(&OpFilter {
            issue: self.issue,
            actors,
            limit: self.limit,
            ..OpFilter::default()
        })?;
        self.all = found.len() < self.limit;
        self.read = found.into_iter();
        Ok(())
    }
}

/// Returns the last operation on an issue, where that is newer than one that is taken back, and another's.
pub(crate) fn newer(
    view: &View<'_>,
    issue: Option<Uid>,
    than: &OpRecord,
) -> Result<Option<OpRecord>> {
    if issue.is_none() {
        return Ok(None);
    }
    let last = OpFilter {
        issue,
        limit: 1,
        ..OpFilter::default()
    };
    // The index has the newest first: one row is enough.
    let mut found = view.index.oplog().operations(&last)?;
    let Some(last) = found.pop().filter(|last| last.commit != than.commit) else {
        return Ok(None);
    };
    let commit = view.snapshot().store().ancestry().commit(last.commit)?;
    let caller = view.tracker.party();
    let is_own = last.actor == caller.person && last.agent == caller.agent;
    Ok((!is_own && !commit.is_merge()).then_some(last))
}

/// Returns true if an operation changed anything, and is neither a merge nor the beginning of a store.
fn wrote(store: &Store, commit: &Commit) -> Result<bool> {
    let listed = commit.trailer("Issues").is_some();
    if commit.is_merge() || commit.is_root() || listed {
        return Ok(listed && !commit.is_merge() && !commit.is_root());
    }
    Ok(match store.ancestry().written_by(commit, None)? {
        Written::Paths(touched) => !touched.is_empty(),
        // It may have: to take it back is refused then.
        Written::Cut => true,
    })
}
