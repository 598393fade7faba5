//! `hook`: work in the background. No one waits for it, and nothing depends on it.

use crate::ops::shared::commit_links::auto_close;
use crate::ops::shared::sync::{Sync, exchange};
use crate::ops::{Result, Tracker};

/// Does a task, with a remote where it needs one; one that this version does not know is nothing.
///
/// `fold` packs full journals, `tidy` loose objects, `refresh` brings the index up, `pull` and `push` exchange with the
/// remote. What has landed is closed where `beads.autoClose` asks for it. After an error everything is as it was.
pub(crate) fn hook(tracker: &Tracker, task: &str, remote: Option<&str>) -> Result<()> {
    let with = |request: Sync| {
        exchange(
            tracker,
            &Sync {
                remote: remote.map(str::to_owned),
                unattended: true,
                ..request
            },
        )
    };
    match (task, remote) {
        ("fold", _) => drop(tracker.store().journals().pack_rotated()?),
        ("tidy", _) => tracker.store().maintenance().maintain()?,
        ("refresh", _) => {
            tracker.read(|_| Ok(()))?;
            auto_close(tracker);
        }
        ("pull", Some(_)) => {
            with(Sync {
                push: false,
                ..Sync::default()
            })?;
            auto_close(tracker);
        }
        ("push", Some(_)) => drop(with(Sync {
            merge: false,
            ..Sync::default()
        })?),
        _ => {}
    }
    Ok(())
}
