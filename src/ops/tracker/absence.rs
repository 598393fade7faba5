//! Signs that the agent that works on an issue has left it, as far as this machine knows.

use std::fmt;
use std::time::Duration;

use super::Tracker;
use crate::index::OpTally;
use crate::model::claim::LONGEST_LEASE;
use crate::model::{Issue, Party, time};
use crate::ops::{Command, View};
use crate::store::agents::Departure;

/// The key of the lease of new claims.
const KEY: &str = "beads.lease";
const MINUTE: u64 = 60_000;
/// The minutes of the shortest lease that ends where nothing is known of its agent: it writes less often than it is at work.
pub(in crate::ops) const LEAST_SILENCE: u32 = 60;

/// A sign that an agent has left what it had in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    /// Its client has ended.
    Gone,
    /// Its session has ended.
    Ended,
    /// It has done nothing for the minutes of its lease.
    Stale { lease: u32 },
}

impl Absence {
    /// Returns the word for it in answers.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Ended => "ended",
            Self::Stale { .. } => "stale",
        }
    }
}

impl Absence {
    /// Returns whether a caller may take over what the holder has left: everybody a lease that is over, and what an agent
    /// left whose client or session has ended another agent of its person.
    pub(crate) fn frees_for(self, caller: &Party, holder: &Party) -> bool {
        match self {
            Self::Stale { .. } => true,
            Self::Gone | Self::Ended => caller.agent.is_some() && caller.person == holder.person,
        }
    }
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("whose client has ended"),
            Self::Ended => f.write_str("whose session has ended"),
            Self::Stale { lease } => write!(f, "whose lease of {lease}m is over"),
        }
    }
}

/// Parses the minutes of a lease: `30m`, `2h`; none unless they are 1 to 1,440.
pub(crate) fn parse_lease(text: &str) -> Option<u32> {
    let minutes = u32::try_from(time::parse_span(text.trim())? / MINUTE).ok()?;
    (1..=LONGEST_LEASE).contains(&minutes).then_some(minutes)
}

impl View<'_> {
    /// Returns the sign that the holder of an issue has left it; none also where nothing is known of it.
    pub(crate) fn absence(&self, issue: &Issue, holder: &Party) -> Option<Absence> {
        let (person, agent) = (&holder.person, holder.agent.as_ref()?);
        let agents = self.tracker.store.agents();
        match agents.has_left(person, agent) {
            Some(Departure::Gone) => return Some(Absence::Gone),
            Some(Departure::Ended) => return Some(Absence::Ended),
            None => {}
        }
        let lease = issue.lease()?;
        let is_over = match agents.idle(person, agent) {
            Some(idle) => idle.as_secs() / 60 >= u64::from(lease),
            None => self.is_silent(issue, holder, lease),
        };
        is_over.then_some(Absence::Stale { lease })
    }

    /// Returns true if an agent of which this machine has no trace has written nothing for its lease: by our own clock an
    /// exchange has brought its claim so long ago, and one since has found it as it was; and what is here now has nothing newer.
    fn is_silent(&self, issue: &Issue, holder: &Party, lease: u32) -> bool {
        let minutes = Duration::from_secs(60 * u64::from(lease));
        let seen = self.tracker.store.seen_claims();
        let stayed = seen.stayed(issue, minutes);
        let Some(wrote) = stayed.filter(|_| lease >= LEAST_SILENCE) else {
            return false;
        };
        // An index that can't be read says nothing of it.
        let tallies = self.index.oplog().tallies();
        tallies.is_ok_and(|tallies| last_written(&tallies, holder) == wrote)
    }

    /// Returns whether the lease of the agent that works on an issue is over.
    pub(crate) fn is_lease_over(&self, issue: &Issue) -> bool {
        let absence = issue.holder().and_then(|it| self.absence(issue, &it));
        matches!(absence, Some(Absence::Stale { .. }))
    }
}

/// Returns the time of the last operation of an agent, in milliseconds by its clock; 0 without one.
pub(in crate::ops) fn last_written(tallies: &[OpTally], holder: &Party) -> u64 {
    let is_of = |it: &&OpTally| it.person == holder.person && it.agent == holder.agent;
    tallies.iter().find(is_of).map_or(0, |it| it.last)
}

impl Tracker {
    /// Returns the words for the time that the agent of a claim did nothing on this machine; none for less than a minute, and
    /// where that is not known, as of a person.
    pub(crate) fn idle(&self, holder: &Party) -> Option<String> {
        let agent = holder.agent.as_ref()?;
        let idle = self.store.agents().idle(&holder.person, agent)?.as_secs();
        (idle >= 60).then(|| time::ago(0, idle * 1000))
    }

    /// Returns the minutes of the lease of new claims: those that the caller asks for, else `beads.lease`, if anything.
    pub(in crate::ops) fn lease(&self) -> Option<u32> {
        self.caller.lease.or_else(|| {
            let text = self.store.config(KEY)?;
            let minutes = parse_lease(&text);
            if minutes.is_none() {
                let set = Command::line("git config").word(KEY).word("30m");
                self.warn(format!("{KEY} is `{text}`, so claims have no lease: {set}"));
            }
            minutes
        })
    }
}
