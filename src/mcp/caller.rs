//! The agent that calls, as far as its client and the request say.

use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use crate::ops::{Asked, ClientSession};

/// The members of `_meta` that hold a session, each with its client.
const SESSIONS: [(&[&str], &str); 4] = [
    (&["threadId"], "codex"),
    (&["x-codex-turn-metadata", "thread_id"], "codex"),
    (&["sessionID"], "opencode"),
    (&["vscode.conversationId"], "vscode"),
];

/// The member of `_meta` by which a host names the agent itself.
const NAMED: &str = "io.github.git-beads/agent";

/// Returns what a request says of the agent that calls.
pub(super) fn asked(context: &RequestContext<RoleServer>) -> Asked {
    let meta = serde_json::to_value(&context.meta).unwrap_or_default();
    let client = context.client_info().map(|client| client.name);
    Asked {
        name: None,
        session: session(&meta),
        // A server acts for an agent, also for one that does not introduce itself.
        client: Some(client.unwrap_or_default()),
    }
}

fn session(meta: &Value) -> Option<ClientSession> {
    let text = |path: &[&str]| {
        let value = path.iter().try_fold(meta, |value, key| value.get(key))?;
        value.as_str().filter(|text| !text.is_empty())
    };
    let known = SESSIONS.into_iter().find_map(|(path, client)| {
        Some(ClientSession::Known {
            client: client.to_owned(),
            id: text(path)?.to_owned(),
            source: format!("_meta {}", path.join(".")),
        })
    });
    let named = || {
        Some(ClientSession::Named {
            name: text(&[NAMED])?.to_owned(),
            source: format!("_meta {NAMED}"),
        })
    };
    known.or_else(named)
}
