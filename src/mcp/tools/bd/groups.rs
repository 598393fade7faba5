//! `context` and `admin`: several actions of `beads-mcp` under one name each.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::mcp::tool::CallContext;
use crate::ops::shared::words::vocabulary;
use crate::ops::verbs::doctor::{Doctor, doctor};
use crate::ops::verbs::where_::where_;
use crate::ops::{Error, Result};

/// The actions of `context`, and the tools that do them.
const CONTEXT: [(&str, &str); 3] = [
    ("set", "set_context"),
    ("show", "where_am_i"),
    ("init", "init"),
];
const ADMIN: [&str; 3] = ["validate", "repair", "debug"];

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only their names matter: another tool reads them")]
pub(crate) struct BdContext {
    #[schemars(extend("enum" = ["set", "show", "init"]))]
    action: Option<String>,
    workspace_root: Option<String>,
    prefix: Option<String>,
}

/// Returns the tool that does the action of a `context` call: by default it shows what is set, or sets what is given.
pub(crate) fn context(arguments: &mut Map<String, Value>) -> Result<&'static str> {
    let usual = match arguments.contains_key("workspace_root") {
        true => "set",
        false => "show",
    };
    let action = arguments.remove("action").unwrap_or_default();
    let action = action.as_str().map_or(usual, str::trim);
    let found = CONTEXT.iter().find(|(name, _)| *name == action);
    let known = CONTEXT.map(|(name, _)| name);
    found
        .map(|(_, tool)| *tool)
        .ok_or_else(|| vocabulary("an action", action, &known))
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct BdAdmin {
    #[schemars(required, extend("enum" = ["validate", "repair", "debug"]))]
    action: Option<String>,
    #[serde(default)]
    fix_all: bool,
}

/// Looks for damage, repairs it, or says where everything is.
pub(crate) fn admin(call: &CallContext<'_>, request: &BdAdmin) -> Result<Value> {
    let action = request.action.as_deref().map(str::trim).unwrap_or_default();
    if action.is_empty() {
        return Err(Error::invalid("Missing required fields: action"));
    }
    let fix = match action {
        "debug" => return Ok(json!(where_(call.tracker)?)),
        "validate" => request.fix_all,
        "repair" => true,
        other => return Err(vocabulary("an action", other, &ADMIN)),
    };
    let found = doctor(
        call.tracker,
        Doctor {
            fix,
            ..Doctor::default()
        },
    )?;
    let mut answer = json!(found);
    answer["ok"] = found.is_well().into();
    Ok(answer)
}
