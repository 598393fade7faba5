//! What two histories have in common, also where that is behind a cut.

use super::Exchange;
use crate::ops::shared::presence::begun_apart;
use crate::ops::{Code, Command, Error, Result};
use crate::store::{Distance, HistoryPart, Oid};

impl Exchange<'_> {
    /// Returns the distance of the tip of the remote. What both have in common can be behind a cut, and a merge without it
    /// would take each value that both have for a conflict: then the rest of the history is brought first.
    /// Errors: no remote has it.
    pub(super) fn distance(&self, ours: Oid, theirs: Oid) -> Result<Distance> {
        let mut distance = self.store.ancestry().distance(ours, theirs)?;
        // What is missing here need not be at this remote.
        let names = self.store.remotes().names().into_iter();
        let mut others = names.filter(|name| name != self.remote);
        let mut next = Some(self.remote.to_owned());
        while !distance.related && self.is_cut(ours, theirs)? {
            let Some(remote) = next else {
                return self.unless_kin(ours, theirs, distance);
            };
            let is_own = remote == self.remote;
            let remotes = if is_own {
                self.remotes()
            } else {
                self.store.remotes()
            };
            let brought = remotes
                .part(HistoryPart::Whole)
                .fetch(&remote, false, self.cancel);
            if is_own {
                brought?;
            }
            distance = self.store.ancestry().distance(ours, theirs)?;
            next = others.next();
        }
        Ok(distance)
    }

    fn is_cut(&self, ours: Oid, theirs: Oid) -> Result<bool> {
        let depth = self.store.remotes().depth();
        Ok(depth.is_cut(ours)? || depth.is_cut(theirs)?)
    }

    /// Refuses what has the same origin, but has nothing in common that is here.
    fn unless_kin(&self, ours: Oid, theirs: Oid, distance: Distance) -> Result<Distance> {
        if begun_apart(self.tracker, ours, theirs)?.is_some() {
            return Ok(distance);
        }
        let message = format!(
            "what these issues and those of {} have in common is not here: the history is cut",
            self.remote
        );
        let whole = Command::of("fetch").flag("--unshallow").flag("--remote");
        let whole = whole
            .placeholder("NAME")
            .then(" brings it from a remote that has all of it");
        Err(Error::new(Code::Cut, message).hinted(whole))
    }
}
