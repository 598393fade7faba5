//! `carry`: writes what no remote takes into a file of the work tree, and takes files out that have arrived.

use crate::ops::answer::{After, Answer, AnswerKind, Next};
use crate::ops::shared::carry::{self, CarryReport, write_carry};
use crate::ops::shared::presence::require_store;
use crate::ops::{Command, Error, Result, Tracker};
use crate::store::carry::{
    CarryBlob, CarryFolder, CarryNotes, FOLDER, KnownState, WorkBranch, carried_in, is_named_well,
    known_elsewhere, whole,
};
use crate::store::door::older;
use crate::store::{Oid, Store};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The request of `carry`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Carry {
    /// Says what would be written.
    #[schemars(description = "")]
    pub dry_run: bool,
}

/// The files that were taken out of the work tree.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct CarryCleaned {
    /// Their paths.
    pub removed: Vec<String>,
    /// Whether nothing was changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl Answer for CarryReport {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
    fn next(&self) -> Next {
        After::of_file(self.committed).next()
    }
}

impl Answer for CarryCleaned {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Writes what is here and nowhere else into a file of the work tree.
/// Errors: there is nothing to carry, no work tree, or no one ever had these issues.
pub(crate) fn carry(tracker: &Tracker, request: &Carry) -> Result<CarryReport> {
    let remote = usual_remote(tracker);
    write_carry(tracker, remote.as_deref(), request.dry_run)?.ok_or_else(nothing)
}

/// Returns the text of a file with all that is here and nowhere else; with `full`, with all that is here, from which a clone
/// without a remote begins.
pub(crate) fn carry_text(tracker: &Tracker, full: bool) -> Result<String> {
    let store = tracker.store();
    let delta = match full {
        true => {
            require_store(tracker)?;
            whole(store)?
        }
        false => carry::delta(tracker, usual_remote(tracker).as_deref())?,
    };
    carry::check_content(store)?;
    let (mut file, _) = carry::file_of(store, &delta.ok_or_else(nothing)?)?;
    if full
        && let Some(KnownState::At(known)) =
            known_elsewhere(store, usual_remote(tracker).as_deref())?
    {
        file.known = Some(known);
    }
    // Who reads it has what is in it: no purge may take that for unsent. A reader that may write nothing has written none.
    if !store.permissions().leave_nothing() {
        CarryNotes::note_written(store, file.tip);
    }
    Ok(file.encode())
}

/// Returns the remote that a file is for. One that is configured wrongly is named by the verbs that need it.
fn usual_remote(tracker: &Tracker) -> Option<String> {
    tracker.store().remotes().remote(None).unwrap_or_default()
}

fn nothing() -> Error {
    Error::not_found("there is nothing to carry: others have all that is here")
        .hinted(Command::of("status"))
}

/// Takes the files out of the work tree whose changes the usual remote has, on the branch that work lands on.
pub(crate) fn clean(tracker: &Tracker, dry_run: bool) -> Result<CarryCleaned> {
    let store = tracker.store();
    check_branch(store)?;
    let folder = CarryFolder::of(store)?;
    let (Some(folder), Some(head)) = (folder, carry::head(store)) else {
        let message = "there is no work tree with a commit here";
        return Err(Error::invalid(message).hinted(Command::line("git status")));
    };
    let remote = store.remotes().remote(None)?;
    let theirs = match &remote {
        Some(remote) => store.remotes().remote_tip(remote)?,
        None => None,
    };
    let mut names = Vec::new();
    for blob in carried_in(store, head)? {
        let is_here = folder.tracked().any(|name| *name == blob.name);
        // The path is printed as part of a command.
        if is_here && is_named_well(&blob.name) && has_arrived(store, &blob, theirs)? {
            names.push(blob.name);
        }
    }
    if !names.is_empty() && !dry_run {
        folder.remove(&names)?;
    }
    let removed = names
        .iter()
        .map(|name| format!("{FOLDER}/{name}"))
        .collect();
    Ok(CarryCleaned { removed, dry_run })
}

/// Refuses any branch but the one that work lands on.
fn check_branch(store: &Store) -> Result<()> {
    let WorkBranch { name, landing } = WorkBranch::of(store)?;
    if name.is_some() && name == landing {
        return Ok(());
    }
    let here = name.as_deref().unwrap_or("no branch");
    let message = format!(
        "carry files are taken out on the branch that work lands on alone, and this is {here}: on others they would conflict"
    );
    let switch = match landing {
        Some(landing) => Command::line("git switch").word(landing),
        None => Command::line("git branch --all"),
    };
    Err(Error::invalid(message).hinted(switch))
}

/// Returns true if a remote that has this tip has the changes of a file.
fn has_arrived(store: &Store, blob: &CarryBlob, theirs: Option<Oid>) -> Result<bool> {
    let (Some(theirs), Some(file)) = (theirs, blob.contents(store)?) else {
        return Ok(false);
    };
    let tip = match file.tip {
        Some(tip) => tip,
        None => match older_tip(store, blob)? {
            Some(tip) => tip,
            None => return Ok(false),
        },
    };
    Ok(store.is_commit(tip)? && store.merging().contains(theirs, tip)?)
}

/// Returns the commit of a file of an earlier version; none where its base is not here, so that it can't be known again.
fn older_tip(store: &Store, blob: &CarryBlob) -> Result<Option<Oid>> {
    let bytes = blob.read(store)?.unwrap_or_default();
    let Ok(file) = older::CarryFile::parse(&bytes) else {
        return Ok(None);
    };
    match store.is_commit(file.header.base)? {
        true => Ok(Some(file.rebuild(store, file.header.base)?.tip)),
        false => Ok(None),
    }
}
