//! `init --from`: the store of an address for which there is no remote, as in a sandbox whose later commands have neither a
//! network nor a password.

use crate::ops::shared::join::kept;
use crate::ops::shared::presence::begun_apart;
use crate::ops::{Code, Command, Error, Hint, Result, Tracker};
use crate::store::{BRANCH, HistoryPart, Oid, Remotes, StoreError};

/// The name under which the address is asked; no remote has it afterwards.
const NAME: &str = "url";

/// Joins the store of an address with the one that is here, if any.
/// Errors: an address that does not answer or has no store, and one that has nothing in common with the store that is here.
pub(super) fn join(
    tracker: &Tracker,
    from: (&str, Option<u32>),
    asked: Option<&str>,
) -> Result<()> {
    let remotes = tracker.store().remotes();
    let before = remotes.remote_tip(NAME)?;
    let joined = join_once(tracker, from, asked);
    if let (Err(_), Some(before)) = (&joined, before) {
        // Carry files build on it. Where that fails too, the first error says why.
        _ = remotes.note_former_tip(NAME, before);
    }
    joined
}

fn join_once(
    tracker: &Tracker,
    (url, depth): (&str, Option<u32>),
    asked: Option<&str>,
) -> Result<()> {
    let store = tracker.store();
    if url.trim().is_empty() {
        return Err(Error::invalid("an address is required").hinted(again()));
    }
    if store.remotes().names().iter().any(|name| name == NAME) {
        let hint = Command::of("init").flag("--remote").word(NAME);
        let error = Error::invalid(format!("this repository has a remote that is named {NAME}"));
        return Err(error.hinted(hint));
    }
    let remotes = store.remotes().of_url(url);
    let part = depth.map_or(HistoryPart::Usual, HistoryPart::Newest);
    let fetched = fetch(tracker, remotes.part(part));
    // The name is none that another command knows.
    let fetched = fetched.map_err(|error| Error::from(error).hinted(again()));
    let tip = fetched?.ok_or_else(no_store)?;
    match store.tip()? {
        Some(ours) => check_kin(tracker, ours, tip)?,
        None => _ = kept(&store.snapshot_at(tip)?.meta()?, asked, "there")?,
    }
    let cancel = tracker.cancel();
    let admitted = remotes.inspect_fetched(NAME, tip, store.tip()?, cancel)?;
    store.merge_tips(&[admitted], cancel)?;
    Ok(())
}

/// Fetches the store of an address, also where its host has it as a branch.
fn fetch(tracker: &Tracker, remotes: Remotes<'_>) -> Result<Option<Oid>, StoreError> {
    let cancel = tracker.cancel();
    Ok(match remotes.fetch(NAME, false, cancel)? {
        Some(tip) => Some(tip),
        None => remotes.at(BRANCH).fetch(NAME, false, cancel)?,
    })
}

/// Returns the hint to try it once more.
fn again() -> Hint {
    Command::of("init")
        .flag("--from")
        .word("URL")
        .then(" with an address that git can fetch from; nothing was changed")
}

fn no_store() -> Error {
    let message = "no issue store at that address; none was created here";
    let begin = Command::of("init").then(" begins a store");
    Error::new(Code::NoStore, message).hinted(begin)
}

fn check_kin(tracker: &Tracker, ours: Oid, theirs: Oid) -> Result<()> {
    let Some((ours, theirs)) = begun_apart(tracker, ours, theirs)? else {
        return Ok(());
    };
    let message = format!(
        "that address keeps another store ({theirs}) than this repository ({ours}): they were created separately"
    );
    let hints = Hint::from(Command::line("git remote add NAME URL"));
    let join = Command::of("sync")
        .flag("--remote")
        .word("NAME")
        .flag("--adopt");
    Err(Error::new(Code::StoreMismatch, message)
        .hinted(hints)
        .also(Hint::run("then, losing nothing: ", join)))
}
