//! An issue as far as a wait depends on it: the same until something that is shown of it changes.

use crate::index::Row;
use crate::model::{Status, Uid};
use crate::ops::{Error, Result, View};
use crate::store::Oid;

/// The state of an issue at one look.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IssueState {
    pub(crate) row: Row,
    blob: Option<Oid>,
    /// The newest stamp of its memory.
    memory: Option<Uid>,
    /// The number of its questions that are answered.
    pub(crate) answered: u64,
}

impl IssueState {
    /// Reads the state of an issue that is there.
    pub(crate) fn read(view: &View<'_>, uid: Uid) -> Result<Self> {
        let row = view.index.row(uid)?.ok_or_else(|| Error::no_issue(uid))?;
        // The number of a row is that of one cache: another process may have made a new one since.
        let row = Row { num: 0, ..row };
        let blob = view.index.objects_of(uid)?.map(|(blob, _)| blob);
        // An entry that is hidden, shown again or answered has a newer stamp too.
        let memory = view.index.memory().newest(uid)?;
        let answered = view.index.memory().answered_count(uid)?;
        Ok(Self {
            row,
            blob,
            memory,
            answered,
        })
    }

    /// Returns whether it can be started at a time.
    pub(crate) fn is_ready(&self, now: u64) -> bool {
        self.row.ready && self.row.defer.is_none_or(|until| until <= now)
    }

    /// Returns whether it is closed or deleted.
    pub(crate) fn is_done(&self) -> bool {
        self.row.status.is_done()
    }

    /// Returns its status.
    pub(crate) fn status(&self) -> &Status {
        &self.row.status
    }
}
