//! The batch of the two-tool profile: calls of several tools under one context, one after the other or at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::context_argument::ContextArgument;
use super::meta::{find, one_line, unknown_tool};
use super::response::{Response, fit};
use super::sanitize::harmless;
use super::tool::Tool;
use super::truncate::LONGEST;
use crate::ops::answer::Failure;
use crate::ops::{Error, Result};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct ToolCall {
    pub(super) agent: Option<String>,
    #[schemars(required)]
    pub(super) tool: Option<String>,
    #[schemars(required)]
    pub(super) params: Option<Map<String, Value>>,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct UseTools {
    #[schemars(required, description = "Fill FIRST")]
    pub(super) context: Option<ContextArgument>,
    #[schemars(extend("enum" = ["serial", "parallel"]))]
    pub(super) strategy: Option<String>,
    #[schemars(required)]
    pub(super) calls: Option<Vec<ToolCall>>,
}

/// Checks the agent of a call, where it names one.
pub(super) fn resolve(tools: &[Tool], call: &ToolCall) -> Result<usize> {
    let at = find(tools, call.tool.as_deref(), "tool")?;
    match call.agent.as_deref().map(str::trim) {
        Some(agent) if !agent.is_empty() && agent != tools[at].domain.as_str() => {
            let agent = echoed(agent);
            Err(Error::invalid(unknown_tool(tools, &agent, tools[at].name)))
        }
        _ => Ok(at),
    }
}

const ECHO: usize = 60;

/// Returns a name of the caller's, as far as an answer repeats it.
pub(super) fn echoed(name: &str) -> String {
    name.chars().take(ECHO).collect()
}

/// Characters of a result in addition to its data.
const RESULT: usize = 150;

#[derive(Serialize)]
pub(super) struct CallOutcome {
    agent: String,
    tool: String,
    pub(super) success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl CallOutcome {
    /// Returns the outcome of an answered call, cut to its share of `calls`: each result stays,
    /// however long others are.
    pub(super) fn new(tool: &Tool, response: Response, calls: usize) -> Self {
        let share = share(calls);
        let mut outcome = Self {
            agent: tool.domain.as_str().to_owned(),
            tool: tool.name.to_owned(),
            success: !response.failed,
            data: None,
            error: None,
        };
        match response.failed {
            true => outcome.error = Some(message_of(&response.text).chars().take(share).collect()),
            false => outcome.data = RawValue::from_string(fit(response.into_json(), share)).ok(),
        }
        outcome
    }

    pub(super) fn unknown(call: &ToolCall, failure: &Failure, calls: usize) -> Self {
        let error = one_line(failure).chars().take(share(calls)).collect();
        Self {
            agent: echoed(call.agent.as_deref().unwrap_or_default()),
            tool: echoed(call.tool.as_deref().unwrap_or_default()),
            success: false,
            data: None,
            error: Some(error),
        }
    }
}

/// Returns the characters of one result: all of them together have to fit into one answer.
fn share(calls: usize) -> usize {
    LONGEST / calls.max(1) - RESULT
}

fn message_of(text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let part = |key: &str| value[key].as_str().map(str::to_owned);
    let hint = part("hint")
        .map(|hint| format!("; {hint}"))
        .unwrap_or_default();
    format!("{}{hint}", part("message").unwrap_or_default())
}

/// Returns the answer of `useTools`; `asked` has the names of all calls, also of those that were
/// not made.
pub(super) fn outcomes(session: &str, asked: &[&str], results: &[CallOutcome]) -> Response {
    #[derive(Serialize)]
    struct Data<'a> {
        #[serde(rename = "sessionId")]
        session: &'a str,
        results: &'a [CallOutcome],
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        not_run: &'a [&'a str],
    }
    #[derive(Serialize)]
    struct Answer<'a> {
        success: bool,
        data: Data<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    }
    let success = results.iter().all(|result| result.success) && results.len() == asked.len();
    let not_run = &asked[results.len().min(asked.len())..];
    let stopped = results
        .last()
        .filter(|last| !last.success && !not_run.is_empty());
    let error = stopped.map(|last| {
        let done = results.iter().filter(|result| result.success).count();
        format!(
            "stopped at call {} of {} ({}): {done} done, {} not run",
            results.len(),
            asked.len(),
            last.tool,
            not_run.len()
        )
    });
    let answer = Answer {
        success,
        data: Data {
            session,
            results,
            not_run,
        },
        error,
    };
    Response {
        text: harmless(&answer),
        failed: !success,
        ..Response::default()
    }
}
