//! The part of a server that all its calls share.

use std::sync::OnceLock;

use rmcp::model::{Tool as Offered, ToolAnnotations};

use super::compaction::Compaction;
use super::meta;
use super::profile::Profile;
use super::routing::{Route, Router};
use super::tool::{Access, Meta, Run, Tool};
use super::tracker_cache;
use super::use_tools::ContextArgument;
use crate::ops::{Code, Error, ExitClass, Result, global_config};

/// State that all calls share.
pub(super) struct ServerState {
    pub(super) tools: Vec<Tool>,
    pub(super) router: Router,
    pub(super) compaction: Compaction,
    /// The profile of the command line.
    pub(super) asked: Option<Profile>,
    /// The profile of the configuration, once it is read.
    pub(super) profile: OnceLock<Result<Profile>>,
}

impl ServerState {
    /// Returns the profile of git's configuration, else `task`. It is fixed once it was found; a
    /// failed read is tried again.
    pub(super) fn configured_profile(&self) -> Result<Profile> {
        const KEY: &str = "beads.mcpProfile";
        let asked = |route: Route| {
            tracker_cache::with(&route, self.router.actor.as_deref(), |tracker| {
                Ok(tracker.store().config(KEY))
            })
        };
        let setting = match self.router.route(None).and_then(asked) {
            Err(error)
                // The server was started nowhere in particular: only the user's own configuration is left.
                if error.class() == ExitClass::NotARepository || error.is(Code::OutsideRoots) =>
            {
                global_config(KEY)
            }
            setting => setting?,
        };
        let found = setting.map_or(Ok(Profile::Task), |name| Profile::parse(&name, KEY));
        // Asked once: a client reads the list of tools once, and must be able to call what it holds.
        self.profile.get_or_init(|| found).clone()
    }

    /// Returns the workspace that a context names: none for the enclosing repository.
    pub(super) fn workspace(&self, context: &ContextArgument) -> Result<Option<String>> {
        let id = context
            .workspace_id
            .as_deref()
            .map(str::trim)
            .unwrap_or_default();
        if id == "default" {
            return Ok(None);
        }
        let unknown = || {
            let shown: String = id.chars().take(100).collect();
            let known: String = self
                .workspace_names()
                .iter()
                .map(|name| format!(", {name}"))
                .collect();
            Error::invalid(format!(
                "Invalid context: unknown workspaceId {shown}; known: default{known}"
            ))
        };
        self.router.workspace(id).map(Some).ok_or_else(unknown)
    }

    pub(super) fn workspace_names(&self) -> Vec<String> {
        self.router
            .workspaces()
            .into_iter()
            .map(|(name, _)| name)
            .collect()
    }

    pub(super) fn offer(&self, tool: &Tool) -> Offered {
        let annotations = match tool.access {
            Access::Read => ToolAnnotations::new().read_only(true).open_world(false),
            Access::Write => ToolAnnotations::new()
                .read_only(false)
                .destructive(false)
                .open_world(false),
            Access::Session => ToolAnnotations::new()
                .read_only(false)
                .destructive(false)
                .idempotent(true)
                .open_world(false),
            Access::Remote => ToolAnnotations::new()
                .read_only(false)
                .destructive(false)
                .open_world(true),
        };
        let about = match tool.run {
            Run::Meta(Meta::GetTools) => {
                meta::index(tool.about, &self.tools, &self.workspace_names())
            }
            _ => tool.about.to_owned(),
        };
        Offered::new(tool.name, about, tool.listed_in(self.router.multi))
            .with_annotations(annotations)
    }
}
