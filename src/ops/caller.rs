//! The caller of operations: who acts, why, and whether the answer is still wanted.

use std::cell::OnceCell;

use super::agent::{ActingAgent, Asked};
use super::tracker::ClaimPolicy;
use crate::model::Context;
use crate::model::limits::name;
use crate::store::{Cancel, Store};

/// The actor, and what the actor works for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caller {
    actor: String,
    /// The reason of the next changes; their commits keep it.
    pub context: Context,
    /// Ends the wait for other writers.
    pub cancel: Cancel,
    /// Takes issues from others that work on them.
    pub force: bool,
    /// The minutes without activity after which its new claims are over.
    pub lease: Option<u32>,
    /// The place that its new claims are asked for, if that is not the usual one.
    pub claims: Option<ClaimPolicy>,
    /// True if what it starts is its own by name, and another server that runs has begun it.
    pub is_beside: bool,
    asked: Asked,
    agent: OnceCell<Option<ActingAgent>>,
}

impl Caller {
    /// Names the actor: as the command line does, else as environment and configuration do, else as git does.
    pub(super) fn new(store: &Store, actor: Option<&str>) -> Self {
        let named = actor
            .map(str::to_owned)
            .filter(|name| !name.trim().is_empty())
            .or_else(|| store.env().var("GIT_BEADS_ACTOR"))
            .or_else(|| store.config("beads.actor"));
        let actor = named
            .or_else(|| store.identity().user_name())
            .map(|given| name(&given))
            .filter(|name| !name.is_empty());
        Self {
            actor: actor.unwrap_or_default(),
            ..Self::default()
        }
    }

    /// Returns the name of the actor, if anybody is named.
    pub(super) fn actor(&self) -> Option<&str> {
        Some(self.actor.as_str()).filter(|actor| !actor.is_empty())
    }

    /// Says what the front end knows of the agent that calls.
    pub(crate) fn ask(&mut self, asked: Asked) {
        self.asked = asked;
        self.agent = OnceCell::new();
    }

    /// Returns whether the caller has given no name, and counts as who works on the issue.
    pub(super) fn is_recalled(&self) -> bool {
        self.asked.recalled
    }

    /// Returns the agent that acts, if one does. Found when it is first asked for: most questions need no name.
    pub(super) fn agent(&self, store: &Store) -> Option<&ActingAgent> {
        let find = || ActingAgent::find(store, &self.asked, &self.actor);
        self.agent.get_or_init(find).as_ref()
    }
}
