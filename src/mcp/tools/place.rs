//! `set_context`, `where_am_i`, `init`, `session_context`: the repository of a session.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Nothing;
use crate::mcp::tool::CallContext;
use crate::ops::Result;
use crate::ops::verbs::{context, init, where_};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct SetContext {
    /// Absolute path
    #[schemars(required)]
    #[expect(dead_code, reason = "the router reads it before the call runs")]
    workspace_root: Option<String>,
}

pub(super) fn where_am_i(call: &CallContext<'_>, _: &Nothing) -> Result<Value> {
    let place = where_::where_(call.tracker)?;
    let mut here = json!({
        "workspace_root": place.repo, "common_dir": place.common_dir, "ref": place.reference,
        "commit": place.commit, "actor": place.actor, "found_by": call.route.found_by,
    });
    if let (Some(agent), Some(source)) = (place.agent, place.agent_source) {
        here["agent"] = agent.into();
        here["agent_source"] = source.into();
    }
    if let Some(rival) = &call.route.rival {
        here["could_be_meant"] = rival.display().to_string().into();
    }
    Ok(here)
}

/// Initialises a store; an empty prefix is none.
pub(super) fn init(call: &CallContext<'_>, request: &init::Init) -> Result<init::Initialised> {
    let mut request = request.clone();
    request.prefix = request.prefix.filter(|prefix| !prefix.trim().is_empty());
    init::init(call.tracker, &request)
}

/// Reads the options of `session_context` as a command line does: what can't be read is the default.
pub(super) fn read_leniently(arguments: &mut Map<String, Value>) {
    let mut text = |name| match arguments.remove(name) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text),
        Some(other) => Some(other.to_string()),
    };
    let (limit, compact) = (text("limit"), text("compact"));
    let options = context::ContextOptions::read(limit.as_deref(), compact.as_deref());
    arguments.extend(
        options
            .limit
            .map(|limit| ("limit".to_owned(), limit.into())),
    );
    arguments.extend(
        options
            .compact
            .map(|compact| ("compact".to_owned(), compact.into())),
    );
}

pub(super) fn set_context(call: &CallContext<'_>, _: &SetContext) -> Result<Value> {
    let place = where_::where_(call.tracker)?;
    Ok(
        json!({"workspace_root": place.repo, "common_dir": place.common_dir, "ref": place.reference}),
    )
}
