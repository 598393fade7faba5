//! Claims at a remote, as this clone knows them: those that it holds there, and those of others that it has seen.
//!
//! No time of another machine is ever read. A claim of another clone is over once its object stayed the same for the whole
//! of its lease, by the time that this machine counts within one boot. Nothing is lost with the file: a claim is in the
//! store too, and the next look sees the others again.

mod files;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Oid;
use crate::env::Env;
use crate::model::lease::LeaseRecord;
use crate::model::{Party, Uid};

pub(crate) use files::OpenLeaseBook;

/// What a remote has refused it is not asked for again so long: it can have been full.
const HOUR: Duration = Duration::from_secs(3600);
/// After a refusal for a tip that had moved, so long only the ref of a claim is sent; and so long a remote that could not be
/// asked is not asked again for what can wait.
const BUSY: Duration = Duration::from_secs(60);

/// A moment, as this machine counts time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tick {
    boot: String,
    /// Seconds since that boot.
    at: u64,
}

impl Tick {
    /// Returns the present; none where the system does not count.
    pub(crate) fn now(env: &Env) -> Option<Self> {
        let boot = env.boot_id();
        let at = env.uptime()?.as_secs();
        (!boot.is_empty()).then_some(Self { boot, at })
    }

    /// Returns the time since then; none where it was in another boot.
    fn elapsed(&self, env: &Env) -> Option<Duration> {
        Self::now(env)?.since(self)
    }

    /// Returns the time from another moment to this one; none where that was in another boot.
    fn since(&self, then: &Self) -> Option<Duration> {
        (self.boot == then.boot).then(|| Duration::from_secs(self.at.saturating_sub(then.at)))
    }
}

/// A claim at a remote, as it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenLease {
    /// The object that the ref leads to; none where the store names a claim that the remote has not.
    pub(crate) oid: Option<Oid>,
    /// The first look that saw it so.
    since: Option<Tick>,
    /// The last look that saw it so.
    #[serde(default)]
    last: Option<Tick>,
    /// Its content; none where it is given back.
    pub(crate) record: Option<LeaseRecord>,
}

impl SeenLease {
    /// Returns true if it stayed as it is for the whole of its lease: two looks with that time between
    /// them have seen it so. After a single one its holder can have renewed it all the time.
    pub(crate) fn is_over(&self) -> bool {
        let lasted = self.since.as_ref().zip(self.last.as_ref());
        let lasted = lasted.and_then(|(since, last)| last.since(since));
        lasted.is_some_and(|time| time >= self.lease())
    }

    /// Returns its lease; none of what is free.
    fn lease(&self) -> Duration {
        let minutes = self.record.as_ref().map_or(0, |record| record.minutes);
        Duration::from_secs(60 * u64::from(minutes))
    }

    /// Returns the time since it was seen so first; none where that was in another boot.
    fn idle(&self, env: &Env) -> Option<Duration> {
        self.since.as_ref()?.elapsed(env)
    }

    /// Returns true if it is held by this one.
    pub(crate) fn is_of(&self, holder: &Party) -> bool {
        self.record.as_ref().is_some_and(|it| it.holder == *holder)
    }

    /// Returns true if it is this object, and its text was read.
    pub(crate) fn is_read(&self, oid: Oid) -> bool {
        self.oid == Some(oid) && self.record.as_ref().is_none_or(LeaseRecord::is_known)
    }

    /// Returns true if no one has the issue by it.
    pub(crate) fn is_free(&self) -> bool {
        self.record.is_none()
    }

    /// Returns its object and what that says, where both are known.
    fn object(&self) -> Option<(Oid, LeaseRecord)> {
        let record = self.record.clone().filter(LeaseRecord::is_known);
        Some((self.oid?, record?))
    }
}

/// A claim that this clone holds at a remote, or has asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HeldLease {
    pub(crate) remote: String,
    pub(crate) oid: Oid,
    pub(crate) record: LeaseRecord,
    /// The last time that the remote took it.
    at: Option<Tick>,
    /// False until it is known that the remote has it.
    pub(crate) is_granted: bool,
}

impl HeldLease {
    pub(crate) fn asked(env: &Env, remote: &str, oid: Oid, record: LeaseRecord) -> Self {
        Self {
            remote: remote.to_owned(),
            oid,
            record,
            at: Tick::now(env),
            is_granted: false,
        }
    }

    /// Notes that the remote has it.
    pub(crate) fn grant(&mut self, env: &Env) {
        self.is_granted = true;
        self.at = Tick::now(env);
    }

    /// Notes that the remote has it, where its ref leads to it.
    pub(crate) fn grant_if_at(&mut self, env: &Env, found: Option<Oid>) {
        if !self.is_granted && found == Some(self.oid) {
            self.grant(env);
        }
    }

    /// Returns true if it is that of a holder, who may not know that it was granted.
    pub(crate) fn is_asked_by(&self, holder: &Party) -> bool {
        !self.is_granted && self.record.holder == *holder
    }

    /// Returns the parts of its lease that have passed since the remote took it, in thirds.
    fn thirds(&self, env: &Env) -> u64 {
        let idle = self.at.as_ref().and_then(|tick| tick.elapsed(env));
        // After a boot nothing is known, so a beat is due.
        idle.map_or(3, |idle| {
            idle.as_secs() / (20 * u64::from(self.record.minutes))
        })
    }

    /// Returns true if the remote should hear of it again.
    pub(crate) fn is_beat_due(&self, env: &Env) -> bool {
        self.is_granted && self.thirds(env) >= 1
    }

