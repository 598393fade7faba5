//! One state with its index: what operations read.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;

use super::Tracker;
use crate::env::Env;
use crate::env::time_zone::time_zone;
use crate::index::{Index, IndexError, is_current};
use crate::model::{Clock, Issue, Memory, Uid, id};
use crate::ops::{Command, Error, Result};
use crate::store::{Oid, Snapshot};

/// The part of the present that a state of the past needs.
pub(super) struct PastState<'t> {
    pub(super) revision: String,
    now: u64,
    present: Snapshot<'t>,
    purged: HashMap<Uid, Oid>,
}

/// One state with its index.
pub struct View<'t> {
    /// The tracker that it belongs to.
    pub tracker: &'t Tracker,
    /// The index at the state.
    pub index: Index<'t>,
    pub(super) past: Option<PastState<'t>>,
    prefix: OnceCell<String>,
    pub(in crate::ops) announced: OnceCell<Vec<String>>,
    is_whole: Cell<bool>,
}

/// Returns a clock of the user's zone that shows a time in milliseconds.
pub(crate) fn clock_at(env: &Env, now: u64) -> Clock {
    Clock::new(now, time_zone(env))
}

impl<'t> View<'t> {
    pub(in crate::ops) fn new(tracker: &'t Tracker, index: Index<'t>) -> Self {
        Self {
            tracker,
            index,
            past: None,
            prefix: OnceCell::new(),
            announced: OnceCell::new(),
            is_whole: Cell::new(false),
        }
    }

    /// Asks the index for the last time, under one lock, for a short answer that fills nothing: a process that moves the cache
    /// on waits for it. Whatever was asked before it is of the same state, since a cache never goes back.
    /// Errors: the cache has moved on before, and the question has to be asked again.
    pub(in crate::ops) fn last<T>(&self, ask: impl FnOnce() -> Result<T>) -> Result<T> {
        self.index.at_once(|| {
            if !is_current(&self.index) {
                return Err(IndexError::Stale.into());
            }
            self.is_whole.set(true);
            ask()
        })?
    }

    /// Whether the answer is known to be of one state.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole.get()
    }

    /// The state.
    pub(crate) fn snapshot(&self) -> Snapshot<'t> {
        self.index.snapshot()
    }

    /// The present, in milliseconds; in the past, the time it is seen from.
    pub(crate) fn now(&self) -> u64 {
        self.past
            .as_ref()
            .map_or_else(|| self.tracker.now(), |past| past.now)
    }

    /// The present, as [`View::now`], and the zone of the user.
    pub(crate) fn clock(&self) -> Clock {
        clock_at(self.tracker.env(), self.now())
    }

    /// The last moment that belongs to this view, in milliseconds: the present has none.
    pub(crate) fn horizon(&self) -> u64 {
        self.past.as_ref().map_or(u64::MAX, |past| past.now)
    }

    /// Returns the view of a state of the past, which a revision names, as it is seen from a time in milliseconds.
    pub(in crate::ops) fn seen_from(
        &self,
        revision: &str,
        snapshot: Snapshot<'t>,
        now: u64,
    ) -> Result<Self> {
        let past = PastState {
            revision: revision.to_owned(),
            now,
            present: self.snapshot(),
            // Asked of the present: the past does not know what was purged after it.
            purged: self.index.purged()?,
        };
        Ok(Self {
            past: Some(past),
            ..Self::new(self.tracker, self.index.at_revision(snapshot)?)
        })
    }

    /// The prefix of new ids: `beads.prefix`, else the store's own.
    pub(crate) fn prefix(&self) -> Result<&str> {
        if let Some(prefix) = self.prefix.get() {
            return Ok(prefix);
        }
        let prefix = match self.tracker.store.config("beads.prefix") {
            // `git config` takes any text, so it is checked where it is used.
            Some(prefix) => {
                id::check_prefix(&prefix).map_err(|error| {
                    let setting = Command::line("git config beads.prefix");
                    Error::from(error).hinted(setting.word(id::prefix_like(&prefix)))
                })?;
                prefix
            }
            None => crate::model::prefix::of(&self.snapshot().meta()?).to_owned(),
        };
        Ok(self.prefix.get_or_init(|| prefix))
    }

    /// An issue that is there.
    ///
    /// # Errors
    /// One that can't be read.
    pub(crate) fn issue(&self, uid: Uid) -> Result<Issue> {
        self.issue_at(uid, self.index.objects_of(uid)?)
    }

    fn issue_at(&self, uid: Uid, objects: Option<(Oid, bool)>) -> Result<Issue> {
        // A purged issue is read from the present: no state of the past may show its text.
        let purged = self
            .past
            .as_ref()
            .filter(|past| past.purged.contains_key(&uid));
        let snapshot = purged.map_or_else(|| self.snapshot(), |past| past.present);
        match objects {
            Some((blob, _)) => Ok(snapshot.issue_in(uid, blob)??),
            None => by_path(snapshot, uid),
        }
    }

    /// An issue that is about to be written: the trees above it are read for that anyway.
    pub(in crate::ops) fn issue_to_write(&self, uid: Uid) -> Result<Issue> {
        by_path(self.snapshot(), uid)
    }

    /// The memory of an issue, oldest first; what can't be read is left out and counted.
    pub(crate) fn memory(&self, uid: Uid) -> Result<(Vec<Memory>, usize)> {
        self.memory_at(uid, self.index.objects_of(uid)?)
    }

    fn memory_at(&self, uid: Uid, objects: Option<(Oid, bool)>) -> Result<(Vec<Memory>, usize)> {
        match objects {
            // The index knows that there is no memory: no tree is opened.
            Some((_, false)) => Ok((Vec::new(), 0)),
            _ => Ok(self.snapshot().memory(uid)?),
        }
    }

    /// An issue and its memory, as [`View::issue`] and [`View::memory`] read them.
    pub(crate) fn issue_and_memory(&self, uid: Uid) -> Result<(Issue, (Vec<Memory>, usize))> {
        let objects = self.index.objects_of(uid)?;
        Ok((self.issue_at(uid, objects)?, self.memory_at(uid, objects)?))
    }

    /// Returns the id of an issue.
    pub(crate) fn id(&self, uid: Uid) -> Result<String> {
        Ok(self
            .index
            .ids()
            .id_of(uid)?
            // An issue that is not in this state is named by its identity.
            .unwrap_or_else(|| uid.to_string()))
    }
}

fn by_path(snapshot: Snapshot<'_>, uid: Uid) -> Result<Issue> {
    Ok(snapshot.issue(uid)?.ok_or_else(|| Error::no_issue(uid))??)
}
