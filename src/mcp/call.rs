//! One call of a tool that answers from a repository, from its arguments to its answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value, json};

use super::arguments::conform;
use super::facts::{Domain, Stray};
use super::response::Response;
use super::routing::Route;
use super::state::ServerState;
use super::tool::{CallContext, Run, Tool};
use super::waiting::CallWait;
use crate::model::Context;
use crate::ops::shared::reasons;
use crate::ops::shared::remote_claim::send_ends;
use crate::ops::{Asked, Cancel, Code, Error, Hint, Intent, Result, Tracker};

/// Largest number of characters of a call that a hint repeats.
const LONGEST: usize = 900;

/// The data of a call in addition to its arguments.
#[derive(Clone, Debug, Default)]
pub(super) struct CallMeta {
    /// Reason of the changes, which their commits record.
    pub(super) why: Context,
    /// The repository that the context of the call names.
    pub(super) workspace: Option<String>,
    pub(super) asked: Asked,
    pub(super) given_up: Arc<AtomicBool>,
    pub(super) waiting: CallWait,
}

/// Marks a call as given up when its request is dropped.
pub(super) struct CancelOnDrop(pub(super) Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(super) struct CallAnswer {
    pub(super) response: Result<Response>,
    pub(super) repo: Option<String>,
}

impl CallAnswer {
    /// Returns the answer to a call that has failed before its repository was known.
    pub(super) fn failed(error: Error) -> Self {
        Self {
            response: Err(error),
            repo: None,
        }
    }
}

pub(super) fn call(
    server: &ServerState,
    tool: &Tool,
    arguments: Map<String, Value>,
    meta: CallMeta,
) -> CallAnswer {
    let _span = tracing::info_span!("tool", name = %tool.name).entered();
    match prepare(server, tool, arguments, meta) {
        Ok(prepared) => prepared.run(server, tool),
        Err(error) => CallAnswer::failed(error),
    }
}

/// A call whose arguments were read, and whose repository is known.
struct PreparedCall {
    arguments: Map<String, Value>,
    meta: CallMeta,
    force: bool,
    route: Route,
    caller: Vec<String>,
    is_unclear: bool,
}

/// Reads the arguments of a call, and finds its repository.
fn prepare(
    server: &ServerState,
    tool: &Tool,
    mut arguments: Map<String, Value>,
    mut meta: CallMeta,
) -> Result<PreparedCall> {
    // 1. Arguments: convert them to the schema.
    let force = is_forced(tool, &mut arguments)?;
    // The name of the tool that calls this one, where it has none of its own.
    meta.asked.name = caller_name(&mut arguments)?.or(meta.asked.name);
    let root = workspace_root(tool, &mut arguments)?;
    let arguments = fit(server, tool, arguments)?;
    // 2. Repository: an argument goes before the context of the call.
    let router = &server.router;
    let (root, caller) = (root.or(meta.workspace.take()), server.caller(&meta.asked));
    let (route, is_unclear) = match &root {
        Some(root) if tool.chooses_repository => (router.admit_context(root)?, false),
        Some(root) => (router.route(Some(root), &caller)?, false),
        None if router.chosen.are_several() => {
            let route = router.route(None, &caller)?;
            let first = route.dir.clone();
            let route = settle(server, tool, &arguments, route, !caller.is_empty())?;
            let is_elsewhere = route.dir != first;
            (route, is_elsewhere)
        }
        None => (router.route(None, &caller)?, false),
    };
    Ok(PreparedCall {
        arguments,
        meta,
        force,
        route,
        is_unclear: is_unclear || (caller.is_empty() && router.chosen.are_several()),
        caller,
    })
}

impl PreparedCall {
    fn run(self, server: &ServerState, tool: &Tool) -> CallAnswer {
        // Asked before the call: what it removes is what it was about.
        let place = || {
            self.route
                .locate()
                .map(|it| it.place().display().to_string())
        };
        let repo = self.is_unclear.then(place).and_then(Result::ok);
        let is_said = repo.is_some();
        CallAnswer {
            response: self.answer(server, tool, is_said),
            repo,
        }
    }

    fn answer(self, server: &ServerState, tool: &Tool, is_said: bool) -> Result<Response> {
        let router = &server.router;
        // 3. Permission: before the tool runs, so that a refused call has changed nothing.
        if tool.access.writes() {
            self.route.check_write(router)?;
        }
        let Run::Store(work) = &tool.run else {
            let message = format!("{} can't be called from here", tool.name);
            return Err(Error::invalid(message));
        };
        let called = match tool.ids(&self.arguments).first() {
            Some(id) => format!("{} {id}", tool.name),
            None => tool.name.to_owned(),
        };
        let waiting = &self.meta.waiting;
        let (why, has_reason) = (self.meta.why.clone(), self.meta.why != Context::default());
        // 4. Run the tool on a tracker that this thread keeps open.
        let intent = tool.access.intent();
        let response = server.tracker(&self.route, intent, |tracker| {
            let caller = tracker.caller();
            caller.context = self.meta.why;
            caller.force = self.force;
            caller.lease = router.lease;
            caller.cancel = Cancel::when(self.meta.given_up);
            let asked = self.meta.asked;
            let part = server.parts.enter(tracker, tool, &self.arguments, asked);
            let context = CallContext {
                tracker,
                route: &self.route,
                // Else it is said of every answer.
                says_repo: !is_said && router.says_repo(&self.route),
                compaction: server.compaction,
                waiting,
            };
            let tip = has_reason.then(|| tracker.store().tip().ok());
            let mut response = work(&context, self.arguments);
            // The commits of a change keep its reason.
            let is_new = !waiting.is_pending();
            if is_new
                && (response.is_err() || tip == has_reason.then(|| tracker.store().tip().ok()))
            {
                reasons::keep(tracker, &why, &called);
            }
            if tool.access.writes() {
                server.parts.note(tracker, &part);
                // An end that the remote refuses is no end: the answer says so.
                response = response.and_then(|response| send_ends(tracker).map(|()| response));
            }
            tracker.note_activity();
            finished(tracker, waiting, response)
        })?;
        // 5. Context: `set_context` chooses the repository of the calls that follow, if it was found.
        if tool.chooses_repository {
            let common = self.route.locate()?.common;
            router.chosen.choose(&self.caller, self.route.dir, common);
        }
        Ok(response)
    }
}

/// Takes of a tracker what belongs to one call, and adds to the answer what its caller should know.
fn finished(
    tracker: &mut Tracker,
    waiting: &CallWait,
    response: Result<Response>,
) -> Result<Response> {
    // The tracker outlives the call, also one that has failed: context, cancellation and warnings must not reach the next.
    let caller = tracker.caller();
    caller.context = Context::default();
    caller.cancel = Cancel::default();
    caller.force = false;
    let warnings = waiting.warnings(tracker.take_warnings());
    let unblocked = tracker.take_unblocked();
    // An answer that is not sent takes no notices with it.
    let mut response = response?;
    // A list has no place for them: they wait for the next one.
    if !waiting.is_pending() && response.takes_members() {
        response = response.noticed(&tracker.take_notices());
    }
    Ok(response.unblocked(&unblocked).warned(warnings))
}

/// Takes out of the arguments the name by which callers of one session differ; every tool accepts it.
pub(super) fn caller_name(
    arguments: &mut Map<String, Value>,
) -> Result<Option<(String, &'static str)>> {
    let name = taken(arguments, "as", "string")?;
    Ok(name.and_then(|name| Some((name.as_str()?.to_owned(), "as"))))
}

/// Takes an argument of a type out of the others, read as leniently as those of the schema.
fn taken(arguments: &mut Map<String, Value>, name: &str, kind: &str) -> Result<Option<Value>> {
    let Some(value) = arguments.remove(name) else {
        return Ok(None);
    };
    let schema = Map::from_iter([("properties".into(), json!({name: {"type": kind}}))]);
    let alone = Map::from_iter([(name.to_owned(), value)]);
    Ok(conform(&schema, alone)?.remove(name))
}

/// Takes out of the arguments of a tool that starts or ends work whether it does so to what another agent works on.
fn is_forced(tool: &Tool, arguments: &mut Map<String, Value>) -> Result<bool> {
    if !tool.takes_force {
        return Ok(false);
    }
    let force = taken(arguments, "force", "boolean")?;
    Ok(force == Some(Value::Bool(true)))
}

/// Takes the repository out of the arguments, where every tool accepts it; a tool that chooses one requires it.
pub(super) fn workspace_root(
    tool: &Tool,
    arguments: &mut Map<String, Value>,
) -> Result<Option<String>> {
    let root = taken(arguments, "workspace_root", "string")?;
    let root = root.and_then(|root| root.as_str().map(str::to_owned));
    let root = root.filter(|root| !root.trim().is_empty());
    if tool.chooses_repository && root.is_none() {
        return Err(Error::invalid("Missing required fields: workspace_root"));
    }
    Ok(root)
}

/// Converts arguments to the schema; the error for one that belongs to another tool names that tool.
fn fit(
    server: &ServerState,
    tool: &Tool,
    mut arguments: Map<String, Value>,
) -> Result<Map<String, Value>> {
    (tool.prepare)(&mut arguments);
    let schema = tool.schema_in(server.router.multi);
    let is_known = |field: &String| schema["properties"].get(field).is_some();
    if tool.domain != Domain::Task || arguments.keys().all(is_known) {
        return conform(&schema, arguments);
    }
    let strays = arguments.clone();
    conform(&schema, arguments).map_err(|error| {
        // A name that is only misspelt has a hint already.
        if !error.is(Code::UnknownField) || !error.hints.is_empty() {
            return error;
        }
        for field in strays.keys().filter(|field| !is_known(field)) {
            if let Some((home, call)) = at_home(server, tool, field, &strays) {
                return misplaced(error, tool, field, home, call);
            }
        }
        error
    })
}

/// Returns the tool whose work an argument is, and the call that takes it.
fn at_home<'s>(
    server: &'s ServerState,
    tool: &Tool,
    field: &str,
    arguments: &Map<String, Value>,
) -> Option<(&'s Tool, Option<String>)> {
    let stray = Stray {
        tool: tool.name,
        field,
        arguments,
    };
    for other in &server.tools {
        for home in other.homes {
            if home.fields.contains(&field) && (home.when)(&stray) {
                let call = (home.call)(&stray).map(|with| format!("{}({with})", other.name));
                return (call.is_some() || other.name != tool.name).then_some((other, call));
            }
        }
    }
    None
}

fn misplaced(
    mut error: Error,
    tool: &Tool,
    field: &str,
    home: &Tool,
    call: Option<String>,
) -> Error {
    if tool.name != home.name {
        error.message = format!(
            "{} does not accept {field}; use {} ({})",
            tool.name, home.name, error.message
        );
    }
    error
        .hints
        .extend(call.map(|call| Hint::call(home.name, call)));
    error
}

/// Returns the repository of a call: where the first issue that it names is, else the one that was chosen last. Refused is
/// a write that names no issue, where it has to be certain which repository is meant.
fn settle(
    server: &ServerState,
    tool: &Tool,
    arguments: &Map<String, Value>,
    route: Route,
    is_named: bool,
) -> Result<Route> {
    let roots = server.router.chosen.roots();
    for id in tool.ids(arguments) {
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

/// Returns whether an issue is in a repository; elsewhere only the whole id counts, since a part of it may be that of
/// any issue.
fn is_at(server: &ServerState, route: &Route, id: &str, whole: bool) -> bool {
    let found = server.tracker(route, Intent::Read, |tracker| {
        tracker.read(|view| match whole {
            true => view.has(id),
            false => Ok(!view.find(id).is_err_and(|error| error.is(Code::NotFound))),
        })
    });
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
