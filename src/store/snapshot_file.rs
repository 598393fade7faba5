//! The snapshot file: what is worked on, as lines of text in the tree of the user's own branch, for clones that can neither
//! fetch the issues nor ask for them.
//!
//! It has the lines of a carry file below a first line of its own. Every clone makes the same first commit of it, whose
//! message names the commit that the file was made of: what is written on top of it joins exactly with the whole store.
//! A part is a sound state, since absence is never deletion.
//!
//! ```json
//! {"at":1795349730,"beads":"snapshot","known":2464,"stores":["01K8..."],"sum":"6f1c...","tip":"19f311f9...","v":1}
//! {"b":{...},"p":"issues/0/7/4/01K8...3M/issue.json"}
//! ```

mod contents;
mod place;

use serde_json::{Value, json};

use super::carry::lines::{self, Blobs, Lines, bad};
use super::carry::rebuild::rebuild;
use super::carry::{CarryFault, RebuiltCommit};
use super::{Commit, Oid, Result, SnapshotRoot, Store, TreePath};
use crate::model::canonical_json;
use crate::model::stamp::MAX_MILLIS;
pub(crate) use place::{PATH, head_file, remove_file, work_file, write_file};

/// The value of `beads` in the first line.
const KIND: &str = "snapshot";
/// The newest form of the file that is read, and the one that is written.
const VERSION: i64 = 1;
/// More issues than so many are in no store.
const MOST_KNOWN: u64 = 100_000_000;
const MOST_STORES: usize = 1000;
/// The trailer of the first commit, which names the commit that the file was made of.
const TRAILER: &str = "Snapshot-Of";

/// The contents of a snapshot file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SnapshotFile {
    /// The time of the commit that it was made of, in seconds.
    pub(crate) at: i64,
    /// The number of issues at that commit.
    pub(crate) known: u64,
    /// The ids of the stores that it belongs to.
    stores: Vec<String>,
    /// The SHA-256 of the lines after the first one.
    sum: String,
    /// The commit that it was made of.
    pub(crate) tip: Oid,
    blobs: Blobs,
}

impl SnapshotFile {
    /// Returns true if another one has the same lines, of the same commit.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.tip == other.tip && self.sum == other.sum
    }

    /// Returns the number of issues in it.
    pub(crate) fn issues(&self) -> usize {
        let paths = self
            .blobs
            .keys()
            .filter_map(|path| TreePath::parse(&path.0));
        let issues = paths.filter(|path| matches!(path, TreePath::Issue(_)));
        issues.count()
    }

    /// Returns its text.
    pub(crate) fn encode(&self) -> String {
        let header = json!({
            "at": self.at,
            "beads": KIND,
            "known": self.known,
            "stores": self.stores,
            "sum": self.sum,
            "tip": self.tip.to_string(),
            "v": VERSION,
        });
        lines::encode(canonical_json::canonical(&header), &self.blobs)
    }

    /// Reads a file, and checks all of it that can be checked without a repository.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, CarryFault> {
        let lines = Lines::of(bytes, KIND, VERSION)?;
        let mut file = header(&lines.header).ok_or_else(|| bad("its first line is not sound"))?;
        file.blobs = lines.blobs(&file.sum)?;
        let has_meta = file.blobs.keys().any(|path| path.0 == "meta.json");
        match has_meta {
            true => Ok(file),
            false => Err(bad("there is no meta.json: not a store of issues")),
        }
    }

    /// Makes its commit: the first one of a history, and the same one in every clone.
    /// Errors: a commit or a tree that others would refuse.
    pub(crate) fn root<'s>(&self, store: &'s Store) -> Result<RebuiltCommit<'s>> {
        let (issues, known) = (self.issues(), self.known);
        let subject = format!("snapshot: {issues} of {known} issues");
        let message = format!("{subject}\n\n{TRAILER}: {}\n", self.tip);
        rebuild(store, None, &self.blobs, (self.at, message))
    }
}

/// Reads the first line; none where it is not one that we would write.
fn header(value: &Value) -> Option<SnapshotFile> {
    let mut stores = Vec::new();
    for store in value["stores"].as_array()? {
        stores.push(store.as_str()?.to_owned());
    }
    let at = value["at"].as_i64()?;
    let known = value["known"].as_u64()?;
    let is_time = u64::try_from(at).is_ok_and(|at| at <= MAX_MILLIS / 1000);
    let is_bounded = is_time && known <= MOST_KNOWN && stores.len() <= MOST_STORES;
    let is_known = value["v"].as_i64() == Some(VERSION);
    (is_bounded && is_known).then_some(SnapshotFile {
        at,
        known,
        stores,
        sum: value["sum"].as_str()?.to_owned(),
        tip: Oid::parse(value["tip"].as_str()?)?,
        blobs: Blobs::new(),
    })
}

impl Commit {
    /// Returns what it was made of, where it is the first commit of a history that began from a snapshot file.
    pub(crate) fn snapshot_root(&self) -> Option<SnapshotRoot> {
        let named = self.is_root().then(|| self.trailer(TRAILER))?;
        let of = Oid::parse(named?)?;
        // An id of another length is none of this repository.
        let is_of_here = of.as_bytes().len() == self.oid.as_bytes().len();
        let commit = self.oid;
        is_of_here.then_some(SnapshotRoot { commit, of })
    }
}
