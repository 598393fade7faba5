//! An issue: a blob read and written by field.

use serde_json::{Map, Value, json};

use super::blob::{ALIASES, Blob, Loser, Register, UNDONE, Writer};
use super::edge::{EDGE_KINDS, Edge, Target};
use super::evidence::Evidence;
use super::limits::{MAX_LABEL, MAX_TITLE, ValueError, check_chars, check_text};
use super::stamp::{Stamp, Uid};
use super::status::Status;

/// The reason of an epic that was closed by its last child.
pub(crate) const AUTO_CLOSED: &str = "Auto-closed: all child issues closed";

/// The member of a status `blocked` that ends with the last issue that it waits for.
const UNTIL_FREE: &str = "until_free";

/// The register of the agent that works on an issue.
pub(crate) const CLAIM: &str = "claim";
/// The registers that make a claim, written together.
pub(crate) const CLAIM_PARTS: [&str; 3] = ["status", "assignee", CLAIM];

/// The register of the acceptance that an issue is done.
pub(crate) const REVIEW: &str = "review";
/// The member of a closed status that names the agent.
const AGENT: &str = "agent";

/// The status register: status, reason, the mark of an automatic close and evidence, written as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusRegister {
    pub status: Status,
    /// Reason of the status.
    pub reason: Option<String>,
    /// True if the tracker closed it automatically.
    pub auto: bool,
    /// Of `blocked`: true if it says no more than that the issue waits for others, so that it ends with that.
    pub(crate) until_free: bool,
    /// Evidence that it is done.
    pub(crate) evidence: Evidence,
    /// Of `closed`: the agent that said so for the actor.
    pub(crate) agent: Option<String>,
}

impl StatusRegister {
    /// Returns a status that a person or an agent sets, with the reason.
    pub(crate) fn new(status: Status, reason: Option<&str>) -> Self {
        Self {
            status,
            reason: reason.map(str::to_owned),
            auto: false,
            until_free: false,
            evidence: Evidence::default(),
            agent: None,
        }
    }

    /// Returns the state that a blob stores.
    pub(crate) fn of(blob: &Blob) -> Self {
        let value = blob.value("status");
        Self {
            status: Status::new(value["s"].as_str().unwrap_or("open")),
            reason: value["reason"].as_str().map(str::to_owned),
            auto: value["auto"].as_bool().unwrap_or(false),
            until_free: value[UNTIL_FREE].as_bool().unwrap_or(false),
            evidence: Evidence::of(&value["evidence"]),
            agent: value[AGENT].as_str().map(str::to_owned),
        }
    }

    /// Returns the value of the register.
    pub(super) fn to_value(&self) -> Value {
        let mut value =
            json!({"auto": self.auto, "reason": self.reason, "s": self.status.as_str()});
        if self.until_free {
            value[UNTIL_FREE] = true.into();
        }
        if let Some(evidence) = self.evidence.to_value() {
            value["evidence"] = evidence;
        }
        if let Some(agent) = &self.agent {
            value[AGENT] = agent.as_str().into();
        }
        value
    }

    /// Returns the status that a blob shows: `tombstone` for a deleted issue.
    pub(crate) fn shown(blob: &Blob) -> Status {
        if is_deleted(blob) {
            Status::Tombstone
        } else {
            Self::of(blob).status
        }
    }
}

fn is_deleted(blob: &Blob) -> bool {
    blob.purged.is_some() || !blob.value("deleted").is_null()
}

#[derive(Clone, Debug, PartialEq)]
pub struct Issue {
    uid: Uid,
    blob: Blob,
}

impl Issue {
    /// Makes an issue with its identity and nothing else.
    pub fn new(uid: Uid, writer: &Writer) -> Self {
        Self {
            uid,
            blob: Blob::new(Some(uid), writer),
        }
    }

    /// Wraps a decoded blob from the path of `uid`.
    pub fn from_blob(uid: Uid, blob: Blob) -> Self {
        Self { uid, blob }
    }

    pub(crate) fn uid(&self) -> Uid {
        self.uid
    }

    pub fn blob(&self) -> &Blob {
        &self.blob
    }

    /// Returns the blob, to write registers that have no method here.
    pub fn blob_mut(&mut self) -> &mut Blob {
        &mut self.blob
    }

    /// Returns its id; empty where the register holds no valid id, which only another program can
    /// have written.
    pub fn id(&self) -> &str {
        self.blob
            .text("id")
            .filter(|id| super::id::IssueId::parse(id).is_ok())
            .unwrap_or_default()
    }

    pub fn title(&self) -> &str {
        self.blob.text("title").unwrap_or_default()
    }

    /// Returns a text register; empty where it was never written.
    pub fn text(&self, key: &str) -> &str {
        self.blob.text(key).unwrap_or_default()
    }

