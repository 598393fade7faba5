//! The refs of a remote by which a clone exchanges with it, as the configuration remembers them.
//!
//! `beads.remoteRef` is the user's word and holds for every remote. Else a remote has the store at our ref, or where
//! `remote.<name>.beadsRef` says; and a clone that may not write there sends to `remote.<name>.beadsPush`. Both go with the
//! remote when git renames or removes it.

use gix::refs::FullName;

use super::super::refs::BRANCHES;
use super::Remotes;
use crate::store::{Result, StoreError};

/// The branch that holds the store where a host takes branches only.
pub(crate) const BRANCH: &str = "refs/heads/beads";
/// The names of the keys of a remote.
const STORE: &str = "beadsRef";
const PUSH: &str = "beadsPush";
/// The value of `beadsPush` that stands for no ref at all.
const NOWHERE: &str = "none";

/// The place where what is here is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// The ref at which the remote has the store.
    Store,
    /// Another ref, which others merge into the store.
    Mailbox(String),
    /// None: nothing is sent.
    Nowhere,
}

/// The addresses by which a clone exchanges with a remote.
#[derive(Clone, Copy)]
pub(crate) struct Addresses<'s> {
    remotes: Remotes<'s>,
    remote: &'s str,
}

impl<'s> Remotes<'s> {
    /// Returns the addresses by which a clone exchanges with a remote.
    pub(crate) fn addresses(self, remote: &'s str) -> Addresses<'s> {
        Addresses {
            remotes: self,
            remote,
        }
    }
}

impl Addresses<'_> {
    /// Returns true where the user has named the ref: no other is tried.
    pub(crate) fn is_ref_named(self) -> bool {
        self.remotes.store.config("beads.remoteRef").is_some()
    }

    /// Returns the ref at which the remote has the store, as far as that is known.
    pub(crate) fn of_store(self) -> String {
        self.remotes.remote_ref(self.remote)
    }

    /// Returns the branches where the remote can have the store, as the user's own fetch and push know them.
    pub(super) fn branches(self) -> Vec<String> {
        let pushed = self.remotes.store.config(&self.key(PUSH));
        let named = [
            Some(BRANCH.to_owned()),
            Some(self.remotes.remote_ref(self.remote)),
            pushed,
        ];
        let branches = named.iter().flatten();
        branches
            .filter_map(|name| Some(name.strip_prefix(BRANCHES)?.to_owned()))
            .collect()
    }

    /// Returns the place where this clone sends what is here.
    /// Errors: a value that names no branch.
    pub(crate) fn destination(self) -> Result<Destination> {
        let key = self.key(PUSH);
        let Some(named) = self
            .remotes
            .store
            .config(&key)
            .filter(|_| !self.is_ref_named())
        else {
            return Ok(Destination::Store);
        };
        let is_branch = named.starts_with(BRANCHES) && FullName::try_from(&*named).is_ok();
        match &*named {
            NOWHERE => Ok(Destination::Nowhere),
            _ if is_branch => Ok(Destination::Mailbox(named)),
            _ => Err(StoreError::Setting {
                key,
                value: named,
                example: "refs/heads/dev/ann/git-beads-x",
            }),
        }
    }

    /// Notes where the remote has the store.
    pub(crate) fn note_store(self, reference: &str) -> Result<()> {
        self.configure(STORE, reference)
    }

    /// Notes the mailbox to which this clone sends.
    pub(crate) fn note_mailbox(self, reference: &str) -> Result<()> {
        self.configure(PUSH, reference)
    }

    /// Forgets where the remote has the store, which is at our ref.
    pub(crate) fn forget_store(self) -> Result<()> {
        self.unset(STORE)
    }

    /// Forgets where this clone sends.
    pub(crate) fn forget_mailbox(self) -> Result<()> {
        self.unset(PUSH)
    }

    fn key(self, name: &str) -> String {
        format!("remote.{}.{name}", self.remote)
    }

    fn unset(self, name: &str) -> Result<()> {
        self.remotes.store.git().unset_config(&[&self.key(name)])
    }

    fn configure(self, name: &str, value: &str) -> Result<()> {
        self.remotes.store.git().set_config(&self.key(name), value)
    }
}
