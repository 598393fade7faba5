//! The way on which what is here reaches others: the ref of the store, a branch in its place, or a mailbox.
//!
//! The first one that a remote takes is remembered, and all else follows from it, so an ordinary host is asked nothing
//! more than before. A way is left only where the remote refuses it by its own words; an outage changes nothing.

use crate::env::sandbox::{self, Sandbox};
use crate::ops::Result;
use crate::store::{BRANCH, Destination, REF, Store, mailbox, short};

/// The way between a clone and a remote.
#[derive(Clone, Debug)]
pub(super) struct SendRoute {
    /// The ref at which the remote has the store.
    pub(super) at: String,
    /// The place where what is here is sent.
    pub(super) to: Destination,
    /// The refs that the remote has refused.
    pub(super) refused: Vec<String>,
    /// The user has named the ref.
    is_named: bool,
    /// The configuration has named the mailbox.
    is_remembered: bool,
    sandbox: Option<Sandbox>,
    /// The mailbox of this session.
    mailbox: Option<String>,
}

impl SendRoute {
    /// Returns the way to a remote, as it is remembered.
    pub(super) fn of(store: &Store, remote: &str) -> Self {
        let addresses = store.remotes().addresses(remote);
        let branch = sandbox::named_branch().or_else(|| store.user_branches().current_branch());
        let of_session = branch.as_deref().and_then(mailbox::of_session);
        let (at, to) = (addresses.of_store(), addresses.destination());
        Self {
            is_remembered: to != Destination::Store,
            at,
            to,
            refused: Vec::new(),
            is_named: addresses.is_ref_named(),
            sandbox: Sandbox::of(true, branch.as_deref()),
            mailbox: of_session.map(|branch| format!("refs/heads/{branch}")),
        }
    }

    /// Chooses the mailbox at once in a sandbox, whose service takes nothing else, where the remote has the store.
    pub(super) fn choose(&mut self, has_store: bool) {
        let is_open = !self.is_named && !self.is_remembered && self.refused.is_empty();
        if let (Some(mailbox), Some(_), true) = (&self.mailbox, self.sandbox, has_store && is_open)
        {
            self.to = Destination::Mailbox(mailbox.clone());
        }
    }

    /// Returns true where the store can be at another ref than the one that was asked for.
    pub(super) fn may_be_elsewhere(&self) -> bool {
        !self.is_named && self.at == REF
    }

    /// Returns true while a branch is tried in the place of the ref.
    pub(super) fn is_trying_branch(&self) -> bool {
        self.at == BRANCH && !self.refused.is_empty()
    }

    /// Takes the next way after the remote has refused the present one; false where there is none.
    pub(super) fn take_next(
        &mut self,
        store: &Store,
        remote: &str,
        has_store: bool,
    ) -> Result<bool> {
        self.refused.push(self.target().to_owned());
        if self.is_named || self.to == Destination::Nowhere {
            return Ok(false);
        }
        if self.is_remembered {
            // What a host takes can change: all of it is tried once more.
            store.remotes().addresses(remote).forget_mailbox()?;
            self.is_remembered = false;
            self.to = Destination::Store;
            return Ok(true);
        }
        // Where the store is at its ref no one would read the branch.
        if self.to == Destination::Store && self.at == REF && !has_store && self.sandbox.is_none() {
            BRANCH.clone_into(&mut self.at);
            return Ok(true);
        }
        if self.at == BRANCH && !has_store {
            REF.clone_into(&mut self.at);
        }
        let untried = |name: &String| !self.refused.contains(name);
        let mailbox = self.mailbox.clone().filter(untried);
        self.to = match mailbox {
            Some(mailbox) => Destination::Mailbox(mailbox),
            // A sandbox begins with its mailbox.
            None if untried(&self.at) => Destination::Store,
            None => return Ok(false),
        };
        Ok(true)
    }

    /// Returns the ref to which what is here is sent.
    pub(super) fn target(&self) -> &str {
        match &self.to {
            Destination::Mailbox(mailbox) => mailbox,
            Destination::Store | Destination::Nowhere => &self.at,
        }
    }

    /// Returns a way of which nothing is remembered.
    pub(super) fn anew(store: &Store) -> Self {
        let known = Self::of(store, "");
        Self {
            is_remembered: false,
            ..known
        }
    }

    /// Returns true where the way is not remembered yet, and is not the usual one.
    pub(super) fn is_new(&self, store: &Store, remote: &str) -> bool {
        let is_usual = match &self.to {
            Destination::Store => store.remotes().addresses(remote).of_store() == self.at,
            Destination::Mailbox(_) => self.is_remembered,
            Destination::Nowhere => true,
        };
        !self.is_named && !is_usual
    }

    /// Remembers the way, once the remote has taken it.
    pub(super) fn remember(&self, store: &Store, remote: &str) -> Result<()> {
        let addresses = store.remotes().addresses(remote);
        match &self.to {
            Destination::Mailbox(mailbox) => Ok(addresses.note_mailbox(mailbox)?),
            Destination::Store => Ok(addresses.note_store(&self.at)?),
            Destination::Nowhere => Ok(()),
        }
    }

    /// Returns the refs that the remote has refused, as people name them.
    pub(super) fn refused_names(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for name in self.refused.iter().map(|name| short(name)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(" and ")
    }
}
