//! Following the ref: something is done again whenever it has moved, and nothing while it has not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::ops::{Error, Kind, Result};
use crate::store::Store;

/// How often the ref is looked at: two calls of the system.
const INTERVAL: Duration = Duration::from_millis(200);

/// Calls `each` now and whenever the ref has moved or `also` is another, until it says that this is enough or a
/// signal asks for the end.
///
/// # Errors
/// What `each` fails with.
pub(super) fn follow<M: PartialEq>(
    store: &Store,
    also: impl Fn() -> M,
    mut each: impl FnMut() -> Result<bool>,
) -> Result<()> {
    let end = ending()?;
    let mut seen = None;
    while !end.load(Ordering::Relaxed) {
        // Taken before it is read: what moves meanwhile is another mark the next time.
        let mark = (store.ref_mark(), also());
        if seen.as_ref() != Some(&mark) {
            seen = Some(mark);
            if !each()? {
                break;
            }
        }
        sleep(INTERVAL);
    }
    Ok(())
}

/// A flag that a signal sets which would else end the program where it stands.
fn ending() -> Result<Arc<AtomicBool>> {
    let end = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register(signal, Arc::clone(&end)).map_err(|error| {
            Error::new(Kind::Io, "io", format!("can't listen for signals: {error}"))
        })?;
    }
    Ok(end)
}
