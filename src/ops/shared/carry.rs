//! Carry files: what is here and nowhere else, as text beside the user's own work.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::error::where_it_is;
use crate::ops::shared::presence::require_store;
use crate::ops::shared::user_file::Uncommitted;
use crate::ops::{Command, Error, Hint, Result, Tracker};
pub(crate) use crate::store::carry::LARGEST_FILE;
use crate::store::carry::{
    CarryBlob, CarryDelta, CarryFile, CarryFolder, FOLDER, UncommittedFile, carried_in,
    is_named_well, is_opted_in, known_elsewhere,
};
use crate::store::{Oid, Rewritten, Store};

/// The key by which a user says whether an exchange may write carry files.
const KEY: &str = "beads.carry";

/// What a carry file holds, and where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct CarryReport {
    /// The file, from the top of the work tree.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Further parts of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// The operations in it.
    pub changes: usize,
    /// The issues that they are about.
    pub issues: usize,
    /// The size of all parts.
    pub bytes: usize,
    /// Whether HEAD has it.
    pub committed: bool,
    #[serde(flatten)]
    pub uncommitted: Uncommitted,
    /// Paths that no file can have: what can't be read, and removals of texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
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
    Ok(CarryDelta::since(store, base, tracker.actor())?)
}

fn never_exchanged() -> Error {
    let message = "these issues were never exchanged with a remote, so no one could collect a file";
    Error::invalid(message).hinted(Command::line("git remote add origin URL"))
}

/// Returns the refusal where all that waits is what no file can have.
pub(crate) fn nothing_fits(delta: &CarryDelta) -> Error {
    let paths = delta.left_out.join(", ");
    Error::not_found(format!("no file can carry what is here: {paths}")).hinted(Hint::text(
        "git beads sync sends it where a remote takes it",
    ))
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
    let committed = match head(store) {
        Some(head) => carried_in(store, head)?,
        None => Vec::new(),
    };
    let committed: Vec<CarryBlob> = committed
        .into_iter()
        .filter(|file| is_named_well(&file.name))
        .collect();
    let files = delta.parts();
    if files.is_empty() {
        return Err(nothing_fits(&delta));
    }
    let places = files
        .iter()
        .map(|file| FilePlace::of(store, file, &folder, &committed));
    let places: Vec<FilePlace> = places.collect::<Result<_>>()?;
    // What HEAD or the folder has under any name stays there: a second file would say the same.
    let new = files.iter().zip(&places).filter(|(_, place)| place.is_new);
    let new: Vec<&CarryFile> = new.map(|(file, _)| file).collect();
    if !new.is_empty() && !dry_run {
        let old = places.iter().filter(|place| !place.is_new);
        let kept: Vec<&String> = old.map(|place| &place.name).collect();
        folder.write(&new, &kept)?;
    }
    let paths = places
        .iter()
        .map(|place| format!("{FOLDER}/{}", place.name));
    let paths: Vec<String> = paths.collect();
    let is_committed = places.iter().all(|place| place.is_committed);
    let mut uncommitted = Uncommitted::default();
    if !is_committed && !dry_run {
        uncommitted = Uncommitted::of(store, folder.top(), &paths);
        let in_place = places
            .iter()
            .zip(&paths)
            .filter(|(place, _)| is_in(&place.name, &committed));
        uncommitted.in_place = in_place.map(|(_, path)| path.clone()).collect();
    }
    let mut paths = paths.into_iter();
    Ok(Some(CarryReport {
        committed: is_committed,
        uncommitted,
        file: paths.next().unwrap_or_default(),
        parts: paths.collect(),
        ..report(&files, &delta)
    }))
}

fn folder_of(store: &Store) -> Result<CarryFolder<'_>> {
    CarryFolder::of(store)?.ok_or_else(|| {
        let hint = Hint::text("git beads carry --stdout prints it, for a file that you keep");
        Error::invalid("a bare repository has no work tree for a carry file").hinted(hint)
    })
}

fn is_in(name: &str, committed: &[CarryBlob]) -> bool {
    committed.iter().any(|file| file.name == name)
}

/// Returns what files hold, without a place.
fn report(files: &[CarryFile], delta: &CarryDelta) -> CarryReport {
    let issues: std::collections::BTreeSet<_> = files.iter().flat_map(CarryFile::issues).collect();
    CarryReport {
        changes: delta.changes(),
        issues: issues.len(),
        bytes: files.iter().map(|file| file.encode().len()).sum(),
        left_out: delta.left_out.clone(),
        ..CarryReport::default()
    }
}

/// The place of a file, or the one that it is to get.
struct FilePlace {
    /// Its name in the folder.
    name: String,
    /// True if HEAD has its changes under that name.
    is_committed: bool,
    /// True if neither HEAD nor the folder has them.
    is_new: bool,
}

impl FilePlace {
    /// Returns the place of a file: HEAD, or the folder, may have the same under another name.
    fn of(
        store: &Store,
        file: &CarryFile,
        folder: &CarryFolder<'_>,
        committed: &[CarryBlob],
    ) -> Result<Self> {
        let sum = &file.header.sum;
        let end = format!("-{}.jsonl", sum.get(..8).unwrap_or_default());
        for blob in committed.iter().filter(|blob| blob.name.ends_with(&end)) {
            if blob.has(store, sum)? {
                return Ok(Self {
                    name: blob.name.clone(),
                    is_committed: true,
                    is_new: false,
                });
            }
        }
        let is_same = |bytes: &[u8]| CarryFile::parse(bytes).is_ok_and(|it| it.header.sum == *sum);
        let known = folder.names().into_iter().find(|name| {
            is_named_well(name)
                && name.ends_with(&end)
                && folder.read(name).is_some_and(|bytes| is_same(&bytes))
        });
        Ok(Self {
            is_committed: false,
            is_new: known.is_none(),
            name: known.unwrap_or_else(|| file.name()),
        })
    }
}
