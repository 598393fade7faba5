//! Who works on the issues of an answer.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::claim::ClaimView;
use super::moment::Moment;
use super::summary::Summary;
use crate::model::status::IN_PROGRESS;
use crate::model::{Party, Stamp, Uid};
use crate::ops::Tracker;
use crate::ops::tracker::ClaimPolicy;
use crate::store::Oid;
use crate::store::agents::Departure;

/// The presence of an agent, as far as it is known here: the words for the time without activity, and how it has left.
type Presence = (Option<String>, Option<&'static str>);

/// The claims of the issues of one answer: of each agent and of the remote is asked once.
struct Claims<'t> {
    tracker: &'t Tracker,
    caller: &'t Party,
    known: BTreeMap<Party, Presence>,
    sent: OnceCell<Option<Sent>>,
}

/// The tip here and that of the remote, where claims are asked for there and not all of the history was sent.
#[derive(Clone, Copy)]
struct Sent {
    tip: Oid,
    tracked: Option<Oid>,
}

impl<'t> Claims<'t> {
    fn new(tracker: &'t Tracker, caller: &'t Party) -> Self {
        Self {
            tracker,
            caller,
            known: BTreeMap::new(),
            sent: OnceCell::new(),
        }
    }

    /// Returns the claim of an issue; none unless it is in progress and has an assignee.
    fn of(&mut self, issue: &Summary) -> Option<ClaimView> {
        let holder = issue.party().filter(|_| issue.status == IN_PROGRESS)?;
        let mine = holder == *self.caller;
        // One's own activity is no news, and of a person nothing is noted.
        let (last_activity, activity) = match (mine, &holder.agent) {
            (false, Some(agent)) => self.presence(&holder, agent),
            _ => (None, None),
        };
        let is_tentative = |uid| self.is_tentative(uid, &holder);
        Some(ClaimView {
            by: holder.to_string(),
            since: issue.since.map(Moment),
            mine,
            last_activity,
            activity,
            tentative: issue.uid.is_some_and(is_tentative),
            lease: None,
        })
    }

    fn presence(&mut self, holder: &Party, agent: &str) -> Presence {
        if let Some(known) = self.known.get(holder) {
            return known.clone();
        }
        let agents = self.tracker.store().agents();
        let left = agents.has_left(&holder.person, agent);
        let presence = (self.tracker.idle(holder), left.map(Departure::word));
        self.known.insert(holder.clone(), presence.clone());
        presence
    }

    /// Returns true if a claim of the caller's person was made where claims are asked for at the remote, and the remote has
    /// it not.
    fn is_tentative(&self, uid: Uid, holder: &Party) -> bool {
        if holder.person != self.caller.person {
            return false;
        }
        // Nothing is read for it unless claims are asked for there and something was not sent yet.
        let Some(Sent { tip, tracked }) = *self.sent.get_or_init(|| self.sent()) else {
            return false;
        };
        let there = tracked.and_then(|tracked| self.claimed(tracked, uid));
        self.claimed(tip, uid) != there
    }

    /// Returns true if claims are asked for at the remote.
    fn asks_remote(&self) -> bool {
        let policy = self.tracker.claim_policy();
        policy.is_ok_and(|policy| policy != ClaimPolicy::Local)
    }

    fn sent(&self) -> Option<Sent> {
        let store = self.tracker.store();
        if !self.asks_remote() {
            return None;
        }
        // Without a remote no claim is known elsewhere, and each is as good as the next.
        let remote = store.remotes().remote(None).ok()??;
        let (tip, tracked) = (store.tip().ok()??, store.remotes().tracked(&remote).ok()?);
        (tracked != Some(tip)).then_some(Sent { tip, tracked })
    }

    /// Returns the stamp of the status of an issue in the state of a commit.
    fn claimed(&self, commit: Oid, uid: Uid) -> Option<Stamp> {
        let snapshot = self.tracker.store().snapshot_at(commit).ok()?;
        let issue = snapshot.issue(uid).ok()??.ok()?;
        let status = issue.blob().registers.get("status")?;
        Some(status.at)
    }
}

impl ClaimView {
    /// Returns the claim of an issue; none unless it is in progress and has an assignee.
    pub(crate) fn of(issue: &Summary, tracker: &Tracker, caller: &Party) -> Option<Self> {
        Claims::new(tracker, caller).of(issue)
    }

    /// Returns the claim of the caller, who has just started the issue.
    pub(crate) fn own(issue: &Summary) -> Option<Self> {
        Some(Self {
            by: issue.party()?.to_string(),
            since: issue.since.map(Moment),
            mine: true,
            last_activity: None,
            activity: None,
            lease: None,
            tentative: false,
        })
    }

    /// Returns the claims of the issues that have one, by id.
    pub(crate) fn all<'a>(
        tracker: &Tracker,
        issues: impl Iterator<Item = &'a Summary>,
    ) -> BTreeMap<String, Self> {
        let held: Vec<&Summary> = issues.filter(|issue| issue.status == IN_PROGRESS).collect();
        // Who calls is looked up only where something is in progress.
        if held.is_empty() {
            return BTreeMap::new();
        }
        let caller = tracker.party();
        let mut claims = Claims::new(tracker, &caller);
        let claim = |issue: &Summary| Some((issue.id.clone(), claims.of(issue)?));
        held.into_iter().filter_map(claim).collect()
    }

    /// Adds its claim to each issue that has one.
    pub(crate) fn add<'a>(tracker: &Tracker, issues: impl Iterator<Item = &'a mut Summary>) {
        let mut held = issues
            .filter(|issue| issue.status == IN_PROGRESS)
            .peekable();
        if held.peek().is_none() {
            return;
        }
        let caller = tracker.party();
        let mut claims = Claims::new(tracker, &caller);
        for issue in held {
            issue.claim = claims.of(issue).map(Box::new);
        }
    }
}
