//! Claims: who works on an issue, and who may take it or end it.
//!
//! A person acts, or an agent for them: one session of one client. The register `claim` names it, next to
//! the status and the assignee, which say what they always said. A program that does not know the
//! register writes the other two under a stamp of its own, and so voids it.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::blob::{Blob, Writer};
use super::issue::{CLAIM, CLAIM_PARTS, Issue, StatusRegister};
use super::status::Status;

/// The register of the agent that wrote an entry of memory, and the member of a claim that names it.
pub(crate) const AGENT: &str = "agent";
/// The member of a claim that says that the issue was assigned before it was started.
const KEPT: &str = "kept";
/// The member of a claim that is over: the person to whom the start of it had assigned the issue.
const BY_START: &str = "by_start";
/// The member of a claim that says after how many minutes without activity it is over.
const LEASE: &str = "lease";
/// The member of a person's claim that names the agent from which they have taken the issue.
const FROM: &str = "from";
/// The longest lease, in minutes: a day.
pub(crate) const LONGEST_LEASE: u32 = 1440;

/// A person, or an agent that works for one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Party {
    pub(crate) person: String,
    pub(crate) agent: Option<String>,
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.person)?;
        match &self.agent {
            Some(agent) => write!(f, "/{agent}"),
            None => Ok(()),
        }
    }
}

/// A change of a claim that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// To work on the issue.
    Start,
    /// To close, block, defer or release it.
    End,
}

/// The answer to a wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is the caller's own claim.
    Own,
    /// Allowed, and said.
    Said,
    /// Refused, unless it is forced.
    Refused,
}

impl Party {
    /// Returns its person, without the agent.
    pub(crate) fn without_agent(&self) -> Self {
        let (person, agent) = (self.person.clone(), None);
        Self { person, agent }
    }

    /// Decides what this caller may do about the claim of `holder`.
    pub(crate) fn may(&self, wish: Wish, holder: &Self) -> Verdict {
        if self == holder {
            return Verdict::Own;
        }
        let is_same_person = self.person == holder.person;
        match (&self.agent, &holder.agent) {
            // A session hands over to its own subagents, and they to it.
            (Some(own), Some(other)) if is_same_person && is_family(own, other) => Verdict::Said,
            // The person hands down.
            (Some(_), None) if is_same_person => Verdict::Said,
            // A person may end what another works on, which is said; to take it over is another thing.
            (None, _) if wish == Wish::End => Verdict::Said,
            _ => Verdict::Refused,
        }
    }
}

/// Returns whether one of two names is the session of the other.
fn is_family(one: &str, other: &str) -> bool {
    let is_below = |below: &str, session: &str| {
        below
            .strip_prefix(session)
            .is_some_and(|rest| rest.starts_with('.'))
    };
    is_below(one, other) || is_below(other, one)
}

/// Returns the claim of a blob, where it counts: it was written with the status, and nothing was assigned since.
pub(super) fn counting(blob: &Blob) -> Option<&Map<String, Value>> {
    let claim = blob.registers.get(CLAIM)?;
    let is_with_status = blob.registers.get("status")?.at == claim.at;
    let is_assigned_since = blob
        .registers
        .get("assignee")
        .is_some_and(|assignee| assignee.at > claim.at);
    let counts = StatusRegister::of(blob).status == Status::InProgress
        && is_with_status
        && !is_assigned_since;
    claim.value.as_object().filter(|_| counts)
}

/// Returns the value of the claim of an issue, where it counts, else what is left of it.
pub(super) fn claim_or_rest(issue: &Issue) -> Value {
    match counting(issue.blob()) {
        Some(claim) => Value::Object(claim.clone()),
        None => {
            let by_start = issue.assigned_by_start();
            ended_claim(by_start.filter(|_| issue.holder().is_none()))
        }
    }
}

/// Notes in the claim of a person that was just written that they have taken the issue from an agent of theirs.
pub(crate) fn note_taken_from(issue: &mut Issue, agent: &str) {
    if let Some(claim) = issue.blob_mut().registers.get_mut(CLAIM) {
        if !claim.value.is_object() {
            claim.value = json!({});
        }
        claim.value[FROM] = agent.into();
    }
}

/// Returns true if a person has taken the issue from this agent of theirs, and works on it.
pub(crate) fn is_taken_from(issue: &Issue, party: &Party) -> bool {
    let from = counting(issue.blob()).and_then(|claim| claim.get(FROM)?.as_str());
    from.is_some() && from == party.agent.as_deref() && issue.agent().is_none()
}

/// Returns what is left of a claim after its end: the one to whom its start has assigned the issue stays that until it is given
/// back.
fn ended_claim(by_start: Option<&str>) -> Value {
    by_start.map_or(Value::Null, |name| json!({BY_START: name}))
}

impl Issue {
    /// Returns who works on it; none unless it is in progress and has an assignee.
    pub(crate) fn holder(&self) -> Option<Party> {
        let person = self.text("assignee");
        if person.is_empty() || self.status() != Status::InProgress {
            return None;
        }
        Some(Party {
            person: person.to_owned(),
            agent: self.agent().map(str::to_owned),
        })
    }

