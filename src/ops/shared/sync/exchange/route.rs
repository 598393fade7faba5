//! The way on which what is here reaches others: the ref of the store, a branch in its place, or a mailbox.
//!
//! The first one that a remote takes is remembered, and all else follows from it, so an ordinary host is asked nothing
//! more than before. A way is left only where the remote refuses it by its own words; an outage changes nothing.

use crate::env::sandbox;
use crate::ops::Result;
use crate::ops::shared::sync::DeliveryKind;
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
    /// What the configuration says of the store and of the mailbox.
    known: (String, Option<String>),
    /// A set-up step has said that this is a sandbox, whose service takes mailboxes alone.
    is_sandbox: bool,
    /// The mailbox of this clone, or that of its session.
    mailbox: Option<String>,
}

impl SendRoute {
    /// Returns the way to a remote, as it is remembered; with `probes`, as if nothing were.
    /// Errors: a setting that names no branch, where it sends.
    pub(super) fn of(store: &Store, remote: &str, (sends, probes): (bool, bool)) -> Result<Self> {
        let addresses = store.remotes().addresses(remote);
        let branch =
            sandbox::named_branch(store.env()).or_else(|| store.user_branches().current_branch());
        let of_session = branch.as_deref().and_then(mailbox::of_session);
        let of_session = of_session.map(|branch| format!("refs/heads/{branch}"));
        // A branch of the user's is no mailbox.
        let is_free = |name: &String| store.user_branches().commit_named(name).is_none();
        let of_session = of_session.filter(is_free);
        let (at, to) = (addresses.of_store(), addresses.destination());
        // What only fetches needs no place to send to.
        let to = if sends {
            to?
        } else {
            to.unwrap_or(Destination::Store)
        };
        let is_sandbox = sandbox::is_declared(store.env());
        let remembered = match &to {
            Destination::Mailbox(mailbox) => Some(mailbox.clone()),
            Destination::Store | Destination::Nowhere => None,
        };
        // Outside of a sandbox a refusal can be over: the store is tried again now and then. Not where the user has named the
        // mailbox.
        let notes = store.reach_notes();
        let is_due = |mailbox: &str| {
            // That of the session is what would be chosen, also where the note of it is gone.
            let is_chosen = notes.has_chosen(mailbox) || of_session.as_deref() == Some(mailbox);
            !is_sandbox && is_chosen && !notes.has_refused(remote)
        };
        let is_named = addresses.is_ref_named();
        Ok(Self {
            to: match to {
                Destination::Mailbox(mailbox) if probes || is_due(&mailbox) => Destination::Store,
                to => to,
            },
            at: if probes && !is_named {
                REF.to_owned()
            } else {
                at.clone()
            },
            refused: Vec::new(),
            is_named,
            mailbox: remembered.clone().or(of_session),
            known: (at, remembered),
            is_sandbox,
        })
    }

    /// Chooses the mailbox at once in a sandbox, whose service takes nothing else, where the remote has the store.
    pub(super) fn choose(&mut self, has_store: bool) {
        let is_open = !self.is_named && self.to == Destination::Store && self.refused.is_empty();
        if let (Some(mailbox), true) = (&self.mailbox, self.is_sandbox && has_store && is_open) {
            self.to = Destination::Mailbox(mailbox.clone());
        }
    }

    /// Returns the mailbox to which this clone sends, or has sent.
    pub(super) fn own_mailbox(&self) -> Option<&str> {
        match &self.to {
            Destination::Mailbox(mailbox) => Some(mailbox),
            Destination::Store | Destination::Nowhere => self.known.1.as_deref(),
        }
    }

    /// Returns true where the store can be at another ref than the one that was asked for.
    pub(super) fn may_be_elsewhere(&self) -> bool {
        !self.is_named && self.at == REF
    }

    /// Returns true where the store can have come back to the ref from the branch that is remembered.
    pub(super) fn may_be_back(&self) -> bool {
        !self.is_named && self.at != REF && self.refused.is_empty()
    }

    /// Returns true while a branch is tried in the place of the ref.
    pub(super) fn is_trying_branch(&self) -> bool {
        self.at == BRANCH && !self.refused.is_empty()
    }

    /// Takes the next way after the remote has refused the present one; false where there is none. What is remembered stays
    /// so until another way was taken.
    pub(super) fn take_next(&mut self, has_store: bool) -> bool {
        self.refused.push(self.target().to_owned());
        if self.is_named || self.to == Destination::Nowhere {
            return false;
        }
        // Where the store is at its ref no one would read the branch.
        let may_begin = !has_store && !self.is_sandbox && self.known.1.is_none();
        if self.to == Destination::Store && self.at == REF && may_begin {
            BRANCH.clone_into(&mut self.at);
            return true;
        }
        if self.at == BRANCH && !has_store {
            REF.clone_into(&mut self.at);
        }
        let untried = |name: &String| !self.refused.contains(name);
        self.to = match self.mailbox.clone().filter(untried) {
            Some(mailbox) => Destination::Mailbox(mailbox),
            // A sandbox begins with its mailbox.
            None if untried(&self.at) => Destination::Store,
            None => return false,
        };
        true
    }

    /// Returns the ref to which what is here is sent.
    pub(super) fn target(&self) -> &str {
        match &self.to {
            Destination::Mailbox(mailbox) => mailbox,
            Destination::Store | Destination::Nowhere => &self.at,
        }
    }

    /// Returns the kind of the way, where it is not the usual one.
    pub(super) fn delivery(&self) -> Option<DeliveryKind> {
        match &self.to {
            Destination::Mailbox(_) => Some(DeliveryKind::Mailbox),
            Destination::Store if self.at == BRANCH => Some(DeliveryKind::Branch),
            Destination::Store | Destination::Nowhere => None,
        }
    }

    /// Returns true if the remote has refused a ref.
    pub(super) fn has_refused(&self, reference: &str) -> bool {
        self.refused.iter().any(|name| name == reference)
    }

    /// Returns true where the way is not the one that is remembered.
    pub(super) fn is_new(&self) -> bool {
        let is_known = match &self.to {
            Destination::Store => self.known == (self.at.clone(), None),
            Destination::Mailbox(mailbox) => self.known.1.as_ref() == Some(mailbox),
            Destination::Nowhere => true,
        };
        !self.is_named && !is_known
    }

    /// Remembers the way, once the remote has taken it.
    pub(super) fn remember(&self, store: &Store, remote: &str) -> Result<()> {
        let addresses = store.remotes().addresses(remote);
        match &self.to {
            Destination::Mailbox(mailbox) => {
                store.note_reach(|notes| notes.choose(mailbox));
                Ok(addresses.note_mailbox(mailbox)?)
            }
            Destination::Store => {
                if self.known.1.is_some() {
                    addresses.forget_mailbox()?;
                }
                match self.at == REF {
                    true => Ok(addresses.forget_store()?),
                    false => Ok(addresses.note_store(&self.at)?),
                }
            }
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
