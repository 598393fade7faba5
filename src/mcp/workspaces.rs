//! The repositories that calls of this process have chosen, and who chose which.
//!
//! Several agents of one client share a process. A choice belongs to the caller where callers have keys, else to
//! the process, so that no agent moves the work of another to a different repository.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
pub(super) struct Workspaces(Mutex<Choices>);

#[derive(Debug, Default)]
struct Choices {
    /// Of the process, for callers without a choice of their own.
    of_process: Option<PathBuf>,
    of_callers: HashMap<String, PathBuf>,
    /// All that were ever chosen, each once, the newest last.
    roots: Vec<ChosenRoot>,
}

#[derive(Clone, Debug)]
pub(super) struct ChosenRoot {
    /// The folder by which it was named.
    pub(super) dir: PathBuf,
    /// The directory that all its worktrees share.
    common: PathBuf,
}

impl Workspaces {
    /// Returns the choice of a caller, else that of the session it is a part of, else that of the process.
    pub(super) fn of(&self, caller: &[String]) -> Option<PathBuf> {
        let choices = self.lock();
        let own = caller.iter().find_map(|key| choices.of_callers.get(key));
        own.or(choices.of_process.as_ref()).cloned()
    }

    /// Remembers the choice of a caller, or of the process where the caller has no key.
    pub(super) fn choose(&self, caller: &[String], dir: PathBuf, common: PathBuf) {
        let mut choices = self.lock();
        let root = ChosenRoot {
            dir: dir.clone(),
            common,
        };
        choices.roots.retain(|known| known.common != root.common);
        choices.roots.push(root);
        match caller.first() {
            Some(key) => choices.of_callers.insert(key.clone(), dir),
            None => choices.of_process.replace(dir),
        };
    }

    pub(super) fn knows(&self, common: &Path) -> bool {
        self.lock().roots.iter().any(|root| root.common == common)
    }

    pub(super) fn roots(&self) -> Vec<ChosenRoot> {
        self.lock().roots.iter().rev().cloned().collect()
    }

    /// Returns whether there is more than one, so that an answer without its repository could be about another.
    pub(super) fn are_several(&self) -> bool {
        self.lock().roots.len() > 1
    }

    fn lock(&self) -> MutexGuard<'_, Choices> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