    /// Returns the priority from 0 (urgent) to 4; 2 where it was never written, the nearest where it is none.
    pub fn priority(&self) -> i64 {
        self.blob
            .value("priority")
            .as_i64()
            .map_or(2, |it| it.clamp(0, 4))
    }

    /// Returns the type; `task` where it was never written.
    pub fn kind(&self) -> &str {
        self.blob.text("type").unwrap_or("task")
    }

    /// Returns the stored status with its reason.
    pub fn state(&self) -> StatusRegister {
        StatusRegister::of(&self.blob)
    }

    /// Returns the status as shown: `tombstone` for a deleted issue.
    pub(crate) fn status(&self) -> Status {
        StatusRegister::shown(&self.blob)
    }

    pub(crate) fn is_deleted(&self) -> bool {
        is_deleted(&self.blob)
    }

    /// Returns whether its contents are purged.
    pub fn is_purged(&self) -> bool {
        self.blob.purged.is_some()
    }

    pub fn labels(&self) -> Vec<String> {
        self.blob
            .live("labels")
            .map(|(label, _)| label.to_owned())
            .collect()
    }

    /// Returns its former ids.
    pub(crate) fn aliases(&self) -> Vec<&str> {
        let known = self.blob.live(ALIASES).map(|(id, _)| id);
        let is_former = |id: &&str| *id != self.id() && super::id::IssueId::parse(id).is_ok();
        known.filter(is_former).collect()
    }

    /// Gives it another id. The former one stays an alias, and so does the new one: a rename elsewhere at the same time
    /// may take its place.
    pub(crate) fn rename(&mut self, writer: &Writer, new: &super::id::IssueId) {
        let former = self.id().to_owned();
        for id in [former.as_str(), new.as_str()] {
            if !id.is_empty() {
                self.blob.mark(writer, ALIASES, id, true);
            }
        }
        self.blob.set(writer, "id", Value::from(new.as_str()));
    }

    /// Returns its dependencies that are present.
    pub fn edges(&self) -> Vec<Edge> {
        self.blob
            .live("deps")
            .filter_map(|(key, element)| Edge::parse(key, element))
            .collect()
    }

    /// Returns its parent, with the data of that edge from an import.
    pub fn parent(&self) -> Option<(Target, Map<String, Value>)> {
        match self.blob.value("parent") {
            Value::String(text) => Some((Target::parse(text), Map::new())),
            Value::Object(map) => {
                let mut payload = map.clone();
                let to = payload.remove("to")?;
                Some((Target::parse(to.as_str()?), payload))
            }
            _ => None,
        }
    }

    /// Returns the time of creation in milliseconds: as imported, else by the creator's clock, else
    /// by its stamp.
    pub fn created(&self) -> u64 {
        // Origin and `import` are gone: the time in its identity is all that is left.
        if self.is_purged() {
            return self.uid.millis();
        }
        let imported = self.blob.value("import")["created_at"]
            .as_str()
            .and_then(super::time::parse);
        imported.unwrap_or_else(|| {
            super::time::clock(self.blob.origin.when.as_deref(), self.blob.origin.at)
        })
    }

    pub fn created_by(&self) -> &str {
        &self.blob.origin.by
    }

    /// Returns the time of the last write of a register, in milliseconds.
    pub fn written(&self, key: &str) -> Option<u64> {
        self.blob.registers.get(key).map(Register::written)
    }

    /// Returns the time of the last decision on the status, in milliseconds, and whether it opened the issue again. An undo
    /// restores the time of the status it brings back, so its own stamp counts: undoing a close is a decision.
    pub(crate) fn decided(&self) -> Option<(u64, bool)> {
        let register = self.blob.registers.get("status")?;
        let mut undone = self.blob.live(UNDONE);
        let undo = undone.any(|(_, element)| element.at == register.at);
        let stamp = if undo { register.at.millis() } else { 0 };
        // What is only stopped was not closed before, and has no reason.
        let was_closed = undo || register.value["reason"].is_string();
        let is_opened = self.status() == Status::Open && was_closed;
        Some((register.written().max(stamp), is_opened))
    }

    /// Returns the stamp of a register.
    pub(crate) fn stamp_of(&self, key: &str) -> Option<Stamp> {
        self.blob.registers.get(key).map(|register| register.at)
    }

    /// Returns the time of the last write of any register, in milliseconds.
    pub fn updated(&self) -> u64 {
        let newest = self.blob.newest();
        if let Some((at, text)) = self.imported("updated_at")
            // Nothing was written since the import.
            && at == newest
        {
            return super::time::parse(text).unwrap_or_else(|| at.millis());
        }
        // An undo restores old times in `when`, so its stamp counts.
        let undone = self
            .blob
            .live(UNDONE)
            .any(|(_, element)| element.at == newest);
        let writer = self
            .blob
            .registers
            .values()
            .filter(|register| register.at == newest && !undone);
        // One operation gives all its registers the same stamp and clock, so any of them will do.
        let when = writer
            .map(|register: &Register| register.when.as_deref())
            .next()
            .flatten();
        super::time::clock(when, newest)
    }

