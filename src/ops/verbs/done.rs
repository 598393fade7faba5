//! `done`: ending work, rolling epics up, saying what is ready next.

use crate::ops::shared::close::{answer, close_all};
use crate::ops::{Command, Error, Result, Tracker};

pub(crate) use crate::ops::shared::close::{Closed, Done};

/// Closes issues in one commit. Open blockers or children do not prevent it; the answer names them.
pub(crate) fn done(tracker: &Tracker, request: &Done) -> Result<Closed> {
    if request.ids.is_empty() {
        return Err(Error::invalid("no issue is named").hinted(
            Command::of("done")
                .placeholder("ID")
                .flag("-r")
                .placeholder("what was done"),
        ));
    }
    request.check()?;
    tracker.write(|tx| close_all(tx, std::slice::from_ref(request)), answer)
}
