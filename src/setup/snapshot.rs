//! The snapshot file of earlier versions: it is taken out, and written no more.

use super::{Action, Change, Setup, SetupFile, SetupState};
use crate::ops::{Command, Error, Result};
use crate::store::Store;
use crate::store::door::older::{PATH, remove_file};

/// The name of it among the things that can be set up.
pub(crate) const NAME: &str = "snapshot";

/// Takes the file out.
/// Errors: anything else is asked for.
pub(crate) fn setup_snapshot(store: &Store, action: Action) -> Result<Setup> {
    if action != Action::Remove {
        let from = Command::of("init").flag("--from").word("URL");
        let full = Command::of("carry").flag("--full");
        return Err(Error::invalid("snapshot files are not written any more")
            .hinted(from.then(" begins a clone that has an address"))
            .also(full.then(" prints a file from which init --from begins one")));
    }
    let change = match remove_file(store)? {
        true => Change::Delete,
        false => Change::None,
    };
    let file = SetupFile {
        path: PATH.to_owned(),
        state: SetupState::Missing,
        change,
        reason: None,
        text: None,
    };
    Ok(Setup {
        agent: NAME.to_owned(),
        in_place: false,
        files: vec![file],
        hints: Vec::new(),
        by_hand: Vec::new(),
    })
}
