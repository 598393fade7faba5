//! `init --from`: the store of an address for which there is no remote, or of a file, as in a sandbox whose later commands have
//! neither a network nor a password.

use crate::ops::shared::join::kept;
use crate::ops::shared::refused::refused_from;
use crate::ops::shared::sync::NamedFile;
use crate::ops::{Code, Command, Error, Hint, Result, Tracker};
use crate::store::carry::{CarriedState, CarryFault, CarryFile};
use crate::store::door::{self, Candidate, EntryOutcome, EntryRules, Refused, StateSource};
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
    if store.tip()?.is_none() {
        kept(&store.snapshot_at(tip)?.meta()?, asked, "there")?;
    }
    let cancel = tracker.cancel();
    let rules = EntryRules {
        bring: &|it, lack| remotes.bring_missing(NAME, it.tip, lack, cancel),
        ..EntryRules::usual(cancel)
    };
    let candidate = Candidate::of(tip, StateSource::Named).checked(!remotes.is_partial());
    enter(tracker, candidate, &rules, "that address")
}

/// Joins the store of a file with the one that is here, if any.
/// Errors: a file that has no whole store, or one that has nothing in common with the store that is here.
pub(super) fn join_file(tracker: &Tracker, file: &NamedFile, asked: Option<&str>) -> Result<()> {
    let store = tracker.store();
    let place = file.path.display().to_string();
    let unread = |why: CarryFault| {
        let full = Command::of("carry").flag("--full");
        let message = format!("{place} can't be used: {why}");
        Error::invalid(message).hinted(full.then(" prints one, where the issues are"))
    };
    let read = CarryFile::parse(&file.bytes).map_err(unread)?;
    for base in read.bases(store).map_err(unread)? {
        if !store.is_commit(base)? {
            return Err(unread(CarryFault::Bad(
                "it has only what is new since a commit that is not here".to_owned(),
            )));
        }
    }
    let ours = store.tip()?;
    let state = CarriedState::of(store, &read).map_err(unread)?;
    if ours.is_none() {
        let overlaid = state.overlaid(store)?;
        // What can't be read is refused where it enters.
        if let Ok(meta) = overlaid.snapshot_at(state.tip).and_then(|it| it.meta()) {
            kept(&meta, asked, "there")?;
        }
    }
    let tip = state.tip;
    let candidate = Candidate::carried(state, StateSource::Named);
    enter(
        tracker,
        candidate,
        &EntryRules::usual(tracker.cancel()),
        &place,
    )?;
    // What is written here builds on what others have: who has made the file, where it names no one.
    let known = read
        .known
        .or(read.base)
        .or(Some(tip).filter(|_| ours.is_none()));
    if let Some(known) = known
        && let Some(now) = store.tip()?
        && store.is_commit(known)?
        && store.merging().contains(now, known)?
    {
        store.remotes().note_former_tip(NAME, known)?;
    }
    Ok(())
}

/// Lets the store of a place become part of the one here.
fn enter(tracker: &Tracker, it: Candidate, rules: &EntryRules<'_>, place: &str) -> Result<()> {
    for arrival in door::enter(tracker.store(), vec![it], rules)? {
        if let EntryOutcome::Refused(refused) = arrival.outcome {
            return Err(refusal(refused, place));
        }
    }
    Ok(())
}

/// Returns the error about a place whose store can't be joined with the one that is here.
fn refusal(refused: Refused, place: &str) -> Error {
    let add = Hint::from(Command::line("git remote add NAME URL"));
    let join = Command::of("sync").flag("--remote").word("NAME");
    let join = Hint::run("then, losing nothing: ", join.flag("--adopt"));
    refused_from(place, refused, vec![add, join])
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
