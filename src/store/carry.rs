//! Carry files: changes of issues as lines of text, which travel in a branch of the user's where nothing can be sent.
//!
//! A file holds all that a clone has and others are not known to have, against a commit that they have: its `base`. Every
//! reader rebuilds the same commit of it, so it does not matter who takes it over, how often, or by which branch it came. The
//! first line says where it belongs, each further line has a blob and its path:
//!
//! ```json
//! {"actor":"agent-7","at":1795349730,"base":"19f311f9...","beads":"carry","changes":2,"ops":["start bd-a1b2"],...}
//! {"b":{...},"p":"issues/0/7/4/01K8...3M/issue.json"}
//! ```

mod delta;
pub(super) mod lines;
mod notes;
mod parse;
pub(super) mod place;
pub(super) mod rebuild;
pub(super) mod work_tree;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Oid, TreePath};
use crate::model::{Uid, time};
pub(super) use delta::carried;
pub(crate) use delta::{CarryDelta, known_elsewhere};
use lines::{Blobs, TreeKey};
pub(crate) use lines::{CarryFault, LARGEST_FILE};
pub(crate) use notes::CarryNotes;
pub(super) use notes::NOTES;
pub(crate) use place::{CarryBlob, WorkBranch, carried_in, is_named_well, is_opted_in, tips_of};
pub(crate) use rebuild::RebuiltCommit;
pub(super) use rebuild::{CARRIED, CARRIED_AFTER};
pub(crate) use work_tree::{CarryFolder, UncommittedFile, has_carried, has_folder, uncommitted};

/// The folder of this program in the user's tree.
pub(super) const OWN_FOLDER: &str = ".git-beads";
/// The folder of the files there.
pub(crate) const FOLDER: &str = ".git-beads/carry";
/// The file by which a team says that they are welcome there.
pub(crate) const OPT_IN: &str = ".git-beads/README.md";
/// The value of `beads` in the first line.
const KIND: &str = "carry";
/// The newest form of the file that is read, and the one that is written.
const VERSION: i64 = 1;
/// So many operations are named.
const MOST_OPS: usize = 50;
/// So many characters does the name of one have.
const LONGEST_OP: usize = 200;
/// So many characters of the writer are in the name of a file.
const LONGEST_WRITER: usize = 24;
/// More lines than so many bytes are cut into parts.
const LARGEST_PART: usize = 256 << 10;
/// So many earlier files of the writer are named, the newest.
const MOST_EARLIER: usize = 64;

/// The changes of one file, or of one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CarryFile {
    pub(crate) header: CarryHeader,
    blobs: Blobs,
}

/// The first line: the keys are in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CarryHeader {
    pub(crate) actor: String,
    /// The sums of files that its writer has sent before, or has taken over: it was written with knowledge of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
    /// The time of the newest change, in seconds.
    pub(crate) at: i64,
    /// The commit that the changes were made to, which others have.
    pub(crate) base: Oid,
    beads: String,
    /// How many operations the changes come from.
    pub(crate) changes: usize,
    /// The first lines of these, the oldest first, as far as there is room.
    pub(crate) ops: Vec<String>,
    /// Which part it is, and of how many.
    pub(crate) part: (usize, usize),
    /// The ids of the stores that it belongs to.
    pub(crate) stores: Vec<String>,
    /// The SHA-256 of the lines that follow, in their canonical form.
    pub(crate) sum: String,
    v: i64,
}

impl CarryFile {
    /// Returns the name of the file: its time, who wrote it, and the beginning of its sum.
    pub(crate) fn name(&self) -> String {
        let header = &self.header;
        let millis = u64::try_from(header.at).unwrap_or(0).saturating_mul(1000);
        let time = time::format(millis);
        let time = time.split('.').next().unwrap_or_default();
        let time: String = time.chars().filter(char::is_ascii_alphanumeric).collect();
        let sum = header.sum.get(..8).unwrap_or_default();
        format!(
            "{}Z-{}-{sum}.jsonl",
            time.trim_end_matches('Z'),
            writer(&header.actor)
        )
    }

    /// Returns the text of the file.
    pub(crate) fn encode(&self) -> String {
        // The fields are in the order of their names, and a number or text has one form.
        let header = serde_json::to_string(&self.header).unwrap_or_default();
        lines::encode(header, &self.blobs)
    }

    /// Returns the issues that it changes.
    pub(crate) fn issues(&self) -> BTreeSet<Uid> {
        self.paths().filter_map(|(path, _)| path.issue()).collect()
    }

    /// Returns its paths, each with the bytes of the blob.
    fn paths(&self) -> impl Iterator<Item = (TreePath, &[u8])> {
        let parsed =
            |(path, blob): (&TreeKey, _)| Some((TreePath::parse(&path.0)?, Vec::as_slice(blob)));
        self.blobs.iter().filter_map(parsed)
    }
}

/// Returns a name as the name of a file has it.
pub(crate) fn writer(actor: &str) -> String {
    let name: String = actor.chars().map(plain).take(LONGEST_WRITER).collect();
    match name.trim_matches('-') {
        "" => "someone".to_owned(),
        name => name.to_owned(),
    }
}

/// Returns a character as the name of a file has it.
fn plain(c: char) -> char {
    match c.to_ascii_lowercase() {
        c if c.is_ascii_alphanumeric() => c,
        _ => '-',
    }
}
