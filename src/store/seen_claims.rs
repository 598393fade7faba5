//! Claims with leases, as exchanges have brought them: since when each is here unchanged, by our own clock. No time of another
//! machine is read for it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Store;
use super::notes_file::NotesFile;
use crate::model::{Issue, Stamp, Uid};

/// Its file.
pub(super) const NOTES: NotesFile = NotesFile {
    name: "claims-seen.json",
    unfinished: "claims-seen-new-",
    largest: 4 << 20,
};

/// A claim as it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SeenClaim {
    /// Its stamp.
    claim: Stamp,
    /// The last operation of its agent, wherever, in milliseconds by its clock: it is only compared.
    wrote: u64,
    /// The first and the last exchange that has found it so, in milliseconds by our clock.
    first: u64,
    last: u64,
}

/// A claim that an exchange has found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundClaim {
    pub(crate) issue: Uid,
    pub(crate) claim: Stamp,
    /// The last operation of its agent, in milliseconds.
    pub(crate) wrote: u64,
}

/// The claims of agents elsewhere that have a lease.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenClaims {
    claims: BTreeMap<Uid, SeenClaim>,
}

impl Store {
    /// Returns the claims as exchanges have found them.
    pub(crate) fn seen_claims(&self) -> SeenClaims {
        NOTES.read(self)
    }
}

impl SeenClaims {
    pub(crate) fn are_any(&self) -> bool {
        !self.claims.is_empty()
    }

    pub(crate) fn has(&self, issue: Uid) -> bool {
        self.claims.contains_key(&issue)
    }

    /// Notes what an exchange has found, in the place of all that was found before.
    pub(crate) fn keep(mut self, store: &Store, found: &[FoundClaim]) {
        let now = store.env().now();
        let mut claims = BTreeMap::new();
        for FoundClaim {
            issue,
            claim,
            wrote,
        } in found
        {
            let known = self.claims.remove(issue);
            let known = known.filter(|it| it.claim == *claim && it.wrote == *wrote);
            // A clock that was set back begins once more.
            let first = known.map(|known| known.first).filter(|first| *first <= now);
            let seen = SeenClaim {
                claim: *claim,
                wrote: *wrote,
                first: first.unwrap_or(now),
                last: now,
            };
            claims.insert(*issue, seen);
        }
        NOTES.write(store, &Self { claims });
    }

    /// Returns the last operation of the agent of an issue, in milliseconds, where two exchanges with a time between them have
    /// found its claim as it is.
    pub(crate) fn stayed(&self, issue: &Issue, time: Duration) -> Option<u64> {
        let seen = self.claims.get(&issue.uid())?;
        let stayed = Duration::from_millis(seen.last.saturating_sub(seen.first));
        (seen.claim == issue.work_stamp() && stayed >= time).then_some(seen.wrote)
    }
}
