//! Status changes of an operation, as its commit stores them: `open>closed <uid> <uid>,
//! blocked>open <uid>`.

use std::collections::BTreeMap;

use super::stamp::Uid;
use super::status::{KNOWN, Status};

/// The trailer of a commit that holds them.
pub(crate) const TRAILER: &str = "Status";

/// Stored word for a status of another tracker, which can be any text.
const CUSTOM: &str = "custom";

/// A status and the one that came after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StatusChange {
    pub from: Status,
    pub to: Status,
}

impl StatusChange {
    /// Returns the change from one status to another; none where they are the same.
    pub(crate) fn between(from: Status, to: Status) -> Option<Self> {
        (from != to).then_some(Self { from, to })
    }

    /// Returns whether an issue was closed before and has not ended after.
    pub(crate) fn is_reopening(&self) -> bool {
        self.from == Status::Closed && !self.to.is_done()
    }

    pub(crate) fn to_text(&self) -> String {
        let word = |status: &Status| {
            if KNOWN.contains(&status.as_str()) {
                status.to_string()
            } else {
                CUSTOM.into()
            }
        };
        format!("{}>{}", word(&self.from), word(&self.to))
    }

    /// Reads the stored form.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('>')?;
        Some(Self {
            from: Status::new(from),
            to: Status::new(to),
        })
    }
}

/// The status changes of an operation, by issue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StatusChanges(BTreeMap<Uid, StatusChange>);

impl StatusChanges {
    /// Adds the change of an issue; a new issue has none.
    pub(crate) fn add(&mut self, uid: Uid, from: Option<Status>, to: Status) {
        self.0.extend(
            from.and_then(|from| StatusChange::between(from, to))
                .map(|change| (uid, change)),
        );
    }

    /// Returns the change of an issue.
    pub(crate) fn get(&self, uid: Uid) -> Option<&StatusChange> {
        self.0.get(&uid)
    }

    /// Returns the value of the trailer; empty without changes.
    pub(crate) fn to_trailer(&self) -> String {
        let mut uids_by_change: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (uid, change) in &self.0 {
            uids_by_change
                .entry(change.to_text())
                .or_default()
                .push(uid.to_string());
        }
        let parts: Vec<String> = uids_by_change
            .iter()
            .map(|(change, uids)| format!("{change} {}", uids.join(" ")))
            .collect();
        parts.join(", ")
    }

    /// Parses the value of the trailer; unreadable parts are left out.
    pub(crate) fn parse(text: &str) -> Self {
        let mut changes = BTreeMap::new();
        for part in text.split(',') {
            let mut words = part.split_whitespace();
            let Some(change) = words.next().and_then(StatusChange::parse) else {
                continue;
            };
            changes.extend(
                words
                    .flat_map(str::parse)
                    .map(|uid: Uid| (uid, change.clone())),
            );
        }
        Self(changes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uid(n: u64) -> Uid {
        Uid::from_bytes(u128::from(n).to_be_bytes())
    }

    #[test]
    fn a_trailer_says_what_was_added() {
        let mut changes = StatusChanges::default();
        changes.add(uid(1), Some(Status::Open), Status::Closed);
        changes.add(uid(2), Some(Status::InProgress), Status::Closed);
        changes.add(uid(3), Some(Status::Open), Status::Closed);
        changes.add(uid(4), Some(Status::Open), Status::Open);
        changes.add(uid(5), None, Status::Closed);
        let [one, two, three] = [1, 2, 3].map(|n| uid(n).to_string());
        assert_eq!(
            changes.to_trailer(),
            format!("in_progress>closed {two}, open>closed {one} {three}")
        );
        assert_eq!(StatusChanges::parse(&changes.to_trailer()), changes);
        assert_eq!(StatusChanges::default().to_trailer(), "");
    }

    #[test]
    fn what_is_no_turn_is_left_out() {
        let good = uid(1).to_string();
        for (text, found) in [
            ("", 0),
            ("open", 0),
            (&*good, 0),
            ("open>closed x", 0),
            ("*, a>b", 0),
        ] {
            assert_eq!(StatusChanges::parse(text).0.len(), found, "{text}");
        }
        assert_eq!(
            StatusChanges::parse(&format!("open>closed {good} x, "))
                .0
                .len(),
            1
        );
    }

    #[test]
    fn the_words_of_others_stay_out_of_a_commit() {
        let strange = Status::new("a>b, Actor: Mallory");
        let change = StatusChange::between(strange, Status::Open).unwrap();
        assert_eq!(change.to_text(), "custom>open");
    }

    #[test]
    fn to_end_is_not_to_open_again() {
        let change = |from: &str, to: &str| StatusChange {
            from: Status::new(from),
            to: Status::new(to),
        };
        assert!(
            change("closed", "open").is_reopening() && change("closed", "blocked").is_reopening()
        );
        assert!(
            !change("closed", "tombstone").is_reopening()
                && !change("tombstone", "open").is_reopening()
        );
    }
}