    /// Returns the agent that works on it.
    pub(crate) fn agent(&self) -> Option<&str> {
        counting(self.blob())?.get(AGENT)?.as_str()
    }

    /// Returns the minutes without activity after which the claim of an agent is over, where that was asked for.
    pub(crate) fn lease(&self) -> Option<u32> {
        let minutes = counting(self.blob())?.get(LEASE)?.as_u64()?;
        let minutes = u32::try_from(minutes).unwrap_or(LONGEST_LEASE);
        Some(minutes.clamp(1, LONGEST_LEASE))
    }

    /// Gives the claim a lease that was just written; that of a person has none.
    pub(crate) fn limit_claim(&mut self, minutes: u32) {
        let claim = self.blob_mut().registers.get_mut(CLAIM);
        if let Some(claim) = claim.and_then(|claim| claim.value.as_object_mut())
            && claim.contains_key(AGENT)
        {
            claim.insert(LEASE.to_owned(), minutes.into());
        }
    }

    /// Returns whether it was assigned to its holder before it was started.
    fn is_kept(&self) -> bool {
        counting(self.blob()).is_some_and(|claim| claim.get(KEPT) == Some(&Value::Bool(true)))
    }

    /// Returns the assignee, where only a start has assigned it: that one is over once the issue is given back.
    fn assigned_by_start(&self) -> Option<&str> {
        let name = Some(self.text("assignee")).filter(|name| !name.is_empty())?;
        let is_by_start = match self.status() {
            Status::InProgress => !self.is_kept(),
            _ => self.blob().value(CLAIM)[BY_START].as_str() == Some(name),
        };
        is_by_start.then_some(name)
    }

    /// Puts it in progress by `party`.
    pub(crate) fn take(&mut self, writer: &Writer, party: &Party) {
        let is_assigned = self.text("assignee") == party.person;
        let kept = is_assigned && self.assigned_by_start().is_none();
        let mut claim = Map::new();
        if let Some(agent) = &party.agent {
            claim.insert(AGENT.to_owned(), agent.as_str().into());
        }
        if kept {
            claim.insert(KEPT.to_owned(), true.into());
        }
        // A person's claim needs no register of its own: status and assignee say it, as they always did.
        let value = if claim.is_empty() {
            Value::Null
        } else {
            Value::Object(claim)
        };
        if value.is_null() && !self.blob().registers.contains_key(CLAIM) {
            self.set_status(writer, Status::InProgress);
            self.blob_mut()
                .set(writer, "assignee", party.person.as_str().into());
            return;
        }
        // All three under one stamp, changed or not: by that a claim counts.
        let state = match self.state() {
            state if state.status == Status::InProgress => state,
            _ => StatusRegister::new(Status::InProgress, None),
        };
        let values = [state.to_value(), party.person.as_str().into(), value];
        for (key, value) in CLAIM_PARTS.into_iter().zip(values) {
            self.blob_mut().put(writer, key, value);
            self.blob_mut().settle(key, writer.at);
        }
    }

    /// Settles what was lost with claims: the one that is there now holds.
    pub(crate) fn settle_claims(&mut self, writer: &Writer) {
        for lost in self.lost_claims() {
            for key in CLAIM_PARTS {
                self.blob_mut().settle_one(key, lost, writer.at);
            }
        }
    }

    /// Forgets which agent works on it; to be called before the status is written that ends the work.
    pub(crate) fn forget_agent(&mut self, writer: &Writer) {
        // First: the stamps of lost claims are read from the register that is written below. Without this what they
        // had as assignee would stay as a conflict of its own.
        self.settle_claims(writer);
        let over = ended_claim(self.assigned_by_start());
        self.blob_mut().set(writer, CLAIM, over);
    }

    /// Gives it back: open, and assigned to who it was assigned to before it was started.
    pub(crate) fn release(&mut self, writer: &Writer) {
        self.unassign_started(writer);
        self.set_status(writer, Status::Open);
    }

    /// Forgets the agent, and the assignee where only a start has assigned it, whatever came after that; to be called before
    /// the status is written.
    pub(crate) fn unassign_started(&mut self, writer: &Writer) {
        if self.assigned_by_start().is_some() {
            self.blob_mut().set(writer, "assignee", Value::Null);
        }
        self.forget_agent(writer);
    }

