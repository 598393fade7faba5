//! The commit of a file of an earlier version: everything in it follows from the file, so that all who rebuild it make the
//! same one.

use std::collections::BTreeMap;

use super::lines::Blobs;
use crate::store::carry::CarriedState;
use crate::store::tree_writer::write_tree;
use crate::store::{Oid, Result, Snapshot, Store};

/// The trailer with the sum of the file that a commit was rebuilt of.
pub(in crate::store) const CARRIED: &str = "Carried";
/// The trailer with the sums of earlier files that the writer of the file knew.
pub(in crate::store) const CARRIED_AFTER: &str = "Carried-After";

/// What a commit is made of.
pub(super) struct OlderFile<'f> {
    pub(super) blobs: &'f Blobs,
    /// The time of the commit, in seconds.
    pub(super) at: i64,
    pub(super) message: String,
    /// The number of operations in it, where it has some.
    pub(super) changes: Option<usize>,
}

/// Makes a commit of blobs that are put into a state, or that are all there is.
pub(super) fn rebuild(
    store: &Store,
    base: Option<Snapshot<'_>>,
    file: OlderFile<'_>,
) -> Result<CarriedState> {
    let mut objects = store.objects();
    let mut edits = BTreeMap::new();
    for (path, blob) in file.blobs {
        edits.insert(path.0.clone(), objects.add_blob(blob)?);
    }
    let empty = Oid(store.repo.empty_tree().id);
    let before = base.map_or(empty, |base| base.tree());
    let tree = write_tree(store, before, &edits, &mut objects)?;
    // Nothing of the clone that rebuilds it: neither its user nor its clock.
    let signature = gix::actor::Signature {
        name: "git-beads".into(),
        email: "git-beads@localhost".into(),
        time: gix::date::Time {
            seconds: file.at,
            offset: 0,
        },
    };
    let tip = objects.add(&gix::objs::Commit {
        tree: tree.0,
        parents: base.map(|base| base.commit().0).into_iter().collect(),
        author: signature.clone(),
        committer: signature,
        encoding: None,
        message: file.message.into(),
        extra_headers: Vec::new(),
    })?;
    Ok(CarriedState {
        tip,
        objects: objects.into_vec().into(),
        joined: file.changes,
    })
}

/// Makes one line of a text: a paragraph of its own would end the message before its trailers.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