    /// Returns true if others may have taken it for over.
    pub(crate) fn is_unsure(&self, env: &Env) -> bool {
        self.is_granted && self.thirds(env) >= 3
    }
}

/// A claim of this clone that the remote has no more, until what follows from that is in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReplacedLease {
    /// The claim that this clone held.
    pub(crate) held: HeldLease,
    /// The claim there now; none where no one has it.
    pub(crate) by: Option<LeaseRecord>,
}

/// The claims at a remote, as a clone knows them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct LeaseBook {
    pub(crate) held: BTreeMap<Uid, HeldLease>,
    pub(crate) seen: BTreeMap<Uid, SeenLease>,
    pub(crate) replaced: BTreeMap<Uid, ReplacedLease>,
    /// True after the book was lost, until a look has said what this clone holds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_unsure: bool,
    /// The last time that the tip of the remote had moved before a claim.
    busy: Option<Tick>,
    /// The last time that the remote could not hear what has ended.
    unreachable: Option<Tick>,
    /// The last time that a remote has refused to keep claims, by its name.
    refused: BTreeMap<String, Tick>,
}

impl LeaseBook {
    /// Notes what the ref of an issue is at the remote; that of the same object was seen before.
    pub(crate) fn see(&mut self, env: &Env, uid: Uid, oid: Oid, record: Option<LeaseRecord>) {
        self.see_any(env, uid, Some(oid), record);
    }

    /// Notes that the remote has no ref for a claim that the store names: its holder has lost it, or is about to be heard of.
    pub(crate) fn miss(&mut self, env: &Env, uid: Uid, record: LeaseRecord) {
        self.see_any(env, uid, None, Some(record));
    }

    fn see_any(&mut self, env: &Env, uid: Uid, oid: Option<Oid>, record: Option<LeaseRecord>) {
        match self.seen.get_mut(&uid) {
            // What was seen in another boot is seen first in this one.
            Some(seen) if seen.oid == oid && seen.idle(env).is_some() => {
                seen.last = Tick::now(env);
                seen.record = record;
            }
            _ => {
                let since = Tick::now(env);
                let last = since.clone();
                let seen = SeenLease {
                    oid,
                    since,
                    last,
                    record,
                };
                self.seen.insert(uid, seen);
            }
        }
    }

    /// Notes that a look has found again what was seen before.
    pub(crate) fn see_again(&mut self, env: &Env, uid: Uid) {
        if let Some(seen) = self.seen.get(&uid).cloned() {
            self.see_any(env, uid, seen.oid, seen.record);
        }
    }

    /// Notes that the remote has a claim of this clone.
    pub(crate) fn grant(&mut self, env: &Env, uid: Uid) {
        self.seen.remove(&uid);
        self.replaced.remove(&uid);
        if let Some(held) = self.held.get_mut(&uid) {
            held.grant(env);
            // It keeps them after all.
            self.refused.remove(&held.remote);
        }
    }

    /// Takes the claim that was seen at the remote as that of this clone, which has made it.
    pub(crate) fn adopt(&mut self, env: &Env, uid: Uid, remote: &str) {
        if let Some((oid, record)) = self.seen.get(&uid).and_then(SeenLease::object) {
            let held = HeldLease {
                // When the remote heard of it last is not known, so a beat is due.
                at: None,
                is_granted: true,
                ..HeldLease::asked(env, remote, oid, record)
            };
            self.held.insert(uid, held);
            self.seen.remove(&uid);
        }
    }

    /// Returns the claim of another clone that keeps an issue from being taken.
    pub(crate) fn barred(&self, uid: Uid) -> Option<&LeaseRecord> {
        let seen = self.seen.get(&uid).filter(|seen| !seen.is_over())?;
        seen.record.as_ref().filter(|_| seen.oid.is_some())
    }

    /// Returns true while a command of this clone asks the remote for an issue.
    pub(crate) fn is_asked(&self, uid: Uid) -> bool {
        self.held.get(&uid).is_some_and(|held| !held.is_granted)
    }

    pub(crate) fn note_busy(&mut self, env: &Env) {
        self.busy = Tick::now(env);
    }

    /// Returns true if others send to the remote all the time.
    pub(crate) fn is_busy(&self, env: &Env) -> bool {
        let since = self.busy.as_ref().and_then(|tick| tick.elapsed(env));
        since.is_some_and(|since| since < BUSY)
    }

    pub(crate) fn note_unreachable(&mut self, env: &Env) {
        self.unreachable = Tick::now(env);
    }

    /// Notes that the remote has answered.
    pub(crate) fn note_reached(&mut self) {
        self.unreachable = None;
    }

    /// Returns true if the remote could not be asked a moment ago.
    pub(crate) fn is_unreachable(&self, env: &Env) -> bool {
        let since = self.unreachable.as_ref().and_then(|tick| tick.elapsed(env));
        since.is_some_and(|since| since < BUSY)
    }

    pub(crate) fn note_refusal(&mut self, env: &Env, remote: &str) {
        if let Some(now) = Tick::now(env) {
            self.refused.insert(remote.to_owned(), now);
        }
    }

    /// Returns true if a remote has refused claims within the last hour.
    pub(crate) fn is_refused(&self, env: &Env, remote: &str) -> bool {
        let since = self.refused.get(remote).and_then(|tick| tick.elapsed(env));
        since.is_some_and(|since| since < HOUR)
    }
}
