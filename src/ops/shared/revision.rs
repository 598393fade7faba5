//! States of the past, as `--at` and `diff` name them.

use crate::ops::{Code, Command, Error, Hint, Result, View};
use crate::store::{Back, Base, Oid, Snapshot};

/// Digits of a commit in a message.
const SHORT: usize = 10;

/// The forms that a revision can have.
fn forms() -> Hint {
    Command::of("log")
        .flag("-n")
        .word("20")
        .then(" (a commit, a date such as 2026-11-20 or 3d, a remote, or @~3)")
}

/// An error: what came before a commit is missing, so that nothing can be said of it.
pub(crate) fn cut_at(code: Code, commit: &str) -> Error {
    let shown: String = commit.chars().take(SHORT).collect();
    let message = format!("the history before {shown} is not here: it is cut there");
    Error::new(code, message)
        .hinted(
            Command::of("fetch")
                .flag("--unshallow")
                .then(" brings the whole history"),
        )
        .also(Hint::again("then ", ""))
}

impl<'t> View<'t> {
    /// The commits before which the history is cut.
    pub(crate) fn cuts(&self) -> Result<Vec<String>> {
        Ok(self
            .index
            .oplog()
            .cuts()?
            .iter()
            .map(Oid::to_string)
            .collect())
    }

    /// Passes on that something is not in the history, where that is whole; else it may lie before a cut.
    fn unless_cut(&self, error: Error) -> Error {
        match self.cuts() {
            Ok(cuts) => match cuts.first() {
                Some(cut) => cut_at(Code::Cut, cut),
                None => error,
            },
            Err(unreadable) => unreadable,
        }
    }

    /// The view of the state that a revision names, as [`View::state_at`] reads it.
    pub(in crate::ops) fn past(&self, revision: &str) -> Result<Self> {
        let (snapshot, now) = self.state_at(revision)?;
        self.seen_from(revision, snapshot, now)
    }

    /// The state that a revision names: `@~3`, a date, a commit of the history, a remote.
    pub(crate) fn revision(&self, text: &str) -> Result<Snapshot<'t>> {
        Ok(self.resolve_revision(text)?.0)
    }

    /// Returns the state that a revision names, and the time that it is seen from, in milliseconds: for a time before all
    /// others the first one, where that has no issue yet.
    /// Errors: as [`View::revision`].
    pub(crate) fn state_at(&self, text: &str) -> Result<(Snapshot<'t>, u64)> {
        let error = match self.resolve_revision(text) {
            Err(error) if error.is(Code::NothingYet) => error,
            resolved => return resolved,
        };
        let first = self
            .index
            .oplog()
            .first_commit()?
            .ok_or_else(|| error.clone())?;
        let snapshot = self.snapshot().store().snapshot_at(first)?;
        match snapshot.is_empty()? {
            true => Ok((snapshot, snapshot.time()?)),
            false => Err(error),
        }
    }

    /// The state that a revision names, and the time that it is seen from, in milliseconds.
    ///
    /// # Errors
    /// As [`View::revision`].
    pub(crate) fn resolve_revision(&self, text: &str) -> Result<(Snapshot<'t>, u64)> {
        let store = self.snapshot().store();
        let shown: String = text.chars().take(80).collect();
        let revision = store.revision(text, &self.clock())?;
        let revision = revision.ok_or_else(|| {
            Error::invalid(format!("not a date, commit or remote: `{shown}`")).hinted(forms())
        })?;
        let found = self.base_commit(&revision.base, text, &shown)?;
        let snapshot = match store.snapshot_at(found)?.back(revision.back)? {
            Back::State(snapshot) => snapshot,
            Back::Cut(commit) => return Err(cut_at(Code::Cut, &commit.to_string())),
            Back::Root => {
                return Err(Error::not_found(format!(
                    "the history does not reach {} commits back from there",
                    revision.back
                ))
                .hinted(Command::of("log").flag("-n").word("0")));
            }
        };
        if !snapshot.is_of_a_store()? {
            return Err(
                Error::invalid(format!("`{shown}` is not a state of the issues")).hinted(forms()),
            );
        }
        // A date is seen from that date, any other state from the time of its commit.
        let seen_from = match revision {
            crate::store::Revision {
                base: Base::Time(at),
                back: 0,
            } => at,
            _ => snapshot.time()?,
        };
        Ok((snapshot, seen_from))
    }

    /// Returns the commit that a revision begins with.
    fn base_commit(&self, base: &Base, text: &str, shown: &str) -> Result<Oid> {
        Ok(match base {
            Base::Newest => self.snapshot().commit(),
            Base::Remote(tip) => tip.ok_or_else(|| {
                let message = format!("the remote `{shown}` has not been asked for its issues yet");
                Error::not_found(message).hinted(Command::of("fetch").flag("--remote").text(text))
            })?,
            Base::Time(at) => self.index.commit_at(*at)?.ok_or_else(|| {
                let message = format!(
                    "there was nothing yet at {}",
                    self.clock().formatted(*at, "%Y-%m-%d %H:%M:%S %z")
                );
                self.unless_cut(
                    Error::new(Code::NothingYet, message)
                        .hinted(Command::of("log").flag("-n").word("0")),
                )
            })?,
            Base::Commit(beginning) => self.commit(beginning)?,
        })
    }

    /// The one commit of the history whose id begins so.
    fn commit(&self, beginning: &str) -> Result<Oid> {
        let shown: String = beginning.chars().take(SHORT).collect();
        match self.index.commits_like(beginning)?.as_slice() {
            [only] => Ok(*only),
            [] if let Some(rewritten) = self.rewritten(beginning) => Err(rewritten),
            [] if self.snapshot().store().has_object(beginning) => Err(Error::invalid(format!(
                "{shown} is not in the history of the issues, but of something else here"
            ))
            .hinted(forms())),
            [] => Err(self.unless_cut(
                Error::not_found(format!("no commit of the issues begins with {shown}"))
                    .hinted(forms()),
            )),
            several => {
                let ids: Vec<String> = several
                    .iter()
                    .map(|oid| oid.to_string()[..2 * SHORT].to_owned())
                    .collect();
                Err(Error::invalid(format!(
                    "several commits begin with {shown}: {}",
                    ids.join(", ")
                ))
                .hinted(forms()))
            }
        }
    }
}
