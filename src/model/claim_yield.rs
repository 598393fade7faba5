//! Yielding: of two writes of who works on an issue that did not know each other, one gives way to the other.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::blob::{Loser, Register, Writer};
use super::claim::{AGENT, Party, claim_or_rest, counting};
use super::issue::{CLAIM, CLAIM_PARTS, Issue};
use super::stamp::Stamp;
use super::status::IN_PROGRESS;
use super::time;

/// The register that says that an issue is deleted.
const DELETED: &str = "deleted";

impl Issue {
    /// Returns the stamp of the last write of its status, assignee or claim.
    pub(crate) fn work_stamp(&self) -> Stamp {
        let parts = CLAIM_PARTS.iter();
        let stamps = parts.filter_map(|key| Some(self.blob().registers.get(*key)?.at));
        stamps.max().unwrap_or_default()
    }

    /// Returns the stamp of the write that decides who has it: that of its deletion, where it is deleted.
    pub(crate) fn deciding_stamp(&self) -> Stamp {
        let deleted = self.blob().registers.get(DELETED);
        let deleted = deleted.filter(|register| !register.value.is_null());
        deleted.map_or_else(|| self.work_stamp(), |register| register.at)
    }

    /// Returns the person who decided that, and when, in milliseconds by their clock: of what was written together the last
    /// to be said first, as a yield says again what several did.
    pub(crate) fn decider(&self) -> (&str, u64) {
        let at = self.deciding_stamp();
        let registers = self.blob().registers.values();
        let written = registers.filter(|register| register.at == at);
        let last = written.max_by_key(|register| register.written());
        last.map_or(("", 0), |last| (last.by.as_str(), last.written()))
    }

    /// Returns the stamp of the last write of status, assignee or claim that `theirs` lacks: here it won the join, or
    /// it lost and that is not settled.
    pub(crate) fn work_beyond(&self, theirs: &Self) -> Option<Stamp> {
        if self.is_deleted() && !theirs.is_deleted() {
            return None;
        }
        let own = self.work_stamp();
        if own != theirs.work_stamp() {
            return Some(own);
        }
        self.lost_beyond(theirs).map(|(_, at, _)| at).max()
    }

    /// Returns what lost of status, assignee and claim, is not settled, and is not known to `theirs`.
    fn lost_beyond<'a>(&'a self, theirs: &'a Self) -> impl Iterator<Item = Loser<'a>> {
        let known = |key: &str, at: Stamp| {
            let name = format!("{key}@{at}");
            theirs.blob().lost.contains_key(&name)
        };
        let lost = self.blob().unsettled();
        lost.filter(move |(key, at, _)| CLAIM_PARTS.contains(key) && !known(key, *at))
    }

    /// Returns whose claims lost before, as other clones brought them, and are not known to `theirs`.
    pub(crate) fn lost_claimants(&self, theirs: &Self) -> Vec<Party> {
        let (mut claims, mut ended) = (BTreeMap::<Stamp, Party>::new(), BTreeSet::new());
        for (key, at, record) in self.lost_beyond(theirs) {
            match (key, record.get("v").unwrap_or(&Value::Null)) {
                ("assignee", Value::String(person)) => {
                    claims.entry(at).or_default().person.clone_from(person);
                }
                // What ended the work, and began none.
                ("status", status) if status["s"] != IN_PROGRESS => _ = ended.insert(at),
                (CLAIM, claim) => {
                    let party = claims.entry(at).or_default();
                    party.agent = claim[AGENT].as_str().map(str::to_owned);
                    if let (true, Some(by)) = (party.person.is_empty(), record.get("by")) {
                        party.person = by.as_str().unwrap_or_default().to_owned();
                    }
                }
                _ => {}
            }
        }
        claims.retain(|at, _| !ended.contains(at));
        let mut parties: Vec<Party> = claims.into_values().collect();
        parties.retain(|party| !party.person.is_empty());
        parties
    }

    /// Follows `from`: status, assignee and claim become what they are there, by who wrote them and as of then, as an undo
    /// does it, and what lost of them is settled, unless it is known to `theirs`. Returns whether that changed anything.
    ///
    /// To give way is to follow `theirs`; to uphold what was done here is to follow that.
    pub(crate) fn follow(&mut self, writer: &Writer, from: &Self, theirs: &Self) -> bool {
        let lost = self.lost_beyond(theirs);
        let lost: Vec<_> = lost.map(|(key, at, _)| (key.to_owned(), at)).collect();
        let is_same = CLAIM_PARTS[..2]
            .iter()
            .all(|key| self.blob().value(key) == from.blob().value(key))
            && counting(self.blob()) == counting(from.blob());
        if lost.is_empty() && is_same {
            return false;
        }
        for key in CLAIM_PARTS {
            let blobs = [self.blob(), from.blob()];
            if blobs.iter().all(|blob| !blob.registers.contains_key(key)) {
                continue;
            }
            let old = from.blob().registers.get(key);
            let value = match key {
                CLAIM => claim_or_rest(from),
                _ => from.blob().value(key).clone(),
            };
            let register = Register {
                value,
                at: writer.at,
                by: old.map_or_else(|| writer.by.clone(), |old| old.by.clone()),
                when: old.map(|old| time::format(old.written())),
            };
            self.blob_mut().registers.insert(key.to_owned(), register);
        }
        for (key, at) in lost {
            self.blob_mut().settle_one(&key, at, writer.at);
        }
        true
    }
}

/// Returns whether two states of an issue say the same of who works on it, or of who ended that.
pub(crate) fn has_same_work(one: &Issue, other: &Issue) -> bool {
    one.status() == other.status()
        && one.holder() == other.holder()
        && (one.holder().is_some() || one.decider().0 == other.decider().0)
}
