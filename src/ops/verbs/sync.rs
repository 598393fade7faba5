//! `sync`, `fetch`, `pull`, `push`: exchange with a remote.

use crate::ops::shared::commit_links::auto_close;
use crate::ops::shared::sync::exchange;
use crate::ops::{Result, Tracker};

pub(crate) use crate::ops::shared::sync::{CarrySources, DeliveryKind, NamedFile, Sync, Synced};

/// Exchanges with a remote.
///
/// # Errors
/// No remote, one that fails or is rejected, or a store of another origin. Local work is safe in all
/// of these.
pub(crate) fn sync(tracker: &Tracker, request: &Sync) -> Result<Synced> {
    let _span = tracing::info_span!("sync").entered();
    let mut synced = exchange(tracker, request)?;
    if request.push && request.merge && !request.dry_run {
        // After the others have been heard: they may have opened again what a commit has closed.
        let closed = auto_close(tracker);
        if !closed.is_empty() {
            let again = Sync {
                remote: Some(synced.remote.clone()).filter(|remote| !remote.is_empty()),
                keep_mailboxes: request.keep_mailboxes,
                ..Sync::default()
            };
            let again = exchange(tracker, &again)?;
            synced.sent += again.sent;
            synced.carry = again.carry.or(synced.carry);
        }
        synced.remarks.extend(
            closed
                .iter()
                .map(|id| format!("{id} has landed and is closed")),
        );
    }
    tracing::info!(
        received = synced.received,
        sent = synced.sent,
        merged = synced.merged,
        conflicts = synced.conflicts,
        renamed = synced.renamed.len(),
        remarks = synced.remarks.len(),
        "exchanged"
    );
    Ok(synced)
}
