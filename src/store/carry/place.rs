//! Where carry files are: in the trees of branches, never in files of a work tree that no one has committed.

use gix::refs::FullName;

use super::{CarryFile, ENDING, FOLDER, LARGEST_FILE, OPT_IN};
use crate::store::door::older;
use crate::store::refs::value::RefValue;
use crate::store::{Oid, Result, Store, unreadable};

/// The folders of a remote's branches in which bots copy what strangers propose.
const COPIES: [&str; 2] = ["gh-readonly-queue/", "pull-request/"];
/// The branches on which work lands where a remote does not say it.
const USUAL: [&str; 2] = ["main", "master"];
/// The longest name of a file.
const LONGEST_NAME: usize = 200;

/// A file in the tree of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CarryBlob {
    /// Its name in the folder.
    pub(crate) name: String,
    pub(crate) oid: Oid,
}

impl CarryBlob {
    /// Returns its path in the tree.
    pub(crate) fn path(&self) -> String {
        format!("{FOLDER}/{}", self.name)
    }

    /// Returns its bytes; the size alone where it is too large to be read.
    /// Errors: it is not here, as in a clone with a filter.
    pub(crate) fn read(&self, store: &Store) -> Result<Result<Vec<u8>, u64>> {
        read_blob(store, self.oid, &self.path())
    }

