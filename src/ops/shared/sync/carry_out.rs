//! The last way out: where a remote takes nothing, or there is none, what waits goes into a file of the work tree.

use super::{DeliveryKind, Sync, Synced};
use crate::ops::shared::carry::{delta, may_carry, refuses_content, write_carry};
use crate::ops::{Code, Command, Error, Hint, Result, Tracker};
use crate::store::carry::known_elsewhere;

/// Returns true if an exchange may end with a carry file: it was to send, and someone reads its answer.
fn may_end_so(request: &Sync) -> bool {
    request.push && request.merge && !request.unattended
}

/// Returns true if what waits may go into a file where a remote takes nothing.
pub(super) fn is_open(tracker: &Tracker, request: &Sync) -> bool {
    let store = tracker.store();
    may_end_so(request) && store.work_tree().is_some() && may_carry(store)
}

/// Writes what waits into a file, where a remote has refused all else and that is welcome; else names the way to do so.
pub(super) fn after_refusal(
    tracker: &Tracker,
    request: &Sync,
    synced: &mut Synced,
    error: Error,
) -> Result<()> {
    let is_refusal = error.is(Code::RemoteRefused) || error.is(Code::RemoteReadOnly);
    if !is_refusal || !may_end_so(request) {
        return Err(error);
    }
    if !is_open(tracker, request) {
        // Where a file has brought all that is here, nothing has to be sent.
        let waits = delta(tracker, Some(&synced.remote)).map(|delta| delta.is_some());
        return match waits {
            Ok(false) => {
                synced.sent = 0;
                Ok(())
            }
            _ => Err(by_hand(tracker, error)),
        };
    }
    synced.sent = 0;
    match write_out(tracker, request, synced) {
        // What the remote has said stays the answer.
        Err(why) if why.is(Code::Invalid) || why.is(Code::NotFound) => {
            return Err(error.also(Hint::text(format!("no file was written: {why}"))));
        }
        written => written?,
    }
    let remote = synced.remote.clone();
    tracker.store().note_reach(|notes| notes.close(&remote));
    Ok(())
}

/// Writes what waits into a file where there is no remote.
/// Errors: that is not welcome.
pub(super) fn without_remote(tracker: &Tracker, request: &Sync) -> Result<Synced> {
    let names = tracker.store().remotes().names();
    if let Some(first) = names.first() {
        let message = format!(
            "this repository has several remotes ({}), and none of them is the usual one",
            names.join(", ")
        );
        let choose = Command::line("git config beads.remote").word(first);
        let once = Command::of("sync").flag("--remote").text(first);
        return Err(Error::invalid(message).hinted(choose).also(once));
    }
    if !is_open(tracker, request) {
        let none = Error::invalid("this repository has no remote")
            .hinted(Command::line("git remote add origin URL"));
        return Err(match request.push && request.merge {
            true => by_hand(tracker, none),
            false => none,
        });
    }
    let mut synced = Synced {
        dry_run: request.dry_run,
        ..Synced::default()
    };
    write_out(tracker, request, &mut synced)?;
    Ok(synced)
}

/// Writes what waits into a file, and says where it is.
pub(super) fn write_out(tracker: &Tracker, request: &Sync, synced: &mut Synced) -> Result<()> {
    let remote = Some(&*synced.remote).filter(|remote| !remote.is_empty());
    synced.carry = write_carry(tracker, remote, request.dry_run)?;
    synced.via = None;
    synced.delivery = synced.carry.as_ref().map(|_| DeliveryKind::Carried);
    Ok(())
}

/// Returns an error that names the file too, where others have a commit that it can build on.
fn by_hand(tracker: &Tracker, error: Error) -> Error {
    let base = known_elsewhere(tracker.store(), None);
    let is_withheld = refuses_content(tracker.store()).map_or(true, |remote| remote.is_some());
    if is_withheld || !base.is_ok_and(|base| base.is_some()) {
        return error;
    }
    let carry = Command::of("carry");
    error.also(match tracker.store().work_tree() {
        Some(_) => carry.then(" puts the changes into a file that travels with your branch"),
        None => carry
            .flag("--stdout")
            .then(" prints the changes, for a file that you keep"),
    })
}
