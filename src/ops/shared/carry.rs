//! Carry files: what is here and nowhere else, as a bundle in the user's own branch.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::error::where_it_is;
use crate::ops::shared::presence::require_store;
use crate::ops::shared::user_file::Uncommitted;
use crate::ops::{Command, Error, Hint, Result, Tracker};
use crate::store::carry::{
    CarryBlob, CarryContents, CarryDelta, CarryFolder, FOLDER, LARGEST_WRITTEN, NoFile,
    UncommittedFile, carried_in, is_named_well, is_opted_in, known_elsewhere,
};
pub(crate) use crate::store::carry::{CarryFile, LARGEST_FILE};
use crate::store::{Oid, Rewritten, Store};

/// The key by which a user says whether an exchange may write carry files.
const KEY: &str = "beads.carry";

/// What a carry file holds, and where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct CarryReport {
    /// The file, from the top of the work tree.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The operations in it.
    pub changes: usize,
    /// The issues that they are about.
    pub issues: usize,
    /// The size of the file.
    pub bytes: usize,
    /// Whether HEAD has it.
    pub committed: bool,
    #[serde(flatten)]
    pub uncommitted: Uncommitted,
}

/// Returns true if an exchange may write a carry file where nothing is taken: the user says so, or the team by a file that is
/// committed.
pub(crate) fn may_carry(store: &Store) -> bool {
    match store.config_bool(KEY) {
        Some(said) => said,
        None => head(store).is_some_and(|head| is_opted_in(store, head).unwrap_or(false)),
    }
}

/// Returns the commit that is checked out.
pub(crate) fn head(store: &Store) -> Option<Oid> {
    store.user_branches().commit_named("HEAD")
}

/// Returns the carry files of the work tree that HEAD does not have.
pub(crate) fn uncommitted(store: &Store) -> Result<Vec<UncommittedFile>> {
    Ok(crate::store::carry::uncommitted(store, || head(store))?)
}

/// Returns the remote that has refused what a commit says, where that is here and was sent to none since: a carry file
/// would hold the same text.
pub(crate) fn refuses_content(store: &Store) -> Result<Option<String>> {
    let (notes, rewritten) = (store.reach_notes(), Rewritten::of(store));
    for (remote, tip) in notes.refused_content() {
        // Rewritten or not, only a remote can tell that it is taken now.
        if let Some(tip) = rewritten.now(store, tip)?
            && !has_taken(store, tip)?
        {
            return Ok(Some(remote.to_owned()));
        }
    }
    Ok(None)
}