    /// Returns what it holds, as far as it is a carry file: git may have committed other bytes than were written.
    /// One that a filter has left out is none that is known.
    pub(crate) fn contents(&self, store: &Store) -> Result<Option<CarryContents>> {
        match self.read(store) {
            Ok(bytes) => Ok(bytes.ok().and_then(|bytes| CarryContents::of(&bytes))),
            Err(error) if error.is_unreadable() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The contents of a carry file, as far as it is known by them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CarryContents {
    /// Its tip; of a file of an earlier version, its sum.
    pub(crate) name: String,
    /// The commit that it brings; none of an earlier version, where that follows from what is here.
    pub(crate) tip: Option<Oid>,
    /// The operations that it is said to have.
    pub(crate) operations: usize,
}

impl CarryContents {
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        if CarryFile::is_one(bytes) {
            let file = CarryFile::parse(bytes).ok().filter(CarryFile::is_whole)?;
            return Some(Self {
                name: file.tip.to_string(),
                tip: Some(file.tip),
                operations: file.operations,
            });
        }
        let file = older::CarryFile::parse(bytes).ok()?;
        Some(Self {
            name: file.header.sum,
            tip: None,
            operations: file.header.changes,
        })
    }
}

/// Returns the bytes of the blob of a file at a path; the size alone where it is too large to be read.
pub(in crate::store) fn read_blob(
    store: &Store,
    oid: Oid,
    path: &str,
) -> Result<Result<Vec<u8>, u64>> {
    let what = || unreadable(path);
    // The size first: a stranger's file must not fill the memory.
    let header = store.repo.find_header(oid.0).map_err(what())?;
    if header.size() > LARGEST_FILE {
        return Ok(Err(header.size()));
    }
    let blob = store.repo.find_blob(oid.0).map_err(what())?;
    Ok(Ok(blob.detach().data))
}

/// Returns true for a name that a carry file can have. Others can choose the names in a branch, and a name is shown and
/// passed to a shell.
pub(crate) fn is_named_well(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    name.len() <= LONGEST_NAME && !name.starts_with(['.', '-']) && name.chars().all(plain)
}

/// Returns true for a name that ends like that of a carry file.
fn is_ending_well(name: &str) -> bool {
    name.ends_with(ENDING) || name.ends_with(older::ENDING)
}

/// Returns the files in the tree of a commit, by name.
pub(crate) fn carried_in(store: &Store, commit: Oid) -> Result<Vec<CarryBlob>> {
    let what = || unreadable(format!("{FOLDER} at {commit}"));
    let tree = store.snapshot_at(commit)?.tree();
    let tree = store.repo.find_tree(tree.0).map_err(what())?;
    let found = tree.lookup_entry(FOLDER.split('/')).map_err(what())?;
    let Some(folder) = found.filter(|entry| entry.mode().is_tree()) else {
        return Ok(Vec::new());
    };
    let folder = store.repo.find_tree(folder.object_id()).map_err(what())?;
    let mut files = Vec::new();
    for entry in folder.iter() {
        let entry = entry.map_err(what())?;
        let name = entry.filename().to_string();
        // A link could lead out of the repository.
        if entry.mode().is_blob() && is_ending_well(&name) {
            let oid = Oid(entry.object_id());
            files.push(CarryBlob { name, oid });
        }
    }
    Ok(files)
}

/// Returns true if the tree of a commit has the file by which a team says that carry files are welcome.
pub(crate) fn is_opted_in(store: &Store, commit: Oid) -> Result<bool> {
    Ok(store.snapshot_at(commit)?.entry(OPT_IN)?.is_some())
}

/// Returns the branches of a remote as they were last fetched, with their tips; with `landed`, the one that work lands on.
pub(crate) fn tips_of(store: &Store, remote: &str, landed: bool) -> Result<Vec<(String, Oid)>> {
    let space = format!("refs/remotes/{remote}/");
    let mut others = not_branches(store, remote);
    others.extend(folders_of_others(store, remote));
    others.extend(COPIES.map(|copies| format!("{space}{copies}")));
    let mut found = Vec::new();
    for (name, tip) in store.refs().below(&space)? {
        let is_other = others.iter().any(|begin| name.starts_with(begin));
        let branch = name
            .strip_prefix(&space)
            .filter(|name| *name != "HEAD" && !is_other);
        if let (Some(branch), Some(tip)) = (branch, tip) {
            found.push((branch.to_owned(), tip));
        }
    }
    if landed {
        let branch = landing_branch(store, remote)?;
        found.retain(|(name, _)| Some(name) == branch.as_ref());
    }
    Ok(found)
}

/// Returns the folders of refs that belong to remotes whose names begin like this one.
fn folders_of_others(store: &Store, remote: &str) -> Vec<String> {
    let others = store.remotes().names().into_iter();
    let below = others.filter(|other| other.len() > remote.len());
    below
        .map(|other| format!("refs/remotes/{other}/"))
        .collect()
}

/// Returns the beginnings of the refs to which the user's own fetch brings what is no branch, such as pull requests.
fn not_branches(store: &Store, remote: &str) -> Vec<String> {
    let lines = store.config_all(&format!("remote.{remote}.fetch"));
    let strange = lines.iter().filter_map(|line| {
        let (from, to) = line.trim_start_matches('+').split_once(':')?;
        let is_of_branches = from.starts_with("refs/heads/");
        (!is_of_branches).then(|| to.split('*').next().unwrap_or(to).to_owned())
    });
    strange.filter(|begin| !begin.is_empty()).collect()
}

/// Returns the branch of a remote that work lands on: the one that the remote says, else one with a usual name.
fn landing_branch(store: &Store, remote: &str) -> Result<Option<String>> {
    let space = format!("refs/remotes/{remote}/");
    // A remote can have a name that no ref can have.
    if FullName::try_from(format!("{space}HEAD")).is_err() {
        return Ok(None);
    }
    if let Some(RefValue::Symbolic(target)) = store.refs().read(&format!("{space}HEAD"))? {
        return Ok(target.strip_prefix(&space).map(str::to_owned));
    }
    let named = store.config("init.defaultBranch").into_iter();
    for name in named.chain(USUAL.map(str::to_owned)) {
        if store.refs().id(&format!("{space}{name}"))?.is_some() {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// The branch that is checked out, and the one that work lands on.
pub(crate) struct WorkBranch {
    pub(crate) name: Option<String>,
    pub(crate) landing: Option<String>,
}

impl WorkBranch {
    /// Returns them, as far as they are known.
    pub(crate) fn of(store: &Store) -> Result<Self> {
        let name = store.refs().head_branch();
        let landing = match store.remotes().remote(None)? {
            Some(remote) => landing_branch(store, &remote)?,
            None => None,
        };
        let usual = || name.clone().filter(|it| USUAL.contains(&it.as_str()));
        let landing = landing.or_else(usual);
        Ok(Self { name, landing })
    }
}
