//! `wait`: a call that ends when something has happened.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::tool::CallContext;
use crate::mcp::waiting::LONGEST;
use crate::ops::answer::{Envelope, envelope};
use crate::ops::verbs::wait::{Until, WaitRequest, Waited};
use crate::ops::{Error, Result};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct WaitCall {
    #[serde(default)]
    ids: Vec<String>,
    #[schemars(required, extend("enum" = ["closed", "ready", "answered", "changed"]))]
    until: Option<String>,
    #[schemars(description = "Seconds, at most 50")]
    timeout: Option<i64>,
}

/// Waits for the first of the issues to be as it is asked.
pub(super) fn wait(call: &CallContext<'_>, request: &WaitCall) -> Result<Envelope<Waited>> {
    let word = request.until.as_deref().unwrap_or_default().trim();
    let mut words = Until::ALL.iter();
    let until = words.find(|(known, _)| known.eq_ignore_ascii_case(word));
    let Some((_, until)) = until else {
        return Err(Error::invalid(match word {
            "" => "Missing required fields: until".to_owned(),
            _ => format!("`{word}` is not a state: closed, ready, answered, changed"),
        }));
    };
    let waited = WaitRequest {
        ids: request.ids.clone(),
        until: *until,
        all: false,
    };
    let seconds = request.timeout.unwrap_or(LONGEST.as_secs().cast_signed());
    let outcome = call.waiting.look(call.tracker, &waited, seconds)?;
    // While there is none the answer is not sent.
    let over = || Waited::new(*until, None, LONGEST);
    Ok(envelope(outcome.unwrap_or_else(over)))
}
