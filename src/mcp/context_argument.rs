//! The context that the two-tool profile wants before anything else: where, who, and what for.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::arguments::conform;
use super::tool::Tool;
use crate::model::Context;
use crate::ops::{Error, Result};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextArgument {
    /// default = the enclosing repository
    #[schemars(required)]
    pub(super) workspace_id: Option<String>,
    /// Any name
    #[schemars(required)]
    pub(super) session_id: Option<String>,
    /// Conversation so far, 1-3 sentences
    #[schemars(required)]
    memory: Option<String>,
    /// Objective, 1-3 sentences
    #[schemars(required)]
    goal: Option<String>,
    /// Rules to follow
    constraints: Option<String>,
}

impl ContextArgument {
    pub(super) fn check(&self) -> Result<Context> {
        let parts = [
            ("workspaceId", &self.workspace_id),
            ("sessionId", &self.session_id),
            ("memory", &self.memory),
            ("goal", &self.goal),
        ];
        let mut missing = Vec::new();
        for (name, text) in parts {
            if text.as_deref().unwrap_or_default().trim().is_empty() {
                missing.push(format!("{name} is required"));
            }
        }
        if !missing.is_empty() {
            return Err(Error::invalid(format!(
                "Invalid context: {}",
                missing.join(", ")
            )));
        }
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        Ok(Context {
            session: text(&self.session_id),
            memory: text(&self.memory),
            goal: text(&self.goal),
            constraints: text(&self.constraints),
        })
    }
}

/// Checks the context of a `useTools` before anything else of it.
pub(super) fn check_context(tool: &Tool, arguments: &Map<String, Value>) -> Result<()> {
    let schema = tool.schema();
    let Some(Value::Object(schema)) = schema["properties"].get("context") else {
        return Ok(());
    };
    let context = match arguments.get("context") {
        Some(Value::Object(context)) => context.clone(),
        // A text may be the JSON of it: `conform` reads that, and refuses what it can't.
        Some(Value::String(_)) => return Ok(()),
        None | Some(Value::Null) => Map::new(),
        Some(_) => return Err(Error::invalid("Invalid context: it must be an object")),
    };
    let invalid = |error: Error| Error {
        message: format!("Invalid context: {}", error.message),
        ..error
    };
    let context = conform(schema, context).map_err(invalid)?;
    let context: serde_json::Result<ContextArgument> =
        serde_json::from_value(Value::Object(context));
    let context = context.map_err(|error| invalid(Error::invalid(error.to_string())))?;
    context.check().map(|_| ())
}