    /// Makes a claim that an undo has brought back count again, as it did in `before`.
    pub(crate) fn restore_claim(&mut self, writer: &Writer, before: &Blob) {
        let is_back = |blob: &Blob| {
            let claim = blob.registers.get(CLAIM);
            claim.is_some_and(|claim| claim.at == writer.at)
                && ["status", CLAIM]
                    .into_iter()
                    .all(|key| blob.value(key) == before.value(key))
        };
        if counting(before).is_none() || !is_back(self.blob()) {
            return;
        }
        if let Some(status) = self.blob_mut().registers.get_mut("status") {
            // The time stays that of the write that is back.
            status.when = Some(super::time::format(status.written()));
            status.at = writer.at;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::model::{Stamp, join};

    fn party(text: &str) -> Party {
        let (person, agent) = match text.split_once('/') {
            Some((person, agent)) => (person, Some(agent.to_owned())),
            None => (text, None),
        };
        Party {
            person: person.to_owned(),
            agent,
        }
    }

    fn writer(n: u64, by: &str) -> Writer {
        Writer {
            at: Stamp::after(Stamp::default(), 1_000 * n, u128::from(n)),
            by: by.to_owned(),
            millis: 1_000 * n,
        }
    }

    fn issue() -> Issue {
        let writer = writer(1, "ann");
        let mut issue = Issue::new(writer.at, &writer);
        issue.set_status(&writer, Status::Open);
        issue
    }

    #[test]
    fn who_may_do_what() {
        use Verdict::{Own, Refused, Said};
        let table = [
            ("ann/c-1", "ann/c-1", Own, Own),
            ("ann", "ann", Own, Own),
            ("ann/c-1", "ann/c-1.sub", Said, Said),
            ("ann/c-1.sub", "ann/c-1", Said, Said),
            ("ann/c-1", "ann", Said, Said),
            ("ann/c-1.a", "ann/c-1.b", Refused, Refused),
            ("ann/c-2", "ann/c-1", Refused, Refused),
            ("ann/c-1", "ann/c-12", Refused, Refused),
            ("bob/c-1", "ann/c-1", Refused, Refused),
            ("bob/c-1", "ann/c-1.sub", Refused, Refused),
            ("bob/c-1", "ann", Refused, Refused),
            ("ann", "ann/c-1", Refused, Said),
            ("ann", "bob/c-1", Refused, Said),
            ("ann", "bob", Refused, Said),
        ];
        for (caller, holder, start, end) in table {
            let (caller, holder) = (party(caller), party(holder));
            assert_eq!(caller.may(Wish::Start, &holder), start, "{caller} {holder}");
            assert_eq!(caller.may(Wish::End, &holder), end, "{caller} {holder}");
        }
    }

    #[test]
    fn a_claim_of_a_person_has_the_bytes_it_always_had() {
        let mut issue = issue();
        issue.take(&writer(2, "ann"), &party("ann"));
        assert!(!issue.blob().registers.contains_key(CLAIM));
        assert_eq!(issue.holder(), Some(party("ann")));
    }

    #[test]
    fn what_an_older_program_writes_voids_the_agent() {
        let mut held = issue();
        held.take(&writer(2, "ann"), &party("ann/c-1"));
        assert_eq!(held.holder(), Some(party("ann/c-1")));
        let mut assigned = held.clone();
        assigned
            .blob_mut()
            .set(&writer(3, "bob"), "assignee", json!("bob"));
        assert_eq!(assigned.holder(), Some(party("bob")));
        let mut closed = held.clone();
        closed.set_status(&writer(3, "bob"), Status::Closed);
        assert_eq!(closed.holder(), None);
        closed.set_status(&writer(4, "bob"), Status::InProgress);
        assert_eq!(closed.holder(), Some(party("ann")));
    }

    #[test]
    fn a_release_keeps_what_was_assigned_before() {
        let mut free = issue();
        free.take(&writer(2, "ann"), &party("ann/c-1"));
        free.release(&writer(3, "ann"));
        assert_eq!((free.text("assignee"), free.status()), ("", Status::Open));
        let mut assigned = issue();
        assigned
            .blob_mut()
            .set(&writer(2, "bob"), "assignee", json!("ann"));
        assigned.take(&writer(3, "ann"), &party("ann/c-1"));
        assigned.take(&writer(4, "ann"), &party("ann/c-1.sub"));
        assigned.release(&writer(5, "ann"));
        assert_eq!(assigned.text("assignee"), "ann");
        assert!(assigned.blob().value(CLAIM).is_null());
    }

    proptest! {
        /// Of two that claim one issue at the same time, one holds it in every clone, person and agent together.
        #[test]
        fn the_join_of_two_claims_is_one_of_them(
            callers in proptest::array::uniform2(proptest::sample::select(
                &["ann", "ann/c-1", "ann/c-2", "bob", "bob/c-1"][..])),
            times in proptest::array::uniform2(2_u64..5),
        ) {
            let sides = [0, 1].map(|i| {
                let mut side = issue();
                let writer = Writer {
                    at: Stamp::after(Stamp::default(), 1_000 * times[i], 10 + i as u128),
                    ..writer(times[i], callers[i])
                };
                side.take(&writer, &party(callers[i]));
                side
            });
            let [a, b] = [[0, 1], [1, 0]].map(|[i, j]| {
                let joined = join::join(sides[i].blob(), sides[j].blob());
                Issue::from_blob(sides[0].uid(), joined).holder()
            });
            prop_assert_eq!(&a, &b);
            prop_assert!(callers.map(|caller| Some(party(caller))).contains(&a));
        }
    }
}
