//! Questions of front ends about the repository itself, so that none of them names the store.

use std::path::PathBuf;

use crate::ops::Tracker;
use crate::store::RefWatch;

impl Tracker {
    /// Returns a value of git's configuration.
    pub(crate) fn config(&self, key: &str) -> Option<String> {
        self.store().config(key)
    }

    /// Returns a value of git's configuration that is true or false.
    pub(crate) fn config_bool(&self, key: &str) -> Option<bool> {
        self.store().config_bool(key)
    }

    /// Returns whether the repository is as it was when it was opened.
    pub(crate) fn is_current(&self) -> bool {
        self.store().is_current()
    }

    /// Returns a mark that is another one when the ref has moved.
    pub(crate) fn ref_mark(&self) -> impl PartialEq + use<> {
        self.store().ref_mark()
    }

    /// Returns what changes whenever the issues do, or the branch on which work lands.
    pub(crate) fn live_mark(&self) -> impl PartialEq + use<> {
        let tips = self.store().user_branches().landing_tips();
        (self.store().ref_mark(), tips)
    }

    /// Returns a look at the ref that begins now, and goes on in any thread.
    pub(crate) fn ref_watch(&self) -> RefWatch {
        self.store().ref_watch()
    }

    /// Returns the folder of the user's files; none in a bare repository.
    pub(crate) fn work_tree(&self) -> Option<PathBuf> {
        self.store().work_tree()
    }
}
