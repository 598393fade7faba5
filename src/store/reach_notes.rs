//! What was learned of a remote that no configuration says, so that it is not asked for again and again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::notes_file::NotesFile;
use super::{Oid, Store};

/// Its file.
pub(super) const FILE: NotesFile = NotesFile {
    name: "reach.json",
    unfinished: "reach-new-",
    largest: 1 << 20,
};
/// So many mailboxes that stay are remembered.
const MOST: usize = 1000;
/// So long a remote that has refused the ref of the store is not asked to take it again.
const HOUR: Duration = Duration::from_secs(3600);
/// So long a remote is not asked again for claims of older clones.
const MINUTES: Duration = Duration::from_secs(600);

/// What was learned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReachNotes {
    v: u32,
    /// The remotes and tips of mailboxes that are merged, and that the remote does not let go.
    #[serde(default)]
    kept: BTreeSet<String>,
    /// The remotes that have refused the ref of the store, and when, in milliseconds.
    #[serde(default)]
    refused: BTreeMap<String, u64>,
    /// The remotes that have refused everything, and when.
    #[serde(default)]
    closed: BTreeMap<String, u64>,
    /// The remotes that have refused what a commit says, and the tip that they were sent.
    #[serde(default)]
    content: BTreeMap<String, String>,
    /// The remotes at which no older clone held a claim, and when that was asked.
    #[serde(default)]
    unclaimed: BTreeMap<String, u64>,
    /// The start of this machine since which a sandbox has asked for a store.
    #[serde(default)]
    asked: String,
    /// The commit whose carry files a sandbox has looked at.
    #[serde(default)]
    looked: String,
    /// The number of issues in the store that this clone has a snapshot of.
    #[serde(default)]
    known: u64,
    /// Where the store of this clone was found, if not at the usual ref of a remote.
    #[serde(default)]
    found: String,
    /// The mailboxes that were chosen here, and not by the user.
    #[serde(default)]
    chosen: BTreeSet<String>,
    /// The present, in milliseconds.
    #[serde(skip)]
    now: u64,
}

/// Returns true for a time within the last hour. In both directions: after the clock was set back, no remote is left out for
/// long.
fn is_recent(at: u64, now: u64) -> bool {
    u128::from(at.abs_diff(now)) < HOUR.as_millis()
}

impl ReachNotes {
    /// Notes the number of issues in the store that a snapshot was made of.
    pub(crate) fn know(&mut self, issues: u64) {
        self.known = self.known.max(issues);
    }

    /// Returns the number of issues in that store, 0 where there was no snapshot.
    pub(crate) fn known(&self) -> u64 {
        self.known
    }

    /// Notes where the store of this clone was found.
    pub(crate) fn set_found_at(&mut self, place: String) {
        self.found = place;
    }

    /// Returns where the store of this clone was found; none where that is not remembered.
    pub(crate) fn found_at(&self) -> Option<&str> {
        (!self.found.is_empty()).then_some(&*self.found)
    }

    /// Notes that a mailbox was chosen here.
    pub(crate) fn choose(&mut self, mailbox: &str) {
        if self.chosen.len() >= MOST {
            self.chosen.clear();
        }
        self.chosen.insert(mailbox.to_owned());
    }

    /// Returns true for a mailbox that was chosen here; any other is the user's word.
    pub(crate) fn has_chosen(&self, mailbox: &str) -> bool {
        self.chosen.contains(mailbox)
    }

    /// Notes that a remote has refused the ref of the store.
    pub(crate) fn refuse(&mut self, remote: &str) {
        self.refused.insert(remote.to_owned(), self.now);
    }

    /// Returns true if a remote has refused it within the last hour.
    pub(crate) fn has_refused(&self, remote: &str) -> bool {
        let at = self.refused.get(remote);
        at.is_some_and(|at| is_recent(*at, self.now))
    }

    /// Notes that no older clone holds a claim at a remote.
    pub(crate) fn note_no_older_claims(&mut self, remote: &str) {
        self.unclaimed.insert(remote.to_owned(), self.now);
    }

    /// Returns true if none has held one within the last minutes. One that was made since finds what is started here in the main
    /// ref, and gives way to it.
    pub(crate) fn has_no_older_claims(&self, remote: &str) -> bool {
        let at = self.unclaimed.get(remote);
        at.is_some_and(|at| u128::from(at.abs_diff(self.now)) < MINUTES.as_millis())
    }

    /// Notes that a remote has refused all that it was offered.
    pub(crate) fn close(&mut self, remote: &str) {
        if !self.is_closed(remote) {
            self.closed.insert(remote.to_owned(), self.now);
        }
    }

    /// Returns true if a remote has refused everything within the last hour.
    pub(crate) fn is_closed(&self, remote: &str) -> bool {
        let at = self.closed.get(remote);
        at.is_some_and(|at| is_recent(*at, self.now))
    }

    /// Notes that a remote has refused what a commit says that a tip leads to.
    pub(crate) fn refuse_content(&mut self, remote: &str, tip: Oid) {
        self.content.insert(remote.to_owned(), tip.to_string());
    }

    /// Returns the remotes that have refused what a commit says, with the tips that they were sent.
    pub(crate) fn refused_content(&self) -> impl Iterator<Item = (&str, Oid)> {
        let content = self.content.iter();
        content.filter_map(|(remote, tip)| Some((remote.as_str(), Oid::parse(tip)?)))
    }

    /// Notes that a sandbox has asked for a store since a start of this machine.
    pub(crate) fn asked_in(&mut self, boot: String) {
        self.asked = boot;
    }

    /// Returns true if a sandbox has asked for a store since a start of this machine.
    pub(crate) fn was_asked_in(&self, boot: &str) -> bool {
        self.asked == boot
    }

    /// Notes the commit whose carry files were looked at.
    pub(crate) fn looked_at(&mut self, commit: Oid) {
        self.looked = commit.to_string();
    }

    /// Returns true if the carry files of a commit were looked at.
    pub(crate) fn has_looked_at(&self, commit: Oid) -> bool {
        self.looked == commit.to_string()
    }

    /// Forgets what was learned of a remote, but what it has refused because of what that says: it counts until it is taken.
    pub(crate) fn forget(&mut self, remote: &str) {
        let of_remote = format!("{remote} ");
        self.kept.retain(|kept| !kept.starts_with(&of_remote));
        self.refused.remove(remote);
        self.closed.remove(remote);
    }

    /// Notes a mailbox that can't be removed.
    pub(crate) fn keep(&mut self, remote: &str, tip: Oid) {
        if self.kept.len() >= MOST {
            self.kept.clear();
        }
        self.kept.insert(format!("{remote} {tip}"));
    }

    /// Returns true for a mailbox that a remote does not let go.
    pub(crate) fn is_kept(&self, remote: &str, tip: Oid) -> bool {
        self.kept.contains(&format!("{remote} {tip}"))
    }
}

impl Store {
    /// Returns what was learned of remotes.
    pub(crate) fn reach_notes(&self) -> ReachNotes {
        ReachNotes {
            now: self.env().now(),
            ..FILE.read(self)
        }
    }

    /// Notes what was learned of remotes. What can't be written is learned again.
    pub(crate) fn note_reach(&self, change: impl FnOnce(&mut ReachNotes)) {
        let mut notes = self.reach_notes();
        let before = notes.clone();
        change(&mut notes);
        if notes != before {
            notes.v = 1;
            FILE.write(self, &notes);
        }
    }
}
