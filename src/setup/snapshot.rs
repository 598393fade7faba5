//! The file from which clones begin that can't fetch issues: whether a team keeps one is its own decision, since everyone who
//! reads the repository reads it.

use super::{Action, Change, Setup, SetupFile, SetupState};
use crate::ops::shared::snapshot::{PATH, SnapshotReport, write_snapshot};
use crate::ops::{Command, Result, Tracker};
use crate::store::Store;
use crate::store::snapshot_file::{remove_file, work_file};

/// The name of it among the things that can be set up.
pub(crate) const NAME: &str = "snapshot";
const PUBLISHED: &str = "everyone who can read this repository reads the texts of these issues in it, also in its history";

/// Writes the file, takes it out again, or says what is there.
pub(crate) fn setup_snapshot(tracker: &Tracker, action: Action) -> Result<Setup> {
    let store = tracker.store();
    if action == Action::Remove {
        let change = match remove_file(store)? {
            true => Change::Delete,
            false => Change::None,
        };
        return Ok(answer((SetupState::Missing, change), Vec::new()));
    }
    let report = write_snapshot(tracker, false, action != Action::Write)?;
    // Before it is written: a file that is there is renewed.
    let found = state(store, &report, action);
    Ok(answer(found, hints(&report, action)))
}

fn state(store: &Store, report: &SnapshotReport, action: Action) -> (SetupState, Change) {
    let is_there = work_file(store).is_some();
    match (report.written, action) {
        (false, _) => (SetupState::Current, Change::None),
        (true, Action::Write) => (SetupState::Current, Change::Create),
        (true, _) if is_there => (SetupState::Outdated, Change::Edit),
        (true, _) => (SetupState::Missing, Change::Create),
    }
}

fn answer((state, change): (SetupState, Change), hints: Vec<String>) -> Setup {
    let file = SetupFile {
        path: PATH.to_owned(),
        state,
        change,
        reason: None,
        text: None,
    };
    Setup {
        agent: NAME.to_owned(),
        in_place: state == SetupState::Current,
        files: vec![file],
        hints,
        by_hand: Vec::new(),
    }
}

/// Returns what is left to people.
fn hints(report: &SnapshotReport, action: Action) -> Vec<String> {
    let (issues, known) = (report.issues, report.known);
    let mut hints = vec![format!("{issues} of {known} issues: {PUBLISHED}")];
    match action {
        Action::Write if !report.committed => {
            hints.extend(report.uncommitted.remarks());
            hints.push(report.uncommitted.commands(PATH));
            hints.push(
                "git beads snapshot --write renews it, on the branch that work lands on".to_owned(),
            );
        }
        Action::Print | Action::Check if report.written => {
            hints.push(Command::of("setup").word(NAME).flag("--write").to_string());
        }
        _ => {}
    }
    hints
}
