//! The part of a server that all its calls share.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use rmcp::model::{MetaObject, Tool as Offered, ToolAnnotations};
use serde_json::{Map, Value};

use super::caller;
use super::compaction::Compaction;
use super::context_argument::ContextArgument;
use super::facts::{Access, Meta};
use super::meta::{self, find};
use super::parts::SessionParts;
use super::profile::{Profile, offered};
use super::routing::{Route, Router};
use super::sessions::Sessions;
use super::tool::{Run, Tool};
use super::tracker_cache;
use crate::env::agent::NAME;
use crate::ops::{Asked, Code, Error, ExitClass, Intent, Result, Tracker, global_config};

pub(super) struct ServerState {
    pub(super) tools: Vec<Tool>,
    pub(super) router: Router,
    pub(super) compaction: Compaction,
    pub(super) asked: Option<Profile>,
    /// The profile of the configuration, once it is read.
    pub(super) profile: OnceLock<Result<Profile>>,
    /// True if no store was found when the first client asked; the list of tools then has those that lead to one.
    pub(super) lost: OnceLock<bool>,
    /// True once the client was asked for its roots, or had not to be.
    pub(super) asked_roots: tokio::sync::Mutex<bool>,
    pub(super) sessions: Sessions,
    /// The parts of sessions that calls without a name are those of.
    pub(super) parts: SessionParts,
    /// True once the input has ended: there is no one left to wait for.
    pub(super) input_over: AtomicBool,
}

impl ServerState {
    /// Uses the tracker of a repository, which this thread keeps open.
    pub(super) fn tracker<T>(
        &self,
        route: &Route,
        intent: Intent,
        ask: impl FnOnce(&mut Tracker) -> Result<T>,
    ) -> Result<T> {
        tracker_cache::with(route, self.router.actor.as_deref(), intent, ask)
    }

    pub(super) fn caller(&self, asked: &Asked) -> Vec<String> {
        caller::keys(asked, self.router.env.var(NAME))
    }

    /// Returns the profile of git's configuration, else `task`. It is fixed once it was found; a
    /// failed read is tried again.
    pub(super) fn configured_profile(&self) -> Result<Profile> {
        const KEY: &str = "beads.mcpProfile";
        let route = self.router.first();
        let setting = route.and_then(|route| {
            self.tracker(&route, Intent::Read, |tracker| {
                Ok(tracker.store().config(KEY))
            })
        });
        let setting = match setting {
            Err(error)
                // The server was started nowhere in particular: only the user's own configuration is left.
                if error.class() == ExitClass::NotARepository || error.is(Code::OutsideRoots) =>
            {
                global_config(&self.router.env, KEY)
            }
            setting => setting?,
        };
        let found = setting.map_or(Ok(Profile::Task), |name| Profile::parse(&name, KEY));
        // Asked once: a client reads the list of tools once, and must be able to call what it holds.
        self.profile.get_or_init(|| found).clone()
    }

    /// Returns the profile that a greeting speaks of. It touches no repository, so a profile of the configuration counts
    /// only once it was read.
    pub(super) fn greeting_profile(&self) -> Profile {
        let configured = || self.profile.get()?.as_ref().ok().copied();
        self.asked.or_else(configured).unwrap_or(Profile::Task)
    }

    pub(super) fn offered(&self, profile: Profile) -> impl Iterator<Item = &Tool> {
        let lost = self.lost.get().copied().unwrap_or_default();
        offered(&self.tools, profile, self.router.strict, lost)
    }

    /// Returns whether there was no certain store when the first client asked. Asked once: a client reads the list of
    /// tools once.
    pub(super) fn is_lost(&self) -> bool {
        *self.lost.get_or_init(|| match self.router.first() {
            Ok(route) => {
                self.router.note_home(&route);
                route.rival.is_some() || !self.has_store(&route)
            }
            Err(_) => true,
        })
    }

    fn has_store(&self, route: &Route) -> bool {
        let found = self.tracker(route, Intent::Read, |tracker| {
            Ok(tracker.store().tip()?.is_some())
        });
        match found {
            Ok(found) => found,
            // What can't be read is there, and the call that needs it says what is wrong.
            Err(error) => error.class() != ExitClass::NotARepository,
        }
    }

    /// Returns the workspace that a context names: none for the enclosing repository.
    pub(super) fn workspace(&self, context: &ContextArgument) -> Result<Option<String>> {
        let id = context.workspace_id.as_deref().unwrap_or_default().trim();
        if id == "default" {
            return Ok(None);
        }
        if let Some(folder) = self.router.workspace(id) {
            return Ok(Some(folder));
        }
        let shown: String = id.chars().take(100).collect();
        let known = [vec!["default".to_owned()], self.workspace_names()].concat();
        Err(Error::invalid(format!(
            "Invalid context: unknown workspaceId {shown}; known: {}",
            known.join(", ")
        )))
    }

    /// Returns the tool that answers a call: the one that is called, or the one that its arguments choose.
    pub(super) fn chosen(&self, at: usize, arguments: &mut Map<String, Value>) -> Result<usize> {
        let Run::OneOf(choose) = self.tools[at].run else {
            return Ok(at);
        };
        find(&self.tools, Some(choose(arguments)?), "action")
    }

    pub(super) fn workspace_names(&self) -> Vec<String> {
        let workspaces = self.router.workspaces().into_iter();
        workspaces.map(|(name, _)| name).collect()
    }

    pub(super) fn offer(&self, tool: &Tool) -> Offered {
        let reads = tool.access == Access::Read;
        let mut annotations = ToolAnnotations::new()
            .read_only(reads)
            .open_world(tool.access == Access::Remote);
        annotations.destructive_hint = (!reads).then_some(false);
        annotations.idempotent_hint = (tool.access == Access::Session).then_some(true);
        let about = match tool.run {
            Run::Meta(Meta::GetTools) => {
                meta::index(tool.about, &self.tools, &self.workspace_names())
            }
            _ => tool.about.to_owned(),
        };
        let offered = Offered::new(tool.name, about, tool.schema_in(self.router.multi))
            .with_title(title(tool.name))
            .with_annotations(annotations);
        if tool.loads_at_once {
            let always = Map::from_iter([("anthropic/alwaysLoad".to_owned(), true.into())]);
            return offered.with_meta(MetaObject(always));
        }
        offered
    }
}

/// Returns the name of a tool as people read it.
pub(super) fn title(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
