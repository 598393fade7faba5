//! Tools that lead to other tools: three for lazy discovery (seed 000), two with a context (seed 001).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::arguments::{conform, nearest};
use super::response::{Response, fit};
use super::sanitize::harmless;
use super::tool::{Domain, Tool};
use super::truncate::LONGEST;
use crate::model::Context;
use crate::ops::{Code, Error, Result};

/// `get_tool_info`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct Info {
    #[schemars(required)]
    pub(super) tool_name: Option<String>,
}

/// `call_tool`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct CallToolRequest {
    #[schemars(required)]
    pub(super) name: Option<String>,
    pub(super) arguments: Option<Map<String, Value>>,
}

/// What an agent says of its work; asked for before anything else.
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
    /// Takes it as the reason of changes.
    ///
    /// # Errors
    /// `Invalid context: ...`, with all that is missing.
    pub(super) fn check(&self) -> Result<Context> {
        let parts = [
            ("workspaceId", &self.workspace_id),
            ("sessionId", &self.session_id),
            ("memory", &self.memory),
            ("goal", &self.goal),
        ];
        let says =
            |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
        let missing: Vec<String> = parts
            .iter()
            .filter(|(_, text)| !says(text))
            .map(|(name, _)| format!("{name} is required"))
            .collect();
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
///
/// # Errors
/// `Invalid context: ...`.
pub(super) fn check_context(tool: &Tool, arguments: &Map<String, Value>) -> Result<()> {
    let schema = tool.schema();
    let Some(Value::Object(schema)) = schema["properties"].get("context") else {
        return Ok(());
    };
    let said = match arguments.get("context") {
        Some(Value::Object(said)) => said.clone(),
        Some(Value::String(_)) => return Ok(()),
        None | Some(Value::Null) => Map::new(),
        Some(_) => return Err(Error::invalid("Invalid context: it must be an object")),
    };
    let invalid = |error: Error| Error {
        message: format!("Invalid context: {}", error.message),
        ..error
    };
    let said = conform(schema, said).map_err(invalid)?;
    let said: ContextArgument = serde_json::from_value(Value::Object(said)).unwrap_or_default();
    said.check().map(|_| ())
}

/// Tools of a domain.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct ToolsRequest {
    #[schemars(required)]
    agent: Option<String>,
    #[schemars(required)]
    tools: Option<Vec<String>>,
}

/// `getTools`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct GetTools {
    #[expect(dead_code, reason = "taken, and not needed to tell a schema")]
    context: Option<Map<String, Value>>,
    #[schemars(required)]
    pub(super) request: Option<Vec<ToolsRequest>>,
}

/// One call.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct ToolCall {
    pub(super) agent: Option<String>,
    #[schemars(required)]
    pub(super) tool: Option<String>,
    #[schemars(required)]
    pub(super) params: Option<Map<String, Value>>,
}

/// `useTools`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct UseTools {
    #[schemars(required, description = "Fill FIRST")]
    pub(super) context: Option<ContextArgument>,
    #[schemars(extend("enum" = ["serial", "parallel"]))]
    pub(super) strategy: Option<String>,
    #[schemars(required)]
    pub(super) calls: Option<Vec<ToolCall>>,
}

/// The description of `getTools`: the index of all that can be called.
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

/// The tool of a name, among those that can be called by others; `field` is where the name stands.
///
/// # Errors
/// None, with the nearest name.
pub(super) fn find(tools: &[Tool], name: Option<&str>, field: &str) -> Result<usize> {
    let name = name.map(str::trim).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| Error::invalid(format!("Missing required fields: {field}")))?;
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
        Some(near) => error.hinted(format!("did you mean {near}? tools: {}", names.join(", "))),
        None => error.hinted(format!("tools: {}", names.join(", "))),
    })
}

/// The answer of `discover_tools`.
pub(super) fn discover(tools: &[Tool]) -> Response {
    let listed = tools.iter().filter(|tool| tool.domain != Domain::Meta);
    let names: Map<String, Value> = listed
        .map(|tool| (tool.name.to_owned(), tool.brief().into()))
        .collect();
    Response::new(&json!({"count": names.len(), "tools": names}), &[])
}

