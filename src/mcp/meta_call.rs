//! Calls of the tools that describe other tools, or call them.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::arguments::conform;
use super::call::{CallMeta, caller_name, workspace_root};
use super::context_argument::{ContextArgument, check_context};
use super::facts::{Access, Meta};
use super::meta::{self, CallToolRequest, GetTools, Info};
use super::response::Response;
use super::server::Server;
use super::state::ServerState;
use super::tool::Tool;
use super::tools::names::CALL_TOOL;
use super::use_tools::{CallOutcome, ToolCall, UseTools, echoed, outcomes, resolve};
use crate::ops::answer::Failure;
use crate::ops::shared::reasons;
use crate::ops::{Asked, Code, Error, Intent, Result};

/// Largest number of calls in one `useTools`.
const MOST_CALLS: usize = 50;

impl Server {
    /// Calls a tool that describes tools, or calls them.
    pub(super) async fn meta_call(
        &self,
        at: usize,
        kind: Meta,
        mut arguments: Map<String, Value>,
        mut meta: CallMeta,
    ) -> Result<Response> {
        let tools = &self.shared.tools;
        if matches!(kind, Meta::GetTools | Meta::UseTools) {
            // Before the other arguments: what is wrong with the context is named first.
            check_context(&tools[at], &arguments)?;
        }
        // The tools that it calls are called by this name, unless they are given another.
        meta.asked.name = caller_name(&mut arguments)?;
        meta.workspace = workspace_root(&tools[at], &mut arguments)?;
        let arguments = Value::Object(conform(&tools[at].schema(), arguments)?);
        match kind {
            Meta::Discover => Ok(meta::discover(tools)),
            Meta::Info => meta::info(tools, &read::<Info>(arguments)?, self.shared.router.multi),
            Meta::GetTools => self.get_tools(at, read(arguments)?, meta).await,
            Meta::Read | Meta::Call => {
                let CallToolRequest { name, arguments } = read(arguments)?;
                let at = meta::find(tools, name.as_deref(), "name")?;
                if kind == Meta::Read && tools[at].access != Access::Read {
                    let message = format!("{} does not only read: use {CALL_TOOL}", tools[at].name);
                    return Err(Error::invalid(message));
                }
                Ok(self.call(at, arguments.unwrap_or_default(), meta).await)
            }
            Meta::UseTools => self.use_tools(read(arguments)?, meta).await,
        }
    }

    /// Describes the tools of a `getTools`, whose context is checked as that of a `useTools` is.
    async fn get_tools(&self, at: usize, request: GetTools, meta: CallMeta) -> Result<Response> {
        let context = request.context.clone().unwrap_or_default();
        let (session, meta) = self.in_session(&context, meta)?;
        self.on_thread(false, move |shared| {
            keep_reason(shared, &shared.tools[at], &meta);
        })
        .await?;
        Ok(meta::schemas(&self.shared.tools, &request, &session))
    }

    async fn use_tools(&self, request: UseTools, meta: CallMeta) -> Result<Response> {
        let (session, meta) = self.in_session(&request.context.unwrap_or_default(), meta)?;
        let parallel = match request.strategy.as_deref().map(str::trim) {
            None | Some("" | "serial") => false,
            Some("parallel") => true,
            Some(other) => {
                return Err(Error::invalid(format!(
                    "Invalid strategy: {other}; serial or parallel"
                )));
            }
        };
        let calls = request.calls.unwrap_or_default();
        if calls.is_empty() || calls.len() > MOST_CALLS {
            return Err(Error::invalid(format!(
                "calls must hold 1 to {MOST_CALLS} calls: [{{agent, tool, params}}]"
            )));
        }
        let mut running = Vec::new();
        let mut results = Vec::new();
        let count = calls.len();
        let asked: Vec<String> = calls
            .iter()
            .map(|call| echoed(call.tool.as_deref().unwrap_or_default()))
            .collect();
        for call in calls {
            let call = self.begin(call, &meta, count);
            if parallel {
                // Spawned at once: all of them run while the results are awaited in order.
                running.push(BatchedCall(tokio::spawn(call)));
                continue;
            }
            let outcome = call.await;
            // In series, a later call may depend on the one that has failed.
            let stops = !outcome.success;
            results.push(outcome);
            if stops {
                break;
            }
        }
        // In the order of the calls, whichever ends first.
        for mut call in running {
            let lost = |_| Error::new(Code::Internal, "a call was lost");
            results.push((&mut call.0).await.map_err(lost)?);
        }
        let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
        Ok(outcomes(&session, &asked, &results))
    }

    /// Returns the id of the session that a context names, and the data of the calls in it.
    fn in_session(&self, context: &ContextArgument, meta: CallMeta) -> Result<(String, CallMeta)> {
        let mut why = context.check()?;
        let session = self.shared.sessions.id(&why.session);
        why.session = self.shared.sessions.name(&session);
        // What `as` does elsewhere: sessions of one client are different callers.
        let name = || Some((session.clone(), "sessionId"));
        let asked = Asked {
            name: meta.asked.name.or_else(name),
            ..meta.asked
        };
        let meta = CallMeta {
            why,
            workspace: self.shared.workspace(context)?.or(meta.workspace),
            asked,
            ..meta
        };
        Ok((session, meta))
    }

    fn begin(
        &self,
        call: ToolCall,
        meta: &CallMeta,
        calls: usize,
    ) -> impl Future<Output = CallOutcome> + Send + 'static {
        let (server, meta) = (self.clone(), meta.clone());
        async move {
            match resolve(&server.shared.tools, &call) {
                Err(error) => CallOutcome::unknown(&call, &Failure::from(&error), calls),
                Ok(at) => {
                    let response = server.call(at, call.params.unwrap_or_default(), meta).await;
                    CallOutcome::new(&server.shared.tools[at], response, calls)
                }
            }
        }
    }
}

/// A call of a batch that runs with the others, and ends with the batch when that is cancelled.
struct BatchedCall(tokio::task::JoinHandle<CallOutcome>);

impl Drop for BatchedCall {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Stores the reason of a call that reads no repository; without a store, its answer is the same.
fn keep_reason(shared: &ServerState, tool: &Tool, meta: &CallMeta) {
    let caller = shared.caller(&meta.asked);
    let route = shared.router.route(meta.workspace.as_deref(), &caller);
    let kept = route.and_then(|route| {
        shared.tracker(&route, Intent::Read, |tracker| {
            reasons::keep(tracker, &meta.why, tool.name);
            Ok(())
        })
    });
    if kept.is_err() {
        tracing::debug!("a context could not be kept");
    }
}

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T> {
    serde_json::from_value(arguments).map_err(|error| Error::invalid(error.to_string()))
}
