//! Following the ref: something is done again whenever it has moved, and nothing while it has not.

use std::thread::sleep;
use std::time::Duration;

use super::ui::talk;
use crate::ops::{Error, Result, Retry, Tracker, reopen};
use crate::platform::Wake;

/// The shortest time between two looks: what comes in a quick succession is read together.
const GAP: Duration = Duration::from_millis(50);

/// The reasons to look again that have nothing to do with the ref.
pub(super) struct FollowInput<M, D> {
    /// Returns what is another when there is something to do.
    pub(super) mark: M,
    /// Returns the time after which that may be another by itself; none where only a key or a signal changes it.
    pub(super) due: D,
}

impl FollowInput<fn(), fn() -> Option<Duration>> {
    pub(super) const NOTHING: Self = Self {
        mark: || (),
        due: || None,
    };
}

/// Calls `each` now and whenever the ref has moved or the mark of `input` is another, until it says that this is enough or a
/// signal asks for the end. It is given the tracker, opened again where its repository has outgrown it. What there is to
/// warn of is said after each call, once.
pub(super) fn follow<M: PartialEq>(
    tracker: &Tracker,
    input: &FollowInput<impl Fn() -> M, impl Fn() -> Option<Duration>>,
    mut each: impl FnMut(&Tracker) -> Result<bool>,
) -> Result<()> {
    let unheard = |error| Error::io("can't listen for signals", &error);
    let mut wake = Wake::begin().map_err(unheard)?;
    let (mut seen, mut again, mut said) = (None, None, Vec::new());
    while !wake.is_ending() {
        let current: &Tracker = again.as_ref().unwrap_or(tracker);
        // One that can't be opened now, as while its configuration is being written, serves until it can.
        if !current.is_current()
            && let Ok(reopened) = reopen(current)
        {
            again = Some(reopened);
        }
        let current = again.as_ref().unwrap_or(tracker);
        // Before the mark: what moves after it ends the pause.
        wake.watch(&current.ref_watch().folders());
        // Taken before it is read: what moves meanwhile is another mark the next time.
        let mark = (current.ref_mark(), (input.mark)());
        if seen.as_ref() != Some(&mark) {
            let outcome = each(current);
            warn(current, &mut said);
            match outcome {
                Ok(true) => seen = Some(mark),
                Ok(false) => break,
                Err(error) if error.retry() == Retry::ReopenRepository => {
                    again = Some(reopen(current)?);
                }
                Err(error) => return Err(error),
            }
            sleep(GAP);
        }
        let woken = wake.pause((input.due)(), false);
        tracing::trace!(?woken, "looks at the ref");
    }
    Ok(())
}

/// Says the warnings of a tracker that were not said before.
fn warn(tracker: &Tracker, said: &mut Vec<String>) {
    for warning in tracker.take_warnings() {
        if !said.contains(&warning) {
            talk(tracker.env(), "warning", &warning);
            said.push(warning);
        }
    }
}
