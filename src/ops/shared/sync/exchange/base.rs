//! What two histories have in common, also where that is behind a cut.

use super::Exchange;
use crate::ops::shared::presence::begun_apart;
use crate::ops::{Code, Command, Error, Result};
use crate::store::carry::CarryFile;
use crate::store::{Distance, HistoryPart, Oid};

impl Exchange<'_> {
    /// Returns the distance of the tip of the remote. What both have in common can be behind a cut, and a merge without it
    /// would take each value that both have for a conflict: then the rest of the history is brought first.
    /// Errors: no remote has it.
    pub(super) fn distance(&self, ours: Oid, theirs: Oid) -> Result<Distance> {
        let measured = || Ok::<_, Error>(self.store.ancestry().distance(ours, theirs)?);
        let distance = measured()?;
        if distance.related {
            return Ok(distance);
        }
        let depth = self.store.remotes().depth();
        let is_known =
            || Ok(measured()?.related || !(depth.is_cut(ours)? || depth.is_cut(theirs)?));
        // What was begun separately has nothing in common.
        if has_rest(self, &is_known)? || begun_apart(self.tracker, ours, theirs)?.is_some() {
            return measured();
        }
        let message = format!(
            "what these issues and those of {} have in common is not here: the history is cut",
            self.remote
        );
        Err(without_rest(message))
    }

    /// Brings the rest of a history that is cut: a repository that has nothing of it takes it whole only.
    pub(super) fn complete(&self, ours: Oid) -> Result<()> {
        let depth = self.store.remotes().depth();
        match has_rest(self, &|| Ok(!depth.is_cut(ours)?))? {
            true => Ok(()),
            false => {
                let remote = self.remote;
                let message = format!("{remote} takes the whole history only, and here it is cut");
                Err(without_rest(message))
            }
        }
    }
}

/// Returns the commit here that a carry file builds on; none where it has not arrived. It can be behind a cut: then the rest
/// of the history is brought first.
pub(super) fn base_of_file(exchange: &Exchange<'_>, file: &CarryFile) -> Result<Option<Oid>> {
    let (store, request) = (exchange.store, exchange.request);
    let base = file.base_in(store)?;
    let asks = request.fetch && !request.dry_run && !exchange.remote.is_empty();
    let Some(ours) = store.tip()?.filter(|_| asks && base.is_none()) else {
        return Ok(base);
    };
    let depth = store.remotes().depth();
    let is_here = || store.is_commit(file.header.base);
    has_rest(exchange, &|| Ok(is_here()? || !depth.is_cut(ours)?))?;
    Ok(file.base_in(store)?)
}

/// Returns whether enough of a history is here, once the remotes were asked for the rest, one after the other: what is missing
/// here need not be at the remote of the exchange.
fn has_rest(exchange: &Exchange<'_>, is_enough: &dyn Fn() -> Result<bool>) -> Result<bool> {
    let (store, own) = (exchange.store, exchange.remote);
    let others = store
        .remotes()
        .names()
        .into_iter()
        .filter(|name| name != own);
    for remote in std::iter::once(own.to_owned()).chain(others) {
        if is_enough()? {
            return Ok(true);
        }
        let remotes = match remote == own {
            true => exchange.remotes(),
            false => store.remotes(),
        };
        let whole = remotes.part(HistoryPart::Whole);
        let brought = whole.fetch(&remote, false, exchange.cancel);
        // Another one may be away.
        if remote == own {
            brought?;
        }
    }
    is_enough()
}

fn without_rest(message: String) -> Error {
    let whole = Command::of("fetch").flag("--unshallow").flag("--remote");
    let whole = whole.placeholder("NAME");
    Error::new(Code::Cut, message).hinted(whole.then(" brings it from a remote that has all of it"))
}
