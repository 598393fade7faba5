//! Issues that the argument of a user names.

use super::view::{PastState, View};
use crate::index::Lookup;
use crate::model::Uid;
use crate::ops::{Code, Command, Error, Hint, Result, shell_quote};
use crate::store::{Oid, Rewritten};

/// Digits of the shortest id of a commit that is taken.
const SHORTEST: usize = 4;
/// Digits of a commit in a message.
const SHORT: usize = 10;

impl View<'_> {
    /// Looks an argument up: an exact id, else one that an issue was known by, else a unique beginning, with or without
    /// prefix.
    pub(in crate::ops) fn lookup(&self, argument: &str) -> Result<Lookup> {
        // Exact first: that is one look-up, while a beginning needs the prefix, for which an object is read.
        match self.index.ids().exact(argument)? {
            Some(found) => Ok(found),
            None => Ok(self.index.ids().lookup(argument, self.prefix()?)?),
        }
    }

    /// Returns whether exactly this is the id of an issue.
    pub(crate) fn has(&self, id: &str) -> Result<bool> {
        Ok(self.index.ids().exact(id)?.is_some())
    }

    /// The issue that an argument names, for reading: of several that bear an id, the oldest.
    ///
    /// # Errors
    /// Not found, or several begin with it.
    pub(crate) fn find(&self, argument: &str) -> Result<Uid> {
        if argument.trim().is_empty() {
            return Err(Error::invalid("an id is empty").hinted(Command::of("list")));
        }
        match self.lookup(argument)? {
            Lookup::One(uid) => Ok(uid),
            // Two clones gave the same id. Reading does no harm, so the oldest answers; `find_one` asks.
            Lookup::Shared(holders) => Ok(holders[0].0),
            Lookup::Former(found) => Err(formerly(argument, &found)),
            Lookup::Ambiguous(found) => Err(ambiguous(argument, &found)),
            Lookup::None(near) => Err(match self.rewritten(argument) {
                Some(error) => error,
                None => self.dated(not_found(argument, &near)),
            }),
        }
    }

    /// Returns the answer to the beginning of the id of a commit that a purge has rewritten; none to anything else.
    pub(crate) fn rewritten(&self, argument: &str) -> Option<Error> {
        let (old, new) = self.rewritten_as(argument)?;
        let error = Error::not_found(format!(
            "commit {old} was rewritten by a purge; it is {new} now"
        ));
        Some(error.hinted(Command::of("diff").word(format!("{new}~1..{new}"))))
    }

    /// Returns the short ids of a commit that a purge has rewritten, and of the one in its place.
    pub(crate) fn rewritten_as(&self, argument: &str) -> Option<(String, String)> {
        let is_id = argument.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id || argument.len() < SHORTEST {
            return None;
        }
        let (store, rewritten) = (self.tracker.store(), Rewritten::of(self.tracker.store()));
        let old = rewritten.like(argument)?;
        let new = rewritten.now(store, old).ok()??;
        let short = |oid: Oid| oid.to_string().chars().take(SHORT).collect();
        (new != old).then(|| (short(old), short(new)))
    }

    /// In the past, an error says so, and its hint leads there.
    fn dated(&self, mut error: Error) -> Error {
        if let Some(PastState { revision, .. }) = &self.past {
            error.message = format!("{} at {}", error.message, shell_quote(revision));
            for hint in &mut error.hints {
                hint.add("--at", revision);
            }
        }
        error
    }

    /// The issue that an argument names, for writing.
    ///
    /// # Errors
    /// As [`View::find`], and a conflict for an id that several bear.
    pub(crate) fn find_one(&self, argument: &str) -> Result<Uid> {
        match self.lookup(argument)? {
            // An empty argument goes on to `find`, which refuses it.
            Lookup::Shared(holders) if !argument.trim().is_empty() => {
                let named: Vec<String> = holders
                    .iter()
                    .map(|(uid, shown)| format!("{shown} ({uid})"))
                    .collect();
                let message = format!(
                    "{} issues have the id {argument}: {}",
                    named.len(),
                    named.join(", ")
                );
                // Oldest first: the oldest keeps what others have written down, the youngest gets a new id.
                let youngest = holders
                    .last()
                    .map(|(_, shown)| shown.as_str())
                    .unwrap_or_default();
                Err(Error::new(Code::SharedId, message)
                    .hinted(Command::of("rename").id(youngest).placeholder("NEW-ID")))
            }
            _ => self.find(argument),
        }
    }
}

fn not_found(argument: &str, near: &[String]) -> Error {
    // The argument may be a whole text that an agent took for an id.
    let shown: String = argument.chars().take(80).collect();
    let error = Error::no_issue(shown);
    match near {
        [] => error.hinted(Command::of("list").flag("--all")),
        [first, ..] => {
            let near: Vec<String> = near.iter().map(|id| shell_quote(id)).collect();
            error.hinted(Hint::run(
                format!("did you mean {}? ", near.join(", ")),
                Command::of("show").id(first),
            ))
        }
    }
}

/// No one can know which one is meant by an id that several gave up.
fn formerly(argument: &str, found: &[(Uid, String)]) -> Error {
    let ids: Vec<&str> = found.iter().map(|(_, id)| id.as_str()).collect();
    let message = format!(
        "{} issues were known by the id {argument}: {}",
        ids.len(),
        ids.join(", ")
    );
    Error::new(Code::FormerId, message).hinted(ids.iter().fold(Command::of("show"), Command::id))
}

fn ambiguous(argument: &str, found: &[(Uid, String)]) -> Error {
    let ids: Vec<&str> = found.iter().map(|(_, id)| id.as_str()).collect();
    let message = format!(
        "{argument} is the beginning of several ids: {}",
        ids.join(", ")
    );
    Error::new(Code::Ambiguous, message).hinted(Command::of("show").id(ids[0]))
}
