//! The commit of a carry file: everything in it follows from the file, so that all who rebuild it make the same one.

use std::collections::{BTreeMap, BTreeSet};

use super::CarryFile;
use super::lines::Blobs;
use crate::model::join::join;
use crate::model::{Issue, Uid};
use crate::store::object::Objects;
use crate::store::tree_writer::write_tree;
use crate::store::{Oid, Result, Snapshot, Store, TreePath, Unreadable, decode, private_file};

/// More issues than this in one commit are not listed in its trailer.
const MOST_LISTED: usize = 100;

/// The trailer with the sum of the file that a commit was rebuilt of.
pub(in crate::store) const CARRIED: &str = "Carried";
/// The trailer with the sums of earlier files that the writer of the file knew.
pub(in crate::store) const CARRIED_AFTER: &str = "Carried-After";

/// A commit that is in memory only.
pub(crate) struct RebuiltCommit<'s> {
    store: &'s Store,
    pub(crate) tip: Oid,
    objects: Objects,
}

impl RebuiltCommit<'_> {
    /// Writes its objects. No ref leads to them: they are merged next, or forgotten.
    pub(crate) fn write(self) -> Result<Oid> {
        let (store, objects) = (self.store, self.objects.as_slice());
        // A clone that begins with it has no private folder yet, where objects are begun.
        private_file::folder(&store.folder(), store.permissions())?;
        store.packs().write_objects(objects)?;
        Ok(self.tip)
    }
}

/// Makes a commit of blobs that are put into a state, or that are all there is; its time and message follow from the file.
pub(in crate::store) fn rebuild<'s>(
    store: &'s Store,
    base: Option<Snapshot<'_>>,
    blobs: &Blobs,
    (at, message): (i64, String),
) -> Result<RebuiltCommit<'s>> {
    let mut objects = store.objects();
    let mut edits = BTreeMap::new();
    for (path, blob) in blobs {
        edits.insert(path.0.clone(), objects.add_blob(blob)?);
    }
    let empty = Oid(store.repo.empty_tree().id);
    let before = base.map_or(empty, |base| base.tree());
    let tree = write_tree(store, before, &edits, &mut objects)?;
    // Nothing of the clone that rebuilds it: neither its user nor its clock.
    let signature = signature(at);
    let tip = objects.add(&gix::objs::Commit {
        tree: tree.0,
        parents: base.map(|base| base.commit().0).into_iter().collect(),
        author: signature.clone(),
        committer: signature,
        encoding: None,
        message: message.into(),
        extra_headers: Vec::new(),
    })?;
    Ok(RebuiltCommit {
        store,
        tip,
        objects,
    })
}

impl CarryFile {
    /// Returns the commit here that it builds on: its base, or the first commit of a history that began from a snapshot of
    /// that; none where neither is here.
    pub(crate) fn base_in(&self, store: &Store) -> Result<Option<Oid>> {
        let base = self.header.base;
        if store.is_commit(base)? {
            return Ok(Some(base));
        }
        let roots = match store.tip()? {
            Some(tip) => store.merging().snapshot_roots(tip)?,
            None => Vec::new(),
        };
        let root = roots.iter().find(|root| root.of == base);
        Ok(root.map(|root| root.commit))
    }

    /// Returns true if a state has all that it says, or what came of that.
    pub(crate) fn is_part_of(&self, state: Snapshot<'_>) -> Result<bool> {
        for (path, bytes) in self.paths() {
            let Some((_, here)) = state.find(path)? else {
                return Ok(false);
            };
            let (Ok(here), Ok(there)) = (decode(path, &here), decode(path, bytes)) else {
                return Ok(false);
            };
            if join(&here, &there) != here {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Rebuilds the commit, on the one here that it builds on.
    pub(crate) fn rebuild<'s>(&self, store: &'s Store, on: Oid) -> Result<RebuiltCommit<'s>> {
        let base = store.snapshot_at(on)?;
        rebuild(
            store,
            Some(base),
            &self.blobs,
            (self.header.at, self.message()),
        )
    }

    /// Returns the issues that it deletes, and that its base has otherwise.
    pub(crate) fn deletions(&self, store: &Store, on: Oid) -> Result<BTreeSet<Uid>> {
        let base = store.snapshot_at(on)?;
        let mut deleted = BTreeSet::new();
        for issue in self.shown_issues() {
            let uid = issue.uid();
            if issue.is_deleted() && was_there(base.issue(uid)?) {
                deleted.insert(uid);
            }
        }
        Ok(deleted)
    }

    /// Returns the issues whose blobs are in it.
    pub(crate) fn shown_issues(&self) -> Vec<Issue> {
        let paths = self.paths();
        paths
            .filter_map(|(path, bytes)| issue_of(path, bytes))
            .collect()
    }

    fn message(&self) -> String {
        let ops = self.header.ops.iter().map(|op| one_line(op));
        let paragraphs = [
            self.subject(),
            ops.collect::<Vec<_>>().join("\n"),
            self.trailers().join("\n"),
        ];
        let said: Vec<String> = paragraphs.into_iter().filter(|it| !it.is_empty()).collect();
        format!("{}\n", said.join("\n\n"))
    }

    fn subject(&self) -> String {
        let actor = one_line(&self.header.actor);
        let changes = match self.header.changes {
            1 => "1 change".to_owned(),
            n => format!("{n} changes"),
        };
        let part = self.part();
        format!("carried: {changes} of {actor}{part}")
    }

    fn part(&self) -> String {
        match self.header.part {
            (_, 1) => String::new(),
            (part, parts) => format!(" (part {part} of {parts})"),
        }
    }

    fn trailers(&self) -> Vec<String> {
        let actor = one_line(&self.header.actor);
        let named = [
            ("Issues", self.listed()),
            ("Actor", actor),
            (CARRIED, self.header.sum.clone()),
            (CARRIED_AFTER, self.header.after.join(" ")),
        ];
        let named = named.iter().filter(|(_, value)| !value.is_empty());
        named
            .map(|(key, value)| format!("{key}: {value}"))
            .collect()
    }

    /// Returns the uids of its issues; a star for many.
    fn listed(&self) -> String {
        let issues = self.issues();
        if issues.len() > MOST_LISTED {
            return "*".to_owned();
        }
        let listed: Vec<String> = issues.iter().map(ToString::to_string).collect();
        listed.join(" ")
    }
}

fn issue_of(path: TreePath, bytes: &[u8]) -> Option<Issue> {
    match path {
        TreePath::Issue(uid) => Some(Issue::from_blob(uid, decode(path, bytes).ok()?)),
        _ => None,
    }
}

/// Returns true for an issue that a deletion takes away; one that is new came and went in the same file.
fn was_there(before: Option<Result<Issue, Unreadable>>) -> bool {
    match before {
        Some(Ok(before)) => !before.is_deleted(),
        Some(Err(_)) => true,
        None => false,
    }
}

/// Makes one line of a text: a paragraph of its own would end the message before its trailers.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the author of all such commits, at a time.
fn signature(seconds: i64) -> gix::actor::Signature {
    gix::actor::Signature {
        name: "git-beads".into(),
        email: "git-beads@localhost".into(),
        time: gix::date::Time { seconds, offset: 0 },
    }
}
