//! What was acknowledged, and who had seen it: every tip is held against that.

use serde_json::{Map, Value};

use super::{LONG, World};
use crate::model::blob::{Lost, lost_key};
use crate::model::stamp::{Stamp, Uid};

/// An acknowledged write of a register.
pub(super) struct Write {
    pub(super) uid: Uid,
    pub(super) field: &'static str,
    pub(super) value: Value,
    pub(super) at: Stamp,
    pub(super) commit: usize,
    /// Later writes of the register by somebody who had this one in their history.
    pub(super) later: Vec<usize>,
    /// Those of them that found it current.
    pub(super) direct: Vec<usize>,
    /// Where somebody settled the register with this write in their history.
    pub(super) resolved: Vec<usize>,
}

/// An acknowledged addition or removal of a label.
pub(super) struct Mark {
    pub(super) uid: Uid,
    pub(super) label: &'static str,
    pub(super) live: bool,
    pub(super) at: Stamp,
    pub(super) commit: usize,
    pub(super) later: Vec<usize>,
}

#[derive(Default, Debug)]
pub(super) struct Tally {
    pub(super) writes: usize,
    pub(super) current: usize,
    pub(super) overwritten: usize,
    pub(super) kept: usize,
    pub(super) purged: usize,
}

impl World {
    /// Holds a tip against what the oracle knows of its history.
    pub(super) fn check(&self, tip: usize) -> Tally {
        let state = &self.commits[tip].state;
        let any = |commits: &[usize]| commits.iter().any(|commit| self.has(tip, *commit));
        let mut tally = Tally::default();
        for write in self
            .writes
            .iter()
            .filter(|write| self.has(tip, write.commit))
        {
            let blob = &state[&write.uid];
            let Write {
                field,
                at,
                value,
                later,
                direct,
                resolved,
                ..
            } = write;
            tally.writes += 1;
            if blob.purged.is_some() {
                tally.purged += 1;
                continue;
            }
            let current = &blob.registers[*field];
            if current.at == *at && current.value == *value {
                assert!(
                    !any(later),
                    "{field} {value} was overwritten by somebody who had seen it, and is back"
                );
                tally.current += 1;
                continue;
            }
            if any(direct) {
                tally.overwritten += 1;
                continue;
            }
            let settled = any(resolved) || (!LONG.contains(field) && any(later));
            match blob.lost.get(&format!("{field}@{at}")) {
                None => panic!("{field} {value} at {at} was lost silently; current is {current:?}"),
                Some(Lost::Settled(_)) => assert!(settled, "{field} {value}: settled by nobody"),
                Some(Lost::Record(record)) => {
                    assert!(!settled, "{field} {value}: settled, and open again");
                    assert_eq!(
                        self.recorded(record, field).as_ref(),
                        Some(value),
                        "{field} at {at}: another value"
                    );
                }
            }
            tally.kept += 1;
        }
        for mark in self.marks.iter().filter(|mark| self.has(tip, mark.commit)) {
            let Some(element) = state[&mark.uid]
                .sets
                .get("labels")
                .and_then(|set| set.get(mark.label))
            else {
                assert!(
                    state[&mark.uid].purged.is_some(),
                    "the label {} is forgotten",
                    mark.label
                );
                continue;
            };
            assert!(
                element.at >= mark.at,
                "an older write of the label {} won",
                mark.label
            );
            let current = element.at == mark.at && element.live == mark.live;
            assert!(
                !(current && any(&mark.later)),
                "the label {} is as it was before a later write",
                mark.label
            );
        }
        tally
    }

    /// Returns the value that a record names, from the blob it is in if it is long.
    fn recorded(&self, record: &Map<String, Value>, field: &str) -> Option<Value> {
        let inline = record.get("v").cloned();
        inline.or_else(|| {
            Some(
                self.blobs
                    .get(record.get("ref")?.as_str()?)?
                    .value(field)
                    .clone(),
            )
        })
    }

    /// What nobody has settled was written without knowledge of another write.
    pub(super) fn no_false_conflicts(&self, tip: usize) {
        for blob in self.commits[tip].state.values() {
            for (field, at, _) in blob.unsettled() {
                let own = |write: &&Write| Some(write.uid) == blob.uid && write.field == field;
                let lost: Vec<&Write> = self
                    .writes
                    .iter()
                    .filter(own)
                    .filter(|write| write.at == at)
                    .collect();
                let apart = |a: &Write, b: &Write| {
                    !self.has(a.commit, b.commit) && !self.has(b.commit, a.commit)
                };
                // What both imported has no write of ours; without a base nobody knows that it was seen.
                if lost.is_empty() {
                    continue;
                }
                let concurrent = |other: &Write| lost.iter().any(|write| apart(write, other));
                assert!(
                    self.writes.iter().filter(own).any(concurrent),
                    "{field}@{at} met no other write"
                );
            }
            assert!(blob.lost.keys().all(|key| lost_key(key).is_some()));
        }
    }
}