/// Returns true if a remote is known to have a commit, under whichever name it goes now.
fn has_taken(store: &Store, commit: Oid) -> Result<bool> {
    for sent in store.remotes().taken_tips()? {
        if store.is_commit(sent)? && store.merging().contains(sent, commit)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Refuses to write down what a remote has refused because of what it says.
pub(crate) fn check_content(store: &Store) -> Result<()> {
    let Some(remote) = refuses_content(store)? else {
        return Ok(());
    };
    let message = format!(
        "{remote} has refused the content of an unsent change, and a file would hold it too: none was written"
    );
    let again = Command::of("sync").flag("--probe").flag("--remote");
    Err(Error::invalid(message)
        .hinted(where_it_is())
        .also(again.text(remote).then(" asks the remote again")))
}

/// Returns what is here and a remote is not known to have, or others where it never had these issues; none where that is
/// nothing.
/// Errors: no one ever had a commit of these issues, so there is none to build on.
pub(crate) fn delta(tracker: &Tracker, remote: Option<&str>) -> Result<Option<CarryDelta>> {
    require_store(tracker)?;
    let store = tracker.store();
    let Some(base) = known_elsewhere(store, remote)? else {
        return Err(never_exchanged());
    };
    Ok(CarryDelta::since(store, base)?)
}

fn never_exchanged() -> Error {
    let message = "these issues were never exchanged with a remote, so no one could collect a file";
    Error::invalid(message).hinted(Command::line("git remote add origin URL"))
}

/// Makes the file of what is here, with the time of its tip in milliseconds.
/// Errors: what no file can have, or too much for one.
pub(crate) fn file_of(store: &Store, delta: &CarryDelta) -> Result<(CarryFile, u64)> {
    if let Some(why) = &delta.refused {
        let message = format!("no file can carry what is here: {why}");
        return Err(Error::invalid(message).hinted(Hint::text(
            "git beads sync sends it where a remote takes it",
        )));
    }
    match delta.file(store)? {
        Ok(file) => Ok(file),
        Err(NoFile::Cut) => {
            let message = "a part of what is here is behind a cut of the history";
            let rest = Command::of("fetch").flag("--unshallow");
            Err(Error::invalid(message).hinted(rest.then(" brings the rest")))
        }
        Err(NoFile::TooLarge(size)) => {
            let message = format!("a file would have {size} bytes; the limit is {LARGEST_WRITTEN}");
            let from = Command::of("init").flag("--from").word("URL");
            let mailbox = Command::line("git config beads.mailbox").word("BRANCH");
            let mailbox = mailbox.then(" names a branch that a remote takes, for git beads sync");
            let from = from.then(" begins a clone that has an address");
            Err(match delta.is_whole() {
                true => Error::invalid(message).hinted(from),
                false => Error::invalid(message).hinted(mailbox).also(from),
            })
        }
    }
}

/// Writes what is here and a remote lacks into the work tree, and says where it is; none where there is nothing.
/// Errors: no work tree, or nothing that a file can have.
pub(crate) fn write_carry(
    tracker: &Tracker,
    remote: Option<&str>,
    dry_run: bool,
) -> Result<Option<CarryReport>> {
    let store = tracker.store();
    let Some(delta) = delta(tracker, remote)? else {
        return Ok(None);
    };
    check_content(store)?;
    let folder = folder_of(store)?;
    let (file, at) = file_of(store, &delta)?;
    let committed = match head(store) {
        Some(head) => carried_in(store, head)?,
        None => Vec::new(),
    };
    let place = FilePlace::of(store, &delta, &folder, &committed)?;
    // What HEAD or the folder has under any name stays there: a second file would say the same.
    let (name, is_committed) = match place {
        FilePlace::Head(name) => (name, true),
        FilePlace::WorkTree(name) => (name, false),
        FilePlace::New => {
            // Two branches that rewrite a file which both have would conflict.
            let mut names = (0..).map(|number| file.name(at, tracker.actor(), number));
            let name = names.find(|name| !folder.tracks(name)).unwrap_or_default();
            if !dry_run {
                folder.write(&file, &name)?;
            }
            (name, false)
        }
    };
    let path = format!("{FOLDER}/{name}");
    let mut uncommitted = Uncommitted::default();
    if !is_committed && !dry_run {
        uncommitted = Uncommitted::of(store, folder.top(), std::slice::from_ref(&path));
        if committed.iter().any(|file| file.name == name) {
            uncommitted.in_place.push(path.clone());
        }
    }
    Ok(Some(CarryReport {
        file: path,
        changes: delta.operations(),
        issues: delta.issues.len(),
        bytes: file.encode().len(),
        committed: is_committed,
        uncommitted,
    }))
}

fn folder_of(store: &Store) -> Result<CarryFolder<'_>> {
    CarryFolder::of(store)?.ok_or_else(|| {
        let hint = Hint::text("git beads carry --stdout prints it, for a file that you keep");
        Error::invalid("a bare repository has no work tree for a carry file").hinted(hint)
    })
}

/// The file that has all that is here, by its name.
enum FilePlace {
    Head(String),
    /// It is in the folder alone.
    WorkTree(String),
    New,
}

impl FilePlace {
    fn of(
        store: &Store,
        delta: &CarryDelta,
        folder: &CarryFolder<'_>,
        committed: &[CarryBlob],
    ) -> Result<Self> {
        let has_all = |file: Option<CarryContents>| match file.and_then(|file| file.tip) {
            Some(tip) => delta.is_in(store, tip),
            None => Ok(false),
        };
        for blob in committed.iter().filter(|blob| is_named_well(&blob.name)) {
            if has_all(blob.contents(store)?)? {
                return Ok(Self::Head(blob.name.clone()));
            }
        }
        for name in folder
            .names()
            .into_iter()
            .filter(|name| is_named_well(name))
        {
            let bytes = folder.read(&name);
            if has_all(bytes.and_then(|bytes| CarryContents::of(&bytes)))? {
                return Ok(Self::WorkTree(name));
            }
        }
        Ok(Self::New)
    }
}
