//! One call of a tool that answers from a repository, from its arguments to its answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value, json};

use super::arguments::conform;
use super::elsewhere::{ids, settle};
use super::home::home;
use super::response::Response;
use super::routing::Route;
use super::state::ServerState;
use super::tool::{CallContext, Domain, Run, Tool};
use super::tracker_cache;
use super::waiting::CallWait;
use crate::model::Context;
use crate::ops::shared::reasons;
use crate::ops::shared::remote_claim::send_ends;
use crate::ops::{Asked, Cancel, Code, Error, Hint, Result, Tracker};

/// The data of a call in addition to its arguments.
#[derive(Clone, Debug, Default)]
pub(super) struct CallMeta {
    /// Reason of the changes, which their commits record.
    pub(super) why: Context,
    /// The repository that the context of the call names.
    pub(super) workspace: Option<String>,
    /// The agent that calls, as far as the request and the client say.
    pub(super) asked: Asked,
    /// Set when the client does not wait for the answer any more.
    pub(super) given_up: Arc<AtomicBool>,
    /// The wait of the call, if it waits.
    pub(super) waiting: CallWait,
}

/// Marks a call as given up when its request is dropped.
pub(super) struct CancelOnDrop(pub(super) Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The answer to a call, and the repository that it is about where that is not clear.
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

/// Answers a call of a tool that needs a repository.
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
    /// The keys of its caller.
    caller: Vec<String>,
    /// True if another repository could be meant.
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
        Some(root) if tool.names_workspace() => (router.admit_context(root)?, false),
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
        let (Run::Store(work) | Run::SetContext(work)) = &tool.run else {
            let message = format!("{} can't be called from here", tool.name);
            return Err(Error::invalid(message));
        };
        let named = ids(&self.arguments).next();
        let called = named.map_or_else(|| tool.name.to_owned(), |id| format!("{} {id}", tool.name));
        let waiting = &self.meta.waiting;
        let (why, has_reason) = (self.meta.why.clone(), self.meta.why != Context::default());
        // 4. Run the tool on a tracker that this thread keeps open.
        let response = tracker_cache::with(
            &self.route,
            router.actor.as_deref(),
            tool.access.intent(),
            |tracker| {
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
                server.beats.note_call(tracker, &self.route.dir);
                finished(tracker, waiting, response)
            },
        )?;
        // 5. Context: `set_context` chooses the repository of the calls that follow, if it was found.
        if tool.names_workspace() {
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
    let response = match waiting.is_pending() {
        true => response?,
        false => with_notices(tracker, response?),
    };
    Ok(response.unblocked(&unblocked).warned(warnings))
}

/// Adds what others did with issues of the caller.
fn with_notices(tracker: &Tracker, response: Response) -> Response {
    // A list has no place for them: they wait for the next answer.
    match response.takes_members() {
        true => response.noticed(&tracker.take_notices()),
        false => response,
    }
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
    if !tool.takes_force() {
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
    if tool.names_workspace() && root.is_none() {
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
    // Taken before `conform` consumes the arguments.
    let stray = arguments.keys();
    let stray = stray.filter(|name| schema["properties"].get(name.as_str()).is_none());
    let mut homes = stray.map(|field| (field, home(tool.name, field, &arguments)));
    let elsewhere = homes.find_map(|(field, home)| Some((field.clone(), home?)));
    conform(&schema, arguments).map_err(|error| match elsewhere {
        // A name that is only misspelt has a hint already.
        Some((field, (other, call)))
            if error.is(Code::UnknownField)
                && error.hints.is_empty()
                && tool.domain == Domain::Task =>
        {
            let message = match tool.name == other {
                true => error.message.clone(),
                false => format!(
                    "{} does not accept {field}; use {other} ({})",
                    tool.name, error.message
                ),
            };
            let hints = call.map(|call| Hint::call(other, call));
            let hints = hints.into_iter().collect();
            Error {
                message,
                hints,
                ..error
            }
        }
        _ => error,
    })
}
