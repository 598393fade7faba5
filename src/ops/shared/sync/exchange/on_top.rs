//! The part of an exchange that sends what is made on top of what came, such as the start of an issue: it is the state here once
//! the remote has it, and else has never been.

use super::Exchange;
use super::sendable::Sendable;
use crate::ops::{Code, Command, Error, Result};
use crate::store::{Oid, Push};

impl Exchange<'_> {
    /// Makes what is to be sent with what came; false where that changes nothing.
    pub(super) fn add_on_top(&self, made: &mut Sendable) -> Result<bool> {
        let Some(on_top) = self.on_top.filter(|_| !made.is_outdated) else {
            return Ok(true);
        };
        made.beneath = Some(made.staged.clone());
        let added = on_top(made.staged.tip())?;
        let is_change = added.is_some();
        made.staged.add(added);
        Ok(is_change)
    }

    /// Asks the remote whether it has what was sent without an answer: only what it has counts. `before` is the tip that it had.
    ///
    /// Where it still has that, it may be slow and take it yet, so the same is sent once more, and nothing else. Where it has
    /// moved it refuses what it still looks at.
    pub(super) fn after_silence(
        &mut self,
        made: &Sendable,
        before: Option<Oid>,
        error: Error,
    ) -> Result<Push> {
        let (Some(_), Some(sent)) = (self.on_top, made.staged.sendable()) else {
            return Err(error);
        };
        if !error.is(Code::Remote) || !self.store.remotes().is_unanswered(self.remote)? {
            return Err(error);
        }
        for is_last in [false, true] {
            let Ok(theirs) = self.ask() else {
                return Err(self.unanswered());
            };
            if let Some(theirs) = theirs
                && self.store.merging().contains(theirs, sent)?
            {
                self.taken = Some(sent);
                return Ok(Push::Same);
            }
            if theirs != before {
                return Ok(Push::Behind);
            }
            if is_last {
                break;
            }
            match self.send_staged(made, theirs, false) {
                Err(error) if error.is(Code::Remote) => {}
                // By its own answer to the first.
                Ok(Push::Behind) => {}
                sent => return sent,
            }
        }
        Err(self.unanswered())
    }

    fn unanswered(&self) -> Error {
        let message = format!(
            "{} has not answered the push, and may have taken it",
            self.remote
        );
        let sync = Command::of("sync");
        Error::new(Code::RemoteUnanswered, message).hinted(sync.then(" says so"))
    }
}
