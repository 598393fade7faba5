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
        recalled: false,
        session: session(&meta),
        // A server acts for an agent, also for one that does not introduce itself.
        client: Some(client.unwrap_or_default()),
    }
}

/// Returns the keys of a caller, where its calls are known from those of others: its own, and that of the session
/// that it is a part of. A server that was given the name of its agent has one session.
pub(super) fn keys(asked: &Asked, agent: Option<String>) -> Vec<String> {
    let session = asked.session.as_ref().map(|session| match session {
        ClientSession::Known { client, id, .. } => format!("{client}\0{id}"),
        ClientSession::Named { name, .. } => name.clone(),
    });
    let session = session.or(agent);
    let own = asked.name.as_ref().map(|(name, _)| {
        let session = session.as_deref().unwrap_or_default();
        format!("{session}\0{}", name.trim())
    });
    own.into_iter().chain(session).collect()
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
