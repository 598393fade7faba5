//! The protocol: the list of tools, and calls from their arrival to their answer.

use std::sync::{Arc, OnceLock};

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ConstString, ContentBlock, GetPromptRequestMethod,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsRequestMethod,
    ListPromptsResult, ListResourceTemplatesRequestMethod, ListResourceTemplatesResult,
    ListResourcesRequestMethod, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestMethod, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer};
use serde_json::{Map, Value};

use super::call::{self, CallAnswer, CallMeta, CancelOnDrop};
use super::caller;
use super::compaction::Compaction;
use super::facts::Meta;
use super::hint::render;
use super::meta;
use super::pool::Pool;
use super::profile::Profile;
use super::response::Response;
use super::routing::Router;
use super::sanitize::legible;
use super::state::ServerState;
use super::tool::{Run, Tool};
use super::tools::instructions::instructions;
use super::tools::tools;
use super::waiting::CallWait;
use crate::ops::answer::Failure;
use crate::ops::{Asked, Code, Error, Hint, Result};

/// Time in milliseconds that a client may keep the list of tools, which never changes.
const TTL_MS: u64 = 3_600_000;

#[derive(Clone)]
pub(super) struct Server {
    pub(super) shared: Arc<ServerState>,
    pool: Pool,
}

impl Server {
    /// Returns a server with a profile, or with the one that the repository's configuration names.
    pub(super) fn new(router: Router, asked: Option<Profile>, compaction: Compaction) -> Self {
        let shared = ServerState {
            tools: tools(),
            router,
            compaction,
            asked,
            profile: OnceLock::new(),
            lost: OnceLock::new(),
            asked_roots: std::default::Default::default(),
            sessions: std::default::Default::default(),
            parts: std::default::Default::default(),
            input_over: std::default::Default::default(),
        };
        Self {
            shared: Arc::new(shared),
            pool: Pool::default(),
        }
    }

