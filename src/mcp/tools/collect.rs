//! `collect`: takes over what others could not send to the store.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::tool::CallContext;
use crate::ops::Result;
use crate::ops::answer::{Envelope, envelope};
use crate::ops::verbs::sync::{CarrySources, Sync, Synced, sync};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct CollectCall {
    remote: Option<String>,
    #[schemars(description = "Carry files of HEAD too")]
    head: bool,
    dry_run: bool,
}

/// Merges what is in mailboxes and carry files, and sends it.
pub(super) fn collect(call: &CallContext<'_>, request: &CollectCall) -> Result<Envelope<Synced>> {
    let request = Sync {
        remote: request.remote.clone(),
        dry_run: request.dry_run,
        all_mailboxes: true,
        sources: CarrySources {
            head: request.head,
            ..CarrySources::default()
        },
        ..Sync::default()
    };
    Ok(envelope(sync(call.tracker, &request)?))
}
