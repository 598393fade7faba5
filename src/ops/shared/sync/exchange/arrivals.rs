//! The merge of carry files that have passed: of all of them at once, since each merge of its own makes a pack.

use std::collections::HashSet;

use super::Exchange;
use crate::ops::shared::sync::Collected;
use crate::ops::{Code, Result};
use crate::store::carry::CarryNotes;
use crate::store::{Admitted, MergeStep, Oid};

/// So many are merged while the lock is held: others write in between.
const AT_ONCE: usize = 64;

/// The merge of a tip, if it has changed something, or why it can't be merged.
type MergeResult = std::result::Result<Option<MergeStep>, String>;

/// A file that is to be merged.
pub(super) struct Arrival {
    /// The commit of it.
    pub(super) admitted: Admitted,
    /// The file, where a branch has it.
    pub(super) blob: Option<Oid>,
    pub(super) collected: Collected,
}

/// What becomes of a file.
pub(super) enum FileOutcome {
    /// Its changes are here.
    Here,
    /// Its changes will be here after the next merge.
    Arrives(Arrival),
    /// It was left alone, or only looked at.
    Waits,
}

/// What becomes of a tip that others have left.
pub(super) enum Admission {
    /// It is to be merged.
    Passes(Admitted),
    /// All of it is here.
    Here,
    /// It was left alone, and named.
    Refused,
}

impl Exchange<'_> {
    /// Checks what others have left. What this clone collects for the store is not counted as received.
    pub(super) fn admit_from(
        &mut self,
        from: &str,
        (tip, is_checked): (Oid, bool),
        is_collected: bool,
    ) -> Result<Admission> {
        let received = self.synced.received;
        let admission = match self.admit(tip, is_checked) {
            Ok(Some(admitted)) => Admission::Passes(admitted),
            Ok(None) => Admission::Here,
            Err(error) if error.is(Code::StoreMismatch) || error.is(Code::Rejected) => {
                self.leave_alone(from, &error.message);
                Admission::Refused
            }
            Err(error) => return Err(error),
        };
        if is_collected {
            self.synced.received = received;
        }
        Ok(admission)
    }

    /// Merges the files that have passed.
    pub(super) fn merge_arrivals(&mut self, notes: &mut CarryNotes) -> Result<()> {
        let arrivals = std::mem::take(&mut self.arrivals);
        let admitted: Vec<Admitted> = arrivals.iter().map(|arrival| arrival.admitted).collect();
        let merged = self.merge_all(&admitted)?;
        let mut done = HashSet::new();
        for (arrival, merged) in arrivals.into_iter().zip(merged) {
            if let Err(why) = merged {
                self.leave_alone(&arrival.collected.from, &why);
                continue;
            }
            // Two files can have the same changes.
            if done.insert(arrival.admitted.tip()) {
                self.synced.collected.push(arrival.collected);
            }
            arrival.blob.into_iter().for_each(|blob| notes.done(blob));
        }
        Ok(())
    }

    /// Merges tips that have passed: many at once, or one by one where that can't be, so that one holds up no other. Returns
    /// for each the merge, if it has changed something, or why it could not be merged.
    pub(super) fn merge_all(&mut self, tips: &[Admitted]) -> Result<Vec<MergeResult>> {
        let mut merged = Vec::new();
        for part in tips.chunks(AT_ONCE) {
            match self.merge(part) {
                Ok(steps) => merged.extend(part.iter().map(|tip| Ok(merge_of(*tip, &steps)))),
                Err(error) if error.is(Code::Rejected) => {
                    for tip in part {
                        merged.push(self.merge_alone(*tip)?);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(merged)
    }

    fn merge_alone(&mut self, tip: Admitted) -> Result<MergeResult> {
        match self.merge(&[tip]) {
            Ok(steps) => Ok(Ok(merge_of(tip, &steps))),
            Err(error) if error.is(Code::Rejected) => Ok(Err(error.message)),
            Err(error) => Err(error),
        }
    }
}

fn merge_of(tip: Admitted, steps: &[MergeStep]) -> Option<MergeStep> {
    steps.iter().find(|step| step.theirs == tip.tip()).copied()
}
