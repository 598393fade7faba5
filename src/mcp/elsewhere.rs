//! Calls of a process in which several repositories were chosen: the issue that a call names says which one is meant.

use serde_json::{Map, Value};

use super::routing::Route;
use super::state::ServerState;
use super::tool::Tool;
use super::tracker_cache;
use crate::ops::{Code, Error, Hint, Intent, Result};

/// The arguments that name issues, the one that a call is about first.
const IDS: [&str; 6] = [
    "id",
    "issue_id",
    "epic_id",
    "issue_ids",
    "parent",
    "depends_on",
];
/// Largest number of characters of a call that a hint repeats.
const LONGEST: usize = 900;

/// Returns the repository of a call: where the first issue that it names is, else the one that was chosen last. Refused is
/// a write that names no issue, where it has to be certain which repository is meant.
pub(super) fn settle(
    server: &ServerState,
    tool: &Tool,
    arguments: &Map<String, Value>,
    route: Route,
    is_named: bool,
) -> Result<Route> {
    let roots = server.router.chosen.roots();
    for id in ids(arguments) {
        if is_at(server, &route, id, false) {
            return Ok(route);
        }
        let others = roots.iter().map(|root| root.dir.clone());
        let first = server.router.first().ok().map(|first| first.dir);
        let mut others = others
            .chain(first)
            .map(|dir| Route::named(&server.router.env, dir, "id"));
        if let Some(found) = others.find(|other| is_at(server, other, id, true)) {
            return Ok(found);
        }
    }
    let is_unclear = server.router.strict && !is_named && tool.access.writes();
    match is_unclear {
        true => Err(unclear(server, tool, arguments)),
        false => Ok(route),
    }
}

/// Returns the ids that a call names.
pub(super) fn ids(arguments: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let values = IDS.iter().filter_map(|name| arguments.get(*name));
    values.flat_map(|value| match value {
        Value::Array(ids) => ids.iter().filter_map(Value::as_str).collect(),
        value => value.as_str().into_iter().collect::<Vec<_>>(),
    })
}

/// Returns whether an issue is in a repository; elsewhere only the whole id counts, since a part of it may be that of
/// any issue.
fn is_at(server: &ServerState, route: &Route, id: &str, whole: bool) -> bool {
    let found = tracker_cache::with(
        route,
        server.router.actor.as_deref(),
        Intent::Read,
        |tracker| {
            tracker.read(|view| match whole {
                true => view.has(id),
                false => Ok(!view.find(id).is_err_and(|error| error.is(Code::NotFound))),
            })
        },
    );
    found.unwrap_or_default()
}

fn unclear(server: &ServerState, tool: &Tool, arguments: &Map<String, Value>) -> Error {
    let roots = server.router.chosen.roots();
    let names: Vec<String> = roots
        .iter()
        .map(|root| root.dir.display().to_string())
        .collect();
    let message = format!(
        "several repositories were chosen in this process, so nothing is written before one is named: {}",
        names.join(", ")
    );
    let given: String = arguments
        .iter()
        .map(|(name, value)| format!("{name}={value}, "))
        .collect();
    let error = Error::new(Code::AmbiguousWorkspace, message);
    if given.len() > LONGEST {
        let roots = names
            .iter()
            .map(|name| format!("workspace_root={}", Value::from(name.as_str())));
        let roots = roots.collect::<Vec<_>>().join(" or ");
        return error.hinted(Hint::again("", format!(" with {roots}")));
    }
    let call = |root: &String| {
        let root = Value::from(root.as_str());
        let call = format!("{}({given}workspace_root={root})", tool.name);
        Hint::call(tool.name, call)
    };
    names
        .iter()
        .fold(error, |error, root| error.also(call(root)))
}