    /// Returns whether a register has the value of the last import: written by it, or restored by
    /// an undo.
    pub(crate) fn is_as_imported(&self, key: &str) -> bool {
        let of = |key: &str| self.blob.registers.get(key);
        let (Some(register), Some(import)) = (of(key), of("import")) else {
            return false;
        };
        let is_restored = register.when.is_some()
            && register.written() == import.written()
            && register.by == import.by;
        (register.at == import.at && register.when == import.when) || is_restored
    }

    /// Returns the time of closing in milliseconds, while it is closed.
    pub fn closed(&self) -> Option<u64> {
        if self.state().status != Status::Closed {
            return None;
        }
        let fresh = self
            .imported("closed_at")
            .filter(|_| self.is_as_imported("status"));
        fresh
            .and_then(|(_, text)| super::time::parse(text))
            .or_else(|| self.written("status"))
    }

    /// Returns the actor who closed it, while it is closed; unknown for an issue imported as
    /// closed.
    pub(crate) fn closed_by(&self) -> Option<&str> {
        let register = self.blob.registers.get("status")?;
        let is_known = self.state().status == Status::Closed && !self.is_as_imported("status");
        is_known
            .then_some(register.by.as_str())
            .filter(|by| !by.is_empty())
    }

    /// Returns the time work on it began, in milliseconds, while it is in progress; also for a
    /// closed one, where an import had it.
    pub(crate) fn started(&self) -> Option<u64> {
        let state = self.state().status;
        let fresh = self
            .imported("started_at")
            .filter(|(at, _)| Some(*at) == self.stamp_of("status"));
        let imported = fresh.and_then(|(_, text)| super::time::parse(text));
        match state {
            // The one to whom it was assigned meanwhile works on it from then on.
            Status::InProgress => assigned_since(self)
                .or(imported)
                .or_else(|| self.written("status")),
            // Its register has the time of closing by now.
            Status::Closed => imported,
            _ => None,
        }
    }

    /// Returns a text of the last import, with that import's stamp.
    pub(crate) fn imported(&self, key: &str) -> Option<(Stamp, &str)> {
        let register = self.blob.registers.get("import")?;
        Some((register.at, register.value[key].as_str()?))
    }

