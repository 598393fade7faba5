//! Tools that call or describe other tools: three for lazy discovery, two that take a context with
//! each call.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::context_argument::ContextArgument;
use super::response::Response;
use super::tool::{Domain, Tool};
use crate::ops::answer::Failure;
use crate::ops::shared::words::nearest;
use crate::ops::{Code, Error, Hint, Result};

/// Arguments of the `get_tool_info` tool.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct Info {
    #[schemars(required)]
    pub(super) tool_name: Option<String>,
}

/// Arguments of the `call_tool` tool.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct CallToolRequest {
    #[schemars(required)]
    pub(super) name: Option<String>,
    pub(super) arguments: Option<Map<String, Value>>,
}

/// Tools of a domain.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct ToolsRequest {
    #[schemars(required)]
    agent: Option<String>,
    #[schemars(required)]
    tools: Option<Vec<String>>,
}

/// Arguments of the `getTools` tool.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct GetTools {
    #[schemars(required, description = "Fill FIRST")]
    pub(super) context: Option<ContextArgument>,
    #[schemars(required)]
    pub(super) request: Option<Vec<ToolsRequest>>,
}

/// Returns the description of `getTools`: the index of all that can be called.
pub(super) fn index(about: &str, tools: &[Tool], workspaces: &[String]) -> String {
    let mut text = format!("{about}\n\nAgents:\n");
    for domain in Domain::LISTED {
        let names: Vec<&str> = tools
            .iter()
            .filter(|tool| tool.domain == domain)
            .map(|tool| tool.name)
            .collect();
        if !names.is_empty() {
            text.push_str(&format!("{}: [{}]\n", domain.as_str(), names.join(",")));
        }
    }
    let workspaces: String = workspaces.iter().map(|name| format!(",{name}")).collect();
    text.push_str(&format!("\nWorkspaces: [default{workspaces}]"));
    text
}

/// Finds a tool that other tools can call by its name; `field` is the argument that holds the name.
pub(super) fn find(tools: &[Tool], name: Option<&str>, field: &str) -> Result<usize> {
    let name = name.map(str::trim).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| Error::invalid(format!("Missing required fields: {field}")))?;
    // Tools about tools are not called through each other.
    let known = tools
        .iter()
        .enumerate()
        .filter(|(_, tool)| tool.domain != Domain::Meta);
    if let Some((at, _)) = known.clone().find(|(_, tool)| tool.name == name) {
        return Ok(at);
    }
    let names: Vec<&str> = known.map(|(_, tool)| tool.name).collect();
    let shown: String = name.chars().take(60).collect();
    let error = Error::new(Code::UnknownTool, format!("Unknown tool: {shown}"));
    Err(match nearest(name, &names) {
        Some(near) => error.hinted(Hint::text(format!(
            "did you mean {near}? tools: {}",
            names.join(", ")
        ))),
        None => error.hinted(Hint::text(format!("tools: {}", names.join(", ")))),
    })
}

/// Returns the answer of `discover_tools`.
pub(super) fn discover(tools: &[Tool]) -> Response {
    let listed = tools.iter().filter(|tool| tool.domain != Domain::Meta);
    let names: Map<String, Value> = listed
        .map(|tool| (tool.name.to_owned(), tool.brief().into()))
        .collect();
    Response::new(&json!({"count": names.len(), "tools": names}))
}

/// Returns the answer of `get_tool_info`.
pub(super) fn info(tools: &[Tool], request: &Info, multi: bool) -> Result<Response> {
    let tool = &tools[find(tools, request.tool_name.as_deref(), "tool_name")?];
    let info = json!({"name": tool.name, "parameters": parameters(&tool.schema_in(multi)), "example": tool.example});
    Ok(Response::new(&info))
}

/// Returns the parameters of a schema in few bytes: the type of each as a word, with what is to be known of it.
fn parameters(schema: &Map<String, Value>) -> Map<String, Value> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|it| it == name));
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.unwrap_or(&none).iter();
    let parameter = |(name, property): (&String, &Value)| {
        let value = match property["items"].as_object() {
            // A list of objects shows theirs.
            Some(items) if items.contains_key("properties") => json!([parameters(items)]),
            _ => word(property, is_required(name)).into(),
        };
        (name.clone(), value)
    };
    properties.map(parameter).collect()
}

fn word(property: &Value, required: bool) -> String {
    let kind = |property: &Value| match property["enum"].as_array() {
        Some(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            words.join("|")
        }
        None => property["type"].as_str().unwrap_or("any").to_owned(),
    };
    let kind = match property.get("items") {
        Some(items) => format!("[{}]", kind(items)),
        None => kind(property),
    };
    let must = if required { ", required" } else { "" };
    let about = property["description"].as_str();
    let about = about.map(|about| format!(": {about}")).unwrap_or_default();
    format!("{kind}{must}{about}")
}

#[derive(Serialize)]
struct Described<'a> {
    agent: &'a str,
    tool: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(rename = "inputSchema", skip_serializing_if = "Option::is_none")]
    schema: Option<Arc<Map<String, Value>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Returns the answer of `getTools`: the schemas asked for, without the fields that `useTools` has
/// once for all calls.
pub(super) fn schemas(tools: &[Tool], request: &GetTools, session: &str) -> Response {
    let mut found = Vec::new();
    for ToolsRequest {
        agent,
        tools: names,
    } in request.request.iter().flatten()
    {
        let agent = agent.as_deref().map(str::trim).unwrap_or_default();
        for name in names.iter().flatten() {
            let own = |tool: &&Tool| {
                tool.name == name && tool.domain.as_str() == agent && tool.domain != Domain::Meta
            };
            let tool = tools.iter().find(own);
            found.push(match tool {
                Some(tool) => Described {
                    agent,
                    tool: tool.name,
                    description: Some(tool.about),
                    schema: Some(tool.schema()),
                    error: None,
                },
                None => Described {
                    agent,
                    tool: name,
                    description: None,
                    schema: None,
                    error: Some(unknown_tool(tools, agent, name)),
                },
            });
        }
    }
    if found.is_empty() {
        return refused(&Failure::from(&Error::invalid(
            "request names no tools: [{agent, tools: [...]}]",
        )));
    }
    let success = found.iter().any(|tool| tool.error.is_none());
    Response::new(&json!({"success": success, "data": {"sessionId": session, "tools": found}}))
        .failed(!success)
}

pub(super) fn unknown_tool(tools: &[Tool], agent: &str, name: &str) -> String {
    match tools
        .iter()
        .find(|tool| tool.name == name && tool.domain != Domain::Meta)
    {
        Some(tool) => format!(
            "{name} belongs to agent {}, not {agent}",
            tool.domain.as_str()
        ),
        None => {
            let listed = tools.iter().filter(|tool| tool.domain != Domain::Meta);
            let names: Vec<&str> = listed.map(|tool| tool.name).collect();
            let near = nearest(name, &names)
                .map(|near| format!("; did you mean {near}?"))
                .unwrap_or_default();
            format!("Unknown tool: {name}{near}")
        }
    }
}

/// Returns the answer of `useTools` to a request that is refused before any call was made.
pub(super) fn refused(failure: &Failure) -> Response {
    let answer = json!({"success": false, "error": one_line(failure)});
    Response::new(&answer).failed(true)
}

/// Returns an error and what to do about it.
pub(super) fn one_line(failure: &Failure) -> String {
    match &failure.hint {
        Some(hint) => format!("{}; {hint}", failure.message),
        None => failure.message.clone(),
    }
}
