//! What an operation did to the status of issues, as its commit says it: `open>closed <uid> <uid>, blocked>open <uid>`.

use std::collections::BTreeMap;

use super::stamp::Uid;
use super::status::{KNOWN, Status};

/// The trailer of a commit that says it.
pub const TRAILER: &str = "Status";

/// What stands for the status of another tracker, which can be any text.
const CUSTOM: &str = "custom";

/// A status and the one that came after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusChange {
    /// Before.
    pub from: Status,
    /// After.
    pub to: Status,
}

impl StatusChange {
    /// The turn from one status to another; none where they are the same.
    pub fn between(from: Status, to: Status) -> Option<Self> {
        (from != to).then_some(Self { from, to })
    }

    /// Whether an issue was closed before and has not ended after.
    pub fn is_reopening(&self) -> bool {
        self.from == Status::Closed && !self.to.is_done()
    }

    /// The stored form.
    pub fn to_text(&self) -> String {
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
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('>')?;
        Some(Self {
            from: Status::new(from),
            to: Status::new(to),
        })
    }
}

/// The turns of an operation, by issue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusChanges(BTreeMap<Uid, StatusChange>);

impl StatusChanges {
    /// Adds what came of an issue; one that was not there before has not turned.
    pub fn add(&mut self, uid: Uid, from: Option<Status>, to: Status) {
        self.0.extend(
            from.and_then(|from| StatusChange::between(from, to))
                .map(|turn| (uid, turn)),
        );
    }

    /// What came of an issue.
    pub fn get(&self, uid: Uid) -> Option<&StatusChange> {
        self.0.get(&uid)
    }

    /// The value of the trailer; empty where nothing turned.
    pub fn to_trailer(&self) -> String {
        let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (uid, turn) in &self.0 {
            alike
                .entry(turn.to_text())
                .or_default()
                .push(uid.to_string());
        }
        let parts: Vec<String> = alike
            .iter()
            .map(|(turn, uids)| format!("{turn} {}", uids.join(" ")))
            .collect();
        parts.join(", ")
    }

    /// Reads the value of the trailer; what can't be read is left out.
    pub fn parse(text: &str) -> Self {
        let mut turns = BTreeMap::new();
        for part in text.split(',') {
            let mut words = part.split_whitespace();
            let Some(turn) = words.next().and_then(StatusChange::parse) else {
                continue;
            };
            turns.extend(
                words
                    .flat_map(str::parse)
                    .map(|uid: Uid| (uid, turn.clone())),
            );
        }
        Self(turns)
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
        let mut turns = StatusChanges::default();
        turns.add(uid(1), Some(Status::Open), Status::Closed);
        turns.add(uid(2), Some(Status::InProgress), Status::Closed);
        turns.add(uid(3), Some(Status::Open), Status::Closed);
        turns.add(uid(4), Some(Status::Open), Status::Open);
        turns.add(uid(5), None, Status::Closed);
        let [one, two, three] = [1, 2, 3].map(|n| uid(n).to_string());
        assert_eq!(
            turns.to_trailer(),
            format!("in_progress>closed {two}, open>closed {one} {three}")
        );
        assert_eq!(StatusChanges::parse(&turns.to_trailer()), turns);
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
        let turn = StatusChange::between(strange, Status::Open).unwrap();
        assert_eq!(turn.to_text(), "custom>open");
    }

    #[test]
    fn to_end_is_not_to_open_again() {
        let turn = |from: &str, to: &str| StatusChange {
            from: Status::new(from),
            to: Status::new(to),
        };
        assert!(turn("closed", "open").is_reopening() && turn("closed", "blocked").is_reopening());
        assert!(
            !turn("closed", "tombstone").is_reopening()
                && !turn("tombstone", "open").is_reopening()
        );
    }
}
