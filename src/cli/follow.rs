//! Following the ref: something is done again whenever it has moved, and nothing while it has not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use signal_hook::flag;

use super::ui::talk;
use crate::ops::{Error, Result, Retry, Tracker, reopen};
use crate::platform::ENDING_SIGNALS;

/// Time between two looks at the ref, each of which costs two system calls.
const INTERVAL: Duration = Duration::from_millis(100);

/// Calls `each` now and whenever the ref has moved or `also` is another, until it says that this is enough or a
/// signal asks for the end. It is given the tracker, opened again where its repository has outgrown it. What there is to
/// warn of is said after each call, once, and added to `said`.
pub(super) fn follow<M: PartialEq>(
    tracker: &Tracker,
    said: &mut Vec<String>,
    also: impl Fn() -> M,
    mut each: impl FnMut(&Tracker) -> Result<bool>,
) -> Result<()> {
    let end = ending()?;
    let (mut seen, mut again) = (None, None);
    while !end.load(Ordering::Relaxed) {
        let current: &Tracker = again.as_ref().unwrap_or(tracker);
        // One that can't be opened now, as while its configuration is being written, serves until it can.
        if !current.is_current()
            && let Ok(reopened) = reopen(current)
        {
            again = Some(reopened);
        }
        let current = again.as_ref().unwrap_or(tracker);
        // Taken before it is read: what moves meanwhile is another mark the next time.
        let mark = (current.ref_mark(), also());
        if seen.as_ref() != Some(&mark) {
            let outcome = each(current);
            warn(current, said);
            match outcome {
                Ok(true) => seen = Some(mark),
                Ok(false) => break,
                Err(error) if error.retry() == Retry::ReopenRepository => {
                    again = Some(reopen(current)?);
                }
                Err(error) => return Err(error),
            }
        }
        sleep(INTERVAL);
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

/// Returns a flag that is set by a signal which would otherwise end the program in the middle of a screen.
fn ending() -> Result<Arc<AtomicBool>> {
    let end = Arc::new(AtomicBool::new(false));
    for signal in ENDING_SIGNALS {
        flag::register(signal, Arc::clone(&end))
            .map_err(|error| Error::io("can't listen for signals", &error))?;
    }
    Ok(end)
}
