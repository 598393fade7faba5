//! The commits that a purge has rewritten, by their ids alone.
//!
//! An old id is answered with the commit in its place, and is never taken for one that the ref has lost. A line counts only
//! while the new commit is a part of the history: it is written before the journal has that.

use std::collections::HashMap;
use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};

use super::write_lock::WriteLock;
use super::{Oid, Result, Store, io, private_file};
use crate::platform;

/// Its file: an old id and the new one in each line.
pub(super) const FILE: &str = "rewritten";

/// The commits that a purge has rewritten.
#[derive(Default)]
pub(crate) struct Rewritten {
    new: HashMap<Oid, Oid>,
}

impl Rewritten {
    /// Returns true if no commit was ever rewritten here.
    pub(super) fn is_empty(&self) -> bool {
        self.new.is_empty()
    }

    /// Returns the first that is a part of a history, of a commit and those that came into its place.
    pub(super) fn first(
        &self,
        commit: Oid,
        is_part: impl Fn(Oid) -> Result<bool>,
    ) -> Result<Option<Oid>> {
        let mut now = commit;
        // No more steps than there are lines: an edited file can have a cycle.
        for _ in 0..=self.new.len() {
            if is_part(now)? {
                return Ok(Some(now));
            }
            match self.new.get(&now) {
                Some(new) => now = *new,
                None => break,
            }
        }
        Ok(None)
    }

    /// Returns the commit of our history that is in the place of one now, or is that one; none where there is none.
    pub(crate) fn now(&self, store: &Store, commit: Oid) -> Result<Option<Oid>> {
        let Some(tip) = store.tip()? else {
            return Ok(None);
        };
        self.first(commit, |it| {
            Ok(store.is_commit(it)? && store.merging().contains(tip, it)?)
        })
    }

    /// Returns the one commit that a line has as rewritten and whose id begins so.
    pub(crate) fn like(&self, beginning: &str) -> Option<Oid> {
        let beginning = beginning.to_ascii_lowercase();
        let mut found = self
            .new
            .keys()
            .filter(|old| old.to_string().starts_with(&beginning));
        match (found.next(), found.next()) {
            (Some(old), None) => Some(*old),
            _ => None,
        }
    }

    /// Returns the commits that a purge has rewritten. Costs one look where there are none.
    pub(crate) fn of(store: &Store) -> Self {
        let text = fs::read_to_string(store.folder().join(FILE)).unwrap_or_default();
        let pair = |line: &str| {
            let (old, new) = line.split_once(' ')?;
            Some((Oid::parse(old)?, Oid::parse(new)?))
        };
        Self {
            new: text.lines().filter_map(pair).collect(),
        }
    }

    /// Notes commits that are rewritten, and waits until the disk has it: after a power cut the old ones must not look lost.
    pub(super) fn note(store: &Store, _lock: &WriteLock, pairs: &[(Oid, Oid)]) -> Result<()> {
        if pairs.is_empty() {
            return Ok(());
        }
        let path = store.folder().join(FILE);
        let fail = || io(format!("can't write {}", path.display()));
        // A line that was cut off ends before the first new one.
        let mut text = "\n".to_owned();
        // One that stays as it is was without the text already.
        for (old, new) in pairs.iter().filter(|(old, new)| old != new) {
            text.push_str(&format!("{old} {new}\n"));
        }
        let mut file = private_file::open(&path, store.permissions())?;
        file.seek(SeekFrom::End(0)).map_err(fail())?;
        file.write_all(text.as_bytes()).map_err(fail())?;
        file.sync_all().map_err(fail())?;
        platform::sync_folder(&store.folder()).map_err(fail())
    }

    /// Removes the moves of the ref from its reflog that name a commit which was rewritten: git keeps what a reflog names,
    /// and a repair would go back to it.
    pub(super) fn forget_moves(store: &Store, lock: &WriteLock) -> Result<()> {
        let rewritten = Self::of(store);
        if rewritten.is_empty() {
            return Ok(());
        }
        let is_old = |commit| {
            let has_line = rewritten.new.contains_key(&commit);
            let now = || rewritten.now(store, commit).ok().flatten();
            has_line && now().is_some_and(|now| now != commit)
        };
        store.refs().cut_log(lock, &is_old)
    }
}
