//! Tools that call or describe other tools: three for lazy discovery, two that take a context with
//! each call.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::context_argument::ContextArgument;
use super::facts::Domain;
use super::response::Response;
use super::tool::Tool;
use crate::ops::answer::Failure;
use crate::ops::shared::words::nearest;
use crate::ops::{Code, Error, Hint, Result};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct Info {
    #[schemars(required)]
    pub(super) tool_name: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct CallToolRequest {
    #[schemars(required)]
    pub(super) name: Option<String>,
    pub(super) arguments: Option<Map<String, Value>>,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct ToolsRequest {
    #[schemars(required)]
    agent: Option<String>,
    #[schemars(required)]
    tools: Option<Vec<String>>,
}

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

/// Returns the tools that others can call: those about tools are not called through each other.
fn callable(tools: &[Tool]) -> impl Iterator<Item = &Tool> {
    tools.iter().filter(|tool| tool.domain != Domain::Meta)
}

/// Finds a tool that other tools can call by its name; `field` is the argument that holds the name.
pub(super) fn find(tools: &[Tool], name: Option<&str>, field: &str) -> Result<usize> {
    let name = name.map(str::trim).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| Error::invalid(format!("Missing required fields: {field}")))?;
    let is_it = |tool: &Tool| tool.name == name && tool.domain != Domain::Meta;
    if let Some(at) = tools.iter().position(is_it) {
        return Ok(at);
    }
    let names: Vec<&str> = callable(tools).map(|tool| tool.name).collect();
    let shown: String = name.chars().take(60).collect();
    let all = format!("tools: {}", names.join(", "));
    let hint = match nearest(name, &names) {
        Some(near) => format!("did you mean {near}? {all}"),
        None => all,
    };
    Err(Error::new(Code::UnknownTool, format!("Unknown tool: {shown}")).hinted(Hint::text(hint)))
}

pub(super) fn discover(tools: &[Tool]) -> Response {
    let names: Map<String, Value> = callable(tools)
        .map(|tool| (tool.name.to_owned(), tool.brief().into()))
        .collect();
    Response::new(&json!({"count": names.len(), "tools": names}))
}

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
            let mut named = callable(tools).filter(|tool| tool.name == name);
            let tool = named.find(|tool| tool.domain.as_str() == agent);
            found.push(Described {
                agent,
                tool: name,
                description: tool.map(|tool| tool.about),
                schema: tool.map(Tool::schema),
                error: tool.is_none().then(|| unknown_tool(tools, agent, name)),
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
    if let Some(tool) = callable(tools).find(|tool| tool.name == name) {
        let known = tool.domain.as_str();
        return format!("{name} belongs to agent {known}, not {agent}");
    }
    let names: Vec<&str> = callable(tools).map(|tool| tool.name).collect();
    match nearest(name, &names) {
        Some(near) => format!("Unknown tool: {name}; did you mean {near}?"),
        None => format!("Unknown tool: {name}"),
    }
}

/// Returns the answer of `useTools` to a request that is refused before any call was made.
pub(super) fn refused(failure: &Failure) -> Response {
    let answer = json!({"success": false, "error": one_line(failure)});
    Response::new(&answer).failed(true)
}

pub(super) fn one_line(failure: &Failure) -> String {
    match &failure.hint {
        Some(hint) => format!("{}; {hint}", failure.message),
        None => failure.message.clone(),
    }
}