/// The answer of `get_tool_info`.
///
/// # Errors
/// No such tool.
pub(super) fn info(tools: &[Tool], request: &Info, multi: bool) -> Result<Response> {
    let tool = &tools[find(tools, request.tool_name.as_deref(), "tool_name")?];
    let info =
        json!({"name": tool.name, "parameters": *tool.schema_in(multi), "example": tool.example});
    Ok(Response::new(&info, &[]))
}

#[derive(Serialize)]
struct Described<'a> {
    agent: &'a str,
    tool: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(rename = "inputSchema", skip_serializing_if = "Option::is_none")]
    schema: Option<std::sync::Arc<Map<String, Value>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The answer of `getTools`: the schemas asked for, without what `useTools` takes once for all calls.
pub(super) fn schemas(tools: &[Tool], request: &GetTools) -> Response {
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
                    error: Some(lost(tools, agent, name)),
                },
            });
        }
    }
    if found.is_empty() {
        return refused(&Error::invalid(
            "request names no tools: [{agent, tools: [...]}]",
        ));
    }
    let success = found.iter().any(|tool| tool.error.is_none());
    Response::new(&json!({"success": success, "data": {"tools": found}}), &[]).failed(!success)
}

fn lost(tools: &[Tool], agent: &str, name: &str) -> String {
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

/// Checks the agent of a call, where it names one.
///
/// # Errors
/// No such tool, or one of another agent.
pub(super) fn resolve(tools: &[Tool], call: &ToolCall) -> Result<usize> {
    let at = find(tools, call.tool.as_deref(), "tool")?;
    match call.agent.as_deref().map(str::trim) {
        Some(agent) if !agent.is_empty() && agent != tools[at].domain.as_str() => {
            Err(Error::invalid(lost(tools, agent, tools[at].name)))
        }
        _ => Ok(at),
    }
}

/// What `useTools` answers before any call was made.
pub(super) fn refused(error: &Error) -> Response {
    let hint = error
        .hint
        .as_ref()
        .map(|hint| format!("; {hint}"))
        .unwrap_or_default();
    let answer = json!({"success": false, "error": format!("{}{hint}", error.message)});
    Response::new(&answer, &[]).failed(true)
}

/// Characters of a result beside its data.
const RESULT: usize = 150;

/// What came of one call.
#[derive(Serialize)]
pub(super) struct CallOutcome {
    agent: &'static str,
    tool: String,
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl CallOutcome {
    /// A call and its answer, of which it keeps its share of `calls`: each result stays, however long others
    /// are.
    pub(super) fn new(tool: &Tool, reply: Response, calls: usize) -> Self {
        let (agent, name) = (tool.domain.as_str(), tool.name.to_owned());
        let share = LONGEST / calls.max(1) - RESULT;
        let error = reply
            .failed
            .then(|| message_of(&reply.text).chars().take(share).collect());
        let success = !reply.failed;
        let data = if reply.failed {
            None
        } else {
            RawValue::from_string(fit(reply.into_json(), share)).ok()
        };
        Self {
            agent,
            tool: name,
            success,
            data,
            error,
        }
    }

    /// A call of nothing.
    pub(super) fn unknown(call: &ToolCall, error: &Error) -> Self {
        let tool = call
            .tool
            .as_deref()
            .unwrap_or_default()
            .chars()
            .take(60)
            .collect();
        let hint = error
            .hint
            .as_ref()
            .map(|hint| format!("; {hint}"))
            .unwrap_or_default();
        Self {
            agent: "",
            tool,
            success: false,
            data: None,
            error: Some(format!("{}{hint}", error.message)),
        }
    }

    /// Whether it worked.
    pub(super) fn success(&self) -> bool {
        self.success
    }
}

fn message_of(text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let part = |key: &str| value[key].as_str().map(str::to_owned);
    let hint = part("hint")
        .map(|hint| format!("; {hint}"))
        .unwrap_or_default();
    format!("{}{hint}", part("message").unwrap_or_default())
}

/// The answer of `useTools`; `asked` are the names of all calls, also of those that were not made.
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
    let success = results.iter().all(CallOutcome::success) && results.len() == asked.len();
    let not_run = &asked[results.len().min(asked.len())..];
    let stopped = results
        .last()
        .filter(|last| !last.success() && !not_run.is_empty());
    let error = stopped.map(|last| {
        let done = results.iter().filter(|result| result.success()).count();
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
        plain: false,
        failed: !success,
    }
}
