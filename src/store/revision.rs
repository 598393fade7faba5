//! The names that people give to a state of the past.
//!
//! Only the text is read here, and steps are gone; a beginning of an id and a time are looked up in the
//! table of operations, which knows them without a walk through all commits.

use std::collections::HashSet;

use super::{Oid, REF, Result, Snapshot, Store, StoreError, TreePath, unreadable};
use crate::model::Clock;

/// Hexadecimal digits of the shortest id of a commit that is taken.
const SHORTEST: usize = 4;
/// Of these many or more, hexadecimal digits are an id and never a date.
const CERTAIN: usize = 7;

/// A state of the past as someone has named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Revision {
    /// The commit to begin with.
    pub base: Base,
    /// The number of commits to go back from there, along first parents.
    pub back: usize,
}

/// The beginning of a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// The newest state.
    Newest,
    /// The tip that a remote had when it was last asked; none where it has never been.
    Remote(Option<Oid>),
    /// The newest commit that is not later than this time, in milliseconds.
    Time(u64),
    /// The commit whose id begins so, in lower case.
    Commit(String),
}

impl Store {
    /// Reads a revision: the name of a remote, `@` for the newest state, a date (`2026-11-20`, RFC 3339, or `3d`
    /// for three days ago), or the first 4 or more digits of a commit; after it `~N` or `^` for commits before
    /// that. `@{N}` is `@~N`, `@{DATE}` the date. None for anything else.
    pub(crate) fn revision(&self, text: &str, clock: &Clock) -> Result<Option<Revision>> {
        let Some((mut text, mut back)) = steps(text.trim()) else {
            return Ok(None);
        };
        if let Some(inner) = text
            .strip_prefix("@{")
            .and_then(|rest| rest.strip_suffix('}'))
        {
            let n: Option<usize> = inner.parse().ok();
            text = if n.is_some() { "@" } else { inner };
            back = back.saturating_add(n.unwrap_or(0));
        }
        let hex = (SHORTEST..=64).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let commit = || Base::Commit(text.to_ascii_lowercase());
        let base = if text == "@" {
            Some(Base::Newest)
        } else if self.remotes().names().iter().any(|name| name == text) {
            Some(Base::Remote(self.remotes().remote_tip(text)?))
        } else if hex && text.len() >= CERTAIN {
            Some(commit())
        } else {
            clock
                .past(text)
                .map(|period| Base::Time(period.start))
                .or_else(|| hex.then(commit))
        };
        Ok(base.map(|base| Revision { base, back }))
    }

    /// Returns true if anything in the repository, such as a commit of the user's own, has an id that begins so.
    pub(crate) fn has_object(&self, beginning: &str) -> bool {
        let prefix = gix::hash::Prefix::from_hex(beginning).ok();
        prefix
            .and_then(|prefix| self.repo.objects.lookup_prefix(prefix, None).ok().flatten())
            .is_some()
    }
}

/// Returns the text before the steps, and their number; none for more than can be counted.
fn steps(text: &str) -> Option<(&str, usize)> {
    let (mut base, mut back) = (text, 0usize);
    loop {
        let bare = base.trim_end_matches(|c: char| c.is_ascii_digit());
        let n = match (bare.strip_suffix('~'), base.strip_suffix('^')) {
            (Some(before), _) => {
                let digits = &base[bare.len()..];
                base = before;
                if digits.is_empty() {
                    1
                } else {
                    digits.parse().ok()?
                }
            }
            (None, Some(before)) => {
                base = before;
                1
            }
            (None, None) => return Some((base, back)),
        };
        back = back.checked_add(n)?;
    }
}

/// The state so many commits earlier.
pub(crate) enum Back<'s> {
    /// This one.
    State(Snapshot<'s>),
    /// None: the history is shorter.
    Root,
    /// It is not here: the history is cut at this commit.
    Cut(Oid),
}

impl<'s> Snapshot<'s> {
    /// Returns the state so many commits earlier, along first parents.
    pub(crate) fn back(self, steps: usize) -> Result<Back<'s>> {
        let store = self.store();
        let mut commit = self.commit();
        let cuts = if steps > 0 {
            store.ancestry().cuts()?
        } else {
            HashSet::new()
        };
        for _ in 0..steps {
            if cuts.contains(&commit) {
                return Ok(Back::Cut(commit));
            }
            let found = store
                .repo
                .find_commit(commit.0)
                .map_err(unreadable(format!("commit {commit}")))?;
            let Some(parent) = found.parent_ids().next() else {
                return Ok(Back::Root);
            };
            commit = Oid(parent.detach());
        }
        store.snapshot_at(commit).map(Back::State)
    }

    /// Returns true if it is a state of a store, and not of someone's code.
    pub(crate) fn is_of_a_store(&self) -> Result<bool, StoreError> {
        Ok(self.entry(&TreePath::Meta.to_string())?.is_some())
    }

    /// Refuses a state that is not of a store: someone has pointed the ref to another commit.
    pub(crate) fn check_is_of_a_store(&self) -> Result<(), StoreError> {
        match self.is_of_a_store()? {
            true => Ok(()),
            false => Err(self.not_of_a_store()),
        }
    }

    /// Returns the error that such a state is.
    pub(crate) fn not_of_a_store(&self) -> StoreError {
        StoreError::Unreadable {
            what: REF.to_owned(),
            why: format!("commit {} keeps no issues", self.commit()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::steps;

    #[test]
    fn steps_are_read_as_git_reads_them() {
        for (text, base, back) in [
            ("@", "@", 0),
            ("@~", "@", 1),
            ("@^", "@", 1),
            ("@~3", "@", 3),
            ("@^^", "@", 2),
            ("@~2^~3", "@", 6),
            ("3d~1", "3d", 1),
            ("origin", "origin", 0),
            ("@^2", "@^2", 0),
            ("@~x", "@~x", 0),
        ] {
            assert_eq!(steps(text), Some((base, back)), "{text}");
        }
        assert_eq!(steps("@~99999999999999999999"), None);
        assert_eq!(steps("@~18446744073709551615~1"), None);
    }
}