    /// Returns the lost values that are not settled. Two closes with different reasons are no
    /// conflict, nor are two acceptances; the status and the assignee of a claim that was lost are part of that one.
    pub fn conflicts(&self) -> Vec<Loser<'_>> {
        let claims = self.lost_claims();
        let closed = self.state().status == Status::Closed;
        let claim = self.blob.registers.get(CLAIM);
        let is_closer = |record: &Map<String, Value>| {
            claim.is_some_and(|claim| record.get("by").and_then(Value::as_str) == Some(&claim.by))
        };
        let closed_at = |stamp: Stamp| {
            let mut lost = self.blob.unsettled();
            lost.any(|(key, at, record)| key == "status" && at == stamp && says_closed(record))
        };
        let other_closers: Vec<_> = self
            .other_closes()
            .into_iter()
            .map(|(.., record)| record.get("by"))
            .collect();
        // Who has taken it, and then closed it too.
        let took_it = |record: &Map<String, Value>| {
            record.get("v") == record.get("by") && other_closers.contains(&record.get("by"))
        };
        let counts = |(register, at, record): &Loser<'_>| {
            let of_claim =
                *register != CLAIM && CLAIM_PARTS.contains(register) && claims.contains(at);
            // Who had worked on what both have closed, or on what that one has closed, is settled with that.
            let ended = *register == CLAIM && closed && (closed_at(*at) || is_closer(record));
            let ended = ended || *register == "assignee" && took_it(record);
            let agrees =
                *register == REVIEW || *register == "status" && closed && says_closed(record);
            !(of_claim || ended || agrees)
        };
        self.blob.unsettled().filter(counts).collect()
    }

    /// Returns the statuses of those who closed it at the same time, as they were lost: they agree, so these are no conflicts.
    pub(crate) fn other_closes(&self) -> Vec<Loser<'_>> {
        if self.state().status != Status::Closed {
            return Vec::new();
        }
        let is_close =
            |(register, _, record): &Loser<'_>| *register == "status" && says_closed(record);
        self.blob.unsettled().filter(is_close).collect()
    }

    /// Returns the stamps of the claims that others have won, as far as that is not settled.
    pub(crate) fn lost_claims(&self) -> Vec<Stamp> {
        let lost = self.blob().unsettled();
        lost.filter(|(register, ..)| *register == CLAIM)
            .map(|(_, at, _)| at)
            .collect()
    }

    /// Sets the status with its reason and the mark of an automatic close.
    pub(crate) fn set_state(&mut self, writer: &Writer, state: &StatusRegister) -> bool {
        self.blob.set(writer, "status", state.to_value())
    }

    /// Sets the status, without a reason.
    pub(crate) fn set_status(&mut self, writer: &Writer, status: Status) -> bool {
        if self.state().status == status && self.blob.registers.contains_key("status") {
            return false;
        }
        self.set_state(writer, &StatusRegister::new(status, None))
    }

    /// Sets a text register; an empty text clears it.
    pub(crate) fn set_text(
        &mut self,
        writer: &Writer,
        key: &str,
        text: &str,
    ) -> Result<bool, ValueError> {
        check_text(key, text)?;
        let text = Some(text).filter(|text| !text.is_empty());
        Ok(self.blob.set(writer, key, text.into()))
    }

    /// Sets the title, trimmed.
    pub fn set_title(&mut self, writer: &Writer, title: &str) -> Result<bool, ValueError> {
        let title = title.trim();
        if title.is_empty() {
            return Err(ValueError::EmptyTitle);
        }
        check_chars("the title", title, MAX_TITLE)?;
        Ok(self.blob.set(writer, "title", Value::from(title)))
    }

    /// Adds or removes a label.
    pub(crate) fn set_label(
        &mut self,
        writer: &Writer,
        label: &str,
        live: bool,
    ) -> Result<bool, ValueError> {
        let label = label.trim();
        if label.is_empty() {
            return Err(ValueError::Word("a label is empty".into()));
        }
        check_chars("a label", label, MAX_LABEL)?;
        Ok(self.blob.mark(writer, "labels", label, live))
    }

    /// Adds or removes a dependency.
    pub(crate) fn set_edge(
        &mut self,
        writer: &Writer,
        kind: &str,
        target: &Target,
        live: bool,
    ) -> bool {
        self.blob
            .mark(writer, "deps", &Edge::key(kind, target), live)
    }

    /// Sets or clears the parent.
    pub(crate) fn set_parent(&mut self, writer: &Writer, parent: Option<Uid>) -> bool {
        // The same target keeps the data that an import gave the edge.
        if self.parent().map(|(target, _)| target) == parent.map(Target::Uid) {
            return false;
        }
        self.blob.set(
            writer,
            "parent",
            parent.map_or(Value::Null, |uid| json!(uid)),
        )
    }
}

/// The types of issues with a meaning here or in most trackers.
pub(crate) const KINDS: [&str; 8] = [
    "task", "bug", "feature", "epic", "chore", "story", "question", "docs",
];

/// Returns a known word in lower case: `Epic` is `epic`; an unknown word stays as it is.
pub fn known_word(word: &str) -> String {
    let lower = word.trim().to_lowercase();
    let known = KINDS.iter().chain(&EDGE_KINDS).any(|known| *known == lower);
    if known { lower } else { word.trim().to_owned() }
}

/// Parses a priority: `0`..`4` or `P0`..`P4`.
pub fn parse_priority(text: &str) -> Result<i64, ValueError> {
    let word = text.trim();
    let digit = word.strip_prefix(['p', 'P']).unwrap_or(word);
    match digit.as_bytes() {
        [digit @ b'0'..=b'4'] => Ok(i64::from(digit - b'0')),
        _ => Err(ValueError::Word(format!(
            "`{text}` is not a priority: 0 to 4, or P0 to P4 (P0 is the most urgent)"
        ))),
    }
}

/// Returns the time at which an issue was assigned, where that was after its status.
fn assigned_since(issue: &Issue) -> Option<u64> {
    // Under one stamp with the status it is a claim, which has the time of the status.
    if issue.stamp_of("assignee")? <= issue.stamp_of("status")? {
        return None;
    }
    let assigned = issue.written("assignee");
    // An undo writes under a new stamp what has the time of an earlier write.
    assigned.filter(|at| Some(*at) > issue.written("status"))
}

/// Returns true if a lost status closes an issue.
fn says_closed(record: &Map<String, Value>) -> bool {
    record.get("v").is_some_and(|value| value["s"] == "closed")
}

#[cfg(test)]
mod tests {
    use super::parse_priority;

    #[test]
    fn a_priority_is_one_digit_with_or_without_one_letter() {
        for text in ["1", "p1", "P1", " 1 "] {
            assert_eq!(parse_priority(text).ok(), Some(1), "{text}");
        }
        for text in ["ppp1", "pP1", "+1", "P+1", "01", "p 1", "5", "p", ""] {
            assert!(parse_priority(text).is_err(), "{text}");
        }
    }
}