    pub(super) async fn on_thread<T: Send + 'static>(
        &self,
        writes: bool,
        work: impl FnOnce(&ServerState) -> T + Send + 'static,
    ) -> Result<T> {
        let shared = self.shared.clone();
        let lost =
            |_| Error::new(Code::Internal, "the call was lost").hinted(Hint::text("call again"));
        self.pool
            .run(writes, move || work(&shared))
            .await
            .map_err(lost)
    }

    /// Returns the profile, after what the list of tools depends on is known.
    async fn profile(&self, peer: &Peer<RoleServer>) -> Result<Profile> {
        self.ask_roots(peer).await;
        if self.shared.lost.get().is_none() {
            self.on_thread(false, ServerState::is_lost).await?;
        }
        match (self.shared.asked, self.shared.profile.get()) {
            (Some(profile), _) => Ok(profile),
            (None, Some(configured)) => configured.clone(),
            (None, None) => {
                self.on_thread(false, ServerState::configured_profile)
                    .await?
            }
        }
    }

    /// Returns an error with hints that this session can follow: in profiles that call other tools,
    /// to all of them.
    pub(super) fn failure(&self, error: &Error) -> Failure {
        self.failure_for(error, None)
    }

    pub(super) fn failure_for(&self, error: &Error, caller: Option<&str>) -> Failure {
        let profile = match self.shared.greeting_profile() {
            // Their few tools lead to all the others, so hints may name those.
            Profile::Lazy | Profile::Two => Profile::Full,
            profile => profile,
        };
        let offered: Vec<&Tool> = self.shared.offered(profile).collect();
        render(error, caller, &offered)
    }

    /// Calls a tool that answers from a repository, and words its error.
    pub(super) async fn call(
        &self,
        at: usize,
        arguments: Map<String, Value>,
        meta: CallMeta,
    ) -> Response {
        let caller = arguments
            .get("as")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let CallAnswer { response, repo } = self.answer(at, arguments, meta).await;
        let failed = |error| Response::error(self.failure_for(&error, caller.as_deref()));
        response.unwrap_or_else(failed).about(repo)
    }

    pub(super) async fn answer(
        &self,
        at: usize,
        mut arguments: Map<String, Value>,
        meta: CallMeta,
    ) -> CallAnswer {
        let at = match self.shared.chosen(at, &mut arguments) {
            Ok(at) => at,
            Err(error) => return CallAnswer::failed(error),
        };
        let writes = self.shared.tools[at].access.writes();
        let meta = CallMeta {
            // The calls of one `useTools` share the rest, but each is cancelled alone.
            given_up: Arc::default(),
            waiting: CallWait::default(),
            ..meta
        };
        // Dropped with this future, as when the client cancels: the work then ends at its next check.
        let _waiting = CancelOnDrop(meta.given_up.clone());
        let waiting = meta.waiting.clone();
        let answered = loop {
            let (arguments, meta) = (arguments.clone(), meta.clone());
            let answered = self
                .on_thread(writes, move |shared| {
                    call::call(shared, &shared.tools[at], arguments, meta)
                })
                .await;
            // The thread is free meanwhile; the call comes back to one when there is something to look at.
            let Some(pause) = waiting.pause() else {
                break answered;
            };
            if let Err(error) = pause.over(&self.shared.input_over).await {
                break Err(error);
            }
        };
        answered.unwrap_or_else(CallAnswer::failed)
    }

    /// Returns whether this profile offers prompts or resources. Where the greeting could not know that it does not,
    /// there is nothing of it to list.
    async fn offers<M: ConstString>(
        &self,
        peer: &Peer<RoleServer>,
        offers: fn(Profile) -> bool,
    ) -> Result<bool, ErrorData> {
        let profile = self.known_profile(peer).await?;
        match offers(profile) || self.shared.asked.is_none() {
            true => Ok(offers(profile)),
            false => Err(ErrorData::method_not_found::<M>()),
        }
    }

    async fn known_profile(&self, peer: &Peer<RoleServer>) -> Result<Profile, ErrorData> {
        let profile = self.profile(peer).await;
        profile.map_err(|error| ErrorData::internal_error(error.message, None))
    }

    async fn dispatch(&self, at: usize, arguments: Map<String, Value>, asked: Asked) -> Response {
        let meta = CallMeta {
            asked,
            ..CallMeta::default()
        };
        let Run::Meta(kind) = self.shared.tools[at].run else {
            return self.call(at, arguments, meta).await;
        };
        match self.meta_call(at, kind, arguments, meta).await {
            Ok(response) => response,
            // These two answer in the form of their own contract, errors too.
            Err(error) if matches!(kind, Meta::GetTools | Meta::UseTools) => {
                meta::refused(&self.failure(&error))
            }
            Err(error) => Response::error(self.failure(&error)),
        }
    }

    /// Converts an answer to the protocol's: one text, or one more with warnings, and no structured content.
    fn respond(&self, response: Response) -> CallToolResponse {
        let failed = response.failed;
        let texts = response.into_texts().into_iter();
        let content = texts.map(ContentBlock::text).collect();
        if failed {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        }
        .into()
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let profile = self.shared.greeting_profile();
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        capabilities.prompts = profile.has_prompts().then(Default::default);
        capabilities.resources = profile.has_resources().then(Default::default);
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("git-beads", env!("CARGO_PKG_VERSION")))
            .with_instructions(instructions(profile))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let profile = self.known_profile(&context.peer).await?;
        let shared = &self.shared;
        let offered = shared.offered(profile);
        let tools = offered.map(|tool| shared.offer(tool)).collect();
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(TTL_MS))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let profile = match self.profile(&context.peer).await {
            Ok(profile) => profile,
            Err(error) => return Ok(self.respond(Response::error(Failure::from(&error)))),
        };
        let shared = &self.shared;
        let known = shared
            .offered(profile)
            .any(|tool| tool.name == request.name);
        // A tool outside of the profile is as unknown as one that does not exist.
        let at = shared
            .tools
            .iter()
            .position(|tool| known && tool.name == request.name);
        let Some(at) = at else {
            let message = format!("Unknown tool: {}", legible(&request.name));
            return Err(ErrorData::invalid_params(message, None));
        };
        let asked = caller::asked(&context);
        let response = tokio::select! {
            response = self.dispatch(at, request.arguments.unwrap_or_default(), asked) => response,
            // Dropping `dispatch` ends the call that it waits for (`CancelOnDrop`).
            () = context.ct.cancelled() => {
                tracing::debug!("a call was cancelled");
                return Err(ErrorData::internal_error("cancelled", None));
            }
        };
        Ok(self.respond(response))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let offers = self
            .offers::<ListPromptsRequestMethod>(&context.peer, Profile::has_prompts)
            .await?;
        let listed = offers.then(|| self.prompts());
        Ok(ListPromptsResult::with_all_items(listed.unwrap_or_default()).with_ttl_ms(TTL_MS))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match self
            .offers::<GetPromptRequestMethod>(&context.peer, Profile::has_prompts)
            .await?
        {
            true => Ok(self.prompt(request, context).await?.into()),
            false => Err(ErrorData::method_not_found::<GetPromptRequestMethod>()),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let offers = self
            .offers::<ListResourcesRequestMethod>(&context.peer, Profile::has_resources)
            .await?;
        let listed = offers.then(|| self.resources());
        Ok(ListResourcesResult::with_all_items(listed.unwrap_or_default()).with_ttl_ms(TTL_MS))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let offers = self
            .offers::<ListResourceTemplatesRequestMethod>(&context.peer, Profile::has_resources)
            .await?;
        let listed = offers.then(|| self.templates());
        Ok(
            ListResourceTemplatesResult::with_all_items(listed.unwrap_or_default())
                .with_ttl_ms(TTL_MS),
        )
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match self
            .offers::<ReadResourceRequestMethod>(&context.peer, Profile::has_resources)
            .await?
        {
            true => Ok(self.resource(request, context).await?.into()),
            false => Err(ErrorData::method_not_found::<ReadResourceRequestMethod>()),
        }
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.forget_roots().await;
    }

    // This capability is not declared: an empty list would claim that it exists.

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }
}
